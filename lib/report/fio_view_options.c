/* SPDX-License-Identifier: MIT */
/* The options of a job: as they were given to fio's form, or made up from the
 * parameters for a workload that was no job of fio's. */
#include "report/fio_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* fio's own list. */
static const double fio_percentiles[] = { 1,  5,  10, 20, 30,   40,   50,    60,   70,
					  80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99 };

/* ---- as given ---- */

static int add_line(struct iobi_pairs *to, const char *line, size_t len)
{
	const char *equals = memchr(line, '=', len);
	size_t n = equals ? (size_t)(equals - line) : len;
	char *name = strndup(line, n);
	char *value = strndup(equals ? equals + 1 : "", equals ? len - n - 1 : 0);
	int rc = name && value ? iobi_pairs_set(to, name, value) : -ENOMEM;
	free(name);
	free(value);
	return rc;
}

/* Of every label "PREFIX NAME=VALUE". */
static int take_labels(struct iobi_pairs *to, const struct iob_result *w, const char *prefix)
{
	const char *line = iob_result_param(w, "labels");
	size_t n = strlen(prefix);
	int rc = 0;
	while (!rc && line && *line) {
		size_t all = strcspn(line, "\n");
		if (all > n && !strncmp(line, prefix, n))
			rc = add_line(to, line + n, all - n);
		line += all + (line[all] == '\n');
	}
	return rc;
}

/* ---- made up ---- */

static const char *asked(const struct iob_result *w, const char *name)
{
	const char *value = iob_result_param(w, name);
	return value ? value : "";
}

static bool is_set(const struct iob_result *w, const char *name)
{
	const char *value = asked(w, name);
	return *value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0 &&
	       strcmp(value, "none") != 0;
}

static bool is(const struct iob_result *w, const char *name, const char *value)
{
	return !strcmp(iobi_report_ran(w, name), value);
}

/* Of what another program ran it may not be known how much of it was to be reads. */
static bool only(const struct iob_result *w, const char *percent, enum iob_op other)
{
	if (!is(w, "read_percent", ""))
		return is(w, "read_percent", percent);
	return !iob_result_count(w, other, IOB_COUNT_IOS);
}

const char *iobi_fiov_rw(const struct iob_result *w)
{
	static const char *const random[] = { "randread", "randwrite", "randrw", "randtrim" };
	static const char *const in_order[] = { "read", "write", "rw", "trim" };
	int i = is(w, "trim_percent", "100")   ? 3
		: only(w, "100", IOB_OP_WRITE) ? 0
		: only(w, "0", IOB_OP_READ)    ? 1
					       : 2;
	return is(w, "pattern", "random") ? random[i] : in_order[i];
}

static int put(struct iobi_fiov_job *j, const char *name, const char *value)
{
	return *value ? iobi_pairs_set(&j->options, name, value) : 0;
}

static int put_text(struct iobi_fiov_job *j, const char *name, struct iobi_text *t)
{
	int rc = t->failed ? -ENOMEM : put(j, name, t->data ? t->data : "");
	iobi_text_free(t);
	return rc;
}

/* "4k:60,64k:40" is fio's bssplit=4k/60:64k/40. */
static int put_split(struct iobi_fiov_job *j, const char *mix)
{
	struct iobi_text t = { 0 };
	for (; *mix; mix++) {
		char c = *mix == ':' ? '/' : *mix == ',' ? ':' : *mix;
		iobi_text_add_n(&t, &c, 1);
	}
	return put_text(j, "bssplit", &t);
}

/* The first of several sizes stands for all in bs, which readers need. */
static int put_blocks(struct iobi_fiov_job *j, const struct iob_result *w)
{
	const char *size = iobi_report_ran(w, "block_size"), *write = asked(w, "block_size_write");
	size_t n = strcspn(size, ":,-");
	struct iobi_text t = { 0 };
	int rc = 0;
	iobi_text_add_n(&t, size, n);
	if (*write && strcmp(write, size) != 0)
		iobi_text_printf(&t, ",%.*s", (int)strcspn(write, ":,-"), write);
	if (size[n] == '-')
		rc = put(j, "bsrange", size);
	else if (size[n])
		rc = put_split(j, size);
	return rc ? (iobi_text_free(&t), rc) : put_text(j, "bs", &t);
}

/* A : in a path is \: there. */
static int put_targets(struct iobi_fiov_job *j, const struct iob_result *w)
{
	struct iobi_text t = { 0 };
	for (size_t i = 0; i < iob_result_target_count(w); i++) {
		const char *path = iob_result_target(w, i)->path;
		iobi_text_add(&t, i ? ":" : "");
		for (; *path; path++) {
			iobi_text_add(&t, *path == ':' ? "\\" : "");
			iobi_text_add_n(&t, path, 1);
		}
	}
	return put_text(j, "filename", &t);
}

