/* SPDX-License-Identifier: MIT */
#include "target/mounts.h"

#include "base/late.h"
#include <dlfcn.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of libmount that are used, with its own prototypes. */
#define FUNCTIONS(X)                                                                               \
	X(mnt_new_table_from_file)                                                                 \
	X(mnt_unref_table)                                                                         \
	X(mnt_new_iter)                                                                            \
	X(mnt_free_iter)                                                                           \
	X(mnt_table_next_fs)                                                                       \
	X(mnt_fs_get_devno)                                                                        \
	X(mnt_fs_get_target)                                                                       \
	X(mnt_fs_get_fstype)                                                                       \
	X(mnt_fs_get_options)                                                                      \
	X(mnt_fs_get_source)                                                                       \
	X(mnt_fs_get_srcpath)

struct libmount {
#define POINTER(f) __typeof__(&f) f;
	FUNCTIONS(POINTER)
};

static const char *const names[] = {
#define NAME(f) #f,
	FUNCTIONS(NAME)
};

static bool copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static int add(struct iobi_mounts *m, const struct libmount *lib, struct libmnt_fs *fs)
{
	struct iobi_mount *more = realloc(m->list, (m->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->list = more;
	struct iobi_mount *one = &more[m->n++];
	*one = (struct iobi_mount){ .dev = lib->mnt_fs_get_devno(fs) };
	return copy(&one->at, lib->mnt_fs_get_target(fs)) &&
			       copy(&one->type, lib->mnt_fs_get_fstype(fs)) &&
			       copy(&one->options, lib->mnt_fs_get_options(fs)) &&
			       copy(&one->source, lib->mnt_fs_get_source(fs)) &&
			       copy(&one->path, lib->mnt_fs_get_srcpath(fs))
		       ? 0
		       : -ENOMEM;
}

static int add_all(struct iobi_mounts *m, const struct libmount *lib, const char *path)
{
	struct libmnt_table *table = lib->mnt_new_table_from_file(path);
	struct libmnt_iter *it = table ? lib->mnt_new_iter(MNT_ITER_FORWARD) : NULL;
	struct libmnt_fs *fs;
	int rc = !table ? -EIO : it ? 0 : -ENOMEM;
	while (!rc && !lib->mnt_table_next_fs(table, it, &fs))
		rc = add(m, lib, fs);
	lib->mnt_free_iter(it);
	lib->mnt_unref_table(table);
	return rc;
}

int iobi_mounts_read(struct iobi_mounts *m, const char *root)
{
	char path[PATH_MAX];
	struct libmount lib;
	*m = (struct iobi_mounts){ 0 };
	void *handle = iobi_late_open("libmount.so.1", names, &lib, sizeof(names) / sizeof(*names));
	if (!handle)
		return -ELIBACC;
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	int rc = add_all(m, &lib, path);
	dlclose(handle);
	if (rc)
		iobi_mounts_free(m);
	return rc;
}

void iobi_mounts_free(struct iobi_mounts *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->list[i].at);
		free(m->list[i].type);
		free(m->list[i].options);
		free(m->list[i].source);
		free(m->list[i].path);
	}
	free(m->list);
	*m = (struct iobi_mounts){ 0 };
}
