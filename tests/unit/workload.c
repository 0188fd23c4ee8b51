/* SPDX-License-Identifier: MIT */
#include "support/nomem.h"
#include "support/test.h"
#include "workload/params.h"
#include "workload/units.h"
#include <iobench/engine.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static struct iob_workload *fresh(void)
{
	struct iob_workload *w = iob_workload_new(NULL);
	ck_assert_ptr_nonnull(w);
	return w;
}

static void set(struct iob_workload *w, const char *name, const char *text)
{
	struct iob_error err = { 0 };
	ck_assert_msg(iob_workload_set(w, name, text, &err) == 0, "%s=%s: %s", name, text,
		      err.message);
}

static void check_text(const struct iob_workload *w, const char *name, const char *text)
{
	char buf[512] = "";
	ck_assert_int_eq(iob_workload_get(w, name, buf, sizeof(buf)), (int)strlen(text));
	ck_assert_str_eq(buf, text);
}

static void check_num(const struct iob_workload *w, enum iob_param p, int64_t want)
{
	int64_t value = -7;
	ck_assert_int_eq(iob_workload_get_int(w, p, &value), 0);
	ck_assert_int_eq(value, want);
}

/* All that can be seen of a workload, as one text. */
static char *dump(const struct iob_workload *w)
{
	struct iobi_text t = { 0 };
	for (size_t i = 0; i < iob_param_count(); i++) {
		const char *name = iob_param_info(i)->name;
		char buf[4096];
		iob_workload_get(w, name, buf, sizeof(buf));
		iobi_text_printf(&t, "%s=%s %" PRId64 "\n", name, buf, w->num[i]);
	}
	for (unsigned m = 0; m < 2; m++)
		for (unsigned i = 0; i < w->mix[m].n; i++)
			iobi_text_printf(&t, "mix %u %u:%u\n", m, w->mix[m].part[i].size,
					 w->mix[m].part[i].percent);
	for (size_t i = 0; i < iob_workload_target_count(w); i++) {
		unsigned flags = 99;
		const char *path = iob_workload_target(w, i, &flags);
		iobi_text_printf(&t, "target %s %u\n", path, flags);
	}
	iobi_text_printf(&t, "ops %p user %p\n", (const void *)w->ops, w->user);
	ck_assert(!t.failed);
	return t.data;
}

static void check_same(const struct iob_workload *w, const char *before)
{
	char *now = dump(w);
	ck_assert_str_eq(now, before);
	free(now);
}

START_TEST(defaults)
{
	struct iob_workload *w = fresh();
	for (size_t i = 0; i < iob_param_count(); i++) {
		const struct iob_param_info *p = iob_param_info(i);
		check_text(w, p->name, p->default_text);
	}
	check_num(w, IOB_PARAM_BLOCK_SIZE, 4096);
	check_num(w, IOB_PARAM_BLOCK_SIZE_WRITE, 0);
	check_num(w, IOB_PARAM_RUNTIME, INT64_C(10000000000));
	check_num(w, IOB_PARAM_DIRECT, 1);
	check_num(w, IOB_PARAM_PATTERN, 0);
	ck_assert_uint_eq(w->mix[0].n, 1);
	ck_assert_uint_eq(w->mix[0].part[0].percent, 100);
	ck_assert_uint_eq(w->mix[1].n, 0);
	ck_assert_uint_eq(iob_workload_target_count(w), 0);
	ck_assert_ptr_null(iob_workload_target(w, 0, NULL));
	iob_workload_free(w);
	iob_workload_free(NULL);
}
END_TEST

