/* SPDX-License-Identifier: MIT */
/* The JSON report: what it holds, that it comes back whole, and that what is no
 * report is refused with the place of its fault. */
#include "support/nomem.h"
#include "support/tree.h"
#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>

static json_t *parsed(const struct iob_result *r)
{
	char *s = tree_report(r, "json");
	json_error_t e;
	json_t *v = json_loads(s, JSON_REJECT_DUPLICATES, &e);
	ck_assert_msg(v != NULL, "line %d: %s", e.line, e.text);
	free(s);
	return v;
}

/* A member by "stages.0.workloads.0.read.ios"; it must be there. */
static json_t *at(json_t *v, const char *path)
{
	char key[64];
	while (*path) {
		size_t n = strcspn(path, ".");
		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		v = json_is_array(v) ? json_array_get(v, strtoul(key, NULL, 10))
				     : json_object_get(v, key);
		ck_assert_msg(v != NULL, "%s is missing", key);
		path += n + (path[n] == '.');
	}
	return v;
}

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

/* ---- what is no report ---- */

static void refused(const char *text, size_t len, int line, const char *message)
{
	struct iob_error err = { 0 };
	struct iob_result *r = iob_result_read(text, len, "json", &err);
	ck_assert_ptr_null(r);
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, message);
	ck_assert_int_eq(err.line, line);
	ck_assert_ptr_null(iob_result_read(text, len, "json", NULL));
}

static void refused_text(const char *text, int line, const char *message)
{
	refused(text, strlen(text), line, message);
}

START_TEST(no_json)
{
	struct iob_error err = { 0 };
	static const char *const texts[] = { "",
					     " ",
					     "BS Proc AIO\n8K 1 0\n",
					     "{",
					     "[1,2",
					     "\"x",
					     "{\"a\":1}}",
					     "{\"a\":1,\"a\":2}",
					     "{\"a\":01}",
					     "{\"a\":NaN}",
					     "{\"a\":\"\xff\"}",
					     "{\"a\":1e999}",
					     "{\"a\":99999999999999999999}",
					     "{\"a\":\"\\u0000\"}" };
	for (size_t i = 0; i < IOBI_LEN(texts); i++) {
		err = (struct iob_error){ 0 };
		ck_assert_ptr_null(iob_result_read(texts[i], strlen(texts[i]), "json", &err));
		ck_assert_int_eq(err.code, EINVAL);
		ck_assert_int_ge(err.line, 1);
		ck_assert_ptr_nonnull(strstr(err.message, "not a JSON report"));
	}
	refused_text("{\n\"a\": 1,\n oops}", 3,
		     "not a JSON report: line 3 column 5: string or '}' expected near 'oops'");
}
END_TEST

START_TEST(nested_too_deep)
{
	enum {
		DEEP = 1000000
	};
	char *s = malloc(DEEP);
	ck_assert_ptr_nonnull(s);
	memset(s, '[', DEEP);
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_result_read(s, DEEP, "json", &err));
	ck_assert_int_eq(err.code, EINVAL);
	free(s);
}
END_TEST

START_TEST(json_but_no_report)
{
	refused_text("[]", 1, "the report: must be an object");
	refused_text("\n\n7", 3,
		     "not a JSON report: line 3 column 1: '[' or '{' expected near '7'");
	refused_text("{}", 1, "iobench: is missing, must be an object");
	refused_text("{\"iobench\":{}}", 1, "iobench.schema: is missing, must be a number");
	refused_text("{\"iobench\":\n{\"schema\":\n2}}", 3,
		     "iobench.schema: is 2, this library reads 1");
	refused_text("{\"iobench\":{\"schema\":1}}", 1, "stages: is missing, must be an array");
	refused_text("{\"iobench\":{\"schema\":1},\n\"stages\":{}}", 2,
		     "stages: is an object, must be an array");
	refused_text("{\"iobench\":{\"schema\":1},\"stages\":[\n1]}", 2,
		     "stages[0]: must be an object");
	refused_text("{\"iobench\":{\"schema\":1},\"stages\":[{\"name\":\"\"}]}", 1,
		     "stages[0].workloads: is missing, must be an array");
	refused_text("{\"iobench\":{\"schema\":1},\"stages\":[],\"flags\":[5]}", 1,
		     "flags[0]: must be a word, as \"partial\"");
	refused_text("{\"iobench\":{\"schema\":1},\"host\":{\"cpu\":[]},\"stages\":[]}", 1,
		     "host.cpu: must be text, a whole number, true or false");
}
END_TEST

