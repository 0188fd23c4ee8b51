/* SPDX-License-Identifier: MIT */
/* Findings about time on live runs, queues, cores, clocks, limits and stalls: each
 * provoked for real, and absent from a clean run of the same shape.
 * ctest: serial timeout=600 */
#include "support/device.h"
#include "support/found.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static struct dev disk; /* a loop device with random data */

static void on_disk(const char *parameters, const char *with, const char *without)
{
	found_on(disk.path, parameters, with, without);
}

/* ---- nothing is wrong ---- */

/* What a run of a second has, and what the machine itself may have. */
static const struct iob_finding *undeserved(const struct iob_result *r)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++) {
		const struct iob_finding *f = iob_result_finding(r, i);
		if (f->severity != IOB_SEVERITY_NOTE && strcmp(f->code, "short-run") &&
		    strcmp(f->code, "steal") && strcmp(f->code, "clock") &&
		    strcmp(f->code, "core-wait"))
			return f;
	}
	return NULL;
}

START_TEST(a_clean_run_is_clean)
{
	static const char *const runs[] = { "runtime=1s", "runtime=1s queue_depth=16",
					    "runtime=1s engine=psync workers=2",
					    "runtime=1s block_size=64k pattern=sequential",
					    "runtime=1s read_percent=0 fsync_every=16" };
	for (int try = 1;; try++) {
		struct iob_result *r = work_run(runs[_i], disk.path, IOB_TARGET_ALLOW_DESTROY);
		const struct iob_finding *f = undeserved(r);
		ck_assert_msg(!f || try < 4, "%s: %s: %s", runs[_i], f->code, f->message);
		iob_result_free(r);
		if (!f)
			return;
	}
}
END_TEST

/* ---- the queue ---- */

START_TEST(psync_does_not_reach_depth_32)
{
	const struct found_plain deep = { "runtime=0 io_size=16m engine=psync queue_depth=32",
					  disk.path };
	struct iob_result *r =
		found_until(found_plain, &deep, "depth-not-reached", "harness-bound");
	ck_assert_double_eq(found_number(r, "depth-not-reached", "asked"), 32);
	ck_assert_double_eq_tol(found_number(r, "depth-not-reached", "reached"), 1, 0.1);
	iob_result_free(r);
	on_disk("runtime=0 io_size=16m engine=psync workers=2", NULL, "depth-not-reached");
}
END_TEST

START_TEST(one_at_a_time)
{
	on_disk("runtime=0 io_size=16m", "depth-one-bound", NULL);
	on_disk("runtime=0 io_size=16m queue_depth=8", NULL, "depth-one-bound");
}
END_TEST

/* No I/O at all leaves a worker nothing to wait for but the core. */
START_TEST(null_is_bound_by_the_core)
{
	found_on(NULL, "engine=null size=1g runtime=500ms", "cpu-bound",
		 "harness-bound depth-not-reached");
	on_disk("runtime=1s queue_depth=1", NULL, "cpu-bound");
}
END_TEST

/* ---- the machine ---- */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* What the hypervisor takes is told in /proc/stat; here by a file that lies over it. */
static char stat_path[300];

static void *take_time(void *text)
{
	usleep(300000);
	int fd = open(stat_path, O_WRONLY);
	ssize_t n = pwrite(fd, text, strlen(text), 0);
	close(fd);
	return n == (ssize_t)strlen(text) ? NULL : text;
}

static struct iob_result *run_while_taken(const void *text)
{
	pthread_t other;
	void *failed;
	write_file(stat_path, "cpu  1000 0 1000 8000 0 0 0 0100 0 0\n");
	ck_assert_int_eq(pthread_create(&other, NULL, take_time, (void *)text), 0);
	struct iob_result *r = work_run("runtime=1s", disk.path, 0);
	pthread_join(other, &failed);
	ck_assert_ptr_null(failed);
	return r;
}

/* One core for the worker and for those who never stop. */
static void *never_stops(void *stop)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	while (!atomic_load((_Atomic bool *)stop))
		;
	return NULL;
}

static struct iob_result *run_beside_many(const void *unused)
{
	_Atomic bool stop = false;
	pthread_t other[8], writer;
	void *failed;
	write_file(stat_path, "cpu  1000 0 1000 8000 500 0 0 0100 0 0\n");
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&other[i], NULL, never_stops, &stop), 0);
	ck_assert_int_eq(pthread_create(&writer, NULL, take_time,
					"cpu  1500 0 1500 8010 510 0 0 0100 0 0\n"),
			 0);
	/* With pauses, so that not all of its time is waiting, which cpu-bound tells. */
	struct iob_result *r =
		work_run("runtime=1s cpus=0 engine=psync think_time=5ms", disk.path, 0);
	atomic_store(&stop, true);
	for (int i = 0; i < 8; i++)
		pthread_join(other[i], NULL);
	pthread_join(writer, &failed);
	ck_assert_ptr_null(failed);
	return r;
}

START_TEST(others_take_the_core)
{
	snprintf(stat_path, sizeof(stat_path), "%s/stat", dev_dir());
	write_file(stat_path, "");
	found_cover("/proc/stat", stat_path);
	struct iob_result *r = found_until(run_beside_many, NULL, "core-wait", NULL);
	ck_assert_double_eq_tol(found_number(r, "core-wait", "idle"), 20.0 / 1020, 1e-9);
	iob_result_free(r);
	found_uncover("/proc/stat");
}
END_TEST

