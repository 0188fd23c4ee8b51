/* SPDX-License-Identifier: MIT */
/*
 * When the next I/O is to start. In an open loop the schedule says so, not the
 * completions: while a device stalls, starts fall due all the same, and what
 * they wait counts in their response time.
 */
#ifndef IOBI_PACE_H
#define IOBI_PACE_H

#include "base/random.h"
#include <stdbool.h>
#include <stdint.h>

#define IOBI_LATE_NS UINT64_C(100000) /* less is a thread's wake-up */

/* What a workload asks for; rates are the whole workload's. */
struct iobi_pace {
	bool open; /* arrival fixed or poisson; else a closed loop */
	bool poisson;
	bool split;               /* reads and writes have schedules of their own */
	bool catch_up;            /* overdue starts are made up for, not dropped */
	bool spin;                /* wait for a start by looking at the clock */
	double iops[2], bytes[2]; /* a second; [0] of all, or of reads; 0: no limit */
	double gap_ns[2];         /* the mean one over the mix of lengths; 0: no schedule */
	uint64_t think_ns;        /* pause of a slot before its next I/O; 0: none */
	bool think_exp;           /* with that mean, exponential */
	uint64_t think_ios, think_after_ns; /* the worker pauses as a whole; 0: it does not */
	uint64_t think_spin_ns;             /* of each such pause, not asleep */
};

/* Whether all slots of a worker pause together. */
static inline bool iobi_pauses(const struct iobi_pace *p)
{
	return p->think_ios || p->think_after_ns;
}

/* Whether a loop of its own is needed. */
static inline bool iobi_paced(const struct iobi_pace *p)
{
	return p->open || p->think_ns;
}

/* Starts a second that the schedules ask for. */
static inline double iobi_pace_rate(const struct iobi_pace *p)
{
	return (p->gap_ns[0] > 0 ? 1e9 / p->gap_ns[0] : 0) +
	       (p->gap_ns[1] > 0 ? 1e9 / p->gap_ns[1] : 0);
}

/* One worker's share of a schedule. */
struct iobi_schedule {
	bool on, poisson;
	uint64_t next_ns;       /* intended start of the next I/O */
	double rest;            /* ns below one: the long-run rate is exact */
	double gap_ns, byte_ns; /* gap by I/O, by byte: the longer one counts */
	double mean_ns;         /* the mean gap, of all lengths */
	struct iobi_random random;
};

/* side: 0 reads or all, 1 writes. Workers take turns: the first start of worker
 * w is w/workers of a gap after begin_ns. */
void iobi_schedule_init(struct iobi_schedule *s, const struct iobi_pace *p, int side,
			uint64_t begin_ns, uint32_t worker, uint32_t workers, uint64_t seed);

/* The I/O that was due has this length; the next one falls due later. */
void iobi_schedule_advance(struct iobi_schedule *s, uint32_t len);

/* How many starts fall due before end_ns that are not made; goes past them. */
uint64_t iobi_schedule_skip(struct iobi_schedule *s, uint64_t end_ns);

/* Goes past all starts that are due by now, but for the last: how many. The next
 * one must be due. */
uint64_t iobi_schedule_drop(struct iobi_schedule *s, uint64_t now);

/* An exponential variate. */
double iobi_random_exp(struct iobi_random *r, double mean);

#endif
