/* SPDX-License-Identifier: MIT */
#include "base/random.h"

#include <string.h>

void iobi_random_fill(struct iobi_random *r, void *mem, size_t len)
{
	uint8_t *p = mem;
	for (; len >= 8; p += 8, len -= 8) {
		uint64_t x = iobi_random_next(r);
		memcpy(p, &x, 8);
	}
	uint64_t x = iobi_random_next(r);
	memcpy(p, &x, len);
}
