/* SPDX-License-Identifier: MIT */
/* Parameters whose text has a form of its own: mixes, fills, percentiles, CPUs. */
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	PART = 64,       /* bytes of one item of a list, NUL included */
	CPU_MAX = 65535, /* Linux has 8192; bounds the loop over "0-4294967295" */
	MICRO = 1000000, /* percentiles are held in 1e-6 % */
	MICRO_DIGITS = 6,
	PATTERN_MAX = 64,
};
#define BLOCK_MAX (INT64_C(1) << 30)

/* The next item of a comma list, in `part`; *at moves past it, to NULL at the end. */
static int next_item(const char **at, char part[PART], const char *text, const char *where,
		     struct iob_error *err)
{
	size_t len = strcspn(*at, ",");
	if (len == 0)
		return iobi_fail(err, EINVAL, where, "\"%s\" has an empty part", IOBI_QUOTE(text));
	if (len >= PART)
		return iobi_fail(err, EINVAL, where, "\"%s\" has a part that is too long",
				 IOBI_QUOTE(text));
	memcpy(part, *at, len);
	part[len] = '\0';
	*at = (*at)[len] ? *at + len + 1 : NULL;
	return 0;
}

static int parse_block(const char *text, const char *where, uint32_t *size, struct iob_error *err)
{
	int64_t value = 0;
	int rc = iobi_parse_size(text, where, &value, err);
	if (rc < 0 && rc != -ERANGE)
		return rc;
	if (value < 1)
		return iobi_fail(err, ERANGE, where, "\"%s\" is below the minimum of 1 byte",
				 IOBI_QUOTE(text));
	if (value > BLOCK_MAX)
		return iobi_fail(err, ERANGE, where, "\"%s\" is above the maximum of 1g",
				 IOBI_QUOTE(text));
	*size = (uint32_t)value;
	return 0;
}

static int parse_share(const char *part, const char *where, uint32_t *percent,
		       struct iob_error *err)
{
	int64_t value = 0;
	const char *colon = strchr(part, ':');
	if (!colon)
		return iobi_fail(err, EINVAL, where,
				 "\"%s\" has no percent; a mix is written as 4k:60,64k:40",
				 IOBI_QUOTE(part));
	int rc = iobi_parse_int(colon + 1, where, &value, NULL);
	if (rc == -EINVAL)
		return iobi_fail(err, EINVAL, where, "the percent in \"%s\" is not a whole number",
				 IOBI_QUOTE(part));
	if (value < 1 || value > 100)
		return iobi_fail(err, ERANGE, where, "the percent in \"%s\" is not 1 to 100",
				 IOBI_QUOTE(part));
	*percent = (uint32_t)value;
	return 0;
}

static int add_part(struct iobi_mix *mix, char *part, const char *where, struct iob_error *err)
{
	uint32_t size = 0, percent = 0;
	int rc = parse_share(part, where, &percent, err);
	if (rc < 0)
		return rc;
	*strchr(part, ':') = '\0';
	rc = parse_block(part, where, &size, err);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < mix->n; i++)
		if (mix->part[i].size == size)
			return iobi_fail(err, EINVAL, where, "the mix has the size \"%s\" twice",
					 IOBI_QUOTE(part));
	if (mix->n == IOBI_MIX_MAX)
		return iobi_fail(err, EINVAL, where, "a mix takes at most %d sizes", IOBI_MIX_MAX);
	mix->part[mix->n].size = size;
	mix->part[mix->n++].percent = percent;
	return 0;
}

static int parse_parts(const char *text, const char *where, struct iobi_mix *mix,
		       struct iob_error *err)
{
	char part[PART];
	unsigned sum = 0;
	for (const char *at = text; at;) {
		int rc = next_item(&at, part, text, where, err);
		if (rc == 0)
			rc = add_part(mix, part, where, err);
		if (rc < 0)
			return rc;
		sum += mix->part[mix->n - 1].percent;
	}
	if (sum != 100)
		return iobi_fail(err, EINVAL, where,
				 "the percents of \"%s\" add up to %u; they must make 100",
				 IOBI_QUOTE(text), sum);
	return 0;
}

