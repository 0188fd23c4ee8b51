/* SPDX-License-Identifier: MIT */
/*
 * The JSON documents in what fio printed: it warns on the same stdout, and the
 * outputs of several runs come in one file. A document begins a line, or follows
 * another; all else between is prose.
 */
#include "result/import/fio.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* '{' and then a key: "{blah}" in a warning is no document. */
static bool is_document(const char *p, const char *end)
{
	if (p >= end || *p != '{')
		return false;
	p = skip_blanks(p + 1, end);
	return p == end || *p == '"' || *p == '}';
}

static const char *next_line(const char *p, const char *end)
{
	const char *at = memchr(p, '\n', (size_t)(end - p));
	return at ? at + 1 : end;
}

static const char *past_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p + 1 : end;
}

/* Past the brace that closes it; the end where none does. */
static const char *past_document(const char *p, const char *end)
{
	size_t depth = 0;
	while (p < end) {
		if (*p == '"') {
			p = past_string(p, end);
			continue;
		}
		depth += *p == '{';
		depth -= *p == '}';
		p++;
		if (!depth)
			break;
	}
	return p;
}

static bool is_word(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* printf writes a mean of nothing as nan, which JSON has no word for: an empty
 * text, and so no number. */
static void replace_nans(char *p, const char *end)
{
	while (p < end) {
		if (*p == '"') {
			p = (char *)past_string(p, end);
			continue;
		}
		size_t sign = *p == '-', n = 0;
		while (p + sign + n < end && is_word(p[sign + n]))
			n++;
		if (n >= 3 &&
		    (!strncasecmp(p + sign, "nan", 3) || !strncasecmp(p + sign, "inf", 3))) {
			memset(p, ' ', sign + n);
			p[0] = p[1] = '"';
		}
		p += sign + n ? sign + n : 1;
	}
}

int iobi_fioin_document(const char **at, const char *end, char **copy, size_t *n)
{
	const char *p = skip_blanks(*at, end);
	while (p < end && !is_document(p, end))
		p = next_line(p, end);
	if (p == end)
		return 0;
	const char *stop = past_document(p, end);
	*n = (size_t)(stop - p);
	*copy = malloc(*n + 1);
	if (!*copy)
		return -1;
	memcpy(*copy, p, *n);
	replace_nans(*copy, *copy + *n);
	*at = stop;
	return 1;
}
