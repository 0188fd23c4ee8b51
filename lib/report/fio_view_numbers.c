/* SPDX-License-Identifier: MIT */
/* What was measured, in the numbers that fio prints. */
#include "report/fio_view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

static enum iob_op op_of(int i)
{
	static const enum iob_op ops[] = { IOB_OP_READ, IOB_OP_WRITE, IOB_OP_TRIM, IOB_OP_SYNC };
	return ops[i];
}

/* ---- latencies ---- */

static bool is_sync(const struct iob_result *w)
{
	return !strcmp(iobi_report_ran(w, "engine_kind"), "sync");
}

/* fio has no slat of an engine whose call is the whole I/O. */
static bool has(const struct iob_result *w, enum iob_latency l)
{
	return l != IOB_LATENCY_SUBMIT || !is_sync(w);
}

/* As coarse as the coarsest. */
static int join_hist(struct iobi_fiov_job *j, enum iob_op op, enum iob_latency l,
		     struct iob_hist **out)
{
	int bits = 0, rc = 0;
	for (size_t i = 0; i < j->n_members; i++) {
		const struct iob_hist *h = iob_result_hist(j->member[i], op, l);
		if (!has(j->member[i], l) || !iob_hist_count(h))
			continue;
		if (!bits || iob_hist_precision(h) < bits)
			bits = iob_hist_precision(h);
	}
	*out = iob_hist_new(bits ? bits : IOBI_HIST_BITS_MIN, NULL);
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < j->n_members && !rc; i++) {
		const struct iob_hist *h = iob_result_hist(j->member[i], op, l);
		if (has(j->member[i], l) && iob_hist_count(h))
			rc = iob_hist_merge(*out, h);
	}
	return rc;
}

static double or_0(double v)
{
	return isfinite(v) ? v : 0;
}

/* The library's is that of the population. */
static double of_sample(double stddev, uint64_t n)
{
	return n > 1 ? or_0(stddev * sqrt((double)n / ((double)n - 1))) : 0;
}

static void outline(struct iobi_fiov_latency *l)
{
	l->n = iob_hist_count(l->hist);
	l->min = iob_hist_min(l->hist);
	l->max = iob_hist_max(l->hist);
	l->mean = or_0(iob_hist_mean(l->hist));
	l->stddev = of_sample(iob_hist_stddev(l->hist), l->n);
}

static uint64_t moved(const struct iobi_fiov_latency *l, uint64_t value)
{
	double v = (double)value;
	if (!l->moved)
		return value;
	double at = l->mean + (v - l->from_mean) * l->scale;
	/* No I/O took less off than the shortest submit, none more than the longest. */
	return iobi_fiov_whole(round(fmin(fmax(at, v - l->most), v - l->least)));
}

uint64_t iobi_fiov_value(const struct iobi_fiov_latency *l, uint64_t value)
{
	uint64_t v = moved(l, value);
	return v < l->min ? l->min : v > l->max ? l->max : v;
}

bool iobi_fiov_percentile(const struct iobi_fiov_latency *l, double p, uint64_t *value)
{
	if (iob_hist_percentile(l->hist, p, value))
		return false;
	*value = iobi_fiov_value(l, *value);
	return true;
}

/* I/Os of engines that have a slat, as a share of all. */
static double submitted_share(const struct iobi_fiov_job *j, enum iob_op op, uint64_t all)
{
	uint64_t n = 0;
	for (size_t i = 0; i < j->n_members; i++)
		if (!is_sync(j->member[i]))
			n += iob_hist_count(iob_result_hist(j->member[i], op, IOB_LATENCY_SERVICE));
	return all ? (double)n / (double)all : 0;
}

/*
 * What follows the submit call was not measured I/O by I/O: its mean is the
 * difference of the two means, and its variance, as of two times that do not
 * depend on each other, that of the variances.
 */
