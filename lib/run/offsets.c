/* SPDX-License-Identifier: MIT */
#include "run/offsets.h"

#include <stdbool.h>

/*
 * A bijection of k-bit numbers: an odd multiplication and a xor-shift can each
 * be undone mod 2^k. Values of [n, 2^k) are led through it again ("cycle
 * walking": Black and Rogaway, "Ciphers with arbitrary finite domains", 2002)
 * until they fall into [0, n), which makes it a bijection of [0, n).
 */
static inline uint64_t scramble(const struct iobi_offsets *o, uint64_t product)
{
	uint64_t x = product & o->mask;
	x ^= x >> o->shift;
	for (int i = 1; i < IOBI_ROUNDS; i++) {
		x = (x * o->mul[i] + o->add[i]) & o->mask;
		x ^= x >> o->shift;
	}
	return x;
}

/* A new permutation for every pass, the same for all workers. */
static void new_key(struct iobi_offsets *o)
{
	struct iobi_random r = { iobi_random_derive(o->seed, o->pass, 0) };
	for (int i = 0; i < IOBI_ROUNDS; i++) {
		o->add[i] = iobi_random_next(&r);
		o->mul[i] = iobi_random_next(&r) | 1;
	}
}

static void set_domain(struct iobi_offsets *o)
{
	unsigned bits = o->n > 1 ? 64 - (unsigned)__builtin_clzll(o->n - 1) : 1;
	o->mask = ~UINT64_C(0) >> (64 - bits);
	o->shift = (bits + 1) / 2;
}

/* Contiguous stretches; the first n % workers are one slot longer. */
static uint64_t stretch_start(uint64_t slots, uint32_t worker, uint32_t workers)
{
	uint64_t rest = slots % workers;
	return slots / workers * worker + (worker < rest ? worker : rest);
}

uint64_t iobi_offsets_share(uint64_t slots, uint32_t worker, uint32_t workers)
{
	return slots / workers + (worker < slots % workers);
}

void iobi_offsets_init(struct iobi_offsets *o, const struct iobi_offsets_spec *s)
{
	o->order = s->order;
	o->n = s->slots;
	o->slot = s->slot;
	o->base = s->base;
	o->have = o->used = 0;
	o->seed = s->seed;
	o->random.state = iobi_random_derive(s->seed, s->worker, 1);

	/* More workers than slots: the rest share places with the others. */
	o->first = o->place = s->worker % s->slots;
	o->stride = s->workers < s->slots ? s->workers : s->slots;
	o->pass = 0;
	set_domain(o);
	new_key(o);

	uint64_t unit = s->bytes ? s->slot : 1;
	o->from = stretch_start(s->slots, s->worker, s->workers) * unit;
	o->to = o->from + iobi_offsets_share(s->slots, s->worker, s->workers) * unit;
	o->fixed = s->fixed;
	o->end = s->end;
	o->gap = s->gap < s->end ? s->gap : s->end; /* no sum of it can wrap */
	o->run_length = s->run_length;
	o->run_left = 0;
	o->cursor = s->order == IOBI_ORDER_BACKWARD ? o->to : o->from;
	o->latest = s->order == IOBI_ORDER_BACKWARD ? UINT64_MAX : 0;
	o->drawn = 0;
	if (s->order == IOBI_ORDER_DRAWN)
		iobi_drawing_init(&o->drawing, s->distribution, s->slots, s->slot);
}

/*
 * Values in [0, n) go to ahead[], the others to left[]; no branch on the value,
 * which nothing could predict. The first round of neighbouring places differs
 * by a constant: `product` and its `step` spare a multiplication each.
 */
static unsigned draw(struct iobi_offsets *o, uint64_t *left, unsigned count)
{
	const uint64_t n = o->n, step = o->stride * o->mul[0];
	uint64_t product = o->place * o->mul[0] + o->add[0], *out = o->ahead;
	unsigned have = 0, rest = 0;
	for (unsigned i = 0; i < count; i++, product += step) {
		uint64_t v = scramble(o, product);
		bool inside = v < n;
		out[have] = v;
		left[rest] = v;
		have += inside;
		rest += !inside;
	}
	o->have = have;
	return rest;
}

/* Where n is a power of two, all are inside. */
static void draw_all(struct iobi_offsets *o, unsigned count)
{
	const uint64_t step = o->stride * o->mul[0];
	uint64_t product = o->place * o->mul[0] + o->add[0];
	for (unsigned i = 0; i < count; i++, product += step)
		o->ahead[i] = scramble(o, product);
	o->have = count;
}

