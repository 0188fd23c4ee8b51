/* SPDX-License-Identifier: MIT */
/* Rounds in the text report: whether they came to be steady, what the tracked cells
 * did in each, and the means of all cells over the window. */
#include "report/table.h"
#include "report/text_priv.h"
#include <iobench/steady.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELLS_BESIDE = 8, /* of the table of rounds */
	MIXES_MAX = IOBI_TABLE_COLUMNS - 1
};

static char *show(char *buf, enum iob_steady_metric metric, double v)
{
	if (isnan(v))
		return strcpy(buf, "-");
	if (metric == IOB_STEADY_LATENCY)
		return iobi_text_ns(buf, v);
	return iobi_text_number(buf, metric == IOB_STEADY_BANDWIDTH ? v / 1e6 : v);
}

static const char *unit(enum iob_steady_metric metric)
{
	static const char *const units[] = { "IOPS", "MB/s", "mean response time" };
	return units[metric];
}

static char *percent(char *buf, double share)
{
	if (isnan(share))
		return strcpy(buf, "-");
	iobi_format_fixed(buf, 32, share * 100, 1);
	return strcat(buf, " %");
}

/* "20 %" */
static char *limit(char *buf, double share)
{
	return strcat(iobi_format_percent(buf, 32, share * 100), " %");
}

/* ---- the verdict ---- */

static void add_means(struct iobi_text *t, const struct iob_rounds *r)
{
	if (r->first == r->last)
		iobi_text_printf(t, "results are those of round %u", r->last);
	else
		iobi_text_printf(t, "results are means over rounds %u to %u", r->first, r->last);
}

static void add_verdict(struct iobi_text *t, const struct iob_result *r, const struct iob_rounds *o)
{
	if (o->steady_at) {
		iobi_text_printf(t, "STEADY   at round %u; ", o->steady_at);
		add_means(t, o);
	} else if (r->flags & IOB_RESULT_PARTIAL) {
		iobi_text_printf(t, "not steady yet, after %u rounds", o->done);
	} else {
		iobi_text_printf(t, "NOT STEADY  steady state was not achieved in %u round%s",
				 o->done, o->done == 1 ? "" : "s");
		iobi_text_add(t, o->done ? "; " : "");
		if (o->done)
			add_means(t, o);
	}
	iobi_text_add(t, "\n");
}

static void add_rule(struct iobi_text *t, const struct iob_rounds *o)
{
	char excursion[64], slope[64];
	iobi_text_printf(
		t,
		"rounds   %u of at most %u, by %s; steady: over %u rounds within %s of the "
		"average, fitted line within %s\n",
		o->done, o->max_rounds, unit(o->metric), o->window, limit(excursion, o->excursion),
		limit(slope, o->slope));
}

static void add_notes(struct iobi_text *t, const struct iob_rounds *o)
{
	for (size_t i = 0; i < o->n_notes; i++) {
		iobi_text_add(t, "note     ");
		iobi_text_add_name(t, o->notes[i]);
		iobi_text_add(t, "\n");
	}
}

/* ---- tracked cells ---- */

static const struct iob_cell **tracked_of(const struct iob_result *r, const struct iob_rounds *o)
{
	const struct iob_cell **list = calloc(o->tracked + 1, sizeof(*list));
	size_t n = 0;
	for (size_t i = 0; list && i < o->cells && n < o->tracked; i++)
		if (iob_result_cell(r, i)->tracked)
			list[n++] = iob_result_cell(r, i);
	return list;
}

static void add_tracked(struct iobi_report *out, const struct iob_rounds *o,
			const struct iob_cell *const *cell)
{
	struct iobi_table t = { 0 };
	char text[IOBI_CELL];
	iobi_table_column(&t, "", 0);
	iobi_table_column(&t, "tracked", 1);
	iobi_table_column(&t, "average", 0);
	iobi_table_column(&t, "excursion", 0);
	iobi_table_column(&t, "slope", 0);
	iobi_table_column(&t, "", 1);
	for (size_t i = 0; i < o->tracked; i++) {
		iobi_table_row(&t);
		iobi_table_set(&t, 0, iobi_text_count(text, i + 1));
		iobi_table_set(&t, 1, cell[i]->name);
		iobi_table_set(&t, 2, show(text, o->metric, cell[i]->average));
		iobi_table_set(&t, 3, percent(text, cell[i]->excursion));
		iobi_table_set(&t, 4, percent(text, cell[i]->slope));
		iobi_table_set(&t, 5, cell[i]->steady ? "steady" : "not steady");
	}
	iobi_text_add(&out->text, "\n");
	iobi_table_print(&t, out);
}

