/* SPDX-License-Identifier: MIT */
/* Entries and groups of fio's reports, their numbers, and all of it read back. */
#include "report/fio_view.h"
#include "support/tree.h"
#include <math.h>

/* A clone of a job: `ios` reads of 4k of 100 us in 1 s. */
static struct iob_result *clone(const char *name, const char *labels, uint64_t ios)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, name);
	tree_params(w, "4k", "1", "8", "random", "100");
	tree_asked(w, "labels", labels);
	tree_io(w, IOB_OP_READ, ios, 4096, 100000);
	w->started_ns = UINT64_C(1785542400000000000);
	w->elapsed_ns = 1000000000;
	tree_close(w);
	return w;
}

static struct iob_result *suite_of(struct iob_result *const *w, size_t n)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *stage = tree_node(IOB_LEVEL_STAGE, "stage");
	for (size_t i = 0; i < n; i++)
		tree_adopt(stage, w[i]);
	tree_close(stage);
	tree_adopt(root, stage);
	tree_close(root);
	return root;
}

static struct iobi_fiov view_of(const struct iob_result *r)
{
	struct iobi_fiov v;
	ck_assert_int_eq(iobi_fiov_open(&v, r), 0);
	return v;
}

static const struct iob_result *workload(const struct iob_result *r, size_t stage, size_t i)
{
	return iob_result_child(iob_result_child(r, stage), i);
}

/* ---- entries and groups ---- */

