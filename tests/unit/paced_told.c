/* SPDX-License-Identifier: MIT */
/* What is told of a schedule that was not kept: the finding, the counts in every
 * case that could make them wrong, snapshots while the engine hangs.
 * ctest: serial novalgrind (it is about time, and valgrind runs one thread at a time) */
#include "support/script.h"
#include "support/seeds.h"
#include "support/test.h"

#include <math.h>

enum {
	TRIES = 10
};

static const struct iob_finding *saturated(const struct iob_result *r)
{
	return seed_finding(r, "saturated");
}

/* Until it is not there: another load spoils a try, a defect spoils them all. */
static struct iob_result *unsaturated(const struct iob_engine_ops *ops, struct script *s,
				      const char *params)
{
	struct iob_result *r = run(ops, s, params);
	for (int i = 1; i < TRIES && saturated(r); i++) {
		iob_result_free(r);
		r = run(ops, s, params);
	}
	ck_assert_msg(!saturated(r), "%s: %s", params, saturated(r)->message);
	return r;
}

/* 500 a second can be done of an I/O that takes 2 ms. */
START_TEST(too_high_a_rate_is_found)
{
	struct script s = { .io_ns = 2000000 };
	iob_result_free(
		unsaturated(&sync_ops, &s, "size=1m runtime=1s arrival=fixed rate_iops=20"));
	iob_result_free(unsaturated(&sync_ops, &s,
				    "size=1m runtime=1s arrival=poisson rate_iops=20 seed=4"));
	iob_result_free(unsaturated(&sync_ops, &s, "size=1m runtime=300ms"));
	static const char *const rates[] = { "arrival=fixed rate_iops=1000",
					     "arrival=poisson rate_iops=1000 seed=4",
					     "arrival=fixed rate_bytes=4096000",
					     "arrival=fixed rate_iops=1000 catch_up=false" };
	for (size_t i = 0; i < IOBI_LEN(rates); i++) {
		char params[128];
		snprintf(params, sizeof(params), "size=1m runtime=1s %s", rates[i]);
		struct iob_result *r = run(&sync_ops, &s, params);
		const struct iob_finding *f = saturated(r);
		ck_assert_ptr_nonnull(f);
		ck_assert_int_eq(f->severity, IOB_SEVERITY_WARNING);
		ck_assert_double_eq(seed_number(f, "asked_iops"), 1000);
		ck_assert_double_eq(seed_number(f, "reached_iops"), iob_result_iops(r, IOB_OP_ALL));
		ck_assert_double_le(seed_number(f, "reached_iops"), 501);
		ck_assert_double_eq(seed_number(f, "unissued"),
				    (double)iob_result_pace(r)->unissued);
		ck_assert_double_eq(seed_number(f, "dropped"), (double)iob_result_pace(r)->dropped);
		ck_assert_double_eq(seed_number(f, "worst_lag_ns"),
				    (double)iob_result_pace(r)->worst_lag_ns);
		ck_assert_double_gt(seed_number(f, "late") + seed_number(f, "dropped"), 20);
		ck_assert_ptr_nonnull(strstr(f->message, "1000 I/Os a second were asked for"));
		iob_result_free(r);
	}
}
END_TEST

static int keep(void *user, const char *data, size_t len)
{
	iobi_text_add_n(user, data, len);
	return 0;
}

static struct iob_result *read_back(const struct iob_result *r)
{
	struct iobi_text json = { 0 };
	ck_assert_int_eq(iob_result_report(r, "json", keep, &json, NULL), 0);
	struct iob_result *back = iob_result_read(json.data, json.len, "json", NULL);
	ck_assert_ptr_nonnull(back);
	iobi_text_free(&json);
	return back;
}

START_TEST(recorded_and_merged_results_say_it_too)
{
	struct script s = { .io_ns = 2000000 };
	struct iob_result *r =
		run(&sync_ops, &s, "size=1m runtime=500ms arrival=fixed rate_iops=2000 workers=2");
	struct iob_result *back = read_back(r);
	const struct iob_result *parts[] = { back, r, back };
	struct iob_result *merged = iob_result_merge(parts, 3, NULL);
	ck_assert_str_eq(saturated(back)->message, saturated(r)->message);
	ck_assert_double_eq(iob_result_pace(back)->asked_iops, 2000);
	ck_assert_double_eq(iob_result_pace(merged)->asked_iops, 6000);
	ck_assert_double_eq(seed_number(saturated(merged), "asked_iops"), 6000);
	ck_assert_double_eq_tol(seed_number(saturated(merged), "reached_iops"),
				3 * iob_result_iops(r, IOB_OP_ALL), 1e-6);
	iob_result_free(merged);
	iob_result_free(back);
	iob_result_free(r);

	r = unsaturated(&sync_ops, &s, "size=1m runtime=500ms arrival=fixed rate_iops=20");
	back = read_back(r);
	merged = iob_result_merge((const struct iob_result *const[]){ r, back }, 2, NULL);
	ck_assert_ptr_null(saturated(back));
	ck_assert_ptr_null(saturated(merged));
	iob_result_free(merged);
	iob_result_free(back);
	iob_result_free(r);
}
END_TEST

