/* SPDX-License-Identifier: MIT */
/* Histograms out of a report. Nothing in one is believed that does not agree
 * with the rest of it. */
#include "result/json_hist.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the buckets say: how many samples, and bounds of their sums. */
struct tally {
	int bits;
	uint32_t first, last; /* bucket numbers */
	uint64_t count, *counts;
	iobi_u128 sum_low, sum_high;
	uint64_t square_low[3], square_high[3];
};

static int take(const struct iobi_at *at, uint64_t buckets)
{
	struct iobi_json_in *in = at->in;
	if (buckets > in->buckets_left)
		return iobi_json_bad(at, "histograms this wide take more memory than a report of "
					 "this length may ask for");
	in->buckets_left -= buckets;
	return 0;
}

static void add_square(uint64_t sum[3], uint64_t value, uint64_t count)
{
	iobi_u128 square = (iobi_u128)value * value;
	iobi_u128 low = (iobi_u128)(uint64_t)square * count;
	iobi_u128 high = (iobi_u128)(uint64_t)(square >> 64) * count;
	iobi_add192(sum, (uint64_t)low, (uint64_t)(low >> 64), 0);
	iobi_add192(sum, 0, (uint64_t)high, (uint64_t)(high >> 64));
}

static int less192(const uint64_t a[3], const uint64_t b[3])
{
	for (int i = 2; i >= 0; i--)
		if (a[i] != b[i])
			return a[i] < b[i];
	return 0;
}

struct bucket {
	uint64_t low, high, count;
	uint32_t index;
};

static int read_bucket(const struct iobi_at *at, int bits, struct bucket *b)
{
	uint64_t *const to[] = { &b->low, &b->high, &b->count };
	int rc = 0;

	if (!json_is_array(at->v) || json_array_size(at->v) != 3)
		return iobi_json_bad(at, "must be [low, high, count]");
	for (size_t i = 0; i < 3 && !rc; i++) {
		struct iobi_at e = iobi_json_element(at, i);
		rc = iobi_json_u64_value(&e, to[i]);
	}
	if (rc)
		return rc;
	b->index = iobi_hist_index(bits, b->low);
	if (iobi_hist_low(bits, b->index) != b->low || iobi_hist_high(bits, b->index) != b->high)
		return iobi_json_bad(at, "%llu to %llu is no bucket at precision %d",
				     (unsigned long long)b->low, (unsigned long long)b->high, bits);
	return b->count ? 0 : iobi_json_bad(at, "its count is 0: only filled buckets are listed");
}

static int tally_bucket(const struct iobi_at *at, struct tally *t, int is_first)
{
	struct bucket b;
	int rc = read_bucket(at, t->bits, &b);
	if (rc)
		return rc;
	if (!is_first && b.index <= t->last)
		return iobi_json_bad(at, "the buckets are not in ascending order");
	if (__builtin_add_overflow(t->count, b.count, &t->count))
		return iobi_json_bad(at, "the counts of the buckets add up to more than 2^64 - 1");
	if (is_first)
		t->first = b.index;
	t->last = b.index;
	t->sum_low += (iobi_u128)b.low * b.count;
	t->sum_high += (iobi_u128)b.high * b.count;
	add_square(t->square_low, b.low, b.count);
	add_square(t->square_high, b.high, b.count);
	return 0;
}

static int tally(const struct iobi_at *buckets, struct tally *t)
{
	int rc = 0;
	for (size_t i = 0; i < json_array_size(buckets->v) && !rc; i++) {
		struct iobi_at e = iobi_json_element(buckets, i);
		rc = tally_bucket(&e, t, i == 0);
	}
	return rc;
}

/* The second walk knows how wide it is. */
static int fill(const struct iobi_at *buckets, struct tally *t)
{
	int rc = take(buckets, (uint64_t)t->last - t->first + 1);
	if (rc)
		return rc;
	t->counts = calloc(t->last - t->first + 1, sizeof(*t->counts));
	if (!t->counts)
		return iobi_no_memory(buckets->in->err);
	for (size_t i = 0; i < json_array_size(buckets->v); i++) {
		struct iobi_at e = iobi_json_element(buckets, i);
		struct bucket b;
		if (read_bucket(&e, t->bits, &b) == 0)
			t->counts[b.index - t->first] = b.count;
	}
	return 0;
}

static int check_bounds(const struct iobi_at *at, const struct tally *t,
			const struct iobi_hist_part *p)
{
	if (iobi_hist_index(t->bits, p->min) != t->first)
		return iobi_json_bad(at, "min does not lie in the first bucket");
	if (iobi_hist_index(t->bits, p->max) != t->last)
		return iobi_json_bad(at, "max does not lie in the last bucket");
	if (p->min > p->max)
		return iobi_json_bad(at, "min is greater than max");
	if (p->sum < t->sum_low || p->sum > t->sum_high)
		return iobi_json_bad(at, "sum is not a sum of what the buckets hold");
	if (less192(p->square, t->square_low) || less192(t->square_high, p->square))
		return iobi_json_bad(at, "sum_squares is not that of what the buckets hold");
	return 0;
}

static int read_sums(const struct iobi_at *at, struct iobi_hist_part *p)
{
	int rc = iobi_json_u64(at, "min", &p->min);
	if (!rc)
		rc = iobi_json_u64(at, "max", &p->max);
	if (!rc)
		rc = iobi_json_u128(at, "sum", &p->sum);
	return rc ? rc : iobi_json_u192(at, "sum_squares", p->square);
}

