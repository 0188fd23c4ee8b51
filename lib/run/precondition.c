/* SPDX-License-Identifier: MIT */
/* Preconditioning that depends on no workload: sequential writes over the whole
 * region, twice (SNIA PTS). */
#include "run/plan.h"
#include <errno.h>
#include <inttypes.h>
#include <iobench/pts.h>
#include <iobench/suite.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BLOCK = 128 * 1024,
	DEPTH = 32
};

/* What of a target is to be written: whole blocks, and what is left at its end. */
struct region {
	struct iob_workload *w; /* on that target alone */
	uint64_t offset, bytes;
	uint64_t end, rest; /* bytes behind the last block that can, and cannot, be written */
};

struct setting {
	enum iob_param param;
	const char *value;
};

/* All that could keep it from writing each block twice in order. */
static const struct setting settings[] = {
	{ IOB_PARAM_PATTERN, "sequential" },
	{ IOB_PARAM_BLOCK_SIZE, "128k" },
	{ IOB_PARAM_BLOCK_SIZE_WRITE, "" },
	{ IOB_PARAM_READ_PERCENT, "0" },
	{ IOB_PARAM_TRIM_PERCENT, "0" },
	{ IOB_PARAM_QUEUE_DEPTH, "32" },
	{ IOB_PARAM_WORKERS, "1" },
	{ IOB_PARAM_RUNTIME, "0" },
	{ IOB_PARAM_RAMP_TIME, "0" },
	{ IOB_PARAM_IO_SIZE, "0" },
	{ IOB_PARAM_IOS, "0" },
	{ IOB_PARAM_PASSES, "2" },
	{ IOB_PARAM_SYNC, "none" },
	{ IOB_PARAM_FSYNC_EVERY, "0" },
	{ IOB_PARAM_END_SYNC, "true" },
	{ IOB_PARAM_ON_ERROR, "cancel" },
	{ IOB_PARAM_POLL, "false" },
	{ IOB_PARAM_GAP, "0" },
	{ IOB_PARAM_RUN_LENGTH, "1" },
	{ IOB_PARAM_ALIGN, "0" },
	{ IOB_PARAM_DISTRIBUTION, "uniform" },
	{ IOB_PARAM_TARGET_ORDER, "turn" },
	{ IOB_PARAM_TARGET_RUN, "1" },
	{ IOB_PARAM_START_DELAY, "0" },
	{ IOB_PARAM_ENDS_OTHERS, "none" },
	{ IOB_PARAM_PRE_READ, "false" },
	{ IOB_PARAM_ARRIVAL, "closed" },
	{ IOB_PARAM_RATE_IOPS, "0" },
	{ IOB_PARAM_RATE_IOPS_WRITE, "0" },
	{ IOB_PARAM_RATE_BYTES, "0" },
	{ IOB_PARAM_RATE_BYTES_WRITE, "0" },
	{ IOB_PARAM_THINK_TIME, "0" },
	{ IOB_PARAM_TRIM_FIRST, "false" },
	{ IOB_PARAM_MAKE_ONLY, "false" },
	{ IOB_PARAM_NAME, "" },
};

/* ---- one target ---- */

static void keep_target(struct iob_workload *w, size_t i)
{
	struct iobi_workload_target kept = w->target[i];
	w->target[i] = w->target[0];
	w->target[0] = kept;
	while (w->n_targets > 1)
		free(w->target[--w->n_targets].path);
}

static struct iob_workload *writer(const struct iob_workload *base, size_t target,
				   struct iob_error *err)
{
	struct iob_workload *w = iob_workload_copy(base, err);
	int rc = w ? 0 : -ENOMEM;
	for (size_t i = 0; i < IOBI_LEN(settings) && !rc; i++)
		rc = iob_workload_set_str(w, settings[i].param, settings[i].value, err);
	if (!rc && w->ops && iobi_engine_max_depth(w->ops) < DEPTH)
		rc = iob_workload_set_int(w, IOB_PARAM_QUEUE_DEPTH, iobi_engine_max_depth(w->ops),
					  err);
	if (!rc && w->n_targets)
		keep_target(w, target);
	if (!rc)
		return w;
	iob_workload_free(w);
	return NULL;
}

