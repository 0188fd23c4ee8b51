/* SPDX-License-Identifier: MIT */
/* What is written: zeros, a pattern, or random data that can be made smaller. */
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PATTERN_MAX = 64
};

struct pattern {
	uint8_t byte[PATTERN_MAX];
	size_t n;
	bool too_long;
};

static void add_byte(struct pattern *p, unsigned value)
{
	if (p->n < PATTERN_MAX)
		p->byte[p->n++] = (uint8_t)value;
	else
		p->too_long = true;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c | 0x20);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c && at && *at && at - digits > 9 ? (int)(at - digits) : -1;
}

/* "0xdeadbeef": the bytes as they are written, a half one first. */
static const char *add_hex(struct pattern *p, const char *text)
{
	size_t n = 0;
	while (hex_digit(text[n]) >= 0)
		n++;
	if (!n)
		return NULL;
	if (n % 2)
		add_byte(p, (unsigned)hex_digit(*text++));
	for (n /= 2; n; n--, text += 2)
		add_byte(p, (unsigned)(hex_digit(text[0]) << 4 | hex_digit(text[1])));
	return text;
}

/* As fio: 32 bits, the lowest byte first, as many as there are. A 0x ends it. */
static const char *add_decimal(struct pattern *p, const char *text)
{
	bool negative = *text == '-';
	uint32_t value = 0;
	size_t digits = 0;
	text += negative;
	while (text[digits] >= '0' && text[digits] <= '9' &&
	       !(digits && text[digits] == '0' && (text[digits + 1] | 0x20) == 'x'))
		value = value * 10 + (uint32_t)(text[digits++] - '0');
	if (!digits)
		return NULL;
	value = negative ? -value : value;
	do
		add_byte(p, value & 0xff);
	while (value >>= 8);
	return text + digits;
}

static const char *add_string(struct pattern *p, const char *text)
{
	const char *close = strchr(text + 1, '"');
	if (!close)
		return NULL;
	for (text++; text < close; text++)
		add_byte(p, (unsigned char)*text);
	return close + 1;
}

static const char *add_next(struct pattern *p, const char *text)
{
	if (*text == '"')
		return add_string(p, text);
	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		return add_hex(p, text + 2);
	return add_decimal(p, text);
}

static int wrong_pattern(const struct iobi_fio_map *m, const char *text)
{
	return iobi_fio_wrong(m, EINVAL, IOBI_FIO_BUFFER_PATTERN,
			      "\"%s\" is not made of 0xHEX, decimal numbers and \"text\", 64 bytes "
			      "at the most",
			      IOBI_QUOTE(text));
}

static int map_pattern(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_BUFFER_PATTERN), *at = text;
	char buffer[sizeof("pattern:") + 2 * PATTERN_MAX] = "pattern:";
	struct pattern p = { .n = 0 };
	if (!text)
		return 0;
	if (*text == '\'')
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_BUFFER_PATTERN,
				      "not supported: a pattern in a file, %s", IOBI_QUOTE(text));
	while (at && *at)
		at = add_next(&p, at);
	if (!at || !p.n || p.too_long)
		return wrong_pattern(m, text);
	size_t len = strlen(buffer);
	for (size_t i = 0; i < p.n; i++, len += 2)
		snprintf(buffer + len, sizeof(buffer) - len, "%02x", p.byte[i]);
	return iobi_fio_set_str(m, m->w, IOBI_FIO_BUFFER_PATTERN, IOB_PARAM_BUFFER, buffer);
}

static int map_percent(struct iobi_fio_map *m, int key, enum iob_param p)
{
	int64_t percent = 0;
	int rc = iobi_fio_get_int(m, key, &percent);
	return rc ? rc : iobi_fio_set_int(m, m->w, key, p, percent);
}

static int map_chunk(struct iobi_fio_map *m)
{
	int64_t chunk = 512;
	int rc = iobi_fio_get_int(m, IOBI_FIO_BUFFER_COMPRESS_CHUNK, &chunk);
	chunk = chunk ? chunk : m->most; /* 0: the whole block */
	return rc ? rc
		  : iobi_fio_set_int(m, m->w, IOBI_FIO_BUFFER_COMPRESS_CHUNK,
				     IOB_PARAM_COMPRESS_CHUNK, chunk);
}

int iobi_fio_map_data(struct iobi_fio_map *m)
{
	int rc = map_pattern(m);
	if (!rc && iobi_fio_on(m, IOBI_FIO_ZERO_BUFFERS, false))
		rc = iobi_fio_set_str(m, m->w, IOBI_FIO_ZERO_BUFFERS, IOB_PARAM_BUFFER, "zero");
	rc = rc ? rc
		: map_percent(m, IOBI_FIO_BUFFER_COMPRESS_PERCENTAGE, IOB_PARAM_COMPRESS_PERCENT);
	if (!rc && iobi_fio_text(m, IOBI_FIO_BUFFER_COMPRESS_PERCENTAGE))
		rc = map_chunk(m);
	return rc ? rc : map_percent(m, IOBI_FIO_DEDUPE_PERCENTAGE, IOB_PARAM_DEDUPE_PERCENT);
}
