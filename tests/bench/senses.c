/* SPDX-License-Identifier: MIT */
/* What the findings cost the hot path: processor time of the worker per I/O with all that the
 * leader looks at meanwhile (series, device counters, what is in flight, blocks that were read),
 * over that without any of it, the worker alone. Pairs in turns, the median of their ratios; of
 * the null engine, and of a file by psync where one is given. */
#include "run/stage.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	PAIRS = 15,
	TICK_MS = 100
};

static int fail(const struct iob_error *err)
{
	fprintf(stderr, "senses: %s: %s\n", err->where, err->message);
	exit(1);
}

static double per_io(const struct iobi_stage *s)
{
	const struct iobi_worker *w = s->live[0].worker;
	return (double)IOBI_LOAD(&w->cpu_ns) / (double)IOBI_LOAD(&w->meter[IOB_OP_READ].ios);
}

/* As lead.c does it, or with nobody looking. */
static double measure(const struct iob_workload *w, bool looked_at)
{
	struct iobi_targets targets = { 0 };
	struct iobi_stage s;
	struct iob_error err;
	struct iobi_plan *plan = calloc(1, sizeof(*plan));
	if (!plan || iobi_plan_init(plan, w, &targets, &err) < 0 ||
	    iobi_stage_init(&s, "s", plan, 1, IOBI_SERIES_MAX, &err) < 0)
		fail(&err);
	if (looked_at) {
		iobi_senses_begin(&s.senses, &s);
	} else {
		iobi_watch_free(s.watch);
		s.watch = NULL;
	}
	if (iobi_stage_start(&s, &err) < 0)
		fail(&err);
	struct pollfd done = { .fd = s.done_fd, .events = POLLIN };
	while (!poll(&done, 1, TICK_MS))
		if (looked_at) {
			iobi_senses_tick(s.senses, &s);
			iobi_stage_tick(&s, iobi_now(iobi_clock()), false);
		}
	iobi_stage_join(&s);
	double ns = per_io(&s);
	iobi_stage_free(&s);
	iobi_plan_free(plan);
	free(plan);
	iobi_targets_free(&targets);
	return ns;
}

static int by_size(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;
	return (d > 0) - (d < 0);
}

/* First the one, then the other, so that neither has the better place. */
static double ratio(const struct iob_workload *w)
{
	double r[PAIRS];
	measure(w, true);
	for (int i = 0; i < PAIRS; i++) {
		double first = measure(w, i % 2), second = measure(w, !(i % 2));
		r[i] = i % 2 ? first / second : second / first;
	}
	qsort(r, PAIRS, sizeof(*r), by_size);
	return r[PAIRS / 2];
}

static struct iob_workload *workload(const char *engine, const char *path, const char *seconds)
{
	const char *values[][2] = { { "engine", engine },
				    { "runtime", seconds },
				    { "queue_depth", path ? "1" : "32" },
				    { "direct", "false" },
				    { path ? "offset" : "size", path ? "0" : "1g" } };
	struct iob_error err;
	struct iob_workload *w = iob_workload_new(&err);
	for (size_t i = 0; w && i < sizeof(values) / sizeof(values[0]); i++)
		if (iob_workload_set(w, values[i][0], values[i][1], &err) < 0)
			fail(&err);
	if (!w || (path && iob_workload_add_target(w, path, 0, &err) < 0))
		fail(&err);
	return w;
}

int main(int argc, char **argv)
{
	const char *seconds = argc > 1 ? argv[1] : "1s";
	struct iob_workload *w = workload("null", NULL, seconds);
	printf("{\"null\": %.4f", ratio(w));
	iob_workload_free(w);
	if (argc > 2) {
		w = workload("psync", argv[2], seconds);
		printf(", \"psync\": %.4f", ratio(w));
		iob_workload_free(w);
	}
	puts("}");
	return 0;
}
