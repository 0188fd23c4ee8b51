/* SPDX-License-Identifier: MIT */
/*
 * Permission to write. A device that is in use - mounted, swap, part of a
 * stacked device, or any partition, parent or holder of it - is refused
 * always; what a loop device's backing file lies on is no such use.
 */
#include "target/target.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { IOBI_STACK_DEPTH = 16 }; /* device stacks are shallow; a cycle must end */

struct search {
	const struct iobi_target *target;
	struct iob_error *err;
	struct libmnt_table *mounts;
};

static int refuse(const struct search *s, const char *what, const char *name, const char *use)
{
	return iobi_fail_at(s->err, EBUSY, "target", s->target->path, 0,
			    "\"%s\" is in use and is never written: %s%s%s%s", s->target->path,
			    what, *what ? " " : "", name, use);
}

static int denied(const struct iobi_target *t, struct iob_error *err, const char *flag,
		  const char *why)
{
	return iobi_fail_at(err, EPERM, "target", t->path, 0,
			    "\"%s\" may not be written: %s; give it %s if its data can be lost",
			    t->path, why, flag);
}

static void device_name(dev_t dev, char *name, size_t n)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	ssize_t len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	const char *slash = strrchr(path, '/');
	snprintf(name, n, "/dev/%.200s", slash ? slash + 1 : "?");
}

static int check_mounts(const struct search *s, dev_t dev, const char *name)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int rc = it ? 0 : iobi_no_memory(s->err);
	while (!rc && s->mounts && !mnt_table_next_fs(s->mounts, it, &fs)) {
		char use[512];
		if (mnt_fs_get_devno(fs) != dev)
			continue;
		snprintf(use, sizeof(use), " is mounted at %s", mnt_fs_get_target(fs));
		rc = refuse(s, "", name, use);
	}
	mnt_free_iter(it);
	return rc;
}

static int check_swap(const struct search *s, dev_t dev, const char *name)
{
	char line[4352], path[4097];
	struct stat st;
	FILE *f = fopen("/proc/swaps", "re");
	int rc = 0;
	while (f && !rc && fgets(line, sizeof(line), f))
		if (sscanf(line, "%4096s", path) == 1 && path[0] == '/' && !stat(path, &st) &&
		    S_ISBLK(st.st_mode) && st.st_rdev == dev)
			rc = refuse(s, "", name, " is swap space");
	if (f)
		fclose(f);
	return rc;
}

static int check_self(const struct search *s, dev_t dev)
{
	char name[256];
	device_name(dev, name, sizeof(name));
	int rc = check_mounts(s, dev, name);
	return rc ? rc : check_swap(s, dev, name);
}

/* Reads "MAJ:MIN" from DIR/ENTRY/dev. */
static bool read_dev(const char *dir, const char *entry, dev_t *dev)
{
	char path[PATH_MAX];
	unsigned maj, min;
	if (snprintf(path, sizeof(path), "%s/%s/dev", dir, entry) >= (int)sizeof(path))
		return false;
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	bool ok = fscanf(f, "%u:%u", &maj, &min) == 2;
	fclose(f);
	if (ok)
		*dev = makedev(maj, min);
	return ok;
}

static int check_holder(const struct search *s, dev_t holder)
{
	char name[256];
	device_name(holder, name, sizeof(name));
	return refuse(s, "it is held by", name, "");
}

/* Everything stacked on a device, and its partitions with what is on them. */
static int check_above(const struct search *s, dev_t dev, int depth)
{
	char dir[64], holders[80], partition[PATH_MAX];
	struct dirent *e;
	dev_t other;
	int rc = depth < IOBI_STACK_DEPTH ? check_self(s, dev) : 0;
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	snprintf(holders, sizeof(holders), "%s/holders", dir);

	DIR *d = rc || depth >= IOBI_STACK_DEPTH ? NULL : opendir(holders);
	while (d && !rc && (e = readdir(d)))
		if (e->d_name[0] != '.' && read_dev(holders, e->d_name, &other)) {
			rc = check_above(s, other, depth + 1);
			rc = rc ? rc : check_holder(s, other);
		}
	if (d)
		closedir(d);

	d = rc || depth >= IOBI_STACK_DEPTH ? NULL : opendir(dir);
	while (d && !rc && (e = readdir(d))) {
		snprintf(partition, sizeof(partition), "%s/%s/partition", dir, e->d_name);
		if (e->d_name[0] != '.' && !access(partition, F_OK) &&
		    read_dev(dir, e->d_name, &other))
			rc = check_above(s, other, depth + 1);
	}
	if (d)
		closedir(d);
	return rc;
}

