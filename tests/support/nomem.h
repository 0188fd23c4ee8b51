/* SPDX-License-Identifier: MIT */
/* An allocator that fails once, at a call of the test's choice:
 *
 *	for (int n = 0; nomem_at(n); n++) {
 *		rc = call();
 *		if (!nomem_hit())
 *			break; // it needs no more than n allocations
 *		ck_assert_int_eq(rc, -ENOMEM);
 *	}
 *
 * Include it in one file of a program. Sanitizers and valgrind have allocators
 * of their own: there nomem_at() is 0. */
#ifndef IOB_NOMEM_H
#define IOB_NOMEM_H

#include <errno.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NOMEM_BUILT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NOMEM_BUILT 0
#endif
#endif
#ifndef NOMEM_BUILT
#define NOMEM_BUILT 1
#endif

static long nomem_left = -1; /* calls until the one that fails; < 0: none will */

/* Whether the calls of this process come to the functions below at all. */
static inline int nomem_works(void)
{
	nomem_left = NOMEM_BUILT ? 0 : -1;
	void *volatile p = malloc(1);
	int works = !p;
	free(p);
	nomem_left = -1;
	return works;
}

static inline int nomem_at(long n)
{
	int works = nomem_works();
	nomem_left = works ? n : -1;
	return works;
}

/* Whether the call failed; none will from here on. */
static inline int nomem_hit(void)
{
	int hit = nomem_left < 0;
	nomem_left = -1;
	return hit;
}

#if NOMEM_BUILT
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static int nomem_now(void)
{
	if (nomem_left < 0 || nomem_left-- > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return nomem_now() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return nomem_now() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return nomem_now() ? NULL : __libc_realloc(p, n);
}
#endif
#endif
