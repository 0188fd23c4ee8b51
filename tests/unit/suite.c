/* SPDX-License-Identifier: MIT */
#include "support/nomem.h"
#include "support/test.h"
#include "base/base.h"
#include <iobench/suite.h>
#include <string.h>

static struct iob_workload *fresh(const char *name)
{
	struct iob_workload *w = iob_workload_new(NULL);
	ck_assert_ptr_nonnull(w);
	ck_assert_int_eq(iob_workload_set(w, "name", name, NULL), 0);
	return w;
}

static struct iob_suite *fresh_suite(void)
{
	struct iob_suite *s = iob_suite_new(NULL);
	ck_assert_ptr_nonnull(s);
	return s;
}

/* Stages and the names and sizes of their workloads, as one text. */
static char *dump(const struct iob_suite *s)
{
	struct iobi_text t = { 0 };
	iobi_text_add(&t, "");
	for (size_t i = 0; i < iob_suite_stage_count(s); i++) {
		iobi_text_printf(&t, "[%s]", iob_suite_stage_name(s, i));
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++)
			iobi_text_printf(
				&t, " %s",
				iob_workload_get_str(iob_suite_workload(s, i, k), IOB_PARAM_NAME));
		iobi_text_add(&t, "\n");
	}
	ck_assert(!t.failed);
	return t.data;
}

static void check_dump(const struct iob_suite *s, const char *want)
{
	char *got = dump(s);
	ck_assert_str_eq(got, want);
	free(got);
}

static void add(struct iob_suite *s, const char *name)
{
	struct iob_workload *w = fresh(name);
	ck_assert_int_eq(iob_suite_add(s, w, NULL), 0);
	iob_workload_free(w);
}

START_TEST(empty)
{
	struct iob_suite *s = fresh_suite();
	ck_assert_uint_eq(iob_suite_stage_count(s), 0);
	ck_assert_ptr_null(iob_suite_stage_name(s, 0));
	ck_assert_uint_eq(iob_suite_workload_count(s, 0), 0);
	ck_assert_ptr_null(iob_suite_workload(s, 0, 0));
	iob_suite_free(s);
	iob_suite_free(NULL);
}
END_TEST

START_TEST(side_by_side)
{
	struct iob_suite *s = fresh_suite();
	add(s, "a");
	check_dump(s, "[a] a\n");
	add(s, "b");
	add(s, "");
	check_dump(s, "[stage 1] a b \n");
	ck_assert_ptr_null(iob_suite_workload(s, 0, 3));
	ck_assert_ptr_null(iob_suite_workload(s, 1, 0));
	iob_suite_free(s);
}
END_TEST

START_TEST(stages_and_their_names)
{
	struct iob_suite *s = fresh_suite();
	ck_assert_int_eq(iob_suite_next_stage(s, "first", NULL), 0);
	add(s, "a");
	ck_assert_int_eq(iob_suite_next_stage(s, NULL, NULL), 0);
	add(s, "b");
	ck_assert_int_eq(iob_suite_next_stage(s, "", NULL), 0);
	add(s, "");
	ck_assert_int_eq(iob_suite_next_stage(s, "not used", NULL), 0);
	ck_assert_int_eq(iob_suite_next_stage(s, "two", NULL), 0);
	ck_assert_uint_eq(iob_suite_stage_count(s), 3);
	add(s, "c");
	add(s, "d");
	ck_assert_int_eq(iob_suite_next_stage(s, "nothing in it", NULL), 0);
	check_dump(s, "[first] a\n[b] b\n[stage 3] \n[two] c d\n");
	iob_suite_free(s);
}
END_TEST

START_TEST(names_stay_where_they_are)
{
	struct iob_suite *s = fresh_suite();
	add(s, "");
	const char *name = iob_suite_stage_name(s, 0);
	const struct iob_workload *w = iob_suite_workload(s, 0, 0);
	for (int i = 0; i < 1000; i++) {
		iob_suite_next_stage(s, NULL, NULL);
		add(s, "");
	}
	ck_assert_ptr_eq(iob_suite_stage_name(s, 0), name);
	ck_assert_ptr_eq(iob_suite_workload(s, 0, 0), w);
	ck_assert_str_eq(name, "stage 1");
	ck_assert_str_eq(iob_suite_stage_name(s, 1000), "stage 1001");
	iob_suite_free(s);
}
END_TEST

