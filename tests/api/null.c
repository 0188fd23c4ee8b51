/* SPDX-License-Identifier: MIT */
/* The rule of <iobench/iobench.h>: of a NULL that has no meaning of its own a call that can
 * fail says EINVAL and which argument, one that frees does nothing, and one that tells gives
 * what it gives of nothing. Every function of the library stands here. */
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct iob_error err;

static void refused(int is, const char *what, const char *call)
{
	ck_assert_msg(is, "%s is not refused", call);
	ck_assert_msg(err.code == EINVAL, "%s: code %d", call, err.code);
	ck_assert_msg(!strcmp(err.where, what), "%s: where is \"%s\"", call, err.where);
	ck_assert_msg(*err.message, "%s: no message", call);
	memset(&err, 0, sizeof(err));
}

/* What a call gives when it fails: -EINVAL, or of a pointer NULL. */
#define FAILED(call) ((intptr_t)(call) == _Generic((call), int : -EINVAL, default : 0))
/* The same, and *err names the argument. */
#define REFUSED(what, call) refused(FAILED(call), what, #call)
/* It has no *err. */
#define EINVALID(call) ck_assert_msg((call) == -EINVAL, "%s", #call)
#define NOTHING(call) ck_assert_msg(!(call), "%s", #call)
#define EMPTY(call) ck_assert_str_eq(call, "")
#define NO_NUMBER(call) ck_assert_msg(isnan(call), "%s", #call)

static struct iob_workload *workload(void)
{
	return work("engine=null size=1g runtime=0 io_size=1m", NULL, 0);
}

static struct iob_result *result(void)
{
	return work_run("engine=null size=1g runtime=0 io_size=1m", NULL, 0);
}

static int take(void *user, const char *data, size_t len)
{
	(void)user, (void)data, (void)len;
	return 0;
}

START_TEST(workloads)
{
	struct iob_workload *w = workload();
	int64_t value;
	char text[8];
	iob_workload_free(NULL);
	REFUSED("workload", iob_workload_copy(NULL, &err));
	REFUSED("workload", iob_workload_set(NULL, "block_size", "4k", &err));
	REFUSED("name", iob_workload_set(w, NULL, "4k", &err));
	REFUSED("block_size", iob_workload_set(w, "block_size", NULL, &err));
	REFUSED("workload", iob_workload_set_int(NULL, IOB_PARAM_BLOCK_SIZE, 1, &err));
	REFUSED("workload", iob_workload_set_str(NULL, IOB_PARAM_BLOCK_SIZE, "4k", &err));
	REFUSED("block_size", iob_workload_set_str(w, IOB_PARAM_BLOCK_SIZE, NULL, &err));
	EINVALID(iob_workload_get_int(NULL, IOB_PARAM_BLOCK_SIZE, &value));
	EINVALID(iob_workload_get_int(w, IOB_PARAM_BLOCK_SIZE, NULL));
	NOTHING(iob_workload_get_str(NULL, IOB_PARAM_PATTERN));
	NOTHING(iob_param_from_fio(NULL));
	EINVALID(iob_workload_get(NULL, "pattern", text, sizeof(text)));
	EINVALID(iob_workload_get(w, NULL, text, sizeof(text)));
	EINVALID(iob_workload_get(w, "pattern", NULL, 1));
	ck_assert_int_eq(iob_workload_get(w, "pattern", NULL, 0), 6);
	REFUSED("workload", iob_workload_add_target(NULL, "/dev/null", 0, &err));
	REFUSED("target", iob_workload_add_target(w, NULL, 0, &err));
	NOTHING(iob_workload_target_count(NULL));
	NOTHING(iob_workload_target(NULL, 0, NULL));
	REFUSED("workload", iob_workload_set_engine(NULL, iob_engine_get(0), NULL, &err));
	ck_assert_int_eq(iob_workload_set_engine(w, NULL, NULL, &err), 0);
	REFUSED("workload", iob_workload_check(NULL, &err));
	REFUSED("workload", iob_workload_run(NULL, &err));
	iob_workload_free(w);
}
END_TEST

