/* SPDX-License-Identifier: MIT */
/* Intervals of percentiles, and histograms of which only the outlines are known. */
#include "measure/hist_priv.h"
#include "support/test.h"
#include <errno.h>
#include <math.h>

/* 1, 2, .. n: a sample's value is its rank. */
static struct iob_hist *ranks(uint64_t n)
{
	struct iob_hist *h = iob_hist_new(14, NULL);
	ck_assert_ptr_nonnull(h);
	for (uint64_t i = 1; i <= n; i++)
		ck_assert_int_eq(iob_hist_record(h, i, 1), 0);
	return h;
}

/* By exact arithmetic on the binomial distribution, at 95 %. */
static const struct {
	uint64_t n;
	double p;
	uint64_t low, high;
} table[] = {
	{ 10, 50, 2, 9 },    { 20, 50, 6, 15 },      { 100, 50, 40, 61 },
	{ 100, 90, 84, 96 }, { 1000, 99, 983, 997 }, { 1000, 50, 469, 532 },
};

START_TEST(ranks_of_the_table)
{
	struct iob_hist *h = ranks(table[_i].n);
	uint64_t low = 0, high = 0;
	ck_assert_int_eq(iob_hist_percentile_interval(h, table[_i].p, 0.95, &low, &high), 0);
	ck_assert_uint_eq(low, table[_i].low);
	ck_assert_uint_eq(high, table[_i].high);
	iob_hist_free(h);
}
END_TEST

START_TEST(too_few_and_wrong)
{
	struct iob_hist *h = ranks(100);
	uint64_t low = 7, high = 7;
	ck_assert_int_eq(iob_hist_percentile_interval(h, 99, 0.95, &low, &high), -ENODATA);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 0, 0.95, &low, &high), -ENODATA);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 100, 0.95, &low, &high), -ENODATA);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 101, 0.95, &low, &high), -EINVAL);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 50, 1, &low, &high), -EINVAL);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 50, NAN, &low, &high), -EINVAL);
	ck_assert_uint_eq(low, 7);
	iob_hist_free(h);
	h = iob_hist_new(8, NULL);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 50, 0.95, &low, &high), -ENODATA);
	iob_hist_free(h);
}
END_TEST

/* Draws of a known distribution: at least 95 % of the intervals hold its percentile. */
START_TEST(it_covers_what_it_says)
{
	static const double percents[] = { 50, 90, 99 };
	uint64_t x = 88172645463325252;
	int held = 0;
	for (int round = 0; round < 1000; round++) {
		struct iob_hist *h = iob_hist_new(14, NULL);
		uint64_t low, high;
		for (int i = 0; i < 1000; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			iob_hist_record(h, x % 10000 + 1, 1);
		}
		ck_assert_int_eq(iob_hist_percentile_interval(h, percents[_i], 0.95, &low, &high),
				 0);
		double truth = percents[_i] * 100;
		held += (double)low <= truth && truth <= (double)high;
		iob_hist_free(h);
	}
	ck_assert_int_ge(held, 930);
}
END_TEST

/* Where the binomial becomes normal the two agree. */
START_TEST(large_counts)
{
	struct iob_hist *h = iob_hist_new(14, NULL);
	uint64_t low = 0, high = 0;
	for (uint64_t i = 1; i <= 10000; i++)
		iob_hist_record(h, i, UINT64_C(1) << 30);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 50, 0.95, &low, &high), 0);
	ck_assert_uint_ge(low, 4999);
	ck_assert_uint_le(high, 5001);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 99.999999, 0.95, &low, &high), 0);
	ck_assert_uint_eq(high, 10000);
	iob_hist_free(h);
}
END_TEST

/* ---- outlines ---- */

static struct iob_hist *outline(uint64_t n, double mean)
{
	static const double p[] = { 50, 99.9 };
	static const uint64_t v[] = { 90, 400 };
	struct iob_outline;
	struct iobi_outline o = { n, 10, 500, mean, 20, p, v, 2 };
	struct iob_hist *h = iob_hist_new(8, NULL);
	ck_assert_int_eq(iobi_hist_outline(h, &o), 0);
	return h;
}

START_TEST(an_outline_makes_nothing_up)
{
	struct iob_hist *h = outline(1000, 100);
	uint64_t v = 0, low, high;
	ck_assert_uint_eq(iob_hist_count(h), 1000);
	ck_assert_double_eq(iob_hist_mean(h), 100);
	ck_assert_double_eq_tol(iob_hist_stddev(h), 20, 1e-9);
	ck_assert_uint_eq(iob_hist_min(h), 10);
	ck_assert_uint_eq(iob_hist_max(h), 500);
	ck_assert_int_eq(iob_hist_percentile(h, 99.9, &v), 0);
	ck_assert_uint_eq(v, 400);
	ck_assert_int_eq(iob_hist_percentile(h, 99, &v), -ENODATA);
	ck_assert_int_eq(iob_hist_percentile(h, 0, &v), 0);
	ck_assert_uint_eq(v, 10);
	ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, NULL, 0), 0);
	ck_assert_int_eq(iob_hist_percentile_interval(h, 50, 0.95, &low, &high), -ENODATA);
	iob_hist_free(h);
}
END_TEST

START_TEST(outlines_merge)
{
	struct iob_hist *a = outline(1000, 100), *b = outline(3000, 200),
			*c = iob_hist_new(8, NULL);
	uint64_t v;
	ck_assert_int_eq(iob_hist_merge(c, a), 0); /* into nothing: a copy */
	ck_assert_int_eq(iob_hist_percentile(c, 50, &v), 0);
	ck_assert_int_eq(iob_hist_merge(c, b), 0);
	ck_assert_uint_eq(iob_hist_count(c), 4000);
	ck_assert_double_eq(iob_hist_mean(c), 175);
	ck_assert_int_eq(iob_hist_percentile(c, 50, &v), -ENODATA);
	/* a whole histogram loses its buckets: half of them would be a lie */
	struct iob_hist *whole = ranks(100);
	ck_assert_int_eq(iob_hist_merge(a, whole), 0);
	ck_assert_uint_eq(iob_hist_count(a), 1100);
	ck_assert_uint_eq(iob_hist_min(a), 1);
	ck_assert_int_eq(iob_hist_record(a, 7, 2), 0);
	ck_assert_uint_eq(iob_hist_count(a), 1102);
	ck_assert_int_eq(iob_hist_percentile(a, 50, &v), -ENODATA);
	iob_hist_free(whole);
	iob_hist_free(a);
	iob_hist_free(b);
	iob_hist_free(c);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("hist_interval");
	TCase *t = tcase_create("interval");
	tcase_add_loop_test(t, ranks_of_the_table, 0, sizeof(table) / sizeof(table[0]));
	tcase_add_test(t, too_few_and_wrong);
	tcase_add_loop_test(t, it_covers_what_it_says, 0, 3);
	tcase_add_test(t, large_counts);
	tcase_add_test(t, an_outline_makes_nothing_up);
	tcase_add_test(t, outlines_merge);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
