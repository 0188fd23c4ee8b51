/* SPDX-License-Identifier: MIT */
/* The disks of fio's reports: of each target its whole disk, and behind it, where
 * it is made of others (md, dm, bcache), those. */
#include "report/fio_view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_kind(const struct iob_device_use *u, const char *kind)
{
	return !strcmp(u->kind, kind);
}

/* A loop device has a file under it, which fio does not look at. */
static bool has_members(const struct iob_device_use *u)
{
	return u->n_below && !is_kind(u, "loop") && !is_kind(u, "partition");
}

static bool is_listed(const struct iobi_fiov *v, const struct iob_device_use *u)
{
	for (size_t i = 0; i < v->n_disks; i++)
		if (v->disk[i].use == u)
			return true;
	return false;
}

static double percent(const struct iob_device_use *u)
{
	double v = u->utilisation * 100;
	return isfinite(v) ? fmin(fmax(v, 0), 100) : 0;
}

/* A partition's disk stands for it. */
static const struct iob_device_use *whole(const struct iob_result *r,
					  const struct iob_device_use *u)
{
	for (int i = 0; i < 8 && is_kind(u, "partition") && u->n_below; i++)
		u = iob_result_device(r, u->below[0]);
	return u;
}

static void sum_member(struct iobi_fiov_disk *d, const struct iob_device_use *u)
{
	for (int i = 0; i < IOBI_FIOV_TRIM; i++) {
		const struct iob_device_io *io = &u->op[i ? IOB_OP_WRITE : IOB_OP_READ];
		d->of_members[i].ios += io->ios;
		d->of_members[i].merges += io->merges;
		d->of_members[i].bytes += io->bytes;
		d->of_members[i].ticks_ms += io->ticks_ms;
	}
	d->members_queue_ms += u->queue_ms;
	d->members_util = fmax(d->members_util, percent(u));
	d->n_members++;
}

static void take_mean(struct iobi_fiov_disk *d)
{
	for (int i = 0; i < IOBI_FIOV_TRIM; i++) {
		d->of_members[i].ios /= d->n_members;
		d->of_members[i].merges /= d->n_members;
		d->of_members[i].bytes /= d->n_members;
		d->of_members[i].ticks_ms /= d->n_members;
	}
	d->members_queue_ms /= d->n_members;
}

static int add_disk(struct iobi_fiov *v, const struct iob_result *r, const struct iob_device_use *u)
{
	struct iobi_fiov_disk d = { .use = u, .util = percent(u) };
	struct iobi_fiov_disk *more = reallocarray(v->disk, v->n_disks + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	v->disk = more;
	for (uint32_t i = 0; has_members(u) && i < u->n_below; i++)
		sum_member(&d, whole(r, iob_result_device(r, u->below[i])));
	if (d.n_members)
		take_mean(&d);
	more[v->n_disks++] = d;
	return 0;
}

static int add_tree(struct iobi_fiov *v, const struct iob_result *r, const struct iob_device_use *u,
		    int depth)
{
	u = whole(r, u);
	if (is_listed(v, u) || depth > 16)
		return 0;
	int rc = add_disk(v, r, u);
	for (uint32_t i = 0; !rc && has_members(u) && i < u->n_below; i++)
		rc = add_tree(v, r, iob_result_device(r, u->below[i]), depth + 1);
	return rc;
}

/* disk_util=0 of any job turns it off. */
static bool is_off(const struct iobi_fiov *v)
{
	for (size_t i = 0; i < v->n_jobs; i++)
		if (!strcmp(iobi_fiov_option(v, &v->job[i], "disk_util"), "0"))
			return true;
	return false;
}

int iobi_fiov_disks(struct iobi_fiov *v, const struct iob_result *r)
{
	const struct iob_device_use *u;
	int rc = 0;
	for (size_t i = 0; !rc && !is_off(v) && (u = iob_result_device(r, i)); i++)
		if (u->flags & IOB_DEVICE_TARGET)
			rc = add_tree(v, r, u, 0);
	return rc;
}
