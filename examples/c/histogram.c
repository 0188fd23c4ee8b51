/* SPDX-License-Identifier: MIT */
/* histogram FILE: the shape of the latency of 20,000 random reads, a line for each
 * octave from 1 us on. */
#include <iobench/iobench.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct iob_result *measure(const char *path, struct iob_error *err)
{
	struct iob_workload *w = iob_workload_new(err);
	struct iob_result *result = NULL;

	if (w && iob_workload_add_target(w, path, 0, err) >= 0 &&
	    iob_workload_set(w, "runtime", "0", err) >= 0 && /* as long as io_size takes */
	    iob_workload_set_int(w, IOB_PARAM_IO_SIZE, 20000 * INT64_C(4096), err) >= 0)
		result = iob_workload_run(w, err);
	iob_workload_free(w);
	return result;
}

static void print_octaves(const struct iob_hist *h)
{
	size_t n = iob_hist_buckets(h, NULL, NULL, NULL, 0), i = 0;
	uint64_t *high = calloc(n + 1, sizeof(*high)), *count = calloc(n + 1, sizeof(*count));

	if (high && count)
		iob_hist_buckets(h, NULL, high, count, n);
	for (uint64_t edge = 1000; high && count && i < n; edge *= 2) {
		uint64_t here = 0;
		for (; i < n && high[i] < edge; i++)
			here += count[i];
		if (here)
			printf("under %8" PRIu64 " us %8" PRIu64 " %.*s\n", edge / 1000, here,
			       (int)(50 * here / iob_hist_count(h)),
			       "##################################################");
	}
	free(high);
	free(count);
}

int main(int argc, char **argv)
{
	struct iob_error err = { 0 };
	struct iob_result *result = measure(argc > 1 ? argv[1] : "", &err);

	if (!result) {
		fprintf(stderr, "histogram: %s: %s\n", err.where, err.message);
		return 1;
	}
	print_octaves(iob_result_hist(result, IOB_OP_READ, IOB_LATENCY_SERVICE));
	iob_result_free(result);
	return 0;
}
