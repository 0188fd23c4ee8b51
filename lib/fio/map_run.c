/* SPDX-License-Identifier: MIT */
/* Times, flushes, errors, CPUs, and what ends what. */
#include "fio/map.h"
#include "base/random.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char fio_percentiles[] = "1,5,10,20,30,40,50,60,70,80,90,95,99,99.5,99.9,99.95,99.99";

/* ---- times ---- */

static int map_times(struct iobi_fio_map *m)
{
	int64_t runtime = 0, ramp = 0;
	int rc = iobi_fio_get_time(m, IOBI_FIO_RUNTIME, &runtime);
	rc = rc ? rc : iobi_fio_get_time(m, IOBI_FIO_RAMP_TIME, &ramp);
	if (!rc && iobi_fio_on(m, IOBI_FIO_TIME_BASED, false) && !runtime)
		rc = iobi_fio_map_note(m, IOBI_FIO_TIME_BASED,
				       "time_based without a runtime has no effect (as in fio)");
	rc = rc ? rc : iobi_fio_set_int(m, m->w, IOBI_FIO_RUNTIME, IOB_PARAM_RUNTIME, runtime);
	return rc ? rc : iobi_fio_set_int(m, m->w, IOBI_FIO_RAMP_TIME, IOB_PARAM_RAMP_TIME, ramp);
}

/* "5" or "5-10", of which each clone draws its own. */
static int map_delay(struct iobi_fio_map *m, struct iob_workload *w)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_STARTDELAY),
		   *dash = text ? strchr(text, '-') : NULL;
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_STARTDELAY);
	int64_t low = 0, high;
	if (!text)
		return 0;
	int rc = iobi_fio_time(&at, text, dash ? (size_t)(dash - text) : strlen(text), &low);
	high = low;
	if (!rc && dash)
		rc = iobi_fio_time(&at, dash + 1, strlen(dash + 1), &high);
	if (!rc && high < low)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_STARTDELAY,
				      "the range \"%s\" runs backwards", IOBI_QUOTE(text));
	struct iobi_random r = { iobi_random_derive(m->seed, m->thread, 7) };
	if (!rc && high > low)
		low += (int64_t)iobi_random_below(&r, (uint64_t)(high - low) + 1);
	return rc ? rc : iobi_fio_set_int(m, w, IOBI_FIO_STARTDELAY, IOB_PARAM_START_DELAY, low);
}

/* ---- flushes and the page cache ---- */

static int map_fsync(struct iobi_fio_map *m)
{
	int64_t all = 0, data = 0;
	int rc = iobi_fio_get_int(m, IOBI_FIO_FSYNC, &all);
	rc = rc ? rc : iobi_fio_get_int(m, IOBI_FIO_FDATASYNC, &data);
	if (rc || !m->writes || m->null || (!all && !data))
		return rc;
	if (all && data)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_FDATASYNC,
				      "not supported: fdatasync together with fsync");
	int key = data ? IOBI_FIO_FDATASYNC : IOBI_FIO_FSYNC;
	rc = iobi_fio_set_int(m, m->w, key, IOB_PARAM_FSYNC_EVERY, all + data);
	return rc || !data ? rc : iobi_fio_set_int(m, m->w, key, IOB_PARAM_FSYNC_DATA, 1);
}

static int map_bool(struct iobi_fio_map *m, int key, enum iob_param p, bool otherwise)
{
	return iobi_fio_set_int(m, m->w, key, p, iobi_fio_on(m, key, otherwise));
}

/* Of a missing file that is only written: fio sets its blocks aside. */
static int map_layout(struct iobi_fio_map *m)
{
	static const char *const all[][2] = { { "native", "allocated" }, { "posix", "allocated" },
					      { "keep", "allocated" },   { "1", "allocated" },
					      { "none", "sparse" },      { "truncate", "sparse" },
					      { "0", "sparse" } };
	const char *text = iobi_fio_text(m, IOBI_FIO_FALLOCATE),
		   *layout = text ? NULL : "allocated";
	for (size_t i = 0; text && i < IOBI_LEN(all); i++)
		if (!strcmp(text, all[i][0]))
			layout = all[i][1];
	if (!layout)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_FALLOCATE,
				      "\"%s\" is none of none, native, posix, keep, truncate, 0, 1",
				      IOBI_QUOTE(text));
	if (m->reads || !m->writes || m->trim_first || iobi_fio_on(m, IOBI_FIO_OVERWRITE, false))
		layout = "filled";
	return iobi_fio_set_str(m, m->w, IOBI_FIO_FALLOCATE, IOB_PARAM_LAYOUT, layout);
}

static int map_unlink(struct iobi_fio_map *m)
{
	bool loop = iobi_fio_on(m, IOBI_FIO_UNLINK_EACH_LOOP, false);
	int rc = 0;
	if (loop && m->loops > 1)
		rc = iobi_fio_map_note(
			m, IOBI_FIO_UNLINK_EACH_LOOP,
			"unlink_each_loop removes files once, at the end of the run");
	loop |= iobi_fio_on(m, IOBI_FIO_UNLINK, false);
	return rc ? rc : iobi_fio_set_int(m, m->w, IOBI_FIO_UNLINK, IOB_PARAM_REMOVE, loop);
}

