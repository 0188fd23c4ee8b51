/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "workload/units.h"
#include <errno.h>
#include <string.h>

struct bad {
	const char *text;
	int code;
	const char *message;
};

static void check_mix(const char *text, const char *canonical, unsigned n)
{
	struct iobi_mix mix = { 0 };
	struct iob_error err = { 0 };
	char buf[512];
	ck_assert_msg(iobi_parse_mix(text, "block_size", &mix, &err) == 0, "%s", err.message);
	ck_assert_uint_eq(mix.n, n);
	ck_assert_int_eq(iobi_format_mix(buf, sizeof(buf), &mix), (int)strlen(canonical));
	ck_assert_str_eq(buf, canonical);
}

START_TEST(mixes)
{
	check_mix("4k", "4k", 1);
	check_mix("4096", "4k", 1);
	check_mix("1", "1", 1);
	check_mix("1g", "1g", 1);
	check_mix("4k:100", "4k", 1);
	check_mix("4k:60,64k:40", "4k:60,64k:40", 2);
	check_mix("65536:40,4096:60", "64k:40,4k:60", 2);
	check_mix("1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:85",
		  "1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,14:1,15:1,16:85", 16);
}
END_TEST

START_TEST(mix_parts)
{
	struct iobi_mix mix = { 0 };
	char buf[8] = "";
	ck_assert_int_eq(iobi_format_mix(buf, sizeof(buf), &mix), 0);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(iobi_parse_mix("4k:60,1MB:40", "block_size", &mix, NULL), 0);
	ck_assert_uint_eq(mix.part[0].size, 4096);
	ck_assert_uint_eq(mix.part[0].percent, 60);
	ck_assert_uint_eq(mix.part[1].size, 1000000);
	ck_assert_uint_eq(mix.part[1].percent, 40);
	ck_assert_int_eq(iobi_format_mix(buf, sizeof(buf), &mix), 12);
	ck_assert_str_eq(buf, "4k:60,1");
}
END_TEST

START_TEST(wrong_mixes)
{
	static const struct bad t[] = {
		{ NULL, EINVAL,
		  "no text was given (NULL); it takes a size in bytes, or with a unit as 4k" },
		{ "", EINVAL, "the text is empty; it takes a size in bytes, or with a unit as 4k" },
		{ "0", ERANGE, "\"0\" is below the minimum of 1 byte" },
		{ "-1", ERANGE, "\"-1\" is below the minimum of 1 byte" },
		{ "1073741825", ERANGE, "\"1073741825\" is above the maximum of 1g" },
		{ "4g", ERANGE, "\"4g\" is above the maximum of 1g" },
		{ "99999999999999999999", ERANGE,
		  "\"99999999999999999999\" is above the maximum of 1g" },
		{ "4k:60,64k:30", EINVAL,
		  "the percents of \"4k:60,64k:30\" add up to 90; they must make 100" },
		{ "4k:60,64k:41", EINVAL,
		  "the percents of \"4k:60,64k:41\" add up to 101; they must make 100" },
		{ "4k:60", EINVAL, "the percents of \"4k:60\" add up to 60; they must make 100" },
		{ "4k:60,4096:40", EINVAL, "the mix has the size \"4096\" twice" },
		{ "4k,8k", EINVAL, "\"4k\" has no percent; a mix is written as 4k:60,64k:40" },
		{ "4k:60,64k", EINVAL, "\"64k\" has no percent; a mix is written as 4k:60,64k:40" },
		{ "4k:0,64k:100", ERANGE, "the percent in \"4k:0\" is not 1 to 100" },
		{ "4k:101", ERANGE, "the percent in \"4k:101\" is not 1 to 100" },
		{ "4k:-1", ERANGE, "the percent in \"4k:-1\" is not 1 to 100" },
		{ "4k:99999999999999999999", ERANGE,
		  "the percent in \"4k:99999999999999999999\" is not 1 to 100" },
		{ "4k:60%,64k:40%", EINVAL, "the percent in \"4k:60%\" is not a whole number" },
		{ "4k:", EINVAL, "the percent in \"4k:\" is not a whole number" },
		{ ":100", EINVAL,
		  "the text is empty; it takes a size in bytes, or with a unit as 4k" },
		{ "4k:60:40", EINVAL, "the percent in \"4k:60:40\" is not a whole number" },
		{ "0:60,4k:40", ERANGE, "\"0\" is below the minimum of 1 byte" },
		{ "2g:60,4k:40", ERANGE, "\"2g\" is above the maximum of 1g" },
		{ "4.5k:60,4k:40", EINVAL,
		  "\"4.5k\" has a fraction, and sizes take none (use 4608)" },
		{ "4k:60,,64k:40", EINVAL, "\"4k:60,,64k:40\" has an empty part" },
		{ "4k:60,64k:40,", EINVAL, "\"4k:60,64k:40,\" has an empty part" },
		{ ",", EINVAL, "\",\" has an empty part" },
		{ "4k:60, 64k:40", EINVAL,
		  "\" 64k\" has a blank in it; it takes a size in bytes, or with a unit as 4k" },
		{ "1:5,2:5,3:5,4:5,5:5,6:5,7:5,8:5,9:5,10:5,11:5,12:5,13:5,14:5,15:5,16:5,17:20",
		  EINVAL, "a mix takes at most 16 sizes" },
		{ "4k:00000000000000000000000000000000000000000000000000000000000000000100", EINVAL,
		  "\"4k:00000000000000000000000000000000000000000000000000000...\" has a part that "
		  "is too long" },
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct iobi_mix mix = { .n = 7 };
		struct iob_error err = { 0 };
		int rc = iobi_parse_mix(t[i].text, "block_size_write", &mix, &err);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(rc, -t[i].code);
		ck_assert_int_eq(err.code, t[i].code);
		ck_assert_str_eq(err.where, "block_size_write");
		ck_assert_uint_eq(mix.n, 7);
	}
}
END_TEST

