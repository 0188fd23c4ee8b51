/* SPDX-License-Identifier: MIT */
/* Making a ring with all that the kernel has to offer, and saying why not. */
#include "engine/uring.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kernel's limits of one registered buffer, and of their number. */
#define CHUNK_MAX (UINT64_C(1) << 30)
enum { CHUNKS_MAX = 16384 };

/* kernel.io_uring_disabled, or -1 where there is no such sysctl. */
static int disabled_by_sysctl(void)
{
	char c = 0;
	int fd = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (read(fd, &c, 1) != 1)
		c = 0;
	close(fd);
	return c >= '0' && c <= '9' ? c - '0' : -1;
}

static int refused_memory(uint32_t depth, struct iob_error *err)
{
	struct rlimit limit = { 0 };
	const ssize_t need = io_uring_mlock_size(depth, 0);

	getrlimit(RLIMIT_MEMLOCK, &limit);
	return iobi_fail(err, ENOMEM, "engine",
			 "io_uring: no memory for a ring of %u entries, which counts as locked "
			 "memory: RLIMIT_MEMLOCK (ulimit -l) is %llu KiB, and %lld KiB are "
			 "needed; raise it, or use engine libaio or psync",
			 depth, (unsigned long long)limit.rlim_cur / 1024,
			 need > 0 ? (long long)need / 1024 : -1LL);
}

int iobi_uring_refused(int code, uint32_t depth, struct iob_error *err)
{
	const int disabled = disabled_by_sysctl();

	if (code == EPERM && disabled > 0)
		return iobi_fail(err, code, "engine",
				 "io_uring is forbidden: sysctl kernel.io_uring_disabled is %d%s; "
				 "set it to 0, or use engine libaio or psync",
				 disabled,
				 disabled == 1 ? " (only root and kernel.io_uring_group may)" : "");
	if (code == EPERM || code == EACCES)
		return iobi_fail(err, code, "engine",
				 "io_uring is forbidden by a seccomp filter or security module, as "
				 "in a container (kernel.io_uring_disabled does not forbid it); "
				 "allow io_uring_setup there, or use engine libaio or psync");
	if (code == ENOSYS)
		return iobi_fail(err, code, "engine",
				 "this kernel has no io_uring (it came with Linux 5.1), or a "
				 "seccomp filter hides it; use engine libaio or psync");
	if (code == ENOMEM)
		return refused_memory(depth, err);
	if (code == EMFILE || code == ENFILE)
		return iobi_fail(err, code, "engine",
				 "io_uring: no file descriptor left for a ring: each worker has "
				 "one; raise `ulimit -n`, or lower workers");
	return iobi_fail(err, code, "engine",
			 "io_uring: no ring of %u entries: %s; use engine libaio or psync", depth,
			 iobi_errno_text(code));
}

static int check_direct(const struct iob_engine_env *env, struct iob_error *err)
{
	for (uint32_t i = 0; i < env->n_targets; i++) {
		int flags = fcntl(env->targets[i].fd, F_GETFL);

		if (flags < 0 || !(flags & O_DIRECT))
			return iobi_fail(err, EINVAL, "poll",
					 "io_uring polls only O_DIRECT descriptors, and %s is not "
					 "one; use direct=true or poll=false",
					 env->targets[i].path);
	}
	return 0;
}

int iobi_uring_check(const struct iob_engine_env *env, struct iob_error *err)
{
	if (env->depth > IOBI_URING_MAX_DEPTH)
		return iobi_fail(err, EINVAL, "queue_depth",
				 "io_uring takes a queue_depth of at most %d (the largest ring the "
				 "kernel makes), not %u; use a smaller one, or engine libaio",
				 IOBI_URING_MAX_DEPTH, env->depth);
	if (!(env->caps_wanted & IOB_ENGINE_POLL))
		return 0;
	if (env->caps_wanted & (IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC))
		return iobi_fail(err, EINVAL, "poll",
				 "a polled ring of io_uring has only reads and writes; use "
				 "poll=false, or engine psync for trim and fsync");
	if (check_direct(env, err) < 0)
		return -EINVAL;
	return iobi_engine_check_poll(env, err);
}

