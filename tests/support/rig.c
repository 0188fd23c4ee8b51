/* SPDX-License-Identifier: MIT */
#include "rig.h"
#include "device_priv.h"
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <linux/fs.h>
#include <time.h>
#include <unistd.h>

double rig_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

void rig_fill(unsigned char *p, uint64_t at, uint32_t len, unsigned round)
{
	for (uint32_t i = 0; i < len; i++)
		p[i] = rig_byte(at + i, round);
}

void rig_check(const unsigned char *p, uint64_t at, uint32_t len, unsigned round)
{
	for (uint32_t i = 0; i < len; i++) {
		if (p[i] != rig_byte(at + i, round))
			ck_abort_msg("byte %llu is %u, not %u", (unsigned long long)(at + i), p[i],
				     rig_byte(at + i, round));
	}
}

const char *rig_file(uint64_t bytes)
{
	static char path[256];
	unsigned char part[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/file%u", dev_dir(), dev_serial());
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	for (uint64_t at = 0; at < bytes; at += sizeof(part)) {
		uint32_t n = bytes - at < sizeof(part) ? (uint32_t)(bytes - at) : sizeof(part);

		rig_fill(part, at, n, 0);
		ck_assert_int_eq(write(fd, part, n), n);
	}
	fsync(fd);
	close(fd);
	return path;
}

static void set_target(struct rig *r, const char *path, int flags)
{
	struct stat st;

	snprintf(r->path, sizeof(r->path), "%s", path);
	r->target.path = r->path;
	r->target.fd = open(path, flags | O_CLOEXEC);
	ck_assert_msg(r->target.fd >= 0, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(fstat(r->target.fd, &st), 0);
	r->target.is_block_device = S_ISBLK(st.st_mode);
	r->target.size = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode))
		ck_assert_int_eq(ioctl(r->target.fd, BLKGETSIZE64, &r->target.size), 0);
	r->env.targets = &r->target;
	r->env.n_targets = 1;
}

void rig_init(struct rig *r, const struct iob_engine_ops *ops, const char *path, int flags,
	      uint32_t depth, uint32_t max_len)
{
	const size_t stride = (max_len + 4095) / 4096 * (size_t)4096;

	memset(r, 0, sizeof(*r));
	r->ops = ops;
	r->target.fd = -1;
	if (path)
		set_target(r, path, flags);
	r->env.size = sizeof(r->env);
	r->env.depth = depth;
	r->env.max_len = max_len;
	r->env.buffer_stride = stride;
	r->env.buffer_len = stride * depth;
	r->env.buffers = mmap(NULL, r->env.buffer_len, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert_ptr_ne(r->env.buffers, MAP_FAILED);
	r->env.features = r->features;
	r->env.features_len = sizeof(r->features);
	r->env.writes = (flags & O_ACCMODE) != O_RDONLY;
}

int rig_open(struct rig *r, struct iob_error *err)
{
	return r->ops->open(&r->env, &r->state, err);
}

void rig_start(struct rig *r)
{
	struct iob_error err = { 0 };
	int rc = rig_open(r, &err);

	ck_assert_msg(rc >= 0, "%s: %d %s: %s", r->ops->name, rc, err.where, err.message);
}

void rig_close(struct rig *r)
{
	if (r->state)
		r->ops->close(r->state);
	if (r->target.fd >= 0)
		close(r->target.fd);
	munmap(r->env.buffers, r->env.buffer_len);
}

unsigned char *rig_buf(struct rig *r, unsigned i)
{
	return (unsigned char *)r->env.buffers + i * r->env.buffer_stride;
}

struct iob_io *rig_io(struct rig *r, unsigned i, enum iob_op op, uint64_t offset, uint32_t len)
{
	ck_assert_uint_lt(i, RIG_DEPTH);
	r->io[i] = (struct iob_io){ .offset = offset,
				    .buf = rig_buf(r, i),
				    .len = len,
				    .op = (uint16_t)op,
				    .buf_index = i,
				    .result = -12345 };
	return &r->io[i];
}

static void reap_all(struct rig *r, unsigned n)
{
	uint64_t seen = 0;
	struct iob_io *done[RIG_DEPTH];

	for (unsigned got = 0; got < n;) {
		int k = r->ops->reap(r->state, done, 1, RIG_DEPTH, 5000000000);

		ck_assert_msg(k > 0 && got + (unsigned)k <= n, "reap gave %d", k);
		for (int i = 0; i < k; i++) {
			uint64_t bit = UINT64_C(1) << (done[i] - r->io);

			ck_assert_msg(!(seen & bit), "an I/O was given back twice");
			seen |= bit;
		}
		got += (unsigned)k;
	}
}

void rig_run(struct rig *r, unsigned n)
{
	const int sync = !!(r->ops->caps & IOB_ENGINE_SYNC);
	struct iob_io *ios[RIG_DEPTH];

	for (unsigned i = 0; i < n; i++)
		ios[i] = &r->io[i];
	for (unsigned i = 0; sync && i < n; i++)
		ck_assert_int_eq(r->ops->submit(r->state, &ios[i], 1), 1);
	if (!sync) {
		ck_assert_int_eq(r->ops->submit(r->state, ios, n), (int)n);
		reap_all(r, n);
	}
}

int rig_one(struct rig *r, enum iob_op op, uint64_t offset, uint32_t len)
{
	rig_io(r, 0, op, offset, len);
	rig_run(r, 1);
	return r->io[0].result;
}
