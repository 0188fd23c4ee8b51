/* SPDX-License-Identifier: MIT */
/* Engines on a real block device, at their own seam: discard, flush, and a
 * device that fails. */
#include "engine/engines.h"
#include "support/device.h"
#include "support/rig.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct iob_engine_ops *const all[] = { &iobi_engine_psync, &iobi_engine_mmap,
						    &iobi_engine_libaio, &iobi_engine_io_uring,
						    &iobi_engine_posixaio };
enum { N = 4 + RIG_POSIXAIO, MB = 1 << 20 };

static struct dev loop;

static void make_loop(const char *file)
{
	ck_assert_int_eq(dev_loop_over(file, 512, &loop), 0);
}

START_TEST(written_data_is_there)
{
	const int direct = all[_i]->caps & IOB_ENGINE_BUFFERED_ONLY ? 0 : O_DIRECT;
	struct rig r;

	make_loop(rig_file(4 * MB));
	rig_init(&r, all[_i], loop.path, O_RDWR | direct, 32, 65536);
	ck_assert_uint_eq(r.target.size, 4 * MB);
	rig_start(&r);
	for (unsigned i = 0; i < 32; i++) {
		rig_io(&r, i, IOB_OP_WRITE, (uint64_t)i * 2 * 65536, 65536);
		rig_fill(rig_buf(&r, i), r.io[i].offset, 65536, 7);
	}
	rig_run(&r, 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_int_eq(r.io[i].result, 65536);
	for (unsigned i = 0; i < 32; i++) {
		int n = (int)pread(r.target.fd, rig_buf(&r, 0), 65536, (off_t)r.io[i].offset);

		ck_assert_int_eq(n, 65536);
		rig_check(rig_buf(&r, 0), r.io[i].offset, 65536, 7);
		n = (int)pread(r.target.fd, rig_buf(&r, 0), 65536, (off_t)r.io[i].offset + 65536);
		ck_assert_int_eq(n, 65536);
		rig_check(rig_buf(&r, 0), r.io[i].offset + 65536, 65536, 0);
	}
	rig_close(&r);
}
END_TEST

static int is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return 0;
	}
	return 1;
}

START_TEST(discarded_data_is_gone)
{
	struct rig r;

	if (!(all[_i]->caps & IOB_ENGINE_TRIM))
		return;
	make_loop(rig_file(4 * MB));
	rig_init(&r, all[_i], loop.path, O_RDWR | O_DIRECT, 4, 65536);
	r.env.caps_wanted = IOB_ENGINE_TRIM;
	rig_start(&r); /* which asks whether it can, and discards nothing */
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 0, 65536), 65536);
	rig_check(rig_buf(&r, 0), 0, 65536, 0);
	rig_io(&r, 0, IOB_OP_TRIM, MB, 65536);
	rig_io(&r, 1, IOB_OP_READ, 2 * MB, 65536);
	rig_run(&r, 2);
	ck_assert_int_eq(r.io[0].result, 65536);
	ck_assert_int_eq(r.io[1].result, 65536);
	rig_check(rig_buf(&r, 1), 2 * MB, 65536, 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, MB, 65536), 65536);
	ck_assert(is_zero(rig_buf(&r, 0), 65536));
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, MB - 65536, 65536), 65536);
	rig_check(rig_buf(&r, 0), MB - 65536, 65536, 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, MB + 65536, 65536), 65536);
	rig_check(rig_buf(&r, 0), MB + 65536, 65536, 0);
	ck_assert_int_eq(rig_one(&r, IOB_OP_TRIM, 100, 512), -EINVAL);
	rig_close(&r);
}
END_TEST

/* zram takes no request that may not wait, as io_uring first tries. */
START_TEST(discard_on_zram)
{
	struct dev zram;
	struct rig r;
	const int rc = dev_zram(4 * MB, 0, &zram);

	if (dev_missing(rc))
		return;
	ck_assert_int_eq(rc, 0);
	rig_init(&r, &iobi_engine_io_uring, zram.path, O_RDWR | O_DIRECT, 4, 65536);
	r.env.caps_wanted = IOB_ENGINE_TRIM;
	rig_start(&r);
	rig_fill(rig_buf(&r, 0), 0, 65536, 7);
	ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 0, 65536), 65536);
	ck_assert_int_eq(rig_one(&r, IOB_OP_TRIM, 0, 65536), 65536);
	ck_assert_int_eq(rig_one(&r, IOB_OP_READ, 0, 65536), 65536);
	ck_assert(is_zero(rig_buf(&r, 0), 65536));
	rig_close(&r);
}
END_TEST

