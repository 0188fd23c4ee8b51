/* SPDX-License-Identifier: MIT */
/* Which formats can be read, how one is told from another, and what their
 * readers share. */
#include "result/import/import.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <iobench/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

int iobi_lines_open(struct iobi_lines *l, const char *data, size_t len, struct iob_error *err)
{
	*l = (struct iobi_lines){ .copy = malloc(len + 1) };
	if (!l->copy)
		return iobi_no_memory(err);
	for (size_t i = 0; i < len; i++)
		l->copy[i] = data[i] ? data[i] : '?';
	l->copy[len] = '\0';
	l->next = l->copy;
	return 0;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* "\n", "\r\n", or "\r" alone, with which a terminal's progress line is written over. */
char *iobi_lines_next(struct iobi_lines *l)
{
	char *line = l->next, *end;
	if (!*line)
		return NULL;
	end = line + strcspn(line, "\r\n");
	l->next = *end ? end + 1 : end;
	if (*end == '\r' && *l->next == '\n')
		l->next++;
	l->n++;
	while (end > line && is_blank(end[-1]))
		end--;
	*end = '\0';
	while (is_blank(*line))
		line++;
	return line;
}

void iobi_lines_close(struct iobi_lines *l)
{
	free(l->copy);
	l->copy = NULL;
}

/* ---- numbers ---- */

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool iobi_take_number(const char **at, struct iobi_range *out)
{
	const char *s = *at;
	double v = 0, unit = 1;
	while (is_blank(*s))
		s++;
	if (!is_digit(*s))
		return false;
	for (; is_digit(*s); s++)
		v = v * 10 + (*s - '0');
	if (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s); s++) {
			unit *= 10;
			v = v * 10 + (*s - '0');
		}
	v /= unit;
	if (!isfinite(v) || !isfinite(unit))
		return false;
	*out = (struct iobi_range){ v - 0.5 / unit, v, v + 0.5 / unit };
	*at = s;
	return true;
}

bool iobi_whole_number(const char *text, struct iobi_range *out)
{
	return iobi_take_number(&text, out) && !*text;
}

static double factor_of(const char **at, bool decimal)
{
	static const char letters[] = "kmgtp";
	const char *letter = **at ? strchr(letters, **at | 0x20) : NULL;
	double factor = 1;
	if (letter) {
		bool binary = (*at)[1] == 'i' || (*at)[1] != 'B' || !decimal;
		factor = pow(binary ? 1024 : 1000, (double)(letter - letters + 1));
		*at += (*at)[1] == 'i' ? 2 : 1;
	}
	*at += **at == 'B';
	return factor;
}

uint64_t iobi_take_size(const char **at, bool decimal)
{
	struct iobi_range r;
	const char *s = *at;
	if (!iobi_take_number(&s, &r))
		return 0;
	double v = r.value * factor_of(&s, decimal);
	*at = s;
	return v < 0x1p62 ? iobi_whole(v) : 0;
}

struct iobi_range iobi_range_times(struct iobi_range r, double by)
{
	return (struct iobi_range){ r.low * by, r.value * by, r.high * by };
}

/* ---- nodes ---- */

int iobi_printed_put(struct iob_result *w, int op, enum iob_latency l, uint64_t count,
		     const struct iobi_printed *printed)
{
	struct iob_hist *h = iob_hist_new(8, NULL);
	struct iobi_outline o = { .count = count,
				  .min = iobi_whole(printed->min),
				  .max = iobi_whole(printed->max),
				  .mean = printed->mean.value,
				  .stddev = printed->stddev,
				  .p = printed->p,
				  .value = printed->value,
				  .n = printed->n };
	if (!h || iobi_hist_outline(h, &o)) {
		iob_hist_free(h);
		return -ENOMEM;
	}
	iob_hist_free(w->op[op].latency[l]);
	w->op[op].latency[l] = h;
	return 0;
}

int iobi_set_both(struct iob_result *w, const char *name, const char *value)
{
	int rc = iobi_pairs_set(&w->params, name, value);
	return rc ? rc : iobi_pairs_set(&w->effective, name, value);
}

int iobi_set_number(struct iob_result *w, const char *name, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return iobi_set_both(w, name, text);
}

int iobi_set_size(struct iob_result *w, const char *name, uint64_t bytes)
{
	char text[32];
	iobi_format_size(text, sizeof(text), (int64_t)bytes);
	return iobi_set_both(w, name, text);
}

struct iob_result *iobi_new_stage(struct iob_result *suite, const char *name)
{
	struct iob_result *stage = iobi_result_new(IOB_LEVEL_STAGE, name);
	return stage && !iobi_result_adopt(suite, stage) ? stage : NULL;
}

