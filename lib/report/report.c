/* SPDX-License-Identifier: MIT */
/* Which reports there are, how they reach the caller, and what they share. */
#include "report/report_priv.h"
#include "result/rounds.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct format {
	const char *name;
	void (*write)(struct iobi_report *o, const struct iob_result *r);
} formats[] = {
	{ "text", iobi_report_text },
	{ "xdisk", iobi_report_xdisk },
	{ "json", iobi_report_json },
	{ "csv", iobi_report_csv },
	{ "fio-json", iobi_report_fio_json },
	{ "fio-json+", iobi_report_fio_json_plus },
	{ "fio-text", iobi_report_fio_text },
	{ "fio-bw-log", iobi_report_fio_bw_log },
	{ "fio-iops-log", iobi_report_fio_iops_log },
	{ "fio-lat-log", iobi_report_fio_lat_log },
	{ "fio-slat-log", iobi_report_fio_slat_log },
	{ "fio-clat-log", iobi_report_fio_clat_log },
};

const char *iob_report_format(size_t i)
{
	return i < IOBI_LEN(formats) ? formats[i].name : NULL;
}

static const char *format_list(char *buf, size_t n)
{
	size_t len = 0;
	for (size_t i = 0; i < IOBI_LEN(formats) && len < n; i++)
		len += (size_t)snprintf(buf + len, n - len, "%s%s", i ? ", " : "", formats[i].name);
	return buf;
}

static const struct format *find_format(const char *name, struct iob_error *err)
{
	char list[512];
	const char *nearest = name ? iobi_nearest(name, iob_report_format) : NULL;
	for (size_t i = 0; name && i < IOBI_LEN(formats); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	if (nearest)
		iobi_fail(err, EINVAL, "format",
			  "there is no report format \"%.64s\"; did you mean \"%s\"? There are %s",
			  name, nearest, format_list(list, sizeof(list)));
	else if (name)
		iobi_fail(err, EINVAL, "format",
			  "there is no report format \"%.64s\"; there are %s", name,
			  format_list(list, sizeof(list)));
	else
		iobi_fail(err, EINVAL, "format", "no report format was given; there are %s",
			  format_list(list, sizeof(list)));
	return NULL;
}

static void hand_on(struct iobi_report *o)
{
	if (!o->rc && o->text.failed)
		o->rc = -ENOMEM;
	if (!o->rc && o->text.len) {
		int rc = o->fn(o->user, o->text.data, o->text.len);
		o->rc = rc > 0 ? -EIO : rc;
	}
	o->text.len = 0;
}

void iobi_report_push(struct iobi_report *o)
{
	enum {
		PIECE = 1 << 16
	};
	if (o->text.len >= PIECE || o->rc)
		hand_on(o);
}

static int ended(const struct iobi_report *o, const char *format, struct iob_error *err)
{
	if (!o->rc)
		return 0;
	if (o->rc == -ENOMEM && o->text.failed)
		return iobi_no_memory(err);
	return iobi_fail(err, -o->rc, "report", "the %s report could not be written: %s", format,
			 iobi_errno_text(-o->rc));
}

int iobi_report_end(struct iobi_report *o, const char *format, struct iob_error *err)
{
	hand_on(o);
	int rc = ended(o, format, err);
	iobi_text_free(&o->text);
	return rc;
}

int iob_result_report(const struct iob_result *r, const char *format, iob_write_fn fn, void *user,
		      struct iob_error *err)
{
	if (!r || !fn)
		return iobi_is_null(err, r ? "fn" : "result");
	const struct format *f = find_format(format, err);
	if (!f)
		return -EINVAL;
	struct iobi_report o = { .fn = fn, .user = user };
	f->write(&o, r);
	return iobi_report_end(&o, format, err);
}

void iobi_report_each(struct iobi_report *o, const struct iob_result *r, iobi_report_each_fn fn)
{
	if (iob_result_level(r) >= IOB_LEVEL_WORKLOAD) {
		fn(o, r);
		iobi_report_push(o);
		return;
	}
	for (size_t i = 0; i < iob_result_child_count(r) && !o->rc; i++)
		iobi_report_each(o, iob_result_child(r, i), fn);
}

const struct iob_result *iobi_report_above(const struct iob_result *r, enum iob_level level)
{
	while (r && r->level != level)
		r = r->parent;
	return r;
}

const char *iobi_flag_name(size_t i)
{
	static const char *const names[] = { "cancelled", "partial", "errors", "recorded" };
	return i < IOBI_LEN(names) ? names[i] : NULL;
}

int iobi_report_did(const struct iob_result *r, enum iob_op op)
{
	return iob_result_count(r, op, IOB_COUNT_IOS) ||
	       iob_result_count(r, op, IOB_COUNT_ERRORS) ||
	       iob_result_count(r, op, IOB_COUNT_SHORT);
}

void iobi_report_percentiles(const struct iob_result *w, struct iobi_percentiles *out)
{
	const char *text = iob_result_param(w, "percentiles");
	if (text && iobi_parse_percentiles(text, out->p, &out->n, NULL) == 0)
		return;
	iobi_parse_percentiles(iobi_param_find("percentiles", NULL)->default_text, out->p, &out->n,
			       NULL);
}

char *iobi_format_percent(char *buf, size_t n, double p)
{
	iobi_format_fixed(buf, n, p, 6);
	size_t len = strlen(buf);
	while (len && buf[len - 1] == '0')
		len--;
	buf[len && buf[len - 1] == '.' ? len - 1 : len] = '\0';
	return buf;
}

double iobi_report_support(const struct iob_hist *h, double p)
{
	if (p <= 0 || p >= 100)
		return HUGE_VAL;
	/* In steps of 1e-6 %, as percentiles are: 1 - 99.9/100 is not 0.001 in binary. */
	double steps = (double)llround((p > 50 ? 100 - p : p) * 1e6);
	return (double)iob_hist_count(h) * steps / 1e8;
}

uint32_t iobi_report_round(const struct iob_result *w)
{
	const struct iob_result *stage = iobi_report_above(w, IOB_LEVEL_STAGE);
	const struct iob_result *suite = stage ? stage->parent : NULL;
	uint32_t round = 0;
	size_t i = 0, cell;
	if (!suite || !suite->rounds)
		return 0;
	while (suite->child[i] != stage)
		i++;
	return iobi_rounds_place(suite, i, &round, &cell) ? round : 0;
}

const char *iobi_report_ran(const struct iob_result *w, const char *name)
{
	const char *value = iob_result_effective(w, name);
	if (!value)
		value = iob_result_param(w, name);
	return value ? value : "";
}

static uint64_t single_size(const char *text)
{
	struct iobi_mix mix;
	if (!*text || iobi_parse_mix(text, "block_size", &mix, NULL) || mix.n != 1)
		return 0;
	return mix.part[0].size;
}

uint64_t iobi_report_block(const struct iob_result *w)
{
	const char *write = iobi_report_ran(w, "block_size_write");
	const char *read_percent = iobi_report_ran(w, "read_percent");
	uint64_t reads = single_size(iobi_report_ran(w, "block_size"));
	uint64_t writes = *write ? single_size(write) : reads;

	if (strcmp(read_percent, "100") == 0)
		return reads;
	return strcmp(read_percent, "0") == 0 || reads == writes ? writes : 0;
}
