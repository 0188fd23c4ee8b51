/* SPDX-License-Identifier: MIT */
/* Numbers in fio's forms. What fio reads as something that its author did not
 * mean is an error here, or meant as it is written with a note. */
#include "fio/fio_priv.h"
#include "workload/units.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	LONGEST = 48 /* of a number with its unit */
};

/* A part of a text, quoted for a message. */
static const char *quote_part(char buf[IOBI_QUOTED], const char *text, size_t len)
{
	char part[IOBI_QUOTED];
	snprintf(part, sizeof(part), "%.*s", (int)(len < IOBI_QUOTED ? len : IOBI_QUOTED), text);
	return iobi_quote(buf, part);
}
#define QUOTE(text, len) quote_part((char[IOBI_QUOTED]){ 0 }, text, len)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digits from text[0]; how many characters they are, 0: none or too many. */
static size_t read_digits(const char *text, size_t len, int64_t *value)
{
	size_t i = 0, base = len > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
	int64_t v = 0;
	for (i = base == 16 ? 2 : 0; i < len; i++) {
		int digit = base == 16          ? hex_digit(text[i])
			    : is_digit(text[i]) ? text[i] - '0'
						: -1;
		if (digit < 0)
			break;
		if (__builtin_mul_overflow(v, (int64_t)base, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return 0;
	}
	*value = v;
	return i;
}

/* "k", "Ki", "KiB", "kb", "b" .. as a factor; 0: no such unit. */
static int64_t unit_factor(const struct iobi_fio_at *at, const char *unit, size_t len)
{
	static const char letters[] = "kmgtp";
	int64_t kilo = at->kilo, factor = 1;
	if (!len || (len == 1 && (*unit | 0x20) == 'b'))
		return 1;
	const char *letter = strchr(letters, *unit | 0x20);
	if (!letter || !*letter || len > 3)
		return 0;
	size_t i = 1;
	if (i < len && (unit[i] | 0x20) == 'i') {
		kilo = 1024;
		i++;
	}
	if (i < len && (unit[i] | 0x20) == 'b')
		i++;
	for (int n = (int)(letter - letters) + 1; n; n--)
		factor *= kilo;
	return i == len ? factor : 0;
}

static int wrong_unit(const struct iobi_fio_at *at, const char *text, size_t len, size_t digits)
{
	if (text[digits] == '.')
		return iobi_fio_fail(
			at->f, EINVAL, at->where, at->place,
			"\"%s\" has a fraction, and sizes take none (fio reads what is "
			"before the point)",
			QUOTE(text, len));
	if (text[digits] == '-')
		return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
				     "\"%s\" is a range, which %s does not take", QUOTE(text, len),
				     at->where);
	return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
			     "\"%s\" has the unknown unit \"%s\"; there are k, m, g, t, p",
			     QUOTE(text, len), QUOTE(text + digits, len - digits));
}

/* KiB is what fio, by default, reads as 1000. */
static int note_kib(const struct iobi_fio_at *at, const char *text, size_t len, size_t digits)
{
	if (at->kilo != 1024 || len - digits != 3)
		return 0;
	return iobi_fio_note(at->f, at->place, "%s: %s is a power of 1024 (fio reads it as 1000)",
			     at->where, QUOTE(text, len));
}

static int no_number(const struct iobi_fio_at *at, const char *text, size_t len)
{
	bool shell = len && *text == '$';
	return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
			     "\"%s\" is no number; it takes one as 4 or 4k%s", QUOTE(text, len),
			     shell ? ", or an environment variable as ${NAME}" : "");
}

int iobi_fio_size(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *value)
{
	int64_t number = 0;
	size_t digits = read_digits(text, len, &number);
	if (!digits && len && is_digit(text[0]))
		return iobi_fio_fail(at->f, ERANGE, at->where, at->place, "\"%s\" is too large",
				     QUOTE(text, len));
	if (!digits)
		return no_number(at, text, len);
	int64_t factor = unit_factor(at, text + digits, len - digits);
	if (!factor)
		return wrong_unit(at, text, len, digits);
	if (__builtin_mul_overflow(number, factor, value))
		return iobi_fio_fail(at->f, ERANGE, at->where, at->place, "\"%s\" is too large",
				     QUOTE(text, len));
	return note_kib(at, text, len, digits);
}

int iobi_fio_int(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *value)
{
	return iobi_fio_size(at, text, len, value);
}

int iobi_fio_size_or_percent(const struct iobi_fio_at *at, const char *text, int64_t *value,
			     int64_t *percent)
{
	size_t len = strlen(text), digits;
	*percent = -1;
	while (len && text[len - 1] == '%') /* a shell script's %% is meant as one */
		len--;
	if (!text[len])
		return iobi_fio_size(at, text, len, value);
	digits = read_digits(text, len, percent);
	if (!digits || digits != len || *percent < 0 || *percent > 100)
		return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
				     "\"%s\" is not 0%% to 100%%", IOBI_QUOTE(text));
	return 0;
}

struct time_unit {
	const char *fio, *ours;
	int64_t times;
};

