/* SPDX-License-Identifier: MIT */
/* Depth and Little's law: X I/Os a second of R seconds each are X * R in flight. */
#include "result/findings/judge.h"
#include <math.h>

/* Fewer I/Os: start and end of the run weigh too much in X * R. */
static const double least_ios = 1000;
/* Under it a tenth of the queue was empty, far more than rounding makes. */
static const double least_utilisation = 0.9;
/* How near to one in flight is one in flight. */
static const double one_within = 0.02;
/* In-flight I/O is counted to the microsecond here; a thousandth is clocks. */
static const double clocks = 1.001;

static double latency_sum(const struct iob_result *r)
{
	double sum = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++)
		sum += (double)r->op[op].latency[IOB_LATENCY_SERVICE]->sum;
	return sum;
}

/* Why X * R says nothing of the queue here; NULL: it does. */
static const char *not_comparable(const struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	if (isnan(v->in_flight.value))
		return "the recording has no mean latency, or no rate";
	if (isnan(v->asked))
		return "the recording has no queue depth";
	if (v->paced)
		return "it was paced: it waited on purpose";
	if (v->ios + v->failed < least_ios)
		return "under 1,000 I/Os, the run's ends weigh too much";
	if (v->failed > 0 && isnan(v->machine->failing))
		return "I/Os failed, and their time is in no mean latency";
	return NULL;
}

static double active_share(const struct iobi_view *v)
{
	double active = v->machine->active;
	return isnan(active) ? 1 : active;
}

static const char *why_shallow(const struct iobi_view *v)
{
	if (v->sync && v->asked > v->workers)
		return "the engine does one I/O at a time";
	return "I/O was not submitted fast enough to keep the queue full";
}

/* A worker at the end of its core explains it, and says so itself. */
static void depth_not_reached(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	const char *why = not_comparable(j);
	double asked = v->asked * active_share(v), reached = v->in_flight.value;
	if (why) {
		iobi_unchecked(j, why);
		return;
	}
	if (v->asked <= v->workers || !(v->in_flight.high < least_utilisation * asked) ||
	    (iobi_raised(j, "cpu-bound") && v->ran >= v->asked))
		return;
	iobi_number(j, "asked", v->asked);
	iobi_number(j, "reached", reached);
	iobi_number(j, "ran", v->ran);
	if (!isnan(v->machine->in_flight))
		iobi_number(j, "counted", v->machine->in_flight);
	iobi_raise(j, "%s I/Os in flight were asked for, %s were on average: %s",
		   iobi_w_number(j, v->asked), iobi_w_number(j, reached), why_shallow(v));
}

static void harness_bound(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	const char *why = not_comparable(j);
	double n = v->ran * active_share(v), used = v->in_flight.value / n;
	if (why) {
		iobi_unchecked(j, why);
		return;
	}
	if (v->asked > v->workers || !(v->in_flight.high / n < least_utilisation) ||
	    iobi_raised(j, "cpu-bound"))
		return;
	iobi_number(j, "utilisation", used);
	iobi_number(j, "utilisation_high", v->in_flight.high / n);
	iobi_number(j, "in_flight", v->in_flight.value);
	iobi_number(j, "workers", v->workers);
	if (!isnan(v->machine->harness_ns))
		iobi_number(j, "harness_ns", v->machine->harness_ns);
	iobi_raise(j,
		   "the workers had an I/O in flight only %s of the time: the rate is that of the "
		   "program that measured, not of the storage",
		   iobi_w_share(j, used));
}

/* What was in flight when the window began or ended can add its latency once. */
static void impossible_live(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	double max = 0, sum = latency_sum(j->r);
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++)
		max = fmax(max, (double)j->r->op[op].latency[IOB_LATENCY_SERVICE]->max);
	double most = v->asked * (v->elapsed_ns + max) * clocks;
	if (!(sum > most))
		return;
	iobi_number(j, "in_flight", v->in_flight.value);
	iobi_number(j, "asked", v->asked);
	iobi_raise(j, "the latencies add up to %s in flight, and no more than %s can have been",
		   iobi_w_number(j, v->in_flight.value), iobi_w_number(j, v->asked));
}

static void impossible_row(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	if (!(v->in_flight.low > v->asked))
		return;
	iobi_number(j, "in_flight", v->in_flight.value);
	iobi_number(j, "in_flight_low", v->in_flight.low);
	iobi_number(j, "asked", v->asked);
	iobi_raise(j,
		   "its rate and mean latency make %s I/Os in flight, at least %s with rounding; "
		   "%s were asked for",
		   iobi_w_number(j, v->in_flight.value), iobi_w_number(j, v->in_flight.low),
		   iobi_w_number(j, v->asked));
}

