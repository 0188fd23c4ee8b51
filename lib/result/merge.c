/* SPDX-License-Identifier: MIT */
/* One result from the parts of a plan that ran at the same time elsewhere. */
#include "result/rounds.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The parts' nodes at one place of the tree. */
struct nodes {
	const struct iob_result *const *part;
	size_t n;
};

static const char *const levels[] = { "suite", "stage", "workload", "worker" };

static int differs(const struct iob_result *a, size_t part, struct iob_error *err, const char *what,
		   const char *own, const char *first)
{
	return iobi_fail(err, EINVAL, "parts",
			 "part %zu is no run of the same plan as part 0: at %s \"%.100s\" its %s "
			 "is %.100s, that of part 0 %.100s",
			 part, levels[a->level], a->name, what, own, first);
}

static int differing_count(const struct iob_result *a, const struct iob_result *b, size_t part,
			   struct iob_error *err)
{
	char own[32], first[32], what[48] = "number of ";
	strcat(strcat(what, levels[a->level < IOB_LEVEL_WORKER ? a->level + 1 : a->level]), "s");
	return differs(a, part, err, what, iobi_format_u128(own, sizeof(own), b->n_child),
		       iobi_format_u128(first, sizeof(first), a->n_child));
}

/* A read-back result has no workers: only where both have some must they agree. */
static int same_count(const struct iob_result *a, const struct iob_result *b)
{
	int optional = a->level == IOB_LEVEL_WORKLOAD && (!a->n_child || !b->n_child);
	return optional || a->n_child == b->n_child;
}

static int check_shape(const struct iob_result *a, const struct iob_result *b, size_t part,
		       struct iob_error *err)
{
	int rc = 0;
	if (a->level != b->level)
		return differs(a, part, err, "level", levels[b->level], levels[a->level]);
	if (strcmp(a->name, b->name) != 0)
		return differs(a, part, err, "name", b->name, a->name);
	if (!same_count(a, b))
		return differing_count(a, b, part, err);
	for (size_t i = 0; i < a->n_child && i < b->n_child && !rc; i++)
		rc = check_shape(a->child[i], b->child[i], part, err);
	return rc;
}

static int check_parts(const struct nodes *nodes, struct iob_error *err)
{
	int rc = 0;
	if (!nodes->n)
		return iobi_fail(err, EINVAL, "parts",
				 "there are 0 parts to merge; give 1 or more");
	for (size_t i = 0; i < nodes->n && !rc; i++)
		if (!nodes->part || !nodes->part[i])
			rc = iobi_fail(err, EINVAL, "parts", "part %zu is NULL, not a result", i);
	for (size_t i = 1; i < nodes->n && !rc; i++)
		rc = check_shape(nodes->part[0], nodes->part[i], i, err);
	return rc;
}

enum which {
	PARAMS,
	EFFECTIVE,
	HOST
};

static const struct iobi_pairs *pairs_of(const struct iob_result *r, enum which which)
{
	return which == PARAMS ? &r->params : which == EFFECTIVE ? &r->effective : &r->host;
}

static int agreed(const struct nodes *nodes, enum which which, const struct iobi_pair *pair)
{
	for (size_t i = 1; i < nodes->n; i++) {
		const char *value = iobi_pairs_get(pairs_of(nodes->part[i], which), pair->name);
		if (!value || strcmp(value, pair->value) != 0)
			return 0;
	}
	return 1;
}

static int merge_pairs(struct iobi_pairs *into, const struct nodes *nodes, enum which which)
{
	const struct iobi_pairs *first = pairs_of(nodes->part[0], which);
	int rc = 0;
	for (size_t i = 0; i < first->n && !rc; i++)
		if (agreed(nodes, which, &first->pair[i]))
			rc = iobi_pairs_set(into, first->pair[i].name, first->pair[i].value);
	return rc;
}

static void merge_window(struct iob_result *r, const struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		const struct iob_result *p = nodes->part[i];
		r->flags |= p->flags;
		if (p->elapsed_ns > r->elapsed_ns)
			r->elapsed_ns = p->elapsed_ns;
		if (p->started_ns && (!r->started_ns || p->started_ns < r->started_ns))
			r->started_ns = p->started_ns;
	}
}

/* What was seen of one machine is not of several. */
static int merge_findings(struct iob_result *r, const struct nodes *nodes)
{
	int rc = 0;
	if (nodes->n == 1) {
		r->machine = nodes->part[0]->machine;
		r->recorded = iobi_recorded_hold(nodes->part[0]->recorded);
		r->search = iobi_search_copy(nodes->part[0]->search);
		rc = nodes->part[0]->search && !r->search ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < nodes->n && !rc; i++)
		rc = iobi_findings_keep(r, nodes->part[i], nodes->n == 1);
	return rc;
}

