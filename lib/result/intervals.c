/* SPDX-License-Identifier: MIT */
/* The interval series of nodes above a workload: those below it in one. */
#include "result/result_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t end_of(const struct iob_interval *v)
{
	return v->start_ns + v->length_ns;
}

static struct iob_interval *no_io(const struct iob_interval *grid, size_t n)
{
	struct iob_interval *v = calloc(n, sizeof(*v));
	for (size_t i = 0; v && i < n; i++) {
		v[i].size = sizeof(*v);
		v[i].start_ns = grid[i].start_ns;
		v[i].length_ns = grid[i].length_ns;
		v[i].mean_ns = v[i].submit_mean_ns = NAN;
	}
	return v;
}

/* Percentiles of two sets of samples cannot be told from those of each: 0. */
static void add_io(struct iob_interval *into, const struct iob_interval *more)
{
	if (!more->ios) {
		into->bytes += more->bytes;
		return;
	}
	int sole = !into->ios;
	double had = (double)into->ios, new = (double)more->ios;
	into->ios += more->ios;
	into->bytes += more->bytes;
	into->mean_ns = sole ? more->mean_ns
			     : (into->mean_ns * had + more->mean_ns * new) / (had + new);
	into->submit_mean_ns =
		sole ? more->submit_mean_ns
		     : (into->submit_mean_ns * had + more->submit_mean_ns * new) / (had + new);
	into->p50_ns = sole ? more->p50_ns : 0;
	into->p99_ns = sole ? more->p99_ns : 0;
	into->max_ns = more->max_ns > into->max_ns ? more->max_ns : into->max_ns;
}

static const struct iob_interval *any_series(const struct iob_result *r)
{
	for (int op = 0; op < IOBI_RESULT_OPS; op++)
		if (r->interval[op])
			return r->interval[op];
	return NULL;
}

int iobi_intervals_complete(struct iob_result *r)
{
	const struct iob_interval *grid = any_series(r);
	int no_all = !r->interval[IOB_OP_ALL];

	if (!grid || !r->n_intervals) {
		r->n_intervals = 0;
		return 0;
	}
	for (int op = 0; op < IOBI_RESULT_OPS; op++)
		if (!r->interval[op] && !(r->interval[op] = no_io(grid, r->n_intervals)))
			return -ENOMEM;
	for (int op = IOB_OP_READ; no_all && op <= IOB_OP_TRIM; op++)
		for (size_t i = 0; i < r->n_intervals; i++)
			add_io(&r->interval[IOB_OP_ALL][i], &r->interval[op][i]);
	return 0;
}

/* Where the intervals of `from` go in a series with the grid of `grid`: places
 * past its end are new intervals. NULL: no memory. */
struct places {
	size_t *at;
	size_t total; /* intervals in the joined series */
};

static int find_places(struct places *p, const struct iob_interval *grid, size_t n_grid,
		       const struct iob_interval *from, size_t n)
{
	size_t g = 0;
	p->total = n_grid;
	p->at = calloc(n ? n : 1, sizeof(*p->at));
	if (!p->at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t middle = from[i].start_ns + from[i].length_ns / 2;
		while (g < n_grid && end_of(&grid[g]) <= middle)
			g++;
		p->at[i] = g < n_grid ? g : p->total++;
	}
	return 0;
}

/* A new interval begins where the one before it ends, at the earliest. */
static void append(struct iob_interval *into, size_t at, const struct iob_interval *v)
{
	uint64_t after = at ? end_of(&into[at - 1]) : 0;
	into[at] = *v;
	if (v->start_ns < after && end_of(v) > after) {
		into[at].start_ns = after;
		into[at].length_ns = end_of(v) - after;
	}
}

static struct iob_interval *join_op(const struct iob_interval *grid, size_t n_grid,
				    const struct iob_interval *from, size_t n,
				    const struct places *p)
{
	struct iob_interval *out = calloc(p->total, sizeof(*out));
	if (!out)
		return NULL;
	if (n_grid)
		memcpy(out, grid, n_grid * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		if (p->at[i] < n_grid)
			add_io(&out[p->at[i]], &from[i]);
		else
			append(out, p->at[i], &from[i]);
	return out;
}

static uint64_t longest(const struct iob_interval *v, size_t n)
{
	uint64_t most = 0;
	for (size_t i = 0; i < n; i++)
		most = v[i].length_ns > most ? v[i].length_ns : most;
	return most;
}

static int join_all_ops(struct iob_result *r, struct iob_interval *const part[IOBI_RESULT_OPS],
			size_t n)
{
	int own_grid = longest(r->interval[0], r->n_intervals) >= longest(part[0], n);
	size_t n_grid = own_grid ? r->n_intervals : n, n_from = own_grid ? n : r->n_intervals;
	struct places p;
	int rc = find_places(&p, own_grid ? r->interval[0] : part[0], n_grid,
			     own_grid ? part[0] : r->interval[0], n_from);

	for (int op = 0; op < IOBI_RESULT_OPS && !rc; op++) {
		struct iob_interval *out =
			join_op(own_grid ? r->interval[op] : part[op], n_grid,
				own_grid ? part[op] : r->interval[op], n_from, &p);
		rc = out ? 0 : -ENOMEM;
		if (out) {
			free(r->interval[op]);
			r->interval[op] = out;
		}
	}
	if (!rc)
		r->n_intervals = p.total;
	free(p.at);
	return rc;
}

int iobi_intervals_join(struct iob_result *r, const struct iob_result *part)
{
	return part->n_intervals ? join_all_ops(r, part->interval, part->n_intervals) : 0;
}

static struct iob_interval *chain_op(const struct iob_result *r, int op, size_t total)
{
	struct iob_interval *out = malloc(total * sizeof(*out)), *next = out;
	uint64_t shift = 0;

	for (size_t c = 0; out && c < r->n_child; c++) {
		const struct iob_result *child = r->child[c];
		for (size_t i = 0; i < child->n_intervals; i++, next++) {
			*next = child->interval[op][i];
			next->start_ns += shift;
		}
		shift += child->elapsed_ns;
	}
	return out;
}

int iobi_intervals_chain(struct iob_result *r)
{
	size_t total = 0;
	for (size_t c = 0; c < r->n_child; c++)
		total += r->child[c]->n_intervals;
	for (int op = 0; total && op < IOBI_RESULT_OPS; op++) {
		r->interval[op] = chain_op(r, op, total);
		if (!r->interval[op])
			return -ENOMEM;
	}
	r->n_intervals = total;
	return 0;
}
