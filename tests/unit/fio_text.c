/* SPDX-License-Identifier: MIT */
/* fio's report for people: its numbers, its lines, and that what it says can be
 * read back. ctest: notsan */
#include "report/fio_print.h"
#include "support/seeds.h"
#include "support/tree.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* As fio 3.33 printed them. */
START_TEST(numbers_are_fios)
{
	static const struct {
		uint64_t v;
		int digits;
		unsigned base;
		const char *unit, *text;
	} of[] = {
		{ 0, 4, 1000, "", "0" },
		{ 8603, 4, 1000, "", "8603" },
		{ 9999, 4, 1000, "", "9999" },
		{ 10000, 4, 1000, "", "10.0k" },
		{ 58990, 4, 1000, "", "59.0k" },
		{ 118490, 4, 1000, "", "118k" },
		{ 118500, 4, 1000, "", "119k" },
		{ 3880123, 4, 1000, "", "3880k" },
		{ 17330000, 4, 1000, "", "17.3M" },
		{ 1377900, 6, 1000, "", "1377.9k" },
		{ 12707123, 6, 1000, "", "12707k" },
		{ 999999, 6, 1000, "", "999999" },
		{ 4096, 4, 1024, "B", "4096B" },
		{ 16384, 4, 1024, "B", "16.0KiB" },
		{ 1048576, 4, 1024, "B", "1024KiB" },
		{ 241172480, 4, 1024, "B/s", "230MiB/s" },
		{ 241172480, 4, 1000, "B/s", "241MB/s" },
		{ 33619968, 4, 1024, "B/s", "32.1MiB/s" },
		{ 4828000, 4, 1000, "B/s", "4828kB/s" },
		{ UINT64_MAX, 4, 1024, "B", "16384PiB" },
	};
	for (size_t i = 0; i < IOBI_LEN(of); i++) {
		char text[IOBI_FIOP_NUMBER];
		iobi_fiop_number(text, of[i].v, of[i].digits, of[i].base, of[i].unit);
		ck_assert_str_eq(text, of[i].text);
	}
}
END_TEST

/* A job of two clones, one of which failed, with flushes; then one of a group of
 * its own. */
static struct iob_result *two_groups(void)
{
	static const char *const labels[] = {
		"fio.job=mix\nfio.clone=0\nfio.thread=0\nfio.group=0\nfio.group_reporting=1\n"
		"fio.option.description=two of a kind",
		"fio.job=mix\nfio.clone=1\nfio.thread=1\nfio.group=0\nfio.group_reporting=1\n"
		"fio.option.description=two of a kind",
	};
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *w[2] = { tree_mixed_workload(), tree_mixed_workload() };
	for (int i = 0; i < 2; i++) {
		free(w[i]->name);
		w[i]->name = strdup("mix");
		tree_asked(w[i], "labels", labels[i]);
		tree_asked(w[i], "workers", "1");
	}
	tree_error(w[1], EIO, "write", "/dev/loop7", 4096);
	tree_io(w[0], IOB_OP_SYNC, 30, 0, 1500000);
	tree_adopt(root, tree_stage("mix", w[0], w[1]));
	tree_adopt(root, tree_stage("scan", tree_failing_workload("scan"), NULL));
	tree_host(root);
	tree_close(root);
	return root;
}

static char *golden(const char *name)
{
	const char *source = getenv("IOBENCH_SOURCE");
	char path[4096], *text = calloc(1, 65536);
	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s", source ? source : ".", name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	ck_assert_uint_gt(fread(text, 1, 65535, f), 0);
	fclose(f);
	return text;
}

START_TEST(to_the_byte)
{
	const char *build = getenv("IOBENCH_BUILD");
	char path[4096];
	struct iob_result *r = two_groups();
	char *is = tree_report(r, "fio-text"), *must = golden("two_groups.fio-text");
	snprintf(path, sizeof(path), "%s/two_groups.fio-text.actual", build ? build : "/tmp");
	FILE *f = strcmp(is, must) ? fopen(path, "wb") : NULL;
	if (f) {
		fputs(is, f);
		fclose(f);
	}
	ck_assert_msg(!strcmp(is, must), "not as in golden/two_groups.fio-text: see %s", path);
	free(is);
	free(must);
	iob_result_free(r);
}
END_TEST

/* ---- read back ---- */

static void near(double is, double must, double share)
{
	ck_assert_double_eq_tol(is, must, fabs(must) * share + 1e-9);
}

