/* SPDX-License-Identifier: MIT */
/*
 * fio lists the disks of a run, each that has members with the members' mean
 * ("aggrios=") and its members somewhere after it. Which they are is told by
 * that mean alone: its own follow it directly, or they are disks with members
 * themselves.
 */
#include "result/import/fio.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands under each disk: the place of the one above, SIZE_MAX: none. */
struct tree {
	const struct iobi_fioin_run *run;
	size_t *above;
	unsigned *depth;
};

/* fio divides whole numbers. */
static bool is_mean(double sum, size_t n, double mean)
{
	return n && floor(sum / (double)n) == floor(mean);
}

static double total(const struct iobi_fioin_disk *d)
{
	return (double)d->ios[0];
}

/* The disks without members right behind `at`. */
static size_t plain_run(const struct iobi_fioin_run *run, size_t at)
{
	size_t n = 0;
	while (at + 1 + n < run->n_disks && !run->disk[at + 1 + n].above)
		n++;
	return n;
}

static bool plain_members(const struct iobi_fioin_run *run, size_t at)
{
	size_t n = plain_run(run, at);
	double sum = 0;
	for (size_t i = at + 1; i <= at + n; i++)
		sum += total(&run->disk[i]);
	return is_mean(sum, n, run->disk[at].mean_ios[0]);
}

/* How many of the following disks with members, in their order, have the mean;
 * the most, since equal members have the mean of any of them. */
static size_t stacked_members(const struct iobi_fioin_run *run, size_t at, size_t *place)
{
	double sum = 0;
	size_t n = 0, found = 0;
	for (size_t i = at + 1; i < run->n_disks; i++) {
		if (!run->disk[i].above)
			continue;
		place[n++] = i;
		sum += total(&run->disk[i]);
		found = is_mean(sum, n, run->disk[at].mean_ios[0]) ? n : found;
	}
	return found;
}

static void put_under(struct tree *t, size_t at, const size_t *place, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		t->above[place[i]] = at;
		t->depth[place[i]] = t->depth[at] + 1;
	}
}

static void find_members(struct tree *t, size_t at, size_t *place)
{
	size_t n = plain_run(t->run, at);
	bool stacked = !n || !plain_members(t->run, at);
	size_t found = stacked ? stacked_members(t->run, at, place) : 0;
	for (size_t i = 0; !found && i < n; i++)
		place[i] = at + 1 + i;
	put_under(t, at, place, found ? found : n);
}

static int find_tree(struct tree *t)
{
	size_t n = t->run->n_disks, *place = calloc(n, sizeof(*place));
	t->above = malloc(n * sizeof(*t->above));
	t->depth = calloc(n, sizeof(*t->depth));
	for (size_t i = 0; t->above && i < n; i++)
		t->above[i] = SIZE_MAX;
	for (size_t i = 0; place && t->above && t->depth && i < n; i++)
		if (t->run->disk[i].above)
			find_members(t, i, place);
	free(place);
	return place && t->above && t->depth ? 0 : -ENOMEM;
}

static void set_issued(const struct iobi_fioin_run *run, struct iob_device_use *use)
{
	for (size_t i = 0; i < run->n_jobs; i++)
		for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
			use->op[op].issued_ios += run->job[i].op[op].ios;
			use->op[op].issued_bytes += run->job[i].op[op].bytes;
		}
}

static const char *kind_of(const char *name)
{
	static const char *const kinds[] = { "md", "dm", "loop", "zram" };
	for (size_t i = 0; i < IOBI_LEN(kinds); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			return kinds[i];
	return "disk";
}

/* No tick at all, and no time busy: the kernel kept none (of md it long did not). */
static bool no_times(const struct iobi_fioin_disk *d)
{
	return d->ios[0] + d->ios[1] && !d->ticks[0] && !d->ticks[1] && !(d->busy > 0);
}

static void fill_use(const struct tree *t, size_t at, const struct iob_result *w,
		     struct iob_device_use *use)
{
	const struct iobi_fioin_disk *d = &t->run->disk[at];
	*use = (struct iob_device_use){ .size = sizeof(*use),
					.name = d->name,
					.kind = kind_of(d->name),
					.about = "",
					.machine = "",
					.depth = t->depth[at],
					.length_ns = w->elapsed_ns };
	for (int i = 0; i < 2; i++) {
		struct iob_device_io *io = &use->op[i ? IOB_OP_WRITE : IOB_OP_READ];
		io->ios = d->ios[i];
		io->merges = d->merges[i];
		io->bytes = d->bytes[i];
		io->ticks_ms = d->ticks[i];
	}
	use->queue_ms = d->queue_ms;
	use->busy_ms = iobi_whole(d->busy * (double)w->elapsed_ns / 1e6);
	use->flags = IOB_DEVICE_NO_DISCARDS | IOB_DEVICE_NO_FLUSHES;
	use->flags |= no_times(d) ? IOB_DEVICE_NO_TICKS : 0;
	use->flags |= t->depth[at] ? IOB_DEVICE_PART : IOB_DEVICE_TARGET;
	set_issued(t->run, use);
}

static int add_disk(struct iob_result *w, const struct tree *t, size_t at)
{
	struct iobi_device d = { .below = calloc(t->run->n_disks + 1, sizeof(char *)) };
	if (!d.below)
		return -ENOMEM;
	fill_use(t, at, w, &d.use);
	for (size_t i = 0; i < t->run->n_disks; i++)
		if (t->above[i] == at)
			d.below[d.use.n_below++] = t->run->disk[i].name;
	int rc = iobi_devices_add(w, &d);
	free(d.below);
	return rc;
}

int iobi_fioin_add_disks(struct iob_result *w, const struct iobi_fioin_run *run)
{
	struct tree t = { .run = run };
	if (!run->n_disks)
		return 0;
	int rc = find_tree(&t);
	for (size_t i = 0; i < run->n_disks && !rc; i++)
		rc = add_disk(w, &t, i);
	free(t.above);
	free(t.depth);
	return rc;
}
