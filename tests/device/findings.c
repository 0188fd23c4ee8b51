/* SPDX-License-Identifier: MIT */
/* Findings on live runs: each provoked for real, and absent from a clean run of the
 * same shape. ctest: serial timeout=400 */
#include "support/device.h"
#include "support/seeds.h"
#include "support/test.h"
#include "support/work.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MIB = 1 << 20,
	SIZE = 128 * MIB
};

static struct dev disk; /* a loop device with random data */

static void has(const struct iob_result *r, const char *code, int there)
{
	const struct iob_finding *f = seed_finding(r, code);
	if (there)
		ck_assert_msg(f != NULL, "no %s", code);
	else
		ck_assert_msg(!f, "%s: %s", code, f ? f->message : "");
}

/* Nothing in it but what a short run at depth 1 may have. */
static void clean(const struct iob_result *r)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++) {
		const struct iob_finding *f = iob_result_finding(r, i);
		ck_assert_msg(f->severity == IOB_SEVERITY_NOTE || !strcmp(f->code, "short-run") ||
				      !strcmp(f->code, "steal"),
			      "%s: %s", f->code, f->message);
	}
}

static struct iob_result *run(const char *parameters)
{
	return work_run(parameters, disk.path, IOB_TARGET_ALLOW_DESTROY);
}

START_TEST(a_clean_run_is_clean)
{
	static const char *const runs[] = { "runtime=1s", "runtime=1s queue_depth=16",
					    "runtime=1s engine=psync workers=2",
					    "runtime=1s block_size=64k pattern=sequential",
					    "runtime=1s read_percent=0 fsync_every=16" };
	struct iob_result *r = run(runs[_i]);
	clean(r);
	iob_result_free(r);
}
END_TEST

START_TEST(psync_does_not_reach_depth_32)
{
	struct iob_result *r = run("runtime=1s engine=psync queue_depth=32");
	has(r, "depth-not-reached", 1);
	const struct iob_finding *f = seed_finding(r, "depth-not-reached");
	ck_assert_double_eq(seed_number(f, "asked"), 32);
	ck_assert_double_eq_tol(seed_number(f, "reached"), 1, 0.1);
	has(r, "harness-bound", 0);
	iob_result_free(r);
	r = run("runtime=1s engine=psync workers=2");
	has(r, "depth-not-reached", 0);
	iob_result_free(r);
}
END_TEST

START_TEST(the_page_cache_serves)
{
	struct dev fs;
	char path[300];
	int rc = dev_ext4(96 * MIB, &fs);
	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	snprintf(path, sizeof(path), "%s/cached", fs.path);
	work_file(path, 32 * MIB, 7);
	free(work_read(path, 32 * MIB));
	struct iob_result *r = work_run("runtime=500ms direct=false", path, 0);
	has(r, "cache-served", 1);
	ck_assert_double_le(seed_number(seed_finding(r, "cache-served"), "share"), 0.5);
	has(r, "unwritten", 0);
	iob_result_free(r);
	r = work_run("runtime=500ms direct=true", path, 0);
	has(r, "cache-served", 0);
	has(r, "direct-not-honoured", 0);
	has(r, "small-working-set", 1);
	iob_result_free(r);
}
END_TEST

/* tmpfs takes O_DIRECT from Linux 6.6 on, and reads memory. */
START_TEST(tmpfs_does_not_honour_direct)
{
	struct iob_error err;
	int fd = open("/dev/shm/iobench-direct", O_CREAT | O_RDWR | O_TRUNC | O_DIRECT, 0600);
	if (fd < 0)
		return;
	close(fd);
	work_file("/dev/shm/iobench-direct", 4 * MIB, 7);
	struct iob_workload *w =
		work("runtime=200ms engine=psync direct=true", "/dev/shm/iobench-direct", 0);
	struct iob_result *r = iob_workload_run(w, &err);
	unlink("/dev/shm/iobench-direct");
	if (r)
		has(r, "direct-not-honoured", 1);
	iob_result_free(r);
	iob_workload_free(w);
}
END_TEST