START_TEST(set_by_text)
{
	static const char *const t[][3] = {
		{ "engine", "psync", "psync" },
		{ "engine", "no-such-engine", "no-such-engine" }, /* the check's matter */
		{ "pattern", "sequential", "sequential" },
		{ "block_size", "8192", "8k" },
		{ "block_size", "4096:60,64k:40", "4k:60,64k:40" },
		{ "block_size_write", "1m", "1m" },
		{ "block_size_write", "", "" },
		{ "block_size_write", "4k:50,8k:50", "4k:50,8k:50" },
		{ "block_size_write", "0", "" },
		{ "block_size", "4k-64k", "4k-64k" },
		{ "block_size", "512-1024k", "512-1m" },
		{ "block_size", "8k-8192", "8k" },
		{ "distribution", "zipf:1.20", "zipf:1.20" },
		{ "distribution", "zoned:60/10:30/20:10/70", "zoned:60/10:30/20:10/70" },
		{ "distribution", "zoned_abs:90/10g:10/1t", "zoned_abs:90/10g:10/1t" },
		{ "labels", "a=1\nb.c= x=y", "a=1\nb.c= x=y" },
		{ "read_percent", "080", "80" },
		{ "queue_depth", "65536", "65536" },
		{ "workers", "4096", "4096" },
		{ "runtime", "0.5", "500ms" },
		{ "runtime", "0", "0" },
		{ "runtime", "87600h", "87600h" },
		{ "ramp_time", "90", "90s" },
		{ "size", "1GiB", "1g" },
		{ "size", "9223372036854775807", "9223372036854775807" },
		{ "offset", "10GB", "10GB" },
		{ "io_size", "1536", "1536" },
		{ "direct", "off", "false" },
		{ "sync", "all", "all" },
		{ "fsync_every", "32", "32" },
		{ "on_error", "continue", "continue" },
		{ "poll", "1", "true" },
		{ "seed", "9223372036854775807", "9223372036854775807" },
		{ "repeats", "yes", "true" },
		{ "buffer", "pattern:00ff", "pattern:00ff" },
		{ "cpus", "0-3,8", "0-3,8" },
		{ "cpus", "", "" },
		{ "precision", "14", "14" },
		{ "percentiles", "50,99.90", "50,99.9" },
		{ "name", "a \"b\"\n\xff=,;", "a \"b\"\n\xff=,;" },
		{ "name", "", "" },
	};
	struct iob_workload *w = fresh();
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		set(w, t[i][0], t[i][1]);
		check_text(w, t[i][0], t[i][2]);
	}
	iob_workload_free(w);
}
END_TEST

struct bad {
	const char *name, *text;
	int code;
	const char *message;
};

