/* SPDX-License-Identifier: MIT */
/*
 * io_uring. liburing makes the ring; requests are written and completions read
 * here, because that is most of what an I/O costs in user space: the submission
 * array is the identity once and for all, and a batch is one store of the tail
 * and one system call. What the kernel lacks is left out step by step; the
 * features say what there is.
 */
#include "engine/uring.h"
#include "engine/wait.h"
#include <errno.h>
#include <linux/falloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define likely(x) __builtin_expect(!!(x), 1)

static void uring_close(void *state)
{
	struct iobi_uring *s = state;

	if (s->ring.ring_fd >= 0)
		io_uring_queue_exit(&s->ring);
	free(s->fds);
	free(s->block_device);
	free(s);
}

/* A filter may allow a ring and not that it is used: something is done with it. */
static int uring_probe(struct iob_error *err)
{
	struct io_uring ring;
	int r = io_uring_queue_init(1, &ring, 0);

	if (r >= 0) {
		io_uring_prep_nop(io_uring_get_sqe(&ring));
		r = io_uring_submit(&ring);
		io_uring_queue_exit(&ring);
	}
	return r < 0 ? iobi_uring_refused(-r, 1, err) : 0;
}

static int uring_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct iobi_uring *s;
	int r = iobi_uring_check(env, err);

	if (r < 0)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return iobi_no_memory(err);
	s->ring.ring_fd = -1;
	s->fds = iobi_engine_fds(env);
	r = s->fds ? iobi_uring_setup(s, env, err) : iobi_no_memory(err);
	if (r < 0) {
		uring_close(s);
		return r;
	}
	*state = s;
	return 0;
}

/* A block device has no fallocate that frees; its discard came with 6.12. */
static void prepare_trim(const struct iobi_uring *s, struct io_uring_sqe *sqe,
			 const struct iob_io *io)
{
	if (s->block_device[io->target]) {
		if (s->block_device[io->target] == IOBI_URING_WAITS)
			sqe->flags |= IOSQE_ASYNC;
		sqe->opcode = IORING_OP_URING_CMD;
		sqe->off = IOBI_BLOCK_URING_CMD_DISCARD; /* cmd_op, and zero above it */
		sqe->addr = io->offset;
		sqe->len = 0;
		sqe->addr3 = io->len;
	} else {
		sqe->opcode = IORING_OP_FALLOCATE;
		sqe->off = io->offset;
		sqe->addr = io->len;
		sqe->len = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	}
}

static void prepare_other(const struct iobi_uring *s, struct io_uring_sqe *sqe,
			  const struct iob_io *io)
{
	sqe->buf_index = 0;
	if (io->op == IOB_OP_TRIM) {
		prepare_trim(s, sqe, io);
		return;
	}
	sqe->opcode = IORING_OP_FSYNC;
	sqe->off = 0;
	sqe->addr = 0;
	sqe->len = 0;
	sqe->fsync_flags = s->data_only ? IORING_FSYNC_DATASYNC : 0;
}

/* The fields not set here are zero in a new ring, and stay so. */
static inline void prepare(const struct iobi_uring *s, struct io_uring_sqe *sqe,
			   const struct iob_io *io)
{
	sqe->flags = s->sqe_flags;
	sqe->fd = s->fds[io->target];
	sqe->rw_flags = 0;
	sqe->user_data = (uintptr_t)io;
	sqe->addr3 = 0;
	if (!likely(io->op <= IOB_OP_WRITE)) {
		prepare_other(s, sqe, io);
		return;
	}
	sqe->opcode = s->opcode[io->op];
	sqe->off = io->offset;
	sqe->addr = (uintptr_t)io->buf;
	sqe->len = io->len;
	sqe->buf_index = (uint16_t)(io->buf_index >> s->chunk_shift);
}

/* The kernel took fewer than it was given: the rest is taken out of the ring,
 * which it reads only while it is entered. */
