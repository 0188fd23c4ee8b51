/* SPDX-License-Identifier: MIT */
/* ctest: timeout=300
 * Any bytes: refused with a line, or a result whose report reads back the same. */
#include "base/base.h"
#include <errno.h>
#include <iobench/iobench.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int gather(void *user, const char *text, size_t len)
{
	iobi_text_add_n(user, text, len);
	return 0;
}

static void report(const struct iob_result *r, const char *format, struct iobi_text *t)
{
	if (iob_result_report(r, format, gather, t, NULL) || t->failed)
		abort();
}

static void check_again(const struct iob_result *r)
{
	struct iobi_text once = { 0 }, twice = { 0 };

	report(r, "json", &once);
	struct iob_result *back = iob_result_read(once.data, once.len, "json", NULL);
	if (!back)
		abort();
	report(back, "json", &twice);
	if (once.len != twice.len || memcmp(once.data, twice.data, once.len))
		abort();
	iobi_text_free(&once);
	iobi_text_free(&twice);
	iob_result_free(back);
}

static void check(const struct iob_result *r)
{
	struct iob_error err;
	struct iobi_text t = { 0 };

	check_again(r);
	for (size_t i = 0; iob_report_format(i); i++)
		report(r, iob_report_format(i), &t);
	iobi_text_free(&t);
	const struct iob_result *parts[] = { r, r };
	struct iob_result *m = iob_result_merge(parts, 2, &err);
	if (!m && err.code != EOVERFLOW)
		abort();
	iob_result_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct iob_error err = { 0 };
	struct iob_result *r = iob_result_read((const char *)data, len, "json", &err);
	if (!r && ((err.code != EINVAL && err.code != ENOMEM) || (err.code == EINVAL && !err.line)))
		abort();
	if (r)
		check(r);
	iob_result_free(r);
	return 0;
}