START_TEST(clones_reported_as_one)
{
	struct iob_result *w[] = {
		clone("a",
		      "fio.job=a\nfio.group=0\nfio.group_reporting=1\nfio.global.bs=4k\n"
		      "fio.option.rw=randread\nfio.option.description=first\n",
		      100),
		clone("a",
		      "fio.job=a\nfio.group=0\nfio.group_reporting=1\nfio.global.bs=4k\n"
		      "fio.option.rw=randread\nfio.option.description=first\n",
		      200),
		clone("b",
		      "fio.job=b\nfio.group=0\nfio.group_reporting=1\nfio.global.bs=4k\n"
		      "fio.option.rw=read\nfio.option.iodepth=8\n",
		      300),
	};
	w[2]->elapsed_ns = 2000000000;
	struct iob_result *r = suite_of(w, 3);
	struct iobi_fiov v = view_of(r);
	const struct iobi_fiov_job *j = v.job;
	ck_assert_uint_eq(v.n_jobs, 1);
	ck_assert_uint_eq(v.n_groups, 1);
	ck_assert_uint_eq(j->n_members, 3);
	ck_assert_uint_eq(j->jobs, 3);
	/* fio's: the first one's name, the last one's options */
	ck_assert_str_eq(j->name, "a");
	ck_assert_str_eq(j->description, "first");
	ck_assert_str_eq(iobi_pairs_get(&j->options, "rw"), "read");
	ck_assert_str_eq(iobi_pairs_get(&v.global, "bs"), "4k");
	ck_assert_str_eq(iobi_pairs_get(&j->options, "bs"), "4k"); /* needed by readers */
	ck_assert_uint_eq(j->op[IOBI_FIOV_READ].ios, 600);
	ck_assert_uint_eq(j->op[IOBI_FIOV_READ].runtime_ms, 2000); /* the longest */
	ck_assert_double_eq(j->op[IOBI_FIOV_READ].iops, 300);
	ck_assert_uint_eq(j->runtime_ms, 4000);
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

START_TEST(entries_of_their_own)
{
	struct iob_result *w[] = {
		clone("a", "fio.job=a\nfio.group=0\nfio.group_reporting=0\n", 100),
		clone("a", "fio.job=a\nfio.group=0\nfio.group_reporting=0\n", 200),
		clone("hidden",
		      "fio.job=h\nfio.group=0\nfio.group_reporting=0\n"
		      "fio.option.stats=0\n",
		      300),
		clone("b", "fio.job=b\nfio.group=1\nfio.group_reporting=1\n", 400),
	};
	struct iob_result *r = suite_of(w, 4);
	struct iobi_fiov v = view_of(r);
	ck_assert_uint_eq(v.n_jobs, 3);
	ck_assert_uint_eq(v.n_groups, 2);
	ck_assert_uint_eq(v.job[1].group, 0);
	ck_assert_uint_eq(v.job[2].group, 1);
	ck_assert_str_eq(v.job[2].name, "b");
	ck_assert_uint_eq(v.group[0].op[IOBI_FIOV_READ].bytes, 300 * 4096);
	ck_assert_double_eq(v.group[0].op[IOBI_FIOV_READ].min_bw, 100 * 4096);
	ck_assert_double_eq(v.group[0].op[IOBI_FIOV_READ].max_bw, 200 * 4096);
	ck_assert_double_eq(v.group[0].op[IOBI_FIOV_READ].agg, 300 * 4096);
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

START_TEST(which_have_percentiles)
{
	struct iob_result *w[] = {
		clone("a", "fio.job=a\nfio.group=0\n", 1),
		clone("b",
		      "fio.job=b\nfio.group=0\nfio.option.lat_percentiles=1\n"
		      "fio.option.clat_percentiles=0\nfio.option.slat_percentiles=1\n",
		      1),
		clone("c", "", 1), /* no job of fio's */
	};
	struct iob_result *r = suite_of(w, 3);
	struct iobi_fiov v = view_of(r);
	ck_assert(v.job[0].of_clat && !v.job[0].of_lat && !v.job[0].of_slat);
	ck_assert(!v.job[1].of_clat && v.job[1].of_lat && v.job[1].of_slat);
	ck_assert(v.job[2].of_clat && v.job[2].of_lat && !v.job[2].of_slat);
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

/* ---- numbers ---- */

START_TEST(how_io_was_handed_over)
{
	struct iob_result *w[] = { clone("a", "", 100) };
	w[0]->usage = (struct iobi_usage){ .ran_ns = 2000000000,
					   .user_ns = 100000000,
					   .system_ns = 500000000,
					   .switches = 7,
					   .minor_faults = 3,
					   .depth = { 0, 0, 1, 9999 },
					   .submit = { 0, 3, 1 },
					   .complete = { 0, 1, 1 } };
	struct iob_result *r = suite_of(w, 1);
	struct iobi_fiov v = view_of(r);
	const struct iobi_fiov_job *j = v.job;
	ck_assert_double_eq(j->user, 5);
	ck_assert_double_eq(j->system, 25);
	ck_assert_uint_eq(j->switches, 7);
	ck_assert_uint_eq(j->minor_faults, 3);
	ck_assert_double_eq(j->depth[2], 0.1); /* fio's least */
	ck_assert_double_eq_tol(j->depth[3], 99.99, 1e-9);
	ck_assert_double_eq(j->submit[1], 75);
	ck_assert_double_eq(j->complete[2], 50);
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

/* In the library's own JSON, and added up where results are merged. */
START_TEST(usage_is_kept)
{
	struct iob_result *w[] = { clone("a", "", 100) };
	w[0]->usage = (struct iobi_usage){ .ran_ns = 5,
					   .switches = 7,
					   .depth = { 10, 2, 3, 4, 5, 6, UINT64_MAX / 2 } };
	struct iob_result *r = suite_of(w, 1), *back;
	struct iob_error err = { 0 };
	char *text = tree_report(r, "json");
	back = iob_result_read(text, strlen(text), "json", &err);
	ck_assert_msg(back != NULL, "%s", err.message);
	ck_assert_mem_eq(&workload(back, 0, 0)->usage, &w[0]->usage, sizeof(w[0]->usage));
	ck_assert_mem_eq(&back->usage, &w[0]->usage, sizeof(w[0]->usage));
	const struct iob_result *parts[] = { r, back, back };
	struct iob_result *both = iob_result_merge(parts, 2, &err);
	ck_assert_msg(both != NULL, "%s", err.message);
	ck_assert_uint_eq(both->usage.switches, 14);
	ck_assert_uint_eq(both->usage.depth[6], UINT64_MAX - 1);
	ck_assert_ptr_null(iob_result_merge(parts, 3, &err));
	ck_assert_int_eq(err.code, EOVERFLOW);
	iob_result_free(both);
	iob_result_free(back);
	char *depth = strstr(text, "\"depth\":[10,2,");
	ck_assert_ptr_nonnull(depth);
	memcpy(depth, "\"depth\":[-1,2,", 14);
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "json", &err));
	ck_assert_ptr_nonnull(strstr(err.message, "usage.depth[0]"));
	memcpy(depth, "\"depth\":[   2 ", 14);
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "json", &err));
	free(text);
	iob_result_free(r);
}
END_TEST

