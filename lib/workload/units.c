/* SPDX-License-Identifier: MIT */
/* Numbers with units from text and back: exact, by decimal digits, since
 * strtod follows the locale and rounds. */
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	int64_t factor;
};

#define K INT64_C(1024)
#define NS INT64_C(1)
#define S INT64_C(1000000000)

static const struct unit size_units[] = {
	{ "", 1 },           { "B", 1 },           { "k", K },
	{ "K", K },          { "Ki", K },          { "KiB", K },
	{ "kB", 1000 },      { "m", K *K },        { "M", K *K },
	{ "Mi", K *K },      { "MiB", K *K },      { "MB", 1000000 },
	{ "g", K *K *K },    { "G", K *K *K },     { "Gi", K *K *K },
	{ "GiB", K *K *K },  { "GB", S },          { "t", K *K *K *K },
	{ "T", K *K *K *K }, { "Ti", K *K *K *K }, { "TiB", K *K *K *K },
	{ "TB", 1000 * S },  { NULL, 0 },
};
static const struct unit time_units[] = {
	{ "", S },  { "ns", NS },    { "us", 1000 * NS }, { "ms", 1000000 * NS },
	{ "s", S }, { "m", 60 * S }, { "h", 3600 * S },   { NULL, 0 },
};
#define SIZE_UNITS "B, k, m, g, t (or K, Ki, KiB ..: powers of 1024), kB, MB, GB, TB (of 1000)"
#define TIME_UNITS "ns, us, ms, s, m, h"

/* Largest first; what is formatted uses these. */
static const struct unit binary[] = {
	{ "t", K *K *K *K }, { "g", K *K *K }, { "m", K *K }, { "k", K }, { "", 1 },
};
static const struct unit decimal[] = {
	{ "TB", 1000 * S }, { "GB", S }, { "MB", 1000000 }, { "kB", 1000 }, { "", 1 },
};
static const struct unit times[] = {
	{ "h", 3600 * S }, { "m", 60 * S }, { "s", S },
	{ "ms", 1000000 }, { "us", 1000 },  { "ns", 1 },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *iobi_quote(char buf[IOBI_QUOTED], const char *text)
{
	static const char hex[] = "0123456789abcdef";
	size_t len = 0;
	for (; *text && len < IOBI_QUOTED - 8; text++) {
		unsigned char c = (unsigned char)*text;
		if (c >= 0x20 && c < 0x7f) {
			buf[len++] = *text;
			continue;
		}
		memcpy(buf + len, "\\x", 2);
		buf[len + 2] = hex[c >> 4];
		buf[len + 3] = hex[c & 15];
		len += 4;
	}
	strcpy(buf + len, *text ? "..." : "");
	return buf;
}

static void read_whole(struct iobi_number *n)
{
	for (; is_digit(*n->rest); n->rest++) {
		unsigned digit = (unsigned)(*n->rest - '0');
		n->too_large |= __builtin_mul_overflow(n->whole, 10, &n->whole);
		n->too_large |= __builtin_add_overflow(n->whole, digit, &n->whole);
	}
}

static void read_fraction(struct iobi_number *n)
{
	n->point = true;
	n->fraction = ++n->rest;
	while (is_digit(*n->rest))
		n->rest++;
	n->fraction_len = (size_t)(n->rest - n->fraction);
	while (n->fraction_len && n->fraction[n->fraction_len - 1] == '0')
		n->fraction_len--;
}

int iobi_read_number(const char *text, const char *where, const char *example,
		     struct iobi_number *n, struct iob_error *err)
{
	if (!text)
		return iobi_fail(err, EINVAL, where, "no text was given (NULL); it takes %s",
				 example);
	if (!*text)
		return iobi_fail(err, EINVAL, where, "the text is empty; it takes %s", example);
	if (text[strcspn(text, " \t\n\v\f\r")])
		return iobi_fail(err, EINVAL, where, "\"%s\" has a blank in it; it takes %s",
				 IOBI_QUOTE(text), example);
	if (text[0] == '-' && is_digit(text[1]))
		return iobi_fail(err, ERANGE, where, "\"%s\" is negative; it takes %s",
				 IOBI_QUOTE(text), example);
	*n = (struct iobi_number){ .rest = text };
	read_whole(n);
	if (n->rest != text && n->rest[0] == '.' && is_digit(n->rest[1]))
		read_fraction(n);
	if (n->rest != text && n->rest[0] != '.')
		return 0;
	return iobi_fail(err, EINVAL, where, "\"%s\" is not a number; it takes %s",
			 IOBI_QUOTE(text), example);
}

static int find_unit(const struct unit *units, const char *name, int64_t *factor)
{
	for (; units->name; units++) {
		if (strcmp(units->name, name))
			continue;
		*factor = units->factor;
		return 1;
	}
	return 0;
}

static int unknown_unit(const char *text, const char *unit, const char *known, const char *where,
			struct iob_error *err)
{
	size_t len = strlen(unit);
	if (len >= 2 && !strcmp(unit + len - 2, "/s"))
		return iobi_fail(err, EINVAL, where,
				 "\"%s\" is a rate, which %s is not; leave \"/s\" away",
				 IOBI_QUOTE(text), where);
	return iobi_fail(err, EINVAL, where, "\"%s\" has the unknown unit \"%s\"; there are %s",
			 IOBI_QUOTE(text), IOBI_QUOTE(unit), known);
}

/* ERANGE leaves a value on the far side of any bound: a caller that has bounds
 * of its own can name those. */
static int too_large(const char *text, const char *where, const char *max, int64_t *value,
		     struct iob_error *err)
{
	*value = INT64_MAX;
	return iobi_fail(err, ERANGE, where, "\"%s\" is above the maximum of %s", IOBI_QUOTE(text),
			 max);
}

/* The fraction times `factor`, in *part. False where that is no whole number.
 * 3600 * 10^9 has 13 factors of 2 and 11 of 5: past 13 digits it never is. */
static bool scale_fraction(const struct iobi_number *n, int64_t factor, int64_t *part)
{
	iobi_u128 digits = 0, power = 1;
	*part = 0;
	if (n->fraction_len > 18)
		return false;
	for (size_t i = 0; i < n->fraction_len; i++) {
		digits = digits * 10 + (unsigned)(n->fraction[i] - '0');
		power *= 10;
	}
	digits *= (uint64_t)factor;
	*part = (int64_t)(digits / power);
	return digits % power == 0;
}

/* whole * factor + part; false where it does not fit. */
static bool scale(const struct iobi_number *n, int64_t factor, int64_t part, int64_t *value)
{
	int64_t v;
	if (n->too_large || n->whole > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)n->whole, factor, &v) ||
	    __builtin_add_overflow(v, part, &v))
		return false;
	*value = v;
	return true;
}

