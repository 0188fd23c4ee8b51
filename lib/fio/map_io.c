/* SPDX-License-Identifier: MIT */
/* rw, the engine, the order of offsets and files, and what is written. */
#include "fio/map.h"
#include "workload/params.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- rw ---- */

struct direction {
	const char *name;
	bool reads, writes, trims, random;
};

static const struct direction *find_direction(const char *name, size_t len)
{
	static const struct direction all[] = {
		{ "read", true, false, false, false },
		{ "write", false, true, false, false },
		{ "trim", false, false, true, false },
		{ "randread", true, false, false, true },
		{ "randwrite", false, true, false, true },
		{ "randtrim", false, false, true, true },
		{ "rw", true, true, false, false },
		{ "readwrite", true, true, false, false },
		{ "randrw", true, true, false, true },
		{ "trimwrite", false, true, true, false },
		{ "randtrimwrite", false, true, true, true },
	};
	for (size_t i = 0; i < IOBI_LEN(all); i++)
		if (strlen(all[i].name) == len && !strncmp(all[i].name, name, len))
			return &all[i];
	return NULL;
}

/* "randread:8": so many follow each other from each place. */
static int map_run_length(struct iobi_fio_map *m, const char *text)
{
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_RW);
	int64_t n = 1;
	int rc = iobi_fio_int(&at, text, strlen(text), &n);
	if (!rc && n < 1)
		n = 1;
	return rc ? rc : iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_RUN_LENGTH, n);
}

/* "read:8k" leaves 8k out after each; "read:-8k" goes back by 8k from the end of
 * each, and so, with blocks of 4k, by 4k from its start. */
static int map_step(struct iobi_fio_map *m, const char *text)
{
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_RW);
	bool back = *text == '-';
	int64_t step = 0;
	int rc = iobi_fio_size(&at, text + back, strlen(text + back), &step);
	if (rc)
		return rc;
	if (back && step < 2 * m->most)
		return iobi_fio_wrong(
			m, EINVAL, IOBI_FIO_RW,
			"\"%s\" would come back to the same bytes: less than twice the "
			"block of %" PRId64,
			IOBI_QUOTE(text), m->most);
	if (back)
		rc = iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_PATTERN,
				      IOBI_PATTERN_BACKWARD);
	return rc ? rc
		  : iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_GAP,
				     back ? step - 2 * m->most : step);
}

/* rwmixread and rwmixwrite are one number. */
static int map_mix(struct iobi_fio_map *m)
{
	bool write = iobi_fio_later(m, IOBI_FIO_RWMIXWRITE, IOBI_FIO_RWMIXREAD);
	int key = write ? IOBI_FIO_RWMIXWRITE : IOBI_FIO_RWMIXREAD;
	int64_t percent = 50;
	int rc = iobi_fio_get_int(m, key, &percent);
	if (rc)
		return rc;
	if (percent > 100)
		return iobi_fio_wrong(m, ERANGE, key, "%" PRId64 " is not 0 to 100", percent);
	percent = write ? 100 - percent : percent;
	m->reads = percent > 0;
	m->writes = percent < 100;
	return iobi_fio_set_int(m, m->w, key, IOB_PARAM_READ_PERCENT, percent);
}

static int set_direction(struct iobi_fio_map *m, const struct direction *d)
{
	m->reads = d->reads;
	m->writes = d->writes;
	m->trim_first = d->trims && d->writes;
	m->trims = d->trims && !d->writes;
	m->random = d->random;
	int rc = iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_PATTERN,
				  d->random ? IOBI_PATTERN_RANDOM : IOBI_PATTERN_SEQUENTIAL);
	if (!rc && m->trims)
		return iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_TRIM_PERCENT, 100);
	if (!rc && m->trim_first)
		rc = iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_TRIM_FIRST, 1);
	if (!rc && d->reads && d->writes)
		return map_mix(m);
	return rc ? rc
		  : iobi_fio_set_int(m, m->w, IOBI_FIO_RW, IOB_PARAM_READ_PERCENT,
				     d->reads ? 100 : 0);
}

int iobi_fio_map_rw(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_RW);
	text = text ? text : "read";
	size_t len = strcspn(text, ":");
	const struct direction *d = find_direction(text, len);
	if (!d)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_RW,
				      "\"%s\" is none of read, write, trim, randread, randwrite, "
				      "randtrim, rw, readwrite, randrw, trimwrite, randtrimwrite",
				      IOBI_QUOTE(text));
	return set_direction(m, d);
}

static int map_steps(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_RW), *colon = text ? strchr(text, ':') : NULL;
	if (!colon)
		return 0;
	return m->random ? map_run_length(m, colon + 1) : map_step(m, colon + 1);
}

/* ---- the engine ---- */

struct engine {
	const char *fio, *ours;
};

