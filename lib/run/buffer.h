/* SPDX-License-Identifier: MIT */
/*
 * The memory that I/O moves, one block for each slot of the queue; where a
 * workload reads and writes, writes have blocks of their own, so that what was
 * read (zeros, maybe) is never what is written.
 */
#ifndef IOBI_BUFFER_H
#define IOBI_BUFFER_H

#include "base/random.h"
#include "workload/workload_priv.h"
#include <stddef.h>

/* How far random data can be made smaller. */
struct iobi_shape {
	uint32_t compress_percent, compress_chunk, dedupe_percent;
};

struct iobi_buffer {
	uint8_t *mem;
	size_t len, stride;
	uint32_t blocks;
	enum iobi_fill fill;
	struct iobi_random random;
	bool shaped;
	struct iobi_shape shape;
	uint64_t same;        /* seed of the blocks that come again; one for all workers */
	uint32_t owed, drawn; /* hundredths of a block that comes again; which of them */
};

struct iobi_buffer_spec {
	uint32_t blocks, max_len;
	enum iobi_fill fill;
	const uint8_t *pattern;
	size_t pattern_len;
	uint32_t first_write; /* blocks from here on are written and so filled */
	uint64_t seed;
	struct iobi_shape shape;
	uint64_t same_seed;
};
int iobi_buffer_init(struct iobi_buffer *b, const struct iobi_buffer_spec *spec,
		     struct iob_error *err);
void iobi_buffer_free(struct iobi_buffer *b);

static inline void *iobi_buffer_block(const struct iobi_buffer *b, uint32_t i)
{
	return b->mem + (size_t)i * b->stride;
}

/* The first word of a block that nothing was read into yet. */
#define IOBI_UNREAD UINT64_C(0x8e5c2d4f61b7a093)

/* Makes the next content of a block that is about to be written. */
void iobi_buffer_renew(struct iobi_buffer *b, void *block, uint32_t len);

#endif
