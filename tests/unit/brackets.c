/* SPDX-License-Identifier: MIT */
/* What a search decides with, without any I/O: which value comes next, what
 * batches tell of a percentile and a mean, on which side of the limit a step is. */
#include "search/search_priv.h"
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- brackets ---- */

/* The values that are tried where everything up to `limit` holds. */
static struct iobi_bracket search(int64_t low, int64_t high, double ratio, int64_t first,
				  int64_t limit, int *steps)
{
	struct iobi_bracket b;
	iobi_bracket_init(&b, low, high, ratio, first);
	for (*steps = 0; b.next; ++*steps) {
		ck_assert_int_ge(b.next, low);
		ck_assert_int_le(b.next, high);
		ck_assert_msg(b.next != b.held && b.next != b.missed, "twice the same");
		iobi_bracket_judge(&b, b.next <= limit);
	}
	return b;
}

START_TEST(found_within_the_ratio)
{
	int steps;
	for (int64_t limit = 1; limit < 3000; limit += 7) {
		struct iobi_bracket b = search(1, 1000000, 1.02, 500, limit, &steps);
		ck_assert_int_eq(iobi_bracket_answer(&b), IOB_SEARCH_FOUND);
		ck_assert_int_le(b.held, limit);
		ck_assert_int_gt(b.missed, limit);
		ck_assert(b.missed - b.held == 1 || (double)b.missed <= (double)b.held * 1.02);
		ck_assert_int_le(steps, 16);
	}
}
END_TEST

START_TEST(whole_numbers_are_found_exactly)
{
	int steps;
	for (int64_t limit = 1; limit < 50; limit++) {
		struct iobi_bracket b = search(1, 1024, 1.02, 1, limit, &steps);
		ck_assert_int_eq(b.held, limit);
		ck_assert_int_eq(b.missed, limit + 1);
	}
}
END_TEST

START_TEST(nothing_and_everything_are_answers)
{
	int steps;
	struct iobi_bracket b = search(100, 900, 1.02, 500, 99, &steps);
	ck_assert_int_eq(iobi_bracket_answer(&b), IOB_SEARCH_NOTHING);
	ck_assert_int_eq(b.missed, 100);
	b = search(100, 900, 1.02, 500, 900, &steps);
	ck_assert_int_eq(iobi_bracket_answer(&b), IOB_SEARCH_EVERYTHING);
	ck_assert_int_eq(b.held, 900);
	b = search(1000, 1000, 1.02, 5, 2000, &steps);
	ck_assert_int_eq(iobi_bracket_answer(&b), IOB_SEARCH_EVERYTHING);
	ck_assert_int_eq(steps, 1);
	b = search(1, INT64_MAX, 1.5, 1, INT64_MAX, &steps);
	ck_assert_int_eq(b.held, INT64_MAX);
}
END_TEST

START_TEST(far_below_is_reached_in_few_steps)
{
	int steps;
	struct iobi_bracket b = search(1, 1000000000, 1.02, 500000, 1, &steps);
	ck_assert_int_eq(b.held, 1);
	ck_assert_int_le(steps, 24);
}
END_TEST

START_TEST(what_is_left_is_estimated)
{
	struct iobi_bracket b;
	iobi_bracket_init(&b, 1, 1000000, 1.02, 500);
	int guess = (int)iobi_bracket_left(&b), steps = 0;
	for (; b.next; steps++)
		iobi_bracket_judge(&b, b.next <= 700);
	ck_assert_int_le(abs(guess - steps), 3);
	ck_assert_uint_eq(iobi_bracket_left(&b), 0);
}
END_TEST

/* ---- batches ---- */

START_TEST(students_points)
{
	/* Tables of the distribution, two-sided. */
	ck_assert_double_eq_tol(iobi_student(0.95, 1), 12.7062, 1e-3);
	ck_assert_double_eq_tol(iobi_student(0.95, 2), 4.3027, 1e-3);
	ck_assert_double_eq_tol(iobi_student(0.95, 9), 2.2622, 1e-3);
	ck_assert_double_eq_tol(iobi_student(0.99, 9), 3.2498, 1e-3);
	ck_assert_double_eq_tol(iobi_student(0.95, 30), 2.0423, 1e-3);
	ck_assert_double_eq_tol(iobi_student(0.90, 120), 1.6577, 1e-3);
}
END_TEST

