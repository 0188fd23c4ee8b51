/* SPDX-License-Identifier: MIT */
/* A device whose speed is known: a loop device that the kernel limits to 1000 and to
 * 5000 IOPS. What is reported must be that speed, and the latencies must add up to it
 * (Little's law: IOPS x mean = requests in flight). ctest: serial timeout=300 */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct cell {
	const char *engine;
	int asked, depth;
} cells[] = {
	{ "psync", 1, 1 },    { "psync", 8, 1 },    { "libaio", 1, 1 },   { "libaio", 8, 8 },
	{ "libaio", 32, 32 }, { "io_uring", 1, 1 }, { "io_uring", 8, 8 }, { "io_uring", 32, 32 },
};
static const unsigned rates[] = { 1000, 5000 };
enum {
	CELLS = sizeof(cells) / sizeof(cells[0]),
	RATES = 2
};

/* In a process of its own, for a limit is a process's. */
static void measure(const struct cell *c, const char *device, unsigned rate)
{
	char parameters[256];
	snprintf(parameters, sizeof(parameters), "engine=%s queue_depth=%d runtime=10s", c->engine,
		 c->asked);
	ck_assert_int_eq(dev_throttle(device, rate, rate, 0), 0);
	struct iob_result *r = work_run(parameters, device, 0);
	double iops = iob_result_iops(r, IOB_OP_ALL);
	double mean = iob_hist_mean(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE));
	double in_flight = iops * mean * 1e-9 / c->depth;
	printf("%-8s depth %2d of %2d asked: %8.2f IOPS (%+.3f %%), IOPS x mean / depth %.4f\n",
	       c->engine, c->depth, c->asked, iops, (iops / rate - 1) * 100, in_flight);
	fflush(stdout);
	ck_assert_int_eq(work_effective(r, "queue_depth"), c->depth);
	ck_assert_int_eq(atoi(iob_result_param(r, "queue_depth")), c->asked);
	ck_assert_str_eq(iob_result_effective(r, "engine"), c->engine);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	ck_assert_double_le_tol(fabs(iops / rate - 1), 0.005, 0);
	ck_assert_double_ge_tol(in_flight, 0.99, 0);
	ck_assert_double_le_tol(in_flight, 1.01, 0);
	iob_result_free(r);
}

START_TEST(speed_is_the_devices)
{
	for (int i = 0; i < RATES; i++) {
		struct dev dev;
		ck_assert_int_eq(dev_loop(64 << 20, 0, &dev), 0);
		if (check_fork() == 0) {
			measure(&cells[_i], dev.path, rates[i]);
			exit(0);
		}
	}
	for (int i = 0; i < RATES; i++) {
		int status;
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
}
END_TEST

static void need_throttle(void)
{
	struct dev dev;
	int error = dev_begin();
	if (!error)
		error = dev_loop(1 << 20, 0, &dev);
	if (error)
		work_skip("a loop device", error);
	pid_t pid = fork();
	if (pid == 0)
		_exit(-dev_throttle(dev.path, 1000, 1000, 0));
	int status;
	waitpid(pid, &status, 0);
	if (status)
		work_skip("an IOPS limit by control group", WEXITSTATUS(status));
}

static Suite *suite(void)
{
	Suite *s = suite_create("truth");
	TCase *t = tcase_create("throttled");
	need_throttle();
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, speed_is_the_devices, 0, CELLS);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
