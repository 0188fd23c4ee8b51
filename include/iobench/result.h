/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_RESULT_H
#define IOBENCH_RESULT_H

#include <iobench/error.h>
#include <iobench/hist.h>
#include <iobench/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What was measured: an immutable tree, suite > stages > workloads > workers.
 * Every call works at every level; a node sums up its children. Only the root
 * is freed; children, texts and histograms belong to it. Can be shared by
 * threads.
 */
struct iob_result;
struct iob_device_use; /* <iobench/device.h> */

/* No value of any enum below is ever renumbered or reused. */

/* What an I/O does; most calls take one, to ask for one kind of I/O or all. */
enum iob_op {
	IOB_OP_ALL = 0, /* read + write + trim */
	IOB_OP_READ = 1,
	IOB_OP_WRITE = 2,
	IOB_OP_TRIM = 3,
	IOB_OP_SYNC = 4
};
/* Which time of an I/O. */
enum iob_latency {
	IOB_LATENCY_SUBMIT = 0,  /* of the submit call, counted once for each of its I/Os */
	IOB_LATENCY_SERVICE = 1, /* before submit -> done */
	IOB_LATENCY_RESPONSE = 2 /* intended start -> done */
};
/* What is counted. */
enum iob_count {
	IOB_COUNT_IOS = 0,    /* whole and successful */
	IOB_COUNT_BYTES = 1,  /* of those */
	IOB_COUNT_ERRORS = 2, /* failed; in neither of the above */
	IOB_COUNT_SHORT = 3   /* fewer bytes moved than asked; in none of the above */
};
/* The levels of the tree. */
enum iob_level {
	IOB_LEVEL_SUITE = 0,
	IOB_LEVEL_STAGE = 1,
	IOB_LEVEL_WORKLOAD = 2,
	IOB_LEVEL_WORKER = 3
};
/* How a run went: the flags of a result. */
enum {
	IOB_RESULT_CANCELLED = 1, /* ended before it was done */
	IOB_RESULT_PARTIAL = 2,   /* a snapshot: the run went on */
	IOB_RESULT_ERRORS = 4,    /* some I/O failed or was short */
	IOB_RESULT_RECORDED = 8   /* measured by another program, and read from its report */
};

/* One stretch of time of a node, for one op. */
struct iob_interval {
	uint32_t size;       /* of this struct */
	uint32_t reserved;
	uint64_t start_ns;   /* since the start of the measured window */
	uint64_t length_ns;  /* 100 ms or longer, but for the last */
	uint64_t ios, bytes; /* completed in it */
	double mean_ns;      /* service time; NaN where ios is 0 */
	uint64_t p50_ns, p99_ns; /* service time; 0 where ios is 0, or where they are not
				  * known: I/O of several workloads or merged parts */
	uint64_t max_ns;         /* service time; 0 where ios is 0 */
	double submit_mean_ns;   /* of the submit calls in it; NaN where there were none, or
				  * where it is not known. Of several workloads or merged
				  * parts weighted by the I/Os that completed */
};

/* How well an open loop (arrival fixed or poisson) kept its schedule, in the
 * measured window. */
struct iob_pace {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	uint64_t starts;       /* I/Os that were started, without flushes */
	uint64_t late;         /* of those, after the next one was due as well (and by 100 us or more) */
	uint64_t dropped;      /* overdue starts given up, with catch_up=false */
	uint64_t unissued;     /* due, and not started when the run ended: in no histogram */
	uint64_t worst_lag_ns; /* from intended start to submit, or to the end of the run */
	double mean_lag_ns;    /* of those started; NaN where starts is 0 */
	double asked_iops;     /* I/Os a second that the schedule asks for: with rate_bytes, at the
				* mean of the block sizes; NaN: not known */
};

/* What one target of a workload got. */
struct iob_target_use {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	const char *path;
	uint64_t target_bytes; /* the target's own size */
	uint64_t ios, bytes; /* of reads, writes and trims */
	uint64_t errors;     /* of flushes too, and what was short */
};

