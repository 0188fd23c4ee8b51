/* SPDX-License-Identifier: MIT */
/* The ceiling: random 4 KiB reads by a bare loop without features. The clock is read before a
 * batch is submitted and after it was reaped, each I/O goes into a histogram with its sum, min and
 * max, offsets are a multiply and a shift of a random number (they repeat).
 *
 *	bare null|psync|libaio|io_uring DEPTH SECONDS [FILE [direct]]	prints ns and I/Os */
#include "measure/hist_priv.h"
#include "run/clock.h"
#include <fcntl.h>
#include <libaio.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK = 4096,
	BITS = 8,
	DEPTH_MAX = 1024
};

struct loop {
	int fd;
	unsigned depth;
	uint64_t random, blocks, ios, deadline;
	char *buffers;
	const struct iobi_clock *clock;
	struct io_uring ring;
	io_context_t aio;
	struct iocb iocbs[DEPTH_MAX], *free[DEPTH_MAX];
	struct iovec vec[DEPTH_MAX];
	uint64_t began[DEPTH_MAX], offset[DEPTH_MAX];
	uint64_t *counts, sum, min, max;
};

static inline uint64_t next_offset(struct loop *l)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (uint64_t)((iobi_u128)l->random * l->blocks >> 64) * BLOCK;
}

static inline void record(struct loop *l, uint64_t v)
{
	l->counts[iobi_hist_index(BITS, v)]++;
	l->sum += v;
	l->min = v < l->min ? v : l->min;
	l->max = v > l->max ? v : l->max;
	l->ios++;
}

static void die(const char *what, long code)
{
	fprintf(stderr, "bare: %s: %s\n", what, strerror((int)-code));
	exit(1);
}

static void must_be_block(long got)
{
	if (got != BLOCK)
		die("read", got < 0 ? got : -EIO);
}

/* Nothing is done, but offsets are drawn, stamped and recorded. */
static void run_null(struct loop *l)
{
	for (uint64_t now = iobi_now(l->clock); now < l->deadline;) {
		uint64_t before = now;
		for (unsigned i = 0; i < l->depth; i++) {
			l->offset[i] = next_offset(l);
			l->began[i] = before;
		}
		now = iobi_now(l->clock);
		for (unsigned i = 0; i < l->depth; i++)
			record(l, now - l->began[i]);
	}
}

static void run_psync(struct loop *l)
{
	for (uint64_t now = 0; now < l->deadline;) {
		uint64_t offset = next_offset(l), before = iobi_now(l->clock);
		must_be_block(pread(l->fd, l->buffers, BLOCK, (off_t)offset));
		now = iobi_now(l->clock);
		record(l, now - before);
	}
}

static void open_libaio(struct loop *l)
{
	int code = io_setup((int)l->depth, &l->aio);
	if (code < 0)
		die("io_setup", code);
	for (unsigned i = 0; i < l->depth; i++)
		l->free[i] = &l->iocbs[i];
}

static void run_libaio(struct loop *l)
{
	struct io_event done[DEPTH_MAX];
	unsigned n_free = l->depth;
	open_libaio(l);
	for (uint64_t now = 0; now < l->deadline;) {
		for (unsigned i = 0; i < n_free; i++) {
			unsigned slot = (unsigned)(l->free[i] - l->iocbs);
			io_prep_pread(l->free[i], l->fd, l->buffers + (size_t)slot * BLOCK, BLOCK,
				      (long long)next_offset(l));
		}
		uint64_t before = iobi_now(l->clock);
		for (unsigned i = 0; i < n_free; i++)
			l->began[l->free[i] - l->iocbs] = before;
		int n = io_submit(l->aio, n_free, l->free);
		if (n < (int)n_free)
			die("io_submit", n < 0 ? n : -EAGAIN);
		n = io_getevents(l->aio, 1, l->depth, done, NULL);
		now = iobi_now(l->clock);
		n_free = 0;
		for (int i = 0; i < n; i++) {
			must_be_block((long)done[i].res);
			record(l, now - l->began[done[i].obj - l->iocbs]);
			l->free[n_free++] = done[i].obj;
		}
	}
	io_destroy(l->aio);
}

