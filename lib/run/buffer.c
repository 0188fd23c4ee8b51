/* SPDX-License-Identifier: MIT */
#include "run/buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum {
	IOBI_PAGE = 4096,
	IOBI_SECTOR = 512,
	/* Compressors and deduplicators work on units of up to 128 KiB. A shorter
	 * block is one of several in a unit and must differ from the others
	 * everywhere; a longer one fills a unit, which is random in itself. */
	IOBI_RENEW_WHOLE = 64 * 1024,
	IOBI_SAME_BLOCKS = 8 /* that deduplicated blocks are taken from */
};

static void fill_pattern(uint8_t *mem, size_t len, const uint8_t *pattern, size_t n)
{
	for (size_t i = 0; i < len; i++)
		mem[i] = pattern[i % n];
}

static void fill_block(struct iobi_buffer *b, uint32_t i, const struct iobi_buffer_spec *s)
{
	uint8_t *block = iobi_buffer_block(b, i);
	if (b->shaped)
		iobi_buffer_renew(b, block, s->max_len);
	else if (b->fill == IOBI_FILL_RANDOM)
		iobi_random_fill(&b->random, block, s->max_len);
	else if (b->fill == IOBI_FILL_PATTERN)
		fill_pattern(block, s->max_len, s->pattern, s->pattern_len);
}

int iobi_buffer_init(struct iobi_buffer *b, const struct iobi_buffer_spec *s, struct iob_error *err)
{
	size_t stride = ((size_t)s->max_len + IOBI_PAGE - 1) & ~(size_t)(IOBI_PAGE - 1);
	size_t len = stride * s->blocks;
	void *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (mem == MAP_FAILED)
		return iobi_fail(err, errno, "queue_depth",
				 "no memory for the buffers of one worker: %u blocks of %u bytes",
				 s->blocks, s->max_len);
	*b = (struct iobi_buffer){ .mem = mem,
				   .len = len,
				   .stride = stride,
				   .blocks = s->blocks,
				   .fill = s->fill,
				   .random = { s->seed },
				   .shape = s->shape,
				   .same = s->same_seed,
				   .owed = (uint32_t)(s->seed % 100) };
	b->shaped = s->fill == IOBI_FILL_RANDOM &&
		    (s->shape.compress_percent || s->shape.dedupe_percent);
	for (uint32_t i = 0; i < s->first_write && i < s->blocks; i++)
		*(uint64_t *)iobi_buffer_block(b, i) = IOBI_UNREAD;
	for (uint32_t i = s->first_write; i < s->blocks; i++)
		fill_block(b, i, s);
	return 0;
}

void iobi_buffer_free(struct iobi_buffer *b)
{
	if (b->mem)
		munmap(b->mem, b->len);
	b->mem = NULL;
}

/* Changes every byte: what a block was and what it becomes have no bytes in
 * common that a compressor could refer to. */
static void renew_whole(uint64_t *words, size_t n, struct iobi_random *r)
{
	uint64_t key[4];
	for (int i = 0; i < 4; i++)
		key[i] = iobi_random_next(r) | UINT64_C(0x0101010101010101);
	size_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (int j = 0; j < 4; j++)
			words[i + j] ^= key[j];
	for (; i < n; i++)
		words[i] ^= key[i % 4];
}

/* Makes every sector unlike any other, for deduplicators. */
static void renew_sectors(uint8_t *block, size_t len, struct iobi_random *r)
{
	uint64_t x = iobi_random_next(r);
	for (size_t i = 0; i + 8 <= len; i += IOBI_SECTOR, x += UINT64_C(0x9e3779b97f4a7c15))
		memcpy(block + i, &x, 8);
}

/* A piece of each chunk is zero, which a compressor saves. */
static void fill_chunks(const struct iobi_shape *s, struct iobi_random *r, uint8_t *block,
			uint32_t len)
{
	for (uint32_t at = 0; at < len; at += s->compress_chunk) {
		uint32_t chunk = len - at < s->compress_chunk ? len - at : s->compress_chunk;
		uint32_t zeros = (uint32_t)((uint64_t)chunk * s->compress_percent / 100);
		iobi_random_fill(r, block + at, chunk - zeros);
		memset(block + at + chunk - zeros, 0, zeros);
	}
}

/* Shares are kept to the block, not drawn: they hold over short runs too. */
static void renew_shaped(struct iobi_buffer *b, uint8_t *block, uint32_t len)
{
	struct iobi_random own = { iobi_random_next(&b->random) }, *r = &own;
	b->owed += b->shape.dedupe_percent;
	if (b->owed >= 100) {
		b->owed -= 100;
		own.state = iobi_random_derive(b->same, b->drawn++ % IOBI_SAME_BLOCKS, len);
	}
	fill_chunks(&b->shape, r, block, len);
}

void iobi_buffer_renew(struct iobi_buffer *b, void *block, uint32_t len)
{
	if (b->fill != IOBI_FILL_RANDOM || b->shaped) {
		if (b->shaped)
			renew_shaped(b, block, len);
		return;
	}
	if (len <= IOBI_RENEW_WHOLE)
		renew_whole(block, (len + 7) / 8, &b->random);
	else
		renew_sectors(block, len, &b->random);
}
