/* SPDX-License-Identifier: MIT */
/* A run's promises, on an engine of the test's own that does exactly what it is
 * told: what is counted, when it ends, what is asked of an engine. */
#include "support/script.h"
#include "support/test.h"

#include <math.h>
#include <signal.h>

/* ---- how much ---- */

START_TEST(io_size_is_moved_exactly)
{
	static const char *const workers[] = { "1", "2", "3", "7", "16" };
	for (size_t i = 0; i < IOBI_LEN(workers); i++) {
		char params[128];
		snprintf(params, sizeof(params),
			 "size=1m io_size=148k runtime=0 queue_depth=8 workers=%s", workers[i]);
		struct iob_result *r = run(NULL, NULL, params);
		ck_assert_uint_eq(ios(r, IOB_OP_READ), 37);
		ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_BYTES), 37 * 4096);
		ck_assert_uint_eq(iob_result_flags(r), 0);
		iob_result_free(r);
	}
}
END_TEST

START_TEST(what_is_no_whole_block_is_rounded_up)
{
	struct iob_result *r = run(NULL, NULL, "size=1m io_size=10000 runtime=0");
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 3);
	iob_result_free(r);
}
END_TEST

START_TEST(shares_of_ops)
{
	struct iob_result *r = run(NULL, NULL,
				   "size=1g io_size=4g runtime=0 read_percent=80 trim_percent=10 "
				   "queue_depth=32 buffer=zero");
	double all = (double)ios(r, IOB_OP_ALL);
	ck_assert_double_eq(all, 1 << 20);
	ck_assert_double_eq_tol((double)ios(r, IOB_OP_TRIM) / all, 0.10, 0.001);
	ck_assert_double_eq_tol((double)ios(r, IOB_OP_READ) / all, 0.72, 0.0072);
	ck_assert_double_eq_tol((double)ios(r, IOB_OP_WRITE) / all, 0.18, 0.0018);
	iob_result_free(r);
}
END_TEST

START_TEST(mixes_have_their_shares_and_stay_in_their_slots)
{
	struct script s = { .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
	struct iob_result *r = run(&async_ops, &s,
				   "size=10m offset=1m io_size=1g runtime=0 queue_depth=16 "
				   "block_size=4k:60,64k:40 block_size_write=8k read_percent=50 "
				   "buffer=zero");
	unsigned n = s.log_n, of[3] = { 0 };
	ck_assert_uint_gt(n, 30000);
	ck_assert_uint_lt(n, LOG_MAX);
	for (unsigned i = 0; i < n; i++) {
		const struct iob_io *io = &s.log[i];
		ck_assert_uint_ge(io->offset, 1 << 20);
		ck_assert_uint_le(io->offset + io->len, 11 << 20);
		ck_assert_uint_eq((io->offset - (1 << 20)) % io->len, 0);
		if (io->op == IOB_OP_WRITE) {
			ck_assert_uint_eq(io->len, 8192);
			of[2]++;
		} else {
			ck_assert(io->len == 4096 || io->len == 65536);
			of[io->len == 65536]++;
		}
	}
	double reads = of[0] + of[1];
	ck_assert_double_eq_tol(of[2] / (double)n, 0.5, 0.01);
	ck_assert_double_eq_tol(of[0] / reads, 0.6, 0.01);
	iob_result_free(r);
	free(s.log);
}
END_TEST

START_TEST(one_seed_one_sequence)
{
	struct script a = { .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
	struct script b = { .log = calloc(LOG_MAX, sizeof(struct iob_io)) };
	const char *params = "size=100m io_size=50m runtime=0 seed=77 read_percent=70 buffer=zero";
	struct iob_result *ra = run(&async_ops, &a, params), *rb = run(&async_ops, &b, params);
	ck_assert_uint_eq(a.log_n, 12800);
	ck_assert_uint_eq(b.log_n, 12800);
	for (unsigned i = 0; i < a.log_n; i++) {
		ck_assert_uint_eq(a.log[i].offset, b.log[i].offset);
		ck_assert_uint_eq(a.log[i].op, b.log[i].op);
	}
	ck_assert_str_eq(iob_result_effective(ra, "seed"), "77");
	iob_result_free(ra);
	iob_result_free(rb);
	free(a.log);
	free(b.log);

	struct iob_result *r = run(NULL, NULL, "size=1m io_size=4k");
	ck_assert_str_eq(iob_result_param(r, "seed"), "0");
	ck_assert_str_ne(iob_result_effective(r, "seed"), "0");
	iob_result_free(r);
}
END_TEST

START_TEST(every_nth_write_is_followed_by_a_sync)
{
	struct iob_result *r = run(NULL, NULL,
				   "size=1m io_size=400k runtime=0 read_percent=0 fsync_every=10 "
				   "buffer=zero");
	ck_assert_uint_eq(ios(r, IOB_OP_WRITE), 100);
	ck_assert_uint_eq(ios(r, IOB_OP_SYNC), 9); /* none is owed before the 101st */
	ck_assert_uint_eq(ios(r, IOB_OP_ALL), 100);
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_SYNC, IOB_LATENCY_SERVICE)), 9);
	iob_result_free(r);
}
END_TEST

