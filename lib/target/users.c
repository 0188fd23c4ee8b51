/* SPDX-License-Identifier: MIT */
#include "target/users.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	IOBI_STACK_DEPTH = 64
};

/* ---- the list ---- */

void iobi_users_add(struct iobi_users *u, enum iob_user_kind kind, const char *device,
		    const char *what, const char *fmt, ...)
{
	char *message = NULL;
	va_list args;
	struct iob_device_user *more = realloc(u->list, (u->n + 1) * sizeof(*more));
	if (!more) {
		u->failed = true;
		return;
	}
	u->list = more;
	va_start(args, fmt);
	if (vasprintf(&message, fmt, args) < 0)
		message = NULL;
	va_end(args);
	more[u->n] = (struct iob_device_user){ .size = sizeof(*more),
					       .kind = kind,
					       .device = strdup(device),
					       .what = strdup(what),
					       .message = message };
	u->failed |= !message || !more[u->n].device || !more[u->n].what;
	u->n++;
}

void iobi_users_free(struct iobi_users *u)
{
	for (size_t i = 0; i < u->n; i++) {
		free((char *)u->list[i].device);
		free((char *)u->list[i].what);
		free((char *)u->list[i].message);
	}
	free(u->list);
	*u = (struct iobi_users){ 0 };
}

/* ---- one device ---- */

struct search {
	struct iobi_system *sys;
	struct iobi_users *out;
	struct iobi_dev_list loops; /* every loop device that there is */
	struct iobi_backing *backing;
	dev_t seen[1024]; /* a cycle must end */
	size_t n_seen;
};

static void node_of(const struct search *s, dev_t dev, char *node)
{
	char name[IOBI_NAME];
	iobi_sysfs_name(s->sys->root, dev, name);
	iobi_sysfs_node(name, node, IOBI_NAME + 8);
}

/* Where the device number of a mount is not a device's (btrfs), by its source. */
static bool mounts_device(const struct search *s, const struct iobi_mount *fs, dev_t dev)
{
	struct stat st;
	char node[IOBI_NAME + 8];
	if (fs->dev == dev)
		return true;
	if (!fs->path || strncmp(fs->path, "/dev/", 5) || iobi_sysfs_exists(s->sys->root, fs->dev))
		return false;
	if (!*s->sys->root)
		return !stat(fs->path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;
	node_of(s, dev, node);
	return !strcmp(fs->path, node);
}

static void add_mounts(struct search *s, dev_t dev, const char *node)
{
	const struct iobi_mounts *all = iobi_system_mounts(s->sys);
	for (size_t i = 0; i < all->n; i++) {
		const struct iobi_mount *fs = &all->list[i];
		if (fs->at && mounts_device(s, fs, dev))
			iobi_users_add(s->out, IOB_USER_MOUNT, node, fs->at, "%s is mounted at %s",
				       node, fs->at);
	}
}

/* "\040" is a blank. */
static void unescape(char *s)
{
	char *to = s;
	for (; *s; s++)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

/* Calls fn with the path of each swap space. */
static void each_swap(struct iobi_system *sys, void (*fn)(void *, const char *), void *user)
{
	char line[4352], file[PATH_MAX];
	snprintf(file, sizeof(file), "%s/proc/swaps", sys->root);
	FILE *f = fopen(file, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		if (*line == '/')
			fn(user, line);
	}
	if (f)
		fclose(f);
}

struct swap_of {
	struct search *s;
	dev_t dev;
	ino_t ino; /* of a file; 0: a device */
	const char *node;
};

static void swap_device(void *user, const char *path)
{
	struct swap_of *w = user;
	struct stat st;
	bool same = *w->s->sys->root
			    ? !strcmp(path, w->node)
			    : !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == w->dev;
	if (same)
		iobi_users_add(w->s->out, IOB_USER_SWAP, w->node, "", "%s is swap space", w->node);
}

static void add_own(struct search *s, dev_t dev)
{
	char node[IOBI_NAME + 8];
	node_of(s, dev, node);
	add_mounts(s, dev, node);
	each_swap(s->sys, swap_device, &(struct swap_of){ s, dev, 0, node });
}

/* ---- what is stacked on it ---- */

static bool seen(struct search *s, dev_t dev)
{
	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i] == dev)
			return true;
	if (s->n_seen == IOBI_LEN(s->seen))
		return true;
	s->seen[s->n_seen++] = dev;
	return false;
}

static void add_above(struct search *s, dev_t dev, int depth);

static void add_holder(struct search *s, dev_t dev, dev_t holder, int depth)
{
	char node[IOBI_NAME + 8], by[IOBI_NAME + 8];
	node_of(s, dev, node);
	node_of(s, holder, by);
	iobi_users_add(s->out, IOB_USER_HOLDER, node, by, "%s is held by %s", node, by);
	add_above(s, holder, depth + 1);
}

static void add_list(struct search *s, dev_t dev, const char *dir, int depth)
{
	struct iobi_dev_list l;
	if (iobi_sysfs_list(s->sys->root, dev, dir, &l))
		s->out->failed = true;
	for (size_t i = 0; i < l.n; i++)
		if (*dir)
			add_holder(s, dev, l.list[i].dev, depth);
		else
			add_above(s, l.list[i].dev, depth + 1);
	free(l.list);
}

static void add_loops(struct search *s, dev_t dev, int depth)
{
	for (size_t i = 0; i < s->loops.n; i++)
		if (s->backing[i].rdev == dev)
			add_holder(s, dev, s->loops.list[i].dev, depth);
}

static void add_above(struct search *s, dev_t dev, int depth)
{
	if (depth >= IOBI_STACK_DEPTH || seen(s, dev))
		return;
	add_own(s, dev);
	add_list(s, dev, "holders", depth);
	add_loops(s, dev, depth);
	add_list(s, dev, "", depth);
}

