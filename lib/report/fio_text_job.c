/* SPDX-License-Identifier: MIT */
/* One job of fio's report for people. */
#include "report/fio_print.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- latencies ---- */

/* The unit that a range is told in: the power of 1000 it is divided by. */
static int scale_of(double min, double max, double stddev)
{
	if (min > 2e6 && max > 99999999 && stddev > 1e6)
		return 2;
	return min > 2e3 && max > 99999 && stddev > 1e3 ? 1 : 0;
}

static const char *const units[] = { "nsec", "usec", "msec" };

static void range(struct iobi_report *o, const char *name, const struct iobi_fiov_latency *l)
{
	int scale = scale_of((double)l->min, (double)l->max, l->stddev);
	uint64_t by = scale == 2 ? 1000000 : scale == 1 ? 1000 : 1;
	char min[IOBI_FIOP_NUMBER], max[IOBI_FIOP_NUMBER];
	if (!l->n)
		return;
	iobi_text_printf(&o->text, "    %s (%s): min=%s, max=%s, avg=", name, units[scale],
			 iobi_fiop_number(min, l->min / by, 6, 1000, ""),
			 iobi_fiop_number(max, l->max / by, 6, 1000, ""));
	iobi_fiop_fixed(&o->text, l->mean / (double)by, 5);
	iobi_text_add(&o->text, ", stdev=");
	iobi_fiop_fixed(&o->text, l->stddev / (double)by, 5);
	iobi_text_add(&o->text, "\n");
}

/* How many decimals the list needs. */
static int decimals_of(const struct iobi_percentiles *p)
{
	int most = 0;
	for (size_t i = 0; i < p->n; i++) {
		char text[64], *point;
		point = strchr(iobi_format_percent(text, sizeof(text), p->p[i]), '.');
		int n = point ? (int)strlen(point + 1) : 0;
		most = n > most ? n : most;
	}
	return most;
}

struct shown {
	double p[IOBI_PERCENTILES_MAX];
	uint64_t value[IOBI_PERCENTILES_MAX], min, max;
	uint64_t most; /* of all I/Os */
	size_t n;
};

/* Those that are known. */
static void find_shown(struct shown *s, const struct iobi_fiov_latency *l,
		       const struct iobi_percentiles *p)
{
	s->n = 0;
	s->min = UINT64_MAX;
	s->max = 0;
	s->most = l->max;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t v;
		if (!iobi_fiov_percentile(l, p->p[i], &v))
			continue;
		s->p[s->n] = p->p[i];
		s->value[s->n++] = v;
		s->min = v < s->min ? v : s->min;
		s->max = v > s->max ? v : s->max;
	}
}

/* As fio: rounded up at each step of the scale; but not above the maximum, which is
 * rounded down. */
static uint64_t scaled(const struct shown *s, uint64_t v, int scale)
{
	uint64_t most = s->most;
	for (int i = 0; i < scale; i++) {
		v = v / 1000 + (v % 1000 != 0);
		most /= 1000;
	}
	return v < most ? v : most;
}

/* As many in a row as fit in 80 columns. */
static void rows(struct iobi_report *o, const struct shown *s, int decimals, int scale)
{
	char text[64];
	int width = snprintf(text, sizeof(text), "%" PRIu64, scaled(s, s->max, scale));
	width = width > 5 ? width : 5;
	int a_row = 73 / (decimals + 10 + width);
	for (size_t i = 0; i < s->n; i++) {
		bool last = i + 1 == s->n;
		if (i % (size_t)a_row == 0)
			iobi_text_add(&o->text, "     |");
		iobi_format_fixed(text, sizeof(text), s->p[i], decimals);
		iobi_text_printf(&o->text, " %*sth=[%*" PRIu64 "]%s", decimals + 3, text, width,
				 scaled(s, s->value[i], scale), last ? "\n" : ",");
		if (!last && (i + 1) % (size_t)a_row == 0)
			iobi_text_add(&o->text, "\n");
	}
}

static void percentiles(struct iobi_report *o, const char *name, const struct iobi_fiov_latency *l,
			const struct iobi_percentiles *p)
{
	struct shown s;
	find_shown(&s, l, p);
	if (!l->n || !s.n)
		return;
	int scale = scale_of((double)s.min, (double)s.max, HUGE_VAL);
	iobi_text_printf(&o->text, "    %s percentiles (%s):\n", name, units[scale]);
	rows(o, &s, decimals_of(p), scale);
}

/* ---- a direction ---- */

