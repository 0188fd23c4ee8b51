/* SPDX-License-Identifier: MIT */
/* What is no JSON report is refused with the place of its fault. */
#include "support/nomem.h"
#include "support/tree_json.h"

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
	ck_assert_ptr_null(iob_result_read("{}", 2, "xdsk", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_str_eq(err.message, "cannot read the format \"xdsk\"; there are json, fio-json, "
				      "xdisk, fio-text");
	ck_assert_ptr_null(iob_result_read("{}", 2, NULL, &err));
	ck_assert_str_eq(err.message, "iobench: is missing, must be an object");
	ck_assert_ptr_null(iob_result_read("prose", 5, NULL, &err));
	ck_assert_str_eq(err.message, "the text looks like none of json, fio-json, xdisk, fio-text; "
				      "say which it is");
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
	spoiled(H "sum", "962068441", AT_H ": sum is not a sum of what the buckets hold");
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
	Suite *s = suite_create("json_refused");
	TCase *bad = tcase_create("bad");

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
	suite_add_tcase(s, bad);
	return s;
}

IOB_TEST_MAIN(suite)