START_TEST(wrong_text)
{
	static const struct bad t[] = {
		{ "block_size", "0", ERANGE, "\"0\" is below the minimum of 1 byte" },
		{ "block_size", "2g", ERANGE, "\"2g\" is above the maximum of 1g" },
		{ "block_size", "4.5k", EINVAL,
		  "\"4.5k\" has a fraction, and sizes take none (use 4608)" },
		{ "block_size", "", EINVAL,
		  "the text is empty; it takes a size in bytes, or with a unit as 4k" },
		{ "block_size", NULL, EINVAL, "no text was given (NULL)" },
		{ "block_size_write", "00", ERANGE, "\"00\" is below the minimum of 1 byte" },
		{ "block_size_write", NULL, EINVAL, "no text was given (NULL)" },
		{ "read_percent", "101", ERANGE, "\"101\" is above the maximum of 100" },
		{ "read_percent", "-1", ERANGE, "\"-1\" is below the minimum of 0" },
		{ "read_percent", "50%", EINVAL,
		  "\"50%\" has a percent sign; write the number alone" },
		{ "trim_percent", "101", ERANGE, "\"101\" is above the maximum of 100" },
		{ "queue_depth", "0", ERANGE, "\"0\" is below the minimum of 1" },
		{ "queue_depth", "65537", ERANGE, "\"65537\" is above the maximum of 65536" },
		{ "workers", "0", ERANGE, "\"0\" is below the minimum of 1" },
		{ "workers", "-1", ERANGE, "\"-1\" is below the minimum of 1" },
		{ "workers", "4097", ERANGE, "\"4097\" is above the maximum of 4096" },
		{ "workers", "99999999999999999999", ERANGE,
		  "\"99999999999999999999\" is above the maximum of 4096" },
		{ "workers", "two", EINVAL, "\"two\" is not a number; it takes a whole number" },
		{ "runtime", "-1s", ERANGE, "\"-1s\" is below the minimum of 0" },
		{ "runtime", "87600.1h", ERANGE, "\"87600.1h\" is above the maximum of 87600h" },
		{ "size", "99999999999999999999", ERANGE,
		  "\"99999999999999999999\" is above the maximum of 9223372036854775807 bytes" },
		{ "offset", "-512", ERANGE, "\"-512\" is below the minimum of 0" },
		{ "seed", "9223372036854775808", ERANGE,
		  "\"9223372036854775808\" is above the maximum of 9223372036854775807" },
		{ "precision", "0", ERANGE, "\"0\" is below the minimum of 1" },
		{ "precision", "15", ERANGE, "\"15\" is above the maximum of 14" },
		{ "pattern", "", EINVAL, "\"\" is none of random|sequential|backward" },
		{ "pattern", "rand", EINVAL, "\"rand\" is none of random|sequential|backward" },
		{ "sync", NULL, EINVAL, "no text was given (NULL)" },
		{ "direct", "maybe", EINVAL,
		  "\"maybe\" is none of true, false, yes, no, on, off, 1, 0" },
		{ "engine", "", EINVAL, "the text is empty; give a name, as auto or io_uring" },
		{ "block_size", "4k-6k", EINVAL,
		  "\"4k-6k\": the upper end must be a multiple of the lower" },
		{ "block_size", "8k-4k", EINVAL,
		  "\"8k-4k\": the upper end must be a multiple of the lower" },
		{ "block_size", "0-4k", ERANGE, "\"0\" is below the minimum of 1 byte" },
		{ "distribution", "zipf", EINVAL,
		  "\"zipf\" is none of uniform, zipf:THETA, pareto:H, normal:DEVIATION, "
		  "zoned:ACCESS/SIZE:..., zoned_abs:ACCESS/SIZE:..." },
		{ "distribution", "zipf:0", ERANGE,
		  "\"0\" is not a theta above 0 and below 100, as 1.2" },
		{ "distribution", "pareto:1", ERANGE,
		  "\"1\" is not an h above 0 and below 1, as 0.2" },
		{ "distribution", "normal:0", ERANGE,
		  "\"0\" is not a deviation above 0 and up to 100 percent" },
		{ "distribution", "zoned:50/50", EINVAL,
		  "the zones of \"zoned:50/50\" get 50 percent of the I/Os; they must add up to "
		  "100" },
		{ "distribution", "zoned:50/5:50/5", EINVAL,
		  "the zones of \"zoned:50/5:50/5\" do not have 100 percent of the region" },
		{ "distribution", "zoned:50", EINVAL,
		  "the zone \"50\" is not ACCESS/SIZE, as 60/10" },
		{ "labels", "a=b\nc", EINVAL, "\"c\" is no line of the form name=value" },
		{ "labels", "=b", EINVAL, "\"=b\" is no line of the form name=value" },
		{ "buffer", "ones", EINVAL, "\"ones\" is none of random, zero, pattern:HEX" },
		{ "cpus", "3-1", EINVAL, "the range \"3-1\" runs backwards" },
		{ "percentiles", "", EINVAL, "\"\" has an empty part" },
		{ "name", NULL, EINVAL, "no text was given (NULL)" },
		{ "block_sise", "4k", ENOENT,
		  "unknown parameter \"block_sise\"; did you mean \"block_size\"?" },
	};
	struct iob_workload *w = fresh();
	char *before = dump(w);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct iob_error err = { 0 };
		int rc = iob_workload_set(w, t[i].name, t[i].text, &err);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(rc, -t[i].code);
		ck_assert_int_eq(err.code, t[i].code);
		ck_assert_str_eq(err.where, t[i].name);
		ck_assert_int_eq(iob_workload_set(w, t[i].name, t[i].text, NULL), rc);
		check_same(w, before);
	}
	free(before);
	iob_workload_free(w);
}
END_TEST

