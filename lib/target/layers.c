/* SPDX-License-Identifier: MIT */
#include "target/layers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	IOBI_LAYERS_MOST = 4096,
	IOBI_LAYERS_DEEP = 128
};

void iobi_system_open(struct iobi_system *sys, const char *root)
{
	*sys = (struct iobi_system){ .root = root, .mounts_rc = 1 };
}

void iobi_system_close(struct iobi_system *sys)
{
	iobi_mounts_free(&sys->mounts);
}

const struct iobi_mounts *iobi_system_mounts(struct iobi_system *sys)
{
	if (sys->mounts_rc == 1)
		sys->mounts_rc = iobi_mounts_read(&sys->mounts, sys->root);
	return &sys->mounts;
}

static bool lies_below(const char *path, const char *dir, size_t len)
{
	return !strncmp(path, dir, len) && (!path[len] || path[len] == '/' || dir[len - 1] == '/');
}

/* The longest one; of those at the same place the last, which lies on top. */
const struct iobi_mount *iobi_system_mount_of(struct iobi_system *sys, const char *path)
{
	const struct iobi_mounts *all = iobi_system_mounts(sys);
	const struct iobi_mount *best = NULL;
	size_t longest = 0;
	for (size_t i = 0; i < all->n; i++) {
		const char *at = all->list[i].at;
		size_t len = at ? strlen(at) : 0;
		if (len && len >= longest && lies_below(path, at, len)) {
			longest = len;
			best = &all->list[i];
		}
	}
	return best;
}

/* ---- loop devices ---- */

/* The kernel's own word, which also holds in another mount namespace. */
static bool ask_loop(dev_t dev, struct iobi_backing *out)
{
	char name[IOBI_NAME], node[IOBI_NAME + 8];
	struct loop_info64 info = { 0 }; /* valgrind does not know that ioctl */
	struct stat st;
	iobi_sysfs_name("", dev, name);
	iobi_sysfs_node(name, node, sizeof(node));
	int fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool ok = !fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev &&
		  !ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (!ok)
		return false;
	out->dev = (dev_t)info.lo_device;
	out->ino = (ino_t)info.lo_inode;
	out->rdev = (dev_t)info.lo_rdevice;
	return true;
}

/* Without a path in the machine's own /dev: by the device's name. */
static void look_below_root(struct iobi_system *sys, struct iobi_backing *out)
{
	if (!strncmp(out->path, "/dev/", 5))
		iobi_sysfs_by_name(sys->root, out->path + 5, &out->rdev);
}

