/* SPDX-License-Identifier: MIT */
/* Two sets of results, cell by cell. */
#include "support/seeds.h"
#include "support/test.h"
#include "support/tree.h"
#include <errno.h>
#include <math.h>
#include <string.h>

/* A workload with a series of `n` intervals of 100 ms: rate(i) I/Os each, of 1 ms. */
static struct iob_result *with_series(const char *name, size_t n, double (*rate)(size_t))
{
	struct iob_result *w = iobi_result_new(IOB_LEVEL_WORKLOAD, name);
	struct iob_interval *v = calloc(n + 1, sizeof(*v));
	uint64_t ios = 0;
	ck_assert(w && v);
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct iob_interval){ .size = sizeof(*v),
					      .start_ns = i * 100000000,
					      .length_ns = 100000000,
					      .ios = (uint64_t)rate(i),
					      .mean_ns = 1e6 };
		ios += v[i].ios;
	}
	w->interval[IOB_OP_READ] = v;
	w->n_intervals = n;
	w->elapsed_ns = (n ? n : 1) * 100000000;
	w->op[IOB_OP_READ].count[IOB_COUNT_IOS] = ios;
	w->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE] = iob_hist_new(8, NULL);
	iob_hist_record(w->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE], 1000000, ios);
	ck_assert_int_eq(iobi_result_close(w), 0);
	return w;
}

/* 1000 +- 50, and the same a tenth slower, or a hundredth. */
static double base(size_t i)
{
	return 1000 + 50 * sin((double)i * 2.4);
}

static double slower(size_t i)
{
	return 0.9 * base(i + 7);
}

static double about_alike(size_t i)
{
	return 0.998 * base(i + 3);
}

static struct iob_comparison *compare(const struct iob_result *a, const struct iob_result *b)
{
	struct iob_error err = { 0 };
	struct iob_comparison *c = iob_compare(&a, 1, &b, 1, &err);
	ck_assert_msg(c != NULL, "%s", err.message);
	return c;
}

static struct iob_ratio iops(double (*rate_a)(size_t), double (*rate_b)(size_t), size_t n)
{
	struct iob_result *a = with_series("w", n, rate_a), *b = with_series("w", n, rate_b);
	struct iob_comparison *c = compare(a, b);
	struct iob_ratio r = iob_comparison_cell(c, 0)->metric[IOB_METRIC_IOPS];
	ck_assert_uint_eq(iob_comparison_count(c), 1);
	iob_comparison_free(c);
	iob_result_free(a);
	iob_result_free(b);
	return r;
}

START_TEST(a_difference_is_shown)
{
	struct iob_ratio r = iops(base, slower, 100);
	ck_assert_double_eq_tol(r.ratio, 0.9, 0.005);
	ck_assert_int_eq((int)r.difference, IOB_DIFFERENCE_SHOWN);
	ck_assert(r.low < r.ratio && r.ratio < r.high && r.high < 1);
	r = iops(base, about_alike, 100);
	ck_assert_int_eq((int)r.difference, IOB_DIFFERENCE_NOT_SHOWN);
	ck_assert(r.low <= 1 && r.high >= 1);
	r = iops(base, base, 100);
	ck_assert_int_eq((int)r.difference, IOB_DIFFERENCE_NOT_SHOWN);
}
END_TEST

START_TEST(no_series_no_interval)
{
	struct iob_ratio r = iops(base, slower, 4);
	ck_assert_int_eq((int)r.difference, IOB_DIFFERENCE_UNKNOWN);
	ck_assert(isnan(r.low) && isnan(r.high));
	ck_assert_double_eq_tol(r.ratio, 0.9, 0.05);
}
END_TEST

/* Noise of a known size: the interval holds the truth about as often as it says,
 * also where neighbours are alike (each value holds for five intervals). */
static uint64_t state;

static double noise(void)
{
	double sum = 0;
	for (int i = 0; i < 12; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		sum += (double)(state % 1000) / 1000;
	}
	return sum - 6;
}

static double held;

static double correlated(size_t i)
{
	if (i % 5 == 0)
		held = 1000 + 100 * noise();
	return held;
}

