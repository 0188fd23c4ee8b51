/* SPDX-License-Identifier: MIT */
/* Findings about data, caches and devices on live runs: each provoked for real, and
 * absent from a clean run of the same shape. ctest: serial timeout=400 */
#include "support/device.h"
#include "support/found.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MIB = 1 << 20
};

static struct dev disk; /* a loop device with random data */

static void on_disk(const char *parameters, const char *with, const char *without)
{
	found_on(disk.path, parameters, with, without);
}

/* ---- caches ---- */

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
	const struct found_plain cached = { "runtime=0 io_size=64m block_size=64k direct=false",
					    path };
	struct iob_result *r = found_until(found_plain, &cached, "cache-served", "unwritten");
	ck_assert_double_le(found_number(r, "cache-served", "share"), 0.5);
	iob_result_free(r);
	found_on(path, "runtime=0 io_size=64m block_size=64k direct=true", "small-working-set",
		 "cache-served direct-not-honoured unwritten");
}
END_TEST

/* tmpfs takes O_DIRECT from Linux 6.6 on, and reads memory. */
START_TEST(tmpfs_does_not_honour_direct)
{
	static const char path[] = "/dev/shm/iobench-direct";
	int fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_DIRECT, 0600);
	if (fd < 0)
		return;
	close(fd);
	work_file(path, 4 * MIB, 7);
	struct iob_workload *w = work("runtime=0 io_size=4m engine=psync direct=true", path, 0);
	struct iob_result *r = iob_workload_run(w, NULL);
	unlink(path);
	ck_assert(!r || seed_finding(r, "direct-not-honoured"));
	iob_result_free(r);
	iob_workload_free(w);
}
END_TEST

START_TEST(holes_of_a_file)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/sparse", dev_dir());
	int fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 8 * MIB), 0);
	close(fd);
	const struct found_plain sparse = { "runtime=0 io_size=4m direct=false", path };
	struct iob_result *r = found_until(found_plain, &sparse, "unwritten", NULL);
	ck_assert_double_eq_tol(found_number(r, "unwritten", "holes"), 1, 1e-9);
	iob_result_free(r);
	work_file(path, 8 * MIB, 7);
	found_on(path, "runtime=0 io_size=4m direct=false", NULL, "unwritten");
	unlink(path);
}
END_TEST

START_TEST(zeros_of_a_device)
{
	struct dev zram;
	int rc = dev_zram(64 * MIB, 0, &zram);
	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	const struct found_plain fresh = { "runtime=1s engine=psync queue_depth=4", zram.path };
	struct iob_result *r = found_until(found_plain, &fresh, "unwritten", NULL);
	ck_assert_double_ge(found_number(r, "unwritten", "blocks_seen"), 8);
	iob_result_free(r);
	found_on(zram.path, "runtime=200ms", "unwritten", NULL); /* depth 1, and soon over */
	found_on(zram.path, "runtime=0 io_size=64m block_size=1m read_percent=0", NULL, NULL);
	found_on(zram.path, "runtime=1s engine=psync", NULL, "unwritten");
	found_on(zram.path, "runtime=200ms", NULL, "unwritten");
	/* At a low rate most buffers of a deep queue are never read into. */
	found_on(zram.path, "runtime=3s arrival=fixed rate_iops=200 queue_depth=256", NULL,
		 "unwritten");
}
END_TEST

/* The few buffers in use are found among all, wherever they are. */
START_TEST(zeros_at_a_low_rate)
{
	struct dev zram;
	int rc = dev_zram(64 * MIB, 0, &zram);
	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	const struct found_plain fresh = { "runtime=3s arrival=fixed rate_iops=200 queue_depth=256",
					   zram.path };
	struct iob_result *r = found_until(found_plain, &fresh, "unwritten", NULL);
	ck_assert_double_eq_tol(found_number(r, "unwritten", "zero_blocks"), 1, 1e-9);
	iob_result_free(r);
}
END_TEST

