/* SPDX-License-Identifier: MIT */
/* Parts of a plan that ran elsewhere, in one result. */
#include "support/nomem.h"
#include "support/tree.h"

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
	Suite *s = suite_create("result_merge");
	TCase *merge = tcase_create("merge");

	tcase_add_test(merge, merge_doubles_and_takes_the_longest_window);
	tcase_add_test(merge, merge_adds_histograms_exactly);
	tcase_add_test(merge, merge_without_workers);
	tcase_add_test(merge, merge_leaves_out_what_differs);
	tcase_add_test(merge, merge_says_what_differs);
	tcase_add_test(merge, merge_of_nothing);
	tcase_add_test(merge, merge_of_one_is_a_copy);
	tcase_add_test(merge, merge_never_wraps);
	tcase_add_test(merge, merge_without_memory);
	suite_add_tcase(s, merge);
	return s;
}

IOB_TEST_MAIN(suite)
