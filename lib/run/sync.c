/* SPDX-License-Identifier: MIT */
/* The loops of engines whose submit is the whole I/O. */
#include "run/issue.h"

#include <errno.h>

/* submit is the whole I/O; the library reads the clock around it. */
static void loop_sync(struct iobi_worker *w)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	while (LIKELY(!iobi_stopping(w))) {
		iobi_fill(w);
		if (UNLIKELY(!w->n_pending))
			break;
		struct iob_io *io = w->pending[0];
		io->t_intended = io->t_submit = iobi_now(&w->clock);
		int n = ops->submit(w->state, w->pending, 1);
		uint64_t now = iobi_now(&w->clock);
		if (UNLIKELY(n != 1)) {
			iobi_broken(w, n < 0 ? n : -EIO, "submitting");
			break;
		}
		w->n_pending = 0;
		w->n_flying = 1;
		iobi_complete(w, &io, 1, now);
		IOBI_STORE(&w->in_flight, 1); /* the next one */
	}
}

/*
 * A plan whose blocks are all alike, on a sync engine: a burst of up to so many
 * I/Os, or a millisecond's worth, is published at once. What a burst needs is
 * in registers meanwhile, which the calls between cannot spoil.
 */
enum { IOBI_BURST = 32, IOBI_BURST_NS = 1000000 };

struct burst {
	uint64_t took[IOBI_BURST];
	unsigned n;
	bool failed; /* the last I/O, which is not in took[] */
	int broken;  /* -errno of the engine */
};

static void publish(struct iobi_worker *w, const struct burst *b)
{
	struct iobi_meter *m = &w->meter[w->io->op];
	iobi_seq_begin(&w->seq);
	if (b->n && w->last_ns >= w->start_ns) {
		iobi_recorder_add_each(&m->service, b->took, b->n);
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

static void do_burst(struct iobi_worker *w, struct burst *b, unsigned most)
{
	int (*const submit)(void *, struct iob_io *const *, unsigned) = w->plan->ops->submit;
	const struct iobi_clock clock = w->clock;
	const bool writes = w->plan->writes;
	struct iobi_offsets *const o = &w->offsets[0];
	const uint64_t *const ahead = o->ahead + o->used, base = o->base, slot = o->slot;
	struct iob_io *const io = w->io, *const ios[] = { io };
	void *const state = w->state;
	uint64_t now = w->last_ns, end = now + IOBI_BURST_NS;
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
		now = iobi_now(&clock);
		if (UNLIKELY(rc != 1 || io->result != (int32_t)io->len)) {
			b->failed = rc == 1;
			break;
		}
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

static void loop_sync_simple(struct iobi_worker *w)
{
	struct burst b;
	while (!iobi_stopping(w) && w->quota) {
		bool ramp = w->last_ns < w->start_ns;
		do_burst(w, &b, burst_size(w));
		if (UNLIKELY(b.broken != 1))
			iobi_broken(w, b.broken < 0 ? b.broken : -EIO, "submitting");
		if (!ramp)
			w->quota -= b.n + b.failed;
		publish(w, &b);
	}
}

void iobi_loop_sync(struct iobi_worker *w)
{
	if (w->plan->simple)
		loop_sync_simple(w);
	else
		loop_sync(w);
}
