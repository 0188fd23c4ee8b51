/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>

#define KI INT64_C(1024)
#define G INT64_C(1000000000)

struct good {
	const char *text;
	int64_t value;
};
struct bad {
	const char *text;
	int code;
	const char *message;
};
typedef int (*parse_fn)(const char *text, const char *where, int64_t *value, struct iob_error *err);

static void check_good(parse_fn parse, const struct good *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct iob_error err = { .message = "untouched" };
		int64_t value = -7;
		ck_assert_msg(parse(t[i].text, "offset", &value, &err) == 0, "%s: %s", t[i].text,
			      err.message);
		ck_assert_msg(value == t[i].value, "%s gave %" PRId64, t[i].text, value);
		ck_assert_str_eq(err.message, "untouched");
		ck_assert_int_eq(parse(t[i].text, "offset", &value, NULL), 0);
	}
}

static void check_bad(parse_fn parse, const struct bad *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct iob_error err = { 0 };
		int64_t value = -7;
		int rc = parse(t[i].text, "offset", &value, &err);
		ck_assert_msg(rc == -t[i].code, "%s gave %d", t[i].text, rc);
		ck_assert_int_eq(err.code, t[i].code);
		ck_assert_str_eq(err.where, "offset");
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(parse(t[i].text, "offset", &value, NULL), rc);
	}
}

#define GOOD(parse, table) check_good(parse, table, sizeof(table) / sizeof(table[0]))
#define BAD(parse, table) check_bad(parse, table, sizeof(table) / sizeof(table[0]))

START_TEST(sizes)
{
	static const struct good t[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "007", 7 },
		{ "512", 512 },
		{ "512B", 512 },
		{ "4k", 4 * KI },
		{ "4K", 4 * KI },
		{ "4Ki", 4 * KI },
		{ "4KiB", 4 * KI },
		{ "4kB", 4000 },
		{ "3m", 3 * KI * KI },
		{ "3M", 3 * KI * KI },
		{ "3Mi", 3 * KI * KI },
		{ "3MiB", 3 * KI * KI },
		{ "3MB", 3000000 },
		{ "5g", 5 * KI * KI * KI },
		{ "5G", 5 * KI * KI * KI },
		{ "5Gi", 5 * KI * KI * KI },
		{ "5GiB", 5 * KI * KI * KI },
		{ "5GB", 5 * G },
		{ "2t", 2 * KI * KI * KI * KI },
		{ "2T", 2 * KI * KI * KI * KI },
		{ "2Ti", 2 * KI * KI * KI * KI },
		{ "2TiB", 2 * KI * KI * KI * KI },
		{ "2TB", 2000 * G },
		{ "9223372036854775807", INT64_MAX },
		{ "8388607t", INT64_C(8388607) << 40 },
		{ "000000000000000000000000000000000000000000000000000000000000000000000000001k",
		  KI },
	};
	GOOD(iobi_parse_size, t);
}
END_TEST

#define SIZE_WANTED "it takes a size in bytes, or with a unit as 4k"
#define SIZE_UNITS                                                                                 \
	"there are B, k, m, g, t (or K, Ki, KiB ..: powers of 1024), kB, MB, GB, TB (of 1000)"
#define SIZE_MAX_SAID "is above the maximum of 9223372036854775807 bytes"

