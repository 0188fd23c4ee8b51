/* SPDX-License-Identifier: MIT */
/* What happens around the I/O: delays, the page cache, flushes, files that are
 * made and removed, and workloads that end others. */
#include "support/test.h"
#include "support/work.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/iobench-around-XXXXXX";

static const char *name_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void begin(void)
{
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void end(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static const struct iob_result *workload_of(const struct iob_result *r, size_t stage, size_t i)
{
	return iob_result_child(iob_result_child(r, stage), i);
}

static uint64_t ios(const struct iob_result *r, enum iob_op op)
{
	return iob_result_count(r, op, IOB_COUNT_IOS);
}

static struct iob_suite *suite_of(const char *const *parameters, size_t n)
{
	struct iob_suite *s = iob_suite_new(NULL);
	for (size_t i = 0; i < n; i++) {
		struct iob_workload *w = work(parameters[i], NULL, 0);
		if (!strcmp(parameters[i], "|"))
			ck_assert_int_eq(iob_suite_next_stage(s, NULL, NULL), 0);
		else
			ck_assert_int_eq(iob_suite_add(s, w, NULL), 0);
		iob_workload_free(w);
	}
	return s;
}

static struct iob_result *run_suite(const char *const *parameters, size_t n)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = suite_of(parameters, n);
	struct iob_result *r = iob_suite_run(s, &err);
	ck_assert_msg(r, "%s: %s", err.where, err.message);
	iob_suite_free(s);
	return r;
}

#define SLOW "engine=null size=1m "

START_TEST(start_delay)
{
	static const char *const w[] = { SLOW "runtime=500ms",
					 SLOW "runtime=200ms start_delay=300ms" };
	struct iob_result *r = run_suite(w, 2);
	const struct iob_result *a = workload_of(r, 0, 0), *b = workload_of(r, 0, 1);
	int64_t apart = (int64_t)(iob_result_started_ns(b) - iob_result_started_ns(a));
	ck_assert_msg(apart > 299000000 && apart < 400000000, "%lld ns", (long long)apart);
	ck_assert_uint_lt(iob_result_elapsed_ns(b), 300000000);
	ck_assert_uint_gt(ios(b, IOB_OP_READ), 0);
	iob_result_free(r);
}
END_TEST

START_TEST(cancelled_while_it_waits)
{
	static const char *const w[] = { SLOW "runtime=1s start_delay=60s" };
	struct iob_suite *s = suite_of(w, 1);
	struct iob_run *run = iob_run_start(s, NULL);
	ck_assert_int_eq(iob_run_wait(run, 100, NULL), 0);
	iob_run_cancel(run);
	ck_assert_int_eq(iob_run_wait(run, 1000, NULL), 1);
	struct iob_result *r = iob_run_result(run, NULL);
	ck_assert_uint_eq(ios(r, IOB_OP_ALL), 0);
	ck_assert(iob_result_flags(r) & IOB_RESULT_CANCELLED);
	iob_result_free(r);
	iob_run_free(run);
	iob_suite_free(s);
}
END_TEST

START_TEST(ends_the_stage)
{
	static const char *const w[] = { SLOW "runtime=60s", SLOW "runtime=200ms ends_others=stage",
					 "|", SLOW "runtime=100ms" };
	struct iob_result *r = run_suite(w, 4);
	uint64_t long_one = iob_result_elapsed_ns(workload_of(r, 0, 0));
	ck_assert_msg(long_one > 190000000 && long_one < 2000000000, "%llu",
		      (unsigned long long)long_one);
	ck_assert_uint_eq(iob_result_child_count(r), 2);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	iob_result_free(r);
}
END_TEST

START_TEST(ends_the_run)
{
	static const char *const w[] = { SLOW "runtime=60s", SLOW "ios=1 runtime=0 ends_others=run",
					 "|", SLOW "runtime=60s" };
	struct iob_result *r = run_suite(w, 4);
	ck_assert_uint_eq(iob_result_child_count(r), 1);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	iob_result_free(r);
}
END_TEST

/* Half of the file is not there: the first reads that meet it end the run. */
START_TEST(error_cancels)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = iob_suite_new(NULL);
	begin();
	work_file(name_of("a"), 1 << 20, 'a');
	struct iob_workload *w =
		work("pattern=sequential direct=false engine=psync on_error=cancel "
		     "runtime=60s",
		     name_of("a"), 0);
	struct iob_workload *other = work(SLOW "runtime=60s", NULL, 0);
	ck_assert_int_eq(iob_suite_add(s, w, NULL), 0);
	ck_assert_int_eq(iob_suite_add(s, other, NULL), 0);
	struct iob_run *run = iob_run_start(s, &err);
	ck_assert_msg(run, "%s", err.message);
	ck_assert_int_eq(truncate(name_of("a"), 1 << 19), 0);
	struct iob_result *r = iob_run_result(run, NULL);
	ck_assert(iob_result_flags(r) & IOB_RESULT_ERRORS);
	ck_assert_uint_lt(iob_result_elapsed_ns(r), 5000000000);
	iob_result_free(r);
	iob_run_free(run);
	iob_workload_free(w);
	iob_workload_free(other);
	iob_suite_free(s);
	end();
}
END_TEST

