/* SPDX-License-Identifier: MIT */
/* The tree: accessors, summing up, series. */
#include "support/tree.h"
#include <errno.h>
#include <math.h>

START_TEST(sums_up_from_below)
{
	struct iob_result *r = tree_suite();

	ck_assert_int_eq(iob_result_level(r), IOB_LEVEL_SUITE);
	ck_assert_uint_eq(iob_result_child_count(r), 2);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 12040);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_ERRORS), 3);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_SHORT), 1);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS), 3000);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS), 15040);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_BYTES), 122880000 + 41943040);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_ALL, IOB_COUNT_ERRORS), 3);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	ck_assert_uint_eq(iob_result_flags(iob_result_child(r, 0)), 0);
	ck_assert_uint_eq(iob_result_elapsed_ns(r), 3000000000);
	ck_assert_uint_eq(iob_result_started_ns(r), UINT64_C(1785542400123456789));
	iob_result_free(r);
}
END_TEST

START_TEST(rates_are_counts_over_the_nodes_window)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *stage = iob_result_child(r, 0);

	ck_assert_double_eq(iob_result_iops(stage, IOB_OP_READ), 6000);
	ck_assert_double_eq(iob_result_iops(stage, IOB_OP_ALL), 7500);
	ck_assert_double_eq(iob_result_bytes_per_s(stage, IOB_OP_WRITE), 12288000);
	ck_assert_double_eq_tol(iob_result_iops(r, IOB_OP_ALL), 15040.0 / 3, 1e-9);
	iob_result_free(r);
}
END_TEST

START_TEST(histograms_sum_up_exactly)
{
	struct iob_result *r = tree_suite();
	const struct iob_hist *h = iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE);

	ck_assert_uint_eq(iob_hist_count(h), 12040);
	ck_assert_uint_eq(iob_hist_min(h), 100000);
	ck_assert_uint_eq(iob_hist_max(h), 24000000);
	ck_assert(h->sum == UINT64_C(11980) * 100000 + 20 * 5000000 + 40 * 24000000);
	h = iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE);
	ck_assert_uint_eq(iob_hist_count(h), 15040);
	h = iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SUBMIT);
	ck_assert_uint_eq(iob_hist_min(h), 10000);
	h = iob_result_hist(r, IOB_OP_TRIM, IOB_LATENCY_RESPONSE);
	ck_assert_ptr_nonnull(h);
	ck_assert_uint_eq(iob_hist_count(h), 0);
	ck_assert_int_eq(iob_hist_precision(h), 8);
	iob_result_free(r);
}
END_TEST

START_TEST(flushes_are_not_in_all)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_io(w, IOB_OP_WRITE, 5, 4096, 1000);
	tree_io(w, IOB_OP_SYNC, 2, 0, 9000);
	tree_close(w);
	ck_assert_uint_eq(iob_result_count(w, IOB_OP_ALL, IOB_COUNT_IOS), 5);
	ck_assert_uint_eq(iob_hist_max(iob_result_hist(w, IOB_OP_ALL, IOB_LATENCY_SERVICE)), 1000);
	ck_assert_uint_eq(iob_result_count(w, IOB_OP_SYNC, IOB_COUNT_IOS), 2);
	iob_result_free(w);
}
END_TEST

/* The coarsest of those that hold samples; an idle worker does not coarsen. */
START_TEST(precision_is_the_coarsest_with_samples)
{
	static const int bits[] = { 10, 12, 3 };
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");

	for (int i = 0; i < 3; i++) {
		struct iob_result *k = tree_node(IOB_LEVEL_WORKER, "k");
		struct iob_hist *h = iob_hist_new(bits[i], NULL);
		if (i < 2)
			iob_hist_record(h, 1000003, 7);
		k->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE] = h;
		tree_close(k);
		tree_adopt(w, k);
	}
	tree_close(w);
	const struct iob_hist *h = iob_result_hist(w, IOB_OP_READ, IOB_LATENCY_SERVICE);
	ck_assert_int_eq(iob_hist_precision(h), 10);
	ck_assert_uint_eq(iob_hist_count(h), 14);
	ck_assert_int_eq(iob_hist_precision(iob_result_hist(w, IOB_OP_ALL, IOB_LATENCY_SERVICE)),
			 10);
	iob_result_free(w);
}
END_TEST

START_TEST(parameters_where_all_agree)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *w = iob_result_child(iob_result_child(r, 0), 0);

	ck_assert_str_eq(iob_result_param(w, "block_size"), "8k");
	ck_assert_str_eq(iob_result_param(iob_result_child(w, 1), "block_size"), "8k");
	ck_assert_str_eq(iob_result_param(iob_result_child(r, 1), "block_size"), "1m");
	ck_assert_ptr_null(iob_result_param(r, "block_size"));
	ck_assert_str_eq(iob_result_param(r, "engine"), "auto");
	ck_assert_ptr_null(iob_result_effective(r, "engine"));
	ck_assert_str_eq(iob_result_effective(w, "engine"), "io_uring");
	ck_assert_ptr_null(iob_result_param(r, "no_such_thing"));
	ck_assert_ptr_null(iob_result_param(r, NULL));
	iob_result_free(r);
}
END_TEST

