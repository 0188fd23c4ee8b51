/* SPDX-License-Identifier: MIT */
/* The rules on nodes made by hand: on one side of each threshold a finding is
 * there, on the other it is not. What the machine must do for it on a real run
 * is in tests/device. */
#include "support/seeds.h"
#include "support/tree.h"
#include <math.h>
#include <stddef.h>

enum {
	MIB = 1 << 20
};

/* A second of 4 KiB reads at depth 1, none of which waits. */
static struct iob_result *node(const char *const *params)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	static const char *const usual[][2] = {
		{ "engine", "psync" },  { "engine_kind", "sync" }, { "workers", "1" },
		{ "queue_depth", "1" }, { "direct", "true" },      { "block_size", "4k" },
		{ "size", "1g" },       { "sync", "data" },        { "buffer", "random" },
	};
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		ck_assert_int_eq(iobi_pairs_set(&w->params, usual[i][0], usual[i][1]), 0);
		ck_assert_int_eq(iobi_pairs_set(&w->effective, usual[i][0], usual[i][1]), 0);
	}
	for (; params && params[0]; params += 2) {
		ck_assert_int_eq(iobi_pairs_set(&w->params, params[0], params[1]), 0);
		ck_assert_int_eq(iobi_pairs_set(&w->effective, params[0], params[1]), 0);
	}
	w->elapsed_ns = 1000000000;
	return w;
}

static void has(const struct iob_result *r, const char *code, int there)
{
	const struct iob_finding *f = seed_finding(r, code);
	ck_assert_msg(!f == !there, "%s: %s", code, f ? f->message : "is not there");
}

/* ---- what was seen of the machine ---- */

#define AT(field) offsetof(struct iobi_machine, field)

static const struct {
	const char *code;
	size_t field;
	double below, above;
	size_t other; /* what must be seen beside it */
	double value;
} seen[] = {
	{ "steal", AT(steal), 0.0099, 0.0101, 0, NAN },
	{ "clock", AT(clock_read_ns), 99, 101, AT(clock_is_tsc), 1 },
	{ "clock", AT(clock_is_tsc), 1, 0, AT(clock_read_ns), 20 },
	{ "cpu-bound", AT(cpu_worker), 0.949, 0.951, 0, NAN },
	{ "cpu-bound", AT(cpu_wait), 0.449, 0.451, AT(cpu_worker), 0.5 },
	{ "cpu-bound", AT(cpu_all), 0.949, 0.951, 0, NAN },
	{ "core-wait", AT(idle), 0.051, 0.049, AT(cpu_wait), 0.2 },
	{ "core-wait", AT(cpu_wait), 0.099, 0.101, AT(idle), 0.01 },
	{ "unwritten", AT(holes), 0.099, 0.101, 0, NAN },
	{ "unwritten", AT(zero_blocks), 0.899, 0.901, AT(blocks_seen), 8 },
	{ "unwritten", AT(blocks_seen), 7, 8, AT(zero_blocks), 1 },
	{ "direct-not-honoured", AT(resident_after), 0.5, 0.51, AT(resident_before), 0 },
	{ "direct-not-honoured", AT(resident_before), 0.9, 0.89, AT(resident_after), 1 },
};

static struct iob_result *seen_as(int i, double value)
{
	struct iob_result *w = node(NULL);
	char *at = (char *)&w->machine;
	tree_io(w, IOB_OP_READ, 10000, 4096, 99000);
	if (!isnan(seen[i].value))
		*(double *)(at + seen[i].other) = seen[i].value;
	*(double *)(at + seen[i].field) = value;
	tree_close(w);
	return w;
}

START_TEST(the_machine)
{
	struct iob_result *below = seen_as(_i, seen[_i].below),
			  *above = seen_as(_i, seen[_i].above);
	has(below, seen[_i].code, 0);
	has(above, seen[_i].code, 1);
	has(above, "depth-not-reached", 0);
	iob_result_free(below);
	iob_result_free(above);
}
END_TEST

/* ---- rate, latency and depth ---- */

struct shape {
	const char *depth, *workers, *kind;
	uint64_t ios, ns;
	double failing;
	const char *code;
};

static const struct shape shapes[] = {
	/* 8 asked: 7.1 are too few, 7.3 are enough */
	{ "8", "1", "async", 10000, 710000, 0, "depth-not-reached" },
	{ "8", "1", "async", 10000, 730000, 0, NULL },
	/* what failed was in flight as well */
	{ "8", "1", "async", 10000, 600000, 1.3, NULL },
	{ "8", "1", "async", 10000, 600000, 1.1, "depth-not-reached" },
	/* a sync engine does one at a time, whatever its name */
	{ "8", "1", "sync", 10000, 99000, 0, "depth-not-reached" },
	{ "1", "4", "sync", 10000, 370000, 0, NULL },
	{ "1", "4", "sync", 10000, 350000, 0, "harness-bound" },
	{ "1", "1", "sync", 10000, 99000, 0, "depth-one-bound" },
	/* under 1,000 I/Os nothing is said */
	{ "8", "1", "async", 999, 710000, 0, NULL },
	/* more in flight than can be */
	{ "8", "1", "async", 10000, 810000, 0, "impossible" },
	{ "8", "1", "async", 10000, 800500, 0, NULL },
};

