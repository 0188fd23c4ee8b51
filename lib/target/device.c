/* SPDX-License-Identifier: MIT */
/* What a device is: everything that is known of it and of the layers below, in one object. */
#include "target/device.h"
#include "target/facts.h"
#include "target/signatures.h"
#include "target/target.h"
#include "target/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct iob_device {
	char *path;
	char kind[IOBI_NAME];
	struct iobi_text about;
	struct iobi_facts facts;
	struct iob_device **below; /* belong to the first */
	size_t n_below;
	struct iobi_users users;
	struct iobi_signatures signatures;
	struct iob_device **all; /* of the first: all layers below, each once */
	size_t n_all;
};

/* ---- the object ---- */

static struct iob_device *new_device(const char *path)
{
	struct iob_device *d = calloc(1, sizeof(*d));
	if (d)
		d->path = strdup(path);
	if (d && d->path)
		return d;
	free(d);
	return NULL;
}

void iob_device_free(struct iob_device *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_all; i++)
		iob_device_free(d->all[i]);
	free(d->all);
	free(d->below);
	iobi_facts_free(&d->facts);
	iobi_users_free(&d->users);
	iobi_signatures_free(&d->signatures);
	iobi_text_free(&d->about);
	free(d->path);
	free(d);
}

/* ---- the layers ---- */

static int describe(struct iob_device *d, struct iobi_system *sys, dev_t dev)
{
	iobi_device_kind(sys, dev, d->kind, sizeof(d->kind));
	int rc = iobi_device_about(sys, dev, &d->about);
	return rc ? rc : iobi_facts_read(&d->facts, sys, dev);
}

static struct iob_device *of_layer(struct iobi_system *sys, const struct iobi_layer *l)
{
	char node[IOBI_NAME + 8];
	iobi_sysfs_node(l->name, node, sizeof(node));
	struct iob_device *d = new_device(node);
	if (d && !describe(d, sys, l->dev))
		return d;
	iob_device_free(d);
	return NULL;
}

static int set_below(struct iob_device *d, struct iob_device *const *node,
		     const struct iobi_layer *l)
{
	d->below = calloc(l->n_below + 1, sizeof(struct iob_device *));
	if (!d->below)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_below; i++)
		d->below[d->n_below++] = node[l->below[i].to];
	return 0;
}

/* One object for each layer; place 0 is d itself where it is a device. */
static int add_layers(struct iob_device *d, struct iobi_system *sys,
		      const struct iobi_layers *l, bool is_device)
{
	struct iob_device **node = calloc(l->n + 1, sizeof(struct iob_device *));
	d->all = calloc(l->n + 1, sizeof(struct iob_device *));
	int rc = node && d->all ? 0 : -ENOMEM;
	for (size_t i = 0; i < l->n && !rc; i++) {
		node[i] = is_device && !i ? d : of_layer(sys, &l->list[i]);
		rc = node[i] ? 0 : -ENOMEM;
		if (node[i] && node[i] != d)
			d->all[d->n_all++] = node[i];
	}
	for (size_t i = 0; i < l->n && !rc; i++)
		rc = set_below(node[i], node, &l->list[i]);
	free(node);
	return rc;
}

static int add_device_layers(struct iob_device *d, struct iobi_system *sys, dev_t dev)
{
	struct iobi_layers l = { 0 };
	size_t place;
	int rc = iobi_layers_add(&l, sys, dev, &place);
	rc = rc ? rc : add_layers(d, sys, &l, true);
	iobi_layers_free(&l);
	return rc;
}

static size_t place_of(const struct iobi_layers *l, dev_t dev)
{
	size_t i = 0;
	while (i < l->n && l->list[i].dev != dev)
		i++;
	return i;
}

/* A file is on the devices of its file system. */
static int add_file_layers(struct iob_device *d, struct iobi_system *sys,
			   const struct iobi_dev_list *devs)
{
	struct iobi_layers l = { 0 };
	size_t place;
	int rc = 0;
	for (size_t i = 0; i < devs->n && !rc; i++)
		rc = iobi_layers_add(&l, sys, devs->list[i].dev, &place);
	rc = rc ? rc : add_layers(d, sys, &l, false);
	d->below = rc ? NULL : calloc(devs->n + 1, sizeof(struct iob_device *));
	rc = rc || d->below ? rc : -ENOMEM;
	for (size_t i = 0; i < devs->n && !rc; i++)
		d->below[d->n_below++] = d->all[place_of(&l, devs->list[i].dev)];
	iobi_layers_free(&l);
	return rc;
}