START_TEST(suites)
{
	struct iob_suite *s = iob_suite_new(&err);
	struct iob_workload *w = workload();
	const struct iob_axis axis = { "workers", "1,2" }, no_param = { NULL, "1" },
			      no_values = { "workers", NULL };
	const struct iob_pts_plan plan = { .size = sizeof(plan) };
	iob_suite_free(NULL);
	REFUSED("suite", iob_suite_add(NULL, w, &err));
	REFUSED("workload", iob_suite_add(s, NULL, &err));
	REFUSED("suite", iob_suite_next_stage(NULL, "a", &err));
	ck_assert_int_eq(iob_suite_next_stage(s, NULL, &err), 0);
	REFUSED("suite", iob_suite_add_matrix(NULL, w, &axis, 1, &err));
	REFUSED("workload", iob_suite_add_matrix(s, NULL, &axis, 1, &err));
	REFUSED("axes", iob_suite_add_matrix(s, w, NULL, 1, &err));
	REFUSED("param", iob_suite_add_matrix(s, w, &no_param, 1, &err));
	REFUSED("workers", iob_suite_add_matrix(s, w, &no_values, 1, &err));
	NOTHING(iob_suite_stage_count(NULL));
	NOTHING(iob_suite_stage_name(NULL, 0));
	NOTHING(iob_suite_workload_count(NULL, 0));
	NOTHING(iob_suite_workload(NULL, 0, 0));
	REFUSED("suite", iob_suite_begin_rounds(NULL, &err));
	NOTHING(iob_suite_once_count(NULL));
	REFUSED("suite", iob_suite_track(NULL, 0, &err));
	NOTHING(iob_suite_tracked(NULL, 0));
	REFUSED("suite", iob_suite_add_note(NULL, "a", &err));
	REFUSED("text", iob_suite_add_note(s, NULL, &err));
	NOTHING(iob_suite_note_count(NULL));
	NOTHING(iob_suite_note(NULL, 0));
	REFUSED("suite", iob_suite_add_precondition(NULL, w, &err));
	REFUSED("workload", iob_suite_add_precondition(s, NULL, &err));
	REFUSED("suite", iob_suite_add_pts(NULL, w, &plan, &err));
	REFUSED("workload", iob_suite_add_pts(s, NULL, &plan, &err));
	REFUSED("plan", iob_suite_add_pts(s, w, NULL, &err));
	REFUSED("path", iob_suite_from_fio_file(NULL, 0, &err));
	REFUSED("argv", iob_suite_from_fio_args(1, NULL, 0, &err));
	REFUSED("argv", iob_suite_from_fio_args(1, (const char *const[]){ NULL }, 0, &err));
	REFUSED("suite", iob_suite_run(NULL, &err));
	iob_workload_free(w);
	iob_suite_free(s);
}
END_TEST

START_TEST(runs)
{
	struct iob_suite *s = iob_suite_new(&err);
	struct iob_workload *w = workload();
	struct iob_progress progress = { .size = sizeof(progress) };
	struct iob_search *search = iob_search_new(w, &err);
	double value = 1;
	ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	struct iob_run *r = iob_run_start(s, &err);
	ck_assert_ptr_nonnull(r);
	iob_run_free(NULL);
	REFUSED("suite", iob_run_start(NULL, &err));
	REFUSED("run", iob_run_wait(NULL, 0, &err));
	iob_run_cancel(NULL);
	EINVALID(iob_run_phase(NULL, 0, 0));
	EINVALID(iob_run_progress(NULL, &progress));
	EINVALID(iob_run_progress(r, NULL));
	REFUSED("run", iob_run_snapshot(NULL, &err));
	REFUSED("run", iob_run_result(NULL, &err));
	REFUSED("suite", iob_steady_start(NULL, NULL, &err));
	REFUSED("suite", iob_steady_run(NULL, NULL, &err));
	REFUSED("values", iob_steady_judge(NULL, 1, NULL, NULL, &err));
	ck_assert_int_eq(iob_steady_judge(&value, 1, NULL, NULL, &err), 0);
	iob_search_free(NULL);
	REFUSED("workload", iob_search_new(NULL, &err));
	REFUSED("search", iob_search_set(NULL, "op", "all", &err));
	REFUSED("name", iob_search_set(search, NULL, "all", &err));
	REFUSED("text", iob_search_set(search, "op", NULL, &err));
	REFUSED("search", iob_search_start(NULL, &err));
	REFUSED("search", iob_search_run(NULL, &err));
	iob_search_free(search);
	iob_run_free(r);
	iob_suite_free(s);
	iob_workload_free(w);
}
END_TEST