START_TEST(depths)
{
	static const char *const codes[] = { "depth-not-reached", "harness-bound",
					     "depth-one-bound", "impossible" };
	const struct shape *s = &shapes[_i];
	const char *params[] = { "queue_depth", s->depth, "workers", s->workers,
				 "engine_kind", s->kind,  NULL };
	struct iob_result *w = node(params);
	tree_io(w, IOB_OP_READ, s->ios, 4096, s->ns);
	w->machine.failing = s->failing;
	w->op[IOB_OP_READ].count[IOB_COUNT_ERRORS] = s->failing > 0;
	tree_close(w);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		has(w, codes[i], s->code && !strcmp(codes[i], s->code));
	iob_result_free(w);
}
END_TEST

/* Nobody saw how long they took: nothing is said of the queue. */
START_TEST(failed_for_an_unknown_time)
{
	const char *params[] = { "queue_depth", "8", NULL };
	struct iob_result *w = node(params);
	tree_io(w, IOB_OP_READ, 10000, 4096, 99000);
	w->op[IOB_OP_READ].count[IOB_COUNT_ERRORS] = 1;
	tree_close(w);
	has(w, "depth-not-reached", 0);
	has(w, "errors", 1);
	iob_result_free(w);
}
END_TEST

static const char *const waits[][2] = { { "think_time", "1ms" },
					{ "rate_iops", "100" },
					{ "rate_bytes", "1MB/s" },
					{ "arrival", "fixed" } };

START_TEST(what_waits_on_purpose)
{
	const char *params[] = { "queue_depth", "8", waits[_i][0], waits[_i][1], NULL };
	struct iob_result *w = node(params);
	tree_io(w, IOB_OP_READ, 10000, 4096, 9000);
	tree_close(w);
	has(w, "depth-not-reached", 0);
	has(w, "harness-bound", 0);
	iob_result_free(w);
}
END_TEST

/* A worker at the end of its core explains a shallow queue, but not one that the
 * engine cannot have. */
START_TEST(the_core_explains_it)
{
	const char *params[] = { "queue_depth", "8", "engine_kind", "async", NULL };
	struct iob_result *w = node(params);
	tree_io(w, IOB_OP_READ, 10000, 4096, 99000);
	w->machine.cpu_worker = 1;
	tree_close(w);
	has(w, "cpu-bound", 1);
	has(w, "depth-not-reached", 0);
	iob_result_free(w);
	params[3] = "sync";
	w = node(params);
	tree_io(w, IOB_OP_READ, 10000, 4096, 99000);
	w->machine.cpu_worker = 1;
	tree_close(w);
	has(w, "depth-not-reached", 1);
	iob_result_free(w);
}
END_TEST

/* ---- regions, flushes, limits ---- */

static const struct {
	const char *name, *value;
	enum iob_op op;
	uint64_t ios, ns;
	const char *code;
	int there;
} plans[] = {
	{ "size", "63m", IOB_OP_READ, 16200, 50000, "small-working-set", 1 },
	{ "size", "63m", IOB_OP_READ, 16000, 50000, "small-working-set", 0 },
	{ "size", "64m", IOB_OP_READ, 20000, 50000, "small-working-set", 0 },
	{ "size", "400m", IOB_OP_READ, 10000, 50000, "low-coverage", 1 },
	{ "size", "390m", IOB_OP_READ, 10000, 50000, "low-coverage", 0 },
	{ "buffer", "zero", IOB_OP_WRITE, 1000, 50000, "zero-buffers", 1 },
	{ "buffer", "zero", IOB_OP_READ, 1000, 50000, "zero-buffers", 0 },
	{ "buffer", "pattern:0000", IOB_OP_WRITE, 1000, 50000, "zero-buffers", 1 },
	{ "buffer", "pattern:0001", IOB_OP_WRITE, 1000, 50000, "zero-buffers", 0 },
	{ "direct", "false", IOB_OP_WRITE, 1000, 50000, "unflushed", 0 },
	{ "link_limit", "40MB/s", IOB_OP_READ, 10000, 50000, "above-link", 1 },
	{ "link_limit", "41MB/s", IOB_OP_READ, 10000, 50000, "above-link", 0 },
	{ "round_trip", "51us", IOB_OP_READ, 10000, 50000, "below-round-trip", 1 },
	{ "round_trip", "50us", IOB_OP_READ, 10000, 50000, "below-round-trip", 0 },
	{ "round_trip", "51us", IOB_OP_WRITE, 10000, 50000, "below-round-trip", 0 },
};

