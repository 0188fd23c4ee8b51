/* SPDX-License-Identifier: MIT */
/* aio_read and aio_write: threads of the C library. glibc runs the requests of
 * one descriptor one after another, so every slot has descriptors of its own. It
 * has 20 threads for the whole process unless its owner calls aio_init(): a
 * deeper queue waits for them. */
#include "engine/engines.h"
#include "engine/wait.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GLIBC_AIO_THREADS = 20 };

struct slot {
	struct aiocb cb;
	struct iob_io *io;
	int refused; /* the errno with which it was not started; else 0 */
	int *fds;    /* one for each target */
};

struct posixaio {
	uint32_t depth, n_targets;
	struct slot *slots;
	struct slot **free;        /* a stack */
	struct slot **busy;        /* in the order of submission */
	const struct aiocb **list; /* those of busy, for aio_suspend */
	int *fds;                  /* of all slots */
	unsigned n_free, n_busy;
	int data_only;
	atomic_int woken;
};

static void wait_for_any(const struct posixaio *s, int64_t ns)
{
	const struct timespec ts = { .tv_nsec = ns };

	for (unsigned i = 0; i < s->n_busy; i++)
		s->list[i] = &s->busy[i]->cb;
	if (s->n_busy)
		aio_suspend(s->list, (int)s->n_busy, &ts);
	else
		nanosleep(&ts, NULL);
}

/* Puts what is done in done[] and closes the gaps. */
static unsigned collect(struct posixaio *s, struct iob_io **done, unsigned max)
{
	unsigned n = 0, kept = 0;

	for (unsigned i = 0; i < s->n_busy; i++) {
		struct slot *slot = s->busy[i];
		int r = EINPROGRESS;

		if (n < max)
			r = slot->refused ? slot->refused : aio_error(&slot->cb);
		if (r == EINPROGRESS) {
			s->busy[kept++] = slot;
			continue;
		}
		slot->io->result = r ? -r : (int32_t)aio_return(&slot->cb);
		done[n++] = slot->io;
		s->free[s->n_free++] = slot;
	}
	s->n_busy = kept;
	return n;
}

/* The C library's threads must not outlive the buffers. */
static void drain(struct posixaio *s)
{
	struct iob_io *done;

	while (s->n_busy) {
		if (!collect(s, &done, 1))
			wait_for_any(s, IOBI_WAIT_SLICE_NS);
	}
}

/* The descriptors of slot 0 are the library's own. */
static void close_fds(struct posixaio *s)
{
	const size_t n = (size_t)s->depth * s->n_targets;

	for (size_t i = s->n_targets; i < n; i++) {
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	}
	free(s->fds);
}

static void posixaio_close(void *state)
{
	struct posixaio *s = state;

	if (s->fds) {
		drain(s);
		close_fds(s);
	}
	free(s->slots);
	free(s->free);
	free(s->busy);
	free(s->list);
	free(s);
}

static int allocate(struct posixaio *s, const struct iob_engine_env *env)
{
	const size_t n = env->depth, n_fds = n * (env->n_targets ? env->n_targets : 1);

	s->slots = calloc(n, sizeof(*s->slots));
	s->free = calloc(n, sizeof(struct slot *));
	s->busy = calloc(n, sizeof(struct slot *));
	s->list = calloc(n, sizeof(struct aiocb *));
	s->fds = s->slots && s->free && s->busy && s->list ? malloc(n_fds * sizeof(int)) : NULL;
	if (!s->fds)
		return -ENOMEM;
	memset(s->fds, -1, n_fds * sizeof(int));
	for (uint32_t i = 0; i < s->depth; i++) {
		s->slots[i].fds = s->fds + (size_t)i * s->n_targets;
		s->free[s->n_free++] = &s->slots[i];
	}
	return 0;
}

static int reopen(const struct iob_engine_target *t)
{
	char path[40];
	int flags = fcntl(t->fd, F_GETFL);

	if (flags < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->fd);
	return open(path, flags | O_CLOEXEC);
}

static int open_slot(struct posixaio *s, const struct iob_engine_env *env, uint32_t slot,
		     struct iob_error *err)
{
	for (uint32_t i = 0; i < env->n_targets; i++) {
		const struct iob_engine_target *t = &env->targets[i];
		int fd = slot ? reopen(t) : t->fd;

		if (fd < 0)
			return iobi_fail_at(err, errno, "engine", t->path, 0,
					    "posixaio: cannot open %s once more, and queue_depth "
					    "%u x %u targets needs as many descriptors (ulimit "
					    "-n): %s; use a smaller depth, or engine io_uring or "
					    "libaio",
					    t->path, env->depth, env->n_targets,
					    iobi_errno_text(errno));
		s->slots[slot].fds[i] = fd;
	}
	return 0;
}

static int posixaio_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct posixaio *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return iobi_no_memory(err);
	s->depth = env->depth;
	s->n_targets = env->n_targets;
	s->data_only = !!(env->caps_wanted & IOB_ENGINE_FDATASYNC);
	if (allocate(s, env))
		r = iobi_no_memory(err);
	for (uint32_t i = 0; i < env->depth && !r; i++)
		r = open_slot(s, env, i, err);
	if (r < 0) {
		posixaio_close(s);
		return r;
	}
	if (env->depth > GLIBC_AIO_THREADS)
		iobi_engine_feature(env, "threads_limit_20");
	*state = s;
	return 0;
}

static int start(const struct posixaio *s, struct slot *slot)
{
	const struct iob_io *io = slot->io;
	struct aiocb *cb = &slot->cb;

	memset(cb, 0, sizeof(*cb));
	cb->aio_fildes = slot->fds[io->target];
	cb->aio_buf = io->buf;
	cb->aio_nbytes = io->len;
	cb->aio_offset = (off_t)io->offset;
	cb->aio_sigevent.sigev_notify = SIGEV_NONE;
	if (io->op == IOB_OP_READ)
		return aio_read(cb);
	if (io->op == IOB_OP_WRITE)
		return aio_write(cb);
	return aio_fsync(s->data_only ? O_DSYNC : O_SYNC, cb);
}

static int posixaio_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct posixaio *s = state;
	unsigned taken = 0;

	while (taken < n) {
		struct slot *slot = s->free[s->n_free - 1];

		slot->io = ios[taken];
		slot->refused = start(s, slot) ? errno : 0;
		if (slot->refused == EAGAIN && s->n_busy)
			break;
		s->n_free--;
		s->busy[s->n_busy++] = slot;
		taken++;
	}
	return (int)taken;
}

static int posixaio_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
			 int64_t timeout_ns)
{
	struct posixaio *s = state;
	struct iobi_wait w;
	unsigned n = collect(s, done, max);
	int64_t ns;

	if (n >= min || !timeout_ns)
		return (int)n;
	w = iobi_wait_start(timeout_ns);
	while (n < min && !iobi_wait_woken(&s->woken) && iobi_wait_next(&w, &ns)) {
		wait_for_any(s, ns);
		n += collect(s, done + n, max - n);
		iobi_wait_update(&w);
	}
	return (int)n;
}

static int posixaio_wake(void *state)
{
	struct posixaio *s = state;

	atomic_store(&s->woken, 1);
	return 0;
}

const struct iob_engine_ops iobi_engine_posixaio = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_FSYNC,
	.name = "posixaio",
	.open = posixaio_open,
	.submit = posixaio_submit,
	.reap = posixaio_reap,
	.wake = posixaio_wake,
	.close = posixaio_close,
};
