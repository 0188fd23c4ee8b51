/* SPDX-License-Identifier: MIT */
/* What is mounted where: /proc/self/mountinfo, by libmount. */
#ifndef IOBI_MOUNTS_H
#define IOBI_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

struct iobi_mount {
	dev_t dev;
	char *at, *type, *options;
	char *source; /* as it stands there */
	char *path;   /* the same where it is a path; NULL: it is none */
};

struct iobi_mounts {
	struct iobi_mount *list;
	size_t n;
};

/* Reads all of them, in the order they were mounted. -EIO: the file cannot be
 * read; -ELIBACC: libmount cannot be loaded; -ENOMEM. */
int iobi_mounts_read(struct iobi_mounts *m, const char *root);
void iobi_mounts_free(struct iobi_mounts *m);

#endif
