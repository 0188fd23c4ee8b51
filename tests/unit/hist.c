/* SPDX-License-Identifier: MIT */
/* One histogram: its rules, at the edges of the value and count ranges. What
 * several do together is in hist_merge.c. */
#include "measure/hist_priv.h"
#include "support/nomem.h"
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct iob_hist *new_hist(int bits)
{
	struct iob_error err;
	struct iob_hist *h = iob_hist_new(bits, &err);
	ck_assert_ptr_nonnull(h);
	return h;
}

static void record(struct iob_hist *h, uint64_t value, uint64_t count)
{
	ck_assert_int_eq(iob_hist_record(h, value, count), 0);
}

static uint64_t percentile(const struct iob_hist *h, double p)
{
	uint64_t value = 0;
	ck_assert_int_eq(iob_hist_percentile(h, p, &value), 0);
	return value;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

START_TEST(precision_is_1_to_14)
{
	struct iob_error err;
	static const int wrong[] = { -1, 0, 15, 64, INT32_MAX, INT32_MIN };
	for (size_t i = 0; i < IOBI_LEN(wrong); i++) {
		ck_assert_ptr_null(iob_hist_new(wrong[i], &err));
		ck_assert_int_eq(err.code, EINVAL);
		ck_assert_str_eq(err.where, "precision");
		ck_assert_ptr_null(iob_hist_new(wrong[i], NULL));
	}
	for (int bits = 1; bits <= 14; bits++) {
		struct iob_hist *h = new_hist(bits);
		ck_assert_int_eq(iob_hist_precision(h), bits);
		iob_hist_free(h);
	}
	iob_hist_free(NULL);
}
END_TEST

/* From 0 to UINT64_MAX without a gap, each bucket's ends in it. */
START_TEST(buckets_cover_every_value)
{
	uint64_t expected = 0;
	uint32_t total = iobi_hist_total(_i);
	for (uint32_t i = 0; i < total; i++) {
		uint64_t low = iobi_hist_low(_i, i), high = iobi_hist_high(_i, i);
		if (low != expected || high < low || iobi_hist_index(_i, low) != i ||
		    iobi_hist_index(_i, high) != i || (high - low) > (low >> _i))
			ck_abort_msg("bits %d, bucket %u: %lu to %lu", _i, i, low, high);
		expected = high + 1;
	}
	ck_assert_uint_eq(expected, 0); /* past 2^64 - 1 */
}
END_TEST

START_TEST(empty)
{
	struct iob_hist *h = new_hist(8);
	uint64_t value = 77;
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(iob_hist_count(h), 0);
		ck_assert_uint_eq(iob_hist_min(h), 0);
		ck_assert_uint_eq(iob_hist_max(h), 0);
		ck_assert(isnan(iob_hist_mean(h)));
		ck_assert(isnan(iob_hist_stddev(h)));
		ck_assert(isnan(iobi_hist_mean_between(h, 0, 100)));
		ck_assert_int_eq(iob_hist_percentile(h, 50, &value), -ENODATA);
		ck_assert_int_eq(iob_hist_percentile(h, 101, &value), -EINVAL);
		ck_assert_uint_eq(value, 77);
		ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, NULL, 0), 0);
		record(h, 5, 0); /* no sample: still empty */
	}
	iobi_hist_trim(h);
	iob_hist_free(h);
}
END_TEST

START_TEST(one_sample)
{
	static const uint64_t values[] = { 0, 1, 255, 256, 1234567, INT64_MAX, UINT64_MAX };
	static const double ps[] = { 0, 1e-6, 1, 50, 99.999999, 100 };
	uint64_t v = values[_i], low, high, count;
	struct iob_hist *h = new_hist(1 + _i % 14);
	record(h, v, 1);
	ck_assert_uint_eq(iob_hist_count(h), 1);
	ck_assert_uint_eq(iob_hist_min(h), v);
	ck_assert_uint_eq(iob_hist_max(h), v);
	ck_assert_double_eq(iob_hist_mean(h), (double)v);
	ck_assert_double_eq(iob_hist_stddev(h), 0);
	ck_assert_double_eq(iobi_hist_mean_between(h, 5, 95), (double)v);
	for (size_t i = 0; i < IOBI_LEN(ps); i++)
		ck_assert_uint_eq(percentile(h, ps[i]), v);
	ck_assert_uint_eq(iob_hist_buckets(h, &low, &high, &count, 1), 1);
	ck_assert(low <= v && v <= high && count == 1);
	iob_hist_free(h);
}
END_TEST

