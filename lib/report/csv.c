/* SPDX-License-Identifier: MIT */
/* One row for each workload and op that did something, for spreadsheets and
 * data frames. Columns are only ever added at the end. */
#include "base/base.h"
#include "report/report_priv.h"
#include <iobench/steady.h>
#include <math.h>
#include <string.h>

enum {
	NUMBER = 48
};

static const double percentiles[] = { 50, 90, 95, 99, 99.9, 99.99 };

static const char header[] =
	"stage,workload,engine,pattern,block_size,read_percent,workers,queue_depth,op,elapsed_ns,"
	"ios,bytes,errors,short,iops,bytes_per_s,min_ns,mean_ns,stddev_ns,p50_ns,p90_ns,p95_ns,"
	"p99_ns,p99_9_ns,p99_99_ns,max_ns,response_mean_ns,response_p50_ns,response_p90_ns,"
	"response_p95_ns,response_p99_ns,response_p99_9_ns,response_p99_99_ns,response_max_ns,"
	"flags,error";
/* The stages of a search are its steps. */
static const char search_header[] = ",search_value,search_attempt,search_verdict,"
				    "search_latency_ns,search_low_ns,search_high_ns";
static const char rounds_header[] = ",round,steady";

/* RFC 4180: quoted where it must be, quotes doubled. */
static void add_quoted(struct iobi_text *t, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		iobi_text_add(t, s);
		return;
	}
	iobi_text_add(t, "\"");
	for (size_t n = strcspn(s, "\""); s[n]; s += n + 1, n = strcspn(s, "\"")) {
		iobi_text_add_n(t, s, n);
		iobi_text_add(t, "\"\"");
	}
	iobi_text_add(t, s);
	iobi_text_add(t, "\"");
}

static void next_text(struct iobi_report *o, const char *s)
{
	iobi_text_add(&o->text, ",");
	add_quoted(&o->text, s);
}

static void next_count(struct iobi_report *o, uint64_t v)
{
	char text[NUMBER];
	iobi_text_printf(&o->text, ",%s", iobi_format_u128(text, sizeof(text), v));
}

/* What is not known is an empty field. */
static void next_real(struct iobi_report *o, double v)
{
	char text[NUMBER];
	iobi_text_printf(&o->text, ",%s",
			 isnan(v) ? "" : iobi_format_fixed(text, sizeof(text), v, 3));
}

static void next_exact(struct iobi_report *o, const struct iob_hist *h, uint64_t v)
{
	if (iob_hist_count(h))
		next_count(o, v);
	else
		iobi_text_add(&o->text, ",");
}

static void add_percentiles(struct iobi_report *o, const struct iob_hist *h)
{
	for (size_t i = 0; i < IOBI_LEN(percentiles); i++) {
		uint64_t v = 0;
		if (iob_hist_percentile(h, percentiles[i], &v) == 0)
			next_count(o, v);
		else
			iobi_text_add(&o->text, ",");
	}
	next_exact(o, h, iob_hist_max(h));
}

static void add_latencies(struct iobi_report *o, const struct iob_result *w, enum iob_op op)
{
	const struct iob_hist *service = iob_result_hist(w, op, IOB_LATENCY_SERVICE);
	const struct iob_hist *response = iob_result_hist(w, op, IOB_LATENCY_RESPONSE);

	next_exact(o, service, iob_hist_min(service));
	next_real(o, iob_hist_mean(service));
	next_real(o, iob_hist_stddev(service));
	add_percentiles(o, service);
	next_real(o, iob_hist_mean(response));
	add_percentiles(o, response);
}

static void add_flags(struct iobi_report *o, unsigned flags)
{
	char words[64] = "";
	for (size_t i = 0; iobi_flag_name(i); i++)
		if (flags & 1U << i) {
			strcat(words, *words ? " " : "");
			strcat(words, iobi_flag_name(i));
		}
	next_text(o, words);
}

static void add_error(struct iobi_report *o, const struct iob_result *w, enum iob_op op)
{
	const struct iob_error *e = iob_result_error(w);
	int ours = e && strcmp(e->where, iobi_op_name(op)) == 0;
	next_text(o, ours || (e && op == IOB_OP_ALL) ? iobi_errno_text(e->code) : "");
}

static const char *const setup[] = { "engine",       "pattern", "block_size",
				     "read_percent", "workers", "queue_depth" };

static void add_setup(struct iobi_report *o, const struct iob_result *w)
{
	const struct iob_result *stage = iobi_report_above(w, IOB_LEVEL_STAGE);

	add_quoted(&o->text, stage ? iob_result_name(stage) : "");
	next_text(o, iob_result_name(w));
	for (size_t i = 0; i < IOBI_LEN(setup); i++)
		next_text(o, iobi_report_ran(w, setup[i]));
}

static bool has_rounds(const struct iob_result *r)
{
	return iob_result_rounds(iobi_report_above(r, IOB_LEVEL_SUITE)) != NULL;
}

