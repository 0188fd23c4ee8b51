/* SPDX-License-Identifier: MIT */
/* The tree: accessors, summing up, series, merging. */
#include "support/nomem.h"
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
	ck_assert_uint_eq(v->max_ns, 103);
	v = iob_result_interval(stage, 3, IOB_OP_READ);
	ck_assert_uint_eq(v->start_ns, 600);
	ck_assert_uint_eq(v->ios, 10);
	ck_assert_uint_eq(v->p50_ns, 100);
	iob_result_free(stage);
}
END_TEST

/* ---- merging ---- */

static struct iob_result *merged(struct iob_result *a, struct iob_result *b, struct iob_error *err)
{
	const struct iob_result *parts[] = { a, b };
	struct iob_result *r = iob_result_merge(parts, 2, err);
	iob_result_free(a);
	iob_result_free(b);
	return r;
}

START_TEST(merge_doubles_and_takes_the_longest_window)
{
	struct iob_result *b = tree_suite();
	b->child[0]->child[0]->elapsed_ns = 2500000000;
	b->child[1]->child[0]->flags |= IOB_RESULT_CANCELLED;
	struct iob_result *r = merged(tree_suite(), b, NULL);

	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 24080);
	ck_assert_uint_eq(iob_result_elapsed_ns(iob_result_child(r, 0)), 2500000000);
	ck_assert_uint_eq(iob_result_elapsed_ns(r), 3500000000);
	ck_assert_double_eq(iob_result_iops(iob_result_child(r, 0), IOB_OP_READ), 9600);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS | IOB_RESULT_CANCELLED);
	ck_assert_uint_eq(iob_result_target_count(r), 2);
	ck_assert_uint_eq(iob_result_target(r, 0)->ios, 30000);
	ck_assert_int_eq(iob_result_error(r)->code, EIO);
	const struct iob_result *w = iob_result_child(iob_result_child(r, 0), 0);
	ck_assert_uint_eq(iob_result_child_count(w), 2);
	ck_assert_uint_eq(iob_result_count(iob_result_child(w, 0), IOB_OP_READ, IOB_COUNT_IOS),
			  12000);
	ck_assert_str_eq(iob_result_param(w, "block_size"), "8k");
	const struct iob_interval *v = iob_result_interval(w, 1, IOB_OP_READ);
	ck_assert_uint_eq(v->ios, 12000);
	ck_assert_double_eq_tol(v->mean_ns, 108166.5, 1e-6);
	ck_assert_uint_eq(v->p50_ns, 0);
	iob_result_free(r);
}
END_TEST

START_TEST(merge_adds_histograms_exactly)
{
	struct iob_result *r = merged(tree_suite(), tree_suite(), NULL);
	struct iob_result *one = tree_suite();
	for (int op = 0; op < IOBI_RESULT_OPS; op++) {
		const struct iob_hist *two = r->op[op].latency[IOB_LATENCY_SERVICE];
		const struct iob_hist *h = one->op[op].latency[IOB_LATENCY_SERVICE];
		ck_assert_uint_eq(two->count, 2 * h->count);
		ck_assert(two->sum == 2 * h->sum);
		ck_assert_uint_eq(iob_hist_buckets(two, NULL, NULL, NULL, 0),
				  iob_hist_buckets(h, NULL, NULL, NULL, 0));
	}
	iob_result_free(one);
	iob_result_free(r);
}
END_TEST

/* A result that was read back has no workers: the counts are there all the same. */
START_TEST(merge_without_workers)
{
	struct iob_result *live = tree_suite();
	char *json = tree_report(live, "json");
	struct iob_result *back = iob_result_read(json, strlen(json), "json", NULL);
	ck_assert_ptr_nonnull(back);
	struct iob_result *r = merged(live, back, NULL);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 24080);
	ck_assert_uint_eq(iob_result_child_count(iob_result_child(iob_result_child(r, 0), 0)), 0);
	iob_result_free(r);
	free(json);
}
END_TEST

