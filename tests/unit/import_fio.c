/* SPDX-License-Identifier: MIT */
/* fio's text and JSON: read, judged, and the same of copies that were changed. */
#include "support/seeds.h"
#include "support/test.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct iob_hist *reads(const struct iob_result *r)
{
	return iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE);
}

static uint64_t at(const struct iob_hist *h, double p)
{
	uint64_t v = 0;
	ck_assert_int_eq(iob_hist_percentile(h, p, &v), 0);
	return v;
}

/* ---- version 2 ---- */

START_TEST(md_lvm_is_read)
{
	static const uint64_t ios[] = { 506, 689, 751, 452, 493, 783, 494, 691 };
	char *text = seed_text("fio-md-lvm-striping.txt");
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 8);
	for (size_t i = 0; i < 8; i++) {
		const struct iob_result *test = iob_result_child(r, i);
		char name[16];
		snprintf(name, sizeof(name), "test%zu", i + 1);
		ck_assert_str_eq(iob_result_name(test), name);
		ck_assert_uint_eq(iob_result_count(test, IOB_OP_READ, IOB_COUNT_IOS), ios[i]);
		ck_assert_uint_eq(iob_result_child_count(test), 1);
		double x = iob_result_iops(test, IOB_OP_ALL), mean = iob_hist_mean(reads(test));
		ck_assert_double_eq_tol(x * mean / 1e9, 1, 0.001);
	}
	const struct iob_result *one = iob_result_child(r, 0);
	ck_assert_uint_eq(iob_result_elapsed_ns(one), 10017000000);
	ck_assert_uint_eq(iob_result_count(one, IOB_OP_READ, IOB_COUNT_BYTES), 506 << 20);
	ck_assert_uint_eq(at(reads(one), 50), 19328000);
	ck_assert_uint_eq(at(reads(one), 99), 56064000);
	ck_assert_double_eq_tol(iob_hist_mean(reads(one)), 19790910, 1);
	ck_assert_double_eq_tol(iob_hist_stddev(reads(one)), 13161970, 10);
	ck_assert_str_eq(iob_result_effective(one, "engine"), "sync");
	ck_assert_str_eq(iob_result_effective(one, "block_size"), "1m");
	ck_assert_str_eq(iob_result_effective(one, "line"), "211");
	iob_result_free(r);
	free(text);
}
END_TEST

START_TEST(md_lvm_is_judged_as_told)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_str_eq(seed_rows(r, "depth-one-bound"), "1 2 3 4 5 6 7 8");
	ck_assert_str_eq(seed_rows(r, "request-split"), "1 2 3 4 5 6 7 8");
	ck_assert_str_eq(seed_rows(r, "counter-unavailable"), "1 2 3 4 5 6 7 8");
	ck_assert_str_eq(seed_rows(r, "few-samples"), "1 2 3 4 5 6 7 8");
	ck_assert_str_eq(seed_rows(r, "stall"), "8");
	ck_assert_str_eq(seed_rows(r, "throttled"), "");
	ck_assert_str_eq(seed_rows(r, "impossible"), "");
	ck_assert_str_eq(seed_rows(r, "depth-not-reached"), "");
	const struct iob_finding *f = seed_finding(iob_result_child(r, 0), "few-samples");
	ck_assert(strstr(f->message, "beyond p99.9 (0.506), which must not be quoted"));
	ck_assert(strstr(f->message, "p99 (5.06)"));
	ck_assert_double_eq(seed_number(f, "samples"), 506);
	f = seed_finding(iob_result_child(r, 7), "stall");
	ck_assert_double_eq(seed_number(f, "ios"), 2);
	ck_assert_double_eq(seed_number(f, "longest_ns"), 607e6);
	iob_result_free(r);
	free(text);
}
END_TEST

#define ALL_EIGHT "1 2 3 4 5 6 7 8"

static const struct seed_expect of_md_lvm[] = {
	{ "depth-one-bound", ALL_EIGHT },
	{ "request-split", ALL_EIGHT },
	{ "counter-unavailable", ALL_EIGHT },
	{ "few-samples", ALL_EIGHT },
	{ "stall", "8" },
	{ "not-steady", "1 2 4 5 6 8" },
};