/* Frees a whole result (its root; NULL is allowed). */
IOB_API void iob_result_free(struct iob_result *r);

/* Where in the tree this node stands. */
IOB_API enum iob_level iob_result_level(const struct iob_result *r);

/* The name of the suite, stage, workload or worker. */
IOB_API const char *iob_result_name(const struct iob_result *r);

/* How many children it has. */
IOB_API size_t iob_result_child_count(const struct iob_result *r);

/* Child i; NULL past the end. */
IOB_API const struct iob_result *iob_result_child(const struct iob_result *r, size_t i);

/* IOB_RESULT_* or-ed together. */
IOB_API unsigned iob_result_flags(const struct iob_result *r);

/* The measured window: from the end of the ramp to the later of the runtime's
 * end and the last completion. A stage has the longest of its workloads', a
 * suite the sum of its stages'. */
IOB_API uint64_t iob_result_elapsed_ns(const struct iob_result *r);

/* When the measured window began, in ns since the epoch. */
IOB_API uint64_t iob_result_started_ns(const struct iob_result *r);

/* I/Os that were in flight when a snapshot was taken; 0 for a whole result. */
IOB_API uint64_t iob_result_unfinished(const struct iob_result *r);

/* A counter. */
IOB_API uint64_t iob_result_count(const struct iob_result *r, enum iob_op op, enum iob_count c);

/* Completed I/Os, or their bytes, over the measured window. 0 where the window is empty. */
IOB_API double iob_result_iops(const struct iob_result *r, enum iob_op op);
IOB_API double iob_result_bytes_per_s(const struct iob_result *r, enum iob_op op);

/* Latencies in ns; never NULL for valid arguments, empty where nothing was recorded. */
IOB_API const struct iob_hist *iob_result_hist(const struct iob_result *r, enum iob_op op,
					       enum iob_latency l);

/* A parameter as it was asked for, as text. Above a workload: the value where
 * all workloads below agree, else NULL. NULL for an unknown name. */
IOB_API const char *iob_result_param(const struct iob_result *r, const char *name);

/* The same as it ran: "engine", "queue_depth", "direct", "block_size", "seed",
 * "engine_features" and every other parameter. */
IOB_API const char *iob_result_effective(const struct iob_result *r, const char *name);

/* The first I/O error, with its errno, op, offset and target; NULL if none. */
IOB_API const struct iob_error *iob_result_error(const struct iob_result *r);

/* How the schedule was kept; NULL where no workload below had one. */
IOB_API const struct iob_pace *iob_result_pace(const struct iob_result *r);

/* How many targets its workloads had. */
IOB_API size_t iob_result_target_count(const struct iob_result *r);

/* Target i; NULL past the end. */
IOB_API const struct iob_target_use *iob_result_target(const struct iob_result *r, size_t i);

/* How many intervals the series has; 0 for a worker. */
IOB_API size_t iob_result_interval_count(const struct iob_result *r);

/* Interval i of an op; NULL past the end. */
IOB_API const struct iob_interval *iob_result_interval(const struct iob_result *r, size_t i,
						       enum iob_op op);

/* How many devices its targets stand on: the targets' own and all layers below,
 * each once. A worker has those of its workload, a workload all that its stage
 * counted on them: counters do not tell one workload from another. */
IOB_API size_t iob_result_device_count(const struct iob_result *r);

/* Device i, with its counters over the measured window; NULL past the end. See
 * <iobench/device.h>. */
IOB_API const struct iob_device_use *iob_result_device(const struct iob_result *r, size_t i);

/* One result from the parts of a plan that several processes or hosts ran at
 * the same time: counts and histograms are summed exactly, windows are the
 * longest, flags or-ed, targets joined by path, devices by machine and name (the
 * longest reading of its counters counts); parameters on which the parts differ
 * are left out. The trees must have the same shape and names (EINVAL);
 * workers are kept where every part has them. The parts stay the caller's. */
IOB_API struct iob_result *iob_result_merge(const struct iob_result *const *parts, size_t n,
					    struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
