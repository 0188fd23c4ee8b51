/* SPDX-License-Identifier: MIT */
/* fio_job JOBFILE: runs a job file of fio that only reads, and prints each job's speed. */
#include <iobench/iobench.h>
#include <stdio.h>

static void print_notes(const struct iob_suite *suite)
{
	for (size_t i = 0; i < iob_suite_note_count(suite); i++) {
		const struct iob_note *note = iob_suite_note(suite, i);
		fprintf(stderr, "%s:%d: %s\n", note->file, note->line, note->text);
	}
}

static void print_stage(const struct iob_result *stage)
{
	const struct iob_result *job;

	for (size_t i = 0; (job = iob_result_child(stage, i)); i++) {
		uint64_t p99 = 0;
		iob_hist_percentile(iob_result_hist(job, IOB_OP_READ, IOB_LATENCY_SERVICE), 99, &p99);
		printf("%-16s %8.0f IOPS %8.1f us p99\n", iob_result_name(job),
		       iob_result_iops(job, IOB_OP_READ), (double)p99 / 1e3);
	}
}

int main(int argc, char **argv)
{
	struct iob_error err = { 0 };
	/* No flag: a job that writes is refused, and no file is made. */
	struct iob_suite *suite = iob_suite_from_fio_file(argc > 1 ? argv[1] : "", 0, &err);
	struct iob_result *result = NULL;
	const struct iob_result *stage;

	if (suite) {
		print_notes(suite);
		result = iob_suite_run(suite, &err);
	}
	iob_suite_free(suite);
	if (!result) {
		fprintf(stderr, "fio_job: %s: %s\n", err.where, err.message);
		return 1;
	}
	for (size_t i = 0; (stage = iob_result_child(result, i)); i++)
		print_stage(stage);
	iob_result_free(result);
	return 0;
}
