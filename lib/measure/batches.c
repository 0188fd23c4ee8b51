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

/* The variance of a ratio of two sums over batches, x to n, each with its
 * deviation from the ratio of all: Cochran, Sampling Techniques, 6.4. */
static double variance(double squares, size_t batches, double n)
{
	return squares * (double)batches / (double)(batches - 1) / (n * n);
}

/* What share of the I/Os lies at or below a bucket, by batch. */
static double share_variance(const struct iobi_batches *b, const uint64_t *seen, double share)
{
	double squares = 0;
	for (size_t i = 0; i < b->n; i++) {
		double off = (double)seen[i] - share * (double)b->batch[i]->count;
		squares += off * off;
	}
	return variance(squares, b->n, (double)b->all->count);
}

static void count_bucket(const struct iobi_batches *b, uint32_t bucket, uint64_t *seen)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct iob_hist *h = b->batch[i];
		if (bucket >= h->first && bucket - h->first < h->span)
			seen[i] += h->counts[bucket - h->first];
	}
}

/* Every value whose share of I/Os at or below it cannot be told from p. The
 * shares are taken for no better known than those of independent I/Os. */
static struct iobi_ends enclose(const struct iobi_batches *b, double p, double t, uint64_t *seen)
{
	const struct iob_hist *all = b->all;
	struct iobi_ends r = { NAN, NAN };
	double n = (double)all->count, least = p * (1 - p) / n;
	uint64_t total = 0;
	for (uint32_t i = 0; i < all->span && isnan(r.high); i++) {
		if (!all->counts[i])
			continue;
		total += all->counts[i];
		count_bucket(b, all->first + i, seen);
		double share = (double)total / n;
		double half = t * sqrt(fmax(least, share_variance(b, seen, share)));
		if (isnan(r.low) && share + half >= p)
			r.low = fmax((double)iobi_hist_low(all->bits, all->first + i),
				     (double)all->min);
		if (share - half >= p)
			r.high = fmin((double)iobi_hist_high(all->bits, all->first + i),
				      (double)all->max);
	}
	return r;
}

struct iobi_ends iobi_batches_percentile(const struct iobi_batches *b, double p, double confidence)
{
	struct iobi_ends r = { NAN, NAN };
	if (b->n < 2 || !b->all->count)
		return r;
	uint64_t *seen = calloc(b->n, sizeof(*seen));
	if (seen)
		r = enclose(b, p / 100, iobi_student(confidence, (unsigned)b->n - 1), seen);
	free(seen);
	return r;
}

struct iobi_ends iobi_batches_mean(const struct iobi_batches *b, double confidence)
{
	if (b->n < 2 || b->all->count < IOBI_LEAST_FOR_A_MEAN)
		return (struct iobi_ends){ NAN, NAN };
	double mean = iob_hist_mean(b->all), n = (double)b->all->count, squares = 0;
	for (size_t i = 0; i < b->n; i++) {
		double off = (double)b->batch[i]->sum - mean * (double)b->batch[i]->count;
		squares += off * off;
	}
	double half =
		iobi_student(confidence, (unsigned)b->n - 1) * sqrt(variance(squares, b->n, n));
	return (struct iobi_ends){ fmax(mean - half, 0), mean + half };
}
