/* SPDX-License-Identifier: MIT */
/*
 * fio's report for people, of versions 2 and 3. A job is what follows its
 * header, "NAME: (groupid=0, jobs=1): err= 0: pid=..."; disk statistics follow
 * the run's status. The same lines anywhere else are prose that quotes them.
 */
#include "result/import/fio.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "NAME: (g=0): rw=read, bs=.., ioengine=psync, iodepth=8": what was asked. */
struct asked {
	char name[256], rw[32], engine[64];
	uint64_t block[2], laid_out; /* laid_out: "Laying out IO file (1 file / 30720MiB)" */
	unsigned depth, group;
};

enum place {
	PROSE,
	JOB,    /* behind a job's header */
	STATUS, /* behind "Run status group" */
	DISKS
};

struct reader {
	struct iob_result *suite;
	struct iobi_fioin_run run;
	struct asked *asked;
	size_t n_asked;
	enum place place;
	int op;                                 /* of the lines that follow */
	struct iobi_fioin_latency *percentiles; /* that the lines with '|' continue */
	double percentile_unit;
	unsigned line;
	int rc; /* -ENOMEM, -E2BIG */
};

/* ---- small things ---- */

/* Behind `key` in the line; NULL. */
static const char *after(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	return at ? at + strlen(key) : NULL;
}

static bool number_after(const char *line, const char *key, struct iobi_range *out)
{
	const char *at = after(line, key);
	return at && iobi_take_number(&at, out);
}

/* "1377.9k": more than six digits are told in thousands. */
static bool extreme_after(const char *line, const char *key, struct iobi_range *out)
{
	const char *at = after(line, key);
	if (!at || !iobi_take_number(&at, out))
		return false;
	for (const char *prefix = "kMGTP"; strchr("kMGTP", *at) && *at && *prefix; prefix++) {
		*out = iobi_range_times(*out, 1000);
		if (*prefix == *at)
			break;
	}
	return true;
}

static uint64_t count_after(const char *line, const char *key)
{
	struct iobi_range v;
	return number_after(line, key, &v) ? iobi_whole(v.value) : 0;
}

static void word_after(const char *line, const char *key, char *to, size_t n)
{
	const char *at = after(line, key);
	if (at)
		snprintf(to, n, "%.*s", (int)strcspn(at, ", \t"), at);
}

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* "read : io=..", "read: IOPS=..". */
static const char *value_of(const char *line, const char *name)
{
	if (!begins(line, name))
		return NULL;
	line += strlen(name);
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 : NULL;
}

/* "(usec)" */
static double unit_of(const char *line)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "(nsec)", 1 }, { "(usec)", 1e3 }, { "(msec)", 1e6 }, { "(sec)", 1e9 } };
	for (size_t i = 0; i < IOBI_LEN(units); i++)
		if (strstr(line, units[i].name))
			return units[i].ns;
	return 0;
}

static struct iobi_fioin_job *job_of(struct reader *r)
{
	return &r->run.job[r->run.n_jobs - 1];
}

/* ---- runs ---- */

/* What one start of fio printed is complete. */
static void end_run(struct reader *r)
{
	if (r->run.n_jobs && !r->rc)
		r->rc = iobi_fioin_build(r->suite, &r->run);
	iobi_fioin_free(&r->run);
	free(r->asked);
	r->asked = NULL;
	r->n_asked = 0;
	r->place = PROSE;
}

static struct asked *new_asked(struct reader *r, const char *line)
{
	const char *end = strstr(line, ": (g=");
	struct asked *more;
	if (r->run.n_jobs)
		end_run(r);
	more = realloc(r->asked, (r->n_asked + 1) * sizeof(*more));
	if (!more) {
		r->rc = -ENOMEM;
		return NULL;
	}
	r->asked = more;
	more += r->n_asked++;
	*more = (struct asked){ .depth = 0 };
	snprintf(more->name, sizeof(more->name), "%.*s", (int)(end - line), line);
	return more;
}

/* "1M-1M", "16.0KiB-16.0KiB", "4096B-4096B": one size, or 0. */
static uint64_t one_size(const char **at)
{
	uint64_t low = iobi_take_size(at, false), high = low;
	if (**at == '-') {
		++*at;
		high = iobi_take_size(at, false);
	}
	return low == high ? low : 0;
}

/* Version 3 has "bs=(R) 4096B-4096B, (W) ..", version 2 "bs=1M-1M/1M-1M". */
static void take_blocks(struct asked *a, const char *line)
{
	const char *at = after(line, "bs=");
	if (!at)
		return;
	const char *read = after(at, "(R) "), *write = after(at, "(W) ");
	at = read ? read : at;
	a->block[0] = one_size(&at);
	a->block[1] = a->block[0];
	if (write)
		a->block[1] = one_size(&write);
	else if (*at++ == '/')
		a->block[1] = one_size(&at);
}

