/* SPDX-License-Identifier: MIT */
/* The JSON report, docs/json.md: one member a line, so that it is read as it
 * is written, a piece at a time, and a histogram stays one line. */
#include "base/base.h"
#include "report/json_value.h"
#include <stdio.h>
#include <time.h>

enum {
	SCHEMA = 1
};

struct doc {
	struct iobi_report *o;
	int depth, first; /* first: nothing stands in the innermost bracket yet */
};

/* jansson passes over some failures to write (of an object's keys): the text
 * remembers them. */
static int add_piece(const char *piece, size_t len, void *user)
{
	struct iobi_text *t = user;
	iobi_text_add_n(t, piece, len);
	return t->failed ? -1 : 0;
}

static void add_dump(struct iobi_report *o, json_t *v)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15);
	if (!v || json_dump_callback(v, add_piece, &o->text, flags))
		o->text.failed = 1;
	json_decref(v);
}

static void start_line(struct doc *d, const char *key)
{
	if (!d->first)
		iobi_text_add(&d->o->text, ",");
	iobi_text_printf(&d->o->text, "\n%*s", d->depth, "");
	if (key)
		iobi_text_printf(&d->o->text, "\"%s\": ", key);
	d->first = 0;
}

static void member(struct doc *d, const char *key, json_t *v)
{
	start_line(d, key);
	add_dump(d->o, v);
	iobi_report_push(d->o);
}

static void open_bracket(struct doc *d, const char *key, const char *bracket)
{
	start_line(d, key);
	iobi_text_add(&d->o->text, bracket);
	d->depth++;
	d->first = 1;
}

static void close_bracket(struct doc *d, const char *bracket)
{
	d->depth--;
	if (!d->first)
		iobi_text_printf(&d->o->text, "\n%*s", d->depth, "");
	iobi_text_add(&d->o->text, bracket);
	d->first = 0;
}

static void counters(json_t **v, const struct iob_result *r, enum iob_op op)
{
	static const char *const names[] = { "ios", "bytes", "errors", "short" };
	for (int c = IOB_COUNT_IOS; c <= IOB_COUNT_SHORT; c++)
		iobi_json_put(v, names[c],
			      iobi_json_number(iob_result_count(r, op, (enum iob_count)c)));
	iobi_json_put(v, "iops", iobi_json_real(iob_result_iops(r, op)));
	iobi_json_put(v, "bytes_per_s", iobi_json_real(iob_result_bytes_per_s(r, op)));
}

static const char *const latency_names[] = { "submit", "service", "response" };

/* All of an op on one line. */
static void one_line(struct doc *d, const struct iob_result *r, enum iob_op op,
		     const struct iobi_percentiles *p, int buckets)
{
	json_t *v = json_object(), *latency = json_object();
	for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
		iobi_json_put(&latency, latency_names[l],
			      iobi_json_hist(r->op[op].latency[l], p, buckets));
	counters(&v, r, op);
	iobi_json_put(&v, "latency", latency);
	member(d, iobi_op_name(op), v);
}

/* A worker's has no buckets. */
static void brief_op(struct doc *d, const struct iob_result *r, enum iob_op op,
		     const struct iobi_percentiles *p)
{
	one_line(d, r, op, p, 0);
}

static void many_lines(struct doc *d, const struct iob_result *r, enum iob_op op,
		       const struct iobi_percentiles *p)
{
	json_t *v = json_object(), *value;
	const char *key;

	open_bracket(d, iobi_op_name(op), "{");
	counters(&v, r, op);
	d->o->text.failed |= !v;
	json_object_foreach(v, key, value) member(d, key, json_incref(value));
	json_decref(v);
	open_bracket(d, "latency", "{");
	for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
		member(d, latency_names[l], iobi_json_hist(r->op[op].latency[l], p, 1));
	close_bracket(d, "}");
	close_bracket(d, "}");
}

/* An op that did nothing takes no more than a line. */
static void full_op(struct doc *d, const struct iob_result *r, enum iob_op op,
		    const struct iobi_percentiles *p)
{
	if (iobi_report_did(r, op))
		many_lines(d, r, op, p);
	else
		one_line(d, r, op, p, 1);
}

static void add_ops(struct doc *d, const struct iob_result *r,
		    void (*add)(struct doc *, const struct iob_result *, enum iob_op,
				const struct iobi_percentiles *))
{
	static const enum iob_op order[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM, IOB_OP_SYNC,
					     IOB_OP_ALL };
	struct iobi_percentiles p;
	iobi_report_percentiles(r, &p);
	for (size_t i = 0; i < IOBI_LEN(order); i++)
		add(d, r, order[i], &p);
}

/* What every node has. */
static void add_window(struct doc *d, const struct iob_result *r)
{
	member(d, "started_ns", iobi_json_number(r->started_ns));
	member(d, "elapsed_ns", iobi_json_number(r->elapsed_ns));
	member(d, "flags", iobi_json_flags(r->flags));
	if (r->flags & IOB_RESULT_PARTIAL)
		member(d, "unfinished", iobi_json_number(r->unfinished));
	if (r->pace)
		member(d, "pace", iobi_json_pace(r->pace));
}

