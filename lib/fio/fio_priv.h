/* SPDX-License-Identifier: MIT */
/*
 * Reading what fio users own. reader.c and args.c gather jobs: for each of fio's
 * options its text and where it stands. map*.c make workloads of them.
 */
#ifndef IOBI_FIO_PRIV_H
#define IOBI_FIO_PRIV_H

#include "fio/options.h"
#include "workload/workload_priv.h"
#include <iobench/fio.h>

enum {
	IOBI_FIO_CLONES_MAX = 65536 /* of all jobs together */
};

/* Where a text stands; file "" and line 0: the command line. */
struct iobi_fio_place {
	const char *file;
	int line;
};

struct iobi_fio_value {
	const char *text; /* NULL: not given; "" for a flag without a value */
	struct iobi_fio_place place;
	unsigned order; /* when it was given: 1, 2, ...; the later one wins */
	bool own;       /* of the job, not of its globals */
};

struct iobi_fio_job {
	const char *name; /* of its section */
	struct iobi_fio_place place;
	bool first; /* of a job file behind another: waits for all before it */
	struct iobi_fio_value value[IOBI_FIO_KEYS];
};

struct iobi_fio {
	struct iobi_fio_job global, **job;
	struct iobi_fio_job *into; /* what is given now belongs to; NULL: nothing yet */
	size_t n_jobs;
	unsigned order;
	unsigned target_flags;
	bool readonly;
	const char *file;     /* the first that was named; NULL: none */
	const char **section; /* read only these; n_sections 0: all */
	size_t n_sections;
	struct iob_suite *suite;
	char **text; /* all texts, freed together */
	size_t n_texts, text_bytes, file_bytes;
	bool noted[IOBI_FIO_KEYS]; /* a note on the option was given */
	bool noted_blanks;
	struct iob_error *err;
};

/* fio.c: texts that live as long as f does; NULL and f->err: no memory. */
const char *iobi_fio_keep(struct iobi_fio *f, const char *text, size_t len);

/* Fills f->err with where = the option, file and line, which the message ends
 * with too; returns -code. */
int iobi_fio_fail(struct iobi_fio *f, int code, const char *where, struct iobi_fio_place at,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int iobi_fio_note(struct iobi_fio *f, struct iobi_fio_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A new job, with the globals so far; NULL: no memory. */
struct iobi_fio_job *iobi_fio_new_job(struct iobi_fio *f, const char *name,
				      struct iobi_fio_place at);

/* options.c: key of an option by its exact name; -1: none. */
int iobi_fio_key(const char *name, size_t len);
/* A refused option; NULL: none of that name. */
const struct iob_fio_option *iobi_fio_refused(const char *name, size_t len);
const struct iob_fio_option *iobi_fio_row(int key);
enum iobi_fio_type iobi_fio_type(int key);
/* The nearest name, or NULL. */
const char *iobi_fio_nearest(const char *name);

/* reader.c */
int iobi_fio_read_file(struct iobi_fio *f, const char *path, bool behind_another);
/* One option as it stands in a line or an argument: looked up, expanded, judged,
 * kept. value NULL: none was given. */
int iobi_fio_set(struct iobi_fio *f, const char *name, size_t len, const char *value,
		 struct iobi_fio_place at);

/* args.c */
int iobi_fio_read_args(struct iobi_fio *f, int argc, const char *const *argv);
/* What a dash that is none looks like at the start of a text; NULL: it is none. */
const char *iobi_fio_false_dash(const char *text);

/* expand.c: ${ENV}, $pagesize and its like, arithmetic. The text to use, kept. */
const char *iobi_fio_expand(struct iobi_fio *f, const char *text, const char *where,
			    struct iobi_fio_place at);
/* "2*4k" where the option takes a number; the text itself where it is none. */
const char *iobi_fio_calculate(struct iobi_fio *f, const char *text, const char *where,
			       struct iobi_fio_place at);

/* values.c: texts in fio's forms. `where` and `at` are for the error. */
struct iobi_fio_at {
	struct iobi_fio *f;
	const char *where;
	struct iobi_fio_place place;
	int64_t kilo; /* kb_base */
};
int iobi_fio_judge(struct iobi_fio *f, int key, const char *text, struct iobi_fio_place at);
int iobi_fio_size(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *value);
/* A size, or N% in *percent (1e-6 %), else -1 there. */
int iobi_fio_size_or_percent(const struct iobi_fio_at *at, const char *text, int64_t *value,
			     int64_t *percent);
int iobi_fio_time(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *ns);
int iobi_fio_int(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *value);
/* Up to three sizes, by direction: "4k,8k" leaves the third as the second is. An
 * empty part leaves *value as it was. */
int iobi_fio_sizes(const struct iobi_fio_at *at, const char *text, int64_t value[3]);
/* "a-b", or "a" for both. */
int iobi_fio_range(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *low,
		   int64_t *high);

/* map.c: the jobs become the suite's workloads. */
int iobi_fio_map(struct iobi_fio *f);

#endif