START_TEST(it_covers_what_it_says)
{
	int covered = 0;
	state = 88172645463325252;
	for (int i = 0; i < 500; i++)
		covered += iops(correlated, correlated, 100).difference == IOB_DIFFERENCE_NOT_SHOWN;
	ck_assert_int_ge(covered, 460);
	ck_assert_int_le(covered, 495);
}
END_TEST

/* A short series: each interval is a batch, and Student's t is a wide one. */
static double alone(size_t i)
{
	return 1000 + 100 * noise();
}

START_TEST(few_intervals_are_enough)
{
	int covered = 0;
	size_t n = (size_t)_i;
	state = 88172645463325252;
	for (int i = 0; i < 1000; i++)
		covered += iops(alone, alone, n).difference == IOB_DIFFERENCE_NOT_SHOWN;
	ck_assert_int_ge(covered, 930);
	ck_assert_int_le(covered, 985);
}
END_TEST

/* On a busy machine the series is cut late: the same rate in intervals of any
 * length is the same rate. */
START_TEST(intervals_of_any_length)
{
	struct iob_result *a = with_series("w", 20, base), *b = with_series("w", 20, base);
	struct iob_interval *v = b->interval[IOB_OP_READ];
	for (size_t i = 0; i < 20; i++) {
		v[i].ios *= 1 + i % 4;
		v[i].length_ns *= 1 + i % 4;
	}
	b->elapsed_ns = 0;
	b->op[IOB_OP_READ].count[IOB_COUNT_IOS] = 0;
	for (size_t i = 0; i < 20; i++) {
		b->elapsed_ns += v[i].length_ns;
		b->op[IOB_OP_READ].count[IOB_COUNT_IOS] += v[i].ios;
	}
	ck_assert_int_eq(iobi_result_close(b), 0);
	struct iob_comparison *c = compare(a, b);
	struct iob_ratio r = iob_comparison_cell(c, 0)->metric[IOB_METRIC_IOPS];
	ck_assert_int_eq((int)r.difference, IOB_DIFFERENCE_NOT_SHOWN);
	ck_assert(r.low > 0.95 && r.high < 1.05);
	iob_comparison_free(c);
	iob_result_free(a);
	iob_result_free(b);
}
END_TEST

START_TEST(halves_of_the_seed)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = seed_read(text, NULL);
	const struct iob_result *a[40], *b[40];
	for (size_t i = 0; i < 40; i++) {
		a[i] = iob_result_child(r, i);
		b[i] = iob_result_child(r, 40 + i);
	}
	struct iob_comparison *c = iob_compare(a, 40, b, 40, NULL);
	ck_assert_uint_eq(iob_comparison_count(c), 40);
	for (size_t i = 0; i < 40; i++) {
		const struct iob_compared *cell = iob_comparison_cell(c, i);
		ck_assert_ptr_eq(cell->a, iob_result_child(a[i], 0));
		ck_assert_ptr_eq(cell->b, iob_result_child(b[i], 0));
		ck_assert_int_eq((int)cell->metric[IOB_METRIC_IOPS].difference,
				 IOB_DIFFERENCE_UNKNOWN);
	}
	const struct iob_compared *ten = iob_comparison_cell(c, 9);
	ck_assert_double_eq_tol(ten->metric[IOB_METRIC_IOPS].ratio, 27052.0 / 33141, 1e-9);
	ck_assert_double_eq_tol(ten->metric[IOB_METRIC_WRITE_MEAN].ratio, 589.0 / 480, 1e-9);
	ck_assert(isnan(ten->metric[IOB_METRIC_READ_MEAN].a));
	ck_assert_ptr_null(iob_comparison_cell(c, 40));
	iob_comparison_free(c);
	iob_result_free(r);
	free(text);
}
END_TEST

