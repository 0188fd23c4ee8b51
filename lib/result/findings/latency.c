/* SPDX-License-Identifier: MIT */
/* The shape of latencies: throttles and stalls. */
#include "result/findings/judge.h"
#include "result/findings/shape.h"
#include "result/findings/windows.h"
#include <inttypes.h>
#include <math.h>

/* ---- throttled ---- */

/* Live: a bucket is refilled evenly, so that seconds are alike; but for the first,
 * which finds it full, and the last, which has the run's end in it. */
static const double most_variation = 0.02;
enum {
	LEAST_SECONDS = 5
};

/* 1: flat, 0: not, -1: not known. */
static int is_flat(const struct iobi_judge *j, double *variation)
{
	double ios[IOBI_WINDOWS_MAX], seconds = floor(j->view.elapsed_ns / 1e9 * 1.001);
	*variation = NAN;
	if (!(seconds >= LEAST_SECONDS))
		return -1;
	size_t n = seconds < IOBI_WINDOWS_MAX ? (size_t)seconds : IOBI_WINDOWS_MAX;
	if (iobi_windows(j->r, ios, n))
		return -1;
	*variation = iobi_window_stats(ios + 1, n - 2).variation;
	return *variation < most_variation;
}

/* Less is what a busy machine's scheduler does to some of a few I/Os. */
static const double least_recorded = 1000, least_far_ns = 10e6;

static bool is_far(const struct iobi_judge *j, const struct iobi_far_mode *far)
{
	return !j->view.rec || far->far_ns >= least_far_ns;
}

static void raise_far(struct iobi_judge *j, const struct iobi_latency_shape *s,
		      const struct iobi_far_mode *far, double variation)
{
	iobi_number(j, "median_ns", s->median);
	iobi_number(j, "far_ns", far->far_ns);
	iobi_number(j, "far_ios", far->ios);
	iobi_number(j, "far_time", far->time);
	iobi_number(j, "mean_over_median", s->mean / s->median);
	if (!isnan(variation))
		iobi_number(j, "variation", variation);
	iobi_raise(j,
		   "%s throttled: %s of the I/Os took %s or more and with that %s of the time, the "
		   "others %s; mean / median is %s%s",
		   j->view.rec ? "looks" : "is", iobi_w_share(j, far->ios),
		   iobi_w_ns(j, far->far_ns), iobi_w_share(j, far->time), iobi_w_ns(j, s->median),
		   iobi_w_number(j, s->mean / s->median), j->view.rec ? "" : "; the rate is flat");
}

static void raise_comb(struct iobi_judge *j, const struct iobi_comb *comb, double variation)
{
	iobi_number(j, "step_ns", comb->step_ns);
	iobi_number(j, "clusters", comb->teeth);
	iobi_number(j, "clustered_ios", comb->ios);
	if (!isnan(variation))
		iobi_number(j, "variation", variation);
	iobi_raise(
		j,
		"%s throttled: latencies come in %u evenly spaced clusters, about %s, %s and %s%s, "
		"which hold %s of the I/Os: I/O waits for the next slice of a limit%s",
		j->view.rec ? "looks" : "is", comb->teeth, iobi_w_ns(j, comb->at[0]),
		iobi_w_ns(j, comb->at[1]), iobi_w_ns(j, comb->at[2]), comb->teeth > 3 ? " .." : "",
		iobi_w_share(j, comb->ios), j->view.rec ? "" : "; the rate is flat");
}

static void throttled(struct iobi_judge *j)
{
	struct iobi_latency_shape s;
	struct iobi_far_mode far;
	struct iobi_comb comb;
	double variation = NAN;
	iobi_shape_make(&s, j->r);
	if (!s.n || isnan(s.median)) {
		iobi_unchecked(j, "the recording has no percentiles");
		return;
	}
	if (!j->view.rec && is_flat(j, &variation) != 1)
		return;
	if (j->view.paced)
		return;
	if (j->view.rec && !(j->view.ios >= least_recorded)) {
		iobi_unchecked(j, "under 1,000 I/Os, chance makes such shapes");
		return;
	}
	if (iobi_shape_far_mode(&s, &far) && is_far(j, &far))
		raise_far(j, &s, &far, variation);
	else if (iobi_shape_comb(&s, &comb))
		raise_comb(j, &comb, variation);
}

/* ---- stall ---- */

/* A hundred times the mean happens to fast devices in every run; not for a second. */
static const double stall_times = 100, stall_ns = 1e9;
/* Or a handful for each slot of the queue: far outside, longer than a slice of
 * a throttle or a retry, and together more than a twentieth of the run. */
static const double outlier_times = 20, outlier_ns = 200e6, most_time = 0.05;
enum {
	HANDFUL = 5
};

struct outliers {
	double n, ns;
};

