/* SPDX-License-Identifier: MIT */
/* Whether it went on as it began. */
#include "result/findings/judge.h"
#include "result/findings/windows.h"
#include "result/rounds.h"
#include <math.h>

enum {
	WINDOWS = 10
};
/* Windows of a second hold ten slices of a throttle, and what a device does in bursts. */
static const double least_window_ns = 1e9;
/* The last completion is a little after or before the runtime's end. */
static const double almost = 0.99;
static const double most_excursion = 0.2, most_slope = 0.1;

static void recorded(struct iobi_judge *j)
{
	const struct iobi_recorded_op *r = &j->view.rec->op[IOB_OP_READ],
				      *w = &j->view.rec->op[IOB_OP_WRITE];
	const struct iobi_recorded_op *op =
		w->band_mean > r->band_mean || isnan(r->band_mean) ? w : r;
	double excursion = (op->band_max - op->band_min) / op->band_mean;
	if (isnan(excursion)) {
		iobi_unchecked(j, "the recording has no bandwidth over time");
		return;
	}
	if (excursion <= most_excursion)
		return;
	iobi_number(j, "excursion", excursion);
	iobi_number(j, "min_bytes_per_s", op->band_min);
	iobi_number(j, "max_bytes_per_s", op->band_max);
	iobi_number(j, "mean_bytes_per_s", op->band_mean);
	iobi_raise(j, "the bandwidth went from %s to %s, %s of its mean",
		   iobi_w_rate(j, op->band_min), iobi_w_rate(j, op->band_max),
		   iobi_w_share(j, excursion));
}

static bool long_enough(const struct iobi_view *v)
{
	return v->elapsed_ns >= WINDOWS * least_window_ns * almost;
}

static void not_steady(struct iobi_judge *j)
{
	double ios[WINDOWS];
	if (j->view.rec) {
		recorded(j);
		return;
	}
	if (!long_enough(&j->view) || iobi_windows(j->r, ios, WINDOWS))
		return;
	struct iobi_window_stats s = iobi_window_stats(ios, WINDOWS);
	double excursion = (s.max - s.min) / s.mean, second = j->view.elapsed_ns / WINDOWS / 1e9;
	if (!(excursion > most_excursion) && !(fabs(s.slope) > most_slope))
		return;
	iobi_number(j, "excursion", excursion);
	iobi_number(j, "slope", s.slope);
	iobi_number(j, "min_iops", s.min / second);
	iobi_number(j, "max_iops", s.max / second);
	iobi_number(j, "mean_iops", s.mean / second);
	iobi_raise(
		j,
		"over ten windows the rate went from %s to %s IOPS, %s of its mean, and %s by %s "
		"from first to last",
		iobi_w_number(j, s.min / second), iobi_w_number(j, s.max / second),
		iobi_w_share(j, excursion), s.slope < 0 ? "fell" : "rose",
		iobi_w_share(j, fabs(s.slope)));
}

static void short_run(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	if (v->rec || !(v->elapsed_ns > 0) || long_enough(v))
		return;
	iobi_number(j, "elapsed_ns", v->elapsed_ns);
	iobi_number(j, "wanted_ns", WINDOWS * least_window_ns);
	iobi_raise(j, "%s were measured: too short to see whether the rate is steady (10 s)",
		   iobi_w_ns(j, v->elapsed_ns));
}

/* The tracked cell that is furthest from the rule; *n: how many are not steady. */
static const struct iob_cell *worst_cell(const struct iobi_rounds *r, unsigned *n)
{
	const struct iob_cell *worst = NULL;
	double most = -1;
	*n = 0;
	for (size_t i = 0; i < r->pub.cells; i++) {
		const struct iob_cell *c = &r->cell[i];
		double off = fmax(c->excursion / r->pub.excursion, fabs(c->slope) / r->pub.slope);
		if (!c->tracked || c->steady)
			continue;
		++*n;
		if (!worst || off > most) {
			worst = c;
			most = off;
		}
	}
	return worst;
}

static void not_achieved(struct iobi_judge *j)
{
	const struct iobi_rounds *r = j->r->rounds;
	unsigned n;
	if (!r || r->pub.steady_at || j->r->flags & IOB_RESULT_PARTIAL)
		return;
	const struct iob_cell *worst = worst_cell(r, &n);
	iobi_number(j, "rounds", r->pub.done);
	iobi_number(j, "max_rounds", r->pub.max_rounds);
	if (r->pub.done < r->pub.window || !worst || isnan(worst->excursion)) {
		iobi_raise(j,
			   "steady state was not achieved: %u rounds were done, and the window has %u%s",
			   r->pub.done, r->pub.window, r->broken ? "; I/O errors ended it" : "");
		return;
	}
	iobi_number(j, "not_steady", n);
	iobi_number(j, "excursion", worst->excursion);
	iobi_number(j, "slope", worst->slope);
	iobi_raise(j,
		   "steady state was not achieved in %u rounds: over the last %u, %u of %zu tracked "
		   "cells are not steady, \"%s\" the least: excursion %s, slope %s of its average%s",
		   r->pub.done, r->pub.window, n, r->pub.tracked, worst->name,
		   iobi_w_share(j, worst->excursion), iobi_w_share(j, worst->slope),
		   r->broken ? "; I/O errors ended it" : "");
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "not-steady", "steadiness",
	    "Over ten equal windows of a second or more, the highest and the lowest rate are more "
	    "than "
	    "20 % of the mean apart, or a line fitted to them changes by more than 10 %. Of a "
	    "recording: its own highest and lowest bandwidth.",
	    "Run until it is steady (ramp_time leaves the start out), or quote it as what it is.",
	    "the bandwidth went from 66.1 MB/s to 135 MB/s, 64 % of its mean" },
	  IOBI_AT_WORKLOAD,
	  false,
	  not_steady },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "short-run", "steadiness",
	    "Less than 10 s were measured, so that not-steady was not checked.",
	    "Run for 10 s or longer.",
	    "500 ms were measured: too short to see whether the rate is steady (10 s)" },
	  IOBI_AT_WORKLOAD,
	  false,
	  short_run },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "steady-state-not-achieved",
	    "steadiness",
	    "A suite was run in rounds, and at none of them all tracked cells were steady over the "
	    "window: its highest and lowest value no more apart than the limit (20 % of the "
	    "average), the fitted line changing by no more than its own (10 %).",
	    "Allow more rounds, prepare the device (iobench precondition), or look for what else "
	    "uses it; the means over the last window are no result.",
	    "steady state was not achieved in 25 rounds: over the last 5, 1 of 3 tracked cells are "
	    "not steady, \"read_percent=0 block_size=4k\" the least: excursion 34 %, slope -12 % of "
	    "its average" },
	  IOBI_AT_SUITE,
	  false,
	  not_achieved },
};

const struct iobi_family iobi_steady_rules = { rules, IOBI_LEN(rules) };
