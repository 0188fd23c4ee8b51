/* SPDX-License-Identifier: MIT */
/* The logs that jobs ask for: write_bw_log, write_iops_log, write_lat_log. */
#include "fio.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct kind {
	const char *option, *suffix, *report, *disable;
} kinds[] = {
	{ "write_bw_log", "bw", "fio-bw-log", NULL },
	{ "write_iops_log", "iops", "fio-iops-log", NULL },
	{ "write_lat_log", "lat", "fio-lat-log", "disable_lat" },
	{ "write_lat_log", "slat", "fio-slat-log", "disable_slat" },
	{ "write_lat_log", "clat", "fio-clat-log", "disable_clat" },
};

/* A file, and whose log it is. */
struct job_log {
	char *path;
	const struct kind *kind;
	size_t stage, place; /* of the workload */
};
struct logs {
	struct job_log *log;
	size_t n, room;
};

/* ---- which there are ---- */

static bool is_wanted(const struct iob_workload *w, const struct kind *k)
{
	if (!fio_option(w, k->option))
		return false;
	return !k->disable ||
	       !(fio_option_on(w, k->disable, false) || fio_option_on(w, "gtod_reduce", false));
}

/* NAME_bw.1.log; without per_job_logs NAME_bw.log. A job's own name, which stands
 * for a missing one, is no path. */
static char *path_of(const struct iob_workload *w, const struct kind *k)
{
	const char *name = fio_option(w, k->option), *thread = fio_label(w, "fio.thread");
	bool given = name && fio_label_len(name);
	char *path = NULL, number[32] = "";
	int rc;

	if (!given)
		name = iob_workload_get_str(w, IOB_PARAM_NAME);
	if (thread && fio_option_on(w, "per_job_logs", true))
		snprintf(number, sizeof(number), ".%lu", strtoul(thread, NULL, 10) + 1);
	rc = asprintf(&path, "%.*s_%s%s.log", (int)fio_label_len(name), name, k->suffix, number);
	if (rc < 0)
		return NULL;
	for (char *c = path; !given && *c; c++)
		*c = *c == '/' ? '_' : *c;
	return path;
}

static bool add_log(struct logs *l, const struct job_log *log)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		struct job_log *more = reallocarray(l->log, room, sizeof(*more));
		if (!more)
			return false;
		l->log = more;
		l->room = room;
	}
	l->log[l->n++] = *log;
	return log->path != NULL;
}

static bool find_logs(struct logs *l, const struct iob_suite *s)
{
	const size_t n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	bool ok = true;

	for (size_t i = 0; i < iob_suite_stage_count(s); i++)
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++) {
			const struct iob_workload *w = iob_suite_workload(s, i, k);
			for (size_t t = 0; t < n_kinds && ok; t++)
				if (is_wanted(w, &kinds[t]))
					ok = add_log(l, &(struct job_log){ path_of(w, &kinds[t]),
									   &kinds[t], i, k });
		}
	if (!ok)
		complain("out of memory");
	return ok;
}

static void free_logs(struct logs *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->log[i].path);
	free(l->log);
}

static bool is_first(const struct logs *l, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(l->log[i].path, l->log[at].path))
			return false;
	return true;
}

/* ---- before the run ---- */

static int check_log(const struct job_log *log, const struct opts *o)
{
	struct output it = { .what = log->kind->option, .format = log->kind->report, .fd = -1 };
	struct stat st;
	int status = EXIT_GO_ON;

	it.path = strdup(log->path);
	if (!it.path)
		status = EXIT_FAILED;
	else if (stat(it.path, &st) || !S_ISFIFO(st.st_mode)) /* a pipe waits for its reader */
		status = output_open(&it, o);
	output_close(&it);
	return status;
}

int fio_logs_check(const struct opts *o)
{
	struct logs l = { 0 };
	int status = !o->jobs || find_logs(&l, o->jobs) ? EXIT_GO_ON : EXIT_FAILED;

	for (size_t i = 0; i < l.n && status == EXIT_GO_ON; i++)
		if (is_first(&l, i))
			status = check_log(&l.log[i], o);
	free_logs(&l);
	return status;
}

/* ---- after it ---- */

/* NULL: it never began. */
static const struct iob_result *result_of(const struct iob_result *r, const struct job_log *log)
{
	const struct iob_result *stage = iob_result_child(r, log->stage);

	return stage ? iob_result_child(stage, log->place) : NULL;
}

static int write_log(const struct logs *l, size_t at, const struct opts *o,
		     const struct iob_result *r)
{
	const struct job_log *log = &l->log[at];
	struct output it = { .what = log->kind->option, .format = log->kind->report, .fd = -1 };
	const struct iob_result **of = calloc(l->n, sizeof(*of));
	size_t n = 0;
	int status = EXIT_FAILED;

	it.path = strdup(log->path);
	for (size_t i = at; of && i < l->n; i++)
		if (!strcmp(l->log[i].path, log->path) && (of[n] = result_of(r, &l->log[i])))
			n++;
	if (!of || !it.path)
		complain("out of memory");
	else if (!n)
		status = EXIT_OK;
	else if (output_open(&it, o) == EXIT_GO_ON)
		status = output_write(&it, of, n);
	output_close(&it);
	free(of);
	return status;
}

/* The intervals of a long run may be longer than what was asked. */
static void tell_coarse(const struct logs *l, const struct opts *o, const struct iob_result *r)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct iob_result *w = result_of(r, &l->log[i]);
		const struct iob_interval *first = w && iob_result_interval_count(w) > 1
							   ? iob_result_interval(w, 0, IOB_OP_ALL)
							   : NULL;
		const char *asked =
			fio_option(iob_suite_workload(o->jobs, l->log[i].stage, l->log[i].place),
				   "log_avg_msec");
		uint64_t ms = first ? first->length_ns / 1000000 / 100 * 100 : 0;
		if (ms > (asked ? strtoull(asked, NULL, 10) : 0) && ms > 100) {
			fprintf(stderr,
				"note: lines of %s are means of %" PRIu64
				" ms: a run this long has no shorter intervals\n",
				l->log[i].path, ms);
			return;
		}
	}
}

int fio_logs_write(const struct opts *o, const struct iob_result *result)
{
	struct logs l = { 0 };
	int status = !o->jobs || find_logs(&l, o->jobs) ? EXIT_OK : EXIT_FAILED;

	for (size_t i = 0; i < l.n; i++)
		if (is_first(&l, i) && write_log(&l, i, o, result) != EXIT_OK)
			status = EXIT_FAILED;
	tell_coarse(&l, o, result);
	free_logs(&l);
	return status;
}
