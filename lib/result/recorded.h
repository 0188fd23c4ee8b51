/* SPDX-License-Identifier: MIT */
/* What is known of a workload that another program measured and printed,
 * beside what a node of the tree has places for. Constant once it is made, and
 * shared by all copies of its node. */
#ifndef IOBI_RECORDED_H
#define IOBI_RECORDED_H

#include "base/base.h"
#include <iobench/result.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A number that was rounded when it was printed; NaN: not known. */
struct iobi_range {
	double low, value, high;
};

/* I/Os whose latency was above one bound and at most the other. */
struct iobi_share {
	double from_ns, upto_ns, percent;
};

struct iobi_recorded_op {
	struct iobi_range mean_ns;            /* of the service time */
	double band_min, band_max, band_mean; /* bytes/s over intervals of its own; NaN */
};

struct iobi_recorded {
	_Atomic unsigned refs;
	const char *format; /* "xdisk" */
	unsigned line;
	bool counted;    /* I/Os and run time are known: else a row stands for one second */
	bool has_errors; /* whether I/O failed is told */
	struct iobi_range iops, bytes_per_s;
	struct iobi_recorded_op op[5];
	struct iobi_share *share; /* of all ops together */
	size_t n_share;
	double cpu_share;      /* of a core, for each worker; NaN */
	uint64_t region_bytes; /* that I/O stayed in, all workers together; 0: not known */
	char flags[32];        /* XDISK's -O letters; "": not known */
	bool has_flags;
	/* What the headings above a row say; 0, -1: nothing. */
	uint64_t filed_block;
	unsigned filed_workers;
	int filed_read;
	char filed_pattern; /* 'R', 'S' */
};

/* One with nothing known, held once; NULL: no memory. */
struct iobi_recorded *iobi_recorded_new(const char *format, unsigned line);
struct iobi_recorded *iobi_recorded_hold(struct iobi_recorded *rec); /* NULL is allowed */
void iobi_recorded_drop(struct iobi_recorded *rec);

#endif
