/* SPDX-License-Identifier: MIT */
/* A machine that is not there: a tree of sysfs and procfs in a scratch directory,
 * for what reads them below a root. A failure fails the check test. */
#ifndef IOB_TEST_FAKE_H
#define IOB_TEST_FAKE_H

#include <sys/types.h>

struct fake {
	char root[128];
	unsigned next; /* device numbers that were given */
};

void fake_begin(struct fake *f);
void fake_end(struct fake *f);

/* A disk below "devices/WHERE", as "pci0000:00/.../block"; NULL: virtual/block. */
void fake_disk(struct fake *f, const char *name, const char *where);
void fake_partition(struct fake *f, const char *disk, const char *name, int number);

/* The upper one is made of the lower one: slaves and holders. */
void fake_stack(struct fake *f, const char *upper, const char *lower);

/* A file in the directory of a device, "queue/scheduler"; or anywhere below the root. */
void fake_set(struct fake *f, const char *name, const char *file, const char *text);
void fake_file(struct fake *f, const char *path, const char *text);
void fake_link(struct fake *f, const char *path, const char *to);

/* A line of mountinfo; `dev` as "8:1". */
void fake_mount(struct fake *f, const char *dev, const char *at, const char *type,
		const char *source);

/* "8:1" of a device that was made. */
const char *fake_number(struct fake *f, const char *name, char *buf, size_t n);
dev_t fake_dev(struct fake *f, const char *name);

#endif