START_TEST(wrong_sizes)
{
	static const struct bad t[] = {
		{ NULL, EINVAL, "no text was given (NULL); " SIZE_WANTED },
		{ "", EINVAL, "the text is empty; " SIZE_WANTED },
		{ "4.5k", EINVAL, "\"4.5k\" has a fraction, and sizes take none (use 4608)" },
		{ "0.5m", EINVAL, "\"0.5m\" has a fraction, and sizes take none (use 524288)" },
		{ "4.0", EINVAL, "\"4.0\" has a fraction, and sizes take none (use 4)" },
		{ "4.3k", EINVAL,
		  "\"4.3k\" has a fraction, and sizes take none (use a smaller unit)" },
		{ "10x", EINVAL, "\"10x\" has the unknown unit \"x\"; " SIZE_UNITS },
		{ "4kb", EINVAL, "\"4kb\" has the unknown unit \"kb\"; " SIZE_UNITS },
		{ "4KB", EINVAL, "\"4KB\" has the unknown unit \"KB\"; " SIZE_UNITS },
		{ "4ki", EINVAL, "\"4ki\" has the unknown unit \"ki\"; " SIZE_UNITS },
		{ "4kk", EINVAL, "\"4kk\" has the unknown unit \"kk\"; " SIZE_UNITS },
		{ "4b", EINVAL, "\"4b\" has the unknown unit \"b\"; " SIZE_UNITS },
		{ "4p", EINVAL, "\"4p\" has the unknown unit \"p\"; " SIZE_UNITS },
		{ "4s", EINVAL, "\"4s\" has the unknown unit \"s\"; " SIZE_UNITS },
		{ "0x10", EINVAL, "\"0x10\" has the unknown unit \"x10\"; " SIZE_UNITS },
		{ "1e6", EINVAL, "\"1e6\" has the unknown unit \"e6\"; " SIZE_UNITS },
		{ "4,5k", EINVAL, "\"4,5k\" has the unknown unit \",5k\"; " SIZE_UNITS },
		{ "4k/s", EINVAL, "\"4k/s\" is a rate, which offset is not; leave \"/s\" away" },
		{ "4 k", EINVAL, "\"4 k\" has a blank in it; " SIZE_WANTED },
		{ " 4k", EINVAL, "\" 4k\" has a blank in it; " SIZE_WANTED },
		{ "4k ", EINVAL, "\"4k \" has a blank in it; " SIZE_WANTED },
		{ "4k\n", EINVAL, "\"4k\\x0a\" has a blank in it; " SIZE_WANTED },
		{ "4\xc2\xa0k", EINVAL,
		  "\"4\\xc2\\xa0k\" has the unknown unit \"\\xc2\\xa0k\"; " SIZE_UNITS },
		{ "k", EINVAL, "\"k\" is not a number; " SIZE_WANTED },
		{ "+4k", EINVAL, "\"+4k\" is not a number; " SIZE_WANTED },
		{ "-", EINVAL, "\"-\" is not a number; " SIZE_WANTED },
		{ "-k", EINVAL, "\"-k\" is not a number; " SIZE_WANTED },
		{ "4.", EINVAL, "\"4.\" is not a number; " SIZE_WANTED },
		{ ".5k", EINVAL, "\".5k\" is not a number; " SIZE_WANTED },
		{ "4.5.6", EINVAL, "\"4.5.6\" is not a number; " SIZE_WANTED },
		{ "-4k", ERANGE, "\"-4k\" is negative; " SIZE_WANTED },
		{ "-0", ERANGE, "\"-0\" is negative; " SIZE_WANTED },
		{ "9223372036854775808", ERANGE, "\"9223372036854775808\" " SIZE_MAX_SAID },
		{ "18446744073709551616", ERANGE, "\"18446744073709551616\" " SIZE_MAX_SAID },
		{ "99999999999999999999", ERANGE, "\"99999999999999999999\" " SIZE_MAX_SAID },
		{ "9223372036854775807k", ERANGE, "\"9223372036854775807k\" " SIZE_MAX_SAID },
		{ "8388608t", ERANGE, "\"8388608t\" " SIZE_MAX_SAID },
	};
	BAD(iobi_parse_size, t);
}
END_TEST

START_TEST(times)
{
	static const struct good t[] = {
		{ "0", 0 },
		{ "0.0", 0 },
		{ "10", 10 * G },
		{ "10s", 10 * G },
		{ "0.5", G / 2 },
		{ "0.5s", G / 2 },
		{ "500ms", G / 2 },
		{ "0.5ms", 500000 },
		{ "7us", 7000 },
		{ "0.001us", 1 },
		{ "1ns", 1 },
		{ "1.0ns", 1 },
		{ "2m", 120 * G },
		{ "1.5m", 90 * G },
		{ "1h", 3600 * G },
		{ "0.1h", 360 * G },
		{ "0.0000000000025h", 9 },
		{ "0.3", 3 * G / 10 }, /* 299999999 with a double's arithmetic */
		{ "1.000000001", G + 1 },
		{ "1.00000000100000000000000000000000000000", G + 1 },
		{ "9223372036.854775807", INT64_MAX },
		{ "9223372036854775807ns", INT64_MAX },
	};
	GOOD(iobi_parse_time, t);
}
END_TEST

