/* SPDX-License-Identifier: MIT */
/*
 * Which value to try next: doubled until one misses, or cut down, by more each
 * time, until one holds; then the middle between the two, by ratio, until they
 * are close enough.
 */
#ifndef IOBI_BRACKET_H
#define IOBI_BRACKET_H

#include <iobench/search.h>

struct iobi_bracket {
	int64_t low, high;    /* the bounds */
	double ratio;         /* missed / held that is close enough: 1.02 */
	int64_t held, missed; /* 0: none so far */
	int64_t next;         /* to be tried; 0: over */
	int64_t cut;          /* by which to go down next */
};

void iobi_bracket_init(struct iobi_bracket *b, int64_t low, int64_t high, double ratio,
		       int64_t first);

/* `next` holds, or misses; a new next. */
void iobi_bracket_judge(struct iobi_bracket *b, int holds);

enum iob_search_answer iobi_bracket_answer(const struct iobi_bracket *b);

/* How many values may be yet to try; an estimate. */
unsigned iobi_bracket_left(const struct iobi_bracket *b);

#endif
