/* SPDX-License-Identifier: MIT */
/* What programs built long ago rely on: the bytes of struct iob_error and the number
 * behind every name. Nothing here may ever be changed, only added. */
#include "support/test.h"

#include <iobench/engine.h>
#include <iobench/iobench.h>
#include <stddef.h>

_Static_assert(sizeof(struct iob_error) == 1024, "size");
_Static_assert(offsetof(struct iob_error, code) == 0, "code");
_Static_assert(offsetof(struct iob_error, line) == 4, "line");
_Static_assert(offsetof(struct iob_error, offset) == 8, "offset");
_Static_assert(offsetof(struct iob_error, where) == 16, "where");
_Static_assert(offsetof(struct iob_error, file) == 80, "file");
_Static_assert(offsetof(struct iob_error, message) == 336, "message");

#define FROZEN(name, value) _Static_assert((int)(name) == (value), #name)
FROZEN(IOB_OP_ALL, 0);
FROZEN(IOB_OP_READ, 1);
FROZEN(IOB_OP_WRITE, 2);
FROZEN(IOB_OP_TRIM, 3);
FROZEN(IOB_OP_SYNC, 4);
FROZEN(IOB_LATENCY_SUBMIT, 0);
FROZEN(IOB_LATENCY_SERVICE, 1);
FROZEN(IOB_LATENCY_RESPONSE, 2);
FROZEN(IOB_COUNT_IOS, 0);
FROZEN(IOB_COUNT_BYTES, 1);
FROZEN(IOB_COUNT_ERRORS, 2);
FROZEN(IOB_COUNT_SHORT, 3);
FROZEN(IOB_LEVEL_SUITE, 0);
FROZEN(IOB_LEVEL_STAGE, 1);
FROZEN(IOB_LEVEL_WORKLOAD, 2);
FROZEN(IOB_LEVEL_WORKER, 3);
FROZEN(IOB_RESULT_CANCELLED, 1);
FROZEN(IOB_RESULT_PARTIAL, 2);
FROZEN(IOB_RESULT_ERRORS, 4);
FROZEN(IOB_RESULT_RECORDED, 8);
FROZEN(IOB_SEVERITY_NOTE, 0);
FROZEN(IOB_SEVERITY_WARNING, 1);
FROZEN(IOB_SEVERITY_INVALID, 2);
FROZEN(IOB_METRIC_IOPS, 0);
FROZEN(IOB_METRIC_READ_MEAN, 1);
FROZEN(IOB_METRIC_WRITE_MEAN, 2);
FROZEN(IOB_METRIC_READ_P99, 3);
FROZEN(IOB_METRIC_WRITE_P99, 4);
FROZEN(IOB_DIFFERENCE_UNKNOWN, 0);
FROZEN(IOB_DIFFERENCE_NOT_SHOWN, 1);
FROZEN(IOB_DIFFERENCE_SHOWN, 2);
FROZEN(IOB_SEARCH_UNFINISHED, 0);
FROZEN(IOB_SEARCH_FOUND, 1);
FROZEN(IOB_SEARCH_NOTHING, 2);
FROZEN(IOB_SEARCH_EVERYTHING, 3);
FROZEN(IOB_SEARCH_NOT_JUDGED, 0);
FROZEN(IOB_SEARCH_HOLDS, 1);
FROZEN(IOB_SEARCH_MISSES, 2);
FROZEN(IOB_SEARCH_SATURATED, 3);
FROZEN(IOB_SEARCH_UNDECIDED, 4);
FROZEN(IOB_SEARCH_TOO_FEW, 5);
FROZEN(IOB_SEARCH_PERCENTILE, 0);
FROZEN(IOB_SEARCH_MEAN, 1);
FROZEN(IOB_SEARCH_MAX, 2);
FROZEN(IOB_STEADY_IOPS, 0);
FROZEN(IOB_STEADY_BANDWIDTH, 1);
FROZEN(IOB_STEADY_LATENCY, 2);
FROZEN(IOB_PTS_IOPS, 0);
FROZEN(IOB_PTS_THROUGHPUT, 1);
FROZEN(IOB_PTS_LATENCY, 2);
FROZEN(IOB_TARGET_CREATE, 1);
FROZEN(IOB_TARGET_ALLOW_DESTROY, 2);
FROZEN(IOB_TARGET_OVERWRITE_SIGNATURE, 4);
FROZEN(IOB_TYPE_INT, 0);
FROZEN(IOB_TYPE_SIZE, 1);
FROZEN(IOB_TYPE_TIME, 2);
FROZEN(IOB_TYPE_BOOL, 3);
FROZEN(IOB_TYPE_CHOICE, 4);
FROZEN(IOB_TYPE_BLOCKS, 5);
FROZEN(IOB_TYPE_TEXT, 6);
FROZEN(IOB_TYPE_RATE, 7);
FROZEN(IOB_PARAM_ENGINE, 0);
FROZEN(IOB_PARAM_PATTERN, 1);
FROZEN(IOB_PARAM_BLOCK_SIZE, 2);
FROZEN(IOB_PARAM_BLOCK_SIZE_WRITE, 3);
FROZEN(IOB_PARAM_READ_PERCENT, 4);
FROZEN(IOB_PARAM_TRIM_PERCENT, 5);
FROZEN(IOB_PARAM_QUEUE_DEPTH, 6);
FROZEN(IOB_PARAM_WORKERS, 7);
FROZEN(IOB_PARAM_RUNTIME, 8);
FROZEN(IOB_PARAM_RAMP_TIME, 9);
FROZEN(IOB_PARAM_SIZE, 10);
FROZEN(IOB_PARAM_OFFSET, 11);
FROZEN(IOB_PARAM_IO_SIZE, 12);
FROZEN(IOB_PARAM_DIRECT, 13);
FROZEN(IOB_PARAM_SYNC, 14);
FROZEN(IOB_PARAM_FSYNC_EVERY, 15);
FROZEN(IOB_PARAM_ON_ERROR, 16);
FROZEN(IOB_PARAM_POLL, 17);
FROZEN(IOB_PARAM_SEED, 18);
FROZEN(IOB_PARAM_REPEATS, 19);
FROZEN(IOB_PARAM_BUFFER, 20);
FROZEN(IOB_PARAM_CPUS, 21);
FROZEN(IOB_PARAM_PRECISION, 22);
FROZEN(IOB_PARAM_PERCENTILES, 23);
FROZEN(IOB_PARAM_NAME, 24);
FROZEN(IOB_PARAM_LINK_LIMIT, 25);
FROZEN(IOB_PARAM_ROUND_TRIP, 26);
FROZEN(IOB_ENGINE_SYNC, 1);
FROZEN(IOB_ENGINE_NO_TARGET, 2);
FROZEN(IOB_ENGINE_TRIM, 4);
FROZEN(IOB_ENGINE_FSYNC, 8);
FROZEN(IOB_ENGINE_POLL, 16);
FROZEN(IOB_ENGINE_BUFFERED_ONLY, 32);
FROZEN(IOB_ENGINE_FDATASYNC, 64);