static const struct time_unit *time_unit(const char *unit, size_t len)
{
	static const struct time_unit units[] = {
		{ "", "s", 1 },      { "s", "s", 1 },   { "m", "m", 1 },
		{ "h", "h", 1 },     { "d", "h", 24 },  { "ms", "ms", 1 },
		{ "msec", "ms", 1 }, { "us", "us", 1 }, { "usec", "us", 1 },
	};
	for (size_t i = 0; i < IOBI_LEN(units); i++)
		if (strlen(units[i].fio) == len && !strncasecmp(units[i].fio, unit, len))
			return &units[i];
	return NULL;
}

static int wrong_time(const struct iobi_fio_at *at, const char *text, size_t len)
{
	return iobi_fio_fail(
		at->f, EINVAL, at->where, at->place,
		"\"%s\" is no time; it takes a number of seconds, or one with d, h, m, s, "
		"ms or us (fio reads \"1sec\" and \"1min\" as 1 us)",
		QUOTE(text, len));
}

int iobi_fio_time(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *ns)
{
	char number[LONGEST + 4];
	size_t digits = 0;
	while (digits < len && (is_digit(text[digits]) || text[digits] == '.'))
		digits++;
	const struct time_unit *unit = time_unit(text + digits, len - digits);
	if (!digits || digits > LONGEST || !unit)
		return wrong_time(at, text, len);
	snprintf(number, sizeof(number), "%.*s%s", (int)digits, text, unit->ours);
	int rc = iobi_parse_time(number, at->where, ns, NULL);
	if (!rc && __builtin_mul_overflow(*ns, unit->times, ns))
		rc = -ERANGE;
	if (rc == -ERANGE)
		return iobi_fio_fail(at->f, ERANGE, at->where, at->place, "\"%s\" is too long",
				     QUOTE(text, len));
	return rc ? wrong_time(at, text, len) : 0;
}

/* fio takes - for a comma; whoever writes it may mean a range. */
static int note_dash(const struct iobi_fio_at *at, const char *text)
{
	if (!strchr(text, '-'))
		return 0;
	return iobi_fio_note(at->f, at->place,
			     "%s=%s is, as in fio, reads and writes, not a range: that is bsrange",
			     at->where, IOBI_QUOTE(text));
}

int iobi_fio_sizes(const struct iobi_fio_at *at, const char *text, int64_t value[3])
{
	const char *part = text;
	for (int i = 0; i < 3; i++) {
		size_t len = strcspn(part, ",-");
		int rc = len ? iobi_fio_size(at, part, len, &value[i]) : 0;
		if (rc)
			return rc;
		if (!part[len]) { /* what is not named is as the last one named */
			for (int k = i + 1; len && k < 3; k++)
				value[k] = value[i];
			return note_dash(at, text);
		}
		part += len + 1;
	}
	return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
			     "\"%s\" has more than three parts: reads, writes, trims",
			     IOBI_QUOTE(text));
}

int iobi_fio_range(const struct iobi_fio_at *at, const char *text, size_t len, int64_t *low,
		   int64_t *high)
{
	size_t first = 0;
	while (first < len && text[first] != '-' && text[first] != ':')
		first++;
	int rc = iobi_fio_size(at, text, first, low);
	*high = *low;
	if (!rc && first < len)
		rc = iobi_fio_size(at, text + first + 1, len - first - 1, high);
	if (!rc && *high < *low)
		return iobi_fio_fail(at->f, EINVAL, at->where, at->place,
				     "the range \"%s\" runs backwards", QUOTE(text, len));
	return rc;
}

static int judge_bool(struct iobi_fio *f, const char *name, const char *text,
		      struct iobi_fio_place at, bool flag)
{
	if ((flag && !*text) || !strcmp(text, "0") || !strcmp(text, "1"))
		return 0;
	if (!*text)
		return iobi_fio_fail(f, EINVAL, name, at, "it needs a value: %s=0 or %s=1", name,
				     name);
	return iobi_fio_fail(f, EINVAL, name, at, "\"%s\" is not %s0 or 1", IOBI_QUOTE(text),
			     flag ? "nothing, " : "");
}

int iobi_fio_judge(struct iobi_fio *f, int key, const char *text, struct iobi_fio_place at)
{
	const char *name = iobi_fio_row(key)->name;
	struct iobi_fio_at where = { f, name, at, 1024 };
	int64_t value, percent, values[3];
	switch (iobi_fio_type(key)) {
	case IOBI_FIO_IS_FLAG:
		return judge_bool(f, name, text, at, true);
	case IOBI_FIO_IS_BOOL:
		return judge_bool(f, name, text, at, false);
	case IOBI_FIO_IS_INT:
	case IOBI_FIO_IS_SIZE:
		return iobi_fio_size(&where, text, strlen(text), &value);
	case IOBI_FIO_IS_PERCENT:
		return iobi_fio_size_or_percent(&where, text, &value, &percent);
	case IOBI_FIO_IS_SIZES:
		return iobi_fio_sizes(&where, text, values);
	case IOBI_FIO_IS_TIME:
		return iobi_fio_time(&where, text, strlen(text), &value);
	case IOBI_FIO_IS_TEXT:
		if (*text)
			return 0;
		return iobi_fio_fail(f, EINVAL, name, at, "it needs a value: %s=...", name);
	default:
		return 0;
	}
}
