/* SPDX-License-Identifier: MIT */
/* Each job file of tests/fio against NAME.expect beside it: the workloads that it
 * becomes, the notes, or the error. IOB_TEST_WRITE=1 writes those files. */
#include "support/test.h"
#include <dirent.h>
#include <iobench/iobench.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static char *names[512];
static size_t n_names;

/* Shown only for the file that is about them: every workload has them. */
static bool left_out(const char *param, const char *file)
{
	static const char *const only[][2] = { { "labels", "name.fio" },
					       { "seed", "seeds.fio" },
					       { "percentiles", "percentiles.fio" },
					       { "invalidate", "cache.fio" } };
	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
		if (!strcmp(param, only[i][0]))
			return strcmp(file, only[i][1]) != 0;
	return false;
}

static void dump_workload(FILE *out, const struct iob_workload *w, const char *file)
{
	fputs("  workload", out);
	for (size_t i = 0; i < iob_param_count(); i++) {
		const struct iob_param_info *p = iob_param_info(i);
		char text[4096];
		iob_workload_get(w, p->name, text, sizeof(text));
		if (strcmp(text, p->default_text) != 0 && !left_out(p->name, file))
			fprintf(out, " %s=%s", p->name, text);
	}
	for (size_t i = 0; i < iob_workload_target_count(w); i++)
		fprintf(out, " target=%s", iob_workload_target(w, i, NULL));
	fputc('\n', out);
}

static void dump_suite(FILE *out, const struct iob_suite *s, const char *file)
{
	for (size_t i = 0; i < iob_suite_stage_count(s); i++) {
		fprintf(out, "stage %s\n", iob_suite_stage_name(s, i));
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++)
			dump_workload(out, iob_suite_workload(s, i, k), file);
	}
	for (size_t i = 0; i < iob_suite_note_count(s); i++) {
		const struct iob_note *note = iob_suite_note(s, i);
		fprintf(out, "note %s:%d: %s\n", note->file, note->line, note->text);
	}
}

static char *dump(const char *file)
{
	struct iob_error err = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct iob_suite *s = iob_suite_from_fio_file(file, 0, &err);
	if (s)
		dump_suite(out, s, file);
	else
		fprintf(out, "error %d in %s, %s:%d: %s\n", err.code, err.where, err.file, err.line,
			err.message);
	fclose(out);
	iob_suite_free(s);
	return text;
}

static char *expected(const char *file)
{
	static char text[16384];
	char path[256];
	snprintf(path, sizeof(path), "%s.expect", file);
	FILE *f = fopen(path, "r");
	size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[len] = '\0';
	return text;
}

static void write_expected(const char *file, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s.expect", file);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void environment(void)
{
	setenv("IOB_TEST_SIZE", "4", 1);
	setenv("IOB_TEST_WORD", "word", 1);
	unsetenv("IOB_TEST_UNSET");
}

START_TEST(file_is_read)
{
	environment();
	char *is = dump(names[_i]);
	if (getenv("IOB_TEST_WRITE"))
		write_expected(names[_i], is);
	ck_assert_msg(!strcmp(is, expected(names[_i])), "%s: it is\n%sand should be\n%s", names[_i],
		      is, expected(names[_i]));
	free(is);
}
END_TEST

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(void)
{
	DIR *dir = opendir(".");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		size_t len = strlen(e->d_name);
		if (len > 4 && !strcmp(e->d_name + len - 4, ".fio") && n_names < 512)
			names[n_names++] = strdup(e->d_name);
	}
	if (dir)
		closedir(dir);
	qsort(names, n_names, sizeof(*names), by_name);
}

static Suite *suite(void)
{
	Suite *s = suite_create("fio_files");
	TCase *t = tcase_create("files");
	char path[1024];
	const char *source = getenv("IOBENCH_SOURCE");
	snprintf(path, sizeof(path), "%s/tests/fio", source ? source : ".");
	if (chdir(path)) {
		printf("no %s\n", path);
		exit(1);
	}
	list_files();
	tcase_add_loop_test(t, file_is_read, 0, (int)n_names);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
