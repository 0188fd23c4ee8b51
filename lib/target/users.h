/* SPDX-License-Identifier: MIT */
/* Who uses a device or a file, so that it must not be written. */
#ifndef IOBI_USERS_H
#define IOBI_USERS_H

#include "target/layers.h"
#include <iobench/device.h>

struct iobi_users {
	struct iob_device_user *list; /* texts are owned */
	size_t n;
	bool failed; /* no memory: the list may lack some */
};

/* Of a device: mounts, swap and holders of itself, its partitions, its disk, all
 * that is stacked on any of them; mounts and swap of what it is made of, but not
 * of what the file under a loop device lies on. -ENOMEM. */
int iobi_users_of_device(struct iobi_system *sys, dev_t dev, struct iobi_users *out);

/* Of a file: swap, and loop devices on it that are in use. */
int iobi_users_of_file(struct iobi_system *sys, dev_t dev, ino_t ino, struct iobi_users *out);

void iobi_users_add(struct iobi_users *u, enum iob_user_kind kind, const char *device,
		    const char *what, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void iobi_users_free(struct iobi_users *u);

#endif