START_TEST(holds_copies)
{
	struct iob_suite *s = fresh_suite();
	struct iob_workload *w = fresh("a");
	iob_workload_add_target(w, "/dev/sda", IOB_TARGET_ALLOW_DESTROY, NULL);
	iob_suite_add(s, w, NULL);
	iob_workload_set(w, "name", "b", NULL);
	iob_workload_free(w);
	check_dump(s, "[a] a\n");
	ck_assert_str_eq(iob_workload_target(iob_suite_workload(s, 0, 0), 0, NULL), "/dev/sda");
	iob_suite_free(s);
}
END_TEST

/* The storage matrix: 3 x 2 x 2 x 4, in the order of its table. */
START_TEST(storage_matrix)
{
	static const struct iob_axis axes[] = {
		{ "block_size", "8k,16k,1m" },
		{ "workers", "1,16" },
		{ "pattern", "random,sequential" },
		{ "read_percent", "100,0,50,80" },
	};
	static const char *const size[] = { "8k", "16k", "1m" }, *const workers[] = { "1", "16" },
				 *const pattern[] = { "random", "sequential" },
				 *const read[] = { "100", "0", "50", "80" };
	struct iob_suite *s = fresh_suite();
	struct iob_workload *base = fresh("");
	iob_workload_set(base, "runtime", "1s", NULL);
	ck_assert_int_eq(iob_suite_add_matrix(s, base, axes, 4, NULL), 0);
	ck_assert_uint_eq(iob_suite_stage_count(s), 48);
	for (size_t i = 0; i < 48; i++) {
		char want[128], got[32];
		snprintf(want, sizeof(want), "block_size=%s workers=%s pattern=%s read_percent=%s",
			 size[i / 16], workers[i / 8 % 2], pattern[i / 4 % 2], read[i % 4]);
		ck_assert_str_eq(iob_suite_stage_name(s, i), want);
		ck_assert_uint_eq(iob_suite_workload_count(s, i), 1);
		const struct iob_workload *w = iob_suite_workload(s, i, 0);
		ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_BLOCK_SIZE), size[i / 16]);
		iob_workload_get(w, "workers", got, sizeof(got));
		ck_assert_str_eq(got, workers[i / 8 % 2]);
		ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_PATTERN), pattern[i / 4 % 2]);
		iob_workload_get(w, "read_percent", got, sizeof(got));
		ck_assert_str_eq(got, read[i % 4]);
		iob_workload_get(w, "runtime", got, sizeof(got));
		ck_assert_str_eq(got, "1s");
	}
	iob_workload_free(base);
	iob_suite_free(s);
}
END_TEST

static void check_matrix(const struct iob_axis *axes, size_t n, const char *want)
{
	struct iob_suite *s = fresh_suite();
	struct iob_workload *base = fresh("w");
	struct iob_error err = { 0 };
	ck_assert_msg(iob_suite_add_matrix(s, base, axes, n, &err) == 0, "%s", err.message);
	check_dump(s, want);
	iob_workload_free(base);
	iob_suite_free(s);
}

START_TEST(values)
{
	check_matrix((struct iob_axis[]){ { "runtime", "0.5,1500ms,60" } }, 1,
		     "[runtime=500ms] w\n[runtime=1500ms] w\n[runtime=1m] w\n");
	check_matrix((struct iob_axis[]){ { "block_size", "4096:60,64k:40;8192" } }, 1,
		     "[block_size=4k:60,64k:40] w\n[block_size=8k] w\n");
	check_matrix((struct iob_axis[]){ { "direct", "1" }, { "percentiles", "50,99.0;90" } }, 2,
		     "[direct=true percentiles=50,99] w\n[direct=true percentiles=90] w\n");
	check_matrix((struct iob_axis[]){ { "name", "a,b" }, { "workers", "2,2" } }, 2,
		     "[name=a workers=2] a\n[name=a workers=2] a\n"
		     "[name=b workers=2] b\n[name=b workers=2] b\n");
}
END_TEST

