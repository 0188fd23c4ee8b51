/* SPDX-License-Identifier: MIT */
/* Where I/O goes: runs, gaps, backward, alignment, ranges of sizes, distributions,
 * the order of targets; and what limits it: passes, I/Os. On an engine that only
 * writes down what it is asked. */
#include "support/test.h"
#include "support/work.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <pthread.h>
#include <string.h>

enum {
	LOG_MAX = 1 << 17
};

struct record {
	struct iob_io *io;
	unsigned n;
	uint64_t caps_wanted;
};

/* Several workers write into one record. */
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static int record_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	*state = env->user;
	pthread_mutex_lock(&record_lock);
	((struct record *)env->user)->caps_wanted = env->caps_wanted;
	pthread_mutex_unlock(&record_lock);
	return 0;
}

static int record_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct record *r = state;
	ios[0]->result = (int32_t)ios[0]->len;
	pthread_mutex_lock(&record_lock);
	if (r->n < LOG_MAX)
		r->io[r->n++] = *ios[0];
	pthread_mutex_unlock(&record_lock);
	return 1;
}

static void record_close(void *state)
{
}

static const struct iob_engine_ops recorder = {
	.size = sizeof(recorder),
	.caps = IOB_ENGINE_SYNC | IOB_ENGINE_NO_TARGET | IOB_ENGINE_FSYNC | IOB_ENGINE_TRIM,
	.name = "recorder",
	.open = record_open,
	.submit = record_submit,
	.close = record_close,
};

static struct record logged;

/* Runs on n files that are never touched; what was asked for is in `logged`. */
static struct iob_result *run_on(const char *parameters, unsigned files)
{
	char path[] = "/tmp/iobench-shapes-XXXXXX", name[64];
	struct iob_error err = { 0 };
	struct iob_workload *w = work(parameters, NULL, 0);
	ck_assert_ptr_nonnull(mkdtemp(path));
	logged.io = logged.io ? logged.io : calloc(LOG_MAX, sizeof(*logged.io));
	logged.n = 0;
	for (unsigned i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s/%u", path, i);
		work_file(name, 1 << 20, 'x');
		ck_assert_int_eq(iob_workload_add_target(w, name, IOB_TARGET_ALLOW_DESTROY, NULL),
				 0);
	}
	ck_assert_int_eq(iob_workload_set_engine(w, &recorder, &logged, &err), 0);
	struct iob_result *r = iob_workload_run(w, &err);
	ck_assert_msg(r, "%s: %s: %s", parameters, err.where, err.message);
	iob_workload_free(w);
	for (unsigned i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s/%u", path, i);
		remove(name);
	}
	remove(path);
	return r;
}

static void run(const char *parameters)
{
	iob_result_free(run_on(parameters, 0));
}

static void check_offsets(const uint64_t *want, unsigned n)
{
	ck_assert_uint_ge(logged.n, n);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(logged.io[i].offset == want[i], "I/O %u at %llu, not at %llu", i,
			      (unsigned long long)logged.io[i].offset, (unsigned long long)want[i]);
}

#define K UINT64_C(1024)

START_TEST(gaps)
{
	run("pattern=sequential block_size=4k gap=8k size=40k offset=64k ios=5 runtime=0");
	check_offsets((uint64_t[]){ 64 * K, 76 * K, 88 * K, 100 * K, 64 * K }, 5);
	ck_assert_uint_eq(logged.n, 5);
	run("pattern=sequential block_size=4k gap=9223372036854771712 size=16k ios=3 runtime=0");
	check_offsets((uint64_t[]){ 0, 0, 0 }, 3);
}
END_TEST

START_TEST(backward)
{
	run("pattern=backward block_size=4k size=17k offset=8k passes=2 runtime=0");
	check_offsets((uint64_t[]){ 20 * K, 16 * K, 12 * K, 8 * K, 20 * K, 16 * K, 12 * K, 8 * K },
		      8);
	ck_assert_uint_eq(logged.n, 8);
	run("pattern=backward block_size=4k gap=4k size=20k ios=4 runtime=0");
	check_offsets((uint64_t[]){ 16 * K, 8 * K, 0, 16 * K }, 4);
}
END_TEST

