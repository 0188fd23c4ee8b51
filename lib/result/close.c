/* SPDX-License-Identifier: MIT */
/* Summing up: what a node says follows from the nodes below it. */
#include "result/rounds.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_to(uint64_t *sum, uint64_t more)
{
	return __builtin_add_overflow(*sum, more, sum) ? -EOVERFLOW : 0;
}

/* The coarser of two precisions; an empty histogram has no say. */
static int coarser(int bits, const struct iob_hist *h)
{
	if (!h || !iob_hist_count(h))
		return bits;
	int own = iob_hist_precision(h);
	return !bits || own < bits ? own : bits;
}

static int make_empty(struct iob_hist **h, int bits)
{
	if (*h)
		return 0;
	*h = iob_hist_new(bits, NULL);
	return *h ? 0 : -ENOMEM;
}

/* What a histogram that nobody gave should be: as coarse as the coarsest. */
static int default_bits(const struct iob_result *r)
{
	int filled = 0, any = 0;
	for (int op = 0; op < IOBI_RESULT_OPS; op++)
		for (int l = 0; l < IOBI_RESULT_LATENCIES; l++) {
			const struct iob_hist *h = r->op[op].latency[l];
			int bits = h ? iob_hist_precision(h) : 0;
			filled = coarser(filled, h);
			any = bits && (!any || bits < any) ? bits : any;
		}
	return filled ? filled : any;
}

static int coarsest_below(const struct iob_result *r)
{
	int bits = default_bits(r);
	for (size_t i = 0; i < r->n_child; i++) {
		int own = default_bits(r->child[i]);
		bits = own && (!bits || own < bits) ? own : bits;
	}
	return bits ? bits : 8;
}

static int merge_hist(struct iob_hist *into, const struct iob_hist *from)
{
	return from && iob_hist_count(from) ? iob_hist_merge(into, from) : 0;
}

/* One histogram of a node from those of its parts. */
static int sum_hist(struct iob_hist **own, const struct iob_result *const *part, size_t n, int op,
		    int l)
{
	int bits = 0, rc = 0;

	if (*own)
		return 0;
	for (size_t i = 0; i < n; i++)
		bits = coarser(bits, part[i]->op[op].latency[l]);
	if (!bits)
		return 0;
	rc = make_empty(own, bits);
	for (size_t i = 0; i < n && !rc; i++)
		rc = merge_hist(*own, part[i]->op[op].latency[l]);
	return rc;
}

static int sum_op(struct iob_result *r, const struct iob_result *const *part, size_t n, int op)
{
	int rc = 0;
	for (size_t i = 0; i < n; i++)
		for (int c = 0; c < IOBI_RESULT_COUNTS && !rc; c++)
			rc = add_to(&r->op[op].count[c], part[i]->op[op].count[c]);
	for (int l = 0; l < IOBI_RESULT_LATENCIES && !rc; l++)
		rc = sum_hist(&r->op[op].latency[l], part, n, op, l);
	return rc;
}

int iobi_result_sum(struct iob_result *r, const struct iob_result *const *part, size_t n)
{
	int rc = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		rc = sum_op(r, part, n, op);
	return rc;
}

/* IOB_OP_ALL: a flush moves no data and is not in it. */
static int sum_all_hist(struct iob_result *r, int l)
{
	struct iob_hist **all = &r->op[IOB_OP_ALL].latency[l];
	int bits = 0, rc = 0;

	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++)
		bits = coarser(bits, r->op[op].latency[l]);
	if (!bits || *all)
		return 0;
	rc = make_empty(all, bits);
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM && !rc; op++)
		rc = merge_hist(*all, r->op[op].latency[l]);
	return rc;
}

