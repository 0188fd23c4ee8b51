/* SPDX-License-Identifier: MIT */
/* Workers that hang in the kernel on a device of a few I/Os a second: progress,
 * snapshot and cancel never wait for them. ctest: serial */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct iob_run *start(const char *parameters, const char *device)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work(parameters, device, 0);
	struct iob_suite *s = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	struct iob_run *r = iob_run_start(s, &err);
	ck_assert_msg(r, "%s", err.message);
	iob_suite_free(s);
	iob_workload_free(w);
	return r;
}

static const struct stuck {
	const char *parameters;
	unsigned iops;
	uint64_t held; /* I/Os in the kernel */
	double drain;  /* seconds, at the least, until they are done */
} stuck[] = {
	{ "engine=psync workers=4 runtime=60s", 2, 4, 0.5 },
	{ "engine=libaio queue_depth=256 runtime=60s", 100, 256, 1 },
	{ "engine=io_uring queue_depth=256 runtime=60s", 100, 256, 1 },
	{ "engine=posixaio queue_depth=8 runtime=60s", 4, 8, 0.5 },
};

static void look(struct iob_run *run, const struct stuck *k)
{
	struct iob_error err = { 0 };
	struct iob_progress p = { .size = sizeof(p) };
	double before = seconds();
	ck_assert_int_eq(iob_run_progress(run, &p), 0);
	struct iob_result *r = iob_run_snapshot(run, &err);
	double took = seconds() - before;
	ck_assert_msg(r, "%s", err.message);
	ck_assert_msg(took < 0.1, "progress and snapshot took %.3f s", took);
	ck_assert_uint_ne(iob_result_flags(r) & IOB_RESULT_PARTIAL, 0);
	ck_assert_msg(iob_result_unfinished(r) <= k->held &&
			      iob_result_unfinished(r) + 4 >= k->held,
		      "%llu unfinished, not %llu", (unsigned long long)iob_result_unfinished(r),
		      (unsigned long long)k->held);
	ck_assert_uint_eq(p.done, 0);
	iob_result_free(r);
}

START_TEST(nobody_waits_for_a_stuck_worker)
{
	const struct stuck *k = &stuck[_i];
	struct iob_error err = { 0 };
	struct dev dev;
	ck_assert_int_eq(dev_loop(16 << 20, 0, &dev), 0);
	ck_assert_int_eq(dev_throttle(dev.path, k->iops, k->iops, 0), 0);
	struct iob_run *run = start(k->parameters, dev.path);
	ck_assert_int_eq(iob_run_wait(run, 1500, &err), 0);
	look(run, k);
	double before = seconds();
	iob_run_cancel(run);
	ck_assert_double_lt(seconds() - before, 0.05);
	look(run, k);
	/* What the kernel holds cannot be cancelled: it is waited for, and counted. */
	struct iob_result *r = iob_run_result(run, &err);
	double took = seconds() - before;
	ck_assert_msg(r, "%s", err.message);
	ck_assert_msg(took > k->drain && took < 10, "drained in %.2f s", took);
	ck_assert_uint_eq(iob_result_unfinished(r), 0);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_CANCELLED);
	ck_assert_uint_ge(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), k->held);
	iob_result_free(r);
	iob_run_free(run);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("stuck");
	TCase *t = tcase_create("stuck");
	work_need_throttle(100);
	tcase_add_loop_test(t, nobody_waits_for_a_stuck_worker, 0,
			    sizeof(stuck) / sizeof(stuck[0]));
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
