/* SPDX-License-Identifier: MIT */
/* Devices that fail, made to fail for real: the result carries the errno, the offset
 * and the count, and what was measured before is kept. */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	MB = 1 << 20
};
static int have_loop, have_zram;

static const char *direct_for(const struct iob_engine_ops *e)
{
	return e->caps & IOB_ENGINE_BUFFERED_ONLY ? "false" : "true";
}

struct later {
	pthread_t thread;
	const char *path;
	off_t size;
	useconds_t delay;
};

static void *truncate_later(void *arg)
{
	struct later *l = arg;
	usleep(l->delay);
	return truncate(l->path, l->size) ? arg : NULL;
}

static void start_truncation(struct later *l, const char *path, off_t size, useconds_t delay)
{
	l->path = path;
	l->size = size;
	l->delay = delay;
	ck_assert_int_eq(pthread_create(&l->thread, NULL, truncate_later, l), 0);
}

static void end_truncation(struct later *l)
{
	void *failed;
	pthread_join(l->thread, &failed);
	ck_assert_ptr_null(failed);
}

/* What every failed run must still say. */
static void check_failed(const struct iob_result *r, enum iob_op op, int code, const char *file,
			 uint64_t offset_least)
{
	const struct iob_error *err = iob_result_error(r);
	ck_assert_uint_ne(iob_result_flags(r) & IOB_RESULT_ERRORS, 0);
	ck_assert_ptr_nonnull(err);
	ck_assert_msg(err->code == code, "errno %d (%s), not %d", err->code, err->message, code);
	ck_assert_str_eq(err->where, op == IOB_OP_READ ? "read" : "write");
	ck_assert_str_eq(err->file, file);
	ck_assert_uint_ge(err->offset, offset_least);
	ck_assert_uint_eq(err->offset % 4096, 0);
	ck_assert_ptr_nonnull(strstr(err->message, strerrorname_np(code)));
	ck_assert_uint_ge(iob_result_count(r, op, IOB_COUNT_ERRORS), 1);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_BYTES),
			  iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS) * 4096);
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE)),
			  iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS));
}

static struct iob_result *run_truncated(const struct iob_engine_ops *e, struct dev *dev,
					const char *on_error)
{
	char text[256];
	struct later l;
	int cached = (e->caps & IOB_ENGINE_BUFFERED_ONLY) != 0;
	ck_assert_int_eq(dev_loop(32 * MB, 0, dev), 0);
	snprintf(text, sizeof(text),
		 "engine=%s direct=%s queue_depth=4 workers=%d pattern=%s runtime=1500ms "
		 "on_error=%s",
		 e->name, direct_for(e), cached ? 1 : 2, cached ? "sequential" : "random",
		 on_error);
	/* The page cache would hold it all by then: it finds the end on its way. */
	start_truncation(&l, dev->backing, 16 * MB, cached ? 0 : 300000);
	if (cached)
		end_truncation(&l);
	struct iob_result *r = work_run(text, dev->path, 0);
	if (!cached)
		end_truncation(&l);
	return r;
}

START_TEST(backing_file_truncated_stops)
{
	struct dev dev;
	struct iob_result *r = run_truncated(work_engine((size_t)_i), &dev, "stop");
	check_failed(r, IOB_OP_READ, EIO, dev.path, 16 * MB);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 20);
	/* Each of 2 workers had at most its 4 in flight fail. */
	ck_assert_uint_le(iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS), 8);
	iob_result_free(r);
}
END_TEST

START_TEST(backing_file_truncated_goes_on)
{
	struct dev dev;
	struct iob_result *r = run_truncated(work_engine((size_t)_i), &dev, "continue");
	check_failed(r, IOB_OP_READ, EIO, dev.path, 16 * MB);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS), 8);
	ck_assert_uint_ge(iob_result_elapsed_ns(r), 1500000000);
	ck_assert_uint_eq(iob_result_target(r, 0)->errors,
			  iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS));
	iob_result_free(r);
}
END_TEST

/* A file that shrinks gives no error but fewer bytes: not a whole I/O either. */
START_TEST(file_truncated_is_short)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	char text[256], path[512];
	struct later l;
	if (e->caps & IOB_ENGINE_BUFFERED_ONLY)
		return; /* mapped pages past the end are SIGBUS to anybody */
	snprintf(path, sizeof(path), "%s/shrinks-%d", dev_dir(), _i);
	work_file(path, 32 * MB, 1);
	snprintf(text, sizeof(text), "engine=%s queue_depth=4 runtime=1500ms on_error=continue",
		 e->name);
	start_truncation(&l, path, 16 * MB, 300000);
	struct iob_result *r = work_run(text, path, 0);
	end_truncation(&l);
	ck_assert_uint_ne(iob_result_flags(r) & IOB_RESULT_ERRORS, 0);
	ck_assert_uint_ge(iob_result_count(r, IOB_OP_READ, IOB_COUNT_SHORT), 1);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 20);
	ck_assert_ptr_nonnull(iob_result_error(r));
	ck_assert_uint_ge(iob_result_error(r)->offset, 16 * MB);
	iob_result_free(r);
	unlink(path);
}
END_TEST