/* The walk goes on for those that are outside. */
static unsigned walk(struct iobi_offsets *o, uint64_t *left, unsigned count)
{
	unsigned rest = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t v = scramble(o, left[i] * o->mul[0] + o->add[0]);
		if (v < o->n)
			o->ahead[o->have++] = v;
		else
			left[rest++] = v;
	}
	return rest;
}

static void draw_and_walk(struct iobi_offsets *o, unsigned count)
{
	uint64_t left[IOBI_AHEAD];
	for (unsigned rest = draw(o, left, count); rest;)
		rest = walk(o, left, rest);
}

static void refill_permuted(struct iobi_offsets *o)
{
	uint64_t places = (o->n - 1 - o->place) / o->stride + 1;
	unsigned count = places < IOBI_AHEAD ? (unsigned)places : IOBI_AHEAD;
	if (o->mask == o->n - 1)
		draw_all(o, count);
	else
		draw_and_walk(o, count);
	o->place += count * o->stride;
	if (o->place >= o->n) {
		o->place = o->first;
		o->pass++;
		new_key(o);
	}
}

static void refill_sequential(struct iobi_offsets *o)
{
	for (; o->have < IOBI_AHEAD; o->have++) {
		if (o->cursor == o->to)
			o->cursor = o->from;
		o->ahead[o->have] = o->cursor++;
	}
}

static void refill_repeats(struct iobi_offsets *o)
{
	for (; o->have < IOBI_AHEAD; o->have++)
		o->ahead[o->have] = iobi_random_below(&o->random, o->n);
}

/* A rank's slot: where the permutation of the first pass takes it. */
static uint64_t scatter(const struct iobi_offsets *o, uint64_t v)
{
	do
		v = scramble(o, v * o->mul[0] + o->add[0]);
	while (v >= o->n);
	return v;
}

static void refill_drawn(struct iobi_offsets *o)
{
	bool ranks = iobi_drawing_is_rank(&o->drawing);
	for (; o->have < IOBI_AHEAD; o->have++) {
		uint64_t v = iobi_drawing_next(&o->drawing, &o->random);
		o->ahead[o->have] = ranks ? scatter(o, v) : v;
	}
}

void iobi_offsets_refill(struct iobi_offsets *o)
{
	o->have = o->used = 0;
	switch (o->order) {
	case IOBI_ORDER_PERMUTED:
		refill_permuted(o);
		break;
	case IOBI_ORDER_REPEATS:
		refill_repeats(o);
		break;
	case IOBI_ORDER_SEQUENTIAL:
	case IOBI_ORDER_BACKWARD: /* goes by bytes, and so never comes here */
		refill_sequential(o);
		break;
	case IOBI_ORDER_DRAWN:
		refill_drawn(o);
		break;
	}
}

static uint64_t stride_up(struct iobi_offsets *o, uint32_t len)
{
	if (o->cursor + len > o->to)
		o->cursor = o->from;
	uint64_t at = o->cursor;
	o->cursor += len + o->gap;
	return at;
}

static uint64_t stride_down(struct iobi_offsets *o, uint32_t len)
{
	if (o->cursor < o->from + len)
		o->cursor = o->to;
	uint64_t at = o->cursor - len;
	o->cursor = at > o->from + o->gap ? at - o->gap : o->from;
	return at;
}

static uint64_t stride_random(struct iobi_offsets *o, uint32_t len)
{
	if (!o->run_left || o->cursor + len > o->end) {
		o->cursor = iobi_offsets_slot(o) * o->slot;
		o->run_left = o->run_length;
	}
	uint64_t at = o->cursor;
	o->cursor += len;
	o->run_left--;
	return at;
}

uint64_t iobi_offsets_stride(struct iobi_offsets *o, uint32_t len)
{
	if (o->order == IOBI_ORDER_SEQUENTIAL)
		return o->base + stride_up(o, len);
	if (o->order == IOBI_ORDER_BACKWARD)
		return o->base + stride_down(o, len);
	return o->base + stride_random(o, len);
}

/* In a permutation with runs a pass is as many I/Os as there are slots. */
bool iobi_offsets_again(struct iobi_offsets *o, uint64_t at)
{
	uint64_t before = o->latest;
	o->latest = at;
	if (o->order == IOBI_ORDER_SEQUENTIAL)
		return at < before;
	if (o->order == IOBI_ORDER_BACKWARD)
		return at > before;
	if (o->order != IOBI_ORDER_PERMUTED || o->drawn++ < (o->n - 1 - o->first) / o->stride + 1)
		return false;
	o->drawn = 1;
	return true;
}
