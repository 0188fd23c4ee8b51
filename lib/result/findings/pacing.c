/* SPDX-License-Identifier: MIT */
/* The schedule of an open loop against what was done. */
#include "result/findings/judge.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A hundredth less is clocks, and where the run was cut. */
static const double least_share = 0.99;
/* Of a Poisson count: one run in a thousand is further below its mean. */
static const double sigmas = 3.1;

static uint64_t failed(const struct iob_result *r)
{
	return r->op[IOB_OP_ALL].count[IOB_COUNT_ERRORS] + r->op[IOB_OP_ALL].count[IOB_COUNT_SHORT];
}

/* Starts that were not made, beyond one of each worker at the end. */
static bool starts_are_missing(const struct iobi_view *v, const struct iob_pace *p)
{
	double missed = (double)p->dropped + (double)p->unissued;
	double due = (double)p->starts + missed;
	return missed > v->workers && missed > (1 - least_share) * due;
}

/* A queue can take in all that is asked for and still not be done with it. Not
 * yet done are, at an end in time, those of the last mean latency. */
static bool rate_is_missed(const struct iobi_judge *j, const struct iob_pace *p)
{
	const struct iobi_view *v = &j->view;
	double seconds = (v->elapsed_ns - v->mean_ns.value) / 1e9;
	double due = p->asked_iops * seconds, least = due * least_share - v->workers;
	const char *arrival = iobi_ran(j->r, "arrival");
	if (!arrival || strcmp(arrival, "fixed") != 0)
		least -= sigmas * sqrt(fmax(due, 0));
	return (double)j->r->op[IOB_OP_ALL].count[IOB_COUNT_IOS] < least;
}

static void say(struct iobi_judge *j, const struct iob_pace *p, double reached)
{
	const char *asked = iobi_w_number(j, p->asked_iops), *done = iobi_w_number(j, reached);
	if (p->dropped)
		iobi_raise(j,
			   "%s I/Os a second were asked for, %s were done: %" PRIu64
			   " starts were dropped",
			   asked, done, p->dropped + p->unissued);
	else if (!p->unissued)
		iobi_raise(j,
			   "%s I/Os a second were asked for, %s were done: all were started, and "
			   "the last ones ended long after they came",
			   asked, done);
	else
		iobi_raise(j,
			   "%s I/Os a second were asked for, %s were done: it fell %s behind its "
			   "schedule, and %" PRIu64 " starts were never made",
			   asked, done, iobi_w_ns(j, (double)p->worst_lag_ns), p->unissued);
}

static void saturated(struct iobi_judge *j)
{
	const struct iob_pace *p = j->r->pace;
	double reached = iob_result_iops(j->r, IOB_OP_ALL);
	if (!p && j->view.paced)
		iobi_unchecked(j, "it was paced, and the recording does not say how the schedule "
				  "was kept");
	if (!p)
		return;
	if (isnan(p->asked_iops) || !j->r->elapsed_ns) {
		iobi_unchecked(j, "the recording does not say what rate was asked for");
		return;
	}
	if (!starts_are_missing(&j->view, p) && (failed(j->r) || !rate_is_missed(j, p)))
		return;
	iobi_number(j, "asked_iops", p->asked_iops);
	iobi_number(j, "reached_iops", reached);
	iobi_number(j, "late", (double)p->late);
	iobi_number(j, "unissued", (double)p->unissued);
	iobi_number(j, "dropped", (double)p->dropped);
	iobi_number(j, "worst_lag_ns", (double)p->worst_lag_ns);
	say(j, p, reached);
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "saturated", "pacing",
	    "An open loop (arrival fixed or poisson) that did not reach its rate: over 1 % of the "
	    "starts that fell due were never made or were dropped, or the I/Os that were done are "
	    "over 1 % fewer than the schedule has in that time, beside those of the last mean "
	    "latency, one of each worker, and 3.1 sigma of a Poisson count.",
	    "Response times grew as long as it ran: they tell how long it ran, and not what the "
	    "storage does at that rate. Ask for a rate that it can hold, or for a deeper queue "
	    "where that was the limit.",
	    "2000 I/Os a second were asked for, 1000 were done: it fell 5.01 s behind its "
	    "schedule, "
	    "and 10016 starts were never made" },
	  IOBI_AT_WORKLOAD,
	  false,
	  saturated },
};

const struct iobi_family iobi_pacing_rules = { rules, IOBI_LEN(rules) };