static int build(const struct iobi_at *at, const struct iobi_at *buckets, struct tally *t,
		 struct iob_hist *h)
{
	struct iobi_hist_part p = { .first = t->first, .span = t->last - t->first + 1 };
	int rc = read_sums(at, &p);
	if (!rc)
		rc = check_bounds(at, t, &p);
	if (!rc)
		rc = fill(buckets, t);
	p.counts = t->counts;
	if (!rc && iobi_hist_add(h, &p))
		rc = iobi_no_memory(at->in->err);
	free(t->counts);
	return rc;
}

/* What another program printed of its own measurement: it need not add up. */
static int read_known(const struct iobi_at *at, double *p, uint64_t *value, size_t *n)
{
	struct iobi_at list;
	const char *key;
	json_t *v;
	int rc = iobi_json_need(at, "percentiles", JSON_OBJECT, &list);
	if (rc)
		return rc;
	json_object_foreach(list.v, key, v)
	{
		struct iobi_at e = { at->in, &list, key, 0, v };
		size_t one = 0;
		if (*n == IOBI_PERCENTILES_MAX)
			return iobi_json_bad(&list, "has more than %d percentiles",
					     IOBI_PERCENTILES_MAX);
		if (strchr(key, ',') || iobi_parse_percentiles(key, &p[*n], &one, NULL))
			return iobi_json_bad(&e, "\"%.60s\" is no percentile", key);
		rc = iobi_json_u64_value(&e, &value[*n]);
		if (rc)
			return rc;
		++*n;
	}
	return 0;
}

static int read_summary(const struct iobi_at *at, struct iob_hist *h)
{
	double p[IOBI_PERCENTILES_MAX];
	uint64_t value[IOBI_PERCENTILES_MAX];
	struct iobi_outline o = { .p = p, .value = value, .stddev = NAN };
	struct iobi_hist_part sums = { 0 };
	struct iobi_at stddev;
	int rc = iobi_json_u64(at, "count", &o.count);
	if (rc || !o.count)
		return rc;
	rc = read_sums(at, &sums);
	if (!rc && sums.min > sums.max)
		rc = iobi_json_bad(at, "min is greater than max");
	if (!rc)
		rc = read_known(at, p, value, &o.n);
	if (!rc)
		rc = iobi_json_want(at, "stddev", JSON_REAL, &stddev);
	if (rc < 0)
		return rc;
	o.min = sums.min;
	o.max = sums.max;
	o.stddev = rc > 0 ? 0 : NAN; /* the sum of squares says it */
	if (iobi_hist_outline(h, &o))
		return iobi_no_memory(at->in->err);
	h->sum = sums.sum;
	memcpy(h->square, sums.square, sizeof(h->square));
	return 0;
}

static int read_filled(const struct iobi_at *at, struct iob_hist *h, int bits)
{
	struct tally t = { .bits = bits };
	struct iobi_at buckets, count = { at->in, at, "count", 0, NULL };
	uint64_t n = 0;
	int rc = iobi_json_need(at, "buckets", JSON_ARRAY, &buckets);
	if (!rc)
		rc = iobi_json_u64(at, "count", &n);
	if (!rc)
		rc = tally(&buckets, &t);
	if (!rc && t.count != n)
		rc = iobi_json_bad(&count, "is %llu, but the buckets hold %llu",
				   (unsigned long long)n, (unsigned long long)t.count);
	return rc || !n ? rc : build(at, &buckets, &t, h);
}

int iobi_json_hist_in(const struct iobi_at *at, struct iob_hist **out)
{
	struct iobi_at precision;
	int rc = iobi_json_need(at, "precision", JSON_INTEGER, &precision);
	if (rc)
		return rc;
	json_int_t bits = json_integer_value(precision.v);
	if (bits < IOBI_HIST_BITS_MIN || bits > IOBI_HIST_BITS_MAX)
		return iobi_json_bad(&precision, "is %" JSON_INTEGER_FORMAT ", must be %d to %d",
				     bits, IOBI_HIST_BITS_MIN, IOBI_HIST_BITS_MAX);
	*out = iob_hist_new((int)bits, at->in->err);
	if (!*out)
		return -ENOMEM;
	if (json_is_true(json_object_get(at->v, "summary")))
		return read_summary(at, *out);
	return read_filled(at, *out, (int)bits);
}

/* Buckets from the lowest to the highest of several histograms. */
struct width {
	uint64_t low, end;
};

static void cover(struct width *w, const struct iob_hist *h)
{
	if (!h || !h->count)
		return;
	if (!w->end || h->first < w->low)
		w->low = h->first;
	if (h->first + (uint64_t)h->span > w->end)
		w->end = h->first + (uint64_t)h->span;
}

static uint64_t cost(const struct iob_result *r, int latency)
{
	struct width all = { 0, 0 };
	uint64_t sum = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++) {
		struct width one = { 0, 0 };
		for (size_t i = 0; i < r->n_child; i++) {
			cover(&one, r->child[i]->op[op].latency[latency]);
			cover(&all, r->child[i]->op[op].latency[latency]);
		}
		cover(&all, r->op[op].latency[latency]);
		sum += one.end - one.low;
	}
	return sum + all.end - all.low;
}

int iobi_json_charge(const struct iobi_at *at, const struct iob_result *r)
{
	int rc = 0;
	for (int l = 0; l < IOBI_RESULT_LATENCIES && !rc; l++)
		rc = take(at, cost(r, l));
	return rc;
}
