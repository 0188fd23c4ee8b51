/* SPDX-License-Identifier: MIT */
/* Searches on a device that is held to a known rate: found within 3 %, the rate of
 * an open loop and the depth of a closed one. ctest: idle timeout=400 */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <iobench/search.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	RATE = 1000,
	TRIES = 3 /* another load on the machine spoils a try, a defect spoils them all */
};

/* What was found, and with *iops what the device did at it. */
static int64_t found(const char *device, const char *params, const char *target, double *iops)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work(params, device, 0);
	struct iob_search *s = iob_search_new(w, &err);
	ck_assert_int_eq(iob_search_set(s, "latency_target", target, &err), 0);
	ck_assert_int_eq(iob_search_set(s, "resolution", "1", &err), 0);
	struct iob_result *r = iob_search_run(s, &err);
	ck_assert_msg(r != NULL, "%s: %s", err.where, err.message);
	int64_t held = iob_result_search(r)->held;
	for (size_t i = 0; i < iob_result_search_step_count(r); i++) {
		const struct iob_search_step *step = iob_result_search_step(r, i);
		*iops = step->value == held ? step->iops : *iops;
		printf("%-24s %8.1f IOPS %8.2f ms (%.2f to %.2f) verdict %d\n",
		       iob_result_name(iob_result_child(r, i)), step->iops, step->latency_ns / 1e6,
		       step->low_ns / 1e6, step->high_ns / 1e6, step->verdict);
	}
	fflush(stdout);
	iob_result_free(r);
	iob_search_free(s);
	iob_workload_free(w);
	return held;
}

/* The limit is a process's, and this test is one. */
static void throttled(struct dev *dev)
{
	ck_assert_int_eq(dev_loop(64 << 20, 0, dev), 0);
	ck_assert_int_eq(dev_throttle(dev->path, RATE, RATE, 0), 0);
}

/* Above the limit a backlog grows, below it there is none. */
START_TEST(the_rate_of_an_open_loop)
{
	struct dev dev;
	double off = 1, iops = 0;
	throttled(&dev);
	for (int i = 0; i < TRIES && fabs(off) > 0.03; i++)
		off = (double)found(dev.path, "arrival=fixed queue_depth=64 runtime=5s",
				    "mean=50ms", &iops) /
			      RATE -
		      1;
	ck_assert_double_le(fabs(off), 0.03);
}
END_TEST

/* Little's law: depth = rate x time. */
START_TEST(the_depth_of_a_closed_loop)
{
	struct dev dev;
	double off = 1, iops = 0;
	throttled(&dev);
	for (int i = 0; i < TRIES && fabs(off) > 0.03; i++) {
		int64_t held = found(dev.path, "queue_depth=50 runtime=4s ramp_time=300ms",
				     "mean=80ms", &iops);
		off = (double)held / (iops * 0.08) - 1;
		ck_assert_double_le(iops, RATE * 1.03);
	}
	ck_assert_double_le(fabs(off), 0.03);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("search");
	TCase *t = tcase_create("throttled");
	work_need_throttle(RATE);
	tcase_set_timeout(t, 190);
	tcase_add_test(t, the_rate_of_an_open_loop);
	tcase_add_test(t, the_depth_of_a_closed_loop);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
