/* SPDX-License-Identifier: MIT */
/*
 * Where the next I/O of one worker on one target goes. The region is n slots of
 * the largest block size; the worker is one of `workers`.
 *
 * Random without repeats: the workers share one keyed permutation of [0, n) a
 * pass; worker w takes its places w, w + workers, ... so that a pass covers each
 * slot once whatever their number. Nothing is remembered but a place.
 */
#ifndef IOBI_OFFSETS_H
#define IOBI_OFFSETS_H

#include "run/distribution.h"

enum {
	IOBI_AHEAD = 64,
	IOBI_ROUNDS = 4 /* with 3, the gaps between neighbours show stripes (tests/unit/offsets.c) */
};
enum iobi_order {
	IOBI_ORDER_PERMUTED,
	IOBI_ORDER_REPEATS,
	IOBI_ORDER_SEQUENTIAL,
	IOBI_ORDER_BACKWARD,
	IOBI_ORDER_DRAWN /* by a distribution */
};

struct iobi_offsets {
	enum iobi_order order;
	uint64_t n;     /* slots of the region */
	uint64_t slot;  /* bytes */
	uint64_t base;  /* bytes: the region's start in the target */
	unsigned have, used; /* of ahead[] */

	/* permuted */
	uint64_t first, stride, place; /* the worker's places in the permutation */
	uint64_t seed, pass;
	uint64_t mask, add[IOBI_ROUNDS], mul[IOBI_ROUNDS];
	unsigned shift;

	/* sequential: the worker's stretch, and where it is. Blocks of one size
	 * go by slots, a mix by bytes. */
	uint64_t from, to, cursor;

	/* iobi_offsets_stride, in bytes from base */
	uint64_t gap, end;
	uint32_t run_length, run_left;
	bool fixed; /* slots are places, not lengths: an I/O begins where its slot does */

	/* iobi_offsets_again */
	uint64_t latest, drawn;

	struct iobi_drawing drawing;
	struct iobi_random random;
	uint64_t ahead[IOBI_AHEAD]; /* slots drawn ahead */
};

struct iobi_offsets_spec {
	enum iobi_order order;
	uint64_t slots, slot, base;
	uint32_t worker, workers;
	uint64_t seed; /* shared by the workers of a target */
	int bytes;     /* sequential: by bytes, for a mix or with gaps */
	bool fixed;
	uint64_t end; /* of the region, bytes from base */
	uint64_t gap;
	uint32_t run_length;
	const struct iobi_distribution *distribution; /* of IOBI_ORDER_DRAWN */
};
void iobi_offsets_init(struct iobi_offsets *o, const struct iobi_offsets_spec *spec);

/* Draws ahead again, at least one; there is always something to draw. */
void iobi_offsets_refill(struct iobi_offsets *o);

/* How many slots of one pass are this worker's. */
uint64_t iobi_offsets_share(uint64_t slots, uint32_t worker, uint32_t workers);

static inline uint64_t iobi_offsets_slot(struct iobi_offsets *o)
{
	if (o->used == o->have)
		iobi_offsets_refill(o);
	return o->ahead[o->used++];
}

/* The next whole slot. */
static inline uint64_t iobi_offsets_next(struct iobi_offsets *o)
{
	return o->base + iobi_offsets_slot(o) * o->slot;
}

/* The next I/O of a mix: a smaller one at a multiple of its own size in its slot. */
static inline uint64_t iobi_offsets_next_len(struct iobi_offsets *o, uint32_t len)
{
	if (o->order == IOBI_ORDER_SEQUENTIAL) {
		if (o->cursor + len > o->to)
			o->cursor = o->from;
		uint64_t at = o->base + o->cursor;
		o->cursor += len;
		return at;
	}
	uint64_t at = o->base + iobi_offsets_slot(o) * o->slot;
	uint64_t places = o->fixed ? 1 : o->slot / len;
	return places > 1 ? at + iobi_random_below(&o->random, places) * len : at;
}

/* The next I/O of a plan that walks backward, leaves gaps, or goes on for a while
 * from where it is. */
uint64_t iobi_offsets_stride(struct iobi_offsets *o, uint32_t len);

/* Whether the I/O at `at`, asked once for each, is the first of another pass of
 * this worker. Draws with repeats have no passes. */
bool iobi_offsets_again(struct iobi_offsets *o, uint64_t at);

#endif
