/* SPDX-License-Identifier: MIT */
/* latency_target FILE [TARGET]: the most reads a second at which the latency stays
 * within TARGET (p99=10ms), and what was measured on the way. */
#include <inttypes.h>
#include <iobench/iobench.h>
#include <stdio.h>

static struct iob_search *prepare(const char *path, const char *target, struct iob_error *err)
{
	struct iob_workload *w = iob_workload_new(err);
	struct iob_search *s = NULL;

	if (w && iob_workload_add_target(w, path, 0, err) >= 0 &&
	    iob_workload_set(w, "arrival", "poisson", err) >= 0 &&
	    iob_workload_set(w, "queue_depth", "64", err) >= 0 &&
	    iob_workload_set(w, "runtime", "500ms", err) >= 0)
		s = iob_search_new(w, err);
	iob_workload_free(w);
	if (s && iob_search_set(s, "latency_target", target, err) < 0) {
		iob_search_free(s);
		return NULL;
	}
	return s;
}

static void print_steps(const struct iob_result *r)
{
	for (size_t i = 0; i < iob_result_search_step_count(r); i++) {
		const struct iob_search_step *step = iob_result_search_step(r, i);
		printf("%-24s %10.0f IOPS %10.0f us\n", iob_result_name(iob_result_child(r, i)),
		       step->iops, step->latency_ns / 1e3);
	}
}

int main(int argc, char **argv)
{
	struct iob_error err = { 0 };
	struct iob_search *s =
		prepare(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "p99=10ms", &err);
	struct iob_result *r = s ? iob_search_run(s, &err) : NULL;

	iob_search_free(s);
	if (!r) {
		fprintf(stderr, "latency_target: %s: %s\n", err.where, err.message);
		return 1;
	}
	print_steps(r);
	if (iob_result_search(r)->held)
		printf("%" PRId64 " a second\n", iob_result_search(r)->held);
	else
		printf("none\n");
	iob_result_free(r);
	return 0;
}