/* Parts that ran the same rounds have been judged apart, and are judged together. */
static int merge_rounds(struct iob_result *r, const struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (!iobi_rounds_same(nodes->part[0]->rounds, nodes->part[i]->rounds))
			return 0;
	r->rounds = iobi_rounds_copy(nodes->part[0]->rounds);
	return r->rounds || !nodes->part[0]->rounds ? 0 : -ENOMEM;
}

static int merge_error(struct iob_result *r, const struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n && !r->error; i++) {
		if (!nodes->part[i]->error)
			continue;
		r->error = malloc(sizeof(*r->error));
		if (!r->error)
			return -ENOMEM;
		*r->error = *nodes->part[i]->error;
	}
	return 0;
}

/* What a workload or a worker was given itself; a stage's follows from below. */
static int merge_own(struct iob_result *r, const struct nodes *nodes)
{
	int rc = 0;
	if (r->level == IOB_LEVEL_SUITE || r->level == IOB_LEVEL_STAGE)
		return 0;
	for (size_t i = 0; i < nodes->n && !rc; i++) {
		const struct iob_result *p = nodes->part[i];
		rc = iobi_result_add_targets(r, p);
		if (!rc)
			rc = iobi_devices_join(r, p, IOBI_JOIN_PARALLEL, 0);
		if (!rc)
			rc = iobi_intervals_join(r, p);
	}
	return rc;
}

/* Counts of a node without children; of others they come with the children. */
static int merge_leaf(struct iob_result *r, const struct nodes *nodes)
{
	if (r->n_child)
		return 0;
	for (size_t i = 0; i < nodes->n; i++)
		if (__builtin_add_overflow(r->unfinished, nodes->part[i]->unfinished,
					   &r->unfinished))
			return -EOVERFLOW;
	for (size_t i = 0; i < nodes->n; i++) {
		if (iobi_usage_add(&r->usage, &nodes->part[i]->usage))
			return -EOVERFLOW;
		if (iobi_pace_join(r, nodes->part[i]->pace))
			return -ENOMEM;
	}
	return iobi_result_sum(r, nodes->part, nodes->n);
}

static int merge_into(struct iob_result *r, const struct nodes *nodes);

static int merge_child(struct iob_result *r, const struct nodes *nodes, size_t i)
{
	const struct iob_result *first = nodes->part[0]->child[i];
	const struct iob_result **part = malloc(nodes->n * sizeof(*part));
	struct iob_result *child = part ? iobi_result_new(first->level, first->name) : NULL;
	int rc = child ? 0 : -ENOMEM;

	for (size_t p = 0; p < nodes->n && !rc; p++)
		part[p] = nodes->part[p]->child[i];
	if (!rc)
		rc = merge_into(child, &(struct nodes){ part, nodes->n });
	free(part);
	if (!rc)
		return iobi_result_adopt(r, child);
	iob_result_free(child);
	return rc;
}

static size_t common_children(const struct nodes *nodes)
{
	size_t least = nodes->part[0]->n_child;
	for (size_t i = 1; i < nodes->n; i++)
		least = nodes->part[i]->n_child < least ? nodes->part[i]->n_child : least;
	return least;
}

static int merge_into(struct iob_result *r, const struct nodes *nodes)
{
	size_t n = common_children(nodes);
	int rc = 0;

	merge_window(r, nodes);
	for (size_t i = 0; i < n && !rc; i++)
		rc = merge_child(r, nodes, i);
	if (!rc)
		rc = merge_leaf(r, nodes);
	for (int which = PARAMS; which <= HOST && !rc; which++)
		rc = merge_pairs((struct iobi_pairs *)pairs_of(r, (enum which)which), nodes,
				 (enum which)which);
	if (!rc)
		rc = merge_findings(r, nodes);
	if (!rc)
		rc = merge_error(r, nodes);
	if (!rc)
		rc = merge_rounds(r, nodes);
	if (!rc)
		rc = merge_own(r, nodes);
	return rc ? rc : iobi_result_close(r);
}

struct iob_result *iob_result_merge(const struct iob_result *const *parts, size_t n,
				    struct iob_error *err)
{
	struct nodes nodes = { parts, n };
	if (check_parts(&nodes, err))
		return NULL;
	struct iob_result *r = iobi_result_new(parts[0]->level, parts[0]->name);
	int rc = r ? merge_into(r, &nodes) : -ENOMEM;
	if (!rc)
		return r;
	iob_result_free(r);
	if (rc == -EOVERFLOW)
		iobi_fail(err, EOVERFLOW, "parts", "the sum of a counter passes 2^64 - 1");
	else
		iobi_no_memory(err);
	return NULL;
}