static void take_asked(struct reader *r, const char *line)
{
	struct asked *a = new_asked(r, line);
	if (!a)
		return;
	word_after(line, "rw=", a->rw, sizeof(a->rw));
	word_after(line, "ioengine=", a->engine, sizeof(a->engine));
	a->depth = (unsigned)count_after(line, "iodepth=");
	a->group = (unsigned)count_after(line, ": (g=");
	take_blocks(a, line);
}

/* That of a group where several have the name; -1: the first. */
static struct asked *asked_by(struct reader *r, const char *name, size_t n, int group)
{
	struct asked *first = NULL;
	for (size_t i = 0; i < r->n_asked; i++) {
		struct asked *a = &r->asked[i];
		if (strlen(a->name) != n || strncmp(a->name, name, n))
			continue;
		if ((int)a->group == group)
			return a;
		first = first ? first : a;
	}
	return first;
}

/* "reader1: Laying out IO file (1 file / 30720MiB)": the size of a job's file. */
static void take_layout(struct reader *r, const char *line)
{
	const char *end = strstr(line, ": Laying out IO file");
	const char *size = end ? after(end, "/ ") : NULL;
	struct asked *a = size ? asked_by(r, line, (size_t)(end - line), -1) : NULL;
	if (a)
		a->laid_out += iobi_take_size(&size, false);
}

/* ---- a job ---- */

static void take_header(struct reader *r, const char *line)
{
	const char *end = strstr(line, ": (groupid=");
	bool full = r->run.n_jobs == IOBI_FIOIN_JOBS;
	struct iobi_fioin_job *job = full ? NULL : iobi_fioin_new_job(&r->run);
	if (!job) {
		r->rc = full ? -E2BIG : -ENOMEM;
		return;
	}
	snprintf(job->name, sizeof(job->name), "%.*s", (int)(end - line), line);
	job->line = r->line;
	job->group = (unsigned)count_after(line, "groupid=");
	job->jobs = (unsigned)count_after(line, "jobs=");
	job->error = (int)count_after(line, "err=");
	job->errors_told = true;
	const struct asked *a = asked_by(r, job->name, strlen(job->name), (int)job->group);
	if (a) {
		memcpy(job->rw, a->rw, sizeof(job->rw));
		memcpy(job->engine, a->engine, sizeof(job->engine));
		job->depth = a->depth;
		job->block_read = a->block[0];
		job->block_write = a->block[1];
		job->region = a->laid_out;
	}
	r->place = JOB;
	r->op = IOB_OP_ALL;
	r->percentiles = NULL;
}

/* ".. (1024MiB/10044msec)" of version 3. */
static void take_moved_3(struct iobi_fioin_op *o, const char *value)
{
	struct iobi_range ms;
	const char *at = strrchr(value, '(');
	if (!at)
		return;
	at++;
	o->bytes = iobi_take_size(&at, true);
	if (*at++ == '/' && iobi_take_number(&at, &ms))
		o->runtime_ms = ms.value * (begins(at, "msec") ? 1 : 1000);
}

/* "io=518144KB, bw=51726KB/s, iops=50 , runt= 10017msec" of version 2. */
static void take_moved_2(struct iobi_fioin_op *o, const char *value)
{
	struct iobi_range ms;
	const char *at = after(value, "io=");
	if (at)
		o->bytes = iobi_take_size(&at, false);
	if (number_after(value, "runt=", &ms))
		o->runtime_ms = ms.value;
}

static bool take_op(struct reader *r, const char *line)
{
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		const char *value = value_of(line, iobi_op_name((unsigned)op));
		if (!value || !(strstr(value, "IOPS=") || strstr(value, "iops=")))
			continue;
		struct iobi_fioin_op *o = &job_of(r)->op[op];
		r->op = op;
		r->percentiles = NULL;
		o->there = true;
		if (strstr(value, "IOPS="))
			take_moved_3(o, value);
		else
			take_moved_2(o, value);
		return true;
	}
	return false;
}

static void take_extremes(struct iobi_fioin_latency *lat, const char *line, double unit)
{
	struct iobi_range min, max, mean, stddev;
	if (!extreme_after(line, "min=", &min) || !extreme_after(line, "max=", &max) ||
	    !number_after(line, "avg=", &mean))
		return;
	lat->there = true;
	lat->min = min.value * unit;
	lat->max = max.value * unit;
	lat->mean = iobi_range_times(mean, unit);
	if (number_after(line, "stdev=", &stddev))
		lat->stddev = stddev.value * unit;
}

