/* SPDX-License-Identifier: MIT */
/* What was found of a node, and of the machine it ran on, as JSON. */
#include "report/json_value.h"

static json_t *evidence(const struct iob_finding *f)
{
	json_t *v = json_object();
	for (size_t i = 0; i < f->n_evidence; i++)
		iobi_json_put(&v, f->evidence[i].name, iobi_json_real(f->evidence[i].value));
	return v;
}

static json_t *finding(const struct iob_finding *f)
{
	json_t *v = json_object();
	iobi_json_put(&v, "code", iobi_json_text(f->code));
	iobi_json_put(&v, "severity", json_string(iob_severity_name(f->severity)));
	iobi_json_put(&v, "message", iobi_json_text(f->message));
	iobi_json_put(&v, "evidence", evidence(f));
	return v;
}

/* Its own: those of the nodes below stand there. */
json_t *iobi_json_findings(const struct iob_result *r)
{
	json_t *v = json_array();
	for (size_t i = 0; i < r->findings.n; i++)
		iobi_json_append(&v, finding(r->findings.list[i]));
	return v;
}

json_t *iobi_json_machine(const struct iob_result *w)
{
	const struct iobi_machine_field *f;
	struct iobi_machine m = w->machine;
	json_t *v = json_object();
	for (size_t i = 0; (f = iobi_machine_field(i)); i++)
		iobi_json_put(&v, f->name, iobi_json_real(*iobi_machine_at(&m, f)));
	return v;
}

json_t *iobi_json_usage(const struct iob_result *w)
{
	const struct iobi_usage_field *f;
	struct iobi_usage u = w->usage;
	json_t *v = json_object();
	for (size_t i = 0; (f = iobi_usage_field(i)); i++) {
		const uint64_t *at = iobi_usage_at(&u, f);
		json_t *list = f->n > 1 ? json_array() : NULL;
		for (size_t k = 0; k < f->n && f->n > 1; k++)
			iobi_json_append(&list, iobi_json_number(at[k]));
		iobi_json_put(&v, f->name, f->n > 1 ? list : iobi_json_number(*at));
	}
	return v;
}