struct piece {
	uint64_t value, count;
};

static void batch(struct iobi_batches *b, struct piece one, struct piece other)
{
	struct iob_hist *h = iob_hist_new(8, NULL);
	if (one.count)
		iob_hist_record(h, one.value, one.count);
	if (other.count)
		iob_hist_record(h, other.value, other.count);
	ck_assert_int_eq(iobi_batches_add(b, h), 0);
}

/* Ten batches of means 100 to 109: mean 104.5, s of the means 3.0277, so +- 2.2622
 * x 3.0277 / sqrt(10). */
START_TEST(a_mean_by_its_batches)
{
	struct iobi_batches b = { 0 };
	for (uint64_t i = 0; i < 10; i++)
		batch(&b, (struct piece){ 100 + i, 50 }, (struct piece){ 0, 0 });
	struct iobi_ends e = iobi_batches_mean(&b, 0.95);
	ck_assert_double_eq_tol(e.low, 104.5 - 2.1659, 1e-3);
	ck_assert_double_eq_tol(e.high, 104.5 + 2.1659, 1e-3);
	iobi_batches_free(&b);
}
END_TEST

/* Thirty batches count as ten: what is too high in one and too low in the next says
 * nothing of the mean. */
START_TEST(neighbours_count_as_one)
{
	static const uint64_t wave[] = { 90, 100, 110 };
	struct iobi_batches b = { 0 };
	for (uint64_t i = 0; i < 30; i++)
		batch(&b, (struct piece){ wave[i % 3], 50 }, (struct piece){ 0, 0 });
	struct iobi_ends e = iobi_batches_mean(&b, 0.95);
	ck_assert_double_eq_tol(e.low, 100, 1e-6);
	ck_assert_double_eq_tol(e.high, 100, 1e-6);
	e = iobi_batches_percentile(&b, 50, 0.95);
	ck_assert_double_eq(e.low, 100);
	ck_assert_double_eq(e.high, 100);
	batch(&b, (struct piece){ 100, 50 }, (struct piece){ 0, 0 });
	ck_assert(iobi_batches_mean(&b, 0.95).high < 101);
	iobi_batches_free(&b);
}
END_TEST

START_TEST(a_percentile_that_all_batches_agree_on)
{
	struct iobi_batches b = { 0 };
	for (int i = 0; i < 10; i++)
		batch(&b, (struct piece){ 100, 980 }, (struct piece){ 200, 20 });
	struct iobi_ends e = iobi_batches_percentile(&b, 99, 0.95);
	ck_assert_double_eq(e.low, 200);
	ck_assert_double_eq(e.high, 200);
	e = iobi_batches_percentile(&b, 50, 0.95);
	ck_assert_double_eq(e.low, 100);
	ck_assert_double_eq(e.high, 100);
	iobi_batches_free(&b);
}
END_TEST

/* As many slow I/Os, but all in one stretch: a stall of the machine's, perhaps. */
START_TEST(one_bad_batch_decides_nothing)
{
	struct iobi_batches b = { 0 };
	for (int i = 0; i < 10; i++)
		batch(&b, (struct piece){ 100, i ? 1000 : 800 },
		      (struct piece){ 200, i ? 0 : 200 });
	struct iobi_ends e = iobi_batches_percentile(&b, 99, 0.95);
	ck_assert_double_eq(e.low, 100);
	ck_assert_double_eq(e.high, 200);
	iobi_batches_free(&b);
}
END_TEST

