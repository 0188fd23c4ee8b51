/* SPDX-License-Identifier: MIT */
/* Where writes land: for every engine, on a file and on a block device. Each block of
 * the region once a pass, not one byte beside it, the size as it was.
 * ctest: timeout=300 */
#include "support/device.h"
#include "support/test.h"
#include "support/work.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	K = 1024,
	BEFORE = 0xa5,
	WRITTEN = 0x3c
};

struct region {
	size_t file, offset, size, block; /* bytes; size 0: to the end */
};

/* Ends that are no multiple of the block, offsets, counts that 16 does not divide. */
static const struct region regions[] = {
	{ 1024 * K, 0, 0, 4 * K },
	{ 1024 * K + 777, 0, 0, 4 * K },
	{ 1024 * K, 64 * K, 512 * K, 4 * K },
	{ 1024 * K + 512, 4 * K, 247 * K, 8 * K },
	{ 512 * K, 8 * K, 259 * K, 16 * K },
	{ 2048 * K, 1024 * K, 512 * K + 512, 32 * K },
	{ 300 * K + 100, 4 * K, 64 * K, 4 * K },
	{ 5 * 1024 * K, 1024 * K, 0, 64 * K },
};
enum {
	REGIONS = sizeof(regions) / sizeof(regions[0])
};

struct shape {
	const char *pattern;
	int workers, depth;
};
static const struct shape shapes[] = {
	{ "random", 1, 1 },      { "random", 1, 8 },     { "random", 16, 1 },
	{ "random", 16, 4 },     { "sequential", 1, 1 }, { "sequential", 1, 8 },
	{ "sequential", 16, 2 },
};
enum {
	SHAPES = sizeof(shapes) / sizeof(shapes[0])
};

static int have_device;
static char scratch[300];

/* Blocks of the region: the rest of it is nobody's. */
static size_t blocks_of(const struct region *g)
{
	size_t size = g->size ? g->size : g->file - g->offset;
	return size / g->block;
}

static const char *direct_for(const struct iob_engine_ops *e)
{
	return e->caps & IOB_ENGINE_BUFFERED_ONLY ? "false" : "true";
}

static int describe(char *text, size_t n, const struct iob_engine_ops *e, const struct region *g,
		    const struct shape *s)
{
	return snprintf(text, n,
			"engine=%s direct=%s pattern=%s workers=%d queue_depth=%d block_size=%zu "
			"offset=%zu size=%zu buffer=pattern:%02x runtime=0",
			e->name, direct_for(e), s->pattern, s->workers, s->depth, g->block,
			g->offset, g->size, WRITTEN);
}

static size_t first_other(const unsigned char *data, size_t from, size_t to, int value)
{
	while (from < to && data[from] == value)
		from++;
	return from;
}

static void check_bytes(const char *what, const unsigned char *data, size_t from, size_t to,
			int value)
{
	size_t at = first_other(data, from, to, value);
	ck_assert_msg(at == to, "%s: byte %zu is %02x, not %02x", what, at, data[at < to ? at : 0],
		      value);
}

static void check_outside(const char *what, const unsigned char *data, const struct region *g)
{
	check_bytes(what, data, 0, g->offset, BEFORE);
	check_bytes(what, data, g->offset + blocks_of(g) * g->block, g->file, BEFORE);
}

static void check_size(const char *path, size_t bytes)
{
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	if (S_ISREG(st.st_mode))
		ck_assert_uint_eq((size_t)st.st_size, bytes);
}

/* As many I/Os as there are blocks, and no block without one: each had one. */
static void one_pass(const char *path, const struct iob_engine_ops *e, const struct region *g,
		     const struct shape *s, unsigned passes)
{
	char text[512];
	size_t blocks = blocks_of(g);
	int len = describe(text, sizeof(text), e, g, s);
	snprintf(text + len, sizeof(text) - (size_t)len, " read_percent=0 io_size=%zu",
		 passes * blocks * g->block);
	struct iob_result *r = work_run(text, path, IOB_TARGET_ALLOW_DESTROY);
	ck_assert_msg(iob_result_flags(r) == 0, "%s: flags %u", text, iob_result_flags(r));
	ck_assert_msg(iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS) == passes * blocks,
		      "%s: %llu I/Os for %zu blocks", text,
		      (unsigned long long)iob_result_count(r, IOB_OP_WRITE, IOB_COUNT_IOS), blocks);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 0);
	iob_result_free(r);
	unsigned char *data = work_read(path, g->file);
	check_outside(text, data, g);
	check_bytes(text, data, g->offset, g->offset + blocks * g->block, WRITTEN);
	check_size(path, g->file);
	free(data);
}

