/* SPDX-License-Identifier: MIT */
/* One system call an I/O: pread and pwrite. The v2 calls are slower (12 %), so
 * they are used only where their flags are. */
#include "engine/engines.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct psync_target {
	int fd;
	int is_block_device;
};

struct psync {
	int data_only; /* fdatasync */
	int rwf;       /* flags of preadv2 and pwritev2; 0: pread and pwrite */
	struct psync_target target[];
};

static int psync_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct psync *s;

	if (env->caps_wanted & IOB_ENGINE_POLL) {
		int r = iobi_engine_check_poll(env, err);

		if (r < 0)
			return r;
	}
	s = calloc(1, sizeof(*s) + env->n_targets * sizeof(s->target[0]));
	if (!s)
		return iobi_no_memory(err);
	s->data_only = !!(env->caps_wanted & IOB_ENGINE_FDATASYNC);
	s->rwf = env->caps_wanted & IOB_ENGINE_POLL ? RWF_HIPRI : 0;
	for (uint32_t i = 0; i < env->n_targets; i++)
		s->target[i] = (struct psync_target){ env->targets[i].fd,
						      env->targets[i].is_block_device };
	*state = s;
	return 0;
}

/*
 * The calls themselves; bytes or -errno. glibc's pread and pwrite are
 * cancellation points, which costs 40 instructions in a process with threads,
 * and nobody cancels these.
 */
static inline long transfer(int fd, const struct iob_io *io)
{
	const long call = io->op == IOB_OP_READ ? SYS_pread64 : SYS_pwrite64;
#if defined(__x86_64__) && defined(__LP64__)
	/* All loads first: a sanitizer's call at one of them would spoil r10. */
	void *buf = io->buf;
	size_t len = io->len;
	uint64_t place = io->offset;
	long r = call;
	register uint64_t offset __asm__("r10") = place;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"((long)fd), "S"(buf), "d"(len), "r"(offset)
			 : "rcx", "r11", "memory");
	return r;
#else
	ssize_t r = call == SYS_pread64 ? pread(fd, io->buf, io->len, (off_t)io->offset)
					: pwrite(fd, io->buf, io->len, (off_t)io->offset);

	return r < 0 ? -errno : r;
#endif
}

static ssize_t transfer_v2(const struct psync *s, int fd, const struct iob_io *io)
{
	struct iovec v = { io->buf, io->len };

	return io->op == IOB_OP_READ ? preadv2(fd, &v, 1, (off_t)io->offset, s->rwf)
				     : pwritev2(fd, &v, 1, (off_t)io->offset, s->rwf);
}

static ssize_t trim(const struct psync_target *t, const struct iob_io *io)
{
	uint64_t range[2] = { io->offset, io->len };
	int r = t->is_block_device ? ioctl(t->fd, BLKDISCARD, range)
				   : fallocate(t->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					       (off_t)io->offset, (off_t)io->len);

	return r ? -1 : (ssize_t)io->len;
}

static ssize_t other(const struct psync *s, const struct iob_io *io)
{
	const struct psync_target *t = &s->target[io->target];

	if (io->op == IOB_OP_TRIM)
		return trim(t, io);
	if (io->op == IOB_OP_SYNC)
		return s->data_only ? fdatasync(t->fd) : fsync(t->fd);
	return transfer_v2(s, t->fd, io);
}

static void __attribute__((noinline)) submit_other(const struct psync *s, struct iob_io *io)
{
	ssize_t r;

	do {
		r = other(s, io);
	} while (r < 0 && errno == EINTR);
	io->result = r < 0 ? -errno : (int32_t)r;
}

static int psync_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	const struct psync *s = state;
	struct iob_io *io = ios[0];
	long r;

	if (io->op > IOB_OP_WRITE || s->rwf) {
		submit_other(s, io);
		return 1;
	}
	do {
		r = transfer(s->target[io->target].fd, io);
	} while (r == -EINTR);
	io->result = (int32_t)r;
	return 1;
}

static void psync_close(void *state)
{
	free(state);
}

const struct iob_engine_ops iobi_engine_psync = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_SYNC | IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC | IOB_ENGINE_POLL,
	.name = "psync",
	.open = psync_open,
	.submit = psync_submit,
	.close = psync_close,
};
