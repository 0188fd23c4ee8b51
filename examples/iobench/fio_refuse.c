/* SPDX-License-Identifier: MIT */
/* What a job file would do to files and devices is said before anything is done. */
#include "fio.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
	SHOWN_MAX = 20
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

static void more_targets(char *buf, size_t n, const struct iob_workload *w)
{
	size_t others = iob_workload_target_count(w) - 1;

	buf[0] = '\0';
	if (others)
		snprintf(buf, n, " and %zu more", others);
}

/* One job: whether it may run. */
static bool allowed(const struct iob_workload *w, unsigned flags, size_t told)
{
	const char *name = iob_workload_get_str(w, IOB_PARAM_NAME), *path;
	char more[32];

	if (!iob_workload_target_count(w))
		return true;
	if (writes(w) && !(flags & IOB_TARGET_ALLOW_DESTROY)) {
		more_targets(more, sizeof(more), w);
		if (told < SHOWN_MAX)
			complain("job \"%s\" writes %s%s: not without --allow-destroy", name,
				 iob_workload_target(w, 0, NULL), more);
		return false;
	}
	path = flags & (IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY) ? NULL : missing(w);
	if (path && told < SHOWN_MAX)
		complain("job \"%s\" reads %s, which is not there: --create makes it, filled", name,
			 path);
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
