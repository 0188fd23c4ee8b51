/* SPDX-License-Identifier: MIT */
/* The interval series, held against every sample that went into it. */
#include "measure/series.h"
#include "support/nomem.h"
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
	MAX = 8,
	PER_INTERVAL = 60, /* samples, at most */
	ADDED = 100
};

static const uint64_t BASE = IOBI_SERIES_BASE_NS;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static struct iob_hist *new_hist(int bits)
{
	struct iob_hist *h = iob_hist_new(bits, NULL);
	ck_assert_ptr_nonnull(h);
	return h;
}

static struct iobi_series *new_series(size_t max)
{
	struct iobi_series *s = iobi_series_new(max);
	ck_assert_ptr_nonnull(s);
	return s;
}

/* One interval with n samples of `value`, 4 KiB each, for one op. */
static int add_one(struct iobi_series *s, uint64_t start, uint64_t length, enum iob_op op, int bits,
		   uint64_t value, uint64_t n)
{
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iob_hist *h = new_hist(bits);
	iob_hist_record(h, value, n);
	part[op] = (struct iobi_interval_part){ .service = h, .bytes = n * 4096 };
	int rc = iobi_series_add(s, start, length, part);
	iob_hist_free(h);
	return rc;
}

static void assert_idle(const struct iob_interval *v)
{
	ck_assert_uint_eq(v->size, sizeof(*v));
	ck_assert_uint_eq(v->ios, 0);
	ck_assert_uint_eq(v->bytes, 0);
	ck_assert(isnan(v->mean_ns));
	ck_assert(v->p50_ns == 0 && v->p99_ns == 0 && v->max_ns == 0);
}

START_TEST(empty)
{
	struct iobi_series *s = new_series(IOBI_SERIES_MAX);
	ck_assert_uint_eq(iobi_series_count(s), 0);
	ck_assert_uint_eq(iobi_series_interval_ns(s), 100000000);
	for (int op = 0; op < IOBI_OPS; op++)
		ck_assert_ptr_null(iobi_series_export(s, (enum iob_op)op));
	iobi_series_free(s);
	iobi_series_free(NULL);
}
END_TEST

START_TEST(one_interval)
{
	struct iobi_series *s = new_series(MAX);
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iob_hist *h[IOBI_OPS];
	for (int op = 0; op < IOBI_OPS; op++) {
		h[op] = new_hist(8);
		iob_hist_record(h[op], 100 + (uint64_t)op, op == IOB_OP_TRIM ? 0 : 10);
		part[op].service = h[op];
		part[op].bytes = op == IOB_OP_TRIM ? 0 : 1000 * (uint64_t)op;
	}
	part[IOB_OP_ALL].bytes = 77; /* ignored */
	ck_assert_int_eq(iobi_series_add(s, 5, 123, part), 0);
	ck_assert_uint_eq(iobi_series_count(s), 1);

	struct iob_interval *all = iobi_series_export(s, IOB_OP_ALL);
	ck_assert_uint_eq(all->size, sizeof(*all));
	ck_assert(all->start_ns == 5 && all->length_ns == 123);
	ck_assert(all->ios == 20 && all->bytes == 3000); /* read and write, not sync */
	ck_assert_double_eq(all->mean_ns, 101.5);
	ck_assert(all->p50_ns == 101 && all->p99_ns == 102 && all->max_ns == 102);
	free(all);

	struct iob_interval *sync = iobi_series_export(s, IOB_OP_SYNC);
	ck_assert(sync->ios == 10 && sync->bytes == 4000 && sync->max_ns == 104);
	free(sync);

	struct iob_interval *trim = iobi_series_export(s, IOB_OP_TRIM);
	assert_idle(trim);
	ck_assert(trim->start_ns == 5 && trim->length_ns == 123);
	free(trim);
	for (int op = 0; op < IOBI_OPS; op++)
		iob_hist_free(h[op]);
	iobi_series_free(s);
}
END_TEST

/* An idle stretch is an interval too. */
START_TEST(idle_interval)
{
	struct iobi_series *s = new_series(MAX);
	struct iobi_interval_part none[IOBI_OPS] = { 0 };
	ck_assert_int_eq(iobi_series_add(s, 0, BASE, none), 0);
	ck_assert_int_eq(add_one(s, BASE, BASE, IOB_OP_WRITE, 8, 50, 1), 0);
	struct iob_interval *v = iobi_series_export(s, IOB_OP_ALL);
	assert_idle(&v[0]);
	ck_assert(v[1].ios == 1 && v[1].bytes == 4096 && v[1].p50_ns == 50);
	free(v);
	iobi_series_free(s);
}
END_TEST

/* Every sample of a series, by op and by the start of its interval. */
struct sample {
	uint64_t start, value;
	int op;
};
struct record {
	struct sample sample[ADDED * PER_INTERVAL];
	size_t n;
	uint64_t end;
};

