/* SPDX-License-Identifier: MIT */
/* The end of the text report: what each layer under the targets did. */
#include "report/table.h"
#include "report/text_priv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum column {
	DEVICE,
	READS,
	READ_KIB,
	WRITES,
	WRITE_KIB,
	DISCARDS,
	FLUSHES,
	MERGED,
	SIZE,
	PER_IO,
	UTIL,
	IN_FLIGHT,
	FOREIGN,
	WHAT
};

/* What of the table needs explaining. */
struct seen {
	int not_available, foreign;
};

static void add_columns(struct iobi_table *t)
{
	static const struct {
		const char *head;
		int left;
	} columns[] = {
		{ "device", 1 },      { "reads", 0 },    { "KiB read", 0 }, { "writes", 0 },
		{ "KiB written", 0 }, { "discards", 0 }, { "flushes", 0 },  { "merged", 0 },
		{ "mean size", 0 },   { "per I/O", 0 },  { "util", 0 },     { "in flight", 0 },
		{ "foreign", 0 },     { "", 1 }
	};
	for (size_t i = 0; i < IOBI_LEN(columns); i++)
		iobi_table_column(t, columns[i].head, columns[i].left);
}

static void set_count(struct iobi_table *t, enum column c, uint64_t v)
{
	char text[IOBI_CELL];
	if (v)
		iobi_table_set(t, c, iobi_text_count(text, v));
}

/* Exact: sectors are half KiB. */
static void set_kib(struct iobi_table *t, enum column c, uint64_t bytes)
{
	char text[IOBI_CELL + 2];
	if (!bytes)
		return;
	iobi_text_count(text, bytes / 1024);
	if (bytes % 1024)
		strcat(text, ".5");
	iobi_table_set(t, c, text);
}

static const char *percent(char *buf, double v)
{
	char number[32];
	snprintf(buf, IOBI_CELL, "%s %%", iobi_format_digits(number, sizeof(number), v * 100, 3));
	return buf;
}

static void set_double(struct iobi_table *t, enum column c, double v)
{
	char text[IOBI_CELL];
	if (!isnan(v))
		iobi_table_set(t, c, iobi_text_number(text, v));
}

static void set_times(struct iobi_table *t, const struct iob_device_use *u, struct seen *seen)
{
	char text[IOBI_CELL];
	if (!isnan(u->utilisation)) {
		iobi_table_set(t, UTIL, percent(text, u->utilisation));
		set_double(t, IN_FLIGHT, u->in_flight);
	} else if (u->flags & (IOB_DEVICE_NO_TICKS | IOB_DEVICE_NO_COUNTERS)) {
		iobi_table_set(t, UTIL, "n/a");
		iobi_table_set(t, IN_FLIGHT, "n/a");
		seen->not_available = 1;
	}
}

static void set_foreign(struct iobi_table *t, const struct iob_device_use *u, struct seen *seen)
{
	char text[IOBI_CELL + 1] = "-";
	if (!u->foreign_bytes)
		return;
	uint64_t v =
		u->foreign_bytes < 0 ? (uint64_t)-u->foreign_bytes : (uint64_t)u->foreign_bytes;
	iobi_text_bytes(text + 1, v);
	iobi_table_set(t, FOREIGN, u->foreign_bytes < 0 ? text : text + 1);
	seen->foreign = 1;
}

static void set_counts(struct iobi_table *t, const struct iob_device_use *u, struct seen *seen)
{
	const struct iob_device_io *op = u->op;
	char text[IOBI_CELL];
	if (u->flags & IOB_DEVICE_NO_COUNTERS) {
		iobi_table_set(t, READS, "n/a");
		iobi_table_set(t, WRITES, "n/a");
		seen->not_available = 1;
		return;
	}
	iobi_table_set(t, READS, iobi_text_count(text, op[IOB_OP_READ].ios));
	set_kib(t, READ_KIB, op[IOB_OP_READ].bytes);
	set_count(t, WRITES, op[IOB_OP_WRITE].ios);
	set_kib(t, WRITE_KIB, op[IOB_OP_WRITE].bytes);
	set_count(t, DISCARDS, op[IOB_OP_TRIM].ios);
	set_count(t, FLUSHES, op[IOB_OP_SYNC].ios);
	set_count(t, MERGED, op[IOB_OP_ALL].merges);
	if (!isnan(u->mean_request))
		iobi_table_set(t, SIZE, iobi_text_bytes(text, iobi_whole(u->mean_request)));
}

/* Indented by its depth; deep stacks stay within the line. */
static void set_name(struct iobi_table *t, const struct iob_device_use *u)
{
	char text[256];
	int indent = u->depth < 16 ? 2 * (int)u->depth : 32;
	snprintf(text, sizeof(text), "%*s%.200s", indent, "", u->name);
	iobi_table_set(t, DEVICE, text);
}