/* ---- the page cache ---- */

static size_t resident(const char *path)
{
	unsigned char pages[256];
	int fd = open(path, O_RDONLY);
	size_t n = 0;
	void *p = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert_int_eq(mincore(p, 1 << 20, pages), 0);
	for (size_t i = 0; i < 256; i++)
		n += pages[i] & 1;
	munmap(p, 1 << 20);
	close(fd);
	return n;
}

START_TEST(page_cache)
{
	begin();
	work_file(name_of("a"), 1 << 20, 'a');
	free(work_read(name_of("a"), 1 << 20));
	ck_assert_uint_eq(resident(name_of("a")), 256);
	struct iob_result *r = work_run("ios=1 runtime=0 invalidate=true", name_of("a"), 0);
	ck_assert_uint_lt(resident(name_of("a")), 64);
	ck_assert_str_eq(iob_result_effective(workload_of(r, 0, 0), "invalidate"), "true");
	iob_result_free(r);
	r = work_run("ios=1 runtime=0 invalidate=true pre_read=true direct=false engine=psync",
		     name_of("a"), 0);
	ck_assert_uint_eq(resident(name_of("a")), 256);
	iob_result_free(r);
	/* One pass, and eight I/Os of the next: without pre_read that is not in the cache. */
	r = work_run("ios=264 runtime=0 invalidate=true direct=false engine=psync", name_of("a"),
		     0);
	ck_assert_uint_lt(resident(name_of("a")), 128);
	iob_result_free(r);
	r = work_run("ios=264 runtime=0 invalidate=true pre_read=true direct=false engine=libaio "
		     "queue_depth=4",
		     name_of("a"), 0);
	ck_assert_uint_eq(resident(name_of("a")), 256);
	iob_result_free(r);
	end();
}
END_TEST

/* ---- flushes ---- */

START_TEST(end_sync)
{
	begin();
	work_file(name_of("a"), 1 << 20, 'a');
	struct iob_result *r =
		work_run("read_percent=0 passes=1 runtime=0 end_sync=true direct=false "
			 "workers=2 engine=psync",
			 name_of("a"), IOB_TARGET_ALLOW_DESTROY);
	ck_assert_uint_eq(ios(r, IOB_OP_SYNC), 2);
	ck_assert_uint_eq(ios(r, IOB_OP_ALL), 256);
	ck_assert_uint_gt(iob_hist_max(iob_result_hist(r, IOB_OP_SYNC, IOB_LATENCY_SERVICE)), 0);
	iob_result_free(r);
	r = work_run("passes=1 runtime=0 end_sync=true direct=false", name_of("a"), 0);
	ck_assert_uint_eq(ios(r, IOB_OP_SYNC), 0); /* nothing was written */
	iob_result_free(r);
	r = work_run("read_percent=0 passes=1 runtime=0 close_sync=true direct=false", name_of("a"),
		     IOB_TARGET_ALLOW_DESTROY);
	ck_assert_uint_eq(ios(r, IOB_OP_SYNC), 0); /* not a part of what is measured */
	iob_result_free(r);
	end();
}
END_TEST

