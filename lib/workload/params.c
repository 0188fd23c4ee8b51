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

static const char *const patterns[] = { "random", "sequential", "backward", NULL };
static const char *const syncs[] = { "none", "data", "all", NULL };
static const char *const arrivals[] = { "closed", "fixed", "poisson", NULL };
static const char *const on_errors[] = { "stop", "continue", "cancel", NULL };
static const char *const target_orders[] = { "turn", "random", "sequential", NULL };
static const char *const ends_others[] = { "none", "stage", "run", NULL };
static const char *const layouts[] = { "filled", "allocated", "sparse", NULL };
static const char *const cpus_policies[] = { "each", "any", NULL };

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
	PARAM(PATTERN, "pattern", CHOICE, "", 0, 2, "random", "random|sequential|backward",
		"The order of offsets. random draws blocks of the region; sequential gives each worker a "
		"stretch of its own and walks it in ascending order, again from its start at its end; "
		"backward walks it in descending order."),
	PARAM(BLOCK_SIZE, "block_size", BLOCKS, "bytes", 1, GIB, "4k", NULL,
		"Bytes of one I/O, a mix of up to 16 sizes with their percents of the I/Os, as "
		"4k:60,64k:40, or a range as 4k-64k: any multiple of 4k up to 64k. With direct it must be "
		"a multiple of the target's alignment, mostly 512 or 4k."),
	PARAM(BLOCK_SIZE_WRITE, "block_size_write", BLOCKS, "bytes", 0, GIB, "", NULL,
		"Bytes of one write or trim, a mix or a range, where it differs from that of reads. Empty: "
		"as block_size."),
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
		"Length of the measured window, after ramp_time. 0: until io_size, passes or ios is "
		"reached; where several are set the first that is reached ends the run."),
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
		"Flush a target (fdatasync where sync is data or fsync_data is set, else fsync) after this "
		"many writes of a worker to it. 0: never. Flushes are measured apart."),
	PARAM(ON_ERROR, "on_error", CHOICE, "", 0, 2, "stop", "stop|continue|cancel",
		"What a failed I/O does: stop ends that worker's I/O to that target, continue counts it "
		"and goes on, cancel ends the whole run. The result has the error in any case."),
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
	PARAM(RUN_LENGTH, "run_length", INT, "", 1, INT32_MAX, "1", NULL,
		"With a random pattern: I/Os that follow each other from each place drawn, one behind the "
		"other."),
	PARAM(GAP, "gap", SIZE, "bytes", 0, INT64_MAX, "0", NULL,
		"With a sequential or backward pattern: bytes that are left out between one I/O and the "
		"next."),
	PARAM(ALIGN, "align", SIZE, "bytes", 0, GIB, "0", NULL,
		"With a random pattern: offsets are multiples of it, counted from the region's start. 0: "
		"of the block; smaller than the block, I/Os overlap."),
	PARAM(DISTRIBUTION, "distribution", TEXT, "", 0, 0, "uniform", NULL,
		"With a random pattern: how often places are drawn. uniform; zipf:THETA or pareto:H (a few "
		"places often, most of them seldom; scattered over the region); normal:DEVIATION (percent "
		"of the region, about its middle); zoned:ACCESS/SIZE:..., percents of the I/Os and of the "
		"region, as zoned:90/10:10/90. All but uniform imply repeats."),
	PARAM(TARGET_ORDER, "target_order", CHOICE, "", 0, 2, "turn", "turn|random|sequential",
		"Which of several targets a worker's next I/O goes to: each in turn, any, or one after the "
		"other, each for one pass over its region."),
	PARAM(TARGET_RUN, "target_run", INT, "", 1, INT32_MAX, "1", NULL,
		"I/Os to one target before the next is taken, where target_order is turn or random."),
	PARAM(START_DELAY, "start_delay", TIME, "ns", 0, YEARS_10_NS, "0", NULL,
		"Time that this workload waits before its ramp, while others of its stage run."),
	PARAM(PASSES, "passes", INT, "", 0, INT32_MAX, "0", NULL,
		"The run ends when as much was moved as the regions of all targets hold, this many times. "
		"0: no such limit."),
	PARAM(IOS, "ios", INT, "", 0, INT64_MAX, "0", NULL,
		"I/Os by all workers together, after which the run ends. 0: no such limit. Not with "
		"io_size or passes where block sizes differ."),
	PARAM(ENDS_OTHERS, "ends_others", CHOICE, "", 0, 2, "none", "none|stage|run",
		"What else ends when this workload has: nothing, the others of its stage, or the whole "
		"run."),
	PARAM(INVALIDATE, "invalidate", BOOL, "", 0, 1, "false", NULL,
		"Flush the targets and drop them from the page cache before the run starts. Where the "
		"kernel does not let it, the result says so. With direct=false the region is dropped "
		"again before each further pass over it, unless pre_read is set."),
	PARAM(PRE_READ, "pre_read", BOOL, "", 0, 1, "false", NULL,
		"Read the region into the page cache before the run starts (after invalidate)."),
	PARAM(END_SYNC, "end_sync", BOOL, "", 0, 1, "false", NULL,
		"Flush the targets that were written when the last I/O is done, inside the measured "
		"window."),
	PARAM(CLOSE_SYNC, "close_sync", BOOL, "", 0, 1, "false", NULL,
		"Flush the targets that were written after the measured window, before the next stage."),
	PARAM(FSYNC_DATA, "fsync_data", BOOL, "", 0, 1, "false", NULL,
		"Flushes are fdatasync, which leaves out metadata that reading does not need."),
	PARAM(LAYOUT, "layout", CHOICE, "", 0, 2, "filled", "filled|allocated|sparse",
		"How a missing file is made: filled with random data; allocated, its blocks set aside and "
		"not written; sparse, a size without blocks. A file that any workload of the run reads is "
		"filled."),
	PARAM(REMOVE, "remove", BOOL, "", 0, 1, "false", NULL,
		"Remove the files that the run itself made when it ends. A file that was there before is "
		"never removed."),
	PARAM(CPUS_POLICY, "cpus_policy", CHOICE, "", 0, 1, "each", "each|any",
		"How workers are bound to cpus: each to one of them in turn, or any worker to all of "
		"them."),
	PARAM(COMPRESS_PERCENT, "compress_percent", INT, "%", 0, 100, "0", NULL,
		"What a compressor saves of the data written, with buffer=random: the share of each "
		"compress_chunk that is zero."),
	PARAM(COMPRESS_CHUNK, "compress_chunk", SIZE, "bytes", 16, GIB, "4k", NULL,
		"Piece of each block that compress_percent holds for."),
	PARAM(DEDUPE_PERCENT, "dedupe_percent", INT, "%", 0, 100, "0", NULL,
		"Share of the blocks written, with buffer=random, that are the same as one of a few blocks "
		"that come again and again."),
	PARAM(LABELS, "labels", TEXT, "", 0, 0, "", NULL,
		"Names and values of the user's own, one name=value a line, which the result carries along. "
		"Jobs of fio keep here what fio's reports tell of them."),
	PARAM(ARRIVAL, "arrival", CHOICE, "", 0, 2, "closed", "closed|fixed|poisson",
		"What starts an I/O. closed: the end of another, so that queue_depth are always in flight. "
		"fixed and poisson: a schedule of rate_iops or rate_bytes with equal or with exponential "
		"gaps, whatever the device does; response time counts from the intended start."),
	PARAM(RATE_IOPS, "rate_iops", INT, "I/Os/s", 0, 1000000000, "0", NULL,
		"I/Os a second that all workers together start, for arrival fixed or poisson. Where "
		"rate_iops_write or rate_bytes_write is given it is that of the reads. 0: not limited."),
	PARAM(RATE_IOPS_WRITE, "rate_iops_write", INT, "I/Os/s", 0, 1000000000, "0", NULL,
		"Writes a second, on a schedule of their own beside that of the reads; read_percent then "
		"says nothing."),
	PARAM(RATE_BYTES, "rate_bytes", RATE, "bytes/s", 0, INT64_MAX, "0", NULL,
		"Bytes a second that all workers together start, as 200MB/s; with rate_iops, whichever is "
		"slower. 0: not limited."),
	PARAM(RATE_BYTES_WRITE, "rate_bytes_write", RATE, "bytes/s", 0, INT64_MAX, "0", NULL,
		"Bytes of writes a second, on a schedule of their own."),
	PARAM(THINK_TIME, "think_time", TEXT, "ns", 0, 0, "0", NULL,
		"Pause of each slot of the queue between the end of its I/O and the start of its next, in "
		"a closed loop: a time, or exp:MEAN for an exponential one."),
	PARAM(CATCH_UP, "catch_up", BOOL, "", 0, 1, "true", NULL,
		"What an open loop does with starts that could not be made in time: true makes them at once "
		"when it can, which keeps the rate; false drops them, counted."),
	PARAM(SPIN, "spin", BOOL, "", 0, 1, "false", NULL,
		"Wait for the next start by looking at the clock all the time, which takes a CPU for each "
		"worker, instead of sleeping (precise to some 50 us)."),
	PARAM(TRIM_FIRST, "trim_first", BOOL, "", 0, 1, "false", NULL,
		"Each block that is written is trimmed just before; the trims come on top of io_size and "
		"ios."),
	PARAM(MAKE_ONLY, "make_only", BOOL, "", 0, 1, "false", NULL,
		"Make the files that are missing, and do no I/O."),
	PARAM(THINK_IOS, "think_ios", INT, "", 0, INT32_MAX, "0", NULL,
		"With think_time: a worker starts so many I/Os, waits until all of them are done, and "
		"pauses as a whole. In an open loop starts go on falling due meanwhile, and are made "
		"after the pause. 0: each slot pauses by itself after each of its I/Os."),
	PARAM(THINK_AFTER, "think_after", TIME, "ns", 0, YEARS_10_NS, "0", NULL,
		"With think_time: a worker does I/O for so long, waits until all of it is done, and pauses "
		"as a whole; with think_ios, whichever comes first. 0: not by time."),
	PARAM(THINK_SPIN, "think_spin", TIME, "ns", 0, YEARS_10_NS, "0", NULL,
		"With think_ios or think_after: how much of each pause, at its start, takes a CPU instead "
		"of sleeping, as a program that computes does."),
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

