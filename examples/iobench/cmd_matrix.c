/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <string.h>

/* The order of the storage matrix, slowest first; other axes vary faster. */
static const char *const first[] = { "block_size", "workers", "pattern", "read_percent" };

static size_t sort_axes(const struct opts *o, struct iob_axis *sorted)
{
	bool taken[AXES_MAX] = { false };
	size_t n = 0;

	for (size_t f = 0; f < sizeof(first) / sizeof(first[0]); f++)
		for (size_t i = 0; i < o->n_axes; i++)
			if (!strcmp(o->axis[i].param, first[f])) {
				sorted[n++] = o->axis[i];
				taken[i] = true;
			}
	for (size_t i = 0; i < o->n_axes; i++)
		if (!taken[i])
			sorted[n++] = o->axis[i];
	return n;
}

static int fill_suite(struct iob_suite *suite, const struct opts *o, struct iob_error *err)
{
	struct iob_axis axis[AXES_MAX];
	size_t n = sort_axes(o, axis);

	return n ? iob_suite_add_matrix(suite, o->workload, axis, n, err)
		 : iob_suite_add(suite, o->workload, err);
}

int cmd_matrix(const struct command *self, int argc, char **argv)
{
	struct opts o = { .matrix = true };
	int status = opts_parse(&o, self, argc, argv);

	if (status == EXIT_GO_ON)
		status = search_refuse(&o);
	if (status == EXIT_GO_ON)
		status = drive_filled(&o, fill_suite);
	opts_free(&o);
	return status;
}
