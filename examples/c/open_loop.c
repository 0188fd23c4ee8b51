/* SPDX-License-Identifier: MIT */
/* open_loop FILE [RATE]: a closed loop finds what the device can do. Half of that, or
 * RATE, is then asked for by a schedule, and what a client waits is told. */
#include <iobench/iobench.h>
#include <stdio.h>
#include <stdlib.h>

static struct iob_result *measure(const char *path, double rate, struct iob_error *err)
{
	struct iob_workload *w = iob_workload_new(err);
	struct iob_result *result = NULL;

	if (w && iob_workload_add_target(w, path, 0, err) >= 0 &&
	    iob_workload_set(w, "queue_depth", "16", err) >= 0 &&
	    iob_workload_set(w, "runtime", "1s", err) >= 0 &&
	    iob_workload_set(w, "arrival", rate > 0 ? "poisson" : "closed", err) >= 0 &&
	    iob_workload_set_int(w, IOB_PARAM_RATE_IOPS, (int64_t)rate, err) >= 0)
		result = iob_workload_run(w, err);
	iob_workload_free(w);
	return result;
}

static void print(const char *name, const struct iob_result *r)
{
	uint64_t service = 0, response = 0;

	iob_hist_percentile(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_SERVICE), 99, &service);
	iob_hist_percentile(iob_result_hist(r, IOB_OP_ALL, IOB_LATENCY_RESPONSE), 99, &response);
	printf("%-6s %7.0f a second, p99: service %8.0f us, response %8.0f us\n", name,
	       iob_result_iops(r, IOB_OP_ALL), (double)service / 1e3, (double)response / 1e3);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	struct iob_error err = { 0 };
	struct iob_result *closed = measure(path, 0, &err), *open = NULL;
	double rate = argc > 2 ? atof(argv[2]) : 0;

	if (closed)
		open = measure(path, rate > 0 ? rate : iob_result_iops(closed, IOB_OP_ALL) / 2,
			       &err);
	if (!open)
		return fprintf(stderr, "open_loop: %s: %s\n", err.where, err.message), 1;
	print("closed", closed);
	print("open", open);
	if (iob_result_pace(open)->unissued)
		printf("%llu more were due and never started\n",
		       (unsigned long long)iob_result_pace(open)->unissued);
	iob_result_free(closed);
	iob_result_free(open);
	return 0;
}
