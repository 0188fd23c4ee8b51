/* SPDX-License-Identifier: MIT */
/* What the threads of a workload took of the machine, and how their I/O was
 * handed over: counts, which add up over workers, workloads and runs. */
#ifndef IOBI_USAGE_H
#define IOBI_USAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
	IOBI_USAGE_CLASSES = 7
};

struct iobi_usage {
	/* from a thread's first I/O to its last or, of one that still runs, to now; ramp included */
	uint64_t ran_ns, user_ns, system_ns, switches, major_faults, minor_faults;
	/* in the measured window: I/Os by how many were in flight with them when they
	 * were submitted: 1, 2, 4, 8, 16, 32, 64 or more */
	uint64_t depth[IOBI_USAGE_CLASSES];
	/* calls by how many I/Os they submitted, or completed: 0, up to 4, 8, 16, 32, 64, more */
	uint64_t submit[IOBI_USAGE_CLASSES], complete[IOBI_USAGE_CLASSES];
};

/* Its parts by name; NULL past the end. */
struct iobi_usage_field {
	const char *name;
	size_t offset, n; /* n numbers, 1 or IOBI_USAGE_CLASSES */
};
const struct iobi_usage_field *iobi_usage_field(size_t i);

static inline uint64_t *iobi_usage_at(struct iobi_usage *u, const struct iobi_usage_field *f)
{
	return (uint64_t *)((char *)u + f->offset);
}

/* -EOVERFLOW where a sum passes 2^64 - 1. */
int iobi_usage_add(struct iobi_usage *to, const struct iobi_usage *more);

/* The class of n I/Os in flight (n > 0), and of n handed over at once. */
static inline unsigned iobi_usage_depth(uint32_t n)
{
	unsigned i = 31 - (unsigned)__builtin_clz(n | 1);
	return i < IOBI_USAGE_CLASSES ? i : IOBI_USAGE_CLASSES - 1;
}

static inline unsigned iobi_usage_batch(uint32_t n)
{
	return n ? iobi_usage_depth((n - 1) | 2) : 0;
}

#endif