/* "4.5k": says what it would be in bytes, where it is a whole number of them. */
static int size_fraction(const char *text, const struct iobi_number *n, int64_t factor,
			 const char *where, struct iob_error *err)
{
	int64_t part, value;
	if (scale_fraction(n, factor, &part) && scale(n, factor, part, &value))
		return iobi_fail(err, EINVAL, where,
				 "\"%s\" has a fraction, and sizes take none (use %" PRId64 ")",
				 IOBI_QUOTE(text), value);
	return iobi_fail(err, EINVAL, where,
			 "\"%s\" has a fraction, and sizes take none (use a smaller unit)",
			 IOBI_QUOTE(text));
}

static int begin(const char *text, const char *where, const char *example, struct iobi_number *n,
		 int64_t *value, struct iob_error *err)
{
	int rc = iobi_read_number(text, where, example, n, err);
	if (rc == -ERANGE)
		*value = -1;
	return rc;
}

int iobi_parse_size(const char *text, const char *where, int64_t *value, struct iob_error *err)
{
	struct iobi_number n = { 0 };
	int64_t factor;
	int rc = begin(text, where, "a size in bytes, or with a unit as 4k", &n, value, err);
	if (rc < 0)
		return rc;
	if (!find_unit(size_units, n.rest, &factor))
		return unknown_unit(text, n.rest, SIZE_UNITS, where, err);
	if (n.point)
		return size_fraction(text, &n, factor, where, err);
	if (!scale(&n, factor, 0, value))
		return too_large(text, where, "9223372036854775807 bytes", value, err);
	return 0;
}