static int submitted_some(struct iobi_uring *s, int r)
{
	const unsigned taken = r > 0 ? (unsigned)r : 0;

	s->sq_tail += taken;
	__atomic_store_n(s->sq_ktail, s->sq_tail, __ATOMIC_RELEASE);
	s->in_flight += taken;
	if (r >= 0 && (r || s->in_flight))
		return r;
	if (s->in_flight && (r == -EAGAIN || r == -EBUSY || r == -EINTR))
		return 0;
	return r ? r : -EAGAIN;
}

static int uring_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct iobi_uring *s = state;
	unsigned tail = s->sq_tail;
	int r;

	for (unsigned i = 0; i < n; i++)
		prepare(s, &s->sqes[tail++ & s->sq_mask], ios[i]);
	__atomic_store_n(s->sq_ktail, tail, __ATOMIC_RELEASE);
	r = io_uring_enter(s->enter_fd, n, 0, s->submit_flags, NULL);
	if (!likely(r == (int)n))
		return submitted_some(s, r);
	s->sq_tail = tail;
	s->in_flight += n;
	s->looked = s->submit_flags & IORING_ENTER_GETEVENTS;
	return r;
}

static unsigned available(const struct iobi_uring *s)
{
	return __atomic_load_n(s->cq_ktail, __ATOMIC_ACQUIRE) - s->cq_head;
}

/* Lets the kernel post what is done, unless the submit just did. */
static int look(struct iobi_uring *s)
{
	if (!s->must_enter || s->looked)
		return 0;
	return io_uring_enter(s->enter_fd, 0, 0, s->enter_flags | IORING_ENTER_GETEVENTS, NULL);
}

static int wait_slice(struct iobi_uring *s, unsigned min, int64_t ns)
{
	struct __kernel_timespec ts = { .tv_nsec = ns };
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&ts };

	s->looked = 0;
	if (s->polled)
		return look(s);
	if (!(s->ring.features & IORING_FEAT_EXT_ARG)) {
		struct pollfd p = { .fd = s->ring.ring_fd, .events = POLLIN };
		struct timespec pt = { .tv_nsec = ns };

		return ppoll(&p, 1, &pt, NULL) < 0 ? -errno : 0;
	}
	return io_uring_enter2(s->enter_fd, 0, min,
			       s->enter_flags | IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
			       (sigset_t *)&arg, sizeof(arg));
}

static int wait_for(struct iobi_uring *s, unsigned min, int64_t timeout_ns)
{
	struct iobi_wait w = iobi_wait_start(timeout_ns);
	int64_t ns;

	while (!iobi_wait_woken(&s->woken) && iobi_wait_next(&w, &ns)) {
		int r = wait_slice(s, min, ns);

		if (available(s) >= min)
			break;
		if (r < 0 && r != -ETIME && r != -EINTR && r != -EAGAIN && r != -EBUSY)
			return r;
		iobi_wait_update(&w);
	}
	return 0;
}

static int uring_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
		      int64_t timeout_ns)
{
	struct iobi_uring *s = state;
	unsigned n = available(s), head = s->cq_head;

	if (n < min || !n) {
		int r = min && timeout_ns ? wait_for(s, min, timeout_ns) : look(s);

		s->looked = 0;
		n = available(s);
		if (r < 0 && !n)
			return r == -EINTR ? 0 : r;
	}
	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe = &s->cqes[head++ & s->cq_mask];
		struct iob_io *io = (struct iob_io *)(uintptr_t)cqe->user_data;

		io->result = cqe->res;
		if (!cqe->res && io->op == IOB_OP_TRIM)
			io->result = (int32_t)io->len;
		done[i] = io;
	}
	__atomic_store_n(s->cq_khead, head, __ATOMIC_RELEASE);
	s->cq_head = head;
	s->in_flight -= n;
	return (int)n;
}

static int uring_wake(void *state)
{
	struct iobi_uring *s = state;

	atomic_store(&s->woken, 1);
	return 0;
}

const struct iob_engine_ops iobi_engine_io_uring = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC | IOB_ENGINE_POLL,
	.name = "io_uring",
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.wake = uring_wake,
	.close = uring_close,
};
