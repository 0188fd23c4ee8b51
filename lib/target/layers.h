/* SPDX-License-Identifier: MIT */
/*
 * What a device stands on: partition on disk, md and dm on their slaves, loop
 * on its file's file system, to any depth. A device is in the list once,
 * however many ways lead to it; what would close a cycle is left out.
 */
#ifndef IOBI_LAYERS_H
#define IOBI_LAYERS_H

#include "target/mounts.h"
#include "target/sysfs.h"

/* What is looked at: a root, and what is mounted there, read when first asked for. */
struct iobi_system {
	const char *root; /* "": this machine */
	struct iobi_mounts mounts;
	int mounts_rc; /* 1: not read yet */
};
void iobi_system_open(struct iobi_system *sys, const char *root);
void iobi_system_close(struct iobi_system *sys);

/* What is mounted; none, with why in sys->mounts_rc, where that is not known. */
const struct iobi_mounts *iobi_system_mounts(struct iobi_system *sys);

/* The mount that an absolute path, which need not exist, lies on; NULL: not known. */
const struct iobi_mount *iobi_system_mount_of(struct iobi_system *sys, const char *path);

/* What a loop device is on: a file, or another device (st_rdev is not 0). */
struct iobi_backing {
	char path[PATH_MAX];
	dev_t dev; /* of the file system; 0: not known */
	ino_t ino;
	dev_t rdev;
};
bool iobi_loop_backing(struct iobi_system *sys, dev_t dev, struct iobi_backing *out);

/* The devices that the file system of a file is on: one, several for btrfs,
 * none where it has none (tmpfs, NFS). `path` leads to it, st_dev is the file's. */
int iobi_fs_devices(struct iobi_system *sys, const char *path, dev_t st_dev,
		    struct iobi_dev_list *out);

enum iobi_via {
	IOBI_VIA_SLAVE,     /* a part of it */
	IOBI_VIA_PARTITION, /* the disk it is on */
	IOBI_VIA_DEVICE,    /* what a loop device is on */
	IOBI_VIA_FILE       /* the file system of what a loop device is on */
};

struct iobi_layer {
	dev_t dev;
	char name[IOBI_NAME];
	struct iobi_edge {
		size_t to;
		enum iobi_via via;
	} * below;
	size_t n_below;
	unsigned depth; /* 0: added itself */
	bool open;      /* what is below it is being added */
};

struct iobi_layers {
	struct iobi_layer *list;
	size_t n;
};

/* Adds a device and all below it, the upper before the lower; its place. */
int iobi_layers_add(struct iobi_layers *l, struct iobi_system *sys, dev_t dev, size_t *place);
void iobi_layers_free(struct iobi_layers *l);

#endif