START_TEST(md_lvm_exactly)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	struct iob_result *r = seed_read(text, NULL);
	seed_exactly(r, of_md_lvm, sizeof(of_md_lvm) / sizeof(of_md_lvm[0]));
	for (size_t i = 0; i < 8; i++) {
		const struct iob_finding *f = seed_finding(iob_result_child(r, i), "few-samples");
		double beyond = 0.01 * seed_number(f, "samples");
		ck_assert_double_eq(seed_number(f, "not_to_quote"), 1); /* p99.9 */
		ck_assert(beyond >= 4 && beyond < 8);                   /* p99 */
		f = seed_finding(iob_result_child(r, i), "depth-one-bound");
		ck_assert_double_eq_tol(seed_number(f, "in_flight"), 1, 0.001);
	}
	iob_result_free(r);
	free(text);
}
END_TEST

/* One place changed, and the tests that have a finding then. */
static const struct {
	const char *from, *to, *code, *rows;
} md_lvm_changes[] = {
	/* the two slow ones took 100 ms */
	{ "750=0.29%", "100=0.29%", "stall", "" },
	/* test 1 had eight workers' worth in flight */
	{ "iops=50 , runt= 10017msec", "iops=50 , runt= 1252msec", "depth-one-bound",
	  "2 3 4 5 6 7 8" },
	/* test 1: md0 kept times */
	{ "md0: ios=8000/0, merge=0/0, ticks=0/0, in_queue=0, util=0.00%",
	  "md0: ios=8000/0, merge=0/0, ticks=9000/0, in_queue=9000, util=90.00%",
	  "counter-unavailable", "2 3 4 5 6 7 8" },
	/* test 1: as many I/Os as support p99 and p99.9 */
	{ "total=r=506/w=0/d=0", "total=r=50600/w=0/d=0", "few-samples", "2 3 4 5 6 7 8" },
};

START_TEST(md_lvm_changed)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	const char *outputs = strstr(text, "(groupid=");
	ck_assert_ptr_nonnull(outputs);
	char *changed = seed_replace(outputs, md_lvm_changes[_i].from, md_lvm_changes[_i].to);
	char *copy = malloc(strlen(text) + strlen(changed) + 1);
	ck_assert_ptr_nonnull(copy);
	sprintf(copy, "%.*s%s", (int)(outputs - text), text, changed);
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_str_eq(seed_rows(r, md_lvm_changes[_i].code), md_lvm_changes[_i].rows);
	iob_result_free(r);
	free(copy);
	free(changed);
	free(text);
}
END_TEST

/* Tests 5 to 8 before 1 to 4. */
START_TEST(md_lvm_swapped)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	const char *first = strstr(text, "test1: (g=0)"), *fifth = strstr(text, "test5: (g=0)");
	char *copy = malloc(strlen(text) + 2);
	ck_assert(copy && first && fifth && first < fifth);
	sprintf(copy, "%s\n%.*s", fifth, (int)(fifth - first), first);
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 8);
	ck_assert_str_eq(seed_rows(r, "stall"), "4");
	ck_assert_str_eq(seed_rows(r, "not-steady"), "1 2 4 5 6 8");
	ck_assert_str_eq(seed_rows(r, "depth-one-bound"), ALL_EIGHT);
	const struct iob_finding *f = seed_finding(iob_result_child(r, 6), "request-split");
	ck_assert_double_eq_tol(seed_number(f, "requests_per_io"), 253.6, 0.1);
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

/* test 3: 256 requests an I/O at the top, merged to 64 KiB at the disks. */
START_TEST(layers_are_told_apart)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	struct iob_result *r = seed_read(text, NULL);
	const struct iob_result *three = iob_result_child(r, 2);
	const struct iob_finding *f = seed_finding(three, "request-split");
	ck_assert_double_eq_tol(seed_number(f, "requests_per_io"), 253.6, 0.1);
	ck_assert_double_eq_tol(seed_number(f, "requests_per_io_1"), 256, 0.1);
	ck_assert_double_eq_tol(seed_number(f, "requests_per_io_2"), 16, 0.1);
	ck_assert_uint_eq(iob_result_device_count(three), 1 + 2 + 24);
	const struct iob_device_use *top = iob_result_device(three, 0);
	ck_assert_str_eq(top->name, "dm-0");
	ck_assert_uint_eq(top->n_below, 2);
	ck_assert_str_eq(iob_result_device(three, top->below[1])->name, "md1");
	const struct iob_device_use *md = iob_result_device(three, top->below[0]);
	ck_assert_uint_eq(md->n_below, 12);
	ck_assert_uint_eq(md->n_idle, 2);
	ck_assert(md->flags & IOB_DEVICE_NO_TICKS);
	ck_assert(isnan(md->utilisation));
	/* raid0 of two md, whose requests are the same number: both are its members */
	const struct iob_result *four = iob_result_child(r, 3);
	ck_assert_str_eq(iob_result_device(four, 0)->name, "md6");
	ck_assert_uint_eq(iob_result_device(four, 0)->n_below, 2);
	iob_result_free(r);
	free(text);
}
END_TEST

