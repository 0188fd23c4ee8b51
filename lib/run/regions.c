/* SPDX-License-Identifier: MIT */
/* The targets of a plan: what of each is used, and whether it may be. */
#include "run/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static int check_multiple(const char *where, const char *path, uint64_t value, uint64_t align,
			  struct iob_error *err)
{
	if (value % align == 0)
		return 0;
	return iobi_fail_at(err, EINVAL, where, path, 0,
			    "%" PRIu64 " is not a multiple of %" PRIu64
			    ", the alignment that \"%s\" needs for this I/O",
			    value, align, path);
}

static uint64_t alignment(const struct iobi_plan *p, const struct iobi_target *t)
{
	uint64_t align = p->direct ? t->direct_align : 1;
	if (p->trims && t->is_block && t->logical_block > align)
		align = t->logical_block;
	return align ? align : 1;
}

static int check_alignment(const struct iobi_plan *p, const struct iobi_target *t,
			   struct iob_error *err)
{
	uint64_t align = alignment(p, t);
	int rc = check_multiple("offset", t->path, (uint64_t)iobi_param(p->w, IOB_PARAM_OFFSET),
				align, err);
	if (!rc)
		rc = check_multiple("size", t->path, (uint64_t)iobi_param(p->w, IOB_PARAM_SIZE),
				    align, err);
	if (!rc)
		rc = check_multiple("align", t->path, (uint64_t)iobi_param(p->w, IOB_PARAM_ALIGN), align,
				    err);
	if (!rc)
		rc = check_multiple("gap", t->path, (uint64_t)iobi_param(p->w, IOB_PARAM_GAP), align,
				    err);
	for (int side = 0; side < 2; side++) {
		const struct iobi_mix *mix = &p->w->mix[side];
		const char *where = side ? "block_size_write" : "block_size";
		if (!rc)
			rc = check_multiple(where, t->path, mix->low, align, err);
		for (unsigned i = 0; !rc && i < mix->n; i++)
			rc = check_multiple(where, t->path, mix->part[i].size, align, err);
	}
	return rc;
}

/* The region in slots; `size` is that of the target, or UINT64_MAX. */
static int plan_region(struct iobi_plan *p, struct iobi_plan_target *pt, const char *path,
		       uint64_t size, struct iob_error *err)
{
	uint64_t offset = (uint64_t)iobi_param(p->w, IOB_PARAM_OFFSET);
	uint64_t want = (uint64_t)iobi_param(p->w, IOB_PARAM_SIZE);
	if (offset >= size)
		return iobi_fail_at(err, EINVAL, "offset", path, 0,
				    "%" PRIu64 " is not inside \"%s\", which has %" PRIu64 " bytes",
				    offset, path, size);
	if (want > size - offset)
		return iobi_fail_at(err, EINVAL, "size", path, 0,
				    "%" PRIu64 " bytes from offset %" PRIu64
				    " pass the end of \"%s\", which has %" PRIu64,
				    want, offset, path, size);
	uint64_t region = want ? want : size - offset;
	pt->base = offset;
	pt->bytes = region / p->slot * p->slot;
	pt->slots = p->place == p->slot || !pt->bytes ? region / p->slot
						      : (region - p->slot) / p->place + 1;
	if (!pt->slots)
		return iobi_fail_at(err, EINVAL, "block_size", path, 0,
				    "a block of %u bytes does not fit into the region of %" PRIu64
				    " bytes of \"%s\"",
				    p->slot, region, path);
	if ((p->order == IOBI_ORDER_SEQUENTIAL || p->order == IOBI_ORDER_BACKWARD) &&
	    pt->slots < p->workers)
		return iobi_fail_at(err, EINVAL, "workers", path, 0,
				    "%u workers cannot share the %" PRIu64
				    " blocks of the region of \"%s\": a sequential worker needs a "
				    "stretch of its own",
				    p->workers, pt->slots, path);
	return 0;
}

