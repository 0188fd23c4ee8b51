/* SPDX-License-Identifier: MIT */
#include "result/findings/windows.h"
#include <errno.h>
#include <math.h>

static void spread(const struct iob_interval *v, double *ios, size_t n, double length)
{
	double start = (double)v->start_ns, end = start + (double)v->length_ns;
	for (size_t i = (size_t)fmin(start / length, (double)n - 1); i < n; i++) {
		double from = (double)i * length, to = from + length;
		double part = fmin(end, to) - fmax(start, from);
		if (from >= end)
			return;
		if (part > 0)
			ios[i] += (double)v->ios * part / (end - start);
	}
}

int iobi_windows(const struct iob_result *w, double *ios, size_t n)
{
	double length = (double)w->elapsed_ns / (double)n;
	if (!w->n_intervals || !w->elapsed_ns || !w->interval[IOB_OP_ALL])
		return -ENODATA;
	for (size_t i = 0; i < n; i++)
		ios[i] = 0;
	for (size_t i = 0; i < w->n_intervals; i++)
		if (w->interval[IOB_OP_ALL][i].length_ns)
			spread(&w->interval[IOB_OP_ALL][i], ios, n, length);
	return 0;
}

struct iobi_window_stats iobi_window_stats(const double *v, size_t n)
{
	struct iobi_window_stats s = { 0, v[0], v[0], 0, 0 };
	double squares = 0, cross = 0, across = 0, centre = ((double)n - 1) / 2;
	for (size_t i = 0; i < n; i++) {
		s.mean += v[i] / (double)n;
		s.min = fmin(s.min, v[i]);
		s.max = fmax(s.max, v[i]);
	}
	for (size_t i = 0; i < n; i++) {
		double x = (double)i - centre;
		squares += (v[i] - s.mean) * (v[i] - s.mean);
		cross += x * (v[i] - s.mean);
		across += x * x;
	}
	s.variation = sqrt(squares / (double)n) / s.mean;
	s.slope = n > 1 ? cross / across * ((double)n - 1) / s.mean : 0;
	return s;
}