static void move(struct iobi_fiov_op *o, double share)
{
	struct iobi_fiov_latency *c = &o->clat;
	double lat = o->lat.stddev, slat = o->slat.stddev;
	*c = o->lat;
	if (!o->slat.n || !o->lat.n)
		return;
	c->moved = true;
	c->from_mean = o->lat.mean;
	c->mean = fmax(o->lat.mean - o->slat.mean * share, 0);
	c->stddev = lat > slat ? sqrt(lat * lat - slat * slat) : 0;
	c->scale = lat > 0 ? c->stddev / lat : 1;
	c->least = share < 1 ? 0 : (double)o->slat.min;
	c->most = (double)o->slat.max;
	c->min = moved(c, o->lat.min);
	c->max = moved(c, o->lat.max);
}

static int set_latencies(struct iobi_fiov_job *j, int i)
{
	struct iobi_fiov_op *o = &j->op[i];
	int rc = join_hist(j, op_of(i), IOB_LATENCY_SUBMIT, &o->slat.hist);
	rc = rc ? rc : join_hist(j, op_of(i), IOB_LATENCY_SERVICE, &o->lat.hist);
	if (rc)
		return rc;
	outline(&o->slat);
	outline(&o->lat);
	move(o, submitted_share(j, op_of(i), o->lat.n));
	return 0;
}

/* ---- rates over 500 ms ---- */

enum {
	SAMPLE_MS = 500,
	SLACK_MS = 20 /* an interval ends when the leader wakes up */
};

static void add_sample(struct iobi_fiov_samples *s, double v)
{
	double delta = v - s->mean;
	s->min = s->n && s->min < v ? s->min : v;
	s->max = v > s->max ? v : s->max;
	s->n++;
	s->mean += delta / (double)s->n;
	s->stddev += delta * (v - s->mean); /* the sum of squares, until the end */
}

/* What is left of the last sample is no sample, as in fio. */
static void sample(const struct iob_result *w, enum iob_op op, struct iobi_fiov_samples *bw,
		   struct iobi_fiov_samples *rate)
{
	uint64_t ns = 0, ios = 0, bytes = 0;
	for (size_t i = 0; i < iob_result_interval_count(w); i++) {
		const struct iob_interval *v = iob_result_interval(w, i, op);
		ns += v->length_ns;
		ios += v->ios;
		bytes += v->bytes;
		if (ns + SLACK_MS * MS < SAMPLE_MS * MS)
			continue;
		add_sample(bw, (double)bytes / 1024 / ((double)ns / 1e9));
		add_sample(rate, (double)ios / ((double)ns / 1e9));
		ns = ios = bytes = 0;
	}
}

/* Of jobs that ran side by side fio adds them up. */
static void join_samples(struct iobi_fiov_samples *s, const struct iobi_fiov_samples *one)
{
	s->n += one->n;
	s->min += one->min;
	s->max += one->max;
	s->mean += one->mean;
	s->stddev += one->stddev;
}

/* What another program printed of its own samples, but for their number. */
static void take_recorded(const struct iob_result *w, enum iob_op op, struct iobi_fiov_samples *bw)
{
	const struct iobi_recorded_op *rec = &w->recorded->op[op];
	if (!(rec->band_mean > 0))
		return;
	*bw = (struct iobi_fiov_samples){ .min = or_0(rec->band_min / 1024),
					  .max = or_0(rec->band_max / 1024),
					  .mean = rec->band_mean / 1024 };
}

static void set_samples(struct iobi_fiov_job *j, int i)
{
	struct iobi_fiov_op *o = &j->op[i];
	for (size_t k = 0; k < j->n_members && o->ios; k++) {
		struct iobi_fiov_samples bw = { 0 }, rate = { 0 };
		if (j->member[k]->recorded)
			take_recorded(j->member[k], op_of(i), &bw);
		else
			sample(j->member[k], op_of(i), &bw, &rate);
		join_samples(&o->bw, &bw);
		join_samples(&o->rate, &rate);
	}
	o->bw.stddev = o->bw.n > 1 ? sqrt(o->bw.stddev / ((double)o->bw.n - 1)) : 0;
	o->rate.stddev = o->rate.n > 1 ? sqrt(o->rate.stddev / ((double)o->rate.n - 1)) : 0;
}