static void add_random(struct iobi_series *s, struct record *r, uint64_t *state)
{
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iob_hist *h[IOBI_OPS];
	uint64_t length = iobi_series_interval_ns(s) + draw(state) % 1000;
	for (int op = 0; op < IOBI_OPS; op++)
		part[op].service = h[op] = new_hist(8);
	for (uint64_t n = draw(state) % PER_INTERVAL; n; n--) {
		struct sample v = { r->end, draw(state) >> (20 + draw(state) % 30),
				    1 + (int)(draw(state) % 4) };
		iob_hist_record(h[v.op], v.value, 1);
		part[v.op].bytes += v.value % 7;
		r->sample[r->n++] = v;
	}
	ck_assert_int_eq(iobi_series_add(s, r->end, length, part), 0);
	r->end += length;
	for (int op = 0; op < IOBI_OPS; op++)
		iob_hist_free(h[op]);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int wanted(enum iob_op op, int of_sample)
{
	return op == IOB_OP_ALL ? of_sample != IOB_OP_SYNC : (int)op == of_sample;
}

static void assert_near(uint64_t got, uint64_t exact)
{
	ck_assert_uint_ge(got, exact);
	ck_assert_uint_le(got - exact, exact / 256);
}

/* One exported interval against the samples that belong to it. */
static void assert_interval(const struct iob_interval *v, const struct record *r, enum iob_op op)
{
	static uint64_t value[ADDED * PER_INTERVAL];
	uint64_t n = 0, bytes = 0;
	double sum = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct sample *s = &r->sample[i];
		if (!wanted(op, s->op) || s->start < v->start_ns ||
		    s->start >= v->start_ns + v->length_ns)
			continue;
		value[n++] = s->value;
		bytes += s->value % 7;
		sum += (double)s->value;
	}
	ck_assert_uint_eq(v->ios, n);
	ck_assert_uint_eq(v->bytes, bytes);
	if (!n) {
		assert_idle(v);
		return;
	}
	qsort(value, n, sizeof(*value), by_value);
	ck_assert_double_eq_tol(v->mean_ns, sum / (double)n, 1e-9 * v->mean_ns);
	ck_assert_uint_eq(v->max_ns, value[n - 1]);
	assert_near(v->p50_ns, value[(n + 1) / 2 - 1]);
	assert_near(v->p99_ns, value[(99 * n + 99) / 100 - 1]);
}

static void assert_all(const struct iobi_series *s, const struct record *r)
{
	for (int op = 0; op < IOBI_OPS; op++) {
		struct iob_interval *v = iobi_series_export(s, (enum iob_op)op);
		uint64_t end = 0;
		for (size_t i = 0; i < iobi_series_count(s); i++) {
			ck_assert_uint_eq(v[i].start_ns, end); /* no gap, nothing twice */
			end += v[i].length_ns;
			assert_interval(&v[i], r, (enum iob_op)op);
		}
		ck_assert_uint_eq(end, r->end);
		free(v);
	}
}

/* At every length, through several doublings. */
START_TEST(nothing_is_lost_by_joining)
{
	static struct record r;
	struct iobi_series *s = new_series(MAX);
	uint64_t state = (uint64_t)_i;
	memset(&r, 0, sizeof(r)); /* the last turn's, where check does not fork */
	for (int i = 0; i < ADDED; i++) {
		add_random(s, &r, &state);
		ck_assert_uint_le(iobi_series_count(s), MAX);
		if (i < 20 || i % 13 == 0)
			assert_all(s, &r);
	}
	assert_all(s, &r);
	iobi_series_free(s);
}
END_TEST

/* 8 of 100 ms, then the next is 200 ms long and finds 4 before it; and so on. */
START_TEST(interval_doubles_when_full)
{
	struct iobi_series *s = new_series(MAX);
	uint64_t at = 0;
	for (int i = 1; i <= 16; i++) {
		uint64_t length = iobi_series_interval_ns(s);
		uint64_t expected = i <= 8 ? BASE : i <= 12 ? 2 * BASE : 4 * BASE;
		ck_assert_uint_eq(length, expected);
		ck_assert_int_eq(add_one(s, at, length, IOB_OP_READ, 8, 9, 1), 0);
		at += length;
		ck_assert_uint_eq(iobi_series_count(s), i <= 8 ? i : i <= 12 ? i - 4 : i - 8);
		struct iob_interval *v = iobi_series_export(s, IOB_OP_READ);
		for (size_t k = 0; k < iobi_series_count(s); k++)
			ck_assert_uint_eq(v[k].length_ns, expected);
		free(v);
	}
	iobi_series_free(s);
}
END_TEST