/* ---- how long ---- */

START_TEST(the_ramp_is_not_measured)
{
	struct script s = { .io_ns = 1000000 };
	struct iob_result *r = run(&sync_ops, &s, "size=1m runtime=300ms ramp_time=400ms");
	uint64_t n = ios(r, IOB_OP_READ);
	double elapsed = (double)iob_result_elapsed_ns(r) / 1e9;
	ck_assert_double_ge(elapsed, 0.2999);
	ck_assert_double_lt(elapsed, 0.5);
	ck_assert_uint_le(n, 301);
	ck_assert_uint_ge(n, 30);
	ck_assert_uint_eq(n, iob_hist_count(iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE)));
	iob_result_free(r);
}
END_TEST

START_TEST(the_ramp_takes_nothing_from_io_size)
{
	struct script s = { .io_ns = 1000000 };
	struct iob_result *r = run(&sync_ops, &s,
				   "size=1m runtime=0 io_size=200k ramp_time=200ms");
	/* the one in flight at the ramp's end is measured, and not of the 50 */
	ck_assert_uint_ge(ios(r, IOB_OP_READ), 50);
	ck_assert_uint_le(ios(r, IOB_OP_READ), 51);
	iob_result_free(r);
}
END_TEST

START_TEST(runtime_ends_a_run)
{
	double before = now_s();
	struct iob_result *r = run(NULL, NULL, "size=1g runtime=200ms queue_depth=4 workers=2");
	ck_assert_double_lt(now_s() - before, 1); /* other work may hold this up */
	ck_assert_double_ge((double)iob_result_elapsed_ns(r) / 1e9, 0.1999);
	ck_assert_double_lt((double)iob_result_elapsed_ns(r) / 1e9, 0.4);
	double iops = (double)ios(r, IOB_OP_ALL) * 1e9 / (double)iob_result_elapsed_ns(r);
	ck_assert_double_eq_tol(iob_result_iops(r, IOB_OP_ALL), iops, iops * 1e-9);
	iob_result_free(r);
}
END_TEST

START_TEST(closed_loop_little)
{
	struct script s = { .io_ns = 2000000 };
	struct iob_result *r = run(&sync_ops, &s, "size=1m runtime=500ms workers=4");
	const struct iob_hist *h = iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE);
	double in_flight = iob_result_iops(r, IOB_OP_ALL) * iob_hist_mean(h) / 1e9;
	ck_assert_double_le(in_flight, 4.0001);
	ck_assert_double_ge(in_flight, 3.8); /* other work may come between two I/Os */
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_RESPONSE)),
			  iob_hist_count(h));
	ck_assert_uint_ge(iob_hist_min(h), 2000000);
	iob_result_free(r);
}
END_TEST

/* ---- ending early ---- */

