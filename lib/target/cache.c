/* SPDX-License-Identifier: MIT */
/* Targets and the page cache. */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	IOBI_PRE_READ_CHUNK = 1 << 20
};

/* A page that is dirty stays, so it is written first. */
static int drop_pages(int fd)
{
	if (fdatasync(fd))
		return -errno;
	return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

int iobi_target_invalidate(const struct iobi_target *t)
{
	int fd = iobi_target_open(t, O_RDONLY | O_NONBLOCK, NULL);
	if (fd < 0)
		return fd;
	int rc = t->is_block && !ioctl(fd, BLKFLSBUF, 0) ? 0 : drop_pages(fd);
	close(fd);
	return rc;
}

void iobi_target_drop(const struct iobi_target *t, uint64_t offset, uint64_t bytes)
{
	int fd = iobi_target_open(t, O_RDONLY | O_NONBLOCK, NULL);
	if (fd < 0)
		return;
	if (!t->is_block || ioctl(fd, BLKFLSBUF, 0))
		posix_fadvise(fd, (off_t)offset, (off_t)bytes, POSIX_FADV_DONTNEED);
	close(fd);
}

static int read_stretch(int fd, uint8_t *chunk, uint64_t from, uint64_t to,
			const _Atomic bool *stop)
{
	while (from < to && !atomic_load_explicit(stop, memory_order_relaxed)) {
		size_t len = to - from < IOBI_PRE_READ_CHUNK ? to - from : IOBI_PRE_READ_CHUNK;
		ssize_t n = pread(fd, chunk, len, (off_t)from);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		from += (uint64_t)n;
	}
	return 0;
}

int iobi_target_pre_read(const struct iobi_target *t, uint64_t offset, uint64_t bytes,
			 const _Atomic bool *stop, struct iob_error *err)
{
	uint8_t *chunk = malloc(IOBI_PRE_READ_CHUNK);
	if (!chunk)
		return iobi_no_memory(err);
	int fd = iobi_target_open(t, O_RDONLY, err);
	int rc = fd < 0 ? fd : read_stretch(fd, chunk, offset, offset + bytes, stop);
	if (fd >= 0)
		close(fd);
	free(chunk);
	if (fd >= 0 && rc)
		return iobi_fail_at(err, -rc, "pre_read", t->path, offset,
				    "\"%s\" could not be read ahead of the run: %s", t->path,
				    iobi_errno_text(-rc));
	return rc;
}
