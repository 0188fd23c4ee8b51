/* SPDX-License-Identifier: MIT */
/* Linux AIO. What is done is read from the ring that the kernel shares with the
 * process; io_getevents only when there is something to wait for. */
#include "engine/engines.h"
#include "engine/wait.h"
#include <errno.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The head of the ring at the address that is the context. */
struct aio_ring {
	unsigned id, nr, head, tail;
	unsigned magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};
enum { AIO_RING_MAGIC = 0xa10a10a1 };

struct libaio {
	io_context_t ctx;
	struct aio_ring *ring; /* NULL: of a form not known here */
	int *fds;
	struct iocb *iocbs; /* one for each place in a batch: the kernel copies them */
	struct iocb **list; /* list[i] = &iocbs[i] */
	struct io_event *events;
	struct iob_io **refused; /* done without the kernel: given back by the next reap */
	unsigned n_refused, in_flight, depth;
	int data_only; /* fdatasync */
	atomic_int woken;
};

static long read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	long v = -1;

	if (f && fscanf(f, "%ld", &v) != 1)
		v = -1;
	if (f)
		fclose(f);
	return v;
}

static int setup_failed(int code, uint32_t depth, struct iob_error *err)
{
	const long max = read_number("/proc/sys/fs/aio-max-nr");
	const long used = read_number("/proc/sys/fs/aio-nr");

	if (code == ENOSYS)
		return iobi_fail(err, code, "engine",
				 "libaio: this kernel has no io_setup, or a seccomp filter forbids "
				 "it; use engine io_uring or psync");
	if (code == EPERM || code == EACCES)
		return iobi_fail(err, code, "engine",
				 "libaio: io_setup is forbidden, as by a container's seccomp "
				 "filter; use engine io_uring or psync");
	if (code == EAGAIN || (code == EINVAL && max >= 0 && depth > max))
		return iobi_fail(err, EAGAIN, "queue_depth",
				 "libaio: no room for %u requests: /proc/sys/fs/aio-max-nr (the "
				 "limit of all processes together) is %ld, of which %ld are taken; "
				 "raise it with sysctl fs.aio-max-nr, or use engine io_uring",
				 depth, max, used);
	return iobi_fail(err, code, "engine", "libaio: io_setup of %u requests failed: %s", depth,
			 iobi_errno_text(code));
}

/* A context for no requests is invalid, which only a kernel that has contexts
 * says; making a real one would cost 30 ms to take apart. */
static int libaio_probe(struct iob_error *err)
{
	io_context_t ctx = 0;
	const long max = read_number("/proc/sys/fs/aio-max-nr");
	const long used = read_number("/proc/sys/fs/aio-nr");
	int r = io_setup(0, &ctx);

	if (r != -EINVAL)
		return setup_failed(r < 0 ? -r : EINVAL, 1, err);
	return max >= 0 && used >= max ? setup_failed(EAGAIN, 1, err) : 0;
}

static void libaio_close(void *state)
{
	struct libaio *s = state;

	if (s->ctx)
		io_destroy(s->ctx);
	free(s->fds);
	free(s->iocbs);
	free(s->list);
	free(s->events);
	free(s->refused);
	free(s);
}

static int allocate(struct libaio *s, const struct iob_engine_env *env)
{
	s->fds = iobi_engine_fds(env);
	s->iocbs = calloc(env->depth, sizeof(*s->iocbs));
	s->list = calloc(env->depth, sizeof(struct iocb *));
	s->events = calloc(env->depth, sizeof(*s->events));
	s->refused = calloc(env->depth, sizeof(struct iob_io *));
	if (!s->fds || !s->iocbs || !s->list || !s->events || !s->refused)
		return -ENOMEM;
	for (uint32_t i = 0; i < env->depth; i++)
		s->list[i] = &s->iocbs[i];
	return 0;
}

static int libaio_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct libaio *s = calloc(1, sizeof(*s));
	int r;

	if (!s || allocate(s, env)) {
		if (s)
			libaio_close(s);
		return iobi_no_memory(err);
	}
	s->depth = env->depth;
	s->data_only = !!(env->caps_wanted & IOB_ENGINE_FDATASYNC);
	r = env->depth > INT32_MAX ? -EINVAL : io_setup((int)env->depth, &s->ctx);
	if (r < 0) {
		s->ctx = 0;
		libaio_close(s);
		return setup_failed(-r, env->depth, err);
	}
	s->ring = (struct aio_ring *)s->ctx;
	if (s->ring->magic != AIO_RING_MAGIC || s->ring->incompat_features)
		s->ring = NULL;
	else
		iobi_engine_feature(env, "userspace_reap");
	*state = s;
	return 0;
}

static short opcode_of(const struct libaio *s, unsigned op)
{
	if (op == IOB_OP_READ)
		return IO_CMD_PREAD;
	if (op == IOB_OP_WRITE)
		return IO_CMD_PWRITE;
	return s->data_only ? IO_CMD_FDSYNC : IO_CMD_FSYNC;
}