/* One member with ten times the requests of the others, and one that is a spare. */
START_TEST(a_busy_member_is_skew)
{
	char *text = seed_text("fio-md-lvm-striping.txt");
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_str_eq(seed_rows(r, "skew"), "");
	iob_result_free(r);
	char *copy = seed_replace(text, "sdd: ios=818/0", "sdd: ios=8180/0");
	r = seed_read(copy, NULL);
	ck_assert_str_eq(seed_rows(r, "skew"), "1");
	const struct iob_finding *f = seed_finding(r, "skew");
	ck_assert_double_eq_tol(seed_number(f, "times"), 10, 0.2);
	ck_assert(strstr(f->message, "sdd, a member of md0"));
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

/* ---- version 3 ---- */

START_TEST(azure_is_judged_as_told)
{
	char *text = seed_text("fio-azure-ase.txt");
	struct iob_result *r = seed_read(text, "fio-text");
	ck_assert_uint_eq(iob_result_child_count(r), 3);
	ck_assert_uint_eq(iob_result_child_count(iob_result_child(r, 2)), 4);
	ck_assert_str_eq(seed_rows(r, "depth-not-reached"), "1 2");
	ck_assert_str_eq(seed_rows(r, "harness-bound"), "");
	ck_assert_str_eq(seed_rows(r, "throttled"), "2 3");
	ck_assert_str_eq(seed_rows(r, "not-steady"), "1 3");
	ck_assert_str_eq(seed_rows(r, "low-coverage"), "3");
	ck_assert_str_eq(seed_rows(r, "depth-one-bound"), "");
	ck_assert_str_eq(seed_rows(r, "impossible"), "");
	ck_assert_str_eq(seed_rows(r, "stall"), "");
	const struct iob_finding *f = seed_finding(r, "depth-not-reached");
	ck_assert_double_eq(seed_number(f, "asked"), 2048);
	ck_assert_double_eq_tol(seed_number(f, "reached"), 0.97, 0.005);
	f = seed_finding(iob_result_child(r, 1), "throttled");
	ck_assert_double_eq_tol(seed_number(f, "far_ios"), 0.0195, 0.001);
	ck_assert_double_eq_tol(seed_number(f, "far_time"), 0.85, 0.02);
	ck_assert_double_eq_tol(seed_number(f, "mean_over_median"), 7.1, 0.01);
	f = seed_finding(r, "low-coverage");
	ck_assert_double_eq_tol(seed_number(f, "coverage"), 0.031, 0.0005);
	ck_assert_int_eq((int)iob_result_level(f->of), IOB_LEVEL_STAGE);
	f = seed_finding(iob_result_child(r, 0), "not-steady");
	ck_assert_double_eq_tol(seed_number(f, "excursion"), 0.64, 0.005);
	iob_result_free(r);
	free(text);
}
END_TEST

static const struct seed_expect of_azure[] = {
	{ "depth-not-reached", "1 2" }, { "throttled", "2 3" },   { "not-steady", "1 3" },
	{ "low-coverage", "3" },        { "request-split", "2" }, { "few-samples", "1 2" },
};

START_TEST(azure_exactly)
{
	char *text = seed_text("fio-azure-ase.txt");
	struct iob_result *r = seed_read(text, NULL);
	seed_exactly(r, of_azure, sizeof(of_azure) / sizeof(of_azure[0]));
	iob_result_free(r);
	free(text);
}
END_TEST

/* The seed with one place changed, and the runs that have a finding then. */
static const struct {
	const char *from, *to, *code, *rows;
} changes[] = {
	/* run A at depth 1 is no shallow queue, and a slow program */
	{ "ioengine=psync, iodepth=2048", "ioengine=psync, iodepth=1", "depth-not-reached", "2" },
	/* the far mode is gone: what is left is an ordinary tail */
	{ "99.00th=[42206], 99.50th=[42730], 99.90th=[43254], 99.95th=[43254],\n| 99.99th=[46924]",
	  "99.00th=[ 1206], 99.50th=[ 1730], 99.90th=[ 2254], 99.95th=[ 3254],\n| 99.99th=[ 4924]",
	  "throttled", "3" },
	/* a steady run A */
	{ "min=64576, max=131712", "min=99576, max=109712", "not-steady", "3" },
	/* an unsteady run B */
	{ "min=130299, max=143616", "min=90299, max=143616", "not-steady", "1 2 3" },
	/* an error */
	{ "job1: (groupid=0, jobs=1): err= 0: pid=87654",
	  "job1: (groupid=0, jobs=1): err= 5: pid=87654", "errors", "1" },
	{ "short=0,0,0,0", "short=7,0,0,0", "errors", "1" },
	/* a worker at the end of its core explains what it did not reach by itself only */
	{ "usr=6.25%, sys=20.35%", "usr=56.25%, sys=43.35%", "cpu-bound", "1" },
	/* one I/O for seconds */
	{ "clat (usec): min=49, max=12223, avg=148.22, stdev=228.29\nlat (usec): min=49, max=12223",
	  "clat (usec): min=49, max=4212223, avg=148.22, stdev=228.29\nlat (usec): min=49, "
	  "max=4212223",
	  "stall", "1" },
	/* less of it was laid out, and so more touched */
	{ "reader1: Laying out IO file (1 file / 30720MiB)\nreader2: Laying out IO file (1 file / "
	  "30720MiB)\nreader3: Laying out IO file (1 file / 30720MiB)\nreader4: Laying out IO file "
	  "(1 file / 30720MiB)",
	  "reader1: Laying out IO file (1 file / 1024MiB)\nreader2: Laying out IO file (1 file / "
	  "1024MiB)\nreader3: Laying out IO file (1 file / 1024MiB)\nreader4: Laying out IO file "
	  "(1 file / 1024MiB)",
	  "low-coverage", "" },
};

START_TEST(runs_changed)
{
	char *text = seed_text("fio-azure-ase.txt");
	char *copy = seed_replace(text, changes[_i].from, changes[_i].to);
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_str_eq(seed_rows(r, changes[_i].code), changes[_i].rows);
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

/* Run C before A and B. */
START_TEST(runs_swapped)
{
	char *text = seed_text("fio-azure-ase.txt");
	const char *first = strstr(text, "job1: (g=0)"), *third = strstr(text, "reader1: (g=0)");
	char *copy = malloc(strlen(text) + 2);
	ck_assert(first && third && first < third);
	sprintf(copy, "%s\n%.*s", third, (int)(third - first), first);
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 3);
	ck_assert_str_eq(seed_rows(r, "depth-not-reached"), "2 3");
	ck_assert_str_eq(seed_rows(r, "throttled"), "1 3");
	ck_assert_str_eq(seed_rows(r, "low-coverage"), "1");
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

START_TEST(prose_is_no_job)
{
	struct iob_error err = { 0 };
	const char *text = "  read : io=518144KB, bw=51726KB/s, iops=50 , runt= 10017msec\n"
			   "Disk stats (read/write):\n  md0: ios=8000/0, merge=0/0\n";
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "fio-text", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_result_read(text, strlen(text), NULL, &err));
	ck_assert(strstr(err.message, "looks like none of"));
}
END_TEST

/* ---- JSON ---- */

START_TEST(json_of_groups)
{
	char *text = seed_text("a33.json");
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 2);
	const struct iob_result *mix = iob_result_child(r, 0), *sync = iob_result_child(r, 1);
	ck_assert_str_eq(iob_result_name(mix), "mix");
	ck_assert_str_eq(iob_result_effective(mix, "workers"), "2");
	ck_assert_str_eq(iob_result_effective(mix, "queue_depth"), "8");
	ck_assert_str_eq(iob_result_effective(mix, "engine"), "libaio");
	ck_assert_str_eq(iob_result_effective(mix, "read_percent"), "70");
	ck_assert_str_eq(iob_result_effective(mix, "pattern"), "random");
	ck_assert_str_eq(iob_result_effective(mix, "direct"), "true");
	ck_assert_str_eq(seed_rows(r, "impossible"), "");
	ck_assert_uint_gt(iob_result_count(sync, IOB_OP_SYNC, IOB_COUNT_IOS), 0);
	ck_assert_str_eq(seed_rows(r, "depth-one-bound"), "2");
	ck_assert_str_eq(seed_rows(r, "depth-not-reached"), "");
	iob_result_free(r);
	free(text);
}
END_TEST

