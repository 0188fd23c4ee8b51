/* SPDX-License-Identifier: MIT */
/* A result out of its JSON report, docs/json.md: suite, stages, workloads.
 * What a report says twice (rates, percentiles, "all", stage windows) is made
 * anew from the counts and histograms. */
#include "base/base.h"
#include "result/json_devices.h"
#include "result/import/import.h"
#include "result/json_findings.h"
#include "result/json_rounds.h"
#include "result/json_hist.h"
#include "result/json_search.h"
#include "result/json_series.h"
#include <errno.h>
#include <math.h>
#include <iobench/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCHEMA = 1
};

static int no_memory(const struct iobi_at *at)
{
	return iobi_no_memory(at->in->err);
}

static int read_flags(const struct iobi_at *at, unsigned *flags)
{
	static const char *const words[] = { "cancelled", "partial", "errors", "recorded" };
	struct iobi_at list;
	int rc = iobi_json_want(at, "flags", JSON_ARRAY, &list);

	for (size_t i = 0; rc > 0 && i < json_array_size(list.v); i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		if (!json_is_string(e.v))
			return iobi_json_bad(&e, "must be a word, as \"partial\"");
		for (size_t w = 0; w < IOBI_LEN(words); w++)
			if (strcmp(json_string_value(e.v), words[w]) == 0)
				*flags |= 1U << w;
	}
	return rc < 0 ? rc : 0;
}

static int set_pair(const struct iobi_at *at, struct iobi_pairs *to)
{
	char number[32];
	const char *text = json_string_value(at->v);

	if (json_is_boolean(at->v))
		text = json_is_true(at->v) ? "true" : "false";
	if (json_is_integer(at->v)) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(at->v));
		text = number;
	}
	if (!text)
		return iobi_json_bad(at, "must be text, a whole number, true or false");
	return iobi_pairs_set(to, at->key, text) ? no_memory(at) : 0;
}