/* A descriptor that is not for writing: the probe says so, and harms nothing. */
START_TEST(discard_refused)
{
	struct iob_error err = { 0 };
	struct rig r;

	make_loop(rig_file(MB));
	rig_init(&r, &iobi_engine_io_uring, loop.path, O_RDONLY, 4, 4096);
	r.env.caps_wanted = IOB_ENGINE_TRIM;
	ck_assert_int_eq(rig_open(&r, &err), -EBADF);
	ck_assert_str_eq(err.where, "trim_percent");
	ck_assert_str_eq(err.file, loop.path);
	ck_assert_ptr_nonnull(strstr(err.message, "6.12"));
	ck_assert_ptr_nonnull(strstr(err.message, "use engine psync"));
	rig_close(&r);
}
END_TEST

static unsigned long long sectors_written(const char *path)
{
	char file[128];
	unsigned long long v = 0;
	FILE *f;

	snprintf(file, sizeof(file), "/sys/block/%s/stat", strrchr(path, '/') + 1);
	f = fopen(file, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%*u %*u %*u %*u %*u %*u %llu", &v), 1);
	fclose(f);
	return v;
}

/* Buffered writes reach the device by the sync, not before, and with it. */
START_TEST(sync_flushes)
{
	unsigned long long before;
	struct rig r;

	make_loop(rig_file(4 * MB));
	rig_init(&r, all[_i], loop.path, O_RDWR, 4, 65536);
	r.env.caps_wanted = IOB_ENGINE_FSYNC;
	rig_start(&r);
	before = sectors_written(loop.path);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, (uint64_t)i * MB, 65536), 65536);
	ck_assert_uint_eq(sectors_written(loop.path), before);
	ck_assert_int_eq(rig_one(&r, IOB_OP_SYNC, 0, 0), 0);
	ck_assert_uint_ge(sectors_written(loop.path) - before, 4 * 65536 / 512);
	rig_close(&r);
}
END_TEST

/* sync=data: each write of a mapping is on the device when it is done. */
START_TEST(mmap_syncs_each_write)
{
	for (unsigned sync = 1; sync <= 2; sync++) {
		unsigned long long before;
		struct rig r;

		make_loop(rig_file(MB));
		rig_init(&r, &iobi_engine_mmap, loop.path, O_RDWR, 1, 65536);
		r.env.sync = sync;
		rig_start(&r);
		before = sectors_written(loop.path);
		memset(rig_buf(&r, 0), 3, 65536);
		ck_assert_int_eq(rig_one(&r, IOB_OP_WRITE, 65536 + 512, 65536), 65536);
		ck_assert_uint_ge(sectors_written(loop.path) - before, 65536 / 512);
		rig_close(&r);
	}
}
END_TEST

/* The file under the loop device is cut: reads there fail, others do not. */
START_TEST(a_device_that_fails)
{
	const int direct = all[_i]->caps & IOB_ENGINE_BUFFERED_ONLY ? 0 : O_DIRECT;
	char file[256];
	struct rig r;

	snprintf(file, sizeof(file), "%s", rig_file(4 * MB));
	make_loop(file);
	ck_assert_int_eq(truncate(file, MB), 0);
	rig_init(&r, all[_i], loop.path, O_RDONLY | direct, 4, 65536);
	rig_start(&r);
	rig_io(&r, 0, IOB_OP_READ, 0, 65536);
	rig_io(&r, 1, IOB_OP_READ, 2 * MB, 65536);
	rig_io(&r, 2, IOB_OP_READ, 65536, 65536);
	rig_run(&r, 3);
	ck_assert_int_eq(r.io[0].result, 65536);
	ck_assert_int_eq(r.io[1].result, -EIO);
	ck_assert_int_eq(r.io[2].result, 65536);
	rig_check(rig_buf(&r, 2), 65536, 65536, 0);
	rig_close(&r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("engines on a device");
	TCase *c = tcase_create("loop");

	tcase_add_loop_test(c, written_data_is_there, 0, N);
	tcase_add_loop_test(c, discarded_data_is_gone, 0, N);
	tcase_add_test(c, discard_on_zram);
	tcase_add_test(c, discard_refused);
	tcase_add_loop_test(c, sync_flushes, 0, N);
	tcase_add_test(c, mmap_syncs_each_write);
	tcase_add_loop_test(c, a_device_that_fails, 0, N);
	suite_add_tcase(s, c);
	return s;
}

int main(void)
{
	struct dev probe;
	int error = dev_begin();

	if (!error)
		error = dev_loop(MB, 0, &probe);
	if (dev_missing(error)) {
		printf("skipped: no loop device here: %s\n", strerror(-error));
		return IOB_TEST_SKIPPED;
	}
	return iob_test_run(suite());
}