START_TEST(few_samples_have_no_upper_end)
{
	struct iobi_batches b = { 0 };
	for (int i = 0; i < 10; i++)
		batch(&b, (struct piece){ 100, 20 }, (struct piece){ 0, 0 });
	struct iobi_ends e = iobi_batches_percentile(&b, 99, 0.95);
	ck_assert_double_eq(e.low, 100);
	ck_assert(isnan(e.high));
	e = iobi_batches_percentile(&b, 90, 0.95);
	ck_assert_double_eq(e.high, 100);
	iobi_batches_free(&b);
	ck_assert(isnan(iobi_batches_percentile(&b, 99, 0.95).low));
}
END_TEST

/* Exponential values, independent: 95 of 100 intervals hold the percentile. */
START_TEST(intervals_hold_what_they_should)
{
	uint64_t state = 88172645463325252u;
	int held = 0, narrow = 0;
	const int times = 400;
	const double p90 = 1e6 * log(10);
	for (int k = 0; k < times; k++) {
		struct iobi_batches b = { 0 };
		for (int i = 0; i < 10; i++) {
			struct iob_hist *h = iob_hist_new(10, NULL);
			for (int n = 0; n < 200; n++) {
				state ^= state << 13;
				state ^= state >> 7;
				state ^= state << 17;
				double u = ((double)(state >> 11) + 0.5) / 9007199254740992.0;
				iob_hist_record(h, (uint64_t)(-1e6 * log(u)), 1);
			}
			iobi_batches_add(&b, h);
		}
		struct iobi_ends e = iobi_batches_percentile(&b, 90, 0.95);
		held += e.low <= p90 && p90 <= e.high;
		narrow += e.high - e.low < 0.6e6;
		iobi_batches_free(&b);
	}
	ck_assert_int_ge(held, times * 93 / 100);
	ck_assert_int_ge(narrow, times * 9 / 10);
}
END_TEST

/* ---- verdicts ---- */

static struct iob_search_outcome wanted(double limit)
{
	return (struct iob_search_outcome){
		.percentile = 99, .limit_ns = (uint64_t)limit, .tries = 1, .confidence = 95
	};
}

static enum iob_search_verdict judged(const struct iobi_sample *s, const struct iob_pace *pace,
				      double limit)
{
	struct iob_search_outcome want = wanted(limit);
	struct iob_search_step step = { 0 };
	iobi_judge(&want, s, pace, &step);
	return step.verdict;
}

START_TEST(which_side_of_the_limit)
{
	struct iobi_sample s = { 0 };
	for (uint64_t i = 0; i < 10; i++)
		batch(&s.batches, (struct piece){ 100, 900 }, (struct piece){ 1000 + 10 * i, 100 });
	ck_assert_int_eq(judged(&s, NULL, 2000), IOB_SEARCH_HOLDS);
	ck_assert_int_eq(judged(&s, NULL, 500), IOB_SEARCH_MISSES);
	ck_assert_int_eq(judged(&s, NULL, 1080), IOB_SEARCH_UNDECIDED);
	iobi_batches_free(&s.batches);
	ck_assert_int_eq(judged(&s, NULL, 500), IOB_SEARCH_TOO_FEW);
}
END_TEST

START_TEST(a_rate_that_was_not_reached_is_missed)
{
	struct iobi_sample s = { 0 };
	struct iob_pace pace = { .starts = 985, .unissued = 15 };
	for (int i = 0; i < 10; i++)
		batch(&s.batches, (struct piece){ 100, 100 }, (struct piece){ 0, 0 });
	ck_assert_int_eq(judged(&s, &pace, 200), IOB_SEARCH_HOLDS);
	pace.unissued = 30;
	ck_assert_int_eq(judged(&s, &pace, 200), IOB_SEARCH_SATURATED);
	pace.unissued = 0;
	for (s.n = 0; s.n < 10; s.n++) { /* 1 % of the time that passes, in a deep queue */
		s.at[s.n] = s.n;
		s.mean[s.n] = 0.01 * s.n + (s.n & 1 ? 1e-3 : 0);
	}
	ck_assert_double_eq_tol(iobi_growth(&s), 0.01, 1e-3);
	ck_assert_int_eq(judged(&s, &pace, 200), IOB_SEARCH_SATURATED);
	for (unsigned i = 0; i < s.n; i++) /* up and down is no backlog */
		s.mean[i] = i & 1 ? 0.1 : 0;
	ck_assert_int_eq(judged(&s, &pace, 200), IOB_SEARCH_HOLDS);
	iobi_batches_free(&s.batches);
}
END_TEST