/* The name a parameter has goes with its number. */
static const char *const param_names[] = {
	"engine",       "pattern",      "block_size",  "block_size_write",
	"read_percent", "trim_percent", "queue_depth", "workers",
	"runtime",      "ramp_time",    "size",        "offset",
	"io_size",      "direct",       "sync",        "fsync_every",
	"on_error",     "poll",         "seed",        "repeats",
	"buffer",       "cpus",         "precision",   "percentiles",
	"name",         "link_limit",   "round_trip",
};

START_TEST(parameters_keep_their_numbers)
{
	size_t known = sizeof(param_names) / sizeof(param_names[0]);
	ck_assert_uint_ge(iob_param_count(), known);
	for (size_t i = 0; i < known; i++) {
		ck_assert_str_eq(iob_param_info(i)->name, param_names[i]);
		ck_assert_uint_eq(iob_param_info(i)->key, i);
	}
	ck_assert_ptr_null(iob_param_info(iob_param_count()));
}
END_TEST

START_TEST(version_is_the_headers)
{
	char text[32];
	snprintf(text, sizeof(text), "%d.%d.%d", IOB_VERSION_MAJOR, IOB_VERSION_MINOR,
		 IOB_VERSION_PATCH);
	ck_assert_str_eq(text, IOB_VERSION_STRING);
	ck_assert_str_eq(text, iob_version());
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("layout");
	TCase *t = tcase_create("layout");
	tcase_add_test(t, parameters_keep_their_numbers);
	tcase_add_test(t, version_is_the_headers);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
