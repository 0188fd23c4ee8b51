/* SPDX-License-Identifier: MIT */
/* The interval series of a run in progress: at most `max` intervals (an even
 * number), neighbours joined in pairs (and the interval doubled) when they are
 * used up. */
#ifndef IOBI_SERIES_H
#define IOBI_SERIES_H

#include "measure/hist_priv.h"
#include <iobench/result.h>

enum {
	IOBI_OPS = 5,
	IOBI_SERIES_MAX = 600,
	/* Histograms of a long series are many: none is finer than 0.4 %. */
	IOBI_SERIES_BITS = 8
};
#define IOBI_SERIES_BASE_NS UINT64_C(100000000)

struct iobi_series;

/* The submit calls of an interval: how many I/Os they took, and their time. */
struct iobi_submits {
	uint64_t n;
	double ns;
};

/* What one op did in one interval: the service-time samples of it, and its bytes. */
struct iobi_interval_part {
	const struct iob_hist *service; /* NULL or empty: no I/O */
	uint64_t bytes;
	struct iobi_submits submits;
};

struct iobi_series *iobi_series_new(size_t max);
void iobi_series_free(struct iobi_series *s);

/* How long the next interval should be: base, doubled as often as the series was. */
uint64_t iobi_series_interval_ns(const struct iobi_series *s);

/* Appends one; 0, or with nothing lost -ENOMEM, or -EINVAL where a histogram
 * is coarser than those before it. part[IOB_OP_ALL] is ignored: it is summed
 * from read, write, trim. Histograms finer than IOBI_SERIES_BITS are kept with that. */
int iobi_series_add(struct iobi_series *s, uint64_t start_ns, uint64_t length_ns,
		    const struct iobi_interval_part part[IOBI_OPS]);

size_t iobi_series_count(const struct iobi_series *s);

/* All intervals of an op as an array the caller frees; NULL where there are
 * none or there is no memory. */
struct iob_interval *iobi_series_export(const struct iobi_series *s, enum iob_op op);

#endif
