/* SPDX-License-Identifier: MIT */
/* The public calls, and what all of the reading shares: texts, errors, notes. */
#include "fio/fio_priv.h"
#include "workload/units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_MAX = 64 << 20, /* of all that is kept */
	PLACE_MAX = 56       /* of a path, where an error tells its place */
};

static int keep_pointer(struct iobi_fio *f, char *text)
{
	if (f->n_texts & (f->n_texts - 1))
		; /* there is room up to the next power of two */
	else {
		size_t room = f->n_texts ? f->n_texts * 2 : 1;
		char **more = reallocarray(f->text, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->text = more;
	}
	f->text[f->n_texts++] = text;
	return 0;
}

/* Lists that grow line by line are kept whole each time. */
static int check_room(struct iobi_fio *f, size_t len)
{
	const struct iobi_fio_place nowhere = { "", 0 };
	f->text_bytes += len + 1;
	if (f->text_bytes <= TEXT_MAX)
		return 0;
	return iobi_fio_fail(f, E2BIG, "jobs", nowhere, "the jobs' texts come to more than %d MiB",
			     TEXT_MAX >> 20);
}

const char *iobi_fio_keep(struct iobi_fio *f, const char *text, size_t len)
{
	if (check_room(f, len))
		return NULL;
	char *copy = strndup(text, len);
	if (copy && !keep_pointer(f, copy))
		return copy;
	free(copy);
	iobi_no_memory(f->err);
	return NULL;
}

/* The end of a long path, which tells the file. */
static const char *end_of(const char *path)
{
	size_t len = strlen(path);
	const char *from = path + len - PLACE_MAX, *slash;
	if (len <= PLACE_MAX)
		return path;
	slash = strchr(from, '/');
	return slash ? slash : path;
}

static void add_place(struct iobi_text *t, struct iobi_fio_place at)
{
	char quoted[IOBI_QUOTED];
	const char *end = at.line ? end_of(at.file) : NULL;
	if (end)
		iobi_text_printf(t, ", %s%s line %d", end > at.file ? "..." : "",
				 iobi_quote(quoted, end), at.line);
}

int iobi_fio_fail(struct iobi_fio *f, int code, const char *where, struct iobi_fio_place at,
		  const char *fmt, ...)
{
	struct iobi_text t = { 0 };
	char message[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	iobi_text_add(&t, message);
	add_place(&t, at);
	int rc = iobi_fail_at(f->err, code, where, at.file, 0, "%s", t.data ? t.data : message);
	if (f->err)
		f->err->line = at.line;
	iobi_text_free(&t);
	return rc;
}

int iobi_fio_note(struct iobi_fio *f, struct iobi_fio_place at, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (iobi_suite_add_note(f->suite, at.file, at.line, text) < 0)
		return iobi_no_memory(f->err);
	return 0;
}

struct iobi_fio_job *iobi_fio_new_job(struct iobi_fio *f, const char *name,
				      struct iobi_fio_place at)
{
	if (f->n_jobs >= IOBI_FIO_CLONES_MAX) {
		iobi_fio_fail(f, ERANGE, "section", at, "there are more than %d jobs",
			      IOBI_FIO_CLONES_MAX);
		return NULL;
	}
	struct iobi_fio_job **more = reallocarray(f->job, f->n_jobs + 1, sizeof(*more));
	struct iobi_fio_job *j = more ? malloc(sizeof(*j)) : NULL;
	if (more)
		f->job = more;
	if (!j) {
		iobi_no_memory(f->err);
		return NULL;
	}
	*j = f->global;
	for (int i = 0; i < IOBI_FIO_KEYS; i++)
		j->value[i].own = false;
	j->name = name;
	j->place = at;
	more[f->n_jobs++] = j;
	return j;
}

static void end(struct iobi_fio *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		free(f->job[i]);
	for (size_t i = 0; i < f->n_texts; i++)
		free(f->text[i]);
	free(f->job);
	free(f->text);
	free(f->section);
}

/* A file of globals alone is one that others include: an empty suite. */
static int no_jobs(struct iobi_fio *f)
{
	struct iobi_fio_place at = { .file = f->file ? f->file : "" };
	if (f->file && !f->n_sections)
		return iobi_fio_note(f, at,
				     "there is no job: a job has a section [NAME] of its own");
	if (f->n_sections)
		return iobi_fio_fail(f, ENOENT, "section", at, "no job is called \"%s\"",
				     IOBI_QUOTE(f->section[0]));
	return iobi_fio_fail(f, EINVAL, "name", at,
			     "there is no job: name a job file, or begin one with --name=NAME");
}

/* What is left to do once all jobs are read. */
static struct iob_suite *finish(struct iobi_fio *f, int rc)
{
	if (!rc && !f->n_jobs)
		rc = no_jobs(f);
	if (!rc)
		rc = iobi_fio_map(f);
	if (rc) {
		iob_suite_free(f->suite);
		f->suite = NULL;
	}
	end(f);
	return f->suite;
}

static int begin(struct iobi_fio *f, unsigned target_flags, struct iob_error *err)
{
	const unsigned known =
		IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY | IOB_TARGET_OVERWRITE_SIGNATURE;
	*f = (struct iobi_fio){ .target_flags = target_flags, .err = err };
	if (target_flags & ~known)
		return iobi_fail(err, EINVAL, "target_flags", "unknown flags 0x%x",
				 target_flags & ~known);
	f->suite = iob_suite_new(err);
	return f->suite ? 0 : -ENOMEM;
}

struct iob_suite *iob_suite_from_fio_file(const char *path, unsigned target_flags,
					  struct iob_error *err)
{
	struct iobi_fio f;
	if (!path || !*path) {
		iobi_fail(err, EINVAL, "path", "no job file was named");
		return NULL;
	}
	if (begin(&f, target_flags, err))
		return NULL;
	return finish(&f, iobi_fio_read_file(&f, path, false));
}

struct iob_suite *iob_suite_from_fio_args(int argc, const char *const *argv, unsigned target_flags,
					  struct iob_error *err)
{
	struct iobi_fio f;
	bool none = argc < 0;
	for (int i = 0; i < argc && !none; i++)
		none = !argv || !argv[i];
	if (none) {
		iobi_is_null(err, "argv");
		return NULL;
	}
	if (begin(&f, target_flags, err))
		return NULL;
	return finish(&f, iobi_fio_read_args(&f, argc, argv));
}