int iobi_parse_time(const char *text, const char *where, int64_t *ns, struct iob_error *err)
{
	struct iobi_number n = { 0 };
	int64_t factor, part;
	int rc = begin(text, where, "a time in seconds, or with a unit as 500ms", &n, ns, err);
	if (rc < 0)
		return rc;
	if (!find_unit(time_units, n.rest, &factor))
		return unknown_unit(text, n.rest, TIME_UNITS, where, err);
	if (!scale_fraction(&n, factor, &part))
		return iobi_fail(err, EINVAL, where, "\"%s\" is finer than 1 ns", IOBI_QUOTE(text));
	if (!scale(&n, factor, part, ns))
		return too_large(text, where, "9223372036854775807 ns", ns, err);
	return 0;
}

/* The units of sizes, with or without "/s"; fractions may be. */
int iobi_parse_rate(const char *text, const char *where, int64_t *value, struct iob_error *err)
{
	struct iobi_number n = { 0 };
	char unit[8] = "";
	int64_t factor, part;
	int rc = begin(text, where, "bytes a second, or with a unit as 3.2GB/s", &n, value, err);
	if (rc < 0)
		return rc;
	size_t len = strlen(n.rest);
	if (len >= 2 && !strcmp(n.rest + len - 2, "/s"))
		len -= 2;
	if (len < sizeof(unit))
		memcpy(unit, n.rest, len);
	if (len >= sizeof(unit) || !find_unit(size_units, unit, &factor))
		return iobi_fail(
			err, EINVAL, where,
			"\"%s\" has the unknown unit \"%s\"; there are %s, each also with /s",
			IOBI_QUOTE(text), IOBI_QUOTE(n.rest), SIZE_UNITS);
	if (!scale_fraction(&n, factor, &part))
		return iobi_fail(err, EINVAL, where, "\"%s\" is finer than 1 byte a second",
				 IOBI_QUOTE(text));
	if (!scale(&n, factor, part, value))
		return too_large(text, where, "9223372036854775807 bytes a second", value, err);
	return 0;
}

int iobi_parse_int(const char *text, const char *where, int64_t *value, struct iob_error *err)
{
	struct iobi_number n = { 0 };
	int rc = begin(text, where, "a whole number", &n, value, err);
	if (rc < 0)
		return rc;
	if (!strcmp(n.rest, "%"))
		return iobi_fail(err, EINVAL, where,
				 "\"%s\" has a percent sign; write the number alone",
				 IOBI_QUOTE(text));
	if (n.point || *n.rest)
		return iobi_fail(err, EINVAL, where, "\"%s\" is not a whole number; it takes no %s",
				 IOBI_QUOTE(text), *n.rest ? "unit" : "fraction");
	if (!scale(&n, 1, 0, value))
		return too_large(text, where, "9223372036854775807", value, err);
	return 0;
}

int iobi_parse_bool(const char *text, const char *where, int64_t *value, struct iob_error *err)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
	for (size_t i = 0; text && i < IOBI_LEN(words); i++) {
		if (strcmp(words[i], text))
			continue;
		*value = i & 1;
		return 0;
	}
	return iobi_fail(err, EINVAL, where,
			 "\"%s\" is none of true, false, yes, no, on, off, 1, 0",
			 text ? IOBI_QUOTE(text) : "(NULL)");
}

/* In the largest of the units that divides it. */
static int in_units(char *buf, size_t n, int64_t value, const struct unit *u)
{
	while (value % u->factor)
		u++;
	return snprintf(buf, n, "%" PRId64 "%s", value / u->factor, u->name);
}

int iobi_format_size(char *buf, size_t n, int64_t value)
{
	char other[IOBI_NUMBER];
	if (value == 0)
		return snprintf(buf, n, "0");
	int len = in_units(NULL, 0, value, binary);
	if (in_units(other, sizeof(other), value, decimal) < len)
		return snprintf(buf, n, "%s", other);
	return in_units(buf, n, value, binary);
}

int iobi_format_rate(char *buf, size_t n, int64_t value)
{
	char size[IOBI_NUMBER];
	iobi_format_size(size, sizeof(size), value);
	return snprintf(buf, n, value ? "%s/s" : "%s", size);
}

int iobi_format_time(char *buf, size_t n, int64_t ns)
{
	return ns ? in_units(buf, n, ns, times) : snprintf(buf, n, "0");
}
