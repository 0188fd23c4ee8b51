/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_HIST_H
#define IOBENCH_HIST_H

#include <iobench/error.h>
#include <iobench/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A histogram of unsigned 64-bit values with a bounded relative error: values
 * under 2^bits have a bucket each, above that every power of two is split into
 * 2^bits buckets of one width. Count, minimum, maximum, sum and sum of squares
 * are kept beside the buckets, exactly. One histogram belongs to one thread at
 * a time; a const one can be shared.
 */
struct iob_hist;

/* An empty histogram with a relative error of at most 2^-precision_bits, 1 to
 * 14 (8: 0.4 %). EINVAL, ENOMEM. */
IOB_API struct iob_hist *iob_hist_new(int precision_bits, struct iob_error *err);

/* Frees a histogram of the caller's own; NULL is allowed. */
IOB_API void iob_hist_free(struct iob_hist *h);

/* Adds `count` samples of `value`. 0, or with nothing changed -EOVERFLOW where
 * the number of samples would pass 2^64 - 1, -ENOMEM where there is no memory
 * for a value outside the range stored so far. */
IOB_API int iob_hist_record(struct iob_hist *h, uint64_t value, uint64_t count);

/*
 * The same, and what a closed loop left out while it waited for that value: where
 * one sample every `interval` was meant, also value - interval, value - 2 interval
 * and so on down to interval, `count` times each. This is HdrHistogram's
 * correction for coordinated omission, for samples that were taken by a closed
 * loop; an open loop (arrival fixed or poisson) measures what it guesses at.
 * interval 0: no correction. Costs no more time where a million samples are
 * missing. 0, or with nothing changed -EOVERFLOW, -ENOMEM as above.
 */
IOB_API int iob_hist_record_corrected(struct iob_hist *h, uint64_t value, uint64_t count,
				      uint64_t interval);

/* Adds every sample of `from`, exactly: into a coarser histogram as if each had
 * been recorded there. -EINVAL where `from` is the coarser of the two;
 * -EOVERFLOW, -ENOMEM as above. */
IOB_API int iob_hist_merge(struct iob_hist *into, const struct iob_hist *from);

/* The precision it was made with. */
IOB_API int iob_hist_precision(const struct iob_hist *h);

/* How many samples there are. */
IOB_API uint64_t iob_hist_count(const struct iob_hist *h);

/* The smallest sample, exact; 0 where there is none. */
IOB_API uint64_t iob_hist_min(const struct iob_hist *h);

/* The largest sample, exact; 0 where there is none. */
IOB_API uint64_t iob_hist_max(const struct iob_hist *h);

/* The mean, from the exact sum; NaN where there is no sample. */
IOB_API double iob_hist_mean(const struct iob_hist *h);

/* The standard deviation of the samples (of the population, n not n-1), from
 * exact sums; NaN where there is no sample. */
IOB_API double iob_hist_stddev(const struct iob_hist *h);

/*
 * The p-th percentile by nearest rank: the smallest value with at least
 * ceil(p/100 * n) samples at or below it, given as the highest value of its
 * bucket within [min, max]. p is rounded to 1e-6 % first. p = 0 is the minimum,
 * p = 100 the maximum. -EINVAL: p is not in [0, 100]; -ENODATA: no samples, or
 * a percentile that is not known: a result that was read from the report of
 * another program has those that were printed there.
 */
IOB_API int iob_hist_percentile(const struct iob_hist *h, double p, uint64_t *value);

/*
 * The interval that holds the p-th percentile of what the samples are drawn
 * from with at least that probability (0.95), by order statistics: no form of
 * distribution is assumed, but that the samples are independent. Latencies of
 * neighbouring I/Os are not quite, so that the interval of a run is wider in
 * truth. Bucket bounds within [min, max]. -EINVAL: p is not in [0, 100] or
 * confidence not in (0, 1); -ENODATA: too few samples for it, no buckets, or
 * p = 0 or 100, which have none.
 */
IOB_API int iob_hist_percentile_interval(const struct iob_hist *h, double p, double confidence,
					 uint64_t *low, uint64_t *high);

/* The non-empty buckets in ascending order: each holds `count` samples in
 * [low, high], both inclusive; none where only a summary was read from another
 * program's report. Fills up to n of them (a NULL array is skipped)
 * and returns how many; n = 0 asks how many there are. */
IOB_API size_t iob_hist_buckets(const struct iob_hist *h, uint64_t *low, uint64_t *high,
				uint64_t *count, size_t n);

#ifdef __cplusplus
}
#endif
#endif
