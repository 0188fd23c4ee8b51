/* SPDX-License-Identifier: MIT */
/* hello FILE: random reads of 8 KiB for a second. */
#include <iobench/iobench.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct iob_error err = { 0 };
	struct iob_result *result = NULL;
	struct iob_workload *w = iob_workload_new(&err);
	uint64_t p99 = 0;

	if (w && iob_workload_add_target(w, argc > 1 ? argv[1] : "", 0, &err) >= 0 &&
	    iob_workload_set(w, "block_size", "8k", &err) >= 0 &&
	    iob_workload_set(w, "runtime", "1s", &err) >= 0)
		result = iob_workload_run(w, &err);
	iob_workload_free(w);
	if (!result) {
		fprintf(stderr, "hello: %s: %s\n", err.where, err.message);
		return 1;
	}
	iob_hist_percentile(iob_result_hist(result, IOB_OP_READ, IOB_LATENCY_SERVICE), 99, &p99);
	printf("%.0f reads a second, 99 %% of them within %.0f us\n",
	       iob_result_iops(result, IOB_OP_READ), (double)p99 / 1e3);
	iob_result_free(result);
	return 0;
}
