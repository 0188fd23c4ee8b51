/* SPDX-License-Identifier: MIT */
/* Whatever text: a result of somebody else's report that can be judged, reported
 * and copied, or EINVAL. The first byte picks the format. */
#include "base/base.h"
#include <errno.h>
#include <iobench/iobench.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int drop(void *user, const char *data, size_t len)
{
	return 0;
}

static void check(struct iob_result *r)
{
	const struct iob_result *parts[] = { r };
	for (size_t i = 0; iob_report_format(i); i++)
		if (iob_result_report(r, iob_report_format(i), drop, NULL, NULL))
			abort();
	if (iob_result_declare(r, "link_limit", "1MB/s", NULL) ||
	    iob_result_declare(r, "claim", "direct", NULL))
		abort();
	struct iob_result *copy = iob_result_merge(parts, 1, NULL);
	if (!copy || iob_result_finding_count(copy) != iob_result_finding_count(r))
		abort();
	for (size_t i = 0; i < iob_result_finding_count(copy); i++)
		if (!*iob_result_finding(copy, i)->message)
			abort();
	iob_result_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const formats[] = { "xdisk", "fio-text", "fio-json", NULL };
	struct iob_error err = { 0 };
	if (!len)
		return 0;
	struct iob_result *r = iob_result_read((const char *)data + 1, len - 1,
					       formats[data[0] % IOBI_LEN(formats)], &err);
	if (!r && err.code != EINVAL)
		abort();
	if (r)
		check(r);
	iob_result_free(r);
	return 0;
}