START_TEST(matrix_between_others)
{
	static const struct iob_axis axis = { "workers", "1,2" };
	struct iob_suite *s = fresh_suite();
	struct iob_workload *base = fresh("m");
	add(s, "before");
	ck_assert_int_eq(iob_suite_add_matrix(s, base, &axis, 1, NULL), 0);
	add(s, "after");
	add(s, "beside");
	ck_assert_int_eq(iob_suite_next_stage(s, "disk", NULL), 0);
	ck_assert_int_eq(iob_suite_add_matrix(s, base, &axis, 1, NULL), 0);
	add(s, "last");
	check_dump(s, "[before] before\n[workers=1] m\n[workers=2] m\n[stage 4] after beside\n"
		      "[disk: workers=1] m\n[disk: workers=2] m\n[last] last\n");
	iob_workload_free(base);
	iob_suite_free(s);
}
END_TEST

struct bad {
	struct iob_axis axes[3];
	size_t n;
	int code;
	const char *where, *message;
};

static void check_bad(const struct bad *t)
{
	struct iob_suite *s = fresh_suite();
	struct iob_workload *base = fresh("w");
	struct iob_error err = { 0 };
	add(s, "a");
	int rc = iob_suite_add_matrix(s, base, t->axes, t->n, &err);
	ck_assert_str_eq(err.message, t->message);
	ck_assert_str_eq(err.where, t->where);
	ck_assert_int_eq(rc, -t->code);
	ck_assert_int_eq(err.code, t->code);
	ck_assert_int_eq(iob_suite_add_matrix(s, base, t->axes, t->n, NULL), rc);
	add(s, "b"); /* the stage is as open as it was */
	check_dump(s, "[stage 1] a b\n");
	iob_workload_free(base);
	iob_suite_free(s);
}

