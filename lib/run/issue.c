/* SPDX-License-Identifier: MIT */
/* The next I/Os of a worker, and what came of them. */
#include "run/issue.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

/* ---- what comes next ---- */

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
	w->unflushed[w->written] = 0;
}

/* The target of the next I/O, where they are not simply taken in turn. */
static void visit(struct iobi_worker *w)
{
	const struct iobi_plan *p = w->plan;
	if (w->visit_left)
		return;
	if (p->target_order == IOBI_TARGETS_RANDOM)
		w->turn = (uint32_t)iobi_random_below(&w->random, w->n_live);
	else if (++w->turn >= w->n_live)
		w->turn = 0;
	const struct iobi_plan_target *t = &p->target[w->live[w->turn]];
	w->visit_left =
		p->target_order == IOBI_TARGETS_SEQUENTIAL
			? iobi_offsets_share(t->bytes / p->slot, w->index, p->workers) * p->slot
			: p->target_run;
}

static void visited(struct iobi_worker *w, uint32_t len)
{
	uint64_t took = w->plan->target_order == IOBI_TARGETS_SEQUENTIAL ? len : 1;
	w->visit_left -= took < w->visit_left ? took : w->visit_left;
}

/* The write of a block that was just trimmed. */
static void make_write(struct iobi_worker *w, struct iob_io *io)
{
	io->op = IOB_OP_WRITE;
	io->target = w->trimmed.target;
	io->offset = w->trimmed.offset;
	io->len = w->trimmed.len;
	w->trimmed.len = 0;
	aim_block(w, io, true);
	w->written = io->target;
	w->unflushed[io->target]++;
	iobi_spend(w, w->plan->counts_ios ? 1 : io->len);
}

/* The workers go over the region together: one of them drops it for all. */
static void drop_cache(struct iobi_worker *w, const struct iob_io *io)
{
	const struct iobi_plan_target *t = &w->plan->target[io->target];
	if (iobi_offsets_again(&w->offsets[io->target], io->offset) && !w->index)
		iobi_target_drop(&t->known->t, t->base, t->bytes);
}

void iobi_make(struct iobi_worker *w, struct iob_io *io, enum iob_op op)
{
	const struct iobi_plan *p = w->plan;
	if (w->trimmed.len) {
		make_write(w, io);
		return;
	}
	if (p->fsync_every && w->unflushed[w->written] >= p->fsync_every) {
		make_sync(w, io);
		return;
	}
	if (p->visits)
		visit(w);
	io->target = (uint16_t)w->live[w->turn];
	if (!p->visits && ++w->turn >= w->n_live)
		w->turn = 0;
	io->op = op ? op : iobi_choice_op(&p->choice, &w->random);
	io->len = p->uniform ? p->slot : iobi_choice_len(&p->choice, io->op, &w->random);
	if (p->strides)
		io->offset = iobi_offsets_stride(&w->offsets[io->target], io->len);
	else
		io->offset = p->uniform ? iobi_offsets_next(&w->offsets[io->target])
					: iobi_offsets_next_len(&w->offsets[io->target], io->len);
	if (UNLIKELY(p->drops))
		drop_cache(w, io);
	if (p->visits)
		visited(w, io->len);
	if (p->trim_first && io->op == IOB_OP_WRITE) {
		io->op = IOB_OP_TRIM;
		w->trimmed = *io;
		return;
	}
	aim_block(w, io, io->op == IOB_OP_WRITE);
	if (io->op == IOB_OP_WRITE) {
		w->written = io->target;
		w->unflushed[io->target]++;
	}
	iobi_spend(w, p->counts_ios ? 1 : io->len);
}

/* One target, size and op: everything but the offset (and what is written) was
 * set when it was opened. */
static void fill_simple(struct iobi_worker *w)
{
	struct iobi_offsets *o = &w->offsets[0];
	uint32_t n = iobi_spend(w, w->n_unused);
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
		iobi_make(w, io, IOB_OP_ALL);
		w->pending[w->n_pending++] = io;
	}
}

void iobi_fill(struct iobi_worker *w)
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
	w->visit_left = 0;
	w->trimmed.len = 0;
	w->unflushed[target] = 0;
	if (!w->n_live)
		w->ended = IOBI_ENDED_ERRORS;
}

