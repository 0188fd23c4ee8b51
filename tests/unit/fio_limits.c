/* SPDX-License-Identifier: MIT */
/* ctest: nosan novalgrind
 * Job files that would take the machine's memory or time are refused: includes
 * that multiply, lists that grow, jobs, clones and files without end. */
#include "support/test.h"
#include <errno.h>
#include <iobench/iobench.h>
#include <string.h>
#include <unistd.h>

static char dir[64];

static void enter(void)
{
	snprintf(dir, sizeof(dir), "/tmp/iobench-fio-limits-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void leave(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	char line[128];
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	ck_assert_int_eq(system(line), 0);
}

/* `head`, and n times `line`, in which a %d is the number. */
static void write_lines(const char *name, const char *head, int n, const char *line)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	fputs(head, f);
	const char *number = strstr(line, "%d");
	for (int i = 0; i < n; i++)
		if (number)
			fprintf(f, "%.*s%d%s", (int)(number - line), line, i, number + 2);
		else
			fputs(line, f);
	fclose(f);
}

static void refuse(int code, const char *where, const char *message)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_suite_from_fio_file("job.fio", 0, &err));
	ck_assert_str_eq(err.message, message);
	ck_assert_str_eq(err.where, where);
	ck_assert_int_eq(err.code, code);
}

static struct iob_suite *read_job(void)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = iob_suite_from_fio_file("job.fio", 0, &err);
	ck_assert_msg(s, "%s: %s", err.where, err.message);
	return s;
}

START_TEST(includes_that_multiply)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	char line[32];
	enter();
	for (int i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "include %s\n", names[i + 1]);
		write_lines(names[i], "", 1000, line);
	}
	write_lines("e", "", 1, "bs=4k\n");
	write_lines("job.fio", "[a]\nfilename=x\ninclude a\n", 0, "");
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_suite_from_fio_file("job.fio", 0, &err));
	ck_assert_int_eq(err.code, E2BIG);
	ck_assert_str_eq(err.where, "include");
	ck_assert_ptr_nonnull(strstr(err.message, "the files come to more than 64 MiB"));
	leave();
}
END_TEST

START_TEST(lists_that_grow)
{
	enter();
	write_lines("job.fio", "[a]\n", 20000, "filename=name%d\n");
	refuse(E2BIG, "jobs", "the jobs' texts come to more than 64 MiB");
	leave();
}
END_TEST

START_TEST(jobs_without_end)
{
	enter();
	write_lines("job.fio", "[global]\nfilename=x\n", 65537, "[j%d]\n");
	refuse(ERANGE, "section", "there are more than 65536 jobs, job.fio line 65539");
	leave();
}
END_TEST

START_TEST(ten_thousand_jobs)
{
	enter();
	write_lines("job.fio", "[global]\nioengine=null\nsize=4k\n", 10000, "[j%d]\n");
	struct iob_suite *s = read_job();
	ck_assert_uint_eq(iob_suite_stage_count(s), 1);
	ck_assert_uint_eq(iob_suite_workload_count(s, 0), 10000);
	iob_suite_free(s);
	leave();
}
END_TEST

START_TEST(clones_without_end)
{
	enter();
	write_lines("job.fio", "[a]\nfilename=x\nnumjobs=1000000\n", 0, "");
	refuse(ERANGE, "numjobs",
	       "1000000 is not 1 to 65536, which is for all jobs together, job.fio line 3");
	write_lines("job.fio", "[global]\nfilename=x\n[a]\n[b]\nnumjobs=65536\n", 0, "");
	refuse(ERANGE, "numjobs",
	       "65536 is not 1 to 65536, which is for all jobs together, job.fio line 5");
	leave();
}
END_TEST

START_TEST(files_without_end)
{
	enter();
	write_lines("job.fio", "[a]\nsize=1g\nnrfiles=65536\n", 0, "");
	refuse(ERANGE, "nrfiles", "65536 is not 1 to 65535, job.fio line 3");
	write_lines("job.fio", "[a]\nsize=1g\nnrfiles=50000\nnumjobs=1000\n", 0, "");
	refuse(ERANGE, "numjobs",
	       "all jobs together would have more than 1000000 targets, job.fio line 4");
	write_lines("job.fio", "[a]\nsize=1g\nnrfiles=20000\n", 0, "");
	struct iob_suite *s = read_job();
	const struct iob_workload *w = iob_suite_workload(s, 0, 0);
	ck_assert_uint_eq(iob_workload_target_count(w), 20000);
	ck_assert_str_eq(iob_workload_target(w, 19999, NULL), "a.0.19999");
	iob_suite_free(s);
	leave();
}
END_TEST

/* One list, of which each name is there twice. */
START_TEST(a_long_list)
{
	enter();
	write_lines("job.fio", "[a]\nsize=1g\nfilename=", 10000, "n%d:");
	FILE *f = fopen("job.fio", "a");
	for (int i = 9999; i >= 0; i--)
		fprintf(f, "n%d:", i);
	fclose(f);
	struct iob_suite *s = read_job();
	const struct iob_workload *w = iob_suite_workload(s, 0, 0);
	ck_assert_uint_eq(iob_workload_target_count(w), 10000);
	ck_assert_str_eq(iob_workload_target(w, 0, NULL), "n0");
	ck_assert_str_eq(iob_workload_target(w, 9999, NULL), "n9999");
	iob_suite_free(s);
	leave();
}
END_TEST

START_TEST(long_texts_many_times)
{
	enter();
	write_lines("job.fio", "[a]\nioengine=null\nsize=4k\nnumjobs=60000\ndescription=", 10000,
		    "0123456789");
	refuse(E2BIG, "numjobs",
	       "the options of all clones would come to more than 256 MiB, job.fio line 4");
	leave();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fio_limits");
	TCase *t = tcase_create("limits");
	tcase_add_test(t, includes_that_multiply);
	tcase_add_test(t, lists_that_grow);
	tcase_add_test(t, jobs_without_end);
	tcase_add_test(t, ten_thousand_jobs);
	tcase_add_test(t, clones_without_end);
	tcase_add_test(t, files_without_end);
	tcase_add_test(t, a_long_list);
	tcase_add_test(t, long_texts_many_times);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