#define TIME_WANTED "it takes a time in seconds, or with a unit as 500ms"
#define TIME_UNITS "there are ns, us, ms, s, m, h"
#define TIME_MAX_SAID "is above the maximum of 9223372036854775807 ns"

START_TEST(wrong_times)
{
	static const struct bad t[] = {
		{ NULL, EINVAL, "no text was given (NULL); " TIME_WANTED },
		{ "", EINVAL, "the text is empty; " TIME_WANTED },
		{ "1.0000000001", EINVAL, "\"1.0000000001\" is finer than 1 ns" },
		{ "0.5ns", EINVAL, "\"0.5ns\" is finer than 1 ns" },
		{ "0.0000000000000000000000000001h", EINVAL,
		  "\"0.0000000000000000000000000001h\" is finer than 1 ns" },
		{ "5min", EINVAL, "\"5min\" has the unknown unit \"min\"; " TIME_UNITS },
		{ "5S", EINVAL, "\"5S\" has the unknown unit \"S\"; " TIME_UNITS },
		{ "5M", EINVAL, "\"5M\" has the unknown unit \"M\"; " TIME_UNITS },
		{ "5k", EINVAL, "\"5k\" has the unknown unit \"k\"; " TIME_UNITS },
		{ "0,5", EINVAL, "\"0,5\" has the unknown unit \",5\"; " TIME_UNITS },
		{ "5/s", EINVAL, "\"5/s\" is a rate, which offset is not; leave \"/s\" away" },
		{ "5 s", EINVAL, "\"5 s\" has a blank in it; " TIME_WANTED },
		{ "s", EINVAL, "\"s\" is not a number; " TIME_WANTED },
		{ "5.s", EINVAL, "\"5.s\" is not a number; " TIME_WANTED },
		{ "inf", EINVAL, "\"inf\" is not a number; " TIME_WANTED },
		{ "nan", EINVAL, "\"nan\" is not a number; " TIME_WANTED },
		{ "-1s", ERANGE, "\"-1s\" is negative; " TIME_WANTED },
		{ "9223372036.854775808", ERANGE, "\"9223372036.854775808\" " TIME_MAX_SAID },
		{ "99999999999999999999ns", ERANGE, "\"99999999999999999999ns\" " TIME_MAX_SAID },
		{ "2562048h", ERANGE, "\"2562048h\" " TIME_MAX_SAID },
	};
	BAD(iobi_parse_time, t);
}
END_TEST

#define INT_MAX_SAID "is above the maximum of 9223372036854775807"

START_TEST(rates)
{
	static const struct good t[] = {
		{ "0", 0 },         { "3.2GB/s", 3200000000 }, { "3.2GB", 3200000000 },
		{ "1.5k/s", 1536 }, { "200MB/s", 200000000 },  { "200MiB/s", 200 * KI * KI },
		{ "7/s", 7 },
	};
	static const struct bad bad[] = {
		{ "3.2Gb/s", EINVAL,
		  "\"3.2Gb/s\" has the unknown unit \"Gb/s\"; there are B, k, m, g, t (or K, Ki, "
		  "KiB "
		  "..: powers of 1024), kB, MB, GB, TB (of 1000), each also with /s" },
		{ "0.5", EINVAL, "\"0.5\" is finer than 1 byte a second" },
		{ "-1", ERANGE,
		  "\"-1\" is negative; it takes bytes a second, or with a unit as 3.2GB/s" },
		{ "9999999TB/s", ERANGE,
		  "\"9999999TB/s\" is above the maximum of 9223372036854775807 bytes a second" },
	};
	char text[IOBI_NUMBER];
	GOOD(iobi_parse_rate, t);
	BAD(iobi_parse_rate, bad);
	iobi_format_rate(text, sizeof(text), 3200000000);
	ck_assert_str_eq(text, "3200MB/s");
	iobi_format_rate(text, sizeof(text), 0);
	ck_assert_str_eq(text, "0");
}
END_TEST