START_TEST(what_only_one_has)
{
	struct iob_result *a = with_series("same", 10, base), *b = with_series("same", 10, base),
			  *other = with_series("other", 10, base);
	const struct iob_result *set[] = { other, b }, *empty[] = { NULL };
	struct iob_error err;
	const struct iob_result *one = a;
	struct iob_comparison *c = iob_compare(&one, 1, set, 2, NULL);
	ck_assert_uint_eq(iob_comparison_count(c), 2);
	ck_assert_ptr_eq(iob_comparison_cell(c, 0)->b, b);
	ck_assert_ptr_null(iob_comparison_cell(c, 1)->a);
	ck_assert_str_eq(iob_comparison_cell(c, 1)->name, "other");
	iob_comparison_free(c);
	/* no name in both: by place */
	c = compare(a, other);
	ck_assert_uint_eq(iob_comparison_count(c), 1);
	iob_comparison_free(c);
	ck_assert_ptr_null(iob_compare(&one, 1, empty, 1, &err));
	ck_assert_str_eq(err.message, "result 0 of set B is NULL");
	ck_assert_ptr_null(iob_compare(empty, 0, &one, 1, &err));
	ck_assert_str_eq(err.message, "there is no workload in set A");
	iob_result_free(a);
	iob_result_free(b);
	iob_result_free(other);
}
END_TEST

static int collect(void *user, const char *data, size_t len)
{
	strncat(user, data, len);
	return 0;
}

static int refuse(void *user, const char *data, size_t len)
{
	return -ENOSPC;
}

/* No cell in common: by place, and every format says which with which. */
START_TEST(names_of_both)
{
	static const char *const formats[] = { "text", "markdown", "csv", "json" };
	static const char *const told[] = { "4k \"a\" / 64k", "| 4k \"a\" / 64k |",
					    "\"4k \"\"a\"\" / 64k\",iops",
					    "\"4k \\\"a\\\"\", \"name_b\": \"64k\"" };
	struct iob_result *a = with_series("4k \"a\"", 10, base),
			  *b = with_series("64k", 10, slower);
	struct iob_comparison *c = compare(a, b);
	char text[8192] = "";
	ck_assert_int_eq(iob_comparison_report(c, formats[_i], collect, text, NULL), 0);
	ck_assert_msg(strstr(text, told[_i]) != NULL, "%s", text);
	iob_comparison_free(c);
	iob_result_free(a);
	iob_result_free(b);
}
END_TEST

START_TEST(reports)
{
	struct iob_result *a = with_series("a | \"b\"", 100, base),
			  *b = with_series("a | \"b\"", 100, slower);
	struct iob_comparison *c = compare(a, b);
	struct iob_error err;
	char text[8192] = "";
	ck_assert_int_eq(iob_comparison_report(c, "csv", collect, text, NULL), 0);
	ck_assert(strstr(text, "\"a | \"\"b\"\"\",iops,"));
	ck_assert(strstr(text, ",differs\n"));
	*text = '\0';
	ck_assert_int_eq(iob_comparison_report(c, "markdown", collect, text, NULL), 0);
	ck_assert(strstr(text, "| a \\| \"b\" | IOPS | "));
	*text = '\0';
	ck_assert_int_eq(iob_comparison_report(c, "json", collect, text, NULL), 0);
	ck_assert(
		strstr(text, "{\"name\": \"a | \\\"b\\\"\", \"in\": \"both\", \"iops\": {\"a\": "));
	ck_assert(strstr(text, "\"difference\": \"shown\"}"));
	*text = '\0';
	ck_assert_int_eq(iob_comparison_report(c, "text", collect, text, NULL), 0);
	ck_assert(
		strstr(text, "read mean  1.00 ms  1.00 ms  1.000  1.000 to 1.000  no difference"));
	ck_assert_int_eq(iob_comparison_report(c, "xml", collect, text, &err), -EINVAL);
	ck_assert_str_eq(err.message, "there is no format \"xml\" of comparisons; there are text, "
				      "json, csv, markdown");
	ck_assert_int_eq(iob_comparison_report(c, "csv", refuse, NULL, &err), -ENOSPC);
	ck_assert_int_eq(err.code, ENOSPC);
	iob_comparison_free(c);
	iob_result_free(a);
	iob_result_free(b);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("compare");
	TCase *t = tcase_create("compare");
	tcase_add_test(t, a_difference_is_shown);
	tcase_add_test(t, no_series_no_interval);
	tcase_add_test(t, it_covers_what_it_says);
	tcase_add_loop_test(t, few_intervals_are_enough, 5, 13);
	tcase_add_test(t, intervals_of_any_length);
	tcase_add_test(t, halves_of_the_seed);
	tcase_add_test(t, what_only_one_has);
	tcase_add_loop_test(t, names_of_both, 0, 4);
	tcase_add_test(t, reports);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
