/* SPDX-License-Identifier: MIT */
/* Schedules on a real device: a loop device as it is, held to 1000 IOPS, and stalled.
 * What must hold on any machine is asserted as it is; what another load can spoil is
 * tried again: a defect spoils all tries. ctest: serial timeout=400 */
#include "support/device.h"
#include "support/seeds.h"
#include "support/test.h"
#include "support/work.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MIB = 1 << 20,
	TRIES = 4
};

static struct dev disk;

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct iob_result *run(const char *parameters)
{
	return work_run(parameters, disk.path, 0);
}

static void limit(unsigned iops)
{
	int rc = dev_throttle(disk.path, iops, iops, 0);
	if (dev_missing(rc))
		work_skip("a throttled device", rc);
	ck_assert_int_eq(rc, 0);
}

static const struct iob_hist *times(const struct iob_result *r, enum iob_latency l)
{
	return iob_result_hist(r, IOB_OP_ALL, l);
}

static double mean(const struct iob_result *r, enum iob_latency l)
{
	return iob_hist_mean(times(r, l));
}

static double p50(const struct iob_hist *h)
{
	uint64_t v = 0;
	ck_assert_int_eq(iob_hist_percentile(h, 50, &v), 0);
	return (double)v;
}

static uint64_t over(const struct iob_hist *h, uint64_t limit_ns)
{
	uint64_t low[4096], count[4096], sum = 0;
	size_t n = iob_hist_buckets(h, low, NULL, count, 4096);
	for (size_t i = 0; i < n; i++)
		sum += low[i] >= limit_ns ? count[i] : 0;
	return sum;
}

/* ---- held to 1000 IOPS ---- */

/* A response time is a lag and a service time, I/O by I/O, and so on average. */
START_TEST(half_of_what_can_be_done)
{
	double off = 1;
	limit(1000);
	for (int i = 0; i < TRIES && off > 0.005; i++) {
		struct iob_result *r = run("runtime=10s arrival=fixed rate_iops=500 queue_depth=8");
		const struct iob_pace *p = iob_result_pace(r);
		double service = mean(r, IOB_LATENCY_SERVICE);
		double lag = mean(r, IOB_LATENCY_RESPONSE) - service;
		ck_assert_double_eq_tol(lag, p->mean_lag_ns, 0.05 * service);
		ck_assert_uint_eq(p->starts + p->unissued, 5000);
		off = fabs(iob_result_iops(r, IOB_OP_ALL) / 500 - 1);
		if (off <= 0.005)
			ck_assert_ptr_null(seed_finding(r, "saturated"));
		printf("asked 500: %.2f IOPS, service %.0f us, lag %.0f us\n",
		       iob_result_iops(r, IOB_OP_ALL), service / 1e3, p->mean_lag_ns / 1e3);
		iob_result_free(r);
	}
	ck_assert_double_le(off, 0.005);
}
END_TEST

static double interval_mean(const struct iob_result *r, double from, double to)
{
	double sum = 0, ios = 0;
	size_t n = iob_result_interval_count(r);
	for (size_t i = (size_t)(from * (double)n); i < (size_t)(to * (double)n); i++) {
		const struct iob_interval *in = iob_result_interval(r, i, IOB_OP_ALL);
		sum += in->ios ? in->mean_ns * (double)in->ios : 0;
		ios += (double)in->ios;
	}
	return sum / ios;
}

/* I/O number k is due at k / asked and done at k / done: it waits the difference,
 * which at the end is (1 - done / asked) of the run, and half of it on average. */
static double off_arithmetic(const struct iob_result *r, double asked, int depth)
{
	double done = iob_result_iops(r, IOB_OP_ALL), run_ns = (double)iob_result_elapsed_ns(r);
	double longest = run_ns * (1 - done / asked), service = mean(r, IOB_LATENCY_SERVICE);
	double max = (double)iob_hist_max(times(r, IOB_LATENCY_RESPONSE));
	double average = mean(r, IOB_LATENCY_RESPONSE), little = done * service / 1e9 / depth;
	double grown = interval_mean(r, 0.7, 1) / interval_mean(r, 0, 0.3);
	printf("asked %.0f: %.0f IOPS, service %.2f ms (at the end %.2f times that at the start), "
	       "response %.0f ms (%.0f), max %.0f ms (%.0f), in flight %.3f of %d\n",
	       asked, done, service / 1e6, grown, average / 1e6, longest / 2e6, max / 1e6,
	       longest / 1e6, little * depth, depth);
	double off = fmax(fabs(average / (longest / 2) - 1), fabs(max / longest - 1));
	return fmax(fmax(off, fabs(little - 1)), fabs(grown - 1) / 6);
}