START_TEST(first_error_and_targets)
{
	struct iob_result *r = tree_suite();
	const struct iob_error *e = iob_result_error(r);

	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->code, EIO);
	ck_assert_uint_eq(e->offset, 1048576);
	ck_assert_str_eq(e->where, "read");
	ck_assert_ptr_null(iob_result_error(iob_result_child(r, 0)));
	ck_assert_uint_eq(iob_result_target_count(r), 2);
	ck_assert_str_eq(iob_result_target(r, 0)->path, "/dev/loop7");
	ck_assert_uint_eq(iob_result_target(r, 0)->bytes, 122880000);
	ck_assert_uint_eq(iob_result_target(r, 1)->errors, 4);
	ck_assert_ptr_null(iob_result_target(r, 2));
	iob_result_free(r);
}
END_TEST

START_TEST(targets_join_by_path)
{
	struct iob_result *a = tree_mixed_workload(), *b = tree_mixed_workload();
	struct iob_result *stage = tree_stage("s", a, b);
	ck_assert_uint_eq(iob_result_target_count(stage), 1);
	ck_assert_uint_eq(iob_result_target(stage, 0)->ios, 30000);
	ck_assert_uint_eq(iob_result_target(stage, 0)->target_bytes, 268435456);
	iob_result_free(stage);
}
END_TEST

START_TEST(nothing_is_read_off_the_tree)
{
	struct iob_result *r = tree_suite();
	const enum iob_op bad_op = (enum iob_op)5, negative = (enum iob_op) - 1;

	ck_assert_uint_eq(iob_result_count(r, bad_op, IOB_COUNT_IOS), 0);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, (enum iob_count)4), 0);
	ck_assert_ptr_null(iob_result_hist(r, negative, IOB_LATENCY_SERVICE));
	ck_assert_ptr_null(iob_result_hist(r, IOB_OP_READ, (enum iob_latency)3));
	ck_assert_double_eq(iob_result_iops(r, bad_op), 0);
	ck_assert_ptr_null(iob_result_child(r, 2));
	ck_assert_ptr_null(iob_result_interval(r, 0, bad_op));
	ck_assert_ptr_null(iob_result_interval(r, 2, IOB_OP_READ));
	iob_result_free(r);
}
END_TEST

START_TEST(null_is_an_empty_result)
{
	ck_assert_int_eq(iob_result_level(NULL), IOB_LEVEL_SUITE);
	ck_assert_str_eq(iob_result_name(NULL), "");
	ck_assert_uint_eq(iob_result_child_count(NULL), 0);
	ck_assert_ptr_null(iob_result_child(NULL, 0));
	ck_assert_uint_eq(iob_result_flags(NULL), 0);
	ck_assert_uint_eq(iob_result_elapsed_ns(NULL), 0);
	ck_assert_uint_eq(iob_result_started_ns(NULL), 0);
	ck_assert_uint_eq(iob_result_unfinished(NULL), 0);
	ck_assert_uint_eq(iob_result_count(NULL, IOB_OP_ALL, IOB_COUNT_IOS), 0);
	ck_assert_double_eq(iob_result_iops(NULL, IOB_OP_ALL), 0);
	ck_assert_double_eq(iob_result_bytes_per_s(NULL, IOB_OP_ALL), 0);
	ck_assert_ptr_null(iob_result_hist(NULL, IOB_OP_ALL, IOB_LATENCY_SERVICE));
	ck_assert_ptr_null(iob_result_param(NULL, "engine"));
	ck_assert_ptr_null(iob_result_effective(NULL, "engine"));
	ck_assert_ptr_null(iob_result_error(NULL));
	ck_assert_uint_eq(iob_result_target_count(NULL), 0);
	ck_assert_ptr_null(iob_result_target(NULL, 0));
	ck_assert_uint_eq(iob_result_interval_count(NULL), 0);
	ck_assert_ptr_null(iob_result_interval(NULL, 0, IOB_OP_ALL));
	iob_result_free(NULL);
}
END_TEST

START_TEST(an_empty_node_says_zero)
{
	struct iob_result *r = tree_node(IOB_LEVEL_SUITE, NULL);
	tree_close(r);
	ck_assert_str_eq(iob_result_name(r), "");
	ck_assert_double_eq(iob_result_iops(r, IOB_OP_ALL), 0);
	ck_assert_uint_eq(iob_hist_count(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE)), 0);
	ck_assert_ptr_null(iob_result_param(r, "engine"));
	iob_result_free(r);
}
END_TEST