static struct iob_run *start(const struct iob_workload *w)
{
	struct iob_error err;
	struct iob_suite *s = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	struct iob_run *r = iob_run_start(s, &err);
	ck_assert_msg(r != NULL, "%s", err.message);
	iob_suite_free(s);
	return r;
}

START_TEST(a_stuck_worker_blocks_nobody)
{
	struct script s = { .gated = true, .gate = PTHREAD_MUTEX_INITIALIZER };
	struct iob_workload *w = workload(&sync_ops, &s, "size=1m runtime=60 workers=3");
	pthread_mutex_lock(&s.gate);
	struct iob_run *r = start(w);
	usleep(50000);
	double before = now_s();
	iob_run_cancel(r);
	struct iob_result *snap = iob_run_snapshot(r, NULL);
	ck_assert_double_lt(now_s() - before, 0.2);
	ck_assert_ptr_nonnull(snap);
	ck_assert_uint_eq(iob_result_unfinished(snap), 3);
	ck_assert_uint_eq(iob_result_flags(snap), IOB_RESULT_PARTIAL | IOB_RESULT_CANCELLED);
	ck_assert_uint_eq(ios(snap, IOB_OP_ALL), 0);
	ck_assert_int_eq(iob_run_wait(r, 50, NULL), 0);
	iob_result_free(snap);

	pthread_mutex_unlock(&s.gate);
	ck_assert_int_eq(iob_run_wait(r, 5000, NULL), 1);
	struct iob_result *end = iob_run_result(r, NULL);
	ck_assert_uint_eq(iob_result_flags(end), IOB_RESULT_CANCELLED);
	ck_assert_uint_eq(ios(end, IOB_OP_ALL), 3);
	ck_assert_uint_eq(iob_result_unfinished(end), 0);
	iob_result_free(end);
	iob_run_free(r);
	iob_workload_free(w);
}
END_TEST

START_TEST(cancel_ends_a_run_soon)
{
	struct script s = { 0 };
	struct iob_workload *w = workload(&async_ops, &s, "size=1m runtime=60 workers=2");
	struct iob_run *r = start(w);
	usleep(150000);
	double before = now_s();
	iob_run_cancel(r);
	ck_assert_int_eq(iob_run_wait(r, 5000, NULL), 1);
	ck_assert_double_lt(now_s() - before, 0.5);
	struct iob_result *end = iob_run_result(r, NULL);
	ck_assert_uint_eq(iob_result_flags(end), IOB_RESULT_CANCELLED);
	ck_assert_double_lt((double)iob_result_elapsed_ns(end) / 1e9, 0.6);
	ck_assert_uint_le(s.wakes, 2); /* a worker that had ended needs none */
	ck_assert_uint_eq(s.wakes_by_test, 0);
	iob_result_free(end);
	iob_run_free(r);
	iob_workload_free(w);
}
END_TEST

/* An engine that waits for its wake gets one, from a thread of the library: when
 * the run is cancelled, and when its time is up. */
START_TEST(waits_are_woken)
{
	for (int cancel = 0; cancel < 2; cancel++) {
		struct script s = { .hold = true };
		struct iob_workload *w = workload(&async_ops, &s,
						  cancel ? "size=1m runtime=60" :
							   "size=1m runtime=200ms");
		struct iob_run *r = start(w);
		usleep(50000);
		if (cancel)
			iob_run_cancel(r);
		ck_assert_int_eq(iob_run_wait(r, 5000, NULL), 1);
		ck_assert_uint_eq(s.wakes, 1);
		ck_assert_uint_eq(s.wakes_by_test, 0);
		iob_run_free(r);
		iob_workload_free(w);
	}
}
END_TEST

static struct iob_run *to_cancel;

static void on_alarm(int sig)
{
	(void)sig;
	iob_run_cancel(to_cancel);
}