static void add_row(struct iobi_table *t, const struct iob_device_use *u, struct seen *seen)
{
	iobi_table_row(t);
	set_name(t, u);
	set_counts(t, u, seen);
	set_double(t, PER_IO, u->requests_per_io);
	set_times(t, u, seen);
	set_foreign(t, u, seen);
	iobi_table_set(t, WHAT, u->about);
}

/* ---- the members of a layer ---- */

static double distance(const struct iob_device_spread *s)
{
	if (isnan(s->skew) || s->skew < 0)
		return 0;
	return s->skew < 1 ? 1 / s->skew : s->skew;
}

static void add_skew(struct iobi_text *t, const struct iob_result *r,
		     const struct iob_device_use *u)
{
	const struct iob_device_spread *ios = &u->member_ios, *util = &u->member_utilisation;
	int by_util = distance(util) > distance(ios);
	const struct iob_device_spread *s = by_util ? util : ios;
	char number[32];
	if (s->worst >= r->n_devices || distance(s) <= 1)
		return;
	iobi_text_add(t, "; most skewed ");
	iobi_text_add_name(t, r->device[s->worst].use.name);
	iobi_text_printf(t, ", %s times the %s of the others",
			 isinf(s->skew) ? "many"
					: iobi_format_digits(number, sizeof(number), s->skew, 3),
			 by_util ? "util" : "requests");
}

static void add_idle(struct iobi_text *t, const struct iob_result *r,
		     const struct iob_device_use *u)
{
	int first = 1;
	for (uint32_t i = 0; i < u->n_below; i++) {
		const struct iob_device_use *m = &r->device[u->below[i]].use;
		if (m->op[IOB_OP_ALL].ios || m->flags & IOB_DEVICE_NO_COUNTERS)
			continue;
		iobi_text_add(t, first ? "; idle " : ", ");
		iobi_text_add_name(t, m->name);
		first = 0;
	}
}

static void add_members(struct iobi_report *o, const struct iob_result *r,
			const struct iob_device_use *u)
{
	char mean[IOBI_CELL], min[IOBI_CELL], max[IOBI_CELL];
	struct iobi_text *t = &o->text;
	if (u->n_below < 2)
		return;
	iobi_text_add(t, "  ");
	iobi_text_add_name(t, u->name);
	iobi_text_printf(t, ": %u of %u members busy", u->n_below - u->n_idle, u->n_below);
	if (!isnan(u->member_ios.mean))
		iobi_text_printf(t, ", requests each %s (%s to %s)",
				 iobi_text_number(mean, u->member_ios.mean),
				 iobi_text_number(min, u->member_ios.min),
				 iobi_text_number(max, u->member_ios.max));
	if (!isnan(u->member_utilisation.mean))
		iobi_text_printf(t, ", util %s (%s to %s)",
				 percent(mean, u->member_utilisation.mean),
				 percent(min, u->member_utilisation.min),
				 percent(max, u->member_utilisation.max));
	add_skew(t, r, u);
	add_idle(t, r, u);
	iobi_text_add(t, "\n");
}

static void explain(struct iobi_report *o, const struct seen *seen)
{
	iobi_text_add(&o->text, "per I/O: requests of this layer for each I/O of this run; "
				"util: share of the time with a request in flight\n");
	if (seen->not_available)
		iobi_text_add(&o->text, "n/a: not available, the layer does not count it\n");
	if (seen->foreign)
		iobi_text_add(&o->text,
			      "foreign: bytes here beyond those that this run issued; below "
			      "0 a cache served the run\n");
}

/* Kept where targets changed from stage to stage: the longest. */
static uint64_t longest(const struct iob_result *r)
{
	uint64_t most = 0;
	for (size_t i = 0; i < r->n_devices; i++)
		if (r->device[i].use.length_ns > most)
			most = r->device[i].use.length_ns;
	return most;
}

void iobi_text_devices(struct iobi_report *o, const struct iob_result *r)
{
	struct iobi_table t = { 0 };
	struct seen seen = { 0, 0 };
	char text[IOBI_CELL];
	if (r->level == IOB_LEVEL_WORKER && r->parent)
		r = r->parent;
	if (!r->n_devices)
		return;
	iobi_text_printf(&o->text,
			 "\ndevices  by the kernel's counters, everybody's requests, over %s\n",
			 iobi_text_ns(text, (double)longest(r)));
	add_columns(&t);
	for (size_t i = 0; i < r->n_devices; i++)
		add_row(&t, &r->device[i].use, &seen);
	iobi_table_print(&t, o);
	for (size_t i = 0; i < r->n_devices && !o->rc; i++)
		add_members(o, r, &r->device[i].use);
	explain(o, &seen);
}
