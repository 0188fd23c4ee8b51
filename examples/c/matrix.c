/* SPDX-License-Identifier: MIT */
/* matrix FILE: how block size and queue depth change the speed of reads. */
#include <iobench/iobench.h>
#include <stdio.h>

static const struct iob_axis axes[] = {
	{ "block_size", "4k,16k,64k" },
	{ "queue_depth", "1,8" },
};

static struct iob_result *measure(const char *path, struct iob_error *err)
{
	struct iob_workload *base = iob_workload_new(err);
	struct iob_suite *suite = iob_suite_new(err);
	struct iob_result *result = NULL;

	if (base && suite && iob_workload_add_target(base, path, 0, err) >= 0 &&
	    iob_workload_set(base, "runtime", "200ms", err) >= 0 &&
	    iob_suite_add_matrix(suite, base, axes, 2, err) >= 0)
		result = iob_suite_run(suite, err);
	iob_suite_free(suite);
	iob_workload_free(base);
	return result;
}

int main(int argc, char **argv)
{
	struct iob_error err = { 0 };
	struct iob_result *result = measure(argc > 1 ? argv[1] : "", &err);
	const struct iob_result *cell;

	if (!result) {
		fprintf(stderr, "matrix: %s: %s\n", err.where, err.message);
		return 1;
	}
	printf("%8s %6s %10s %8s %10s\n", "block", "depth", "IOPS", "MB/s", "p99 us");
	for (size_t i = 0; (cell = iob_result_child(result, i)); i++) {
		uint64_t p99 = 0;
		iob_hist_percentile(iob_result_hist(cell, IOB_OP_READ, IOB_LATENCY_SERVICE), 99,
				    &p99);
		printf("%8s %6s %10.0f %8.0f %10.1f\n", iob_result_effective(cell, "block_size"),
		       iob_result_effective(cell, "queue_depth"),
		       iob_result_iops(cell, IOB_OP_READ),
		       iob_result_bytes_per_s(cell, IOB_OP_READ) / 1e6, (double)p99 / 1e3);
	}
	iob_result_free(result);
	return 0;
}