START_TEST(no_arguments)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_result_read("{}", 2, "xdisk", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, "cannot read the format \"xdisk\", only \"json\"");
	ck_assert_ptr_null(iob_result_read("{}", 2, NULL, &err));
	ck_assert_ptr_null(iob_result_read(NULL, 0, "json", &err));
	ck_assert_int_eq(err.code, EINVAL);
}
END_TEST

/* A report with one place changed: the value there as JSON text; "" removes it. */
static void spoiled(const char *path, const char *value, const char *message)
{
	struct iob_result *r = tree_suite();
	json_t *v = parsed(r), *parent = v;
	const char *key = strrchr(path, '.');
	char up[256];

	if (key) {
		snprintf(up, sizeof(up), "%.*s", (int)(key - path), path);
		parent = at(v, up);
	}
	key = key ? key + 1 : path;
	if (json_is_array(parent))
		json_array_set_new(parent, strtoul(key, NULL, 10),
				   json_loads(value, JSON_DECODE_ANY, NULL));
	else if (*value)
		json_object_set_new(parent, key, json_loads(value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(parent, key);
	char *s = json_dumps(v, JSON_INDENT(1));
	struct iob_error err = { 0 };
	struct iob_result *back = iob_result_read(s, strlen(s), "json", &err);
	ck_assert_msg(!back, "%s = %s was taken", path, value);
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, message);
	ck_assert_int_gt(err.line, 1);
	free(s);
	json_decref(v);
	iob_result_free(r);
}

#define W "stages.1.workloads.0."
#define AT "stages[1].workloads[0]."
#define H W "read.latency.service."
#define AT_H AT "read.latency.service"

START_TEST(spoiled_counts)
{
	spoiled(W "read.ios", "-1", AT "read.ios: is -1, must be 0 or more");
	spoiled(W "read.ios", "1.5", AT "read.ios: is a fraction, must be a whole number");
	spoiled(W "read.ios", "\"12x\"", AT "read.ios: is \"12x\", must be a whole number");
	spoiled(W "read.ios", "\"\"", AT "read.ios: is \"\", must be a whole number");
	spoiled(W "read.ios", "null", AT "read.ios: is null, must be a whole number");
	spoiled(W "read.ios", "", AT "read.ios: is missing, must be a whole number");
	spoiled(W "read.ios", "\"18446744073709551616\"",
		AT "read.ios: is 18446744073709551616, must be less than 2^64");
	spoiled(W "read.ios", "\"99999999999999999999999999999999999999999999999999999999999\"",
		AT "read.ios: has too many digits");
	spoiled(W "sync", "", AT "sync: is missing, must be an object");
	spoiled(W "read.latency.submit", "[]",
		AT "read.latency.submit: is an array, must be an "
		   "object");
	spoiled(W "elapsed_ns", "true", AT "elapsed_ns: is true, must be a whole number");
	spoiled(W "write.bytes", "\"18446744073709551615\"",
		"stages[1].workloads[0]: the sum of a counter passes 2^64 - 1");
}
END_TEST

START_TEST(spoiled_histograms)
{
	spoiled(H "count", "41", AT_H ".count: is 41, but the buckets hold 40");
	spoiled(H "count", "0", AT_H ".count: is 0, but the buckets hold 40");
	spoiled(H "precision", "0", AT_H ".precision: is 0, must be 1 to 14");
	spoiled(H "precision", "15", AT_H ".precision: is 15, must be 1 to 14");
	spoiled(H "precision", "9",
		AT_H ".buckets[0]: 23986176 to 24051711 is no bucket at "
		     "precision 9");
	spoiled(H "buckets", "{}", AT_H ".buckets: is an object, must be an array");
	spoiled(H "buckets", "", AT_H ".buckets: is missing, must be an array");
	spoiled(H "buckets", "[]", AT_H ".count: is 40, but the buckets hold 0");
	spoiled(H "buckets", "[[23986176,24051711]]",
		AT_H ".buckets[0]: must be [low, high, "
		     "count]");
	spoiled(H "buckets", "[[23986176,24051711,-1]]",
		AT_H ".buckets[0][2]: is -1, must be 0 or "
		     "more");
	spoiled(H "buckets", "[[23986176,24051711,0]]",
		AT_H ".buckets[0]: its count is 0: only "
		     "filled buckets are listed");
	spoiled(H "buckets", "[[23986177,24051711,40]]",
		AT_H ".buckets[0]: 23986177 to 24051711 is "
		     "no bucket at precision 8");
	spoiled(H "buckets", "[[23986176,24051711,20],[23986176,24051711,20]]",
		AT_H ".buckets[1]: the buckets are not in ascending order");
	spoiled(H "buckets", "[[23986176,24051711,\"18446744073709551615\"],[24051712,24117247,1]]",
		AT_H ".buckets[1]: the counts of the buckets add up to more than 2^64 - 1");
	spoiled(H "min", "23986175", AT_H ": min does not lie in the first bucket");
	spoiled(H "min", "null", AT_H ".min: is null, must be a whole number");
	spoiled(H "max", "24051712", AT_H ": max does not lie in the last bucket");
	spoiled(H "min", "24000001", AT_H ": min is greater than max");
	spoiled(H "sum", "1", AT_H ": sum is not a sum of what the buckets hold");
	spoiled(H "sum", "\"340282366920938463463374607431768211456\"",
		AT_H ".sum: is 340282366920938463463374607431768211456, must be less than 2^128");
	spoiled(H "sum_squares", "\"0\"",
		AT_H ": sum_squares is not that of what the buckets "
		     "hold");
	spoiled(H "sum_squares", "\"23040000000000000000\"",
		AT_H ": sum_squares is not that of what the buckets hold");
	spoiled(H "sum_squares", "1.0", AT_H ".sum_squares: is a fraction, must be a whole number");
}
END_TEST

START_TEST(spoiled_rest)
{
	spoiled(W "error.code", "0", AT "error.code: is 0, must be an errno, 1 to 4095");
	spoiled(W "error.code", "\"EIO\"", AT "error.code: is text, must be a number");
	spoiled(W "error.message", "", AT "error.message: is missing, must be text");
	spoiled(W "error", "5", AT "error: is a number, must be an object");
	spoiled(W "targets.0", "7", AT "targets[0]: must be an object");
	spoiled(W "targets.0.path", "", AT "targets[0].path: is missing, must be text");
	spoiled(W "targets.0.path_hex", "\"2\"",
		AT "targets[0].path_hex: has an odd number of "
		   "digits");
	spoiled(W "targets.0.path_hex", "\"2f00\"", AT "targets[0].path_hex: is no text in hex");
	spoiled(W "targets.0.path_hex", "\"2g\"", AT "targets[0].path_hex: is no text in hex");
	spoiled(W "params.workers", "1.5",
		AT "params.workers: must be text, a whole number, true or false");
	spoiled(W "params", "[]", AT "params: is an array, must be an object");
	spoiled(W "name", "", AT "name: is missing, must be text");
	spoiled("started_ns", "\"soon\"", "started_ns: is \"soon\", must be a whole number");
}
END_TEST

#define S "stages.0.workloads.0.series."
#define AT_S "stages[0].workloads[0].series."

START_TEST(spoiled_series)
{
	spoiled(S "length_ns", "[1]", AT_S "length_ns: has 1 values, start_ns has 2");
	spoiled(S "length_ns.0", "1000000001",
		"stages[0].workloads[0].series: interval 1 starts before the end of the one before "
		"it");
	spoiled(S "length_ns.1", "\"18446744073709551615\"",
		"stages[0].workloads[0].series: interval 1 ends after 2^64 ns");
	spoiled(S "read.ios", "[1,2,3]", AT_S "read.ios: has 3 values, start_ns has 2");
	spoiled(S "read.ios.1", "\"x\"", AT_S "read.ios[1]: is \"x\", must be a whole number");
	spoiled(S "read.p99_ns", "", AT_S "read.p99_ns: is missing, must be an array");
	spoiled(S "read.mean_ns.0", "\"1\"", AT_S "read.mean_ns[0]: must be a number or null");
	spoiled(S "read.mean_ns.0", "null",
		AT_S "read.mean_ns[0]: must be a number, 0 or more: there was I/O");
	spoiled(S "read.mean_ns.0", "-1",
		AT_S "read.mean_ns[0]: must be a number, 0 or more: there was I/O");
	spoiled(S "read.ios.0", "0", AT_S "read.mean_ns[0]: must be null: there was no I/O");
	spoiled(S "read", "[]",
		"stages[0].workloads[0].series.read: is an array, must be an object");
}
END_TEST

/* The line is that of the very value, also where text before it looks like JSON. */
START_TEST(the_line_of_a_fault)
{
	refused_text(
		"{\"iobench\":{\"schema\":1},\n\"x\":\"} ] \\\" \\\\\",\n\"y\":[[{\"stages\":[]}],"
		"{}],\n\"stages\":[{\"name\":\"a\",\"workloads\":[]},\n{\"name\":\"b\",\n"
		"\"workloads\":\n7}]}",
		7, "stages[1].workloads: is a number, must be an array");
}
END_TEST

/* A short text must not get much memory: 15 histograms, 2^64 wide, a workload. */
START_TEST(memory_is_bounded_by_the_length)
{
	static const char hist[] =
		"{\"count\":2,\"min\":0,\"max\":\"18446744073709551615\",\"sum\":"
		"\"18446744073709551615\",\"sum_squares\":"
		"\"340282366920938463426481119284349108225\","
		"\"precision\":14,\"buckets\":[[0,0,1],[\"18446181123756130304\","
		"\"18446744073709551615\",1]]}";
	static const char *const ops[] = { "read", "write", "trim", "sync" };
	struct iobi_text t = { 0 };

	iobi_text_add(&t, "{\"iobench\":{\"schema\":1},\"stages\":[{\"name\":\"\",\"workloads\":[");
	for (int w = 0; w < 200; w++) {
		iobi_text_printf(&t, "%s{\"name\":\"\",\"elapsed_ns\":1", w ? "," : "");
		for (size_t op = 0; op < IOBI_LEN(ops); op++)
			iobi_text_printf(
				&t,
				",\"%s\":{\"ios\":0,\"bytes\":0,\"errors\":0,\"short\":0,"
				"\"latency\":{\"submit\":%s,\"service\":%s,\"response\":%s}}",
				ops[op], hist, hist, hist);
		iobi_text_add(&t, "}");
	}
	iobi_text_add(&t, "]}]}");
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_result_read(t.data, t.len, "json", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_msg(strstr(err.message, "histograms this wide") != NULL, "%s", err.message);
	iobi_text_free(&t);
}
END_TEST

/* Every cut of a report is refused, and nothing is read past its end. */
START_TEST(every_cut_is_refused)
{
	struct iob_result *r = tree_suite();
	char *s = tree_report(r, "json");
	size_t len = strlen(s);
	for (size_t n = 0; n + 2 < len; n += 41) { /* the last two are "}\n" */
		char *cut = malloc(n ? n : 1);
		memcpy(cut, s, n);
		ck_assert_ptr_null(iob_result_read(cut, n, "json", NULL));
		free(cut);
	}
	free(s);
	iob_result_free(r);
}
END_TEST

/* How many allocations parsing alone takes. */
static long parsing(const char *s, size_t len)
{
	enum {
		PLENTY = 1000000
	};
	if (!nomem_at(PLENTY))
		return 0;
	json_t *v = json_loadb(s, len, JSON_REJECT_DUPLICATES, NULL);
	long n = PLENTY - nomem_left;
	nomem_hit();
	json_decref(v);
	return n;
}

/* From where the text is parsed: jansson itself goes on after some of them. */
START_TEST(without_memory)
{
	struct iob_result *r = tree_suite();
	char *s = tree_report(r, "json");
	size_t len = strlen(s);
	for (long n = parsing(s, len); nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_result *back = iob_result_read(s, len, "json", &err);
		int hit = nomem_hit();
		iob_result_free(back);
		if (!hit)
			break;
		ck_assert_msg(!back && err.code == ENOMEM, "allocation %ld: %d %s", n, err.code,
			      err.message);
	}
	free(s);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("json");
	TCase *holds = tcase_create("holds"), *back = tcase_create("back");
	TCase *bad = tcase_create("bad");

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
	tcase_add_test(bad, no_json);
	tcase_add_test(bad, nested_too_deep);
	tcase_add_test(bad, json_but_no_report);
	tcase_add_test(bad, no_arguments);
	tcase_add_test(bad, spoiled_counts);
	tcase_add_test(bad, spoiled_histograms);
	tcase_add_test(bad, spoiled_rest);
	tcase_add_test(bad, spoiled_series);
	tcase_add_test(bad, the_line_of_a_fault);
	tcase_add_test(bad, memory_is_bounded_by_the_length);
	tcase_add_test(bad, every_cut_is_refused);
	tcase_add_test(bad, without_memory);
	suite_add_tcase(s, holds);
	suite_add_tcase(s, back);
	suite_add_tcase(s, bad);
	return s;
}

IOB_TEST_MAIN(suite)
