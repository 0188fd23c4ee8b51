/* SPDX-License-Identifier: MIT */
/* What the loops of a worker share: making the next I/Os, and taking what came
 * of them. */
#ifndef IOBI_ISSUE_H
#define IOBI_ISSUE_H

#include "run/worker.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Makes I/Os for all that is unused and may be issued; they are pending then. */
void iobi_fill(struct iobi_worker *w);

/* Makes one, of that op; IOB_OP_ALL: of one drawn by the workload's shares. */
void iobi_make(struct iobi_worker *w, struct iob_io *io, enum iob_op op);

/* Gives what was made and not submitted back. */
void iobi_unmake_pending(struct iobi_worker *w);

/* Submits what is pending, stamped `before`, and looks, once, for what is done
 * already; both share a reading of the clock. How many are done, or -errno. */
int iobi_submit_and_look(struct iobi_worker *w, uint64_t before, uint64_t *now);

/* Sleeps so long, or 50 ms if that is less, so that a stop is seen. */
void iobi_nap(uint64_t ns);

/* Records n I/Os that are done, seen at `now`. */
void iobi_complete(struct iobi_worker *w, struct iob_io *const *done, unsigned n, uint64_t now);

/* Counts an I/O that failed or was short; inside the sequence lock. */
void iobi_record_failure(struct iobi_worker *w, const struct iob_io *io);

/* Flushes every target, measured: end_sync. */
void iobi_end_sync(struct iobi_worker *w);

/* The engine itself failed: the worker ends. */
void iobi_broken(struct iobi_worker *w, int rc, const char *what);

/* The same for an engine that may have I/Os in flight. False: they are still to
 * be drained; true: there are none, or the engine fails at that as well. */
bool iobi_give_up(struct iobi_worker *w, int rc);

/* The loop of a sync engine: sync.c. */
void iobi_loop_sync(struct iobi_worker *w);

/* The loop of a simple plan at depth 1, on any engine: burst.c. */
void iobi_loop_bursts(struct iobi_worker *w);

/* The loop of a workload with a schedule or think time: paced.c. */
void iobi_loop_paced(struct iobi_worker *w);

/* How many of up to n units may be issued now. The ramp takes nothing. */
static inline uint32_t iobi_spend(struct iobi_worker *w, uint32_t n)
{
	if (UNLIKELY(n > w->quota))
		n = (uint32_t)w->quota;
	if (LIKELY(w->last_ns >= w->start_ns))
		w->quota -= n;
	return n;
}

static inline bool iobi_stopping(struct iobi_worker *w)
{
	if (UNLIKELY(w->ended != IOBI_ENDED_NOT))
		return true;
	if (UNLIKELY(w->last_ns >= w->deadline_ns))
		w->ended = IOBI_ENDED_RUNTIME;
	else if (UNLIKELY(IOBI_LOAD(w->stop)))
		w->ended = IOBI_ENDED_STOPPED;
	return w->ended != IOBI_ENDED_NOT;
}

#endif