static void open_io_uring(struct loop *l)
{
	int code = io_uring_queue_init(l->depth, &l->ring,
				       IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (code < 0)
		die("io_uring_setup", code);
	io_uring_register_ring_fd(&l->ring);
	for (unsigned i = 0; i < l->depth; i++)
		l->vec[i] = (struct iovec){ l->buffers + (size_t)i * BLOCK, BLOCK };
	code = io_uring_register_buffers(&l->ring, l->vec, l->depth);
	if (code >= 0)
		code = io_uring_register_files(&l->ring, &l->fd, 1);
	if (code < 0)
		die("io_uring_register", code);
}

static inline void prepare(struct loop *l, unsigned slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);
	io_uring_prep_read_fixed(sqe, 0, l->vec[slot].iov_base, BLOCK, next_offset(l), (int)slot);
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->user_data = slot;
}

static void run_io_uring(struct loop *l)
{
	unsigned again[DEPTH_MAX], n = l->depth;
	open_io_uring(l);
	for (unsigned i = 0; i < n; i++)
		again[i] = i;
	for (uint64_t now = 0; now < l->deadline;) {
		for (unsigned i = 0; i < n; i++)
			prepare(l, again[i]);
		uint64_t before = iobi_now(l->clock);
		for (unsigned i = 0; i < n; i++)
			l->began[again[i]] = before;
		int code = io_uring_submit_and_wait(&l->ring, 1);
		if (code < 0)
			die("io_uring_enter", code);
		now = iobi_now(l->clock);
		struct io_uring_cqe *cqe;
		unsigned head;
		n = 0;
		io_uring_for_each_cqe(&l->ring, head, cqe)
		{
			must_be_block(cqe->res);
			record(l, now - l->began[cqe->user_data]);
			again[n++] = (unsigned)cqe->user_data;
		}
		io_uring_cq_advance(&l->ring, n);
	}
	io_uring_queue_exit(&l->ring);
}

static uint64_t size_of(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END); /* a block device has no st_size */
	return end > 0 ? (uint64_t)end : 0;
}

static void open_target(struct loop *l, int argc, char **argv)
{
	int direct = argc > 5 && !strcmp(argv[5], "direct") ? O_DIRECT : 0;
	l->blocks = (UINT64_C(1) << 30) / BLOCK;
	if (argc < 5)
		return;
	l->fd = open(argv[4], O_RDONLY | O_NOATIME | O_CLOEXEC | direct);
	if (l->fd < 0)
		die(argv[4], -errno);
	l->blocks = size_of(l->fd) / BLOCK;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct loop *l);
	} engines[] = { { "null", run_null },
			{ "psync", run_psync },
			{ "libaio", run_libaio },
			{ "io_uring", run_io_uring } };
	static struct loop l = { .random = 88172645463325252u, .min = UINT64_MAX, .fd = -1 };
	if (argc < 4 || (l.depth = (unsigned)atoi(argv[2])) < 1 || l.depth > DEPTH_MAX) {
		fputs("usage: bare null|psync|libaio|io_uring DEPTH SECONDS [FILE [direct]]\n",
		      stderr);
		return 2;
	}
	open_target(&l, argc, argv);
	l.clock = iobi_clock();
	l.counts = calloc(iobi_hist_total(BITS), sizeof(*l.counts));
	l.buffers = aligned_alloc(BLOCK, (size_t)l.depth * BLOCK);
	if (!l.counts || !l.buffers)
		die("memory", -ENOMEM);
	uint64_t start = iobi_now(l.clock);
	l.deadline = start + (uint64_t)(atof(argv[3]) * 1e9);
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strcmp(argv[1], engines[i].name))
			engines[i].run(&l);
	if (!l.ios)
		die(argv[1], -EINVAL);
	printf("%llu %llu\n", (unsigned long long)(iobi_now(l.clock) - start),
	       (unsigned long long)l.ios);
	return 0;
}
