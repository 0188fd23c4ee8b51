/* SPDX-License-Identifier: MIT */
#ifndef IOBI_HIST_PRIV_H
#define IOBI_HIST_PRIV_H

#include "base/base.h"
#include <iobench/hist.h>

enum { IOBI_HIST_BITS_MIN = 1, IOBI_HIST_BITS_MAX = 14 };

/*
 * Bucket numbers run over all of uint64_t: value v < 2^bits is bucket v; above,
 * bucket (e << bits) + (v >> e) with e = msb(v) - bits. Only [first, first +
 * span) is stored, so that a result holds what it needs.
 */
struct iobi_summary;
struct iob_hist {
	int bits;
	uint32_t first, span;
	uint64_t *counts; /* store.h: may be shared */
	uint64_t count, min, max; /* min = UINT64_MAX, max = 0 where empty */
	iobi_u128 sum;
	uint64_t square[3]; /* sum of squares, least limb first; < 2^64 samples: never past 192 bits */
	struct iobi_summary *summary; /* NULL: the buckets are known */
};

/* What is known of the percentiles where the buckets are not. */
struct iobi_summary {
	size_t n;
	int no_stddev; /* the sum of squares is not known */
	struct {
		uint32_t step; /* 1e-6 % */
		uint64_t value;
	} known[];
};

/* What somebody else measured and printed. */
struct iobi_outline {
	uint64_t count, min, max;
	double mean, stddev; /* stddev NaN: not known */
	const double *p;     /* n percentiles and their values */
	const uint64_t *value;
	size_t n;
};

/* summary.c. Fills an empty histogram; -ENOMEM. */
int iobi_hist_outline(struct iob_hist *h, const struct iobi_outline *o);

/* As iob_hist_merge, where one of the two is a summary. */
int iobi_hist_merge_summary(struct iob_hist *into, const struct iob_hist *from);

/* As iob_hist_percentile, of a summary and with p in bounds; -ENODATA: not known. */
int iobi_summary_percentile(const struct iob_hist *h, double p, uint64_t *value);

/* Bucket of a value, without a branch on its size: v | 2^bits has the same msb
 * wherever that matters. */
static inline uint32_t iobi_hist_index(int bits, uint64_t v)
{
	int e = 63 - __builtin_clzll(v | (UINT64_C(1) << bits)) - bits;
	return ((uint32_t)e << bits) + (uint32_t)(v >> e);
}

/* How many buckets there are in all. */
static inline uint32_t iobi_hist_total(int bits)
{
	return (uint32_t)(65 - bits) << bits;
}

uint64_t iobi_hist_low(int bits, uint32_t index);
uint64_t iobi_hist_high(int bits, uint32_t index);

/* Adds bucket counts taken elsewhere: counts[i] belongs to bucket first + i.
 * min, max, sum, square are of those samples; count is summed from them. */
struct iobi_hist_part {
	uint32_t first, span;
	const uint64_t *counts;
	uint64_t min, max;
	iobi_u128 sum;
	uint64_t square[3];
};
int iobi_hist_add(struct iob_hist *h, const struct iobi_hist_part *part);

/* Of a copy whose sums are of another moment than its counts: mean and standard
 * deviation from the buckets' middles, true to half a bucket. */
void iobi_hist_sums_from_buckets(struct iob_hist *h);

struct iob_hist *iobi_hist_copy(const struct iob_hist *h);

/* Gives back storage outside the non-empty span. */
void iobi_hist_trim(struct iob_hist *h);

/* later - earlier, both of one recorder: the samples that came between. Its
 * min and max are bucket bounds, clamped to those of `later`. NULL: no memory. */
struct iob_hist *iobi_hist_since(const struct iob_hist *later, const struct iob_hist *earlier);

/* The mean of the samples between two percentiles (whole buckets at their
 * middle, the cut ones in part); NaN where empty. XDISK's WrAvg: 5, 95. */
double iobi_hist_mean_between(const struct iob_hist *h, double p_low, double p_high);

/* a += b, 192 bits. */
static inline void iobi_add192(uint64_t a[3], uint64_t lo, uint64_t mid, uint64_t hi)
{
	iobi_u128 s = (iobi_u128)a[0] + lo;
	a[0] = (uint64_t)s;
	s = (s >> 64) + a[1] + mid;
	a[1] = (uint64_t)s;
	a[2] += (uint64_t)(s >> 64) + hi;
}

#endif
