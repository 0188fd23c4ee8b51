/* SPDX-License-Identifier: MIT */
/*
 * The hot loop: no lock, no allocation, no system call of its own. Time is read
 * before a batch is submitted and once after completions were looked for, which
 * serves the whole batch; the null engine's path is the measure of what is
 * spent here (tests/bench).
 */
#include "run/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- what comes next ---- */

/* How many of up to n units may be issued now. The ramp takes nothing. */
static inline uint32_t spend(struct iobi_worker *w, uint32_t n)
{
	if (UNLIKELY(n > w->quota))
		n = (uint32_t)w->quota;
	if (LIKELY(w->last_ns >= w->start_ns))
		w->quota -= n;
	return n;
}

static void aim_block(struct iobi_worker *w, struct iob_io *io, bool write)
{
	uint32_t slot = (uint32_t)(io - w->io);
	io->buf_index = write ? w->write_block + slot : slot;
	io->buf = iobi_buffer_block(&w->buffer, io->buf_index);
	if (write)
		iobi_buffer_renew(&w->buffer, io->buf, io->len);
}

static void make_sync(struct iobi_worker *w, struct iob_io *io)
{
	io->op = IOB_OP_SYNC;
	io->len = 0;
	io->offset = 0;
	io->target = w->written;
	w->until_fsync = w->plan->fsync_every;
}

static void make_any(struct iobi_worker *w, struct iob_io *io)
{
	const struct iobi_plan *p = w->plan;
	if (p->fsync_every && !w->until_fsync) {
		make_sync(w, io);
		return;
	}
	io->target = (uint16_t)w->live[w->turn];
	if (++w->turn >= w->n_live)
		w->turn = 0;
	io->op = iobi_choice_op(&p->choice, &w->random);
	io->len = p->uniform ? p->slot : iobi_choice_len(&p->choice, io->op, &w->random);
	io->offset = p->uniform ? iobi_offsets_next(&w->offsets[io->target]) :
				  iobi_offsets_next_len(&w->offsets[io->target], io->len);
	aim_block(w, io, io->op == IOB_OP_WRITE);
	if (io->op == IOB_OP_WRITE) {
		w->written = io->target;
		w->until_fsync--; /* counts for nothing where fsync_every is 0 */
	}
	spend(w, p->uniform ? 1 : io->len);
}

/* One target, size and op: everything but the offset (and what is written) was
 * set when it was opened. */
static void fill_simple(struct iobi_worker *w)
{
	struct iobi_offsets *o = &w->offsets[0];
	uint32_t n = spend(w, w->n_unused);
	struct iob_io **from = w->unused + w->n_unused, **to = w->pending + w->n_pending;
	w->n_unused -= n;
	w->n_pending += n;
	for (uint32_t i = 0; i < n; i++) {
		to[i] = *--from;
		to[i]->offset = iobi_offsets_next(o);
	}
	if (w->plan->writes)
		for (uint32_t i = 0; i < n; i++)
			iobi_buffer_renew(&w->buffer, to[i]->buf, to[i]->len);
}

static void fill_any(struct iobi_worker *w)
{
	while (w->n_unused && w->quota) {
		struct iob_io *io = w->unused[--w->n_unused];
		make_any(w, io);
		w->pending[w->n_pending++] = io;
	}
}

static void fill(struct iobi_worker *w)
{
	if (w->plan->simple)
		fill_simple(w);
	else
		fill_any(w);
}

/* ---- what came of it ---- */

static void note_error(struct iobi_worker *w, const struct iob_io *io)
{
	const char *path = w->targets[io->target].path;
	bool is_short = io->result >= 0;
	pthread_mutex_lock(&w->lock);
	if (w->error.code)
		;
	else if (is_short)
		iobi_fail_at(&w->error, EIO, iobi_op_name(io->op), path, io->offset,
			     "%s of %u bytes at offset %" PRIu64 " of \"%s\" moved only %d",
			     iobi_op_name(io->op), io->len, io->offset, path, io->result);
	else
		iobi_fail_at(&w->error, -io->result, iobi_op_name(io->op), path, io->offset,
			     "%s of %u bytes at offset %" PRIu64 " of \"%s\" failed: %s",
			     iobi_op_name(io->op), io->len, io->offset, path,
			     iobi_errno_text(-io->result));
	pthread_mutex_unlock(&w->lock);
}

