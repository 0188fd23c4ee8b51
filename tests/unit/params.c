/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "workload/params.h"
#include <errno.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)
#define YEARS_10 (INT64_C(315360000) * 1000000000)

/* The contract, as DESIGN section 3 has it. */
static const struct iob_param_info contract[] = {
	{ 0, IOB_PARAM_ENGINE, "engine", IOB_TYPE_TEXT, "", 0, 0, "auto", NULL, "" },
	{ 0, IOB_PARAM_PATTERN, "pattern", IOB_TYPE_CHOICE, "", 0, 2, "random",
	  "random|sequential|backward", "" },
	{ 0, IOB_PARAM_BLOCK_SIZE, "block_size", IOB_TYPE_BLOCKS, "bytes", 1, GIB, "4k", NULL, "" },
	{ 0, IOB_PARAM_BLOCK_SIZE_WRITE, "block_size_write", IOB_TYPE_BLOCKS, "bytes", 0, GIB, "",
	  NULL, "" },
	{ 0, IOB_PARAM_READ_PERCENT, "read_percent", IOB_TYPE_INT, "%", 0, 100, "100", NULL, "" },
	{ 0, IOB_PARAM_TRIM_PERCENT, "trim_percent", IOB_TYPE_INT, "%", 0, 100, "0", NULL, "" },
	{ 0, IOB_PARAM_QUEUE_DEPTH, "queue_depth", IOB_TYPE_INT, "", 1, 65536, "1", NULL, "" },
	{ 0, IOB_PARAM_WORKERS, "workers", IOB_TYPE_INT, "", 1, 4096, "1", NULL, "" },
	{ 0, IOB_PARAM_RUNTIME, "runtime", IOB_TYPE_TIME, "ns", 0, YEARS_10, "10s", NULL, "" },
	{ 0, IOB_PARAM_RAMP_TIME, "ramp_time", IOB_TYPE_TIME, "ns", 0, YEARS_10, "0", NULL, "" },
	{ 0, IOB_PARAM_SIZE, "size", IOB_TYPE_SIZE, "bytes", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_OFFSET, "offset", IOB_TYPE_SIZE, "bytes", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_IO_SIZE, "io_size", IOB_TYPE_SIZE, "bytes", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_DIRECT, "direct", IOB_TYPE_BOOL, "", 0, 1, "true", NULL, "" },
	{ 0, IOB_PARAM_SYNC, "sync", IOB_TYPE_CHOICE, "", 0, 2, "none", "none|data|all", "" },
	{ 0, IOB_PARAM_FSYNC_EVERY, "fsync_every", IOB_TYPE_INT, "", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_ON_ERROR, "on_error", IOB_TYPE_CHOICE, "", 0, 2, "stop",
	  "stop|continue|cancel", "" },
	{ 0, IOB_PARAM_POLL, "poll", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_SEED, "seed", IOB_TYPE_INT, "", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_REPEATS, "repeats", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_BUFFER, "buffer", IOB_TYPE_TEXT, "", 0, 0, "random", NULL, "" },
	{ 0, IOB_PARAM_CPUS, "cpus", IOB_TYPE_TEXT, "", 0, 0, "", NULL, "" },
	{ 0, IOB_PARAM_PRECISION, "precision", IOB_TYPE_INT, "bits", 1, 14, "8", NULL, "" },
	{ 0, IOB_PARAM_PERCENTILES, "percentiles", IOB_TYPE_TEXT, "%", 0, 0, "50,90,99,99.9", NULL,
	  "" },
	{ 0, IOB_PARAM_NAME, "name", IOB_TYPE_TEXT, "", 0, 0, "", NULL, "" },
	{ 0, IOB_PARAM_LINK_LIMIT, "link_limit", IOB_TYPE_RATE, "bytes/s", 0, INT64_MAX, "0", NULL,
	  "" },
	{ 0, IOB_PARAM_ROUND_TRIP, "round_trip", IOB_TYPE_TIME, "ns", 0, YEARS_10, "0", NULL, "" },
	{ 0, IOB_PARAM_RUN_LENGTH, "run_length", IOB_TYPE_INT, "", 1, INT32_MAX, "1", NULL, "" },
	{ 0, IOB_PARAM_GAP, "gap", IOB_TYPE_SIZE, "bytes", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_ALIGN, "align", IOB_TYPE_SIZE, "bytes", 0, GIB, "0", NULL, "" },
	{ 0, IOB_PARAM_DISTRIBUTION, "distribution", IOB_TYPE_TEXT, "", 0, 0, "uniform", NULL, "" },
	{ 0, IOB_PARAM_TARGET_ORDER, "target_order", IOB_TYPE_CHOICE, "", 0, 2, "turn",
	  "turn|random|sequential", "" },
	{ 0, IOB_PARAM_TARGET_RUN, "target_run", IOB_TYPE_INT, "", 1, INT32_MAX, "1", NULL, "" },
	{ 0, IOB_PARAM_START_DELAY, "start_delay", IOB_TYPE_TIME, "ns", 0, YEARS_10, "0", NULL, "" },
	{ 0, IOB_PARAM_PASSES, "passes", IOB_TYPE_INT, "", 0, INT32_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_IOS, "ios", IOB_TYPE_INT, "", 0, INT64_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_ENDS_OTHERS, "ends_others", IOB_TYPE_CHOICE, "", 0, 2, "none",
	  "none|stage|run", "" },
	{ 0, IOB_PARAM_INVALIDATE, "invalidate", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_PRE_READ, "pre_read", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_END_SYNC, "end_sync", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_CLOSE_SYNC, "close_sync", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_FSYNC_DATA, "fsync_data", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_LAYOUT, "layout", IOB_TYPE_CHOICE, "", 0, 2, "filled",
	  "filled|allocated|sparse", "" },
	{ 0, IOB_PARAM_REMOVE, "remove", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_CPUS_POLICY, "cpus_policy", IOB_TYPE_CHOICE, "", 0, 1, "each", "each|any", "" },
	{ 0, IOB_PARAM_COMPRESS_PERCENT, "compress_percent", IOB_TYPE_INT, "%", 0, 100, "0", NULL, "" },
	{ 0, IOB_PARAM_COMPRESS_CHUNK, "compress_chunk", IOB_TYPE_SIZE, "bytes", 16, GIB, "4k", NULL,
	  "" },
	{ 0, IOB_PARAM_DEDUPE_PERCENT, "dedupe_percent", IOB_TYPE_INT, "%", 0, 100, "0", NULL, "" },
	{ 0, IOB_PARAM_LABELS, "labels", IOB_TYPE_TEXT, "", 0, 0, "", NULL, "" },
	{ 0, IOB_PARAM_ARRIVAL, "arrival", IOB_TYPE_CHOICE, "", 0, 2, "closed",
	  "closed|fixed|poisson", "" },
	{ 0, IOB_PARAM_RATE_IOPS, "rate_iops", IOB_TYPE_INT, "I/Os/s", 0, 1000000000, "0", NULL, "" },
	{ 0, IOB_PARAM_RATE_IOPS_WRITE, "rate_iops_write", IOB_TYPE_INT, "I/Os/s", 0, 1000000000, "0",
	  NULL, "" },
	{ 0, IOB_PARAM_RATE_BYTES, "rate_bytes", IOB_TYPE_RATE, "bytes/s", 0, INT64_MAX, "0", NULL,
	  "" },
	{ 0, IOB_PARAM_RATE_BYTES_WRITE, "rate_bytes_write", IOB_TYPE_RATE, "bytes/s", 0, INT64_MAX,
	  "0", NULL, "" },
	{ 0, IOB_PARAM_THINK_TIME, "think_time", IOB_TYPE_TEXT, "ns", 0, 0, "0", NULL, "" },
	{ 0, IOB_PARAM_CATCH_UP, "catch_up", IOB_TYPE_BOOL, "", 0, 1, "true", NULL, "" },
	{ 0, IOB_PARAM_SPIN, "spin", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_TRIM_FIRST, "trim_first", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_MAKE_ONLY, "make_only", IOB_TYPE_BOOL, "", 0, 1, "false", NULL, "" },
	{ 0, IOB_PARAM_THINK_IOS, "think_ios", IOB_TYPE_INT, "", 0, INT32_MAX, "0", NULL, "" },
	{ 0, IOB_PARAM_THINK_AFTER, "think_after", IOB_TYPE_TIME, "ns", 0, YEARS_10, "0", NULL, "" },
	{ 0, IOB_PARAM_THINK_SPIN, "think_spin", IOB_TYPE_TIME, "ns", 0, YEARS_10, "0", NULL, "" },
};