/* Inside the sequence lock, and rare. */
void __attribute__((noinline, cold))
iobi_record_failure(struct iobi_worker *w, const struct iob_io *io)
{
	struct iobi_meter *m = &w->meter[io->op];
	iobi_bump(io->result < 0 ? &m->errors : &m->shorts, 1);
	iobi_bump(&m->failed_bytes, io->len);
	iobi_bump(&w->target_meter[io->target].errors, 1);
	if (w->last_ns >= w->start_ns)
		iobi_bump(&w->failed_ns, w->last_ns - io->t_submit);
	note_error(w, io);
	if (w->plan->stop_on_error)
		drop_target(w, io->target);
	if (w->plan->cancel_on_error) {
		w->ended = IOBI_ENDED_ERRORS;
		IOBI_STORE(&w->cancels, true);
	}
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
	if (w->plan->n_targets > 1 && run->op != IOB_OP_SYNC) {
		iobi_bump(&w->target_meter[run->target].ios, run->n);
		iobi_bump(&w->target_meter[run->target].bytes, run->bytes);
	}
}

static inline bool same_run(const struct run_of *run, const struct iob_io *io)
{
	return run->t_submit == io->t_submit && run->op == io->op && run->target == io->target;
}

/* In an open loop, each from when it was to start. */
static void record_responses(struct iobi_worker *w, struct iob_io *const *done, unsigned n,
			     uint64_t now)
{
	if (now < w->start_ns)
		return;
	for (unsigned i = 0; i < n; i++)
		if (done[i]->result == (int32_t)done[i]->len)
			iobi_recorder_add(&w->meter[done[i]->op].response,
					  now - done[i]->t_intended, 1);
}

void iobi_complete(struct iobi_worker *w, struct iob_io *const *done, unsigned n, uint64_t now)
{
	struct run_of run = { 0 };
	w->last_ns = now;
	iobi_seq_begin(&w->seq);
	for (unsigned i = 0; i < n; i++) {
		struct iob_io *io = done[i];
		w->unused[w->n_unused++] = io;
		if (UNLIKELY(io->result != (int32_t)io->len)) {
			iobi_record_failure(w, io);
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
	if (LIKELY(now >= w->start_ns))
		iobi_bump(&w->batches.complete[iobi_usage_batch(n)], 1);
	if (UNLIKELY(w->plan->pace.open))
		record_responses(w, done, n, now);
	w->n_flying -= n;
	IOBI_STORE(&w->in_flight, w->n_flying);
	IOBI_STORE(&w->last_done_ns, now);
	iobi_seq_end(&w->seq);
}

void __attribute__((noinline, cold)) iobi_broken(struct iobi_worker *w, int rc, const char *what)
{
	pthread_mutex_lock(&w->lock);
	w->failed = rc;
	if (!w->error.code) /* the first one is told */
		iobi_fail(&w->error, -rc, "engine", "engine %s: %s failed: %s", w->plan->ops->name,
			  what, iobi_errno_text(-rc));
	pthread_mutex_unlock(&w->lock);
	w->ended = IOBI_ENDED_ERRORS;
}

bool iobi_give_up(struct iobi_worker *w, int rc)
{
	bool over = w->failed || rc == -EPROTO; /* who broke his word is not asked again */
	iobi_broken(w, rc, "submitting or reaping");
	w->stranded = over && (w->n_flying || w->n_pending);
	return over || !w->n_flying;
}

/* What was made and not submitted is given back. */
void iobi_unmake_pending(struct iobi_worker *w)
{
	while (w->n_pending)
		w->unused[w->n_unused++] = w->pending[--w->n_pending];
}

/* fsync on any descriptor of a file flushes all of it. */
static void flush_target(struct iobi_worker *w, uint16_t target)
{
	int fd = w->targets[target].fd;
	struct iob_io io = { .op = IOB_OP_SYNC, .target = target };
	io.t_submit = iobi_now(&w->clock);
	io.result = (w->plan->fsync_data ? fdatasync(fd) : fsync(fd)) ? -errno : 0;
	w->last_ns = iobi_now(&w->clock);
	iobi_seq_begin(&w->seq);
	if (io.result)
		iobi_record_failure(w, &io);
	else
		record_run(w, &(struct run_of){ io.t_submit, 1, 0, IOB_OP_SYNC, target },
			   w->last_ns);
	IOBI_STORE(&w->last_done_ns, w->last_ns);
	iobi_seq_end(&w->seq);
}

void __attribute__((noinline, cold)) iobi_end_sync(struct iobi_worker *w)
{
	for (uint32_t i = 0; i < w->plan->n_targets; i++)
		if (w->targets[i].fd >= 0)
			flush_target(w, (uint16_t)i);
}