static struct outliers in_buckets(const struct iob_hist *h, double from)
{
	struct outliers o = { 0, 0 };
	for (uint32_t i = h->span; i-- > 0;) {
		double low = (double)iobi_hist_low(h->bits, h->first + i);
		if (low < from)
			break;
		o.n += (double)h->counts[i];
		o.ns += (double)h->counts[i] * fmin(low, (double)h->max);
	}
	return o;
}

/* A class of latencies counts from where it begins. */
static struct outliers in_shares(const struct iobi_judge *j, double from)
{
	struct outliers o = { 0, 0 };
	const struct iobi_recorded *rec = j->view.rec;
	for (size_t i = 0; i < rec->n_share; i++) {
		double n = round(rec->share[i].percent / 100 * j->view.ios);
		if (rec->share[i].from_ns < from)
			continue;
		o.n += n;
		o.ns += n * rec->share[i].from_ns;
	}
	return o;
}

static bool handful(struct iobi_judge *j, enum iob_op op, const struct iob_hist *h, double mean)
{
	double from = fmax(outlier_times * mean, outlier_ns), n = j->view.ran;
	struct outliers o = h->summary ? (struct outliers){ 0, 0 } : in_buckets(h, from);
	if (h->summary && j->view.rec && j->view.rec->n_share)
		o = in_shares(j, from);
	double time = o.ns / (j->view.elapsed_ns * n);
	if (!(o.n >= 1) || o.n > HANDFUL * n || !(time > most_time))
		return false;
	iobi_number(j, "ios", o.n);
	iobi_number(j, "longest_ns", (double)h->max);
	iobi_number(j, "mean_ns", mean);
	iobi_number(j, "time", time);
	iobi_raise(j,
		   "%s %s%s took %s or more (the longest %s, the mean %s) and with that %s of the "
		   "run's time",
		   iobi_w_number(j, o.n), iobi_op_name(op), o.n > 1 ? "s" : "",
		   iobi_w_ns(j, o.ns / o.n), iobi_w_ns(j, (double)h->max), iobi_w_ns(j, mean),
		   iobi_w_share(j, time));
	return true;
}

static double mean_of(const struct iobi_judge *j, enum iob_op op, const struct iob_hist *h)
{
	return j->view.rec ? j->view.rec->op[op].mean_ns.value : iob_hist_mean(h);
}

static bool one_for_long(struct iobi_judge *j, enum iob_op op, const struct iob_hist *h,
			 double mean)
{
	double max = (double)h->max;
	if (!(max > stall_times * mean) || !(max > stall_ns))
		return false;
	iobi_number(j, "longest_ns", max);
	iobi_number(j, "mean_ns", mean);
	iobi_number(j, "times", max / mean);
	iobi_raise(j, "a %s took %s, %s times the mean of %s", iobi_op_name(op), iobi_w_ns(j, max),
		   iobi_w_number(j, max / mean), iobi_w_ns(j, mean));
	return true;
}

static void stall(struct iobi_judge *j)
{
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		const struct iob_hist *h = j->r->op[op].latency[IOB_LATENCY_SERVICE];
		if (!h->count)
			continue;
		double mean = mean_of(j, (enum iob_op)op, h);
		if (one_for_long(j, (enum iob_op)op, h, mean) ||
		    handful(j, (enum iob_op)op, h, mean))
			return;
	}
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "throttled", "latency",
	    "Most I/Os are fast and some take 20 times the median or more, about as long each, "
	    "with a "
	    "gap between and more than half of the time; or latencies lie in three or more "
	    "clusters at "
	    "multiples of one step. Of a run here the rate must also be flat (it varies by less "
	    "than "
	    "2 % over windows of a second without the first and the last; of 5 s or more); a "
	    "recording only looks throttled, by 1,000 I/Os or more, the slow ones of 10 ms or "
	    "more.",
	    "A limit was measured (a cloud disk's, a control group's), not the storage: quote it "
	    "as "
	    "such, and do not quote its percentiles.",
	    "looks throttled: 2 % of the I/Os took 42.2 ms or more and with that 85 % of the time, "
	    "the "
	    "others 137 us; mean / median is 7.09" },
	  IOBI_AT_WORKLOAD,
	  false,
	  throttled },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "stall", "latency",
	    "An I/O took more than a second and more than 100 times the mean; or up to five for "
	    "each "
	    "place in the queue took more than 20 times the mean and 200 ms each, and together "
	    "more "
	    "than 5 % of the run's time.",
	    "Look for what stood still (a path failing over, a cache being emptied, a reset in the "
	    "kernel's log), and measure again: the mean is not that of a healthy device.",
	    "a write took 3.02 s, 224 times the mean of 13.5 ms" },
	  IOBI_AT_WORKLOAD,
	  false,
	  stall },
};

const struct iobi_family iobi_latency_rules = { rules, IOBI_LEN(rules) };
