/* SPDX-License-Identifier: MIT */
/* A search out of its report. */
#include "result/json_search.h"
#include "workload/workload_priv.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* null is NaN. */
static int read_real(const struct iobi_at *at, const char *key, double *out)
{
	const json_t *v = json_object_get(at->v, key);
	struct iobi_at member = { at->in, at, key, 0, (json_t *)v };
	*out = json_is_number(v) ? json_number_value(v) : (double)NAN;
	return v && !json_is_number(v) && !json_is_null(v)
		       ? iobi_json_bad(&member, "must be a number or null")
		       : 0;
}

/* null is 0. */
static int read_count(const struct iobi_at *at, const char *key, int64_t *out)
{
	uint64_t v = 0;
	const json_t *member = json_object_get(at->v, key);
	int rc = member && !json_is_null(member) ? iobi_json_u64(at, key, &v) : 0;
	struct iobi_at there = { at->in, at, key, 0, (json_t *)member };
	*out = (int64_t)v;
	return !rc && v > INT64_MAX ? iobi_json_bad(&there, "is above 2^63 - 1") : rc;
}

/* The number of a word among those that `name` gives. */
static int read_word(const struct iobi_at *at, const char *key, const char *(*name)(unsigned),
		     unsigned *out)
{
	struct iobi_at word;
	int rc = iobi_json_need(at, key, JSON_STRING, &word);
	for (unsigned i = 0; !rc && name(i); i++)
		if (!strcmp(name(i), json_string_value(word.v))) {
			*out = i;
			return 0;
		}
	return rc ? rc
		  : iobi_json_bad(&word, "is \"%.60s\", which is not known",
				  json_string_value(word.v));
}

static const char *op_name(unsigned i)
{
	return i < IOBI_RESULT_OPS ? iobi_op_name(i) : NULL;
}

static const char *latency_name(unsigned i)
{
	static const char *const names[] = { "submit", "service", "response" };
	return i < IOBI_LEN(names) ? names[i] : NULL;
}

static const char *param_name(unsigned i)
{
	static const char *const names[] = { "rate_iops", "queue_depth" };
	return i < IOBI_LEN(names) ? names[i] : NULL;
}

static int read_metric(const struct iobi_at *at, struct iob_search_outcome *o)
{
	struct iobi_at word;
	double p[IOBI_PERCENTILES_MAX];
	size_t n = 0;
	int rc = iobi_json_need(at, "metric", JSON_STRING, &word);
	if (rc)
		return rc;
	const char *text = json_string_value(word.v);
	o->percentile = NAN;
	o->metric = !strcmp(text, "mean") ? IOB_SEARCH_MEAN : IOB_SEARCH_MAX;
	if (!strcmp(text, "mean") || !strcmp(text, "max"))
		return 0;
	if (text[0] != 'p' || iobi_parse_percentiles(text + 1, p, &n, NULL) || n != 1)
		return iobi_json_bad(&word, "is \"%.60s\", must be mean, max or as p99.9", text);
	o->metric = IOB_SEARCH_PERCENTILE;
	o->percentile = p[0];
	return 0;
}

static int read_target(const struct iobi_at *at, struct iob_search_outcome *o)
{
	struct iobi_at target;
	unsigned op = 0, latency = 0;
	int rc = iobi_json_need(at, "target", JSON_OBJECT, &target);
	rc = rc ? rc : read_metric(&target, o);
	rc = rc ? rc : iobi_json_u64(&target, "limit_ns", &o->limit_ns);
	rc = rc ? rc : read_word(&target, "op", op_name, &op);
	rc = rc ? rc : read_word(&target, "latency", latency_name, &latency);
	o->op = (enum iob_op)op;
	o->latency = (enum iob_latency)latency;
	return rc;
}

static int read_outcome(const struct iobi_at *at, struct iob_search_outcome *o)
{
	unsigned param = 0, answer = 0;
	int64_t tries = 0;
	int rc = read_word(at, "param", param_name, &param);
	rc = rc ? rc : read_target(at, o);
	rc = rc ? rc : read_word(at, "answer", iobi_search_answer_name, &answer);
	rc = rc ? rc : read_count(at, "low", &o->low);
	rc = rc ? rc : read_count(at, "high", &o->high);
	rc = rc ? rc : read_count(at, "held", &o->held);
	rc = rc ? rc : read_count(at, "missed", &o->missed);
	rc = rc ? rc : read_count(at, "tries", &tries);
	rc = rc ? rc : read_real(at, "resolution", &o->resolution);
	rc = rc ? rc : read_real(at, "confidence", &o->confidence);
	o->size = sizeof(*o);
	o->param = param_name(param);
	o->tries = (uint32_t)tries;
	o->answer = (enum iob_search_answer)answer;
	return rc;
}

static int read_step(const struct iobi_at *at, struct iobi_search_log *l)
{
	struct iob_search_step s = { 0 };
	unsigned verdict = 0;
	int64_t attempt = 0;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");
	rc = rc ? rc : read_word(at, "verdict", iobi_search_verdict_name, &verdict);
	rc = rc ? rc : read_count(at, "value", &s.value);
	rc = rc ? rc : read_count(at, "attempt", &attempt);
	rc = rc ? rc : iobi_json_u64(at, "ios", &s.ios);
	rc = rc ? rc : read_real(at, "iops", &s.iops);
	rc = rc ? rc : read_real(at, "latency_ns", &s.latency_ns);
	rc = rc ? rc : read_real(at, "low_ns", &s.low_ns);
	rc = rc ? rc : read_real(at, "high_ns", &s.high_ns);
	s.verdict = (enum iob_search_verdict)verdict;
	s.attempt = (uint32_t)attempt;
	if (!rc && iobi_search_add(l, &s))
		rc = iobi_no_memory(at->in->err);
	return rc;
}

int iobi_json_search_in(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at search, steps;
	int rc = iobi_json_want(at, "search", JSON_OBJECT, &search);
	if (rc <= 0)
		return rc;
	r->search = calloc(1, sizeof(*r->search));
	if (!r->search)
		return iobi_no_memory(at->in->err);
	rc = read_outcome(&search, &r->search->outcome);
	rc = rc ? rc : iobi_json_need(&search, "steps", JSON_ARRAY, &steps);
	for (size_t i = 0; !rc && i < json_array_size(steps.v); i++) {
		struct iobi_at e = iobi_json_element(&steps, i);
		rc = read_step(&e, r->search);
	}
	return rc;
}