START_TEST(wrong_axes)
{
	static const struct bad t[] = {
		{ { { "workers", "1" } },
		  0,
		  EINVAL,
		  "matrix",
		  "there is no axis; give at least one" },
		{ { { "workers", "1" } },
		  63,
		  EINVAL,
		  "matrix",
		  "63 axes are more than there are parameters" },
		{ { { "block_sise", "8k" } },
		  1,
		  ENOENT,
		  "block_sise",
		  "unknown parameter \"block_sise\"; did you mean \"block_size\"?" },
		{ { { NULL, "8k" } }, 1, EINVAL, "param", "the param is NULL" },
		{ { { "workers", "1,2" }, { "block_size", "4k" }, { "workers", "3" } },
		  3,
		  EINVAL,
		  "workers",
		  "two axes of the matrix have this parameter" },
		{ { { "workers", "" } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has no values; give them with commas between" },
		{ { { "workers", NULL } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has no values; give them with commas between" },
		{ { { "workers", "1,,2" } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has an empty value in \"1,,2\"" },
		{ { { "workers", ",1" } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has an empty value in \",1\"" },
		{ { { "workers", "1," } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has an empty value in \"1,\"" },
		{ { { "workers", "," } },
		  1,
		  EINVAL,
		  "workers",
		  "the axis has an empty value in \",\"" },
		{ { { "block_size", "8k;" } },
		  1,
		  EINVAL,
		  "block_size",
		  "the axis has an empty value in \"8k;\"" },
		{ { { "workers", "1,2" }, { "read_percent", "100,101" } },
		  2,
		  ERANGE,
		  "read_percent",
		  "\"101\" is above the maximum of 100" },
		{ { { "block_size", "8k,4.5k" } },
		  1,
		  EINVAL,
		  "block_size",
		  "\"4.5k\" has a fraction, and sizes take none (use 4608)" },
		{ { { "block_size", "4k:60,64k:40" } },
		  1,
		  EINVAL,
		  "block_size",
		  "the percents of \"4k:60\" add up to 60; they must make 100" },
		{ { { "block_size", "4k, 8k" } },
		  1,
		  EINVAL,
		  "block_size",
		  "\" 8k\" has a blank in it; it takes a size in bytes, or with a unit as 4k" },
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		check_bad(&t[i]);
	struct iob_suite *s = fresh_suite();
	ck_assert_int_eq(iob_suite_add_matrix(s, NULL, NULL, 1, NULL), -EINVAL);
	iob_suite_free(s);
}
END_TEST

/* "1,1,1..." of n values. */
static char *ones(size_t n)
{
	char *text = malloc(2 * n);
	for (size_t i = 0; i < n; i++)
		memcpy(text + 2 * i, "1,", 2);
	text[2 * n - 1] = '\0';
	return text;
}

START_TEST(too_many_cells)
{
	char *thousand = ones(1000), *more = ones(1001), *many = ones(100000);
	const struct bad one_over = { { { "workers", thousand }, { "queue_depth", more } },
				      2,
				      ERANGE,
				      "queue_depth",
				      "with this axis the suite has more than 1000000 stages" };
	const struct bad overflow = {
		{ { "workers", many }, { "queue_depth", many }, { "seed", many } },
		3,
		ERANGE,
		"queue_depth",
		"with this axis the suite has more than 1000000 stages"
	};
	const struct bad with_those_there = {
		{ { "workers", thousand }, { "queue_depth", thousand } },
		2,
		ERANGE,
		"queue_depth",
		"with this axis the suite has more than 1000000 stages"
	};
	check_bad(&one_over);
	check_bad(&overflow);
	check_bad(&with_those_there);
	free(thousand);
	free(more);
	free(many);
}
END_TEST

START_TEST(many_cells)
{
	char *hundred = ones(100);
	const struct iob_axis axes[] = { { "workers", hundred }, { "queue_depth", hundred } };
	struct iob_suite *s = fresh_suite();
	struct iob_workload *base = fresh("w");
	ck_assert_int_eq(iob_suite_add_matrix(s, base, axes, 2, NULL), 0);
	ck_assert_uint_eq(iob_suite_stage_count(s), 10000);
	ck_assert_str_eq(iob_suite_stage_name(s, 9999), "workers=1 queue_depth=1");
	iob_workload_free(base);
	iob_suite_free(s);
	free(hundred);
}
END_TEST

START_TEST(no_memory_changes_nothing)
{
	static const struct iob_axis axes[] = { { "block_size", "8k,16k" }, { "workers", "1,2" } };
	struct iob_workload *base = fresh("w");
	int n = 0, rc = -1;
	for (; nomem_at(n); n++) {
		nomem_left = -1;
		struct iob_suite *s = fresh_suite();
		struct iob_error err = { 0 };
		add(s, "a");
		nomem_at(n);
		rc = iob_suite_add_matrix(s, base, axes, 2, &err);
		int hit = nomem_hit();
		ck_assert_int_eq(rc, hit ? -ENOMEM : 0);
		ck_assert_int_eq(err.code, hit ? ENOMEM : 0);
		if (hit) {
			add(s, "b");
			check_dump(s, "[stage 1] a b\n");
		}
		iob_suite_free(s);
		if (!hit)
			break;
	}
	iob_workload_free(base);
	ck_assert(!nomem_works() || (n > 40 && rc == 0));
}
END_TEST

START_TEST(no_memory_to_add)
{
	struct iob_workload *w = fresh("w");
	int n = 0, rc = -1;
	struct iob_suite *s = fresh_suite();
	add(s, "a");
	iob_suite_next_stage(s, "second", NULL);
	for (; nomem_at(n); n++) {
		rc = iob_suite_next_stage(s, "third", NULL);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
	}
	for (n = 0; nomem_at(n); n++) {
		rc = iob_suite_add(s, w, NULL);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
		check_dump(s, "[a] a\n");
	}
	ck_assert(!nomem_works() || (n > 8 && rc == 0));
	if (nomem_works())
		check_dump(s, "[a] a\n[third] w\n");
	iob_workload_free(w);
	iob_suite_free(s);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("suite");
	TCase *t = tcase_create("stages");
	tcase_add_test(t, empty);
	tcase_add_test(t, side_by_side);
	tcase_add_test(t, stages_and_their_names);
	tcase_add_test(t, names_stay_where_they_are);
	tcase_add_test(t, holds_copies);
	tcase_add_test(t, no_memory_to_add);
	suite_add_tcase(s, t);
	t = tcase_create("matrix");
	tcase_add_test(t, storage_matrix);
	tcase_add_test(t, values);
	tcase_add_test(t, matrix_between_others);
	tcase_add_test(t, wrong_axes);
	tcase_add_test(t, too_many_cells);
	tcase_add_test(t, many_cells);
	tcase_add_test(t, no_memory_changes_nothing);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