/* ---- a block device ---- */

/* For as long as it takes to ask: only where no other user is known. */
static void ask_exclusive(struct iob_device *d, const char *link)
{
	int fd = open(link, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		iobi_users_add(&d->users, IOB_USER_EXCLUSIVE, d->path, "", "%s is open exclusively",
			       d->path);
	if (fd >= 0)
		close(fd);
}

static int look_inside(struct iob_device *d, int path_fd)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	int fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	iobi_facts_number(&d->facts, "readable", fd >= 0);
	if (fd < 0)
		return d->facts.failed ? -ENOMEM : 0;
	int rc = iobi_signatures_find(fd, &d->signatures);
	close(fd);
	if (rc != -ENOMEM && !d->users.n)
		ask_exclusive(d, link);
	return rc == -ENOMEM || d->users.failed || d->facts.failed ? -ENOMEM : 0;
}

static void direct_facts(struct iob_device *d, int path_fd)
{
#ifdef STATX_DIOALIGN
	struct statx sx;
	if (statx(path_fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &sx) ||
	    !(sx.stx_mask & STATX_DIOALIGN) || !sx.stx_dio_offset_align)
		return;
	iobi_facts_number(&d->facts, "direct_align", sx.stx_dio_offset_align);
	iobi_facts_number(&d->facts, "direct_memory_align", sx.stx_dio_mem_align);
#endif
}

static int fill_device(struct iob_device *d, struct iobi_system *sys, dev_t dev, int fd)
{
	if (fd >= 0)
		direct_facts(d, fd);
	int rc = describe(d, sys, dev);
	rc = rc ? rc : add_device_layers(d, sys, dev);
	rc = rc ? rc : iobi_users_of_device(sys, dev, &d->users);
	return rc || fd < 0 ? rc : look_inside(d, fd);
}

/* ---- a file ---- */

static void mount_facts(struct iob_device *d, struct iobi_system *sys, const char *path)
{
	const struct iobi_mount *fs = iobi_system_mount_of(sys, path);
	if (!fs)
		return;
	iobi_facts_text(&d->facts, "filesystem", fs->type);
	iobi_facts_text(&d->facts, "mount_point", fs->at);
	iobi_facts_text(&d->facts, "mount_options", fs->options);
	iobi_facts_text(&d->facts, "mount_source", fs->source);
	iobi_text_printf(&d->about, "%s at %s", fs->type, fs->at);
}

static int fill_file(struct iob_device *d, struct iobi_system *sys, const char *path,
		     dev_t dev, ino_t ino)
{
	struct iobi_dev_list devs;
	snprintf(d->kind, sizeof(d->kind), "file");
	mount_facts(d, sys, path);
	int rc = iobi_fs_devices(sys, path, dev, &devs);
	rc = rc ? rc : add_file_layers(d, sys, &devs);
	free(devs.list);
	if (!rc && !*sys->root)
		rc = iobi_users_of_file(sys, dev, ino, &d->users);
	return rc || d->facts.failed || d->about.failed ? -ENOMEM : 0;
}

static void size_facts(struct iob_device *d, const struct stat *st)
{
	iobi_facts_number(&d->facts, "size", st->st_size);
	iobi_facts_number(&d->facts, "allocated", (int64_t)st->st_blocks * 512);
	iobi_facts_number(&d->facts, "optimal_io", st->st_blksize);
}

/* ---- opening ---- */

static int fail(struct iob_error *err, int code, const char *path, const char *what)
{
	return iobi_fail_at(err, code, "device", path, 0, "\"%s\" %s", path, what);
}

