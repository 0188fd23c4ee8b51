/* SPDX-License-Identifier: MIT */
/* Open loops and think time: when I/Os are meant to start, what is told where
 * they could not, and that a stall shows in every response time that it made.
 * ctest: serial timeout=300 novalgrind (it is about time, and valgrind runs one thread at a time)
 */
#include "support/script.h"
#include "support/test.h"

#include <math.h>

static const struct iob_hist *hist(const struct iob_result *r, enum iob_latency l)
{
	return iob_result_hist(r, IOB_OP_ALL, l);
}

/* What another load on the machine can spoil is tried again: a defect spoils all. */
enum {
	TRIES = 8
};

/* Until nothing was left at the end, which is what is to be looked at. */
static struct iob_result *kept(const struct iob_engine_ops *ops, struct script *s,
			       const char *params)
{
	struct iob_result *r = run(ops, s, params);
	for (int i = 1; i < TRIES && iob_result_pace(r)->unissued; i++) {
		iob_result_free(r);
		s->log_n = 0;
		r = run(ops, s, params);
	}
	return r;
}

static uint64_t over(const struct iob_hist *h, uint64_t limit)
{
	uint64_t low[4096], count[4096], sum = 0;
	size_t n = iob_hist_buckets(h, low, NULL, count, 4096);
	for (size_t i = 0; i < n; i++)
		sum += low[i] >= limit ? count[i] : 0;
	return sum;
}

static int by_time(const void *a, const void *b)
{
	const struct iob_io *x = a, *y = b;
	return x->t_intended < y->t_intended ? -1 : x->t_intended > y->t_intended;
}

/* What the engine was given, by intended start. */
static struct iob_io *logged(struct script *s)
{
	qsort(s->log, s->log_n, sizeof(*s->log), by_time);
	return s->log;
}

