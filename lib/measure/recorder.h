/* SPDX-License-Identifier: MIT */
/*
 * What a worker records into while it runs: one writer, any number of readers
 * that copy it at any time. All fields are relaxed atomics, which cost a plain
 * load and store; whether a copy is of one moment is the matter of the
 * worker's sequence counter (iobi_seq), so that a batch pays for it once.
 */
#ifndef IOBI_RECORDER_H
#define IOBI_RECORDER_H

#include "measure/hist_priv.h"
#include <stdatomic.h>
#include <stdbool.h>

#define IOBI_LOAD(p) atomic_load_explicit((p), memory_order_relaxed)
#define IOBI_STORE(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)

/* One writer: a load and a store, no locked instruction. */
static inline void iobi_bump(_Atomic uint64_t *p, uint64_t by)
{
	IOBI_STORE(p, IOBI_LOAD(p) + by);
}

struct iobi_recorder {
	int bits;
	_Atomic uint64_t *counts; /* iobi_hist_total(bits), zero pages until touched */
	_Atomic uint64_t min, max, sum[2], square[3];
};

/* Bytes that `counts` needs. */
size_t iobi_recorder_bytes(int bits);

/* counts: zeroed memory of that size, which stays the caller's. */
void iobi_recorder_init(struct iobi_recorder *r, int bits, void *counts);

/* Adds what was recorded so far to `into`, of the same precision. */
int iobi_recorder_copy(const struct iobi_recorder *r, struct iob_hist *into);

/* How many samples there are so far, and their sum. */
uint64_t iobi_recorder_total(const struct iobi_recorder *r, double *sum);

static inline void iobi_recorder_extremes(struct iobi_recorder *r, uint64_t low, uint64_t high)
{
	if (low < IOBI_LOAD(&r->min))
		IOBI_STORE(&r->min, low);
	if (high > IOBI_LOAD(&r->max))
		IOBI_STORE(&r->max, high);
}

/* The upper limbs are touched only by a carry. */
static inline void iobi_recorder_sums(struct iobi_recorder *r, iobi_u128 sum, iobi_u128 square,
				      uint64_t square_high)
{
	iobi_u128 s = sum + IOBI_LOAD(&r->sum[0]);
	IOBI_STORE(&r->sum[0], (uint64_t)s);
	if (__builtin_expect(s >> 64 != 0, 0))
		iobi_bump(&r->sum[1], (uint64_t)(s >> 64));

	iobi_u128 had = (iobi_u128)IOBI_LOAD(&r->square[1]) << 64 | IOBI_LOAD(&r->square[0]);
	iobi_u128 now = had + square;
	IOBI_STORE(&r->square[0], (uint64_t)now);
	IOBI_STORE(&r->square[1], (uint64_t)(now >> 64));
	if (__builtin_expect(now < had || square_high, 0))
		iobi_bump(&r->square[2], square_high + (now < had));
}

/* One sample of value v. */
static inline void iobi_recorder_add_one(struct iobi_recorder *r, uint64_t v)
{
	iobi_bump(&r->counts[iobi_hist_index(r->bits, v)], 1);
	iobi_recorder_extremes(r, v, v);
	iobi_recorder_sums(r, v, (iobi_u128)v * v, 0);
}

/* n samples of value v. */
static inline void iobi_recorder_add(struct iobi_recorder *r, uint64_t v, uint64_t n)
{
	if (n == 1) {
		iobi_recorder_add_one(r, v);
		return;
	}
	iobi_u128 vv = (iobi_u128)v * v;
	iobi_u128 low = (iobi_u128)(uint64_t)vv * n;
	iobi_u128 mid = (vv >> 64) * n + (uint64_t)(low >> 64);

	iobi_bump(&r->counts[iobi_hist_index(r->bits, v)], n);
	iobi_recorder_extremes(r, v, v);
	iobi_recorder_sums(r, (iobi_u128)v * n, mid << 64 | (uint64_t)low, (uint64_t)(mid >> 64));
}

/* n samples, one each, n <= 32 and under 2^61 (73 years in ns), so that their
 * sums fit in registers. */
static inline void iobi_recorder_add_each(struct iobi_recorder *r, const uint64_t *v, unsigned n)
{
	const int bits = r->bits;
	_Atomic uint64_t *counts = r->counts;
	uint64_t min = UINT64_MAX, max = 0;
	iobi_u128 sum = 0, square = 0;
	for (unsigned i = 0; i < n; i++) {
		iobi_bump(&counts[iobi_hist_index(bits, v[i])], 1);
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
		sum += v[i];
		square += (iobi_u128)v[i] * v[i];
	}
	iobi_recorder_extremes(r, min, max);
	iobi_recorder_sums(r, sum, square, 0);
}

/*
 * A sequence lock whose writer never waits: odd while a batch is being
 * recorded. H.-J. Boehm, "Can seqlocks get along with programming language
 * memory models?" (2012). ThreadSanitizer knows no fences, and needs none here:
 * everything guarded is atomic.
 */
struct iobi_seq {
	_Atomic uint32_t n;
};
enum { IOBI_SEQ_TRIES = 50 }; /* after which a copy of almost one moment will do */

#if defined(__SANITIZE_THREAD__)
#define IOBI_FENCE(order) ((void)0)
#else
#define IOBI_FENCE(order) atomic_thread_fence(order)
#endif

static inline void iobi_seq_begin(struct iobi_seq *s)
{
	IOBI_STORE(&s->n, IOBI_LOAD(&s->n) + 1);
	IOBI_FENCE(memory_order_release);
}

static inline void iobi_seq_end(struct iobi_seq *s)
{
	atomic_store_explicit(&s->n, IOBI_LOAD(&s->n) + 1, memory_order_release);
}

static inline uint32_t iobi_seq_read(const struct iobi_seq *s)
{
	return atomic_load_explicit(&s->n, memory_order_acquire);
}

/* Whether nothing was recorded since `before` was read. */
static inline bool iobi_seq_same(const struct iobi_seq *s, uint32_t before)
{
	IOBI_FENCE(memory_order_acquire);
	return !(before & 1) && IOBI_LOAD(&s->n) == before;
}

#endif
