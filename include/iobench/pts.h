/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_PTS_H
#define IOBENCH_PTS_H

#include <iobench/steady.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Tests of the SNIA Solid State Storage Performance Test Specification, as suites
 * to be run in rounds by iob_steady_start(). They write all over their targets.
 * The specification has a device purged first; that is for the caller to do, by
 * the vendor's means, and to tell.
 */

/* A test. No value is ever renumbered or reused. */
enum iob_pts {
	/* Random, mixes 100/0 95/5 65/35 50/50 35/65 5/95 0/100 by blocks of 1024 128 64
	 * 32 16 8 4 0.5 KiB; tracked: 4 KiB 0/100, 64 KiB 65/35, 1024 KiB 100/0. */
	IOB_PTS_IOPS = 0,
	/* Sequential, 1024 KiB, 100/0 and 0/100; tracked: the writes. */
	IOB_PTS_THROUGHPUT = 1,
	/* Random, one I/O at a time, mixes 100/0 65/35 0/100 by blocks of 8 4 0.5 KiB;
	 * tracked: 4 KiB 0/100. */
	IOB_PTS_LATENCY = 2
};

struct iob_pts_plan {
	uint32_t size; /* of this struct, set by the caller */
	enum iob_pts test;
	uint32_t no_precondition; /* 1: the targets are prepared already */
	uint32_t reserved;
	const char *block_sizes; /* "4k,64k,1m", of the random tests or other ones; NULL: the test's
				  * own, without those that are smaller than a block of a target */
	const char *purge;       /* how the targets were purged; NULL: it is said that iobench did
				  * not */
};

/* "iops", "throughput", "latency"; NULL for another value. Static. */
IOB_API const char *iob_pts_name(enum iob_pts test);

/* What of its cells is to be steady: for a struct iob_steady_plan. */
IOB_API enum iob_steady_metric iob_pts_metric(enum iob_pts test);

/*
 * Adds the preconditioning of the specification: 128 KiB sequential writes over
 * the region of each target, twice, with 32 of them in flight; what is left at a
 * region's end in a stage of its own. Of `base` count the targets, offset, size,
 * engine, direct, buffer, compress_percent and dedupe_percent. Needs targets that
 * may be overwritten when it is run. An error in it ends the run.
 */
IOB_API int iob_suite_add_precondition(struct iob_suite *s, const struct iob_workload *base,
				       struct iob_error *err);

/*
 * Adds a test: its preconditioning, which runs once, and the cells of a round,
 * tracked as the specification has it. Of `base` count the targets and all
 * parameters but pattern, block sizes and mix; the specification has a runtime
 * of 60 s a cell. The latency test runs with one worker and a queue depth of 1.
 * Notes of the suite tell what was left out or scaled down, how the targets were
 * prepared, and go into the result. EINVAL: no such test, no tracked cell among
 * the block sizes, or the suite's rounds have begun already.
 */
IOB_API int iob_suite_add_pts(struct iob_suite *s, const struct iob_workload *base,
			      const struct iob_pts_plan *plan, struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
