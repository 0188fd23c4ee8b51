/* SPDX-License-Identifier: MIT */
#include "base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void iobi_text_free(struct iobi_text *t)
{
	free(t->data);
	*t = (struct iobi_text){ 0 };
}

/* Room for n more bytes and a NUL. */
static int reserve(struct iobi_text *t, size_t n)
{
	if (t->failed)
		return 0;
	if (t->data && n < t->cap - t->len)
		return 1;
	size_t cap = t->cap ? t->cap : 128;
	while (cap - t->len <= n && cap <= SIZE_MAX / 2)
		cap *= 2;
	char *data = cap - t->len > n ? realloc(t->data, cap) : NULL;
	t->failed = !data;
	if (t->failed)
		return 0;
	t->data = data;
	t->cap = cap;
	return 1;
}

void iobi_text_add_n(struct iobi_text *t, const char *s, size_t n)
{
	if (!reserve(t, n))
		return;
	memcpy(t->data + t->len, s, n);
	t->len += n;
	t->data[t->len] = '\0';
}

void iobi_text_add(struct iobi_text *t, const char *s)
{
	iobi_text_add_n(t, s, strlen(s));
}

void iobi_text_printf(struct iobi_text *t, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		t->failed = 1;
	if (n < 0 || !reserve(t, (size_t)n))
		return;
	va_start(args, fmt);
	vsnprintf(t->data + t->len, (size_t)n + 1, fmt, args);
	va_end(args);
	t->len += (size_t)n;
}

/* The longest number: a sign, 39 digits, a point, 18 digits. */
enum {
	NUMBER = 64,
	DECIMALS_MAX = 18,
	FRACTION_BITS = 124
};

/* A number that was cut would be another number: stars instead. */
static char *put(char *buf, size_t n, const char *number)
{
	size_t len = strlen(number);
	if (len < n)
		memcpy(buf, number, len + 1);
	else if (n) {
		memset(buf, '*', n - 1);
		buf[n - 1] = '\0';
	}
	return buf;
}

/* Writes v before `end` and returns its first digit; at least `width` digits. */
static char *digits_before(char *end, iobi_u128 v, int width)
{
	for (; v || width > 0; v /= 10, width--)
		*--end = (char)('0' + (int)(v % 10));
	return end;
}

/* v >= 0 as a whole and the digits behind the point, half rounded up. Exact:
 * with 124 bits nothing of a double is lost that 18 decimals could show. */
static iobi_u128 split(double v, int decimals, iobi_u128 *behind)
{
	iobi_u128 whole = (iobi_u128)v;
	iobi_u128 rest = (iobi_u128)ldexp(v - floor(v), FRACTION_BITS), unit = 1;
	*behind = 0;
	for (int i = 0; i < decimals; i++) {
		rest *= 10;
		unit *= 10;
		*behind = *behind * 10 + (rest >> FRACTION_BITS);
		rest &= ((iobi_u128)1 << FRACTION_BITS) - 1;
	}
	*behind += rest >> (FRACTION_BITS - 1);
	if (*behind < unit)
		return whole;
	*behind = 0;
	return whole + 1;
}

static void fixed(char out[NUMBER], double v, int decimals)
{
	if (isnan(v) || fabs(v) >= 0x1p127) {
		strcpy(out, isnan(v) ? "-" : v < 0 ? "-inf" : "inf");
		return;
	}
	char text[NUMBER], *end = text + NUMBER - 1, *at = end;
	iobi_u128 behind, whole = split(fabs(v), decimals, &behind);
	*end = '\0';
	if (decimals) {
		at = digits_before(at, behind, decimals);
		*--at = '.';
	}
	at = digits_before(at, whole, 1);
	if (v < 0 && (whole || behind))
		*--at = '-';
	memcpy(out, at, (size_t)(end - at) + 1);
}

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

char *iobi_format_fixed(char *buf, size_t n, double v, int decimals)
{
	char text[NUMBER];
	fixed(text, v, clamp(decimals, 0, DECIMALS_MAX));
	return put(buf, n, text);
}

static int significant(const char *number)
{
	int n = 0;
	for (number += strcspn(number, "123456789"); *number; number++)
		n += *number != '.';
	return n;
}

/* Adding decimals until there are enough digits needs no logarithm, and is
 * right where rounding adds a digit (9.996 -> 10.0). */
char *iobi_format_digits(char *buf, size_t n, double v, int digits)
{
	char text[NUMBER];
	int decimals = 0;
	do
		fixed(text, v, decimals);
	while (v != 0 && isfinite(v) && significant(text) < digits && ++decimals <= DECIMALS_MAX);
	return put(buf, n, text);
}

char *iobi_format_u128(char *buf, size_t n, iobi_u128 v)
{
	char text[NUMBER], *end = text + NUMBER - 1;
	*end = '\0';
	return put(buf, n, digits_before(end, v, 1));
}

uint64_t iobi_whole(double v)
{
	if (!(v > 0))
		return 0;
	return v < 0x1p62 ? (uint64_t)llround(v) : UINT64_C(1) << 62;
}

const char *iobi_op_name(unsigned op)
{
	static const char *const names[] = { "all", "read", "write", "trim", "sync" };
	return op < IOBI_LEN(names) ? names[op] : "?";
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

/* Levenshtein, one row. Names are short: what is longer is near to nothing. */
unsigned iobi_edit_distance(const char *a, const char *b)
{
	enum {
		LONGEST = 63
	};
	unsigned row[LONGEST + 1];
	size_t la = strlen(a), lb = strlen(b);
	if (la > LONGEST || lb > LONGEST)
		return strcmp(a, b) ? (unsigned)(la > lb ? la : lb) : 0;
	for (unsigned j = 0; j <= lb; j++)
		row[j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned up = row[j];
			row[j] = min3(up + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = up;
		}
	}
	return row[lb];
}

/* UINT32_MAX: it is no candidate. At most half of the letters may be wrong. */
static unsigned how_far(const char *name, const char *known)
{
	size_t len = strlen(name);
	unsigned limit = len < 6 ? (unsigned)len / 2 : 3, d = iobi_edit_distance(name, known);
	if (!strcasecmp(name, known))
		return 0;
	if (d <= limit)
		return d;
	return len >= 4 && strstr(known, name) ? limit + 1 : UINT32_MAX;
}

const char *iobi_nearest(const char *name, const char *(*known)(size_t i))
{
	const char *nearest = NULL, *k;
	unsigned least = UINT32_MAX;
	for (size_t i = 0; (k = known(i)); i++) {
		unsigned d = how_far(name, k);
		if (d >= least)
			continue;
		least = d;
		nearest = k;
	}
	return nearest;
}
