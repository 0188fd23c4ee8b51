/* SPDX-License-Identifier: MIT */
/* What a clone does to its targets: the region of each, and how much is moved. */
#include "fio/facts.h"
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	TARGETS_MAX = 1000000
};

static unsigned flags_of(const struct iobi_fio_map *m)
{
	unsigned flags = m->f->target_flags;
	if (flags & IOB_TARGET_ALLOW_DESTROY)
		flags |= IOB_TARGET_CREATE;
	return m->writes || m->trims ? flags : flags & IOB_TARGET_CREATE;
}

/* ---- sizes ---- */

/* What the targets are, as far as sizes go. */
struct room {
	int64_t files;
	int64_t least;   /* of those that are there; INT64_MAX: none is */
	int64_t devices; /* of those that are devices */
	bool missing, file;
};

/* Where the clone's I/O goes in each target, and how much it is. */
struct region {
	int64_t offset, size; /* size 0: to the end */
	int64_t amount;       /* of all targets; 0: passes */
};

static void look_at(struct room *r, const char *path)
{
	struct iobi_fio_facts facts = iobi_fio_look(path);
	r->missing |= !facts.there;
	r->file |= facts.there && !facts.block;
	if (facts.there && facts.size < r->least)
		r->least = facts.size;
	if (facts.block && facts.size < r->devices)
		r->devices = facts.size;
}

static int add_target(const struct iobi_fio_map *m, struct iob_workload *w, const char *path,
		      struct room *r)
{
	struct iob_error err;
	int rc = iob_workload_add_target(w, path, flags_of(m), &err);
	if (rc < 0)
		return iobi_fio_wrong(m, err.code, IOBI_FIO_FILENAME, "%s", err.message);
	look_at(r, path);
	return 0;
}

/* Each is a text, and a look at what is there. */
static int check_number(struct iobi_fio_map *m, int64_t files, int64_t clone)
{
	if (clone)
		return 0;
	m->targets += (uint64_t)files * (uint64_t)m->numjobs;
	if (m->targets <= TARGETS_MAX)
		return 0;
	return iobi_fio_wrong(m, ERANGE, m->numjobs > 1 ? IOBI_FIO_NUMJOBS : IOBI_FIO_NRFILES,
			      "all jobs together would have more than %d targets", TARGETS_MAX);
}

static int add_targets(const struct iobi_fio_map *m, struct iob_workload *w, int64_t clone,
		       struct room *r)
{
	int rc = 0;
	for (int64_t i = 0; !rc && i < r->files; i++) {
		struct iobi_text path = { 0 };
		rc = iobi_fio_path(m, &path, clone, i);
		rc = rc ? rc : add_target(m, w, path.data ? path.data : "", r);
		iobi_text_free(&path);
	}
	return rc;
}

/* N% of the smallest target that is there. */
static int of_percent(const struct iobi_fio_map *m, const struct room *r, int key, int64_t percent,
		      int64_t *value)
{
	bool whole = percent == 100 && key == IOBI_FIO_SIZE;
	*value = 0;
	if (whole)
		return 0; /* to the end, which is known once it runs */
	if (r->least == INT64_MAX || r->missing)
		return iobi_fio_map_note(
			m, key, "%s=%" PRId64 "%% of a target that is not there is left out",
			iobi_fio_row(key)->name, percent);
	*value = (int64_t)((iobi_u128)r->least * (uint64_t)percent / 100);
	return 0;
}

static int get_size(const struct iobi_fio_map *m, const struct room *r, int key, int64_t *value)
{
	const char *text = iobi_fio_text(m, key);
	struct iobi_fio_at at = iobi_fio_at(m, key);
	int64_t percent = -1;
	if (!text)
		return 0;
	int rc = iobi_fio_size_or_percent(&at, text, value, &percent);
	return rc || percent < 0 ? rc : of_percent(m, r, key, percent, value);
}

static bool is_percent(const struct iobi_fio_map *m, int key)
{
	const char *text = iobi_fio_text(m, key);
	return text && *text && text[strlen(text) - 1] == '%';
}