/* Worked out by hand: nearest rank has no interpolation. */
START_TEST(nearest_rank)
{
	static const struct {
		double p;
		uint64_t value;
	} vector[] = { { 0, 15 },     { 5, 15 },          { 20, 15 },        { 20.000001, 20 },
		       { 30, 20 },    { 40, 20 },         { 40.000001, 35 }, { 50, 35 },
		       { 60, 35 },    { 60.1, 40 },       { 80, 40 },        { 80.000001, 50 },
		       { 100, 50 },   { 80.0000004, 40 }, /* rounds to 80 */
		       { 1e-300, 15 } };
	struct iob_hist *h = new_hist(8);
	record(h, 15, 1);
	record(h, 50, 1);
	record(h, 20, 1);
	record(h, 40, 1);
	record(h, 35, 1);
	for (size_t i = 0; i < IOBI_LEN(vector); i++)
		ck_assert_msg(percentile(h, vector[i].p) == vector[i].value, "p %.9f: %lu",
			      vector[i].p, percentile(h, vector[i].p));
	iob_hist_free(h);
}
END_TEST

/* 44,000 x 99.95 % is 43,978 exactly; in floating point it comes to a bit more,
 * and the ceiling to 43,979. */
START_TEST(rank_has_no_rounding_error)
{
	struct iob_hist *h = new_hist(8);
	record(h, 1, 43978);
	record(h, 2, 22);
	ck_assert_uint_eq(percentile(h, 99.95), 1);
	ck_assert_uint_eq(percentile(h, 99.950001), 2);
	ck_assert_uint_eq(percentile(h, 99.95 + 4e-7), 1);
	iob_hist_free(h);
	h = new_hist(8);
	record(h, 1, 43977);
	record(h, 2, 23);
	ck_assert_uint_eq(percentile(h, 99.95), 2);
	iob_hist_free(h);
}
END_TEST

/* p k/1000 of 1000 n samples is rank k n, whatever k/10.0 is in binary. */
START_TEST(every_tenth_of_a_percent_is_exact)
{
	struct iob_hist *h = new_hist(14);
	for (uint64_t v = 1; v <= 1000; v++)
		record(h, v, 1000003);
	for (int k = 1; k <= 1000; k++) {
		ck_assert_uint_eq(percentile(h, k / 10.0), (uint64_t)k);
		if (k < 1000)
			ck_assert_uint_eq(percentile(h, k / 10.0 + 1e-6), (uint64_t)k + 1);
	}
	iob_hist_free(h);
}
END_TEST

START_TEST(percentile_refuses)
{
	static const double wrong[] = { NAN, -1, -1e-9, 100.1, 100.0000001, INFINITY, -INFINITY };
	struct iob_hist *h = new_hist(8);
	record(h, 3, 3);
	for (size_t i = 0; i < IOBI_LEN(wrong); i++) {
		uint64_t value = 77;
		ck_assert_int_eq(iob_hist_percentile(h, wrong[i], &value), -EINVAL);
		ck_assert_uint_eq(value, 77);
	}
	iob_hist_free(h);
}
END_TEST

