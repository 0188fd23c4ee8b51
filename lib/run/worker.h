/* SPDX-License-Identifier: MIT */
/*
 * One worker: a thread that keeps `depth` I/Os in flight and records what each
 * took. Its counters have one writer and can be read at any time.
 */
#ifndef IOBI_WORKER_H
#define IOBI_WORKER_H

#include "measure/recorder.h"
#include "result/usage.h"
#include "run/buffer.h"
#include "run/clock.h"
#include "run/plan.h"
#include <pthread.h>

enum { IOBI_METERS = 5 }; /* by enum iob_op; [IOB_OP_ALL] stays empty */

struct iobi_meter {
	_Atomic uint64_t ios, bytes, errors, shorts;
	/* counts == NULL: an op that is not used; response only in an open loop */
	struct iobi_recorder service, submit, response;
	_Atomic uint64_t failed_bytes; /* asked for by I/Os that failed or were short */
};

/* How well the schedule of an open loop was kept, in the measured window. */
struct iobi_pace_meter {
	_Atomic uint64_t starts, late, dropped, unissued, worst_lag_ns, lag_sum_ns;
	_Atomic uint64_t due_ns[2]; /* the next start of each schedule; UINT64_MAX: none */
};

/* A slot that pauses before its next I/O. */
struct iobi_thinking {
	uint64_t ready_ns;
	struct iob_io *io;
};

/* By the classes of usage.h; of an engine that takes several I/Os at once. */
struct iobi_batch_meter {
	_Atomic uint64_t depth[IOBI_USAGE_CLASSES], submit[IOBI_USAGE_CLASSES],
		complete[IOBI_USAGE_CLASSES];
};

struct iobi_target_meter {
	_Atomic uint64_t ios, bytes, errors;
};

enum iobi_ended {
	IOBI_ENDED_NOT,
	IOBI_ENDED_RUNTIME,
	IOBI_ENDED_BUDGET,
	IOBI_ENDED_STOPPED, /* by the run */
	IOBI_ENDED_ERRORS   /* no target is left */
};

struct iobi_worker {
	const struct iobi_plan *plan;
	uint32_t index;
	struct iobi_clock clock;
	pthread_t thread;
	bool started; /* the thread exists */

	/* the hot loop's own */
	void *state;
	struct iob_io *io;        /* depth of them */
	struct iob_io **unused;   /* a stack of those not in flight */
	struct iob_io **pending;  /* made and not yet taken by the engine */
	struct iob_io **done;
	uint32_t n_unused, n_pending, n_flying;
	struct iobi_offsets *offsets; /* a target each */
	uint32_t *live, n_live, turn; /* targets without an error, visited in turn */
	struct iob_io trimmed; /* trim_first: what is to be written next; len 0: nothing */
	uint64_t visit_left; /* of target_run, or bytes of a pass over the target */
	struct iobi_thinking *thinking; /* a heap of up to depth, where there is think time */
	uint32_t n_thinking;
	uint64_t begin_ns;              /* of its I/O: after the start delay */
	uint64_t start_ns, deadline_ns; /* of the measured window; UINT64_MAX: none */
	uint64_t quota; /* yet to be issued: I/Os where all are alike, else bytes */
	uint64_t last_ns;     /* the latest time known */
	uint64_t *unflushed; /* writes of each target since it was flushed */
	uint16_t written;    /* the target of the latest write */
	uint32_t write_block; /* buffers from here on are for writes */
	struct iobi_random random;
	struct iobi_buffer buffer;
	struct iob_engine_target *targets; /* for the engine */
	void *counts;                      /* of all recorders */
	size_t counts_len;
	char features[256];
	bool not_invalidated; /* the kernel did not let it */
	enum iobi_ended ended;
	bool stranded; /* the engine broke with I/Os in flight: their memory is not freed */

	/* read by others at any time */
	bool opened; /* state is to be closed; guarded by lock */
	_Atomic bool *stop; /* set by the run */
	_Atomic bool cancels; /* an error ends the run: on_error=cancel */
	struct iobi_seq seq;
	struct iobi_meter meter[IOBI_METERS];
	struct iobi_pace_meter pace;
	struct iobi_batch_meter batches;
	struct iobi_target_meter *target_meter;
	_Atomic uint64_t in_flight, first_ns, last_done_ns;
	_Atomic uint64_t failed_ns;                   /* what I/Os that failed or were short took */
	_Atomic uint64_t cpu_ns, cpu_wait_ns, ran_ns; /* of its loop; 0: it still runs */
	_Atomic int tid;          /* of the thread in its loop; 0: not yet there, or past it */
	uint64_t loop_ns;         /* since when; written before tid, as what it had taken then */
	struct iobi_usage before;
	_Atomic uint64_t user_ns, system_ns, switches, major_faults, minor_faults;

	pthread_mutex_t lock;   /* guards what follows, and state against wake */
	struct iob_error error; /* the first I/O error; code 0: none */
	int failed;             /* -errno: could not start, or the engine broke */
};

/* Opens all it needs, on the worker's own thread. 0, or -errno with w->error. */
int iobi_worker_open(struct iobi_worker *w, struct iob_error *err);

/* Runs until the deadline, the budget or *stop; everything is drained. */
void iobi_worker_loop(struct iobi_worker *w);

/* Gives back what open took, but for what is read of it: its meters. */
void iobi_worker_close(struct iobi_worker *w);

/* Ends the engine's wait, from any thread. */
void iobi_worker_wake(struct iobi_worker *w);

/* setup.c: memory for meters, before the thread exists; and its end. */
int iobi_worker_init(struct iobi_worker *w, const struct iobi_plan *plan, uint32_t index,
		     _Atomic bool *stop);
void iobi_worker_free(struct iobi_worker *w);

#endif
