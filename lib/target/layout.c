/* SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	IOBI_LAYOUT_CHUNK = 1 << 20
};

static int fail(const struct iobi_target *t, int code, struct iob_error *err, const char *what)
{
	return iobi_fail_at(err, code, "target", t->path, 0, "cannot make \"%s\": %s (%s)", t->path,
			    what, iobi_errno_text(code));
}

/* The directory a path is in, "." where it names none; the caller frees it. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int iobi_target_room(const struct iobi_target *t, uint64_t size, struct iob_error *err)
{
	char *dir = parent_of(t->path);
	if (!dir)
		return iobi_no_memory(err);
	struct statvfs fs;
	int code = statvfs(dir, &fs) ? errno : 0;
	free(dir);
	if (code)
		return fail(t, code, err, "its directory cannot be used");
	uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (size > room)
		return iobi_fail_at(err, ENOSPC, "size", t->path, 0,
				    "\"%s\" would take %" PRIu64
				    " bytes, its file system has room for %" PRIu64,
				    t->path, size, room);
	return 0;
}

static int write_all(int fd, const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int fill(int fd, uint64_t size, int (*go_on)(void *, uint64_t), void *user)
{
	uint8_t *chunk = malloc(IOBI_LAYOUT_CHUNK);
	struct iobi_random random;
	int rc = chunk ? 0 : -ENOMEM;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random.state = size;
	for (uint64_t done = 0; !rc && done < size;) {
		size_t len = size - done < IOBI_LAYOUT_CHUNK ? size - done : IOBI_LAYOUT_CHUNK;
		iobi_random_fill(&random, chunk, len);
		rc = write_all(fd, chunk, len);
		done += len;
		if (!rc && go_on && !go_on(user, done))
			rc = -ECANCELED;
	}
	free(chunk);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc;
}

/* Blocks set aside and not written; not every file system can. */
static int allocate(int fd, uint64_t size)
{
	if (!fallocate(fd, 0, 0, (off_t)size))
		return 0;
	return errno == EOPNOTSUPP ? -posix_fallocate(fd, 0, (off_t)size) : -errno;
}

static int lay_out(int fd, const struct iobi_making *how, int (*go_on)(void *, uint64_t),
		   void *user)
{
	int rc = 0;
	if (how->layout == IOBI_LAYOUT_FILLED)
		return fill(fd, how->size, go_on, user);
	if (how->layout == IOBI_LAYOUT_ALLOCATED)
		rc = allocate(fd, how->size);
	else if (ftruncate(fd, (off_t)how->size))
		rc = -errno;
	return rc ? rc : fsync(fd) ? -errno : 0;
}

/* From here on it is an existing file like any other: that one, not another that
 * took its name meanwhile. */
static int look_again(struct iobi_target *t, int fd, struct iob_error *err)
{
	struct iobi_target made;
	struct stat st;
	int rc = iobi_target_init(&made, t->path, t->flags, err);
	if (rc < 0)
		return rc;
	if (fstat(fd, &st) || made.is_block || st.st_dev != made.dev || st.st_ino != made.ino) {
		iobi_target_free(&made);
		return fail(t, EEXIST, err, "another took its name meanwhile");
	}
	iobi_target_free(t);
	*t = made;
	return 0;
}

/* Where the name is still that file's. */
static void unmake(const char *path, int fd)
{
	struct stat made, st;
	if (!fstat(fd, &made) && !lstat(path, &st) && st.st_dev == made.st_dev &&
	    st.st_ino == made.st_ino)
		unlink(path);
}

int iobi_target_create(struct iobi_target *t, const struct iobi_making *how,
		       int (*go_on)(void *, uint64_t done), void *user, struct iob_error *err)
{
	int rc = iobi_target_room(t, how->size, err);
	if (rc < 0)
		return rc;
	int fd = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(t, errno, err, "a file could not be opened");
	rc = lay_out(fd, how, go_on, user);
	if (rc < 0) {
		unmake(t->path, fd);
		rc = fail(t, -rc, err, "it could not be filled and was removed");
	} else {
		rc = look_again(t, fd, err);
	}
	close(fd);
	return rc;
}

void iobi_target_remove(const struct iobi_target *t)
{
	struct stat st;
	if (!t->is_block && !lstat(t->path, &st) && S_ISREG(st.st_mode) && st.st_dev == t->dev &&
	    st.st_ino == t->ino)
		unlink(t->path);
}