START_TEST(merge_leaves_out_what_differs)
{
	struct iob_result *b = tree_suite();
	tree_asked(b->child[0]->child[0], "runtime", "3s");
	iobi_pairs_set(&b->host, "cpu", "another");
	struct iob_result *r = merged(tree_suite(), b, NULL);
	const struct iob_result *w = iob_result_child(iob_result_child(r, 0), 0);
	ck_assert_ptr_null(iob_result_param(w, "runtime"));
	ck_assert_str_eq(iob_result_param(w, "pattern"), "random");
	ck_assert_ptr_null(iobi_pairs_get(&r->host, "cpu"));
	ck_assert_str_eq(iobi_pairs_get(&r->host, "kernel"), "Linux 6.18.0 x86_64");
	iob_result_free(r);
}
END_TEST

static void refused(struct iob_result *b, const char *message)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(merged(tree_suite(), b, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, message);
}

static struct iob_result *one_stage(struct iob_result *stage)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_adopt(root, stage);
	tree_close(root);
	return root;
}

START_TEST(merge_says_what_differs)
{
	refused(one_stage(tree_stage("scan", tree_failing_workload("workload 1"), NULL)),
		"part 1 is no run of the same plan as part 0: at suite \"suite\" its number of "
		"stages is 1, that of part 0 2");
	refused(tree_failing_workload("suite"),
		"part 1 is no run of the same plan as part 0: at suite \"suite\" its level is "
		"workload, that of part 0 suite");
	struct iob_result *b = tree_suite();
	b->child[1]->name[0] = 'S';
	refused(b, "part 1 is no run of the same plan as part 0: at stage \"scan\" its name is "
		   "Scan, that of part 0 scan");
	b = tree_suite();
	tree_adopt(b->child[0]->child[0], tree_node(IOB_LEVEL_WORKER, "worker 3"));
	tree_close(b->child[0]->child[0]->child[2]);
	refused(b, "part 1 is no run of the same plan as part 0: at workload \"workload 1\" its "
		   "number of workers is 3, that of part 0 2");
}
END_TEST

START_TEST(merge_of_nothing)
{
	struct iob_error err = { 0 };
	const struct iob_result *parts[] = { NULL };
	ck_assert_ptr_null(iob_result_merge(parts, 0, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_result_merge(NULL, 3, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_ptr_null(iob_result_merge(parts, 1, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, "part 0 is NULL, not a result");
}
END_TEST

START_TEST(merge_of_one_is_a_copy)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *parts[] = { r };
	struct iob_result *copy = iob_result_merge(parts, 1, NULL);
	char *a = tree_report(r, "json"), *b = tree_report(copy, "json");
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	iob_result_free(copy);
	iob_result_free(r);
}
END_TEST

START_TEST(merge_never_wraps)
{
	struct iob_error err = { 0 };
	struct iob_result *w[2];
	for (int i = 0; i < 2; i++) {
		w[i] = tree_node(IOB_LEVEL_WORKLOAD, "w");
		w[i]->op[IOB_OP_WRITE].count[IOB_COUNT_BYTES] = UINT64_C(1) << 63;
		tree_close(w[i]);
	}
	ck_assert_ptr_null(merged(w[0], w[1], &err));
	ck_assert_int_eq(err.code, EOVERFLOW);
}
END_TEST

START_TEST(merge_without_memory)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *parts[] = { r, r };
	long n = 0;
	for (; nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_result *m = iob_result_merge(parts, 2, &err);
		if (!nomem_hit()) {
			iob_result_free(m);
			break;
		}
		iob_result_free(m);
		ck_assert_msg(!m && err.code == ENOMEM, "allocation %ld: %s", n, err.message);
	}
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("result");
	TCase *tree = tcase_create("tree"), *series = tcase_create("series");
	TCase *merge = tcase_create("merge");

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
	tcase_add_test(merge, merge_doubles_and_takes_the_longest_window);
	tcase_add_test(merge, merge_adds_histograms_exactly);
	tcase_add_test(merge, merge_without_workers);
	tcase_add_test(merge, merge_leaves_out_what_differs);
	tcase_add_test(merge, merge_says_what_differs);
	tcase_add_test(merge, merge_of_nothing);
	tcase_add_test(merge, merge_of_one_is_a_copy);
	tcase_add_test(merge, merge_never_wraps);
	tcase_add_test(merge, merge_without_memory);
	suite_add_tcase(s, tree);
	suite_add_tcase(s, series);
	suite_add_tcase(s, merge);
	return s;
}

IOB_TEST_MAIN(suite)
