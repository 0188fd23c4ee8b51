/* SPDX-License-Identifier: MIT */
/* own_engine: an engine that takes 1 ms for whatever it is asked, so that what the
 * library must report is known beforehand: a little under 1000 IOPS, a little over 1 ms. */
#include <iobench/engine.h>
#include <iobench/iobench.h>
#include <stdio.h>
#include <time.h>

static int slow_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	*state = env->user;
	return 0;
}

/* A synchronous engine gets one I/O at a time, and it is done on return. */
static int slow_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	nanosleep(state, NULL);
	ios[0]->result = (int32_t)ios[0]->len;
	return 1;
}

static void slow_close(void *state)
{
}

static const struct iob_engine_ops slow = {
	.size = sizeof(slow),
	.caps = IOB_ENGINE_SYNC | IOB_ENGINE_NO_TARGET,
	.name = "slow",
	.open = slow_open,
	.submit = slow_submit,
	.close = slow_close,
};

int main(void)
{
	struct timespec takes = { .tv_nsec = 1000000 };
	struct iob_error err = { 0 };
	struct iob_result *result = NULL;
	struct iob_workload *w = iob_workload_new(&err);

	if (w && iob_workload_set_engine(w, &slow, &takes, &err) >= 0 &&
	    iob_workload_set(w, "size", "1g", &err) >= 0 &&
	    iob_workload_set(w, "runtime", "1s", &err) >= 0)
		result = iob_workload_run(w, &err);
	iob_workload_free(w);
	if (!result) {
		fprintf(stderr, "own_engine: %s: %s\n", err.where, err.message);
		return 1;
	}
	printf("engine %s: %.0f IOPS, mean %.3f ms\n", iob_result_effective(result, "engine"),
	       iob_result_iops(result, IOB_OP_ALL),
	       iob_hist_mean(iob_result_hist(result, IOB_OP_ALL, IOB_LATENCY_SERVICE)) / 1e6);
	iob_result_free(result);
	return 0;
}