START_TEST(whole_numbers)
{
	static const struct good good[] = {
		{ "0", 0 },
		{ "42", 42 },
		{ "9223372036854775807", INT64_MAX },
	};
	static const struct bad bad[] = {
		{ NULL, EINVAL, "no text was given (NULL); it takes a whole number" },
		{ "", EINVAL, "the text is empty; it takes a whole number" },
		{ "50%", EINVAL, "\"50%\" has a percent sign; write the number alone" },
		{ "5x", EINVAL, "\"5x\" is not a whole number; it takes no unit" },
		{ "5k", EINVAL, "\"5k\" is not a whole number; it takes no unit" },
		{ "5%%", EINVAL, "\"5%%\" is not a whole number; it takes no unit" },
		{ "5.0", EINVAL, "\"5.0\" is not a whole number; it takes no fraction" },
		{ "x", EINVAL, "\"x\" is not a number; it takes a whole number" },
		{ "1 2", EINVAL, "\"1 2\" has a blank in it; it takes a whole number" },
		{ "-1", ERANGE, "\"-1\" is negative; it takes a whole number" },
		{ "9223372036854775808", ERANGE, "\"9223372036854775808\" " INT_MAX_SAID },
		{ "99999999999999999999", ERANGE, "\"99999999999999999999\" " INT_MAX_SAID },
	};
	GOOD(iobi_parse_int, good);
	BAD(iobi_parse_int, bad);
}
END_TEST

START_TEST(booleans)
{
	static const struct good good[] = {
		{ "true", 1 },  { "yes", 1 }, { "on", 1 },  { "1", 1 },
		{ "false", 0 }, { "no", 0 },  { "off", 0 }, { "0", 0 },
	};
	static const struct bad bad[] = {
		{ "", EINVAL, "\"\" is none of true, false, yes, no, on, off, 1, 0" },
		{ "True", EINVAL, "\"True\" is none of true, false, yes, no, on, off, 1, 0" },
		{ "2", EINVAL, "\"2\" is none of true, false, yes, no, on, off, 1, 0" },
		{ "true ", EINVAL, "\"true \" is none of true, false, yes, no, on, off, 1, 0" },
	};
	GOOD(iobi_parse_bool, good);
	BAD(iobi_parse_bool, bad);
}
END_TEST

/* A caller with bounds of its own sees on which side of them the text was. */
START_TEST(out_of_range_leaves_a_side)
{
	int64_t value = 5;
	ck_assert_int_eq(iobi_parse_size("-4k", "size", &value, NULL), -ERANGE);
	ck_assert(value == -1);
	ck_assert_int_eq(iobi_parse_time("99999999999999999999", "runtime", &value, NULL), -ERANGE);
	ck_assert(value == INT64_MAX);
}
END_TEST

static void check_size(int64_t value, const char *text)
{
	char buf[IOBI_NUMBER];
	int64_t back = -1;
	ck_assert_int_eq(iobi_format_size(buf, sizeof(buf), value), (int)strlen(text));
	ck_assert_str_eq(buf, text);
	ck_assert_int_eq(iobi_parse_size(buf, "size", &back, NULL), 0);
	ck_assert_int_eq(back, value);
}

START_TEST(sizes_as_text)
{
	check_size(0, "0");
	check_size(1, "1");
	check_size(1023, "1023");
	check_size(1024, "1k");
	check_size(1536, "1536");
	check_size(8192, "8k");
	check_size(1000 * KI, "1000k");
	check_size(KI * KI, "1m");
	check_size(KI * KI + KI, "1025k");
	check_size(10 * KI * KI * KI, "10g");
	check_size(3 * KI * KI * KI * KI, "3t");
	check_size(10 * G, "10GB"); /* also 9765625k, which nobody would write */
	check_size(1000000, "1MB");
	check_size(512000, "500k"); /* rather than 512kB */
	check_size(INT64_MAX, "9223372036854775807");
}
END_TEST

static void check_time(int64_t ns, const char *text)
{
	char buf[IOBI_NUMBER];
	int64_t back = -1;
	ck_assert_int_eq(iobi_format_time(buf, sizeof(buf), ns), (int)strlen(text));
	ck_assert_str_eq(buf, text);
	ck_assert_int_eq(iobi_parse_time(buf, "runtime", &back, NULL), 0);
	ck_assert_int_eq(back, ns);
}

