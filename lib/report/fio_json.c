/* SPDX-License-Identifier: MIT */
/* fio's JSON, as fio 3 prints it: the same keys in the same order, whole numbers
 * without a point and the others with six decimals. */
#include "report/fio_print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct doc {
	struct iobi_report *o;
	int depth;
	bool first; /* nothing stands in the innermost bracket yet */
	bool plus;  /* json+: with the bins of the histograms */
};

/* ---- values ---- */

static void indent(struct doc *d)
{
	iobi_text_printf(&d->o->text, "%*s", 2 * d->depth, "");
}

static void start(struct doc *d)
{
	iobi_text_add(&d->o->text, d->first ? "\n" : ",\n");
	d->first = false;
	indent(d);
}

/* Bytes that are no UTF-8 are "?". How long the character at s is; 0: none. */
static size_t utf8(const unsigned char *s)
{
	size_t n = *s < 0x80   ? 1
		   : *s < 0xc2 ? 0
		   : *s < 0xe0 ? 2
		   : *s < 0xf0 ? 3
		   : *s < 0xf5 ? 4
			       : 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void quote(struct iobi_text *t, const char *s)
{
	iobi_text_add(t, "\"");
	while (*s) {
		size_t n = utf8((const unsigned char *)s);
		if (*s == '"' || *s == '\\')
			iobi_text_printf(t, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			iobi_text_printf(t, "\\u%04x", (unsigned)*s);
		else
			iobi_text_add_n(t, n ? s : "?", n ? n : 1);
		s += n ? n : 1;
	}
	iobi_text_add(t, "\"");
}

static void key(struct doc *d, const char *name)
{
	start(d);
	quote(&d->o->text, name);
	iobi_text_add(&d->o->text, " : ");
}

static void text(struct doc *d, const char *name, const char *value)
{
	key(d, name);
	quote(&d->o->text, value);
}

/* fio's numbers are long long, and its readers' as well. */
static void whole(struct doc *d, const char *name, uint64_t value)
{
	char number[64];
	key(d, name);
	iobi_text_add(&d->o->text, iobi_format_u128(number, sizeof(number),
						    value > INT64_MAX ? INT64_MAX : value));
}

/* What no number can be, as a share that was read from a spoilt report, is 0. */
static void real(struct doc *d, const char *name, double value)
{
	char number[64];
	double v = value > -1e30 && value < 1e30 ? value : 0;
	key(d, name);
	iobi_text_add(&d->o->text, iobi_format_fixed(number, sizeof(number), v, 6));
}

static void open_bracket(struct doc *d, const char *name, const char *bracket)
{
	if (name)
		key(d, name);
	else
		start(d);
	iobi_text_add(&d->o->text, bracket);
	d->depth++;
	d->first = true;
}

static void close_bracket(struct doc *d, const char *bracket)
{
	d->depth--;
	iobi_text_add(&d->o->text, "\n");
	indent(d);
	iobi_text_add(&d->o->text, bracket);
	d->first = false;
	iobi_report_push(d->o);
}

static void texts(struct doc *d, const char *name, const struct iobi_pairs *p)
{
	open_bracket(d, name, "{");
	for (size_t i = 0; i < p->n; i++)
		text(d, p->pair[i].name, p->pair[i].value);
	close_bracket(d, "}");
}

static void reals(struct doc *d, const char *name, const char *const *names, const double *v)
{
	open_bracket(d, name, "{");
	for (size_t i = 0; names[i]; i++)
		real(d, names[i], v[i]);
	close_bracket(d, "}");
}

/* ---- latencies ---- */

/* Of what another program printed only some are known, or none. */
static void percentiles(struct doc *d, const struct iobi_fiov_latency *l,
			const struct iobi_percentiles *p)
{
	bool open = false;
	for (size_t i = 0; i < p->n; i++) {
		char name[64];
		uint64_t value;
		if (!iobi_fiov_percentile(l, p->p[i], &value))
			continue;
		if (!open)
			open_bracket(d, "percentile", "{");
		open = true;
		whole(d, iobi_format_fixed(name, sizeof(name), p->p[i], 6), value);
	}
	if (open)
		close_bracket(d, "}");
}

/* The middle of one of fio's bins is its key. They are those of a histogram of 6
 * bits; the last takes all from 17 s on. */
enum {
	BITS = 6,
	BINS = 29 << BITS
};

static uint64_t bin_of(uint64_t v)
{
	uint32_t i = iobi_hist_index(BITS, v);
	i = i < BINS ? i : BINS - 1;
	uint64_t low = iobi_hist_low(BITS, i);
	return low + (iobi_hist_high(BITS, i) - low + 1) / 2;
}

/* Where bucket i of n lies: the outer ones hold the extremes. */
static uint64_t place(const struct iobi_fiov_latency *l, const uint64_t *low, const uint64_t *high,
		      size_t i, size_t n)
{
	if (!i || i + 1 == n)
		return bin_of(i ? l->max : l->min);
	return bin_of(iobi_fiov_value(l, low[i] + (high[i] - low[i]) / 2));
}

/* Buckets are in ascending order, and stay so when they are moved. */
static void bins(struct doc *d, const struct iobi_fiov_latency *l)
{
	size_t n = iob_hist_buckets(l->hist, NULL, NULL, NULL, 0);
	uint64_t *low = malloc((3 * n + 1) * sizeof(*low));
	uint64_t *high = low ? low + n : NULL, *count = low ? low + 2 * n : NULL;
	char name[64];
	d->o->text.failed |= !low;
	open_bracket(d, "bins", "{");
	if (low)
		iob_hist_buckets(l->hist, low, high, count, n);
	for (size_t i = 0; low && i < n; i++) {
		uint64_t at = place(l, low, high, i, n);
		if (i + 1 < n && place(l, low, high, i + 1, n) == at)
			count[i + 1] += count[i];
		else
			whole(d, iobi_format_u128(name, sizeof(name), at), count[i]);
	}
	close_bracket(d, "}");
	free(low);
}

static void latency(struct doc *d, const char *name, const struct iobi_fiov_latency *l,
		    const struct iobi_percentiles *p, bool with_percentiles)
{
	open_bracket(d, name, "{");
	whole(d, "min", l->min);
	whole(d, "max", l->max);
	real(d, "mean", l->mean);
	real(d, "stddev", l->stddev);
	whole(d, "N", l->n);
	if (with_percentiles && l->n)
		percentiles(d, l, p);
	if (with_percentiles && d->plus && iob_hist_buckets(l->hist, NULL, NULL, NULL, 0))
		bins(d, l);
	close_bracket(d, "}");
}

/* ---- a job ---- */

static void rates(struct doc *d, const struct iobi_fiov_op *o)
{
	whole(d, "bw_min", iobi_fiov_whole(o->bw.min));
	whole(d, "bw_max", iobi_fiov_whole(o->bw.max));
	real(d, "bw_agg", o->agg);
	real(d, "bw_mean", o->bw.mean);
	real(d, "bw_dev", o->bw.stddev);
	whole(d, "bw_samples", o->bw.n);
	whole(d, "iops_min", iobi_fiov_whole(o->rate.min));
	whole(d, "iops_max", iobi_fiov_whole(o->rate.max));
	real(d, "iops_mean", o->rate.mean);
	real(d, "iops_stddev", o->rate.stddev);
	whole(d, "iops_samples", o->rate.n);
}

static void operation(struct doc *d, const char *name, const struct iobi_fiov_job *j, int i)
{
	const struct iobi_fiov_op *o = &j->op[i];
	open_bracket(d, name, "{");
	whole(d, "io_bytes", o->bytes);
	whole(d, "io_kbytes", o->bytes >> 10);
	whole(d, "bw_bytes", iobi_fiov_whole(o->bytes_per_s));
	whole(d, "bw", iobi_fiov_whole(o->bytes_per_s / 1024));
	real(d, "iops", o->iops);
	whole(d, "runtime", o->runtime_ms);
	whole(d, "total_ios", o->ios);
	whole(d, "short_ios", o->shorts);
	whole(d, "drop_ios", 0); /* none is given up once it was issued */
	latency(d, "slat_ns", &o->slat, &j->percentiles, j->of_slat);
	latency(d, "clat_ns", &o->clat, &j->percentiles, j->of_clat);
	latency(d, "lat_ns", &o->lat, &j->percentiles, j->of_lat);
	rates(d, o);
	close_bracket(d, "}");
}

static void flushes(struct doc *d, const struct iobi_fiov_job *j)
{
	const struct iobi_fiov_op *o = &j->op[IOBI_FIOV_SYNC];
	open_bracket(d, "sync", "{");
	whole(d, "total_ios", o->ios);
	latency(d, "lat_ns", &o->lat, &j->percentiles, j->of_clat || j->of_lat);
	close_bracket(d, "}");
}

static void threads(struct doc *d, const struct iobi_fiov_job *j)
{
	static const char *const depth[] = { "1", "2", "4", "8", "16", "32", ">=64", NULL };
	static const char *const batch[] = { "0", "4", "8", "16", "32", "64", ">=64", NULL };

	whole(d, "job_runtime", j->runtime_ms);
	real(d, "usr_cpu", j->user);
	real(d, "sys_cpu", j->system);
	whole(d, "ctx", j->switches);
	whole(d, "majf", j->major_faults);
	whole(d, "minf", j->minor_faults);
	reals(d, "iodepth_level", depth, j->depth);
	reals(d, "iodepth_submit", batch, j->submit);
	reals(d, "iodepth_complete", batch, j->complete);
}

static void classes(struct doc *d, const struct iobi_fiov_job *j)
{
	static const char *const names[] = { "2",   "4",   "10",  "20",   "50", "100",
					     "250", "500", "750", "1000", NULL };
	static const char *const ms[] = { "2",   "4",   "10",   "20",   "50",     "100", "250",
					  "500", "750", "1000", "2000", ">=2000", NULL };
	reals(d, "latency_ns", names, j->of_ns);
	reals(d, "latency_us", names, j->of_us);
	reals(d, "latency_ms", ms, j->of_ms);
}

static uint64_t seconds(uint64_t from, uint64_t to)
{
	return to > from ? (to - from + 999999999) / 1000000000 : 0;
}

static void job(struct doc *d, const struct iobi_fiov *v, const struct iobi_fiov_job *j)
{
	open_bracket(d, NULL, "{");
	text(d, "jobname", j->name);
	whole(d, "groupid", j->group);
	whole(d, "job_start", j->started_ns / 1000000);
	whole(d, "error", (uint64_t)j->error);
	whole(d, "eta", 0);
	whole(d, "elapsed", seconds(v->started_ns, v->ended_ns));
	texts(d, "job options", &j->options);
	operation(d, "read", j, IOBI_FIOV_READ);
	operation(d, "write", j, IOBI_FIOV_WRITE);
	operation(d, "trim", j, IOBI_FIOV_TRIM);
	flushes(d, j);
	threads(d, j);
	classes(d, j);
	if (j->goes_on) {
		whole(d, "total_err", j->errors);
		whole(d, "first_error", (uint64_t)j->error);
	}
	whole(d, "latency_depth", j->queue_depth);
	whole(d, "latency_target", 0); /* latency_target and its like are refused */
	whole(d, "latency_target_ns", 0);
	real(d, "latency_percentile", 100);
	whole(d, "latency_window", 0);
	whole(d, "latency_window_us", 0);
	if (*j->description)
		text(d, "desc", j->description);
	close_bracket(d, "}");
}

/* ---- disks ---- */

static void members(struct doc *d, const struct iobi_fiov_disk *disk)
{
	const struct iob_device_io *r = &disk->of_members[0], *w = &disk->of_members[1];
	whole(d, "aggr_read_ios", r->ios);
	whole(d, "aggr_write_ios", w->ios);
	whole(d, "aggr_read_merges", r->merges);
	whole(d, "aggr_write_merge", w->merges); /* as fio has it */
	whole(d, "aggr_read_ticks", r->ticks_ms);
	whole(d, "aggr_write_ticks", w->ticks_ms);
	whole(d, "aggr_in_queue", disk->members_queue_ms);
	real(d, "aggr_util", disk->members_util);
}

static void disk(struct doc *d, const struct iobi_fiov_disk *disk)
{
	const struct iob_device_io *r = &disk->use->op[IOB_OP_READ];
	const struct iob_device_io *w = &disk->use->op[IOB_OP_WRITE];
	open_bracket(d, NULL, "{");
	text(d, "name", disk->use->name);
	whole(d, "read_ios", r->ios);
	whole(d, "write_ios", w->ios);
	whole(d, "read_sectors", r->bytes / 512);
	whole(d, "write_sectors", w->bytes / 512);
	whole(d, "read_merges", r->merges);
	whole(d, "write_merges", w->merges);
	whole(d, "read_ticks", r->ticks_ms);
	whole(d, "write_ticks", w->ticks_ms);
	whole(d, "in_queue", disk->use->queue_ms);
	real(d, "util", disk->util);
	if (disk->n_members)
		members(d, disk);
	close_bracket(d, "}");
}

/* ---- the document ---- */

static void head(struct doc *d, const struct iobi_fiov *v, const struct iob_result *r)
{
	char value[96];
	iobi_fiop_version(value, sizeof(value), r);
	text(d, "fio version", value);
	whole(d, "timestamp", v->ended_ns / 1000000000);
	whole(d, "timestamp_ms", v->ended_ns / 1000000);
	iobi_fiop_time(value, sizeof(value), v->ended_ns);
	text(d, "time", value);
	if (v->global.n)
		texts(d, "global options", &v->global);
}

static void document(struct doc *d, const struct iobi_fiov *v, const struct iob_result *r)
{
	iobi_text_add(&d->o->text, "{");
	d->depth = 1;
	d->first = true;
	head(d, v, r);
	open_bracket(d, "jobs", "[");
	for (size_t i = 0; i < v->n_jobs && !d->o->rc; i++)
		job(d, v, &v->job[i]);
	close_bracket(d, "]");
	if (v->n_disks) {
		open_bracket(d, "disk_util", "[");
		for (size_t i = 0; i < v->n_disks; i++)
			disk(d, &v->disk[i]);
		close_bracket(d, "]");
	}
	iobi_text_add(&d->o->text, "\n}\n");
}

static void report(struct iobi_report *o, const struct iob_result *r, bool plus)
{
	struct doc d = { .o = o, .plus = plus };
	struct iobi_fiov v;
	if (iobi_fiov_open(&v, r)) {
		o->text.failed = 1;
		return;
	}
	document(&d, &v, r);
	iobi_fiov_close(&v);
}

void iobi_report_fio_json(struct iobi_report *o, const struct iob_result *r)
{
	report(o, r, false);
}

void iobi_report_fio_json_plus(struct iobi_report *o, const struct iob_result *r)
{
	report(o, r, true);
}