/* ---- what it is made of ---- */

/* Other volumes may lie on the same parts: their being held says nothing. But
 * the disk of a partition that is held as a whole is held. */
static void add_below(struct search *s, const struct iobi_layers *l, size_t from)
{
	for (size_t i = 0; i < l->list[from].n_below; i++) {
		const struct iobi_edge *e = &l->list[from].below[i];
		dev_t dev = l->list[e->to].dev;
		if (e->via == IOBI_VIA_FILE || seen(s, dev))
			continue;
		add_own(s, dev);
		if (e->via == IOBI_VIA_PARTITION && !from) {
			add_list(s, dev, "holders", 0);
			add_loops(s, dev, 0);
		}
		add_below(s, l, e->to);
	}
}

/* The bytes of its file that a loop device shows. */
static void range_of(const struct search *s, size_t i, int64_t *from, int64_t *to)
{
	int64_t sectors;
	dev_t dev = s->loops.list[i].dev;
	if (iobi_sysfs_number(s->sys->root, dev, "loop/offset", from))
		*from = 0;
	if (iobi_sysfs_number(s->sys->root, dev, "size", &sectors))
		sectors = INT64_MAX / 512;
	if (__builtin_add_overflow(*from, sectors * 512, to))
		*to = INT64_MAX;
}

static bool overlap(const struct search *s, size_t a, size_t b)
{
	int64_t from_a, to_a, from_b, to_b;
	const struct iobi_backing *x = &s->backing[a], *y = &s->backing[b];
	if (a == b || x->rdev || !x->ino || x->dev != y->dev || x->ino != y->ino)
		return false;
	range_of(s, a, &from_a, &to_a);
	range_of(s, b, &from_b, &to_b);
	return from_a < to_b && from_b < to_a;
}

/* Another loop device that shows the same bytes of the same file. */
static void add_twins(struct search *s, dev_t dev)
{
	for (size_t i = 0; i < s->loops.n; i++)
		for (size_t k = 0; s->loops.list[i].dev == dev && k < s->loops.n; k++)
			if (overlap(s, i, k))
				add_above(s, s->loops.list[k].dev, 0);
}

static int begin(struct search *s, struct iobi_system *sys, struct iobi_users *out)
{
	struct iobi_dev_list all;
	*s = (struct search){ .sys = sys, .out = out };
	*out = (struct iobi_users){ 0 };
	if (iobi_sysfs_list_dir(sys->root, "/sys/block", &all))
		return -ENOMEM;
	s->loops.list = all.list;
	s->backing = calloc(all.n ? all.n : 1, sizeof(*s->backing));
	for (size_t i = 0; s->backing && i < all.n; i++)
		if (!strncmp(all.list[i].name, "loop", 4) &&
		    iobi_loop_backing(sys, all.list[i].dev, &s->backing[s->loops.n]))
			s->loops.list[s->loops.n++] = all.list[i];
	return s->backing ? 0 : -ENOMEM;
}

/* The mount says more than the volume between, and that more than "in use". */
static int by_kind(const void *a, const void *b)
{
	const struct iob_device_user *x = a, *y = b;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int end(struct search *s, int rc)
{
	struct iobi_users *u = s->out;
	free(s->loops.list);
	free(s->backing);
	rc = rc || u->failed ? -ENOMEM : 0;
	if (rc)
		iobi_users_free(u);
	else if (u->n)
		qsort(u->list, u->n, sizeof(*u->list), by_kind);
	return rc;
}

int iobi_users_of_device(struct iobi_system *sys, dev_t dev, struct iobi_users *out)
{
	struct iobi_layers l = { 0 };
	struct search *s = malloc(sizeof(*s));
	size_t place;
	if (!s)
		return -ENOMEM;
	int rc = begin(s, sys, out);
	rc = rc ? rc : iobi_layers_add(&l, sys, dev, &place);
	if (!rc) {
		add_above(s, dev, 0);
		add_below(s, &l, place);
		add_twins(s, dev);
	}
	rc = end(s, rc);
	iobi_layers_free(&l);
	free(s);
	return rc;
}

/* ---- files ---- */

static void swap_file(void *user, const char *path)
{
	struct swap_of *w = user;
	struct stat st;
	if (!stat(path, &st) && st.st_dev == w->dev && st.st_ino == w->ino)
		iobi_users_add(w->s->out, IOB_USER_SWAP, path, "", "%s is a swap file", path);
}

/* A loop device that nobody uses may be on it: its owner asked for that. */
static int add_loop_users(struct search *s, size_t i)
{
	struct iobi_users over;
	char node[IOBI_NAME + 8];
	int rc = iobi_users_of_device(s->sys, s->loops.list[i].dev, &over);
	node_of(s, s->loops.list[i].dev, node);
	if (!rc && over.n)
		iobi_users_add(s->out, IOB_USER_LOOP, s->backing[i].path, node,
			       "%s is on it, and %s", node, over.list[0].message);
	iobi_users_free(&over);
	return rc;
}

int iobi_users_of_file(struct iobi_system *sys, dev_t dev, ino_t ino, struct iobi_users *out)
{
	struct search *s = malloc(sizeof(*s));
	if (!s)
		return -ENOMEM;
	int rc = begin(s, sys, out);
	if (!rc)
		each_swap(sys, swap_file, &(struct swap_of){ s, dev, ino, NULL });
	for (size_t i = 0; !rc && i < s->loops.n; i++)
		if (!s->backing[i].rdev && s->backing[i].dev == dev && s->backing[i].ino == ino)
			rc = add_loop_users(s, i);
	rc = end(s, rc);
	free(s);
	return rc;
}
