/* SPDX-License-Identifier: MIT */
/*
 * A result with fio's eyes: entries ("jobs") in groups, each with the numbers
 * that fio prints, for its JSON and its classic report. How each is made is in
 * docs/reports.md.
 */
#ifndef IOBI_FIO_VIEW_H
#define IOBI_FIO_VIEW_H

#include "report/report_priv.h"
#include <stdbool.h>

enum {
	IOBI_FIOV_READ,
	IOBI_FIOV_WRITE,
	IOBI_FIOV_TRIM,
	IOBI_FIOV_SYNC, /* has ios and lat, nothing else */
	IOBI_FIOV_OPS
};

/* Of slat, clat or lat, in ns. All are 0 where n is 0. */
struct iobi_fiov_latency {
	uint64_t n, min, max;
	double mean, stddev;   /* of a sample: divided by n - 1 */
	struct iob_hist *hist; /* that it comes from, precision up to 6 where fine; never NULL */
	/* clat is lat moved down: low <= value - result <= high, scaled round the mean */
	bool moved;
	double from_mean, scale, least, most;
};

/* A percentile by nearest rank, within min and max. False: not known. */
bool iobi_fiov_percentile(const struct iobi_fiov_latency *l, double p, uint64_t *value);

/* A value of l->hist as it is in l, within min and max. */
uint64_t iobi_fiov_value(const struct iobi_fiov_latency *l, uint64_t value);

/* The whole part; 0 for what is below it or no number, 2^64 - 1 for what is above. */
static inline uint64_t iobi_fiov_whole(double v)
{
	return !(v > 0) ? 0 : v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

/* Rates over 500 ms each. */
struct iobi_fiov_samples {
	uint64_t n;
	double min, max, mean, stddev;
};

struct iobi_fiov_op {
	uint64_t ios, bytes, shorts;
	uint64_t runtime_ms; /* 0: none of it */
	double iops, bytes_per_s;
	struct iobi_fiov_latency slat, clat, lat;
	struct iobi_fiov_samples bw, rate; /* KiB/s, IOPS; of an entry of several they add up */
	double agg;                        /* bw.mean in % of the group's, at most 100 */
};

enum {
	IOBI_FIOV_DEPTHS = 7,     /* 1 2 4 8 16 32 >=64, and of batches 0 4 8 16 32 64 >=64 */
	IOBI_FIOV_CLASSES = 10,   /* 2 4 10 20 50 100 250 500 750 1000 */
	IOBI_FIOV_MS_CLASSES = 12 /* and 2000 >=2000 */
};

struct iobi_fiov_job {
	const struct iob_result **member; /* workloads: clones, or the one */
	size_t n_members;
	const char *name;     /* the first member's */
	char *description;    /* "": none */
	unsigned group, jobs; /* jobs: clones, each with its workers */
	int error;            /* errno of the first I/O that failed; 0: none */
	uint64_t errors;      /* how many failed or were short */
	bool goes_on;         /* on_error=continue: fio prints errors then */
	uint64_t started_ns, ended_ns;
	struct iobi_pairs options; /* a flag has the value "" */
	struct iobi_percentiles percentiles;
	bool of_slat, of_clat, of_lat; /* which have percentiles */
	struct iobi_fiov_op op[IOBI_FIOV_OPS];
	uint64_t runtime_ms; /* of all its threads together */
	double user, system; /* % of that */
	uint64_t switches, major_faults, minor_faults;
	double depth[IOBI_FIOV_DEPTHS], submit[IOBI_FIOV_DEPTHS],
		complete[IOBI_FIOV_DEPTHS]; /* % */
	double of_ns[IOBI_FIOV_CLASSES], of_us[IOBI_FIOV_CLASSES], of_ms[IOBI_FIOV_MS_CLASSES];
	unsigned queue_depth; /* that ran */
};

/* Jobs that count as one: between stonewalls, or as new_group says. */
struct iobi_fiov_group {
	struct {
		uint64_t bytes, min_run_ms, max_run_ms;
		double agg, min_bw, max_bw; /* bytes/s; of the entries */
	} op[IOBI_FIOV_SYNC];
};

/* A disk under the targets, or a member of one, which then comes after it. */
struct iobi_fiov_disk {
	const struct iob_device_use *use;
	double util;      /* % */
	size_t n_members; /* of which what follows is the mean; util: the largest */
	struct iob_device_io of_members[IOBI_FIOV_TRIM]; /* READ, WRITE */
	uint64_t members_queue_ms;
	double members_util;
};

struct iobi_fiov {
	struct iobi_fiov_job *job;
	size_t n_jobs;
	struct iobi_fiov_group *group;
	size_t n_groups;
	struct iobi_pairs global; /* options of [global] */
	struct iobi_fiov_disk *disk;
	size_t n_disks;
	uint64_t started_ns, ended_ns; /* of all; 0: not known */
};

/* 0, -ENOMEM. Texts and members belong to the result, the rest to the view. */
int iobi_fiov_open(struct iobi_fiov *v, const struct iob_result *r);
void iobi_fiov_close(struct iobi_fiov *v);

/* ---- its parts ---- */

/* The value of a label "NAME=...", up to the end of its line, which is *len
 * bytes away; NULL: none. */
const char *iobi_fiov_label(const struct iob_result *w, const char *name, size_t *len);

/* Whether the labels have "NAME=TEXT". */
bool iobi_fiov_label_is(const struct iob_result *w, const char *name, const char *text);

/* An option as it was given to the workload or to all; "" where it was not. */
const char *iobi_fiov_option(const struct iobi_fiov *v, const struct iobi_fiov_job *j,
			     const char *name);

/* "randrw": what a workload did. */
const char *iobi_fiov_rw(const struct iob_result *w);

/* fio_view_options.c: job->options, v->global. */
int iobi_fiov_options(struct iobi_fiov *v, struct iobi_fiov_job *j);

/* fio_view_numbers.c: what was measured. */
int iobi_fiov_numbers(struct iobi_fiov_job *j);

/* fio_view_disks.c */
int iobi_fiov_disks(struct iobi_fiov *v, const struct iob_result *r);

#endif