static struct iobi_fioin_latency *latency_of(struct iobi_fioin_op *o, const char *line)
{
	if (begins(line, "slat"))
		return &o->submit;
	if (begins(line, "clat"))
		return &o->complete;
	return begins(line, "lat") ? &o->total : NULL;
}

/* "lat (usec) : 2=0.01%, 100=54.55%": the latencies of all ops by class. */
static void take_shares(struct iobi_fioin_job *job, const char *line, double unit)
{
	const char *at = strchr(line, ':');
	struct iobi_range upto, percent;
	while (at) {
		at += strspn(at, ": \t,%");
		bool open = begins(at, ">=");
		at += open ? 2 : 0;
		if (!iobi_take_number(&at, &upto) || *at++ != '=' ||
		    !iobi_take_number(&at, &percent))
			return;
		iobi_fioin_add_share(job, upto.value, unit, open, percent.value);
	}
}

static bool take_latency(struct reader *r, const char *line)
{
	struct iobi_fioin_op *o = &job_of(r)->op[r->op];
	struct iobi_fioin_latency *lat = latency_of(o, line);
	double unit = unit_of(line);
	if (!lat || !unit)
		return false;
	if (strstr(line, "percentiles")) {
		r->percentiles = lat;
		r->percentile_unit = unit;
	} else if (strstr(line, "avg=")) {
		take_extremes(lat, line, unit);
	} else if (lat == &o->total && strchr(line, '%')) {
		take_shares(job_of(r), line, unit);
	}
	return true;
}

/* "|  1.00th=[  732],  5.00th=[11328]" */
static void take_percentiles(struct reader *r, const char *line)
{
	struct iobi_fioin_latency *lat = r->percentiles;
	struct iobi_range p, v;
	for (const char *at = line + 1; lat && lat->n_p < IOBI_FIOIN_PERCENTILES;) {
		at += strspn(at, " \t,");
		if (!iobi_take_number(&at, &p) || !begins(at, "th=["))
			return;
		at += 4;
		while (*at == '>' || *at == ' ')
			at++;
		if (!iobi_take_number(&at, &v) || *at++ != ']' || p.value > 100)
			return;
		lat->p[lat->n_p] = p.value;
		lat->value[lat->n_p++] = iobi_whole(v.value * r->percentile_unit);
	}
}

/* "bw (  KiB/s): min=64576, max=131712, per=99.98%, avg=104379.00, stdev=.." */
static bool take_band(struct reader *r, const char *line)
{
	struct iobi_fioin_op *o = &job_of(r)->op[r->op];
	struct iobi_range min, max, mean;
	const char *unit = begins(line, "bw") ? strchr(line, '(') : NULL;
	if (!unit)
		return false;
	unit += 1 + strspn(unit + 1, " \t");
	double factor = *unit == 'K' || *unit == 'k' ? 1024 : *unit == 'M' ? 1 << 20 : 1;
	if (!number_after(line, "min=", &min) || !number_after(line, "max=", &max) ||
	    !number_after(line, "avg=", &mean))
		return true;
	o->band_min = min.value * factor;
	o->band_max = max.value * factor;
	o->band_mean = mean.value * factor;
	return true;
}

/* "total=65536,0,0,0 short=0,0,0,0" or "total=r=506/w=0/d=0, short=r=0/w=0/d=0". */
static void take_counts(const char *line, const char *key, uint64_t *count, size_t n)
{
	struct iobi_range v;
	const char *at = after(line, key);
	for (size_t i = 0; at && i < n; i++) {
		at += strspn(at, "rwd=/,");
		if (!iobi_take_number(&at, &v))
			return;
		count[i] = iobi_whole(v.value);
	}
}

static void take_issued(struct iobi_fioin_job *job, const char *line)
{
	uint64_t total[4] = { 0 }, cut[4] = { 0 };
	take_counts(line, "total=", total, 4);
	take_counts(line, "short=", cut, 4);
	for (int i = 0; i < 4; i++) {
		job->op[IOB_OP_READ + i].ios = total[i];
		job->op[IOB_OP_READ + i].shorts = cut[i];
	}
}

static bool take_cpu(struct reader *r, const char *line)
{
	struct iobi_range user, system;
	if (!value_of(line, "cpu"))
		return false;
	if (number_after(line, "usr=", &user) && number_after(line, "sys=", &system))
		job_of(r)->cpu_share = (user.value + system.value) / 100;
	return true;
}