/* offset=N% comes to a block's start, or up to a multiple of offset_align. */
static int get_offset(const struct iobi_fio_map *m, const struct room *r, int64_t clone,
		      int64_t *offset)
{
	int64_t align = 0, step = 0;
	int rc = get_size(m, r, IOBI_FIO_OFFSET, offset);
	rc = rc ? rc : iobi_fio_get_int(m, IOBI_FIO_OFFSET_ALIGN, &align);
	rc = rc ? rc : get_size(m, r, IOBI_FIO_OFFSET_INCREMENT, &step);
	if (rc)
		return rc;
	if (is_percent(m, IOBI_FIO_OFFSET) && align)
		*offset += (align - *offset % align) % align;
	else if (is_percent(m, IOBI_FIO_OFFSET))
		*offset -= *offset % m->most;
	if (is_percent(m, IOBI_FIO_OFFSET_INCREMENT))
		step -= step % m->most;
	if (__builtin_mul_overflow(step, clone, &step) ||
	    __builtin_add_overflow(*offset, step, offset))
		return iobi_fio_wrong(m, ERANGE, IOBI_FIO_OFFSET_INCREMENT,
				      "clone %" PRId64 " would begin past the largest offset",
				      clone);
	return 0;
}

/* filesize is a file's own; size is shared among the files. */
static int get_region(const struct iobi_fio_map *m, const struct room *r, struct region *g)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_FILESIZE);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_FILESIZE);
	int64_t low = 0, high = 0, total = 0;
	int rc = get_size(m, r, IOBI_FIO_SIZE, &total);
	if (!rc && text)
		rc = iobi_fio_range(&at, text, strlen(text), &low, &high);
	if (rc)
		return rc;
	if (low != high)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_FILESIZE,
				      "not supported: files of different sizes, filesize=%s",
				      IOBI_QUOTE(text));
	if (iobi_fio_text(m, IOBI_FIO_SIZE) && total && total < m->least)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_SIZE,
				      "%" PRId64 " bytes are less than one block of %" PRId64,
				      total, m->least);
	if (low && g->offset >= low)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_OFFSET,
				      "%" PRId64 " is past the end of files of %" PRId64 " bytes",
				      g->offset, low);
	bool share = !low && !is_percent(m, IOBI_FIO_SIZE);
	g->size = low ? low - g->offset : share ? total / r->files : total;
	if (low && total && total / r->files < g->size)
		g->amount = total;
	return 0;
}

/* fio takes what a device has; past a file's end nothing is read or written. */
static int clip_to_device(const struct iobi_fio_map *m, const struct room *r, struct region *g)
{
	int key = iobi_fio_text(m, IOBI_FIO_SIZE) ? IOBI_FIO_SIZE : IOBI_FIO_FILESIZE;
	if (r->devices == INT64_MAX || !g->size || g->offset >= r->devices ||
	    g->size <= r->devices - g->offset)
		return 0;
	int64_t asked = g->size;
	g->size = r->devices - g->offset;
	g->size -= g->size % m->most;
	return iobi_fio_map_note(m, key,
				 "the device has %" PRId64 " of the %" PRId64
				 " bytes from offset %" PRId64 ": those are used",
				 r->devices - g->offset, asked, g->offset);
}

static int get_amount(const struct iobi_fio_map *m, const struct room *r, struct region *g)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_IO_SIZE);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_IO_SIZE);
	int64_t amount = 0, percent = -1;
	int rc = text ? iobi_fio_size_or_percent(&at, text, &amount, &percent) : 0;
	if (rc || !text)
		return rc;
	if (percent >= 0) {
		int64_t whole = g->size ? g->size : r->least;
		if (whole == INT64_MAX || (!g->size && r->missing))
			return iobi_fio_wrong(m, EINVAL, IOBI_FIO_IO_SIZE,
					      "%" PRId64 "%% of a target whose size is not known",
					      percent);
		amount = (int64_t)((iobi_u128)whole * (uint64_t)percent / 100) * r->files;
	}
	g->amount = amount ? amount : g->amount;
	return 0;
}

