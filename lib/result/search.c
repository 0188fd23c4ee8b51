/* SPDX-License-Identifier: MIT */
#include "result/search.h"
#include "result/result_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int iobi_search_add(struct iobi_search_log *l, const struct iob_search_step *step)
{
	struct iob_search_step *more = realloc(l->step, (l->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->step = more;
	more[l->n] = *step;
	more[l->n++].size = sizeof(*step);
	return 0;
}

struct iobi_search_log *iobi_search_copy(const struct iobi_search_log *l)
{
	struct iobi_search_log *copy = l ? calloc(1, sizeof(*copy)) : NULL;
	if (!copy)
		return NULL;
	copy->outcome = l->outcome;
	for (size_t i = 0; i < l->n; i++)
		if (iobi_search_add(copy, &l->step[i])) {
			iobi_search_drop(copy);
			return NULL;
		}
	return copy;
}

void iobi_search_drop(struct iobi_search_log *l)
{
	if (l)
		free(l->step);
	free(l);
}

const char *iobi_search_answer_name(unsigned answer)
{
	static const char *const names[] = { "unfinished", "found", "nothing holds",
					     "everything holds" };
	return answer < IOBI_LEN(names) ? names[answer] : NULL;
}

const char *iobi_search_verdict_name(unsigned verdict)
{
	static const char *const names[] = { "not judged", "holds",     "misses",
					     "saturated",  "undecided", "too few" };
	return verdict < IOBI_LEN(names) ? names[verdict] : NULL;
}

char *iobi_search_metric_text(char buf[32], const struct iob_search_outcome *o)
{
	if (o->metric != IOB_SEARCH_PERCENTILE)
		return strcpy(buf, o->metric == IOB_SEARCH_MEAN ? "mean" : "max");
	buf[0] = 'p';
	iobi_format_fixed(buf + 1, 30, o->percentile, 6);
	size_t len = strlen(buf);
	while (buf[len - 1] == '0')
		len--;
	buf[buf[len - 1] == '.' ? len - 1 : len] = '\0';
	return buf;
}

const struct iob_search_outcome *iob_result_search(const struct iob_result *r)
{
	return r && r->search ? &r->search->outcome : NULL;
}

size_t iob_result_search_step_count(const struct iob_result *r)
{
	return r && r->search ? r->search->n : 0;
}

const struct iob_search_step *iob_result_search_step(const struct iob_result *r, size_t i)
{
	return i < iob_result_search_step_count(r) ? &r->search->step[i] : NULL;
}
