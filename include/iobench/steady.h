/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_STEADY_H
#define IOBENCH_STEADY_H

#include <iobench/result.h>
#include <iobench/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iob_run; /* <iobench/run.h> */

/*
 * Steady state as the SNIA Solid State Storage Performance Test Specification
 * states it. A suite is run in rounds; a round gives one value for each cell
 * (a stage of the suite). At round x the values x-4 to x are looked at: they are
 * steady where the highest and the lowest are no more than 20 % of their average
 * apart, and the straight line fitted to them by least squares changes by no
 * more than 10 % of it over the window.
 */

/* The rule. iob_steady_pts() has the specification's numbers. */
struct iob_steady_rule {
	uint32_t size;    /* of this struct, set by the caller */
	uint32_t window;  /* rounds that are looked at, 2 to 1000: 5 */
	double excursion; /* highest - lowest, at most; of the average: 0.20 */
	double slope;     /* change of the fitted line over the window, at most; of the average: 0.10 */
};

/* The rule of the specification. Static. */
IOB_API const struct iob_steady_rule *iob_steady_pts(void);

/* A window of values, judged. */
struct iob_steady {
	uint32_t size;    /* set by the caller: sizeof(struct iob_steady) */
	uint32_t steady;  /* 1: it is */
	uint64_t round;   /* the last of the window, from 1; 0: there are too few values */
	double average;   /* NaN where round is 0 */
	double excursion; /* highest - lowest, of the average; NaN where that is 0 */
	double slope;     /* change of the fitted line over the window, of the average; it falls
			   * where this is below 0; NaN where the average is 0 */
};

/*
 * Judges the values of n rounds: the first window that is steady, or the last
 * one where none is. `rule` may be NULL: the specification's; `out` may be NULL.
 * 1: steady, 0: not. A window of zeros is not: nothing was done in it. EINVAL: a
 * value that is no number, infinite or below 0 (the message has its round), a
 * window below 2, a limit below 0.
 */
IOB_API int iob_steady_judge(const double *values, size_t n, const struct iob_steady_rule *rule,
			     struct iob_steady *out, struct iob_error *err);

/* What of a cell is to be steady. No value is ever renumbered or reused. */
enum iob_steady_metric {
	IOB_STEADY_IOPS = 0,
	IOB_STEADY_BANDWIDTH = 1, /* bytes a second */
	IOB_STEADY_LATENCY = 2    /* mean response time, in ns */
};

/* "iops", "bandwidth", "latency"; NULL for another value. Static. */
IOB_API const char *iob_steady_metric_name(enum iob_steady_metric metric);

/* How a suite is run in rounds. */
struct iob_steady_plan {
	uint32_t size; /* of this struct, set by the caller */
	enum iob_steady_metric metric;
	uint32_t max_rounds; /* after these it ends, steady or not; 0: 25, as the specification has */
	uint32_t reserved;
	const struct iob_steady_rule *rule; /* NULL: the specification's */
};

/*
 * Runs the suite as iob_run_start does, but its stages again and again, until
 * all tracked cells are steady at the same round, or max_rounds are done, or it
 * is cancelled, or a round had I/O errors (unless on_error is continue). All
 * targets stay claimed meanwhile. With seed 0 each round draws a seed of its
 * own; with another, each round makes its own from that one. The run is waited
 * for, watched and cancelled like any other; the stages of its result are those
 * of all rounds, in order, and iob_result_rounds tells what came of them; where
 * they may be more than 100, their workloads have no workers. plan may be NULL:
 * IOPS, by the specification. EINVAL: the plan is wrong.
 */
IOB_API struct iob_run *iob_steady_start(const struct iob_suite *s,
					 const struct iob_steady_plan *plan,
					 struct iob_error *err);

/* Start, result and free in one. */
IOB_API struct iob_result *iob_steady_run(const struct iob_suite *s,
					  const struct iob_steady_plan *plan,
					  struct iob_error *err);

/* What came of the rounds. */
struct iob_rounds {
	uint32_t size; /* of this struct */
	enum iob_steady_metric metric;
	uint32_t window;     /* of the rule */
	uint32_t max_rounds;
	double excursion, slope; /* the rule's limits, of the average */
	uint32_t done;       /* rounds that were run to their end */
	uint32_t steady_at;  /* the round at which all tracked cells were steady, from 1; 0: steady
			      * state was not achieved */
	uint32_t first, last; /* the rounds that results are means over: the window that is steady,
			       * else the last one; from 1; 0: no round was done */
	size_t once;    /* stages that ran once, before the rounds */
	size_t cells;   /* stages of a round */
	size_t tracked; /* cells of which steadiness was asked */
	const char *const *notes; /* those of the suite: how it was prepared, what was left out */
	size_t n_notes;
};

/* One cell, over all rounds. */
struct iob_cell {
	uint32_t size; /* of this struct */
	uint32_t tracked; /* 1: steadiness was asked of it */
	const char *name; /* of its stage */
	const double *values; /* of each round that was done */
	size_t n_values;
	uint32_t steady; /* 1: it is, over rounds first to last */
	uint32_t reserved;
	double average, excursion, slope; /* over them, as in struct iob_steady; the latter two NaN
					   * where they are too few for the rule */
};

/* What came of the rounds of a suite; NULL where it was not run in rounds, and
 * below the suite. */
IOB_API const struct iob_rounds *iob_result_rounds(const struct iob_result *r);

/* Cell i, in the order of the suite; NULL past the end. */
IOB_API const struct iob_cell *iob_result_cell(const struct iob_result *r, size_t i);

/* The stage that a cell was in a round (from 1); NULL where that was not run. */
IOB_API const struct iob_result *iob_result_cell_stage(const struct iob_result *r, size_t cell,
						       uint32_t round);

/* The result of a cell: the mean of its values in rounds first to last, for one
 * op. NaN where there are none: no such cell, no I/O of that op, no round. */
IOB_API double iob_result_cell_mean(const struct iob_result *r, size_t cell, enum iob_op op,
				    enum iob_steady_metric metric);

#ifdef __cplusplus
}
#endif
#endif
