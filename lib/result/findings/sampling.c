/* SPDX-License-Identifier: MIT */
/* Whether there was enough of it: samples, region, what a recording holds. */
#include "result/findings/judge.h"
#include "workload/workload_priv.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* With 10 beyond it, a percentile is within a third of its rank's neighbours;
 * with none it is the maximum by another name. */
static const double quoted_from = 1, sure_from = 10;
/* Most of the data was not looked at: what is cached or slow elsewhere is not in it. */
static const double least_coverage = 0.1;

/* ---- few-samples ---- */

struct list {
	double p[IOBI_PERCENTILES_MAX];
	size_t n;
};

static void asked_percentiles(const struct iob_result *w, const struct iob_hist *h, struct list *l)
{
	const char *text = iob_result_param(w, "percentiles");
	for (l->n = 0; h->summary && l->n < h->summary->n && l->n < IOBI_PERCENTILES_MAX; l->n++)
		l->p[l->n] = h->summary->known[l->n].step / 1e6;
	if (h->summary)
		return;
	if (!text)
		text = iobi_param_find("percentiles", NULL)->default_text;
	if (iobi_parse_percentiles(text, l->p, &l->n, NULL))
		l->n = 0;
}

/* In steps of 1e-6 %, as percentiles are: 1 - 99.9/100 is not 0.001 in binary. */
static double beyond(const struct iob_hist *h, double p)
{
	return (double)h->count * (double)llround((100 - p) * 1e6) / 1e8;
}

/* "p99.5 (2.5), p99.9 (0.51)" of those with fewer than `under` beyond. */
static size_t add_thin(struct iobi_judge *j, const struct iob_hist *h, const struct list *l,
		       double from, double under, struct iobi_text *t)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		double left = beyond(h, l->p[i]);
		if (l->p[i] <= 50 || l->p[i] >= 100 || left < from || left >= under)
			continue;
		iobi_text_printf(t, "%s%s (%s)", n++ ? ", " : "", iobi_w_percentile(j, l->p[i]),
				 iobi_w_number(j, left));
	}
	return n;
}

static enum iob_op fewest(const struct iob_result *w)
{
	enum iob_op op = IOB_OP_ALL;
	for (int i = IOB_OP_READ; i <= IOB_OP_TRIM; i++) {
		uint64_t n = w->op[i].latency[IOB_LATENCY_SERVICE]->count;
		if (n && (op == IOB_OP_ALL || n < w->op[op].latency[IOB_LATENCY_SERVICE]->count))
			op = (enum iob_op)i;
	}
	return op;
}

static void few_samples(struct iobi_judge *j)
{
	enum iob_op op = fewest(j->r);
	const struct iob_hist *h = j->r->op[op].latency[IOB_LATENCY_SERVICE];
	struct iobi_text marked = { 0 }, none = { 0 };
	struct list l;
	if (isnan(j->view.ios)) {
		iobi_unchecked(j, "the recording has no number of I/Os, and no percentiles");
		return;
	}
	asked_percentiles(j->r, h, &l);
	size_t n_none = h->count ? add_thin(j, h, &l, 0, quoted_from, &none) : 0;
	size_t n_marked = h->count ? add_thin(j, h, &l, quoted_from, sure_from, &marked) : 0;
	iobi_number(j, "samples", (double)h->count);
	iobi_number(j, "not_to_quote", (double)n_none);
	iobi_number(j, "marked", (double)n_marked);
	if (n_none + n_marked && !none.failed && !marked.failed)
		iobi_raise(j, "of %" PRIu64 " %ss%s%s%s%s%s", h->count, iobi_op_name(op),
			   n_none ? " less than one lies beyond " : "", n_none ? none.data : "",
			   n_none ? ", which must not be quoted" : "",
			   n_marked ? n_none ? "; fewer than ten beyond "
					     : " fewer than ten lie beyond "
				    : "",
			   n_marked ? marked.data : "");
	iobi_text_free(&marked);
	iobi_text_free(&none);
}

/* ---- low-coverage ---- */

struct coverage {
	double touched, region;
};

