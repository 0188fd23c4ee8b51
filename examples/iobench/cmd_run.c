/* SPDX-License-Identifier: MIT */
#include "tool.h"

static int fill(struct iob_suite *suite, const struct opts *o, struct iob_error *err)
{
	return iob_suite_add(suite, o->workload, err);
}

int cmd_run(const struct command *self, int argc, char **argv)
{
	struct opts o = { 0 };
	struct iob_search *search = NULL;
	int status = opts_parse(&o, self, argc, argv);

	if (status == EXIT_GO_ON)
		status = search_make(&o, &search);
	o.search = search;
	if (status == EXIT_GO_ON)
		status = drive_filled(&o, fill);
	iob_search_free(search);
	opts_free(&o);
	return status;
}
