/* SPDX-License-Identifier: MIT */
/* base/: errors, growing text, numbers as text, edit distance, the version. */
#include "base/base.h"
#include "support/test.h"

#include <errno.h>
#include <iobench/version.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static const char *fixed(double v, int decimals)
{
	static char buf[64];
	return iobi_format_fixed(buf, sizeof(buf), v, decimals);
}

static const char *digits(double v, int n)
{
	static char buf[64];
	return iobi_format_digits(buf, sizeof(buf), v, n);
}

static const char *whole(iobi_u128 v)
{
	static char buf[64];
	return iobi_format_u128(buf, sizeof(buf), v);
}

START_TEST(fixed_vectors)
{
	ck_assert_str_eq(fixed(1234.5, 2), "1234.50");
	ck_assert_str_eq(fixed(0, 0), "0");
	ck_assert_str_eq(fixed(0, 3), "0.000");
	ck_assert_str_eq(fixed(0.05, 1), "0.1");
	ck_assert_str_eq(fixed(-1.75, 1), "-1.8");
	ck_assert_str_eq(fixed(9.999, 2), "10.00");
	ck_assert_str_eq(fixed(0.999999, 3), "1.000");
	ck_assert_str_eq(fixed(1e6, 0), "1000000");
	ck_assert_str_eq(fixed(0x1p63, 1), "9223372036854775808.0");
	ck_assert_str_eq(fixed(0x1p64, 0), "18446744073709551616");
	ck_assert_str_eq(fixed(-0x1p100, 0), "-1267650600228229401496703205376");
	ck_assert_str_eq(fixed(1e-300, 4), "0.0000");
}
END_TEST

START_TEST(half_goes_away_from_zero)
{
	ck_assert_str_eq(fixed(0.5, 0), "1");
	ck_assert_str_eq(fixed(2.5, 0), "3");
	ck_assert_str_eq(fixed(-2.5, 0), "-3");
	ck_assert_str_eq(fixed(0.125, 2), "0.13");
	ck_assert_str_eq(fixed(nextafter(0.125, 0), 2), "0.12");
	ck_assert_str_eq(fixed(nextafter(0.5, 0), 0), "0");
	ck_assert_str_eq(fixed(1.005, 2), "1.00"); /* the double lies below */
}
END_TEST

START_TEST(what_is_no_number)
{
	ck_assert_str_eq(fixed(NAN, 2), "-");
	ck_assert_str_eq(fixed(INFINITY, 2), "inf");
	ck_assert_str_eq(fixed(-INFINITY, 2), "-inf");
	ck_assert_str_eq(fixed(1e300, 0), "inf");
	ck_assert_str_eq(fixed(-0.0, 1), "0.0");
	ck_assert_str_eq(fixed(-0.001, 2), "0.00");
	ck_assert_str_eq(digits(NAN, 3), "-");
	ck_assert_str_eq(digits(-INFINITY, 3), "-inf");
}
END_TEST

/* printf in the C locale is the judge; ties apart, where it goes to even. */
START_TEST(fixed_agrees_with_printf)
{
	char expected[400];
	srand(1);
	for (int i = 0; i < 200000; i++) {
		int decimals = rand() % 19;
		double v = ldexp((double)rand() / RAND_MAX + rand(), rand() % 140 - 90);
		double twice = ldexp(v, 1 + decimals); /* a tie is odd in half units of 10^-d */
		if (twice == floor(twice))
			continue;
		snprintf(expected, sizeof(expected), "%.*f", decimals, v);
		ck_assert_str_eq(fixed(v, decimals), expected);
	}
}
END_TEST

START_TEST(decimals_are_bounded)
{
	ck_assert_str_eq(fixed(1.5, -3), "2");
	ck_assert_str_eq(fixed(0.5, 100), "0.500000000000000000");
}
END_TEST

START_TEST(digits_vectors)
{
	ck_assert_str_eq(digits(1.234, 3), "1.23");
	ck_assert_str_eq(digits(12.34, 3), "12.3");
	ck_assert_str_eq(digits(1234567, 3), "1234567");
	ck_assert_str_eq(digits(1230.4, 3), "1230");
	ck_assert_str_eq(digits(0.01234, 3), "0.0123");
	ck_assert_str_eq(digits(-0.01234, 3), "-0.0123");
	ck_assert_str_eq(digits(1, 3), "1.00");
	ck_assert_str_eq(digits(0, 3), "0");
	ck_assert_str_eq(digits(9.996, 3), "10.0");
	ck_assert_str_eq(digits(99.96, 3), "100");
	ck_assert_str_eq(digits(0.9996, 3), "1.00");
	ck_assert_str_eq(digits(0.09996, 3), "0.100");
	ck_assert_str_eq(digits(100.4, 3), "100");
	ck_assert_str_eq(digits(5.4, 1), "5");
}
END_TEST

