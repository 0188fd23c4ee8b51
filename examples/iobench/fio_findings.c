/* SPDX-License-Identifier: MIT */
/* fio's forms have no place for what cannot be believed of a result: it is said on
 * stderr. */
#include "fio.h"
#include <string.h>

static bool shows_findings(const struct opts *o)
{
	for (size_t i = 0; i < o->n_formats; i++)
		if (!strcmp(o->format[i], "text") || !strcmp(o->format[i], "json"))
			return true;
	return false;
}

static size_t count(const struct iob_result *r, const char *code)
{
	size_t n = 0;

	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		n += !strcmp(iob_result_finding(r, i)->code, code);
	return n;
}

static bool told_before(const struct iob_result *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(iob_result_finding(r, i)->code, iob_result_finding(r, at)->code))
			return true;
	return false;
}

static void tell(const struct iob_result *r, const struct iob_finding *f)
{
	size_t others = count(r, f->code) - 1;

	fprintf(stderr, "%s: %s: \"%s\": %s", iob_severity_name(f->severity), f->code,
		iob_result_name(f->of), f->message);
	if (others)
		fprintf(stderr, " (and %zu more)", others);
	fputc('\n', stderr);
}

/* Each kind once, the worst first. */
void fio_findings(const struct opts *o, const struct iob_result *r)
{
	if (!o->jobs || shows_findings(o))
		return;
	for (int severity = IOB_SEVERITY_INVALID; severity >= IOB_SEVERITY_WARNING; severity--)
		for (size_t i = 0; i < iob_result_finding_count(r); i++) {
			const struct iob_finding *f = iob_result_finding(r, i);
			if ((int)f->severity == severity && !told_before(r, i))
				tell(r, f);
		}
}