/* The best kind of ring first; a kernel that does not know a flag says EINVAL. */
static int make_ring(struct iobi_uring *s, const struct iob_engine_env *env)
{
	static const unsigned kinds[] = {
		IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN,
		0,
	};
	const unsigned poll = s->polled ? IORING_SETUP_IOPOLL : 0;
	int r = -EINVAL;

	for (size_t i = 0; i < IOBI_LEN(kinds) && r == -EINVAL; i++) {
		struct io_uring_params p = { .flags = kinds[i] | poll | IORING_SETUP_CQSIZE,
					     .cq_entries = env->depth };

		r = io_uring_queue_init_params(env->depth, &s->ring, &p);
	}
	if (r < 0)
		s->ring.ring_fd = -1;
	return r;
}

static void tell_flags(const struct iobi_uring *s, const struct iob_engine_env *env)
{
	static const struct {
		unsigned flag;
		const char *name;
	} words[] = {
		{ IORING_SETUP_SINGLE_ISSUER, "single_issuer" },
		{ IORING_SETUP_DEFER_TASKRUN, "defer_taskrun" },
		{ IORING_SETUP_COOP_TASKRUN, "coop_taskrun" },
		{ IORING_SETUP_IOPOLL, "iopoll" },
	};

	for (size_t i = 0; i < IOBI_LEN(words); i++) {
		if (s->ring.flags & words[i].flag)
			iobi_engine_feature(env, words[i].name);
	}
}

static void adopt_ring(struct iobi_uring *s)
{
	const struct io_uring *ring = &s->ring;

	s->sqes = ring->sq.sqes;
	s->sq_ktail = ring->sq.ktail;
	s->sq_tail = *ring->sq.ktail;
	s->sq_mask = ring->sq.ring_mask;
	s->cqes = ring->cq.cqes;
	s->cq_khead = ring->cq.khead;
	s->cq_ktail = ring->cq.ktail;
	s->cq_head = *ring->cq.khead;
	s->cq_mask = ring->cq.ring_mask;
	for (unsigned i = 0; i < ring->sq.ring_entries; i++)
		ring->sq.array[i] = i;
	s->enter_fd = (unsigned)ring->ring_fd;
	s->must_enter = s->polled || (ring->flags & IORING_SETUP_DEFER_TASKRUN);
	if (s->must_enter && !s->polled)
		s->submit_flags = IORING_ENTER_GETEVENTS;
	s->opcode[IOB_OP_READ] = IORING_OP_READ;
	s->opcode[IOB_OP_WRITE] = IORING_OP_WRITE;
	s->chunk_shift = 31;
}

static void register_ring(struct iobi_uring *s, const struct iob_engine_env *env)
{
	if (io_uring_register_ring_fd(&s->ring) != 1)
		return;
	s->enter_fd = (unsigned)s->ring.enter_ring_fd;
	s->enter_flags |= IORING_ENTER_REGISTERED_RING;
	s->submit_flags |= IORING_ENTER_REGISTERED_RING;
	iobi_engine_feature(env, "registered_ring");
}

static void register_files(struct iobi_uring *s, const struct iob_engine_env *env)
{
	if (!env->n_targets || io_uring_register_files(&s->ring, s->fds, env->n_targets) < 0)
		return;
	for (uint32_t i = 0; i < env->n_targets; i++)
		s->fds[i] = (int)i;
	s->sqe_flags = IOSQE_FIXED_FILE;
	iobi_engine_feature(env, "fixed_files");
}

/* 2^shift I/O buffers make one registered buffer; -1: they do not fit. */
static int choose_chunk_shift(const struct iob_engine_env *env)
{
	int shift = 0;

	if (!env->buffers || !env->buffer_len || !env->buffer_stride ||
	    env->buffer_stride > CHUNK_MAX)
		return -1;
	while (shift < 30 && (uint64_t)env->buffer_stride << (shift + 1) <= CHUNK_MAX)
		shift++;
	return shift;
}

static int register_chunks(struct iobi_uring *s, const struct iob_engine_env *env, size_t chunk)
{
	const size_t n = (env->buffer_len + chunk - 1) / chunk;
	struct iovec *v = n <= CHUNKS_MAX ? calloc(n, sizeof(*v)) : NULL;
	int r;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		v[i].iov_base = (char *)env->buffers + i * chunk;
		v[i].iov_len = i + 1 < n ? chunk : env->buffer_len - i * chunk;
	}
	r = io_uring_register_buffers(&s->ring, v, (unsigned)n);
	free(v);
	return r;
}