START_TEST(fills)
{
	enum iobi_fill fill = IOBI_FILL_PATTERN;
	uint8_t pattern[64];
	size_t len = 9;
	char text[8 + 128 + 1] = "pattern:";
	ck_assert_int_eq(iobi_parse_fill("random", &fill, pattern, &len, NULL), 0);
	ck_assert(fill == IOBI_FILL_RANDOM && len == 0);
	ck_assert_int_eq(iobi_parse_fill("zero", &fill, pattern, &len, NULL), 0);
	ck_assert(fill == IOBI_FILL_ZERO && len == 0);
	ck_assert_int_eq(iobi_parse_fill("pattern:deADbe0F", &fill, pattern, &len, NULL), 0);
	ck_assert(fill == IOBI_FILL_PATTERN && len == 4);
	ck_assert_mem_eq(pattern, "\xde\xad\xbe\x0f", 4);
	memset(text + 8, 'a', 128);
	ck_assert_int_eq(iobi_parse_fill(text, &fill, pattern, &len, NULL), 0);
	ck_assert_uint_eq(len, 64);
	ck_assert_uint_eq(pattern[63], 0xaa);
}
END_TEST

START_TEST(wrong_fills)
{
	static const char *const no_fill[] = { "", "Random", "zeros", "zero ", "0", "pattern" };
	static const char *const no_pattern[] = {
		"pattern:",
		"pattern:a",
		"pattern:abc",
		"pattern:xy",
		"pattern:0x11",
		"pattern:ab cd",
		"pattern:a\x01",
		"pattern:g0",
		"pattern:0g",
		"pattern:@@",
		"pattern:``",
		("pattern:0000000000000000000000000000000000000000000000000000000000000000"
		 "000000000000000000000000000000000000000000000000000000000000000000"),
	};
	struct iob_error err;
	enum iobi_fill fill;
	uint8_t pattern[64];
	size_t len;
	for (size_t i = 0; i < sizeof(no_fill) / sizeof(no_fill[0]); i++) {
		ck_assert_int_eq(iobi_parse_fill(no_fill[i], &fill, pattern, &len, &err), -EINVAL);
		ck_assert_ptr_nonnull(strstr(err.message, "is none of random, zero, pattern:HEX"));
		ck_assert_str_eq(err.where, "buffer");
	}
	for (size_t i = 0; i < sizeof(no_pattern) / sizeof(no_pattern[0]); i++) {
		ck_assert_int_eq(iobi_parse_fill(no_pattern[i], &fill, pattern, &len, &err),
				 -EINVAL);
		ck_assert_ptr_nonnull(strstr(
			err.message, "is no pattern of 1 to 64 bytes, two hex digits each, as "
				     "pattern:deadbeef"));
	}
}
END_TEST

START_TEST(percentiles)
{
	double p[IOBI_PERCENTILES_MAX];
	size_t n = 0;
	ck_assert_int_eq(iobi_parse_percentiles("50,99,99.9,99.999999,0,100,0.000001", p, &n, NULL),
			 0);
	ck_assert_uint_eq(n, 7);
	ck_assert(p[0] == 50 && p[1] == 99 && p[2] == 99.9 && p[3] == 99.999999);
	ck_assert(p[4] == 0 && p[5] == 100 && p[6] == 0.000001);
}
END_TEST

START_TEST(as_many_percentiles_as_fit)
{
	double p[IOBI_PERCENTILES_MAX];
	size_t n = 0;
	struct iob_error err = { 0 };
	char text[512] = "0", *at = text + 1;
	for (int i = 1; i < IOBI_PERCENTILES_MAX; i++)
		at += sprintf(at, ",%d", i);
	ck_assert_int_eq(iobi_parse_percentiles(text, p, &n, NULL), 0);
	ck_assert_uint_eq(n, IOBI_PERCENTILES_MAX);
	strcpy(at, ",99.9");
	ck_assert_int_eq(iobi_parse_percentiles(text, p, &n, &err), -EINVAL);
	ck_assert_str_eq(err.message, "at most 64 can be asked for");
}
END_TEST

