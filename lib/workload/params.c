/* SPDX-License-Identifier: MIT */
/* The one table of parameters: the parser's bounds, --help, the man page and
 * docs/parameters.md all come from it. */
#include "workload/params.h"
#include "workload/units.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)
#define YEARS_10_NS (INT64_C(10) * 365 * 24 * 3600 * 1000000000)

static const char *const patterns[] = { "random", "sequential", NULL };
static const char *const syncs[] = { "none", "data", "all", NULL };
static const char *const on_errors[] = { "stop", "continue", NULL };

/* clang-format off */
#define PARAM(KEY, NAME, TYPE, UNIT, MIN, MAX, DEFAULT, CHOICES, HELP)                            \
	[IOB_PARAM_##KEY] = { .size = sizeof(struct iob_param_info), .key = IOB_PARAM_##KEY,      \
		.name = NAME, .type = IOB_TYPE_##TYPE, .unit = UNIT, .min = MIN, .max = MAX,      \
		.default_text = DEFAULT, .choices = CHOICES, .help = HELP }

static const struct iob_param_info params[] = {
	PARAM(ENGINE, "engine", TEXT, "", 0, 0, "auto", NULL,
		"How I/O is issued: io_uring, libaio, psync (one pread or pwrite at a time), posixaio, "
		"mmap (page cache only), null (no I/O: measures the library itself). auto takes the "
		"first of io_uring, libaio and psync that works here; the result says which."),
	PARAM(PATTERN, "pattern", CHOICE, "", 0, 1, "random", "random|sequential",
		"The order of offsets. random draws blocks of the region uniformly; sequential gives each "
		"worker a stretch of its own and walks it in ascending order, again from its start at its "
		"end."),
	PARAM(BLOCK_SIZE, "block_size", BLOCKS, "bytes", 1, GIB, "4k", NULL,
		"Bytes of one I/O, or a mix of up to 16 sizes with their percents of the I/Os, as "
		"4k:60,64k:40. With direct it must be a multiple of the target's alignment, mostly 512 "
		"or 4k."),
	PARAM(BLOCK_SIZE_WRITE, "block_size_write", BLOCKS, "bytes", 0, GIB, "", NULL,
		"Bytes of one write, or a mix, where it differs from that of reads. Empty: as "
		"block_size."),
	PARAM(READ_PERCENT, "read_percent", INT, "%", 0, 100, "100", NULL,
		"Share of reads among the I/Os that are not trims; the others are writes, which need a "
		"target that may be destroyed."),
	PARAM(TRIM_PERCENT, "trim_percent", INT, "%", 0, 100, "0", NULL,
		"Share of trims (discard on a block device, a punched hole in a file) among all I/Os; "
		"read_percent divides the rest."),
	PARAM(QUEUE_DEPTH, "queue_depth", INT, "", 1, 65536, "1", NULL,
		"I/Os that each worker keeps in flight. An engine that does one I/O at a time runs at 1, "
		"and the result says so."),
	PARAM(WORKERS, "workers", INT, "", 1, 4096, "1", NULL,
		"Threads that issue I/O, each with a queue of its own. I/Os in flight on the whole are "
		"workers times queue_depth."),
	PARAM(RUNTIME, "runtime", TIME, "ns", 0, YEARS_10_NS, "10s", NULL,
		"Length of the measured window, after ramp_time. 0: until io_size bytes are moved; where "
		"both are set the one that is reached first ends the run."),
	PARAM(RAMP_TIME, "ramp_time", TIME, "ns", 0, YEARS_10_NS, "0", NULL,
		"Time for which I/O is issued before the measured window begins. What completes in it is "
		"not measured and does not count towards io_size."),
	PARAM(SIZE, "size", SIZE, "bytes", 0, INT64_MAX, "0", NULL,
		"Length of the region of each target that I/O stays in, from offset, rounded down to "
		"whole blocks. 0: from offset to the target's end."),
	PARAM(OFFSET, "offset", SIZE, "bytes", 0, INT64_MAX, "0", NULL,
		"Where the region starts in each target. No byte before it is touched."),
	PARAM(IO_SIZE, "io_size", SIZE, "bytes", 0, INT64_MAX, "0", NULL,
		"Bytes to move by all workers together, after which the run ends, also before runtime. "
		"0: no such limit."),
	PARAM(DIRECT, "direct", BOOL, "", 0, 1, "true", NULL,
		"Bypass the page cache (O_DIRECT). false measures the page cache and the device behind it "
		"together."),
	PARAM(SYNC, "sync", CHOICE, "", 0, 2, "none", "none|data|all",
		"How durable a write is when it completes: data as with O_DSYNC (the data, and the "
		"metadata needed to read it), all as with O_SYNC, none only as the device acknowledges "
		"it."),
	PARAM(FSYNC_EVERY, "fsync_every", INT, "", 0, INT64_MAX, "0", NULL,
		"Flush (fdatasync where sync is data, else fsync) after this many writes of a worker. 0: "
		"never. Flushes are measured apart."),
	PARAM(ON_ERROR, "on_error", CHOICE, "", 0, 1, "stop", "stop|continue",
		"What a failed I/O does: stop ends that worker's I/O to that target, continue counts it "
		"and goes on. The result has the error either way."),
	PARAM(POLL, "poll", BOOL, "", 0, 1, "false", NULL,
		"Poll the device for completions instead of taking interrupts. Needs direct, a device "
		"with poll queues, and an engine that can (io_uring, psync)."),
	PARAM(SEED, "seed", INT, "", 0, INT64_MAX, "0", NULL,
		"Seed of offsets, of the mix of operations and sizes and of the data; the same seed gives "
		"the same I/O. 0: one is drawn, and the result says which."),
	PARAM(REPEATS, "repeats", BOOL, "", 0, 1, "false", NULL,
		"Whether a random pattern may take a block again before it took all others. false: every "
		"pass over the region covers each block once, whatever the number of workers."),
	PARAM(BUFFER, "buffer", TEXT, "", 0, 0, "random", NULL,
		"What is written: random (different in every I/O, so that compression and deduplication "
		"gain nothing), zero, or pattern:HEX, 1 to 64 bytes that are repeated, as "
		"pattern:deadbeef."),
	PARAM(CPUS, "cpus", TEXT, "", 0, 0, "", NULL,
		"CPUs that the workers are bound to, as 0-3,8: each worker to one of them in turn. Empty: "
		"wherever the scheduler puts them."),
	PARAM(PRECISION, "precision", INT, "bits", 1, 14, "8", NULL,
		"Precision of the latency histograms: a percentile is off by at most 2^-precision of its "
		"value, 0.4 % at 8. A bit more doubles the memory."),
	PARAM(PERCENTILES, "percentiles", TEXT, "%", 0, 0, "50,90,99,99.9", NULL,
		"Percentiles of latency in the reports: up to 64, from 0 to 100, each with at most 6 "
		"decimals. The histogram has all the others too."),
	PARAM(NAME, "name", TEXT, "", 0, 0, "", NULL,
		"What reports call this workload, any text."),
	PARAM(LINK_LIMIT, "link_limit", RATE, "bytes/s", 0, INT64_MAX, "0", NULL,
		"The most that the way to the storage can carry, as 3.2GB/s for two 16 Gbit links. A result "
		"above it was not carried by it, and says so (finding above-link). 0: not declared."),
	PARAM(ROUND_TRIP, "round_trip", TIME, "ns", 0, YEARS_10_NS, "0", NULL,
		"The least time that a request to the storage and its answer can take, as 30us. Reads that "
		"are faster on average did not go there, and the result says so (finding "
		"below-round-trip). 0: not declared."),
};
/* clang-format on */