/* A day of it: the count stays bounded, the sums are right. */
START_TEST(long_run_is_bounded)
{
	struct iobi_series *s = new_series(IOBI_SERIES_MAX);
	const uint64_t day = UINT64_C(86400) * 1000000000;
	uint64_t at = 0, ios = 0;
	while (at < day) {
		uint64_t length = iobi_series_interval_ns(s);
		ck_assert_int_eq(add_one(s, at, length, IOB_OP_READ, 8, 100 + ios % 50, 5), 0);
		ck_assert_uint_le(iobi_series_count(s), IOBI_SERIES_MAX);
		at += length;
		ios += 5;
	}
	ck_assert_uint_ge(iobi_series_count(s), IOBI_SERIES_MAX / 2);
	struct iob_interval *v = iobi_series_export(s, IOB_OP_ALL);
	for (size_t i = 0; i < iobi_series_count(s); i++)
		ios -= v[i].ios;
	ck_assert_uint_eq(ios, 0);
	free(v);
	iobi_series_free(s);
}
END_TEST

/* A gap between two intervals belongs to the joined one. */
START_TEST(joining_spans_a_gap)
{
	struct iobi_series *s = new_series(2);
	ck_assert_int_eq(add_one(s, 10, 5, IOB_OP_READ, 8, 1, 1), 0);
	ck_assert_int_eq(add_one(s, 20, 5, IOB_OP_READ, 8, 2, 1), 0);
	ck_assert_int_eq(add_one(s, 25, 5, IOB_OP_READ, 8, 3, 1), 0);
	struct iob_interval *v = iobi_series_export(s, IOB_OP_READ);
	ck_assert_uint_eq(iobi_series_count(s), 2);
	ck_assert(v[0].start_ns == 10 && v[0].length_ns == 15 && v[0].ios == 2);
	ck_assert(v[1].start_ns == 25 && v[1].length_ns == 5 && v[1].ios == 1);
	free(v);
	iobi_series_free(s);
}
END_TEST

START_TEST(max_is_made_even)
{
	static const size_t max[][2] = { { 0, 2 }, { 1, 2 }, { 2, 2 }, { 7, 6 } };
	for (size_t i = 0; i < IOBI_LEN(max); i++) {
		struct iobi_series *s = new_series(max[i][0]);
		for (size_t k = 0; k < max[i][1]; k++)
			ck_assert_int_eq(add_one(s, k, 1, IOB_OP_READ, 8, 1, 1), 0);
		ck_assert_uint_eq(iobi_series_count(s), max[i][1]);
		ck_assert_int_eq(add_one(s, 100, 1, IOB_OP_READ, 8, 1, 1), 0);
		ck_assert_uint_eq(iobi_series_count(s), max[i][1] / 2 + 1);
		iobi_series_free(s);
	}
}
END_TEST

/* Kept with 8 bits: 0.4 %, but the maximum and the mean are exact. */
START_TEST(finer_histograms_are_coarsened)
{
	struct iobi_series *s = new_series(MAX);
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iob_hist *h = new_hist(14);
	for (uint64_t v = 1; v <= 1001; v++)
		iob_hist_record(h, v * 100003, 1);
	part[IOB_OP_READ].service = h;
	ck_assert_int_eq(iobi_series_add(s, 0, BASE, part), 0);
	struct iob_interval *v = iobi_series_export(s, IOB_OP_READ);
	ck_assert_double_eq(v->mean_ns, 501 * 100003.0);
	ck_assert_uint_eq(v->max_ns, 1001 * 100003);
	assert_near(v->p50_ns, 501 * 100003);
	assert_near(v->p99_ns, 991 * 100003);
	free(v);
	iob_hist_free(h);
	iobi_series_free(s);
}
END_TEST

/* The shape the run uses: differences of one growing histogram. */
START_TEST(differences_have_exact_means)
{
	struct iobi_series *s = new_series(MAX);
	struct iob_hist *total = new_hist(8), *before = new_hist(8);
	for (uint64_t i = 0; i < 5; i++) {
		for (uint64_t k = 1; k <= 10; k++)
			iob_hist_record(total, 1000003 * (i + 1) + k, 1);
		struct iob_hist *d = iobi_hist_since(total, before);
		struct iobi_interval_part part[IOBI_OPS] = { [IOB_OP_WRITE] = { d, 40960 } };
		ck_assert_int_eq(iobi_series_add(s, i * BASE, BASE, part), 0);
		iob_hist_free(d);
		iob_hist_free(before);
		before = iobi_hist_copy(total);
	}
	struct iob_interval *v = iobi_series_export(s, IOB_OP_ALL);
	for (uint64_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(v[i].ios, 10);
		ck_assert_double_eq(v[i].mean_ns, 1000003.0 * (double)(i + 1) + 5.5);
		ck_assert_uint_eq(v[i].max_ns,
				  1000003 * (i + 1) + 10); /* a new maximum each time */
	}
	free(v);
	iob_hist_free(total);
	iob_hist_free(before);
	iobi_series_free(s);
}
END_TEST