START_TEST(twice_what_can_be_done)
{
	double off = 1;
	limit(1000);
	for (int i = 0; i < TRIES && off > 0.05; i++) {
		struct iob_result *r = run("runtime=8s arrival=fixed rate_iops=2000 queue_depth=8");
		const struct iob_finding *f = seed_finding(r, "saturated");
		const struct iob_pace *p = iob_result_pace(r);
		ck_assert_ptr_nonnull(f);
		ck_assert_double_eq(seed_number(f, "asked_iops"), 2000);
		ck_assert_double_eq(seed_number(f, "reached_iops"), iob_result_iops(r, IOB_OP_ALL));
		ck_assert_double_le(seed_number(f, "reached_iops"), 1100);
		ck_assert_uint_eq(p->starts + p->unissued, 16000);
		ck_assert_uint_eq(p->starts, iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS));
		ck_assert_ptr_null(seed_finding(r, "depth-not-reached"));
		off = off_arithmetic(r, 2000, 8);
		iob_result_free(r);
	}
	ck_assert_double_le(off, 0.05);
}
END_TEST

/* 2000 fall due in a second, all are started, and the last is done a second after. */
START_TEST(a_deep_queue_takes_it_in)
{
	limit(1000);
	struct iob_result *r =
		run("runtime=1s arrival=fixed rate_iops=2000 queue_depth=4096 engine=libaio");
	const struct iob_finding *f = seed_finding(r, "saturated");
	ck_assert_ptr_nonnull(f);
	ck_assert_double_eq(seed_number(f, "asked_iops"), 2000);
	ck_assert_double_le(seed_number(f, "reached_iops"), 1300);
	ck_assert_double_gt(mean(r, IOB_LATENCY_SERVICE), 200e6);
	iob_result_free(r);
}
END_TEST

/* ---- a stall ---- */

static void *stall(void *unused)
{
	usleep(1000000);
	dev_throttle(disk.path, 1, 1, 0);
	usleep(1000000);
	dev_throttle(disk.path, 0, 0, 0);
	return unused;
}

static struct iob_result *stalled(const char *parameters)
{
	pthread_t other;
	limit(0);
	ck_assert_int_eq(pthread_create(&other, NULL, stall, NULL), 0);
	struct iob_result *r = run(parameters);
	pthread_join(other, NULL);
	return r;
}

/* One I/O a second gets through, and four may be in flight. */
START_TEST(a_stall_of_a_second)
{
	struct iob_result *open = stalled("runtime=4s arrival=fixed rate_iops=1000 queue_depth=4");
	struct iob_result *closed = stalled("runtime=4s think_time=4ms queue_depth=4");
	uint64_t told = over(times(open, IOB_LATENCY_RESPONSE), 500000000);
	uint64_t hidden = over(times(closed, IOB_LATENCY_RESPONSE), 500000000);
	printf("over 0.5 s: %llu of %llu open, %llu of %llu closed\n", (unsigned long long)told,
	       (unsigned long long)iob_hist_count(times(open, IOB_LATENCY_RESPONSE)),
	       (unsigned long long)hidden,
	       (unsigned long long)iob_hist_count(times(closed, IOB_LATENCY_RESPONSE)));
	ck_assert_uint_ge(told, 450);
	ck_assert_uint_ge(hidden, 1);
	ck_assert_uint_le(hidden, 20);
	ck_assert_uint_le(over(times(open, IOB_LATENCY_SERVICE), 500000000), 20);
	ck_assert_uint_ge(iob_result_pace(open)->worst_lag_ns, 900000000);
	iob_result_free(open);
	iob_result_free(closed);
}
END_TEST

/* ---- every engine ---- */