static void same_times(const struct iob_hist *is, const struct iob_hist *must, const char *list)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "percentiles");
	struct iobi_percentiles p;
	tree_asked(w, "percentiles", list);
	iobi_report_percentiles(w, &p);
	ck_assert_uint_eq(iob_hist_count(is), iob_hist_count(must));
	near(iob_hist_mean(is), iob_hist_mean(must), 1e-3);
	near((double)iob_hist_min(is), (double)iob_hist_min(must), 0.02);
	near((double)iob_hist_max(is), (double)iob_hist_max(must), 0.02);
	for (size_t i = 0; i < p.n; i++) {
		uint64_t a, b;
		if (iob_hist_percentile(must, p.p[i], &b)) /* of several that were recorded */
			continue;
		ck_assert_int_eq(iob_hist_percentile(is, p.p[i], &a), 0);
		near((double)a, (double)b, 0.02);
	}
	iob_result_free(w);
}

static void same_op(const struct iob_result *is, const struct iob_result *must, enum iob_op op)
{
	ck_assert_uint_eq(iob_result_count(is, op, IOB_COUNT_IOS),
			  iob_result_count(must, op, IOB_COUNT_IOS));
	near((double)iob_result_count(is, op, IOB_COUNT_BYTES),
	     (double)iob_result_count(must, op, IOB_COUNT_BYTES), 5e-3);
	ck_assert_uint_eq(iob_result_count(is, op, IOB_COUNT_SHORT),
			  iob_result_count(must, op, IOB_COUNT_SHORT));
	near(iob_result_iops(is, op), iob_result_iops(must, op), 1e-3);
	if (iob_result_count(must, op, IOB_COUNT_IOS))
		same_times(iob_result_hist(is, op, IOB_LATENCY_SERVICE),
			   iob_result_hist(must, op, IOB_LATENCY_SERVICE), "1,50,90,99");
}

static struct iob_result *read_back(const struct iob_result *r, const char *format)
{
	char *text = tree_report(r, "fio-text");
	struct iob_result *back = seed_read(text, format);
	free(text);
	return back;
}

START_TEST(what_is_said_can_be_read)
{
	struct iob_result *r = tree_suite(), *back = read_back(r, NULL);
	ck_assert_uint_eq(iob_result_child_count(back), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct iob_result *w = r->child[i]->child[0];
		const struct iob_result *b = back->child[i]->child[0];
		ck_assert_str_eq(iob_result_name(b), iob_result_name(w));
		ck_assert_uint_eq(b->elapsed_ns, w->elapsed_ns);
		same_op(b, w, IOB_OP_READ);
		same_op(b, w, IOB_OP_WRITE);
		ck_assert_str_eq(iob_result_effective(b, "engine"), i ? "psync" : "io_uring");
		ck_assert_str_eq(iob_result_effective(b, "block_size"), i ? "1m" : "8k");
		ck_assert_str_eq(iob_result_effective(b, "workers"), i ? "1" : "2");
		ck_assert_str_eq(iob_result_param(b, "queue_depth"), i ? "32" : "1");
		ck_assert_str_eq(iob_result_effective(b, "pattern"), i ? "sequential" : "random");
	}
	ck_assert_int_eq(iob_result_error(back->child[1])->code, EIO);
	iob_result_free(back);
	iob_result_free(r);
}
END_TEST

START_TEST(groups_and_flushes_can_be_read)
{
	struct iob_result *r = two_groups(), *back = read_back(r, "fio-text");
	const struct iob_result *mix = iob_result_child(back, 0);
	ck_assert_uint_eq(iob_result_child_count(back), 2);
	ck_assert_str_eq(iob_result_name(mix), "mix");
	ck_assert_uint_eq(iob_result_count(mix, IOB_OP_READ, IOB_COUNT_IOS), 24000);
	ck_assert_uint_eq(iob_result_count(mix, IOB_OP_SYNC, IOB_COUNT_IOS), 30);
	near(iob_hist_mean(iob_result_hist(mix, IOB_OP_SYNC, IOB_LATENCY_SERVICE)), 1.5e6, 1e-3);
	ck_assert_int_eq(iob_result_error(mix)->code, EIO);
	iob_result_free(back);
	iob_result_free(r);
}
END_TEST

/* What fio itself printed, read, told in its form and read again: the same numbers,
 * and the disks. */
START_TEST(a_seed_goes_round)
{
	static const char *const names[] = { "fio-azure-ase.txt", "fio-md-lvm-striping.txt" };
	for (size_t i = 0; i < IOBI_LEN(names); i++) {
		char *text = seed_text(names[i]);
		struct iob_result *r = seed_read(text, "fio-text");
		for (size_t k = 0; k < iob_result_child_count(r); k++) {
			const struct iob_result *stage = iob_result_child(r, k);
			struct iob_result *back = read_back(stage, "fio-text");
			ck_assert_str_eq(iob_result_effective(back, "pattern"),
					 iob_result_effective(stage, "pattern"));
			same_op(back, stage, IOB_OP_READ);
			same_op(back, stage, IOB_OP_WRITE);
			ck_assert_uint_eq(iob_result_device_count(back),
					  iob_result_device_count(stage));
			for (size_t d = 0; d < iob_result_device_count(stage); d++) {
				const struct iob_device_use *a = iob_result_device(back, d);
				const struct iob_device_use *b = iob_result_device(stage, d);
				ck_assert_str_eq(a->name, b->name);
				ck_assert_uint_eq(a->n_below, b->n_below);
				ck_assert_uint_eq(a->op[IOB_OP_READ].ios, b->op[IOB_OP_READ].ios);
			}
			iob_result_free(back);
		}
		iob_result_free(r);
		free(text);
	}
}
END_TEST

