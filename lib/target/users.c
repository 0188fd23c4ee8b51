/* SPDX-License-Identifier: MIT */
#include "target/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- what shows the same bytes ---- */

/* Bytes of a device, or of the file under it. */
struct stretch {
	int64_t from, to;
	bool parts; /* of a volume: others may lie on them, and hold them */
};

static struct stretch bytes_of(const struct search *s, dev_t dev, int64_t from)
{
	struct stretch all = { .from = from };
	int64_t sectors;
	if (iobi_sysfs_number(s->sys->root, dev, "size", &sectors) || sectors < 0 ||
	    __builtin_mul_overflow(sectors, 512, &all.to) ||
	    __builtin_add_overflow(all.to, from, &all.to))
		all.to = INT64_MAX;
	return all;
}

/* Where it lies on its disk, or on what is under a loop device. */
static struct stretch place_of(const struct search *s, dev_t dev)
{
	int64_t from;
	if (iobi_sysfs_number(s->sys->root, dev, "start", &from) ||
	    __builtin_mul_overflow(from, 512, &from))
		if (iobi_sysfs_number(s->sys->root, dev, "loop/offset", &from))
			from = 0;
	return bytes_of(s, dev, from);
}

/* The same bytes as they are counted by what lies at that place. */
static struct stretch seen_from(struct stretch of, struct stretch place)
{
	of.from = of.from > place.from ? of.from - place.from : 0;
	of.to = (of.to < place.to ? of.to : place.to) - place.from;
	return of;
}

/* As they are counted by what is under the one that lies at that place. */
static struct stretch seen_below(struct stretch of, struct stretch place)
{
	if (__builtin_add_overflow(of.to, place.from, &of.to))
		of.to = INT64_MAX;
	of.from += place.from;
	return of;
}

/* A mount in another namespace shows in no list. */
static void add_exclusive(struct search *s, dev_t dev)
{
	char node[IOBI_NAME + 8];
	struct stat st;
	node_of(s, dev, node);
	if (*s->sys->root || stat(node, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != dev)
		return;
	int fd = open(node, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else if (errno == EBUSY)
		iobi_users_add(s->out, IOB_USER_EXCLUSIVE, node, "", "%s is open exclusively",
			       node);
}

/* Who holds it as a whole. Of a device with partitions, each of them is asked. */
static void add_holders(struct search *s, dev_t dev)
{
	struct iobi_dev_list partitions;
	size_t before = s->out->n;
	add_list(s, dev, "holders", 0);
	if (iobi_sysfs_list(s->sys->root, dev, "", &partitions))
		s->out->failed = true;
	else if (!partitions.n && s->out->n == before)
		add_exclusive(s, dev);
	free(partitions.list);
}

static void add_sharing(struct search *s, dev_t dev, struct stretch of);

/* What lies on the same device, or file, as the bytes do. */
static void add_sharer(struct search *s, dev_t dev, struct stretch of)
{
	struct stretch place = place_of(s, dev);
	if (place.from >= of.to || of.from >= place.to || seen(s, dev))
		return;
	add_own(s, dev);
	if (!of.parts)
		add_holders(s, dev);
	add_sharing(s, dev, seen_from(of, place));
}

static void add_sharing(struct search *s, dev_t dev, struct stretch of)
{
	struct iobi_dev_list l;
	if (iobi_sysfs_list(s->sys->root, dev, "", &l))
		s->out->failed = true;
	for (size_t i = 0; i < l.n; i++)
		add_sharer(s, l.list[i].dev, of);
	free(l.list);
	for (size_t i = 0; i < s->loops.n; i++)
		if (s->backing[i].rdev == dev)
			add_sharer(s, s->loops.list[i].dev, of);
}

/* Other loop devices on the file that is under this one. */
static void add_twins(struct search *s, dev_t dev, struct stretch of)
{
	size_t i = 0;
	while (i < s->loops.n && s->loops.list[i].dev != dev)
		i++;
	if (i == s->loops.n || s->backing[i].rdev || !s->backing[i].ino)
		return;
	of = seen_below(of, place_of(s, dev));
	for (size_t k = 0; k < s->loops.n; k++)
		if (k != i && !s->backing[k].rdev && s->backing[k].dev == s->backing[i].dev &&
		    s->backing[k].ino == s->backing[i].ino)
			add_sharer(s, s->loops.list[k].dev, of);
}

/* ---- what it is made of ---- */

/* The disk of a partition that is held as a whole is held, and so is what a loop
 * device is on. */
static void add_disk(struct search *s, dev_t dev, enum iobi_via via)
{
	if (via == IOBI_VIA_DEVICE) {
		add_holders(s, dev);
		return;
	}
	add_list(s, dev, "holders", 0);
	add_loops(s, dev, 0);
}

/* Other volumes may lie on the same parts: their being held says nothing. */
static void add_below(struct search *s, const struct iobi_layers *l, size_t from, struct stretch of)
{
	dev_t upper = l->list[from].dev;
	add_twins(s, upper, of);
	for (size_t i = 0; i < l->list[from].n_below; i++) {
		const struct iobi_edge *e = &l->list[from].below[i];
		dev_t dev = l->list[e->to].dev;
		if (e->via == IOBI_VIA_FILE || seen(s, dev))
			continue;
		struct stretch below = seen_below(of, place_of(s, upper));
		if (e->via == IOBI_VIA_SLAVE)
			below = bytes_of(s, dev, 0);
		below.parts = of.parts || e->via == IOBI_VIA_SLAVE;
		add_own(s, dev);
		if (!below.parts && (e->via == IOBI_VIA_DEVICE || !from))
			add_disk(s, dev, e->via);
		add_sharing(s, dev, below);
		add_below(s, l, e->to, below);
	}
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
		add_below(s, &l, place, bytes_of(s, dev, 0));
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
	else if (!rc)
		add_exclusive(s, s->loops.list[i].dev);
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
