/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_SEARCH_H
#define IOBENCH_SEARCH_H

#include <iobench/result.h>
#include <iobench/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iob_run; /* <iobench/run.h> */

/*
 * How much a device can do before its latency passes a target: the highest rate
 * of an open loop, or the highest queue depth of a closed one. A search is a
 * run: its stages are steps at one value each, chosen as it goes, by doubling
 * and halving until one holds the target and one misses it, and then between
 * the two. What is judged in an open loop is the response time (from the
 * intended start), in a closed loop the service time.
 *
 * A step holds where the interval of its latency lies at or below the limit,
 * and misses where it lies above. I/Os are not independent of one another: the
 * interval comes from how ten stretches of the step differ. A step whose
 * interval holds the limit is done again, all tries of a value are judged
 * together, and one that stays undecided counts as missed, and says so. A rate
 * that was not reached is missed whatever the latency.
 */
struct iob_search;

/* No value of any enum below is ever renumbered or reused. */

/* What a search came to. */
enum iob_search_answer {
	IOB_SEARCH_UNFINISHED = 0, /* cancelled, or I/O failed: held and missed are those so far */
	IOB_SEARCH_FOUND = 1,      /* held holds, missed does not, and they are close enough */
	IOB_SEARCH_NOTHING = 2,    /* nothing holds: even the lowest value misses */
	IOB_SEARCH_EVERYTHING = 3  /* everything holds: even the highest value does */
};

/* What became of a step. */
enum iob_search_verdict {
	IOB_SEARCH_NOT_JUDGED = 0, /* the closed loop that shows where to begin; a step cut short */
	IOB_SEARCH_HOLDS = 1,
	IOB_SEARCH_MISSES = 2,
	IOB_SEARCH_SATURATED = 3, /* missed: the rate was not reached, or a backlog grew */
	IOB_SEARCH_UNDECIDED = 4, /* the interval holds the limit; after the last try: missed */
	IOB_SEARCH_TOO_FEW = 5    /* undecided, since there were too few I/Os for an interval */
};

/* What of the latency is held against the limit. */
enum iob_search_metric {
	IOB_SEARCH_PERCENTILE = 0,
	IOB_SEARCH_MEAN = 1,
	IOB_SEARCH_MAX = 2 /* has no interval: what was seen decides */
};

/* What was looked for, and what came of it. */
struct iob_search_outcome {
	uint32_t size; /* of this struct */
	enum iob_search_answer answer;
	const char *param;        /* what varies: "rate_iops" or "queue_depth" */
	enum iob_op op;           /* whose latency */
	enum iob_latency latency; /* service or response time */
	enum iob_search_metric metric;
	uint32_t tries;    /* of a value, at most */
	double percentile; /* NaN: another metric */
	uint64_t limit_ns;
	int64_t low, high; /* the bounds of the values */
	double resolution; /* held and missed are this close: 2 is 2 % */
	double confidence; /* of each verdict, 95 is 95 % */
	int64_t held;      /* the highest value that holds; 0: none did */
	int64_t missed;    /* the lowest value above it that does not; 0: none */
};

/* A stage of the result. */
struct iob_search_step {
	uint32_t size; /* of this struct */
	enum iob_search_verdict verdict;
	int64_t value;    /* of the parameter; 0: the closed loop at the start */
	uint32_t attempt; /* at this value, from 1 */
	uint32_t reserved;
	uint64_t ios; /* of all attempts at this value, as is what follows */
	double iops;
	double latency_ns;      /* the percentile, mean or maximum; NaN: no I/O */
	double low_ns, high_ns; /* its interval; NaN: that end is not known */
};

/* A search over a copy of `base`. It varies rate_iops where the arrival of base
 * is fixed or poisson, else queue_depth; each step takes ramp_time and runtime
 * of base. A value that base sets itself is the first that is tried. ENOMEM. */
IOB_API struct iob_search *iob_search_new(const struct iob_workload *base, struct iob_error *err);

/* Frees a search; NULL is allowed. Runs and results made from it live on. */
IOB_API void iob_search_free(struct iob_search *s);

/*
 * Sets one thing from text.
 *
 *	latency_target	"p99=1ms", "p99.9=500us", "mean=2ms", "max=10ms"; there is no default
 *	over	"rate_iops" or "queue_depth"; "auto": by the arrival of base
 *	op	"read", "write" or "trim": whose latency is judged; "all"
 *	low	the lowest value to try: where a step has enough I/Os for the interval
 *	high	the highest value to try: 1,000,000,000 I/Os a second, a depth of 1,024
 *	resolution	percent between what holds and what misses: 2
 *	confidence	percent: 95
 *	tries	how often a value is tried before it counts as undecided: 3
 *
 * EINVAL, ERANGE, and ENOENT where there is no such name.
 */
IOB_API int iob_search_set(struct iob_search *s, const char *name, const char *text,
			   struct iob_error *err);

/* Checks all of it, as iob_run_start does, and starts. What it gives is a run:
 * iob_run_wait, iob_run_progress, iob_run_cancel, iob_run_snapshot and
 * iob_run_result of <iobench/run.h>, iob_run_free in the end. The number of
 * stages it tells is an estimate until the end. Where the run is cancelled the
 * result has the steps so far. The search may be freed at once. */
IOB_API struct iob_run *iob_search_start(const struct iob_search *s, struct iob_error *err);

/* Start, result and free in one. The result's stages are the steps in order;
 * every report tells them, and iob_result_search what they came to. */
IOB_API struct iob_result *iob_search_run(const struct iob_search *s, struct iob_error *err);

/* What the search came to, of a suite that one has run (or that was read back
 * from its JSON report); NULL for any other result. Belongs to the result. */
IOB_API const struct iob_search_outcome *iob_result_search(const struct iob_result *r);

/* How many steps it took; step i is stage i of the result. A snapshot has one
 * stage more than steps while one is running. */
IOB_API size_t iob_result_search_step_count(const struct iob_result *r);

/* Step i; NULL past the end. Belongs to the result. */
IOB_API const struct iob_search_step *iob_result_search_step(const struct iob_result *r, size_t i);

#ifdef __cplusplus
}
#endif
#endif
