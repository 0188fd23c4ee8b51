/* SPDX-License-Identifier: MIT */
/* Findings out of a report: what they rest on may not be in it. */
#include "result/json_findings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	EVIDENCE_MAX = 64
};

static int read_evidence(const struct iobi_at *at, struct iob_evidence *e, size_t *n)
{
	struct iobi_at list;
	const char *key;
	json_t *v;
	int rc = iobi_json_want(at, "evidence", JSON_OBJECT, &list);
	if (rc <= 0)
		return rc;
	json_object_foreach(list.v, key, v)
	{
		struct iobi_at one = { at->in, &list, key, 0, v };
		if (!json_is_number(v) && !json_is_null(v))
			return iobi_json_bad(&one, "must be a number or null");
		if (*n < EVIDENCE_MAX)
			e[(*n)++] =
				(struct iob_evidence){ key, json_is_number(v) ? json_number_value(v)
									      : NAN };
	}
	return 0;
}

static int read_severity(const struct iobi_at *at, enum iob_severity *out)
{
	struct iobi_at word;
	int rc = iobi_json_need(at, "severity", JSON_STRING, &word);
	for (int i = 0; !rc && iob_severity_name((enum iob_severity)i); i++)
		if (!strcmp(json_string_value(word.v), iob_severity_name((enum iob_severity)i))) {
			*out = (enum iob_severity)i;
			return 0;
		}
	return rc ? rc
		  : iobi_json_bad(&word, "is \"%.60s\", must be note, warning or invalid",
				  json_string_value(word.v));
}

static int read_finding(const struct iobi_at *at, struct iob_result *r)
{
	struct iob_evidence evidence[EVIDENCE_MAX];
	struct iob_finding f = { .evidence = evidence };
	struct iobi_at code, message;
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");
	if (!rc)
		rc = iobi_json_need(at, "code", JSON_STRING, &code);
	if (!rc)
		rc = iobi_json_need(at, "message", JSON_STRING, &message);
	if (!rc)
		rc = read_severity(at, &f.severity);
	if (!rc)
		rc = read_evidence(at, evidence, &f.n_evidence);
	if (rc)
		return rc;
	f.code = json_string_value(code.v);
	f.message = json_string_value(message.v);
	return iobi_findings_put(r, &f) ? iobi_no_memory(at->in->err) : 0;
}

int iobi_json_findings_in(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at list;
	int rc = iobi_json_want(at, "findings", JSON_ARRAY, &list);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; i < json_array_size(list.v) && !rc; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = read_finding(&e, r);
	}
	return rc;
}

int iobi_json_machine_in(const struct iobi_at *at, struct iob_result *r)
{
	const struct iobi_machine_field *f;
	struct iobi_at m;
	int rc = iobi_json_want(at, "machine", JSON_OBJECT, &m);
	for (size_t i = 0; rc > 0 && (f = iobi_machine_field(i)); i++) {
		const json_t *v = json_object_get(m.v, f->name);
		if (json_is_number(v))
			*iobi_machine_at(&r->machine, f) = json_number_value(v);
	}
	return rc < 0 ? rc : 0;
}

static int read_usage(const struct iobi_at *at, const struct iobi_usage_field *f, uint64_t *to)
{
	struct iobi_at list;
	if (f->n == 1)
		return iobi_json_u64_or_0(at, f->name, to);
	int rc = iobi_json_want(at, f->name, JSON_ARRAY, &list);
	if (rc > 0 && json_array_size(list.v) != f->n)
		return iobi_json_bad(&list, "must have %zu numbers", f->n);
	for (size_t i = 0; rc >= 0 && i < f->n && json_array_get(list.v, i); i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = iobi_json_u64_value(&e, &to[i]);
	}
	return rc < 0 ? rc : 0;
}

int iobi_json_usage_in(const struct iobi_at *at, struct iob_result *r)
{
	const struct iobi_usage_field *f;
	struct iobi_at u;
	int rc = iobi_json_want(at, "usage", JSON_OBJECT, &u);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; !rc && (f = iobi_usage_field(i)); i++)
		rc = read_usage(&u, f, iobi_usage_at(&r->usage, f));
	return rc;
}