START_TEST(error_is_filled_only_on_failure)
{
	struct iob_workload *w = fresh();
	struct iob_error err = { .code = 7, .where = "here", .message = "kept" };
	ck_assert_int_eq(iob_workload_set(w, "block_size", "8k", &err), 0);
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_WORKERS, 2, &err), 0);
	ck_assert_int_eq(iob_workload_add_target(w, "/x", 0, &err), 0);
	ck_assert_int_eq(err.code, 7);
	ck_assert_str_eq(err.where, "here");
	ck_assert_str_eq(err.message, "kept");
	iob_workload_free(w);
}
END_TEST

START_TEST(set_by_number)
{
	struct iob_workload *w = fresh();
	set(w, "block_size", "4k:60,64k:40");
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_BLOCK_SIZE, 8192, NULL), 0);
	check_num(w, IOB_PARAM_BLOCK_SIZE, 8192);
	check_text(w, "block_size", "8k");
	ck_assert_uint_eq(w->mix[0].n, 1);
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_BLOCK_SIZE_WRITE, 512, NULL), 0);
	check_num(w, IOB_PARAM_BLOCK_SIZE_WRITE, 512);
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_BLOCK_SIZE_WRITE, 0, NULL), 0);
	check_num(w, IOB_PARAM_BLOCK_SIZE_WRITE, 0);
	check_text(w, "block_size_write", "");
	ck_assert_uint_eq(w->mix[1].n, 0);
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_PATTERN, 1, NULL), 0);
	check_text(w, "pattern", "sequential");
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_DIRECT, 0, NULL), 0);
	check_text(w, "direct", "false");
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_RUNTIME, 1500000000, NULL), 0);
	check_text(w, "runtime", "1500ms");
	ck_assert_int_eq(iob_workload_set_int(w, IOB_PARAM_SIZE, INT64_MAX, NULL), 0);
	check_num(w, IOB_PARAM_SIZE, INT64_MAX);
	iob_workload_free(w);
}
END_TEST

START_TEST(wrong_numbers)
{
	static const struct {
		int p;
		int64_t value;
		int code;
		const char *where, *message;
	} t[] = {
		{ IOB_PARAM_BLOCK_SIZE, 0, ERANGE, "block_size",
		  "\"0\" is below the minimum of 1 byte" },
		{ IOB_PARAM_BLOCK_SIZE, (INT64_C(1) << 30) + 1, ERANGE, "block_size",
		  "\"1073741825\" is above the maximum of 1g" },
		{ IOB_PARAM_BLOCK_SIZE_WRITE, -1, ERANGE, "block_size_write",
		  "\"-1\" is below the minimum of 0" },
		{ IOB_PARAM_PATTERN, 3, ERANGE, "pattern", "\"3\" is above the maximum of 2" },
		{ IOB_PARAM_PATTERN, -1, ERANGE, "pattern", "\"-1\" is below the minimum of 0" },
		{ IOB_PARAM_DIRECT, 2, ERANGE, "direct", "\"2\" is above the maximum of 1" },
		{ IOB_PARAM_READ_PERCENT, 101, ERANGE, "read_percent",
		  "\"101\" is above the maximum of 100" },
		{ IOB_PARAM_SIZE, INT64_MIN, ERANGE, "size",
		  "\"-9223372036854775808\" is below the minimum of 0" },
		{ IOB_PARAM_RUNTIME, INT64_MAX, ERANGE, "runtime",
		  "\"9223372036854775807\" is above the maximum of 87600h" },
		{ IOB_PARAM_NAME, 5, EINVAL, "name", "takes text, not the number 5" },
		{ IOB_PARAM_CPUS, 0, EINVAL, "cpus", "takes text, not the number 0" },
		{ 62, 0, ENOENT, "parameter", "no parameter has the key 62; they are 0 to 61" },
		{ -1, 0, ENOENT, "parameter", "no parameter has the key -1; they are 0 to 61" },
	};
	struct iob_workload *w = fresh();
	char *before = dump(w);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct iob_error err = { 0 };
		int rc = iob_workload_set_int(w, (enum iob_param)t[i].p, t[i].value, &err);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_int_eq(rc, -t[i].code);
		ck_assert_str_eq(err.where, t[i].where);
		check_same(w, before);
	}
	free(before);
	iob_workload_free(w);
}
END_TEST