_Static_assert(IOBI_LEN(params) == IOBI_PARAMS, "a parameter without a row");

size_t iob_param_count(void)
{
	return IOBI_PARAMS;
}

const struct iob_param_info *iob_param_info(size_t i)
{
	return i < IOBI_PARAMS ? &params[i] : NULL;
}

const struct iob_param_info *iobi_param_key(enum iob_param p, struct iob_error *err)
{
	if ((unsigned)p < IOBI_PARAMS)
		return &params[p];
	iobi_fail(err, ENOENT, "parameter", "no parameter has the key %d; they are 0 to %d", (int)p,
		  IOBI_PARAMS - 1);
	return NULL;
}

/* How far a name is from a parameter; what is over the limit is no candidate. */
static unsigned distance(const char *name, const char *param)
{
	unsigned limit = strlen(name) < 4 ? 1 : 3, d = iobi_edit_distance(name, param);
	if (d <= limit)
		return d;
	return strlen(name) >= 4 && strstr(param, name) ? limit + 1 : UINT32_MAX;
}

const char *iobi_param_nearest(const char *name)
{
	const char *nearest = NULL;
	unsigned least = UINT32_MAX;
	for (size_t i = 0; i < IOBI_PARAMS; i++) {
		unsigned d = distance(name, params[i].name);
		if (d >= least)
			continue;
		least = d;
		nearest = params[i].name;
	}
	return nearest;
}

static void list_names(char *buf, size_t n)
{
	size_t len = 0;
	for (size_t i = 0; i < IOBI_PARAMS && len < n; i++)
		len += (size_t)snprintf(buf + len, n - len, "%s%s", i ? ", " : "", params[i].name);
}

static void unknown(const char *name, struct iob_error *err)
{
	char names[512];
	const char *nearest = iobi_param_nearest(name);
	if (nearest) {
		iobi_fail(err, ENOENT, IOBI_QUOTE(name),
			  "unknown parameter \"%s\"; did you mean \"%s\"?", IOBI_QUOTE(name),
			  nearest);
		return;
	}
	list_names(names, sizeof(names));
	iobi_fail(err, ENOENT, IOBI_QUOTE(name), "unknown parameter \"%s\"; there are %s",
		  IOBI_QUOTE(name), names);
}

const struct iob_param_info *iobi_param_find(const char *name, struct iob_error *err)
{
	for (size_t i = 0; name && i < IOBI_PARAMS; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	if (name)
		unknown(name, err);
	else
		iobi_fail(err, ENOENT, "parameter", "no parameter name was given (NULL)");
	return NULL;
}

static const char *const *choices(enum iob_param p)
{
	switch (p) {
	case IOB_PARAM_PATTERN:
		return patterns;
	case IOB_PARAM_SYNC:
		return syncs;
	case IOB_PARAM_ON_ERROR:
		return on_errors;
	default:
		return NULL;
	}
}

const char *iobi_param_choice(enum iob_param p, int64_t i)
{
	return i >= 0 && i <= params[p].max ? choices(p)[i] : NULL;
}

int iobi_parse_choice(const struct iob_param_info *info, const char *text, int64_t *value,
		      struct iob_error *err)
{
	const char *const *choice = choices(info->key);
	for (int64_t i = 0; choice[i]; i++) {
		if (strcmp(choice[i], text))
			continue;
		*value = i;
		return 0;
	}
	return iobi_fail(err, EINVAL, info->name, "\"%s\" is none of %s", IOBI_QUOTE(text),
			 info->choices);
}
