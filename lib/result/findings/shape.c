/* SPDX-License-Identifier: MIT */
#include "result/findings/shape.h"
#include "result/findings/view.h"
#include <math.h>
#include <stdlib.h>

static void add(struct iobi_latency_shape *s, double p, double ns)
{
	if (s->n == IOBI_SHAPE_MAX || (s->n && (p <= s->p[s->n - 1] || ns < s->ns[s->n - 1])))
		return;
	s->p[s->n] = p;
	s->ns[s->n++] = ns;
}

/* At least one sample beyond it, else it is the maximum by another name. */
static bool supported(const struct iob_hist *h, double p)
{
	return (double)h->count * (100 - p) >= 100;
}

static void from_buckets(struct iobi_latency_shape *s, const struct iob_hist *h)
{
	static const struct {
		double from, step;
		unsigned n;
	} parts[] = { { 1, 1, 98 }, { 99, 0.1, 9 }, { 99.9, 0.01, 10 } };
	uint64_t v;
	for (size_t i = 0; i < IOBI_LEN(parts); i++)
		for (unsigned k = 0; k < parts[i].n; k++) {
			double p = parts[i].from + k * parts[i].step;
			if (supported(h, p) && !iob_hist_percentile(h, p, &v))
				add(s, p, (double)v);
		}
}

void iobi_shape_make(struct iobi_latency_shape *s, const struct iob_result *w)
{
	enum iob_op op;
	const struct iob_hist *h = iobi_view_hist(w, &op);
	uint64_t v;
	*s = (struct iobi_latency_shape){ .mean = NAN, .median = NAN };
	if (!h->count)
		return;
	for (size_t i = 0; h->summary && i < h->summary->n; i++) {
		double p = h->summary->known[i].step / 1e6;
		if (p > 0 && supported(h, p))
			add(s, p, (double)h->summary->known[i].value);
	}
	if (!h->summary) {
		from_buckets(s, h);
		s->hist = h;
	}
	s->mean = iob_hist_mean(h);
	if (!iob_hist_percentile(h, 50, &v))
		s->median = (double)v;
}

/* ---- a far second mode ---- */

/* Ordinary tails get there step by step; a bucket that is empty until its next
 * filling makes a gap of a factor, and then all wait about the same. */
static const double far_times = 20, gap_times = 4, far_spread = 4;
/* Less than half of the time, and the throughput is that of the near mode. */
static const double least_time = 0.5;
/* With buckets: about as long is within this factor of the middle, each way. */
static const double about_as_long = 1.5;

/* The widest gap from the median on; n: there is none. */
static size_t widest_gap(const struct iobi_latency_shape *s)
{
	size_t best = s->n;
	double most = gap_times;
	for (size_t i = 0; i + 1 < s->n; i++) {
		double times = s->ns[i + 1] / s->ns[i];
		if (s->p[i] >= 50 && times >= most) {
			most = times;
			best = i;
		}
	}
	return best;
}

/* Of percentiles alone: mean = (1 - f) median + f far. */
static bool far_of_points(const struct iobi_latency_shape *s, struct iobi_far_mode *out)
{
	size_t gap = widest_gap(s);
	if (gap == s->n)
		return false;
	double first = s->ns[gap + 1], last = s->ns[s->n - 1], far = sqrt(first * last);
	double f = (s->mean - s->median) / (far - s->median);
	*out = (struct iobi_far_mode){ .far_ns = first, .ios = f, .time = f * far / s->mean };
	return first >= far_times * s->median && last <= far_spread * first &&
	       out->time >= least_time && f < 0.5;
}

static double middle_of(const struct iob_hist *h, uint32_t i)
{
	return ((double)iobi_hist_low(h->bits, h->first + i) +
		(double)iobi_hist_high(h->bits, h->first + i)) /
	       2;
}

/* The latency up to which half of the time was spent. */
static double middle_of_time(const struct iob_hist *h)
{
	double half = (double)h->sum / 2, time = 0;
	for (uint32_t i = 0; i < h->span; i++) {
		time += (double)h->counts[i] * middle_of(h, i);
		if (time >= half)
			return middle_of(h, i);
	}
	return (double)h->max;
}

static bool far_of_buckets(const struct iob_hist *h, double median, struct iobi_far_mode *out)
{
	double middle = middle_of_time(h), ios = 0, time = 0;
	for (uint32_t i = 0; i < h->span; i++) {
		double at = middle_of(h, i);
		if (at < middle / about_as_long || at > middle * about_as_long)
			continue;
		ios += (double)h->counts[i];
		time += (double)h->counts[i] * at;
	}
	*out = (struct iobi_far_mode){ .far_ns = middle / about_as_long,
				       .ios = ios / (double)h->count,
				       .time = time / (double)h->sum };
	return middle >= far_times * median && out->time >= least_time && out->ios < 0.5;
}

bool iobi_shape_far_mode(const struct iobi_latency_shape *s, struct iobi_far_mode *out)
{
	if (!s->n || isnan(s->median))
		return false;
	return s->hist ? far_of_buckets(s->hist, s->median, out) : far_of_points(s, out);
}

/* ---- a comb ---- */

/* Neighbours within a fifth are of one tooth; one that is wider than a third is none. */
static const double tooth_step = 1.2, tooth_width = 1.33;
/* How far a distance between teeth may be from their mean. */
static const double even_within = 0.12;

struct tooth {
	size_t first, n;
};

static size_t find_teeth(const struct iobi_latency_shape *s, struct tooth *tooth, size_t max)
{
	size_t n = 0, first = 0;
	for (size_t i = 1; i <= s->n; i++) {
		if (i < s->n && s->ns[i] <= s->ns[i - 1] * tooth_step)
			continue;
		if (i - first >= 2 && s->ns[i - 1] <= s->ns[first] * tooth_width && n < max)
			tooth[n++] = (struct tooth){ first, i - first };
		first = i;
	}
	return n;
}

static double middle(const struct iobi_latency_shape *s, const struct tooth *t)
{
	return s->ns[t->first + t->n / 2];
}

/* The share from the percentile before a tooth to its last. */
static double share_of(const struct iobi_latency_shape *s, const struct tooth *t)
{
	double before = t->first ? s->p[t->first - 1] : 0;
	return (s->p[t->first + t->n - 1] - before) / 100;
}

bool iobi_shape_comb(const struct iobi_latency_shape *s, struct iobi_comb *out)
{
	struct tooth tooth[8];
	size_t n = find_teeth(s, tooth, IOBI_LEN(tooth));
	*out = (struct iobi_comb){ .teeth = (unsigned)n };
	if (n < 3)
		return false;
	double first = middle(s, &tooth[0]);
	out->step_ns = (middle(s, &tooth[n - 1]) - first) / (double)(n - 1);
	/* Deep queues wait for the second or third filling at least. */
	double from = round(first / out->step_ns);
	for (size_t i = 0; i < n; i++) {
		double at = middle(s, &tooth[i]);
		out->at[i] = at;
		out->ios += share_of(s, &tooth[i]);
		if (from < 1 || from > 4 ||
		    fabs(at / out->step_ns - from - (double)i) > even_within)
			return false;
	}
	return out->ios >= 0.5;
}
