/* SPDX-License-Identifier: MIT */
/* What the next I/O is: its op and its length, drawn by their shares. */
#ifndef IOBI_MIX_H
#define IOBI_MIX_H

#include "base/random.h"
#include "workload/workload_priv.h"
#include <iobench/result.h>

struct iobi_choice {
	uint64_t read_below, trim_below; /* of 2^32 */
	struct iobi_sizes {
		unsigned n; /* 0: a range, the multiples of low up to size[0] */
		uint32_t low, multiples;
		uint32_t size[IOBI_MIX_MAX];
		uint64_t below[IOBI_MIX_MAX]; /* of 2^32, cumulative */
	} sizes[2];                           /* of reads; of writes and trims */
};

void iobi_choice_init(struct iobi_choice *c, int64_t read_percent, int64_t trim_percent,
		      const struct iobi_mix *read, const struct iobi_mix *write);

/* trim_percent is a share of all I/O, read_percent divides the rest. */
static inline enum iob_op iobi_choice_op(const struct iobi_choice *c, struct iobi_random *r)
{
	if (c->trim_below && (iobi_random_next(r) >> 32) < c->trim_below)
		return IOB_OP_TRIM;
	return (iobi_random_next(r) >> 32) < c->read_below ? IOB_OP_READ : IOB_OP_WRITE;
}

static inline uint32_t iobi_choice_len(const struct iobi_choice *c, enum iob_op op,
				       struct iobi_random *r)
{
	const struct iobi_sizes *s = &c->sizes[op != IOB_OP_READ];
	if (s->n == 1)
		return s->size[0];
	if (!s->n)
		return s->low * (uint32_t)(1 + iobi_random_below(r, s->multiples));
	uint64_t x = iobi_random_next(r) >> 32;
	unsigned i = 0;
	while (x >= s->below[i])
		i++;
	return s->size[i];
}

#endif
