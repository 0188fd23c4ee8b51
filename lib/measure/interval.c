/* SPDX-License-Identifier: MIT */
/*
 * The interval that a percentile lies in: the samples at two ranks enclose it
 * with a probability that follows from the binomial distribution alone,
 * whatever the values are distributed like. David and Nagaraja, Order
 * Statistics, 7.1.
 */
#include "measure/hist_priv.h"
#include <errno.h>
#include <math.h>

/* Ranks from 1; low 0 or high above n: there is no such sample. */
struct ranks {
	uint64_t low, high;
};

/* Above that variance the binomial is normal to more than a rank's share. */
static const double normal_from = 1e4;

static double normal_quantile(double tail)
{
	double low = 0, high = 40;
	for (int i = 0; i < 80; i++) {
		double z = (low + high) / 2;
		*(erfc(z / sqrt(2)) / 2 > tail ? &low : &high) = z;
	}
	return high;
}

static struct ranks normal_ranks(double n, double p, double tail)
{
	double z = normal_quantile(tail), sd = sqrt(n * p * (1 - p));
	double low = floor(n * p - z * sd), high = ceil(n * p + z * sd) + 1;
	return (struct ranks){ low > 0 ? (uint64_t)low : 0,
			       high <= n ? (uint64_t)high : (uint64_t)n + 1 };
}

static long double log_chance(double n, double k, double p)
{
	int sign;
	return lgammal_r((long double)n + 1, &sign) - lgammal_r((long double)k + 1, &sign) -
	       lgammal_r((long double)(n - k) + 1, &sign) + (long double)k * logl((long double)p) +
	       (long double)(n - k) * log1pl(-(long double)p);
}

/* P(B <= k), summed up from where nothing is left below. */
static struct ranks exact_ranks(uint64_t n, double p, double tail)
{
	double sd = sqrt((double)n * p * (1 - p)), from = floor((double)n * p - 12 * sd - 40);
	struct ranks r = { 0, n + 1 };
	uint64_t k = from > 0 ? (uint64_t)from : 0;
	long double chance = expl(log_chance((double)n, (double)k, p)), sum = chance;
	for (; k < n; k++) {
		if (sum <= (long double)tail)
			r.low = k + 1;
		if (sum >= 1 - (long double)tail) {
			r.high = k + 1;
			break;
		}
		chance *= (long double)(n - k) / (long double)(k + 1) * (long double)p /
			  (1 - (long double)p);
		sum += chance;
	}
	return r;
}

/* The bucket of a rank. */
static uint32_t bucket_at(const struct iob_hist *h, uint64_t rank)
{
	uint64_t seen = 0;
	uint32_t i = 0;
	for (; i < h->span; i++) {
		seen += h->counts[i];
		if (seen >= rank)
			break;
	}
	return h->first + i;
}

int iob_hist_percentile_interval(const struct iob_hist *h, double p, double confidence,
				 uint64_t *low, uint64_t *high)
{
	if (!h || !low || !high || !(p >= 0 && p <= 100) || !(confidence > 0 && confidence < 1))
		return -EINVAL;
	if (!h->count || h->summary || p == 0 || p == 100)
		return -ENODATA;
	double share = p / 100, tail = (1 - confidence) / 2, n = (double)h->count;
	struct ranks r = n * share * (1 - share) > normal_from ? normal_ranks(n, share, tail)
							       : exact_ranks(h->count, share, tail);
	if (r.low < 1 || r.high > h->count)
		return -ENODATA;
	uint64_t bottom = iobi_hist_low(h->bits, bucket_at(h, r.low));
	uint64_t top = iobi_hist_high(h->bits, bucket_at(h, r.high));
	*low = bottom > h->min ? bottom : h->min;
	*high = top < h->max ? top : h->max;
	return 0;
}
