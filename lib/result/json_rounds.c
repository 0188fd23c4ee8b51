/* SPDX-License-Identifier: MIT */
/* The record of rounds out of the JSON report: how they were to be run. What came
 * of them follows from the stages. */
#include "result/json_rounds.h"
#include "measure/steady.h"
#include <errno.h>
#include <string.h>

static int read_metric(const struct iobi_at *at, enum iob_steady_metric *metric)
{
	struct iobi_at v;
	const char *name;
	int rc = iobi_json_need(at, "metric", JSON_STRING, &v);
	for (int m = 0; !rc && (name = iob_steady_metric_name((enum iob_steady_metric)m)); m++)
		if (!strcmp(name, json_string_value(v.v))) {
			*metric = (enum iob_steady_metric)m;
			return 0;
		}
	return rc ? rc : iobi_json_bad(&v, "must be iops, bandwidth or latency");
}

static int read_u32(const struct iobi_at *at, const char *key, uint32_t *out)
{
	uint64_t v;
	int rc = iobi_json_u64(at, key, &v);
	if (!rc && v > INT32_MAX)
		return iobi_json_bad(at, "%s is more than 2^31 - 1", key);
	*out = rc ? 0 : (uint32_t)v;
	return rc;
}

static int read_limit(const struct iobi_at *at, const char *key, double *out)
{
	const json_t *v = json_object_get(at->v, key);
	if (!json_is_number(v)) /* 1.0 may have become 1 on the way */
		return iobi_json_bad(at, "%s must be a number", key);
	*out = json_number_value(v);
	return 0;
}

static int read_rule(const struct iobi_at *at, struct iob_steady_rule *rule)
{
	struct iob_error err = { 0 };
	struct iob_steady_rule checked;
	int rc = read_u32(at, "window", &rule->window);
	rc = rc ? rc : read_limit(at, "excursion", &rule->excursion);
	rc = rc ? rc : read_limit(at, "slope", &rule->slope);
	if (!rc && iobi_steady_take(&checked, rule, &err))
		return iobi_json_bad(at, "%s: %s", err.where, err.message);
	return rc;
}

static int read_cell(const struct iobi_at *at, struct iobi_rounds *r, size_t i)
{
	struct iobi_at name, tracked;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");
	rc = rc ? rc : iobi_json_need(at, "name", JSON_STRING, &name);
	if (rc)
		return rc;
	tracked = (struct iobi_at){ at->in, at, "tracked", 0, json_object_get(at->v, "tracked") };
	if (!json_is_boolean(tracked.v))
		return iobi_json_bad(at, "tracked must be true or false");
	if (iobi_rounds_name(r, i, json_string_value(name.v), json_is_true(tracked.v)))
		return iobi_no_memory(at->in->err);
	return 0;
}

static int read_notes(const struct iobi_at *at, struct iobi_rounds *r)
{
	struct iobi_at list;
	int rc = iobi_json_want(at, "notes", JSON_ARRAY, &list);
	for (size_t i = 0; rc > 0 && i < json_array_size(list.v); i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		if (!json_is_string(e.v))
			return iobi_json_bad(&e, "must be text");
		if (iobi_rounds_note(r, json_string_value(e.v)))
			return iobi_no_memory(at->in->err);
	}
	return rc < 0 ? rc : 0;
}

static int read_cells(const struct iobi_at *at, struct iob_result *suite)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, "cells", JSON_ARRAY, &list);
	for (size_t i = 0; !rc && i < suite->rounds->pub.cells; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = read_cell(&e, suite->rounds, i);
	}
	return rc ? rc : read_notes(at, suite->rounds);
}

static int read_counts(const struct iobi_at *at, const struct iob_result *suite,
		       uint32_t *max_rounds, uint64_t *once, size_t *cells)
{
	struct iobi_at list;
	int rc = read_u32(at, "max_rounds", max_rounds);
	rc = rc ? rc : iobi_json_u64(at, "once", once);
	rc = rc ? rc : iobi_json_need(at, "cells", JSON_ARRAY, &list);
	if (rc)
		return rc;
	*cells = json_array_size(list.v);
	if (!*cells)
		return iobi_json_bad(&list, "is empty; a round has a cell at least");
	if (*once > suite->n_child)
		return iobi_json_bad(at, "once is more than there are stages");
	return 0;
}

int iobi_json_rounds_in(const struct iobi_at *at, struct iob_result *suite)
{
	struct iob_steady_rule rule = { .size = sizeof(rule) };
	enum iob_steady_metric metric = IOB_STEADY_IOPS;
	struct iobi_at rounds;
	uint32_t max_rounds = 0;
	uint64_t once = 0;
	size_t cells = 0;
	int rc = iobi_json_want(at, "rounds", JSON_OBJECT, &rounds);
	if (rc <= 0)
		return rc;
	rc = read_metric(&rounds, &metric);
	rc = rc ? rc : read_rule(&rounds, &rule);
	rc = rc ? rc : read_counts(&rounds, suite, &max_rounds, &once, &cells);
	if (rc)
		return rc;
	suite->rounds = iobi_rounds_new(metric, &rule, max_rounds, (size_t)once, cells);
	return suite->rounds ? read_cells(&rounds, suite) : iobi_no_memory(at->in->err);
}
