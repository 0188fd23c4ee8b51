/* SPDX-License-Identifier: MIT */
/* The shape of latencies: percentiles in ascending order, as far as samples support them. */
#ifndef IOBI_SHAPE_H
#define IOBI_SHAPE_H

#include "result/result_priv.h"

enum {
	IOBI_SHAPE_MAX = 160
};

struct iobi_latency_shape {
	size_t n;
	double p[IOBI_SHAPE_MAX], ns[IOBI_SHAPE_MAX];
	double mean, median;         /* NaN: not known */
	const struct iob_hist *hist; /* with buckets; NULL: a summary */
};

void iobi_shape_make(struct iobi_latency_shape *s, const struct iob_result *w);

/* Most I/Os are fast, and some take far longer, all about as long, with few between. */
struct iobi_far_mode {
	double far_ns;    /* where it begins */
	double ios, time; /* its share of the I/Os, of the time */
};
bool iobi_shape_far_mode(const struct iobi_latency_shape *s, struct iobi_far_mode *out);

/* Latencies in clusters at 1, 2, 3 .. times a step. */
struct iobi_comb {
	double step_ns;
	unsigned teeth;
	double ios; /* share of the I/Os in the teeth */
	double at[8];
};
bool iobi_shape_comb(const struct iobi_latency_shape *s, struct iobi_comb *out);

#endif
