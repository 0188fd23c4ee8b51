/* SPDX-License-Identifier: MIT */
/*
 * The hot loop: no lock, no allocation, no system call of its own. Time is read
 * before a batch is submitted and once after completions were looked for, which
 * serves the whole batch; the null engine's path is the measure of what is
 * spent here (tests/bench).
 */
#include "run/issue.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define IOBI_NAP_NS UINT64_C(50000000) /* a stop is seen within that */

static uint64_t stamp(struct iobi_worker *w)
{
	uint64_t now = iobi_now(&w->clock);
	for (uint32_t i = 0; i < w->n_pending; i++)
		w->pending[i]->t_intended = w->pending[i]->t_submit = now;
	IOBI_STORE(&w->in_flight, w->n_flying + w->n_pending);
	return now;
}

/* One submit call: its time counts once for each I/O that it took, which are not
 * yet among those that fly. */
static void record_submit(struct iobi_worker *w, struct iob_io *const *ios, unsigned n,
			  uint64_t took, uint64_t now)
{
	uint64_t of_op[IOBI_METERS] = { 0 };
	if (now < w->start_ns)
		return;
	if (w->plan->simple)
		of_op[ios[0]->op] = n;
	else
		for (unsigned i = 0; i < n; i++)
			of_op[ios[i]->op]++;
	iobi_bump(&w->batches.submit[iobi_usage_batch(n)], 1);
	iobi_bump(&w->batches.depth[iobi_usage_depth(w->n_flying + n)], n);
	for (int op = IOB_OP_READ; op < IOBI_METERS; op++)
		if (of_op[op])
			iobi_recorder_add(&w->meter[op].submit, took, of_op[op]);
}

static void took(struct iobi_worker *w, unsigned n)
{
	w->n_flying += n;
	w->n_pending -= n;
	if (w->n_pending)
		memmove(w->pending, w->pending + n, w->n_pending * sizeof(*w->pending));
}

int iobi_submit_and_look(struct iobi_worker *w, uint64_t before, uint64_t *now)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	int n = ops->submit(w->state, w->pending, w->n_pending);
	if (UNLIKELY((unsigned)n > w->n_pending))
		return n < 0 ? n : -EPROTO;
	int got = ops->reap(w->state, w->done, 0, w->plan->depth, 0);
	*now = iobi_now(&w->clock);
	if (LIKELY(n)) {
		iobi_seq_begin(&w->seq);
		record_submit(w, w->pending, (unsigned)n, *now - before, *now);
		iobi_seq_end(&w->seq);
	}
	took(w, (unsigned)n);
	return got;
}

static int wait_for_some(struct iobi_worker *w, uint64_t *now)
{
	int got = w->plan->ops->reap(w->state, w->done, 1, w->plan->depth, -1);
	*now = iobi_now(&w->clock);
	return got;
}

static void loop_async(struct iobi_worker *w)
{
	for (;;) {
		uint64_t now = w->last_ns;
		int got = 0;
		if (LIKELY(!iobi_stopping(w)))
			iobi_fill(w);
		else
			iobi_unmake_pending(w);
		if (LIKELY(w->n_pending))
			got = iobi_submit_and_look(w, stamp(w), &now);
		else if (!w->n_flying)
			break;
		if (!got && w->n_flying)
			got = wait_for_some(w, &now);
		if (UNLIKELY((unsigned)got > w->n_flying)) {
			if (!iobi_give_up(w, got < 0 ? got : -EPROTO))
				continue;
			break;
		}
		w->last_ns = now;
		if (LIKELY(got))
			iobi_complete(w, w->done, (unsigned)got, now);
	}
}

void iobi_nap(uint64_t ns)
{
	struct timespec ts = { .tv_nsec = (long)(ns < IOBI_NAP_NS ? ns : IOBI_NAP_NS) };
	nanosleep(&ts, NULL);
}

/* Until start_delay is over, or a stop. */
static void wait_for_start(struct iobi_worker *w)
{
	uint64_t now;
	while ((now = iobi_now(&w->clock)) < w->begin_ns && !IOBI_LOAD(w->stop))
		iobi_nap(w->begin_ns - now);
}

void iobi_worker_loop(struct iobi_worker *w)
{
	if (w->plan->delay_ns)
		wait_for_start(w);
	w->last_ns = iobi_now(&w->clock);
	IOBI_STORE(&w->first_ns, w->last_ns);
	bool sync = w->plan->ops->caps & IOB_ENGINE_SYNC;
	bool bursts = w->plan->simple && w->plan->depth == 1;
	if (iobi_paced(&w->plan->pace)) {
		iobi_loop_paced(w);
	} else if (!sync && !bursts) {
		loop_async(w);
	} else {
		IOBI_STORE(&w->in_flight, 1); /* all but always */
		if (bursts)
			iobi_loop_bursts(w);
		else
			iobi_loop_sync(w);
		IOBI_STORE(&w->in_flight, 0);
	}
	if (w->ended == IOBI_ENDED_NOT)
		w->ended = IOBI_ENDED_BUDGET;
	if (w->plan->end_sync)
		iobi_end_sync(w);
}