/* ---- counts and rates ---- */

static void set_counts(struct iobi_fiov_job *j, int i)
{
	struct iobi_fiov_op *o = &j->op[i];
	uint64_t longest = 0;
	for (size_t k = 0; k < j->n_members; k++) {
		const struct iob_result *w = j->member[k];
		uint64_t ios = iob_result_count(w, op_of(i), IOB_COUNT_IOS);
		o->ios += ios;
		o->bytes += iob_result_count(w, op_of(i), IOB_COUNT_BYTES);
		o->shorts += iob_result_count(w, op_of(i), IOB_COUNT_SHORT);
		if (ios && iob_result_elapsed_ns(w) > longest)
			longest = iob_result_elapsed_ns(w);
	}
	if (!longest)
		return;
	o->runtime_ms = (longest + MS / 2) / MS;
	o->runtime_ms += !o->runtime_ms;
	o->iops = (double)o->ios * 1e9 / (double)longest;
	o->bytes_per_s = (double)o->bytes * 1e9 / (double)longest;
}

/* ---- shares of latencies ---- */

static int class_of(uint64_t v)
{
	static const unsigned below[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000 };
	int i = 0;
	while (i < (int)IOBI_LEN(below) && v >= below[i])
		i++;
	return i;
}

static double *share_at(struct iobi_fiov_job *j, uint64_t ns)
{
	if (ns < 1000)
		return &j->of_ns[class_of(ns)];
	if (ns < MS)
		return &j->of_us[class_of(ns / 1000)];
	return &j->of_ms[class_of(ns / MS)];
}

/* Of lat, which was measured. A bucket goes where its middle is. */
static int count_classes(struct iobi_fiov_job *j, const struct iobi_fiov_latency *l)
{
	size_t n = iob_hist_buckets(l->hist, NULL, NULL, NULL, 0);
	uint64_t *b = malloc((3 * n + 1) * sizeof(*b));
	if (!b)
		return -ENOMEM;
	iob_hist_buckets(l->hist, b, b + n, b + 2 * n, n);
	for (size_t i = 0; i < n; i++)
		*share_at(j, b[i] + (b[n + i] - b[i]) / 2) += (double)b[2 * n + i];
	free(b);
	return 0;
}

/* fio shows nothing that is there as less than `least`. */
static void to_percents(double *share, int n, double all, double least)
{
	for (int i = 0; i < n; i++)
		if (share[i] > 0)
			share[i] = fmin(fmax(share[i] * 100 / all, least), 100);
}

/* As printed, where there are no buckets to count. */
static void take_recorded_classes(struct iobi_fiov_job *j)
{
	const struct iobi_recorded *rec = j->member[0]->recorded;
	for (int i = 0; i < IOBI_FIOV_SYNC; i++)
		if (iob_hist_buckets(j->op[i].lat.hist, NULL, NULL, NULL, 0))
			return;
	for (size_t i = 0; rec && j->n_members == 1 && i < rec->n_share; i++) {
		const struct iobi_share *s = &rec->share[i];
		uint64_t from = iobi_fiov_whole(s->from_ns), upto = iobi_fiov_whole(s->upto_ns);
		*share_at(j, upto > from && !isinf(s->upto_ns) ? upto - 1 : from) += s->percent;
	}
}

static int set_classes(struct iobi_fiov_job *j)
{
	double all = 0;
	int rc = 0;
	for (int i = 0; i < IOBI_FIOV_SYNC && !rc; i++) {
		all += (double)j->op[i].lat.n;
		rc = count_classes(j, &j->op[i].lat);
	}
	to_percents(j->of_ns, IOBI_FIOV_CLASSES, all, 0.01);
	to_percents(j->of_us, IOBI_FIOV_CLASSES, all, 0.01);
	to_percents(j->of_ms, IOBI_FIOV_MS_CLASSES, all, 0.01);
	take_recorded_classes(j);
	return rc;
}