START_TEST(a_number_is_never_cut)
{
	char buf[6] = "xxxxx";
	ck_assert_ptr_eq(iobi_format_fixed(buf, 5, 12.34, 1), buf);
	ck_assert_str_eq(buf, "12.3");
	ck_assert_str_eq(iobi_format_fixed(buf, 5, 12.34, 2), "****");
	ck_assert_str_eq(iobi_format_u128(buf, 4, 12345), "***");
	ck_assert_str_eq(iobi_format_digits(buf, 1, 1, 3), "");
	buf[0] = 'y';
	iobi_format_fixed(buf, 0, 1, 0);
	ck_assert_int_eq(buf[0], 'y');
}
END_TEST

START_TEST(u128)
{
	ck_assert_str_eq(whole(0), "0");
	ck_assert_str_eq(whole(UINT64_MAX), "18446744073709551615");
	ck_assert_str_eq(whole(~(iobi_u128)0), "340282366920938463463374607431768211455");
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
	char buf[32];
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		printf("not checked: there is no locale de_DE.UTF-8 here\n");
		return;
	}
	snprintf(buf, sizeof(buf), "%.1f", 0.5);
	ck_assert_str_eq(buf, "0,5"); /* else this test tells nothing */
	ck_assert_str_eq(fixed(1234.5, 2), "1234.50");
	ck_assert_str_eq(digits(12.34, 3), "12.3");
	ck_assert_str_eq(whole(1234567), "1234567");
	ck_assert_str_eq(iobi_errno_text(EIO), "EIO (Input/output error)");
	setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(text_grows)
{
	struct iobi_text t = { 0 };
	char expected[8192] = "";
	for (int i = 0; i < 1000; i++) {
		iobi_text_printf(&t, "%d,", i);
		sprintf(expected + strlen(expected), "%d,", i);
	}
	iobi_text_add(&t, "end");
	iobi_text_add_n(&t, "xyz", 1);
	iobi_text_add(&t, "");
	strcat(expected, "endx");
	ck_assert_str_eq(t.data, expected);
	ck_assert_uint_eq(t.len, strlen(expected));
	ck_assert(!t.failed);
	iobi_text_free(&t);
	ck_assert_ptr_null(t.data);
	ck_assert_uint_eq(t.len, 0);
}
END_TEST

START_TEST(text_is_terminated_by_an_empty_addition)
{
	struct iobi_text t = { 0 };
	iobi_text_add(&t, "");
	ck_assert_str_eq(t.data, "");
	iobi_text_free(&t);
}
END_TEST

START_TEST(text_stays_as_it_is_without_memory)
{
	struct iobi_text t = { 0 };
	iobi_text_add(&t, "kept");
	iobi_text_add_n(&t, "never read", SIZE_MAX - 2);
	ck_assert(t.failed);
	iobi_text_add(&t, "more");
	iobi_text_printf(&t, "%d", 1);
	ck_assert_str_eq(t.data, "kept");
	ck_assert_uint_eq(t.len, 4);
	iobi_text_free(&t);
}
END_TEST

START_TEST(fail_fills_everything)
{
	struct iob_error e;
	memset(&e, 0xff, sizeof(e));
	ck_assert_int_eq(iobi_fail(&e, EINVAL, "block_size", "%s is %d", "it", 3), -EINVAL);
	ck_assert_int_eq(e.code, EINVAL);
	ck_assert_int_eq(e.line, 0);
	ck_assert_uint_eq(e.offset, 0);
	ck_assert_str_eq(e.where, "block_size");
	ck_assert_str_eq(e.file, "");
	ck_assert_str_eq(e.message, "it is 3");
	ck_assert_int_eq(iobi_fail_at(&e, EIO, "read", "/dev/x", 4096, "no"), -EIO);
	ck_assert_str_eq(e.file, "/dev/x");
	ck_assert_uint_eq(e.offset, 4096);
	ck_assert_int_eq(iobi_no_memory(&e), -ENOMEM);
	ck_assert_int_eq(e.code, ENOMEM);
	ck_assert_int_eq(iobi_fail(NULL, EIO, "x", "y"), -EIO);
	ck_assert_int_eq(iobi_no_memory(NULL), -ENOMEM);
}
END_TEST

START_TEST(fail_cuts_and_terminates)
{
	struct iob_error e;
	char longer[2000];
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	iobi_fail_at(&e, EIO, longer, longer, 0, "%s", longer);
	ck_assert_uint_eq(strlen(e.where), sizeof(e.where) - 1);
	ck_assert_uint_eq(strlen(e.file), sizeof(e.file) - 1);
	ck_assert_uint_eq(strlen(e.message), sizeof(e.message) - 1);
	ck_assert_uint_eq(sizeof(struct iob_error), 1024);
}
END_TEST

