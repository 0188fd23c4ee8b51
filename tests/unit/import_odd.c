/* SPDX-License-Identifier: MIT */
/* Recordings as they really come: from Windows, from a terminal, with warnings
 * between, several in one file, with numbers that are none; and those that are
 * meant to hurt. */
#include "support/seeds.h"
#include "support/test.h"
#include <errno.h>
#include <math.h>
#include <string.h>

/* The text with every `from` replaced; the caller's. */
static char *replace_all(const char *text, const char *from, const char *to)
{
	size_t n = 0, extra = strlen(to);
	for (const char *s = text; (s = strstr(s, from)); s += strlen(from))
		n++;
	char *copy = malloc(strlen(text) + n * extra + 1), *at = copy;
	ck_assert_ptr_nonnull(copy);
	for (const char *s; (s = strstr(text, from)); text = s + strlen(from))
		at += sprintf(at, "%.*s%s", (int)(s - text), text, to);
	strcpy(at, text);
	return copy;
}

static char *join(const char *a, const char *b, const char *c)
{
	char *copy = malloc(strlen(a) + strlen(b) + strlen(c) + 1);
	ck_assert_ptr_nonnull(copy);
	sprintf(copy, "%s%s%s", a, b, c);
	return copy;
}

static const struct {
	const char *name, *code, *rows;
	size_t stages;
} seeds[] = {
	{ "xdisk-v7000-raw.txt", "stall", "78 79 80", 80 },
	{ "fio-azure-ase.txt", "depth-not-reached", "1 2", 3 },
	{ "fio-md-lvm-striping.txt", "stall", "8", 8 },
	{ "a33.json", "depth-one-bound", "2", 2 },
};
enum {
	SEEDS = 4
};

static void reads_alike(const char *text, int seed)
{
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), seeds[seed].stages);
	ck_assert_str_eq(seed_rows(r, seeds[seed].code), seeds[seed].rows);
	iob_result_free(r);
}

START_TEST(ends_of_lines)
{
	char *text = seed_text(seeds[_i].name), *crlf = replace_all(text, "\n", "\r\n"),
	     *cr = replace_all(text, "\n", "\r"), *marked = join("\xef\xbb\xbf", text, "");
	reads_alike(crlf, _i);
	reads_alike(cr, _i);
	reads_alike(marked, _i);
	struct iob_result *r = seed_read(crlf, NULL);
	const char *line = iob_result_effective(iob_result_child(r, 0), "line");
	struct iob_result *plain = seed_read(text, NULL);
	const char *told = iob_result_effective(iob_result_child(plain, 0), "line");
	ck_assert(line ? !strcmp(line, told) : !told);
	iob_result_free(plain);
	iob_result_free(r);
	free(marked);
	free(cr);
	free(crlf);
	free(text);
}
END_TEST

/* The first half of any text is read or refused, and so is any part of it. */
START_TEST(parts_of_a_text)
{
	char *text = seed_text(seeds[_i].name);
	size_t len = strlen(text);
	for (size_t n = 0; n < len; n += 997)
		iob_result_free(iob_result_read(text, n, NULL, NULL));
	for (size_t n = 0; n < len; n += 997)
		iob_result_free(iob_result_read(text + n, len - n, NULL, NULL));
	free(text);
}
END_TEST

START_TEST(several_json_documents)
{
	char *text = seed_text("a33.json");
	char *two = join("fio: unable to use {this}\n{nor this}\n", text, text);
	char *all = join(two, "fio: a warning\n", "and another { here\n");
	struct iob_result *r = seed_read(all, NULL);
	ck_assert_uint_eq(iob_result_child_count(r), 4);
	ck_assert_str_eq(seed_rows(r, "depth-one-bound"), "2 4");
	iob_result_free(r);
	free(all);
	free(two);
	free(text);
}
END_TEST

/* The second one breaks off: that is told, in the line of the whole file. */
START_TEST(a_document_that_breaks_off)
{
	char *text = seed_text("a33.json"), *all = join(text, "warning\n", text);
	struct iob_error err = { 0 };
	int lines = 1;
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	ck_assert_ptr_null(iob_result_read(all, strlen(text) + 8 + strlen(text) / 2, NULL, &err));
	ck_assert_int_gt(err.line, lines + 1);
	ck_assert(strstr(err.message, "not a JSON report: line "));
	free(all);
	free(text);
}
END_TEST

