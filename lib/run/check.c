/* SPDX-License-Identifier: MIT */
#include "run/plan.h"

#include <errno.h>

int iob_workload_check(const struct iob_workload *w, struct iob_error *err)
{
	struct iobi_targets all = { 0 };
	struct iobi_plan plan;
	if (!w)
		return iobi_is_null(err, "workload");
	int rc = iobi_plan_init(&plan, w, &all, err);
	if (!rc) {
		rc = iobi_targets_room(&all, err);
		iobi_plan_free(&plan);
	}
	iobi_targets_free(&all);
	return rc;
}
