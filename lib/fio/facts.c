/* SPDX-License-Identifier: MIT */
#include "fio/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum {
	SECTOR = 512
}; /* sysfs counts in these, whatever the device's own are */

static int64_t device_size(dev_t dev)
{
	char path[64];
	int64_t sectors = 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/size", major(dev), minor(dev));
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNd64, &sectors) != 1)
		sectors = 0;
	if (f)
		fclose(f);
	return sectors * SECTOR;
}

struct iobi_fio_facts iobi_fio_look(const char *path)
{
	struct iobi_fio_facts facts = { 0 };
	struct stat st;
	if (stat(path, &st))
		return facts;
	facts.there = true;
	facts.block = S_ISBLK(st.st_mode);
	facts.size = facts.block ? device_size(st.st_rdev) : S_ISREG(st.st_mode) ? st.st_size : 0;
	return facts;
}