START_TEST(every_engine_keeps_a_schedule)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	const struct iob_finding *f = NULL;
	char parameters[192];
	snprintf(parameters, sizeof(parameters),
		 "engine=%s direct=%s runtime=1s arrival=%s rate_iops=40 queue_depth=4 workers=2 "
		 "seed=6",
		 e->name, e->caps & IOB_ENGINE_BUFFERED_ONLY ? "false" : "true",
		 _i % 2 ? "poisson" : "fixed");
	for (int i = 0; i < TRIES && (f || !i); i++) {
		struct iob_result *r = run(parameters);
		const struct iob_pace *p = iob_result_pace(r);
		f = seed_finding(r, "saturated");
		ck_assert_str_eq(iob_result_effective(r, "engine"), e->name);
		ck_assert_uint_eq(p->starts, iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS));
		ck_assert_double_eq_tol((double)(p->starts + p->unissued), 40,
					_i % 2 ? 4 * sqrt(40) : 0.5);
		ck_assert_double_ge(mean(r, IOB_LATENCY_RESPONSE), mean(r, IOB_LATENCY_SERVICE));
		ck_assert_uint_eq(iob_hist_count(times(r, IOB_LATENCY_RESPONSE)), p->starts);
		if (f && i == TRIES - 1)
			ck_abort_msg("%s: %s", e->name, f->message);
		iob_result_free(r);
	}
}
END_TEST

/* A start each 82 s: the run ends when it should, and a cancel ends it at once. */
START_TEST(a_rate_of_almost_nothing)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	char parameters[192];
	double least = 1;
	snprintf(parameters, sizeof(parameters),
		 "engine=%s direct=%s runtime=60s arrival=fixed rate_bytes=50 workers=3", e->name,
		 e->caps & IOB_ENGINE_BUFFERED_ONLY ? "false" : "true");
	for (int i = 0; i < 2 * TRIES && least > 0.1; i++) {
		struct iob_error err;
		struct iob_workload *w = work(parameters, disk.path, 0);
		struct iob_suite *s = iob_suite_new(&err);
		ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
		struct iob_run *r = iob_run_start(s, &err);
		ck_assert_ptr_nonnull(r);
		ck_assert_int_eq(iob_run_wait(r, 150, NULL), 0);
		double before = seconds(CLOCK_MONOTONIC);
		iob_run_cancel(r);
		ck_assert_int_eq(iob_run_wait(r, 5000, NULL), 1);
		least = fmin(least, seconds(CLOCK_MONOTONIC) - before);
		iob_run_free(r);
		iob_suite_free(s);
		iob_workload_free(w);
	}
	ck_assert_msg(least <= 0.1, "%s: a cancel took %.3f s", e->name, least);
}
END_TEST

START_TEST(fifty_bytes_a_second)
{
	double before = seconds(CLOCK_MONOTONIC);
	struct iob_result *r = run("runtime=3s arrival=fixed rate_bytes=50 queue_depth=4");
	double took = seconds(CLOCK_MONOTONIC) - before;
	ck_assert_double_ge(took, 3);
	ck_assert_double_le(took, 4);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS), 1);
	ck_assert_double_eq_tol((double)iob_result_elapsed_ns(r), 3e9, 1e7);
	ck_assert_ptr_null(seed_finding(r, "saturated"));
	iob_result_free(r);
}
END_TEST

/* ---- beside a bare loop ---- */

enum {
	BARE_RATE = 500,
	BARE_IOS = 500
};

/* Sleeps until each start and reads: how long the reads took, how late they began. */
static void bare_loop(int fd, void *buf, struct iob_hist *took, struct iob_hist *late)
{
	struct timespec next, from, to;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < BARE_IOS; i++) {
		next.tv_nsec += 1000000000 / BARE_RATE;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_MONOTONIC, &from);
		if (fd >= 0)
			ck_assert_int_eq(pread(fd, buf, 4096, (off_t)(i * 7919 % 16384) * 4096),
					 4096);
		clock_gettime(CLOCK_MONOTONIC, &to);
		iob_hist_record(took,
				(uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec -
					   from.tv_nsec),
				1);
		iob_hist_record(late,
				(uint64_t)((from.tv_sec - next.tv_sec) * 1000000000 + from.tv_nsec -
					   next.tv_nsec),
				1);
	}
}