/* In the window that the results are from. */
static const char *mark(const struct iob_rounds *o, uint32_t round)
{
	return round >= o->first && round <= o->last ? "*" : "";
}

static void add_rounds(struct iobi_report *out, const struct iob_rounds *o,
		       const struct iob_cell *const *cell, size_t from, size_t to)
{
	char head[CELLS_BESIDE][24], text[IOBI_CELL];
	struct iobi_table t = { 0 };
	iobi_table_column(&t, "round", 0);
	iobi_table_column(&t, "", 1);
	for (size_t i = from; i < to; i++) {
		iobi_format_u128(head[i - from], sizeof(head[0]), i + 1);
		iobi_table_column(&t, head[i - from], 0);
	}
	for (uint32_t k = 0; k < o->done; k++) {
		iobi_table_row(&t);
		iobi_table_set(&t, 0, iobi_text_count(text, k + 1));
		iobi_table_set(&t, 1, mark(o, k + 1));
		for (size_t i = from; i < to; i++)
			iobi_table_set(&t, 2 + i - from, show(text, o->metric, cell[i]->values[k]));
	}
	iobi_text_add(&out->text, "\n");
	iobi_table_print(&t, out);
}

/* ---- results ---- */

/* Where cells differ in block size and mix alone, they are shown as the
 * specification does: a row for each size, a column for each mix. */
struct grid {
	const char *size[64], *mix[MIXES_MAX];
	size_t n_sizes, n_mixes;
};

static const char *param(const struct iob_result *r, size_t cell, const char *name)
{
	const char *v = iob_result_param(iob_result_cell_stage(r, cell, 1), name);
	return v ? v : "";
}

/* Its place; n where there is no room. */
static size_t place(const char **list, size_t *n, size_t room, const char *value)
{
	size_t i = 0;
	while (i < *n && strcmp(list[i], value) != 0)
		i++;
	if (i == *n && i < room)
		list[(*n)++] = value;
	return i;
}

static size_t cell_at(const struct iob_result *r, size_t cells, const char *size, const char *mix)
{
	for (size_t i = 0; i < cells; i++)
		if (!strcmp(param(r, i, "block_size"), size) &&
		    !strcmp(param(r, i, "read_percent"), mix))
			return i;
	return cells;
}

static int make_grid(struct grid *g, const struct iob_result *r, const struct iob_rounds *o)
{
	for (size_t i = 0; i < o->cells; i++)
		if (place(g->size, &g->n_sizes, IOBI_LEN(g->size), param(r, i, "block_size")) ==
			    IOBI_LEN(g->size) ||
		    place(g->mix, &g->n_mixes, IOBI_LEN(g->mix), param(r, i, "read_percent")) ==
			    IOBI_LEN(g->mix))
			return 0;
	if (o->cells < 2 || g->n_sizes * g->n_mixes != o->cells)
		return 0;
	for (size_t s = 0; s < g->n_sizes; s++)
		for (size_t m = 0; m < g->n_mixes; m++)
			if (cell_at(r, o->cells, g->size[s], g->mix[m]) == o->cells)
				return 0;
	return 1;
}

/* "65/35" */
static char *mix_name(char *buf, size_t n, const char *reads)
{
	unsigned v = (unsigned)strtoul(reads, NULL, 10);
	char writes[16];
	iobi_format_u128(buf, n, v);
	iobi_format_u128(writes, sizeof(writes), v <= 100 ? 100 - v : 0);
	return strcat(strcat(buf, "/"), writes);
}

static uint64_t worst(const struct iob_result *r, const struct iob_rounds *o, size_t cell)
{
	uint64_t worst = 0;
	for (uint32_t k = o->first; k <= o->last; k++) {
		const struct iob_result *stage = iob_result_cell_stage(r, cell, k);
		uint64_t max =
			iob_hist_max(iob_result_hist(stage, IOB_OP_ALL, IOB_LATENCY_RESPONSE));
		worst = max > worst ? max : worst;
	}
	return worst;
}