static struct script logging(void)
{
	return (struct script){ .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
}

START_TEST(fixed_gaps_are_equal_whatever_the_workers)
{
	for (int workers = 1; workers <= 3; workers += 2) {
		struct script s = logging();
		char params[128];
		snprintf(params, sizeof(params),
			 "size=1m runtime=500ms arrival=fixed rate_iops=1000 workers=%d", workers);
		struct iob_result *r = kept(&async_ops, &s, params);
		struct iob_io *io = logged(&s);
		ck_assert_uint_eq(ios(r, IOB_OP_READ) + iob_result_pace(r)->unissued, 500);
		for (unsigned i = 1; i < s.log_n && !iob_result_pace(r)->unissued; i++)
			ck_assert_double_eq_tol((double)(io[i].t_intended - io[0].t_intended),
						i * 1e6, 2);
		ck_assert_uint_eq(iob_hist_count(hist(r, IOB_LATENCY_RESPONSE)),
				  ios(r, IOB_OP_READ));
		iob_result_free(r);
		free(s.log);
	}
}
END_TEST

/* The largest distance of the gaps from an exponential distribution, times the
 * root of their number: under 1.63 at 1 % (Kolmogorov-Smirnov). */
static double distance_from_exponential(double *gap, unsigned n, double mean)
{
	double worst = 0;
	for (unsigned i = 0; i < n; i++) {
		double f = 1 - exp(-gap[i] / mean);
		worst = fmax(worst, fmax(fabs(f - (double)i / n), fabs(f - (i + 1.0) / n)));
	}
	return worst * sqrt(n);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

START_TEST(poisson_gaps_are_exponential)
{
	static const char *const kinds[] = {
		"workers=1",
		"workers=4 queue_depth=8",
		"block_size=4k:50,64k:50 queue_depth=8",
		"read_percent=30 workers=2 buffer=zero",
		"workers=16 queue_depth=4 block_size=4k:50,64k:50 read_percent=70 buffer=zero",
	};
	for (size_t k = 0; k < IOBI_LEN(kinds); k++) {
		struct script s = logging();
		char params[192];
		snprintf(params, sizeof(params),
			 "size=10m runtime=1s arrival=poisson rate_iops=5000 seed=%zu %s", k + 16,
			 kinds[k]);
		struct iob_result *r = kept(&async_ops, &s, params);
		struct iob_io *io = logged(&s);
		double all = (double)s.log_n + (double)iob_result_pace(r)->unissued;
		ck_assert_double_eq_tol(all, 5000, 3 * sqrt(5000));
		unsigned n = s.log_n - 1;
		double *gap = calloc(n, sizeof(*gap));
		for (unsigned i = 0; i < n; i++)
			gap[i] = (double)(io[i + 1].t_intended - io[i].t_intended);
		qsort(gap, n, sizeof(*gap), by_size);
		if (iob_result_pace(r)->unissued < 50) /* else a worker's last ones are not there */
			ck_assert_double_lt(distance_from_exponential(gap, n, 200000), 1.63);
		free(gap);
		iob_result_free(r);
		free(s.log);
	}
}
END_TEST

START_TEST(bytes_a_second_follow_the_lengths)
{
	struct script s = logging();
	struct iob_result *r = kept(&async_ops, &s,
				    "size=10m runtime=1s arrival=fixed rate_bytes=8MB/s "
				    "block_size=4k:50,16k:50 queue_depth=4 seed=5");
	struct iob_io *io = logged(&s);
	for (unsigned i = 1; i < s.log_n; i++)
		ck_assert_double_eq_tol((double)(io[i].t_intended - io[i - 1].t_intended),
					io[i - 1].len / 8e6 * 1e9, 2);
	ck_assert_double_le(iob_result_bytes_per_s(r, IOB_OP_ALL), 8.8e6);
	if (!iob_result_pace(r)->unissued)
		ck_assert_double_ge(iob_result_bytes_per_s(r, IOB_OP_ALL), 7.2e6);
	iob_result_free(r);
	free(s.log);
}
END_TEST

START_TEST(reads_and_writes_have_rates_of_their_own)
{
	struct script s = logging();
	struct iob_result *r = kept(&async_ops, &s,
				    "size=10m runtime=1s arrival=fixed rate_iops=300 "
				    "rate_iops_write=100 queue_depth=4 buffer=zero");
	ck_assert_uint_eq(ios(r, IOB_OP_ALL) + iob_result_pace(r)->unissued, 400);
	ck_assert_uint_le(ios(r, IOB_OP_READ), 300);
	ck_assert_uint_le(ios(r, IOB_OP_WRITE), 100);
	iob_result_free(r);
	free(s.log);
}
END_TEST

/* 10 s at 1000 IOPS, and the engine stalls for 1 s: 1000 starts fall due in it. The
 * closed loop sees one slow I/O. */
static bool as_it_should(const struct iob_result *r)
{
	const struct iob_hist *response = hist(r, IOB_LATENCY_RESPONSE);
	uint64_t p99 = 0;
	iob_hist_percentile(response, 99, &p99);
	return over(hist(r, IOB_LATENCY_SERVICE), 500000000) == 1 &&
	       fabs((double)over(response, 500000000) - 500) <= 25 &&
	       fabs((double)p99 / 1e9 - 0.9) <= 0.05 &&
	       fabs((double)ios(r, IOB_OP_READ) - 10000) <= 10 &&
	       fabs((double)iob_result_pace(r)->worst_lag_ns / 1e9 - 1) <= 0.1;
}

START_TEST(a_stall_shows_in_every_response_it_made)
{
	bool right = false;
	for (int i = 0; i < TRIES / 2 && !right; i++) {
		struct script open = { .stall_at = 2000000000, .stall_ns = 1000000000 };
		struct iob_result *r =
			run(&sync_ops, &open, "size=1m runtime=10s arrival=fixed rate_iops=1000");
		ck_assert_uint_ge(over(hist(r, IOB_LATENCY_RESPONSE), 500000000), 475);
		ck_assert_uint_ge(iob_result_pace(r)->late, 900);
		right = as_it_should(r);
		iob_result_free(r);
	}
	ck_assert(right);

	struct script closed = { .io_ns = 1000000, .stall_at = 1000000000, .stall_ns = 1000000000 };
	struct iob_result *r = run(&sync_ops, &closed, "size=1m runtime=3s");
	ck_assert_uint_ge(over(hist(r, IOB_LATENCY_RESPONSE), 500000000), 1);
	ck_assert_uint_le(over(hist(r, IOB_LATENCY_RESPONSE), 500000000), 3);
	ck_assert_ptr_null(iob_result_pace(r));
	iob_result_free(r);
}
END_TEST

/* 1000 IOPS asked of an engine that does 500: half is never started; response
 * times grow with the backlog, to about half the run at its end. */
START_TEST(too_much_is_told)
{
	struct script s = { .io_ns = 2000000 };
	struct iob_result *r =
		run(&sync_ops, &s, "size=1m runtime=2s arrival=fixed rate_iops=1000");
	const struct iob_pace *p = iob_result_pace(r);
	double done = (double)ios(r, IOB_OP_READ);
	ck_assert_double_le(done, 1001);
	ck_assert_double_eq_tol(done + (double)p->unissued, 2000, 2);
	ck_assert_double_eq_tol((double)iob_hist_max(hist(r, IOB_LATENCY_RESPONSE)) / 1e9,
				2 - done / 1000, 0.5);
	ck_assert_double_lt(iob_hist_mean(hist(r, IOB_LATENCY_SERVICE)), 100e6);
	ck_assert_double_gt(iob_hist_mean(hist(r, IOB_LATENCY_RESPONSE)), 200e6);
	iob_result_free(r);
}
END_TEST

START_TEST(dropped_starts_are_counted)
{
	struct script s = { .io_ns = 5000000 };
	struct iob_result *r = run(
		&sync_ops, &s, "size=1m runtime=1s arrival=fixed rate_iops=1000 catch_up=false");
	const struct iob_pace *p = iob_result_pace(r);
	double all = (double)(ios(r, IOB_OP_READ) + p->dropped + p->unissued);
	ck_assert_uint_ge(p->dropped, 700);
	ck_assert_double_eq_tol(all, 1000, 3);
	ck_assert_double_lt(iob_hist_mean(hist(r, IOB_LATENCY_RESPONSE)), 100e6);
	iob_result_free(r);
}
END_TEST

START_TEST(a_rate_of_almost_nothing_ends_in_time)
{
	double before = now_s();
	struct script s = { 0 };
	struct iob_result *r =
		run(&async_ops, &s, "size=1m runtime=1s arrival=fixed rate_bytes=50");
	ck_assert_double_ge(now_s() - before, 0.99);
	ck_assert_double_lt(now_s() - before, 2);
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 1);
	iob_result_free(r);

	struct iob_error err;
	struct iob_workload *w =
		workload(&async_ops, &s, "size=1m runtime=60 arrival=fixed rate_bytes=50");
	struct iob_suite *suite = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(suite, w, &err), 0);
	struct iob_run *run = iob_run_start(suite, &err);
	usleep(100000);
	before = now_s();
	iob_run_cancel(run);
	ck_assert_int_eq(iob_run_wait(run, 5000, NULL), 1);
	ck_assert_double_lt(now_s() - before, 1);
	iob_run_free(run);
	iob_suite_free(suite);
	iob_workload_free(w);
}
END_TEST