/* Only where there are rounds; empty for what ran before them. */
static void next_round(struct iobi_report *o, const struct iob_result *w)
{
	uint32_t round = iobi_report_round(w);
	if (!has_rounds(w))
		return;
	if (round)
		next_count(o, round);
	iobi_text_add(&o->text, round ? "," : ",,");
}

/* The step of a search that a node belongs to; NULL: it is no search. */
static const struct iob_search_step *step_of(const struct iob_result *w)
{
	const struct iob_result *stage = iobi_report_above(w, IOB_LEVEL_STAGE);
	const struct iob_result *suite = iobi_report_above(w, IOB_LEVEL_SUITE);
	for (size_t i = 0; suite && i < suite->n_child; i++)
		if (suite->child[i] == stage)
			return iob_result_search_step(suite, i);
	return NULL;
}

static void add_search(struct iobi_report *o, const struct iob_result *w)
{
	const struct iob_search_step *s = step_of(w);
	if (!iob_result_search(iobi_report_above(w, IOB_LEVEL_SUITE)))
		return;
	if (!s) { /* it runs still */
		iobi_text_add(&o->text, ",,,,,,");
		return;
	}
	if (s->value)
		next_count(o, (uint64_t)s->value);
	else
		iobi_text_add(&o->text, ",");
	next_count(o, s->attempt);
	next_text(o, iobi_search_verdict_name(s->verdict));
	next_real(o, s->latency_ns);
	next_real(o, s->low_ns);
	next_real(o, s->high_ns);
}

static void add_row(struct iobi_report *o, const struct iob_result *w, enum iob_op op)
{
	add_setup(o, w);
	next_text(o, iobi_op_name(op));
	next_count(o, iob_result_elapsed_ns(w));
	for (int c = IOB_COUNT_IOS; c <= IOB_COUNT_SHORT; c++)
		next_count(o, iob_result_count(w, op, (enum iob_count)c));
	next_real(o, iob_result_iops(w, op));
	next_real(o, iob_result_bytes_per_s(w, op));
	add_latencies(o, w, op);
	add_flags(o, iob_result_flags(w));
	add_error(o, w, op);
	add_search(o, w);
	next_round(o, w);
	iobi_text_add(&o->text, "\n");
}

/* The row of all ops is always there: also a workload without I/O shows. */
static void add_rows(struct iobi_report *o, const struct iob_result *w)
{
	static const enum iob_op order[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM, IOB_OP_SYNC };

	for (size_t i = 0; i < IOBI_LEN(order); i++)
		if (iobi_report_did(w, order[i]))
			add_row(o, w, order[i]);
	add_row(o, w, IOB_OP_ALL);
}

/* ---- cells of rounds: the means over their window ---- */

/* So many fields that are not known. */
static void skip(struct iobi_report *o, int n)
{
	while (n-- > 0)
		iobi_text_add(&o->text, ",");
}

static void mean_row(struct iobi_report *o, const struct iob_result *r, size_t i, enum iob_op op)
{
	const struct iob_rounds *rounds = iob_result_rounds(r);
	const struct iob_result *first = iob_result_cell_stage(r, i, rounds->first);
	add_quoted(&o->text, iob_result_cell(r, i)->name);
	next_text(o, "mean");
	for (size_t k = 0; k < IOBI_LEN(setup); k++)
		next_text(o, iobi_report_ran(first, setup[k]));
	next_text(o, iobi_op_name(op));
	skip(o, 5); /* elapsed_ns to short */
	next_real(o, iob_result_cell_mean(r, i, op, IOB_STEADY_IOPS));
	next_real(o, iob_result_cell_mean(r, i, op, IOB_STEADY_BANDWIDTH));
	skip(o, 10); /* service times */
	next_real(o, iob_result_cell_mean(r, i, op, IOB_STEADY_LATENCY));
	skip(o, 9); /* their percentiles, flags, error */
	iobi_text_printf(&o->text, ",%u-%u,%s\n", rounds->first, rounds->last,
			 iob_result_cell(r, i)->steady ? "yes" : "no");
}

static void add_means(struct iobi_report *o, const struct iob_result *r)
{
	static const enum iob_op order[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM, IOB_OP_SYNC,
					     IOB_OP_ALL };
	const struct iob_rounds *rounds = iob_result_rounds(r);
	for (size_t i = 0; rounds && rounds->last && i < rounds->cells && !o->rc; i++) {
		for (size_t k = 0; k < IOBI_LEN(order); k++)
			if (order[k] == IOB_OP_ALL ||
			    !isnan(iob_result_cell_mean(r, i, order[k], IOB_STEADY_IOPS)))
				mean_row(o, r, i, order[k]);
		iobi_report_push(o);
	}
}

void iobi_report_csv(struct iobi_report *o, const struct iob_result *r)
{
	iobi_text_add(&o->text, header);
	if (iob_result_search(iobi_report_above(r, IOB_LEVEL_SUITE)))
		iobi_text_add(&o->text, search_header);
	if (has_rounds(r))
		iobi_text_add(&o->text, rounds_header);
	iobi_text_add(&o->text, "\n");
	iobi_report_each(o, r, add_rows);
	add_means(o, r);
}
