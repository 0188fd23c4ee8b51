/* SPDX-License-Identifier: MIT */
/* wyrand (Wang Yi, public domain, github.com/wangyi-fudan/wyhash): one
 * multiplication a number, seeded by any 64 bits. */
#ifndef IOBI_RANDOM_H
#define IOBI_RANDOM_H

#include "base/base.h"

struct iobi_random {
	uint64_t state;
};

static inline uint64_t iobi_random_next(struct iobi_random *r)
{
	r->state += UINT64_C(0xa0761d6478bd642f);
	iobi_u128 t = (iobi_u128)r->state * (r->state ^ UINT64_C(0xe7037ed1a0b428db));
	return (uint64_t)(t >> 64) ^ (uint64_t)t;
}

/* In [0, n): Lemire's multiply-shift; its bias is under n / 2^64. */
static inline uint64_t iobi_random_below(struct iobi_random *r, uint64_t n)
{
	return (uint64_t)((iobi_u128)iobi_random_next(r) * n >> 64);
}

/* A seed of its own for each of several users of one seed. */
static inline uint64_t iobi_random_derive(uint64_t seed, uint64_t a, uint64_t b)
{
	struct iobi_random r = { seed ^ (a + 1) * UINT64_C(0x9e3779b97f4a7c15) };
	r.state ^= iobi_random_next(&r) + b * UINT64_C(0xd1342543de82ef95);
	return iobi_random_next(&r);
}

/* Fills memory with random bytes. */
void iobi_random_fill(struct iobi_random *r, void *mem, size_t len);

#endif
