/* SPDX-License-Identifier: MIT */
/* Devices for tests written in shell, Python or Perl. The script says who owns what
 * is made, `export IOBENCH_DEV_OWNER=$$`; it all goes when that process ends. */
#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: testdev COMMAND, with IOBENCH_DEV_OWNER=PID of the process that owns the device\n"
	"  loop BYTES [BLOCK_SIZE]       prints the device and its backing file\n"
	"  loop-over FILE [BLOCK_SIZE]   the same over a file that is there\n"
	"  zram BYTES [MEM_LIMIT]        prints the device\n"
	"  ext4 BYTES                    prints the mount point and the file under it\n"
	"  fill DIR [LEAVE_BYTES]        fills a file system\n"
	"  throttle DEVICE READ_IOPS WRITE_IOPS PID   limits that process; 0: no limit\n"
	"  setting FILE VALUE            writes a sysfs setting, restored at the end\n"
	"  dir                           prints the owner's scratch directory\n"
	"  cleanup                       undoes everything now\n"
	"BYTES are plain numbers or end in k, m or g. Exit: 0, 1 failed, 77 not on this machine.\n";

static uint64_t bytes(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	static const char units[] = "kmg";
	const char *unit = *end ? strchr(units, *end) : NULL;
	return unit ? n << (10 * (unit - units + 1)) : n;
}

static int made(int error, const struct dev *dev)
{
	if (!error)
		printf("%s%s%s\n", dev->path, dev->backing[0] ? " " : "", dev->backing);
	return error;
}

static int command(int n, char **a)
{
	struct dev dev = { 0 };
	unsigned block = n > 2 ? (unsigned)bytes(a[2]) : 0;
	if (n >= 2 && !strcmp(a[0], "loop"))
		return made(dev_loop(bytes(a[1]), block, &dev), &dev);
	if (n >= 2 && !strcmp(a[0], "loop-over"))
		return made(dev_loop_over(a[1], block, &dev), &dev);
	if (n >= 2 && !strcmp(a[0], "zram"))
		return made(dev_zram(bytes(a[1]), n > 2 ? bytes(a[2]) : 0, &dev), &dev);
	if (n >= 2 && !strcmp(a[0], "ext4"))
		return made(dev_ext4(bytes(a[1]), &dev), &dev);
	if (n >= 2 && !strcmp(a[0], "fill"))
		return dev_fill(a[1], n > 2 ? bytes(a[2]) : 0);
	if (n >= 5 && !strcmp(a[0], "throttle"))
		return dev_throttle(a[1], (unsigned)atoi(a[2]), (unsigned)atoi(a[3]), atoi(a[4]));
	if (n >= 3 && !strcmp(a[0], "setting"))
		return dev_setting(a[1], a[2]);
	if (n == 1 && !strcmp(a[0], "dir"))
		return puts(dev_dir()) < 0 ? -EIO : 0;
	if (n == 1 && !strcmp(a[0], "cleanup"))
		return dev_end(), 0;
	fputs(usage, stderr);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	const char *owner = getenv("IOBENCH_DEV_OWNER");
	if (argc < 2 || !owner || atoi(owner) <= 1) {
		fputs(usage, stderr);
		return 1;
	}
	int error = dev_begin_for(atoi(owner));
	if (!error)
		error = command(argc - 1, argv + 1);
	if (!error)
		return 0;
	fprintf(stderr, "testdev %s: %s\n", argv[1], strerror(-error));
	return dev_missing(error) ? 77 : 1;
}
