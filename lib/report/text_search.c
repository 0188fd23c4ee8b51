/* SPDX-License-Identifier: MIT */
/* The curve of a search: a line for each value that was tried, in their order,
 * and what came of it. */
#include "report/table.h"
#include "report/text_priv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BAR_AT_LIMIT = 10, /* marks of a latency that is the limit */
	BAR_MOST = 2 * BAR_AT_LIMIT
};

static const char *words(const struct iob_search_step *s)
{
	static const char *const text[] = { "where to begin",
					    "holds",
					    "misses",
					    "misses: the rate was not reached",
					    "misses: undecided",
					    "misses: too few I/Os to tell" };
	if (s->verdict == IOB_SEARCH_NOT_JUDGED && s->attempt)
		return "cut short";
	return s->verdict < IOBI_LEN(text) ? text[s->verdict] : "";
}

/* The latency as a bar, the limit in its middle: "######    |", "##########|####>". */
static void bar(char buf[BAR_MOST + 3], const struct iob_search_outcome *o, double ns)
{
	double marks = isnan(ns) ? 0 : ns / (double)o->limit_ns * BAR_AT_LIMIT;
	int n = marks > BAR_MOST ? BAR_MOST : (int)ceil(marks), at = 0;
	for (int i = 0; i < BAR_AT_LIMIT; i++)
		buf[at++] = i < n ? '#' : ' ';
	buf[at++] = '|';
	for (int i = BAR_AT_LIMIT; i < n; i++)
		buf[at++] = '#';
	if (marks > BAR_MOST)
		buf[at++] = '>';
	buf[at] = '\0';
}

/* "1.20 to 1.25 ms" */
static void interval(char buf[3 * IOBI_CELL], const struct iob_search_step *s)
{
	char low[IOBI_CELL], high[IOBI_CELL];
	iobi_text_ns(low, s->low_ns);
	iobi_text_ns(high, s->high_ns);
	snprintf(buf, 3 * IOBI_CELL, "%s to %s", isnan(s->low_ns) ? "?" : low,
		 isnan(s->high_ns) ? "?" : high);
}

static void add_columns(struct iobi_table *t, const struct iob_search_outcome *o,
			const char *metric)
{
	iobi_table_column(t, o->param, 0);
	iobi_table_column(t, "IOPS", 0);
	iobi_table_column(t, metric, 0);
	iobi_table_column(t, "interval", 0);
	iobi_table_column(t, "tries", 0);
	iobi_table_column(t, "limit at |", 1);
	iobi_table_column(t, "verdict", 1);
}

static void add_row(struct iobi_table *t, const struct iob_search_outcome *o,
		    const struct iob_search_step *s)
{
	char text[3 * IOBI_CELL], marks[BAR_MOST + 3];
	iobi_table_row(t);
	if (s->value)
		iobi_table_set(t, 0, iobi_text_count(text, (uint64_t)s->value));
	else
		iobi_table_set(t, 0, "closed loop");
	iobi_table_set(t, 1, iobi_text_number(text, s->iops));
	iobi_table_set(t, 2, iobi_text_ns(text, s->latency_ns));
	if (o->metric != IOB_SEARCH_MAX) {
		interval(text, s);
		iobi_table_set(t, 3, text);
	}
	if (s->attempt > 1)
		iobi_table_set(t, 4, iobi_text_count(text, s->attempt));
	bar(marks, o, s->latency_ns);
	iobi_table_set(t, 5, marks);
	iobi_table_set(t, 6, words(s));
}

/* The last try of a value has the sum of all. */
static int is_last(const struct iobi_search_log *l, size_t i)
{
	return i + 1 == l->n || l->step[i + 1].value != l->step[i].value;
}

static int by_value(const void *a, const void *b)
{
	const struct iob_search_step *x = *(const struct iob_search_step *const *)a;
	const struct iob_search_step *y = *(const struct iob_search_step *const *)b;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void add_curve(struct iobi_report *o, const struct iobi_search_log *l, const char *metric)
{
	struct iobi_table t = { 0 };
	const struct iob_search_step **step = calloc(l->n + 1, sizeof(*step));
	size_t n = 0;
	if (!step) {
		o->text.failed = 1;
		return;
	}
	for (size_t i = 0; i < l->n; i++)
		if (is_last(l, i))
			step[n++] = &l->step[i];
	qsort(step, n, sizeof(*step), by_value);
	add_columns(&t, &l->outcome, metric);
	for (size_t i = 0; i < n; i++)
		add_row(&t, &l->outcome, step[i]);
	iobi_table_print(&t, o);
	free(step);
}

static void add_value(struct iobi_text *t, const struct iob_search_outcome *o, int64_t value)
{
	char text[IOBI_CELL];
	iobi_text_printf(t, "%s %s", o->param, iobi_text_count(text, (uint64_t)value));
}

static void add_answer(struct iobi_text *t, const struct iob_search_outcome *o)
{
	switch (o->answer) {
	case IOB_SEARCH_FOUND:
		iobi_text_add(t, "found: ");
		add_value(t, o, o->held);
		iobi_text_add(t, " holds, ");
		add_value(t, o, o->missed);
		iobi_text_add(t, " does not");
		break;
	case IOB_SEARCH_NOTHING:
		iobi_text_add(t, "nothing holds: even ");
		add_value(t, o, o->missed);
		iobi_text_add(t, ", the lowest that may be tried, does not");
		break;
	case IOB_SEARCH_EVERYTHING:
		iobi_text_add(t, "everything holds: even ");
		add_value(t, o, o->held);
		iobi_text_add(t, ", the highest that may be tried, does");
		break;
	default:
		iobi_text_add(t, "not finished: ");
		if (o->held)
			add_value(t, o, o->held);
		iobi_text_add(t, o->held ? " holds" : "nothing held so far");
		if (o->missed) {
			iobi_text_add(t, ", ");
			add_value(t, o, o->missed);
			iobi_text_add(t, " does not");
		}
	}
	iobi_text_add(t, "\n");
}

static void add_question(struct iobi_text *t, const struct iob_search_outcome *o,
			 const char *metric)
{
	char limit[IOBI_CELL], confidence[16], resolution[16];
	iobi_text_printf(t, "\nsearch   the highest %s with %s of %s time at most %s", o->param,
			 metric, o->latency == IOB_LATENCY_RESPONSE ? "response" : "service",
			 iobi_text_ns(limit, (double)o->limit_ns));
	if (o->op)
		iobi_text_printf(t, " (%ss)", iobi_op_name(o->op));
	iobi_text_printf(t, ", to %s %%, each verdict at %s %%\n",
			 iobi_format_percent(resolution, sizeof(resolution), o->resolution),
			 iobi_format_percent(confidence, sizeof(confidence), o->confidence));
}

void iobi_text_search(struct iobi_report *o, const struct iob_result *r)
{
	char metric[32];
	if (!r->search)
		return;
	const struct iob_search_outcome *outcome = &r->search->outcome;
	iobi_search_metric_text(metric, outcome);
	add_question(&o->text, outcome, metric);
	add_curve(o, r->search, metric);
	iobi_text_add(&o->text, "         ");
	add_answer(&o->text, outcome);
}
