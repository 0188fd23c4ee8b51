/* SPDX-License-Identifier: MIT */
/* What a sample costs in a histogram, in ns. The recorder of a worker (exact sum, min, max and
 * sum of squares): one sample at a time ("add"), 32 different ones ("each"), 32 of one value
 * ("batch"); and the public histogram ("record"). The values are what a device would give: a body
 * round 80 us, one in 16 far out, in no order. */
#include "measure/recorder.h"
#include "run/clock.h"
#include <iobench/hist.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BITS = 8,
	VALUES = 1 << 12,
	PASSES = 4096,
	TURNS = 7
};

static void make_values(uint64_t *v)
{
	uint64_t x = 88172645463325252u;
	for (int i = 0; i < VALUES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v[i] = 40000 + x % 80000;
		if (!(x >> 60))
			v[i] <<= x >> 32 & 7;
	}
}

static void add_ones(const uint64_t *v, void *to)
{
	for (int i = 0; i < VALUES; i++)
		iobi_recorder_add(to, v[i], 1);
}

static void add_each(const uint64_t *v, void *to)
{
	for (int i = 0; i < VALUES; i += 32)
		iobi_recorder_add_each(to, v + i, 32);
}

static void add_batches(const uint64_t *v, void *to)
{
	for (int i = 0; i < VALUES; i += 32)
		iobi_recorder_add(to, v[i], 32);
}

static void record(const uint64_t *v, void *to)
{
	for (int i = 0; i < VALUES; i++)
		iob_hist_record(to, v[i], 1);
}

/* The best of many short turns: what it costs where nothing else runs. */
static double cost(void (*add)(const uint64_t *, void *), const uint64_t *v, void *to)
{
	double best = 1e9;
	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t start = iobi_monotonic_ns();
		for (int i = 0; i < PASSES; i++)
			add(v, to);
		double ns = (double)(iobi_monotonic_ns() - start) / PASSES / VALUES;
		if (ns < best)
			best = ns;
	}
	return best;
}

int main(void)
{
	static uint64_t v[VALUES];
	struct iobi_recorder r;
	struct iob_hist *h = iob_hist_new(BITS, NULL);
	void *counts = calloc(1, iobi_recorder_bytes(BITS));
	if (!h || !counts)
		return 1;
	make_values(v);
	iobi_recorder_init(&r, BITS, counts);
	printf("{\"add\": %.3f, ", cost(add_ones, v, &r));
	printf("\"each\": %.3f, ", cost(add_each, v, &r));
	printf("\"batch\": %.3f, ", cost(add_batches, v, &r));
	printf("\"record\": %.3f}\n", cost(record, v, h));
	free(counts);
	iob_hist_free(h);
	return 0;
}
