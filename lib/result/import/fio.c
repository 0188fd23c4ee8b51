/* SPDX-License-Identifier: MIT */
#include "result/import/fio.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct iobi_range unknown = { NAN, NAN, NAN };

/* Room for the next power of two. */
static void *one_more(void **list, size_t n, size_t size)
{
	char *more = n & (n - 1) ? *list : realloc(*list, (n ? 2 * n : 1) * size);
	if (!more)
		return NULL;
	*list = more;
	return memset(more + n * size, 0, size);
}

struct iobi_fioin_job *iobi_fioin_new_job(struct iobi_fioin_run *run)
{
	struct iobi_fioin_job *job = one_more((void **)&run->job, run->n_jobs, sizeof(*job));
	if (!job)
		return NULL;
	run->n_jobs++;
	job->jobs = 1;
	job->direct = job->mix = -1;
	job->cpu_share = NAN;
	for (int op = 0; op < IOBI_RESULT_OPS; op++) {
		struct iobi_fioin_op *o = &job->op[op];
		o->band_min = o->band_max = o->band_mean = NAN;
		o->submit.mean = o->complete.mean = o->total.mean = unknown;
		o->submit.stddev = o->complete.stddev = o->total.stddev = NAN;
	}
	return job;
}

struct iobi_fioin_disk *iobi_fioin_new_disk(struct iobi_fioin_run *run)
{
	struct iobi_fioin_disk *disk = one_more((void **)&run->disk, run->n_disks, sizeof(*disk));
	if (!disk)
		return NULL;
	run->n_disks++;
	disk->busy = NAN;
	return disk;
}

void iobi_fioin_free(struct iobi_fioin_run *run)
{
	for (size_t i = 0; i < run->n_jobs; i++)
		for (int op = 0; op < IOBI_RESULT_OPS; op++) {
			iob_hist_free(run->job[i].op[op].submit.bins);
			iob_hist_free(run->job[i].op[op].complete.bins);
			iob_hist_free(run->job[i].op[op].total.bins);
		}
	free(run->job);
	free(run->disk);
	run->job = NULL;
	run->disk = NULL;
	run->n_jobs = run->n_disks = 0;
}

bool iobi_fioin_is_random(const char *rw)
{
	return strncmp(rw, "rand", 4) == 0;
}

void iobi_fioin_add_share(struct iobi_fioin_job *job, double upto, double unit, bool open,
			  double percent)
{
	static const double bounds[] = { 1, 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000 };
	double from = 0;
	if (job->n_share == IOBI_FIOIN_SHARES)
		return;
	for (size_t i = 0; i < IOBI_LEN(bounds); i++)
		if (bounds[i] < upto)
			from = bounds[i];
	job->share[job->n_share++] = (struct iobi_share){ (open ? upto : from) * unit,
							  open ? HUGE_VAL : upto * unit, percent };
}

/* ---- parameters ---- */

static bool is_sync_engine(const char *engine)
{
	static const char *const names[] = { "sync", "psync", "vsync",  "pvsync",  "pvsync2",
					     "mmap", "null",  "splice", "libpmem", "filecreate" };
	for (size_t i = 0; i < IOBI_LEN(names); i++)
		if (!strcmp(engine, names[i]))
			return true;
	return false;
}

static int read_percent(const struct iobi_fioin_job *job)
{
	const char *rw = iobi_fioin_is_random(job->rw) ? job->rw + 4 : job->rw;
	if (!strcmp(rw, "read"))
		return 100;
	if (!strcmp(rw, "rw") || !strcmp(rw, "readwrite"))
		return job->mix;
	return *rw ? 0 : -1;
}

static int set_blocks(struct iob_result *w, const struct iobi_fioin_job *job)
{
	int rc = job->block_read ? iobi_set_size(w, "block_size", job->block_read) : 0;
	if (!rc && job->block_write && job->block_write != job->block_read)
		rc = iobi_set_size(w, "block_size_write", job->block_write);
	return rc;
}

/* A sync engine runs one at a time, whatever was asked. */
static int set_depth(struct iob_result *w, const struct iobi_fioin_job *job)
{
	bool sync = is_sync_engine(job->engine);
	int rc = iobi_set_number(w, "workers", job->jobs);
	if (!rc && job->depth)
		rc = iobi_set_number(w, "queue_depth", job->depth);
	if (!rc && sync)
		rc = iobi_pairs_set(&w->effective, "queue_depth", "1");
	if (!rc && *job->engine)
		rc = iobi_set_both(w, "engine", job->engine);
	if (!rc && *job->engine)
		rc = iobi_pairs_set(&w->effective, "engine_kind", sync ? "sync" : "async");
	return rc;
}

static int set_params(struct iob_result *w, const struct iobi_fioin_job *job)
{
	int share = read_percent(job), rc = set_blocks(w, job);
	rc = rc ? rc : set_depth(w, job);
	if (!rc && *job->rw)
		rc = iobi_set_both(w, "pattern",
				   iobi_fioin_is_random(job->rw) ? "random" : "sequential");
	if (!rc && share >= 0)
		rc = iobi_set_number(w, "read_percent", (uint64_t)share);
	if (!rc && job->direct >= 0)
		rc = iobi_set_both(w, "direct", job->direct ? "true" : "false");
	if (!rc && job->paced)
		rc = iobi_pairs_set(&w->effective, "paced", "true");
	return rc;
}

/* ---- what was measured ---- */