START_TEST(what_was_never_written)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/sparse", dev_dir());
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 8 * MIB), 0);
	close(fd);
	struct iob_result *r = work_run("runtime=200ms direct=false", path, 0);
	has(r, "unwritten", 1);
	ck_assert_double_eq_tol(seed_number(seed_finding(r, "unwritten"), "holes"), 1, 1e-9);
	iob_result_free(r);
	work_file(path, 8 * MIB, 7);
	r = work_run("runtime=200ms direct=false", path, 0);
	has(r, "unwritten", 0);
	iob_result_free(r);
	unlink(path);

	struct dev zram;
	int rc = dev_zram(64 * MIB, 0, &zram);
	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	r = work_run("runtime=1s queue_depth=4 block_size=4k engine=psync", zram.path, 0);
	has(r, "unwritten", 1);
	ck_assert_double_ge(seed_number(seed_finding(r, "unwritten"), "blocks_seen"), 8);
	iob_result_free(r);
	iob_result_free(work_run("runtime=0 io_size=64m block_size=1m read_percent=0", zram.path,
				 IOB_TARGET_ALLOW_DESTROY));
	r = work_run("runtime=1s engine=psync", zram.path, 0);
	has(r, "unwritten", 0);
	iob_result_free(r);
}
END_TEST

START_TEST(what_is_written)
{
	struct iob_result *r = run("runtime=300ms read_percent=0 buffer=zero");
	has(r, "zero-buffers", 1);
	has(r, "unflushed", 1);
	iob_result_free(r);
	r = run("runtime=300ms read_percent=0 sync=data");
	has(r, "zero-buffers", 0);
	has(r, "unflushed", 0);
	iob_result_free(r);
	/* data again where the zeros are */
	iob_result_free(run("runtime=0 io_size=128m block_size=1m read_percent=0 seed=1"));
}
END_TEST

START_TEST(regions_and_samples)
{
	struct iob_result *r = run("runtime=500ms size=4m");
	has(r, "small-working-set", 1);
	has(r, "low-coverage", 0);
	iob_result_free(r);
	r = run("runtime=0 io_size=1m");
	has(r, "small-working-set", 0);
	has(r, "few-samples", 1);
	has(r, "low-coverage", 1);
	has(r, "short-run", 1);
	ck_assert_double_eq(seed_number(seed_finding(r, "few-samples"), "samples"), 256);
	iob_result_free(r);
	r = run("runtime=0 io_size=256m block_size=4k queue_depth=16");
	has(r, "few-samples", 0);
	has(r, "low-coverage", 0);
	iob_result_free(r);
}
END_TEST

/* No I/O at all leaves a worker nothing to wait for but the core. */
START_TEST(null_is_bound_by_the_core)
{
	struct iob_result *r = work_run("engine=null size=1g runtime=500ms", NULL, 0);
	has(r, "cpu-bound", 1);
	has(r, "harness-bound", 0);
	has(r, "depth-not-reached", 0);
	iob_result_free(r);
	r = run("runtime=1s queue_depth=1");
	has(r, "cpu-bound", 0);
	iob_result_free(r);
}
END_TEST

START_TEST(requests_are_split)
{
	char path[300];
	struct iob_result *r = run("runtime=500ms block_size=64k");
	has(r, "request-split", 0);
	iob_result_free(r);
	snprintf(path, sizeof(path), "/sys/block/%s/queue/max_sectors_kb",
		 strrchr(disk.path, '/') + 1);
	ck_assert_int_eq(dev_setting(path, "64"), 0);
	r = run("runtime=500ms block_size=1m");
	has(r, "request-split", 1);
	ck_assert_double_eq_tol(
		seed_number(seed_finding(r, "request-split"), "requests_per_io"), 16, 0.2);
	iob_result_free(r);
	ck_assert_int_eq(dev_setting(path, "1280"), 0);
}
END_TEST

static volatile int reading;

static void *read_on(void *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	char *buf = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (off_t at = 0; reading && fd >= 0; at = (at + MIB) % SIZE)
		if (pread(fd, buf, MIB, at) < 0)
			break;
	munmap(buf, MIB);
	close(fd);
	return NULL;
}