START_TEST(nodes_of_a_result)
{
	struct iob_result *r = result();
	iob_result_free(NULL);
	NOTHING(iob_result_level(NULL));
	EMPTY(iob_result_name(NULL));
	NOTHING(iob_result_child_count(NULL));
	NOTHING(iob_result_child(NULL, 0));
	NOTHING(iob_result_flags(NULL));
	NOTHING(iob_result_elapsed_ns(NULL));
	NOTHING(iob_result_started_ns(NULL));
	NOTHING(iob_result_unfinished(NULL));
	NOTHING(iob_result_count(NULL, IOB_OP_READ, IOB_COUNT_IOS));
	NOTHING(iob_result_iops(NULL, IOB_OP_READ));
	NOTHING(iob_result_bytes_per_s(NULL, IOB_OP_READ));
	NOTHING(iob_result_hist(NULL, IOB_OP_READ, IOB_LATENCY_SERVICE));
	NOTHING(iob_result_param(NULL, "engine"));
	NOTHING(iob_result_param(r, NULL));
	NOTHING(iob_result_effective(NULL, "engine"));
	NOTHING(iob_result_effective(r, NULL));
	NOTHING(iob_result_error(NULL));
	NOTHING(iob_result_pace(NULL));
	NOTHING(iob_result_target_count(NULL));
	NOTHING(iob_result_target(NULL, 0));
	NOTHING(iob_result_interval_count(NULL));
	NOTHING(iob_result_interval(NULL, 0, IOB_OP_READ));
	NOTHING(iob_result_device_count(NULL));
	NOTHING(iob_result_device(NULL, 0));
	NOTHING(iob_result_device_interval_count(NULL, 0));
	NOTHING(iob_result_device_interval(NULL, 0, 0));
	NOTHING(iob_result_search(NULL));
	NOTHING(iob_result_search_step_count(NULL));
	NOTHING(iob_result_search_step(NULL, 0));
	NOTHING(iob_result_rounds(NULL));
	NOTHING(iob_result_cell(NULL, 0));
	NOTHING(iob_result_cell_stage(NULL, 0, 1));
	NO_NUMBER(iob_result_cell_mean(NULL, 0, IOB_OP_READ, IOB_STEADY_IOPS));
	NOTHING(iob_result_finding_count(NULL));
	NOTHING(iob_result_finding(NULL, 0));
	NOTHING(iob_result_unchecked_count(NULL));
	NOTHING(iob_result_unchecked(NULL, 0));
	iob_result_free(r);
}
END_TEST

