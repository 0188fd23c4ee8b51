/* SPDX-License-Identifier: MIT */
/*
 * How an asynchronous engine waits for the kernel: in slices, after each of
 * which it looks whether another thread wants it to stop. That thread cannot
 * reach into a ring that has a single issuer, and this way the path that does
 * not wait pays nothing. So a wake takes up to a slice.
 */
#ifndef IOBI_WAIT_H
#define IOBI_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define IOBI_WAIT_SLICE_NS INT64_C(50000000)

struct iobi_wait {
	int64_t left;     /* ns of the timeout; < 0: no limit */
	int64_t deadline; /* CLOCK_MONOTONIC; where there is a limit */
};

static inline int64_t iobi_wait_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline struct iobi_wait iobi_wait_start(int64_t timeout_ns)
{
	struct iobi_wait w = { .left = timeout_ns };

	if (timeout_ns > 0 && __builtin_add_overflow(iobi_wait_clock(), timeout_ns, &w.deadline))
		w.left = -1;
	return w;
}

/* The next slice; false when the time is over. */
static inline bool iobi_wait_next(struct iobi_wait *w, int64_t *ns)
{
	if (!w->left)
		return false;
	*ns = w->left < 0 || w->left > IOBI_WAIT_SLICE_NS ? IOBI_WAIT_SLICE_NS : w->left;
	return true;
}

/* After a slice that did not bring enough. */
static inline void iobi_wait_update(struct iobi_wait *w)
{
	if (w->left > 0) {
		int64_t left = w->deadline - iobi_wait_clock();

		w->left = left > 0 ? left : 0;
	}
}

/* Whether a wake came; takes it. */
static inline bool iobi_wait_woken(atomic_int *flag)
{
	return atomic_load_explicit(flag, memory_order_relaxed) && atomic_exchange(flag, 0);
}

#endif
