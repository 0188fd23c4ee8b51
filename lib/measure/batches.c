/* SPDX-License-Identifier: MIT */
#include "measure/batches.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int iobi_batches_add(struct iobi_batches *b, struct iob_hist *h)
{
	if (h && !b->all)
		b->all = iob_hist_new(iob_hist_precision(h), NULL);
	struct iob_hist **more = realloc(b->batch, (b->n + 1) * sizeof(*more));
	if (more)
		b->batch = more;
	if (!h || !b->all || !more || iob_hist_merge(b->all, h) < 0) {
		iob_hist_free(h);
		return -ENOMEM;
	}
	more[b->n++] = h;
	return 0;
}

void iobi_batches_free(struct iobi_batches *b)
{
	for (size_t i = 0; i < b->n; i++)
		iob_hist_free(b->batch[i]);
	free(b->batch);
	iob_hist_free(b->all);
	*b = (struct iobi_batches){ 0 };
}

/* ---- Student's distribution ---- */

/* The share within t standard errors: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double share_within(double t, unsigned freedom)
{
	double theta = atan(t / sqrt(freedom)), c = cos(theta), term = 1, sum = 0;
	unsigned odd = freedom & 1;
	if (freedom == 1)
		return 2 * theta / M_PI;
	for (unsigned k = odd; k + 2 <= freedom; k += 2) {
		sum += term * (odd ? c : 1);
		term *= c * c * (k + 1) / (k + 2);
	}
	return odd ? 2 / M_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
}

double iobi_student(double confidence, unsigned freedom)
{
	double low = 0, high = 1e6;
	for (int i = 0; i < 100; i++) {
		double t = (low + high) / 2;
		*(share_within(t, freedom) < confidence ? &low : &high) = t;
	}
	return high;
}

/* ---- what the batches tell ---- */

/* Neighbours in groups, and how many groups there are. */
static size_t group_of(const struct iobi_batches *b, size_t i)
{
	size_t size = b->n / IOBI_BATCHES ? b->n / IOBI_BATCHES : 1, group = i / size;
	return group < IOBI_BATCHES || b->n < IOBI_BATCHES ? group : IOBI_BATCHES - 1;
}

static size_t groups(const struct iobi_batches *b)
{
	return b->n < IOBI_BATCHES ? b->n : IOBI_BATCHES;
}

/* The variance of a ratio of two sums over groups, what to count, each with its
 * deviation from the ratio of all: Cochran, Sampling Techniques, 6.4. */
static double variance(const struct iobi_batches *b, const double *what, const double *count,
		       double ratio)
{
	size_t n = groups(b);
	double squares = 0, all = (double)b->all->count;
	for (size_t i = 0; i < n; i++)
		squares += (what[i] - ratio * count[i]) * (what[i] - ratio * count[i]);
	return squares * (double)n / (double)(n - 1) / (all * all);
}

static void count_groups(const struct iobi_batches *b, double *count)
{
	for (size_t i = 0; i < b->n; i++)
		count[group_of(b, i)] += (double)b->batch[i]->count;
}

static void count_bucket(const struct iobi_batches *b, uint32_t bucket, double *seen)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct iob_hist *h = b->batch[i];
		if (bucket >= h->first && bucket - h->first < h->span)
			seen[group_of(b, i)] += (double)h->counts[bucket - h->first];
	}
}

/* Every value whose share of I/Os at or below it cannot be told from p. The
 * shares are taken for no better known than those of independent I/Os. */
struct iobi_ends iobi_batches_percentile(const struct iobi_batches *b, double percent,
					 double confidence)
{
	struct iobi_ends r = { NAN, NAN };
	double seen[IOBI_BATCHES] = { 0 }, count[IOBI_BATCHES] = { 0 }, total = 0;
	if (b->n < 2 || !b->all->count)
		return r;
	const struct iob_hist *all = b->all;
	double n = (double)all->count, p = percent / 100, least = p * (1 - p) / n;
	double t = iobi_student(confidence, (unsigned)groups(b) - 1);
	count_groups(b, count);
	for (uint32_t i = 0; i < all->span && isnan(r.high); i++) {
		if (!all->counts[i])
			continue;
		total += (double)all->counts[i];
		count_bucket(b, all->first + i, seen);
		double share = total / n;
		double half = t * sqrt(fmax(least, variance(b, seen, count, share)));
		if (isnan(r.low) && share + half >= p)
			r.low = fmax((double)iobi_hist_low(all->bits, all->first + i),
				     (double)all->min);
		if (share - half >= p)
			r.high = fmin((double)iobi_hist_high(all->bits, all->first + i),
				      (double)all->max);
	}
	return r;
}

struct iobi_ends iobi_batches_mean(const struct iobi_batches *b, double confidence)
{
	double sum[IOBI_BATCHES] = { 0 }, count[IOBI_BATCHES] = { 0 };
	if (b->n < 2 || b->all->count < IOBI_LEAST_FOR_A_MEAN)
		return (struct iobi_ends){ NAN, NAN };
	for (size_t i = 0; i < b->n; i++)
		sum[group_of(b, i)] += (double)b->batch[i]->sum;
	count_groups(b, count);
	double mean = iob_hist_mean(b->all);
	double half = iobi_student(confidence, (unsigned)groups(b) - 1) *
		      sqrt(variance(b, sum, count, mean));
	return (struct iobi_ends){ fmax(mean - half, 0), mean + half };
}
