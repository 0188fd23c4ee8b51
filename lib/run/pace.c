/* SPDX-License-Identifier: MIT */
#include "run/pace.h"

#include <math.h>

/* Past so many a Poisson count is its mean, which it is within half a percent. */
enum {
	IOBI_SKIP_DRAWN = 1 << 16
};

double iobi_random_exp(struct iobi_random *r, double mean)
{
	/* (0, 1]: 53 bits, and never the logarithm of 0 */
	double u = ((double)(iobi_random_next(r) >> 11) + 1) * 0x1p-53;
	return -log(u) * mean;
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

static void step(struct iobi_schedule *s, double gap)
{
	move(s, s->poisson ? iobi_random_exp(&s->random, gap) : gap);
}

void iobi_schedule_advance(struct iobi_schedule *s, uint32_t len)
{
	step(s, fmax(s->gap_ns, s->byte_ns * len));
}

void iobi_schedule_init(struct iobi_schedule *s, const struct iobi_pace *p, int side,
			uint64_t begin_ns, uint32_t worker, uint32_t workers, uint64_t seed)
{
	*s = (struct iobi_schedule){ .on = p->iops[side] > 0 || p->bytes[side] > 0,
				     .poisson = p->poisson,
				     .next_ns = begin_ns,
				     .mean_ns = p->gap_ns[side] * workers,
				     .random = { seed } };
	if (p->iops[side] > 0)
		s->gap_ns = 1e9 / p->iops[side] * workers;
	if (p->bytes[side] > 0)
		s->byte_ns = 1e9 / p->bytes[side] * workers;
	if (!s->on)
		s->next_ns = UINT64_MAX;
	else if (p->poisson)
		step(s, s->mean_ns);
	else
		move(s, s->mean_ns * worker / workers);
}

/* Starts from next_ns on and before end_ns, one each mean gap. */
static uint64_t skip_evenly(struct iobi_schedule *s, uint64_t end_ns)
{
	double n = ceil(((double)(end_ns - s->next_ns) - s->rest) / s->mean_ns);
	move(s, n * s->mean_ns);
	return (uint64_t)n;
}

uint64_t iobi_schedule_skip(struct iobi_schedule *s, uint64_t end_ns)
{
	uint64_t n = 0;
	for (; s->poisson && s->next_ns < end_ns && n < IOBI_SKIP_DRAWN; n++)
		step(s, s->mean_ns);
	return s->next_ns < end_ns ? n + skip_evenly(s, end_ns) : n;
}

/* Where gaps are drawn, only drawing tells which start is the last. */
static uint64_t drop_drawn(struct iobi_schedule *s, uint64_t now)
{
	double most = s->mean_ns * IOBI_SKIP_DRAWN;
	uint64_t n =
		(double)(now - s->next_ns) > 2 * most ? skip_evenly(s, now - (uint64_t)most) : 0;
	struct iobi_schedule next = *s;
	for (uint64_t drawn = 0; drawn < 2 * IOBI_SKIP_DRAWN; drawn++) {
		step(&next, s->mean_ns);
		if (next.next_ns > now)
			break;
		*s = next;
		n++;
	}
	return n;
}

uint64_t iobi_schedule_drop(struct iobi_schedule *s, uint64_t now)
{
	if (s->poisson)
		return drop_drawn(s, now);
	double n = floor(((double)(now - s->next_ns) - s->rest) / s->mean_ns);
	if (!(n > 0))
		return 0;
	move(s, n * s->mean_ns);
	return (uint64_t)n;
}