/* json+ has bins, and so any percentile; its means are exact beside them. */
START_TEST(json_plus_has_histograms)
{
	char *text = seed_text("a.jp.json");
	struct iob_result *r = seed_read(text, "fio-json");
	const struct iob_hist *h = reads(iob_result_child(r, 0));
	ck_assert_uint_gt(iob_hist_buckets(h, NULL, NULL, NULL, 0), 100);
	ck_assert_uint_gt(at(h, 37.5), 0);
	ck_assert_uint_gt(at(h, 99.9), at(h, 99));
	ck_assert_uint_eq(iob_hist_count(h),
			  iob_result_count(iob_result_child(r, 0), IOB_OP_READ, IOB_COUNT_IOS));
	iob_result_free(r);
	free(text);
}
END_TEST

/* unified_rw_reporting: reads and writes in one, told apart by what was asked. */
START_TEST(json_of_mixed_reports)
{
	char *text = seed_text("u.json");
	struct iob_result *r = seed_read(text, NULL);
	const struct iob_result *stage = iob_result_child(r, 0), *a = iob_result_child(stage, 0);
	ck_assert_uint_eq(iob_result_child_count(r), 1);
	ck_assert_uint_eq(iob_result_child_count(stage), 6);
	ck_assert_uint_eq(iob_result_count(a, IOB_OP_READ, IOB_COUNT_IOS),
			  iob_result_count(a, IOB_OP_WRITE, IOB_COUNT_IOS));
	ck_assert_uint_eq(iob_result_count(a, IOB_OP_ALL, IOB_COUNT_IOS), 16384);
	iob_result_free(r);
	free(text);
}
END_TEST

