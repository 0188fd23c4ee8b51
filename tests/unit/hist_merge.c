/* SPDX-License-Identifier: MIT */
/* Histograms together: merge, add, copy, trim, difference. */
#include "measure/hist_priv.h"
#include "support/nomem.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum {
	SAMPLES = 5000
};

static struct iob_hist *new_hist(int bits)
{
	struct iob_hist *h = iob_hist_new(bits, NULL);
	ck_assert_ptr_nonnull(h);
	return h;
}

static void record(struct iob_hist *h, uint64_t value, uint64_t count)
{
	ck_assert_int_eq(iob_hist_record(h, value, count), 0);
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Any size of value, from 0 to 2^64 - 1. */
static uint64_t draw_value(uint64_t *state)
{
	return draw(state) >> draw(state) % 64;
}

/* Everything that can be seen, and the sums behind it. */
static void assert_same(const struct iob_hist *a, const struct iob_hist *b)
{
	ck_assert_int_eq(a->bits, b->bits);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->min, b->min);
	ck_assert_uint_eq(a->max, b->max);
	ck_assert(a->sum == b->sum);
	ck_assert_mem_eq(a->square, b->square, sizeof(a->square));
	size_t n = iob_hist_buckets(a, NULL, NULL, NULL, 0), size = n * sizeof(uint64_t);
	ck_assert_uint_eq(n, iob_hist_buckets(b, NULL, NULL, NULL, 0));
	uint64_t *v = calloc(6 * n + 1, sizeof(*v));
	iob_hist_buckets(a, v, v + n, v + 2 * n, n);
	iob_hist_buckets(b, v + 3 * n, v + 4 * n, v + 5 * n, n);
	ck_assert_int_eq(memcmp(v, v + 3 * n, 3 * size), 0);
	free(v);
}

/* Samples dealt out to any number of parts, merged in a row. */
START_TEST(merge_of_any_split_is_the_whole)
{
	struct iob_hist *whole = new_hist(_i), *sum = new_hist(_i), *part[9];
	uint64_t state = (uint64_t)_i, parts = 1 + draw(&state) % IOBI_LEN(part);
	for (uint64_t p = 0; p < parts; p++)
		part[p] = new_hist(_i);
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t value = draw_value(&state),
			 count = draw(&state) >> 20 >> draw(&state) % 44;
		record(whole, value, count);
		record(part[draw(&state) % parts], value, count);
	}
	for (uint64_t p = 0; p < parts; p++) {
		ck_assert_int_eq(iob_hist_merge(sum, part[p]), 0);
		iob_hist_free(part[p]);
	}
	assert_same(sum, whole);
	iob_hist_free(sum);
	iob_hist_free(whole);
}
END_TEST

/* As if every sample had been recorded coarsely at once. */
START_TEST(merge_into_coarser_is_exact)
{
	uint64_t state = 11;
	for (int coarse = 1; coarse <= _i; coarse += 1 + _i / 4) {
		struct iob_hist *fine = new_hist(_i), *into = new_hist(coarse),
				*direct = new_hist(coarse);
		record(into, 12345, 6);
		record(direct, 12345, 6);
		for (int i = 0; i < 500; i++) {
			uint64_t value = draw_value(&state);
			record(fine, value, 1);
			record(direct, value, 1);
		}
		ck_assert_int_eq(iob_hist_merge(into, fine), 0);
		assert_same(into, direct);
		iob_hist_free(fine);
		iob_hist_free(into);
		iob_hist_free(direct);
	}
}
END_TEST

START_TEST(merge_refuses)
{
	struct iob_hist *coarse = new_hist(7), *fine = new_hist(8), *full = new_hist(7);
	record(coarse, 100, 2);
	record(fine, 200, 3);
	struct iob_hist before = *fine;
	ck_assert_int_eq(iob_hist_merge(fine, coarse), -EINVAL);
	ck_assert_mem_eq(fine, &before, sizeof(before));
	record(full, 1, UINT64_MAX - 1);
	before = *full;
	ck_assert_int_eq(iob_hist_merge(full, coarse), -EOVERFLOW);
	ck_assert_int_eq(iob_hist_merge(full, fine), -EOVERFLOW);
	ck_assert_mem_eq(full, &before, sizeof(before));
	iob_hist_free(coarse);
	iob_hist_free(fine);
	iob_hist_free(full);
}
END_TEST

