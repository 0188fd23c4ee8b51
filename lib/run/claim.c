/* SPDX-License-Identifier: MIT */
#include "run/claim.h"

#include <string.h>

/* The same device under two sets of flags is one device. */
static bool claimed(const struct iobi_targets *all, const struct iobi_known_target *k)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i]->claim >= 0 && iobi_target_same(&all->list[i]->t, &k->t))
			return true;
	return false;
}

int iobi_targets_claim(struct iobi_targets *all, struct iob_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		struct iobi_known_target *k = all->list[i];
		if (!k->written || k->t.missing || claimed(all, k))
			continue;
		int fd = iobi_guard_claim(&k->t, err);
		if (fd < 0)
			return fd;
		k->claim = fd;
	}
	return 0;
}

bool iobi_targets_missing(const struct iobi_targets *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i]->t.missing)
			return true;
	return false;
}

/* Under whatever flags, a path is one file: the largest size wanted. */
static uint64_t size_of(const struct iobi_targets *all, const char *path)
{
	uint64_t size = 0;
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->list[i]->t.path, path) && all->list[i]->create_size > size)
			size = all->list[i]->create_size;
	return size;
}

/* The other entries of a path that was just made. */
static int refresh(struct iobi_targets *all, const char *path, struct iob_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		struct iobi_target *t = &all->list[i]->t, made;
		if (!t->missing || strcmp(t->path, path))
			continue;
		int rc = iobi_target_init(&made, path, t->flags, err);
		if (rc < 0)
			return rc;
		iobi_target_free(t);
		*t = made;
	}
	return 0;
}

int iobi_targets_create(struct iobi_targets *all, int (*go_on)(void *, uint64_t done), void *user,
			struct iob_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		struct iobi_target *t = &all->list[i]->t;
		if (!t->missing)
			continue;
		int rc = iobi_target_create(t, size_of(all, t->path), go_on, user, err);
		rc = rc < 0 ? rc : refresh(all, t->path, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