/* Each worker its own stretch, as going forward. */
START_TEST(backward_workers)
{
	bool seen[10] = { 0 };
	run("pattern=backward block_size=4k size=40k workers=3 passes=1 runtime=0");
	ck_assert_uint_eq(logged.n, 10);
	for (unsigned i = 0; i < 10; i++) {
		ck_assert(!seen[logged.io[i].offset / 4096]);
		seen[logged.io[i].offset / 4096] = true;
	}
}
END_TEST

START_TEST(runs)
{
	run("block_size=4k run_length=4 size=4m ios=400 runtime=0 seed=5");
	unsigned in_a_row = 0;
	for (unsigned i = 1; i < 400; i++)
		in_a_row += logged.io[i].offset == logged.io[i - 1].offset + 4096;
	ck_assert_uint_ge(in_a_row, 290); /* those at the region's end begin anew */
	for (unsigned i = 0; i < 400; i++)
		ck_assert_uint_le(logged.io[i].offset + logged.io[i].len, 4 << 20);
}
END_TEST

START_TEST(alignment)
{
	bool seen[256] = { 0 };
	run("block_size=4k align=64k size=1m offset=4k ios=16 runtime=0");
	for (unsigned i = 0; i < 16; i++) {
		ck_assert_uint_eq((logged.io[i].offset - 4096) % 65536, 0);
		ck_assert(!seen[(logged.io[i].offset - 4096) / 65536]);
		seen[(logged.io[i].offset - 4096) / 65536] = true;
	}
	/* Places a sector apart: all but those where the block would pass the end. */
	bool odd = false;
	run("block_size=4k align=512 size=8k ios=9 runtime=0");
	for (unsigned i = 0; i < 9; i++) {
		ck_assert_uint_le(logged.io[i].offset, 4096);
		odd |= logged.io[i].offset % 4096 != 0;
	}
	ck_assert(odd);
	run("block_size=4k-32k align=512 size=64k ios=2000 runtime=0 seed=3");
	for (unsigned i = 0; i < 2000; i++)
		ck_assert_uint_le(logged.io[i].offset + logged.io[i].len, 65536);
}
END_TEST

START_TEST(ranges)
{
	unsigned of[17] = { 0 };
	run("block_size=4k-64k size=1m ios=16000 runtime=0 seed=5");
	for (unsigned i = 0; i < 16000; i++) {
		ck_assert_uint_eq(logged.io[i].len % 4096, 0);
		ck_assert_uint_eq(logged.io[i].offset % 4096, 0);
		ck_assert_uint_le(logged.io[i].offset + logged.io[i].len, 1 << 20);
		of[logged.io[i].len / 4096]++;
	}
	for (unsigned i = 1; i <= 16; i++)
		ck_assert_msg(of[i] > 850 && of[i] < 1150, "%u of %uk", of[i], i * 4);
	run("block_size=4k block_size_write=512-1k read_percent=50 size=1m ios=200 runtime=0");
	for (unsigned i = 0; i < 200; i++)
		ck_assert_uint_eq(logged.io[i].len <= 1024, logged.io[i].op == IOB_OP_WRITE);
}
END_TEST

/* How often the `top` most popular of n slots were hit, in %. */
static unsigned hits[1 << 16];
static int by_count(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return x < y ? 1 : x > y ? -1 : 0;
}

static double share_of_top(unsigned slots, unsigned top)
{
	uint64_t sum = 0;
	memset(hits, 0, sizeof(hits));
	for (unsigned i = 0; i < logged.n; i++) {
		ck_assert_uint_lt(logged.io[i].offset / 4096, slots);
		hits[logged.io[i].offset / 4096]++;
	}
	qsort(hits, slots, sizeof(hits[0]), by_count);
	for (unsigned i = 0; i < top; i++)
		sum += hits[i];
	return 100.0 * (double)sum / logged.n;
}

/* The exact share of the first `top` ranks. */
static double zipf_share(double theta, unsigned slots, unsigned top)
{
	double part = 0, whole = 0;
	for (unsigned k = 1; k <= slots; k++) {
		whole += pow(k, -theta);
		part += k <= top ? pow(k, -theta) : 0;
	}
	return 100 * part / whole;
}