START_TEST(table_is_the_contract)
{
	ck_assert_uint_eq(iob_param_count(), sizeof(contract) / sizeof(contract[0]));
	for (size_t i = 0; i < iob_param_count(); i++) {
		const struct iob_param_info *p = iob_param_info(i), *c = &contract[i];
		ck_assert_uint_eq(p->size, sizeof(*p));
		ck_assert_int_eq(p->key, (int)i);
		ck_assert_int_eq(p->key, c->key);
		ck_assert_str_eq(p->name, c->name);
		ck_assert_int_eq(p->type, c->type);
		ck_assert_str_eq(p->unit, c->unit);
		ck_assert_int_eq(p->min, c->min);
		ck_assert_int_eq(p->max, c->max);
		ck_assert_str_eq(p->default_text, c->default_text);
		ck_assert_pstr_eq(p->choices, c->choices);
	}
	ck_assert_ptr_null(iob_param_info(iob_param_count()));
	ck_assert_ptr_null(iob_param_info(SIZE_MAX));
}
END_TEST

/* --help and the docs are made of these. */
START_TEST(help_is_sentences)
{
	for (size_t i = 0; i < iob_param_count(); i++) {
		const char *help = iob_param_info(i)->help;
		size_t len = strlen(help);
		ck_assert_uint_gt(len, 30);
		ck_assert_uint_lt(len, 400);
		ck_assert_msg(help[len - 1] == '.', "%s", help);
		ck_assert_msg(!strstr(help, "  "), "%s", help);
	}
}
END_TEST