START_TEST(times_as_text)
{
	check_time(0, "0");
	check_time(1, "1ns");
	check_time(1500, "1500ns");
	check_time(2000, "2us");
	check_time(G / 2, "500ms");
	check_time(10 * G, "10s");
	check_time(60 * G, "1m");
	check_time(90 * G, "90s");
	check_time(5400 * G, "90m");
	check_time(7200 * G, "2h");
	check_time(INT64_MAX, "9223372036854775807ns");
}
END_TEST

START_TEST(text_is_cut_as_by_snprintf)
{
	char buf[4] = "xyz";
	ck_assert_int_eq(iobi_format_size(buf, sizeof(buf), 123456), 6);
	ck_assert_str_eq(buf, "123");
	ck_assert_int_eq(iobi_format_time(NULL, 0, 10 * G), 3);
	ck_assert_int_eq(iobi_format_size(buf, sizeof(buf), INT64_C(10000000000000)), 4);
	ck_assert_str_eq(buf, "10T");
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 1;
}

START_TEST(any_number_comes_back)
{
	uint64_t state = 42;
	for (int i = 0; i < 200000; i++) {
		int64_t value = (int64_t)(next_random(&state) >> (next_random(&state) % 63));
		int64_t unit = i % 3 == 0 ? 1 : i % 3 == 1 ? KI : 1000;
		int64_t back = -1;
		char buf[IOBI_NUMBER];
		value = value / unit * unit;
		iobi_format_size(buf, sizeof(buf), value);
		ck_assert_int_eq(iobi_parse_size(buf, "size", &back, NULL), 0);
		ck_assert_int_eq(back, value);
		iobi_format_time(buf, sizeof(buf), value);
		ck_assert_int_eq(iobi_parse_time(buf, "runtime", &back, NULL), 0);
		ck_assert_int_eq(back, value);
	}
}
END_TEST

/* The point of a decimal number is a point under any locale. */
START_TEST(no_locale)
{
	char buf[IOBI_NUMBER];
	int64_t ns = 0;
	double percent[IOBI_PERCENTILES_MAX];
	size_t n;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		fprintf(stderr, "no locale with a decimal comma here\n");
		return;
	}
	snprintf(buf, sizeof(buf), "%.1f", 0.5);
	ck_assert_str_eq(buf, "0,5");
	ck_assert_int_eq(iobi_parse_time("0.5", "runtime", &ns, NULL), 0);
	ck_assert_int_eq(ns, G / 2);
	ck_assert_int_eq(iobi_parse_time("0,5", "runtime", &ns, NULL), -EINVAL);
	ck_assert_int_eq(iobi_parse_percentiles("99.9", percent, &n, NULL), 0);
	ck_assert(percent[0] == 99.9);
}
END_TEST

START_TEST(quotes_are_cut_and_printable)
{
	char buf[IOBI_QUOTED], text[300];
	ck_assert_str_eq(iobi_quote(buf, ""), "");
	ck_assert_str_eq(iobi_quote(buf, "a\tb\x7f\xff"), "a\\x09b\\x7f\\xff");
	memset(text, 'a', sizeof(text));
	text[299] = '\0';
	iobi_quote(buf, text);
	ck_assert_uint_lt(strlen(buf), IOBI_QUOTED);
	ck_assert_str_eq(buf + strlen(buf) - 4, "a...");
	memset(text, 1, 299);
	ck_assert_uint_lt(strlen(iobi_quote(buf, text)), IOBI_QUOTED);
	ck_assert_str_eq(buf + strlen(buf) - 7, "\\x01...");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("units");
	TCase *t = tcase_create("text to numbers and back");
	tcase_add_test(t, sizes);
	tcase_add_test(t, wrong_sizes);
	tcase_add_test(t, times);
	tcase_add_test(t, wrong_times);
	tcase_add_test(t, rates);
	tcase_add_test(t, whole_numbers);
	tcase_add_test(t, booleans);
	tcase_add_test(t, out_of_range_leaves_a_side);
	tcase_add_test(t, sizes_as_text);
	tcase_add_test(t, times_as_text);
	tcase_add_test(t, text_is_cut_as_by_snprintf);
	tcase_add_test(t, any_number_comes_back);
	tcase_add_test(t, no_locale);
	tcase_add_test(t, quotes_are_cut_and_printable);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