/* Every member that is not null, as text. */
static int read_pairs(const struct iobi_at *at, const char *key, struct iobi_pairs *to)
{
	struct iobi_at list;
	const char *name;
	json_t *v;
	int rc = iobi_json_want(at, key, JSON_OBJECT, &list);

	if (rc <= 0)
		return rc;
	json_object_foreach(list.v, name, v)
	{
		struct iobi_at m = { at->in, &list, name, 0, v };
		rc = json_is_null(v) ? 0 : set_pair(&m, to);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_target(const struct iobi_at *at, struct iob_result *r)
{
	struct iob_target_use use = { .size = sizeof(use) };
	char *path = NULL;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");

	if (!rc)
		rc = iobi_json_bytes(at, "path", &path);
	if (!rc)
		rc = iobi_json_u64(at, "target_bytes", &use.target_bytes);
	if (!rc)
		rc = iobi_json_u64(at, "ios", &use.ios);
	if (!rc)
		rc = iobi_json_u64(at, "bytes", &use.bytes);
	if (!rc)
		rc = iobi_json_u64(at, "errors", &use.errors);
	use.path = path;
	if (!rc)
		rc = iobi_result_add_target(r, &use);
	free(path);
	if (rc == -EOVERFLOW)
		return iobi_json_bad(at, "a counter of this path adds up to more than 2^64 - 1");
	return rc == -ENOMEM ? no_memory(at) : rc;
}

static int read_targets(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at list;
	int rc = iobi_json_want(at, "targets", JSON_ARRAY, &list);

	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; i < json_array_size(list.v) && !rc; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = read_target(&e, r);
	}
	return rc;
}

static int copy_member(const struct iobi_at *at, const char *key, char *to, size_t n)
{
	struct iobi_at text;
	int rc = iobi_json_need(at, key, JSON_STRING, &text);
	if (!rc)
		snprintf(to, n, "%s", json_string_value(text.v));
	return rc;
}

static int read_error_text(const struct iobi_at *at, struct iob_error *e)
{
	char *file = NULL;
	int rc = copy_member(at, "op", e->where, sizeof(e->where));
	if (!rc)
		rc = copy_member(at, "message", e->message, sizeof(e->message));
	if (!rc)
		rc = iobi_json_bytes(at, "target", &file);
	if (!rc)
		snprintf(e->file, sizeof(e->file), "%s", file);
	free(file);
	return rc;
}

static int read_error(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at error, code;
	int rc = iobi_json_want(at, "error", JSON_OBJECT, &error);

	if (rc <= 0)
		return rc;
	r->error = calloc(1, sizeof(*r->error));
	if (!r->error)
		return no_memory(at);
	rc = iobi_json_need(&error, "code", JSON_INTEGER, &code);
	if (rc)
		return rc;
	json_int_t n = json_integer_value(code.v);
	if (n < 1 || n > 4095)
		return iobi_json_bad(&code,
				     "is %" JSON_INTEGER_FORMAT ", must be an errno, 1 to "
				     "4095",
				     n);
	r->error->code = (int32_t)n;
	rc = iobi_json_u64(&error, "offset", &r->error->offset);
	return rc ? rc : read_error_text(&error, r->error);
}

static int read_counts(const struct iobi_at *at, struct iobi_op_result *op)
{
	static const char *const names[] = { "ios", "bytes", "errors", "short" };
	int rc = 0;
	for (size_t c = 0; c < IOBI_LEN(names) && !rc; c++)
		rc = iobi_json_u64(at, names[c], &op->count[c]);
	return rc;
}

static int read_op(const struct iobi_at *at, const char *name, struct iobi_op_result *op)
{
	static const char *const names[] = { "submit", "service", "response" };
	struct iobi_at node, latency, hist;
	int rc = iobi_json_need(at, name, JSON_OBJECT, &node);

	if (!rc)
		rc = read_counts(&node, op);
	if (!rc)
		rc = iobi_json_need(&node, "latency", JSON_OBJECT, &latency);
	for (size_t l = 0; l < IOBI_LEN(names) && !rc; l++) {
		rc = iobi_json_need(&latency, names[l], JSON_OBJECT, &hist);
		if (!rc)
			rc = iobi_json_hist_in(&hist, &op->latency[l]);
	}
	return rc;
}

static int read_ops(const struct iobi_at *at, struct iob_result *r)
{
	int rc = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		rc = read_op(at, iobi_op_name((unsigned)op), &r->op[op]);
	return rc;
}

/* What every node has but its elapsed_ns, which follows from those below. */
static int read_node(const struct iobi_at *at, struct iob_result *r)
{
	int rc = iobi_json_u64_or_0(at, "started_ns", &r->started_ns);
	rc = rc ? rc : iobi_json_findings_in(at, r);
	return rc ? rc : read_flags(at, &r->flags);
}

static int read_pace(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at pace, mean, asked;
	struct iob_pace p = { .size = sizeof(p), .asked_iops = (double)NAN };
	int rc = iobi_json_want(at, "pace", JSON_OBJECT, &pace);
	if (rc <= 0)
		return rc;
	rc = iobi_json_u64(&pace, "starts", &p.starts);
	rc = rc ? rc : iobi_json_u64(&pace, "late", &p.late);
	rc = rc ? rc : iobi_json_u64(&pace, "dropped", &p.dropped);
	rc = rc ? rc : iobi_json_u64(&pace, "unissued", &p.unissued);
	rc = rc ? rc : iobi_json_u64(&pace, "worst_lag_ns", &p.worst_lag_ns);
	if (!rc && p.starts) {
		rc = iobi_json_need(&pace, "mean_lag_ns", JSON_REAL, &mean);
		p.mean_lag_ns = rc ? 0 : json_real_value(mean.v);
	}
	rc = rc ? rc : iobi_json_want(&pace, "asked_iops", JSON_REAL, &asked);
	if (rc > 0)
		p.asked_iops = json_real_value(asked.v);
	return rc < 0 ? rc : iobi_pace_join(r, &p);
}

static int read_workload(const struct iobi_at *at, struct iob_result *r)
{
	int rc = read_node(at, r);
	if (!rc)
		rc = iobi_json_machine_in(at, r);
	if (!rc)
		rc = iobi_json_usage_in(at, r);
	if (!rc)
		rc = iobi_json_u64(at, "elapsed_ns", &r->elapsed_ns);
	if (!rc)
		rc = iobi_json_u64_or_0(at, "unfinished", &r->unfinished);
	if (!rc)
		rc = read_pairs(at, "params", &r->params);
	if (!rc)
		rc = read_pairs(at, "effective", &r->effective);
	if (!rc)
		rc = read_targets(at, r);
	if (!rc)
		rc = iobi_json_devices_in(at, r);
	if (!rc)
		rc = read_ops(at, r);
	if (!rc)
		rc = read_pace(at, r);
	if (!rc)
		rc = read_error(at, r);
	return rc ? rc : iobi_json_series_in(at, r);
}

static int close_node(const struct iobi_at *at, struct iob_result *r)
{
	int rc = iobi_json_charge(at, r);
	if (rc)
		return rc;
	rc = iobi_result_close(r);
	if (rc == -EOVERFLOW)
		return iobi_json_bad(at, "the sum of a counter passes 2^64 - 1");
	return rc ? no_memory(at) : 0;
}

static int read_stage(const struct iobi_at *at, struct iob_result *r);

/* Makes element i a child of r. */
static int read_child(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at name;
	int is_stage = r->level == IOB_LEVEL_SUITE;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");

	if (!rc)
		rc = iobi_json_need(at, "name", JSON_STRING, &name);
	if (rc)
		return rc;
	struct iob_result *child = iobi_result_new(is_stage ? IOB_LEVEL_STAGE : IOB_LEVEL_WORKLOAD,
						   json_string_value(name.v));
	if (!child || iobi_result_adopt(r, child))
		return no_memory(at);
	rc = is_stage ? read_stage(at, child) : read_workload(at, child);
	return rc ? rc : close_node(at, child);
}

static int read_children(const struct iobi_at *at, const char *key, struct iob_result *r)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, key, JSON_ARRAY, &list);
	for (size_t i = 0; !rc && i < json_array_size(list.v); i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = read_child(&e, r);
	}
	return rc;
}

