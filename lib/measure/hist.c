/* SPDX-License-Identifier: MIT */
#include "measure/hist_priv.h"

#include "measure/store.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t iobi_hist_low(int bits, uint32_t index)
{
	uint32_t e = index >> bits ? (index >> bits) - 1 : 0;
	return (uint64_t)(index - (e << bits)) << e;
}

uint64_t iobi_hist_high(int bits, uint32_t index)
{
	uint32_t e = index >> bits ? (index >> bits) - 1 : 0;
	return iobi_hist_low(bits, index) + ((UINT64_C(1) << e) - 1);
}

struct iob_hist *iob_hist_new(int precision_bits, struct iob_error *err)
{
	if (precision_bits < IOBI_HIST_BITS_MIN || precision_bits > IOBI_HIST_BITS_MAX) {
		iobi_fail(err, EINVAL, "precision", "precision is %d bits, must be %d to %d",
			  precision_bits, IOBI_HIST_BITS_MIN, IOBI_HIST_BITS_MAX);
		return NULL;
	}
	struct iob_hist *h = calloc(1, sizeof(*h));
	if (!h) {
		iobi_no_memory(err);
		return NULL;
	}
	h->bits = precision_bits;
	h->min = UINT64_MAX;
	return h;
}

void iob_hist_free(struct iob_hist *h)
{
	if (h) {
		iobi_store_drop(h->counts);
		free(h->summary);
	}
	free(h);
}

/* A stretch of buckets, [first, end). */
struct stretch {
	uint32_t first, end;
};

/* Makes the storage exactly `to`, and its own; counts outside it must be 0. */
static int store(struct iob_hist *h, struct stretch to)
{
	uint32_t span = to.end - to.first;
	uint64_t *counts = iobi_store_new(span);
	if (!counts)
		return -ENOMEM;
	uint32_t first = h->first > to.first ? h->first : to.first;
	uint32_t end = h->first + h->span < to.end ? h->first + h->span : to.end;
	if (first < end)
		memcpy(counts + (first - to.first), h->counts + (first - h->first),
		       (end - first) * sizeof(*counts));
	iobi_store_drop(h->counts);
	h->counts = counts;
	h->first = to.first;
	h->span = span;
	return 0;
}

static int holds(const struct iob_hist *h, struct stretch s)
{
	return s.first >= h->first && s.end <= h->first + h->span;
}

/* Before counts are written to. */
static int own(struct iob_hist *h)
{
	if (!h->span || !iobi_store_shared(h->counts))
		return 0;
	return store(h, (struct stretch){ h->first, h->first + h->span });
}

/* Storage for `s` beside what there is. */
static int grow(struct iob_hist *h, struct stretch s)
{
	if (holds(h, s))
		return own(h);
	if (h->span && h->first < s.first)
		s.first = h->first;
	if (h->span && h->first + h->span > s.end)
		s.end = h->first + h->span;
	return store(h, s);
}

/* Storage for one more bucket, with as much again behind it, so that samples
 * in ascending or descending order are not copied each time. */
static int grow_to(struct iob_hist *h, uint32_t index)
{
	struct stretch s = { index, index + 1 };
	if (holds(h, s))
		return own(h);
	uint32_t total = iobi_hist_total(h->bits);
	if (h->span && index < h->first)
		s.first = index > h->span ? index - h->span : 0;
	else if (h->span)
		s.end = total - s.end > h->span ? s.end + h->span : total;
	return grow(h, s);
}

/* value^2 * count: less than 2^192, and so is any sum of them, for there are
 * less than 2^64 samples. */
static void add_square(struct iob_hist *h, uint64_t value, uint64_t count)
{
	iobi_u128 square = (iobi_u128)value * value;
	iobi_u128 low = (iobi_u128)(uint64_t)square * count;
	iobi_u128 high = (iobi_u128)(uint64_t)(square >> 64) * count;
	iobi_add192(h->square, (uint64_t)low, (uint64_t)(low >> 64), 0);
	iobi_add192(h->square, 0, (uint64_t)high, (uint64_t)(high >> 64));
}