/* The wait for a start is in no latency: 10 % are the device's own from run to run. */
START_TEST(within_a_tenth_of_a_bare_loop)
{
	static const char *const engines[] = { "psync", "io_uring", "libaio" };
	void *buf = NULL;
	double ratio = HUGE_VAL, service = 0, bare = 0;
	ck_assert_int_eq(posix_memalign(&buf, 4096, 4096), 0);
	int fd = open(disk.path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 2 * TRIES && ratio > 1.1; i++) {
		char parameters[128];
		struct iob_hist *took = iob_hist_new(8, NULL), *late = iob_hist_new(8, NULL);
		bare_loop(fd, buf, took, late);
		snprintf(parameters, sizeof(parameters),
			 "engine=%s runtime=1s arrival=fixed rate_iops=%d", engines[_i], BARE_RATE);
		struct iob_result *r = run(parameters);
		bare = p50(took);
		service = p50(times(r, IOB_LATENCY_SERVICE));
		ratio = fmin(ratio, service / bare);
		iob_result_free(r);
		iob_hist_free(took);
		iob_hist_free(late);
	}
	printf("%s: service p50 %.1f us, of a bare loop %.1f us\n", engines[_i], service / 1e3,
	       bare / 1e3);
	ck_assert_double_le(ratio, 1.1);
	close(fd);
	free(buf);
}
END_TEST

/* ---- the wait itself ---- */

static double cpu_share(const char *parameters, double *lag)
{
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
	struct iob_result *r = work_run(parameters, NULL, 0);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	*lag = p50(times(r, IOB_LATENCY_RESPONSE)) - p50(times(r, IOB_LATENCY_SERVICE));
	iob_result_free(r);
	return cpu / wall;
}

/* 50 us beside what a bare sleep is late on this machine. */
START_TEST(waits_are_short_and_cost_little)
{
	double lag = HUGE_VAL, bare = 0, share = 0;
	for (int i = 0; i < TRIES && lag > bare + 50e3; i++) {
		struct iob_hist *took = iob_hist_new(8, NULL), *late = iob_hist_new(8, NULL);
		bare_loop(-1, NULL, took, late);
		bare = p50(late);
		cpu_share("engine=null size=1g runtime=1s arrival=fixed rate_iops=500", &lag);
		iob_hist_free(took);
		iob_hist_free(late);
	}
	printf("a start is late by %.1f us, a bare sleep by %.1f us\n", lag / 1e3, bare / 1e3);
	ck_assert_double_le(lag, bare + 50e3);

	share = cpu_share("engine=null size=1g runtime=2s arrival=fixed rate_iops=9000", &lag);
	printf("9000 a second: %.1f %% of a core, late by %.1f us\n", share * 100, lag / 1e3);
	ck_assert_double_le(share, 0.5);
	share = cpu_share("engine=null size=1g runtime=2s arrival=fixed rate_iops=100 workers=4",
			  &lag);
	printf("100 a second by 4 workers: %.1f %% of a core\n", share * 100);
	ck_assert_double_le(share, 0.1);
	double spun = cpu_share(
		"engine=null size=1g runtime=1s arrival=fixed rate_iops=100 spin=true", &lag);
	printf("100 a second, spinning: %.1f %% of a core, late by %.2f us\n", spun * 100,
	       lag / 1e3);
	ck_assert_double_ge(spun, 2 * share);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("paced");
	TCase *t = tcase_create("paced");
	int engines = (int)work_engine_count();
	tcase_set_timeout(t, 120);
	tcase_add_test(t, half_of_what_can_be_done);
	tcase_add_test(t, twice_what_can_be_done);
	tcase_add_test(t, a_deep_queue_takes_it_in);
	tcase_add_test(t, a_stall_of_a_second);
	tcase_add_loop_test(t, every_engine_keeps_a_schedule, 0, engines);
	tcase_add_loop_test(t, a_rate_of_almost_nothing, 0, engines);
	tcase_add_test(t, fifty_bytes_a_second);
	tcase_add_loop_test(t, within_a_tenth_of_a_bare_loop, 0, 3);
	tcase_add_test(t, waits_are_short_and_cost_little);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	int rc = dev_begin();
	if (!rc)
		rc = dev_loop(64 * MIB, 0, &disk);
	if (rc)
		work_skip("a loop device", rc);
	return iob_test_run(suite());
}