static int read_stage(const struct iobi_at *at, struct iob_result *r)
{
	int rc = read_node(at, r);
	return rc ? rc : read_children(at, "workloads", r);
}

/* Whether it is a report of ours, and of a form that is known here. */
static int read_about(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at about, version, schema;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");

	if (!rc)
		rc = iobi_json_need(at, "iobench", JSON_OBJECT, &about);
	if (!rc)
		rc = iobi_json_need(&about, "schema", JSON_INTEGER, &schema);
	if (!rc && json_integer_value(schema.v) != SCHEMA)
		rc = iobi_json_bad(&schema, "is %" JSON_INTEGER_FORMAT ", this library reads %d",
				   json_integer_value(schema.v), SCHEMA);
	if (!rc)
		rc = iobi_json_want(&about, "version", JSON_STRING, &version);
	if (rc > 0)
		rc = iobi_pairs_set(&r->host, "version", json_string_value(version.v))
			     ? no_memory(at)
			     : 0;
	return rc;
}

static int read_suite(const struct iobi_at *at, struct iob_result *r)
{
	int rc = read_pairs(at, "host", &r->host);
	if (!rc)
		rc = read_about(at, r);
	if (!rc)
		rc = read_node(at, r);
	if (!rc)
		rc = iobi_json_search_in(at, r);
	if (!rc)
		rc = read_children(at, "stages", r);
	if (!rc)
		rc = iobi_json_rounds_in(at, r);
	return rc ? rc : close_node(at, r);
}

static struct iob_result *read_root(const struct iobi_at *at)
{
	const char *name = json_string_value(json_object_get(at->v, "name"));
	struct iob_result *r = iobi_result_new(IOB_LEVEL_SUITE, name);
	if (!r)
		no_memory(at);
	if (!r || read_suite(at, r) == 0)
		return r;
	iob_result_free(r);
	return NULL;
}

struct iob_result *iobi_read_json(const char *data, size_t len, struct iob_error *err)
{
	struct iobi_json_in in = { .data = data,
				   .len = len,
				   .err = err,
				   .buckets_left = ((uint64_t)1 << 24) + 64 * (uint64_t)len };
	json_t *v = iobi_json_load(&in);
	if (!v)
		return NULL;
	struct iob_result *r = read_root(&(struct iobi_at){ &in, NULL, NULL, 0, v });
	json_decref(v);
	return r;
}