/* A mean outside of its own extremes; half a digit is rounding. */
static bool mean_outside(struct iobi_judge *j, enum iob_op op)
{
	const struct iob_hist *h = j->r->op[op].latency[IOB_LATENCY_SERVICE];
	struct iobi_range mean = j->view.rec->op[op].mean_ns;
	double slack = mean.high - mean.value;
	if (!h->count || isnan(mean.value) || !h->summary || !h->max ||
	    (mean.high >= (double)h->min - slack && mean.low <= (double)h->max + slack))
		return false;
	iobi_number(j, "mean_ns", mean.value);
	iobi_number(j, "min_ns", (double)h->min);
	iobi_number(j, "max_ns", (double)h->max);
	iobi_raise(j,
		   "the mean %s latency, %s, is outside of its own minimum and maximum, %s and %s",
		   iobi_op_name(op), iobi_w_ns(j, mean.value), iobi_w_ns(j, (double)h->min),
		   iobi_w_ns(j, (double)h->max));
	return true;
}

static void impossible(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	for (int op = IOB_OP_READ; v->rec && op <= IOB_OP_TRIM; op++)
		if (mean_outside(j, (enum iob_op)op))
			return;
	if (isnan(v->in_flight.value) || isnan(v->asked))
		iobi_unchecked(j, "the recording has no mean latency, no rate or no queue depth");
	else if (v->rec && !v->rec->counted)
		impossible_row(j);
	else if (v->elapsed_ns > 0 && !v->paced)
		impossible_live(j);
}

static bool has_members(const struct iob_result *r)
{
	for (size_t i = 0; i < r->n_devices; i++)
		if (r->device[i].use.n_below - r->device[i].use.n_idle > 1)
			return true;
	return false;
}

static void depth_one_bound(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	if (isnan(v->in_flight.value) || isnan(v->asked)) {
		iobi_unchecked(j, "the recording has no mean latency, no rate or no queue depth");
		return;
	}
	if (v->asked != 1 || v->in_flight.low > 1 + one_within ||
	    v->in_flight.high < 1 - one_within || v->paced || v->failed > 0)
		return;
	iobi_number(j, "in_flight", v->in_flight.value);
	iobi_number(j, "mean_ns", v->mean_ns.value);
	iobi_raise(j, "one I/O at a time (%s in flight): the rate is 1 / %s, the latency%s",
		   iobi_w_number(j, v->in_flight.value), iobi_w_ns(j, v->mean_ns.value),
		   has_members(j->r) ? "; more members cannot help" : "");
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "depth-not-reached", "depth",
	    "The rate times the mean latency (Little's law) is under 0.9 of the queue depth asked "
	    "for, "
	    "all workers together, for as long as they ran; I/Os that failed count. Not where the "
	    "run is paced or has under 1,000 I/Os, nor where cpu-bound explains it, nor in a "
	    "recording with I/Os that failed.",
	    "Take an engine that can keep the depth (io_uring, libaio), or ask for the depth that "
	    "runs: the result is one of the depth reached.",
	    "2048 I/Os in flight were asked for, 0.97 were on average: the engine does one I/O at "
	    "a "
	    "time" },
	  IOBI_AT_WORKLOAD,
	  false,
	  depth_not_reached },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "harness-bound", "depth",
	    "At depth 1 for each worker, the rate times the mean latency is under 0.9 of the "
	    "number "
	    "of workers, with rounding at its highest: time passes outside of the timed I/O. Not "
	    "where depth-not-reached is not checked, nor where cpu-bound explains it.",
	    "Use larger blocks, more workers, or a program that spends less between its I/Os; the "
	    "latencies may be right, the rate is not the storage's.",
	    "the workers had an I/O in flight only 71 % of the time: the rate is that of the "
	    "program "
	    "that measured, not of the storage" },
	  IOBI_AT_WORKLOAD,
	  false,
	  harness_bound },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "impossible", "depth",
	    "The rate times the mean latency is above the queue depth, with rounding at its lowest "
	    "and "
	    "what was in flight at the ends allowed for; or a mean lies outside of its own minimum "
	    "and maximum.",
	    "Rate, latency and depth cannot all be of the same run: find out which is not.",
	    "its rate and mean latency make 1.31 I/Os in flight, at least 1.28 with rounding; 1 "
	    "were "
	    "asked for" },
	  IOBI_AT_WORKLOAD,
	  false,
	  impossible },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "depth-one-bound", "depth",
	    "One worker at depth 1, and the rate times the mean latency within 2 % of 1; not "
	    "where I/Os failed.",
	    "To see what the storage can do, and not how long one I/O takes, ask for a deeper "
	    "queue or "
	    "more workers.",
	    "one I/O at a time (1.00 in flight): the rate is 1 / 19.8 ms, the latency; more "
	    "members "
	    "cannot help" },
	  IOBI_AT_WORKLOAD,
	  false,
	  depth_one_bound },
};

const struct iobi_family iobi_depth_rules = { rules, IOBI_LEN(rules) };