static int map_engine(struct iobi_fio_map *m, const char **engine)
{
	static const struct engine all[] = {
		{ "psync", "psync" },       { "sync", "psync" },      { "vsync", "psync" },
		{ "pvsync", "psync" },      { "pvsync2", "psync" },   { "libaio", "libaio" },
		{ "aio", "libaio" },        { "linuxaio", "libaio" }, { "io_uring", "io_uring" },
		{ "posixaio", "posixaio" }, { "mmap", "mmap" },       { "null", "null" },
	};
	const char *text = iobi_fio_text(m, IOBI_FIO_IOENGINE);
	*engine = NULL;
	text = text ? text : "psync";
	for (size_t i = 0; i < IOBI_LEN(all); i++)
		if (!strcmp(text, all[i].fio))
			*engine = all[i].ours;
	if (!*engine)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_IOENGINE,
				      "not supported: ioengine=%s; there are sync, psync, vsync, "
				      "pvsync, pvsync2, libaio, io_uring, posixaio, mmap, null",
				      IOBI_QUOTE(text));
	m->null = !strcmp(*engine, "null");
	return iobi_fio_set_str(m, m->w, IOBI_FIO_IOENGINE, IOB_PARAM_ENGINE, *engine);
}

static int map_depth(struct iobi_fio_map *m, const char *engine)
{
	bool sync = !strcmp(engine, "psync") || !strcmp(engine, "mmap");
	int64_t depth = 1;
	int rc = iobi_fio_get_int(m, IOBI_FIO_IODEPTH, &depth);
	rc = rc ? rc : iobi_fio_set_int(m, m->w, IOBI_FIO_IODEPTH, IOB_PARAM_QUEUE_DEPTH, depth);
	m->depth = sync ? 1 : depth;
	if (rc || !sync || depth <= 1)
		return rc;
	return iobi_fio_map_note(m, IOBI_FIO_IODEPTH,
				 "iodepth=%" PRId64
				 " runs at depth 1: ioengine=%s does one I/O at a "
				 "time (as in fio)",
				 depth,
				 iobi_fio_text(m, IOBI_FIO_IOENGINE)
					 ? IOBI_QUOTE(iobi_fio_text(m, IOBI_FIO_IOENGINE))
					 : "psync");
}

static int map_direct(struct iobi_fio_map *m, const char *engine)
{
	bool direct = iobi_fio_on(m, IOBI_FIO_DIRECT, false);
	int key = IOBI_FIO_DIRECT;
	if (iobi_fio_later(m, IOBI_FIO_BUFFERED, IOBI_FIO_DIRECT)) {
		direct = !iobi_fio_on(m, IOBI_FIO_BUFFERED, true);
		key = IOBI_FIO_BUFFERED;
	}
	int rc = 0;
	if (iobi_fio_on(m, IOBI_FIO_ATOMIC, false)) {
		direct = true;
		rc = iobi_fio_map_note(
			m, IOBI_FIO_ATOMIC,
			"atomic=1 is direct=1: the device is not asked for untorn writes");
	}
	if (!rc && direct && !strcmp(engine, "mmap")) {
		direct = false;
		rc = iobi_fio_map_note(m, key,
				       "ioengine=mmap works through the page cache: direct "
				       "has no effect");
	}
	return rc ? rc : iobi_fio_set_int(m, m->w, key, IOB_PARAM_DIRECT, direct);
}

static int map_sync(struct iobi_fio_map *m)
{
	static const char *const all[][2] = { { "0", "none" },
					      { "none", "none" },
					      { "1", "all" },
					      { "sync", "all" },
					      { "dsync", "data" } };
	const char *text = iobi_fio_text(m, IOBI_FIO_SYNC);
	for (size_t i = 0; text && i < IOBI_LEN(all); i++)
		if (!strcmp(text, all[i][0]))
			return iobi_fio_set_str(m, m->w, IOBI_FIO_SYNC, IOB_PARAM_SYNC, all[i][1]);
	return text ? iobi_fio_wrong(m, EINVAL, IOBI_FIO_SYNC,
				     "\"%s\" is none of none, 0, sync, 1, dsync", IOBI_QUOTE(text))
		    : 0;
}

/* ---- the order of offsets and files ---- */

static int map_seed(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_RANDSEED);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_RANDSEED);
	int64_t seed = 0x89;
	int rc = text ? iobi_fio_int(&at, text, strlen(text), &seed) : 0;
	m->seed = text || iobi_fio_on(m, IOBI_FIO_RANDREPEAT, true) ? (uint64_t)seed + 1 : 0;
	return rc;
}