static int plan_missing(struct iobi_plan *p, const struct iobi_targets *all,
			struct iobi_known_target *k, struct iob_error *err)
{
	enum iobi_layout layout = p->reads ? IOBI_LAYOUT_FILLED
					   : (enum iobi_layout)iobi_param(p->w, IOB_PARAM_LAYOUT);
	if (layout < k->layout)
		k->layout = layout;
	k->remove |= iobi_param(p->w, IOB_PARAM_REMOVE);
	uint64_t offset = (uint64_t)iobi_param(p->w, IOB_PARAM_OFFSET);
	uint64_t size = (uint64_t)iobi_param(p->w, IOB_PARAM_SIZE);
	if (!size)
		k->create_size = iobi_targets_making(all, k->t.path).size; /* as others want it */
	if (!size && offset < k->create_size)
		return 0;
	if (!size)
		return iobi_fail_at(err, EINVAL, "size", k->t.path, 0,
				    "\"%s\" is to be made, so its size must be given", k->t.path);
	if (size > (uint64_t)INT64_MAX - offset)
		return iobi_fail_at(err, EFBIG, "size", k->t.path, 0,
				    "offset + size is more than a file can have");
	if (offset + size > k->create_size)
		k->create_size = offset + size;
	return iobi_target_room(&k->t, k->create_size, err);
}

static int check_direct(const struct iobi_plan *p, const struct iobi_target *t,
			struct iob_error *err)
{
	if (!p->direct || t->direct_align)
		return 0;
	return iobi_fail_at(err, EINVAL, "direct", t->path, 0,
			    "\"%s\": its file system has no O_DIRECT; set direct=false, or use "
			    "another file system",
			    t->path);
}

/* Finds out now whether it opens as it will be opened, for reading alone. */
static int check_open(const struct iobi_plan *p, const struct iobi_target *t,
		      struct iob_error *err)
{
	int64_t polls;
	if (p->poll && (iobi_target_sysfs(t, "queue/io_poll", &polls) || polls != 1))
		return iobi_fail_at(err, ENOTSUP, "poll", t->path, 0,
				    "\"%s\" does not poll: its queue/io_poll is not 1; "
				    "set poll=false",
				    t->path);
	int fd = iobi_target_open(t, O_RDONLY | O_NONBLOCK | (p->direct ? O_DIRECT : 0), err);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int check_write(struct iobi_known_target *k, struct iob_error *err)
{
	k->written = true;
	if (k->guarded)
		return 0;
	int rc = iobi_guard_write(&k->t, err);
	k->guarded = rc == 0;
	return rc;
}

static int plan_target(struct iobi_plan *p, struct iobi_targets *all, size_t i,
		       struct iob_error *err)
{
	const struct iobi_workload_target *wt = &p->w->target[i];
	struct iobi_known_target *k;
	int rc = iobi_targets_know(all, wt->path, wt->flags, &k, err);
	if (rc < 0)
		return rc;
	p->target[i].known = k;
	rc = check_direct(p, &k->t, err);
	rc = rc ? rc : check_alignment(p, &k->t, err);
	if (!rc && k->t.missing)
		rc = plan_missing(p, all, k, err);
	if (!rc)
		rc = plan_region(p, &p->target[i], k->t.path,
				 k->t.missing ? k->create_size : k->t.size, err);
	if (!rc && !(p->ops->caps & IOB_ENGINE_NO_TARGET)) {
		if (!k->t.missing)
			rc = check_open(p, &k->t, err);
		if (!rc && (p->writes || p->trims))
			rc = check_write(k, err);
	}
	return rc;
}

int iobi_plan_targets(struct iobi_plan *p, struct iobi_targets *all, struct iob_error *err)
{
	bool none = p->ops->caps & IOB_ENGINE_NO_TARGET;
	size_t n = p->w->n_targets;
	if (!n && !none)
		return iobi_fail(err, EINVAL, "target",
				 "no target: name a block device or a file to run on");
	if (n > UINT16_MAX)
		return iobi_fail(err, EINVAL, "target", "%zu targets are more than a workload can have: %d",
				 n, UINT16_MAX);
	p->n_targets = n ? (uint32_t)n : 1;
	p->target = calloc(p->n_targets, sizeof(*p->target));
	if (!p->target)
		return iobi_no_memory(err);
	if (!n && !iobi_param(p->w, IOB_PARAM_SIZE))
		return iobi_fail(err, EINVAL, "size",
				 "engine %s has no target, so a size must be given", p->ops->name);
	if (!n)
		return plan_region(p, p->target, p->ops->name, INT64_MAX, err);
	for (size_t i = 0; i < n; i++) {
		int rc = plan_target(p, all, i, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
