/* SPDX-License-Identifier: MIT */
/* Comparisons as text, JSON, CSV and Markdown. */
#include "report/json_value.h"
#include "report/table.h"
#include "report/text_priv.h"
#include "result/compare.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const metrics[IOB_METRICS] = { "iops", "read_mean_ns", "write_mean_ns",
						  "read_p99_ns", "write_p99_ns" };
static const char *const heads[IOB_METRICS] = { "IOPS", "read mean", "write mean", "read p99",
						"write p99" };
static const char *const verdicts[] = { "", "no difference shown", "differs" };

static char *show(char *buf, int metric, double v)
{
	if (isnan(v))
		return strcpy(buf, "-");
	return metric == IOB_METRIC_IOPS ? iobi_text_number(buf, v) : iobi_text_ns(buf, v);
}

static char *show_ratio(char *buf, double v)
{
	return isnan(v) ? strcpy(buf, "-") : iobi_format_fixed(buf, IOBI_CELL, v, 3);
}

/* "0.95 to 1.02" */
static char *show_interval(char *buf, const struct iob_ratio *r)
{
	char low[IOBI_CELL], high[IOBI_CELL];
	if (isnan(r->low))
		return strcpy(buf, "-");
	iobi_format_fixed(low, 16, r->low, 3);
	iobi_format_fixed(high, 16, r->high, 3);
	strcat(strcat(strcpy(buf, low), " to "), high);
	return buf;
}

/* Paired by their place, the two have names of their own: "A / B". */
static bool renamed(const struct iob_compared *cell)
{
	return cell->a && cell->b && strcmp(cell->name, iobi_compare_name(cell->b)) != 0;
}

/* Valid until `t` is freed. */
static const char *full_name(struct iobi_text *t, const struct iob_compared *cell)
{
	iobi_text_add(t, cell->name);
	if (renamed(cell)) {
		iobi_text_add(t, " / ");
		iobi_text_add(t, iobi_compare_name(cell->b));
	}
	return t->failed ? cell->name : t->data;
}

static bool has_any(const struct iob_ratio *r)
{
	return !isnan(r->a) || !isnan(r->b);
}

static const char *verdict(const struct iob_compared *cell, const struct iob_ratio *r)
{
	if (!cell->a)
		return "only in B";
	return cell->b ? verdicts[r->difference] : "only in A";
}

/* ---- text ---- */

static void add_row(struct iobi_table *t, const struct iob_compared *cell, int m, bool named)
{
	const struct iob_ratio *r = &cell->metric[m];
	char text[IOBI_CELL];
	struct iobi_text name = { 0 };
	iobi_table_row(t);
	iobi_table_set(t, 0, named ? full_name(&name, cell) : "");
	iobi_text_free(&name);
	iobi_table_set(t, 1, heads[m]);
	iobi_table_set(t, 2, show(text, m, r->a));
	iobi_table_set(t, 3, show(text, m, r->b));
	iobi_table_set(t, 4, show_ratio(text, r->ratio));
	if (!isnan(r->low))
		iobi_table_set(t, 5, show_interval(text, r));
	iobi_table_set(t, 6, verdict(cell, r));
}

static size_t count(const struct iob_comparison *c, enum iob_difference d)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		for (int m = 0; m < IOB_METRICS; m++)
			n += !isnan(c->cell[i].metric[m].ratio) &&
			     c->cell[i].metric[m].difference == d;
	return n;
}

/* Only of what is there: a line on what is not would be read as the outcome. */
static void add_legend(struct iobi_report *o, const struct iob_comparison *c)
{
	size_t unknown = count(c, IOB_DIFFERENCE_UNKNOWN),
	       same = count(c, IOB_DIFFERENCE_NOT_SHOWN), shown = count(c, IOB_DIFFERENCE_SHOWN);
	iobi_text_add(&o->text, unknown + same + shown ? "\n" : "");
	if (same + shown)
		iobi_text_add(&o->text, "interval: of the ratio, by batch means over five to ten "
					"stretches of each run\n");
	if (same)
		iobi_text_add(&o->text, "\"no difference shown\": the interval holds 1\n");
	if (unknown)
		iobi_text_add(&o->text, "no interval: it is not known whether they differ by more "
					"than they vary; a p99 has none, nor a run with\nless than "
					"five stretches of its series, nor what another program "
					"recorded\n");
}

static void as_text(struct iobi_report *o, const struct iob_comparison *c)
{
	static const struct {
		const char *head;
		int left;
	} columns[] = { { "", 1 },  { "", 1 },    { "A", 0 },
			{ "B", 0 }, { "B/A", 0 }, { "95 % interval", 0 },
			{ "", 1 } };
	struct iobi_table t = { 0 };
	for (size_t i = 0; i < IOBI_LEN(columns); i++)
		iobi_table_column(&t, columns[i].head, columns[i].left);
	for (size_t i = 0; i < c->n; i++) {
		bool named = true;
		for (int m = 0; m < IOB_METRICS; m++)
			if (has_any(&c->cell[i].metric[m])) {
				add_row(&t, &c->cell[i], m, named);
				named = false;
			}
	}
	iobi_table_print(&t, o);
	add_legend(o, c);
}

/* ---- markdown ---- */

static void add_escaped(struct iobi_text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '|')
			iobi_text_add(t, "\\");
		iobi_text_add_n(t, (unsigned char)*s < ' ' ? "?" : s, 1);
	}
}