/* zoned: a blank share is what the others leave. */
static int fill_in_zones(struct iobi_fio_map *m, const char *list, struct iobi_text *t)
{
	int64_t access_left = 100, size_left = 100;
	for (const char *part = list; part;
	     part = strchr(part, ':') ? strchr(part, ':') + 1 : NULL) {
		struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_RANDOM_DISTRIBUTION);
		size_t len = strcspn(part, ":"), first = strcspn(part, "/:");
		int64_t access = access_left, size = size_left;
		int rc = first ? iobi_fio_int(&at, part, first, &access) : 0;
		if (!rc && len > first + 1)
			rc = iobi_fio_int(&at, part + first + 1, len - first - 1, &size);
		if (rc)
			return rc;
		access_left -= access < access_left ? access : access_left;
		size_left -= size < size_left ? size : size_left;
		iobi_text_printf(t, ":%" PRId64 "/%" PRId64, access, size);
	}
	return t->failed ? iobi_no_memory(m->f->err) : 0;
}

static int map_zones(struct iobi_fio_map *m, const char *list)
{
	struct iobi_text t = { 0 };
	if (strchr(list, ','))
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_RANDOM_DISTRIBUTION,
				      "not supported: zones of reads and writes apart");
	iobi_text_add(&t, "zoned");
	int rc = fill_in_zones(m, list, &t);
	rc = rc ? rc
		: iobi_fio_set_str(m, m->w, IOBI_FIO_RANDOM_DISTRIBUTION, IOB_PARAM_DISTRIBUTION,
				   t.data);
	iobi_text_free(&t);
	return rc;
}

static int map_distribution(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_RANDOM_DISTRIBUTION);
	const int key = IOBI_FIO_RANDOM_DISTRIBUTION;
	m->drawn = text && strcmp(text, "random") != 0;
	if (!m->drawn)
		return 0;
	if (!strncmp(text, "zoned:", 6))
		return map_zones(m, text + 6);
	if (!strncmp(text, "zoned_abs:", 10) || !strncmp(text, "zipf:", 5) ||
	    !strncmp(text, "pareto:", 7) || !strncmp(text, "normal:", 7))
		return iobi_fio_set_str(m, m->w, key, IOB_PARAM_DISTRIBUTION, text);
	if (!strcmp(text, "zipf") || !strcmp(text, "pareto")) /* fio's defaults */
		return iobi_fio_set_str(m, m->w, key, IOB_PARAM_DISTRIBUTION,
					*text == 'z' ? "zipf:1.1" : "pareto:0.2");
	return iobi_fio_wrong(
		m, ENOTSUP, key,
		"not supported: random_distribution=%s; there are random, zipf:THETA, "
		"pareto:H, normal:DEVIATION, zoned:..., zoned_abs:...",
		IOBI_QUOTE(text));
}

static int map_service(struct iobi_fio_map *m)
{
	static const char *const all[][2] = { { "roundrobin", "turn" },
					      { "random", "random" },
					      { "sequential", "sequential" } };
	const int key = IOBI_FIO_FILE_SERVICE_TYPE;
	const char *text = iobi_fio_text(m, key), *order = NULL;
	struct iobi_fio_at at = iobi_fio_at(m, key);
	int64_t n = 1;
	if (!text)
		return 0;
	size_t len = strcspn(text, ":");
	for (size_t i = 0; i < IOBI_LEN(all); i++)
		if (strlen(all[i][0]) == len && !strncmp(all[i][0], text, len))
			order = all[i][1];
	if (!order)
		return iobi_fio_wrong(m, ENOTSUP, key,
				      "not supported: file_service_type=%s; there are roundrobin, "
				      "random, sequential",
				      IOBI_QUOTE(text));
	int rc = text[len] ? iobi_fio_int(&at, text + len + 1, strlen(text + len + 1), &n) : 0;
	rc = rc ? rc : iobi_fio_set_str(m, m->w, key, IOB_PARAM_TARGET_ORDER, order);
	return rc ? rc : iobi_fio_set_int(m, m->w, key, IOB_PARAM_TARGET_RUN, n);
}

int iobi_fio_map_io(struct iobi_fio_map *m)
{
	const char *engine;
	int rc = map_engine(m, &engine);
	rc = rc ? rc : map_depth(m, engine);
	rc = rc ? rc : map_direct(m, engine);
	rc = rc ? rc : map_sync(m);
	rc = rc ? rc : map_steps(m);
	rc = rc ? rc : map_seed(m);
	rc = rc ? rc : map_distribution(m);
	rc = rc ? rc : map_service(m);
	if (!rc && iobi_fio_on(m, IOBI_FIO_NORANDOMMAP, false))
		rc = iobi_fio_set_int(m, m->w, IOBI_FIO_NORANDOMMAP, IOB_PARAM_REPEATS, 1);
	if (!rc && iobi_fio_on(m, IOBI_FIO_HIPRI, false))
		rc = iobi_fio_set_int(m, m->w, IOBI_FIO_HIPRI, IOB_PARAM_POLL, 1);
	return rc;
}
