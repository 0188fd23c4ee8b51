/* SPDX-License-Identifier: MIT */
/* The JSON report: what it holds, and that it comes back whole. */
#include "support/tree_json.h"
#include <locale.h>
#include <math.h>

#define INT(v, path) json_integer_value(at(v, path))
#define TEXT(v, path) json_string_value(at(v, path))

/* ---- what it holds ---- */

START_TEST(holds_the_shape_of_the_contract)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r);

	ck_assert_str_eq(TEXT(v, "iobench.version"), "0.1.0");
	ck_assert_int_eq(INT(v, "iobench.schema"), 1);
	ck_assert_str_eq(TEXT(v, "host.kernel"), "Linux 6.18.0 x86_64");
	ck_assert_int_eq(INT(v, "host.cores"), 2);
	ck_assert_int_eq(INT(v, "host.memory"), 8589934592);
	ck_assert_str_eq(TEXT(v, "started"), "2026-08-01T00:00:00.123456789Z");
	ck_assert_int_eq(INT(v, "started_ns"), 1785542400123456789);
	ck_assert_int_eq(INT(v, "elapsed_ns"), 3000000000);
	ck_assert_str_eq(TEXT(v, "flags.0"), "errors");
	ck_assert_uint_eq(json_array_size(at(v, "flags")), 1);
	json_t *w = at(v, "stages.0.workloads.0");
	ck_assert_int_eq(INT(w, "read.ios"), 12000);
	ck_assert_int_eq(INT(w, "write.bytes"), 24576000);
	ck_assert_double_eq(json_real_value(at(w, "all.iops")), 7500);
	ck_assert_int_eq(INT(w, "read.latency.service.percentiles.50"), 100095);
	ck_assert_int_eq(json_integer_value(json_object_get(
				 at(w, "read.latency.service.percentiles"), "99.9")),
			 5000000);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(parameters_have_types)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *w = at(v, "stages.1.workloads.0");

	ck_assert_int_eq(INT(w, "params.queue_depth"), 32);
	ck_assert_int_eq(INT(w, "effective.queue_depth"), 1);
	ck_assert_str_eq(TEXT(w, "params.engine"), "auto");
	ck_assert_str_eq(TEXT(w, "effective.engine"), "psync");
	ck_assert_str_eq(TEXT(w, "params.block_size"), "1m");
	ck_assert(json_is_true(at(w, "params.direct")));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(errors_and_targets)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *w = at(v, "stages.1.workloads.0");

	ck_assert(json_is_null(at(v, "stages.0.workloads.0.error")));
	ck_assert_int_eq(INT(w, "error.code"), EIO);
	ck_assert_str_eq(TEXT(w, "error.name"), "EIO");
	ck_assert_int_eq(INT(w, "error.offset"), 1048576);
	ck_assert_str_eq(TEXT(w, "error.op"), "read");
	ck_assert_str_eq(TEXT(w, "error.target"), "/tmp/a \"file\"");
	ck_assert_int_eq(INT(w, "read.errors"), 3);
	ck_assert_int_eq(INT(w, "read.short"), 1);
	ck_assert_str_eq(TEXT(w, "targets.0.path"), "/tmp/a \"file\"");
	ck_assert_int_eq(INT(w, "targets.0.errors"), 4);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* Zeros and nulls, in the same places, and never NaN. */
START_TEST(an_op_without_io_is_the_same_object)
{
	static const char *const nulls[] = { "min", "max", "mean", "stddev", "percentiles.50" };
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_close(w);
	json_t *v = parsed(w), *op = at(v, "stages.0.workloads.0.trim");
	json_t *h = at(op, "latency.service");

	ck_assert_int_eq(INT(op, "ios"), 0);
	ck_assert_double_eq(json_real_value(at(op, "iops")), 0);
	ck_assert_int_eq(INT(h, "count"), 0);
	ck_assert_int_eq(INT(h, "sum"), 0);
	for (size_t i = 0; i < IOBI_LEN(nulls); i++)
		ck_assert(json_is_null(at(h, nulls[i])));
	ck_assert_uint_eq(json_array_size(at(h, "buckets")), 0);
	json_decref(v);
	iob_result_free(w);
}
END_TEST

START_TEST(few_samples_are_listed)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *h = at(v, "stages.1.workloads.0.read.latency.service");

	ck_assert_uint_eq(json_array_size(at(h, "unsupported")), 3);
	ck_assert_str_eq(TEXT(h, "unsupported.0"), "90");
	ck_assert_uint_eq(json_array_size(at(v, "stages.0.workloads.0.read.latency.service"
						".unsupported")),
			  0);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

