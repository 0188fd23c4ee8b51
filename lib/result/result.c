/* SPDX-License-Identifier: MIT */
/* The tree of what was measured: its nodes, and the calls that read them. */
#include "result/result_priv.h"
#include "result/rounds.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct iobi_pair *find_pair(const struct iobi_pairs *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->pair[i].name, name) == 0)
			return &p->pair[i];
	return NULL;
}

static int replace(char **text, const char *value)
{
	char *copy = strdup(value ? value : "");
	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

int iobi_pairs_set(struct iobi_pairs *p, const char *name, const char *value)
{
	struct iobi_pair *had = find_pair(p, name);
	if (had)
		return replace(&had->value, value);
	struct iobi_pair *more = realloc(p->pair, (p->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->pair = more;
	struct iobi_pair fresh = { NULL, NULL };
	if (replace(&fresh.name, name) || replace(&fresh.value, value)) {
		free(fresh.name);
		return -ENOMEM;
	}
	more[p->n++] = fresh;
	return 0;
}

const char *iobi_pairs_get(const struct iobi_pairs *p, const char *name)
{
	struct iobi_pair *pair = name ? find_pair(p, name) : NULL;
	return pair ? pair->value : NULL;
}

void iobi_pairs_clear(struct iobi_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->pair[i].name);
		free(p->pair[i].value);
	}
	free(p->pair);
	p->pair = NULL;
	p->n = 0;
}

struct iob_result *iobi_result_new(enum iob_level level, const char *name)
{
	struct iob_result *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->level = level;
	iobi_machine_unknown(&r->machine);
	if (replace(&r->name, name)) {
		free(r);
		return NULL;
	}
	return r;
}

int iobi_result_adopt(struct iob_result *parent, struct iob_result *child)
{
	size_t n = parent->n_child;
	struct iob_result **more = parent->child;

	/* Room grows in powers of two: a suite may have a million stages. */
	if ((n & (n - 1)) == 0)
		more = realloc(more, (n ? 2 * n : 1) * sizeof(struct iob_result *));
	if (!more) {
		iob_result_free(child);
		return -ENOMEM;
	}
	parent->child = more;
	parent->child[parent->n_child++] = child;
	child->parent = parent;
	return 0;
}

static void free_measured(struct iob_result *r)
{
	for (int op = 0; op < IOBI_RESULT_OPS; op++) {
		for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
			iob_hist_free(r->op[op].latency[l]);
		free(r->interval[op]);
	}
	for (size_t i = 0; i < r->n_targets; i++)
		free((char *)r->targets[i].path);
	free(r->targets);
	iobi_devices_free(r);
}

void iob_result_free(struct iob_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_child; i++)
		iob_result_free(r->child[i]);
	free(r->child);
	free_measured(r);
	iobi_findings_free(r);
	iobi_recorded_drop(r->recorded);
	iobi_search_drop(r->search);
	iobi_rounds_free(r->rounds);
	iobi_pairs_clear(&r->params);
	iobi_pairs_clear(&r->effective);
	iobi_pairs_clear(&r->host);
	free(r->error);
	free(r->pace);
	free(r->name);
	free(r);
}

enum iob_level iob_result_level(const struct iob_result *r)
{
	return r ? r->level : IOB_LEVEL_SUITE;
}

const char *iob_result_name(const struct iob_result *r)
{
	return r ? r->name : "";
}

size_t iob_result_child_count(const struct iob_result *r)
{
	return r ? r->n_child : 0;
}

const struct iob_result *iob_result_child(const struct iob_result *r, size_t i)
{
	return r && i < r->n_child ? r->child[i] : NULL;
}

unsigned iob_result_flags(const struct iob_result *r)
{
	return r ? r->flags : 0;
}

uint64_t iob_result_elapsed_ns(const struct iob_result *r)
{
	return r ? r->elapsed_ns : 0;
}

uint64_t iob_result_started_ns(const struct iob_result *r)
{
	return r ? r->started_ns : 0;
}

uint64_t iob_result_unfinished(const struct iob_result *r)
{
	return r ? r->unfinished : 0;
}

uint64_t iob_result_count(const struct iob_result *r, enum iob_op op, enum iob_count c)
{
	if (!r || (unsigned)op >= IOBI_RESULT_OPS || (unsigned)c >= IOBI_RESULT_COUNTS)
		return 0;
	return r->op[op].count[c];
}

static double per_second(const struct iob_result *r, enum iob_op op, enum iob_count c)
{
	if (!r || !r->elapsed_ns)
		return 0;
	return (double)iob_result_count(r, op, c) / (double)r->elapsed_ns * 1e9;
}

double iob_result_iops(const struct iob_result *r, enum iob_op op)
{
	return per_second(r, op, IOB_COUNT_IOS);
}

double iob_result_bytes_per_s(const struct iob_result *r, enum iob_op op)
{
	return per_second(r, op, IOB_COUNT_BYTES);
}

const struct iob_hist *iob_result_hist(const struct iob_result *r, enum iob_op op,
				       enum iob_latency l)
{
	if (!r || (unsigned)op >= IOBI_RESULT_OPS || (unsigned)l >= IOBI_RESULT_LATENCIES)
		return NULL;
	return r->op[op].latency[l];
}

/* A worker has its workload's; above a workload, what all below agree on. */
static const char *look_up(const struct iob_result *r, const char *name, int effective)
{
	if (r->level == IOB_LEVEL_WORKER)
		return r->parent ? look_up(r->parent, name, effective) : NULL;
	if (r->level == IOB_LEVEL_WORKLOAD)
		return iobi_pairs_get(effective ? &r->effective : &r->params, name);
	const char *agreed = NULL;
	for (size_t i = 0; i < r->n_child; i++) {
		const char *value = look_up(r->child[i], name, effective);
		if (!value || (agreed && strcmp(agreed, value) != 0))
			return NULL;
		agreed = value;
	}
	return agreed;
}

const char *iob_result_param(const struct iob_result *r, const char *name)
{
	return r && name ? look_up(r, name, 0) : NULL;
}

const char *iob_result_effective(const struct iob_result *r, const char *name)
{
	return r && name ? look_up(r, name, 1) : NULL;
}

const struct iob_error *iob_result_error(const struct iob_result *r)
{
	return r ? r->error : NULL;
}

size_t iob_result_target_count(const struct iob_result *r)
{
	return r ? r->n_targets : 0;
}

const struct iob_target_use *iob_result_target(const struct iob_result *r, size_t i)
{
	return r && i < r->n_targets ? &r->targets[i] : NULL;
}

size_t iob_result_interval_count(const struct iob_result *r)
{
	return r ? r->n_intervals : 0;
}

const struct iob_interval *iob_result_interval(const struct iob_result *r, size_t i, enum iob_op op)
{
	if (!r || i >= r->n_intervals || (unsigned)op >= IOBI_RESULT_OPS || !r->interval[op])
		return NULL;
	return &r->interval[op][i];
}
