/* SPDX-License-Identifier: MIT */
#include "run/pace.h"

#include <math.h>

enum { IOBI_SKIP_DRAWN = 1 << 20 }; /* past so many, a Poisson count is its mean */

double iobi_random_exp(struct iobi_random *r, double mean)
{
	/* (0, 1]: 53 bits, and never the logarithm of 0 */
	double u = ((double)(iobi_random_next(r) >> 11) + 1) * 0x1p-53;
	return -log(u) * mean;
}

double iobi_schedule_gap(const struct iobi_schedule *s, uint32_t len)
{
	return fmax(s->gap_ns, s->byte_ns * len);
}

static void move(struct iobi_schedule *s, double ns)
{
	double sum = ns + s->rest;
	if (sum >= 0x1p62 || s->next_ns >= UINT64_C(1) << 62) {
		s->next_ns = UINT64_MAX; /* 146 years: never */
		return;
	}
	uint64_t whole = (uint64_t)sum;
	s->next_ns += whole;
	s->rest = sum - (double)whole;
}

void iobi_schedule_advance(struct iobi_schedule *s, uint32_t len)
{
	double gap = iobi_schedule_gap(s, len);
	move(s, s->poisson ? iobi_random_exp(&s->random, gap) : gap);
}

void iobi_schedule_init(struct iobi_schedule *s, const struct iobi_pace *p, int side,
			uint64_t begin_ns, uint32_t worker, uint32_t workers, uint32_t len,
			uint64_t seed)
{
	*s = (struct iobi_schedule){ .on = p->iops[side] > 0 || p->bytes[side] > 0,
				     .poisson = p->poisson,
				     .next_ns = begin_ns,
				     .random = { seed } };
	if (p->iops[side] > 0)
		s->gap_ns = 1e9 / p->iops[side] * workers;
	if (p->bytes[side] > 0)
		s->byte_ns = 1e9 / p->bytes[side] * workers;
	if (!s->on)
		s->next_ns = UINT64_MAX;
	else if (p->poisson)
		iobi_schedule_advance(s, len);
	else
		move(s, iobi_schedule_gap(s, len) * worker / workers);
}

uint64_t iobi_schedule_skip(struct iobi_schedule *s, uint64_t end_ns, uint32_t len)
{
	uint64_t n = 0;
	double gap = iobi_schedule_gap(s, len);
	for (; s->next_ns < end_ns && n < IOBI_SKIP_DRAWN; n++)
		iobi_schedule_advance(s, len);
	if (s->next_ns >= end_ns)
		return n;
	uint64_t more = (uint64_t)((double)(end_ns - s->next_ns) / gap) + 1;
	move(s, (double)more * gap);
	return n + more;
}