/* "4k-64k"; where both are the same it is one size. */
static int parse_block_range(const char *text, const char *where, struct iobi_mix *mix,
			     struct iob_error *err)
{
	char low[PART];
	size_t len = strcspn(text + 1, "-") + 1;
	if (len >= PART)
		return iobi_fail(err, EINVAL, where, "\"%s\" is no range, as 4k-64k",
				 IOBI_QUOTE(text));
	memcpy(low, text, len);
	low[len] = '\0';
	int rc = parse_block(low, where, &mix->low, err);
	rc = rc < 0 ? rc : parse_block(text + len + 1, where, &mix->part[0].size, err);
	if (rc < 0)
		return rc;
	if (mix->part[0].size % mix->low)
		return iobi_fail(err, EINVAL, where,
				 "\"%s\": the upper end must be a multiple of the lower",
				 IOBI_QUOTE(text));
	mix->n = 1;
	mix->part[0].percent = 100;
	if (mix->part[0].size == mix->low)
		mix->low = 0;
	return 0;
}

int iobi_parse_mix(const char *text, const char *where, struct iobi_mix *mix, struct iob_error *err)
{
	struct iobi_mix m = { 0 };
	int rc;
	if (text && text[strcspn(text, ",:")]) {
		rc = parse_parts(text, where, &m, err);
	} else if (text && *text && strchr(text + 1, '-')) {
		rc = parse_block_range(text, where, &m, err);
	} else {
		m.n = 1;
		m.part[0].percent = 100;
		rc = parse_block(text, where, &m.part[0].size, err);
	}
	if (rc == 0)
		*mix = m;
	return rc;
}

int iobi_format_mix(char *buf, size_t n, const struct iobi_mix *mix)
{
	char text[IOBI_MIX_MAX * (IOBI_NUMBER + 8)] = "", size[IOBI_NUMBER];
	size_t len = 0;
	if (mix->low) {
		iobi_format_size(size, sizeof(size), mix->low);
		len += (size_t)snprintf(text, sizeof(text), "%s-", size);
	}
	for (unsigned i = 0; i < mix->n; i++) {
		iobi_format_size(size, sizeof(size), mix->part[i].size);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? "," : "", size);
		if (mix->n > 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len, ":%" PRIu32,
						mix->part[i].percent);
	}
	return snprintf(buf, n, "%s", text);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_pattern(const char *hex, uint8_t pattern[PATTERN_MAX], size_t *len)
{
	size_t n = 0;
	for (; hex[0] && n < PATTERN_MAX; hex += 2) {
		int high = hex_digit(hex[0]), low = high < 0 ? -1 : hex_digit(hex[1]);
		if (low < 0)
			return -1;
		pattern[n++] = (uint8_t)(high << 4 | low);
	}
	*len = n;
	return n && !hex[0] ? 0 : -1;
}

int iobi_parse_fill(const char *text, enum iobi_fill *fill, uint8_t pattern[64], size_t *len,
		    struct iob_error *err)
{
	static const char prefix[] = "pattern:";
	*len = 0;
	if (!strcmp(text, "random") || !strcmp(text, "zero")) {
		*fill = *text == 'r' ? IOBI_FILL_RANDOM : IOBI_FILL_ZERO;
		return 0;
	}
	if (strncmp(text, prefix, strlen(prefix)))
		return iobi_fail(err, EINVAL, "buffer",
				 "\"%s\" is none of random, zero, pattern:HEX", IOBI_QUOTE(text));
	*fill = IOBI_FILL_PATTERN;
	if (parse_pattern(text + strlen(prefix), pattern, len) < 0)
		return iobi_fail(err, EINVAL, "buffer",
				 "\"%s\" is no pattern of 1 to 64 bytes, two hex digits each, as "
				 "pattern:deadbeef",
				 IOBI_QUOTE(text));
	return 0;
}

/* "99.95" in 1e-6 %. */
static int parse_micro(const char *part, uint32_t *micro, struct iob_error *err)
{
	static const char where[] = "percentiles";
	struct iobi_number n = { 0 };
	int rc = iobi_read_number(part, where, "percents from 0 to 100, as 50,99,99.9", &n, err);
	if (rc < 0)
		return rc;
	if (*n.rest)
		return iobi_fail(err, EINVAL, where, "\"%s\" is not a number alone, as 99.9",
				 IOBI_QUOTE(part));
	if (n.fraction_len > MICRO_DIGITS)
		return iobi_fail(err, EINVAL, where, "\"%s\" has more than %d decimals",
				 IOBI_QUOTE(part), MICRO_DIGITS);
	uint32_t fraction = 0;
	for (size_t i = 0; i < MICRO_DIGITS; i++)
		fraction =
			fraction * 10 + (i < n.fraction_len ? (uint32_t)(n.fraction[i] - '0') : 0);
	if (n.too_large || n.whole > 100 || (n.whole == 100 && fraction))
		return iobi_fail(err, ERANGE, where, "\"%s\" is not in 0 to 100", IOBI_QUOTE(part));
	*micro = (uint32_t)n.whole * MICRO + fraction;
	return 0;
}