START_TEST(get_as_number_or_text)
{
	struct iob_workload *w = fresh();
	int64_t value = -7;
	ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_PATTERN), "random");
	ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_BLOCK_SIZE), "4k");
	ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_BLOCK_SIZE_WRITE), "");
	ck_assert_str_eq(iob_workload_get_str(w, IOB_PARAM_NAME), "");
	ck_assert_ptr_null(iob_workload_get_str(w, IOB_PARAM_WORKERS));
	ck_assert_ptr_null(iob_workload_get_str(w, IOB_PARAM_DIRECT));
	ck_assert_ptr_null(iob_workload_get_str(w, IOB_PARAM_RUNTIME));
	ck_assert_ptr_null(iob_workload_get_str(w, (enum iob_param)62));
	ck_assert_int_eq(iob_workload_get_int(w, IOB_PARAM_ENGINE, &value), -EINVAL);
	ck_assert_int_eq(iob_workload_get_int(w, (enum iob_param)62, &value), -ENOENT);
	set(w, "block_size", "4k:60,64k:40");
	ck_assert_int_eq(iob_workload_get_int(w, IOB_PARAM_BLOCK_SIZE, &value), -EINVAL);
	ck_assert_int_eq(value, -7);
	iob_workload_free(w);
}
END_TEST

START_TEST(get_is_as_snprintf)
{
	struct iob_workload *w = fresh();
	char buf[8] = "xxxxxxx";
	ck_assert_int_eq(iob_workload_get(w, "percentiles", NULL, 0), 13);
	ck_assert_int_eq(iob_workload_get(w, "percentiles", buf, sizeof(buf)), 13);
	ck_assert_str_eq(buf, "50,90,9");
	ck_assert_int_eq(iob_workload_get(w, "direct", buf, 1), 4);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(iob_workload_get(w, "runtime", buf, 4), 3);
	ck_assert_str_eq(buf, "10s");
	ck_assert_int_eq(iob_workload_get(w, "run_time", buf, sizeof(buf)), -ENOENT);
	iob_workload_free(w);
}
END_TEST

static uint64_t state = 1;

static uint64_t draw(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 16;
}

static int64_t draw_between(int64_t min, int64_t max)
{
	uint64_t span = (uint64_t)max - (uint64_t)min, v = (draw() << 40) ^ draw();
	v >>= draw() % 64;
	return min + (int64_t)(span == UINT64_MAX ? v : v % (span + 1));
}

static void random_mix(char *text)
{
	unsigned n = 2 + (unsigned)(draw() % 14), left = 100;
	for (unsigned i = 0; i < n; i++) {
		unsigned percent =
			i + 1 == n ? left : 1 + (unsigned)(draw() % (left - (n - i - 1)));
		unsigned size = (i + 1) * (unsigned)(1 + draw() % 1000) * 1024 + i;
		text += sprintf(text, "%s%u:%u", i ? "," : "", size, percent);
		left -= percent;
	}
}

static void random_percentiles(char *text)
{
	unsigned n = 1 + (unsigned)(draw() % 20);
	for (unsigned i = 0; i < n; i++)
		text += sprintf(text, "%s%u.%06u", i ? "," : "", i, (unsigned)(draw() % 1000000));
}

static void random_bytes(char *text)
{
	size_t n = draw() % 100;
	for (size_t i = 0; i < n; i++)
		*text++ = (char)(1 + draw() % 255);
	*text = '\0';
}