static void prepare(struct libaio *s, struct iocb *cb, struct iob_io *io)
{
	cb->data = io;
	cb->aio_lio_opcode = opcode_of(s, io->op);
	cb->aio_fildes = s->fds[io->target];
	/* A sync must have no buffer and no range; the library's I/O has none. */
	cb->u.c.buf = io->op == IOB_OP_SYNC ? NULL : io->buf;
	cb->u.c.nbytes = io->len;
	cb->u.c.offset = io->op == IOB_OP_SYNC ? 0 : (long long)io->offset;
}

/* The kernel did not take it: it is done, with that error. Before Linux 4.18
 * there is no sync command, so that one is done here. */
static void refuse(struct libaio *s, struct iob_io *io, int code)
{
	io->result = -code;
	if (io->op == IOB_OP_SYNC && code == EINVAL) {
		const int fd = s->fds[io->target];

		io->result = (s->data_only ? fdatasync(fd) : fsync(fd)) ? -errno : 0;
	}
	s->refused[s->n_refused++] = io;
}

static int libaio_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct libaio *s = state;
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++)
		prepare(s, &s->iocbs[i], ios[i]);
	while (taken < n) {
		int r = io_submit(s->ctx, (long)(n - taken), s->list + taken);

		if (r > 0) {
			taken += (unsigned)r;
			s->in_flight += (unsigned)r;
		} else if (r == -EAGAIN && (taken || s->in_flight || s->n_refused)) {
			break; /* full until some are done */
		} else if (r != -EINTR) {
			refuse(s, ios[taken++], r ? -r : EAGAIN);
		}
	}
	return (int)taken;
}

static void give_back(const struct io_event *ev, struct iob_io **done)
{
	struct iob_io *io = ev->data;

	io->result = (int32_t)(long)ev->res;
	*done = io;
}

static unsigned reap_refused(struct libaio *s, struct iob_io **done, unsigned max)
{
	unsigned n = s->n_refused < max ? s->n_refused : max;

	memcpy(done, s->refused, n * sizeof(struct iob_io *));
	s->n_refused -= n;
	memmove(s->refused, s->refused + n, s->n_refused * sizeof(struct iob_io *));
	return n;
}

static unsigned reap_ring(struct libaio *s, struct iob_io **done, unsigned max)
{
	struct aio_ring *ring = s->ring;
	unsigned head = ring->head, n = 0;
	const unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE), nr = ring->nr;

	while (n < max && head != tail) {
		give_back(&ring->events[head], &done[n++]);
		head = head + 1 < nr ? head + 1 : 0;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	s->in_flight -= n;
	return n;
}

static int reap_kernel(struct libaio *s, struct iob_io **done, unsigned min, unsigned max,
		       int64_t ns)
{
	struct timespec ts = { .tv_nsec = ns };
	int r = io_getevents(s->ctx, (long)min, (long)(max < s->depth ? max : s->depth), s->events,
			     &ts);

	if (r < 0)
		return r == -EINTR ? 0 : r;
	for (int i = 0; i < r; i++)
		give_back(&s->events[i], &done[i]);
	s->in_flight -= (unsigned)r;
	return r;
}

static int wait_for(struct libaio *s, struct iob_io **done, unsigned min, unsigned max,
		    int64_t timeout_ns)
{
	struct iobi_wait w = iobi_wait_start(timeout_ns);
	unsigned n = 0;
	int64_t ns;

	while (!iobi_wait_woken(&s->woken) && iobi_wait_next(&w, &ns)) {
		int r = reap_kernel(s, done + n, min - n, max - n, ns);

		if (r < 0)
			return n ? (int)n : r;
		n += (unsigned)r;
		if (n >= min)
			break;
		iobi_wait_update(&w);
	}
	return (int)n;
}

static int libaio_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
		       int64_t timeout_ns)
{
	struct libaio *s = state;
	unsigned n = s->n_refused ? reap_refused(s, done, max) : 0;
	int r;

	if (s->ring)
		n += reap_ring(s, done + n, max - n);
	else if (n < max && (r = reap_kernel(s, done + n, 0, max - n, 0)) > 0)
		n += (unsigned)r;
	if (n >= min || !timeout_ns)
		return (int)n;
	r = wait_for(s, done + n, min - n, max - n, timeout_ns);
	return r < 0 && !n ? r : (int)n + (r > 0 ? r : 0);
}

static int libaio_wake(void *state)
{
	struct libaio *s = state;

	atomic_store(&s->woken, 1);
	return 0;
}

const struct iob_engine_ops iobi_engine_libaio = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_FSYNC,
	.name = "libaio",
	.probe = libaio_probe,
	.open = libaio_open,
	.submit = libaio_submit,
	.reap = libaio_reap,
	.wake = libaio_wake,
	.close = libaio_close,
};