/* 10 samples must lie beyond: 10,000 at 99.9, not one less. */
START_TEST(support_is_counted_exactly)
{
	for (uint64_t n = 9999; n <= 10000; n++) {
		struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
		tree_asked(w, "percentiles", "99.9,100");
		tree_io(w, IOB_OP_READ, n, 512, 1000);
		tree_close(w);
		json_t *v = parsed(w);
		ck_assert_uint_eq(json_array_size(at(v, "stages.0.workloads.0.read.latency.service"
							".unsupported")),
				  n < 10000);
		json_decref(v);
		iob_result_free(w);
	}
}
END_TEST

START_TEST(workers_have_no_buckets)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *w = at(v, "stages.0.workloads.0");

	ck_assert_uint_eq(json_array_size(at(w, "workers")), 2);
	ck_assert_str_eq(TEXT(w, "workers.1.name"), "worker 2");
	ck_assert_int_eq(INT(w, "workers.1.write.latency.service.min"), 400000);
	ck_assert_ptr_null(json_object_get(at(w, "workers.0.read.latency.service"), "buckets"));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(series_are_columns)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *s = at(v, "stages.0.workloads.0.series");

	ck_assert_int_eq(INT(s, "start_ns.1"), 1000000000);
	ck_assert_int_eq(INT(s, "write.ios.1"), 1500);
	ck_assert_double_eq(json_real_value(at(s, "read.mean_ns.0")), 108166.5);
	ck_assert_ptr_null(json_object_get(s, "trim"));
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(partial_says_what_is_unfinished)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	w->flags = IOB_RESULT_PARTIAL | IOB_RESULT_CANCELLED;
	w->unfinished = 256;
	tree_close(w);
	json_t *v = parsed(w);
	ck_assert_int_eq(INT(v, "unfinished"), 256);
	ck_assert_int_eq(INT(v, "stages.0.workloads.0.unfinished"), 256);
	ck_assert_str_eq(TEXT(v, "flags.0"), "cancelled");
	ck_assert_str_eq(TEXT(v, "flags.1"), "partial");
	json_decref(v);
	iob_result_free(w);
}
END_TEST

START_TEST(a_subtree_has_the_same_shape)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *node[] = { r->child[0], r->child[0]->child[0],
					    r->child[0]->child[0]->child[1] };
	for (size_t i = 0; i < IOBI_LEN(node); i++) {
		json_t *v = parsed(node[i]);
		ck_assert_uint_eq(json_array_size(at(v, "stages")), 1);
		ck_assert_str_eq(TEXT(v, "stages.0.name"), "block_size=8k workers=2");
		ck_assert_str_eq(TEXT(v, "host.cpu"), "Some CPU @ 2.0GHz");
		ck_assert_str_eq(TEXT(v, "stages.0.workloads.0.params.block_size"), "8k");
		ck_assert_int_eq(INT(v, "stages.0.workloads.0.read.ios"), i < 2 ? 12000 : 6000);
		json_decref(v);
	}
	iob_result_free(r);
}
END_TEST

START_TEST(past_int64_as_text)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	struct iob_hist *h = iob_hist_new(8, NULL);
	iob_hist_record(h, UINT64_MAX, UINT64_MAX);
	w->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE] = h;
	w->op[IOB_OP_READ].count[IOB_COUNT_BYTES] = UINT64_MAX;
	w->op[IOB_OP_READ].count[IOB_COUNT_IOS] = INT64_MAX;
	tree_close(w);
	json_t *v = parsed(w), *op = at(v, "stages.0.workloads.0.read");
	ck_assert_int_eq(INT(op, "ios"), INT64_MAX);
	ck_assert_str_eq(TEXT(op, "bytes"), "18446744073709551615");
	json_t *service = at(op, "latency.service");
	ck_assert_str_eq(TEXT(service, "sum"), "340282366920938463426481119284349108225");
	ck_assert_str_eq(TEXT(service, "sum_squares"),
			 "6277101735386680762814942322444851025767571854389858533375");
	ck_assert_str_eq(TEXT(service, "buckets.0.1"), "18446744073709551615");
	json_decref(v);
	iob_result_free(w);
}
END_TEST

/* ---- there and back ---- */

/* Reads a report back and reports it again. */
static char *again(const char *json)
{
	struct iob_error err = { 0 };
	struct iob_result *r = iob_result_read(json, strlen(json), "json", &err);
	ck_assert_msg(r != NULL, "line %d: %s", err.line, err.message);
	char *s = tree_report(r, "json");
	iob_result_free(r);
	return s;
}