/* Some value that iob_workload_set takes. */
static void random_value(const struct iob_param_info *p, char *text)
{
	int64_t number = draw_between(p->min, p->max);
	sprintf(text, "%" PRId64 "%s", number, p->type == IOB_TYPE_TIME ? "ns" : "");
	if (p->type == IOB_TYPE_BOOL)
		strcpy(text, number ? "yes" : "no");
	else if (p->type == IOB_TYPE_CHOICE)
		strcpy(text, iobi_param_choice(p->key, number));
	else if (p->type == IOB_TYPE_BLOCKS && draw() % 3 == 0)
		sprintf(text, "512-%uk", 1 + (unsigned)(draw() % 1000));
	else if (p->type == IOB_TYPE_BLOCKS && draw() % 2)
		random_mix(text);
	else if (p->key == IOB_PARAM_PERCENTILES)
		random_percentiles(text);
	else if (p->key == IOB_PARAM_BUFFER)
		sprintf(text, "pattern:%04x", (unsigned)(draw() & 0xffff));
	else if (p->key == IOB_PARAM_CPUS)
		sprintf(text, "%u-%u,7", (unsigned)(draw() % 10), 10 + (unsigned)(draw() % 10));
	else if (p->key == IOB_PARAM_ENGINE)
		sprintf(text, "engine%u", (unsigned)(draw() % 10));
	else if (p->key == IOB_PARAM_NAME)
		random_bytes(text);
	else if (p->key == IOB_PARAM_DISTRIBUTION)
		sprintf(text, "zipf:1.%u", (unsigned)(draw() % 1000));
	else if (p->key == IOB_PARAM_LABELS)
		sprintf(text, "a=%u\nb = c=\n", (unsigned)(draw() % 1000));
	else if (p->key == IOB_PARAM_THINK_TIME)
		sprintf(text, "exp:%uus", (unsigned)(draw() % 1000));
}

START_TEST(what_is_got_can_be_set)
{
	struct iob_workload *a = fresh(), *b = fresh();
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < iob_param_count(); i++) {
			const struct iob_param_info *p = iob_param_info(i);
			char text[1024], got[1024], again[1024];
			random_value(p, text);
			set(a, p->name, text);
			ck_assert_int_lt(iob_workload_get(a, p->name, got, sizeof(got)), 1024);
			set(b, p->name, got);
			iob_workload_get(b, p->name, again, sizeof(again));
			ck_assert_str_eq(got, again);
		}
		char *whole = dump(a);
		check_same(b, whole);
		free(whole);
	}
	iob_workload_free(a);
	iob_workload_free(b);
}
END_TEST

START_TEST(targets)
{
	struct iob_workload *w = fresh();
	unsigned flags = 99;
	ck_assert_int_eq(iob_workload_add_target(w, "/dev/sdb", 0, NULL), 0);
	ck_assert_int_eq(iob_workload_add_target(w, "a b\n\xff", 7, NULL), 0);
	ck_assert_uint_eq(iob_workload_target_count(w), 2);
	ck_assert_str_eq(iob_workload_target(w, 0, &flags), "/dev/sdb");
	ck_assert_uint_eq(flags, 0);
	ck_assert_str_eq(iob_workload_target(w, 1, &flags), "a b\n\xff");
	ck_assert_uint_eq(flags, IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY |
					 IOB_TARGET_OVERWRITE_SIGNATURE);
	ck_assert_str_eq(iob_workload_target(w, 1, NULL), "a b\n\xff");
	ck_assert_ptr_null(iob_workload_target(w, 2, &flags));
	iob_workload_free(w);
}
END_TEST

START_TEST(wrong_targets)
{
	static const struct {
		const char *path;
		unsigned flags;
		const char *file, *message;
	} t[] = {
		{ NULL, 0, "", "the path is NULL; give a block device or a file" },
		{ "", 0, "", "the path is empty; give a block device or a file" },
		{ "/dev/sdc", 8, "/dev/sdc",
		  "unknown flags 0x8 for \"/dev/sdc\"; there are 0x1 CREATE, 0x2 ALLOW_DESTROY, "
		  "0x4 OVERWRITE_SIGNATURE" },
		{ "/dev/sdc", 0x80000003, "/dev/sdc",
		  "unknown flags 0x80000000 for \"/dev/sdc\"; there are 0x1 CREATE, 0x2 "
		  "ALLOW_DESTROY, 0x4 OVERWRITE_SIGNATURE" },
		{ "/dev/sdb", 2, "/dev/sdb",
		  "\"/dev/sdb\" is there already; a workload has each target once" },
	};
	struct iob_workload *w = fresh();
	iob_workload_add_target(w, "/dev/sda", 0, NULL);
	iob_workload_add_target(w, "/dev/sdb", 0, NULL);
	char *before = dump(w);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct iob_error err = { 0 };
		ck_assert_int_eq(iob_workload_add_target(w, t[i].path, t[i].flags, &err), -EINVAL);
		ck_assert_str_eq(err.message, t[i].message);
		ck_assert_str_eq(err.where, "target");
		ck_assert_str_eq(err.file, t[i].file);
		check_same(w, before);
	}
	free(before);
	iob_workload_free(w);
}
END_TEST