/* ---- the threads ---- */

static unsigned number(const struct iob_result *w, const char *name)
{
	unsigned long v = strtoul(iobi_report_ran(w, name), NULL, 10);
	return v < 1u << 30 ? (unsigned)v : 0;
}

static void set_threads(struct iobi_fiov_job *j)
{
	for (size_t i = 0; i < j->n_members; i++) {
		const struct iob_result *w = j->member[i];
		unsigned workers = number(w, "workers");
		workers += !workers;
		j->jobs += workers;
		j->runtime_ms += (iob_result_elapsed_ns(w) + MS / 2) / MS * workers;
	}
	j->queue_depth = number(j->member[j->n_members - 1], "queue_depth");
}

/* The first class of batches is that of none. */
static void set_depths(struct iobi_fiov_job *j, const struct iobi_usage *u)
{
	double all[3] = { 0 };
	for (int i = 0; i < IOBI_FIOV_DEPTHS; i++) {
		all[0] += j->depth[i] = (double)u->depth[i];
		all[1] += j->submit[i] = (double)u->submit[i];
		all[2] += j->complete[i] = (double)u->complete[i];
	}
	to_percents(j->depth, IOBI_FIOV_DEPTHS, all[0], 0.1);
	to_percents(j->submit, IOBI_FIOV_DEPTHS, all[1], 0.1);
	to_percents(j->complete, IOBI_FIOV_DEPTHS, all[2], 0.1);
}

static int set_usage(struct iobi_fiov_job *j)
{
	struct iobi_usage u = { 0 };
	int rc = 0;
	for (size_t i = 0; i < j->n_members && !rc; i++)
		rc = iobi_usage_add(&u, &j->member[i]->usage);
	j->user = u.ran_ns ? (double)u.user_ns * 100 / (double)u.ran_ns : 0;
	j->system = u.ran_ns ? (double)u.system_ns * 100 / (double)u.ran_ns : 0;
	j->switches = u.switches;
	j->major_faults = u.major_faults;
	j->minor_faults = u.minor_faults;
	set_depths(j, &u);
	return rc;
}

static void set_error(struct iobi_fiov_job *j)
{
	for (size_t i = 0; i < j->n_members; i++) {
		const struct iob_result *w = j->member[i];
		const struct iob_error *e = iob_result_error(w);
		if (e && !j->error)
			j->error = e->code;
		for (int op = IOB_OP_READ; op <= IOB_OP_SYNC; op++)
			j->errors += iob_result_count(w, (enum iob_op)op, IOB_COUNT_ERRORS);
		j->errors += iob_result_count(w, IOB_OP_ALL, IOB_COUNT_SHORT);
		j->goes_on |= !strcmp(iobi_report_ran(w, "on_error"), "continue");
	}
}

static void set_window(struct iobi_fiov_job *j)
{
	for (size_t i = 0; i < j->n_members; i++) {
		uint64_t from = iob_result_started_ns(j->member[i]);
		uint64_t to = from + iob_result_elapsed_ns(j->member[i]);
		if (!from)
			continue;
		j->started_ns = !j->started_ns || from < j->started_ns ? from : j->started_ns;
		j->ended_ns = to > j->ended_ns ? to : j->ended_ns;
	}
}

int iobi_fiov_numbers(struct iobi_fiov_job *j)
{
	int rc = 0;
	for (int i = 0; i < IOBI_FIOV_OPS && !rc; i++) {
		set_counts(j, i);
		set_samples(j, i);
		rc = set_latencies(j, i);
	}
	set_window(j);
	set_threads(j);
	set_error(j);
	rc = rc ? rc : set_usage(j);
	return rc ? rc : set_classes(j);
}