/* A bucket's highest value, but never outside what was recorded. */
START_TEST(percentile_is_clamped)
{
	struct iob_hist *h = new_hist(1);
	record(h, 1025, 10); /* bucket 1024 to 1535 */
	record(h, 1030, 10);
	ck_assert_uint_eq(percentile(h, 0), 1025);
	ck_assert_uint_eq(percentile(h, 1), 1030);
	ck_assert_uint_eq(percentile(h, 100), 1030);
	record(h, 5000, 1);
	ck_assert_uint_eq(percentile(h, 50), 1535);
	ck_assert_uint_eq(percentile(h, 100), 5000);
	iob_hist_free(h);
}
END_TEST

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Twelve decades, against the sorted samples. */
START_TEST(percentiles_keep_their_precision)
{
	enum {
		N = 10000
	};
	static const uint64_t steps[] = { 1,        1000,     100000,   1000000,  5000000,
					  10000000, 25000000, 50000000, 75000000, 90000000,
					  95000000, 99000000, 99900000, 99990000, 99999999 };
	uint64_t *v = malloc(N * sizeof(*v)), state = (uint64_t)_i;
	struct iob_hist *h = new_hist(_i);
	for (int i = 0; i < N; i++) {
		v[i] = (uint64_t)pow(10, 12 * ((double)(draw(&state) >> 11) * 0x1p-53));
		record(h, v[i], 1);
	}
	qsort(v, N, sizeof(*v), by_value);
	for (size_t i = 0; i < IOBI_LEN(steps); i++) {
		uint64_t exact = v[(steps[i] * N + 99999999) / 100000000 - 1];
		uint64_t got = percentile(h, (double)steps[i] / 1e6);
		ck_assert_msg(got >= exact && (double)(got - exact) <= ldexp((double)exact, -_i),
			      "bits %d, p %lu: %lu for %lu", _i, steps[i], got, exact);
	}
	ck_assert_uint_eq(iob_hist_min(h), v[0]);
	ck_assert_uint_eq(iob_hist_max(h), v[N - 1]);
	free(v);
	iob_hist_free(h);
}
END_TEST

START_TEST(huge_counts)
{
	struct iob_hist *h = new_hist(8);
	const uint64_t n = UINT64_C(1) << 40;
	record(h, 1000, n);
	ck_assert_uint_eq(iob_hist_count(h), n);
	ck_assert_double_eq(iob_hist_mean(h), 1000);
	ck_assert_double_eq(iob_hist_stddev(h), 0);
	record(h, 1002, n);
	ck_assert_double_eq(iob_hist_mean(h), 1001);
	ck_assert_double_eq(iob_hist_stddev(h), 1);
	ck_assert_uint_eq(percentile(h, 50), iobi_hist_high(8, iobi_hist_index(8, 1000)));
	record(h, 2000, 1);
	ck_assert_uint_eq(percentile(h, 100), 2000);
	ck_assert_uint_eq(percentile(h, 99.999999), 1003);
	iob_hist_free(h);
}
END_TEST

START_TEST(count_does_not_overflow)
{
	struct iob_hist *h = new_hist(8);
	record(h, 7, UINT64_MAX - 5);
	record(h, 9, 5);
	struct iob_hist before = *h;
	ck_assert_int_eq(iob_hist_record(h, 1, 1), -EOVERFLOW);
	ck_assert_int_eq(iob_hist_record(h, 1, UINT64_MAX), -EOVERFLOW);
	ck_assert_mem_eq(h, &before, sizeof(before));
	ck_assert_uint_eq(iob_hist_min(h), 7);
	ck_assert_uint_eq(percentile(h, 99.999999), 7);
	ck_assert_uint_eq(percentile(h, 100), 9);
	iob_hist_free(h);
}
END_TEST

/* The largest sums there can be: 2^64 - 1 samples of 2^64 - 1. */
START_TEST(the_largest_sums_fit)
{
	struct iob_hist *h = new_hist(8);
	record(h, UINT64_MAX, UINT64_MAX);
	ck_assert_double_eq(iob_hist_mean(h), 0x1p64);
	ck_assert_double_eq(iob_hist_stddev(h), 0);
	iob_hist_free(h);
	h = new_hist(8);
	record(h, UINT64_MAX, UINT64_C(1) << 63);
	record(h, 0, (UINT64_C(1) << 63) - 1);
	ck_assert_double_eq_tol(iob_hist_mean(h), 0x1p63, 4096);
	ck_assert_double_eq_tol(iob_hist_stddev(h), 0x1p63, 4096);
	iob_hist_free(h);
}
END_TEST

