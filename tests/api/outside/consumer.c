/* SPDX-License-Identifier: MIT */
/* A program outside the tree, in C99: runs a workload that needs no device. */
#include <iobench/engine.h>
#include <iobench/iobench.h>
#include <stdio.h>

int main(void)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = iob_workload_new(&err);
	struct iob_result *r;
	uint64_t p50 = 0;
	int ok;
	if (!w || iob_workload_set(w, "engine", "null", &err) ||
	    iob_workload_set(w, "size", "1g", &err) ||
	    iob_workload_set(w, "runtime", "100ms", &err) || !(r = iob_workload_run(w, &err))) {
		fprintf(stderr, "%s: %s\n", err.where, err.message);
		return 1;
	}
	ok = iob_result_iops(r, IOB_OP_READ) > 1000 &&
	     !iob_hist_percentile(iob_result_hist(r, IOB_OP_READ, IOB_LATENCY_SERVICE), 50, &p50);
	printf("%s %.0f IOPS, p50 %llu ns\n", iob_version(), iob_result_iops(r, IOB_OP_ALL),
	       (unsigned long long)p50);
	iob_result_free(r);
	iob_workload_free(w);
	return ok ? 0 : 1;
}
