/* SPDX-License-Identifier: MIT */
/*
 * settings.c: what is wanted, from text. search.c: the calls, and what must
 * hold before a search starts. steps.c: the guide of its run, from one step to
 * the next. judge.c: what a step shows. bracket.c: which value comes next.
 */
#ifndef IOBI_SEARCH_PRIV_H
#define IOBI_SEARCH_PRIV_H

#include "measure/batches.h"
#include "result/result_priv.h"
#include "search/bracket.h"
#include "workload/workload_priv.h"
#include <iobench/search.h>

enum iobi_over {
	IOBI_OVER_AUTO,
	IOBI_OVER_RATE,
	IOBI_OVER_DEPTH
};

struct iob_search {
	struct iob_workload *base;
	enum iobi_over over;
	bool targeted; /* there is a latency target */
	/* What was set; low and high 0: follow from the rest. Complete once it was
	 * checked. */
	struct iob_search_outcome want;
};

enum {
	IOBI_POINTS = 2 * IOBI_BATCHES
};

/* What is known of the value that is tried now. */
struct iobi_sample {
	struct iobi_batches batches; /* of all tries */
	uint64_t ios, elapsed_ns;    /* whole and of any op, of all tries */
	/* of this try: the mean of each batch, by time, both in seconds */
	double at[IOBI_POINTS], mean[IOBI_POINTS];
	unsigned n;
};

/* Judges the value by its sample; `pace` of this try, NULL for a closed loop.
 * Fills verdict, ios, iops and the latencies. */
void iobi_judge(const struct iob_search_outcome *want, const struct iobi_sample *sample,
		const struct iob_pace *pace, struct iob_search_step *step);

/* How fast the means grow at the least, in seconds a second; 0: too few. */
double iobi_growth(const struct iobi_sample *sample);

/* A copy of base at that value of what varies; 0: the closed loop at the start.
 * NULL and *err. */
struct iob_workload *iobi_search_workload(const struct iob_search *s, int64_t value,
					  struct iob_error *err);

/* The I/Os that a step needs for an interval to have two ends. */
double iobi_ios_needed(const struct iob_search_outcome *want);

/* Starts the run of a search that was checked; takes it over. */
struct iob_run *iobi_search_lead(struct iob_search *s, struct iob_error *err);

#endif