static int sum_all(struct iob_result *r)
{
	int rc = 0;
	memset(r->op[IOB_OP_ALL].count, 0, sizeof(r->op[IOB_OP_ALL].count));
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++)
		for (int c = 0; c < IOBI_RESULT_COUNTS && !rc; c++)
			rc = add_to(&r->op[IOB_OP_ALL].count[c], r->op[op].count[c]);
	for (int l = 0; l < IOBI_RESULT_LATENCIES && !rc; l++)
		rc = sum_all_hist(r, l);
	return rc;
}

static int fill_missing(struct iob_result *r)
{
	int bits = coarsest_below(r), rc = 0;
	for (int op = 0; op < IOBI_RESULT_OPS; op++)
		for (int l = 0; l < IOBI_RESULT_LATENCIES && !rc; l++)
			rc = make_empty(&r->op[op].latency[l], bits);
	return rc;
}

static int sum_ops(struct iob_result *r)
{
	int rc = iobi_result_sum(r, (const struct iob_result *const *)r->child, r->n_child);
	if (!rc)
		rc = sum_all(r);
	return rc ? rc : fill_missing(r);
}

static int sum_flags(struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_child && !rc; i++) {
		r->flags |= r->child[i]->flags;
		rc = add_to(&r->unfinished, r->child[i]->unfinished);
	}
	for (int op = 0; op < IOBI_RESULT_OPS; op++)
		if (r->op[op].count[IOB_COUNT_ERRORS] || r->op[op].count[IOB_COUNT_SHORT])
			r->flags |= IOB_RESULT_ERRORS;
	if (r->error)
		r->flags |= IOB_RESULT_ERRORS;
	return rc;
}

static int first_error(struct iob_result *r)
{
	for (size_t i = 0; i < r->n_child && !r->error; i++) {
		if (!r->child[i]->error)
			continue;
		r->error = malloc(sizeof(*r->error));
		if (!r->error)
			return -ENOMEM;
		*r->error = *r->child[i]->error;
	}
	return 0;
}

static int sum_usage(struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_child && !rc; i++)
		rc = iobi_usage_add(&r->usage, &r->child[i]->usage);
	return rc;
}

/* Stages follow one another: what was asked of one was not asked of the others. */
static double mean_asked(const struct iob_result *r)
{
	double sum = 0, time = 0;
	for (size_t i = 0; i < r->n_child; i++) {
		if (!r->child[i]->pace)
			continue;
		sum += r->child[i]->pace->asked_iops * (double)r->child[i]->elapsed_ns;
		time += (double)r->child[i]->elapsed_ns;
	}
	return time > 0 ? sum / time : r->pace->asked_iops / (double)r->n_child;
}

static int join_pace(struct iob_result *r)
{
	int rc = 0;
	if (r->pace) /* its own */
		return 0;
	for (size_t i = 0; i < r->n_child && !rc; i++)
		rc = iobi_pace_join(r, r->child[i]->pace);
	if (r->pace && r->level == IOB_LEVEL_SUITE)
		r->pace->asked_iops = mean_asked(r);
	return rc;
}

/* Where the window was not measured at this level, it follows from those below. */
static int sum_window(struct iob_result *r)
{
	uint64_t longest = 0, total = 0, first = 0;
	int rc = 0;

	for (size_t i = 0; i < r->n_child && !rc; i++) {
		const struct iob_result *c = r->child[i];
		longest = c->elapsed_ns > longest ? c->elapsed_ns : longest;
		first = c->started_ns && (!first || c->started_ns < first) ? c->started_ns : first;
		rc = add_to(&total, c->elapsed_ns);
	}
	if (r->level == IOB_LEVEL_SUITE)
		r->elapsed_ns = total;
	if (r->level == IOB_LEVEL_STAGE)
		r->elapsed_ns = longest;
	if (!r->started_ns)
		r->started_ns = first;
	return rc;
}

