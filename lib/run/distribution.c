/* SPDX-License-Identifier: MIT */
#include "run/distribution.h"

#include <math.h>

static double uniform(struct iobi_random *r)
{
	return (double)(iobi_random_next(r) >> 11) * 0x1p-53;
}

/* ---- zipf: rejection-inversion, which needs no table whatever n (W. Hörmann,
 * G. Derflinger, ACM TOMACS 6, 1996) ---- */

/* The integral of x^-theta, and its inverse. */
static double area(double theta, double x)
{
	return theta == 1 ? log(x) : (pow(x, 1 - theta) - 1) / (1 - theta);
}

static double area_inverse(double theta, double u)
{
	return theta == 1 ? exp(u) : pow(1 + u * (1 - theta), 1 / (1 - theta));
}

static void init_zipf(struct iobi_drawing *w)
{
	double theta = w->d->value;
	w->low = area(theta, 1.5) - 1;
	w->high = area(theta, (double)w->n + 0.5);
	w->squeeze = 2 - area_inverse(theta, area(theta, 2.5) - pow(2, -theta));
}

static uint64_t clamp_slot(const struct iobi_drawing *w, double at)
{
	if (!(at >= 0))
		return 0;
	return at >= (double)w->n ? w->n - 1 : (uint64_t)at;
}

static uint64_t next_zipf(const struct iobi_drawing *w, struct iobi_random *r)
{
	double theta = w->d->value;
	for (;;) {
		double u = w->high + uniform(r) * (w->low - w->high);
		double x = area_inverse(theta, u), k = floor(x + 0.5);
		if (k < 1)
			k = 1;
		if (k > (double)w->n)
			k = (double)w->n;
		if (k - x <= w->squeeze || u >= area(theta, k + 0.5) - pow(k, -theta))
			return clamp_slot(w, k - 1);
	}
}

/* ---- the others ---- */

static uint64_t next_pareto(const struct iobi_drawing *w, struct iobi_random *r)
{
	return clamp_slot(w, (double)w->n * pow(uniform(r), w->low));
}

/* Box-Muller; what falls outside is drawn again. */
static uint64_t next_normal(const struct iobi_drawing *w, struct iobi_random *r)
{
	double middle = (double)w->n / 2, deviation = (double)w->n * w->d->value / 100;
	for (;;) {
		double radius = sqrt(-2 * log(1 - uniform(r)));
		double at = middle + deviation * radius * cos(2 * M_PI * uniform(r));
		if (at >= 0 && at < (double)w->n)
			return clamp_slot(w, at);
	}
}

/* A zone past the region's end gets its last slot; none is empty. */
static void init_zones(struct iobi_drawing *w)
{
	const struct iobi_distribution *d = w->d;
	uint64_t first = 0, percent = 0;
	for (unsigned i = 0; i < d->n; i++) {
		percent += d->zone[i].size;
		uint64_t end = d->kind == IOBI_DISTRIBUTION_ZONED
				       ? (uint64_t)((iobi_u128)w->n * percent / 100)
				       : first + d->zone[i].size / w->slot;
		if (end > w->n)
			end = w->n;
		if (first >= end)
			first = end ? end - 1 : 0;
		w->zone[i].first = first;
		w->zone[i].n = end > first ? end - first : 1;
		first = end;
	}
}

static uint64_t next_zoned(const struct iobi_drawing *w, struct iobi_random *r)
{
	uint64_t percent = iobi_random_below(r, 100);
	unsigned i = 0;
	while (i + 1 < w->d->n && percent >= w->d->zone[i].access) {
		percent -= w->d->zone[i].access;
		i++;
	}
	return w->zone[i].first + iobi_random_below(r, w->zone[i].n);
}

void iobi_drawing_init(struct iobi_drawing *w, const struct iobi_distribution *d, uint64_t slots,
		       uint64_t slot)
{
	*w = (struct iobi_drawing){ .d = d, .n = slots, .slot = slot };
	switch (d->kind) {
	case IOBI_DISTRIBUTION_ZIPF:
		init_zipf(w);
		break;
	case IOBI_DISTRIBUTION_PARETO: /* a share h of the slots gets 1 - h of the I/Os */
		w->low = log(d->value) / log(1 - d->value);
		break;
	case IOBI_DISTRIBUTION_ZONED:
	case IOBI_DISTRIBUTION_ZONED_ABS:
		init_zones(w);
		break;
	default:
		break;
	}
}

uint64_t iobi_drawing_next(const struct iobi_drawing *w, struct iobi_random *r)
{
	switch (w->d->kind) {
	case IOBI_DISTRIBUTION_ZIPF:
		return next_zipf(w, r);
	case IOBI_DISTRIBUTION_PARETO:
		return next_pareto(w, r);
	case IOBI_DISTRIBUTION_NORMAL:
		return next_normal(w, r);
	case IOBI_DISTRIBUTION_ZONED:
	case IOBI_DISTRIBUTION_ZONED_ABS:
		return next_zoned(w, r);
	default:
		return iobi_random_below(r, w->n);
	}
}
