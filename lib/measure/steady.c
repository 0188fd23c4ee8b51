/* SPDX-License-Identifier: MIT */
/* Steady state by the rule of the SNIA Performance Test Specification. */
#include "measure/steady.h"
#include "base/base.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum {
	WINDOW_MAX = 1000
};
/* A limit that is met exactly is met, also where 0.2 is a little less in binary. */
static const double rounding = 1e-12;

static const struct iob_steady_rule pts = {
	.size = sizeof(pts), .window = 5, .excursion = 0.20, .slope = 0.10
};

const struct iob_steady_rule *iob_steady_pts(void)
{
	return &pts;
}

const char *iob_steady_metric_name(enum iob_steady_metric metric)
{
	static const char *const names[] = { "iops", "bandwidth", "latency" };
	return (unsigned)metric < IOBI_LEN(names) ? names[metric] : NULL;
}

static int check_limit(const char *where, double limit, struct iob_error *err)
{
	char text[64];
	if (limit >= 0 && isfinite(limit))
		return 0;
	return iobi_fail(err, EINVAL, where,
			 "%s is no limit: 0 or more, as a part of the average (0.2 is 20 %%)",
			 isnan(limit)   ? "NaN"
			 : isinf(limit) ? (limit > 0 ? "infinity" : "-infinity")
					: iobi_format_digits(text, sizeof(text), limit, 3));
}

int iobi_steady_take(struct iob_steady_rule *to, const struct iob_steady_rule *rule,
		     struct iob_error *err)
{
	int rc = IOBI_TAKE(struct iob_steady_rule, slope, to, rule ? rule : &pts, "rule", err);
	if (rc)
		return rc;
	if (to->window < 2 || to->window > WINDOW_MAX)
		return iobi_fail(err, EINVAL, "window",
				 "%u rounds are no window; it can have 2 to %d", to->window,
				 WINDOW_MAX);
	rc = check_limit("excursion", to->excursion, err);
	return rc ? rc : check_limit("slope", to->slope, err);
}

static int check_values(const double *values, size_t n, struct iob_error *err)
{
	char text[64];
	if (n && !values)
		return iobi_is_null(err, "values");
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]) || values[i] < 0)
			return iobi_fail(err, EINVAL, "values",
					 "round %zu has %s; a number of 0 or more is wanted", i + 1,
					 isnan(values[i])   ? "NaN"
					 : isinf(values[i]) ? "infinity"
							    : iobi_format_digits(text, sizeof(text),
										 values[i], 3));
	return 0;
}

/* The slope a round of the line fitted by least squares: sum of (i - mean of i) *
 * (v - mean of v) over that of (i - mean of i)^2. */
static double slope_of(const double *v, size_t n, double average)
{
	double middle = (double)(n - 1) / 2, xy = 0, xx = 0;
	for (size_t i = 0; i < n; i++) {
		double x = (double)i - middle;
		xy += x * (v[i] - average);
		xx += x * x;
	}
	return xy / xx;
}

static double average_of(const double *v, size_t n)
{
	double average = 0;
	for (size_t i = 0; i < n; i++)
		average += v[i] / (double)n; /* a sum might be infinite */
	return average;
}

void iobi_steady_window(const double *v, const struct iob_steady_rule *rule, struct iob_steady *out)
{
	double low = v[0], high = v[0];
	for (size_t i = 1; i < rule->window; i++) {
		low = fmin(low, v[i]);
		high = fmax(high, v[i]);
	}
	out->average = average_of(v, rule->window);
	out->steady = 0;
	out->excursion = out->slope = NAN;
	if (!(out->average > 0))
		return;
	out->excursion = (high - low) / out->average;
	out->slope = slope_of(v, rule->window, out->average) * (rule->window - 1) / out->average;
	out->steady = out->excursion <= rule->excursion + rounding &&
		      fabs(out->slope) <= rule->slope + rounding;
}

static void give(struct iob_steady *out, struct iob_steady *judged)
{
	judged->size = out->size;
	memcpy(out, judged, out->size < sizeof(*judged) ? out->size : sizeof(*judged));
}

int iob_steady_judge(const double *values, size_t n, const struct iob_steady_rule *rule,
		     struct iob_steady *out, struct iob_error *err)
{
	struct iob_steady judged = { .average = NAN, .excursion = NAN, .slope = NAN };
	struct iob_steady_rule own;
	int rc = iobi_steady_take(&own, rule, err);
	rc = rc ? rc : check_values(values, n, err);
	if (!rc && out && !out->size)
		rc = iobi_fail(err, EINVAL, "out",
			       "its size is 0; set it to sizeof(struct iob_steady)");
	if (rc)
		return rc;
	for (size_t end = own.window; end <= n && !judged.steady; end++) {
		iobi_steady_window(values + end - own.window, &own, &judged);
		judged.round = end;
	}
	if (out)
		give(out, &judged);
	return (int)judged.steady;
}
