/* SPDX-License-Identifier: MIT */
#include "run/targets.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void iobi_targets_free(struct iobi_targets *all)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i]->claim >= 0)
			close(all->list[i]->claim);
		iobi_target_free(&all->list[i]->t);
		free(all->list[i]);
	}
	free(all->list);
	*all = (struct iobi_targets){ 0 };
}

static struct iobi_known_target *find_known(struct iobi_targets *all, const struct iobi_target *t)
{
	for (size_t i = 0; i < all->n; i++)
		if (iobi_target_same(&all->list[i]->t, t))
			return all->list[i];
	return NULL;
}

/* By path alone, which spares opening it once a stage. */
static struct iobi_known_target *find_path(struct iobi_targets *all, const char *path,
					   unsigned flags)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->list[i]->t.path, path) && all->list[i]->t.flags == flags)
			return all->list[i];
	return NULL;
}

static struct iobi_known_target *add_known(struct iobi_targets *all, struct iobi_target *t)
{
	struct iobi_known_target *k = calloc(1, sizeof(*k));
	if (k && !(all->n & (all->n - 1))) {
		size_t room = all->n ? all->n * 2 : 1;
		struct iobi_known_target **list = realloc(all->list, room * sizeof(*list));
		if (!list) {
			free(k);
			return NULL;
		}
		all->list = list;
	}
	if (!k)
		return NULL;
	k->t = *t;
	k->claim = -1;
	k->layout = IOBI_LAYOUT_SPARSE;
	all->list[all->n++] = k;
	return k;
}

int iobi_targets_know(struct iobi_targets *all, const char *path, unsigned flags,
		      struct iobi_known_target **out, struct iob_error *err)
{
	struct iobi_target t;
	*out = find_path(all, path, flags);
	if (*out)
		return 0;
	int rc = iobi_target_init(&t, path, flags, err);
	if (rc < 0)
		return rc;
	*out = find_known(all, &t);
	if (*out && (*out)->t.flags == flags) {
		iobi_target_free(&t);
		return 0;
	}
	*out = add_known(all, &t);
	if (*out)
		return 0;
	iobi_target_free(&t);
	return iobi_no_memory(err);
}

/* ---- what a run takes hold of before it starts ---- */

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

struct iobi_making iobi_targets_making(const struct iobi_targets *all, const char *path)
{
	struct iobi_making m = { .layout = IOBI_LAYOUT_SPARSE };
	for (size_t i = 0; i < all->n; i++) {
		const struct iobi_known_target *k = all->list[i];
		if (strcmp(k->t.path, path) != 0)
			continue;
		if (k->create_size > m.size)
			m.size = k->create_size;
		if (k->layout < m.layout)
			m.layout = k->layout;
	}
	return m;
}

/* One path is one file, under whatever flags. */
static bool is_first(const struct iobi_targets *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(all->list[k]->t.path, all->list[i]->t.path))
			return false;
	return true;
}

uint64_t iobi_targets_to_make(const struct iobi_targets *all, const struct iobi_target *beside)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct iobi_target *t = &all->list[i]->t;
		if (!t->missing || !is_first(all, i) || (beside && t->dev != beside->dev))
			continue;
		struct iobi_making m = iobi_targets_making(all, t->path);
		if (m.layout != IOBI_LAYOUT_SPARSE && __builtin_add_overflow(sum, m.size, &sum))
			sum = UINT64_MAX;
	}
	return sum;
}

/* Whether a missing file before it is to be on the same file system. */
static bool same_place_before(const struct iobi_targets *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (all->list[k]->t.missing && all->list[k]->t.dev == all->list[i]->t.dev)
			return true;
	return false;
}

int iobi_targets_room(const struct iobi_targets *all, struct iob_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < all->n && !rc; i++) {
		const struct iobi_known_target *k = all->list[i];
		if (!k->t.missing || same_place_before(all, i))
			continue;
		uint64_t sum = iobi_targets_to_make(all, &k->t);
		if (iobi_target_room(&k->t, sum, NULL) == -ENOSPC)
			rc = iobi_fail_at(err, ENOSPC, "size", k->t.path, 0,
					  "the files that are to be made beside \"%s\" would take "
					  "%" PRIu64 " bytes together, and their file system lacks "
					  "the room",
					  k->t.path, sum);
	}
	return rc;
}

/* The other entries of a path that was just made. */
static int refresh(struct iobi_targets *all, const struct iobi_target *first, struct iob_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		struct iobi_target *t = &all->list[i]->t, made;
		if (!t->missing || strcmp(t->path, first->path))
			continue;
		int rc = iobi_target_init(&made, t->path, t->flags, err);
		if (rc < 0)
			return rc;
		if (!iobi_target_same(&made, first)) {
			iobi_target_free(&made);
			return iobi_fail_at(err, EEXIST, "target", t->path, 0,
					    "\"%s\" was made, and another took its name", t->path);
		}
		iobi_target_free(t);
		*t = made;
	}
	return 0;
}

/* Some of the files are of no use. */
static void unmake(struct iobi_targets *all)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i]->made)
			iobi_target_remove(&all->list[i]->t);
		all->list[i]->made = false;
	}
}

int iobi_targets_create(struct iobi_targets *all, int (*go_on)(void *, uint64_t done), void *user,
			struct iob_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		struct iobi_target *t = &all->list[i]->t;
		if (!t->missing)
			continue;
		struct iobi_making m = iobi_targets_making(all, t->path);
		int rc = iobi_target_create(t, &m, go_on, user, err);
		all->list[i]->made = rc >= 0;
		rc = rc < 0 ? rc : refresh(all, t, err);
		if (rc < 0) {
			unmake(all);
			return rc;
		}
	}
	return 0;
}

static bool wants_removal(const struct iobi_targets *all, const char *path)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i]->remove && !strcmp(all->list[i]->t.path, path))
			return true;
	return false;
}

void iobi_targets_remove(struct iobi_targets *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct iobi_known_target *k = all->list[i];
		if (k->made && wants_removal(all, k->t.path))
			iobi_target_remove(&k->t);
	}
}