#define PERCENTS "it takes percents from 0 to 100, as 50,99,99.9"

START_TEST(wrong_percentiles)
{
	static const struct bad t[] = {
		{ "", EINVAL, "\"\" has an empty part" },
		{ "50,", EINVAL, "\"50,\" has an empty part" },
		{ "50,,99", EINVAL, "\"50,,99\" has an empty part" },
		{ "101", ERANGE, "\"101\" is not in 0 to 100" },
		{ "100.000001", ERANGE, "\"100.000001\" is not in 0 to 100" },
		{ "18446744073709551666", ERANGE, "\"18446744073709551666\" is not in 0 to 100" },
		{ "-1", ERANGE, "\"-1\" is negative; " PERCENTS },
		{ "99.9999999", EINVAL, "\"99.9999999\" has more than 6 decimals" },
		{ "p99", EINVAL, "\"p99\" is not a number; " PERCENTS },
		{ "99%", EINVAL, "\"99%\" is not a number alone, as 99.9" },
		{ "50;99", EINVAL, "\"50;99\" is not a number alone, as 99.9" },
		{ "50, 99", EINVAL, "\" 99\" has a blank in it; " PERCENTS },
		{ "99.9,50,99.90", EINVAL, "\"99.90\" is there twice" },
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		double p[IOBI_PERCENTILES_MAX];
		size_t n;
		struct iob_error err = { 0 };
		int rc = iobi_parse_percentiles(t[i].text, p, &n, &err);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(rc, -t[i].code);
		ck_assert_str_eq(err.where, "percentiles");
		ck_assert_ptr_null(iobi_percentiles_text(t[i].text, NULL));
	}
}
END_TEST

START_TEST(percentiles_as_text)
{
	char *text = iobi_percentiles_text("050,99.900,100.0,0.000001,0,10,20.05", NULL);
	ck_assert_str_eq(text, "50,99.9,100,0.000001,0,10,20.05");
	free(text);
}
END_TEST

struct seen {
	unsigned cpu[16], n, stop_at;
};

static int see(void *user, unsigned cpu)
{
	struct seen *s = user;
	s->cpu[s->n++] = cpu;
	return s->n == s->stop_at ? -ENXIO : 0;
}

START_TEST(cpus)
{
	static const unsigned want[] = { 0, 1, 2, 3, 8, 5, 65535 };
	struct seen s = { .n = 0 };
	ck_assert_int_eq(iobi_parse_cpus("0-3,8,5-5,65535", see, &s, NULL), 0);
	ck_assert_uint_eq(s.n, 7);
	ck_assert_mem_eq(s.cpu, want, sizeof(want));
	ck_assert_int_eq(iobi_parse_cpus("", see, &s, NULL), 0);
	ck_assert_uint_eq(s.n, 7);
	s = (struct seen){ .stop_at = 2 };
	ck_assert_int_eq(iobi_parse_cpus("4-9,x", see, &s, NULL), -ENXIO);
	ck_assert_uint_eq(s.n, 2);
}
END_TEST

#define NO_CPU " is no CPU number or range, as 3 or 0-3"

START_TEST(wrong_cpus)
{
	static const struct bad t[] = {
		{ "3-1", EINVAL, "the range \"3-1\" runs backwards" },
		{ "65536", ERANGE, "\"65536\" is not within 0 to 65535" },
		{ "0-99999999999999999999", ERANGE,
		  "\"0-99999999999999999999\" is not within 0 to 65535" },
		{ "a", EINVAL, "\"a\"" NO_CPU },
		{ "1-", EINVAL, "\"1-\"" NO_CPU },
		{ "-1", EINVAL, "\"-1\"" NO_CPU },
		{ "1--2", ERANGE, "\"1--2\" is not within 0 to 65535" },
		{ "1-2-3", EINVAL, "\"1-2-3\"" NO_CPU },
		{ "1,,2", EINVAL, "\"1,,2\" has an empty part" },
		{ "1,", EINVAL, "\"1,\" has an empty part" },
		{ "1, 2", EINVAL, "\" 2\"" NO_CPU },
		{ "0.5", EINVAL, "\"0.5\"" NO_CPU },
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct iob_error err = { 0 };
		int rc = iobi_parse_cpus(t[i].text, NULL, NULL, &err);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(rc, -t[i].code);
		ck_assert_str_eq(err.where, "cpus");
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("forms");
	TCase *t = tcase_create("texts with a form");
	tcase_add_test(t, mixes);
	tcase_add_test(t, mix_parts);
	tcase_add_test(t, wrong_mixes);
	tcase_add_test(t, fills);
	tcase_add_test(t, wrong_fills);
	tcase_add_test(t, percentiles);
	tcase_add_test(t, as_many_percentiles_as_fit);
	tcase_add_test(t, wrong_percentiles);
	tcase_add_test(t, percentiles_as_text);
	tcase_add_test(t, cpus);
	tcase_add_test(t, wrong_cpus);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
