/* SPDX-License-Identifier: MIT */
/* From a job of fio to workloads: what all of the mapping shares. */
#ifndef IOBI_FIO_MAP_H
#define IOBI_FIO_MAP_H

#include "fio/fio_priv.h"

struct iobi_fio_names {
	char **name, *text; /* parts of it */
	size_t n;           /* 0: not given */
};

struct iobi_fio_map {
	struct iobi_fio *f;
	const struct iobi_fio_job *job;
	struct iob_workload *w; /* of the job; each clone gets a copy */
	bool reads, writes, trims, trim_first, random, null;
	bool drawn; /* places are, by a distribution: some again and again */
	int64_t kilo;
	int64_t least, most; /* block sizes that are used */
	int64_t depth;       /* that runs: 1 of an engine that does one I/O at a time */
	int64_t numjobs, loops;
	uint64_t seed;   /* 0: drawn by each run */
	unsigned thread; /* number of the clone among all of the suite */
	unsigned group;
	struct iobi_fio_names dirs, names; /* directory= and filename= */
	uint64_t targets;                  /* of all clones so far */
	uint64_t label_bytes;
};

/* The text of an option; NULL: not given. */
const char *iobi_fio_text(const struct iobi_fio_map *m, int key);
/* Whether it was given, and after `than`. */
bool iobi_fio_later(const struct iobi_fio_map *m, int key, int than);
bool iobi_fio_on(const struct iobi_fio_map *m, int key, bool otherwise);
struct iobi_fio_at iobi_fio_at(const struct iobi_fio_map *m, int key);
/* Numbers; *value stays as it is where the option was not given. */
int iobi_fio_get_int(const struct iobi_fio_map *m, int key, int64_t *value);
int iobi_fio_get_time(const struct iobi_fio_map *m, int key, int64_t *ns);

/* A wrong value of an option; returns -code. */
int iobi_fio_wrong(const struct iobi_fio_map *m, int code, int key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int iobi_fio_map_note(const struct iobi_fio_map *m, int key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets a parameter; what it does not like is said of the option. */
int iobi_fio_set_int(const struct iobi_fio_map *m, struct iob_workload *w, int key,
		     enum iob_param p, int64_t value);
int iobi_fio_set_str(const struct iobi_fio_map *m, struct iob_workload *w, int key,
		     enum iob_param p, const char *value);

/* map_io.c: pattern, blocks, engine, data. map_blocks.c: block sizes. */
int iobi_fio_map_rw(struct iobi_fio_map *m);
int iobi_fio_map_blocks(struct iobi_fio_map *m);
int iobi_fio_map_io(struct iobi_fio_map *m);
int iobi_fio_map_data(struct iobi_fio_map *m);

/* map_pace.c: rates and pauses. */
int iobi_fio_map_pace(struct iobi_fio_map *m);

/* map_run.c: times, flushes, errors, CPUs, what is for reports. */
int iobi_fio_map_run(struct iobi_fio_map *m);
int iobi_fio_map_clone_run(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone);

/* map_names.c: what the job's targets are called. free_names also where it failed. */
int iobi_fio_map_names(struct iobi_fio_map *m);
void iobi_fio_free_names(struct iobi_fio_map *m);
int iobi_fio_count_files(const struct iobi_fio_map *m, int64_t *n);
int iobi_fio_path(const struct iobi_fio_map *m, struct iobi_text *path, int64_t clone, int64_t file);

/* map_files.c: targets, regions and amounts of clone number `clone`. */
int iobi_fio_map_files(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone);

/* labels.c: what reports tell of a job: fio.job, fio.clone, fio.group, ... */
int iobi_fio_map_labels(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone);

#endif
