/* SPDX-License-Identifier: MIT */
/*
 * A mapping of the whole target. A page that cannot be read, or that a shrunken
 * file no longer has, raises SIGBUS where it is touched, also right after
 * MADV_POPULATE_READ or _WRITE said that it is there; a library cannot handle a
 * signal of its host. So the kernel copies, through the mapping and its faults:
 * process_vm_readv and _writev on the process itself, which return EFAULT. At
 * 4 KiB that takes 1.5 us instead of 1.1 us for populate and memcpy. Where a
 * seccomp filter forbids them, /proc/self/mem does the same.
 */
#include "engine/engines.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

struct mapping {
	char *at;
	size_t size;
	int fd;
};

struct mmaps {
	pid_t pid;
	int mem_fd; /* /proc/self/mem, or -1: process_vm_* works */
	int data_only;
	uint32_t sync; /* as of env: the fd's O_ flags do not reach a mapping */
	uint32_t n;
	struct mapping map[];
};

static void mmap_close(void *state)
{
	struct mmaps *s = state;

	for (uint32_t i = 0; i < s->n; i++)
		munmap(s->map[i].at, s->map[i].size);
	if (s->mem_fd >= 0)
		close(s->mem_fd);
	free(s);
}

static int map_target(struct mmaps *s, const struct iob_engine_target *t, int prot,
		      struct iob_error *err)
{
	void *at;

	if (t->size > SIZE_MAX)
		return iobi_fail_at(err, EFBIG, "engine", t->path, 0,
				    "mmap: %s does not fit in the address space; use engine psync",
				    t->path);
	at = mmap(NULL, (size_t)t->size, prot, MAP_SHARED, t->fd, 0);
	if (at == MAP_FAILED)
		return iobi_fail_at(err, errno, "engine", t->path, 0,
				    "mmap: cannot map %llu bytes of %s: %s; use engine psync",
				    (unsigned long long)t->size, t->path, iobi_errno_text(errno));
	s->map[s->n++] = (struct mapping){ at, (size_t)t->size, t->fd };
	return 0;
}

static int choose_copy(struct mmaps *s, const struct iob_engine_env *env, struct iob_error *err)
{
	char from = 1, to = 0;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	if (process_vm_readv(s->pid, &local, 1, &remote, 1, 0) == 1) {
		iobi_engine_feature(env, "process_vm");
		return 0;
	}
	s->mem_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (s->mem_fd < 0)
		return iobi_fail(err, errno, "engine",
				 "mmap: neither process_vm_readv nor /proc/self/mem can be used "
				 "here (%s), so an I/O error would be a SIGBUS; use engine psync",
				 iobi_errno_text(errno));
	iobi_engine_feature(env, "proc_mem");
	return 0;
}

static int mmap_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct mmaps *s = calloc(1, sizeof(*s) + env->n_targets * sizeof(s->map[0]));
	int r;

	if (!s)
		return iobi_no_memory(err);
	s->pid = getpid();
	s->mem_fd = -1;
	s->sync = env->sync;
	s->data_only = !!(env->caps_wanted & IOB_ENGINE_FDATASYNC);
	r = choose_copy(s, env, err);
	for (uint32_t i = 0; i < env->n_targets && r >= 0; i++)
		r = map_target(s, &env->targets[i], PROT_READ | (env->writes ? PROT_WRITE : 0),
			       err);
	if (r < 0) {
		mmap_close(s);
		return r;
	}
	*state = s;
	return 0;
}

static ssize_t copy_some(const struct mmaps *s, int write, char *buf, char *at, size_t len)
{
	struct iovec local = { buf, len }, remote = { at, len };

	if (s->mem_fd >= 0)
		return write ? pwrite(s->mem_fd, buf, len, (off_t)(uintptr_t)at)
			     : pread(s->mem_fd, buf, len, (off_t)(uintptr_t)at);
	return write ? process_vm_writev(s->pid, &local, 1, &remote, 1, 0)
		     : process_vm_readv(s->pid, &local, 1, &remote, 1, 0);
}

/* A copy that stops short has met a page that is not to be had: the next try,
 * from there on, says so. */
static int copy(const struct mmaps *s, const struct iob_io *io, char *at)
{
	size_t moved = 0;

	while (moved < io->len) {
		ssize_t r = copy_some(s, io->op == IOB_OP_WRITE, (char *)io->buf + moved,
				      at + moved, io->len - moved);

		if (r > 0)
			moved += (size_t)r;
		else if (!r || errno != EINTR)
			return !r || errno == EFAULT ? -EIO : -errno;
	}
	return (int)moved;
}

static int flush(const struct mapping *m, int data_only)
{
	return (data_only ? fdatasync(m->fd) : fsync(m->fd)) ? -errno : 0;
}

/* What O_DSYNC and O_SYNC do for write(2). msync flushes data only. */
static int flush_range(const struct mmaps *s, const struct mapping *m, const struct iob_io *io)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = m->at + io->offset / page * page;

	if (s->sync > 1)
		return flush(m, 0);
	return msync(at, (size_t)(m->at + io->offset + io->len - at), MS_SYNC) ? -errno : 0;
}

static int mmap_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	const struct mmaps *s = state;
	struct iob_io *io = ios[0];
	const struct mapping *m = &s->map[io->target];

	if (io->op == IOB_OP_SYNC) {
		io->result = flush(m, s->data_only);
		return 1;
	}
	io->result = copy(s, io, m->at + io->offset);
	if (s->sync && io->op == IOB_OP_WRITE && io->result >= 0) {
		int r = flush_range(s, m, io);

		if (r < 0)
			io->result = r;
	}
	return 1;
}

const struct iob_engine_ops iobi_engine_mmap = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_SYNC | IOB_ENGINE_BUFFERED_ONLY | IOB_ENGINE_FSYNC,
	.name = "mmap",
	.open = mmap_open,
	.submit = mmap_submit,
	.close = mmap_close,
};
