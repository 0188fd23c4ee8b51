/* SPDX-License-Identifier: MIT */
/* The shared library as a plug-in host meets it: loaded at run time, every symbol of the
 * map there, with a version. */
#include "support/test.h"

#include <dlfcn.h>
#include <string.h>

static void path_in(char *path, size_t n, const char *variable, const char *rest)
{
	const char *root = getenv(variable);
	ck_assert_msg(root, "%s is not set: run it by ctest", variable);
	snprintf(path, n, "%s/%s", root, rest);
}

START_TEST(every_symbol_is_found)
{
	char path[4096], line[256], name[128];
	int found = 0;
	path_in(path, sizeof(path), "IOBENCH_BUILD", "lib/libiobench.so.0");
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(lib, "%s", dlerror());
	path_in(path, sizeof(path), "IOBENCH_SOURCE", "lib/iobench.map");
	FILE *map = fopen(path, "r");
	ck_assert_ptr_nonnull(map);
	while (fgets(line, sizeof(line), map)) {
		if (sscanf(line, " %127[a-z0-9_];", name) != 1 || strncmp(name, "iob_", 4))
			continue;
		ck_assert_msg(dlvsym(lib, name, "IOBENCH_0"), "%s: %s", name, dlerror());
		found++;
	}
	fclose(map);
	ck_assert_int_gt(found, 60);
	const char *(*version)(void);
	*(void **)&version = dlsym(lib, "iob_version");
	ck_assert_str_eq(version(), "0.1.0");
	ck_assert_int_eq(dlclose(lib), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("dlopen");
	TCase *t = tcase_create("dlopen");
	tcase_add_test(t, every_symbol_is_found);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
