/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of block devices, below a root: "" on the machine,
 * a directory where tests have trees of their own. A read takes a page at the
 * most, and what is no number is not taken for one.
 */
#ifndef IOBI_SYSFS_H
#define IOBI_SYSFS_H

#include "base/base.h"
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
	IOBI_NAME = 64,
	IOBI_SYSFS_PAGE = 4096
};

/* The directory of a device; false where it does not fit. */
bool iobi_sysfs_dir(const char *root, dev_t dev, char *path, size_t n);

/* The first line of a file of the device's directory, without blanks at its
 * ends; for a partition that has none, that of its disk. 0, or -errno (-ENODATA:
 * empty). */
int iobi_sysfs_text(const char *root, dev_t dev, const char *file, char *text, size_t n);
int iobi_sysfs_number(const char *root, dev_t dev, const char *file, int64_t *value);

/* The same for any file: all of it (what fits), with its length. */
ssize_t iobi_sysfs_read(const char *path, char *text, size_t n);

/* Entries of a directory; 0 where there is none. Whether something is there. */
size_t iobi_sysfs_count(const char *path);
bool iobi_sysfs_is_there(const char *path);

/* A whole number and nothing else but blanks at its end. */
bool iobi_sysfs_parse(const char *text, int64_t *value);

/* Whether the device is known; "sda", from where its directory leads. */
bool iobi_sysfs_exists(const char *root, dev_t dev);
bool iobi_sysfs_name(const char *root, dev_t dev, char *name);

/* Where its directory really is, behind the root: "/sys/devices/...". */
bool iobi_sysfs_real(const char *root, dev_t dev, char *path);

bool iobi_sysfs_by_name(const char *root, const char *name, dev_t *dev);

/* "/dev/sda" of "sda": in sysfs a "/" is written "!". */
void iobi_sysfs_node(const char *name, char *path, size_t n);

/* The entries of a directory of the device that are devices themselves, "" for
 * its partitions, in the order that people number disks in. The caller's to free. */
struct iobi_dev_list {
	struct iobi_dev {
		char name[IOBI_NAME];
		dev_t dev;
	} * list;
	size_t n;
};
int iobi_sysfs_list(const char *root, dev_t dev, const char *dir, struct iobi_dev_list *out);

/* The same of any directory of links to block devices, as "/sys/block". */
int iobi_sysfs_list_dir(const char *root, const char *dir, struct iobi_dev_list *out);

#endif