const char *iob_param_from_fio(const char *option)
{
	static const char *const pair[][2] = {
		{ "bs", "block_size" },
		{ "bsrange", "block_size" },
		{ "bssplit", "block_size" },
		{ "buffer_compress_percentage", "compress_percent" },
		{ "buffer_pattern", "buffer" },
		{ "continue_on_error", "on_error" },
		{ "cpus_allowed", "cpus" },
		{ "fdatasync", "fsync_every" },
		{ "fsync", "fsync_every" },
		{ "hipri", "poll" },
		{ "io_limit", "io_size" },
		{ "iodepth", "queue_depth" },
		{ "loops", "passes" },
		{ "norandommap", "repeats" },
		{ "numjobs", "workers" },
		{ "percentile_list", "percentiles" },
		{ "randseed", "seed" },
		{ "rate", "rate_bytes" },
		{ "rate_process", "arrival" },
		{ "readwrite", "pattern" },
		{ "rw", "pattern" },
		{ "rwmixread", "read_percent" },
		{ "timeout", "runtime" },
	};
	for (size_t i = 0; i < IOBI_LEN(pair); i++)
		if (option && !strcmp(option, pair[i][0]))
			return pair[i][1];
	return NULL;
}

static const char *param_name(size_t i)
{
	return i < IOBI_PARAMS ? params[i].name : NULL;
}

