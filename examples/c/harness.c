/* SPDX-License-Identifier: MIT */
/*
 * A test that fails where the storage is too slow, or answers too late. It
 * prints TAP, for prove, meson, automake and others:
 *
 *	TARGET=/dev/nvme0n1 LIMIT_US=2000 prove -e '' ./harness
 */
#include <iobench/iobench.h>
#include <stdio.h>
#include <stdlib.h>

static int ok(int good, int number, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", number, what);
	return good;
}

/* A report as comments: behind a # at the start of each line. */
static int comment(void *user, const char *data, size_t len)
{
	for (int *start = user; len--; data++) {
		printf("%s%c", *start ? "# " : "", *data);
		*start = *data == '\n';
	}
	return 0;
}

int main(void)
{
	const char *target = getenv("TARGET"), *limit = getenv("LIMIT_US"),
		   *time = getenv("RUNTIME");
	struct iob_error err = { 0 };
	struct iob_result *r = NULL;
	uint64_t p99 = UINT64_MAX;
	int start = 1, good;

	if (!target || !*target)
		return puts("1..0 # SKIP TARGET names no file or device") < 0;
	struct iob_workload *w = iob_workload_new(&err);
	if (w && iob_workload_add_target(w, target, 0, &err) >= 0 &&
	    iob_workload_set(w, "block_size", "8k", &err) >= 0 &&
	    iob_workload_set(w, "queue_depth", "4", &err) >= 0 &&
	    iob_workload_set(w, "runtime", time ? time : "2", &err) >= 0)
		r = iob_workload_run(w, &err);
	iob_workload_free(w);
	if (!r)
		return printf("1..2\nBail out! %s: %s\n", err.where, err.message) > 0;
	iob_hist_percentile(iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE), 99, &p99);
	puts("1..2");
	good = ok(!(iob_result_flags(r) & IOB_RESULT_ERRORS), 1, "no I/O failed");
	good &= ok((double)p99 / 1e3 < (limit ? atof(limit) : 1000), 2, "p99 in time");
	if (!good)
		iob_result_report(r, "text", comment, &start, NULL);
	iob_result_free(r);
	return !good;
}