START_TEST(cancel_from_a_signal_handler)
{
	struct script s = { 0 };
	struct iob_workload *w = workload(&async_ops, &s, "size=1m runtime=60");
	struct sigaction sa = { .sa_handler = on_alarm };
	sigaction(SIGALRM, &sa, NULL);
	to_cancel = start(w);
	alarm(1);
	int rc = iob_run_wait(to_cancel, 10000, NULL);
	ck_assert(rc == 1 || rc == -EINTR); /* the signal comes to this thread alone */
	ck_assert_int_eq(iob_run_wait(to_cancel, 10000, NULL), 1);
	iob_run_free(to_cancel);
	iob_workload_free(w);
}
END_TEST

START_TEST(free_cancels_and_drains)
{
	struct script s = { .io_ns = 1000000 };
	struct iob_workload *w = workload(&sync_ops, &s, "size=1m runtime=60");
	struct iob_run *r = start(w);
	double before = now_s();
	iob_run_free(r);
	ck_assert_double_lt(now_s() - before, 1);
	iob_workload_free(w);
}
END_TEST

/* ---- errors ---- */

START_TEST(an_error_ends_its_target)
{
	struct script s = { .error = -EIO, .fail_from = 0, .fail_to = UINT64_MAX,
			    .fail_target = -1 };
	struct iob_result *r = run(&async_ops, &s, "size=1m runtime=60 queue_depth=4");
	const struct iob_error *e = iob_result_error(r);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	ck_assert_uint_eq(ios(r, IOB_OP_ALL), 0);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS), 4);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_BYTES), 0);
	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->code, EIO);
	ck_assert_str_eq(e->where, "read");
	ck_assert_ptr_nonnull(strstr(e->message, "EIO"));
	iob_result_free(r);
}
END_TEST

START_TEST(on_error_continue_counts_on)
{
	struct script s = { .error = -ENOSPC, .fail_from = 0, .fail_to = 4096, .fail_target = -1 };
	struct iob_result *r = run(&async_ops, &s,
				   "size=40k io_size=400k runtime=0 read_percent=0 "
				   "on_error=continue buffer=zero");
	ck_assert_uint_eq(ios(r, IOB_OP_WRITE), 90);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_ERRORS), 10);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_BYTES), 90 * 4096);
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_WRITE, IOB_LATENCY_SERVICE)),
			  90);
	ck_assert_int_eq(iob_result_error(r)->code, ENOSPC);
	ck_assert_uint_eq(iob_result_error(r)->offset, 0);
	iob_result_free(r);
}
END_TEST

START_TEST(short_ios_are_neither_whole_nor_failed)
{
	struct script s = { .error = 512, .fail_from = 4096, .fail_to = 8192, .fail_target = -1 };
	struct iob_result *r = run(&async_ops, &s,
				   "size=40k io_size=400k runtime=0 on_error=continue");
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 90);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_SHORT), 10);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS), 0);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	ck_assert_uint_eq(iob_result_error(r)->offset, 4096);
	iob_result_free(r);
}
END_TEST

START_TEST(a_worker_that_cannot_start_fails_the_run)
{
	struct iob_error err;
	struct script s = { .open_error = ENOMEM, .open_error_of = 2 };
	struct iob_workload *w = workload(&async_ops, &s, "size=1m runtime=60 workers=4");
	double before = now_s();
	ck_assert_ptr_null(iob_workload_run(w, &err));
	ck_assert_double_lt(now_s() - before, 1);
	ck_assert_int_eq(err.code, ENOMEM);
	ck_assert_str_eq(err.message, "told to fail");
	iob_workload_free(w);
}
END_TEST

START_TEST(an_engine_that_breaks_is_an_error_of_the_result)
{
	struct script s = { .submit_error = ENXIO };
	struct iob_result *r = run(&async_ops, &s, "size=1m runtime=60");
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	ck_assert_int_eq(iob_result_error(r)->code, ENXIO);
	ck_assert_str_eq(iob_result_error(r)->where, "engine");
	iob_result_free(r);
}
END_TEST

/* The second submit fails while seven I/Os are in flight: they are drained. */
START_TEST(an_engine_that_breaks_is_drained)
{
	struct script s = { .submit_error = ENXIO, .submits_before_error = 1, .reap_most = 1 };
	struct iob_result *r = run(&async_ops, &s, "size=1m runtime=60 queue_depth=8");
	ck_assert_int_eq(iob_result_error(r)->code, ENXIO);
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 8);
	ck_assert_uint_eq(s.closed_with, 0);
	iob_result_free(r);
}
END_TEST