START_TEST(classes_of_batches)
{
	static const unsigned depth[][2] = { { 1, 0 },  { 2, 1 },    { 3, 1 },  { 4, 2 },
					     { 8, 3 },  { 31, 4 },   { 32, 5 }, { 63, 5 },
					     { 64, 6 }, { 65536, 6 } };
	static const unsigned batch[][2] = { { 0, 0 },  { 1, 1 },  { 4, 1 },  { 5, 2 },
					     { 8, 2 },  { 9, 3 },  { 16, 3 }, { 17, 4 },
					     { 33, 5 }, { 64, 5 }, { 65, 6 }, { 1000, 6 } };
	for (size_t i = 0; i < IOBI_LEN(depth); i++)
		ck_assert_uint_eq(iobi_usage_depth(depth[i][0]), depth[i][1]);
	for (size_t i = 0; i < IOBI_LEN(batch); i++)
		ck_assert_uint_eq(iobi_usage_batch(batch[i][0]), batch[i][1]);
}
END_TEST

/* 100 ms each: two samples of 500 ms, and a rest that is none. */
START_TEST(samples)
{
	struct iob_result *w[] = { tree_node(IOB_LEVEL_WORKLOAD, "a") };
	tree_params(w[0], "4k", "1", "8", "random", "100");
	tree_io(w[0], IOB_OP_READ, 190, 4096, 100000);
	w[0]->elapsed_ns = 1200000000;
	w[0]->n_intervals = 12;
	for (size_t i = 0; i < 12; i++)
		tree_interval(w[0], IOB_OP_READ, i, i * 100000000, 100000000, i < 5 ? 10 : 20,
			      (i < 5 ? 10 : 20) * 4096, 1e5, 0, 0, 100000);
	tree_close(w[0]);
	struct iob_result *r = suite_of(w, 1);
	struct iobi_fiov v = view_of(r);
	const struct iobi_fiov_op *o = &v.job[0].op[IOBI_FIOV_READ];
	ck_assert_uint_eq(o->rate.n, 2);
	ck_assert_double_eq_tol(o->rate.min, 100, 1e-9);
	ck_assert_double_eq_tol(o->rate.max, 200, 1e-9);
	ck_assert_double_eq_tol(o->rate.mean, 150, 1e-9);
	ck_assert_double_eq_tol(o->rate.stddev, sqrt(2 * 50 * 50), 1e-9);
	ck_assert_double_eq_tol(o->bw.mean, 600, 1e-9); /* KiB/s */
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

static uint64_t drawn(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Each I/O's clat is its lat less its slat; made of the two histograms alone, its
 * mean is exact, its deviation nearly, its percentiles near. */
START_TEST(clat_is_what_follows_the_submit)
{
	struct iob_result *w[] = { tree_node(IOB_LEVEL_WORKLOAD, "a") };
	struct iob_hist *true_clat = iob_hist_new(8, NULL);
	uint64_t state = 1;
	tree_params(w[0], "4k", "1", "8", "random", "100");
	for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
		w[0]->op[IOB_OP_READ].latency[l] = iob_hist_new(8, NULL);
	for (int i = 0; i < 100000; i++) {
		uint64_t slat = 2000 + drawn(&state) % 4000, clat = 50000;
		for (int k = 0; k < 10; k++)
			clat += drawn(&state) % 20000;
		iob_hist_record(w[0]->op[IOB_OP_READ].latency[IOB_LATENCY_SUBMIT], slat, 1);
		iob_hist_record(w[0]->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE], slat + clat, 1);
		iob_hist_record(true_clat, clat, 1);
	}
	w[0]->op[IOB_OP_READ].count[IOB_COUNT_IOS] = 100000;
	w[0]->elapsed_ns = 1000000000;
	tree_close(w[0]);
	struct iob_result *r = suite_of(w, 1);
	struct iobi_fiov v = view_of(r);
	const struct iobi_fiov_latency *c = &v.job[0].op[IOBI_FIOV_READ].clat;
	ck_assert_double_eq_tol(c->mean, iob_hist_mean(true_clat), 1e-3);
	ck_assert_double_eq_tol(c->stddev / iob_hist_stddev(true_clat), 1, 0.01);
	for (double p = 1; p < 99.95; p += 0.5) {
		uint64_t is, must;
		ck_assert(iobi_fiov_percentile(c, p, &is));
		ck_assert_int_eq(iob_hist_percentile(true_clat, p, &must), 0);
		ck_assert_double_eq_tol((double)is / (double)must, 1, 0.01);
		ck_assert_uint_ge(is, c->min);
		ck_assert_uint_le(is, c->max);
	}
	iobi_fiov_close(&v);
	iob_result_free(r);
	iob_hist_free(true_clat);
}
END_TEST

/* The submit call was the whole I/O: nothing is left. */
START_TEST(clat_of_io_that_was_done_at_once)
{
	struct iob_result *w[] = { tree_node(IOB_LEVEL_WORKLOAD, "a") };
	tree_params(w[0], "4k", "1", "8", "random", "100");
	for (int l = 0; l < IOBI_RESULT_LATENCIES; l++) {
		w[0]->op[IOB_OP_READ].latency[l] = iob_hist_new(8, NULL);
		iob_hist_record(w[0]->op[IOB_OP_READ].latency[l], 3000, 900);
		iob_hist_record(w[0]->op[IOB_OP_READ].latency[l], 900000, 100);
	}
	w[0]->elapsed_ns = 1000000000;
	tree_close(w[0]);
	struct iob_result *r = suite_of(w, 1);
	struct iobi_fiov v = view_of(r);
	const struct iobi_fiov_latency *c = &v.job[0].op[IOBI_FIOV_READ].clat;
	uint64_t p99;
	ck_assert(iobi_fiov_percentile(c, 99, &p99));
	ck_assert_uint_eq(p99, 0);
	ck_assert_double_eq(c->mean, 0);
	ck_assert_uint_eq(c->n, 1000);
	iobi_fiov_close(&v);
	iob_result_free(r);
}
END_TEST

/* ---- read back ---- */

static void near_to_the_bucket(const struct iob_hist *is, const struct iob_hist *was)
{
	static const double list[] = { 1, 50, 90, 99, 99.9, 99.99 };
	ck_assert_uint_eq(iob_hist_count(is), iob_hist_count(was));
	ck_assert_uint_eq(iob_hist_min(is), iob_hist_min(was));
	ck_assert_uint_eq(iob_hist_max(is), iob_hist_max(was));
	ck_assert_double_eq_tol(iob_hist_mean(is), iob_hist_mean(was), 1e-3);
	for (size_t i = 0; i < IOBI_LEN(list); i++) {
		uint64_t a, b;
		ck_assert_int_eq(iob_hist_percentile(is, list[i], &a), 0);
		ck_assert_int_eq(iob_hist_percentile(was, list[i], &b), 0);
		/* fio's bins have 6 bits */
		ck_assert_uint_eq(iobi_hist_index(6, a), iobi_hist_index(6, b));
	}
}

static void same_op(const struct iob_result *is, const struct iob_result *was, enum iob_op op)
{
	for (int c = IOB_COUNT_IOS; c <= IOB_COUNT_BYTES; c++)
		ck_assert_uint_eq(iob_result_count(is, op, (enum iob_count)c),
				  iob_result_count(was, op, (enum iob_count)c));
	if (!iob_result_count(was, op, IOB_COUNT_IOS))
		return;
	if (op != IOB_OP_SYNC) /* fio has no run time of flushes */
		ck_assert_double_eq_tol(iob_result_iops(is, op) / iob_result_iops(was, op), 1,
					1e-6);
	near_to_the_bucket(iob_result_hist(is, op, IOB_LATENCY_SERVICE),
			   iob_result_hist(was, op, IOB_LATENCY_SERVICE));
}

static struct iob_result *read_back(const struct iob_result *r, const char *format)
{
	char *text = tree_report(r, format);
	struct iob_error err = { 0 };
	struct iob_result *back = iob_result_read(text, strlen(text), NULL, &err);
	ck_assert_msg(back != NULL, "%s", err.message);
	free(text);
	return back;
}

static void fill(struct iob_result *w, enum iob_op op, uint64_t seed)
{
	for (int i = 0; i < 20000; i++) {
		uint64_t ns = 1000 + drawn(&seed) % 1000 * (drawn(&seed) % 1000);
		tree_io(w, op, 1, 4096, ns);
	}
}

/* Two groups, of two jobs and one; reads, writes and flushes. */
START_TEST(round_trip)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *w[3];
	for (int i = 0; i < 3; i++) {
		char name[8] = { (char)('a' + i) };
		w[i] = tree_node(IOB_LEVEL_WORKLOAD, name);
		tree_params(w[i], "4k", "3", "8", "random", i ? "50" : "100");
		fill(w[i], IOB_OP_READ, (uint64_t)i + 1);
		if (i)
			fill(w[i], IOB_OP_WRITE, (uint64_t)i + 5);
		if (i == 2)
			tree_io(w[i], IOB_OP_SYNC, 100, 0, 1234567);
		w[i]->elapsed_ns = 1234567891;
		tree_close(w[i]);
	}
	tree_adopt(root, tree_stage("one", w[0], w[1]));
	tree_adopt(root, tree_stage("two", w[2], NULL));
	tree_close(root);
	struct iob_result *back = read_back(root, "fio-json+");
	ck_assert_uint_eq(iob_result_child_count(back), 2);
	ck_assert_uint_eq(iob_result_child_count(iob_result_child(back, 0)), 2);
	for (int i = 0; i < 3; i++) {
		const struct iob_result *is = workload(back, i == 2, i % 2);
		ck_assert_str_eq(iob_result_name(is), iob_result_name(w[i]));
		ck_assert_str_eq(iob_result_param(is, "workers"), "3");
		ck_assert_str_eq(iob_result_param(is, "queue_depth"), "8");
		ck_assert_str_eq(iob_result_effective(is, "engine"), "io_uring");
		ck_assert_str_eq(iob_result_param(is, "read_percent"), i ? "50" : "100");
		for (int op = IOB_OP_READ; op <= IOB_OP_SYNC; op++)
			same_op(is, w[i], (enum iob_op)op);
	}
	iob_result_free(back);
	iob_result_free(root);
}
END_TEST