static void widen(struct iob_hist *h, uint64_t min, uint64_t max)
{
	if (min < h->min)
		h->min = min;
	if (max > h->max)
		h->max = max;
}

/* A histogram of the caller's own becomes a summary by merging one into it. */
static int record_into_summary(struct iob_hist *h, uint64_t value, uint64_t count)
{
	struct iob_hist one = { .bits = h->bits,
				.count = count,
				.min = value,
				.max = value,
				.sum = (iobi_u128)value * count };
	add_square(&one, value, count);
	return iobi_hist_merge_summary(h, &one);
}

int iob_hist_record(struct iob_hist *h, uint64_t value, uint64_t count)
{
	if (!h)
		return -EINVAL;
	if (!count)
		return 0;
	if (h->summary)
		return record_into_summary(h, value, count);
	if (count > UINT64_MAX - h->count)
		return -EOVERFLOW;
	uint32_t index = iobi_hist_index(h->bits, value);
	if (grow_to(h, index))
		return -ENOMEM;
	h->counts[index - h->first] += count;
	h->count += count;
	h->sum += (iobi_u128)value * count;
	add_square(h, value, count);
	widen(h, value, value);
	return 0;
}

/* The stretch from the first to the last bucket with a count; {0, 0}: none. */
static struct stretch filled(uint32_t first, uint32_t span, const uint64_t *counts)
{
	uint32_t low = 0, high = span;
	while (low < high && !counts[low])
		low++;
	while (high > low && !counts[high - 1])
		high--;
	return low == high ? (struct stretch){ 0, 0 }
			   : (struct stretch){ first + low, first + high };
}

static struct stretch filled_of(const struct iob_hist *h)
{
	return filled(h->first, h->span, h->counts);
}

static void add_counts(struct iob_hist *h, int bits, struct stretch s, const uint64_t *counts)
{
	uint32_t n = s.end - s.first;
	if (bits == h->bits) {
		uint64_t *to = h->counts + (s.first - h->first);
		for (uint32_t i = 0; i < n; i++)
			to[i] += counts[i];
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		h->counts[iobi_hist_index(h->bits, iobi_hist_low(bits, s.first + i)) - h->first] +=
			counts[i];
}

/* Adds `count` samples that were bucketed with `bits` >= h->bits: each of those
 * buckets lies inside one of h. */
static int add_part(struct iob_hist *h, int bits, const struct iobi_hist_part *p, uint64_t count)
{
	if (!count)
		return 0;
	if (count > UINT64_MAX - h->count)
		return -EOVERFLOW;
	struct stretch s = filled(p->first, p->span, p->counts), room = {
		iobi_hist_index(h->bits, iobi_hist_low(bits, s.first)),
		iobi_hist_index(h->bits, iobi_hist_low(bits, s.end - 1)) + 1,
	};
	if (grow(h, room))
		return -ENOMEM;
	add_counts(h, bits, s, p->counts + (s.first - p->first));
	h->count += count;
	h->sum += p->sum;
	iobi_add192(h->square, p->square[0], p->square[1], p->square[2]);
	widen(h, p->min, p->max);
	return 0;
}

int iobi_hist_add(struct iob_hist *h, const struct iobi_hist_part *part)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < part->span; i++)
		if (__builtin_add_overflow(count, part->counts[i], &count))
			return -EOVERFLOW;
	return add_part(h, h->bits, part, count);
}

/* An empty one becomes the same as `from`. */
static void become(struct iob_hist *h, const struct iob_hist *from)
{
	iobi_store_drop(h->counts);
	*h = *from;
	iobi_store_hold(h->counts);
}

int iob_hist_merge(struct iob_hist *into, const struct iob_hist *from)
{
	if (!into || !from)
		return -EINVAL;
	if (into->summary || from->summary)
		return iobi_hist_merge_summary(into, from);
	if (from->bits < into->bits)
		return -EINVAL;
	if (!into->count && from->bits == into->bits) {
		if (into != from)
			become(into, from);
		return 0;
	}
	struct iobi_hist_part p = {
		.first = from->first,
		.span = from->span,
		.counts = from->counts,
		.min = from->min,
		.max = from->max,
		.sum = from->sum,
		.square = { from->square[0], from->square[1], from->square[2] },
	};
	return add_part(into, from->bits, &p, from->count);
}