static int fits(const struct region *g, const struct shape *s)
{
	return blocks_of(g) >= (size_t)s->workers;
}

START_TEST(every_block_of_a_file_once)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i / REGIONS);
	const struct region *g = &regions[_i % REGIONS];
	char path[512];
	snprintf(path, sizeof(path), "%s/once-%d", scratch, _i);
	for (int k = 0; k < SHAPES; k++) {
		if (!fits(g, &shapes[k]))
			continue;
		work_file(path, g->file, BEFORE);
		one_pass(path, e, g, &shapes[k], 1 + (unsigned)k % 2);
	}
	unlink(path);
}
END_TEST

static const struct region device_regions[] = {
	{ 4096 * K, 0, 0, 4 * K },
	{ 4096 * K, 64 * K, 1000 * K, 16 * K },
	{ 4096 * K, 1024 * K, 1332 * K, 64 * K },
};
enum {
	DEVICE_REGIONS = sizeof(device_regions) / sizeof(device_regions[0])
};

START_TEST(every_block_of_a_device_once)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i / 2);
	struct dev dev;
	ck_assert_int_eq(dev_loop(4096 * K, _i % 2 ? 4096 : 512, &dev), 0);
	for (int i = 0; i < DEVICE_REGIONS * SHAPES; i++) {
		const struct region *g = &device_regions[i / SHAPES];
		if (!fits(g, &shapes[i % SHAPES]))
			continue;
		unsigned char *data = malloc(g->file);
		memset(data, BEFORE, g->file);
		FILE *f = fopen(dev.path, "r+");
		ck_assert_uint_eq(fwrite(data, 1, g->file, f), g->file);
		ck_assert_int_eq(fclose(f), 0);
		free(data);
		one_pass(dev.path, e, g, &shapes[i % SHAPES], 1);
	}
}
END_TEST

/* What else a workload can be made of; each is cut into `unit`s that are either whole
 * or untouched. */
static const struct blend {
	const char *parameters;
	size_t unit;
	int least_share, most_share; /* of the units of the region written, percent */
} blends[] = {
	{ "read_percent=50 seed=7", 16 * K, 30, 70 },
	{ "read_percent=90 seed=7", 16 * K, 1, 25 },
	{ "read_percent=0 block_size=4k:50,16k:50 seed=7", 4 * K, 40, 90 },
	{ "read_percent=0 block_size_write=32k", 32 * K, 100, 100 },
	{ "read_percent=0 repeats=true seed=7", 16 * K, 40, 90 },
	{ "read_percent=0 pattern=sequential fsync_every=3", 16 * K, 100, 100 },
	{ "read_percent=0 sync=data", 16 * K, 100, 100 },
	{ "read_percent=0 sync=all", 16 * K, 100, 100 },
	{ "read_percent=0 offset=48k size=960k", 16 * K, 100, 100 },
};
enum {
	BLENDS = sizeof(blends) / sizeof(blends[0])
};
static const struct region blend_region = { 2048 * K + 300, 256 * K, 1024 * K, 16 * K };

static size_t count_written(const unsigned char *data, const struct region *g, size_t unit)
{
	size_t written = 0;
	for (size_t at = g->offset; at < g->offset + g->size; at += unit) {
		size_t whole = first_other(data, at, at + unit, data[at]);
		ck_assert_msg(whole == at + unit, "the block at %zu is torn at %zu", at, whole);
		ck_assert_msg(data[at] == WRITTEN || data[at] == BEFORE, "byte %zu: %02x", at,
			      data[at]);
		written += data[at] == WRITTEN;
	}
	return written;
}

static int lacks(const struct iob_engine_ops *e, const char *parameters)
{
	return strstr(parameters, "fsync_every") && !(e->caps & IOB_ENGINE_FSYNC);
}