START_TEST(merge_with_nothing_and_with_itself)
{
	struct iob_hist *h = new_hist(8), *none = new_hist(8), *twice = new_hist(8);
	record(h, 3, 1);
	record(h, 1 << 20, 2);
	record(twice, 3, 2);
	record(twice, 1 << 20, 4);
	ck_assert_int_eq(iob_hist_merge(h, none), 0);
	ck_assert_int_eq(iob_hist_merge(none, h), 0);
	assert_same(none, h);
	ck_assert_int_eq(iob_hist_merge(h, h), 0);
	assert_same(h, twice);
	iob_hist_free(h);
	iob_hist_free(none);
	iob_hist_free(twice);
}
END_TEST

START_TEST(add_takes_counts_from_elsewhere)
{
	static uint64_t counts[1000];
	struct iob_hist *h = new_hist(8), *direct = new_hist(8);
	struct iobi_hist_part part = { .first = 90, .span = 1000, .counts = counts };
	ck_assert_int_eq(iobi_hist_add(h, &part), 0);
	ck_assert_uint_eq(h->count, 0);
	record(direct, 100, 5);
	record(direct, 1000, 6);
	record(h, 7, 1);
	counts[iobi_hist_index(8, 100) - 90] = 5;
	counts[iobi_hist_index(8, 1000) - 90] = 6;
	part.min = 100;
	part.max = 1000;
	part.sum = direct->sum;
	memcpy(part.square, direct->square, sizeof(part.square));
	ck_assert_int_eq(iobi_hist_add(h, &part), 0);
	record(direct, 7, 1);
	assert_same(h, direct);
	counts[0] = UINT64_MAX;
	ck_assert_int_eq(iobi_hist_add(h, &part), -EOVERFLOW);
	counts[0] = UINT64_MAX - 20;
	ck_assert_int_eq(iobi_hist_add(h, &part), -EOVERFLOW);
	assert_same(h, direct);
	iob_hist_free(h);
	iob_hist_free(direct);
}
END_TEST

START_TEST(copy_and_trim)
{
	struct iob_hist *h = new_hist(6);
	for (uint64_t v = 1; v < 100000; v += 3)
		record(h, v, v);
	struct iob_hist *copy = iobi_hist_copy(h);
	assert_same(copy, h);
	record(copy, 1, 1); /* its own */
	ck_assert_uint_eq(copy->count, h->count + 1);
	iob_hist_free(copy);
	copy = iobi_hist_copy(h);
	iobi_hist_trim(h);
	assert_same(copy, h);
	ck_assert_uint_eq(h->first, iobi_hist_index(6, 1));
	ck_assert_uint_eq(h->first + h->span, iobi_hist_index(6, 99999) + 1);
	record(h, UINT64_MAX, 1);
	record(copy, UINT64_MAX, 1);
	assert_same(copy, h);
	iob_hist_free(h);
	iob_hist_free(copy);
	h = new_hist(6);
	copy = iobi_hist_copy(h);
	assert_same(copy, h);
	iob_hist_free(h);
	iob_hist_free(copy);
}
END_TEST

/* 0..255 are buckets of their own, above a middle is true to half a bucket. */
START_TEST(sums_from_buckets)
{
	struct iob_hist *h = new_hist(7), *low = new_hist(8);
	for (uint64_t v = 1; v < 300000; v += 7)
		record(h, v, 1 + v % 3);
	double mean = iob_hist_mean(h), stddev = iob_hist_stddev(h);
	uint64_t count = h->count;
	h->sum /= 3;
	h->square[0] /= 5;
	iobi_hist_sums_from_buckets(h);
	ck_assert_uint_eq(h->count, count);
	ck_assert_double_eq_tol(iob_hist_mean(h) / mean, 1, 1.0 / 256);
	ck_assert_double_eq_tol(iob_hist_stddev(h) / stddev, 1, 1.0 / 128);

	record(low, 100, 3);
	record(low, 200, 1);
	low->sum = 0;
	low->square[0] = 1;
	iobi_hist_sums_from_buckets(low);
	ck_assert_uint_eq((uint64_t)low->sum, 500);
	ck_assert_uint_eq(low->square[0], 70000);
	iob_hist_free(h);
	iob_hist_free(low);
}
END_TEST