static void add_grid(struct iobi_report *out, const struct iob_result *r,
		     const struct iob_rounds *o, const struct grid *g, int maximum)
{
	char head[MIXES_MAX][32], text[IOBI_CELL];
	struct iobi_table t = { 0 };
	iobi_table_column(&t, "block", 0);
	for (size_t m = 0; m < g->n_mixes; m++)
		iobi_table_column(&t, mix_name(head[m], 16, g->mix[m]), 0);
	for (size_t s = 0; s < g->n_sizes; s++) {
		iobi_table_row(&t);
		iobi_table_set(&t, 0, g->size[s]);
		for (size_t m = 0; m < g->n_mixes; m++) {
			size_t i = cell_at(r, o->cells, g->size[s], g->mix[m]);
			double v = maximum ? (double)worst(r, o, i)
					   : iob_result_cell_mean(r, i, IOB_OP_ALL, o->metric);
			iobi_table_set(&t, 1 + m, show(text, o->metric, v));
		}
	}
	iobi_text_printf(&out->text, "\n%s by block size and mix (reads/writes)\n",
			 maximum ? "highest response time" : unit(o->metric));
	iobi_table_print(&t, out);
}

static void add_list_row(struct iobi_table *t, const struct iob_result *r, size_t i, enum iob_op op,
			 int named)
{
	char text[IOBI_CELL];
	iobi_table_row(t);
	iobi_table_set(t, 0, named ? iob_result_cell(r, i)->name : "");
	iobi_table_set(t, 1, iobi_op_name(op));
	for (int m = IOB_STEADY_IOPS; m <= IOB_STEADY_LATENCY; m++) {
		enum iob_steady_metric metric = (enum iob_steady_metric)m;
		iobi_table_set(t, 2 + (size_t)m,
			       show(text, metric, iob_result_cell_mean(r, i, op, metric)));
	}
}

static void add_list(struct iobi_report *out, const struct iob_result *r,
		     const struct iob_rounds *o)
{
	struct iobi_table t = { 0 };
	iobi_table_column(&t, "cell", 1);
	iobi_table_column(&t, "op", 1);
	iobi_table_column(&t, "IOPS", 0);
	iobi_table_column(&t, "MB/s", 0);
	iobi_table_column(&t, "mean", 0);
	for (size_t i = 0; i < o->cells; i++) {
		int rows = 0;
		for (int op = IOB_OP_READ; op <= IOB_OP_SYNC; op++)
			if (!isnan(iob_result_cell_mean(r, i, (enum iob_op)op, IOB_STEADY_IOPS)))
				add_list_row(&t, r, i, (enum iob_op)op, !rows++);
		if (rows != 1)
			add_list_row(&t, r, i, IOB_OP_ALL, !rows);
	}
	iobi_text_add(&out->text, "\n");
	iobi_table_print(&t, out);
}

static void add_results(struct iobi_report *out, const struct iob_result *r,
			const struct iob_rounds *o)
{
	struct grid g = { .n_sizes = 0 };
	iobi_text_add(&out->text, o->steady_at ? "\n* " : "\n* NOT STEADY: ");
	add_means(&out->text, o);
	iobi_text_add(&out->text, "\n");
	if (!make_grid(&g, r, o)) {
		add_list(out, r, o);
		return;
	}
	add_grid(out, r, o, &g, 0);
	if (o->metric == IOB_STEADY_LATENCY)
		add_grid(out, r, o, &g, 1);
}

void iobi_text_rounds(struct iobi_report *out, const struct iob_result *r)
{
	const struct iob_rounds *o = iob_result_rounds(r);
	const struct iob_cell **tracked = o ? tracked_of(r, o) : NULL;
	if (!o)
		return;
	if (!tracked) {
		out->text.failed = 1;
		return;
	}
	add_rule(&out->text, o);
	add_verdict(&out->text, r, o);
	add_notes(&out->text, o);
	if (o->done) {
		add_tracked(out, o, tracked);
		for (size_t i = 0; i < o->tracked && !out->rc; i += CELLS_BESIDE)
			add_rounds(out, o, tracked, i,
				   i + CELLS_BESIDE < o->tracked ? i + CELLS_BESIDE : o->tracked);
		add_results(out, r, o);
	}
	free(tracked);
}

size_t iobi_text_stages(const struct iob_result *r)
{
	enum {
		ROWS = 100
	};
	const struct iob_rounds *o = iob_result_rounds(r);
	return o && r->n_child > ROWS && o->once < r->n_child ? o->once : r->n_child;
}
