/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("iobench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void complain_of(const struct iob_error *err)
{
	/* one with a line is in the message, if it is long the end of it */
	const char *file = err->line || strstr(err->message, err->file) ? "" : err->file;

	complain("%s%s%s%s%s", err->where, err->where[0] ? ": " : "", file, file[0] ? ": " : "",
		 err->message);
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;
	return m < c ? m : c;
}

/* How many letters must be put in, taken out or changed. */
static size_t distance(const char *a, const char *b)
{
	enum {
		LONGEST = 63
	};
	size_t row[LONGEST + 1], n = strlen(b);

	if (n > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t above = row[j];
			row[j] =
				least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

const char *nearest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word), best = len / 3 > 2 ? len / 3 + 1 : 3;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = distance(word, candidates[i]);
		bool begins = len >= 3 && !strncmp(word, candidates[i], len);
		if (begins && d >= best && !found)
			d = best - 1;
		if (d < best && d < strlen(candidates[i])) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}

static size_t right_edge(FILE *out)
{
	struct winsize w;

	if (ioctl(fileno(out), TIOCGWINSZ, &w) || w.ws_col < 60)
		return 80;
	return w.ws_col < 100 ? w.ws_col : 100;
}

void wrap(FILE *out, const char *text, size_t column, size_t indent)
{
	size_t edge = right_edge(out);
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		if (!first && column + 1 + len > edge) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		column += len + !first;
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

const char *si(char *buf, size_t n, double value)
{
	static const char unit[] = " kMGT";
	size_t i = 0;

	while (value >= 999.5 && i < sizeof(unit) - 2) {
		value /= 1000;
		i++;
	}
	snprintf(buf, n, "%.*f%.*s",
		 i && value < 9.995   ? 2
		 : i && value < 99.95 ? 1
				      : 0,
		 value, i ? 1 : 0, unit + i);
	return buf;
}

int finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	complain("cannot write to stdout: %s", strerror(errno));
	return EXIT_FAILED;
}

void tell_notes(const struct iob_suite *s)
{
	const struct iob_note *n;

	for (size_t i = 0; (n = iob_suite_note(s, i)); i++)
		if (n->line)
			fprintf(stderr, "note: %s line %d: %s\n", n->file, n->line, n->text);
		else
			fprintf(stderr, "note: %s\n", n->text);
}
