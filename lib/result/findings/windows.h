/* SPDX-License-Identifier: MIT */
/* The interval series of a node in equal windows. */
#ifndef IOBI_WINDOWS_H
#define IOBI_WINDOWS_H

#include "result/result_priv.h"

enum {
	IOBI_WINDOWS_MAX = 600
};

/* I/Os (all ops) in each of n equal windows of the measured window; an interval
 * that lies in two counts in both by its share. 0, or -ENODATA: no series. */
int iobi_windows(const struct iob_result *w, double *ios, size_t n);

struct iobi_window_stats {
	double mean, min, max, variation; /* variation: standard deviation / mean */
	double slope;                     /* change of a fitted line, first to last, / mean */
};
struct iobi_window_stats iobi_window_stats(const double *v, size_t n);

#endif