START_TEST(somebody_else_reads)
{
	pthread_t other;
	reading = 1;
	ck_assert_int_eq(pthread_create(&other, NULL, read_on, disk.path), 0);
	struct iob_result *r = run("runtime=1s");
	reading = 0;
	pthread_join(other, NULL);
	has(r, "foreign-io", 1);
	iob_result_free(r);
	r = run("runtime=1s");
	has(r, "foreign-io", 0);
	iob_result_free(r);
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
	limit(1000);
	struct iob_result *r = run("runtime=7s queue_depth=8 engine=io_uring");
	has(r, "throttled", 1);
	has(r, "stall", 0);
	has(r, "depth-not-reached", 0);
	ck_assert_double_ge(seed_number(seed_finding(r, "throttled"), "far_time"), 0.8);
	iob_result_free(r);
	limit(0);
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

static struct iob_result *run_while(struct later *l, const char *parameters)
{
	pthread_t other;
	ck_assert_int_eq(pthread_create(&other, NULL, change_later, l), 0);
	struct iob_result *r = run(parameters);
	pthread_join(other, NULL);
	limit(0);
	return r;
}

START_TEST(it_stands_still_for_a_second)
{
	struct later l = { 1000000, 1500000, 1, 0 };
	limit(100000);
	struct iob_result *r = run_while(&l, "runtime=4s");
	has(r, "stall", 1);
	ck_assert_double_ge(seed_number(seed_finding(r, "stall"), "longest_ns"), 0.5e9);
	iob_result_free(r);
	r = run("runtime=2s");
	has(r, "stall", 0);
	iob_result_free(r);
}
END_TEST

START_TEST(a_limit_that_changes_half_way)
{
	struct later l = { 5000000, 5500000, 600, 0 };
	limit(1000);
	struct iob_result *r = run_while(&l, "runtime=10s");
	has(r, "not-steady", 1);
	has(r, "throttled", 0);
	has(r, "short-run", 0);
	ck_assert_double_ge(seed_number(seed_finding(r, "not-steady"), "excursion"), 0.4);
	iob_result_free(r);
	limit(1000);
	r = run("runtime=10s queue_depth=4");
	has(r, "not-steady", 0);
	has(r, "throttled", 1);
	iob_result_free(r);
	limit(0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("findings");
	TCase *t = tcase_create("live");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_clean_run_is_clean, 0, 5);
	tcase_add_test(t, psync_does_not_reach_depth_32);
	tcase_add_test(t, the_page_cache_serves);
	tcase_add_test(t, tmpfs_does_not_honour_direct);
	tcase_add_test(t, what_was_never_written);
	tcase_add_test(t, what_is_written);
	tcase_add_test(t, regions_and_samples);
	tcase_add_test(t, null_is_bound_by_the_core);
	tcase_add_test(t, requests_are_split);
	tcase_add_test(t, somebody_else_reads);
	tcase_add_test(t, a_limit_is_no_device);
	tcase_add_test(t, it_stands_still_for_a_second);
	tcase_add_test(t, a_limit_that_changes_half_way);
	suite_add_tcase(s, t);
	return s;
}

/* Data that is none of zeros, before the tests fork. */
static int fill(void)
{
	static uint64_t block[MIB / sizeof(uint64_t)];
	uint64_t x = 88172645463325252;
	int fd = open(disk.path, O_WRONLY), rc = fd < 0;
	for (int i = 0; i < SIZE / MIB && !rc; i++) {
		for (size_t k = 0; k < MIB / sizeof(*block); k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			block[k] = x;
		}
		rc = write(fd, block, MIB) != MIB;
	}
	rc = rc || fsync(fd) || close(fd);
	return rc;
}

int main(void)
{
	int rc = dev_begin();
	if (!rc)
		rc = dev_loop(SIZE, 0, &disk);
	if (rc)
		work_skip("a loop device", rc);
	return fill() ? EXIT_FAILURE : iob_test_run(suite());
}
