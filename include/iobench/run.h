/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_RUN_H
#define IOBENCH_RUN_H

#include <iobench/result.h>
#include <iobench/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A suite in progress. The library's threads block all signals and never touch
 * the caller's. wait, progress, snapshot and cancel may be called from any
 * thread at the same time.
 *
 * A child of fork() has none of its parent's threads: it can start runs of its
 * own, and to a run that it inherited its calls do nothing, or fail with EINVAL.
 * (posixaio needs glibc's threads, which it has not got either: in a child of a
 * process that has just used that engine its I/O never ends.)
 */
struct iob_run;

/* How far a run is. */
struct iob_progress {
	uint32_t size;    /* set by the caller: sizeof(struct iob_progress) */
	uint32_t stage;   /* the one that runs now, from 0 */
	uint32_t stages;  /* of the suite */
	uint32_t done;    /* 1: everything has ended */
	char name[128];   /* of the stage */
	double share;     /* of the whole run done, 0 to 1 */
	uint64_t eta_ns;  /* until its end; UINT64_MAX where that is not known */
	double iops[5];   /* of the last interval, by enum iob_op; [IOB_OP_ALL] is their sum */
	double bytes_per_s[5];
	uint64_t in_flight; /* I/Os submitted and not completed */
	uint32_t round;     /* the one that runs now, from 1; 0: none has begun, or there are none */
	uint32_t rounds;    /* at most; 0: the suite is not run in rounds, <iobench/steady.h>. stages,
			     * share and eta_ns reckon with all of them */
};

/* Checks every workload as iob_workload_check does, claims the devices that
 * will be written, and starts. The suite may be freed at once. */
IOB_API struct iob_run *iob_run_start(const struct iob_suite *s, struct iob_error *err);

/* Waits until the run has ended and all its I/O is drained. timeout_ms < 0: as
 * long as it takes. 1: ended; 0: not yet; -EINTR: a signal came. */
IOB_API int iob_run_wait(struct iob_run *r, int timeout_ms, struct iob_error *err);

/* Asks the run to end; returns at once. Submission stops within 100 ms; what
 * the kernel holds is waited for. Async-signal-safe. */
IOB_API void iob_run_cancel(struct iob_run *r);

/* How far it is. out->size must be set; fields past it are left alone. */
IOB_API int iob_run_progress(struct iob_run *r, struct iob_progress *out);

/* What a workload of a stage does at the moment. */
enum iob_phase {
	IOB_PHASE_WAITING = 0, /* for its stage, or by its start_delay */
	IOB_PHASE_RAMP = 1,
	IOB_PHASE_RUNNING = 2,
	IOB_PHASE_ENDED = 3 /* all its I/O is done */
};

/* An enum iob_phase; -ENOENT: there is no such stage, or no such workload in the
 * stage that runs. Both count from 0. */
IOB_API int iob_run_phase(struct iob_run *r, size_t stage, size_t workload);

/* What has been measured so far, marked IOB_RESULT_PARTIAL. Never waits for a
 * worker, even one that is stuck in a system call. The caller's own. */
IOB_API struct iob_result *iob_run_snapshot(struct iob_run *r, struct iob_error *err);

/* Waits for the end and gives the result, the caller's own. NULL where a stage
 * could not start (a snapshot then has the stages that were measured before it);
 * I/O errors are in the result (IOB_RESULT_ERRORS) instead. */
IOB_API struct iob_result *iob_run_result(struct iob_run *r, struct iob_error *err);

/* Cancels, waits until all is drained, frees. NULL is allowed. No other call on
 * r may be in progress. */
IOB_API void iob_run_free(struct iob_run *r);

/* Start, result and free in one. */
IOB_API struct iob_result *iob_suite_run(const struct iob_suite *s, struct iob_error *err);

/* The same for a single workload. */
IOB_API struct iob_result *iob_workload_run(const struct iob_workload *w, struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