START_TEST(zipf)
{
	static const double theta[] = { 0.5, 1, 1.2, 2.5 };
	for (unsigned i = 0; i < 4; i++) {
		char text[128];
		snprintf(text, sizeof(text),
			 "distribution=zipf:%u.%u size=4m ios=100000 runtime=0 seed=7",
			 (unsigned)theta[i], (unsigned)(theta[i] * 10) % 10);
		run(text);
		double want = zipf_share(theta[i], 1024, 10), is = share_of_top(1024, 10);
		ck_assert_msg(fabs(want - is) < 1, "theta %g: %g, not %g", theta[i], is, want);
	}
	/* The popular ones are scattered, not all at the start. */
	unsigned low = 0;
	for (unsigned i = 0; i < logged.n; i++)
		low += logged.io[i].offset < 10 * 4096;
	ck_assert_uint_lt(low, logged.n / 2);
}
END_TEST

START_TEST(pareto)
{
	run("distribution=pareto:0.2 size=4m ios=100000 runtime=0 seed=7");
	double is = share_of_top(1024, 205); /* 20 % of the slots get 80 % of the I/Os */
	ck_assert_msg(is > 78.5 && is < 81.5, "%g", is);
}
END_TEST

START_TEST(normal)
{
	run("distribution=normal:10 size=4m ios=100000 runtime=0 seed=7");
	unsigned one = 0, two = 0;
	for (unsigned i = 0; i < logged.n; i++) {
		double off = fabs((double)logged.io[i].offset / 4096 + 0.5 - 512) / 102.4;
		one += off < 1;
		two += off < 2;
	}
	ck_assert_msg(fabs(100.0 * one / logged.n - 68.3) < 1, "%u", one);
	ck_assert_msg(fabs(100.0 * two / logged.n - 95.4) < 1, "%u", two);
}
END_TEST

static void check_zones(const char *distribution)
{
	char text[128];
	unsigned of[3] = { 0 };
	snprintf(text, sizeof(text), "distribution=%s size=4m ios=100000 runtime=0 seed=7",
		 distribution);
	run(text);
	for (unsigned i = 0; i < logged.n; i++) {
		uint64_t at = logged.io[i].offset / 4096;
		of[at < 102 ? 0 : at < 307 ? 1 : 2]++;
	}
	ck_assert_msg(fabs(of[0] / 1000.0 - 60) < 1, "%u", of[0]);
	ck_assert_msg(fabs(of[1] / 1000.0 - 30) < 1, "%u", of[1]);
}

START_TEST(zones)
{
	check_zones("zoned:60/10:30/20:10/70");
	check_zones("zoned_abs:60/408k:30/820k:10/100m");
	run("distribution=zoned_abs:50/1g:50/1g size=16k ios=100 runtime=0");
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_lt(logged.io[i].offset, 16384);
}
END_TEST

START_TEST(targets_in_runs)
{
	iob_result_free(run_on("target_run=3 ios=12 runtime=0 direct=false", 3));
	for (unsigned i = 0; i < 12; i++)
		ck_assert_uint_eq(logged.io[i].target, i / 3 % 3);
}
END_TEST

START_TEST(targets_at_random)
{
	unsigned of[3] = { 0 }, same = 0;
	iob_result_free(run_on(
		"seed=5 target_order=random target_run=4 ios=3000 runtime=0 direct=false", 3));
	for (unsigned i = 0; i < 3000; i++) {
		of[logged.io[i].target]++;
		same += i % 4 && logged.io[i].target == logged.io[i - 1].target;
	}
	ck_assert_uint_eq(same, 2250);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_msg(of[i] > 850 && of[i] < 1150, "target %u: %u", i, of[i]);
}
END_TEST

START_TEST(targets_one_by_one)
{
	iob_result_free(
		run_on("pattern=sequential target_order=sequential size=16k passes=2 runtime=0 "
		       "direct=false",
		       3));
	ck_assert_uint_eq(logged.n, 24);
	for (unsigned i = 0; i < 24; i++)
		ck_assert_uint_eq(logged.io[i].target, i / 4 % 3);
}
END_TEST

