/* SPDX-License-Identifier: MIT */
/* Devices for tests, made for real: loop, zram, a mounted file system, IOPS limits.
 *
 * Everything made belongs to an owner, the process that called dev_begin(), and is
 * recorded in the owner's directory below /tmp. It is undone when the owner exits; a
 * guard process does it where the owner crashed or was killed. Forked tests may make
 * devices too: a failing assert cannot leak them. Scripts use the `testdev` program.
 *
 * Calls give 0 or -errno. They need root; -ENOENT, -ENODEV, -EPERM, -EACCES and
 * -EOPNOTSUPP mean "not on this machine". */
#ifndef IOB_TEST_DEVICE_H
#define IOB_TEST_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dev {
	char path[256];    /* of the device or the mount point */
	char backing[256]; /* the file under a loop device */
};

/* Makes the calling process the owner; in main, before anything forks. */
int dev_begin(void);

/* The same for a process that is not the caller (the tool: a script's pid). */
int dev_begin_for(pid_t owner);

/* Undoes everything now. Only the owner, or the tool, does this. */
void dev_end(void);

/* A scratch directory of the owner's. */
const char *dev_dir(void);

/* A loop device over a new zero-filled file; block_size 0: 512. */
int dev_loop(uint64_t bytes, unsigned block_size, struct dev *out);

/* Over a file that is there. */
int dev_loop_over(const char *file, unsigned block_size, struct dev *out);

/* A zram device; mem_limit 0: none. Writes past the limit fail with EIO. */
int dev_zram(uint64_t bytes, uint64_t mem_limit, struct dev *out);

/* An ext4 file system on a loop device, mounted in the owner's directory. */
int dev_ext4(uint64_t bytes, struct dev *out);

/* Fills the file system at dir with a file `fill` until `leave` bytes are free. */
int dev_fill(const char *dir, uint64_t leave);

/* Limits the I/O of the process `pid` (0: the caller, all threads) to the device;
 * 0: no limit. May be called again, for this or another device. */
int dev_throttle(const char *device, unsigned read_iops, unsigned write_iops, pid_t pid);

/* Writes a setting in sysfs or procfs; its old value comes back in the end. */
int dev_setting(const char *path, const char *value);

/* Whether -errno says that this machine cannot make such a device. */
int dev_missing(int error);

#endif