/* What squares in floating point get wrong: a small spread on a large value. */
START_TEST(stddev_is_exact)
{
	static const struct {
		uint64_t base;
		uint64_t count; /* of base - 1, and of base + 1 */
	} vector[] = {
		{ UINT64_C(1) << 62, 1 },
		{ UINT64_C(1) << 62, UINT64_C(1) << 40 },
		{ 1000000000, 1 },
		{ 1000000000, 500000000 },
		{ UINT64_MAX - 1, UINT64_C(1) << 62 },
		{ 1, 3 },
	};
	struct iob_hist *h = new_hist(8);
	record(h, vector[_i].base - 1, vector[_i].count);
	record(h, vector[_i].base + 1, vector[_i].count);
	ck_assert_double_eq(iob_hist_mean(h), (double)vector[_i].base);
	ck_assert_double_eq_tol(iob_hist_stddev(h), 1, 1e-15);
	/* n equal values beside one that differs by d: d sqrt(n) / (n + 1) */
	iob_hist_free(h);
	h = new_hist(8);
	record(h, vector[_i].base - 1, 1000000);
	record(h, vector[_i].base + 1, 1);
	ck_assert_double_eq_tol(iob_hist_stddev(h), 2 * 1000.0 / 1000001, 1e-15);
	iob_hist_free(h);
}
END_TEST

/* Sum of (n v - sum)^2 in integers: no long double, which valgrind makes short. */
START_TEST(moments_agree_with_two_passes)
{
	enum {
		N = 5000
	};
	static uint64_t v[N];
	uint64_t state = (uint64_t)_i, spread = UINT64_C(16) << 3 * _i, sum = 0;
	struct iob_hist *h = new_hist(5);
	iobi_u128 squares = 0;
	for (int i = 0; i < N; i++) {
		v[i] = 30000000000000 + draw(&state) % spread;
		record(h, v[i], 1);
		sum += v[i];
	}
	for (int i = 0; i < N; i++) {
		uint64_t a = N * v[i], distance = a > sum ? a - sum : sum - a;
		squares += (iobi_u128)distance * distance;
	}
	double mean = (double)sum / N, stddev = sqrt((double)squares / N) / N;
	ck_assert_double_eq_tol(iob_hist_mean(h), mean, mean * 1e-15);
	ck_assert_double_eq_tol(iob_hist_stddev(h), stddev, stddev * 1e-13);
	iob_hist_free(h);
}
END_TEST

START_TEST(buckets_are_listed)
{
	struct iob_hist *h = new_hist(2);
	uint64_t low[6] = { 0 }, high[6] = { 0 }, count[6] = { 0 };
	record(h, 40, 3); /* 40 to 47 */
	record(h, 0, 1);
	record(h, 3, 2);
	record(h, 47, 4);
	record(h, UINT64_MAX, 5);
	ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, NULL, 0), 4);
	ck_assert_uint_eq(iob_hist_buckets(h, low, high, count, 0), 4);
	ck_assert_uint_eq(count[0], 0); /* n = 0 only asks */
	ck_assert_uint_eq(iob_hist_buckets(h, low, high, count, 6), 4);
	static const uint64_t lows[] = { 0, 3, 40, UINT64_C(7) << 61 };
	static const uint64_t highs[] = { 0, 3, 47, UINT64_MAX }, counts[] = { 1, 2, 7, 5 };
	ck_assert_mem_eq(low, lows, sizeof(lows));
	ck_assert_mem_eq(high, highs, sizeof(highs));
	ck_assert_mem_eq(count, counts, sizeof(counts));
	memset(count, 0, sizeof(count));
	ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, count, 2), 2);
	ck_assert(count[1] == 2 && count[2] == 0);
	iob_hist_free(h);
}
END_TEST

/* Ascending, descending, jumping: the storage follows. */
START_TEST(storage_grows_both_ways)
{
	uint64_t state = 3, total = 0;
	struct iob_hist *h = new_hist(4);
	for (uint32_t i = 0; i < iobi_hist_total(4); i++) {
		uint32_t index = _i == 0   ? i
				 : _i == 1 ? iobi_hist_total(4) - 1 - i
					   : (uint32_t)(draw(&state) % iobi_hist_total(4));
		record(h, iobi_hist_low(4, index), 1);
		total++;
	}
	ck_assert_uint_le(h->first + h->span, iobi_hist_total(4));
	ck_assert_uint_eq(iob_hist_count(h), total);
	if (_i < 2)
		ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, NULL, 0), total);
	uint64_t seen = 0;
	for (uint32_t i = 0; i < h->span; i++)
		seen += h->counts[i];
	ck_assert_uint_eq(seen, total);
	iob_hist_free(h);
}
END_TEST

