/* SPDX-License-Identifier: MIT */
/* Time in ns: the TSC where the kernel itself trusts it, else CLOCK_MONOTONIC. */
#ifndef IOBI_CLOCK_H
#define IOBI_CLOCK_H

#include "base/base.h"
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
enum { IOBI_CLOCK_HAS_TSC = 1 };
#else
enum { IOBI_CLOCK_HAS_TSC = 0 };
#endif

struct iobi_clock {
	uint64_t mult; /* ns = tsc * mult >> 32; 0: no TSC */
};

/* The machine's clock; measured once (about 1 ms at the most), then constant. */
const struct iobi_clock *iobi_clock(void);

static inline uint64_t iobi_monotonic_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline uint64_t iobi_now(const struct iobi_clock *c)
{
#if defined(__x86_64__)
	if (c->mult)
		return (uint64_t)((iobi_u128)__rdtsc() * c->mult >> 32);
#endif
	return iobi_monotonic_ns();
}

#endif