/* "sync (usec): min=.." below "fsync/fdatasync/sync_file_range". */
static bool take_sync(struct reader *r, const char *line)
{
	struct iobi_fioin_op *o = &job_of(r)->op[IOB_OP_SYNC];
	double unit = unit_of(line);
	if (!begins(line, "sync (") && !begins(line, "sync percentiles"))
		return false;
	o->there = true;
	if (strstr(line, "percentiles")) {
		r->percentiles = &o->total;
		r->percentile_unit = unit;
	} else {
		take_extremes(&o->total, line, unit);
	}
	return true;
}

static void job_line(struct reader *r, const char *line)
{
	if (*line == '|')
		take_percentiles(r, line);
	else if (begins(line, "issued"))
		take_issued(job_of(r), line);
	else if (!take_op(r, line) && !take_sync(r, line) && !take_cpu(r, line) &&
		 !take_band(r, line))
		take_latency(r, line);
}

/* ---- disks ---- */

static void take_pair(const char *line, const char *key, uint64_t out[2])
{
	struct iobi_range v;
	const char *at = after(line, key);
	if (!at || !iobi_take_number(&at, &v))
		return;
	out[0] = iobi_whole(v.value);
	if (*at++ == '/' && iobi_take_number(&at, &v))
		out[1] = iobi_whole(v.value);
}

static bool is_known_disk(const struct iobi_fioin_run *run, const char *name, size_t n)
{
	for (size_t i = 0; i < run->n_disks; i++)
		if (strlen(run->disk[i].name) == n && !strncmp(run->disk[i].name, name, n))
			return true;
	return false;
}

/* "dm-8: ios=64233/2, merge=0/0, ticks=7416/8, in_queue=7436, util=74.54%, aggrios=.." */
static bool take_disk(struct reader *r, const char *line)
{
	const char *end = strstr(line, ": ios=");
	uint64_t mean[2] = { 0, 0 };
	struct iobi_range util;
	if (!end || is_known_disk(&r->run, line, (size_t)(end - line)))
		return end != NULL;
	struct iobi_fioin_disk *d = iobi_fioin_new_disk(&r->run);
	if (!d) {
		r->rc = -ENOMEM;
		return true;
	}
	snprintf(d->name, sizeof(d->name), "%.*s", (int)(end - line), line);
	take_pair(end, ": ios=", d->ios);
	take_pair(end, " merge=", d->merges);
	take_pair(end, " ticks=", d->ticks);
	take_pair(end, "aggrios=", mean);
	d->above = strstr(end, "aggrios=") != NULL;
	d->mean_ios[0] = (double)mean[0];
	d->mean_ios[1] = (double)mean[1];
	d->queue_ms = count_after(end, " in_queue=");
	if (number_after(end, " util=", &util))
		d->busy = util.value / 100;
	return true;
}

/* ---- lines ---- */

static void take_line(struct reader *r, const char *line)
{
	if (strstr(line, ": (groupid=")) {
		if (r->place == DISKS)
			end_run(r);
		take_header(r, line);
	} else if (strstr(line, ": (g=")) {
		take_asked(r, line);
	} else if (begins(line, "Run status group") && r->run.n_jobs) {
		r->place = STATUS;
	} else if (begins(line, "Disk stats") && r->place == STATUS) {
		r->place = DISKS;
	} else if (r->place == JOB) {
		job_line(r, line);
	} else if (r->place == DISKS) {
		if (!take_disk(r, line) && *line)
			end_run(r);
	} else {
		take_layout(r, line);
	}
}

struct iob_result *iobi_read_fio_text(const char *data, size_t len, struct iob_error *err)
{
	struct reader r = { .suite = iobi_result_new(IOB_LEVEL_SUITE, "fio"),
			    .run = { .format = "fio-text" } };
	struct iobi_lines lines;
	char *line;
	if (!r.suite || iobi_lines_open(&lines, data, len, NULL)) {
		iobi_no_memory(err);
		iob_result_free(r.suite);
		return NULL;
	}
	while (!r.rc && (line = iobi_lines_next(&lines))) {
		r.line = lines.n;
		take_line(&r, line);
	}
	iobi_lines_close(&lines);
	end_run(&r);
	if (r.rc == -E2BIG)
		iobi_fail(err, E2BIG, "fio-text", "line %u: a run has at most %d jobs", r.line,
			  IOBI_FIOIN_JOBS);
	else if (r.rc)
		iobi_no_memory(err);
	else if (!r.suite->n_child)
		r.rc = iobi_fail(
			err, EINVAL, "fio-text",
			"there is no job of fio's in the text, as \"NAME: (groupid=0, jobs=1): "
			"err= 0: pid=1\"");
	return iobi_import_end(r.suite, r.rc, err);
}
