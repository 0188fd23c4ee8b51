/* SPDX-License-Identifier: MIT */
/* A device whose speed is known: a loop device that the kernel limits to 1000 and to
 * 5000 IOPS. What is reported must be that speed, and the latencies must add up to it
 * (Little's law: IOPS x mean = requests in flight). ctest: idle timeout=400 */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct cell {
	const char *engine;
	int asked, depth;
} cells[] = {
	{ "psync", 1, 1 },    { "psync", 8, 1 },    { "libaio", 1, 1 },   { "libaio", 8, 8 },
	{ "libaio", 32, 32 }, { "io_uring", 1, 1 }, { "io_uring", 8, 8 }, { "io_uring", 32, 32 },
};
enum {
	CELLS = sizeof(cells) / sizeof(cells[0]),
	GROUP = 4,
	TRIES = 3
};

/* What the kernel counted itself: reads completed, and merged into others. */
static unsigned long long kernel_reads(const char *device)
{
	char path[300];
	unsigned long long reads = 0, merged = 0;
	snprintf(path, sizeof(path), "/sys/block/%s/stat", strrchr(device, '/') + 1);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%llu %llu", &reads, &merged), 2);
	fclose(f);
	return reads + merged;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The throttle lets through what a slice of 100 ms may have at its start: a window
 * from the middle of one to the middle of another holds whole slices. */
#define RAMP_S 0.55

/* True whatever the device does: no I/O that the kernel did not count, the time that
 * passed, and latencies that add up to them. */
static void check_result(const struct iob_result *r, const struct cell *c, double in_flight,
			 unsigned long long counted, double wall, unsigned rate)
{
	ck_assert_int_eq(work_effective(r, "queue_depth"), c->depth);
	ck_assert_int_eq(atoi(iob_result_param(r, "queue_depth")), c->asked);
	ck_assert_str_eq(iob_result_effective(r, "engine"), c->engine);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	double ios = (double)iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS);
	ck_assert_double_le(ios, (double)counted);
	ck_assert_double_ge(ios, (double)counted - rate * (RAMP_S + 0.3) - c->depth);
	ck_assert_double_ge(wall, (double)iob_result_elapsed_ns(r) * 1e-9 + RAMP_S);
	ck_assert_double_le(wall, (double)iob_result_elapsed_ns(r) * 1e-9 + RAMP_S + 0.3);
	ck_assert_double_ge(in_flight, 0.99);
	/* What was in flight when the window began had waited half a slice before: 0.5 %. */
	ck_assert_double_le(in_flight, 1.015);
}

struct off {
	double limit;  /* how far the speed was above the limit, as a share */
	double kernel; /* and above what the kernel counted in the same window */
};

static struct off measure_once(const struct cell *c, const char *device, unsigned rate)
{
	char parameters[256];
	snprintf(parameters, sizeof(parameters), "engine=%s queue_depth=%d runtime=10s ramp_time=%gs",
		 c->engine, c->asked, RAMP_S);
	unsigned long long reads = kernel_reads(device);
	double start = seconds();
	struct iob_result *r = work_run(parameters, device, 0);
	double wall = seconds() - start, iops = iob_result_iops(r, IOB_OP_ALL);
	double mean = iob_hist_mean(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE));
	double in_flight = iops * mean * 1e-9 / c->depth;
	printf("%-8s depth %2d of %2d asked: %8.2f IOPS (%+.3f %%), IOPS x mean / depth %.4f\n",
	       c->engine, c->depth, c->asked, iops, (iops / rate - 1) * 100, in_flight);
	fflush(stdout);
	check_result(r, c, in_flight, kernel_reads(device) - reads, wall, rate);
	const struct iob_device_io *io = &iob_result_device(r, 0)->op[IOB_OP_READ];
	struct off off = { iops / rate - 1,
			   (double)iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS) /
					   (double)(io->ios + io->merges) -
				   1 };
	iob_result_free(r);
	return off;
}

/* In a process of its own, for a limit is a process's. On a busy machine the device
 * may be off its limit: then what the kernel counted has to do. */
static void measure(const struct cell *c, unsigned rate)
{
	struct dev dev;
	struct off off = { 1, 1 };
	ck_assert_int_eq(dev_loop(64 << 20, 0, &dev), 0);
	ck_assert_int_eq(dev_throttle(dev.path, rate, rate, 0), 0);
	for (int i = 0; i < TRIES && fabs(off.limit) > 0.005; i++)
		off = measure_once(c, dev.path, rate);
	if (fabs(off.limit) <= 0.005)
		return;
	printf("%s at depth %d: the device was not held to %u IOPS\n", c->engine, c->asked, rate);
	ck_assert_double_le(off.limit, 0.02);
	ck_assert_double_le(fabs(off.kernel), 0.005);
}

/* Slow devices have room for each other. */
START_TEST(a_thousand)
{
	for (int i = _i * GROUP; i < (_i + 1) * GROUP; i++)
		if (check_fork() == 0) {
			measure(&cells[i], 1000);
			exit(0);
		}
	for (int i = 0; i < GROUP; i++) {
		int status;
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
}
END_TEST

START_TEST(five_thousand)
{
	measure(&cells[_i], 5000);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("truth");
	TCase *t = tcase_create("throttled");
	work_need_throttle(1000);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_thousand, 0, CELLS / GROUP);
	tcase_add_loop_test(t, five_thousand, 0, CELLS);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