static int add_micro(uint32_t micro[IOBI_PERCENTILES_MAX], size_t *n, const char *part,
		     struct iob_error *err)
{
	uint32_t value = 0;
	int rc = parse_micro(part, &value, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < *n; i++)
		if (micro[i] == value)
			return iobi_fail(err, EINVAL, "percentiles", "\"%s\" is there twice",
					 IOBI_QUOTE(part));
	if (*n == IOBI_PERCENTILES_MAX)
		return iobi_fail(err, EINVAL, "percentiles", "at most %d can be asked for",
				 IOBI_PERCENTILES_MAX);
	micro[(*n)++] = value;
	return 0;
}

static int parse_micros(const char *text, uint32_t micro[IOBI_PERCENTILES_MAX], size_t *n,
			struct iob_error *err)
{
	char part[PART];
	*n = 0;
	for (const char *at = text; at;) {
		int rc = next_item(&at, part, text, "percentiles", err);
		if (rc == 0)
			rc = add_micro(micro, n, part, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Both operands are exact, so the quotient is the double that is nearest. */
int iobi_parse_percentiles(const char *text, double *out, size_t *n, struct iob_error *err)
{
	uint32_t micro[IOBI_PERCENTILES_MAX];
	int rc = parse_micros(text, micro, n, err);
	for (size_t i = 0; rc == 0 && i < *n; i++)
		out[i] = micro[i] / (double)MICRO;
	return rc;
}

static void add_percent(struct iobi_text *t, uint32_t micro)
{
	char text[IOBI_NUMBER];
	int len = snprintf(text, sizeof(text), "%" PRIu32 ".%06" PRIu32, micro / MICRO,
			   micro % MICRO);
	while (text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	iobi_text_add_n(t, text, (size_t)len);
}

char *iobi_percentiles_text(const char *text, struct iob_error *err)
{
	uint32_t micro[IOBI_PERCENTILES_MAX];
	struct iobi_text t = { 0 };
	size_t n;
	if (parse_micros(text, micro, &n, err) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (i)
			iobi_text_add(&t, ",");
		add_percent(&t, micro[i]);
	}
	if (!t.failed)
		return t.data;
	iobi_text_free(&t);
	iobi_no_memory(err);
	return NULL;
}

/* "3" or "0-3". */
static int parse_range(char *part, int64_t *first, int64_t *last)
{
	char *dash = strchr(part, '-');
	if (dash)
		*dash = '\0';
	int rc = iobi_parse_int(part, "cpus", first, NULL);
	*last = *first;
	if (dash) {
		rc = rc ? rc : iobi_parse_int(dash + 1, "cpus", last, NULL);
		*dash = '-';
	}
	return rc;
}

static int judge_range(char *part, int64_t *first, int64_t *last, struct iob_error *err)
{
	int rc = parse_range(part, first, last);
	if (rc == -EINVAL)
		return iobi_fail(err, EINVAL, "cpus",
				 "\"%s\" is no CPU number or range, as 3 or 0-3", IOBI_QUOTE(part));
	if (rc || *first > CPU_MAX || *last > CPU_MAX)
		return iobi_fail(err, ERANGE, "cpus", "\"%s\" is not within 0 to %d",
				 IOBI_QUOTE(part), CPU_MAX);
	if (*last < *first)
		return iobi_fail(err, EINVAL, "cpus", "the range \"%s\" runs backwards",
				 IOBI_QUOTE(part));
	return 0;
}

int iobi_parse_cpus(const char *text, int (*fn)(void *user, unsigned cpu), void *user,
		    struct iob_error *err)
{
	char part[PART];
	for (const char *at = *text ? text : NULL; at;) {
		int64_t cpu = 0, last = 0;
		int rc = next_item(&at, part, text, "cpus", err);
		if (rc == 0)
			rc = judge_range(part, &cpu, &last, err);
		for (; rc == 0 && fn && cpu <= last; cpu++)
			rc = fn(user, (unsigned)cpu);
		if (rc)
			return rc;
	}
	return 0;
}

int iobi_parse_think_time(const char *text, int64_t *ns, bool *exponential, struct iob_error *err)
{
	static const char prefix[] = "exp:";
	*exponential = !strncmp(text, prefix, strlen(prefix));
	return iobi_parse_time(text + (*exponential ? strlen(prefix) : 0), "think_time", ns, err);
}
