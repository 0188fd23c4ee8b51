/* SPDX-License-Identifier: MIT */
/* Jobs become workloads: a clone each, side by side; a stonewall starts a stage. */
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	STAGE_NAME = 120
};

/* ---- what was given ---- */

const char *iobi_fio_text(const struct iobi_fio_map *m, int key)
{
	return m->job->value[key].text;
}

bool iobi_fio_later(const struct iobi_fio_map *m, int key, int than)
{
	return m->job->value[key].text && m->job->value[key].order > m->job->value[than].order;
}

bool iobi_fio_on(const struct iobi_fio_map *m, int key, bool otherwise)
{
	const char *text = iobi_fio_text(m, key);
	return text ? strcmp(text, "0") != 0 : otherwise;
}

struct iobi_fio_at iobi_fio_at(const struct iobi_fio_map *m, int key)
{
	return (struct iobi_fio_at){ m->f, iobi_fio_row(key)->name, m->job->value[key].place,
				     m->kilo };
}

int iobi_fio_get_int(const struct iobi_fio_map *m, int key, int64_t *value)
{
	const char *text = iobi_fio_text(m, key);
	struct iobi_fio_at at = iobi_fio_at(m, key);
	return text ? iobi_fio_int(&at, text, strlen(text), value) : 0;
}

int iobi_fio_get_time(const struct iobi_fio_map *m, int key, int64_t *ns)
{
	const char *text = iobi_fio_text(m, key);
	struct iobi_fio_at at = iobi_fio_at(m, key);
	return text ? iobi_fio_time(&at, text, strlen(text), ns) : 0;
}

/* Where an option stands; of one that was not given, where its job does. */
static struct iobi_fio_place place_of(const struct iobi_fio_map *m, int key)
{
	return iobi_fio_text(m, key) ? m->job->value[key].place : m->job->place;
}

int iobi_fio_wrong(const struct iobi_fio_map *m, int code, int key, const char *fmt, ...)
{
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return iobi_fio_fail(m->f, code, iobi_fio_row(key)->name, place_of(m, key), "%s", text);
}

int iobi_fio_map_note(const struct iobi_fio_map *m, int key, const char *fmt, ...)
{
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return iobi_fio_note(m->f, place_of(m, key), "%s", text);
}

static int refused(const struct iobi_fio_map *m, int key, const struct iob_error *err)
{
	if (err->code == ENOMEM)
		return iobi_no_memory(m->f->err);
	return iobi_fio_wrong(m, err->code, key, "%s", err->message);
}

int iobi_fio_set_int(const struct iobi_fio_map *m, struct iob_workload *w, int key,
		     enum iob_param p, int64_t value)
{
	struct iob_error err;
	return iob_workload_set_int(w, p, value, &err) < 0 ? refused(m, key, &err) : 0;
}

int iobi_fio_set_str(const struct iobi_fio_map *m, struct iob_workload *w, int key,
		     enum iob_param p, const char *value)
{
	struct iob_error err;
	return iob_workload_set_str(w, p, value, &err) < 0 ? refused(m, key, &err) : 0;
}

/* ---- one job ---- */

static int begin_job(struct iobi_fio_map *m)
{
	const char *kilo = iobi_fio_text(m, IOBI_FIO_KB_BASE);
	m->kilo = kilo && !strcmp(kilo, "1000") ? 1000 : 1024;
	if (kilo && strcmp(kilo, "1000") && strcmp(kilo, "1024"))
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_KB_BASE,
				      "\"%s\" is neither 1024 nor 1000", IOBI_QUOTE(kilo));
	m->numjobs = m->loops = 1;
	int rc = iobi_fio_get_int(m, IOBI_FIO_NUMJOBS, &m->numjobs);
	rc = rc ? rc : iobi_fio_get_int(m, IOBI_FIO_LOOPS, &m->loops);
	if (!rc && (m->numjobs < 1 || m->thread + (uint64_t)m->numjobs > IOBI_FIO_CLONES_MAX))
		return iobi_fio_wrong(m, ERANGE, IOBI_FIO_NUMJOBS,
				      "%" PRId64 " is not 1 to %d, which is for all jobs together",
				      m->numjobs, IOBI_FIO_CLONES_MAX);
	if (!rc && m->loops < 1)
		m->loops = 1; /* as in fio */
	return rc;
}

