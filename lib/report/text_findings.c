/* SPDX-License-Identifier: MIT */
/* The end of the text report: what cannot be believed of it, the worst first. A
 * finding that many workloads share is told once. */
#include "report/text_priv.h"
#include <string.h>

static size_t workloads(const struct iob_result *r)
{
	size_t n = 0;
	if (r->level >= IOB_LEVEL_WORKLOAD)
		return 1;
	for (size_t i = 0; i < r->n_child; i++)
		n += workloads(r->child[i]);
	return n;
}

static size_t count_code(const struct iob_result *r, const char *code)
{
	size_t n = 0;
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		n += !strcmp(iob_result_finding(r, i)->code, code);
	return n;
}

/* The name that tells it from the others: a cell of a matrix is a stage. */
static const char *name_of(const struct iob_result *of)
{
	const struct iob_result *stage = iobi_report_above(of, IOB_LEVEL_STAGE);
	return stage && stage->n_child == 1 ? stage->name : of->name;
}

static void add_where(struct iobi_report *o, const struct iob_result *r,
		      const struct iob_finding *f)
{
	size_t all = workloads(r), n = count_code(r, f->code);
	if (all < 2 || f->of->level == IOB_LEVEL_SUITE)
		return;
	iobi_text_add(&o->text, " (");
	if (n > 1)
		iobi_text_printf(&o->text, "%zu of %zu workloads; ", n, all);
	iobi_text_add(&o->text, "\"");
	iobi_text_add_name(&o->text, name_of(f->of));
	iobi_text_add(&o->text, "\")");
}

static int told_before(const struct iob_result *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(iob_result_finding(r, i)->code, iob_result_finding(r, at)->code))
			return 1;
	return 0;
}

static void add_finding(struct iobi_report *o, const struct iob_result *r,
			const struct iob_finding *f)
{
	iobi_text_printf(&o->text, "%-8s %s", iob_severity_name(f->severity), f->code);
	add_where(o, r, f);
	iobi_text_add(&o->text, ": ");
	iobi_text_add_name(&o->text, f->message);
	iobi_text_add(&o->text, "\n");
}

void iobi_text_findings(struct iobi_report *o, const struct iob_result *r)
{
	size_t n = iob_result_finding_count(r);
	if (n)
		iobi_text_add(&o->text, "\nfindings\n");
	for (int severity = IOB_SEVERITY_INVALID; severity >= IOB_SEVERITY_NOTE; severity--)
		for (size_t i = 0; i < n && !o->rc; i++) {
			const struct iob_finding *f = iob_result_finding(r, i);
			if ((int)f->severity == severity && !told_before(r, i))
				add_finding(o, r, f);
		}
}