START_TEST(plan)
{
	const char *params[] = { plans[_i].name, plans[_i].value, NULL };
	struct iob_result *w = node(params);
	tree_io(w, plans[_i].op, plans[_i].ios, 4096, plans[_i].ns);
	tree_close(w);
	has(w, plans[_i].code, plans[_i].there);
	iob_result_free(w);
}
END_TEST

START_TEST(writes_that_nobody_flushed)
{
	const char *params[] = { "sync", "none", "direct", "false", NULL, NULL, NULL };
	struct iob_result *w = node(params);
	tree_io(w, IOB_OP_WRITE, 1000, 4096, 50000);
	tree_close(w);
	has(w, "unflushed", 1);
	iob_result_free(w);
	params[4] = "end_sync";
	params[5] = "true";
	w = node(params);
	tree_io(w, IOB_OP_WRITE, 1000, 4096, 50000);
	tree_close(w);
	has(w, "unflushed", 0);
	iob_result_free(w);
}
END_TEST

/* ---- samples ---- */

START_TEST(samples)
{
	struct iob_result *w = node(NULL);
	tree_io(w, IOB_OP_READ, 10000, 4096, 50000); /* 1 beyond p99.99, 10 beyond p99.9 */
	ck_assert_int_eq(iobi_pairs_set(&w->params, "percentiles", "99,99.9"), 0);
	tree_close(w);
	has(w, "few-samples", 0);
	ck_assert_int_eq(iobi_pairs_set(&w->params, "percentiles", "99.9,99.99,99.999"), 0);
	tree_close(w);
	const struct iob_finding *f = seed_finding(w, "few-samples");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->message,
			 "of 10000 reads less than one lies beyond p99.999 (0.100), which must not "
			 "be quoted; fewer than ten beyond p99.99 (1)");
	ck_assert_double_eq(seed_number(f, "not_to_quote"), 1);
	ck_assert_double_eq(seed_number(f, "marked"), 1);
	iob_result_free(w);
}
END_TEST

/* ---- stalls ---- */

START_TEST(stalls)
{
	static const struct {
		uint64_t n, ns;
		int there;
	} slow[] = {
		{ 1, 1010000000, 1 }, /* over a second */
		{ 1, 990000000, 1 },  /* under it, and a twentieth of the run's 10 s */
		{ 1, 400000000, 0 },  /* 4 % of it */
		{ 5, 210000000, 1 },  /* a handful, 10 % */
		{ 6, 210000000, 0 },  /* that is how the device is */
		{ 9, 190000000, 0 },  /* long waits of a throttle's slice */
	};
	struct iob_result *w = node(NULL);
	w->elapsed_ns = 10000000000;
	tree_io(w, IOB_OP_READ, 9000, 4096, 900000);
	tree_io(w, IOB_OP_READ, slow[_i].n, 4096, slow[_i].ns);
	tree_close(w);
	has(w, "stall", slow[_i].there);
	iob_result_free(w);
}
END_TEST

/* ---- devices ---- */

struct member {
	uint64_t bytes, ios;
};

/* md0, or what `kind` and `about` say, of members with so many requests each. */
static struct iob_result *layer(const char *kind, const char *about, const struct member *m,
				size_t n)
{
	struct iob_result *w = node(NULL);
	char name[4][8];
	const char *below[5] = { NULL };
	tree_io(w, IOB_OP_READ, 10000, 4096, 99000);
	for (size_t i = 0; i < n; i++) {
		snprintf(name[i], sizeof(name[i]), "sd%c", (char)('a' + i));
		below[i] = name[i];
	}
	for (size_t i = 0; i <= n; i++) {
		struct iobi_device d = { .below = i ? calloc(1, sizeof(char *))
						    : calloc(n + 1, sizeof(char *)) };
		if (!i)
			memcpy(d.below, below, n * sizeof(*below));
		d.use = (struct iob_device_use){ .size = sizeof(d.use),
						 .name = i ? name[i - 1] : "md0",
						 .kind = i ? "disk" : kind,
						 .about = i ? "" : about,
						 .machine = "m",
						 .depth = i ? 1 : 0,
						 .n_below = i ? 0 : (uint32_t)n,
						 .device_bytes = i ? m[i - 1].bytes : 1 << 30,
						 .flags = i ? IOB_DEVICE_PART : IOB_DEVICE_TARGET };
		struct iob_device_io *io = &d.use.op[IOB_OP_READ];
		io->ios = i ? m[i - 1].ios : 10000;
		io->bytes = io->ios * 4096;
		io->issued_ios = 10000;
		io->issued_bytes = 10000 * 4096;
		ck_assert_int_eq(iobi_devices_add(w, &d), 0);
		free(d.below);
	}
	tree_close(w);
	return w;
}

