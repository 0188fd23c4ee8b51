/* SPDX-License-Identifier: MIT */
#include "measure/thin.h"

#include "measure/store.h"
#include <errno.h>
#include <stdlib.h>

/* A count past 32 bits takes several entries of its bucket. */
struct entry {
	uint32_t bucket, count;
};

struct iobi_thin {
	struct iob_hist whole; /* without its counts */
	size_t n;
	struct entry entry[];
};

static size_t entries_of(uint64_t count)
{
	return (size_t)(count / UINT32_MAX + (count % UINT32_MAX != 0));
}

static size_t entries_in(const struct iob_hist *h)
{
	size_t n = 0;
	for (uint32_t i = 0; i < h->span; i++)
		n += entries_of(h->counts[i]);
	return n;
}

struct iobi_thin *iobi_thin_new(const struct iob_hist *h)
{
	size_t n = entries_in(h);
	struct iobi_thin *t = malloc(sizeof(*t) + n * sizeof(t->entry[0]));
	if (!t)
		return NULL;
	t->whole = *h;
	t->whole.counts = NULL;
	t->n = 0;
	for (uint32_t i = 0; i < h->span; i++)
		for (uint64_t left = h->counts[i]; left;) {
			uint32_t some = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
			t->entry[t->n++] = (struct entry){ h->first + i, some };
			left -= some;
		}
	return t;
}

void iobi_thin_free(struct iobi_thin *t)
{
	free(t);
}

int iobi_thin_bits(const struct iobi_thin *t)
{
	return t->whole.bits;
}

static void fill(const struct iobi_thin *t, uint64_t *counts)
{
	for (size_t i = 0; i < t->n; i++)
		counts[t->entry[i].bucket - t->whole.first] += t->entry[i].count;
}

int iobi_thin_add_to(const struct iobi_thin *t, struct iob_hist *into)
{
	struct iob_hist h = t->whole;
	if (!h.count)
		return 0;
	h.counts = iobi_store_new(h.span);
	if (!h.counts)
		return -ENOMEM;
	fill(t, h.counts);
	int rc = iob_hist_merge(into, &h);
	iobi_store_drop(h.counts);
	return rc;
}