/* ---- the rate that is asked for ---- */

START_TEST(what_a_schedule_asks_for)
{
	static const struct {
		const char *params;
		double iops;
	} asked[] = {
		{ "rate_iops=1000 workers=7", 1000 },
		{ "rate_bytes=4096000", 1000 },
		{ "rate_bytes=4096000 rate_iops=300", 300 },
		{ "rate_bytes=4096000 rate_iops=3000", 1000 },
		{ "rate_bytes=4096000 block_size=4k:50,12k:50", 500 },
		{ "rate_bytes=4096000 block_size=4k-12k", 500 },
		/* gaps of 2, 2, 3 ms: no more than 500 a second, whatever the size */
		{ "rate_bytes=4096000 rate_iops=500 block_size=4k-12k", 3000.0 / 7 },
		{ "rate_bytes=4096000 block_size=4k block_size_write=12k read_percent=50 "
		  "buffer=zero",
		  500 },
		{ "rate_iops=300 rate_iops_write=200 buffer=zero", 500 },
		{ "rate_bytes=4096000 rate_bytes_write=4096000 block_size_write=8k buffer=zero",
		  1500 },
		{ "rate_bytes_write=4096000 block_size_write=8k buffer=zero", 500 },
	};
	for (size_t i = 0; i < IOBI_LEN(asked); i++) {
		char params[192];
		struct script s = { 0 };
		snprintf(params, sizeof(params), "size=10m runtime=50ms arrival=fixed %s",
			 asked[i].params);
		struct iob_result *r = run(&async_ops, &s, params);
		ck_assert_double_eq_tol(iob_result_pace(r)->asked_iops, asked[i].iops, 1e-6);
		iob_result_free(r);
	}
}
END_TEST

START_TEST(a_mix_of_sizes_is_counted_by_its_mean)
{
	struct script s = { .io_ns = 5000000 };
	struct iob_result *r = run(&sync_ops, &s,
				   "size=10m runtime=1s arrival=fixed rate_bytes=34MB/s seed=9 "
				   "block_size=4k:50,64k:50");
	const struct iob_pace *p = iob_result_pace(r);
	ck_assert_double_eq_tol(p->asked_iops, 34e6 / 34 / 1024, 1e-6);
	/* up to 200 are started, and their sizes are drawn */
	ck_assert_double_eq_tol((double)(p->starts + p->unissued), p->asked_iops, 60);
	iob_result_free(r);
	r = run(&sync_ops, &s,
		"size=10m runtime=1s arrival=fixed rate_bytes=34MB/s seed=9 catch_up=false "
		"block_size=4k:50,64k:50");
	p = iob_result_pace(r);
	ck_assert_double_eq_tol((double)(p->starts + p->unissued + p->dropped), p->asked_iops, 60);
	iob_result_free(r);
}
END_TEST

START_TEST(stages_are_averaged_and_neighbours_added)
{
	struct iob_error err;
	struct script s = { 0 };
	struct iob_suite *suite = iob_suite_new(&err);
	static const char *const of_stage[2][2] = {
		{ "runtime=300ms rate_iops=100", "runtime=300ms rate_iops=200" },
		{ "runtime=100ms rate_iops=700", NULL },
	};
	for (int stage = 0; stage < 2; stage++) {
		if (stage)
			ck_assert_int_eq(iob_suite_next_stage(suite, "second", &err), 0);
		for (int i = 0; i < 2 && of_stage[stage][i]; i++) {
			char params[128];
			snprintf(params, sizeof(params), "size=1m arrival=fixed %s",
				 of_stage[stage][i]);
			struct iob_workload *w = workload(&async_ops, &s, params);
			ck_assert_int_eq(iob_suite_add(suite, w, &err), 0);
			iob_workload_free(w);
		}
	}
	struct iob_result *r = iob_suite_run(suite, &err);
	ck_assert_ptr_nonnull(r);
	ck_assert_double_eq(iob_result_pace(iob_result_child(r, 0))->asked_iops, 300);
	ck_assert_double_eq(iob_result_pace(iob_result_child(r, 1))->asked_iops, 700);
	ck_assert_double_eq_tol(iob_result_pace(r)->asked_iops, 400, 20);
	iob_result_free(r);
	iob_suite_free(suite);
}
END_TEST

