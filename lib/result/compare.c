/* SPDX-License-Identifier: MIT */
/*
 * Two sets of results, cell by cell. I/Os are not independent of one another,
 * so that an interval from their number would be far too narrow: the run is cut
 * into batches, long enough to be nearly so, and the spread of the batches'
 * means is what the mean of all may be off by (batch means, Law and Kelton).
 */
#include "measure/batches.h"
#include "result/compare.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCHES = 10,     /* more are too short to be independent of one another */
	LEAST_BATCHES = 5 /* fewer say next to nothing of the spread */
};

/* ---- which with which ---- */

struct set {
	const struct iob_result **w;
	size_t n;
	bool *taken;
};

static size_t count(const struct iob_result *r)
{
	size_t n = r->level >= IOB_LEVEL_WORKLOAD;
	for (size_t i = 0; r->level < IOB_LEVEL_WORKLOAD && i < r->n_child; i++)
		n += count(r->child[i]);
	return n;
}

static void list(struct set *s, const struct iob_result *r)
{
	if (r->level >= IOB_LEVEL_WORKLOAD)
		s->w[s->n++] = r;
	for (size_t i = 0; r->level < IOB_LEVEL_WORKLOAD && i < r->n_child; i++)
		list(s, r->child[i]);
}

static int make_set(struct set *s, const struct iob_result *const *r, size_t n, const char *which,
		    struct iob_error *err)
{
	size_t total = 0;
	*s = (struct set){ NULL, 0, NULL };
	for (size_t i = 0; i < n; i++) {
		if (!r || !r[i])
			return iobi_fail(err, EINVAL, which, "result %zu of set %s is NULL", i,
					 which);
		total += count(r[i]);
	}
	if (!total)
		return iobi_fail(err, EINVAL, which, "there is no workload in set %s", which);
	s->w = calloc(total, sizeof(*s->w));
	s->taken = calloc(total, sizeof(*s->taken));
	if (!s->w || !s->taken)
		return iobi_no_memory(err);
	for (size_t i = 0; i < n; i++)
		list(s, r[i]);
	return 0;
}

static void free_set(struct set *s)
{
	free(s->w);
	free(s->taken);
}

/* A cell of a matrix is a stage with one workload. */
const char *iobi_compare_name(const struct iob_result *w)
{
	return w->parent && w->parent->level == IOB_LEVEL_STAGE && w->parent->n_child == 1
		       ? w->parent->name
		       : w->name;
}

static size_t find(struct set *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->taken[i] && !strcmp(iobi_compare_name(s->w[i]), name)) {
			s->taken[i] = true;
			return i;
		}
	return SIZE_MAX;
}

static bool any_name_in_both(const struct set *a, const struct set *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (!strcmp(iobi_compare_name(a->w[i]), iobi_compare_name(b->w[k])))
				return true;
	return false;
}

/* ---- a metric ---- */

static enum iob_op op_of(enum iob_metric m)
{
	if (m == IOB_METRIC_IOPS)
		return IOB_OP_ALL;
	return m == IOB_METRIC_READ_MEAN || m == IOB_METRIC_READ_P99 ? IOB_OP_READ : IOB_OP_WRITE;
}

static double value_of(const struct iob_result *w, enum iob_metric m)
{
	const struct iob_hist *h = w->op[op_of(m)].latency[IOB_LATENCY_SERVICE];
	uint64_t p99;
	if (!w->op[op_of(m)].count[IOB_COUNT_IOS])
		return NAN;
	if (m == IOB_METRIC_IOPS)
		return iob_result_iops(w, IOB_OP_ALL);
	if (m == IOB_METRIC_READ_MEAN || m == IOB_METRIC_WRITE_MEAN)
		return iob_hist_mean(h);
	return iob_hist_percentile(h, 99, &p99) ? NAN : (double)p99;
}

struct batch {
	double sum, of; /* what is averaged: I/Os of a length, time of I/Os */
};

/* Whole intervals, as equal in number as they come; they may differ in length. */
static struct batch batch(const struct iob_result *w, enum iob_metric m, size_t from, size_t to)
{
	struct batch b = { 0, 0 };
	for (size_t i = from; i < to; i++) {
		const struct iob_interval *v = &w->interval[op_of(m)][i];
		double ios = (double)v->ios;
		if (m == IOB_METRIC_IOPS) {
			b.sum += ios;
			b.of += (double)v->length_ns;
		} else if (v->ios) {
			b.sum += v->mean_ns * ios;
			b.of += ios;
		}
	}
	return b;
}

/* How far the mean may be off: its variance relative to its square. */
struct spread {
	double variance; /* NaN: not known */
	double freedom;
};