START_TEST(choices_match_their_text)
{
	for (size_t i = 0; i < iob_param_count(); i++) {
		const struct iob_param_info *p = iob_param_info(i);
		char joined[64] = "";
		int64_t n = 0, value = -1;
		if (p->type != IOB_TYPE_CHOICE)
			continue;
		for (const char *c; (c = iobi_param_choice(p->key, n)); n++) {
			strcat(strcat(joined, n ? "|" : ""), c);
			ck_assert_int_eq(iobi_parse_choice(p, c, &value, NULL), 0);
			ck_assert_int_eq(value, n);
		}
		ck_assert_str_eq(joined, p->choices);
		ck_assert_int_eq(p->max, n - 1);
		ck_assert_ptr_null(iobi_param_choice(p->key, -1));
	}
	ck_assert_str_eq(iobi_param_choice(IOB_PARAM_PATTERN, IOBI_PATTERN_SEQUENTIAL),
			 "sequential");
	ck_assert_str_eq(iobi_param_choice(IOB_PARAM_SYNC, IOBI_SYNC_DATA), "data");
	ck_assert_str_eq(iobi_param_choice(IOB_PARAM_SYNC, IOBI_SYNC_ALL), "all");
	ck_assert_str_eq(iobi_param_choice(IOB_PARAM_ON_ERROR, IOBI_ON_ERROR_CONTINUE), "continue");
}
END_TEST

START_TEST(every_name_is_found)
{
	for (size_t i = 0; i < iob_param_count(); i++) {
		const struct iob_param_info *p = iob_param_info(i);
		ck_assert_ptr_eq(iobi_param_find(p->name, NULL), p);
		ck_assert_ptr_eq(iobi_param_key(p->key, NULL), p);
		ck_assert_str_eq(iobi_param_nearest(p->name), p->name);
	}
}
END_TEST

static void check_unknown(const char *name, const char *message)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iobi_param_find(name, &err));
	ck_assert_int_eq(err.code, ENOENT);
	ck_assert_str_eq(err.message, message);
	ck_assert_ptr_null(iobi_param_find(name, NULL));
}

