/* SPDX-License-Identifier: MIT */
/* The part of a plan that says when I/Os start. */
#include "run/plan.h"

#include <errno.h>
#include <math.h>

static void read_rates(struct iobi_plan *p)
{
	const struct iob_workload *w = p->w;
	p->pace.iops[0] = (double)iobi_param(w, IOB_PARAM_RATE_IOPS);
	p->pace.iops[1] = (double)iobi_param(w, IOB_PARAM_RATE_IOPS_WRITE);
	p->pace.bytes[0] = (double)iobi_param(w, IOB_PARAM_RATE_BYTES);
	p->pace.bytes[1] = (double)iobi_param(w, IOB_PARAM_RATE_BYTES_WRITE);
	p->pace.split = p->pace.iops[1] > 0 || p->pace.bytes[1] > 0;
}

/* Writes on a schedule of their own are written, whatever read_percent says. */
static int split_ops(struct iobi_plan *p, struct iob_error *err)
{
	if (!p->pace.split)
		return 0;
	if (p->trims)
		return iobi_fail(err, EINVAL, "trim_percent",
				 "trims have no schedule where writes have one of their own; set "
				 "trim_percent=0, or rate_iops for all");
	p->reads = p->pace.iops[0] > 0 || p->pace.bytes[0] > 0;
	p->writes = true;
	return 0;
}

/* The first rate that is asked for, as its parameter is called. */
static const char *rate_name(const struct iobi_plan *p)
{
	return p->pace.iops[0] > 0    ? "rate_iops"
	       : p->pace.bytes[0] > 0 ? "rate_bytes"
	       : p->pace.iops[1] > 0  ? "rate_iops_write"
				      : "rate_bytes_write";
}

static int check_think(const struct iobi_plan *p, struct iob_error *err)
{
	const struct iobi_pace *pace = &p->pace;
	const char *needs = pace->think_ios        ? "think_ios"
			    : pace->think_after_ns ? "think_after"
						   : "think_spin";
	if ((iobi_pauses(pace) || pace->think_spin_ns) && !pace->think_ns)
		return iobi_fail(err, EINVAL, needs,
				 "%s needs a think_time over 0: how long to pause", needs);
	if (pace->think_spin_ns && !iobi_pauses(pace))
		return iobi_fail(err, EINVAL, "think_spin",
				 "think_spin is of a worker that pauses as a whole; set think_ios "
				 "or think_after, as think_ios=1");
	if (pace->open && pace->think_ns && !iobi_pauses(pace))
		return iobi_fail(
			err, EINVAL, "think_time",
			"\"%s\" is for arrival=closed: a schedule does not wait for the end "
			"of an I/O; with think_ios or think_after the worker pauses as a whole",
			p->w->text[IOB_PARAM_THINK_TIME]);
	return 0;
}

static int check_pace(const struct iobi_plan *p, struct iob_error *err)
{
	bool reads = p->pace.iops[0] > 0 || p->pace.bytes[0] > 0, rate = reads || p->pace.split;
	if (rate && !p->pace.open)
		return iobi_fail(err, EINVAL, "arrival",
				 "%s needs arrival=fixed or arrival=poisson: in a closed loop an I/O "
				 "starts when another one ends",
				 rate_name(p));
	if (!rate && p->pace.open)
		return iobi_fail(err, EINVAL, "rate_iops",
				 "arrival=%s needs a rate: rate_iops or rate_bytes over 0",
				 p->pace.poisson ? "poisson" : "fixed");
	return check_think(p, err);
}

int iobi_plan_pace(struct iobi_plan *p, struct iob_error *err)
{
	const struct iob_workload *w = p->w;
	const char *think = w->text[IOB_PARAM_THINK_TIME];
	int64_t ns = 0, arrival = iobi_param(w, IOB_PARAM_ARRIVAL);
	p->pace.open = arrival != IOBI_ARRIVAL_CLOSED;
	p->pace.poisson = arrival == IOBI_ARRIVAL_POISSON;
	p->pace.catch_up = iobi_param(w, IOB_PARAM_CATCH_UP);
	p->pace.spin = iobi_param(w, IOB_PARAM_SPIN);
	read_rates(p);
	int rc = iobi_parse_think_time(think && *think ? think : "0", &ns, &p->pace.think_exp, err);
	p->pace.think_ns = (uint64_t)ns;
	p->pace.think_ios = (uint64_t)iobi_param(w, IOB_PARAM_THINK_IOS);
	p->pace.think_after_ns = (uint64_t)iobi_param(w, IOB_PARAM_THINK_AFTER);
	p->pace.think_spin_ns = (uint64_t)iobi_param(w, IOB_PARAM_THINK_SPIN);
	rc = rc < 0 ? rc : check_pace(p, err);
	return rc < 0 ? rc : split_ops(p, err);
}

/* ---- mean gaps ---- */

/* The mean of max(gap, byte_ns x length) over the multiples low, 2 low, .. m low:
 * of the first k of them the gap is the longer one. */
static double mean_of_range(const struct iobi_sizes *s, double gap, double byte_ns)
{
	double m = s->multiples, unit = byte_ns * s->low;
	double k = unit > 0 ? fmin(m, floor(gap / unit)) : m;
	return (k * gap + unit * (m * (m + 1) - k * (k + 1)) / 2) / m;
}

static double mean_of_sizes(const struct iobi_sizes *s, double gap, double byte_ns)
{
	uint64_t before = 0;
	double sum = 0;
	if (!s->n)
		return mean_of_range(s, gap, byte_ns);
	if (s->n == 1)
		return fmax(gap, byte_ns * s->size[0]);
	for (unsigned i = 0; i < s->n; i++) {
		sum += (double)(s->below[i] - before) * fmax(gap, byte_ns * s->size[i]);
		before = s->below[i];
	}
	return sum / (double)before;
}

/* The share of starts that are reads; a write is two where it is trimmed first. */
static double read_share(const struct iobi_plan *p, int side)
{
	double trims = (double)p->choice.trim_below * 0x1p-32;
	double reads = (1 - trims) * (double)p->choice.read_below * 0x1p-32;
	if (p->pace.split)
		return side == 0;
	return p->trim_first ? reads / (2 - reads - trims) : reads;
}

void iobi_plan_gaps(struct iobi_plan *p)
{
	for (int side = 0; side < 2; side++) {
		const struct iobi_sizes *sizes = p->choice.sizes;
		double iops = p->pace.iops[side], bytes = p->pace.bytes[side];
		double gap = iops > 0 ? 1e9 / iops : 0, byte_ns = bytes > 0 ? 1e9 / bytes : 0;
		double reads = read_share(p, side);
		p->pace.gap_ns[side] = reads * mean_of_sizes(&sizes[0], gap, byte_ns) +
				       (1 - reads) * mean_of_sizes(&sizes[1], gap, byte_ns);
	}
}
