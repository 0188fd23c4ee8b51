/* SPDX-License-Identifier: MIT */
/* iobench pts: the tests of the SNIA Performance Test Specification. */
#include "tool.h"
#include <string.h>

static int set_blocks(struct opts *o, const char *value)
{
	o->pts.block_sizes = value;
	return EXIT_GO_ON;
}

static int set_purge(struct opts *o, const char *value)
{
	o->pts.purge = value;
	return EXIT_GO_ON;
}

static int set_no_precondition(struct opts *o, const char *value)
{
	o->pts.no_precondition = 1;
	return EXIT_GO_ON;
}

const struct option pts_options[] = {
	{ "block-sizes", "LIST", "Only these, as 4k,64k,1m (default: those of the specification).",
	  set_blocks },
	{ "purge", "TEXT",
	  "How the device was purged, for the report; iobench does not do it. (default: that it "
	  "did "
	  "not).",
	  set_purge },
	{ "no-precondition", NULL, "The device was preconditioned already.", set_no_precondition },
};
const size_t n_pts_options = sizeof(pts_options) / sizeof(pts_options[0]);

static const char *const own[] = { "pattern",      "block_size",   "block_size_write",
				   "read_percent", "trim_percent", NULL };
static const char *const own_latency[] = { "pattern",          "block_size",
					   "block_size_write", "read_percent",
					   "trim_percent",     "queue_depth",
					   "workers",          NULL };

/* Of the specification; depth and workers are the operator's choice. */
static const char *const preset[][2] = {
	{ "runtime", "60s" }, { "queue_depth", "16" }, { "workers", "2" }, { NULL, NULL }
};
/* Several workers would be several sequential streams. */
static const char *const preset_throughput[][2] = {
	{ "runtime", "60s" }, { "queue_depth", "32" }, { "workers", "1" }, { NULL, NULL }
};

static int find_test(const char *word, enum iob_pts *test)
{
	const char *name;

	for (int i = 0; (name = iob_pts_name((enum iob_pts)i)); i++)
		if (!strcmp(word, name)) {
			*test = (enum iob_pts)i;
			return EXIT_GO_ON;
		}
	complain("pts: \"%s\" is no test; there are iops, throughput and latency", word);
	return EXIT_BAD;
}

static int fill(struct iob_suite *suite, const struct opts *o, struct iob_error *err)
{
	return iob_suite_add_pts(suite, o->workload, &o->pts, err);
}

static bool is_help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

int cmd_pts(const struct command *self, int argc, char **argv)
{
	struct opts o = { .pts = { .size = sizeof(o.pts) } };
	int status = EXIT_GO_ON, named = argc && !is_help(argv[0]);

	if (!argc) {
		complain("pts: name a test: iobench pts iops, throughput or latency");
		return EXIT_BAD;
	}
	if (named)
		status = find_test(argv[0], &o.pts.test);
	if (status != EXIT_GO_ON)
		return status;
	o.own = o.pts.test == IOB_PTS_LATENCY ? own_latency : own;
	o.preset = o.pts.test == IOB_PTS_THROUGHPUT ? preset_throughput : preset;
	o.steady.on = true;
	status = opts_parse(&o, self, argc - named, argv + named);
	o.steady.plan.metric = iob_pts_metric(o.pts.test);
	if (status == EXIT_GO_ON)
		status = search_refuse(&o);
	if (status == EXIT_GO_ON)
		status = need_destroy(&o, self->name);
	if (status == EXIT_GO_ON)
		status = drive_filled(&o, fill);
	opts_free(&o);
	return status;
}