/* Without bins: counts, rate, mean, extremes, and the percentiles that are there. */
START_TEST(round_trip_without_bins)
{
	struct iob_result *r = tree_suite(), *back = read_back(r, "fio-json");
	const struct iob_result *is = workload(back, 0, 0), *was = workload(r, 0, 0);
	const struct iob_hist *a = iob_result_hist(is, IOB_OP_READ, IOB_LATENCY_SERVICE);
	const struct iob_hist *b = iob_result_hist(was, IOB_OP_READ, IOB_LATENCY_SERVICE);
	uint64_t pa, pb;
	ck_assert_uint_eq(iob_hist_count(a), iob_hist_count(b));
	ck_assert_double_eq_tol(iob_hist_mean(a), iob_hist_mean(b), 1e-3);
	ck_assert_int_eq(iob_hist_percentile(a, 99.9, &pa), 0);
	ck_assert_int_eq(iob_hist_percentile(b, 99.9, &pb), 0);
	ck_assert_uint_eq(pa, pb);
	ck_assert_double_eq(iob_result_iops(is, IOB_OP_ALL), iob_result_iops(was, IOB_OP_ALL));
	ck_assert_int_eq(iob_result_error(workload(back, 1, 0))->code, EIO);
	/* and once more, as fio prints it: no bins, and the shares that were printed */
	struct iob_result *again = read_back(back, "fio-json+");
	ck_assert_uint_eq(iob_result_count(workload(again, 0, 0), IOB_OP_READ, IOB_COUNT_IOS),
			  12000);
	char *text = tree_report(back, "fio-json+");
	ck_assert_ptr_null(strstr(text, "\"bins\""));
	ck_assert_ptr_nonnull(strstr(text, "\"100\" : 79.866667"));
	free(text);
	iob_result_free(again);
	iob_result_free(back);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_view");
	TCase *t = tcase_create("all");
	tcase_add_test(t, clones_reported_as_one);
	tcase_add_test(t, entries_of_their_own);
	tcase_add_test(t, which_have_percentiles);
	tcase_add_test(t, how_io_was_handed_over);
	tcase_add_test(t, usage_is_kept);
	tcase_add_test(t, classes_of_batches);
	tcase_add_test(t, samples);
	tcase_add_test(t, clat_is_what_follows_the_submit);
	tcase_add_test(t, clat_of_io_that_was_done_at_once);
	tcase_add_test(t, round_trip);
	tcase_add_test(t, round_trip_without_bins);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
