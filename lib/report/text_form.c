/* SPDX-License-Identifier: MIT */
/* Numbers and names as the text report shows them. */
#include "report/text_priv.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Commas between the thousands of the digits before the point. */
static char *group(char *buf, const char *number)
{
	size_t whole = strcspn(number, "."), n = 0;
	for (size_t i = 0; number[i] && n + 2 < IOBI_CELL; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			buf[n++] = ',';
		buf[n++] = number[i];
	}
	buf[n] = '\0';
	return buf;
}

char *iobi_text_count(char *buf, uint64_t v)
{
	char number[IOBI_CELL];
	return group(buf, iobi_format_u128(number, sizeof(number), v));
}

char *iobi_text_number(char *buf, double v)
{
	char number[IOBI_CELL];
	if (v < 99.95)
		return iobi_format_digits(buf, IOBI_CELL, v, 3);
	return group(buf, iobi_format_fixed(number, sizeof(number), v, 0));
}

static char *with_unit(char *buf, double v, const char *unit)
{
	char number[32];
	snprintf(buf, IOBI_CELL, "%s %s", iobi_format_digits(number, sizeof(number), v, 3), unit);
	return buf;
}

char *iobi_text_ns(char *buf, double ns)
{
	char number[32];
	if (isnan(ns) || ns < 999.5) {
		iobi_format_fixed(number, sizeof(number), ns, 0);
		snprintf(buf, IOBI_CELL, isnan(ns) ? "%s" : "%s ns", number);
		return buf;
	}
	if (ns < 999.5e3)
		return with_unit(buf, ns / 1e3, "us");
	return ns < 999.5e6 ? with_unit(buf, ns / 1e6, "ms") : with_unit(buf, ns / 1e9, "s");
}

/* "4 KiB", "1.82 TiB". */
char *iobi_text_bytes(char *buf, uint64_t v)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double scaled = (double)v;
	size_t u = 0;
	char number[32];

	for (; scaled >= 1024 && u + 1 < IOBI_LEN(units); u++)
		scaled /= 1024;
	int whole = scaled == floor(scaled);
	snprintf(buf, IOBI_CELL, "%s %s",
		 whole ? iobi_format_fixed(number, sizeof(number), scaled, 0)
		       : iobi_format_digits(number, sizeof(number), scaled, 3),
		 units[u]);
	return buf;
}

void iobi_text_add_name(struct iobi_text *t, const char *s)
{
	for (; *s; s++)
		iobi_text_add_n(t, (unsigned char)*s < ' ' || *s == 0x7f ? "?" : s, 1);
}

/* "block_size=8k" says what a column says; "sync=all" does not. */
static int in_a_column(const char *word, size_t n)
{
	static const char *const columns[] = { "block_size=", "workers=", "queue_depth=",
					       "pattern=", "read_percent=" };
	for (size_t i = 0; i < IOBI_LEN(columns); i++)
		if (n > strlen(columns[i]) && !strncmp(word, columns[i], strlen(columns[i])))
			return 1;
	return 0;
}

/* "stage 3", "workload 1": names that the library made up. */
static int made_up(const char *name)
{
	size_t n = !strncmp(name, "stage ", 6) ? 6 : !strncmp(name, "workload ", 9) ? 9 : 0;
	return n && name[n] && !name[n + strspn(name + n, "0123456789")];
}

/* Cut in the middle of no character. */
static void shorten(char *buf)
{
	enum {
		LONGEST = 28
	};
	size_t n = LONGEST;
	if (strlen(buf) <= LONGEST)
		return;
	while (n && ((unsigned char)buf[n] & 0xc0) == 0x80)
		n--;
	strcpy(buf + n, "..");
}

static void add_words(char *buf, const char *name)
{
	size_t len = 0;
	*buf = '\0';
	for (size_t n; *name; name += n + (name[n] != '\0')) {
		n = strcspn(name, " ");
		if (in_a_column(name, n) || len + n + 2 >= IOBI_CELL)
			continue;
		len += (size_t)snprintf(buf + len, IOBI_CELL - len, "%s%.*s", len ? " " : "",
					(int)n, name);
	}
	shorten(buf);
}

void iobi_text_label(char *buf, const struct iob_result *w)
{
	const struct iob_result *stage = w->parent;
	int sole = w->level == IOB_LEVEL_WORKLOAD && stage && stage->n_child == 1;
	const char *name = w->name;

	*buf = '\0';
	if (sole && (made_up(name) || !*name) && !made_up(stage->name))
		name = stage->name;
	if (!sole || !made_up(name))
		add_words(buf, name);
}
