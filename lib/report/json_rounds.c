/* SPDX-License-Identifier: MIT */
/* What came of rounds, as values of the JSON report. */
#include "report/json_value.h"

static json_t *texts(const char *const *text, size_t n)
{
	json_t *v = json_array();
	for (size_t i = 0; i < n; i++)
		iobi_json_append(&v, iobi_json_text(text[i]));
	return v;
}

json_t *iobi_json_rounds(const struct iob_rounds *r)
{
	json_t *v = json_object();
	iobi_json_put(&v, "metric", json_string(iob_steady_metric_name(r->metric)));
	iobi_json_put(&v, "window", json_integer(r->window));
	iobi_json_put(&v, "excursion", iobi_json_real(r->excursion));
	iobi_json_put(&v, "slope", iobi_json_real(r->slope));
	iobi_json_put(&v, "max_rounds", json_integer(r->max_rounds));
	iobi_json_put(&v, "done", json_integer(r->done));
	iobi_json_put(&v, "steady", json_boolean(r->steady_at != 0));
	iobi_json_put(&v, "steady_at", r->steady_at ? json_integer(r->steady_at) : json_null());
	iobi_json_put(&v, "first", json_integer(r->first));
	iobi_json_put(&v, "last", json_integer(r->last));
	iobi_json_put(&v, "once", iobi_json_number(r->once));
	iobi_json_put(&v, "notes", texts(r->notes, r->n_notes));
	return v;
}

static json_t *means(const struct iob_result *r, size_t cell, enum iob_op op)
{
	static const char *const names[] = { "iops", "bytes_per_s", "mean_ns" };
	json_t *v = json_object();
	for (int m = IOB_STEADY_IOPS; m <= IOB_STEADY_LATENCY; m++)
		iobi_json_put(&v, names[m],
			      iobi_json_real(iob_result_cell_mean(r, cell, op,
								  (enum iob_steady_metric)m)));
	return v;
}

json_t *iobi_json_cell(const struct iob_result *r, size_t i)
{
	static const enum iob_op order[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM, IOB_OP_SYNC,
					     IOB_OP_ALL };
	const struct iob_cell *c = iob_result_cell(r, i);
	json_t *v = json_object(), *values = json_array();
	for (size_t k = 0; k < c->n_values; k++)
		iobi_json_append(&values, iobi_json_real(c->values[k]));
	iobi_json_put(&v, "name", iobi_json_text(c->name));
	iobi_json_put(&v, "tracked", json_boolean(c->tracked));
	iobi_json_put(&v, "steady", json_boolean(c->steady));
	iobi_json_put(&v, "average", iobi_json_real(c->average));
	iobi_json_put(&v, "excursion", iobi_json_real(c->excursion));
	iobi_json_put(&v, "slope", iobi_json_real(c->slope));
	iobi_json_put(&v, "values", values);
	for (size_t k = 0; k < IOBI_LEN(order); k++)
		iobi_json_put(&v, iobi_op_name(order[k]), means(r, i, order[k]));
	return v;
}
