/* SPDX-License-Identifier: MIT */
/* The rule of steady state: the specification's own numbers, and what is no number. */
#include "support/test.h"

#include <errno.h>
#include <iobench/iobench.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define JUDGE(...)                                                                                 \
	({                                                                                         \
		static const double v_[] = { __VA_ARGS__ };                                        \
		judge(v_, sizeof(v_) / sizeof(v_[0]), NULL);                                       \
	})

static struct iob_steady judge(const double *v, size_t n, const struct iob_steady_rule *rule)
{
	struct iob_steady s = { .size = sizeof(s) };
	struct iob_error err = { 0 };
	int rc = iob_steady_judge(v, n, rule, &s, &err);
	ck_assert_msg(rc >= 0, "%s: %s", err.where, err.message);
	ck_assert_int_eq(rc, (int)s.steady);
	ck_assert_uint_eq(s.size, sizeof(s));
	return s;
}

START_TEST(vectors_of_the_specification)
{
	struct iob_steady s = JUDGE(100, 102, 98, 101, 99);
	ck_assert(s.steady && s.round == 5);
	ck_assert_double_eq_tol(s.average, 100, 1e-9);
	ck_assert_double_eq_tol(s.excursion, 0.04, 1e-9);
	ck_assert_double_eq_tol(s.slope, -0.012, 1e-9); /* b = -3 / 10 */

	s = JUDGE(100, 102.5, 105, 107.5, 110);
	ck_assert(s.steady && s.round == 5);
	ck_assert_double_eq_tol(s.excursion, 10.0 / 105, 1e-9); /* 9.52 % */
	ck_assert_double_eq_tol(s.slope, 10.0 / 105, 1e-9);

	s = JUDGE(100, 103, 106, 109, 112);
	ck_assert(!s.steady && s.round == 5);
	ck_assert_double_eq_tol(s.slope, 12.0 / 106, 1e-9); /* 11.3 % */
	ck_assert_double_eq_tol(s.excursion, 12.0 / 106, 1e-9);

	s = JUDGE(90, 110, 90, 110, 90);
	ck_assert(!s.steady && s.round == 5);
	ck_assert_double_eq_tol(s.excursion, 20.0 / 98, 1e-9); /* 20.4 % */
	ck_assert_double_eq_tol(s.slope, 0, 1e-9);
}
END_TEST

START_TEST(a_falling_line_counts_as_a_rising_one)
{
	struct iob_steady s = JUDGE(112, 109, 106, 103, 100);
	ck_assert(!s.steady);
	ck_assert_double_eq_tol(s.slope, -12.0 / 106, 1e-9);
}
END_TEST

START_TEST(the_first_window_that_is_steady)
{
	struct iob_steady s = JUDGE(1000, 500, 200, 100, 102, 98, 101, 99, 100, 100);
	ck_assert(s.steady);
	ck_assert_uint_eq(s.round, 8); /* 100 102 98 101 99 */
	ck_assert_double_eq_tol(s.average, 100, 1e-9);
}
END_TEST

START_TEST(else_the_last_one)
{
	struct iob_steady s = JUDGE(100, 200, 100, 200, 100, 200, 100);
	ck_assert(!s.steady);
	ck_assert_uint_eq(s.round, 7);
	ck_assert_double_eq_tol(s.average, 140, 1e-9);
}
END_TEST

START_TEST(a_limit_that_is_met_exactly_is_met)
{
	struct iob_steady s = JUDGE(110, 90, 100, 110, 90); /* 20 of 100; the line falls by 8 */
	ck_assert(s.steady);
	ck_assert_double_eq_tol(s.excursion, 0.2, 1e-12);
	ck_assert_double_eq_tol(s.slope, -0.08, 1e-12);
	s = JUDGE(95, 97.5, 100, 102.5, 105); /* the line rises by 10 of 100 */
	ck_assert(s.steady);
	s = JUDGE(94.999, 97.5, 100, 102.5, 105.001);
	ck_assert(!s.steady);
}
END_TEST

START_TEST(too_few_rounds_are_not_steady)
{
	struct iob_steady s = JUDGE(100, 100, 100, 100);
	ck_assert(!s.steady && s.round == 0);
	ck_assert(isnan(s.average) && isnan(s.excursion) && isnan(s.slope));
	s = judge(NULL, 0, NULL);
	ck_assert(!s.steady && s.round == 0);
}
END_TEST

START_TEST(nothing_done_is_not_steady)
{
	struct iob_steady s = JUDGE(0, 0, 0, 0, 0);
	ck_assert(!s.steady && s.round == 5);
	ck_assert_double_eq(s.average, 0);
	ck_assert(isnan(s.excursion) && isnan(s.slope));
	s = JUDGE(100, 0, 100, 100, 100); /* one round without I/O is an excursion */
	ck_assert(!s.steady);
	ck_assert_double_eq_tol(s.excursion, 1.25, 1e-9);
}
END_TEST

