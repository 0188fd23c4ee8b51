/* SPDX-License-Identifier: MIT */
#include "report/fio_print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int digits_of(uint64_t v)
{
	int n = 1;
	for (; v >= 10; v /= 10)
		n++;
	return n;
}

/* What fits is whole; what does not is divided until it does, and shows as many
 * decimals as there is room for, or is rounded. */
char *iobi_fiop_number(char *buf, uint64_t v, int digits, unsigned base, const char *unit)
{
	static const char *const prefix[][6] = { { "", "k", "M", "G", "T", "P" },
						 { "", "Ki", "Mi", "Gi", "Ti", "Pi" } };
	char text[24];
	uint64_t rest = 0;
	int step = 0;
	for (; digits_of(v) > digits && step < 5; step++) {
		rest = v % base;
		v /= base;
	}
	int decimals = step ? digits - digits_of(v) - 1 : 0;
	if (decimals > 0)
		iobi_format_fixed(text, sizeof(text), (double)v + (double)rest / base, decimals);
	else
		snprintf(text, sizeof(text), "%" PRIu64, v + (step && rest * 2 >= base));
	snprintf(buf, IOBI_FIOP_NUMBER, "%s%s%s", text, prefix[base == 1024][step], unit);
	return buf;
}

void iobi_fiop_fixed(struct iobi_text *t, double v, int width)
{
	char text[64];
	iobi_text_printf(t, "%*s", width, iobi_format_fixed(text, sizeof(text), v, 2));
}

void iobi_fiop_time(char *buf, size_t n, uint64_t ns)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)(ns / 1000000000);
	struct tm tm;
	buf[0] = '\0';
	if (ns && localtime_r(&t, &tm))
		snprintf(buf, n, "%s %s %2d %02d:%02d:%02d %d", days[tm.tm_wday], months[tm.tm_mon],
			 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_year + 1900);
}

void iobi_fiop_version(char *buf, size_t n, const struct iob_result *r)
{
	while (r->parent)
		r = r->parent;
	const char *own = iobi_pairs_get(&r->host, "version");
	snprintf(buf, n, "fio-3.42-iobench-%.60s", own ? own : iob_version());
}

void iobi_fiop_text(struct iobi_text *t, const char *s)
{
	for (; *s; s++) {
		bool control = (unsigned char)*s < 0x20 || *s == 0x7f;
		iobi_text_add_n(t, control ? "?" : s, 1);
	}
}
