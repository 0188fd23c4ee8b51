/* SPDX-License-Identifier: MIT */
/* --until-steady: a suite that is run in rounds. */
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_metric(struct opts *o, const char *value)
{
	const char *name;

	for (int m = 0; (name = iob_steady_metric_name((enum iob_steady_metric)m)); m++)
		if (!strcmp(name, value)) {
			o->steady.plan.metric = (enum iob_steady_metric)m;
			o->steady.on = true;
			return EXIT_GO_ON;
		}
	complain("--until-steady: \"%s\" is none of iops, bandwidth, latency", value);
	return EXIT_BAD;
}

static int set_count(struct opts *o, const char *option, const char *value, uint32_t *to)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	o->steady.given = option;
	if (end == value || *end || *value == '-' || !n || n > 100000) {
		complain("--%s: \"%s\" is no number of rounds, 1 to 100000", option, value);
		return EXIT_BAD;
	}
	*to = (uint32_t)n;
	return EXIT_GO_ON;
}

static int set_rounds(struct opts *o, const char *value)
{
	return set_count(o, "rounds", value, &o->steady.plan.max_rounds);
}

static int set_window(struct opts *o, const char *value)
{
	return set_count(o, "steady-window", value, &o->steady.rule.window);
}

static int set_percent(struct opts *o, const char *option, const char *value, double *to)
{
	char *end;
	double v = strtod(value, &end);

	o->steady.given = option;
	if (end == value || (*end && strcmp(end, "%")) || !(v >= 0) || v > 1e6) {
		complain("--%s: \"%s\" is no percentage of 0 or more, as 20 or 12.5%%", option,
			 value);
		return EXIT_BAD;
	}
	*to = v / 100;
	return EXIT_GO_ON;
}

static int set_excursion(struct opts *o, const char *value)
{
	return set_percent(o, "steady-excursion", value, &o->steady.rule.excursion);
}

static int set_slope(struct opts *o, const char *value)
{
	return set_percent(o, "steady-slope", value, &o->steady.rule.slope);
}

static int set_track(struct opts *o, const char *value)
{
	o->steady.given = "steady-track";
	if (o->steady.n_tracked == TRACKED_MAX) {
		complain("--steady-track: more than %d cells; without it, all are tracked",
			 TRACKED_MAX);
		return EXIT_BAD;
	}
	o->steady.tracked[o->steady.n_tracked++] = value;
	return EXIT_GO_ON;
}

const struct option steady_options[] = {
	{ "until-steady", "METRIC",
	  "Run in rounds until iops, bandwidth or latency is steady (SNIA PTS); a matrix is a "
	  "round. "
	  "The results are means over the rounds of the window.",
	  set_metric },
	{ "rounds", "N", "Rounds at most (default 25). Where they end first, that is said.",
	  set_rounds },
	{ "steady-window", "N", "Rounds that are looked at (default 5).", set_window },
	{ "steady-excursion", "PERCENT",
	  "How far the highest and the lowest of them may be apart, of their average (default 20).",
	  set_excursion },
	{ "steady-slope", "PERCENT",
	  "How much the line fitted to them may change, of their average (default 10).",
	  set_slope },
	{ "steady-track", "CELL",
	  "A cell that is to be steady, as 'block_size=4k read_percent=0'; can be given more than "
	  "once (default: all of them).",
	  set_track },
};
const size_t n_steady_options = sizeof(steady_options) / sizeof(steady_options[0]);

void steady_init(struct opts *o)
{
	o->steady.rule = *iob_steady_pts();
	o->steady.plan = (struct iob_steady_plan){ .size = sizeof(o->steady.plan) };
}

static int no_cell(const struct iob_suite *s, const char *name)
{
	size_t n = iob_suite_stage_count(s);
	const char **names = calloc(n + 1, sizeof(*names)), *near;

	for (size_t i = 0; names && i < n; i++)
		names[i] = iob_suite_stage_name(s, i);
	near = names ? nearest(name, names, n) : NULL;
	complain("--steady-track: there is no cell \"%s\"; %s \"%s\"", name,
		 near ? "did you mean" : "the first of them is",
		 near    ? near
		 : names ? names[0]
			 : "");
	free(names);
	return EXIT_BAD;
}

static int track(struct iob_suite *s, const char *name)
{
	for (size_t i = iob_suite_once_count(s); i < iob_suite_stage_count(s); i++)
		if (!strcmp(iob_suite_stage_name(s, i), name))
			return iob_suite_track(s, i, NULL) < 0 ? EXIT_FAILED : EXIT_GO_ON;
	return no_cell(s, name);
}

int steady_apply(struct opts *o, struct iob_suite *s)
{
	int status = EXIT_GO_ON;

	if (!o->steady.on && o->steady.given) {
		complain("--%s: it is for rounds; add --until-steady iops, bandwidth or latency",
			 o->steady.given);
		return EXIT_BAD;
	}
	if (o->steady.on && o->search) {
		complain("--until-steady and --latency-target exclude one another");
		return EXIT_BAD;
	}
	for (size_t i = 0; i < o->steady.n_tracked && status == EXIT_GO_ON; i++)
		status = track(s, o->steady.tracked[i]);
	o->steady.plan.rule = &o->steady.rule;
	return status;
}

void steady_tell(const struct iob_result *r)
{
	const struct iob_rounds *o = iob_result_rounds(r);

	if (o && !o->steady_at)
		complain("steady state was not achieved in %u round%s", o->done,
			 o->done == 1 ? "" : "s");
}