/* I/O is of whole blocks in any case; direct I/O wants the region to be of them. */
static int64_t whole_blocks(const struct iobi_fio_map *m, const struct iob_workload *w,
			    int64_t size)
{
	int64_t direct = 0;
	iob_workload_get_int(w, IOB_PARAM_DIRECT, &direct);
	return direct && size > m->most ? size - size % m->most : size;
}

static int set_region(struct iobi_fio_map *m, struct iob_workload *w, const struct region *g)
{
	int rc = iobi_fio_set_int(m, w, IOBI_FIO_OFFSET, IOB_PARAM_OFFSET, g->offset);
	return rc ? rc
		  : iobi_fio_set_int(m, w, IOBI_FIO_SIZE, IOB_PARAM_SIZE,
				     whole_blocks(m, w, g->size));
}

/* Where a block that does not fit at the end of its file is no reason to stop, fio
 * goes on until as many bytes as the size are moved. */
static bool counts_bytes(const struct iobi_fio_map *m)
{
	if (m->random)
		return m->least != m->most || iobi_fio_on(m, IOBI_FIO_NORANDOMMAP, false) ||
		       m->drawn;
	return m->reads && m->writes;
}

/* Without time_based the size ends the job, however long runtime is. */
static int set_amount(struct iobi_fio_map *m, struct iob_workload *w, struct region *g,
		      int64_t files)
{
	int64_t runtime = 0, ios = 0, amount;
	iob_workload_get_int(w, IOB_PARAM_RUNTIME, &runtime);
	int rc = iobi_fio_get_int(m, IOBI_FIO_NUMBER_IOS, &ios);
	if (rc || (iobi_fio_on(m, IOBI_FIO_TIME_BASED, false) && runtime))
		return rc;
	if (__builtin_mul_overflow(ios, m->loops, &ios)) /* each time so many, as in fio */
		ios = INT64_MAX;
	if (ios)
		rc = iobi_fio_set_int(m, w, IOBI_FIO_NUMBER_IOS, IOB_PARAM_IOS, ios);
	if (rc || (ios && m->least != m->most))
		return rc;
	if (!g->amount && counts_bytes(m))
		g->amount = g->size * files;
	if (!g->amount)
		return iobi_fio_set_int(m, w, IOBI_FIO_LOOPS, IOB_PARAM_PASSES, m->loops);
	if (__builtin_mul_overflow(g->amount, m->loops, &amount))
		amount = INT64_MAX;
	return iobi_fio_set_int(m, w, IOBI_FIO_IO_SIZE, IOB_PARAM_IO_SIZE, amount);
}

static int check_growth(const struct iobi_fio_map *m, const struct room *r)
{
	if (iobi_fio_on(m, IOBI_FIO_FILE_APPEND, false) && r->file && m->writes)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_FILE_APPEND,
				      "not supported: a file that is there is never made longer");
	if (iobi_fio_on(m, IOBI_FIO_FILL_DEVICE, false) && r->file)
		return iobi_fio_map_note(m, IOBI_FIO_FILL_DEVICE,
					 "fill_device writes the file once; its file system is not "
					 "filled");
	return 0;
}

int iobi_fio_map_files(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone)
{
	struct room r = { .least = INT64_MAX, .devices = INT64_MAX };
	struct region g = { 0 };
	int rc = iobi_fio_count_files(m, &r.files);
	if (!rc && !m->null)
		rc = check_number(m, r.files, clone);
	if (!rc && !m->null)
		rc = add_targets(m, w, clone, &r);
	r.files = m->null ? 1 : (int64_t)iob_workload_target_count(w);
	rc = rc ? rc : check_growth(m, &r);
	rc = rc ? rc : get_offset(m, &r, clone, &g.offset);
	rc = rc ? rc : get_region(m, &r, &g);
	rc = rc ? rc : clip_to_device(m, &r, &g);
	rc = rc ? rc : get_amount(m, &r, &g);
	rc = rc ? rc : set_region(m, w, &g);
	return rc ? rc : set_amount(m, w, &g, r.files);
}
