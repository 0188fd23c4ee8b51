/* SPDX-License-Identifier: MIT */
/* What a step shows: whether a rate was kept, and on which side of the limit
 * the interval of the latency lies. */
#include "search/search_priv.h"

#include <math.h>

/* Of the starts that fell due; and in a backlog that grows, of the time. */
static const double least_reached = 0.98;
static const double most_growth = 0.005;

/* Each look at a value could be wrong by chance: together they are to be wrong
 * no more often than one that was asked for (Bonferroni). */
static double confidence_of_look(const struct iob_search_outcome *want)
{
	return 1 - (1 - want->confidence / 100) / want->tries;
}

/* As iobi_batches_percentile has it where no I/O is above the limit. */
double iobi_ios_needed(const struct iob_search_outcome *want)
{
	double t = iobi_student(confidence_of_look(want), IOBI_BATCHES - 1);
	if (want->metric == IOB_SEARCH_MAX)
		return 1;
	if (want->metric == IOB_SEARCH_MEAN)
		return IOBI_LEAST_FOR_A_MEAN;
	return t * t * want->percentile / (100 - want->percentile);
}

/* The least slope of a line through the means, at 99 %. */
double iobi_growth(const struct iobi_sample *s)
{
	double n = s->n, x = 0, y = 0, xx = 0, xy = 0, rest = 0;
	if (s->n < 5)
		return 0;
	for (unsigned i = 0; i < s->n; i++) {
		x += s->at[i] / n;
		y += s->mean[i] / n;
	}
	for (unsigned i = 0; i < s->n; i++) {
		xx += (s->at[i] - x) * (s->at[i] - x);
		xy += (s->at[i] - x) * (s->mean[i] - y);
	}
	double slope = xx > 0 ? xy / xx : 0;
	for (unsigned i = 0; i < s->n; i++) {
		double off = s->mean[i] - y - slope * (s->at[i] - x);
		rest += off * off;
	}
	return xx > 0 ? slope - iobi_student(0.98, s->n - 2) * sqrt(rest / (n - 2) / xx) : 0;
}

/* A rate that is not kept shows in starts that were not made, or, where the queue
 * is deep, in response times that grow with the time that passes. */
static bool saturated(const struct iobi_sample *s, const struct iob_pace *p)
{
	uint64_t missing = p->unissued + p->dropped, due = p->starts + missing;
	if (due && (double)(due - missing) < least_reached * (double)due)
		return true;
	return iobi_growth(s) > most_growth;
}

static struct iobi_ends range_of(const struct iob_search_outcome *want,
				 const struct iobi_batches *b)
{
	double confidence = confidence_of_look(want);
	if (want->metric == IOB_SEARCH_PERCENTILE)
		return iobi_batches_percentile(b, want->percentile, confidence);
	if (want->metric == IOB_SEARCH_MEAN)
		return iobi_batches_mean(b, confidence);
	double max = b->all->count ? (double)b->all->max : (double)NAN;
	return (struct iobi_ends){ max, max };
}

static double latency_of(const struct iob_search_outcome *want, const struct iob_hist *h)
{
	uint64_t value = 0;
	if (!h->count)
		return NAN;
	if (want->metric == IOB_SEARCH_MEAN)
		return iob_hist_mean(h);
	if (want->metric == IOB_SEARCH_MAX)
		return (double)h->max;
	return iob_hist_percentile(h, want->percentile, &value) ? (double)NAN : (double)value;
}

static enum iob_search_verdict side(const struct iobi_ends *r, double limit)
{
	if (r->high <= limit)
		return IOB_SEARCH_HOLDS;
	if (r->low > limit)
		return IOB_SEARCH_MISSES;
	return isnan(r->high) ? IOB_SEARCH_TOO_FEW : IOB_SEARCH_UNDECIDED;
}

void iobi_judge(const struct iob_search_outcome *want, const struct iobi_sample *sample,
		const struct iob_pace *pace, struct iob_search_step *step)
{
	const struct iobi_batches *b = &sample->batches;
	struct iobi_ends r = { NAN, NAN };
	step->latency_ns = NAN;
	if (b->all) {
		r = range_of(want, b);
		step->latency_ns = latency_of(want, b->all);
		step->ios = b->all->count;
	}
	step->low_ns = r.low;
	step->high_ns = r.high;
	if (sample->elapsed_ns)
		step->iops = (double)sample->ios * 1e9 / (double)sample->elapsed_ns;
	step->verdict = pace && saturated(sample, pace) ? IOB_SEARCH_SATURATED
							: side(&r, (double)want->limit_ns);
}