/* ---- counts ---- */

/* A Poisson start that is not due yet was once taken for an overdue one. */
START_TEST(dropping_drawn_starts)
{
	struct script s = { .io_ns = 5000000 };
	struct iob_result *r = run(&sync_ops, &s,
				   "size=1m runtime=2s arrival=poisson rate_iops=1000 seed=3 "
				   "catch_up=false");
	const struct iob_pace *p = iob_result_pace(r);
	const struct iob_hist *response = iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_RESPONSE);
	ck_assert_uint_lt(p->worst_lag_ns, UINT64_C(2000000000));
	ck_assert_double_lt(p->mean_lag_ns, 500e6);
	ck_assert_uint_lt(iob_hist_max(response), UINT64_C(2000000000));
	ck_assert_uint_ge(iob_hist_min(response), 5000000);
	ck_assert_uint_ge(p->dropped, 1400);
	ck_assert_double_eq_tol((double)(p->starts + p->dropped + p->unissued), 2000,
				4 * sqrt(2000));
	iob_result_free(r);
}
END_TEST

START_TEST(far_more_than_can_be_done)
{
	static const char *const how[] = { "arrival=fixed", "arrival=poisson",
					   "arrival=fixed catch_up=false",
					   "arrival=poisson catch_up=false" };
	static const char *const rate[] = { "rate_iops=1000000000", "rate_bytes=8000000000GB/s" };
	for (size_t i = 0; i < IOBI_LEN(how) * IOBI_LEN(rate); i++) {
		char params[192];
		double before = now_s();
		snprintf(params, sizeof(params),
			 "size=1g runtime=200ms queue_depth=32 seed=2 %s %s", how[i / 2],
			 rate[i % 2]);
		struct iob_result *r = run(NULL, NULL, params);
		const struct iob_pace *p = iob_result_pace(r);
		double all = (double)(p->starts + p->dropped) + (double)p->unissued;
		ck_assert_double_eq_tol(all / p->asked_iops / 0.2, 1, 0.02);
		ck_assert_uint_le(p->worst_lag_ns, 2000000000);
		ck_assert_uint_gt(ios(r, IOB_OP_READ), 10);
		ck_assert_ptr_nonnull(saturated(r));
		ck_assert_double_lt(now_s() - before, 10);
		iob_result_free(r);
	}
}
END_TEST

/* A gap of 6.4 s for each worker; together one start each 100 ms. */
START_TEST(many_workers_and_few_starts)
{
	struct script s = { .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
	struct iob_result *r = unsaturated(
		&async_ops, &s, "size=1m runtime=1s arrival=fixed rate_iops=10 workers=64");
	ck_assert_uint_eq(iob_result_pace(r)->starts + iob_result_pace(r)->unissued, 10);
	ck_assert_double_eq_tol(iob_result_pace(r)->asked_iops, 10, 1e-9);
	for (unsigned i = 1; i < s.log_n && s.log_n == 10; i++)
		ck_assert_double_eq_tol((double)(s.log[i].t_intended - s.log[i - 1].t_intended),
					1e8, 64);
	iob_result_free(r);
	free(s.log);
}
END_TEST

START_TEST(an_amount_at_a_rate)
{
	struct script s = { 0 };
	struct iob_result *r = unsaturated(&async_ops, &s,
					   "size=1m runtime=0 io_size=400k arrival=fixed "
					   "rate_iops=1000 workers=3 queue_depth=4");
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 100);
	ck_assert_uint_eq(iob_result_pace(r)->starts, 100);
	ck_assert_uint_eq(iob_result_pace(r)->unissued, 0);
	ck_assert_double_ge((double)iob_result_elapsed_ns(r), 96e6);
	iob_result_free(r);
	r = run(&async_ops, &s, "size=1m io_size=400k runtime=50ms arrival=fixed rate_iops=1000");
	ck_assert_uint_eq(ios(r, IOB_OP_READ) + iob_result_pace(r)->unissued, 50);
	iob_result_free(r);
}
END_TEST

/* 1000 a second asked, 500 done at most: at the ramp's end 250 and more wait, which
 * are what is done in the window; of what falls due in it nothing is started. */
