/* SPDX-License-Identifier: MIT */
/* The report for people: what ran where, one table, what went wrong. */
#include "report/table.h"
#include "report/text_priv.h"
#include <iobench/steady.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Percentiles beside the rates, and in a table of their own where more were asked. */
enum {
	BESIDE_RATES = 5,
	FIRST_OF_MANY = 4,
	ON_THEIR_OWN = 8,
	TABLE_ROWS = 500
};

enum column {
	ROUND,
	LABEL,
	ENGINE,
	BLOCK,
	WORKERS,
	DEPTH,
	PATTERN,
	READ_SHARE,
	OP,
	IOPS,
	MB,
	MEAN,
	FIRST_P
};

_Static_assert(FIRST_P + ON_THEIR_OWN + 2 /* max, errors */ <= IOBI_TABLE_COLUMNS,
	       "more columns than a table has");

/* What holds for all tables of a report, and what in them needs explaining. */
struct view {
	int rounds;      /* it was run in rounds: the same */
	int engines;     /* not all the same: a column of their own */
	int few, no_few; /* "~", "-" were used */
};

/* One table, and which percentiles it shows. */
struct page {
	struct view *view;
	struct iobi_table table;
	struct iobi_percentiles p;
	char p_head[ON_THEIR_OWN][16];
	int rates; /* IOPS, MB/s, mean, max and errors too */
};

static void add_setup_columns(struct iobi_table *t)
{
	static const struct {
		const char *head;
		int left;
	} columns[] = { { "round", 0 }, { "", 1 },       { "engine", 1 },  { "block", 0 }, { "workers", 0 },
			{ "depth", 0 }, { "pattern", 1 }, { "read%", 0 }, { "op", 1 } };
	for (size_t i = 0; i < IOBI_LEN(columns); i++)
		iobi_table_column(t, columns[i].head, columns[i].left);
}

static void add_columns(struct page *page)
{
	struct iobi_table *t = &page->table;
	add_setup_columns(t);
	iobi_table_column(t, "IOPS", 0);
	iobi_table_column(t, "MB/s", 0);
	iobi_table_column(t, "mean", 0);
	for (size_t i = 0; i < page->p.n; i++) {
		char text[16];
		snprintf(page->p_head[i], sizeof(page->p_head[i]), "p%s",
			 iobi_format_percent(text, sizeof(text), page->p.p[i]));
		iobi_table_column(t, page->p_head[i], 0);
	}
	iobi_table_column(t, "max", 0);
	iobi_table_column(t, "errors", 0);
}

static void set_block(struct iobi_table *t, const struct iob_result *w)
{
	uint64_t block = iobi_report_block(w);
	char text[IOBI_CELL];
	if (*iobi_report_ran(w, "block_size"))
		iobi_table_set(t, BLOCK, block ? iobi_text_bytes(text, block) : "mix");
}

static void set_setup(struct page *page, const struct iob_result *w)
{
	struct iobi_table *t = &page->table;
	char label[IOBI_CELL];
	const char *pattern = iobi_report_ran(w, "pattern");

	if (page->view->rounds) {
		snprintf(label, sizeof(label), "%u", iobi_report_round(w));
		iobi_table_set(t, ROUND, *label == '0' ? "once" : label);
	}
	iobi_text_label(label, w);
	iobi_table_set(t, LABEL, label);
	if (page->view->engines)
		iobi_table_set(t, ENGINE, iobi_report_ran(w, "engine"));
	set_block(t, w);
	iobi_table_set(t, WORKERS,
		       w->level == IOB_LEVEL_WORKER ? "1" : iobi_report_ran(w, "workers"));
	iobi_table_set(t, DEPTH, iobi_report_ran(w, "queue_depth"));
	iobi_table_set(t, PATTERN, strcmp(pattern, "sequential") ? pattern : "seq");
	iobi_table_set(t, READ_SHARE, iobi_report_ran(w, "read_percent"));
}

