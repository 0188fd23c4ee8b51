/* SPDX-License-Identifier: MIT */
/* Random places that are not drawn alike: which of n slots comes next. */
#ifndef IOBI_DISTRIBUTION_H
#define IOBI_DISTRIBUTION_H

#include "base/random.h"
#include "workload/workload_priv.h"

/* What a distribution comes to over n slots. */
struct iobi_drawing {
	const struct iobi_distribution *d;
	uint64_t n, slot;
	double low, high, squeeze; /* zipf: of the area under its hull; pareto: low is the power */
	struct {
		uint64_t first, n;
	} zone[IOBI_ZONES_MAX]; /* slots */
};

void iobi_drawing_init(struct iobi_drawing *w, const struct iobi_distribution *d, uint64_t slots,
		       uint64_t slot);

/* In [0, n). For zipf and pareto a rank: 0 is drawn most often. */
uint64_t iobi_drawing_next(const struct iobi_drawing *w, struct iobi_random *r);

/* Ranks are scattered over the region by the caller. */
static inline bool iobi_drawing_is_rank(const struct iobi_drawing *w)
{
	return w->d->kind == IOBI_DISTRIBUTION_ZIPF || w->d->kind == IOBI_DISTRIBUTION_PARETO;
}

#endif
