/* SPDX-License-Identifier: MIT */
/*
 * fio's logs of bandwidth, IOPS and latency, from the interval series: lines
 * "ms, value, direction, block size, priority", as fio writes them with
 * log_avg_msec. What is a mean has no block size: 0, as in fio.
 */
#include "report/fio_view.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	BANDWIDTH,
	IOPS,
	LATENCY,
	SUBMIT,
	COMPLETE
};

struct log {
	const struct iob_result *w;
	enum kind kind;
	bool sync;        /* a call is the whole I/O: there is no submit time */
	uint64_t from_ns; /* of the series: where the workload's own window begins */
	uint64_t mean_ns; /* of how long a line is asked to be the mean; 0: as it comes */
	uint64_t epoch_ms;
};

/* Intervals in one. Latencies are sums, NaN where they are not known. */
struct window {
	uint64_t start_ns, end_ns, place; /* place: of the line it belongs to */
	struct {
		uint64_t ios, bytes;
		double lat, slat;
	} op[IOBI_RESULT_OPS];
};

struct windows {
	struct window *at;
	size_t n;
};

/* ---- from intervals to windows ---- */

/* A workload's series is on its stage's clock, and goes on while others run. An
 * interval goes to the line that its middle lies in. */
static struct window own_part(const struct log *l, size_t i)
{
	const struct iob_interval *v = &l->w->interval[IOB_OP_ALL][i];
	uint64_t start = v->start_ns, end = v->start_ns + v->length_ns;
	uint64_t last = l->from_ns + l->w->elapsed_ns;
	start = start < last ? start : last;
	start = start > l->from_ns ? start - l->from_ns : 0;
	end = end < last ? end : last;
	end = end > l->from_ns ? end - l->from_ns : 0;
	end = end > start ? end : start;
	return (struct window){ .start_ns = start,
				.end_ns = end,
				.place = l->mean_ns ? (start + end) / 2 / l->mean_ns : i };
}

static void add_io(struct window *to, const struct iob_result *w, size_t i)
{
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		const struct iob_interval *v = &w->interval[op][i];
		if (!v->ios)
			continue;
		to->op[op].ios += v->ios;
		to->op[op].bytes += v->bytes;
		to->op[op].lat += v->mean_ns * (double)v->ios;
		to->op[op].slat += v->submit_mean_ns * (double)v->ios;
	}
}

static void join(struct window *to, const struct window *from)
{
	to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		to->op[op].ios += from->op[op].ios;
		to->op[op].bytes += from->op[op].bytes;
		to->op[op].lat += from->op[op].lat;
		to->op[op].slat += from->op[op].slat;
	}
}

/* Less than half a line is no line: the drain at the end of a run. */
static void close_last(struct windows *all)
{
	const struct window *last = all->n > 1 ? &all->at[all->n - 1] : NULL;
	if (!last || (last->end_ns - last->start_ns) * 2 >= last[-1].end_ns - last[-1].start_ns)
		return;
	join(&all->at[all->n - 2], last);
	all->n--;
}

static bool make_windows(const struct log *l, struct windows *all)
{
	all->at = calloc(l->w->n_intervals + 1, sizeof(*all->at));
	for (size_t i = 0; all->at && i < l->w->n_intervals; i++) {
		struct window next = own_part(l, i);
		add_io(&next, l->w, i);
		struct window *line = all->n ? &all->at[all->n - 1] : NULL;
		bool empty = next.end_ns == next.start_ns;
		if (line && (empty || line->place == next.place))
			join(line, &next);
		else if (!empty)
			all->at[all->n++] = next;
	}
	if (all->at)
		close_last(all);
	return all->at != NULL;
}

/* ---- lines ---- */

/* NaN: not known, or none. */
static double value_of(const struct log *l, const struct window *v, int op)
{
	double seconds = (double)(v->end_ns - v->start_ns) / 1e9, ios = (double)v->op[op].ios;
	switch (l->kind) {
	case BANDWIDTH:
		return (double)v->op[op].bytes / seconds / 1024;
	case IOPS:
		return ios / seconds;
	case LATENCY:
		return v->op[op].lat / ios;
	case SUBMIT:
		return l->sync ? NAN : v->op[op].slat / ios;
	default:
		return (v->op[op].lat - (l->sync ? 0 : v->op[op].slat)) / ios;
	}
}

static void add_line(struct iobi_report *o, const struct log *l, const struct window *v, int op)
{
	double value = v->op[op].ios ? value_of(l, v, op) : NAN;
	char text[64];
	if (isnan(value))
		return;
	/* The submit calls of an interval are those of other I/Os in part. */
	iobi_format_fixed(text, sizeof(text), value > 0 ? value : 0, 0);
	iobi_text_printf(&o->text, "%" PRIu64 ", %s, %d, 0, 0\n", l->epoch_ms + v->end_ns / 1000000,
			 text, op - IOB_OP_READ);
}

static const char *option(const struct iob_result *w, const char *name, size_t *len)
{
	char label[64];
	snprintf(label, sizeof(label), "fio.option.%s", name);
	const char *text = iobi_fiov_label(w, label, len);
	snprintf(label, sizeof(label), "fio.global.%s", name);
	return text ? text : iobi_fiov_label(w, label, len);
}

static bool is_on(const struct iob_result *w, const char *name)
{
	size_t len = 0;
	const char *text = option(w, name, &len);
	return text && !(len == 1 && *text == '0');
}

static struct log log_of(const struct iob_result *w, enum kind kind)
{
	const struct iob_result *stage = iobi_report_above(w, IOB_LEVEL_STAGE);
	const char *engine = iob_result_effective(w, "engine_kind"), *mean;
	struct log l = { .w = w, .kind = kind };
	size_t len = 0;
	l.sync = engine && !strcmp(engine, "sync");
	if (stage && w->started_ns > stage->started_ns)
		l.from_ns = w->started_ns - stage->started_ns;
	if (is_on(w, "log_unix_epoch") || is_on(w, "log_alternate_epoch"))
		l.epoch_ms = w->started_ns / 1000000;
	mean = option(w, "log_avg_msec", &len);
	l.mean_ns = mean ? strtoull(mean, NULL, 10) * 1000000 : 0;
	return l;
}

static void write_log(struct iobi_report *o, const struct iob_result *w, enum kind kind)
{
	struct log l = log_of(w, kind);
	struct windows all = { 0 };
	if (!w->n_intervals)
		return;
	o->text.failed |= !make_windows(&l, &all);
	for (size_t i = 0; i < all.n; i++) {
		for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++)
			add_line(o, &l, &all.at[i], op);
		iobi_report_push(o);
	}
	free(all.at);
}

#define LOG(name, kind)                                                                            \
	static void write_##name(struct iobi_report *o, const struct iob_result *w)                \
	{                                                                                          \
		write_log(o, w, kind);                                                             \
	}                                                                                          \
	void iobi_report_fio_##name##_log(struct iobi_report *o, const struct iob_result *r)       \
	{                                                                                          \
		iobi_report_each(o, r, write_##name);                                              \
	}
LOG(bw, BANDWIDTH)
LOG(iops, IOPS)
LOG(lat, LATENCY)
LOG(slat, SUBMIT)
LOG(clat, COMPLETE)