START_TEST(since_is_what_came_between)
{
	struct iob_hist *all = new_hist(_i), *later = new_hist(_i);
	uint64_t state = (uint64_t)_i;
	for (int i = 0; i < SAMPLES; i++)
		record(all, draw_value(&state), 1);
	struct iob_hist *earlier = iobi_hist_copy(all);
	for (int i = 0; i < 100; i++) {
		uint64_t v = (UINT64_C(1) << 59) + draw(&state) % (UINT64_C(1) << 58);
		record(all, v, 2);
		record(later, v, 2);
	}
	struct iob_hist *d = iobi_hist_since(all, earlier);
	ck_assert_uint_eq(d->min, iobi_hist_low(_i, iobi_hist_index(_i, later->min)));
	ck_assert_uint_eq(d->max, iobi_hist_high(_i, iobi_hist_index(_i, later->max)));
	ck_assert_uint_le(d->span, iobi_hist_index(_i, later->max) - d->first + 1);
	ck_assert_double_eq(iob_hist_mean(d), iob_hist_mean(later));
	ck_assert_double_eq(iob_hist_stddev(d), iob_hist_stddev(later));
	d->min = later->min;
	d->max = later->max;
	assert_same(d, later);
	iob_hist_free(d);
	d = iobi_hist_since(all, all);
	iob_hist_free(later);
	later = new_hist(_i);
	assert_same(d, later); /* nothing came between */
	iob_hist_free(d);
	iob_hist_free(later);
	iob_hist_free(earlier);
	iob_hist_free(all);
}
END_TEST

/* A new maximum is exact, and so is everything since the start. */
START_TEST(since_knows_new_extremes)
{
	struct iob_hist *none = new_hist(2), *h = new_hist(2);
	record(h, 1001, 3);
	record(h, 1003, 3);
	struct iob_hist *d = iobi_hist_since(h, none), *before = iobi_hist_copy(h);
	assert_same(d, h);
	iob_hist_free(d);
	record(h, 99999, 1);
	d = iobi_hist_since(h, before);
	ck_assert_uint_eq(iob_hist_max(d), 99999);
	ck_assert_uint_eq(iob_hist_count(d), 1);
	iob_hist_free(d);
	iob_hist_free(before);
	iob_hist_free(h);
	iob_hist_free(none);
}
END_TEST

START_TEST(without_memory_nothing_changes)
{
	struct iob_hist *h = new_hist(8), *other = new_hist(8), *made = NULL;
	record(h, 100, 1);
	record(other, 1 << 20, 1);
	struct iob_hist before = *h;
	for (long n = 0; nomem_at(n); n++) {
		int rc = iob_hist_merge(h, other);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
		ck_assert_mem_eq(h, &before, sizeof(before));
	}
	for (long n = 0; nomem_at(n); n++) {
		made = iobi_hist_copy(h);
		if (!nomem_hit())
			break;
		ck_assert_ptr_null(made);
	}
	iob_hist_free(made);
	iob_hist_free(h);
	iob_hist_free(other);
}
END_TEST

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A snapshot merges a histogram a worker and op. About 1 us; much more is
 * left for sanitizers and busy machines. */
START_TEST(merge_takes_microseconds)
{
	struct iob_hist *from = new_hist(8), *into = new_hist(8);
	double best = 1;
	for (uint32_t i = 0; i < 2000; i++)
		record(from, iobi_hist_low(8, 2000 + i), 1);
	for (int run = 0; run < 200; run++) {
		double start = seconds();
		for (int i = 0; i < 10; i++)
			iob_hist_merge(into, from);
		double took = (seconds() - start) / 10;
		best = took < best ? took : best;
	}
	printf("merge of 2000 buckets: %.2f us\n", best * 1e6);
	ck_assert_double_lt(best, 200e-6);
	iob_hist_free(from);
	iob_hist_free(into);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("hist_merge");
	TCase *merge = tcase_create("merge"), *parts = tcase_create("parts");
	tcase_add_loop_test(merge, merge_of_any_split_is_the_whole, 1, 15);
	tcase_add_loop_test(merge, merge_into_coarser_is_exact, 1, 15);
	tcase_add_test(merge, merge_refuses);
	tcase_add_test(merge, merge_with_nothing_and_with_itself);
	tcase_add_test(merge, without_memory_nothing_changes);
	tcase_add_test(merge, merge_takes_microseconds);
	tcase_add_test(parts, add_takes_counts_from_elsewhere);
	tcase_add_test(parts, copy_and_trim);
	tcase_add_test(parts, sums_from_buckets);
	tcase_add_loop_test(parts, since_is_what_came_between, 4, 12);
	tcase_add_test(parts, since_knows_new_extremes);
	suite_add_tcase(s, merge);
	suite_add_tcase(s, parts);
	return s;
}

IOB_TEST_MAIN(suite)