START_TEST(what_is_made_of_results)
{
	struct iob_result *r = result();
	const struct iob_result *const one[] = { r }, *const none[] = { NULL };
	struct iob_comparison *c = iob_compare(one, 1, one, 1, &err);
	REFUSED("result", iob_result_declare(NULL, "claim", "direct", &err));
	REFUSED("name", iob_result_declare(r, NULL, "direct", &err));
	REFUSED("text", iob_result_declare(r, "claim", NULL, &err));
	REFUSED("result", iob_result_report(NULL, "text", take, NULL, &err));
	REFUSED("format", iob_result_report(r, NULL, take, NULL, &err));
	REFUSED("fn", iob_result_report(r, "text", NULL, NULL, &err));
	REFUSED("data", iob_result_read(NULL, 1, "text", &err));
	REFUSED("parts", iob_result_merge(NULL, 1, &err));
	REFUSED("parts", iob_result_merge(none, 1, &err));
	iob_comparison_free(NULL);
	REFUSED("A", iob_compare(NULL, 1, one, 1, &err));
	REFUSED("B", iob_compare(one, 1, NULL, 1, &err));
	REFUSED("B", iob_compare(one, 1, none, 1, &err));
	NOTHING(iob_comparison_count(NULL));
	NOTHING(iob_comparison_cell(NULL, 0));
	REFUSED("comparison", iob_comparison_report(NULL, "text", take, NULL, &err));
	REFUSED("format", iob_comparison_report(c, NULL, take, NULL, &err));
	REFUSED("fn", iob_comparison_report(c, "text", NULL, NULL, &err));
	iob_comparison_free(c);
	iob_result_free(r);
}
END_TEST

START_TEST(histograms)
{
	struct iob_hist *h = iob_hist_new(8, &err);
	uint64_t low, high;
	iob_hist_free(NULL);
	ck_assert_int_eq(iob_hist_record(h, 5, 1000), 0);
	EINVALID(iob_hist_record(NULL, 1, 1));
	EINVALID(iob_hist_record_corrected(NULL, 1, 1, 0));
	EINVALID(iob_hist_record_corrected(NULL, 10, 1, 1));
	EINVALID(iob_hist_merge(NULL, h));
	EINVALID(iob_hist_merge(h, NULL));
	NOTHING(iob_hist_precision(NULL));
	NOTHING(iob_hist_count(NULL));
	NOTHING(iob_hist_min(NULL));
	NOTHING(iob_hist_max(NULL));
	NO_NUMBER(iob_hist_mean(NULL));
	NO_NUMBER(iob_hist_stddev(NULL));
	EINVALID(iob_hist_percentile(NULL, 50, &low));
	EINVALID(iob_hist_percentile(h, 50, NULL));
	EINVALID(iob_hist_percentile_interval(NULL, 50, 0.95, &low, &high));
	EINVALID(iob_hist_percentile_interval(h, 50, 0.95, NULL, &high));
	EINVALID(iob_hist_percentile_interval(h, 50, 0.95, &low, NULL));
	NOTHING(iob_hist_buckets(NULL, &low, NULL, NULL, 1));
	ck_assert_uint_eq(iob_hist_buckets(h, NULL, NULL, NULL, 1), 1);
	iob_hist_free(h);
}
END_TEST

START_TEST(devices)
{
	struct iob_device *d = iob_device_open("/proc/self/exe", &err);
	ck_assert_ptr_nonnull(d);
	iob_device_free(NULL);
	REFUSED("device", iob_device_open(NULL, &err));
	EMPTY(iob_device_path(NULL));
	EMPTY(iob_device_kind(NULL));
	EMPTY(iob_device_about(NULL));
	NOTHING(iob_device_fact_count(NULL));
	NOTHING(iob_device_fact(NULL, 0));
	NOTHING(iob_device_find(NULL, "bytes"));
	NOTHING(iob_device_find(d, NULL));
	NOTHING(iob_device_below_count(NULL));
	NOTHING(iob_device_below(NULL, 0));
	NOTHING(iob_device_user_count(NULL));
	NOTHING(iob_device_user(NULL, 0));
	NOTHING(iob_device_signature_count(NULL));
	NOTHING(iob_device_signature(NULL, 0));
	REFUSED("device", iob_device_report(NULL, "text", take, NULL, &err));
	REFUSED("format", iob_device_report(d, NULL, take, NULL, &err));
	REFUSED("fn", iob_device_report(d, "text", NULL, NULL, &err));
	iob_device_free(d);
}
END_TEST