static int map_around(struct iobi_fio_map *m)
{
	int rc = map_fsync(m);
	rc = rc ? rc : map_bool(m, IOBI_FIO_END_FSYNC, IOB_PARAM_END_SYNC, false);
	rc = rc ? rc : map_bool(m, IOBI_FIO_FSYNC_ON_CLOSE, IOB_PARAM_CLOSE_SYNC, false);
	rc = rc ? rc : map_bool(m, IOBI_FIO_INVALIDATE, IOB_PARAM_INVALIDATE, !m->null);
	if (!rc && iobi_fio_on(m, IOBI_FIO_PRE_READ, false)) { /* which fio does without dropping */
		rc = map_bool(m, IOBI_FIO_PRE_READ, IOB_PARAM_PRE_READ, false);
		rc = rc ? rc
			: iobi_fio_set_int(m, m->w, IOBI_FIO_PRE_READ, IOB_PARAM_INVALIDATE, 0);
	}
	rc = rc ? rc : map_bool(m, IOBI_FIO_CREATE_ONLY, IOB_PARAM_MAKE_ONLY, false);
	rc = rc ? rc : map_layout(m);
	return rc ? rc : map_unlink(m);
}

/* ---- errors, and ends of others ---- */

static bool one_of(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

static int map_continue(struct iobi_fio_map *m, const char **on_error)
{
	static const char *const on[] = { "read", "write", "io", "all", "1" };
	static const char *const off[] = { "none", "0", "verify" };
	const char *text = iobi_fio_text(m, IOBI_FIO_CONTINUE_ON_ERROR);
	if (!text || one_of(text, off, IOBI_LEN(off)))
		return 0;
	if (!one_of(text, on, IOBI_LEN(on)))
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_CONTINUE_ON_ERROR,
				      "\"%s\" is none of none, read, write, io, verify, all",
				      IOBI_QUOTE(text));
	*on_error = "continue";
	if (!strcmp(text, "io") || !strcmp(text, "all") || !strcmp(text, "1"))
		return 0;
	return iobi_fio_map_note(m, IOBI_FIO_CONTINUE_ON_ERROR,
				 "continue_on_error=%s holds for reads and writes alike", text);
}

static int map_errors(struct iobi_fio_map *m)
{
	const char *on_error = "stop";
	int rc = map_continue(m, &on_error);
	if (!rc && iobi_fio_text(m, IOBI_FIO_IGNORE_ERROR)) {
		on_error = "continue";
		rc = iobi_fio_map_note(
			m, IOBI_FIO_IGNORE_ERROR,
			"ignore_error goes on after any error; the result has them all "
			"the same");
	}
	if (!strcmp(on_error, "stop") && iobi_fio_on(m, IOBI_FIO_EXITALL_ON_ERROR, false))
		on_error = "cancel";
	return rc ? rc
		  : iobi_fio_set_str(m, m->w, IOBI_FIO_CONTINUE_ON_ERROR, IOB_PARAM_ON_ERROR,
				     on_error);
}

static int map_exit(struct iobi_fio_map *m)
{
	const char *what = iobi_fio_text(m, IOBI_FIO_EXIT_WHAT);
	bool all = what && !strcmp(what, "all");
	if (what && !all && strcmp(what, "group") != 0 && strcmp(what, "stonewall") != 0)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_EXIT_WHAT,
				      "\"%s\" is none of group, stonewall, all", IOBI_QUOTE(what));
	if (!iobi_fio_on(m, IOBI_FIO_EXITALL, false))
		return 0;
	return iobi_fio_set_str(m, m->w, IOBI_FIO_EXITALL, IOB_PARAM_ENDS_OTHERS,
				all ? "run" : "stage");
}

/* ---- CPUs ---- */

struct cpus {
	struct iobi_text list; /* of all of them, or */
	int64_t want, at;      /* the one that is the want-th; -1: all */
	unsigned found;
};

static int count_cpu(void *user, unsigned cpu)
{
	struct cpus *c = user;
	if (c->at++ == c->want)
		c->found = cpu;
	return 0;
}

static int add_mask(struct iobi_fio_map *m, struct iobi_text *t)
{
	int64_t mask = 0;
	int rc = iobi_fio_get_int(m, IOBI_FIO_CPUMASK, &mask);
	for (int cpu = 0; !rc && cpu < 63; cpu++)
		if (mask >> cpu & 1)
			iobi_text_printf(t, "%s%d", t->len ? "," : "", cpu);
	return rc;
}

