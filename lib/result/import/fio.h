/* SPDX-License-Identifier: MIT */
/* What fio reports of its jobs, from its text or its JSON, and how that becomes
 * stages and workloads: a group is a stage, its jobs run side by side. */
#ifndef IOBI_IMPORT_FIO_H
#define IOBI_IMPORT_FIO_H

#include "result/import/import.h"

enum {
	IOBI_FIOIN_PERCENTILES = 64,
	IOBI_FIOIN_SHARES = 40,
	IOBI_FIOIN_JOBS = 8192 /* of a run: twice of what fio can run (REAL_MAX_JOBS) */
};

struct iobi_fioin_latency {
	bool there;
	struct iobi_range mean; /* ns, as the rest */
	double min, max, stddev;
	uint64_t n; /* samples; 0: as many as I/Os */
	double p[IOBI_FIOIN_PERCENTILES];
	uint64_t value[IOBI_FIOIN_PERCENTILES];
	size_t n_p;
	struct iob_hist *bins; /* of json+; else NULL */
};

struct iobi_fioin_op {
	bool there;
	uint64_t ios, bytes, shorts;
	double runtime_ms, iops; /* iops 0: not told, or rounded */
	struct iobi_fioin_latency submit, complete, total; /* slat, clat, lat */
	double band_min, band_max, band_mean;              /* bytes/s */
};

struct iobi_fioin_job {
	char name[256];
	unsigned line, group, jobs;
	char rw[32], engine[64];
	uint64_t block_read, block_write; /* 0: several, or not known */
	unsigned depth;                   /* of each of its jobs; 0: not known */
	int direct, error;                /* direct -1: not known */
	int mix;                          /* % of reads where it mixes; -1: not known */
	uint64_t region;                  /* of all its jobs; 0: not known */
	bool paced, errors_told;
	uint64_t failed;
	double cpu_share; /* of a core, for each of its jobs; NaN */
	struct iobi_fioin_op op[IOBI_RESULT_OPS];
	struct iobi_share share[IOBI_FIOIN_SHARES];
	size_t n_share;
};

struct iobi_fioin_disk {
	char name[64];
	bool above;                                     /* it has members, and their mean */
	double mean_ios[2];                             /* of its members */
	uint64_t ios[2], merges[2], bytes[2], ticks[2]; /* reads, writes */
	uint64_t queue_ms;
	double busy; /* share; NaN */
};

/* What one start of fio printed. */
struct iobi_fioin_run {
	const char *format;
	struct iobi_fioin_job *job;
	size_t n_jobs;
	struct iobi_fioin_disk *disk;
	size_t n_disks;
};

/* One more of it, zeroed but for what is not known; NULL: no memory. */
struct iobi_fioin_job *iobi_fioin_new_job(struct iobi_fioin_run *run);
struct iobi_fioin_disk *iobi_fioin_new_disk(struct iobi_fioin_run *run);
void iobi_fioin_free(struct iobi_fioin_run *run);

/* Its stages into the suite. -ENOMEM. */
int iobi_fioin_build(struct iob_result *suite, const struct iobi_fioin_run *run);

/* fio_disks.c: which disk is a member of which, and their counters into w. */
int iobi_fioin_add_disks(struct iob_result *w, const struct iobi_fioin_run *run);

/* fio_docs.c: a copy of the next JSON document from *at on, which is moved past it;
 * the caller's. 1, 0: there is no more, -1: no memory. */
int iobi_fioin_document(const char **at, const char *end, char **copy, size_t *n);

/* The class "UPTO=PERCENT" of fio's latencies, in units of so many ns; `open`: of
 * ">=UPTO". Those without I/O are not printed, so that where one begins is known
 * from fio's own list. */
void iobi_fioin_add_share(struct iobi_fioin_job *job, double upto, double unit, bool open,
			  double percent);

/* "randrw" and so on. */
bool iobi_fioin_is_random(const char *rw);

#endif
