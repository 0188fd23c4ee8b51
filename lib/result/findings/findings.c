/* SPDX-License-Identifier: MIT */
/* The findings of a node: raised, kept, and those of all nodes below in one list. */
#include "result/findings/judge.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list of a node ---- */

static void clear(struct iob_finding *f)
{
	free((char *)f->code);
	free((char *)f->message);
	for (size_t i = 0; i < f->n_evidence; i++)
		free((char *)f->evidence[i].name);
	free((struct iob_evidence *)f->evidence);
	*f = (struct iob_finding){ 0 };
}

void iobi_findings_free(struct iob_result *r)
{
	struct iobi_findings *f = &r->findings;
	for (size_t i = 0; i < f->n; i++) {
		clear(f->list[i]);
		free(f->list[i]);
	}
	free(f->list);
	free(f->all);
	free(f->unchecked);
	*f = (struct iobi_findings){ 0 };
}

static int copy_evidence(struct iob_finding *to, const struct iob_finding *from)
{
	struct iob_evidence *e = calloc(from->n_evidence + 1, sizeof(*e));
	to->evidence = e;
	if (!e)
		return -ENOMEM;
	for (; to->n_evidence < from->n_evidence; to->n_evidence++) {
		e[to->n_evidence] = from->evidence[to->n_evidence];
		e[to->n_evidence].name = strdup(from->evidence[to->n_evidence].name);
		if (!e[to->n_evidence].name)
			return -ENOMEM;
	}
	return 0;
}

static int fill(struct iob_finding *to, const struct iob_finding *from, struct iob_result *r)
{
	*to = (struct iob_finding){ .size = sizeof(*to), .severity = from->severity, .of = r };
	to->code = strdup(from->code);
	to->message = strdup(from->message);
	return to->code && to->message ? copy_evidence(to, from) : -ENOMEM;
}

static struct iob_finding *own(const struct iob_result *r, const char *code)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (strcmp(r->findings.list[i]->code, code) == 0)
			return r->findings.list[i];
	return NULL;
}

static struct iob_finding *append(struct iob_result *r)
{
	struct iobi_findings *f = &r->findings;
	struct iob_finding **more = realloc(f->list, (f->n + 1) * sizeof(struct iob_finding *));
	if (!more)
		return NULL;
	f->list = more;
	more[f->n] = calloc(1, sizeof(**more));
	return more[f->n] ? more[f->n++] : NULL;
}

int iobi_findings_put(struct iob_result *r, const struct iob_finding *finding)
{
	struct iob_finding *to = own(r, finding->code);
	if (to)
		clear(to);
	else
		to = append(r);
	return to ? fill(to, finding, r) : -ENOMEM;
}

/* ---- what a rule says ---- */

void iobi_number(struct iobi_judge *j, const char *name, double value)
{
	if (j->n_evidence < IOBI_EVIDENCE_MAX)
		j->evidence[j->n_evidence++] = (struct iob_evidence){ name, value };
}

void iobi_raise(struct iobi_judge *j, const char *fmt, ...)
{
	struct iob_finding f = { .severity = j->rule->info.severity,
				 .code = j->rule->info.code,
				 .evidence = j->evidence,
				 .n_evidence = j->n_evidence };
	char *message = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&message, fmt, args);
	va_end(args);
	f.message = message;
	j->rc = n < 0 || iobi_findings_put(j->r, &f) ? -ENOMEM : j->rc;
	if (n >= 0)
		free(message);
}

bool iobi_raised(const struct iobi_judge *j, const char *code)
{
	return own(j->r, code) != NULL;
}