/* Parameters that are an option of the same meaning and form. */
static const struct {
	const char *param, *option;
} alike[] = {
	{ "size", "size" },
	{ "offset", "offset" },
	{ "io_size", "io_size" },
	{ "runtime", "runtime" },
	{ "ramp_time", "ramp_time" },
	{ "rate_iops", "rate_iops" },
	{ "think_time", "thinktime" },
	{ "think_ios", "thinktime_blocks" },
	{ "think_after", "thinktime_iotime" },
	{ "think_spin", "thinktime_spin" },
	{ "fsync_every", "fsync" },
	{ "ios", "number_ios" },
};

static int put_alike(struct iobi_fiov_job *j, const struct iob_result *w)
{
	int rc = 0;
	for (size_t i = 0; i < IOBI_LEN(alike) && !rc; i++)
		if (is_set(w, alike[i].param))
			rc = put(j, alike[i].option, asked(w, alike[i].param));
	if (!rc && is_set(w, "runtime") && !is_set(w, "io_size") && !is_set(w, "ios") &&
	    !is_set(w, "passes"))
		rc = iobi_pairs_set(&j->options, "time_based", "");
	return rc;
}

static int make_up(struct iobi_fiov_job *j, const struct iob_result *w)
{
	int rc = put(j, "rw", iobi_fiov_rw(w));
	if (!rc && (strstr(iobi_fiov_rw(w), "rw")))
		rc = put(j, "rwmixread", iobi_report_ran(w, "read_percent"));
	rc = rc ? rc : put_blocks(j, w);
	rc = rc ? rc : put(j, "iodepth", asked(w, "queue_depth"));
	rc = rc ? rc : put(j, "numjobs", asked(w, "workers"));
	rc = rc ? rc : put(j, "ioengine", iobi_report_ran(w, "engine"));
	if (!rc && *iobi_report_ran(w, "direct"))
		rc = put(j, "direct", is(w, "direct", "true") ? "1" : "0");
	rc = rc ? rc : put_alike(j, w);
	rc = rc ? rc : put_targets(j, w);
	if (!rc && !is(w, "workers", "1"))
		rc = iobi_pairs_set(&j->options, "group_reporting", "");
	return rc;
}

/* Readers ask for these four of every job, with fio's defaults where nobody set
 * them. */
static int put_needed(struct iobi_fiov *v, struct iobi_fiov_job *j)
{
	static const char *const needed[][2] = {
		{ "rw", "read" }, { "bs", "4k" }, { "iodepth", "1" }, { "numjobs", "1" }
	};
	int rc = 0;
	for (size_t i = 0; i < IOBI_LEN(needed) && !rc; i++) {
		const char *given = iobi_fiov_option(v, j, needed[i][0]);
		if (!iobi_pairs_get(&j->options, needed[i][0]))
			rc = put(j, needed[i][0], *given ? given : needed[i][1]);
	}
	return rc;
}

/* ---- percentiles ---- */

/* Those that were asked for; fio's, where that is nobody's choice. */
static void set_percentiles(struct iobi_fiov_job *j, const struct iob_result *w)
{
	const char *text = asked(w, "percentiles");
	bool chosen = *text && strcmp(text, iobi_param_find("percentiles", NULL)->default_text);
	if (chosen || iobi_pairs_get(&j->options, "percentile_list")) {
		iobi_report_percentiles(w, &j->percentiles);
		return;
	}
	j->percentiles.n = IOBI_LEN(fio_percentiles);
	memcpy(j->percentiles.p, fio_percentiles, sizeof(fio_percentiles));
}

static bool on(const struct iobi_fiov *v, const struct iobi_fiov_job *j, const char *name,
	       bool otherwise)
{
	const char *value = iobi_fiov_option(v, j, name);
	return *value ? strcmp(value, "0") != 0 : otherwise;
}

/* Of a workload of the library's own, lat is what was measured: it has them too. */
int iobi_fiov_options(struct iobi_fiov *v, struct iobi_fiov_job *j)
{
	const struct iob_result *w = j->member[j->n_members - 1]; /* fio has the last one's */
	bool own = iobi_fiov_label(w, "fio.job", &(size_t){ 0 }) == NULL;
	int rc = take_labels(&v->global, w, "fio.global.");
	rc = rc ? rc : take_labels(&j->options, w, "fio.option.");
	if (!rc && own)
		rc = make_up(j, w);
	rc = rc ? rc : put_needed(v, j);
	set_percentiles(j, w);
	j->of_slat = on(v, j, "slat_percentiles", false);
	j->of_clat = on(v, j, "clat_percentiles", true);
	j->of_lat = on(v, j, "lat_percentiles", own);
	if (!rc && own)
		rc = put(j, "lat_percentiles", "1");
	return rc;
}