static void samples(struct iobi_report *o, const struct iobi_fiov_samples *s, double by,
		    const char *head, double share)
{
	iobi_text_printf(&o->text, "   %s: min=%5" PRIu64 ", max=%5" PRIu64 ", ", head,
			 iobi_whole(floor(s->min / by)), iobi_whole(floor(s->max / by)));
	if (share >= 0) {
		iobi_text_add(&o->text, "per=");
		iobi_fiop_fixed(&o->text, share, 3);
		iobi_text_add(&o->text, "%, ");
	}
	iobi_text_add(&o->text, "avg=");
	iobi_fiop_fixed(&o->text, s->mean / by, 5);
	if (!s->n) { /* recorded: what was printed of them */
		iobi_text_add(&o->text, "\n");
		return;
	}
	iobi_text_add(&o->text, ", stdev=");
	iobi_fiop_fixed(&o->text, s->stddev / by, 5);
	iobi_text_printf(&o->text, ", samples=%" PRIu64 "\n", s->n);
}

static void bands(struct iobi_report *o, const struct iobi_fiov_op *op)
{
	bool large = op->bw.mean > 1024.0 * 1024;
	if (op->bw.mean > 0)
		samples(o, &op->bw, large ? 1024 : 1, large ? "bw (  MiB/s)" : "bw (  KiB/s)",
			op->agg);
	if (op->rate.n)
		samples(o, &op->rate, 1, "iops        ", -1);
}

static void direction(struct iobi_report *o, const struct iobi_fiov_job *j,
		      const struct iobi_fiov_op *op, const char *name)
{
	char iops[IOBI_FIOP_NUMBER], bw[IOBI_FIOP_NUMBER], alt[IOBI_FIOP_NUMBER],
		moved[IOBI_FIOP_NUMBER];
	if (!op->runtime_ms)
		return;
	iobi_text_printf(&o->text, "  %s: IOPS=%s, BW=%s (%s)(%s/%" PRIu64 "msec)\n", name,
			 iobi_fiop_number(iops, (uint64_t)op->iops, 4, 1000, ""),
			 iobi_fiop_number(bw, (uint64_t)op->bytes_per_s, 4, 1024, "B/s"),
			 iobi_fiop_number(alt, (uint64_t)op->bytes_per_s, 4, 1000, "B/s"),
			 iobi_fiop_number(moved, op->bytes, 4, 1024, "B"), op->runtime_ms);
	range(o, "slat", &op->slat);
	range(o, "clat", &op->clat);
	range(o, " lat", &op->lat);
	if (j->of_slat)
		percentiles(o, "slat", &op->slat, &j->percentiles);
	if (j->of_clat)
		percentiles(o, "clat", &op->clat, &j->percentiles);
	if (j->of_lat)
		percentiles(o, "lat", &op->lat, &j->percentiles);
	bands(o, op);
	iobi_report_push(o);
}

static void flushes(struct iobi_report *o, const struct iobi_fiov_job *j)
{
	const struct iobi_fiov_latency *l = &j->op[IOBI_FIOV_SYNC].lat;
	if (!l->n)
		return;
	iobi_text_add(&o->text, "  fsync/fdatasync/sync_file_range/syncfs:\n");
	range(o, "sync", l);
	percentiles(o, "sync", l, &j->percentiles);
}

/* ---- all directions ---- */

static void shares(struct iobi_report *o, const char *unit, const double *share, int n)
{
	static const char *const upto[] = { "2",   "4",   "10",  "20",   "50",   "100",
					    "250", "500", "750", "1000", "2000", ">=2000" };
	int in_line = 0;
	for (int i = 0; i < n; i++) {
		if (!(share[i] > 0))
			continue;
		if (in_line == 5)
			iobi_text_add(&o->text, "\n");
		in_line %= 5;
		if (in_line)
			iobi_text_add(&o->text, ", ");
		else
			iobi_text_printf(&o->text, "  lat (%s)   : ", unit);
		in_line++;
		iobi_text_printf(&o->text, "%s=", upto[i]);
		iobi_fiop_fixed(&o->text, share[i], 3);
		iobi_text_add(&o->text, "%");
	}
	iobi_text_add(&o->text, in_line ? "\n" : "");
}

static void spread(struct iobi_report *o, const char *head, const char *const *names,
		   const double *share)
{
	char text[64];
	iobi_text_printf(&o->text, "  %s: ", head);
	for (int i = 0; i < IOBI_FIOV_DEPTHS; i++)
		iobi_text_printf(&o->text, "%s%s=%s%%", i ? ", " : "", names[i],
				 iobi_format_fixed(text, sizeof(text), share[i], 1));
	iobi_text_add(&o->text, "\n");
}