/* ---- what an engine may count on ---- */

START_TEST(engines_are_used_on_their_own_thread_with_signals_blocked)
{
	struct script s = { .take_most = 3 };
	struct iob_result *r = run(&async_ops, &s,
				   "size=1m io_size=40m runtime=0 queue_depth=32 workers=2");
	ck_assert_uint_eq(s.strays, 0);
	ck_assert_uint_eq(s.unblocked, 0);
	ck_assert_uint_eq(ios(r, IOB_OP_READ), 10240);
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SUBMIT)),
			  10240);
	iob_result_free(r);
}
END_TEST

/* ---- the tree ---- */

START_TEST(workloads_of_a_stage_run_side_by_side)
{
	struct iob_error err;
	struct script s = { .io_ns = 1000000 };
	struct iob_workload *a = workload(&sync_ops, &s, "size=1m runtime=200ms name=a");
	struct iob_workload *b = workload(&sync_ops, &s, "size=1m runtime=400ms name=b");
	struct iob_suite *suite = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(suite, a, &err), 0);
	ck_assert_int_eq(iob_suite_add(suite, b, &err), 0);
	ck_assert_int_eq(iob_suite_next_stage(suite, "second", &err), 0);
	ck_assert_int_eq(iob_suite_add(suite, a, &err), 0);
	double before = now_s();
	struct iob_result *r = iob_suite_run(suite, &err);
	ck_assert_double_ge(now_s() - before, 0.6);
	ck_assert_double_lt(now_s() - before, 0.8 * 2); /* in turn they would take 0.8 */
	ck_assert_uint_eq(iob_result_child_count(r), 2);
	const struct iob_result *one = iob_result_child(r, 0), *two = iob_result_child(r, 1);
	ck_assert_uint_eq(iob_result_child_count(one), 2);
	ck_assert_str_eq(iob_result_name(iob_result_child(one, 1)), "b");
	ck_assert_str_eq(iob_result_name(two), "second");
	ck_assert_double_ge((double)iob_result_elapsed_ns(one) / 1e9, 0.3999);
	ck_assert_double_lt((double)iob_result_elapsed_ns(one) / 1e9, 0.55);
	ck_assert_uint_eq(iob_result_elapsed_ns(r),
			  iob_result_elapsed_ns(one) + iob_result_elapsed_ns(two));
	ck_assert_uint_eq(ios(r, IOB_OP_ALL), ios(one, IOB_OP_ALL) + ios(two, IOB_OP_ALL));
	iob_result_free(r);
	iob_suite_free(suite);
	iob_workload_free(a);
	iob_workload_free(b);
}
END_TEST

START_TEST(intervals_add_up)
{
	struct script s = { .io_ns = 500000 };
	struct iob_result *r = run(&sync_ops, &s, "size=1m runtime=550ms workers=2 read_percent=50 "
						  "buffer=zero");
	const struct iob_result *w = iob_result_child(iob_result_child(r, 0), 0);
	size_t n = iob_result_interval_count(w);
	ck_assert_uint_ge(n, 4);
	ck_assert_uint_le(n, 7);
	for (int op = IOB_OP_ALL; op <= IOB_OP_WRITE; op++) {
		uint64_t sum = 0, bytes = 0, at = 0;
		double service = 0, submit = 0;
		for (size_t i = 0; i < n; i++) {
			const struct iob_interval *iv = iob_result_interval(w, i, (enum iob_op)op);
			ck_assert_uint_eq(iv->start_ns, at);
			if (i + 1 < n)
				ck_assert_uint_ge(iv->length_ns, 100000000);
			ck_assert_uint_le(iv->p50_ns, iv->p99_ns);
			ck_assert_uint_le(iv->p99_ns, iv->max_ns);
			if (iv->ios)
				ck_assert_double_ge(iv->mean_ns, 500000 * 0.99);
			if (iv->ios) {
				service += iv->mean_ns * (double)iv->ios;
				submit += iv->submit_mean_ns * (double)iv->ios;
			}
			at += iv->length_ns;
			sum += iv->ios;
			bytes += iv->bytes;
		}
		/* A sync engine's submit call is the whole I/O; one may be counted in the
		 * interval before it. */
		ck_assert_double_eq_tol(submit / service, 1, 0.02);
		ck_assert_uint_eq(sum, ios(w, (enum iob_op)op));
		ck_assert_uint_eq(bytes, iob_result_count(w, (enum iob_op)op, IOB_COUNT_BYTES));
	}
	ck_assert_uint_eq(iob_result_interval_count(iob_result_child(r, 0)), n);
	ck_assert_uint_eq(iob_result_interval_count(r), n);
	iob_result_free(r);
}
END_TEST

