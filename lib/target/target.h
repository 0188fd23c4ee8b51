/* SPDX-License-Identifier: MIT */
/*
 * What a workload is done to. A path is resolved once, to an O_PATH descriptor
 * of its inode; every later descriptor is opened through that, so that what was
 * checked is what is used.
 */
#ifndef IOBI_TARGET_H
#define IOBI_TARGET_H

#include "workload/workload_priv.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct iobi_target {
	char *path;
	unsigned flags;     /* IOB_TARGET_* */
	int fd;             /* O_PATH; -1 while the file is missing */
	bool is_block;      /* else a regular file */
	bool missing;       /* to be made: IOB_TARGET_CREATE */
	dev_t rdev;         /* of a block device */
	dev_t dev;          /* of the file system of a file */
	ino_t ino;
	uint64_t size;      /* bytes */
	uint32_t logical_block;
	uint32_t direct_align; /* of offsets and lengths with O_DIRECT; 0: it has no O_DIRECT */
};

/* Looks at a path; opens nothing but the inode. ENOENT (without CREATE), EISDIR,
 * ENOTBLK (neither block device nor regular file), or what open says. */
int iobi_target_init(struct iobi_target *t, const char *path, unsigned flags,
		     struct iob_error *err);
void iobi_target_free(struct iobi_target *t);

/* A descriptor of the same inode. flags: those of open(2). */
int iobi_target_open(const struct iobi_target *t, int flags, struct iob_error *err);

/* Whether both are the same device or file. */
bool iobi_target_same(const struct iobi_target *a, const struct iobi_target *b);

/* Reads a number from a file of the target's request queue, as
 * "queue/io_poll", its own or that of the device its file system is on. */
int iobi_target_sysfs(const struct iobi_target *t, const char *file, int64_t *value);

/* guard.c: whether it may be written: permission, and nobody who uses it. EPERM
 * names the flag that is missing, EBUSY who uses the device. */
int iobi_guard_write(const struct iobi_target *t, struct iob_error *err);

/* Claims a device for writing (O_EXCL): a descriptor to keep while it is
 * written, or -errno. For a file, any descriptor. */
int iobi_guard_claim(const struct iobi_target *t, struct iob_error *err);

/* layout.c: makes a missing file: filled with random data, or with blocks that
 * are set aside, or sparse; flushed. Asks `go_on` (may be NULL) now and then,
 * which returns 0 to stop (ECANCELED). Whatever fails, no file is left behind. */
struct iobi_making {
	uint64_t size;
	enum iobi_layout layout;
};
int iobi_target_create(struct iobi_target *t, const struct iobi_making *how,
		       int (*go_on)(void *, uint64_t done), void *user, struct iob_error *err);

/* Removes a file, where its path still names the same one. */
void iobi_target_remove(const struct iobi_target *t);

/* cache.c: flushes a target and drops it from the page cache; -errno: it cannot be. */
int iobi_target_invalidate(const struct iobi_target *t);

/* Drops what is clean while I/O goes on, as fio does. */
void iobi_target_drop(const struct iobi_target *t, uint64_t offset, uint64_t bytes);

/* Reads a stretch into the page cache, until *stop. */
int iobi_target_pre_read(const struct iobi_target *t, uint64_t offset, uint64_t bytes,
			 const _Atomic bool *stop, struct iob_error *err);

/* Whether the file system has room for a file of that size: ENOSPC, ENOENT. */
int iobi_target_room(const struct iobi_target *t, uint64_t size, struct iob_error *err);

#endif