/* Data that does not compress fills the memory it may use. */
START_TEST(zram_is_full)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	struct dev dev;
	char text[256];
	if (e->caps & IOB_ENGINE_BUFFERED_ONLY)
		return; /* its writes reach the device after the run */
	ck_assert_int_eq(dev_zram(32 * MB, 8 * MB, &dev), 0);
	snprintf(text, sizeof(text), "engine=%s read_percent=0 queue_depth=4 runtime=0 io_size=32m",
		 e->name);
	struct iob_result *r = work_run(text, dev.path, IOB_TARGET_ALLOW_DESTROY);
	check_failed(r, IOB_OP_WRITE, EIO, dev.path, 0);
	uint64_t ios = iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS);
	ck_assert_uint_gt(ios, 1500);
	ck_assert_uint_lt(ios, 2049);
	iob_result_free(r);
}
END_TEST

/* A file of holes on a file system without a block left. */
START_TEST(file_system_is_full)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	struct dev dev;
	char text[256], path[512];
	if (e->caps & IOB_ENGINE_BUFFERED_ONLY)
		return;
	ck_assert_int_eq(dev_ext4(32 * MB, &dev), 0);
	snprintf(path, sizeof(path), "%s/holes", dev.path);
	work_file(path, 0, 0);
	ck_assert_int_eq(truncate(path, 16 * MB), 0);
	ck_assert_int_eq(dev_fill(dev.path, MB), 0);
	snprintf(text, sizeof(text), "engine=%s read_percent=0 queue_depth=4 runtime=0 io_size=16m",
		 e->name);
	struct iob_result *r = work_run(text, path, IOB_TARGET_ALLOW_DESTROY);
	check_failed(r, IOB_OP_WRITE, ENOSPC, path, 0);
	ck_assert_uint_gt(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS), 100);
	ck_assert_uint_lt(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS), 500);
	iob_result_free(r);
}
END_TEST

/* SIGXFSZ comes with it, and must not reach the program. */
START_TEST(file_size_limit)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	char text[256], path[512];
	struct rlimit limit = { 4 * MB, 4 * MB };
	if (e->caps & IOB_ENGINE_BUFFERED_ONLY)
		return; /* no limit on stores to memory */
	snprintf(path, sizeof(path), "%s/limited-%d", dev_dir(), _i);
	work_file(path, 8 * MB, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	snprintf(text, sizeof(text),
		 "engine=%s read_percent=0 pattern=sequential runtime=0 io_size=8m", e->name);
	struct iob_result *r = work_run(text, path, IOB_TARGET_ALLOW_DESTROY);
	check_failed(r, IOB_OP_WRITE, EFBIG, path, 4 * MB);
	ck_assert_uint_eq(iob_result_error(r)->offset, 4 * MB);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS), 1024);
	iob_result_free(r);
	unlink(path);
}
END_TEST

static void look_around(void)
{
	struct dev dev;
	int error = dev_begin();
	if (error)
		work_skip("a scratch directory", error);
	error = dev_loop(MB, 0, &dev);
	have_loop = !error;
	if (error)
		printf("without loop devices: %s\n", strerror(-error));
	error = dev_zram(MB, 0, &dev);
	have_zram = !error;
	if (error)
		printf("without zram: %s\n", strerror(-error));
}

static Suite *suite(void)
{
	Suite *s = suite_create("io_errors");
	TCase *t = tcase_create("io_errors");
	int engines = (int)work_engine_count();
	look_around();
	tcase_add_loop_test(t, file_truncated_is_short, 0, engines);
	tcase_add_loop_test(t, file_size_limit, 0, engines);
	if (have_zram)
		tcase_add_loop_test(t, zram_is_full, 0, engines);
	if (have_loop) {
		tcase_add_loop_test(t, file_system_is_full, 0, engines);
		tcase_add_loop_test(t, backing_file_truncated_stops, 0, engines);
		tcase_add_loop_test(t, backing_file_truncated_goes_on, 0, engines);
	}
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
