/* SPDX-License-Identifier: MIT */
/*
 * Coordinated omission made up for: a closed loop that should have sampled once
 * an interval saw one value of several, so the samples that it could not take
 * are added, each an interval shorter than the one before. This is
 * recordValueWithExpectedInterval of HdrHistogram. Its loop over the samples
 * that are missing is an arithmetic series here, and costs what the buckets
 * cost, however many they are.
 */
#include "measure/hist_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The values rest + step, rest + 2 step, .. rest + n step, each `count` times;
 * step > 0 where n > 1. */
struct progression {
	uint64_t rest, step, n, count;
};

static struct progression progression(uint64_t value, uint64_t count, uint64_t interval)
{
	if (!interval || value < interval)
		return (struct progression){ 0, value, 1, count };
	return (struct progression){ value % interval, interval, value / interval, count };
}

/* a *= by, of 192 bits: what is carried out of them is lost, and the sums below
 * are less than 2^192, so that only that was carried out which was too much. */
static void multiply192(uint64_t a[3], uint64_t by)
{
	uint64_t carry = 0;
	for (int i = 0; i < 3; i++) {
		iobi_u128 t = (iobi_u128)a[i] * by + carry;
		a[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
}

static void add128(uint64_t a[3], iobi_u128 v)
{
	iobi_add192(a, (uint64_t)v, (uint64_t)(v >> 64), 0);
}

/* 1 + 2 + .. + n */
static iobi_u128 triangle(uint64_t n)
{
	return n % 2 ? (iobi_u128)(n / 2 + 1) * n : (iobi_u128)(n / 2) * ((iobi_u128)n + 1);
}

/* 1 + 4 + .. + n^2 = n (n + 1) (2n + 1) / 6: either the triangle or 2n + 1 is a
 * multiple of 3. */
static void pyramid(uint64_t n, uint64_t out[3])
{
	iobi_u128 t = triangle(n), odd = 2 * (iobi_u128)n + 1;
	uint64_t half[3] = { 0 };
	out[0] = out[1] = out[2] = 0;
	if (odd % 3 == 0) {
		add128(out, t);
		multiply192(out, (uint64_t)(odd / 3));
		return;
	}
	add128(half, t / 3);
	multiply192(half, n); /* t / 3 * (2n + 1) as t/3 * n, twice, and t/3 */
	iobi_add192(out, half[0], half[1], half[2]);
	iobi_add192(out, half[0], half[1], half[2]);
	add128(out, t / 3);
}

/* sum of (rest + j step)^2 = n rest^2 + 2 rest step T(n) + step^2 P(n) */
static void squares(const struct progression *p, uint64_t out[3])
{
	uint64_t rests[3] = { p->n }, mixed[3] = { 0 }, steps[3];
	multiply192(rests, p->rest);
	multiply192(rests, p->rest);
	add128(mixed, triangle(p->n));
	multiply192(mixed, p->rest);
	multiply192(mixed, p->step);
	pyramid(p->n, steps);
	multiply192(steps, p->step);
	multiply192(steps, p->step);
	out[0] = out[1] = out[2] = 0;
	iobi_add192(out, rests[0], rests[1], rests[2]);
	iobi_add192(out, mixed[0], mixed[1], mixed[2]);
	iobi_add192(out, mixed[0], mixed[1], mixed[2]);
	iobi_add192(out, steps[0], steps[1], steps[2]);
	multiply192(out, p->count);
}

/* How many of the values are at or below that one. */
static uint64_t up_to(const struct progression *p, uint64_t value)
{
	uint64_t n = value < p->rest ? 0 : (value - p->rest) / p->step;
	return n < p->n ? n : p->n;
}

static void count_buckets(const struct progression *p, int bits, uint32_t first, uint32_t span,
			  uint64_t *counts)
{
	uint64_t seen = 0;
	for (uint32_t i = 0; i < span; i++) {
		uint64_t n = up_to(p, iobi_hist_high(bits, first + i));
		counts[i] = (n - seen) * p->count;
		seen = n;
	}
}

static int add_progression(struct iob_hist *h, const struct progression *p)
{
	uint64_t min = p->rest + p->step, max = p->rest + p->n * p->step;
	uint32_t first = iobi_hist_index(h->bits, min);
	uint32_t span = iobi_hist_index(h->bits, max) - first + 1;
	uint64_t *counts = calloc(span, sizeof(*counts));
	struct iobi_hist_part part = {
		.first = first,
		.span = span,
		.counts = counts,
		.min = min,
		.max = max,
		.sum = ((iobi_u128)p->rest * p->n + p->step * triangle(p->n)) * p->count,
	};
	if (!counts)
		return -ENOMEM;
	count_buckets(p, h->bits, first, span, counts);
	squares(p, part.square);
	int rc = iobi_hist_add(h, &part);
	free(counts);
	return rc;
}

/* A summary has no buckets to add to: as a histogram that is merged into it. */
static int add_to_summary(struct iob_hist *h, const struct progression *p)
{
	struct iob_hist *one = iob_hist_new(h->bits, NULL);
	int rc = one ? add_progression(one, p) : -ENOMEM;
	if (!rc)
		rc = iobi_hist_merge_summary(h, one);
	iob_hist_free(one);
	return rc;
}

int iob_hist_record_corrected(struct iob_hist *h, uint64_t value, uint64_t count, uint64_t interval)
{
	struct progression p = progression(value, count, interval);
	uint64_t all;
	if (!h)
		return -EINVAL;
	if (__builtin_mul_overflow(p.n, count, &all))
		return -EOVERFLOW;
	if (p.n == 1)
		return iob_hist_record(h, value, count);
	return h->summary ? add_to_summary(h, &p) : all ? add_progression(h, &p) : 0;
}
