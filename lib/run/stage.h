/* SPDX-License-Identifier: MIT */
/*
 * The workloads of one stage, running side by side: their workers, their
 * interval series, and what a result is collected from.
 */
#ifndef IOBI_STAGE_H
#define IOBI_STAGE_H

#include "measure/series.h"
#include "result/result_priv.h"
#include "run/watch.h"
#include "run/senses.h"
#include "run/worker.h"

struct iobi_live {
	struct iobi_plan *plan;
	struct iobi_worker *worker; /* plan->workers of them */
	struct iobi_series *series;
	struct iob_hist *seen[IOBI_OPS];  /* service times up to the last interval */
	uint64_t seen_bytes[IOBI_OPS];
	struct iobi_submits seen_submits[IOBI_OPS];
	_Atomic uint32_t left; /* workers that have not ended */
};

struct iobi_stage {
	const char *name;
	struct iobi_live *live;
	size_t n;
	struct iobi_series *series; /* of all workloads; NULL where there is one */
	struct iobi_watch *watch;   /* of the devices; NULL where there is none */
	struct iobi_senses *senses; /* of the machine; may be NULL */

	_Atomic bool stop;
	_Atomic uint32_t left; /* workers that have not ended */
	int done_fd;           /* eventfd: the last one has */
	_Atomic bool over, run_over; /* a workload ends the others: ends_others, on_error */
	bool stopped;   /* submission was: a cancel, or one of these */
	bool cancelled;
	uint64_t go_ns, stop_ns; /* 0: has not happened */
	uint64_t go_epoch_ns;
	uint64_t interval_ns; /* start of the interval in progress; 0: none yet */

	pthread_mutex_t lock; /* the gate */
	pthread_cond_t gate;
	uint32_t ready;
	bool open;
	struct iob_error error; /* the first of a worker that could not start */
};

/* plans: adopted as they are, not freed; intervals: of the series, at most. */
int iobi_stage_init(struct iobi_stage *s, const char *name, struct iobi_plan *plans, size_t n,
		    size_t intervals, struct iob_error *err);

/* Starts all workers and lets them go together. On failure none runs. */
int iobi_stage_start(struct iobi_stage *s, struct iob_error *err);

/* Stops submission; the workers drain and end. */
void iobi_stage_stop(struct iobi_stage *s, bool cancelled);

/* Ends waits in the engines once the time is up. */
void iobi_stage_wake(struct iobi_stage *s);

/* Adds an interval to the series where one is due, or `last`. */
int iobi_stage_tick(struct iobi_stage *s, uint64_t now, bool last);

/* Waits for the threads, all of which have ended or will. */
void iobi_stage_join(struct iobi_stage *s);

void iobi_stage_free(struct iobi_stage *s);

/* When the last workload's time is up; UINT64_MAX: by io_size alone. */
uint64_t iobi_stage_deadline(const struct iobi_stage *s);

/* The latencies of an op, or of all, that a workload recorded so far; NULL: no memory. */
struct iob_hist *iobi_live_latency(const struct iobi_live *l, enum iob_op op,
				   enum iob_latency latency);

/* collect.c: the stage's node, `now` for a snapshot or 0 once it is joined. */
struct iob_result *iobi_stage_result(const struct iobi_stage *s, uint64_t now);

/* Counters without histograms: ios, bytes by op, and what is in flight. */
struct iobi_totals {
	uint64_t ios[IOBI_OPS], bytes[IOBI_OPS], in_flight;
};
void iobi_stage_totals(const struct iobi_stage *s, struct iobi_totals *out);

#endif