static void await_phase(struct iob_run *r, size_t stage, size_t workload, int phase)
{
	double before = now_s();
	while (iob_run_phase(r, stage, workload) != phase && now_s() - before < 60)
		usleep(1000);
	ck_assert_int_eq(iob_run_phase(r, stage, workload), phase);
}

/* One does an I/O, one waits for longer than the test, one is in a ramp as long. */
START_TEST(phases_of_workloads)
{
	static const char *const params[] = { "size=1m ios=1 runtime=0",
					      "size=1m start_delay=1h runtime=1s",
					      "size=1m ramp_time=1h runtime=1s",
					      "size=1m runtime=1h" };
	struct iob_error err;
	struct script s = { .io_ns = 1000000 };
	struct iob_suite *suite = iob_suite_new(&err);
	for (int i = 0; i < 8; i++) {
		struct iob_workload *w = workload(&sync_ops, &s, params[i % 4]);
		if (i == 4)
			ck_assert_int_eq(iob_suite_next_stage(suite, "later", &err), 0);
		ck_assert_int_eq(iob_suite_add(suite, w, &err), 0);
		iob_workload_free(w);
	}
	struct iob_run *r = iob_run_start(suite, &err);
	ck_assert_ptr_nonnull(r);
	await_phase(r, 0, 0, IOB_PHASE_ENDED);
	await_phase(r, 0, 1, IOB_PHASE_WAITING);
	await_phase(r, 0, 2, IOB_PHASE_RAMP);
	await_phase(r, 0, 3, IOB_PHASE_RUNNING);
	ck_assert_int_eq(iob_run_phase(r, 1, 0), IOB_PHASE_WAITING);
	ck_assert_int_eq(iob_run_phase(r, 0, 4), -ENOENT);
	ck_assert_int_eq(iob_run_phase(r, 2, 0), -ENOENT);
	iob_run_cancel(r);
	ck_assert_int_eq(iob_run_wait(r, -1, NULL), 1);
	ck_assert_int_eq(iob_run_phase(r, 0, 3), IOB_PHASE_ENDED);
	iob_run_free(r);
	iob_suite_free(suite);
}
END_TEST

START_TEST(progress_goes_from_start_to_end)
{
	struct iob_error err;
	struct script s = { .io_ns = 1000000 };
	struct iob_workload *w = workload(&sync_ops, &s, "size=1m runtime=300ms");
	struct iob_suite *suite = iob_suite_new(&err);
	struct iob_axis axis = { "workers", "1,2" };
	ck_assert_int_eq(iob_suite_add_matrix(suite, w, &axis, 1, &err), 0);
	struct iob_run *r = iob_run_start(suite, &err);
	struct iob_progress p = { .size = sizeof(p) };
	double last = 0;
	unsigned looks = 0, rates = 0;
	while (iob_run_wait(r, 20, NULL) == 0) {
		ck_assert_int_eq(iob_run_progress(r, &p), 0);
		ck_assert_double_ge(p.share, last);
		ck_assert_double_le(p.share, 1);
		ck_assert_uint_eq(p.stages, 2);
		rates += p.iops[IOB_OP_READ] > 0;
		last = p.share;
		looks++;
	}
	ck_assert_int_eq(iob_run_progress(r, &p), 0);
	ck_assert_uint_gt(looks, 10);
	ck_assert_uint_gt(rates, 5);
	ck_assert_uint_eq(p.done, 1);
	ck_assert_double_eq(p.share, 1);
	ck_assert_uint_eq(p.stage, 1);
	ck_assert_str_eq(p.name, "workers=2");
	iob_run_free(r);
	iob_suite_free(suite);
	iob_workload_free(w);
}
END_TEST