const char *iobi_param_nearest(const char *name)
{
	const char *nearest = iob_param_from_fio(name);
	return nearest ? nearest : iobi_nearest(name, param_name);
}

/* As many as there is room for. */
static void list_names(char *buf, size_t n)
{
	static const char more[] = ", ...";
	size_t len = 0;
	for (size_t i = 0; i < IOBI_PARAMS; i++) {
		bool fits = len + strlen(params[i].name) + 2 + sizeof(more) <= n;
		len += (size_t)snprintf(buf + len, n - len, "%s%s", i && fits ? ", " : "",
					fits ? params[i].name : more);
		if (!fits)
			return;
	}
}

static void unknown(const char *name, struct iob_error *err)
{
	char names[600]; /* of a message, beside what was wrong */
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
	for (size_t i = 0; i < IOBI_PARAMS; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	unknown(name, err);
	return NULL;
}

static const char *const *choices(enum iob_param p)
{
	switch (p) {
	case IOB_PARAM_PATTERN:
		return patterns;
	case IOB_PARAM_SYNC:
		return syncs;
	case IOB_PARAM_ARRIVAL:
		return arrivals;
	case IOB_PARAM_ON_ERROR:
		return on_errors;
	case IOB_PARAM_TARGET_ORDER:
		return target_orders;
	case IOB_PARAM_ENDS_OTHERS:
		return ends_others;
	case IOB_PARAM_LAYOUT:
		return layouts;
	case IOB_PARAM_CPUS_POLICY:
		return cpus_policies;
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
