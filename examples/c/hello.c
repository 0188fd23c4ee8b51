/* SPDX-License-Identifier: MIT */
/* hello FILE: random reads of 8 KiB for a second. */
#include <iobench/iobench.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct iob_error err = { 0 }; /* a call that succeeds leaves it alone */
	struct iob_workload *w = iob_workload_new(&err);
	iob_workload_add_target(w, argc > 1 ? argv[1] : NULL, 0, &err);
	iob_workload_set(w, "block_size", "8k", &err);
	iob_workload_set(w, "runtime", "1s", &err);
	struct iob_result *r = err.code ? NULL : iob_workload_run(w, &err);
	iob_workload_free(w);
	if (!r)
		return fprintf(stderr, "hello: %s: %s\n", err.where, err.message) > 0;
	uint64_t p99 = 0;
	iob_hist_percentile(iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE), 99, &p99);
	printf("%.0f reads a second, 99 %% of them within %.0f us\n",
	       iob_result_iops(r, IOB_OP_READ), (double)p99 / 1e3);
	iob_result_free(r);
}