START_TEST(a_sum_never_wraps)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	for (int i = 0; i < 2; i++) {
		struct iob_result *k = tree_node(IOB_LEVEL_WORKER, "k");
		k->op[IOB_OP_READ].count[IOB_COUNT_BYTES] = UINT64_C(1) << 63;
		tree_close(k);
		tree_adopt(w, k);
	}
	ck_assert_int_eq(iobi_result_close(w), -EOVERFLOW);
	iob_result_free(w);
}
END_TEST

/* ---- series ---- */

/* n intervals of `length` with `ios` reads of mean, p50, p99 and max 100 each. */
static struct iob_result *with_series(size_t n, uint64_t length, uint64_t ios)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	w->n_intervals = n;
	w->elapsed_ns = n * length;
	for (size_t i = 0; i < n; i++)
		tree_interval(w, IOB_OP_READ, i, i * length, length, ios, ios * 512, 100, 100, 100,
			      100 + i);
	tree_close(w);
	return w;
}

START_TEST(a_series_is_complete)
{
	struct iob_result *w = with_series(3, 100, 10);
	ck_assert_uint_eq(iob_result_interval_count(w), 3);
	const struct iob_interval *v = iob_result_interval(w, 1, IOB_OP_ALL);
	ck_assert_uint_eq(v->ios, 10);
	ck_assert_uint_eq(v->p99_ns, 100);
	v = iob_result_interval(w, 1, IOB_OP_TRIM);
	ck_assert_uint_eq(v->start_ns, 100);
	ck_assert_uint_eq(v->ios, 0);
	ck_assert(isnan(v->mean_ns));
	iob_result_free(w);
}
END_TEST

START_TEST(stages_follow_one_another)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "");
	tree_adopt(root, tree_stage("a", with_series(2, 100, 10), NULL));
	tree_adopt(root, tree_stage("b", with_series(3, 400, 20), NULL));
	tree_close(root);
	ck_assert_uint_eq(iob_result_interval_count(root), 5);
	const struct iob_interval *v = iob_result_interval(root, 2, IOB_OP_READ);
	ck_assert_uint_eq(v->start_ns, 200);
	ck_assert_uint_eq(v->length_ns, 400);
	ck_assert_uint_eq(v->ios, 20);
	ck_assert_uint_eq(iob_result_interval(root, 4, IOB_OP_READ)->start_ns, 1000);
	iob_result_free(root);
}
END_TEST

/* 100 ns beside 200 ns: the coarser one is the grid, what lies past it is kept. */
START_TEST(side_by_side_on_the_coarser_grid)
{
	struct iob_result *stage = tree_stage("s", with_series(7, 100, 10), with_series(3, 200, 4));
	ck_assert_uint_eq(iob_result_interval_count(stage), 4);
	const struct iob_interval *v = iob_result_interval(stage, 1, IOB_OP_READ);
	ck_assert_uint_eq(v->start_ns, 200);
	ck_assert_uint_eq(v->length_ns, 200);
	ck_assert_uint_eq(v->ios, 24);
	ck_assert_uint_eq(v->bytes, 24 * 512);
	ck_assert_double_eq_tol(v->mean_ns, 100, 1e-9);
	ck_assert_uint_eq(v->p50_ns, 0); /* of two sets of samples: not known */
	ck_assert_uint_eq(v->p99_ns, 0);
	ck_assert_uint_eq(v->max_ns, 103);
	v = iob_result_interval(stage, 3, IOB_OP_READ);
	ck_assert_uint_eq(v->start_ns, 600);
	ck_assert_uint_eq(v->ios, 10);
	ck_assert_uint_eq(v->p50_ns, 100);
	iob_result_free(stage);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("result");
	TCase *tree = tcase_create("tree");
	TCase *series = tcase_create("series");

	tcase_add_test(tree, sums_up_from_below);
	tcase_add_test(tree, rates_are_counts_over_the_nodes_window);
	tcase_add_test(tree, histograms_sum_up_exactly);
	tcase_add_test(tree, flushes_are_not_in_all);
	tcase_add_test(tree, precision_is_the_coarsest_with_samples);
	tcase_add_test(tree, parameters_where_all_agree);
	tcase_add_test(tree, first_error_and_targets);
	tcase_add_test(tree, targets_join_by_path);
	tcase_add_test(tree, nothing_is_read_off_the_tree);
	tcase_add_test(tree, null_is_an_empty_result);
	tcase_add_test(tree, an_empty_node_says_zero);
	tcase_add_test(tree, a_sum_never_wraps);
	tcase_add_test(series, a_series_is_complete);
	tcase_add_test(series, stages_follow_one_another);
	tcase_add_test(series, side_by_side_on_the_coarser_grid);
	suite_add_tcase(s, tree);
	suite_add_tcase(s, series);
	return s;
}

IOB_TEST_MAIN(suite)