START_TEST(snapshots_of_a_busy_run_are_of_one_moment)
{
	struct iob_workload *w = workload(NULL, NULL,
					  "size=1g runtime=1 queue_depth=32 workers=2");
	struct iob_run *r = start(w);
	unsigned n = 0;
	while (iob_run_wait(r, 5, NULL) == 0) {
		struct iob_result *snap = iob_run_snapshot(r, NULL);
		const struct iob_hist *h = iob_result_hist(snap, IOB_OP_READ, IOB_LATENCY_SERVICE);
		ck_assert_uint_eq(iob_hist_count(h), ios(snap, IOB_OP_READ));
		/* At most a batch apart for each worker, however long the copying took. */
		uint64_t bytes = iob_result_count(snap, IOB_OP_READ, IOB_COUNT_BYTES);
		double off = fabs((double)bytes / 4096 - (double)ios(snap, IOB_OP_READ));
		ck_assert_double_le(off, 65);
		iob_result_free(snap);
		n++;
	}
	ck_assert_uint_gt(n, 5);
	iob_run_free(r);
	iob_workload_free(w);
}
END_TEST

/* The kernel would promise it, and kill somebody once it is used. */
START_TEST(more_buffers_than_memory)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = workload(NULL, NULL,
					  "size=1g block_size=1g queue_depth=1024 workers=64 "
					  "ios=1 runtime=0");
	ck_assert_ptr_null(iob_workload_run(w, &err));
	ck_assert_int_eq(err.code, ENOMEM);
	ck_assert_str_eq(err.where, "queue_depth");
	ck_assert_msg(strstr(err.message, "would take 70368744177664 bytes"), "%s", err.message);
	iob_workload_free(w);
}
END_TEST

START_TEST(nothing_to_run)
{
	struct iob_error err;
	struct iob_suite *s = iob_suite_new(&err);
	ck_assert_ptr_null(iob_run_start(s, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.where, "suite");
	iob_suite_free(s);
	ck_assert_ptr_null(iob_run_start(NULL, &err));
	iob_run_free(NULL);
	ck_assert_int_eq(iob_workload_check(NULL, NULL), -EINVAL);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		io_size_is_moved_exactly,
		what_is_no_whole_block_is_rounded_up,
		shares_of_ops,
		mixes_have_their_shares_and_stay_in_their_slots,
		one_seed_one_sequence,
		every_nth_write_is_followed_by_a_sync,
		the_ramp_is_not_measured,
		the_ramp_takes_nothing_from_io_size,
		runtime_ends_a_run,
		closed_loop_little,
		a_stuck_worker_blocks_nobody,
		cancel_ends_a_run_soon,
		waits_are_woken,
		cancel_from_a_signal_handler,
		free_cancels_and_drains,
		an_error_ends_its_target,
		on_error_continue_counts_on,
		short_ios_are_neither_whole_nor_failed,
		a_worker_that_cannot_start_fails_the_run,
		an_engine_that_breaks_is_an_error_of_the_result,
		an_engine_that_breaks_is_drained,
		engines_are_used_on_their_own_thread_with_signals_blocked,
		workloads_of_a_stage_run_side_by_side,
		intervals_add_up,
		phases_of_workloads,
		progress_goes_from_start_to_end,
		snapshots_of_a_busy_run_are_of_one_moment,
		more_buffers_than_memory,
		nothing_to_run,
	};
	return iob_test_list("run", 60, tests, IOBI_LEN(tests));
}

IOB_TEST_MAIN(suite)