START_TEST(what_is_written)
{
	on_disk("runtime=0 io_size=4m block_size=64k read_percent=0 buffer=zero",
		"zero-buffers unflushed", NULL);
	on_disk("runtime=0 io_size=4m block_size=64k read_percent=0 compress_percent=100",
		"zero-buffers", NULL);
	on_disk("runtime=0 io_size=4m block_size=64k read_percent=0 sync=data", NULL,
		"zero-buffers unflushed");
	on_disk("runtime=0 io_size=4m block_size=64k read_percent=0 end_sync=true", NULL,
		"unflushed");
	on_disk("runtime=0 io_size=4m block_size=64k read_percent=0 direct=false", "unflushed",
		NULL);
	/* data again where the zeros are */
	on_disk("runtime=0 io_size=128m block_size=1m read_percent=0 seed=1", NULL, NULL);
}
END_TEST

START_TEST(regions_and_samples)
{
	on_disk("runtime=0 io_size=8m size=4m", "small-working-set", "low-coverage");
	const struct found_plain few = { "runtime=0 io_size=1m", disk.path };
	struct iob_result *r = found_until(found_plain, &few, "few-samples low-coverage short-run",
					   "small-working-set");
	ck_assert_double_eq(found_number(r, "few-samples", "samples"), 256);
	ck_assert_double_eq(found_number(r, "low-coverage", "coverage"), 1.0 / 128);
	iob_result_free(r);
	on_disk("runtime=0 io_size=256m block_size=4k queue_depth=16", NULL,
		"few-samples low-coverage small-working-set");
}
END_TEST

/* What the user declares holds for runs too. */
START_TEST(declared_limits)
{
	on_disk("runtime=0 io_size=4m link_limit=1kB/s round_trip=10s",
		"above-link below-round-trip", NULL);
	on_disk("runtime=0 io_size=4m link_limit=1000GB/s round_trip=1ns", NULL,
		"above-link below-round-trip");
}
END_TEST

/* ---- devices ---- */

static const char *setting(const char *name)
{
	static char path[300];
	snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", strrchr(disk.path, '/') + 1, name);
	return path;
}

START_TEST(requests_are_split)
{
	const struct found_plain large = { "runtime=0 io_size=64m block_size=1m", disk.path };
	on_disk("runtime=0 io_size=64m block_size=64k", NULL, "request-split");
	on_disk("runtime=0 io_size=4m sync=data read_percent=0", NULL, "request-split");
	on_disk("runtime=0 io_size=4m fsync_every=1 read_percent=50", NULL, "request-split");
	ck_assert_int_eq(dev_setting(setting("max_sectors_kb"), "64"), 0);
	struct iob_result *r = found_until(found_plain, &large, "request-split", NULL);
	ck_assert_double_eq_tol(found_number(r, "request-split", "requests_per_io"), 16, 0.2);
	iob_result_free(r);
	ck_assert_int_eq(dev_setting(setting("max_sectors_kb"), "1280"), 0);
}
END_TEST

/* No counters are no idle device, and no cache either. */
START_TEST(counters_that_are_off)
{
	ck_assert_int_eq(dev_setting(setting("iostats"), "0"), 0);
	on_disk("runtime=0 io_size=16m block_size=64k", "counter-unavailable",
		"cache-served foreign-io request-split");
	ck_assert_int_eq(dev_setting(setting("iostats"), "1"), 0);
	on_disk("runtime=0 io_size=16m block_size=64k", NULL, "counter-unavailable cache-served");
}
END_TEST

static _Atomic int reading;

static void *read_on(void *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	char *buf = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (off_t at = 0; reading && fd >= 0; at = (at + MIB) % (32 * MIB))
		if (pread(fd, buf, MIB, at) < 0)
			break;
	munmap(buf, MIB);
	close(fd);
	return NULL;
}

static pthread_t start_reading(char *path)
{
	pthread_t other;
	reading = 1;
	ck_assert_int_eq(pthread_create(&other, NULL, read_on, path), 0);
	return other;
}

START_TEST(somebody_else_reads)
{
	pthread_t other = start_reading(disk.path);
	on_disk("runtime=1s", "foreign-io", NULL);
	reading = 0;
	pthread_join(other, NULL);
	on_disk("runtime=1s", NULL, "foreign-io");
}
END_TEST