START_TEST(a_copy_is_its_own)
{
	struct iob_workload *w = fresh();
	int user;
	set(w, "block_size", "4k:60,64k:40");
	set(w, "name", "first");
	set(w, "workers", "3");
	iob_workload_add_target(w, "/dev/sda", 2, NULL);
	w->user = &user;
	char *before = dump(w);
	struct iob_workload *copy = iob_workload_copy(w, NULL);
	check_same(copy, before);
	set(w, "name", "second");
	set(w, "block_size", "1m");
	iob_workload_add_target(w, "/dev/sdb", 0, NULL);
	check_same(copy, before);
	iob_workload_free(w);
	check_same(copy, before);
	free(before);
	iob_workload_free(copy);
}
END_TEST

static int fake_open(const struct iob_engine_env *env, void **st, struct iob_error *err)
{
	return 0;
}

static int fake_submit(void *st, struct iob_io *const *ios, unsigned n)
{
	return (int)n;
}

static int fake_reap(void *st, struct iob_io **done, unsigned min, unsigned max, int64_t timeout_ns)
{
	return 0;
}

static void fake_close(void *st)
{
}

static const struct iob_engine_ops good_ops = {
	.size = sizeof(struct iob_engine_ops),
	.name = "mine",
	.open = fake_open,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};

START_TEST(own_engine)
{
	struct iob_workload *w = fresh();
	struct iob_engine_ops ops = good_ops;
	int user;
	ck_assert_int_eq(iob_workload_set_engine(w, &ops, &user, NULL), 0);
	ck_assert_ptr_eq(w->ops, &ops);
	ck_assert_ptr_eq(w->user, &user);
	struct iob_workload *copy = iob_workload_copy(w, NULL);
	ck_assert_ptr_eq(copy->ops, &ops);
	ck_assert_ptr_eq(copy->user, &user);
	iob_workload_free(copy);
	ck_assert_int_eq(iob_workload_set_engine(w, NULL, &user, NULL), 0);
	ck_assert_ptr_null(w->ops);
	ck_assert_ptr_null(w->user);
	ops.caps = IOB_ENGINE_SYNC;
	ops.reap = NULL;
	ops.size = sizeof(ops) + 64; /* of a later version */
	ck_assert_int_eq(iob_workload_set_engine(w, &ops, NULL, NULL), 0);
	iob_workload_free(w);
}
END_TEST

static void check_engine(const struct iob_engine_ops *ops, const char *message)
{
	struct iob_workload *w = fresh();
	struct iob_error err = { 0 };
	ck_assert_int_eq(iob_workload_set_engine(w, &good_ops, NULL, NULL), 0);
	ck_assert_int_eq(iob_workload_set_engine(w, ops, w, &err), -EINVAL);
	ck_assert_str_eq(err.message, message);
	ck_assert_str_eq(err.where, "engine");
	ck_assert_ptr_eq(w->ops, &good_ops);
	ck_assert_ptr_null(w->user);
	iob_workload_free(w);
}