static const struct {
	const char *text, *message;
} refused[] = {
	{ "{\"fio version\": \"fio-3.33\"}", "jobs: is missing, must be an array" },
	{ "{\"fio version\": \"fio-3.33\", \"jobs\": []}", "the report: has no jobs" },
	{ "{\"fio version\": \"fio-3.33\", \"jobs\": [3]}", "jobs[0]: must be an object" },
};

START_TEST(json_that_is_none)
{
	struct iob_error err = { 0 };
	const char *text = refused[_i].text;
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "fio-json", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, refused[_i].message);
}
END_TEST

/* fio warns on the same stdout. */
START_TEST(json_after_warnings)
{
	char *text = seed_text("a33.json"), *copy = malloc(strlen(text) + 100);
	ck_assert_ptr_nonnull(copy);
	sprintf(copy, "fio: this platform does not support process shared mutexes\n%s", text);
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 2);
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("import_fio");
	TCase *t = tcase_create("fio");
	tcase_add_test(t, md_lvm_is_read);
	tcase_add_test(t, md_lvm_is_judged_as_told);
	tcase_add_test(t, md_lvm_exactly);
	tcase_add_loop_test(t, md_lvm_changed, 0,
			    sizeof(md_lvm_changes) / sizeof(md_lvm_changes[0]));
	tcase_add_test(t, md_lvm_swapped);
	tcase_add_test(t, layers_are_told_apart);
	tcase_add_test(t, a_busy_member_is_skew);
	tcase_add_test(t, azure_is_judged_as_told);
	tcase_add_test(t, azure_exactly);
	tcase_add_loop_test(t, runs_changed, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(t, runs_swapped);
	tcase_add_test(t, prose_is_no_job);
	tcase_add_test(t, json_of_groups);
	tcase_add_test(t, json_plus_has_histograms);
	tcase_add_test(t, json_of_mixed_reports);
	tcase_add_loop_test(t, json_that_is_none, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(t, json_after_warnings);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