/* A pass in I/Os of the region; the block size of the shape yields to the blend's. */
START_TEST(blends_stay_inside)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i / BLENDS);
	const struct blend *b = &blends[_i % BLENDS];
	struct region g = blend_region;
	char path[512], text[512];
	if (lacks(e, b->parameters))
		return;
	if (strstr(b->parameters, "offset=48k"))
		g.offset = 48 * K, g.size = 960 * K;
	snprintf(path, sizeof(path), "%s/blend-%d", scratch, _i);
	for (int workers = 1; workers <= 16; workers += 15) {
		struct shape s = { "random", workers, 4 };
		work_file(path, g.file, BEFORE);
		int len = describe(text, sizeof(text), e, &g, &s);
		snprintf(text + len, sizeof(text) - (size_t)len, " %s io_size=%zu", b->parameters,
			 g.size);
		struct iob_result *r = work_run(text, path, IOB_TARGET_ALLOW_DESTROY);
		ck_assert_msg(iob_result_flags(r) == 0, "%s: flags %u", text, iob_result_flags(r));
		iob_result_free(r);
		unsigned char *data = work_read(path, g.file);
		check_outside(text, data, &g);
		size_t share = count_written(data, &g, b->unit) * 100 / (g.size / b->unit);
		ck_assert_msg((int)share >= b->least_share && (int)share <= b->most_share,
			      "%s: %zu %% written", text, share);
		check_size(path, g.file);
		free(data);
	}
	unlink(path);
}
END_TEST

/* A trimmed file has holes: zeros where the region is, the rest as it was. */
START_TEST(trim_stays_inside)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	const struct region *g = &blend_region;
	struct shape s = { "random", 3, 2 };
	char path[512], text[512];
	int len = describe(text, sizeof(text), e, g, &s);
	snprintf(text + len, sizeof(text) - (size_t)len, " trim_percent=100 io_size=%zu", g->size);
	snprintf(path, sizeof(path), "%s/trim-%d", scratch, _i);
	work_file(path, g->file, BEFORE);
	if (!(e->caps & IOB_ENGINE_TRIM)) {
		struct iob_error err = { 0 };
		struct iob_workload *w = work(text, path, IOB_TARGET_ALLOW_DESTROY);
		ck_assert_int_lt(iob_workload_check(w, &err), 0);
		ck_assert_str_eq(err.where, "trim_percent");
		iob_workload_free(w);
		return;
	}
	struct iob_result *r = work_run(text, path, IOB_TARGET_ALLOW_DESTROY);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	ck_assert_uint_eq(iob_result_count(r, IOB_OP_TRIM, IOB_COUNT_IOS), g->size / g->block);
	iob_result_free(r);
	unsigned char *data = work_read(path, g->file);
	check_outside(text, data, g);
	check_bytes(text, data, g->offset, g->offset + g->size, 0);
	check_size(path, g->file);
	free(data);
	unlink(path);
}
END_TEST

/* Reading changes nothing, also where writing was allowed. */
START_TEST(reads_leave_no_trace)
{
	const struct iob_engine_ops *e = work_engine((size_t)_i);
	const struct region *g = &regions[1];
	char path[512], text[512];
	struct stat before, after;
	snprintf(path, sizeof(path), "%s/read-%d", scratch, _i);
	work_file(path, g->file, BEFORE);
	ck_assert_int_eq(chmod(path, 0400), 0);
	ck_assert_int_eq(stat(path, &before), 0);
	for (unsigned flags = 0; flags <= IOB_TARGET_ALLOW_DESTROY;
	     flags += IOB_TARGET_ALLOW_DESTROY) {
		int len = describe(text, sizeof(text), e, g, &shapes[3]);
		snprintf(text + len, sizeof(text) - (size_t)len, " io_size=%zu", g->file * 2);
		struct iob_result *r = work_run(text, path, flags);
		ck_assert_uint_eq(iob_result_flags(r), 0);
		ck_assert_uint_ge(iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS), 256);
		iob_result_free(r);
	}
	ck_assert_int_eq(stat(path, &after), 0);
	ck_assert_mem_eq(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	ck_assert_mem_eq(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim));
	unsigned char *data = work_read(path, g->file);
	check_bytes(text, data, 0, g->file, BEFORE);
	free(data);
	unlink(path);
}
END_TEST

static void make_scratch(void)
{
	struct dev dev;
	int error = dev_begin();
	if (error)
		work_skip("a scratch directory", error);
	snprintf(scratch, sizeof(scratch), "%s", dev_dir());
	error = dev_loop(1 << 20, 0, &dev);
	have_device = !error;
	if (error)
		printf("without block devices: %s\n", strerror(-error));
}

static Suite *suite(void)
{
	Suite *s = suite_create("writes");
	TCase *t = tcase_create("writes");
	int engines = (int)work_engine_count();
	make_scratch();
	tcase_add_loop_test(t, every_block_of_a_file_once, 0, engines * REGIONS);
	if (have_device)
		tcase_add_loop_test(t, every_block_of_a_device_once, 0, engines * 2);
	tcase_add_loop_test(t, blends_stay_inside, 0, engines * BLENDS);
	tcase_add_loop_test(t, trim_stays_inside, 0, engines);
	tcase_add_loop_test(t, reads_leave_no_trace, 0, engines);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