struct iob_hist *iobi_hist_copy(const struct iob_hist *h)
{
	struct iob_hist *copy = iob_hist_new(h->bits, NULL);
	if (copy && iob_hist_merge(copy, h)) {
		iob_hist_free(copy);
		return NULL;
	}
	return copy;
}

/* Without memory for less it keeps what it has. */
void iobi_hist_trim(struct iob_hist *h)
{
	struct stretch s = filled_of(h);
	if (s.end - s.first == h->span || h->summary)
		return;
	if (h->count) {
		store(h, s);
		return;
	}
	iobi_store_drop(h->counts);
	h->counts = NULL;
	h->first = h->span = 0;
}

static uint64_t count_at(const struct iob_hist *h, uint32_t index)
{
	return index - h->first < h->span ? h->counts[index - h->first] : 0;
}

/* a -= b, 192 bits. */
static void sub192(uint64_t a[3], const uint64_t b[3])
{
	unsigned long long borrow = 0;
	for (int i = 0; i < 3; i++) {
		iobi_u128 d = (iobi_u128)a[i] - b[i] - borrow;
		a[i] = (uint64_t)d;
		borrow = (d >> 64) & 1;
	}
}

/* What only the buckets can say of a difference: count, minimum, maximum. */
static void recount(struct iob_hist *h, uint64_t min, uint64_t max)
{
	struct stretch s = filled_of(h);
	h->count = 0;
	for (uint32_t i = 0; i < h->span; i++)
		h->count += h->counts[i];
	h->min = UINT64_MAX;
	h->max = 0;
	if (!h->count)
		return;
	uint64_t low = iobi_hist_low(h->bits, s.first), high = iobi_hist_high(h->bits, s.end - 1);
	widen(h, low > min ? low : min, high < max ? high : max);
}

struct iob_hist *iobi_hist_since(const struct iob_hist *later, const struct iob_hist *earlier)
{
	struct iob_hist *h = iobi_hist_copy(later);
	if (!h || own(h)) {
		iob_hist_free(h);
		return NULL;
	}
	for (uint32_t i = 0; i < h->span; i++)
		h->counts[i] -= count_at(earlier, h->first + i);
	h->sum -= earlier->sum;
	sub192(h->square, earlier->square);
	recount(h, later->min, later->max);
	iobi_hist_trim(h);
	return h;
}

int iob_hist_precision(const struct iob_hist *h)
{
	return h ? h->bits : 0;
}

uint64_t iob_hist_count(const struct iob_hist *h)
{
	return h ? h->count : 0;
}

uint64_t iob_hist_min(const struct iob_hist *h)
{
	return h && h->count ? h->min : 0;
}

uint64_t iob_hist_max(const struct iob_hist *h)
{
	return h ? h->max : 0;
}

double iob_hist_mean(const struct iob_hist *h)
{
	return iob_hist_count(h) ? (double)((long double)h->sum / (long double)h->count) : NAN;
}

/* out = a * b, least limb first; out has na + nb limbs. */
static void multiply(uint64_t *out, const uint64_t *a, int na, const uint64_t *b, int nb)
{
	memset(out, 0, (size_t)(na + nb) * sizeof(*out));
	for (int i = 0; i < na; i++) {
		uint64_t carry = 0;
		for (int j = 0; j < nb; j++) {
			iobi_u128 t = (iobi_u128)a[i] * b[j] + out[i + j] + carry;
			out[i + j] = (uint64_t)t;
			carry = (uint64_t)(t >> 64);
		}
		out[i + nb] = carry;
	}
}