/* Of a region that is wrong nothing is said here: running it will. */
static int look(struct region *r, struct iob_error *err)
{
	struct iobi_target t = { .fd = -1, .size = INT64_MAX, .direct_align = 512 };
	uint64_t size = (uint64_t)iobi_param(r->w, IOB_PARAM_SIZE);
	int rc = r->w->n_targets
			 ? iobi_target_init(&t, r->w->target[0].path, r->w->target[0].flags, err)
			 : 0;
	if (rc < 0)
		return rc;
	r->offset = (uint64_t)iobi_param(r->w, IOB_PARAM_OFFSET);
	r->bytes = size ? size : t.size > r->offset ? t.size - r->offset : BLOCK;
	bool direct = iobi_param(r->w, IOB_PARAM_DIRECT) && t.direct_align;
	r->rest = direct ? r->bytes % BLOCK % t.direct_align : 0;
	r->end = r->bytes % BLOCK - r->rest;
	iobi_target_free(&t);
	return 0;
}

/* What is left behind the last 128 KiB, as one block. */
static int to_end(struct region *r, struct iob_error *err)
{
	int rc = iob_workload_set_int(r->w, IOB_PARAM_BLOCK_SIZE, (int64_t)r->end, err);
	rc = rc < 0 ? rc : iob_workload_set_int(r->w, IOB_PARAM_SIZE, (int64_t)r->end, err);
	return rc < 0 ? rc
		      : iob_workload_set_int(r->w, IOB_PARAM_OFFSET,
					     (int64_t)(r->offset + r->bytes / BLOCK * BLOCK), err);
}

static int note_rest(struct iob_suite *s, const struct region *r, struct iob_error *err)
{
	char text[512];
	if (!r->rest)
		return 0;
	snprintf(text, sizeof(text),
		 "the last %" PRIu64 " bytes of \"%.300s\" are no whole block, and are not "
		 "preconditioned",
		 r->rest, r->w->n_targets ? r->w->target[0].path : "the region");
	return iob_suite_add_note(s, text, err);
}

/* ---- all of them, side by side ---- */

static int add_blocks(struct iob_suite *s, const struct region *r, size_t n, struct iob_error *err)
{
	int rc = iob_suite_next_stage(s, "precondition", err);
	for (size_t i = 0; i < n && rc >= 0; i++)
		if (r[i].bytes >= BLOCK)
			rc = iob_suite_add(s, r[i].w, err);
	return rc;
}

static int add_ends(struct iob_suite *s, struct region *r, size_t n, struct iob_error *err)
{
	int rc = iob_suite_next_stage(s, "precondition: end of the region", err);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		if (r[i].end)
			rc = to_end(&r[i], err);
		if (r[i].end && rc >= 0)
			rc = iob_suite_add(s, r[i].w, err);
		rc = rc < 0 ? rc : note_rest(s, &r[i], err);
	}
	return rc < 0 ? rc : iob_suite_next_stage(s, NULL, err);
}

int iob_suite_add_precondition(struct iob_suite *s, const struct iob_workload *base,
			       struct iob_error *err)
{
	if (!s || !base)
		return iobi_is_null(err, s ? "workload" : "suite");
	size_t n = base->n_targets ? base->n_targets : 1;
	struct region *r = calloc(n, sizeof(*r));
	int rc = r ? 0 : iobi_no_memory(err);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		r[i].w = writer(base, i, err);
		rc = r[i].w ? look(&r[i], err) : -ENOMEM;
	}
	rc = rc < 0 ? rc : add_blocks(s, r, n, err);
	rc = rc < 0 ? rc : add_ends(s, r, n, err);
	for (size_t i = 0; r && i < n; i++)
		iob_workload_free(r[i].w);
	free(r);
	return rc < 0 ? rc : 0;
}