static void add_worker(struct doc *d, const struct iob_result *r)
{
	open_bracket(d, NULL, "{");
	member(d, "name", iobi_json_text(r->name));
	add_window(d, r);
	add_ops(d, r, brief_op);
	member(d, "error", iobi_json_error(r->error));
	close_bracket(d, "}");
}

static void add_workload(struct doc *d, const struct iob_result *r)
{
	/* A worker that is reported alone stands in its workload's place. */
	const struct iob_result *w = r->level == IOB_LEVEL_WORKER && r->parent ? r->parent : r;

	open_bracket(d, NULL, "{");
	member(d, "name", iobi_json_text(r->name));
	member(d, "params", iobi_json_params(&w->params));
	member(d, "effective", iobi_json_params(&w->effective));
	member(d, "targets", iobi_json_targets(r));
	add_window(d, r);
	add_ops(d, r, full_op);
	member(d, "error", iobi_json_error(r->error));
	member(d, "findings", iobi_json_findings(w));
	if (w->level == IOB_LEVEL_WORKLOAD && !(w->flags & IOB_RESULT_RECORDED))
		member(d, "machine", iobi_json_machine(w));
	if (!(w->flags & IOB_RESULT_RECORDED))
		member(d, "usage", iobi_json_usage(r));
	open_bracket(d, "devices", "[");
	for (size_t i = 0; i < w->n_devices && !d->o->rc; i++)
		member(d, NULL, iobi_json_device(w, i));
	close_bracket(d, "]");
	member(d, "series", iobi_json_series(r));
	open_bracket(d, "workers", "[");
	for (size_t i = 0; i < r->n_child && !d->o->rc; i++)
		add_worker(d, r->child[i]);
	close_bracket(d, "]");
	close_bracket(d, "}");
}

static void add_stage(struct doc *d, const struct iob_result *r)
{
	const struct iob_result *stage = iobi_report_above(r, IOB_LEVEL_STAGE);

	open_bracket(d, NULL, "{");
	member(d, "name", iobi_json_text(stage ? stage->name : r->name));
	add_window(d, r);
	member(d, "findings", iobi_json_findings(stage ? stage : r));
	open_bracket(d, "workloads", "[");
	if (r != stage)
		add_workload(d, r);
	for (size_t i = 0; r == stage && i < r->n_child && !d->o->rc; i++)
		add_workload(d, r->child[i]);
	close_bracket(d, "]");
	close_bracket(d, "}");
}

static const struct iobi_pairs *host_of(const struct iob_result *r)
{
	while (r->parent)
		r = r->parent;
	return &r->host;
}

static json_t *about(const struct iobi_pairs *host)
{
	const char *version = iobi_pairs_get(host, "version");
	json_t *v = json_object();
	iobi_json_put(&v, "version", iobi_json_text(version ? version : iob_version()));
	iobi_json_put(&v, "schema", json_integer(SCHEMA));
	return v;
}

/* ISO 8601 in UTC, to the nanosecond. */
static json_t *started(uint64_t ns)
{
	const uint64_t second = 1000000000;
	time_t t = (time_t)(ns / second);
	struct tm tm;
	char text[96];

	if (!ns || !gmtime_r(&t, &tm))
		return json_null();
	snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%09uZ", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (unsigned)(ns % second));
	return json_string(text);
}

/* Each member, and each cell, on a line of its own. */
static void add_rounds(struct doc *d, const struct iob_result *r)
{
	const struct iob_rounds *rounds = iob_result_rounds(r);
	json_t *v = rounds ? iobi_json_rounds(rounds) : NULL, *value;
	const char *key;
	if (!rounds)
		return;
	open_bracket(d, "rounds", "{");
	d->o->text.failed |= !v;
	json_object_foreach(v, key, value) member(d, key, json_incref(value));
	json_decref(v);
	open_bracket(d, "cells", "[");
	for (size_t i = 0; i < rounds->cells && !d->o->rc; i++)
		member(d, NULL, iobi_json_cell(r, i));
	close_bracket(d, "]");
	close_bracket(d, "}");
}

void iobi_report_json(struct iobi_report *o, const struct iob_result *r)
{
	struct doc d = { .o = o, .depth = 1, .first = 1 };

	iobi_text_add(&o->text, "{");
	member(&d, "iobench", about(host_of(r)));
	member(&d, "host", iobi_json_host(host_of(r)));
	member(&d, "name", iobi_json_text(r->name));
	member(&d, "started", started(r->started_ns));
	add_window(&d, r);
	member(&d, "findings", iobi_json_findings(r));
	if (r->search)
		member(&d, "search", iobi_json_search(r->search));
	add_rounds(&d, r);
	open_bracket(&d, "stages", "[");
	if (r->level != IOB_LEVEL_SUITE)
		add_stage(&d, r);
	for (size_t i = 0; r->level == IOB_LEVEL_SUITE && i < r->n_child && !o->rc; i++)
		add_stage(&d, r->child[i]);
	close_bracket(&d, "]");
	iobi_text_add(&o->text, "\n}\n");
}