static void markdown_row(struct iobi_report *o, const struct iob_compared *cell, int m)
{
	const struct iob_ratio *r = &cell->metric[m];
	char a[IOBI_CELL], b[IOBI_CELL], ratio[IOBI_CELL], interval[IOBI_CELL];
	struct iobi_text name = { 0 };
	iobi_text_add(&o->text, "| ");
	add_escaped(&o->text, full_name(&name, cell));
	iobi_text_free(&name);
	iobi_text_printf(&o->text, " | %s | %s | %s | %s | %s | %s |\n", heads[m], show(a, m, r->a),
			 show(b, m, r->b), show_ratio(ratio, r->ratio), show_interval(interval, r),
			 verdict(cell, r));
}

static void as_markdown(struct iobi_report *o, const struct iob_comparison *c)
{
	iobi_text_add(&o->text, "| cell | | A | B | B/A | 95 % interval | |\n"
				"|---|---|--:|--:|--:|--:|---|\n");
	for (size_t i = 0; i < c->n; i++)
		for (int m = 0; m < IOB_METRICS; m++)
			if (has_any(&c->cell[i].metric[m]))
				markdown_row(o, &c->cell[i], m);
}

/* ---- csv and json ---- */

static void add_number(struct iobi_text *t, double v, int decimals, const char *none)
{
	char text[IOBI_CELL];
	iobi_text_add(t, isfinite(v) ? iobi_format_fixed(text, sizeof(text), v, decimals) : none);
}

static void csv_row(struct iobi_report *o, const struct iob_compared *cell, int m)
{
	const struct iob_ratio *r = &cell->metric[m];
	const double values[] = { r->a, r->b, r->ratio, r->low, r->high };
	struct iobi_text name = { 0 };
	iobi_text_add(&o->text, "\"");
	for (const char *s = full_name(&name, cell); *s; s++)
		iobi_text_add_n(&o->text, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
	iobi_text_free(&name);
	iobi_text_printf(&o->text, "\",%s", metrics[m]);
	for (size_t i = 0; i < IOBI_LEN(values); i++) {
		iobi_text_add(&o->text, ",");
		add_number(&o->text, values[i], i < 2 ? 3 : 6, "");
	}
	iobi_text_printf(&o->text, ",%s\n", verdict(cell, r));
}

static void as_csv(struct iobi_report *o, const struct iob_comparison *c)
{
	iobi_text_add(&o->text, "cell,metric,a,b,ratio,low,high,verdict\n");
	for (size_t i = 0; i < c->n; i++)
		for (int m = 0; m < IOB_METRICS; m++)
			if (has_any(&c->cell[i].metric[m]))
				csv_row(o, &c->cell[i], m);
}

static void json_text(struct iobi_text *t, const char *s)
{
	json_t *v = iobi_json_text(s);
	char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
	if (text)
		iobi_text_add(t, text);
	t->failed |= !text;
	free(text);
	json_decref(v);
}

static void json_metric(struct iobi_report *o, const struct iob_ratio *r, int m)
{
	static const char *const words[] = { "unknown", "not shown", "shown" };
	const double values[] = { r->a, r->b, r->ratio, r->low, r->high };
	static const char *const keys[] = { "a", "b", "ratio", "low", "high" };
	iobi_text_printf(&o->text, "\"%s\": {", metrics[m]);
	for (size_t i = 0; i < IOBI_LEN(values); i++) {
		iobi_text_printf(&o->text, "\"%s\": ", keys[i]);
		add_number(&o->text, values[i], 6, "null");
		iobi_text_add(&o->text, ", ");
	}
	iobi_text_printf(&o->text, "\"difference\": \"%s\"}", words[r->difference]);
}

static void as_json(struct iobi_report *o, const struct iob_comparison *c)
{
	iobi_text_add(&o->text, "{\"cells\": [");
	for (size_t i = 0; i < c->n; i++) {
		const struct iob_compared *cell = &c->cell[i];
		iobi_text_printf(&o->text, "%s\n {\"name\": ", i ? "," : "");
		json_text(&o->text, cell->name);
		if (renamed(cell)) {
			iobi_text_add(&o->text, ", \"name_b\": ");
			json_text(&o->text, iobi_compare_name(cell->b));
		}
		iobi_text_printf(&o->text, ", \"in\": \"%s\"",
				 !cell->a   ? "b"
				 : !cell->b ? "a"
					    : "both");
		for (int m = 0; m < IOB_METRICS; m++)
			if (has_any(&cell->metric[m])) {
				iobi_text_add(&o->text, ", ");
				json_metric(o, &cell->metric[m], m);
			}
		iobi_text_add(&o->text, "}");
	}
	iobi_text_add(&o->text, "]}\n");
}

int iob_comparison_report(const struct iob_comparison *c, const char *format, iob_write_fn fn,
			  void *user, struct iob_error *err)
{
	static const struct {
		const char *name;
		void (*write)(struct iobi_report *o, const struct iob_comparison *c);
	} formats[] = { { "text", as_text },
			{ "json", as_json },
			{ "csv", as_csv },
			{ "markdown", as_markdown } };
	if (!c || !fn)
		return iobi_is_null(err, c ? "fn" : "comparison");
	for (size_t i = 0; format && i < IOBI_LEN(formats); i++) {
		struct iobi_report o = { .fn = fn, .user = user };
		if (strcmp(format, formats[i].name) != 0)
			continue;
		formats[i].write(&o, c);
		return iobi_report_end(&o, format, err);
	}
	return iobi_fail(err, EINVAL, "format",
			 "there is no format \"%.64s\" of comparisons; there are text, json, csv, "
			 "markdown",
			 format ? format : "(NULL)");
}
