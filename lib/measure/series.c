/* SPDX-License-Identifier: MIT */
#include "measure/series.h"

#include "measure/thin.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct interval {
	uint64_t start_ns, length_ns;
	struct iobi_thin *service[IOBI_OPS]; /* NULL: no I/O; [IOB_OP_ALL] stays so */
	uint64_t bytes[IOBI_OPS];
	struct iobi_submits submits[IOBI_OPS];
};

struct iobi_series {
	size_t max, n, room;
	unsigned doubled; /* how often */
	struct interval *interval;
};

struct iobi_series *iobi_series_new(size_t max)
{
	struct iobi_series *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->max = max < 2 ? 2 : max & ~(size_t)1; /* pairs */
	return s;
}

static void clear(struct interval *v)
{
	for (int op = 0; op < IOBI_OPS; op++)
		iobi_thin_free(v->service[op]);
	*v = (struct interval){ 0 };
}

static void free_intervals(struct interval *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		clear(&v[i]);
	free(v);
}

void iobi_series_free(struct iobi_series *s)
{
	if (s)
		free_intervals(s->interval, s->n);
	free(s);
}

/* A full series doubles with the next interval, which is long already. */
uint64_t iobi_series_interval_ns(const struct iobi_series *s)
{
	return IOBI_SERIES_BASE_NS << (s->doubled + (s->n == s->max));
}

size_t iobi_series_count(const struct iobi_series *s)
{
	return s->n;
}

static struct iob_hist *no_finer(int bits)
{
	return iob_hist_new(bits < IOBI_SERIES_BITS ? bits : IOBI_SERIES_BITS, NULL);
}

/* Of what was measured in an interval; NULL where that is nothing. */
static int put_by(struct iobi_thin **out, const struct iob_hist *from)
{
	*out = NULL;
	if (!from || !from->count)
		return 0;
	struct iob_hist *h = no_finer(from->bits);
	if (h && !iob_hist_merge(h, from))
		*out = iobi_thin_new(h);
	iob_hist_free(h);
	return *out ? 0 : -ENOMEM;
}

static int add_thin(struct iob_hist **into, const struct iobi_thin *from)
{
	if (!from)
		return 0;
	if (!*into)
		*into = no_finer(iobi_thin_bits(from));
	return *into ? iobi_thin_add_to(from, *into) : -ENOMEM;
}

static int join_thin(struct iobi_thin **into, const struct iobi_thin *from)
{
	struct iob_hist *h = NULL;
	int rc = add_thin(&h, *into);
	rc = rc ? rc : add_thin(&h, from);
	struct iobi_thin *both = rc || !h ? NULL : iobi_thin_new(h);
	rc = rc || !h || both ? rc : -ENOMEM;
	iob_hist_free(h);
	if (both) {
		iobi_thin_free(*into);
		*into = both;
	}
	return rc;
}

static void add_submits(struct iobi_submits *into, const struct iobi_submits *more)
{
	into->n += more->n;
	into->ns += more->ns;
}

static int add_interval(struct interval *into, const struct interval *from)
{
	int rc = 0;
	if (!into->length_ns)
		into->start_ns = from->start_ns;
	into->length_ns = from->start_ns + from->length_ns - into->start_ns;
	for (int op = IOB_OP_READ; op < IOBI_OPS && !rc; op++) {
		rc = join_thin(&into->service[op], from->service[op]);
		into->bytes[op] += from->bytes[op];
		add_submits(&into->submits[op], &from->submits[op]);
	}
	return rc;
}

/* Into a new array, so that the series is whole where memory runs out. */
static int join_pairs(struct iobi_series *s)
{
	struct interval *joined = calloc(s->max, sizeof(*joined));
	int rc = joined ? 0 : -ENOMEM;
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = add_interval(&joined[i / 2], &s->interval[i]);
	if (rc) {
		free_intervals(joined, joined ? s->max : 0);
		return rc;
	}
	free_intervals(s->interval, s->n);
	s->interval = joined;
	s->room = s->max;
	s->n = (s->n + 1) / 2;
	s->doubled++;
	return 0;
}

static int make_room(struct iobi_series *s)
{
	enum {
		FIRST = 16
	};
	if (s->n == s->max)
		return join_pairs(s);
	if (s->n < s->room)
		return 0;
	size_t room = s->room ? 2 * s->room : FIRST;
	room = room < s->max ? room : s->max;
	struct interval *more = realloc(s->interval, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->interval = more;
	s->room = room;
	return 0;
}

int iobi_series_add(struct iobi_series *s, uint64_t start_ns, uint64_t length_ns,
		    const struct iobi_interval_part part[IOBI_OPS])
{
	struct interval v = { .start_ns = start_ns, .length_ns = length_ns };
	int rc = make_room(s);
	for (int op = IOB_OP_READ; op < IOBI_OPS && !rc; op++) {
		v.bytes[op] = part[op].bytes;
		v.submits[op] = part[op].submits;
		rc = put_by(&v.service[op], part[op].service);
	}
	if (rc)
		clear(&v);
	else
		s->interval[s->n++] = v;
	return rc;
}

static uint64_t percentile(const struct iob_hist *h, double p)
{
	uint64_t value = 0;
	iob_hist_percentile(h, p, &value);
	return value;
}

/* Adds up the ops [first, last] of an interval; 0 or -ENOMEM. */
static int export_one(struct iob_interval *out, const struct interval *v, int first, int last)
{
	struct iobi_submits submits = { 0 };
	struct iob_hist *h = NULL;
	int rc = 0;
	*out = (struct iob_interval){ .size = sizeof(*out),
				      .start_ns = v->start_ns,
				      .length_ns = v->length_ns,
				      .mean_ns = NAN };
	for (int op = first; op <= last && !rc; op++) {
		rc = add_thin(&h, v->service[op]);
		out->bytes += v->bytes[op];
		add_submits(&submits, &v->submits[op]);
	}
	out->submit_mean_ns = submits.n ? submits.ns / (double)submits.n : NAN;
	if (!rc && h) {
		out->ios = iob_hist_count(h);
		out->mean_ns = iob_hist_mean(h);
		out->p50_ns = percentile(h, 50);
		out->p99_ns = percentile(h, 99);
		out->max_ns = iob_hist_max(h);
	}
	iob_hist_free(h);
	return rc;
}

struct iob_interval *iobi_series_export(const struct iobi_series *s, enum iob_op op)
{
	int first = op == IOB_OP_ALL ? IOB_OP_READ : (int)op;
	int last = op == IOB_OP_ALL ? IOB_OP_TRIM : (int)op;
	struct iob_interval *out = s->n ? calloc(s->n, sizeof(*out)) : NULL;
	int rc = 0;
	for (size_t i = 0; out && i < s->n && !rc; i++)
		rc = export_one(&out[i], &s->interval[i], first, last);
	if (rc) {
		free(out);
		return NULL;
	}
	return out;
}