static void look_at_path(struct iobi_backing *out)
{
	struct stat st;
	if (stat(out->path, &st))
		return;
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	out->rdev = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

bool iobi_loop_backing(struct iobi_system *sys, dev_t dev, struct iobi_backing *out)
{
	*out = (struct iobi_backing){ 0 };
	if (iobi_sysfs_text(sys->root, dev, "loop/backing_file", out->path, sizeof(out->path)))
		return false;
	if (*sys->root)
		look_below_root(sys, out);
	else if (!ask_loop(dev, out))
		look_at_path(out);
	return true;
}

/* ---- file systems ---- */

static int add_one(struct iobi_dev_list *out, struct iobi_system *sys, dev_t dev)
{
	if (!iobi_sysfs_exists(sys->root, dev))
		return 0;
	out->list = calloc(1, sizeof(*out->list));
	if (!out->list)
		return -ENOMEM;
	out->n = 1;
	out->list->dev = dev;
	iobi_sysfs_name(sys->root, dev, out->list->name);
	return 0;
}

/* "/dev/sda1", "/dev/mapper/x" as a device number. */
static dev_t device_of(struct iobi_system *sys, const char *source)
{
	struct stat st;
	dev_t dev = 0;
	if (!source || *source != '/')
		return 0;
	if (*sys->root)
		return !strncmp(source, "/dev/", 5) &&
				       iobi_sysfs_by_name(sys->root, source + 5, &dev)
			       ? dev
			       : 0;
	return !stat(source, &st) && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

/* btrfs: all devices of the file system that `dev` is a part of. */
static int add_siblings(struct iobi_dev_list *out, struct iobi_system *sys, dev_t dev)
{
	char name[IOBI_NAME], path[PATH_MAX];
	struct dirent *e;
	int rc = 0;
	iobi_sysfs_name(sys->root, dev, name);
	snprintf(path, sizeof(path), "%s/sys/fs/btrfs", sys->root);
	DIR *d = opendir(path);
	while (d && !rc && !out->n && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/sys/fs/btrfs/%s/devices/%s", sys->root, e->d_name,
			 name);
		if (e->d_name[0] == '.' || access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices", e->d_name);
		rc = iobi_sysfs_list_dir(sys->root, path, out);
	}
	if (d)
		closedir(d);
	return rc || out->n ? rc : add_one(out, sys, dev);
}

int iobi_fs_devices(struct iobi_system *sys, const char *path, dev_t st_dev,
		    struct iobi_dev_list *out)
{
	*out = (struct iobi_dev_list){ 0 };
	if (st_dev && iobi_sysfs_exists(sys->root, st_dev))
		return add_one(out, sys, st_dev);
	const struct iobi_mount *fs = iobi_system_mount_of(sys, path);
	if (!fs)
		return 0;
	if (iobi_sysfs_exists(sys->root, fs->dev))
		return add_one(out, sys, fs->dev);
	dev_t dev = device_of(sys, fs->path);
	return dev ? add_siblings(out, sys, dev) : 0;
}

/* ---- the layers ---- */

static bool find(const struct iobi_layers *l, dev_t dev, size_t *place)
{
	for (*place = 0; *place < l->n; ++*place)
		if (l->list[*place].dev == dev)
			return true;
	return false;
}

static int new_layer(struct iobi_layers *l, struct iobi_system *sys, dev_t dev,
		     unsigned depth, size_t *place)
{
	if (l->n >= IOBI_LAYERS_MOST)
		return -E2BIG;
	struct iobi_layer *more = realloc(l->list, (l->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->list = more;
	*place = l->n++;
	more[*place] = (struct iobi_layer){ .dev = dev, .depth = depth };
	iobi_sysfs_name(sys->root, dev, more[*place].name);
	return 0;
}

static int new_edge(struct iobi_layer *from, size_t to, enum iobi_via via)
{
	for (size_t i = 0; i < from->n_below; i++)
		if (from->below[i].to == to)
			return 0;
	struct iobi_edge *more = realloc(from->below, (from->n_below + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	from->below = more;
	more[from->n_below++] = (struct iobi_edge){ to, via };
	return 0;
}

static int add(struct iobi_layers *l, struct iobi_system *sys, dev_t dev, unsigned depth,
	       size_t *place);

static int add_below(struct iobi_layers *l, struct iobi_system *sys, size_t from, dev_t dev,
		     enum iobi_via via)
{
	size_t to;
	int rc = add(l, sys, dev, l->list[from].depth + 1, &to);
	return rc || l->list[to].open ? rc : new_edge(&l->list[from], to, via);
}

static int add_list(struct iobi_layers *l, struct iobi_system *sys, size_t from,
		    struct iobi_dev_list *devs, enum iobi_via via)
{
	int rc = 0;
	for (size_t i = 0; i < devs->n && !rc; i++)
		if (devs->list[i].dev != l->list[from].dev)
			rc = add_below(l, sys, from, devs->list[i].dev, via);
	free(devs->list);
	return rc;
}

static int add_disk(struct iobi_layers *l, struct iobi_system *sys, size_t from)
{
	char real[PATH_MAX];
	int64_t number;
	dev_t dev;
	if (iobi_sysfs_number(sys->root, l->list[from].dev, "partition", &number) ||
	    !iobi_sysfs_real(sys->root, l->list[from].dev, real))
		return 0;
	*strrchr(real, '/') = '\0';
	const char *slash = strrchr(real, '/');
	if (!slash || !iobi_sysfs_by_name(sys->root, slash + 1, &dev))
		return 0;
	return add_below(l, sys, from, dev, IOBI_VIA_PARTITION);
}

static int add_slaves(struct iobi_layers *l, struct iobi_system *sys, size_t from)
{
	struct iobi_dev_list devs;
	int rc = iobi_sysfs_list(sys->root, l->list[from].dev, "slaves", &devs);
	rc = rc ? rc : add_list(l, sys, from, &devs, IOBI_VIA_SLAVE);
	if (rc || l->list[from].n_below)
		return rc;
	/* The paths of an NVMe namespace that has several. */
	rc = iobi_sysfs_list(sys->root, l->list[from].dev, "multipath", &devs);
	return rc ? rc : add_list(l, sys, from, &devs, IOBI_VIA_SLAVE);
}

static int add_backing(struct iobi_layers *l, struct iobi_system *sys, size_t from)
{
	struct iobi_dev_list devs;
	struct iobi_backing *b = malloc(sizeof(*b));
	int rc = 0;
	if (!b)
		return -ENOMEM;
	bool is_loop = iobi_loop_backing(sys, l->list[from].dev, b);
	if (is_loop && b->rdev) {
		rc = add_below(l, sys, from, b->rdev, IOBI_VIA_DEVICE);
	} else if (is_loop) {
		rc = iobi_fs_devices(sys, b->path, b->dev, &devs);
		rc = rc ? rc : add_list(l, sys, from, &devs, IOBI_VIA_FILE);
	}
	free(b);
	return rc;
}

static int add(struct iobi_layers *l, struct iobi_system *sys, dev_t dev, unsigned depth,
	       size_t *place)
{
	if (find(l, dev, place))
		return 0;
	int rc = new_layer(l, sys, dev, depth, place);
	if (rc || depth >= IOBI_LAYERS_DEEP)
		return rc;
	l->list[*place].open = true;
	rc = add_disk(l, sys, *place);
	rc = rc ? rc : add_slaves(l, sys, *place);
	rc = rc ? rc : add_backing(l, sys, *place);
	l->list[*place].open = false;
	return rc;
}

int iobi_layers_add(struct iobi_layers *l, struct iobi_system *sys, dev_t dev, size_t *place)
{
	return add(l, sys, dev, 0, place);
}

void iobi_layers_free(struct iobi_layers *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].below);
	free(l->list);
	*l = (struct iobi_layers){ 0 };
}