/* What a device is made of, and the disk a partition is on. */
static int check_below(const struct search *s, dev_t dev, int depth)
{
	char dir[64], slaves[80];
	struct dirent *e;
	dev_t other;
	int rc = 0;
	if (depth >= IOBI_STACK_DEPTH)
		return 0;
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	snprintf(slaves, sizeof(slaves), "%s/partition", dir);
	if (!access(slaves, F_OK) && read_dev(dir, "..", &other))
		rc = check_self(s, other);
	snprintf(slaves, sizeof(slaves), "%s/slaves", dir);
	DIR *d = rc ? NULL : opendir(slaves);
	while (d && !rc && (e = readdir(d)))
		if (e->d_name[0] != '.' && read_dev(slaves, e->d_name, &other)) {
			rc = check_self(s, other);
			rc = rc ? rc : check_below(s, other, depth + 1);
		}
	if (d)
		closedir(d);
	return rc;
}

static int check_use(const struct iobi_target *t, struct iob_error *err)
{
	struct search s = { .target = t, .err = err };
	s.mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	if (!s.mounts)
		return iobi_fail_at(err, EBUSY, "target", t->path, 0,
				    "\"%s\" is not written: /proc/self/mountinfo cannot be read, "
				    "so it may be mounted",
				    t->path);
	int rc = check_above(&s, t->rdev, 0);
	rc = rc ? rc : check_below(&s, t->rdev, 0);
	mnt_unref_table(s.mounts);
	return rc;
}

/* Whoever else has it open exclusively does not show in sysfs. */
static int check_exclusive(const struct iobi_target *t, int access_mode, struct iob_error *err)
{
	int fd = iobi_target_open(t, access_mode | O_EXCL, NULL);
	if (fd == -EBUSY)
		iobi_fail_at(err, EBUSY, "target", t->path, 0,
			     "\"%s\" is in use and is never written: something has it open "
			     "exclusively (a mount, a stacked device, another run)",
			     t->path);
	else if (fd < 0)
		iobi_fail_at(err, -fd, "target", t->path, 0, "cannot open \"%s\" for writing: %s",
			     t->path, iobi_errno_text(-fd));
	return fd;
}

static int found_signature(const struct iobi_target *t, blkid_probe pr, struct iob_error *err)
{
	const char *type = NULL;
	char why[160];
	if (!blkid_probe_lookup_value(pr, "TYPE", &type, NULL))
		snprintf(why, sizeof(why), "it holds a signature of %.64s", type);
	else if (!blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL))
		snprintf(why, sizeof(why), "it holds a partition table (%.64s)", type);
	else
		snprintf(why, sizeof(why), "it holds several signatures");
	return denied(t, err, "OVERWRITE_SIGNATURE (--overwrite-signature)", why);
}

static int check_signature(const struct iobi_target *t, int fd, struct iob_error *err)
{
	blkid_probe pr = blkid_new_probe();
	if (!pr)
		return iobi_no_memory(err);
	int rc = 0;
	if (!blkid_probe_set_device(pr, fd, 0, 0)) {
		blkid_probe_enable_partitions(pr, 1);
		blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_MAGIC);
		if (blkid_do_safeprobe(pr) != 1) /* 1: nothing found */
			rc = found_signature(t, pr, err);
	}
	blkid_free_probe(pr);
	return rc;
}

static int guard_device(const struct iobi_target *t, struct iob_error *err)
{
	int rc = check_use(t, err);
	if (rc < 0)
		return rc;
	int fd = check_exclusive(t, O_RDONLY, err);
	if (fd < 0)
		return fd;
	if (!(t->flags & IOB_TARGET_OVERWRITE_SIGNATURE))
		rc = check_signature(t, fd, err);
	close(fd);
	return rc;
}

int iobi_guard_write(const struct iobi_target *t, struct iob_error *err)
{
	if (t->missing)
		return 0;
	if (!(t->flags & IOB_TARGET_ALLOW_DESTROY))
		return denied(t, err, "ALLOW_DESTROY (--allow-destroy)",
			      "the workload writes, and nobody allowed that");
	return t->is_block ? guard_device(t, err) : 0;
}

int iobi_guard_claim(const struct iobi_target *t, struct iob_error *err)
{
	if (!t->is_block)
		return iobi_target_open(t, O_RDWR, err);
	return check_exclusive(t, O_RDWR, err);
}