/* This machine has no md, dm or btrfs: a zram device whose slaves are two loop
 * devices, as sysfs would tell of a stripe, of which one is read and the other idle. */
START_TEST(one_member_does_it_all)
{
	struct dev top, member[2];
	char dir[300], at[300], name[2][330];
	int rc = dev_zram(64 * MIB, 0, &top);
	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	snprintf(dir, sizeof(dir), "%s/slaves", dev_dir());
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(dev_loop(64 * MIB, 0, &member[i]), 0);
		const char *base = strrchr(member[i].path, '/') + 1;
		snprintf(name[i], sizeof(name[i]), "%s/%s", dir, base);
		snprintf(at, sizeof(at), "/sys/block/%s", base);
		ck_assert_int_eq(symlink(at, name[i]), 0);
	}
	found_on(top.path, "runtime=0 io_size=64m block_size=1m read_percent=0", NULL, NULL);
	snprintf(at, sizeof(at), "/sys/block/%s/slaves", strrchr(top.path, '/') + 1);
	found_cover(at, dir);
	pthread_t other = start_reading(member[1].path);
	const struct found_plain striped = { "runtime=1s engine=psync", top.path };
	struct iob_result *r = found_until(found_plain, &striped, "skew", NULL);
	const struct iob_finding *f = seed_finding(r, "skew");
	ck_assert_msg(strstr(f->message, strrchr(member[1].path, '/') + 1) == f->message, "%s",
		      f->message);
	ck_assert_double_eq(seed_number(f, "idle"), 1);
	iob_result_free(r);
	reading = 0;
	pthread_join(other, NULL);
	found_on(top.path, "runtime=1s engine=psync", NULL, "skew");
	found_uncover(at);
}
END_TEST

/* The second half of the device is gone. */
START_TEST(errors_are_told)
{
	struct dev half;
	ck_assert_int_eq(dev_loop(32 * MIB, 0, &half), 0);
	found_on(half.path, "runtime=0 io_size=16m", NULL, "errors");
	ck_assert_int_eq(truncate(half.backing, 16 * MIB), 0);
	const struct found_plain failing = {
		"runtime=0 io_size=16m on_error=continue engine=psync queue_depth=8", half.path
	};
	struct iob_result *r =
		found_until(found_plain, &failing, "errors depth-not-reached", "foreign-io");
	ck_assert_double_ge(found_number(r, "errors", "failed"), 1000);
	ck_assert_double_eq(found_number(r, "errors", "errno"), EIO);
	/* what failed was in flight as well */
	ck_assert_double_eq_tol(found_number(r, "depth-not-reached", "reached"), 1, 0.3);
	iob_result_free(r);
	/* Nothing went well: there is no latency and no stretch to speak of. */
	found_on(half.path, "runtime=0 io_size=16m offset=16m queue_depth=1", "errors",
		 "foreign-io depth-one-bound low-coverage");
	/* The device counts what failed: others did not do that. */
	found_on(half.path, "runtime=0 io_size=64m on_error=continue engine=psync", "errors",
		 "foreign-io depth-one-bound cache-served request-split");
	/* What did not fail came from the page cache. */
	found_on(half.path,
		 "size=20m runtime=0 io_size=200m on_error=continue engine=psync direct=false",
		 "errors cache-served", NULL);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("findings");
	TCase *t = tcase_create("live");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, the_page_cache_serves);
	tcase_add_test(t, tmpfs_does_not_honour_direct);
	tcase_add_test(t, holes_of_a_file);
	tcase_add_test(t, zeros_of_a_device);
	tcase_add_test(t, zeros_at_a_low_rate);
	tcase_add_test(t, what_is_written);
	tcase_add_test(t, regions_and_samples);
	tcase_add_test(t, declared_limits);
	tcase_add_test(t, requests_are_split);
	tcase_add_test(t, counters_that_are_off);
	tcase_add_test(t, somebody_else_reads);
	tcase_add_test(t, one_member_does_it_all);
	tcase_add_test(t, errors_are_told);
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