static void threads(struct iobi_report *o, const struct iobi_fiov_job *j)
{
	static const char *const depth[] = { "1", "2", "4", "8", "16", "32", ">=64" };
	static const char *const batch[] = { "0", "4", "8", "16", "32", "64", ">=64" };
	iobi_text_add(&o->text, "  cpu          : usr=");
	iobi_fiop_fixed(&o->text, j->user, 3);
	iobi_text_add(&o->text, "%, sys=");
	iobi_fiop_fixed(&o->text, j->system, 3);
	iobi_text_printf(&o->text, "%%, ctx=%" PRIu64 ", majf=%" PRIu64 ", minf=%" PRIu64 "\n",
			 j->switches, j->major_faults, j->minor_faults);
	spread(o, "IO depths    ", depth, j->depth);
	spread(o, "   submit    ", batch, j->submit);
	spread(o, "   complete  ", batch, j->complete);
}

static void counts(struct iobi_report *o, const struct iobi_fiov_job *j)
{
	const struct iobi_fiov_op *op = j->op;
	iobi_text_printf(&o->text,
			 "     issued rwts: total=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			 " short=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0 dropped=0,0,0,0\n",
			 op[IOBI_FIOV_READ].ios, op[IOBI_FIOV_WRITE].ios, op[IOBI_FIOV_TRIM].ios,
			 op[IOBI_FIOV_SYNC].ios, op[IOBI_FIOV_READ].shorts,
			 op[IOBI_FIOV_WRITE].shorts, op[IOBI_FIOV_TRIM].shorts);
}

/* "EIO (Input/output error)" without its name. */
static void error_words(struct iobi_text *t, int code)
{
	const char *all = iobi_errno_text(code), *from = strchr(all, '(');
	size_t n = from ? strcspn(from + 1, ")") : strlen(all);
	if (code)
		iobi_text_add_n(t, from ? from + 1 : all, n);
	else
		iobi_text_add(t, "Success");
}

static const struct iob_error *first_error(const struct iobi_fiov_job *j)
{
	for (size_t i = 0; i < j->n_members; i++)
		if (iob_result_error(j->member[i]))
			return iob_result_error(j->member[i]);
	return NULL;
}

/* Where fio names its own source file, the file that it happened on. */
static void add_error(struct iobi_text *t, const struct iobi_fiov_job *j)
{
	const struct iob_error *e = first_error(j);
	iobi_text_printf(t, "err=%2d", j->error);
	if (!e)
		return;
	iobi_text_add(t, " (file:");
	iobi_fiop_text(t, e->file);
	iobi_text_add(t, ", func=");
	iobi_fiop_text(t, e->where);
	iobi_text_add(t, ", error=");
	error_words(t, e->code);
	iobi_text_add(t, ")");
}

static void header(struct iobi_report *o, const struct iobi_fiov *v, const struct iobi_fiov_job *j)
{
	char when[96];
	iobi_fiop_time(when, sizeof(when), v->ended_ns);
	iobi_fiop_text(&o->text, j->name);
	iobi_text_printf(&o->text, ": (groupid=%u, jobs=%u): ", j->group, j->jobs);
	add_error(&o->text, j);
	iobi_text_printf(&o->text, ": pid=%zu: %s\n", (size_t)(j - v->job) + 1, when);
	if (!*j->description)
		return;
	iobi_text_add(&o->text, "  Description  : [");
	iobi_fiop_text(&o->text, j->description);
	iobi_text_add(&o->text, "]\n");
}

void iobi_fiop_job(struct iobi_report *o, const struct iobi_fiov *v, const struct iobi_fiov_job *j)
{
	static const char *const names[] = { "read", "write", "trim" };
	header(o, v, j);
	for (int i = 0; i < IOBI_FIOV_SYNC; i++)
		direction(o, j, &j->op[i], names[i]);
	shares(o, "nsec", j->of_ns, IOBI_FIOV_CLASSES);
	shares(o, "usec", j->of_us, IOBI_FIOV_CLASSES);
	shares(o, "msec", j->of_ms, IOBI_FIOV_MS_CLASSES);
	flushes(o, j);
	if (!j->member[0]->recorded) /* of others it is not known */
		threads(o, j);
	counts(o, j);
	if (j->goes_on) {
		iobi_text_printf(&o->text, "     errors    : total=%" PRIu64 ", first_error=%d/<",
				 j->errors, j->error);
		error_words(&o->text, j->error);
		iobi_text_add(&o->text, ">\n");
	}
	iobi_text_printf(&o->text,
			 "     latency   : target=0.00ns, window=0.00ns, percentile=100.00%%, "
			 "depth=%u\n",
			 j->queue_depth);
	iobi_report_push(o);
}