static void drop_workers(struct iob_result *r)
{
	if (r->level != IOB_LEVEL_WORKLOAD) {
		for (size_t i = 0; i < r->n_child; i++)
			drop_workers(r->child[i]);
		return;
	}
	for (size_t i = 0; i < r->n_child; i++)
		iob_result_free(r->child[i]);
	r->n_child = 0;
}

/* Takes r. All but the workers must come back to the byte. */
static void comes_back(struct iob_result *r)
{
	drop_workers(r);
	char *once = tree_report(r, "json"), *twice = again(once);
	size_t same = 0;
	while (once[same] && once[same] == twice[same])
		same++;
	ck_assert_msg(!once[same] && !twice[same], "%.200s\n  became\n%.200s", once + same,
		      twice + same);
	free(once);
	free(twice);
	iob_result_free(r);
}

START_TEST(comes_back_whole)
{
	comes_back(tree_suite());
}
END_TEST

START_TEST(extremes_come_back)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "");
	tree_io(w, IOB_OP_SYNC, 1, 0, 0);
	w->elapsed_ns = UINT64_MAX;
	w->started_ns = UINT64_MAX;
	w->flags = IOB_RESULT_PARTIAL;
	w->unfinished = UINT64_MAX;
	w->op[IOB_OP_READ].count[IOB_COUNT_BYTES] = UINT64_MAX;
	w->op[IOB_OP_TRIM].latency[IOB_LATENCY_RESPONSE] = iob_hist_new(14, NULL);
	struct iob_hist *h = iob_hist_new(1, NULL);
	iob_hist_record(h, 0, 3);
	iob_hist_record(h, UINT64_MAX, UINT64_C(1) << 62);
	w->op[IOB_OP_WRITE].latency[IOB_LATENCY_SUBMIT] = h;
	tree_target(w, "", UINT64_MAX, UINT64_MAX, 0, 1);
	tree_error(w, ENOSPC, "", "", UINT64_MAX);
	tree_close(w);
	/* A workload alone comes back inside a suite and a stage of its name. */
	comes_back(w);
}
END_TEST

START_TEST(a_result_without_stages_comes_back)
{
	struct iob_result *r = tree_node(IOB_LEVEL_SUITE, "my suite");
	r->flags = IOB_RESULT_CANCELLED;
	tree_close(r);
	comes_back(r);
}
END_TEST

/* Time without I/O is a series too. */
START_TEST(an_idle_series_comes_back)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	w->n_intervals = 3;
	for (size_t i = 0; i < 3; i++)
		tree_interval(w, IOB_OP_READ, i, 100 * i, 100, 0, 0, NAN, 0, 0, 0);
	tree_close(w);
	comes_back(w);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_come_back)
{
	static const char path[] = "/tmp/\xff\xc3(\xe2\x82\xac\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf";
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "a\xfe"
							     "b");
	tree_target(w, path, 1, 2, 3, 4);
	tree_error(w, EIO, "read", path, 0);
	tree_close(w);
	json_t *v = parsed(w), *t = at(v, "stages.0.workloads.0.targets.0");
	ck_assert_str_eq(TEXT(v, "stages.0.workloads.0.name"), "a\xef\xbf\xbd"
							       "b");
	ck_assert_str_eq(TEXT(t, "path_hex"), "2f746d702fffc328e282aceda080f4908080c0af");
	ck_assert(!strncmp(TEXT(t, "path"), "/tmp/\xef\xbf\xbd\xef\xbf\xbd(\xe2\x82\xac", 15));
	json_decref(v);

	char *s = tree_report(w, "json");
	struct iob_result *r = iob_result_read(s, strlen(s), "json", NULL);
	ck_assert_ptr_nonnull(r);
	ck_assert_str_eq(iob_result_target(r, 0)->path, path);
	ck_assert_str_eq(iob_result_error(r)->file, path);
	iob_result_free(r);
	iob_result_free(w);
	free(s);
}
END_TEST

START_TEST(text_is_kept)
{
	struct iob_result *w =
		tree_node(IOB_LEVEL_WORKLOAD, "tab\t \"quote\" \\ \x01 \xf0\x9f\x92\xbe");
	tree_asked(w, "name", "007");
	tree_asked(w, "cpus", "3");
	tree_asked(w, "seed", "9223372036854775807");
	tree_asked(w, "queue_depth", "+4");
	tree_asked(w, "not a parameter", "1");
	tree_close(w);
	char *s = tree_report(w, "json");
	struct iob_result *r = iob_result_read(s, strlen(s), "json", NULL);
	ck_assert_ptr_nonnull(r);
	const struct iob_result *back = iob_result_child(iob_result_child(r, 0), 0);
	ck_assert_str_eq(iob_result_name(back), w->name);
	ck_assert_str_eq(iob_result_param(back, "name"), "007");
	ck_assert_str_eq(iob_result_param(back, "cpus"), "3");
	ck_assert_str_eq(iob_result_param(back, "seed"), "9223372036854775807");
	ck_assert_str_eq(iob_result_param(back, "queue_depth"), "+4");
	ck_assert_str_eq(iob_result_param(back, "not a parameter"), "1");
	iob_result_free(r);
	free(s);
	comes_back(w);
}
END_TEST

