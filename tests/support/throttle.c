/* SPDX-License-Identifier: MIT */
/* IOPS limits by control group: the blkio controller of version 1, io of version 2. */
#include "device_priv.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct hierarchy {
	int version;
	char root[256]; /* where it is mounted */
	char own[512];  /* where the process is now, below root */
};

/* The line "N:blkio:/path" or "0::/path" of /proc/PID/cgroup. */
static int find_own(struct hierarchy *h, pid_t pid)
{
	char path[64], line[1024];
	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	FILE *f = fopen(path, "r");
	int found = 0;
	while (f && !found && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *dir = list ? strchr(list + 1, ':') : NULL;
		if (!dir)
			continue;
		*dir++ = 0;
		dir[strcspn(dir, "\n")] = 0;
		found = h->version == 2 ? list[1] == 0 : !strcmp(list + 1, "blkio");
		if (found)
			snprintf(h->own, sizeof(h->own), "%s%s", h->root, dir);
	}
	if (f)
		fclose(f);
	return found ? 0 : -ENOENT;
}

static int has_io(const char *root)
{
	char path[512], text[512];
	snprintf(path, sizeof(path), "%s/cgroup.controllers", root);
	return !dev_read_text(path, text, sizeof(text)) &&
	       (strstr(text, " io") || !strncmp(text, "io", 2));
}

static int find_hierarchy(struct hierarchy *h, pid_t pid)
{
	char root[256], type[32], options[256], line[1024];
	FILE *f = fopen("/proc/self/mounts", "r");
	h->version = 0;
	while (f && !h->version && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %255s %31s %255s", root, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup") && strstr(options, "blkio"))
			h->version = 1;
		else if (!strcmp(type, "cgroup2") && has_io(root))
			h->version = 2;
	}
	if (f)
		fclose(f);
	if (!h->version)
		return -ENOENT;
	snprintf(h->root, sizeof(h->root), "%s", root);
	return find_own(h, pid);
}

static int write_in(const char *group, const char *name, const char *text)
{
	char path[768];
	snprintf(path, sizeof(path), "%s/%s", group, name);
	return dev_write_text(path, text);
}

/* Version 2 hands a controller down only where the parent says so. */
static int enable_io(const struct hierarchy *h)
{
	char path[512], text[512];
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", h->root);
	int error = dev_read_text(path, text, sizeof(text));
	if (error || strstr(text, " io") || !strncmp(text, "io", 2))
		return error;
	error = dev_record("setting", path, "-io");
	return error ? error : dev_write_text(path, "+io");
}

/* The process's group if we made it, else a new one with the process in it. */
static int enter_group(struct hierarchy *h, pid_t pid, char *group, size_t n)
{
	char prefix[320], text[32];
	snprintf(prefix, sizeof(prefix), "%s/%s-", h->root, strrchr(dev_dir(), '/') + 1);
	if (!strncmp(h->own, prefix, strlen(prefix))) {
		snprintf(group, n, "%s", h->own);
		return 0;
	}
	int error = h->version == 2 ? enable_io(h) : 0;
	if (error)
		return error;
	snprintf(group, n, "%s%u", prefix, dev_serial());
	if (mkdir(group, 0755))
		return -errno;
	error = dev_record("cgroup", group, h->own);
	snprintf(text, sizeof(text), "%d", pid);
	return error ? error : write_in(group, "cgroup.procs", text);
}

static int limit_v1(const char *group, dev_t device, const char *name, unsigned iops)
{
	char text[64];
	snprintf(text, sizeof(text), "%u:%u %u", major(device), minor(device), iops);
	return write_in(group, name, text);
}

static int limit_v2(const char *group, dev_t device, unsigned read_iops, unsigned write_iops)
{
	char text[128], r[16] = "max", w[16] = "max";
	if (read_iops)
		snprintf(r, sizeof(r), "%u", read_iops);
	if (write_iops)
		snprintf(w, sizeof(w), "%u", write_iops);
	snprintf(text, sizeof(text), "%u:%u riops=%s wiops=%s", major(device), minor(device), r, w);
	return write_in(group, "io.max", text);
}

int dev_throttle(const char *device, unsigned read_iops, unsigned write_iops, pid_t pid)
{
	struct hierarchy h;
	struct stat st;
	char group[512];
	if (!pid)
		pid = getpid();
	if (stat(device, &st))
		return -errno;
	int error = find_hierarchy(&h, pid);
	if (!error)
		error = enter_group(&h, pid, group, sizeof(group));
	if (error)
		return error;
	if (h.version == 2)
		return limit_v2(group, st.st_rdev, read_iops, write_iops);
	error = limit_v1(group, st.st_rdev, "blkio.throttle.read_iops_device", read_iops);
	return error ? error
		     : limit_v1(group, st.st_rdev, "blkio.throttle.write_iops_device", write_iops);
}

/* Who is still in it goes back to where its like came from. */
int dev_undo_cgroup(const char *group, const char *origin)
{
	char path[768], pid[32];
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	FILE *f = fopen(path, "r");
	while (f && fgets(pid, sizeof(pid), f))
		write_in(origin, "cgroup.procs", pid);
	if (f)
		fclose(f);
	return rmdir(group) && errno != ENOENT ? -errno : 0;
}