START_TEST(limits)
{
	struct iob_result *r = run_on("passes=3 size=10k runtime=0 direct=false", 2);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 3 * 2 * 2);
	iob_result_free(r);
	run("ios=7 io_size=16k size=1m runtime=0");
	ck_assert_uint_eq(logged.n, 4);
	run("ios=3 io_size=16k size=1m runtime=0");
	ck_assert_uint_eq(logged.n, 3);
	run("ios=7 workers=3 size=1m runtime=0");
	ck_assert_uint_eq(logged.n, 7);
	run("block_size=4k:50,8k:50 passes=1 size=1m runtime=0");
	uint64_t bytes = 0;
	for (unsigned i = 0; i < logged.n; i++)
		bytes += logged.io[i].len;
	ck_assert_uint_ge(bytes, 1 << 20);
	ck_assert_uint_lt(bytes, (1 << 20) + 8192);
}
END_TEST

START_TEST(limits_refused)
{
	struct iob_error err = { 0 };
	struct iob_workload *w =
		work("engine=null block_size=4k-8k ios=7 passes=1 size=1m", NULL, 0);
	ck_assert_int_eq(iob_workload_check(w, &err), -EINVAL);
	ck_assert_str_eq(err.where, "ios");
	iob_workload_free(w);
}
END_TEST

/* Each block is trimmed and then written; trims come on top of what is asked. */
START_TEST(trim_first)
{
	run("read_percent=0 trim_first=true pattern=sequential size=16k passes=2 runtime=0");
	ck_assert_uint_eq(logged.n, 16);
	for (unsigned i = 0; i < 16; i++) {
		ck_assert_uint_eq(logged.io[i].op, i % 2 ? IOB_OP_WRITE : IOB_OP_TRIM);
		ck_assert_uint_eq(logged.io[i].offset, i / 2 % 4 * 4096);
		ck_assert_uint_eq(logged.io[i].len, 4096);
	}
	run("read_percent=50 trim_first=true block_size=4k-8k size=1m ios=100 runtime=0 fsync_every=3");
	unsigned of[5] = { 0 };
	for (unsigned i = 0; i < logged.n; i++) {
		of[logged.io[i].op]++;
		if (logged.io[i].op == IOB_OP_WRITE)
			ck_assert(logged.io[i - 1].op == IOB_OP_TRIM &&
				  logged.io[i - 1].offset == logged.io[i].offset &&
				  logged.io[i - 1].len == logged.io[i].len);
	}
	ck_assert_uint_eq(of[IOB_OP_READ] + of[IOB_OP_WRITE], 100);
	ck_assert_uint_eq(of[IOB_OP_TRIM], of[IOB_OP_WRITE]);
	/* After the last of three writes, unless nothing came after it. */
	ck_assert(of[IOB_OP_SYNC] == (of[IOB_OP_WRITE] - 1) / 3 ||
		  of[IOB_OP_SYNC] == of[IOB_OP_WRITE] / 3);
}
END_TEST

START_TEST(no_io_at_all)
{
	struct iob_result *r = run_on("make_only=true direct=false", 1);
	ck_assert_uint_eq(logged.n, 0);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	iob_result_free(r);
	run("make_only=true size=1m workers=2 queue_depth=4 runtime=0");
	ck_assert_uint_eq(logged.n, 0);
}
END_TEST

START_TEST(flush_kind)
{
	run("read_percent=0 fsync_every=2 ios=4 size=1m runtime=0");
	ck_assert(!(logged.caps_wanted & IOB_ENGINE_FDATASYNC));
	run("read_percent=0 fsync_every=2 fsync_data=true ios=4 size=1m runtime=0");
	ck_assert(logged.caps_wanted & IOB_ENGINE_FDATASYNC);
	run("read_percent=0 fsync_every=2 sync=data ios=4 size=1m runtime=0");
	ck_assert(logged.caps_wanted & IOB_ENGINE_FDATASYNC);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("shapes");
	TCase *t = tcase_create("shapes");
	tcase_add_test(t, gaps);
	tcase_add_test(t, backward);
	tcase_add_test(t, backward_workers);
	tcase_add_test(t, runs);
	tcase_add_test(t, alignment);
	tcase_add_test(t, ranges);
	tcase_add_test(t, zipf);
	tcase_add_test(t, pareto);
	tcase_add_test(t, normal);
	tcase_add_test(t, zones);
	tcase_add_test(t, targets_in_runs);
	tcase_add_test(t, targets_at_random);
	tcase_add_test(t, targets_one_by_one);
	tcase_add_test(t, limits);
	tcase_add_test(t, limits_refused);
	tcase_add_test(t, trim_first);
	tcase_add_test(t, no_io_at_all);
	tcase_add_test(t, flush_kind);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