START_TEST(what_comes_back_can_be_used)
{
	struct iob_result *r = tree_suite();
	char *s = tree_report(r, "json");
	struct iob_result *back = iob_result_read(s, strlen(s), "json", NULL);
	for (int op = 0; op < IOBI_RESULT_OPS; op++) {
		ck_assert_double_eq(iob_result_iops(back, op), iob_result_iops(r, op));
		ck_assert_uint_eq(iob_result_count(back, op, IOB_COUNT_ERRORS),
				  iob_result_count(r, op, IOB_COUNT_ERRORS));
		const struct iob_hist *a = iob_result_hist(back, op, IOB_LATENCY_SERVICE);
		const struct iob_hist *b = iob_result_hist(r, op, IOB_LATENCY_SERVICE);
		ck_assert_uint_eq(a->count, b->count);
		ck_assert(a->sum == b->sum);
		ck_assert_mem_eq(a->square, b->square, sizeof(a->square));
	}
	ck_assert_uint_eq(iob_result_interval_count(back), iob_result_interval_count(r));
	ck_assert_uint_eq(iob_result_elapsed_ns(back), iob_result_elapsed_ns(r));
	char *rows = tree_report(r, "xdisk"), *same = tree_report(back, "xdisk");
	ck_assert_str_eq(rows, same);
	free(rows);
	free(same);
	free(s);
	iob_result_free(back);
	iob_result_free(r);
}
END_TEST

/* Another program may print it on one line, in another order, and add to it. */
START_TEST(form_and_additions_do_not_matter)
{
	struct iob_result *r = tree_suite();
	drop_workers(r);
	char *s = tree_report(r, "json");
	json_t *v = json_loads(s, 0, NULL);
	json_object_set_new(v, "new", json_pack("{s:[i,{}]}", "x", 1));
	json_object_set_new(at(v, "stages.0.workloads.0"), "findings", json_array());
	json_array_append_new(at(v, "flags"), json_string("from the future"));
	char *other = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
	char *back = again(other);
	json_t *was = json_loads(s, 0, NULL), *is = json_loads(back, 0, NULL);
	ck_assert(json_equal(was, is));
	json_decref(was);
	json_decref(is);
	free(back);
	free(other);
	free(s);
	json_decref(v);
	iob_result_free(r);
}
END_TEST

START_TEST(the_locale_changes_nothing)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		printf("not checked: there is no locale de_DE.UTF-8 here\n");
		return;
	}
	comes_back(tree_suite());
	setlocale(LC_ALL, "C");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("json");
	TCase *holds = tcase_create("holds");
	TCase *back = tcase_create("back");

	tcase_add_test(holds, holds_the_shape_of_the_contract);
	tcase_add_test(holds, parameters_have_types);
	tcase_add_test(holds, errors_and_targets);
	tcase_add_test(holds, an_op_without_io_is_the_same_object);
	tcase_add_test(holds, few_samples_are_listed);
	tcase_add_test(holds, support_is_counted_exactly);
	tcase_add_test(holds, workers_have_no_buckets);
	tcase_add_test(holds, series_are_columns);
	tcase_add_test(holds, partial_says_what_is_unfinished);
	tcase_add_test(holds, a_subtree_has_the_same_shape);
	tcase_add_test(holds, past_int64_as_text);
	tcase_add_test(back, comes_back_whole);
	tcase_add_test(back, extremes_come_back);
	tcase_add_test(back, a_result_without_stages_comes_back);
	tcase_add_test(back, an_idle_series_comes_back);
	tcase_add_test(back, bytes_that_are_no_utf8_come_back);
	tcase_add_test(back, text_is_kept);
	tcase_add_test(back, what_comes_back_can_be_used);
	tcase_add_test(back, form_and_additions_do_not_matter);
	tcase_add_test(back, the_locale_changes_nothing);
	suite_add_tcase(s, holds);
	suite_add_tcase(s, back);
	return s;
}

IOB_TEST_MAIN(suite)