static void set_rates(struct page *page, const struct iob_result *r, enum iob_op op)
{
	struct iobi_table *t = &page->table;
	const struct iob_hist *h = r->op[op].latency[IOB_LATENCY_SERVICE];
	uint64_t errors = iob_result_count(r, op, IOB_COUNT_ERRORS) +
			  iob_result_count(r, op, IOB_COUNT_SHORT);
	char text[IOBI_CELL];

	iobi_table_set(t, IOPS, iobi_text_number(text, iob_result_iops(r, op)));
	if (op != IOB_OP_SYNC)
		iobi_table_set(t, MB, iobi_text_number(text, iob_result_bytes_per_s(r, op) / 1e6));
	iobi_table_set(t, MEAN, iobi_text_ns(text, iob_hist_mean(h)));
	size_t max = FIRST_P + page->p.n;
	iobi_table_set(t, max, iobi_text_ns(text, h->count ? (double)h->max : NAN));
	if (errors)
		iobi_table_set(t, max + 1, iobi_text_count(text, errors));
}

static void set_percentiles(struct page *page, const struct iob_hist *h)
{
	for (size_t i = 0; i < page->p.n; i++) {
		double support = iobi_report_support(h, page->p.p[i]);
		char text[IOBI_CELL + 1] = "~";
		uint64_t v;
		if (support < 1 || iob_hist_percentile(h, page->p.p[i], &v)) {
			page->view->no_few |= h->count && support < 1;
			iobi_table_set(&page->table, FIRST_P + i, "-");
			continue;
		}
		iobi_text_ns(text + 1, (double)v);
		page->view->few |= support < 10;
		iobi_table_set(&page->table, FIRST_P + i, support < 10 ? text : text + 1);
	}
}

static void set_op(struct page *page, const struct iob_result *r, enum iob_op op)
{
	iobi_table_set(&page->table, OP, iobi_op_name(op));
	if (page->rates)
		set_rates(page, r, op);
	set_percentiles(page, r->op[op].latency[IOB_LATENCY_SERVICE]);
}

/* A row for each op; where several moved data, one for all of them too. */
static void add_rows(struct page *page, const struct iob_result *r)
{
	static const enum iob_op data[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM };
	int rows = 0;
	for (size_t i = 0; i < IOBI_LEN(data); i++) {
		if (!iobi_report_did(r, data[i]))
			continue;
		if (rows++)
			iobi_table_row(&page->table);
		set_op(page, r, data[i]);
	}
	if (rows > 1)
		iobi_table_row(&page->table);
	if (rows != 1)
		set_op(page, r, IOB_OP_ALL);
	if (!iobi_report_did(r, IOB_OP_SYNC))
		return;
	iobi_table_row(&page->table);
	set_op(page, r, IOB_OP_SYNC);
}

static void add_total(struct page *page, const struct iob_result *total)
{
	if (!total)
		return;
	iobi_table_row(&page->table);
	iobi_table_set(&page->table, LABEL, "together");
	add_rows(page, total);
}

static void add_page(struct iobi_report *o, const struct iobi_list *l,
		     const struct iob_result *total, struct page *page)
{
	add_columns(page);
	for (size_t i = 0; i < l->n; i++) {
		iobi_table_row(&page->table);
		set_setup(page, l->w[i]);
		add_rows(page, l->w[i]);
	}
	add_total(page, total);
	iobi_text_add(&o->text, "\n");
	iobi_table_print(&page->table, o);
}

static void add_pages(struct iobi_report *o, const struct iobi_list *l,
		      const struct iob_result *total, struct view *view)
{
	struct iobi_percentiles all;
	size_t done = 0;

	iobi_report_percentiles(l->w[0], &all);
	do {
		struct page page = { .view = view, .rates = !done };
		size_t most = done                    ? ON_THEIR_OWN
			      : all.n <= BESIDE_RATES ? BESIDE_RATES
						      : FIRST_OF_MANY;
		page.p.n = all.n - done < most ? all.n - done : most;
		memcpy(page.p.p, all.p + done, page.p.n * sizeof(*all.p));
		add_page(o, l, total, &page);
		done += page.p.n;
	} while (done < all.n && !o->rc);
}

/* A long list is cut into tables, so that memory and widths stay bounded. */
static void add_tables(struct iobi_report *o, const struct iobi_list *l,
		       const struct iob_result *total, struct view *view)
{
	for (size_t at = 0; at < l->n && !o->rc; at += TABLE_ROWS) {
		struct iobi_list part = { l->w + at,
					  l->n - at < TABLE_ROWS ? l->n - at : TABLE_ROWS };
		add_pages(o, &part, at + part.n == l->n ? total : NULL, view);
	}
}