START_TEST(the_maximum_is_what_was_seen)
{
	struct iobi_sample s = { 0 };
	struct iob_search_outcome want = wanted(1000);
	struct iob_search_step step = { 0 };
	want.metric = IOB_SEARCH_MAX;
	batch(&s.batches, (struct piece){ 100, 5 }, (struct piece){ 1000, 1 });
	iobi_judge(&want, &s, NULL, &step);
	ck_assert_int_eq(step.verdict, IOB_SEARCH_HOLDS);
	want.limit_ns = 999;
	iobi_judge(&want, &s, NULL, &step);
	ck_assert_int_eq(step.verdict, IOB_SEARCH_MISSES);
	ck_assert_double_eq(step.latency_ns, 1000);
	iobi_batches_free(&s.batches);
}
END_TEST

/* ---- settings ---- */

static void refused(const char *name, const char *text, int code, const char *says)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = iob_workload_new(NULL);
	struct iob_search *s = iob_search_new(w, NULL);
	ck_assert_msg(iob_search_set(s, name, text, &err) == -code, "%s=%s: %d %s", name, text,
		      err.code, err.message);
	ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
	if (code != ENOENT)
		ck_assert_str_eq(err.where, name);
	iob_search_free(s);
	iob_workload_free(w);
}

START_TEST(wrong_words_are_told)
{
	refused("latency_target", "p100.5=1ms", ERANGE, "not above 100");
	refused("latency_target", "p0=1ms", ERANGE, "above 0");
	refused("latency_target", "p99", EINVAL, "as p99=1ms");
	refused("latency_target", "p99=", EINVAL, "as p99=1ms");
	refused("latency_target", "median=1ms", EINVAL, "none of p with a percentile, mean, max");
	refused("latency_target", "p99=1parsec", EINVAL, "unknown unit");
	refused("latency_target", "p99=0", ERANGE, "above 0");
	refused("latency_target", "p99=-1ms", ERANGE, "negative");
	refused("latency_target", "p99=0.1ns", EINVAL, "finer than 1 ns");
	refused("latency_target", "", EINVAL, "as p99=1ms");
	refused("over", "workers", EINVAL, "none of auto, rate_iops, queue_depth");
	refused("op", "sync", EINVAL, "none of all, read, write, trim");
	refused("low", "0", ERANGE, "not in 1 to 1000000000");
	refused("low", "-5", ERANGE, "not in 1");
	refused("high", "many", EINVAL, "not a number");
	refused("resolution", "0", ERANGE, "0.01 to 100");
	refused("confidence", "0.95", ERANGE, "50 to 99.999 percent");
	refused("confidence", "100", ERANGE, "50 to 99.999 percent");
	refused("tries", "0", ERANGE, "1 to 100");
	refused("latency", "p99=1ms", ENOENT, "did you mean \"latency_target\"");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		found_within_the_ratio,
		whole_numbers_are_found_exactly,
		nothing_and_everything_are_answers,
		far_below_is_reached_in_few_steps,
		what_is_left_is_estimated,
		students_points,
		a_mean_by_its_batches,
		neighbours_count_as_one,
		a_percentile_that_all_batches_agree_on,
		one_bad_batch_decides_nothing,
		few_samples_have_no_upper_end,
		intervals_hold_what_they_should,
		which_side_of_the_limit,
		a_rate_that_was_not_reached_is_missed,
		the_maximum_is_what_was_seen,
		wrong_words_are_told,
	};
	Suite *s = suite_create("brackets");
	TCase *t = tcase_create("brackets");
	for (size_t i = 0; i < IOBI_LEN(tests); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
