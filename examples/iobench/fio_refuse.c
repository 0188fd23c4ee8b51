/* SPDX-License-Identifier: MIT */
/* What a job file would do to files and devices is said before anything is done. */
#include "fio.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
	SHOWN_MAX = 20, /* jobs */
	NAMED_MAX = 8   /* targets of one */
};

static int64_t number(const struct iob_workload *w, enum iob_param p)
{
	int64_t value = 0;

	iob_workload_get_int(w, p, &value);
	return value;
}

static bool writes(const struct iob_workload *w)
{
	return number(w, IOB_PARAM_TRIM_PERCENT) > 0 || number(w, IOB_PARAM_READ_PERCENT) < 100;
}

static const char *missing(const struct iob_workload *w)
{
	const char *path;

	for (size_t i = 0; (path = iob_workload_target(w, i, NULL)); i++)
		if (access(path, F_OK))
			return path;
	return NULL;
}

/* "a, b, c and 17 more" */
static void list_targets(char *buf, size_t n, const struct iob_workload *w)
{
	size_t len = 0, i = 0, all = iob_workload_target_count(w);

	for (; i < all && i < NAMED_MAX && len < n; i++)
		len += (size_t)snprintf(buf + len, n - len, "%s%s", i ? ", " : "",
					iob_workload_target(w, i, NULL));
	if (i < all && len < n)
		snprintf(buf + len, n - len, " and %zu more", all - i);
}

/* "job.fio line 4: job "a"", as far as it stands in a file. */
static void name_job(char *buf, size_t n, const struct iob_workload *w)
{
	const char *place = fio_label(w, "fio.place");
	int len = place ? (int)fio_label_len(place) : 0;

	snprintf(buf, n, "%.*s%sjob \"%s\"", len, place ? place : "", len ? ": " : "",
		 iob_workload_get_str(w, IOB_PARAM_NAME));
}

/* One job: whether it may run. */
static bool allowed(const struct iob_workload *w, unsigned flags, size_t told)
{
	const char *path;
	char job[512], targets[1024];

	if (!iob_workload_target_count(w))
		return true;
	name_job(job, sizeof(job), w);
	if (writes(w) && !(flags & IOB_TARGET_ALLOW_DESTROY)) {
		list_targets(targets, sizeof(targets), w);
		if (told < SHOWN_MAX)
			complain("%s writes %s: not without --allow-destroy", job, targets);
		return false;
	}
	path = flags & (IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY) ? NULL : missing(w);
	if (path && told < SHOWN_MAX)
		complain("%s reads %s, which is not there%s", job, path,
			 strncmp(path, "/dev/", 5) ? ": --create makes it, filled" : "");
	return !path;
}

int fio_refuse(const struct iob_suite *s, unsigned target_flags)
{
	size_t told = 0;

	for (size_t i = 0; i < iob_suite_stage_count(s); i++)
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++) {
			const struct iob_workload *w = iob_suite_workload(s, i, k);
			if (fio_first_clone(w) && !allowed(w, target_flags, told))
				told++;
		}
	if (told > SHOWN_MAX)
		complain("and %zu more jobs", told - SHOWN_MAX);
	return told ? EXIT_BAD : EXIT_GO_ON;
}