/* Mostly it is where it was in the list that is joined: at `hint`. */
static struct iob_target_use *find_target(struct iob_result *r, const char *path, size_t hint)
{
	if (hint < r->n_targets && strcmp(r->targets[hint].path, path) == 0)
		return &r->targets[hint];
	for (size_t i = 0; i < r->n_targets; i++)
		if (strcmp(r->targets[i].path, path) == 0)
			return &r->targets[i];
	return NULL;
}

static struct iob_target_use *new_target(struct iob_result *r, const struct iob_target_use *use)
{
	struct iob_target_use *more = realloc(r->targets, (r->n_targets + 1) * sizeof(*more));
	if (!more)
		return NULL;
	r->targets = more;
	struct iob_target_use *t = &more[r->n_targets];
	*t = (struct iob_target_use){ .size = sizeof(*t), .target_bytes = use->target_bytes };
	t->path = strdup(use->path);
	if (!t->path)
		return NULL;
	r->n_targets++;
	return t;
}

static int add_target(struct iob_result *r, struct iob_target_use *t,
		      const struct iob_target_use *use)
{
	if (!t)
		t = new_target(r, use);
	if (!t)
		return -ENOMEM;
	if (add_to(&t->ios, use->ios) || add_to(&t->bytes, use->bytes) ||
	    add_to(&t->errors, use->errors))
		return -EOVERFLOW;
	return 0;
}

/* Lists of thousands are joined: those of the first are new, each path is in a
 * list once. */
int iobi_result_add_targets(struct iob_result *r, const struct iob_result *from)
{
	bool first = !r->n_targets;
	int rc = 0;
	for (size_t i = 0; i < from->n_targets && !rc; i++) {
		const struct iob_target_use *use = &from->targets[i];
		rc = add_target(r, first ? NULL : find_target(r, use->path, i), use);
	}
	return rc;
}

int iobi_result_add_target(struct iob_result *r, const struct iob_target_use *use)
{
	return add_target(r, find_target(r, use->path, r->n_targets), use);
}

static int join_targets(struct iob_result *r)
{
	int rc = 0;
	if (r->n_targets)
		return 0;
	for (size_t i = 0; i < r->n_child && !rc; i++)
		rc = iobi_result_add_targets(r, r->child[i]);
	return rc;
}

static int join_devices(struct iob_result *r)
{
	uint64_t shift = 0;
	int rc = 0;
	for (size_t i = 0; i < r->n_child && r->level < IOB_LEVEL_WORKLOAD && !rc; i++) {
		if (r->level == IOB_LEVEL_SUITE)
			rc = iobi_devices_join(r, r->child[i], IOBI_JOIN_AFTER, shift);
		else
			rc = iobi_devices_join(r, r->child[i], IOBI_JOIN_SAME, 0);
		shift += r->child[i]->elapsed_ns;
	}
	return rc ? rc : iobi_devices_derive(r);
}

/* Stages follow one another; the workloads of a stage run side by side. */
static int join_series(struct iob_result *r)
{
	int rc = 0;
	if (r->level == IOB_LEVEL_WORKER || r->level == IOB_LEVEL_WORKLOAD || r->n_intervals)
		return iobi_intervals_complete(r);
	if (r->level == IOB_LEVEL_SUITE)
		return iobi_intervals_chain(r);
	for (size_t i = 0; i < r->n_child && !rc; i++)
		rc = iobi_intervals_join(r, r->child[i]);
	return rc;
}

int iobi_result_close(struct iob_result *r)
{
	int rc = sum_ops(r);
	iobi_machine_settle(&r->machine);
	if (!rc)
		rc = first_error(r);
	if (!rc)
		rc = sum_flags(r);
	if (!rc)
		rc = sum_window(r);
	if (!rc)
		rc = join_pace(r);
	if (!rc)
		rc = sum_usage(r);
	if (!rc)
		rc = join_targets(r);
	if (!rc)
		rc = join_devices(r);
	if (!rc)
		rc = join_series(r);
	if (!rc)
		rc = iobi_rounds_close(r);
	return rc ? rc : iobi_findings_close(r);
}