/* The device's own name, whatever link led to it. */
static int own_path(struct iob_device *d, dev_t dev)
{
	char name[IOBI_NAME], node[IOBI_NAME + 8];
	struct stat st;
	iobi_sysfs_name("", dev, name);
	iobi_sysfs_node(name, node, sizeof(node));
	if (stat(node, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != dev)
		return 0;
	char *copy = strdup(node);
	if (!copy)
		return -ENOMEM;
	free(d->path);
	d->path = copy;
	return 0;
}

static int fill_by_fd(struct iob_device *d, struct iobi_system *sys, int fd,
		      struct iob_error *err)
{
	char link[64], real[PATH_MAX];
	struct stat st;
	if (fstat(fd, &st))
		return fail(err, errno, d->path, "cannot be looked at");
	if (S_ISDIR(st.st_mode))
		return fail(err, EISDIR, d->path,
			    "is a directory; name a block device or a file in it");
	if (S_ISBLK(st.st_mode)) {
		int rc = own_path(d, st.st_rdev);
		rc = rc ? rc : fill_device(d, sys, st.st_rdev, fd);
		return rc ? iobi_no_memory(err) : 0;
	}
	if (!S_ISREG(st.st_mode))
		return fail(err, ENOTBLK, d->path, "is neither a block device nor a regular file");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	size_facts(d, &st);
	direct_facts(d, fd);
	return fill_file(d, sys, real, st.st_dev, st.st_ino) ? iobi_no_memory(err) : 0;
}

static int fill_here(struct iob_device *d, struct iobi_system *sys, struct iob_error *err)
{
	int fd = open(d->path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return iobi_fail_at(err, errno, "device", d->path, 0, "cannot open \"%s\": %s",
				    d->path, iobi_errno_text(errno));
	int rc = fill_by_fd(d, sys, fd, err);
	close(fd);
	return rc;
}

static bool mapper_name(struct iobi_system *sys, const char *name, dev_t *dev)
{
	struct iobi_dev_list all;
	char text[256];
	bool found = false;
	if (iobi_sysfs_list_dir(sys->root, "/sys/block", &all))
		return false;
	for (size_t i = 0; i < all.n && !found; i++) {
		*dev = all.list[i].dev;
		found = !iobi_sysfs_text(sys->root, *dev, "dm/name", text, sizeof(text)) &&
			!strcmp(text, name);
	}
	free(all.list);
	return found;
}

static int fill_below_root(struct iob_device *d, struct iobi_system *sys,
			   struct iob_error *err)
{
	dev_t dev;
	int rc;
	if (strncmp(d->path, "/dev/", 5))
		rc = fill_file(d, sys, d->path, 0, 0);
	else if (iobi_sysfs_by_name(sys->root, d->path + 5, &dev) ||
		 (!strncmp(d->path, "/dev/mapper/", 12) && mapper_name(sys, d->path + 12, &dev)))
		rc = fill_device(d, sys, dev, -1);
	else
		return fail(err, ENOENT, d->path, "does not exist");
	return rc ? iobi_no_memory(err) : 0;
}

struct iob_device *iobi_device_open(const char *root, const char *path, struct iob_error *err)
{
	struct iobi_system sys;
	struct iob_device *d = new_device(path);
	if (!d) {
		iobi_no_memory(err);
		return NULL;
	}
	iobi_system_open(&sys, root);
	int rc = *root ? fill_below_root(d, &sys, err) : fill_here(d, &sys, err);
	iobi_system_close(&sys);
	if (!rc)
		return d;
	iob_device_free(d);
	return NULL;
}

struct iob_device *iob_device_open(const char *path, struct iob_error *err)
{
	if (!path || !*path) {
		iobi_fail(err, EINVAL, "device", "no path: name a block device or a file");
		return NULL;
	}
	return iobi_device_open("", path, err);
}

/* ---- reading it ---- */

const char *iob_device_path(const struct iob_device *d)
{
	return d ? d->path : "";
}

const char *iob_device_kind(const struct iob_device *d)
{
	return d ? d->kind : "";
}

const char *iob_device_about(const struct iob_device *d)
{
	return d && d->about.data ? d->about.data : "";
}

size_t iob_device_fact_count(const struct iob_device *d)
{
	return d ? d->facts.n : 0;
}

const struct iob_fact *iob_device_fact(const struct iob_device *d, size_t i)
{
	return d && i < d->facts.n ? &d->facts.list[i] : NULL;
}

const struct iob_fact *iob_device_find(const struct iob_device *d, const char *name)
{
	return d && name ? iobi_facts_find(&d->facts, name) : NULL;
}

size_t iob_device_below_count(const struct iob_device *d)
{
	return d ? d->n_below : 0;
}

const struct iob_device *iob_device_below(const struct iob_device *d, size_t i)
{
	return d && i < d->n_below ? d->below[i] : NULL;
}

size_t iob_device_user_count(const struct iob_device *d)
{
	return d ? d->users.n : 0;
}

const struct iob_device_user *iob_device_user(const struct iob_device *d, size_t i)
{
	return d && i < d->users.n ? &d->users.list[i] : NULL;
}

size_t iob_device_signature_count(const struct iob_device *d)
{
	return d ? d->signatures.n : 0;
}

const struct iob_device_signature *iob_device_signature(const struct iob_device *d, size_t i)
{
	return d && i < d->signatures.n ? &d->signatures.list[i] : NULL;
}