START_TEST(skewed_members)
{
	static const struct {
		const char *kind, *about;
		struct member m[3];
		int there;
	} layers[] = {
		{ "md", "raid0, 3 disks", { { 100, 6000 }, { 100, 2000 }, { 100, 2000 } }, 1 },
		{ "md", "raid0, 3 disks", { { 100, 5900 }, { 100, 2000 }, { 100, 2100 } }, 0 },
		/* all of it on one; paths, of which one is used; metadata beside the data */
		{ "md", "raid0, 3 disks", { { 100, 10000 }, { 100, 0 }, { 100, 0 } }, 1 },
		{ "dm", "multipath a", { { 100, 10000 }, { 100, 0 }, { 100, 0 } }, 0 },
		{ "disk", "NVMe", { { 100, 10000 }, { 100, 0 }, { 100, 0 } }, 0 },
		{ "dm", "LVM vg/pool", { { 1000, 9000 }, { 10, 500 }, { 10, 500 } }, 0 },
	};
	struct iob_result *w = layer(layers[_i].kind, layers[_i].about, layers[_i].m, 3);
	has(w, "skew", layers[_i].there);
	iob_result_free(w);
}
END_TEST

/* A write that is to be flushed makes two requests of the kernel's, of which one
 * moves nothing; two that move something are two. */
static struct iob_result *flushed(uint64_t requests, uint32_t flags)
{
	struct iob_result *w = node(NULL);
	struct iobi_device d = { .below = calloc(1, sizeof(char *)) };
	tree_io(w, IOB_OP_WRITE, 10000, 4096, 99000);
	d.use = (struct iob_device_use){ .size = sizeof(d.use),
					 .name = "sda",
					 .kind = "disk",
					 .about = "",
					 .machine = "m",
					 .flags = IOB_DEVICE_TARGET | flags };
	d.use.op[IOB_OP_WRITE].ios = requests;
	d.use.op[IOB_OP_WRITE].bytes = d.use.op[IOB_OP_WRITE].issued_bytes = 10000 * 4096;
	d.use.op[IOB_OP_WRITE].issued_ios = 10000;
	ck_assert_int_eq(iobi_devices_add(w, &d), 0);
	free(d.below);
	tree_close(w);
	return w;
}

START_TEST(flushes_are_no_parts)
{
	struct iob_result *w = flushed(20000, IOB_DEVICE_WRITE_CACHE);
	has(w, "request-split", 0);
	iob_result_free(w);
	w = flushed(30000, IOB_DEVICE_WRITE_CACHE);
	has(w, "request-split", 1);
	ck_assert_double_eq(seed_number(seed_finding(w, "request-split"), "requests_per_io"), 2);
	iob_result_free(w);
	w = flushed(20000, 0);
	has(w, "request-split", 1);
	iob_result_free(w);
}
END_TEST

/* ---- all of them ---- */

START_TEST(every_rule_tells_itself)
{
	const struct iob_finding_info *info;
	size_t n = 0;
	for (; (info = iob_finding_info(n)); n++) {
		ck_assert_uint_eq(info->size, sizeof(*info));
		ck_assert(*info->code && *info->family);
		ck_assert_msg(strlen(info->rule) > 10 && strlen(info->advice) > 10 &&
				      strlen(info->example) > 10,
			      "%s", info->code);
		ck_assert_msg(info->rule[strlen(info->rule) - 1] == '.', "%s", info->code);
		for (size_t i = 0; i < n; i++)
			ck_assert_str_ne(iob_finding_info(i)->code, info->code);
	}
	ck_assert_uint_ge(n, 30);
}
END_TEST

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

static Suite *suite(void)
{
	Suite *s = suite_create("findings");
	TCase *t = tcase_create("rules");
	tcase_add_loop_test(t, the_machine, 0, LEN(seen));
	tcase_add_loop_test(t, depths, 0, LEN(shapes));
	tcase_add_test(t, failed_for_an_unknown_time);
	tcase_add_loop_test(t, what_waits_on_purpose, 0, LEN(waits));
	tcase_add_test(t, the_core_explains_it);
	tcase_add_loop_test(t, plan, 0, LEN(plans));
	tcase_add_test(t, writes_that_nobody_flushed);
	tcase_add_test(t, samples);
	tcase_add_loop_test(t, stalls, 0, 6);
	tcase_add_loop_test(t, skewed_members, 0, 6);
	tcase_add_test(t, flushes_are_no_parts);
	tcase_add_test(t, every_rule_tells_itself);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
