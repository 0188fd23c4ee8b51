/* SPDX-License-Identifier: MIT */
/* Who may start a run and ask of it: a child of fork() finds its parent's run without the
 * threads of it, and so without an owner of what they had; without memory there is none.
 * ctest: notsan novalgrind */
#include "support/nomem.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct iob_run *start(const char *parameters)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = work(parameters, NULL, 0);
	struct iob_suite *s = iob_suite_new(&err);
	ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	struct iob_run *r = iob_run_start(s, &err);
	ck_assert_msg(r, "%s: %s", err.where, err.message);
	iob_suite_free(s);
	iob_workload_free(w);
	return r;
}

/* 0, or the line that is wrong: a child of check's must not fail by itself. */
static int touch(struct iob_run *r)
{
	struct iob_progress p = { .size = sizeof(p) };
	struct iob_error err = { 0 };
	if (iob_run_wait(r, -1, &err) != -EINVAL || strcmp(err.where, "run") != 0)
		return __LINE__;
	if (iob_run_progress(r, &p) != -EINVAL)
		return __LINE__;
	if (iob_run_phase(r, 0, 0) != -EINVAL)
		return __LINE__;
	if (iob_run_snapshot(r, &err) || err.code != EINVAL)
		return __LINE__;
	if (iob_run_result(r, &err) || err.code != EINVAL)
		return __LINE__;
	iob_run_cancel(r);
	iob_run_free(r);
	return 0;
}

START_TEST(a_child_leaves_it_alone)
{
	struct iob_run *r = start("engine=null size=1g runtime=1h");
	int status;
	pid_t child = fork();
	if (!child)
		_exit(touch(r));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "line %d", WEXITSTATUS(status));
	ck_assert_int_eq(iob_run_wait(r, 100, NULL), 0);
	iob_run_cancel(r);
	struct iob_result *result = iob_run_result(r, NULL);
	ck_assert_uint_gt(iob_result_count(result, IOB_OP_READ, IOB_COUNT_IOS), 0);
	iob_result_free(result);
	iob_run_free(r);
}
END_TEST

START_TEST(a_child_has_runs_of_its_own)
{
	struct iob_run *r = start("engine=null size=1g runtime=1h");
	int status;
	pid_t child = fork();
	if (!child) {
		struct iob_result *own =
			work_run("engine=null size=1g runtime=0 ios=1000", NULL, 0);
		_exit(iob_result_count(own, IOB_OP_READ, IOB_COUNT_IOS) != 1000);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	iob_run_free(r);
}
END_TEST

/* Whichever allocation fails, it says so, and not that something else was short. */
START_TEST(no_memory)
{
	struct iob_workload *w = work("engine=null size=1g runtime=0 ios=1", NULL, 0);
	struct iob_suite *s = iob_suite_new(NULL);
	ck_assert_int_eq(iob_suite_add(s, w, NULL), 0);
	for (int n = 0, hit = 1; hit && nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_run *r = iob_run_start(s, &err);
		hit = nomem_hit();
		ck_assert_msg(r || err.code == ENOMEM, "%d: %s", n, err.message);
		iob_run_free(r);
		nomem_hit(); /* the leader was counting too */
	}
	iob_suite_free(s);
	iob_workload_free(w);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = { a_child_leaves_it_alone, a_child_has_runs_of_its_own,
				       no_memory };
	return iob_test_list("run_start", 60, tests, sizeof(tests) / sizeof(tests[0]));
}

IOB_TEST_MAIN(suite)