/* What another program printed has no times of its threads and no date: none is
 * made up; and what was done tells what was asked. */
START_TEST(nothing_is_made_up)
{
	static const char recorded[] =
		"mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
		"ioengine=libaio, iodepth=8\n"
		"mix: (groupid=0, jobs=2): err= 0: pid=14333: Mon Nov 30 12:39:38 2026\n"
		"  read: IOPS=59.0k, BW=230MiB/s (242MB/s)(461MiB/2001msec)\n"
		"     lat (usec): min=16, max=2997, avg=185.35, stdev=127.28\n"
		"   bw (  KiB/s): min=217148, max=262508, per=100.00%, avg=236594.67, "
		"stdev=10450.36, samples=6\n"
		"  write: IOPS=25.3k, BW=98.6MiB/s (103MB/s)(197MiB/2001msec)\n"
		"     lat (usec): min=22, max=3685, avg=199.44, stdev=135.62\n"
		"     issued rwts: total=118039,50532,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
	struct iob_result *r = seed_read(recorded, "fio-text");
	char *s = tree_report(r, "fio-text");
	ck_assert_ptr_nonnull(strstr(s, "mix: (g=0): rw=randrw, bs=(R) 4096B-4096B"));
	ck_assert_ptr_nonnull(strstr(s, "mix: (groupid=0, jobs=2): err= 0: pid=1: \n"));
	ck_assert_ptr_nonnull(strstr(s, "   bw (  KiB/s): min=217148, max=262508, per=100.00%, "
					"avg=236594.67\n"));
	ck_assert_ptr_nonnull(strstr(s, "     lat (usec): min=16, max=2997, avg=185.35, "));
	ck_assert_ptr_null(strstr(s, "cpu "));
	ck_assert_ptr_null(strstr(s, "IO depths"));
	ck_assert_ptr_null(strstr(s, "1970"));
	free(s);
	iob_result_free(r);
}
END_TEST

/* ---- any result ---- */

START_TEST(nothing_done_is_told_as_nothing)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "idle \x1b[31m");
	tree_params(w, "4k", "1", "1", "random", "100");
	w->flags |= IOB_RESULT_CANCELLED;
	tree_close(w);
	char *s = tree_report(w, "fio-text");
	ck_assert_ptr_nonnull(strstr(s, "\nidle ?[31m: (groupid=0, jobs=1): err= 0: pid=1: "));
	ck_assert_ptr_nonnull(strstr(s, "issued rwts: total=0,0,0,0 short=0,0,0,0"));
	ck_assert_ptr_null(strstr(s, "IOPS="));
	ck_assert_ptr_null(strstr(s, "nan"));
	ck_assert_ptr_null(strstr(s, "=inf"));
	free(s);
	iob_result_free(w);
}
END_TEST

START_TEST(rows_are_as_wide_as_they_need)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_params(w, "4k", "1", "1", "random", "100");
	tree_asked(w, "percentiles", "50,99.999");
	tree_io(w, IOB_OP_READ, 100, 4096, 300);
	tree_io(w, IOB_OP_READ, 1, 4096, 123456789);
	w->elapsed_ns = 1000000000;
	tree_close(w);
	char *s = tree_report(w, "fio-text");
	/* a minimum of 2 us keeps it all in ns */
	ck_assert_ptr_nonnull(strstr(s, "    lat percentiles (nsec):\n"
					"     | 50.000th=[      300], 99.999th=[123456789]\n"));
	ck_assert_ptr_nonnull(strstr(s, "     lat (nsec): min=300, max=123457k, avg="));
	free(s);
	iob_result_free(w);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_text");
	TCase *all = tcase_create("all");
	setenv("TZ", "UTC", 1);
	tzset();
	tcase_add_test(all, numbers_are_fios);
	tcase_add_test(all, to_the_byte);
	tcase_add_test(all, what_is_said_can_be_read);
	tcase_add_test(all, groups_and_flushes_can_be_read);
	tcase_add_test(all, a_seed_goes_round);
	tcase_add_test(all, nothing_is_made_up);
	tcase_add_test(all, nothing_done_is_told_as_nothing);
	tcase_add_test(all, rows_are_as_wide_as_they_need);
	suite_add_tcase(s, all);
	return s;
}

IOB_TEST_MAIN(suite)