START_TEST(windows_and_limits_of_ones_own)
{
	const double v[] = { 100, 130, 129, 131 };
	struct iob_steady_rule rule = *iob_steady_pts();
	rule.window = 2;
	struct iob_steady s = judge(v, 4, &rule);
	ck_assert(s.steady && s.round == 3);
	ck_assert_double_eq_tol(s.average, 129.5, 1e-9);
	ck_assert_double_eq_tol(s.slope, -1 / 129.5, 1e-9); /* of two, all there is */
	rule.window = 4;
	ck_assert(!judge(v, 4, &rule).steady);
	rule.excursion = rule.slope = 0.5;
	ck_assert(judge(v, 4, &rule).steady);
	rule.excursion = rule.slope = 0; /* all the same */
	ck_assert(!judge(v, 4, &rule).steady);
	const double same[] = { 0.1, 0.1, 0.1, 0.1 };
	ck_assert(judge(same, 4, &rule).steady);
}
END_TEST

static void refused(const double *v, size_t n, const struct iob_steady_rule *rule,
		    const char *where, const char *says)
{
	struct iob_error err = { 0 };
	struct iob_steady s = { .size = sizeof(s), .round = 77 };
	ck_assert_int_eq(iob_steady_judge(v, n, rule, &s, &err), -EINVAL);
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.where, where);
	ck_assert_msg(strstr(err.message, says), "\"%s\" in \"%s\"", says, err.message);
	ck_assert_uint_eq(s.round, 77); /* left alone */
}

START_TEST(what_is_no_value)
{
	const double nan[] = { 1, 2, NAN, 3, 4 }, inf[] = { INFINITY }, minus[] = { 5, -0.5 };
	refused(nan, 5, NULL, "values", "round 3 has NaN");
	refused(inf, 1, NULL, "values", "round 1 has infinity");
	refused(minus, 2, NULL, "values", "round 2 has -0.5");
	refused(NULL, 3, NULL, "values", "NULL");
}
END_TEST

START_TEST(what_is_no_rule)
{
	const double v[] = { 1, 1 };
	struct iob_steady_rule rule = *iob_steady_pts();
	rule.window = 1;
	refused(v, 2, &rule, "window", "1 rounds are no window; it can have 2 to 1000");
	rule.window = 1001;
	refused(v, 2, &rule, "window", "1001");
	rule.window = 2;
	rule.excursion = -0.1;
	refused(v, 2, &rule, "excursion", "-0.1");
	rule.excursion = NAN;
	refused(v, 2, &rule, "excursion", "NaN");
	rule.excursion = 0.2;
	rule.slope = -1;
	refused(v, 2, &rule, "slope", "-1");
	rule.slope = 0.1;
	rule.size = 0;
	refused(v, 2, &rule, "rule", "sizeof");
}
END_TEST

/* A header that is newer than the library. */
START_TEST(rules_of_other_versions)
{
	struct {
		struct iob_steady_rule known;
		double more, still_more;
	} newer = { .known = { .size = sizeof(newer), .window = 2, .excursion = 1, .slope = 1 } };
	const double v[] = { 1, 1 };
	struct iob_error err = { 0 };
	ck_assert_int_eq(iob_steady_judge(v, 2, &newer.known, NULL, &err), 1);
	newer.still_more = 0.5;
	ck_assert_int_eq(iob_steady_judge(v, 2, &newer.known, NULL, &err), -E2BIG);
	ck_assert_str_eq(err.where, "rule");
	ck_assert_ptr_nonnull(strstr(err.message, "struct iob_steady_rule is set"));
	newer.known.size = offsetof(struct iob_steady_rule, slope);
	refused(v, 2, &newer.known, "rule", "sizeof(struct iob_steady_rule)");
}
END_TEST

START_TEST(the_specifications_rule)
{
	ck_assert_uint_eq(iob_steady_pts()->window, 5);
	ck_assert_double_eq(iob_steady_pts()->excursion, 0.2);
	ck_assert_double_eq(iob_steady_pts()->slope, 0.1);
	ck_assert_str_eq(iob_steady_metric_name(IOB_STEADY_LATENCY), "latency");
	ck_assert_ptr_null(iob_steady_metric_name((enum iob_steady_metric)3));
	ck_assert_int_eq(iob_steady_judge((const double[]){ 1, 1, 1, 1, 1 }, 5, NULL, NULL, NULL),
			 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("steady");
	TCase *t = tcase_create("rule");
	tcase_add_test(t, vectors_of_the_specification);
	tcase_add_test(t, a_falling_line_counts_as_a_rising_one);
	tcase_add_test(t, the_first_window_that_is_steady);
	tcase_add_test(t, else_the_last_one);
	tcase_add_test(t, a_limit_that_is_met_exactly_is_met);
	tcase_add_test(t, too_few_rounds_are_not_steady);
	tcase_add_test(t, nothing_done_is_not_steady);
	tcase_add_test(t, windows_and_limits_of_ones_own);
	tcase_add_test(t, what_is_no_value);
	tcase_add_test(t, what_is_no_rule);
	tcase_add_test(t, the_specifications_rule);
	tcase_add_test(t, rules_of_other_versions);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
