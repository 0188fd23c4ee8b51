/* SPDX-License-Identifier: MIT */
#include "measure/recorder.h"

#include <errno.h>
#include <stdlib.h>

size_t iobi_recorder_bytes(int bits)
{
	return iobi_hist_total(bits) * sizeof(uint64_t);
}

void iobi_recorder_init(struct iobi_recorder *r, int bits, void *counts)
{
	*r = (struct iobi_recorder){ .bits = bits, .counts = counts, .min = UINT64_MAX };
}

static uint64_t *copy_counts(const struct iobi_recorder *r, uint32_t first, uint32_t span)
{
	uint64_t *counts = malloc(span * sizeof(*counts));
	for (uint32_t i = 0; counts && i < span; i++)
		counts[i] = IOBI_LOAD(&r->counts[first + i]);
	return counts;
}

int iobi_recorder_copy(const struct iobi_recorder *r, struct iob_hist *into)
{
	struct iobi_hist_part part = { .min = IOBI_LOAD(&r->min), .max = IOBI_LOAD(&r->max) };
	if (part.min > part.max)
		return 0; /* nothing yet */
	part.first = iobi_hist_index(r->bits, part.min);
	part.span = iobi_hist_index(r->bits, part.max) - part.first + 1;
	part.sum = (iobi_u128)IOBI_LOAD(&r->sum[1]) << 64 | IOBI_LOAD(&r->sum[0]);
	for (int i = 0; i < 3; i++)
		part.square[i] = IOBI_LOAD(&r->square[i]);

	uint64_t *counts = copy_counts(r, part.first, part.span);
	if (!counts)
		return -ENOMEM;
	part.counts = counts;
	int rc = iobi_hist_add(into, &part);
	free(counts);
	return rc;
}

uint64_t iobi_recorder_total(const struct iobi_recorder *r, double *sum)
{
	uint64_t min = IOBI_LOAD(&r->min), max = IOBI_LOAD(&r->max), n = 0;
	*sum = (double)((iobi_u128)IOBI_LOAD(&r->sum[1]) << 64 | IOBI_LOAD(&r->sum[0]));
	if (min > max)
		return 0; /* nothing yet */
	for (uint32_t i = iobi_hist_index(r->bits, min); i <= iobi_hist_index(r->bits, max); i++)
		n += IOBI_LOAD(&r->counts[i]);
	return n;
}
