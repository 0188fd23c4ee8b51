/* SPDX-License-Identifier: MIT */
/* A test file is one check suite and one ctest entry:
 *
 *	START_TEST(merge_equals_whole) { ... } END_TEST
 *	static Suite *suite(void) { ... }
 *	IOB_TEST_MAIN(suite)
 *
 * Exit: 0 passed, 1 failed, 77 skipped (print the reason). */
#ifndef IOB_TEST_H
#define IOB_TEST_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	IOB_TEST_SKIPPED = 77
};

static inline int iob_test_run(Suite *s)
{
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A suite of n tests, each with `timeout` seconds. */
static inline Suite *iob_test_list(const char *name, double timeout, const TTest *const *tests,
				   size_t n)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create(name);
	tcase_set_timeout(t, timeout);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

#define IOB_TEST_MAIN(make_suite)                                                                  \
	int main(void)                                                                             \
	{                                                                                          \
		return iob_test_run(make_suite());                                                 \
	}

#endif