/* a - b as a floating-point number, from an exact difference; 0 below 0. */
static long double difference(const uint64_t a[4], const uint64_t b[4])
{
	uint64_t d[4], borrow = 0;
	long double v = 0;
	for (int i = 0; i < 4; i++) {
		iobi_u128 t = (iobi_u128)a[i] - b[i] - borrow;
		d[i] = (uint64_t)t;
		borrow = (uint64_t)(t >> 64) & 1;
	}
	for (int i = 3; i >= 0 && !borrow; i--)
		v = v * 0x1p64L + (long double)d[i];
	return v;
}

/* sqrt(n * squares - sum^2) / n: no bit is lost before the square root. */
double iob_hist_stddev(const struct iob_hist *h)
{
	if (!iob_hist_count(h) || (h->summary && h->summary->no_stddev))
		return NAN;
	uint64_t sum[2] = { (uint64_t)h->sum, (uint64_t)(h->sum >> 64) };
	uint64_t nq[4], ss[4];
	multiply(nq, h->square, 3, &h->count, 1);
	multiply(ss, sum, 2, sum, 2);
	return (double)(sqrtl(difference(nq, ss)) / (long double)h->count);
}

/* The highest value of a bucket that a sample can have had. */
static uint64_t highest(const struct iob_hist *h, uint32_t index)
{
	uint64_t high = iobi_hist_high(h->bits, index);
	return high < h->max ? high : h->max;
}

static uint64_t lowest(const struct iob_hist *h, uint32_t index)
{
	uint64_t low = iobi_hist_low(h->bits, index);
	return low > h->min ? low : h->min;
}

int iob_hist_percentile(const struct iob_hist *h, double p, uint64_t *value)
{
	if (!h || !value || !(p >= 0 && p <= 100))
		return -EINVAL;
	if (!h->count)
		return -ENODATA;
	if (h->summary)
		return iobi_summary_percentile(h, p, value);
	const uint32_t whole = 100000000; /* 100 % in steps of 1e-6 % */
	iobi_u128 steps = (iobi_u128)llround(p * 1e6);
	uint64_t rank = (uint64_t)((steps * h->count + whole - 1) / whole), seen = 0;
	*value = h->min;
	for (uint32_t i = 0; i < h->span && seen < rank; i++) {
		seen += h->counts[i];
		*value = highest(h, h->first + i);
	}
	return 0;
}

size_t iob_hist_buckets(const struct iob_hist *h, uint64_t *low, uint64_t *high, uint64_t *count,
			size_t n)
{
	size_t used = 0;
	for (uint32_t i = 0; h && i < h->span && (!n || used < n); i++) {
		if (!h->counts[i])
			continue;
		if (n && low)
			low[used] = iobi_hist_low(h->bits, h->first + i);
		if (n && high)
			high[used] = iobi_hist_high(h->bits, h->first + i);
		if (n && count)
			count[used] = h->counts[i];
		used++;
	}
	return used;
}

void iobi_hist_sums_from_buckets(struct iob_hist *h)
{
	h->sum = 0;
	memset(h->square, 0, sizeof(h->square));
	for (uint32_t i = 0; i < h->span; i++) {
		uint64_t low = lowest(h, h->first + i), high = highest(h, h->first + i);
		uint64_t middle = low + (high - low) / 2;
		h->sum += (iobi_u128)middle * h->counts[i];
		add_square(h, middle, h->counts[i]);
	}
}

static double overlap(double a_low, double a_high, double b_low, double b_high)
{
	double n = fmin(a_high, b_high) - fmax(a_low, b_low);
	return n > 0 ? n : 0;
}

double iobi_hist_mean_between(const struct iob_hist *h, double p_low, double p_high)
{
	double from = p_low / 100 * (double)h->count, to = p_high / 100 * (double)h->count;
	double sum = 0, n = 0;
	uint64_t seen = 0;
	for (uint32_t i = 0; i < h->span && (double)seen < to; i++) {
		uint64_t c = h->counts[i];
		double part = c ? overlap((double)seen, (double)(seen + c), from, to) : 0;
		uint32_t index = h->first + i;
		seen += c;
		if (c) /* the outer buckets start at the minimum and end at the maximum */
			sum += part * ((double)lowest(h, index) + (double)highest(h, index)) / 2;
		n += part;
	}
	return n > 0 ? sum / n : NAN;
}
