/* SPDX-License-Identifier: MIT */
#include "target/counters.h"
#include "target/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one reading ---- */

static const char *number(const char *p, uint64_t *v)
{
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return NULL;
	for (*v = 0; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return NULL;
	return *p && !strchr(" \t\n", *p) ? NULL : p;
}

/* A field that is no number, and a line that ends too early, void all. */
void iobi_stat_parse(const char *text, struct iobi_stat *out)
{
	const char *p = text;
	*out = (struct iobi_stat){ 0 };
	while (out->n < IOBI_STATS) {
		const char *next = number(p, &out->v[out->n]);
		if (!next)
			break;
		p = next;
		out->n++;
	}
	while (*p == ' ' || *p == '\t')
		p++;
	bool whole = out->n == IOBI_STATS || *p == '\n' || !*p;
	if (!whole || out->n <= IOBI_STAT_QUEUE)
		*out = (struct iobi_stat){ 0 };
}

static void read_one(int fd, struct iobi_stat *out)
{
	char text[1024];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	iobi_stat_parse(text, out);
}

void iobi_counters_read(const struct iobi_counters *c, struct iobi_stat *out)
{
	for (size_t i = 0; i < c->n; i++)
		read_one(c->list[i].fd, &out[i]);
}

/* ---- between two ---- */

/* Times were 32 bits wide on some kernels, and wrap; numbers of requests and
 * sectors do not: where they went back it is another device. */
static bool since(const struct iobi_stat *from, const struct iobi_stat *to, int field, bool is_time,
		  uint64_t *out)
{
	uint64_t a = from->v[field], b = to->v[field];
	*out = b - a;
	if (b >= a)
		return true;
	if (is_time && a <= UINT32_MAX) {
		*out = b + (UINT64_C(1) << 32) - a;
		return true;
	}
	*out = 0;
	return is_time;
}

static bool four_since(const struct iobi_stat *from, const struct iobi_stat *to, int first,
		       struct iob_device_io *io)
{
	bool ok = since(from, to, first, false, &io->ios) &&
		  since(from, to, first + 1, false, &io->merges) &&
		  since(from, to, first + 2, false, &io->bytes) &&
		  since(from, to, first + 3, true, &io->ticks_ms);
	io->bytes *= 512;
	return ok;
}

/* It did requests ever since it exists, and no time ever passed. */
static bool keeps_no_ticks(const struct iobi_stat *s)
{
	uint64_t ios = s->v[IOBI_STAT_READ] + s->v[IOBI_STAT_WRITE];
	return ios && !s->v[IOBI_STAT_READ + 3] && !s->v[IOBI_STAT_WRITE + 3] &&
	       !s->v[IOBI_STAT_BUSY] && !s->v[IOBI_STAT_QUEUE];
}

static void clear(struct iob_device_use *use)
{
	for (size_t op = 0; op < IOBI_LEN(use->op); op++) {
		struct iob_device_io *io = &use->op[op];
		io->ios = io->merges = io->bytes = io->ticks_ms = 0;
	}
	use->busy_ms = use->queue_ms = 0;
	use->flags |= IOB_DEVICE_NO_COUNTERS;
}

static bool did_nothing(const struct iob_device_use *use)
{
	return !use->op[IOB_OP_READ].ios && !use->op[IOB_OP_WRITE].ios &&
	       !use->op[IOB_OP_TRIM].ios && !use->op[IOB_OP_SYNC].ios;
}

void iobi_counters_since(const struct iobi_counter *c, const struct iobi_stat *from,
			 const struct iobi_stat *to, struct iob_device_use *use)
{
	struct iob_device_io *op = use->op;
	bool discards = to->n >= IOBI_STAT_FLUSH, flushes = to->n >= IOBI_STATS;
	bool ok = from->n && from->n == to->n &&
		  four_since(from, to, IOBI_STAT_READ, &op[IOB_OP_READ]) &&
		  four_since(from, to, IOBI_STAT_WRITE, &op[IOB_OP_WRITE]) &&
		  since(from, to, IOBI_STAT_BUSY, true, &use->busy_ms) &&
		  since(from, to, IOBI_STAT_QUEUE, true, &use->queue_ms);
	if (ok && discards)
		ok = four_since(from, to, IOBI_STAT_DISCARD, &op[IOB_OP_TRIM]);
	if (ok && flushes)
		ok = since(from, to, IOBI_STAT_FLUSH, false, &op[IOB_OP_SYNC].ios) &&
		     since(from, to, IOBI_STAT_FLUSH + 1, true, &op[IOB_OP_SYNC].ticks_ms);
	if (!ok || (c->stats_off && did_nothing(use))) {
		clear(use);
		return;
	}
	use->flags |= discards ? 0 : IOB_DEVICE_NO_DISCARDS;
	use->flags |= flushes ? 0 : IOB_DEVICE_NO_FLUSHES;
	use->flags |= keeps_no_ticks(to) ? IOB_DEVICE_NO_TICKS : 0;
}

/* ---- the devices ---- */

int iobi_counters_add(struct iobi_counters *c, struct iobi_system *sys, dev_t dev,
		      size_t *root)
{
	return iobi_layers_add(&c->layers, sys, dev, root);
}

static void read_flags(struct iobi_counter *c, struct iobi_system *sys, dev_t dev)
{
	char text[32];
	int64_t v;
	if (!iobi_sysfs_number(sys->root, dev, "queue/rotational", &v) && v == 1)
		c->flags |= IOB_DEVICE_ROTATIONAL;
	if (!iobi_sysfs_text(sys->root, dev, "queue/write_cache", text, sizeof(text)) &&
	    !strcmp(text, "write back"))
		c->flags |= IOB_DEVICE_WRITE_CACHE;
	if (!iobi_sysfs_number(sys->root, dev, "queue/iostats", &v) && v == 0)
		c->stats_off = true;
	if (!iobi_sysfs_number(sys->root, dev, "size", &v) && v > 0 && v < INT64_MAX / 512)
		c->device_bytes = (uint64_t)v * 512;
}

static int open_one(struct iobi_counter *c, struct iobi_system *sys,
		    const struct iobi_layer *l)
{
	char dir[PATH_MAX / 2], path[PATH_MAX];
	struct iobi_text about = { 0 };
	c->below = l->below;
	c->n_below = l->n_below;
	c->depth = l->depth;
	snprintf(c->name, sizeof(c->name), "%s", l->name);
	iobi_device_kind(sys, l->dev, c->kind, sizeof(c->kind));
	read_flags(c, sys, l->dev);
	if (iobi_sysfs_dir(sys->root, l->dev, dir, sizeof(dir)) &&
	    snprintf(path, sizeof(path), "%s/stat", dir) > 0)
		c->fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = iobi_device_about(sys, l->dev, &about);
	c->about = strdup(about.data ? about.data : "");
	iobi_text_free(&about);
	return rc || !c->about ? -ENOMEM : 0;
}

int iobi_counters_open(struct iobi_counters *c, struct iobi_system *sys)
{
	int rc = 0;
	c->list = calloc(c->layers.n + 1, sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	for (c->n = 0; !rc && c->n < c->layers.n; c->n++) {
		c->list[c->n].fd = -1;
		rc = open_one(&c->list[c->n], sys, &c->layers.list[c->n]);
	}
	return rc;
}

void iobi_counters_free(struct iobi_counters *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->list[i].fd >= 0)
			close(c->list[i].fd);
		free(c->list[i].about);
	}
	free(c->list);
	iobi_layers_free(&c->layers);
	*c = (struct iobi_counters){ 0 };
}