START_TEST(the_backlog_of_a_ramp)
{
	struct script s = { .io_ns = 2000000 };
	struct iob_result *r = run(&sync_ops, &s,
				   "size=1m ramp_time=500ms runtime=500ms arrival=fixed "
				   "rate_iops=1000");
	const struct iob_pace *p = iob_result_pace(r);
	ck_assert_uint_eq(p->unissued, 500);
	ck_assert_double_le((double)p->starts, 252);
	ck_assert_uint_ge(p->worst_lag_ns, 450000000);
	ck_assert_uint_ge(iob_hist_min(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_RESPONSE)),
			  200000000);
	iob_result_free(r);
	r = run(&sync_ops, &s,
		"size=1m ramp_time=500ms runtime=500ms arrival=fixed rate_iops=1000 "
		"catch_up=false");
	p = iob_result_pace(r);
	ck_assert_double_eq_tol((double)(p->starts + p->dropped + p->unissued), 500, 3);
	iob_result_free(r);
}
END_TEST

/* A flush after each 4 writes takes no place in the schedule. */
START_TEST(flushes_are_on_no_schedule)
{
	struct script s = { 0 };
	struct iob_result *r = run(&async_ops, &s,
				   "size=1m runtime=500ms arrival=fixed rate_iops=400 "
				   "read_percent=0 buffer=zero fsync_every=4 queue_depth=8");
	ck_assert_uint_eq(iob_result_pace(r)->starts, ios(r, IOB_OP_WRITE));
	ck_assert_uint_eq(iob_result_pace(r)->starts + iob_result_pace(r)->unissued, 200);
	ck_assert_uint_ge(ios(r, IOB_OP_SYNC), ios(r, IOB_OP_WRITE) / 4 - 1);
	iob_result_free(r);
}
END_TEST

/* Two of eight are taken by each submit. */
START_TEST(what_the_engine_does_not_take)
{
	struct script s = { .take_most = 2 };
	struct iob_result *r = run(&async_ops, &s,
				   "size=1m runtime=500ms arrival=fixed rate_iops=100000 "
				   "queue_depth=8");
	const struct iob_pace *p = iob_result_pace(r);
	ck_assert_uint_eq(p->starts, ios(r, IOB_OP_READ));
	ck_assert_double_eq_tol((double)(p->starts + p->unissued), 50000, 1);
	iob_result_free(r);
}
END_TEST

/* ---- while it runs ---- */

/* The engine hangs for a second from 0.2 s on; 500 a second fall due meanwhile. */
START_TEST(a_snapshot_during_a_stall)
{
	struct iob_error err;
	struct script s = { .stall_at = 200000000, .stall_ns = 1000000000 };
	struct iob_workload *w =
		workload(&sync_ops, &s, "size=1m runtime=1500ms arrival=fixed rate_iops=500");
	struct iob_suite *suite = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(suite, w, &err), 0);
	struct iob_run *run = iob_run_start(suite, &err);
	ck_assert_int_eq(iob_run_wait(run, 700, NULL), 0);
	double elapsed = 0.7;
	struct iob_result *r = iob_run_snapshot(run, &err);
	const struct iob_pace *p = iob_result_pace(r);
	elapsed = (double)iob_result_elapsed_ns(r) / 1e9;
	if (s.stall_ns == 0 && elapsed < 1.1) { /* else the machine was too late for it */
		ck_assert_double_ge((double)p->worst_lag_ns / 1e9, 0.1);
		ck_assert_double_le((double)p->worst_lag_ns / 1e9, elapsed - 0.19);
		ck_assert_double_eq_tol((double)p->unissued, (double)p->worst_lag_ns / 2e6, 2);
		ck_assert_double_eq_tol((double)(p->starts + p->unissued), elapsed * 500, 3);
		ck_assert_ptr_nonnull(saturated(r));
	}
	iob_result_free(r);
	r = iob_run_result(run, &err); /* made up for by then, unless another load kept it */
	ck_assert_double_eq_tol((double)(ios(r, IOB_OP_READ) + iob_result_pace(r)->unissued), 750,
				1);
	ck_assert_uint_ge(iob_result_pace(r)->worst_lag_ns, 990000000);
	iob_result_free(r);
	iob_run_free(run);
	iob_suite_free(suite);
	iob_workload_free(w);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		too_high_a_rate_is_found,
		recorded_and_merged_results_say_it_too,
		what_a_schedule_asks_for,
		a_mix_of_sizes_is_counted_by_its_mean,
		stages_are_averaged_and_neighbours_added,
		dropping_drawn_starts,
		far_more_than_can_be_done,
		many_workers_and_few_starts,
		an_amount_at_a_rate,
		the_backlog_of_a_ramp,
		flushes_are_on_no_schedule,
		what_the_engine_does_not_take,
		a_snapshot_during_a_stall,
	};
	return iob_test_list("paced_told", 60, tests, IOBI_LEN(tests));
}

IOB_TEST_MAIN(suite)
