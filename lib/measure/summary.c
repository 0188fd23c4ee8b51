/* SPDX-License-Identifier: MIT */
/* A histogram of which only the outlines are known: somebody else measured,
 * and printed a mean, extremes and some percentiles. Nothing is made up
 * between them: a percentile that was not printed is not known. */
#include "measure/hist_priv.h"

#include "measure/store.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Percentiles are told apart in steps of 1e-6 %. */
static uint32_t step_of(double p)
{
	return (uint32_t)llround(p * 1e6);
}

static struct iobi_summary *new_summary(size_t n)
{
	struct iobi_summary *s = calloc(1, sizeof(*s) + n * sizeof(s->known[0]));
	if (s)
		s->n = n;
	return s;
}

static struct iobi_summary *copy_of(const struct iobi_summary *from)
{
	struct iobi_summary *s = new_summary(from->n);
	if (s)
		memcpy(s, from, sizeof(*s) + from->n * sizeof(s->known[0]));
	return s;
}

/* x >= 0, rounded down to a whole number of 192 bits. */
static void put192(uint64_t out[3], long double x)
{
	for (int i = 2; i >= 0; i--) {
		long double unit = ldexpl(1, 64 * i), limb = floorl(x / unit);
		out[i] = limb < 0x1p64L ? (uint64_t)limb : UINT64_MAX;
		x -= (long double)out[i] * unit;
		x = x > 0 ? x : 0;
	}
}

static void set_sums(struct iob_hist *h, const struct iobi_outline *o)
{
	long double n = (long double)o->count, mean = (long double)o->mean;
	long double spread = isnan(o->stddev) ? 0 : (long double)o->stddev;
	uint64_t sum[3];
	put192(sum, roundl(mean * n));
	h->sum = (iobi_u128)sum[1] << 64 | sum[0];
	put192(h->square, roundl((spread * spread + mean * mean) * n));
}

int iobi_hist_outline(struct iob_hist *h, const struct iobi_outline *o)
{
	struct iobi_summary *s = o->count ? new_summary(o->n) : NULL;
	if (!s)
		return o->count ? -ENOMEM : 0;
	for (size_t i = 0; i < o->n; i++) {
		s->known[i].step = step_of(o->p[i]);
		s->known[i].value = o->value[i];
	}
	s->no_stddev = isnan(o->stddev);
	h->summary = s;
	h->count = o->count;
	h->min = o->min;
	h->max = o->max;
	set_sums(h, o);
	return 0;
}

/* The percentiles of both together follow from nothing that is known. */
static int forget_shape(struct iob_hist *h, int no_stddev)
{
	struct iobi_summary *s = new_summary(0);
	if (!s)
		return -ENOMEM;
	s->no_stddev = no_stddev || (h->summary && h->summary->no_stddev);
	free(h->summary);
	h->summary = s;
	iobi_store_drop(h->counts);
	h->counts = NULL;
	h->first = h->span = 0;
	return 0;
}

static int take_shape(struct iob_hist *h, const struct iobi_summary *from)
{
	h->summary = copy_of(from);
	return h->summary ? 0 : -ENOMEM;
}

int iobi_hist_merge_summary(struct iob_hist *into, const struct iob_hist *from)
{
	if (!from->count)
		return 0;
	if (from->count > UINT64_MAX - into->count)
		return -EOVERFLOW;
	int rc = !into->count && from->summary
			 ? take_shape(into, from->summary)
			 : forget_shape(into, from->summary && from->summary->no_stddev);
	if (rc)
		return rc;
	into->count += from->count;
	into->sum += from->sum;
	iobi_add192(into->square, from->square[0], from->square[1], from->square[2]);
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
	return 0;
}

int iobi_summary_percentile(const struct iob_hist *h, double p, uint64_t *value)
{
	const struct iobi_summary *s = h->summary;
	uint32_t step = step_of(p), whole = step_of(100);
	if ((step == 0 || step == whole) && h->max) {
		*value = step ? h->max : h->min;
		return 0;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->known[i].step == step) {
			*value = s->known[i].value;
			return 0;
		}
	return -ENODATA;
}