static int map_base(struct iobi_fio_map *m)
{
	const char *name = iobi_fio_text(m, IOBI_FIO_NAME);
	bool own = name && m->job->value[IOBI_FIO_NAME].own && *name;
	int rc = begin_job(m);
	rc = rc ? rc
		: iobi_fio_set_str(m, m->w, IOBI_FIO_NAME, IOB_PARAM_NAME,
				   own ? name : m->job->name);
	rc = rc ? rc : iobi_fio_map_rw(m);
	rc = rc ? rc : iobi_fio_map_blocks(m);
	rc = rc ? rc : iobi_fio_map_io(m);
	rc = rc ? rc : iobi_fio_map_data(m);
	rc = rc ? rc : iobi_fio_map_pace(m);
	return rc ? rc : iobi_fio_map_run(m);
}

static int add_clone(struct iobi_fio_map *m, int64_t clone)
{
	struct iob_workload *w = iob_workload_copy(m->w, m->f->err);
	if (!w)
		return -ENOMEM;
	int rc = iobi_fio_map_files(m, w, clone);
	rc = rc ? rc : iobi_fio_map_clone_run(m, w, clone);
	rc = rc ? rc : iobi_fio_map_labels(m, w, clone);
	rc = rc ? rc : iob_suite_add(m->f->suite, w, m->f->err);
	iob_workload_free(w);
	m->thread++;
	return rc;
}

static int check_readonly(const struct iobi_fio_map *m)
{
	if (!m->f->readonly || m->null || (!m->writes && !m->trims))
		return 0;
	return iobi_fio_wrong(m, EPERM, IOBI_FIO_RW, "job \"%s\" writes, and --readonly was given",
			      IOBI_QUOTE(m->job->name));
}

static int map_job(struct iobi_fio_map *m)
{
	m->w = iob_workload_new(m->f->err);
	if (!m->w)
		return -ENOMEM;
	int rc = map_base(m);
	rc = rc ? rc : check_readonly(m);
	rc = rc ? rc : iobi_fio_map_names(m);
	for (int64_t clone = 0; !rc && clone < m->numjobs; clone++)
		rc = add_clone(m, clone);
	iobi_fio_free_names(m);
	iob_workload_free(m->w);
	m->w = NULL;
	return rc;
}

/* ---- stages and groups ---- */

static bool is_on(const struct iobi_fio_job *j, int key)
{
	return j->value[key].text && strcmp(j->value[key].text, "0") != 0;
}

static bool starts_stage(const struct iobi_fio_job *j)
{
	return j->first || is_on(j, IOBI_FIO_STONEWALL);
}

static const char *name_of(const struct iobi_fio_job *j)
{
	const struct iobi_fio_value *v = &j->value[IOBI_FIO_NAME];
	return v->own && v->text && *v->text ? v->text : j->name;
}

/* "a, b": the jobs from the i-th that run side by side. */
static int open_stage(struct iobi_fio *f, size_t i)
{
	struct iobi_text t = { 0 };
	size_t first = i;
	do {
		if (t.len < STAGE_NAME)
			iobi_text_printf(&t, "%s%s", i == first ? "" : ", ", name_of(f->job[i]));
		else if (t.data[t.len - 1] != '.')
			iobi_text_add(&t, ", ...");
	} while (++i < f->n_jobs && !starts_stage(f->job[i]));
	int rc = t.failed ? iobi_no_memory(f->err) : iob_suite_next_stage(f->suite, t.data, f->err);
	iobi_text_free(&t);
	return rc;
}

int iobi_fio_map(struct iobi_fio *f)
{
	struct iobi_fio_map m = { .f = f };
	int rc = 0;
	for (size_t i = 0; !rc && i < f->n_jobs; i++) {
		m.job = f->job[i];
		bool stage = !i || starts_stage(m.job);
		if (stage)
			rc = open_stage(f, i);
		if (i && (stage || is_on(m.job, IOBI_FIO_NEW_GROUP)))
			m.group++;
		rc = rc ? rc : map_job(&m);
	}
	return rc;
}
