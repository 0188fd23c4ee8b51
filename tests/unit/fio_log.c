/* SPDX-License-Identifier: MIT */
/* fio's logs of a series that is known. */
#include "support/tree.h"

enum {
	MS = 1000000
};

/* Ten reads of 4 KiB and two writes in each 100 ms, which take 1 ms and more by
 * and by; the last interval is a drain of 10 ms. It began 50 ms after its stage. */
static struct iob_result *job(const char *labels, const char *kind)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "job");
	tree_asked(w, "labels", labels);
	tree_ran(w, "engine_kind", kind);
	w->elapsed_ns = 610 * (uint64_t)MS;
	w->started_ns = 1700000000050 * (uint64_t)MS;
	w->n_intervals = 8;
	for (uint64_t i = 0; i < w->n_intervals; i++) {
		uint64_t start = (i ? 50 + 100 * (i - 1) : 0) * MS;
		uint64_t length = (i == 0 ? 50 : i == 7 ? 10 : 100) * MS;
		uint64_t n = i == 0 ? 0 : i == 7 ? 1 : 10;
		double mean = i ? (double)(900000 + 100000 * i) : NAN;
		tree_interval(w, IOB_OP_READ, i, start, length, n, n * 4096, mean, 0, 0, 0);
		n = i >= 2 && i <= 6 ? 2 : 0;
		tree_interval(w, IOB_OP_WRITE, i, start, length, n, n * 512, n ? 50000 : NAN, 0, 0,
			      0);
	}
	tree_close(w);
	return w;
}

static struct iob_result *suite_of(const char *labels, const char *kind)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *other = tree_node(IOB_LEVEL_WORKLOAD, "other");
	tree_close(other);
	struct iob_result *stage = tree_stage("stage", other, job(labels, kind));
	stage->started_ns = 1700000000000 * (uint64_t)MS;
	tree_adopt(root, stage);
	tree_close(root);
	return root;
}

static void is(const struct iob_result *r, const char *format, const char *must)
{
	struct iobi_text t = { 0 };
	ck_assert_int_eq(iob_result_report(r, format, tree_gather, &t, NULL), 0);
	ck_assert_str_eq(t.data ? t.data : "", must);
	iobi_text_free(&t);
}

START_TEST(a_line_is_an_interval_or_more)
{
	struct iob_result *r = suite_of("fio.thread=0", "async");
	is(r, "fio-iops-log",
	   "100, 100, 0, 0, 0\n200, 100, 0, 0, 0\n200, 20, 1, 0, 0\n300, 100, 0, 0, 0\n"
	   "300, 20, 1, 0, 0\n400, 100, 0, 0, 0\n400, 20, 1, 0, 0\n500, 100, 0, 0, 0\n"
	   "500, 20, 1, 0, 0\n610, 100, 0, 0, 0\n610, 18, 1, 0, 0\n");
	iob_result_free(r);
	r = suite_of("fio.option.log_avg_msec=300\nfio.option.write_bw_log=x", "async");
	/* 30 reads in 300 ms; then 31 in 310 */
	is(r, "fio-bw-log",
	   "300, 400, 0, 0, 0\n300, 7, 1, 0, 0\n610, 400, 0, 0, 0\n610, 10, 1, 0, 0\n");
	iob_result_free(r);
}
END_TEST

/* lat = slat + clat, of all I/Os of the line: the mean of 1.0, 1.1 and 1.2 ms. */
START_TEST(latencies_are_means)
{
	struct iob_result *r = suite_of("fio.global.log_avg_msec=300", "async");
	is(r, "fio-lat-log",
	   "300, 1100000, 0, 0, 0\n300, 50000, 1, 0, 0\n610, 1406452, 0, 0, 0\n"
	   "610, 50000, 1, 0, 0\n");
	is(r, "fio-slat-log",
	   "300, 110000, 0, 0, 0\n300, 5000, 1, 0, 0\n610, 140645, 0, 0, 0\n"
	   "610, 5000, 1, 0, 0\n");
	is(r, "fio-clat-log",
	   "300, 990000, 0, 0, 0\n300, 45000, 1, 0, 0\n610, 1265806, 0, 0, 0\n"
	   "610, 45000, 1, 0, 0\n");
	iob_result_free(r);
}
END_TEST

/* A call that is the whole I/O has no submit time of its own, as in fio. */
START_TEST(sync_engines_have_no_slat)
{
	struct iob_result *r = suite_of("fio.option.log_avg_msec=1000", "sync");
	is(r, "fio-slat-log", "");
	is(r, "fio-clat-log", "610, 1255738, 0, 0, 0\n610, 50000, 1, 0, 0\n");
	iob_result_free(r);
}
END_TEST

START_TEST(times_since_1970)
{
	static const char *const asks[] = { "log_unix_epoch=1",
					    "log_unix_epoch=", "log_alternate_epoch=1" };
	for (size_t i = 0; i < IOBI_LEN(asks); i++) {
		char labels[128];
		snprintf(labels, sizeof(labels), "fio.option.log_avg_msec=1000\nfio.option.%s",
			 asks[i]);
		struct iob_result *r = suite_of(labels, "sync");
		is(r, "fio-bw-log", "1700000000660, 400, 0, 0, 0\n1700000000660, 8, 1, 0, 0\n");
		iob_result_free(r);
	}
	struct iob_result *r =
		suite_of("fio.option.log_avg_msec=1000\nfio.option.log_unix_epoch=0", "sync");
	is(r, "fio-bw-log", "610, 400, 0, 0, 0\n610, 8, 1, 0, 0\n");
	iob_result_free(r);
}
END_TEST

/* What has no series, as what other programs printed, has an empty log. */
START_TEST(no_series_no_lines)
{
	struct iob_result *r = tree_node(IOB_LEVEL_WORKLOAD, "none");
	tree_io(r, IOB_OP_READ, 10, 4096, 1000);
	tree_close(r);
	is(r, "fio-bw-log", "");
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_log");
	TCase *all = tcase_create("all");
	tcase_add_test(all, a_line_is_an_interval_or_more);
	tcase_add_test(all, latencies_are_means);
	tcase_add_test(all, sync_engines_have_no_slat);
	tcase_add_test(all, times_since_1970);
	tcase_add_test(all, no_series_no_lines);
	suite_add_tcase(s, all);
	return s;
}

IOB_TEST_MAIN(suite)
