/* SPDX-License-Identifier: MIT */
#include "search/bracket.h"

#include <math.h>

static int64_t within(const struct iobi_bracket *b, int64_t value)
{
	return value < b->low ? b->low : value > b->high ? b->high : value;
}

void iobi_bracket_init(struct iobi_bracket *b, int64_t low, int64_t high, double ratio,
		       int64_t first)
{
	*b = (struct iobi_bracket){ .low = low, .high = high, .ratio = ratio, .cut = 2 };
	b->next = within(b, first);
}

static int close_enough(const struct iobi_bracket *b)
{
	return b->missed - b->held <= 1 || (double)b->missed <= (double)b->held * b->ratio;
}

static int64_t middle(const struct iobi_bracket *b)
{
	int64_t m = (int64_t)sqrt((double)b->held * (double)b->missed);
	return m <= b->held ? b->held + 1 : m >= b->missed ? b->missed - 1 : m;
}

/* The cuts are 2, 4, 16, 256: what holds may be far below what the device can do. */
static int64_t lower(struct iobi_bracket *b)
{
	int64_t next = within(b, b->missed / b->cut);
	b->cut = b->cut < 256 ? b->cut * b->cut : b->cut;
	return next;
}

static int64_t upper(const struct iobi_bracket *b)
{
	return b->held > b->high / 2 ? b->high : b->held * 2;
}

void iobi_bracket_judge(struct iobi_bracket *b, int holds)
{
	*(holds ? &b->held : &b->missed) = b->next;
	if (!b->held)
		b->next = b->missed > b->low ? lower(b) : 0;
	else if (!b->missed)
		b->next = b->held < b->high ? upper(b) : 0;
	else
		b->next = close_enough(b) ? 0 : middle(b);
}

enum iob_search_answer iobi_bracket_answer(const struct iobi_bracket *b)
{
	if (b->next)
		return IOB_SEARCH_UNFINISHED;
	if (b->held && b->missed)
		return IOB_SEARCH_FOUND;
	return b->held ? IOB_SEARCH_EVERYTHING : IOB_SEARCH_NOTHING;
}

/* Halvings of the logarithm of missed / held; of 2 where one of them is unknown. */
unsigned iobi_bracket_left(const struct iobi_bracket *b)
{
	double known = b->held && b->missed, held = known ? (double)b->held : 1;
	double wide = known ? (double)b->missed / held : 2;
	double enough = fmax(b->ratio, b->held ? 1 + 1 / (double)b->held : 1);
	if (!b->next)
		return 0;
	double n = ceil(log2(log(wide) / log(enough)));
	return (unsigned)fmax(n, 1) + (known ? 0 : 2);
}
