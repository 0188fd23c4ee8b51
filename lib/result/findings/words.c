/* SPDX-License-Identifier: MIT */
/* Numbers as the messages of findings say them. */
#include "result/findings/judge.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *next_word(struct iobi_judge *j)
{
	return j->word[j->n_words++ % IOBI_WORDS_MAX];
}

enum {
	WORD = 64
};

/* Three digits, and whole numbers in full. */
static void put(char *buf, double v, const char *unit)
{
	char number[32];
	if (fabs(v) >= 999.5 || v == floor(v))
		iobi_format_fixed(number, sizeof(number), v, 0);
	else
		iobi_format_digits(number, sizeof(number), v, 3);
	if (fabs(v) < 1 && *number == '1') /* "0.996" is not "1.00" */
		iobi_format_fixed(number, sizeof(number), v, 3);
	snprintf(buf, WORD, *unit ? "%s %s" : "%s", number, unit);
}

const char *iobi_w_number(struct iobi_judge *j, double v)
{
	char *buf = next_word(j);
	put(buf, v, "");
	return buf;
}

const char *iobi_w_ns(struct iobi_judge *j, double ns)
{
	char *buf = next_word(j);
	if (ns < 999.5)
		put(buf, ns, "ns");
	else if (ns < 999.5e3)
		put(buf, ns / 1e3, "us");
	else if (ns < 999.5e6)
		put(buf, ns / 1e6, "ms");
	else
		put(buf, ns / 1e9, "s");
	return buf;
}

const char *iobi_w_bytes(struct iobi_judge *j, double v)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	char *buf = next_word(j);
	size_t u = 0;
	for (; v >= 1023.5 && u + 1 < IOBI_LEN(units); u++)
		v /= 1024;
	put(buf, v, units[u]);
	return buf;
}

const char *iobi_w_rate(struct iobi_judge *j, double v)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	char *buf = next_word(j);
	size_t u = 0;
	for (; v >= 999.5 && u + 1 < IOBI_LEN(units); u++)
		v /= 1000;
	put(buf, v, units[u]);
	return buf;
}

const char *iobi_w_share(struct iobi_judge *j, double v)
{
	char *buf = next_word(j), number[32];
	double percent = v * 100;
	if (percent >= 9.95 || percent == floor(percent))
		iobi_format_fixed(number, sizeof(number), percent, 0);
	else
		iobi_format_digits(number, sizeof(number), percent, 2);
	snprintf(buf, WORD, "%s %%", number);
	return buf;
}

const char *iobi_w_percentile(struct iobi_judge *j, double p)
{
	char *buf = next_word(j), number[32];
	iobi_format_fixed(number, sizeof(number), p, 6);
	size_t len = strlen(number);
	while (len && number[len - 1] == '0')
		len--;
	number[len && number[len - 1] == '.' ? len - 1 : len] = '\0';
	snprintf(buf, WORD, "p%s", number);
	return buf;
}