START_TEST(fresh_is_cheap)
{
	struct iob_hist *h = new_hist(14);
	ck_assert_ptr_null(h->counts);
	record(h, UINT64_C(1) << 50, 1);
	ck_assert_uint_le(h->span, 64);
	iob_hist_free(h);
}
END_TEST

START_TEST(middle_of_the_samples)
{
	struct iob_hist *h = new_hist(14);
	for (uint64_t v = 1; v <= 100; v++)
		record(h, v * 100, 1);
	ck_assert_double_eq_tol(iobi_hist_mean_between(h, 0, 100), 5050, 1e-9);
	ck_assert_double_eq_tol(iobi_hist_mean_between(h, 5, 95), 5050, 1e-9);
	/* the 11th to the 20th */
	ck_assert_double_eq_tol(iobi_hist_mean_between(h, 10, 20), 1550, 1e-9);
	/* half of the 11th and the 12th */
	ck_assert_double_eq_tol(iobi_hist_mean_between(h, 10.5, 12), (550 + 1200) / 1.5, 1e-9);
	/* outliers that the middle leaves out */
	record(h, UINT64_C(1) << 40, 1);
	ck_assert_double_lt(iobi_hist_mean_between(h, 5, 95), 5200);
	ck_assert(isnan(iobi_hist_mean_between(h, 50, 50)));
	ck_assert(isnan(iobi_hist_mean_between(h, 60, 50)));
	iob_hist_free(h);
}
END_TEST

START_TEST(without_memory_nothing_changes)
{
	for (long n = 0; nomem_at(n); n++) {
		struct iob_error err;
		struct iob_hist *h = iob_hist_new(14, &err);
		if (!nomem_hit()) {
			iob_hist_free(h);
			break;
		}
		ck_assert_ptr_null(h);
		ck_assert_int_eq(err.code, ENOMEM);
	}
	struct iob_hist *h = new_hist(14);
	record(h, 5, 2);
	struct iob_hist before = *h;
	for (long n = 0; nomem_at(n); n++) {
		int rc = iob_hist_record(h, UINT64_MAX, 1);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
		ck_assert_mem_eq(h, &before, sizeof(before));
		ck_assert_uint_eq(percentile(h, 100), 5);
	}
	iob_hist_free(h);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("hist");
	TCase *values = tcase_create("values"), *percentiles = tcase_create("percentiles"),
	      *moments = tcase_create("moments");
	tcase_add_test(values, precision_is_1_to_14);
	tcase_add_loop_test(values, buckets_cover_every_value, 1, 15);
	tcase_add_test(values, empty);
	tcase_add_loop_test(values, one_sample, 0, 7);
	tcase_add_test(values, buckets_are_listed);
	tcase_add_loop_test(values, storage_grows_both_ways, 0, 3);
	tcase_add_test(values, fresh_is_cheap);
	tcase_add_test(values, count_does_not_overflow);
	tcase_add_test(values, without_memory_nothing_changes);
	tcase_add_test(percentiles, nearest_rank);
	tcase_add_test(percentiles, rank_has_no_rounding_error);
	tcase_add_test(percentiles, every_tenth_of_a_percent_is_exact);
	tcase_add_test(percentiles, percentile_refuses);
	tcase_add_test(percentiles, percentile_is_clamped);
	tcase_add_loop_test(percentiles, percentiles_keep_their_precision, 1, 15);
	tcase_add_test(percentiles, middle_of_the_samples);
	tcase_add_test(moments, huge_counts);
	tcase_add_test(moments, the_largest_sums_fit);
	tcase_add_loop_test(moments, stddev_is_exact, 0, 6);
	tcase_add_loop_test(moments, moments_agree_with_two_passes, 0, 13);
	suite_add_tcase(s, values);
	suite_add_tcase(s, percentiles);
	suite_add_tcase(s, moments);
	return s;
}

IOB_TEST_MAIN(suite)