/* ---- files ---- */

enum {
	MAKE = IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY
};

static blkcnt_t blocks(const char *path)
{
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 1 << 20);
	return st.st_blocks;
}

static bool is_zero(const char *path, size_t from, size_t to)
{
	unsigned char *data = work_read(path, 1 << 20);
	bool zero = true;
	for (size_t i = from; i < to; i++)
		zero &= !data[i];
	free(data);
	return zero;
}

static void make(const char *name, const char *parameters, unsigned flags)
{
	char text[256];
	snprintf(text, sizeof(text), "%s size=1m ios=1 runtime=0 direct=false pattern=sequential",
		 parameters);
	iob_result_free(work_run(text, name_of(name), flags));
}

START_TEST(layouts)
{
	begin();
	make("filled", "read_percent=0", MAKE);
	ck_assert_int_ge(blocks(name_of("filled")), 2048);
	ck_assert(!is_zero(name_of("filled"), 1 << 19, 1 << 20));
	make("allocated", "read_percent=0 layout=allocated", MAKE);
	ck_assert_int_ge(blocks(name_of("allocated")), 2048);
	ck_assert(is_zero(name_of("allocated"), 4096, 1 << 20));
	make("sparse", "read_percent=0 layout=sparse", MAKE);
	ck_assert_int_le(blocks(name_of("sparse")), 64);
	make("read", "layout=sparse",
	     IOB_TARGET_CREATE); /* holes would not be read from the disk */
	ck_assert_int_ge(blocks(name_of("read")), 2048);
	ck_assert(!is_zero(name_of("read"), 1 << 19, 1 << 20));
	end();
}
END_TEST

/* Another workload reads what one writes: filled, though that one wants it sparse;
 * and it need not say the size again. */
START_TEST(a_reader_wants_it_filled)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = iob_suite_new(NULL);
	begin();
	struct iob_workload *w =
		work("read_percent=0 layout=sparse size=1m ios=1 runtime=0 direct=false",
		     name_of("a"), MAKE);
	struct iob_workload *r =
		work("ios=1 runtime=0 direct=false", name_of("a"), IOB_TARGET_CREATE);
	iob_suite_add(s, w, NULL);
	iob_suite_next_stage(s, NULL, NULL);
	iob_suite_add(s, r, NULL);
	struct iob_result *result = iob_suite_run(s, &err);
	ck_assert_msg(result, "%s: %s", err.where, err.message);
	ck_assert_int_ge(blocks(name_of("a")), 2048);
	ck_assert(!is_zero(name_of("a"), 8192, 1 << 20));
	iob_result_free(result);
	iob_workload_free(w);
	iob_workload_free(r);
	iob_suite_free(s);
	end();
}
END_TEST

START_TEST(removal)
{
	begin();
	make("mine", "remove=true", IOB_TARGET_CREATE);
	ck_assert_int_eq(access(name_of("mine"), F_OK), -1);
	work_file(name_of("theirs"), 1 << 20, 'a');
	make("theirs", "remove=true", MAKE);
	ck_assert_int_eq(access(name_of("theirs"), F_OK), 0);
	make("kept", "", IOB_TARGET_CREATE);
	ck_assert_int_eq(access(name_of("kept"), F_OK), 0);
	end();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("around");
	TCase *t = tcase_create("around");
	tcase_add_test(t, start_delay);
	tcase_add_test(t, cancelled_while_it_waits);
	tcase_add_test(t, ends_the_stage);
	tcase_add_test(t, ends_the_run);
	tcase_add_test(t, error_cancels);
	tcase_add_test(t, page_cache);
	tcase_add_test(t, end_sync);
	tcase_add_test(t, layouts);
	tcase_add_test(t, a_reader_wants_it_filled);
	tcase_add_test(t, removal);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
