/* SPDX-License-Identifier: MIT */
/*
 * Intervals from batches: I/Os are not independent of one another, so that
 * their number says little about how well a mean or a percentile is known. A
 * run is cut into stretches long enough to be nearly independent, and the
 * spread of the stretches tells. Law and Kelton, Simulation Modeling and
 * Analysis, 9.5.3.
 */
#ifndef IOBI_BATCHES_H
#define IOBI_BATCHES_H

#include "measure/hist_priv.h"

struct iobi_batches {
	struct iob_hist **batch; /* NULL: it had no memory */
	size_t n;
	struct iob_hist *all; /* their sum; NULL: none yet */
};

/* Adopts a batch, also on failure; -ENOMEM. */
int iobi_batches_add(struct iobi_batches *b, struct iob_hist *h);
void iobi_batches_free(struct iobi_batches *b);

enum {
	IOBI_BATCHES = 10,         /* fewer say little of their spread, more are shorter */
	IOBI_LEAST_FOR_A_MEAN = 30 /* samples: the means of a few are not near to normal */
};

/* The interval of the p-th percentile (0 < p < 100) or of the mean, at that
 * two-sided confidence (0.95); NaN: that end is not known. Where there are twice
 * as many batches or more, neighbours count as one: the longer a batch, the less
 * it hangs together with the next one. */
struct iobi_ends {
	double low, high;
};
struct iobi_ends iobi_batches_percentile(const struct iobi_batches *b, double p, double confidence);
struct iobi_ends iobi_batches_mean(const struct iobi_batches *b, double confidence);

/* How many standard errors to each side hold that share of Student's
 * distribution. */
double iobi_student(double confidence, unsigned freedom);

#endif