START_TEST(wrong_engines)
{
	struct iob_engine_ops ops = good_ops;
	char message[200];
	ops.size = offsetof(struct iob_engine_ops, close);
	snprintf(message, sizeof(message),
		 "the size of its table is %u bytes; it takes at least %zu, "
		 "sizeof(struct iob_engine_ops)",
		 ops.size, sizeof(ops));
	check_engine(&ops, message);
	ops = good_ops;
	ops.name = NULL;
	check_engine(&ops, "its name is missing (\"\")");
	ops.name = "";
	check_engine(&ops, "its name is missing (\"\")");
	ops = good_ops;
	ops.open = NULL;
	check_engine(&ops, "open is NULL (\"mine\")");
	ops = good_ops;
	ops.submit = NULL;
	check_engine(&ops, "submit is NULL (\"mine\")");
	ops = good_ops;
	ops.close = NULL;
	check_engine(&ops, "close is NULL (\"mine\")");
	ops = good_ops;
	ops.reap = NULL;
	check_engine(&ops,
		     "reap is NULL, which only an IOB_ENGINE_SYNC engine may have (\"mine\")");
	ops = good_ops;
	ops.caps = IOB_ENGINE_SYNC;
	check_engine(&ops, "reap must be NULL in an IOB_ENGINE_SYNC engine (\"mine\")");
}
END_TEST

/* Every allocation of every call fails once. */
START_TEST(no_memory_changes_nothing)
{
	static const char *const t[][2] = {
		{ "block_size", "4k:60,64k:40" },
		{ "block_size_write", "1m" },
		{ "percentiles", "50,99.9" },
		{ "name", "other" },
		{ "cpus", "0-1" },
		{ "buffer", "zero" },
		{ "engine", "psync" },
	};
	struct iob_workload *w = fresh();
	char *before = dump(w);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		int n = 0, rc = 0;
		for (; nomem_at(n); n++) {
			struct iob_error err = { 0 };
			rc = iob_workload_set(w, t[i][0], t[i][1], &err);
			if (!nomem_hit())
				break;
			ck_assert_int_eq(rc, -ENOMEM);
			ck_assert_int_eq(err.code, ENOMEM);
			check_same(w, before);
		}
		ck_assert_int_eq(rc, 0);
		ck_assert_int_ge(n, nomem_works());
		free(before);
		before = dump(w);
	}
	for (int n = 0; nomem_at(n); n++) {
		int rc = iob_workload_add_target(w, "/dev/sda", 0, NULL);
		if (!nomem_hit())
			break;
		ck_assert_int_eq(rc, -ENOMEM);
		check_same(w, before);
	}
	free(before);
	iob_workload_free(w);
}
END_TEST

START_TEST(no_memory_for_a_new_one)
{
	struct iob_workload *w = NULL, *copy = NULL;
	int made = 0, copied = 0;
	for (; nomem_at(made); made++) {
		struct iob_error err = { 0 };
		w = iob_workload_new(&err);
		if (!nomem_hit())
			break;
		ck_assert_ptr_null(w);
		ck_assert_int_eq(err.code, ENOMEM);
	}
	if (!w)
		return;
	iob_workload_add_target(w, "/dev/sda", 0, NULL);
	iob_workload_add_target(w, "/dev/sdb", 0, NULL);
	for (; nomem_at(copied); copied++) {
		struct iob_error err = { 0 };
		copy = iob_workload_copy(w, &err);
		if (!nomem_hit())
			break;
		ck_assert_ptr_null(copy);
		ck_assert_int_eq(err.code, ENOMEM);
	}
	ck_assert_int_gt(made, 6);
	ck_assert_int_gt(copied, 8);
	iob_workload_free(w);
	iob_workload_free(copy);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("workload");
	TCase *t = tcase_create("parameters");
	tcase_add_test(t, defaults);
	tcase_add_test(t, set_by_text);
	tcase_add_test(t, wrong_text);
	tcase_add_test(t, error_is_filled_only_on_failure);
	tcase_add_test(t, set_by_number);
	tcase_add_test(t, wrong_numbers);
	tcase_add_test(t, get_as_number_or_text);
	tcase_add_test(t, get_is_as_snprintf);
	tcase_add_test(t, what_is_got_can_be_set);
	suite_add_tcase(s, t);
	t = tcase_create("targets, engine, copies");
	tcase_add_test(t, targets);
	tcase_add_test(t, wrong_targets);
	tcase_add_test(t, a_copy_is_its_own);
	tcase_add_test(t, own_engine);
	tcase_add_test(t, wrong_engines);
	tcase_add_test(t, no_memory_changes_nothing);
	tcase_add_test(t, no_memory_for_a_new_one);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