/* Each clone gets one CPU of its own. */
static int map_split(struct iobi_fio_map *m, struct iob_workload *w, const char *list,
		     int64_t clone)
{
	struct cpus c = { .want = -1 };
	struct iob_error err;
	char text[IOBI_NUMBER];
	if (iobi_parse_cpus(list, count_cpu, &c, &err) < 0)
		return iobi_fio_wrong(m, err.code, IOBI_FIO_CPUS_ALLOWED, "%s", err.message);
	c.want = c.at ? clone % c.at : 0;
	c.at = 0;
	iobi_parse_cpus(list, count_cpu, &c, NULL);
	snprintf(text, sizeof(text), "%u", c.found);
	return iobi_fio_set_str(m, w, IOBI_FIO_CPUS_ALLOWED, IOB_PARAM_CPUS, text);
}

static int bind_cpus(struct iobi_fio_map *m, struct iob_workload *w, const char *list,
		     int64_t clone)
{
	const char *policy = iobi_fio_text(m, IOBI_FIO_CPUS_ALLOWED_POLICY);
	if (policy && strcmp(policy, "shared") != 0 && strcmp(policy, "split") != 0)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_CPUS_ALLOWED_POLICY,
				      "\"%s\" is neither shared nor split", IOBI_QUOTE(policy));
	if (!list)
		return 0;
	if (policy && !strcmp(policy, "split"))
		return map_split(m, w, list, clone);
	int rc = iobi_fio_set_str(m, w, IOBI_FIO_CPUS_ALLOWED, IOB_PARAM_CPUS, list);
	return rc ? rc
		  : iobi_fio_set_str(m, w, IOBI_FIO_CPUS_ALLOWED, IOB_PARAM_CPUS_POLICY, "any");
}

static int map_cpus(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone)
{
	struct iobi_text mask = { 0 };
	const char *list = iobi_fio_text(m, IOBI_FIO_CPUS_ALLOWED);
	int rc = list ? 0 : add_mask(m, &mask);
	if (!rc && mask.failed)
		rc = iobi_no_memory(m->f->err);
	rc = rc ? rc : bind_cpus(m, w, list ? list : mask.data, clone);
	iobi_text_free(&mask);
	return rc;
}

/* ---- percentiles: fio separates them by colons ---- */

static int map_percentiles(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_PERCENTILE_LIST);
	char list[1024];
	if (text && strlen(text) >= sizeof(list))
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_PERCENTILE_LIST, "the list is too long");
	snprintf(list, sizeof(list), "%s", text ? text : fio_percentiles);
	for (char *c = list; *c; c++)
		*c = *c == ':' ? ',' : *c;
	return iobi_fio_set_str(m, m->w, IOBI_FIO_PERCENTILE_LIST, IOB_PARAM_PERCENTILES, list);
}

/* ---- logs: written by the tool, from the interval series ---- */

static int map_logs(struct iobi_fio_map *m)
{
	static const int keys[] = { IOBI_FIO_WRITE_BW_LOG, IOBI_FIO_WRITE_IOPS_LOG,
				    IOBI_FIO_WRITE_LAT_LOG };
	const int64_t least_ms = 100;
	int64_t mean_ms = 0;
	int key = -1, rc = iobi_fio_get_int(m, IOBI_FIO_LOG_AVG_MSEC, &mean_ms);
	for (size_t i = 0; i < IOBI_LEN(keys); i++)
		if (iobi_fio_text(m, keys[i]))
			key = keys[i];
	if (rc || key < 0 || mean_ms >= least_ms)
		return rc;
	if (mean_ms > 0)
		return iobi_fio_map_note(m, IOBI_FIO_LOG_AVG_MSEC,
					 "log_avg_msec=%" PRId64 ": a line of a log is the mean of "
					 "100 ms or more",
					 mean_ms);
	return iobi_fio_map_note(
		m, key,
		"a log has the means of 100 ms or more, not each I/O (log_avg_msec "
		"sets of how many)");
}

static int check_verify(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_VERIFY);
	if (!text || !strcmp(text, "0") || !strcmp(text, "none"))
		return 0;
	return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_VERIFY,
			      "not supported: verify=%s (verification of data)", IOBI_QUOTE(text));
}

int iobi_fio_map_run(struct iobi_fio_map *m)
{
	int rc = check_verify(m);
	rc = rc ? rc : map_times(m);
	rc = rc ? rc : map_around(m);
	rc = rc ? rc : map_errors(m);
	rc = rc ? rc : map_exit(m);
	rc = rc ? rc : map_logs(m);
	return rc ? rc : map_percentiles(m);
}

int iobi_fio_map_clone_run(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone)
{
	uint64_t seed = m->seed ? iobi_random_derive(m->seed, m->thread, 6) & INT64_MAX : 0;
	int rc = map_delay(m, w);
	rc = rc ? rc : map_cpus(m, w, clone);
	return rc ? rc
		  : iobi_fio_set_int(m, w, IOBI_FIO_RANDSEED, IOB_PARAM_SEED,
				     m->seed && !seed ? 1 : (int64_t)seed);
}
