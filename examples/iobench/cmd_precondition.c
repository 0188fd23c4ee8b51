/* SPDX-License-Identifier: MIT */
/* iobench precondition: 128 KiB sequential writes, twice the region. */
#include "tool.h"
#include <inttypes.h>

static const char *const own[] = {
	"pattern",     "block_size", "block_size_write", "read_percent", "trim_percent",
	"queue_depth", "workers",    "runtime",          "ramp_time",    "io_size",
	"passes",      "ios",        "arrival",          "rate_iops",    "rate_bytes",
	"think_time",  "repeats",    "distribution",     "on_error",     NULL
};

/* What it wrote, by its own count. */
static void tell(const struct iob_result *r)
{
	const struct iob_target_use *t;

	for (size_t i = 0; (t = iob_result_target(r, i)); i++)
		printf("\npreconditioned \"%s\": %" PRIu64 " bytes in %" PRIu64
		       " sequential writes\n",
		       t->path, t->bytes, t->ios);
}

static int fill(struct iob_suite *suite, const struct opts *o, struct iob_error *err)
{
	return iob_suite_add_precondition(suite, o->workload, err);
}

int cmd_precondition(const struct command *self, int argc, char **argv)
{
	struct opts o = { .own = own, .tell = tell };
	int status = opts_parse(&o, self, argc, argv);

	if (status == EXIT_GO_ON)
		status = search_refuse(&o);
	if (status == EXIT_GO_ON)
		status = need_destroy(&o, self->name);
	if (status == EXIT_GO_ON)
		status = drive_filled(&o, fill);
	opts_free(&o);
	return status;
}
