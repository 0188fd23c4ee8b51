/* SPDX-License-Identifier: MIT */
/*
 * One I/O at a time, of a plan whose blocks are all alike: a burst of up to so
 * many I/Os, or a millisecond's worth, is published at once. What a burst needs
 * is in registers meanwhile, which the calls between cannot spoil.
 */
#include "run/issue.h"

#include <errno.h>

/* So that `async` is a constant in each of its two copies. */
#define SPECIAL static inline __attribute__((always_inline))

enum { IOBI_BURST = 32, IOBI_BURST_NS = 1000000 };

struct burst {
	uint64_t took[IOBI_BURST];
	uint64_t submit[IOBI_BURST]; /* of an async engine: the submit call alone */
	unsigned n;
	bool failed; /* the last I/O, which is not in took[] */
	int broken;  /* -errno of the engine, or 1 */
};

SPECIAL void publish(struct iobi_worker *w, const struct burst *b, bool async)
{
	struct iobi_meter *m = &w->meter[w->io->op];
	iobi_seq_begin(&w->seq);
	if (b->n && w->last_ns >= w->start_ns) {
		iobi_recorder_add_each(&m->service, b->took, b->n);
		if (async)
			iobi_recorder_add_each(&m->submit, b->submit, b->n);
		iobi_bump(&m->ios, b->n);
		iobi_bump(&m->bytes, (uint64_t)b->n * w->plan->slot);
	}
	if (b->failed)
		iobi_record_failure(w, w->io);
	IOBI_STORE(&w->last_done_ns, w->last_ns);
	iobi_seq_end(&w->seq);
}

static inline bool carry_on(const struct iobi_worker *w, uint64_t now, uint64_t end)
{
	return LIKELY(now < end) && !IOBI_LOAD(w->stop);
}

/* Where it is done at once, the end of the submit call and of the I/O are one
 * reading of the clock. 1, or -errno with the I/O in flight, as the engine has it. */
SPECIAL int finish(struct iobi_worker *w, int rc, const struct iobi_clock *clock,
			 uint64_t *submitted, uint64_t *now)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	if (UNLIKELY(rc != 1))
		return rc < 0 ? rc : -EPROTO;
	rc = ops->reap(w->state, w->done, 0, 1, 0);
	*submitted = *now = iobi_now(clock);
	while (!rc) {
		rc = ops->reap(w->state, w->done, 1, 1, -1);
		*now = iobi_now(clock);
	}
	w->stranded = rc != 1;
	return rc > 1 ? -EPROTO : rc;
}

SPECIAL void do_burst(struct iobi_worker *w, struct burst *b, unsigned most, bool async)
{
	int (*const submit)(void *, struct iob_io *const *, unsigned) = w->plan->ops->submit;
	const struct iobi_clock clock = w->clock;
	const bool writes = w->plan->writes;
	struct iobi_offsets *const o = &w->offsets[0];
	const uint64_t *const ahead = o->ahead + o->used, base = o->base, slot = o->slot;
	struct iob_io *const io = w->io, *const ios[] = { io };
	void *const state = w->state;
	uint64_t now = w->last_ns, end = now + IOBI_BURST_NS, submitted = 0;
	unsigned n = 0;
	int rc;
	b->failed = false;
	if (end > w->deadline_ns)
		end = w->deadline_ns;
	do {
		io->offset = base + ahead[n] * slot;
		if (writes)
			iobi_buffer_renew(&w->buffer, io->buf, io->len);
		uint64_t before = io->t_intended = io->t_submit = iobi_now(&clock);
		rc = submit(state, ios, 1);
		if (async)
			rc = finish(w, rc, &clock, &submitted, &now);
		else
			now = iobi_now(&clock);
		if (UNLIKELY(rc != 1 || io->result != (int32_t)io->len)) {
			b->failed = rc == 1;
			break;
		}
		if (async)
			b->submit[n] = submitted - before;
		b->took[n++] = now - before;
	} while (n < most && carry_on(w, now, end));
	b->n = n;
	b->broken = rc;
	o->used += n + b->failed;
	w->last_ns = now;
}

/* No more than was drawn ahead; in the ramp one at a time, since the one that
 * crosses its end is measured. */
static unsigned burst_size(struct iobi_worker *w)
{
	struct iobi_offsets *o = &w->offsets[0];
	if (o->used == o->have)
		iobi_offsets_refill(o);
	uint64_t most = o->have - o->used;
	if (most > IOBI_BURST)
		most = IOBI_BURST;
	if (most > w->quota)
		most = w->quota;
	return w->last_ns < w->start_ns ? 1 : (unsigned)most;
}

SPECIAL void bursts(struct iobi_worker *w, bool async)
{
	struct burst b;
	while (!iobi_stopping(w) && w->quota) {
		bool ramp = w->last_ns < w->start_ns;
		do_burst(w, &b, burst_size(w), async);
		if (UNLIKELY(b.broken != 1))
			iobi_broken(w, b.broken < 0 ? b.broken : -EPROTO, "submitting or reaping");
		if (!ramp)
			w->quota -= b.n + b.failed;
		publish(w, &b, async);
	}
}

/* Two copies of all the above, each without a question in it. */
void iobi_loop_bursts(struct iobi_worker *w)
{
	if (w->plan->ops->caps & IOB_ENGINE_SYNC)
		bursts(w, false);
	else
		bursts(w, true);
}