/* Without (no memory to lock, say) every I/O maps its buffer anew. */
static void register_buffers(struct iobi_uring *s, const struct iob_engine_env *env)
{
	const int shift = choose_chunk_shift(env);

	if (shift < 0 || register_chunks(s, env, env->buffer_stride << shift) < 0)
		return;
	s->chunk_shift = (unsigned)shift;
	s->opcode[IOB_OP_READ] = IORING_OP_READ_FIXED;
	s->opcode[IOB_OP_WRITE] = IORING_OP_WRITE_FIXED;
	iobi_engine_feature(env, "fixed_buffers");
}

/* Runs one request to its end and gives its result. */
static int run_one(struct iobi_uring *s, const struct io_uring_sqe *sqe)
{
	int r, result;

	s->sqes[s->sq_tail & s->sq_mask] = *sqe;
	__atomic_store_n(s->sq_ktail, ++s->sq_tail, __ATOMIC_RELEASE);
	r = io_uring_enter(s->enter_fd, 1, 1, s->enter_flags | IORING_ENTER_GETEVENTS, NULL);
	while (r >= 0 && __atomic_load_n(s->cq_ktail, __ATOMIC_ACQUIRE) == s->cq_head)
		r = io_uring_enter(s->enter_fd, 0, 1, s->enter_flags | IORING_ENTER_GETEVENTS,
				   NULL);
	if (r < 0)
		return r;
	result = s->cqes[s->cq_head & s->cq_mask].res;
	__atomic_store_n(s->cq_khead, ++s->cq_head, __ATOMIC_RELEASE);
	return result;
}

/* Asks for a discard that no device takes, one byte at byte 1: a kernel and a
 * device that discard say EINVAL, others EOPNOTSUPP. */
static int check_discard(struct iobi_uring *s, const struct iob_engine_target *t, int fd,
			 struct iob_error *err)
{
	const struct io_uring_sqe sqe = { .opcode = IORING_OP_URING_CMD,
					  .flags = s->sqe_flags,
					  .fd = fd,
					  .off = IOBI_BLOCK_URING_CMD_DISCARD,
					  .addr = 1,
					  .addr3 = 1 };
	const int r = run_one(s, &sqe);

	if (r == -EINVAL)
		return 0;
	return iobi_fail_at(err, r < 0 ? -r : EIO, "trim_percent", t->path, 0,
			    "io_uring cannot discard on %s: %s; that needs Linux 6.12 and a device "
			    "that discards; use engine psync",
			    t->path, r < 0 ? iobi_errno_text(-r) : "an answer not understood");
}

/* The kernel says so before it looks at the request: nothing is read. A discard
 * that was tried without waiting fails there, and is not tried again. */
static bool never_waits(const struct iob_engine_target *t)
{
	char byte;
	struct iovec v = { &byte, 1 };

	return preadv2(t->fd, &v, 1, (off_t)t->size, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP;
}

static int set_targets(struct iobi_uring *s, const struct iob_engine_env *env,
		       struct iob_error *err)
{
	int r = 0;

	s->block_device = calloc(env->n_targets ? env->n_targets : 1, 1);
	if (!s->block_device)
		return iobi_no_memory(err);
	for (uint32_t i = 0; i < env->n_targets && r >= 0; i++) {
		const struct iob_engine_target *t = &env->targets[i];
		if (!t->is_block_device)
			continue;
		s->block_device[i] = never_waits(t) ? IOBI_URING_DEVICE : IOBI_URING_WAITS;
		if (env->caps_wanted & IOB_ENGINE_TRIM)
			r = check_discard(s, t, s->fds[i], err);
	}
	return r;
}

int iobi_uring_setup(struct iobi_uring *s, const struct iob_engine_env *env, struct iob_error *err)
{
	int r;

	s->polled = !!(env->caps_wanted & IOB_ENGINE_POLL);
	s->data_only = !!(env->caps_wanted & IOB_ENGINE_FDATASYNC);
	r = make_ring(s, env);
	if (r < 0)
		return iobi_uring_refused(-r, env->depth, err);
	adopt_ring(s);
	tell_flags(s, env);
	register_ring(s, env);
	register_files(s, env);
	register_buffers(s, env);
	return set_targets(s, env, err);
}
