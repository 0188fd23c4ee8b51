/* SPDX-License-Identifier: MIT */
/* Suites that are run in rounds: what came of them. */
#include "result/rounds.h"
#include "measure/steady.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the record ---- */

struct iobi_rounds *iobi_rounds_new(enum iob_steady_metric metric,
				    const struct iob_steady_rule *rule, uint32_t max_rounds,
				    size_t once, size_t cells)
{
	struct iobi_rounds *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->pub = (struct iob_rounds){ .size = sizeof(r->pub),
				      .metric = metric,
				      .window = rule->window,
				      .excursion = rule->excursion,
				      .slope = rule->slope,
				      .max_rounds = max_rounds,
				      .once = once,
				      .cells = cells };
	r->cell = calloc(cells, sizeof(*r->cell));
	if (r->cell)
		return r;
	free(r);
	return NULL;
}

int iobi_rounds_name(struct iobi_rounds *r, size_t cell, const char *name, bool tracked)
{
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free((char *)r->cell[cell].name);
	r->cell[cell] = (struct iob_cell){ .size = sizeof(r->cell[cell]),
					   .name = copy,
					   .tracked = tracked,
					   .average = NAN,
					   .excursion = NAN,
					   .slope = NAN };
	r->pub.tracked += tracked;
	return 0;
}

int iobi_rounds_note(struct iobi_rounds *r, const char *text)
{
	char **more = realloc(r->note, (r->pub.n_notes + 1) * sizeof(char *));
	if (!more)
		return -ENOMEM;
	r->note = more;
	r->pub.notes = (const char *const *)more;
	more[r->pub.n_notes] = strdup(text);
	if (!more[r->pub.n_notes])
		return -ENOMEM;
	r->pub.n_notes++;
	return 0;
}

void iobi_rounds_free(struct iobi_rounds *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->pub.cells; i++) {
		free((char *)r->cell[i].name);
		free((double *)r->cell[i].values);
	}
	for (size_t i = 0; i < r->pub.n_notes; i++)
		free(r->note[i]);
	free(r->cell);
	free(r->note);
	free(r);
}

static struct iob_steady_rule rule_of(const struct iobi_rounds *r)
{
	return (struct iob_steady_rule){ .size = sizeof(struct iob_steady_rule),
					 .window = r->pub.window,
					 .excursion = r->pub.excursion,
					 .slope = r->pub.slope };
}

struct iobi_rounds *iobi_rounds_copy(const struct iobi_rounds *r)
{
	if (!r)
		return NULL;
	struct iob_steady_rule rule = rule_of(r);
	struct iobi_rounds *copy =
		iobi_rounds_new(r->pub.metric, &rule, r->pub.max_rounds, r->pub.once, r->pub.cells);
	int rc = copy ? 0 : -ENOMEM;
	for (size_t i = 0; i < r->pub.cells && !rc; i++)
		rc = iobi_rounds_name(copy, i, r->cell[i].name, r->cell[i].tracked);
	for (size_t i = 0; i < r->pub.n_notes && !rc; i++)
		rc = iobi_rounds_note(copy, r->note[i]);
	if (!rc)
		return copy;
	iobi_rounds_free(copy);
	return NULL;
}

static bool same_cells(const struct iobi_rounds *a, const struct iobi_rounds *b)
{
	for (size_t i = 0; i < a->pub.cells; i++)
		if (a->cell[i].tracked != b->cell[i].tracked)
			return false;
	return true;
}

bool iobi_rounds_same(const struct iobi_rounds *a, const struct iobi_rounds *b)
{
	if (!a || !b)
		return a == b;
	return a->pub.metric == b->pub.metric && a->pub.window == b->pub.window &&
	       a->pub.excursion == b->pub.excursion && a->pub.slope == b->pub.slope &&
	       a->pub.max_rounds == b->pub.max_rounds && a->pub.once == b->pub.once &&
	       a->pub.cells == b->pub.cells && same_cells(a, b);
}

/* ---- what follows from the stages ---- */

static const struct iob_result *stage_of(const struct iob_result *suite, size_t cell, size_t round)
{
	const struct iob_rounds *p = &suite->rounds->pub;
	size_t i = p->once + round * p->cells + cell;
	return i < suite->n_child ? suite->child[i] : NULL;
}

static double value_of(const struct iob_result *r, enum iob_op op, enum iob_steady_metric metric)
{
	if (metric == IOB_STEADY_IOPS)
		return iob_result_iops(r, op);
	if (metric == IOB_STEADY_BANDWIDTH)
		return iob_result_bytes_per_s(r, op);
	return iob_hist_mean(iob_result_hist(r, op, IOB_LATENCY_RESPONSE));
}

static bool whole(const struct iob_result *suite, size_t round)
{
	for (size_t i = 0; i < suite->rounds->pub.cells; i++) {
		const struct iob_result *stage = stage_of(suite, i, round);
		if (!stage || stage->flags & (IOB_RESULT_CANCELLED | IOB_RESULT_PARTIAL))
			return false;
	}
	return true;
}

/* Errors that end a workload leave a round that measured something else. */
static bool broken(const struct iob_result *suite, size_t round)
{
	for (size_t i = 0; i < suite->rounds->pub.cells; i++) {
		const struct iob_result *stage = stage_of(suite, i, round);
		const char *on_error = iob_result_param(stage, "on_error");
		if (stage->flags & IOB_RESULT_ERRORS && (!on_error || strcmp(on_error, "continue")))
			return true;
	}
	return false;
}