/* An I/O of 1 ms and a pause of 9 ms: 100 a second of each slot. */
START_TEST(think_time_is_between_the_ios_of_a_slot)
{
	struct script s = { .io_ns = 1000000 };
	struct iob_result *r = run(&sync_ops, &s, "size=1m runtime=1s think_time=9ms workers=3");
	ck_assert_uint_le(ios(r, IOB_OP_READ), 303);
	ck_assert_uint_ge(ios(r, IOB_OP_READ), 60);
	ck_assert_uint_eq(iob_hist_max(hist(r, IOB_LATENCY_RESPONSE)),
			  iob_hist_max(hist(r, IOB_LATENCY_SERVICE)));
	iob_result_free(r);

	/* each slot 200 a second, Poisson: 4000 of all, 6 sigma is 380 */
	double most = 0;
	for (int i = 0; i < TRIES && most < 3400; i++) {
		struct script a = { 0 };
		r = run(&async_ops, &a,
			"size=1m runtime=1s think_time=exp:5ms queue_depth=20 seed=3");
		most = fmax(most, (double)ios(r, IOB_OP_READ));
		iob_result_free(r);
	}
	ck_assert_double_le(most, 4600);
	ck_assert_double_ge(most, 1000); /* on a machine that has much else to do */
}
END_TEST

/* Starts of I/Os that come at least so long after the one before. */
static unsigned pauses(const struct iob_io *log, unsigned n, uint64_t ns)
{
	unsigned found = 0;
	for (unsigned i = 1; i < n; i++)
		found += log[i].t_submit - log[i - 1].t_submit >= ns;
	return found;
}

