/* SPDX-License-Identifier: MIT */
/*
 * The counts of buckets, which several histograms may hold: a workload of one
 * worker and one op has the same in each node above it and in each copy.
 * Whoever writes to counts that are held by another takes a copy first.
 * Histograms that share them may be used from different threads.
 */
#ifndef IOBI_STORE_H
#define IOBI_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct iobi_store {
	atomic_size_t holders;
	uint64_t counts[];
};

static inline struct iobi_store *iobi_store_of(const uint64_t *counts)
{
	return (struct iobi_store *)((char *)counts - offsetof(struct iobi_store, counts));
}

/* n zeros, held once; NULL: no memory. */
static inline uint64_t *iobi_store_new(size_t n)
{
	struct iobi_store *s = calloc(1, sizeof(*s) + n * sizeof(s->counts[0]));
	if (!s)
		return NULL;
	atomic_init(&s->holders, 1);
	return s->counts;
}

static inline uint64_t *iobi_store_hold(uint64_t *counts)
{
	if (counts)
		atomic_fetch_add_explicit(&iobi_store_of(counts)->holders, 1, memory_order_relaxed);
	return counts;
}

static inline void iobi_store_drop(uint64_t *counts)
{
	if (counts && atomic_fetch_sub_explicit(&iobi_store_of(counts)->holders, 1,
						memory_order_acq_rel) == 1)
		free(iobi_store_of(counts));
}

static inline bool iobi_store_shared(const uint64_t *counts)
{
	return atomic_load_explicit(&iobi_store_of(counts)->holders, memory_order_acquire) > 1;
}

#endif