static int fill_values(const struct iob_result *suite)
{
	struct iobi_rounds *r = suite->rounds;
	for (size_t i = 0; i < r->pub.cells; i++) {
		struct iob_cell *c = &r->cell[i];
		double *v = realloc((double *)c->values, (r->pub.done + 1) * sizeof(*v));
		if (!v)
			return -ENOMEM;
		for (size_t k = 0; k < r->pub.done; k++)
			v[k] = value_of(stage_of(suite, i, k), IOB_OP_ALL, r->pub.metric);
		c->values = v;
		c->n_values = r->pub.done;
	}
	return 0;
}

/* Of a cell, over the rounds from `first`, n of them. */
static struct iob_steady judge(const struct iobi_rounds *r, const struct iob_cell *c, size_t first,
			       size_t n)
{
	struct iob_steady s = { .average = 0, .excursion = NAN, .slope = NAN };
	struct iob_steady_rule rule = rule_of(r);
	for (size_t k = first; k < first + n; k++)
		s.average += c->values[k] / (double)n;
	if (n == r->pub.window && isfinite(s.average))
		iobi_steady_window(c->values + first, &rule, &s);
	return s;
}

static bool all_steady(const struct iobi_rounds *r, size_t first)
{
	for (size_t i = 0; i < r->pub.cells; i++)
		if (r->cell[i].tracked && !judge(r, &r->cell[i], first, r->pub.window).steady)
			return false;
	return true;
}

/* The first window in which all are steady; a round that is broken is in none. */
static void find_window(const struct iob_result *suite)
{
	struct iobi_rounds *r = suite->rounds;
	struct iob_rounds *p = &r->pub;
	size_t good = 0;
	p->steady_at = 0;
	r->broken = false;
	for (size_t k = 0; k < p->done && !p->steady_at; k++) {
		r->broken = broken(suite, k);
		good = r->broken ? 0 : good + 1;
		if (good >= p->window && all_steady(r, k + 1 - p->window))
			p->steady_at = (uint32_t)k + 1;
	}
	p->last = p->steady_at ? p->steady_at : p->done;
	p->first = p->last > p->window ? p->last - p->window + 1 : p->last > 0;
}

static void judge_cells(struct iobi_rounds *r)
{
	size_t n = r->pub.last ? r->pub.last - r->pub.first + 1 : 0;
	for (size_t i = 0; i < r->pub.cells; i++) {
		struct iob_cell *c = &r->cell[i];
		struct iob_steady s = { .average = NAN, .excursion = NAN, .slope = NAN };
		if (n)
			s = judge(r, c, r->pub.first - 1, n);
		c->steady = s.steady;
		c->average = s.average;
		c->excursion = s.excursion;
		c->slope = s.slope;
	}
}

int iobi_rounds_close(struct iob_result *suite)
{
	struct iobi_rounds *r = suite->rounds;
	if (!r)
		return 0;
	for (r->pub.done = 0; r->pub.done < r->pub.max_rounds && whole(suite, r->pub.done);)
		r->pub.done++;
	if (fill_values(suite))
		return -ENOMEM;
	find_window(suite);
	judge_cells(r);
	return 0;
}

bool iobi_rounds_go_on(const struct iobi_rounds *r)
{
	return !r->pub.steady_at && !r->broken && r->pub.done < r->pub.max_rounds;
}

bool iobi_rounds_many(const struct iobi_rounds *r)
{
	enum {
		MANY = 100
	};
	return r && r->pub.cells * r->pub.max_rounds > MANY;
}

bool iobi_rounds_place(const struct iob_result *suite, size_t stage, uint32_t *round, size_t *cell)
{
	const struct iobi_rounds *r = suite->rounds;
	if (!r || stage < r->pub.once)
		return false;
	*round = (uint32_t)((stage - r->pub.once) / r->pub.cells) + 1;
	*cell = (stage - r->pub.once) % r->pub.cells;
	return true;
}

/* ---- reading ---- */

const struct iob_rounds *iob_result_rounds(const struct iob_result *r)
{
	return r && r->rounds ? &r->rounds->pub : NULL;
}

const struct iob_cell *iob_result_cell(const struct iob_result *r, size_t i)
{
	return r && r->rounds && i < r->rounds->pub.cells ? &r->rounds->cell[i] : NULL;
}

const struct iob_result *iob_result_cell_stage(const struct iob_result *r, size_t cell,
					       uint32_t round)
{
	if (!iob_result_cell(r, cell) || !round || round > r->rounds->pub.max_rounds)
		return NULL;
	return stage_of(r, cell, round - 1);
}

double iob_result_cell_mean(const struct iob_result *r, size_t cell, enum iob_op op,
			    enum iob_steady_metric metric)
{
	double sum = 0;
	uint64_t ios = 0;
	size_t n = 0;
	if (!iob_result_cell(r, cell) || !iob_steady_metric_name(metric))
		return NAN;
	for (uint32_t k = r->rounds->pub.first; k && k <= r->rounds->pub.last; k++) {
		const struct iob_result *stage = stage_of(r, cell, k - 1);
		double v = value_of(stage, op, metric);
		ios += iob_result_count(stage, op, IOB_COUNT_IOS);
		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return ios ? sum / (double)n : NAN;
}