START_TEST(coarser_than_before_is_refused)
{
	struct iobi_series *s = new_series(2);
	ck_assert_int_eq(add_one(s, 0, 1, IOB_OP_READ, 5, 1000, 1), 0);
	ck_assert_int_eq(add_one(s, 1, 1, IOB_OP_READ, 5, 2000, 1), 0);
	ck_assert_int_eq(add_one(s, 2, 1, IOB_OP_READ, 4, 3000, 1), 0);
	ck_assert_int_eq(add_one(s, 3, 1, IOB_OP_READ, 5, 4000, 1), -EINVAL);
	ck_assert_uint_eq(iobi_series_count(s), 2);
	struct iob_interval *v = iobi_series_export(s, IOB_OP_READ);
	ck_assert(v[0].ios == 2 && v[0].max_ns == 2000 && v[1].max_ns == 3000);
	free(v);
	iobi_series_free(s);
}
END_TEST

/* Submit calls are counted where they were made, whatever completed meanwhile. */
START_TEST(submit_times_are_summed)
{
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iobi_series *s = new_series(4);
	for (uint64_t i = 0; i < 4; i++) {
		part[IOB_OP_READ].submits = (struct iobi_submits){ i, (double)(100 * i * i) };
		part[IOB_OP_WRITE].submits = (struct iobi_submits){ 1, 7 };
		ck_assert_int_eq(iobi_series_add(s, i, 1, part), 0);
	}
	struct iob_interval *v = iobi_series_export(s, IOB_OP_READ);
	ck_assert(isnan(v[0].submit_mean_ns) && isnan(v[3].mean_ns));
	ck_assert_double_eq(v[3].submit_mean_ns, 300);
	free(v);
	v = iobi_series_export(s, IOB_OP_ALL);
	ck_assert_double_eq(v[1].submit_mean_ns, 53.5);
	free(v);
	ck_assert_int_eq(iobi_series_add(s, 4, 2, part), 0); /* joins pairs */
	v = iobi_series_export(s, IOB_OP_READ);
	ck_assert_double_eq(v[0].submit_mean_ns, 100);
	ck_assert_double_eq(v[1].submit_mean_ns, 260); /* (400 + 900) / 5 */
	free(v);
	iobi_series_free(s);
}
END_TEST

/* A full series, so that adding joins first: whole at every point of failure. */
START_TEST(without_memory_nothing_changes)
{
	struct iobi_interval_part part[IOBI_OPS] = { 0 };
	struct iob_hist *h = new_hist(8);
	iob_hist_record(h, 1000, 1);
	part[IOB_OP_READ] = part[IOB_OP_WRITE] = (struct iobi_interval_part){
		.service = h, .bytes = 4096
	};
	struct iobi_series *s = new_series(4);
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_int_eq(iobi_series_add(s, i, 1, part), 0);
	for (long n = 0; nomem_at(n); n++) {
		int rc = iobi_series_add(s, 4, 2, part);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
		struct iob_interval *v = iobi_series_export(s, IOB_OP_ALL);
		uint64_t ios = 0, end = 0;
		for (size_t i = 0; i < iobi_series_count(s); i++) {
			ck_assert_uint_eq(v[i].start_ns, end);
			end += v[i].length_ns;
			ios += v[i].ios;
		}
		ck_assert(ios == 8 && end == 4);
		free(v);
	}
	for (long n = 0; nomem_at(n); n++) {
		struct iob_interval *v = iobi_series_export(s, IOB_OP_ALL);
		if (!nomem_hit()) {
			free(v);
			break;
		}
		ck_assert_ptr_null(v);
	}
	iobi_series_free(s);
	iob_hist_free(h);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("series");
	TCase *rules = tcase_create("rules"), *joining = tcase_create("joining");
	tcase_add_test(rules, empty);
	tcase_add_test(rules, one_interval);
	tcase_add_test(rules, idle_interval);
	tcase_add_test(rules, finer_histograms_are_coarsened);
	tcase_add_test(rules, differences_have_exact_means);
	tcase_add_test(rules, coarser_than_before_is_refused);
	tcase_add_loop_test(joining, nothing_is_lost_by_joining, 0, 5);
	tcase_add_test(joining, interval_doubles_when_full);
	tcase_add_test(joining, long_run_is_bounded);
	tcase_add_test(joining, joining_spans_a_gap);
	tcase_add_test(joining, max_is_made_even);
	tcase_add_test(joining, submit_times_are_summed);
	tcase_add_test(joining, without_memory_nothing_changes);
	suite_add_tcase(s, rules);
	suite_add_tcase(s, joining);
	return s;
}

IOB_TEST_MAIN(suite)