START_TEST(the_hypervisor_takes_time)
{
	snprintf(stat_path, sizeof(stat_path), "%s/stat", dev_dir());
	write_file(stat_path, "");
	found_cover("/proc/stat", stat_path);
	struct iob_result *r = found_until(run_while_taken,
					   "cpu  1500 0 1500 8900 0 0 0 0200 0 0\n", "steal", NULL);
	ck_assert_double_eq_tol(found_number(r, "steal", "steal"), 0.05, 1e-9);
	iob_result_free(r);
	r = found_until(run_while_taken, "cpu  1500 0 1500 8990 0 0 0 0110 0 0\n", NULL, "steal");
	iob_result_free(r);
	found_uncover("/proc/stat");
}
END_TEST

/* Looked at once in a process: here before any run, which is why it needs its own. */
START_TEST(the_clock_is_not_the_tsc)
{
	static const char source[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char path[300];
	const char *fork = getenv("CK_FORK");
	if (access(source, R_OK) || (fork && !strcmp(fork, "no")))
		return;
	snprintf(path, sizeof(path), "%s/clocksource", dev_dir());
	write_file(path, _i ? "tsc\n" : "hpet\n");
	found_cover(source, path);
	const struct found_plain short_one = { "runtime=0 io_size=1m", disk.path };
	struct iob_result *r = found_plain(&short_one);
	const struct iob_finding *f = seed_finding(r, "clock");
#if defined(__x86_64__)
	if (!_i) {
		ck_assert_ptr_nonnull(f);
		ck_assert_double_eq(seed_number(f, "is_tsc"), 0);
	}
#endif
	if (_i && f)
		ck_assert_double_gt(seed_number(f, "read_ns"), 100);
	iob_result_free(r);
	found_uncover(source);
}
END_TEST

/* ---- limits ---- */

static void limit(unsigned iops)
{
	int rc = dev_throttle(disk.path, iops, 0, 0);
	if (dev_missing(rc))
		work_skip("a throttled device", rc);
	ck_assert_int_eq(rc, 0);
}

START_TEST(a_limit_is_no_device)
{
	const struct found_plain run = { "runtime=7s queue_depth=8 engine=io_uring", disk.path };
	limit(1000);
	struct iob_result *r =
		found_until(found_plain, &run, "throttled", "stall depth-not-reached");
	ck_assert_double_ge(found_number(r, "throttled", "far_time"), 0.8);
	iob_result_free(r);
	limit(0);
	on_disk("runtime=7s queue_depth=8", NULL, "throttled stall");
}
END_TEST

struct later {
	useconds_t after, lasts;
	unsigned then, last;
};

static void *change_later(void *arg)
{
	const struct later *l = arg;
	usleep(l->after);
	dev_throttle(disk.path, l->then, 0, 0);
	usleep(l->lasts);
	dev_throttle(disk.path, l->last, 0, 0);
	return NULL;
}

/* On a device whose limit changes meanwhile, from `from`. */
struct changing {
	struct later later;
	unsigned from;
	const char *parameters;
};

static struct iob_result *run_while(const void *arg)
{
	const struct changing *c = arg;
	pthread_t other;
	limit(c->from);
	ck_assert_int_eq(pthread_create(&other, NULL, change_later, (void *)&c->later), 0);
	struct iob_result *r = work_run(c->parameters, disk.path, 0);
	pthread_join(other, NULL);
	limit(0);
	return r;
}

START_TEST(it_stands_still_for_a_second)
{
	const struct changing c = { { 1000000, 1500000, 1, 0 }, 100000, "runtime=4s" };
	struct iob_result *r = found_until(run_while, &c, "stall", NULL);
	ck_assert_double_ge(found_number(r, "stall", "longest_ns"), 0.5e9);
	iob_result_free(r);
	on_disk("runtime=4s", NULL, "stall");
}
END_TEST

START_TEST(a_limit_that_changes_half_way)
{
	const struct changing c = { { 5000000, 5500000, 600, 0 }, 1000, "runtime=10s" };
	struct iob_result *r = found_until(run_while, &c, "not-steady", "throttled short-run");
	ck_assert_double_ge(found_number(r, "not-steady", "excursion"), 0.4);
	iob_result_free(r);
	limit(1000);
	on_disk("runtime=10s queue_depth=4", "throttled", "not-steady short-run");
	limit(0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("findings_time");
	TCase *t = tcase_create("live");
	tcase_set_timeout(t, 180);
	tcase_add_loop_test(t, a_clean_run_is_clean, 0, 5);
	tcase_add_test(t, psync_does_not_reach_depth_32);
	tcase_add_test(t, one_at_a_time);
	tcase_add_test(t, null_is_bound_by_the_core);
	tcase_add_test(t, others_take_the_core);
	tcase_add_test(t, the_hypervisor_takes_time);
	tcase_add_loop_test(t, the_clock_is_not_the_tsc, 0, 2);
	tcase_add_test(t, a_limit_is_no_device);
	tcase_add_test(t, it_stands_still_for_a_second);
	tcase_add_test(t, a_limit_that_changes_half_way);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	int rc = dev_begin();
	if (!rc)
		rc = found_disk(&disk);
	if (rc)
		work_skip("a loop device", rc);
	return iob_test_run(suite());
}