struct iob_result *iobi_new_workload(struct iob_result *stage, const char *name, const char *format,
				     unsigned line)
{
	char text[16];
	struct iob_result *w = iobi_result_new(IOB_LEVEL_WORKLOAD, name);
	if (!w || iobi_result_adopt(stage, w))
		return NULL;
	snprintf(text, sizeof(text), "%u", line);
	w->flags |= IOB_RESULT_RECORDED;
	w->recorded = iobi_recorded_new(format, line);
	if (!w->recorded || iobi_pairs_set(&w->effective, "recorded_by", format) ||
	    (line && iobi_pairs_set(&w->effective, "line", text)))
		return NULL;
	return w;
}

static int close_all(struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_child && !rc; i++)
		rc = close_all(r->child[i]);
	return rc ? rc : iobi_result_close(r);
}

struct iob_result *iobi_import_end(struct iob_result *suite, int rc, struct iob_error *err)
{
	if (!rc) {
		rc = close_all(suite);
		if (rc == -EOVERFLOW)
			iobi_fail(err, EINVAL, "report", "the sum of a counter passes 2^64 - 1");
		else if (rc)
			iobi_no_memory(err);
	}
	if (!rc)
		return suite;
	iob_result_free(suite);
	return NULL;
}

/* ---- formats ---- */

static int has(const char *data, size_t len, const char *what)
{
	return memmem(data, len, what, strlen(what)) != NULL;
}

static int is_json(const char *data, size_t len)
{
	size_t i = 0;
	while (i < len && strchr(" \t\r\n", data[i]) && data[i])
		i++;
	return i < len && data[i] == '{';
}

/* fio may print warnings before its JSON. */
static int is_fio_json(const char *data, size_t len)
{
	return has(data, len, "\"fio version\"") ||
	       (has(data, len, "\"jobs\"") && has(data, len, "\"jobname\""));
}

static int is_own_json(const char *data, size_t len)
{
	return is_json(data, len) &&
	       (has(data, len, "\"iobench\":") || has(data, len, "\"iobench\" :"));
}

static int is_xdisk(const char *data, size_t len)
{
	return has(data, len, "BS Proc AIO read% IO Flag") ||
	       has(data, len, "Pattern\tProfile\tIO/s\tMB/s");
}

static int is_fio_text(const char *data, size_t len)
{
	return has(data, len, "(groupid=");
}

/* "3;fio-3.33;..." */
static int is_fio_terse(const char *data, size_t len)
{
	return has(data, len, ";fio-");
}

static const struct format {
	const char *name;
	struct iob_result *(*read)(const char *data, size_t len, struct iob_error *err);
	int (*looks)(const char *data, size_t len);
} formats[] = {
	{ "json", iobi_read_json, is_own_json },
	{ "fio-json", iobi_read_fio_json, is_fio_json },
	{ "xdisk", iobi_read_xdisk, is_xdisk },
	{ "fio-text", iobi_read_fio_text, is_fio_text },
};

const char *iob_read_format(size_t i)
{
	return i < IOBI_LEN(formats) ? formats[i].name : NULL;
}

static const struct format *guess(const char *data, size_t len, struct iob_error *err)
{
	for (size_t i = 0; i < IOBI_LEN(formats); i++)
		if (formats[i].looks(data, len))
			return &formats[i];
	if (is_json(data, len))
		return &formats[0]; /* its reader says what is missing */
	if (is_fio_terse(data, len)) {
		iobi_fail(err, ENOTSUP, "format",
			  "this is fio's terse output, which is not read; let fio write "
			  "--output-format=json");
		return NULL;
	}
	iobi_fail(err, EINVAL, "format",
		  "the text looks like none of json, fio-json, xdisk, fio-text; say which it is");
	return NULL;
}

static const struct format *find(const char *name, struct iob_error *err)
{
	for (size_t i = 0; i < IOBI_LEN(formats); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	iobi_fail(err, EINVAL, "format",
		  "cannot read the format \"%.64s\"; there are json, fio-json, xdisk, fio-text",
		  name);
	return NULL;
}

struct iob_result *iob_result_read(const char *data, size_t len, const char *format,
				   struct iob_error *err)
{
	if (!data) {
		iobi_is_null(err, "data");
		return NULL;
	}
	const size_t mark = len >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
	data += mark; /* UTF-8's, as editors of Windows write it */
	len -= mark;
	const struct format *f = format && *format ? find(format, err) : guess(data, len, err);
	return f ? f->read(data, len, err) : NULL;
}