/* Blocks drawn with repeats fall on one another. */
static void add_coverage(struct coverage *c, const struct iob_result *w)
{
	struct iobi_view v;
	const char *repeats = iobi_ran(w, "repeats");
	iobi_view_make(&v, w);
	double region = (double)v.region, touched = fmin(v.bytes, region);
	if (!region || isnan(v.bytes))
		return;
	if (repeats && !strcmp(repeats, "true"))
		touched = region * -expm1(-v.bytes / region);
	c->touched += touched;
	c->region += region;
}

/* Workloads side by side are one measurement. */
static void low_coverage(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	struct coverage c = { 0, 0 };
	const char *engine = iobi_ran(r, "engine");
	bool stage = r->level == IOB_LEVEL_STAGE;
	if ((stage && r->n_child < 2) || (engine && !strcmp(engine, "null")))
		return;
	if (!stage)
		add_coverage(&c, r);
	for (size_t i = 0; stage && i < r->n_child; i++)
		add_coverage(&c, r->child[i]);
	if (!c.region) {
		iobi_unchecked(j, "the recording has no size of the region");
		return;
	}
	if (!c.touched || !(c.touched < least_coverage * c.region))
		return;
	iobi_number(j, "touched_bytes", c.touched);
	iobi_number(j, "region_bytes", c.region);
	iobi_number(j, "coverage", c.touched / c.region);
	iobi_raise(j, "%s of %s were touched, %s: what lies elsewhere may be faster or slower",
		   iobi_w_bytes(j, c.touched), iobi_w_bytes(j, c.region),
		   iobi_w_share(j, c.touched / c.region));
	for (size_t i = 0; stage && i < r->n_child && !j->rc; i++)
		j->rc = iobi_findings_drop(r->child[i], j->rule->info.code);
}

/* ---- incomplete ---- */

static void count_rows(const struct iob_result *r, size_t *rows, size_t *bare)
{
	for (size_t i = 0; i < r->n_child; i++)
		count_rows(r->child[i], rows, bare);
	if (r->level != IOB_LEVEL_WORKLOAD)
		return;
	++*rows;
	*bare += r->recorded && !r->recorded->counted;
}

static void incomplete(struct iobi_judge *j)
{
	size_t rows = 0, bare = 0;
	count_rows(j->r, &rows, &bare);
	if (!bare)
		return;
	iobi_number(j, "rows", (double)rows);
	iobi_number(j, "incomplete", (double)bare);
	iobi_raise(j,
		   "%s of %zu rows have no run time, no working set, no percentiles and no error "
		   "count: they are unverifiable",
		   bare == rows ? "all" : iobi_w_number(j, (double)bare), rows);
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "few-samples", "sampling",
	    "Of a percentile that was asked for or printed, fewer than 10 I/Os lie beyond it (it "
	    "is "
	    "marked), or fewer than 1 (it must not be quoted); of the operation with the fewest "
	    "I/Os.",
	    "Run for longer, or quote a lower percentile.",
	    "of 506 reads less than one lies beyond p99.9 (0.506), which must not be quoted; fewer "
	    "than "
	    "ten beyond p99 (5.06), p99.5 (2.53)" },
	  IOBI_AT_WORKLOAD,
	  false,
	  few_samples },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "low-coverage", "sampling",
	    "Less than a tenth of the region was touched; workloads side by side together.",
	    "Run for longer, or ask for the part of the region that is meant.",
	    "3.74 GiB of 120 GiB were touched, 3.1 %: what lies elsewhere may be faster or "
	    "slower" },
	  IOBI_AT_WORKLOAD | IOBI_AT_STAGE,
	  false,
	  low_coverage },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "incomplete", "sampling",
	    "A recording has rows without run time, working set, percentiles and error count.",
	    "Ask for the whole output of the program that measured.",
	    "all of 80 rows have no run time, no working set, no percentiles and no error count: "
	    "they "
	    "are unverifiable" },
	  IOBI_AT_SUITE,
	  false,
	  incomplete },
};

const struct iobi_family iobi_sampling_rules = { rules, IOBI_LEN(rules) };