/* A mean over unequal batches is a ratio of two sums, and has the variance of one
 * (Cochran, Sampling Techniques, 2.11). */
static struct spread spread_of(const struct iob_result *w, enum iob_metric m)
{
	struct batch v[BATCHES], all = { 0, 0 };
	size_t n = w->n_intervals < BATCHES ? w->n_intervals : BATCHES;
	double squares = 0;
	if (n < LEAST_BATCHES || m > IOB_METRIC_WRITE_MEAN || !w->interval[op_of(m)])
		return (struct spread){ NAN, NAN };
	for (size_t k = 0; k < n; k++) {
		v[k] = batch(w, m, k * w->n_intervals / n, (k + 1) * w->n_intervals / n);
		all.sum += v[k].sum;
		all.of += v[k].of;
	}
	for (size_t k = 0; k < n; k++) {
		double off = v[k].sum - v[k].of * all.sum / all.of;
		squares += off * off;
	}
	double freedom = (double)n - 1;
	return (struct spread){ squares * (double)n / freedom / (all.sum * all.sum), freedom };
}

/* Of a ratio the logarithm is nearer to normal; degrees of freedom by Welch. */
static void set_interval(struct iob_ratio *r, struct spread a, struct spread b)
{
	double v = a.variance + b.variance;
	if (isnan(v) || isnan(r->ratio))
		return;
	double df =
		v * v / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
	double half = v > 0 ? iobi_student(0.95, (unsigned)df) * sqrt(v) : 0;
	r->low = r->ratio * exp(-half);
	r->high = r->ratio * exp(half);
	r->difference =
		r->low <= 1 && r->high >= 1 ? IOB_DIFFERENCE_NOT_SHOWN : IOB_DIFFERENCE_SHOWN;
}

static struct iob_ratio ratio_of(const struct iob_result *a, const struct iob_result *b,
				 enum iob_metric m)
{
	struct iob_ratio r = { NAN, NAN, NAN, NAN, NAN, IOB_DIFFERENCE_UNKNOWN };
	r.a = a ? value_of(a, m) : NAN;
	r.b = b ? value_of(b, m) : NAN;
	if (isnan(r.a) || isnan(r.b) || !(r.a > 0))
		return r;
	r.ratio = r.b / r.a;
	set_interval(&r, spread_of(a, m), spread_of(b, m));
	return r;
}

/* ---- all of it ---- */

static void add(struct iob_comparison *c, const struct iob_result *a, const struct iob_result *b)
{
	struct iob_compared *cell = &c->cell[c->n++];
	*cell = (struct iob_compared){
		.size = sizeof(*cell), .name = iobi_compare_name(a ? a : b), .a = a, .b = b
	};
	for (int m = 0; m < IOB_METRICS; m++)
		cell->metric[m] = ratio_of(a, b, (enum iob_metric)m);
}

static void pair(struct iob_comparison *c, struct set *a, struct set *b)
{
	bool named = any_name_in_both(a, b);
	for (size_t i = 0; i < a->n; i++) {
		size_t at = named ? find(b, iobi_compare_name(a->w[i])) : i < b->n ? i : SIZE_MAX;
		if (at != SIZE_MAX)
			b->taken[at] = true;
		add(c, a->w[i], at != SIZE_MAX ? b->w[at] : NULL);
	}
	for (size_t i = 0; i < b->n; i++)
		if (!b->taken[i])
			add(c, NULL, b->w[i]);
}

struct iob_comparison *iob_compare(const struct iob_result *const *a, size_t n_a,
				   const struct iob_result *const *b, size_t n_b,
				   struct iob_error *err)
{
	struct set sa, sb = { NULL, 0, NULL };
	struct iob_comparison *c = NULL;
	int rc = make_set(&sa, a, n_a, "A", err);
	rc = rc ? rc : make_set(&sb, b, n_b, "B", err);
	if (!rc) {
		c = calloc(1, sizeof(*c));
		if (c)
			c->cell = calloc(sa.n + sb.n, sizeof(*c->cell));
		rc = c && c->cell ? 0 : iobi_no_memory(err);
	}
	if (!rc)
		pair(c, &sa, &sb);
	free_set(&sa);
	free_set(&sb);
	if (!rc)
		return c;
	iob_comparison_free(c);
	return NULL;
}

void iob_comparison_free(struct iob_comparison *c)
{
	if (c)
		free(c->cell);
	free(c);
}

size_t iob_comparison_count(const struct iob_comparison *c)
{
	return c ? c->n : 0;
}

const struct iob_compared *iob_comparison_cell(const struct iob_comparison *c, size_t i)
{
	return c && i < c->n ? &c->cell[i] : NULL;
}