#define ALL                                                                                        \
	"engine, pattern, block_size, block_size_write, read_percent, trim_percent, queue_depth, " \
	"workers, runtime, ramp_time, size, offset, io_size, direct, sync, fsync_every, "          \
	"on_error, "                                                                               \
	"poll, seed, repeats, buffer, cpus, precision, percentiles, name, link_limit, round_trip, "                                                    \
	"run_length, gap, align, distribution, target_order, target_run, start_delay, passes, "    \
	"ios, ends_others, invalidate, pre_read, end_sync, close_sync, fsync_data, layout, "       \
	"remove, cpus_policy, compress_percent, compress_chunk, dedupe_percent, labels, arrival, rate_iops, " \
	"rate_iops_write, rate_bytes, rate_bytes_write, think_time, ..."

START_TEST(unknown_names_get_the_nearest)
{
	check_unknown("block_sise",
		      "unknown parameter \"block_sise\"; did you mean \"block_size\"?");
	check_unknown("block-size",
		      "unknown parameter \"block-size\"; did you mean \"block_size\"?");
	check_unknown("Workers", "unknown parameter \"Workers\"; did you mean \"workers\"?");
	check_unknown("worker", "unknown parameter \"worker\"; did you mean \"workers\"?");
	check_unknown("depth", "unknown parameter \"depth\"; did you mean \"queue_depth\"?");
	check_unknown("block", "unknown parameter \"block\"; did you mean \"block_size\"?");
	check_unknown("cpu", "unknown parameter \"cpu\"; did you mean \"cpus\"?");
	check_unknown("bs", "unknown parameter \"bs\"; did you mean \"block_size\"?");
	check_unknown("iodepth", "unknown parameter \"iodepth\"; did you mean \"queue_depth\"?");
	check_unknown("xy", "unknown parameter \"xy\"; there are " ALL);
	check_unknown("", "unknown parameter \"\"; there are " ALL);
	check_unknown("a\nb", "unknown parameter \"a\\x0ab\"; there are " ALL);
}
END_TEST

/* What it names is a parameter, and not one of the same name. */
START_TEST(names_of_fio)
{
	static const char *const fio[] = { "bs", "iodepth", "rw", "numjobs", "rwmixread", "loops" };
	for (size_t i = 0; i < IOBI_LEN(fio); i++) {
		const char *name = iob_param_from_fio(fio[i]);
		ck_assert_ptr_nonnull(name);
		ck_assert_ptr_nonnull(iobi_param_find(name, NULL));
		ck_assert_str_ne(name, fio[i]);
	}
	ck_assert_ptr_null(iob_param_from_fio("runtime"));
	ck_assert_ptr_null(iob_param_from_fio("xyzzy"));
	ck_assert_ptr_null(iob_param_from_fio(NULL));
}
END_TEST

START_TEST(long_names_are_cut)
{
	struct iob_error err = { 0 };
	char name[5000];
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ck_assert_ptr_null(iobi_param_find(name, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "nnnn...\"; there are engine, "));
	ck_assert_ptr_nonnull(strstr(err.message, "percentiles, name, link_limit, round_trip"));
}
END_TEST

START_TEST(unknown_keys)
{
	static const int keys[] = { -1, IOBI_PARAMS, INT32_MAX, INT32_MIN };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct iob_error err = { 0 };
		ck_assert_ptr_null(iobi_param_key((enum iob_param)keys[i], &err));
		ck_assert_int_eq(err.code, ENOENT);
	}
	struct iob_error err = { 0 };
	iobi_param_key((enum iob_param)62, &err);
	ck_assert_str_eq(err.message, "no parameter has the key 62; they are 0 to 61");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("params");
	TCase *t = tcase_create("table");
	tcase_add_test(t, table_is_the_contract);
	tcase_add_test(t, help_is_sentences);
	tcase_add_test(t, choices_match_their_text);
	tcase_add_test(t, every_name_is_found);
	tcase_add_test(t, unknown_names_get_the_nearest);
	tcase_add_test(t, names_of_fio);
	tcase_add_test(t, long_names_are_cut);
	tcase_add_test(t, unknown_keys);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