static void drop_target(struct iobi_worker *w, uint32_t target)
{
	for (uint32_t i = 0; i < w->n_live; i++)
		if (w->live[i] == target) {
			w->live[i] = w->live[--w->n_live];
			break;
		}
	if (w->turn >= w->n_live)
		w->turn = 0;
	if (!w->n_live)
		w->ended = IOBI_ENDED_ERRORS;
}

/* Inside the sequence lock, and rare. */
static void __attribute__((noinline, cold)) record_failure(struct iobi_worker *w,
							     const struct iob_io *io)
{
	struct iobi_meter *m = &w->meter[io->op];
	iobi_bump(io->result < 0 ? &m->errors : &m->shorts, 1);
	iobi_bump(&w->target_meter[io->target].errors, 1);
	note_error(w, io);
	if (w->plan->stop_on_error)
		drop_target(w, io->target);
}

/* Neighbours that were submitted together took the same time: one entry. */
struct run_of {
	uint64_t t_submit, n, bytes;
	uint16_t op, target;
};

static inline void record_run(struct iobi_worker *w, const struct run_of *run, uint64_t now)
{
	struct iobi_meter *m = &w->meter[run->op];
	if (!run->n || now < w->start_ns)
		return;
	iobi_recorder_add(&m->service, now - run->t_submit, run->n);
	iobi_bump(&m->ios, run->n);
	iobi_bump(&m->bytes, run->bytes);
	if (w->plan->n_targets > 1) {
		iobi_bump(&w->target_meter[run->target].ios, run->n);
		iobi_bump(&w->target_meter[run->target].bytes, run->bytes);
	}
}

static inline bool same_run(const struct run_of *run, const struct iob_io *io)
{
	return run->t_submit == io->t_submit && run->op == io->op && run->target == io->target;
}

static void complete(struct iobi_worker *w, struct iob_io *const *done, unsigned n, uint64_t now)
{
	struct run_of run = { 0 };
	w->last_ns = now;
	iobi_seq_begin(&w->seq);
	for (unsigned i = 0; i < n; i++) {
		struct iob_io *io = done[i];
		w->unused[w->n_unused++] = io;
		if (UNLIKELY(io->result != (int32_t)io->len)) {
			record_failure(w, io);
			continue;
		}
		if (UNLIKELY(!same_run(&run, io))) {
			record_run(w, &run, now);
			run = (struct run_of){ .t_submit = io->t_submit,
					       .op = io->op,
					       .target = io->target };
		}
		run.n++;
		run.bytes += io->len;
	}
	record_run(w, &run, now);
	w->n_flying -= n;
	IOBI_STORE(&w->in_flight, w->n_flying);
	IOBI_STORE(&w->last_done_ns, now);
	iobi_seq_end(&w->seq);
}

/* ---- submitting ---- */

static void stamp(struct iobi_worker *w, uint64_t now)
{
	for (uint32_t i = 0; i < w->n_pending; i++)
		w->pending[i]->t_intended = w->pending[i]->t_submit = now;
}

/* One submit call: its time counts once for each I/O that it took. */
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
	for (int op = IOB_OP_READ; op < IOBI_METERS; op++)
		if (of_op[op])
			iobi_recorder_add(&w->meter[op].submit, took, of_op[op]);
}

static void __attribute__((noinline, cold)) broken(struct iobi_worker *w, int rc,
						     const char *what)
{
	pthread_mutex_lock(&w->lock);
	w->failed = rc;
	iobi_fail(&w->error, -rc, "engine", "engine %s: %s failed: %s", w->plan->ops->name, what,
		  iobi_errno_text(-rc));
	pthread_mutex_unlock(&w->lock);
	w->ended = IOBI_ENDED_ERRORS;
}

