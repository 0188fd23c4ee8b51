/* SPDX-License-Identifier: MIT */
#include "tool.h"

int cmd_run(const struct command *self, int argc, char **argv)
{
	struct opts o = { 0 };
	struct iob_error err = { 0 };
	struct iob_suite *suite = NULL;
	struct iob_search *search = NULL;
	int status = opts_parse(&o, self, argc, argv);

	if (status == EXIT_GO_ON)
		status = search_make(&o, &search);
	o.search = search;
	if (status == EXIT_GO_ON) {
		suite = iob_suite_new(&err);
		if (suite && iob_suite_add(suite, o.workload, &err) >= 0) {
			status = steady_apply(&o, suite);
			if (status == EXIT_GO_ON)
				status = drive(suite, &o);
		} else {
			complain_of(&err);
			status = EXIT_BAD;
		}
	}
	iob_search_free(search);
	iob_suite_free(suite);
	opts_free(&o);
	return status;
}
