/* SPDX-License-Identifier: MIT */
/* fio's JSON: "json", and "json+" whose latency bins become real histograms. Of
 * version 3 (times in ns) and 2 (in us), one document or several. What is not
 * there is not known. */
#include "result/import/fio.h"
#include "result/json_in.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static double number(const json_t *in, const char *key)
{
	const json_t *v = json_object_get(in, key);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static uint64_t whole(const json_t *in, const char *key)
{
	const json_t *v = json_object_get(in, key);
	if (json_is_integer(v))
		return json_integer_value(v) > 0 ? (uint64_t)json_integer_value(v) : 0;
	double d = json_is_real(v) ? json_real_value(v) : 0;
	return iobi_whole(d);
}

static const char *text(const json_t *in, const char *key)
{
	const char *s = json_string_value(json_object_get(in, key));
	return s ? s : "";
}

/* fio prints fractions with 6 decimals. */
static struct iobi_range printed(double v, double unit)
{
	return (struct iobi_range){ (v - 5e-7) * unit, v * unit, (v + 5e-7) * unit };
}

/* An option of the job, else of all; NULL. */
static const char *option(const json_t *job, const json_t *global, const char *name)
{
	const char *own =
		json_string_value(json_object_get(json_object_get(job, "job options"), name));
	return own ? own : json_string_value(json_object_get(global, name));
}

/* A flag is set by itself or by 1. */
static int flag(const json_t *job, const json_t *global, const char *name)
{
	const char *value = option(job, global, name);
	return value ? *value == '\0' || strcmp(value, "0") != 0 : -1;
}

static uint64_t size_option(const json_t *job, const json_t *global, const char *name)
{
	const char *value = option(job, global, name);
	uint64_t size = value ? iobi_take_size(&value, false) : 0;
	return value && !*value ? size : 0;
}

static unsigned count_option(const json_t *job, const json_t *global, const char *name)
{
	const char *value = option(job, global, name);
	struct iobi_range v;
	return value && iobi_whole_number(value, &v) && v.value < 1e9 ? (unsigned)v.value : 0;
}

/* ---- latencies ---- */

static int by_percent(const void *a, const void *b)
{
	double d = ((const double *)a)[0] - ((const double *)b)[0];
	return (d > 0) - (d < 0);
}

/* "99.900000": N, in any order. */
static void take_percentiles(const json_t *list, struct iobi_fioin_latency *lat, double unit)
{
	double pair[IOBI_FIOIN_PERCENTILES][2];
	struct iobi_range p;
	const char *key;
	json_t *v;
	size_t n = 0;
	json_object_foreach((json_t *)list, key,
			    v) if (n < IOBI_FIOIN_PERCENTILES && json_is_number(v) &&
				   iobi_whole_number(key, &p) && p.value <= 100)
	{
		pair[n][0] = p.value;
		pair[n++][1] = json_number_value(v) * unit;
	}
	qsort(pair, n, sizeof(pair[0]), by_percent);
	for (size_t i = 0; i < n; i++) {
		lat->p[i] = pair[i][0];
		lat->value[i] = iobi_whole(pair[i][1]);
	}
	lat->n_p = n;
}

/* fio's bins are those of a histogram of 6 bits; min, max and the sums, which it
 * prints beside them, are exact. */
static int take_bins(const json_t *bins, struct iobi_fioin_latency *lat)
{
	struct iobi_outline o = { .stddev = lat->stddev, .mean = lat->mean.value };
	struct iob_hist *h = iob_hist_new(6, NULL), *sums = iob_hist_new(6, NULL);
	struct iobi_range at;
	const char *key;
	json_t *v;
	int rc = h && sums ? 0 : -ENOMEM;
	json_object_foreach((json_t *)bins, key,
			    v) if (!rc && json_is_integer(v) && json_integer_value(v) > 0 &&
				   iobi_whole_number(key, &at) && at.value < 0x1p62) rc =
		iob_hist_record(h, iobi_whole(at.value), (uint64_t)json_integer_value(v));
	o.count = h ? h->count : 0;
	o.min = h ? h->min : 0;
	o.max = h ? h->max : 0;
	rc = rc ? rc : iobi_hist_outline(sums, &o);
	bool same = !rc && h->count && h->count == lat->n &&
		    iobi_hist_index(6, iobi_whole(lat->min)) == iobi_hist_index(6, h->min) &&
		    iobi_hist_index(6, iobi_whole(lat->max)) == iobi_hist_index(6, h->max);
	if (same) {
		h->min = iobi_whole(lat->min);
		h->max = iobi_whole(lat->max);
		h->sum = sums->sum;
		memcpy(h->square, sums->square, sizeof(h->square));
	}
	iob_hist_free(sums);
	if (rc || !h->count)
		iob_hist_free(h);
	else
		lat->bins = h;
	return rc == -EOVERFLOW ? 0 : rc;
}

static int take_latency(const json_t *in, double unit, struct iobi_fioin_latency *lat)
{
	const json_t *bins = json_object_get(in, "bins");
	double mean = number(in, "mean");
	if (!in || isnan(mean) || (json_object_get(in, "N") && !whole(in, "N")))
		return 0;
	lat->there = number(in, "max") > 0;
	lat->n = whole(in, "N");
	lat->min = number(in, "min") * unit;
	lat->max = number(in, "max") * unit;
	lat->mean = printed(mean, unit);
	lat->stddev = number(in, "stddev") * unit;
	take_percentiles(json_object_get(in, "percentile"), lat, unit);
	return json_is_object(bins) && unit == 1 ? take_bins(bins, lat) : 0;
}

static int either_latency(const json_t *op, const char *ns, const char *us,
			  struct iobi_fioin_latency *lat)
{
	const json_t *in = json_object_get(op, ns);
	return in ? take_latency(in, 1, lat) : take_latency(json_object_get(op, us), 1000, lat);
}

/* ---- an op ---- */

static int take_op(const json_t *in, struct iobi_fioin_op *o)
{
	bool old = !json_object_get(in, "clat_ns") && json_object_get(in, "clat");
	if (!json_is_object(in))
		return 0;
	o->ios = whole(in, "total_ios");
	o->bytes = whole(in, "io_bytes") * (old ? 1024 : 1);
	o->shorts = whole(in, "short_ios") + whole(in, "drop_ios");
	o->runtime_ms = number(in, "runtime");
	o->iops = number(in, "iops");
	o->there = o->ios != 0;
	if (!isnan(number(in, "bw_mean")) && number(in, "bw_mean") > 0) {
		o->band_min = number(in, "bw_min") * 1024;
		o->band_max = number(in, "bw_max") * 1024;
		o->band_mean = number(in, "bw_mean") * 1024;
	}
	int rc = either_latency(in, "slat_ns", "slat", &o->submit);
	rc = rc ? rc : either_latency(in, "clat_ns", "clat", &o->complete);
	return rc ? rc : either_latency(in, "lat_ns", "lat", &o->total);
}

/* "mixed" has reads and writes in one: told apart by the share that was asked,
 * each with the latencies of both. */
static int split_mixed(const json_t *job, struct iobi_fioin_job *j)
{
	struct iobi_fioin_op all = j->op[IOB_OP_READ];
	int share = j->mix < 0 ? 100 : j->mix, rc = take_op(json_object_get(job, "mixed"), &all);
	struct iobi_fioin_op *read = &j->op[IOB_OP_READ], *write = &j->op[IOB_OP_WRITE];
	*read = *write = all;
	read->ios = iobi_whole((double)all.ios * share / 100);
	write->ios = all.ios - read->ios;
	read->bytes = iobi_whole((double)all.bytes * share / 100);
	write->bytes = all.bytes - read->bytes;
	write->shorts = 0;
	read->there = read->ios != 0;
	write->there = write->ios != 0;
	read->submit.n = read->complete.n = read->total.n = read->ios;
	write->submit.n = write->complete.n = write->total.n = write->ios;
	/* Bins are of both together, and cannot be split. */
	for (int i = 0; i < 3; i++) {
		struct iobi_fioin_latency *r = i == 0   ? &read->submit
					       : i == 1 ? &read->complete
							: &read->total;
		struct iobi_fioin_latency *w = i == 0   ? &write->submit
					       : i == 1 ? &write->complete
							: &write->total;
		iob_hist_free(r->bins);
		r->bins = w->bins = NULL;
	}
	return rc;
}

static int take_ops(const json_t *job, struct iobi_fioin_job *j)
{
	static const char *const names[] = { "read", "write", "trim", "sync" };
	int rc = 0;
	if (json_object_get(job, "mixed") && !json_object_get(job, "read"))
		return split_mixed(job, j);
	for (int i = 0; i < 4 && !rc; i++)
		rc = take_op(json_object_get(job, names[i]), &j->op[IOB_OP_READ + i]);
	return rc;
}

/* ---- a job ---- */

static void take_class(struct iobi_fioin_job *j, const json_t *list, double unit)
{
	const char *key;
	json_t *v;
	struct iobi_range upto;
	json_object_foreach((json_t *)list, key, v)
	{
		bool open = *key == '>';
		if (json_is_number(v) && json_number_value(v) > 0 &&
		    iobi_whole_number(key + (open ? 2 : 0), &upto))
			iobi_fioin_add_share(j, upto.value, unit, open, json_number_value(v));
	}
}

/* "16k", "4k,64k": the last given holds for those after it. */
static void take_blocks(struct iobi_fioin_job *j, const char *value)
{
	if (!value)
		return;
	j->block_read = j->block_write = iobi_take_size(&value, false);
	if (*value == ',') {
		value++;
		j->block_write = *value && *value != ',' ? iobi_take_size(&value, false) : 4096;
	}
	if (*value && *value != ',')
		j->block_read = j->block_write = 0;
}

static bool is_paced(const json_t *job, const json_t *global)
{
	static const char *const names[] = { "rate", "rate_iops", "thinktime" };
	for (size_t i = 0; i < IOBI_LEN(names); i++) {
		const char *value = option(job, global, names[i]);
		if (value && strcmp(value, "0") != 0)
			return true;
	}
	return false;
}

static double longest_ms(const json_t *job)
{
	static const char *const names[] = { "read", "write", "trim", "mixed" };
	double most = 0;
	for (size_t i = 0; i < IOBI_LEN(names); i++)
		most = fmax(most, number(json_object_get(job, names[i]), "runtime"));
	return most;
}

/* Clones have an entry each, unless they are reported as one: the option tells,
 * where fio wrote it down, else that the run times of all are in job_runtime. */
static unsigned jobs_of(const json_t *job, const json_t *global)
{
	unsigned n = count_option(job, global, "numjobs");
	double together = number(job, "job_runtime") / longest_ms(job);
	bool merged = flag(job, global, "group_reporting") > 0 ||
		      (n > 1 && together < 1e6 && llround(together) >= (long long)n);
	return n && merged ? n : 1;
}

static const char *first_option(const json_t *job, const json_t *global, const char *a,
				const char *b, const char *otherwise)
{
	const char *value = option(job, global, a);
	value = value ? value : option(job, global, b);
	return value ? value : otherwise;
}

/* What is not among the options has fio's default. */
static void take_options(const json_t *job, const json_t *global, struct iobi_fioin_job *j)
{
	const char *direct = first_option(job, global, "direct", "odirect", NULL);
	snprintf(j->rw, sizeof(j->rw), "%.*s", 30,
		 first_option(job, global, "rw", "readwrite", "read"));
	j->rw[strcspn(j->rw, ":")] = '\0';
	snprintf(j->engine, sizeof(j->engine), "%.*s", 60,
		 first_option(job, global, "ioengine", "engine", "psync"));
	if (!strcmp(j->engine, "aio"))
		strcpy(j->engine, "libaio");
	j->depth = count_option(job, global, "iodepth");
	j->depth = j->depth ? j->depth : 1;
	j->direct = direct ? *direct == '\0' || strcmp(direct, "0") != 0 : 0;
	if (!option(job, global, "bsrange") && !option(job, global, "bssplit"))
		take_blocks(j, first_option(job, global, "bs", "blocksize", "4096"));
	j->mix = option(job, global, "rwmixread") ? (int)count_option(job, global, "rwmixread")
		 : option(job, global, "rwmixwrite")
			 ? 100 - (int)count_option(job, global, "rwmixwrite")
			 : 50;
	j->mix = j->mix < 0 ? 0 : j->mix > 100 ? 100 : j->mix;
	j->paced = is_paced(job, global);
	j->region = size_option(job, global, "size") * j->jobs;
}

/* A job with no rw that is known reads, writes or both. */
static void set_mix(struct iobi_fioin_job *j)
{
	const char *rw = iobi_fioin_is_random(j->rw) ? j->rw + 4 : j->rw;
	bool mixes = !strcmp(rw, "rw") || !strcmp(rw, "readwrite");
	if (!mixes)
		j->mix = strcmp(rw, "read") ? 0 : 100;
}

static int take_job(struct iobi_fioin_run *run, const json_t *job, const json_t *global)
{
	struct iobi_fioin_job *j = iobi_fioin_new_job(run);
	double user = number(job, "usr_cpu"), system = number(job, "sys_cpu");
	if (!j)
		return -ENOMEM;
	snprintf(j->name, sizeof(j->name), "%.*s", 250, text(job, "jobname"));
	j->group = (unsigned)whole(job, "groupid");
	j->error = (int)whole(job, "error");
	j->failed = whole(job, "total_err");
	j->errors_told = true;
	j->jobs = jobs_of(job, global);
	j->cpu_share = (user + system) / 100;
	take_options(job, global, j);
	set_mix(j);
	take_class(j, json_object_get(job, "latency_ns"), 1);
	take_class(j, json_object_get(job, "latency_us"), 1e3);
	take_class(j, json_object_get(job, "latency_ms"), 1e6);
	return take_ops(job, j);
}

/* The entry that fio makes of a job without statistics has no name and no I/O. */
static bool is_empty(const json_t *job)
{
	return !*text(job, "jobname") && !whole(json_object_get(job, "read"), "total_ios") &&
	       !whole(json_object_get(job, "write"), "total_ios");
}

static int take_disk(struct iobi_fioin_run *run, const json_t *disk)
{
	struct iobi_fioin_disk *d = iobi_fioin_new_disk(run);
	if (!d)
		return -ENOMEM;
	snprintf(d->name, sizeof(d->name), "%.*s", 60, text(disk, "name"));
	d->ios[0] = whole(disk, "read_ios");
	d->ios[1] = whole(disk, "write_ios");
	d->merges[0] = whole(disk, "read_merges");
	d->merges[1] = whole(disk, "write_merges");
	d->bytes[0] = whole(disk, "read_sectors") * 512;
	d->bytes[1] = whole(disk, "write_sectors") * 512;
	d->ticks[0] = whole(disk, "read_ticks");
	d->ticks[1] = whole(disk, "write_ticks");
	d->queue_ms = whole(disk, "in_queue");
	d->busy = number(disk, "util") / 100;
	d->above = json_object_get(disk, "aggr_read_ios") != NULL;
	d->mean_ios[0] = (double)whole(disk, "aggr_read_ios");
	d->mean_ios[1] = (double)whole(disk, "aggr_write_ios");
	return 0;
}

static bool seen_before(const struct iobi_fioin_run *run, const json_t *disk)
{
	for (size_t i = 0; i < run->n_disks; i++)
		if (!strcmp(run->disk[i].name, text(disk, "name")))
			return true;
	return !*text(disk, "name");
}

/* ---- the document ---- */

static int take_all(const struct iobi_at *root, struct iobi_fioin_run *run)
{
	const json_t *global = json_object_get(root->v, "global options"), *disk;
	struct iobi_at jobs;
	size_t i;
	int rc = iobi_json_need(root, "jobs", JSON_ARRAY, &jobs);
	if (!rc && json_array_size(jobs.v) > IOBI_FIOIN_JOBS)
		return iobi_json_bad(&jobs, "has %zu elements, at most %d are read",
				     json_array_size(jobs.v), IOBI_FIOIN_JOBS);
	for (i = 0; !rc && i < json_array_size(jobs.v); i++) {
		struct iobi_at job = iobi_json_element(&jobs, i);
		if (!json_is_object(job.v))
			return iobi_json_bad(&job, "must be an object");
		if (!is_empty(job.v) && take_job(run, job.v, global))
			return iobi_no_memory(root->in->err);
	}
	json_array_foreach(json_object_get(root->v, "disk_util"), i,
			   disk) if (!rc && !seen_before(run, disk) &&
				     take_disk(run, disk)) return iobi_no_memory(root->in->err);
	return rc;
}

static int read_document(struct iob_result *suite, struct iobi_json_in *in)
{
	struct iobi_fioin_run run = { .format = "fio-json" };
	size_t before = suite->n_child;
	json_t *v = iobi_json_load(in);
	struct iobi_at root = { in, NULL, NULL, 0, v };
	if (!v)
		return -EINVAL;
	int rc = json_is_object(v) ? take_all(&root, &run)
				   : iobi_json_bad(&root, "must be an object");
	if (!rc && iobi_fioin_build(suite, &run))
		rc = iobi_no_memory(in->err);
	if (!rc && suite->n_child == before)
		rc = iobi_json_bad(&root, "has no jobs");
	iobi_fioin_free(&run);
	json_decref(v);
	return rc;
}

static unsigned count_lines(const char *from, const char *to)
{
	unsigned n = 0;
	while (from < to)
		n += *from++ == '\n';
	return n;
}

static int read_documents(struct iob_result *suite, const char *data, size_t len,
			  struct iob_error *err)
{
	const char *at = data, *end = data + len, *counted = data;
	struct iobi_json_in in = { .err = err, .duplicates = 1 };
	int rc = 0, more;
	char *copy;
	size_t n;
	while (!rc && (more = iobi_fioin_document(&at, end, &copy, &n)) > 0) {
		in.lines_before += count_lines(counted, at - n);
		counted = at - n;
		in.data = copy;
		in.len = n;
		rc = read_document(suite, &in);
		free(copy);
	}
	if (!rc && more < 0)
		rc = iobi_no_memory(err);
	if (rc || suite->n_child)
		return rc;
	return read_document(suite, &(struct iobi_json_in){ .data = data, .len = len, .err = err });
}

struct iob_result *iobi_read_fio_json(const char *data, size_t len, struct iob_error *err)
{
	struct iob_result *suite = iobi_result_new(IOB_LEVEL_SUITE, "fio");
	if (!suite) {
		iobi_no_memory(err);
		return NULL;
	}
	return iobi_import_end(suite, read_documents(suite, data, len, err), err);
}