/* What is past the end, and enum values that there are not. */
START_TEST(what_there_is_not)
{
	const enum iob_param param = (enum iob_param)9999;
	const enum iob_op op = (enum iob_op)5;
	struct iob_workload *w = workload();
	struct iob_result *r = result();
	int64_t value;
	NOTHING(iob_param_info(iob_param_count()));
	ck_assert_int_eq(iob_workload_set_int(w, param, 1, &err), -ENOENT);
	ck_assert_int_eq(iob_workload_set_str(w, param, "1", &err), -ENOENT);
	ck_assert_int_eq(iob_workload_get_int(w, param, &value), -ENOENT);
	NOTHING(iob_workload_get_str(w, param));
	NOTHING(iob_workload_target(w, 0, NULL));
	NOTHING(iob_result_child(r, iob_result_child_count(r)));
	NOTHING(iob_result_count(r, op, IOB_COUNT_IOS));
	NOTHING(iob_result_count(r, IOB_OP_READ, (enum iob_count)4));
	NOTHING(iob_result_iops(r, op));
	NOTHING(iob_result_bytes_per_s(r, (enum iob_op) - 1));
	NOTHING(iob_result_hist(r, op, IOB_LATENCY_SERVICE));
	NOTHING(iob_result_hist(r, IOB_OP_READ, (enum iob_latency)3));
	NOTHING(iob_result_interval(r, 0, op));
	NO_NUMBER(iob_result_cell_mean(r, 0, op, (enum iob_steady_metric)3));
	NOTHING(iob_severity_name((enum iob_severity)3));
	NOTHING(iob_steady_metric_name((enum iob_steady_metric)3));
	NOTHING(iob_pts_name((enum iob_pts)3));
	NOTHING(iob_pts_metric((enum iob_pts)3));
	NOTHING(iob_engine_get(SIZE_MAX));
	NOTHING(iob_fact_info(SIZE_MAX));
	NOTHING(iob_finding_info(SIZE_MAX));
	NOTHING(iob_fio_option(SIZE_MAX));
	NOTHING(iob_report_format(SIZE_MAX));
	NOTHING(iob_read_format(SIZE_MAX));
	iob_result_free(r);
	iob_workload_free(w);
}
END_TEST

/* Those that take no pointer but err have nothing to try: iob_engine_get(), iob_fact_info(),
 * iob_finding_info(), iob_fio_option(), iob_hist_new(), iob_param_count(), iob_param_info(),
 * iob_pts_metric(), iob_pts_name(), iob_read_format(), iob_report_format(), iob_severity_name(),
 * iob_steady_metric_name(), iob_steady_pts(), iob_suite_new(), iob_version(), iob_workload_new().
 */

static char *read_source(const char *name)
{
	char path[4096];
	ck_assert_msg(getenv("IOBENCH_SOURCE"), "IOBENCH_SOURCE is not set: run it by ctest");
	snprintf(path, sizeof(path), "%s/%s", getenv("IOBENCH_SOURCE"), name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f, "%s", path);
	char *text = calloc(1, 1 << 20);
	ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, f), 0);
	fclose(f);
	return text;
}

START_TEST(every_function_stands_here)
{
	char *own = read_source("tests/api/null.c"), *map = read_source("lib/iobench.map"),
	     name[72], *rest = map, *line;
	unsigned functions = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, " %64[a-z0-9_];", name) != 1 || strncmp(name, "iob_", 4))
			continue;
		strcat(name, "(");
		ck_assert_msg(strstr(own, name), "%s) is not tried with NULL", name);
		functions++;
	}
	ck_assert_uint_gt(functions, 120);
	free(map);
	free(own);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = { workloads,
				       suites,
				       runs,
				       nodes_of_a_result,
				       what_is_made_of_results,
				       what_there_is_not,
				       histograms,
				       devices,
				       every_function_stands_here };
	return iob_test_list("null", 30, tests, sizeof(tests) / sizeof(tests[0]));
}

IOB_TEST_MAIN(suite)
