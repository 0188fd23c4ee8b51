/* SPDX-License-Identifier: MIT */
/* Whether it went on as it began. */
#include "result/findings/judge.h"
#include "result/findings/windows.h"
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
};

const struct iobi_family iobi_steady_rules = { rules, IOBI_LEN(rules) };