static int add_unchecked(struct iob_result *r, const struct iob_unchecked *u)
{
	struct iobi_findings *f = &r->findings;
	for (size_t i = 0; i < f->n_unchecked; i++)
		if (!strcmp(f->unchecked[i].code, u->code) &&
		    !strcmp(f->unchecked[i].reason, u->reason)) {
			f->unchecked[i].workloads += u->workloads;
			return 0;
		}
	struct iob_unchecked *more = realloc(f->unchecked, (f->n_unchecked + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->unchecked = more;
	more[f->n_unchecked++] = *u;
	return 0;
}

void iobi_unchecked(struct iobi_judge *j, const char *reason)
{
	struct iob_unchecked u = { sizeof(u), 0, j->rule->info.code, reason, 1 };
	if (j->view.rec && add_unchecked(j->r, &u))
		j->rc = -ENOMEM;
}

/* ---- closing ---- */

/* Of a recording that was written as JSON and read again only its numbers are
 * left: what was found of it then holds. */
static bool is_settled(const struct iob_result *r)
{
	return r->level == IOB_LEVEL_WORKLOAD && r->flags & IOB_RESULT_RECORDED && !r->recorded;
}

static int judge(struct iob_result *r)
{
	struct iobi_judge j = { .r = r };
	if (is_settled(r))
		return 0;
	if (r->level == IOB_LEVEL_WORKLOAD)
		iobi_view_make(&j.view, r);
	for (size_t i = 0; (j.rule = iobi_rule(i)) && !j.rc; i++) {
		j.n_evidence = j.n_words = 0;
		if (j.rule->levels & 1U << r->level)
			j.rule->judge(&j);
	}
	return j.rc;
}

/* Its own first, then those below in their order. */
static int gather(struct iob_result *r)
{
	struct iobi_findings *f = &r->findings;
	size_t n = f->n;
	for (size_t i = 0; i < r->n_child; i++)
		n += r->child[i]->findings.n_all;
	free(f->all);
	f->all = calloc(n + 1, sizeof(struct iob_finding *));
	if (!f->all)
		return -ENOMEM;
	f->n_all = 0;
	for (size_t i = 0; i < f->n; i++)
		f->all[f->n_all++] = f->list[i];
	for (size_t i = 0; i < r->n_child; i++)
		for (size_t k = 0; k < r->child[i]->findings.n_all; k++)
			f->all[f->n_all++] = r->child[i]->findings.all[k];
	return 0;
}

static int gather_unchecked(struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_child; i++) {
		const struct iobi_findings *f = &r->child[i]->findings;
		for (size_t k = 0; k < f->n_unchecked && !rc; k++)
			rc = add_unchecked(r, &f->unchecked[k]);
	}
	return rc;
}

int iobi_findings_close(struct iob_result *r)
{
	if (r->level == IOB_LEVEL_WORKER)
		return 0;
	r->findings.n_unchecked = 0;
	int rc = judge(r);
	rc = rc ? rc : gather(r);
	return rc ? rc : gather_unchecked(r);
}

int iobi_findings_drop(struct iob_result *r, const char *code)
{
	struct iobi_findings *f = &r->findings;
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->list[i]->code, code) != 0) {
			f->list[n++] = f->list[i];
			continue;
		}
		clear(f->list[i]);
		free(f->list[i]);
	}
	f->n = n;
	return gather(r);
}

/* What another one's rules found that the counts alone would not show again. */
int iobi_findings_keep(struct iob_result *r, const struct iob_result *from, bool alone)
{
	int rc = 0;
	for (size_t i = 0; i < from->findings.n && !rc; i++) {
		const struct iob_finding *f = from->findings.list[i];
		const struct iobi_rule *rule = iobi_rule_find(f->code);
		if ((alone || !rule || rule->of_machine) && !own(r, f->code))
			rc = iobi_findings_put(r, f);
	}
	return rc;
}

/* ---- declared afterwards ---- */

static int declare(struct iob_result *r, const char *name, const char *text)
{
	int rc = r->level == IOB_LEVEL_WORKLOAD ? iobi_pairs_set(&r->params, name, text) : 0;
	for (size_t i = 0; i < r->n_child && !rc; i++)
		if (r->child[i]->level != IOB_LEVEL_WORKER)
			rc = declare(r->child[i], name, text);
	return rc ? rc : iobi_findings_close(r);
}

static int check_value(const char *name, const char *text, struct iob_error *err)
{
	int64_t v;
	if (!strcmp(name, "link_limit"))
		return iobi_parse_rate(text, name, &v, err);
	if (!strcmp(name, "round_trip"))
		return iobi_parse_time(text, name, &v, err);
	if (strcmp(name, "claim") != 0)
		return iobi_fail(
			err, ENOENT, "declare",
			"\"%.64s\" cannot be declared; link_limit, round_trip and claim can", name);
	return !strcmp(text, "direct") ? 0
				       : iobi_fail(err, EINVAL, "claim",
						   "\"%.64s\" is no claim that is known; there is "
						   "direct",
						   text);
}

int iob_result_declare(struct iob_result *r, const char *name, const char *text,
		       struct iob_error *err)
{
	if (!r || !name || !text)
		return iobi_is_null(err, !r ? "result" : !name ? "name" : "text");
	if (r->parent)
		return iobi_fail(err, EINVAL, "declare", "needs a whole result, its root");
	int rc = check_value(name, text, err);
	if (rc)
		return rc;
	return declare(r, name, text) ? iobi_no_memory(err) : 0;
}

/* ---- reading ---- */

size_t iob_result_finding_count(const struct iob_result *r)
{
	return r ? r->findings.n_all : 0;
}

const struct iob_finding *iob_result_finding(const struct iob_result *r, size_t i)
{
	return r && i < r->findings.n_all ? r->findings.all[i] : NULL;
}

size_t iob_result_unchecked_count(const struct iob_result *r)
{
	return r ? r->findings.n_unchecked : 0;
}

const struct iob_unchecked *iob_result_unchecked(const struct iob_result *r, size_t i)
{
	return r && i < r->findings.n_unchecked ? &r->findings.unchecked[i] : NULL;
}
