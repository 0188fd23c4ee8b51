/* SPDX-License-Identifier: MIT */
/* What a search came to, beside the stages that were its steps. */
#ifndef IOBI_SEARCH_LOG_H
#define IOBI_SEARCH_LOG_H

#include <iobench/search.h>

struct iobi_search_log {
	struct iob_search_outcome outcome; /* param: static */
	struct iob_search_step *step;
	size_t n;
};

/* Adds a copy of a step; -ENOMEM. */
int iobi_search_add(struct iobi_search_log *l, const struct iob_search_step *step);

/* NULL where there is none, or no memory. */
struct iobi_search_log *iobi_search_copy(const struct iobi_search_log *l);
void iobi_search_drop(struct iobi_search_log *l);

/* As they stand in reports; NULL past the last. Static. */
const char *iobi_search_answer_name(unsigned answer);
const char *iobi_search_verdict_name(unsigned verdict);

/* "p99.9", "mean", "max". */
char *iobi_search_metric_text(char buf[32], const struct iob_search_outcome *o);

#endif
