/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <iobench/engine.h>
#include <string.h>

static const char *yes(bool it)
{
	return it ? "yes" : "-";
}

static bool works(const struct iob_engine_ops *e, struct iob_error *err)
{
	return !e->probe || e->probe(err) >= 0;
}

static const char *data_path(uint32_t caps)
{
	if (caps & IOB_ENGINE_NO_TARGET)
		return "none";
	return caps & IOB_ENGINE_BUFFERED_ONLY ? "buffered" : "direct";
}

static void print_engine(const struct iob_engine_ops *e)
{
	struct iob_error err = { 0 };
	bool here = works(e, &err);

	printf("%-10s %-6s %-9s %-9s %-5s %-6s %s\n", e->name, here ? "yes" : "no",
	       e->caps & IOB_ENGINE_SYNC ? "1" : "any", data_path(e->caps),
	       yes(e->caps & IOB_ENGINE_TRIM), yes(e->caps & IOB_ENGINE_FSYNC),
	       yes(e->caps & IOB_ENGINE_POLL));
	if (!here) {
		fputs("           ", stdout);
		wrap(stdout, err.message, 11, 11);
	}
}

/* What engine=auto takes for reads and writes: the first of these that works. */
static const char *what_auto_takes(void)
{
	static const char *const order[] = { "io_uring", "libaio", "psync" };
	const struct iob_engine_ops *e;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		for (size_t k = 0; (e = iob_engine_get(k)); k++)
			if (!strcmp(e->name, order[i]) && works(e, NULL))
				return e->name;
	return "none";
}

int cmd_engines(const struct command *self, int argc, char **argv)
{
	const struct iob_engine_ops *e;
	int status = only_help(self, argc, argv);

	if (status != EXIT_GO_ON)
		return status;
	puts("engine     works  depth     I/O       trim  fsync  poll");
	for (size_t i = 0; (e = iob_engine_get(i)); i++)
		print_engine(e);
	printf("\nengine=auto takes %s here. depth 1: one I/O at a time for each worker.\n",
	       what_auto_takes());
	puts("poll also needs a device that polls. Engines that do buffered I/O need "
	     "direct=false.");
	return finish_stdout();
}