START_TEST(fail_may_quote_itself)
{
	struct iob_error e;
	iobi_fail_at(&e, ENOENT, "read", "/x", 0, "not there");
	iobi_fail_at(&e, e.code, e.where, e.file, 0, "stage 3: %s", e.message);
	ck_assert_str_eq(e.message, "stage 3: not there");
	ck_assert_str_eq(e.where, "read");
	ck_assert_str_eq(e.file, "/x");
}
END_TEST

/* glibc knows every errno of this architecture. */
START_TEST(every_errno_has_its_text)
{
	char expected[128];
	int known = 0;
	for (int code = 1; code < 4096; code++) {
		const char *name = strerrorname_np(code);
		if (name) {
			known++;
			/* glibc names 95 ENOTSUP, the kernel EOPNOTSUPP */
			if (code == EOPNOTSUPP)
				name = "EOPNOTSUPP";
			snprintf(expected, sizeof(expected), "%s (%s)", name,
				 strerrordesc_np(code));
		}
		ck_assert_str_eq(iobi_errno_text(code), name ? expected : "unknown error");
	}
	ck_assert_int_gt(known, 120);
	ck_assert_str_eq(iobi_errno_text(0), "no error");
	ck_assert_str_eq(iobi_errno_text(-EIO), "unknown error");
}
END_TEST

START_TEST(edit_distance)
{
	char a[200], b[200];
	ck_assert_uint_eq(iobi_edit_distance("", ""), 0);
	ck_assert_uint_eq(iobi_edit_distance("abc", ""), 3);
	ck_assert_uint_eq(iobi_edit_distance("", "abc"), 3);
	ck_assert_uint_eq(iobi_edit_distance("kitten", "sitting"), 3);
	ck_assert_uint_eq(iobi_edit_distance("sitting", "kitten"), 3);
	ck_assert_uint_eq(iobi_edit_distance("blocksize", "block_size"), 1);
	ck_assert_uint_eq(iobi_edit_distance("read_percent", "read_percent"), 0);
	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'a', sizeof(b) - 1);
	a[199] = b[199] = '\0';
	ck_assert_uint_eq(iobi_edit_distance(a, b), 0);
	ck_assert_uint_eq(iobi_edit_distance(a, "a"), 199);
}
END_TEST

static const char *known(size_t i)
{
	static const char *const names[] = { "seed", "block_size", "queue_depth", "cpus", NULL };
	return names[i];
}

START_TEST(did_you_mean)
{
	ck_assert_str_eq(iobi_nearest("sede", known), "seed");
	ck_assert_str_eq(iobi_nearest("cpu", known), "cpus");
	ck_assert_str_eq(iobi_nearest("blok-sise", known), "block_size");
	ck_assert_str_eq(iobi_nearest("QUEUE_DEPTH", known), "queue_depth");
	ck_assert_str_eq(iobi_nearest("depth", known), "queue_depth");
	ck_assert_ptr_null(iobi_nearest("text", known)); /* one letter of "seed" is not near */
	ck_assert_ptr_null(iobi_nearest("s", known));
	ck_assert_ptr_null(iobi_nearest("", known));
}
END_TEST

START_TEST(version)
{
	char expected[32];
	snprintf(expected, sizeof(expected), "%d.%d.%d", IOB_VERSION_MAJOR, IOB_VERSION_MINOR,
		 IOB_VERSION_PATCH);
	ck_assert_str_eq(iob_version(), expected);
	ck_assert_str_eq(IOB_VERSION_STRING, expected);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("text");
	TCase *numbers = tcase_create("numbers"), *text = tcase_create("text"),
	      *errors = tcase_create("errors");
	tcase_add_test(numbers, fixed_vectors);
	tcase_add_test(numbers, half_goes_away_from_zero);
	tcase_add_test(numbers, what_is_no_number);
	tcase_add_test(numbers, fixed_agrees_with_printf);
	tcase_add_test(numbers, decimals_are_bounded);
	tcase_add_test(numbers, digits_vectors);
	tcase_add_test(numbers, a_number_is_never_cut);
	tcase_add_test(numbers, u128);
	tcase_add_test(numbers, numbers_do_not_follow_the_locale);
	tcase_add_test(text, text_grows);
	tcase_add_test(text, text_is_terminated_by_an_empty_addition);
	tcase_add_test(text, text_stays_as_it_is_without_memory);
	tcase_add_test(text, edit_distance);
	tcase_add_test(text, did_you_mean);
	tcase_add_test(text, version);
	tcase_add_test(errors, fail_fills_everything);
	tcase_add_test(errors, fail_cuts_and_terminates);
	tcase_add_test(errors, fail_may_quote_itself);
	tcase_add_test(errors, every_errno_has_its_text);
	suite_add_tcase(s, numbers);
	suite_add_tcase(s, text);
	suite_add_tcase(s, errors);
	return s;
}

IOB_TEST_MAIN(suite)