static void add_stage(struct iobi_report *o, const struct iob_result *stage, size_t number,
		      struct view *view)
{
	struct iobi_list l = { (const struct iob_result **)stage->child, stage->n_child };
	char text[IOBI_CELL];

	iobi_text_printf(&o->text, "\nstage %zu  \"", number);
	iobi_text_add_name(&o->text, stage->name);
	iobi_text_printf(&o->text, "\", %s", iobi_text_ns(text, (double)stage->elapsed_ns));
	if (l.n > 1)
		iobi_text_printf(&o->text, ", %zu workloads side by side", l.n);
	iobi_text_add(&o->text, "\n");
	add_tables(o, &l, l.n > 1 ? stage : NULL, view);
}

static int side_by_side(const struct iob_result *r)
{
	int any = r->level == IOB_LEVEL_STAGE && r->n_child > 1;
	for (size_t i = 0; r->level == IOB_LEVEL_SUITE && i < r->n_child; i++)
		any |= r->child[i]->n_child > 1;
	return any;
}

/* A matrix is one table; where workloads ran side by side each stage has its own. */
static void add_body(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l,
		     struct view *view)
{
	if (!side_by_side(r)) {
		add_tables(o, l, NULL, view);
		return;
	}
	if (r->level == IOB_LEVEL_STAGE)
		add_stage(o, r, 1, view);
	for (size_t i = 0; r->level == IOB_LEVEL_SUITE && i < iobi_text_stages(r) && !o->rc; i++)
		add_stage(o, r->child[i], i + 1, view);
}

/* The rows of what there are too many of are left out, and that is said. */
static void add_shown(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l,
		      struct view *view)
{
	struct iobi_list shown = *l;
	size_t stages = iobi_text_stages(r);
	if (r->level == IOB_LEVEL_SUITE && stages < r->n_child) {
		shown.n = 0;
		for (size_t i = 0; i < stages; i++)
			shown.n += r->child[i]->n_child;
	}
	if (shown.n)
		add_body(o, r, &shown, view);
	if (shown.n < l->n)
		iobi_text_printf(&o->text,
				 "\nthe %zu stages of the rounds: each is in the JSON and CSV reports\n",
				 r->n_child - stages);
}

static void explain(struct iobi_report *o, const struct view *view)
{
	iobi_text_add(&o->text, "\nlatency: from before the submit call to completion; "
				"1 MB = 10^6 bytes, 1 KiB = 1024 bytes\n");
	if (view->few)
		iobi_text_add(&o->text, "~ fewer than 10 I/Os lie beyond this percentile: it may "
					"be off\n");
	if (view->no_few)
		iobi_text_add(&o->text, "- too few I/Os for this percentile\n");
}

static size_t count_workloads(const struct iob_result *r)
{
	size_t n = 0;
	if (r->level >= IOB_LEVEL_WORKLOAD)
		return 1;
	for (size_t i = 0; i < r->n_child; i++)
		n += count_workloads(r->child[i]);
	return n;
}

static void list_workloads(const struct iob_result *r, struct iobi_list *l)
{
	if (r->level >= IOB_LEVEL_WORKLOAD)
		l->w[l->n++] = r;
	for (size_t i = 0; r->level < IOB_LEVEL_WORKLOAD && i < r->n_child; i++)
		list_workloads(r->child[i], l);
}

void iobi_report_text(struct iobi_report *o, const struct iob_result *r)
{
	struct view view = { .engines = !iob_result_effective(r, "engine"),
			     .rounds = iob_result_rounds(r) != NULL };
	struct iobi_list l = { calloc(count_workloads(r) + 1, sizeof(*l.w)), 0 };

	if (!l.w) {
		o->text.failed = 1;
		return;
	}
	list_workloads(r, &l);
	iobi_text_head(o, r, &l);
	iobi_text_search(o, r);
	iobi_text_rounds(o, r);
	if (l.n) {
		add_shown(o, r, &l, &view);
		explain(o, &view);
	}
	if (!r->search) /* whose curve tells what became of each rate */
		iobi_text_pace(o, &l);
	iobi_text_notes(o, r, &l);
	iobi_text_devices(o, r);
	iobi_text_findings(o, r);
	free(l.w);
}