/* At depth 8, 5 I/Os and then 20 ms: nobody is before a pause is over. */
START_TEST(a_worker_pauses_after_so_many_ios)
{
	static const struct iob_engine_ops *const engines[] = { &sync_ops, &async_ops };
	for (int e = 0; e < 2; e++) {
		struct script s = logging();
		struct iob_result *r =
			run(engines[e], &s,
			    "size=1m runtime=500ms think_time=20ms think_ios=5 queue_depth=8");
		const struct iob_io *log = logged(&s);
		ck_assert_uint_ge(s.log_n, 15);
		ck_assert_uint_le(s.log_n, 5 * 26);
		for (unsigned i = 5; i < s.log_n; i += 5)
			ck_assert_uint_ge(log[i].t_submit - log[i - 1].t_submit, 20000000);
		ck_assert_uint_eq(ios(r, IOB_OP_READ), s.log_n);
		iob_result_free(r);
		free(s.log);
	}
}
END_TEST

START_TEST(a_worker_pauses_after_so_much_time)
{
	struct script s = { .io_ns = 1000000, .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
	struct iob_result *r =
		run(&sync_ops, &s, "size=1m runtime=500ms think_time=50ms think_after=50ms");
	unsigned n = pauses(logged(&s), s.log_n, 50000000);
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_le(s.log_n, 6 * 51); /* never more than 50 ms at a time */
	ck_assert_uint_gt(s.log_n, n + 1);
	iob_result_free(r);
	free(s.log);
}
END_TEST

/* 10 I/Os take 90 ms by the schedule; in the 200 ms after them 20 more fall due,
 * which are made at once, 10 before each pause: each is later than the one before. */
START_TEST(a_schedule_goes_on_in_a_pause)
{
	struct script s = logging();
	struct iob_result *r = run(&async_ops, &s,
				   "size=1m runtime=1s arrival=fixed rate_iops=100 "
				   "think_time=200ms think_ios=10");
	const struct iob_pace *p = iob_result_pace(r);
	const struct iob_io *log = logged(&s);
	ck_assert_uint_le(s.log_n, 50);
	ck_assert_uint_ge(s.log_n, 10);
	ck_assert_uint_eq(pauses(log, s.log_n, 200000000), (s.log_n - 1) / 10);
	ck_assert_uint_eq(s.log_n + p->unissued, 100);
	ck_assert_uint_ge(p->worst_lag_ns, 100000000);
	ck_assert_uint_ge(iob_hist_max(hist(r, IOB_LATENCY_RESPONSE)), 100000000);
	iob_result_free(r);
	free(s.log);
}
END_TEST

/* What a worker takes of a CPU; that is less on a machine that has much else to do. */
START_TEST(a_pause_may_take_a_cpu)
{
	double share = 0;
	for (int i = 0; i < TRIES && share < 0.4; i++) {
		struct script s = { .io_ns = 1000000 };
		struct timespec from, to;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		struct iob_result *r = run(&sync_ops, &s,
					   "size=1m runtime=300ms think_time=50ms think_ios=1 "
					   "think_spin=40ms");
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		share = ((double)(to.tv_sec - from.tv_sec) +
			 (double)(to.tv_nsec - from.tv_nsec) / 1e9) /
			0.3;
		ck_assert_uint_le(ios(r, IOB_OP_READ), 7);
		iob_result_free(r);
	}
	ck_assert_double_ge(share, 0.4);
}
END_TEST

START_TEST(a_delayed_start)
{
	struct script s = { .io_ns = 1000000 };
	double before = now_s();
	struct iob_result *r = run(&sync_ops, &s, "size=1m runtime=300ms start_delay=300ms");
	ck_assert_double_ge(now_s() - before, 0.6);
	ck_assert_double_ge((double)iob_result_elapsed_ns(r) / 1e9, 0.2999);
	ck_assert_double_lt((double)iob_result_elapsed_ns(r) / 1e9, 0.59);
	ck_assert_uint_le(ios(r, IOB_OP_READ), 301);
	iob_result_free(r);
}
END_TEST

START_TEST(the_ramp_of_a_schedule)
{
	struct script s = logging();
	struct iob_result *r = kept(&async_ops, &s,
				    "size=1m runtime=500ms ramp_time=500ms arrival=fixed "
				    "rate_iops=1000");
	const struct iob_pace *p = iob_result_pace(r);
	ck_assert_double_eq_tol((double)(s.log_n + p->unissued), 1000, 1);
	if (!p->unissued && p->worst_lag_ns < 20000000) {
		ck_assert_double_eq_tol((double)ios(r, IOB_OP_READ), 500, 22);
		ck_assert_double_eq_tol((double)p->starts, 500, 22);
	}
	iob_result_free(r);
	free(s.log);
}
END_TEST

static void refused(const char *params, const char *where, const char *text)
{
	struct iob_error err;
	struct iob_workload *w = workload(NULL, NULL, params);
	ck_assert_int_eq(iob_workload_check(w, &err), -EINVAL);
	ck_assert_str_eq(err.where, where);
	ck_assert_msg(strstr(err.message, text) != NULL, "%s", err.message);
	iob_workload_free(w);
}

START_TEST(what_does_not_go_together)
{
	refused("size=1m rate_iops=100", "arrival", "arrival=fixed");
	refused("size=1m arrival=fixed", "rate_iops", "needs a rate");
	refused("size=1m arrival=poisson rate_iops=10 think_time=1ms", "think_time", "1ms");
	refused("size=1m think_ios=4", "think_ios", "think_time over 0");
	refused("size=1m think_after=4ms", "think_after", "think_time over 0");
	refused("size=1m think_time=5ms think_spin=4ms", "think_spin", "think_ios=1");
	refused("size=1m arrival=fixed rate_iops=10 rate_iops_write=10 trim_percent=5",
		"trim_percent", "schedule");
	struct iob_error err;
	struct iob_workload *w = iob_workload_new(NULL);
	ck_assert_int_eq(iob_workload_set(w, "rate_iops", "-1", &err), -ERANGE);
	ck_assert_int_eq(iob_workload_set(w, "think_time", "exp:", &err), -EINVAL);
	ck_assert_int_eq(iob_workload_set(w, "arrival", "uniform", &err), -EINVAL);
	iob_workload_free(w);
}
END_TEST

static int keep(void *user, const char *data, size_t len)
{
	iobi_text_add_n(user, data, len);
	return 0;
}

START_TEST(the_schedule_is_in_json_and_merges)
{
	struct script s = { .io_ns = 2000000 };
	struct iobi_text json = { 0 };
	struct iob_result *r =
		run(&sync_ops, &s, "size=1m runtime=500ms arrival=fixed rate_iops=1000 workers=2");
	ck_assert_int_eq(iob_result_report(iob_result_child(iob_result_child(r, 0), 0), "json",
					   keep, &json, NULL),
			 0);
	struct iob_result *back = iob_result_read(json.data, json.len, "json", NULL);
	const struct iob_result *both[] = { back, back };
	struct iob_result *twice = iob_result_merge(both, 2, NULL);
	const struct iob_pace *a = iob_result_pace(r), *b = iob_result_pace(back),
			      *c = iob_result_pace(twice);
	ck_assert_uint_eq(a->starts, b->starts);
	ck_assert_uint_eq(a->unissued, b->unissued);
	ck_assert_double_eq_tol(a->mean_lag_ns, b->mean_lag_ns, a->mean_lag_ns * 1e-12);
	ck_assert_uint_eq(2 * a->starts, c->starts);
	ck_assert_uint_eq(a->worst_lag_ns, c->worst_lag_ns);
	iob_result_free(twice);
	iob_result_free(back);
	iob_result_free(r);
	iobi_text_free(&json);
}
END_TEST

START_TEST(text_tells_both_times)
{
	struct script s = { .io_ns = 2000000 };
	struct iobi_text text = { 0 };
	struct iob_result *r =
		run(&sync_ops, &s, "size=1m runtime=300ms arrival=fixed rate_iops=1000");
	ck_assert_int_eq(iob_result_report(r, "text", keep, &text, NULL), 0);
	ck_assert_msg(strstr(text.data, "schedule of \"workload 1\": ") != NULL, "%s", text.data);
	ck_assert_ptr_nonnull(strstr(text.data, " due and never started\n  service   mean "));
	ck_assert_ptr_nonnull(strstr(text.data, "\n  response  mean "));
	iobi_text_free(&text);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		fixed_gaps_are_equal_whatever_the_workers,
		poisson_gaps_are_exponential,
		bytes_a_second_follow_the_lengths,
		reads_and_writes_have_rates_of_their_own,
		a_stall_shows_in_every_response_it_made,
		too_much_is_told,
		dropped_starts_are_counted,
		a_rate_of_almost_nothing_ends_in_time,
		think_time_is_between_the_ios_of_a_slot,
		a_worker_pauses_after_so_many_ios,
		a_worker_pauses_after_so_much_time,
		a_schedule_goes_on_in_a_pause,
		a_pause_may_take_a_cpu,
		a_delayed_start,
		the_ramp_of_a_schedule,
		what_does_not_go_together,
		the_schedule_is_in_json_and_merges,
		text_tells_both_times,
	};
	return iob_test_list("paced", 120, tests, IOBI_LEN(tests));
}

IOB_TEST_MAIN(suite)