static void took(struct iobi_worker *w, unsigned n)
{
	w->n_flying += n;
	w->n_pending -= n;
	if (w->n_pending)
		memmove(w->pending, w->pending + n, w->n_pending * sizeof(*w->pending));
}

/* ---- the loops ---- */

static bool stopping(struct iobi_worker *w)
{
	if (UNLIKELY(w->ended != IOBI_ENDED_NOT))
		return true;
	if (UNLIKELY(w->last_ns >= w->deadline_ns))
		w->ended = IOBI_ENDED_RUNTIME;
	else if (UNLIKELY(IOBI_LOAD(w->stop)))
		w->ended = IOBI_ENDED_STOPPED;
	return w->ended != IOBI_ENDED_NOT;
}

/* What was made and not submitted is given back. */
static void unmake_pending(struct iobi_worker *w)
{
	while (w->n_pending)
		w->unused[w->n_unused++] = w->pending[--w->n_pending];
}

/* Submits what is pending and looks, once, for what is done already; both
 * share a reading of the clock. Returns how many are done, or -errno. */
static int submit_and_look(struct iobi_worker *w, uint64_t *now)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	uint64_t before = iobi_now(&w->clock);
	stamp(w, before);
	IOBI_STORE(&w->in_flight, w->n_flying + w->n_pending);
	int n = ops->submit(w->state, w->pending, w->n_pending);
	if (UNLIKELY(n < 0))
		return n;
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
		if (LIKELY(!stopping(w)))
			fill(w);
		else
			unmake_pending(w);
		if (LIKELY(w->n_pending))
			got = submit_and_look(w, &now);
		else if (!w->n_flying)
			break;
		if (!got && w->n_flying)
			got = wait_for_some(w, &now);
		if (UNLIKELY(got < 0)) {
			broken(w, got, "submitting or reaping");
			break;
		}
		w->last_ns = now;
		if (LIKELY(got))
			complete(w, w->done, (unsigned)got, now);
	}
}

/* submit is the whole I/O; the library reads the clock around it. */
static void loop_sync(struct iobi_worker *w)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	while (LIKELY(!stopping(w))) {
		fill(w);
		if (UNLIKELY(!w->n_pending))
			break;
		struct iob_io *io = w->pending[0];
		io->t_intended = io->t_submit = iobi_now(&w->clock);
		int n = ops->submit(w->state, w->pending, 1);
		uint64_t now = iobi_now(&w->clock);
		if (UNLIKELY(n != 1)) {
			broken(w, n < 0 ? n : -EIO, "submitting");
			break;
		}
		w->n_pending = 0;
		w->n_flying = 1;
		complete(w, &io, 1, now);
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
		record_failure(w, w->io);
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
	while (!stopping(w) && w->quota) {
		bool ramp = w->last_ns < w->start_ns;
		do_burst(w, &b, burst_size(w));
		if (UNLIKELY(b.broken != 1))
			broken(w, b.broken < 0 ? b.broken : -EIO, "submitting");
		if (!ramp)
			w->quota -= b.n + b.failed;
		publish(w, &b);
	}
}

void iobi_worker_loop(struct iobi_worker *w)
{
	w->last_ns = iobi_now(&w->clock);
	IOBI_STORE(&w->first_ns, w->last_ns);
	if (!(w->plan->ops->caps & IOB_ENGINE_SYNC)) {
		loop_async(w);
	} else {
		IOBI_STORE(&w->in_flight, 1); /* all but always */
		if (w->plan->simple)
			loop_sync_simple(w);
		else
			loop_sync(w);
		IOBI_STORE(&w->in_flight, 0);
	}
	if (w->ended == IOBI_ENDED_NOT)
		w->ended = IOBI_ENDED_BUDGET;
}
