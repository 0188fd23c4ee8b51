/* SPDX-License-Identifier: MIT */
/*
 * A run in progress. run.c is the caller's side of it, lead.c the thread that
 * leads it, progress.c what is told on the way.
 */
#ifndef IOBI_RUN_PRIV_H
#define IOBI_RUN_PRIV_H

#include "result/rounds.h"
#include "run/guide.h"
#include "run/stage.h"
#include <iobench/run.h>

struct iobi_planned_stage {
	char *name;
	struct iobi_plan *plans;
	struct iob_workload **copies; /* that the plans refer to */
	size_t n;
	uint64_t length_ns; /* ramp + runtime; 0: not known */
};

struct iob_run {
	struct iobi_targets targets;
	struct iobi_planned_stage *planned;
	size_t n;
	struct iobi_guide guide; /* next == NULL: none, the suite says it all */
	pid_t owner; /* the process that started it, and has its threads */
	pthread_t leader;
	bool led; /* the leader's thread exists */
	bool over; /* the leader's own: a workload ended the run */
	_Atomic bool cancelled;
	int cancel_fd, done_fd; /* eventfds: stay readable once set */

	pthread_mutex_t lock; /* guards what follows */
	struct iob_result *suite; /* the stages that have ended */
	struct iobi_stage *stage; /* the one that runs, or NULL */
	size_t at;                /* its number */
	uint64_t start_ns;
	struct iob_error error; /* code 0: none */
	struct iob_progress progress;
	struct iobi_totals last;
	uint64_t last_ns;
	struct iobi_filling {
		uint64_t total, before, last; /* bytes: of all files, of those done, of this one */
		uint64_t told, told_ns;       /* what was told last, and when */
	} filling;
};

/* Whether this process started it: a child of fork() has the memory of a run, and
 * none of its threads. Not of NULL. */
bool iobi_run_ours(const struct iob_run *r);

/* Plans the stages of a suite behind those that there are. */
int iobi_run_plan(struct iob_run *r, const struct iob_suite *s, struct iob_error *err);
/* The same of what the guide wants next. */
int iobi_run_plan_next(struct iob_run *r, struct iob_error *err);

/* The leader's thread: all stages in order, then done_fd. */
void *iobi_lead(void *run);

/* A stage has been let go; how far it is now. */
void iobi_progress_begin(struct iob_run *r, struct iobi_stage *s, size_t at);
/* Files are being made: `done` bytes of the present one; the total at the start. */
void iobi_progress_fill(struct iob_run *r, uint64_t total);
void iobi_progress_filled(struct iob_run *r, uint64_t done);
void iobi_progress_update(struct iob_run *r, const struct iobi_stage *s, uint64_t now);

#endif