/* printf has words for numbers that JSON has none for. */
START_TEST(not_a_number)
{
	static const char *const words[] = { "nan", "-nan", "NaN", "inf", "-inf", "Infinity" };
	char *text = seed_text("a33.json");
	char *at = strstr(text, "\"iops_stddev\" : ");
	char piece[64], with[64];
	ck_assert_ptr_nonnull(at);
	snprintf(piece, sizeof(piece), "%.*s", (int)strcspn(at, ",\n"), at);
	snprintf(with, sizeof(with), "\"iops_stddev\" : %s", words[_i]);
	char *copy = seed_replace(text, piece, with);
	reads_alike(copy, 3);
	free(copy);
	free(text);
}
END_TEST

/* Called like us, and still fio's. */
START_TEST(a_job_called_iobench)
{
	char *text = seed_text("a33.json"),
	     *copy = replace_all(text, "\"jobname\" : \"mix\"", "\"jobname\" : \"iobench\"");
	struct iob_result *r = seed_read(copy, NULL);
	ck_assert_str_eq(iob_result_name(iob_result_child(r, 0)), "iobench");
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

static const struct {
	const char *text, *format, *message;
} refused[] = {
	{ "", NULL, "looks like none of" },
	{ "\n\n\n", NULL, "looks like none of" },
	{ "", "xdisk", "there is no row of XDISK's" },
	{ "", "fio-text", "there is no job of fio's" },
	{ "", "fio-json", "not a JSON report" },
	{ "", "json", "not a JSON report" },
	{ "8K 1 0 100 R -RW 1 2 0,5 4 5 6 7 8 9 10\n", "xdisk", "column rMin-ms is no number" },
	{ "8K 1 0 100 R -RW -1 2 3 4 5 6 7 8 9 10\n", "xdisk", "column IO/s is no number" },
	{ "8K 1 0 100 R -RW 1e308 2 3 4 5 6 7 8 9 10\n", "xdisk", "column IO/s is no number" },
	{ "8K 1 0 100 R -RW NaN 2 3 4 5 6 7 8 9 10\n", "xdisk", "column IO/s is no number" },
	{ "{\"fio version\": \"3\", \"jobs\": [{\"jobname\": 1e999}]}", NULL, "not a JSON report" },
};

START_TEST(what_is_refused)
{
	struct iob_error err = { 0 };
	const char *text = refused[_i].text;
	ck_assert_ptr_null(iob_result_read(text, strlen(text), refused[_i].format, &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_msg(strstr(err.message, refused[_i].message) != NULL, "%s", err.message);
}
END_TEST

/* Four hundred nines are no number. */
START_TEST(a_number_past_all_numbers)
{
	char nines[401], text[600];
	struct iob_error err = { 0 };
	memset(nines, '9', 400);
	nines[400] = '\0';
	snprintf(text, sizeof(text), "8K 1 0 100 R -RW %s 2 3 4 5 6 7 8 9 10\n", nines);
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "xdisk", &err));
	ck_assert(strstr(err.message, "column IO/s is no number"));
}
END_TEST

/* Short lines that each ask for a lot of memory. */
START_TEST(jobs_without_end)
{
	static const char line[] = "j: (groupid=0, jobs=1): err= 0\n";
	const size_t n = 8193, len = sizeof(line) - 1;
	struct iob_error err = { 0 };
	char *text = malloc(n * len + 1);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, line, len + 1);
	ck_assert_ptr_null(iob_result_read(text, n * len, NULL, &err));
	ck_assert_int_eq(err.code, E2BIG);
	ck_assert_str_eq(err.message, "line 8193: a run has at most 8192 jobs");
	free(text);
}
END_TEST

/* Bytes of no kind, the same each time. */
START_TEST(noise)
{
	static const char *const formats[] = { NULL, "json", "fio-json", "xdisk", "fio-text" };
	uint64_t x = 88172645463325252;
	char bytes[8192];
	for (size_t i = 0; i < sizeof(bytes); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		bytes[i] = (char)x;
	}
	for (int i = 0; i < 5; i++)
		ck_assert_ptr_null(iob_result_read(bytes, sizeof(bytes), formats[i], NULL));
}
END_TEST

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

static Suite *suite(void)
{
	Suite *s = suite_create("import_odd");
	TCase *t = tcase_create("odd");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, ends_of_lines, 0, SEEDS);
	tcase_add_loop_test(t, parts_of_a_text, 0, SEEDS);
	tcase_add_test(t, several_json_documents);
	tcase_add_test(t, a_document_that_breaks_off);
	tcase_add_loop_test(t, not_a_number, 0, 6);
	tcase_add_test(t, a_job_called_iobench);
	tcase_add_loop_test(t, what_is_refused, 0, LEN(refused));
	tcase_add_test(t, a_number_past_all_numbers);
	tcase_add_test(t, jobs_without_end);
	tcase_add_test(t, noise);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
