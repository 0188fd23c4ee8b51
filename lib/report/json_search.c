/* SPDX-License-Identifier: MIT */
/* What a search came to, as JSON. */
#include "report/json_value.h"

static json_t *count_or_null(int64_t v)
{
	return v ? json_integer(v) : json_null();
}

static json_t *step(const struct iobi_search_log *l, size_t i)
{
	const struct iob_search_step *s = &l->step[i];
	json_t *v = json_object();
	iobi_json_put(&v, "stage", json_integer((json_int_t)i));
	iobi_json_put(&v, "value", count_or_null(s->value));
	iobi_json_put(&v, "attempt", json_integer(s->attempt));
	iobi_json_put(&v, "verdict", json_string(iobi_search_verdict_name(s->verdict)));
	iobi_json_put(&v, "ios", iobi_json_number(s->ios));
	iobi_json_put(&v, "iops", iobi_json_real(s->iops));
	iobi_json_put(&v, "latency_ns", iobi_json_real(s->latency_ns));
	iobi_json_put(&v, "low_ns", iobi_json_real(s->low_ns));
	iobi_json_put(&v, "high_ns", iobi_json_real(s->high_ns));
	return v;
}

static json_t *target(const struct iob_search_outcome *o)
{
	char metric[32];
	json_t *v = json_object();
	iobi_json_put(&v, "metric", json_string(iobi_search_metric_text(metric, o)));
	iobi_json_put(&v, "limit_ns", iobi_json_number(o->limit_ns));
	iobi_json_put(&v, "op", json_string(iobi_op_name(o->op)));
	iobi_json_put(&v, "latency",
		      json_string(o->latency == IOB_LATENCY_RESPONSE ? "response" : "service"));
	return v;
}

json_t *iobi_json_search(const struct iobi_search_log *l)
{
	const struct iob_search_outcome *o = &l->outcome;
	json_t *v = json_object(), *steps = json_array();
	for (size_t i = 0; i < l->n; i++)
		iobi_json_append(&steps, step(l, i));
	iobi_json_put(&v, "param", json_string(o->param));
	iobi_json_put(&v, "target", target(o));
	iobi_json_put(&v, "low", json_integer(o->low));
	iobi_json_put(&v, "high", json_integer(o->high));
	iobi_json_put(&v, "resolution", iobi_json_real(o->resolution));
	iobi_json_put(&v, "confidence", iobi_json_real(o->confidence));
	iobi_json_put(&v, "tries", json_integer(o->tries));
	iobi_json_put(&v, "answer", json_string(iobi_search_answer_name(o->answer)));
	iobi_json_put(&v, "held", count_or_null(o->held));
	iobi_json_put(&v, "missed", count_or_null(o->missed));
	iobi_json_put(&v, "steps", steps);
	return v;
}
