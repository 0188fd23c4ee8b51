/* SPDX-License-Identifier: MIT */
/* Samples with what a closed loop left out before them: the same as HdrHistogram's
 * loop over the missing ones, and no slower where there are 10^19 of them. */
#include "measure/hist_priv.h"
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <time.h>

static struct iob_hist *new_hist(int bits)
{
	struct iob_hist *h = iob_hist_new(bits, NULL);
	ck_assert_ptr_nonnull(h);
	return h;
}

static uint64_t percentile(const struct iob_hist *h, double p)
{
	uint64_t value = 0;
	ck_assert_int_eq(iob_hist_percentile(h, p, &value), 0);
	return value;
}

static void near(uint64_t value, double expected)
{
	ck_assert_double_eq_tol((double)value, expected, expected * 0x1p-8);
}

/* 100 s at 1 ms, then a stall of 100 s, one sample due each 10 ms: the example of
 * HdrHistogram's own tests, in us. */
START_TEST(the_vector_of_hdrhistogram)
{
	const uint64_t second = 1000000;
	struct iob_hist *raw = new_hist(8), *corrected = new_hist(8);
	ck_assert_int_eq(iob_hist_record(raw, 1000, 10000), 0);
	ck_assert_int_eq(iob_hist_record(raw, 100 * second, 1), 0);
	for (int i = 0; i < 10000; i++)
		ck_assert_int_eq(iob_hist_record_corrected(corrected, 1000, 1, 10000), 0);
	ck_assert_int_eq(iob_hist_record_corrected(corrected, 100 * second, 1, 10000), 0);

	ck_assert_uint_eq(iob_hist_count(raw), 10001);
	near(percentile(raw, 99.99), 1000);
	ck_assert_uint_eq(iob_hist_count(corrected), 20000);
	near(percentile(corrected, 50), 1000);
	near(percentile(corrected, 75), 50e6);
	near(percentile(corrected, 90), 80e6);
	near(percentile(corrected, 99), 98e6);
	ck_assert_uint_eq(iob_hist_max(corrected), 100 * second);
	ck_assert_double_eq_tol(iob_hist_mean(corrected), 25003000, 1e-6);
	iob_hist_free(raw);
	iob_hist_free(corrected);
}
END_TEST

/* AbstractHistogram.recordSingleValueWithExpectedInterval */
static void as_hdrhistogram(struct iob_hist *h, uint64_t value, uint64_t count, uint64_t interval)
{
	ck_assert_int_eq(iob_hist_record(h, value, count), 0);
	if (!interval || value < interval)
		return;
	for (uint64_t missing = value - interval; missing >= interval; missing -= interval)
		ck_assert_int_eq(iob_hist_record(h, missing, count), 0);
}

static void same(const struct iob_hist *a, const struct iob_hist *b)
{
	enum {
		MOST = 1 << 16
	};
	static uint64_t low[2][MOST], high[2][MOST], count[2][MOST];
	size_t n = iob_hist_buckets(a, low[0], high[0], count[0], MOST);
	ck_assert_uint_eq(n, iob_hist_buckets(b, low[1], high[1], count[1], MOST));
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(low[0][i], low[1][i]);
		ck_assert_uint_eq(high[0][i], high[1][i]);
		ck_assert_uint_eq(count[0][i], count[1][i]);
	}
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(iob_hist_min(a), iob_hist_min(b));
	ck_assert_uint_eq(iob_hist_max(a), iob_hist_max(b));
	ck_assert(a->sum == b->sum);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(a->square[i], b->square[i]);
}

START_TEST(the_loop_of_hdrhistogram)
{
	static const uint64_t vector[][3] = {
		{ 0, 1, 0 },
		{ 0, 3, 7 },
		{ 1, 1, 1 },
		{ 5, 2, 5 },
		{ 9, 2, 5 },
		{ 10, 2, 5 },
		{ 11, 3, 5 },
		{ 1000, 1, 7 },
		{ 999999, 4, 10 },
		{ 123456789, 1, 10000 },
		{ 123456789, 5, 123456788 },
		{ 77, 1, 78 },
		{ UINT64_MAX, 1, UINT64_MAX / 1000 },
		{ UINT64_MAX, 1, UINT64_MAX },
		{ UINT64_MAX - 5, 3, UINT64_C(1) << 50 },
	};
	for (int bits = 1; bits <= 14; bits += 13) {
		struct iob_hist *h = new_hist(bits), *hdr = new_hist(bits);
		for (size_t i = 0; i < IOBI_LEN(vector); i++) {
			const uint64_t *v = vector[i];
			ck_assert_int_eq(iob_hist_record_corrected(h, v[0], v[1], v[2]), 0);
			as_hdrhistogram(hdr, v[0], v[1], v[2]);
			same(h, hdr);
		}
		iob_hist_free(h);
		iob_hist_free(hdr);
	}
}
END_TEST