static int put_latency(struct iob_result *w, int op, enum iob_latency l,
		       const struct iobi_fioin_latency *lat, const struct iobi_fioin_latency *shape,
		       uint64_t ios)
{
	struct iobi_printed p = { .mean = lat->mean,
				  .min = lat->min,
				  .max = lat->max,
				  .stddev = lat->stddev,
				  .p = shape->p,
				  .value = shape->value,
				  .n = shape->n_p };
	if (!shape->bins)
		return iobi_printed_put(w, op, l, lat->n ? lat->n : ios, &p);
	w->op[op].latency[l] = iobi_hist_copy(shape->bins);
	return w->op[op].latency[l] ? 0 : -ENOMEM;
}

/* fio's percentiles are of clat unless lat has some; in lat is the submit time too. */
static int put_latencies(struct iob_result *w, int op, const struct iobi_fioin_op *o)
{
	const struct iobi_fioin_latency *all = o->total.there ? &o->total : &o->complete;
	const struct iobi_fioin_latency *shape = all->n_p || all->bins ? all : &o->complete;
	int rc = 0;
	if (!all->there || !o->ios)
		return 0;
	w->recorded->op[op].mean_ns = all->mean;
	rc = put_latency(w, op, IOB_LATENCY_SERVICE, all, shape, o->ios);
	rc = rc ? rc : put_latency(w, op, IOB_LATENCY_RESPONSE, all, shape, o->ios);
	if (!rc && o->submit.there)
		rc = put_latency(w, op, IOB_LATENCY_SUBMIT, &o->submit, &o->submit, o->ios);
	return rc;
}

/* The run time is whole milliseconds; of this library's own reports the rate,
 * with its six decimals, tells more of it. */
static uint64_t ran_ns(const struct iobi_fioin_op *o)
{
	double ns = o->runtime_ms * 1e6, by_rate = (double)o->ios * 1e9 / o->iops;
	double unsure = ns * 1e-6 / o->iops; /* the rate's last digit */
	bool better = o->iops > 0 && fabs(by_rate - ns) > unsure && fabs(by_rate - ns) <= 1e6;
	return iobi_whole(better ? by_rate : ns);
}

static int put_op(struct iob_result *w, int op, const struct iobi_fioin_op *o)
{
	struct iobi_recorded_op *rec = &w->recorded->op[op];
	uint64_t ns = ran_ns(o);
	w->op[op].count[IOB_COUNT_IOS] = o->ios;
	w->op[op].count[IOB_COUNT_BYTES] = o->bytes;
	w->op[op].count[IOB_COUNT_SHORT] = o->shorts;
	rec->band_min = o->band_min;
	rec->band_max = o->band_max;
	rec->band_mean = o->band_mean;
	w->elapsed_ns = ns > w->elapsed_ns ? ns : w->elapsed_ns;
	return put_latencies(w, op, o);
}

static int put_shares(struct iobi_recorded *rec, const struct iobi_fioin_job *job)
{
	rec->share = calloc(job->n_share + 1, sizeof(*rec->share));
	if (!rec->share)
		return -ENOMEM;
	memcpy(rec->share, job->share, job->n_share * sizeof(*rec->share));
	rec->n_share = job->n_share;
	return 0;
}

static int put_error(struct iob_result *w, const struct iobi_fioin_job *job)
{
	if (!job->error)
		return 0;
	w->error = calloc(1, sizeof(*w->error));
	if (!w->error)
		return -ENOMEM;
	iobi_fail(w->error, job->error, "fio", "fio's job %.80s ended with %s", job->name,
		  iobi_errno_text(job->error));
	return 0;
}

static int add_job(struct iob_result *stage, const struct iobi_fioin_run *run,
		   const struct iobi_fioin_job *job)
{
	struct iob_result *w = iobi_new_workload(stage, job->name, run->format, job->line);
	if (!w)
		return -ENOMEM;
	struct iobi_recorded *rec = w->recorded;
	rec->counted = true;
	rec->has_errors = job->errors_told;
	rec->cpu_share = job->cpu_share;
	rec->region_bytes = job->region;
	w->op[IOB_OP_READ].count[IOB_COUNT_ERRORS] = job->failed;
	int rc = set_params(w, job);
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		if (job->op[op].there)
			rc = put_op(w, op, &job->op[op]);
	rc = rc ? rc : put_shares(rec, job);
	return rc ? rc : put_error(w, job);
}

/* ---- groups ---- */

static size_t in_group(const struct iobi_fioin_run *run, unsigned group)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n_jobs; i++)
		n += run->job[i].group == group;
	return n;
}

static bool is_first(const struct iobi_fioin_run *run, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (run->job[i].group == run->job[at].group)
			return false;
	return true;
}

static int add_group(struct iob_result *suite, const struct iobi_fioin_run *run, size_t first)
{
	unsigned group = run->job[first].group;
	char name[300];
	size_t n = in_group(run, group);
	int rc = 0;
	snprintf(name, sizeof(name), n > 1 ? "%s and %zu more" : "%s", run->job[first].name, n - 1);
	struct iob_result *stage = iobi_new_stage(suite, name);
	if (!stage)
		return -ENOMEM;
	for (size_t i = first; i < run->n_jobs && !rc; i++)
		if (run->job[i].group == group)
			rc = add_job(stage, run, &run->job[i]);
	/* Disk statistics are of the whole run: of one group they are that group's. */
	for (size_t i = 0; i < stage->n_child && !rc && n == run->n_jobs; i++)
		rc = iobi_fioin_add_disks(stage->child[i], run);
	return rc;
}

int iobi_fioin_build(struct iob_result *suite, const struct iobi_fioin_run *run)
{
	int rc = 0;
	for (size_t i = 0; i < run->n_jobs && !rc; i++)
		if (is_first(run, i))
			rc = add_group(suite, run, i);
	return rc;
}