/* 2^64 - 1 samples: one of each value. Half of them sorts below the middle, and
 * their squares are n (n + 1) (2n + 1) / 6. */
START_TEST(a_ratio_past_counting)
{
	const uint64_t most = UINT64_MAX;
	struct timespec from, to;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	struct iob_hist *h = new_hist(14);
	ck_assert_int_eq(iob_hist_record_corrected(h, most, 1, 1), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	ck_assert_int_lt(to.tv_sec - from.tv_sec, 5);
	ck_assert_uint_eq(iob_hist_count(h), most);
	ck_assert_uint_eq(iob_hist_min(h), 1);
	ck_assert_uint_eq(iob_hist_max(h), most);
	ck_assert_double_eq(iob_hist_mean(h), 0x1p63);
	ck_assert_double_eq_tol(iob_hist_stddev(h) / 0x1p64, 1 / sqrt(12), 1e-9);
	ck_assert_double_eq_tol((double)percentile(h, 50) / 0x1p63, 1, 0x1p-13);
	iob_hist_free(h);

	h = new_hist(8);
	ck_assert_int_eq(iob_hist_record_corrected(h, UINT64_C(1000000000000), 1, 1), 0);
	ck_assert_uint_eq(iob_hist_count(h), UINT64_C(1000000000000));
	near(percentile(h, 25), 250e9);
	iob_hist_free(h);
}
END_TEST

START_TEST(too_many_change_nothing)
{
	struct iob_hist *h = new_hist(8);
	ck_assert_int_eq(iob_hist_record_corrected(h, UINT64_MAX, 2, 1), -EOVERFLOW);
	ck_assert_int_eq(iob_hist_record_corrected(h, 10, UINT64_MAX / 4, 2), -EOVERFLOW);
	ck_assert_uint_eq(iob_hist_count(h), 0);
	ck_assert_int_eq(iob_hist_record(h, 7, UINT64_MAX - 4), 0);
	ck_assert_int_eq(iob_hist_record_corrected(h, 10, 1, 2), -EOVERFLOW);
	ck_assert_uint_eq(iob_hist_count(h), UINT64_MAX - 4);
	ck_assert_uint_eq(iob_hist_max(h), 7);
	ck_assert_int_eq(iob_hist_record_corrected(h, 8, 1, 2), 0);
	ck_assert_uint_eq(iob_hist_count(h), UINT64_MAX);
	ck_assert_uint_eq(iob_hist_min(h), 2);
	iob_hist_free(h);
}
END_TEST

START_TEST(nothing_is_nothing)
{
	struct iob_hist *h = new_hist(8);
	ck_assert_int_eq(iob_hist_record_corrected(h, 1000, 0, 10), 0);
	ck_assert_int_eq(iob_hist_record_corrected(h, UINT64_MAX, 0, 1), 0);
	ck_assert_uint_eq(iob_hist_count(h), 0);
	ck_assert_uint_eq(iob_hist_max(h), 0);
	iob_hist_free(h);
}
END_TEST

/* Into one that was read from another program's report: its shape is lost, as
 * with any sample, its sums are exact. */
START_TEST(into_a_summary)
{
	const double p[] = { 50 };
	const uint64_t value[] = { 100 };
	struct iobi_outline o = { 10, 50, 200, 100, 10, p, value, 1 };
	struct iob_hist *h = new_hist(8);
	ck_assert_int_eq(iobi_hist_outline(h, &o), 0);
	ck_assert_int_eq(iob_hist_record_corrected(h, 400, 1, 100), 0);
	ck_assert_uint_eq(iob_hist_count(h), 14);
	ck_assert_uint_eq(iob_hist_max(h), 400);
	ck_assert_double_eq_tol(iob_hist_mean(h), 2000.0 / 14, 1e-9);
	iob_hist_free(h);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		the_vector_of_hdrhistogram, the_loop_of_hdrhistogram, a_ratio_past_counting,
		too_many_change_nothing,    nothing_is_nothing,       into_a_summary,
	};
	Suite *s = suite_create("hist_corrected");
	TCase *t = tcase_create("hist_corrected");
	for (size_t i = 0; i < IOBI_LEN(tests); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
