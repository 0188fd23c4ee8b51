/* SPDX-License-Identifier: MIT */
/* What devices did, in results: joined, merged, reported and read back. */
#include "support/nomem.h"
#include "support/tree.h"
#include <math.h>

/* A device of 1 s in which it did `ios` reads of 4 KiB, half its time busy. */
static struct iobi_device plain(const char *name, uint64_t ios, char **below, uint32_t n_below)
{
	struct iobi_device d = { .use = { .name = name,
					  .kind = "disk",
					  .about = "some \xff disk",
					  .machine = "here",
					  .device_bytes = UINT64_C(1) << 40,
					  .length_ns = 1000 * UINT64_C(1000000),
					  .n_below = n_below,
					  .busy_ms = 500,
					  .queue_ms = 2000 },
				 .below = below };
	d.use.op[IOB_OP_READ] = (struct iob_device_io){ .ios = ios,
							.bytes = ios * 4096,
							.ticks_ms = 2000,
							.issued_ios = 100,
							.issued_bytes = 100 * 8192 };
	return d;
}

static void add(struct iob_result *r, struct iobi_device d, const struct iob_device_interval *v,
		size_t n)
{
	d.interval = (struct iob_device_interval *)v;
	d.n_intervals = n;
	ck_assert_int_eq(iobi_devices_add(r, &d), 0);
}

/* loop0 on sda; each with two intervals. */
static struct iob_result *loop_on_disk(uint64_t loop_ios, uint64_t disk_ios)
{
	static const struct iob_device_interval v[2] = {
		{ sizeof(v[0]), 0, 0, 500000000, 100, 409600, 1, 512, 250, 1000 },
		{ sizeof(v[0]), 0, 500000000, 500000000, 100, 409600, 2, 1024, 250, 1000 },
	};
	static char *below[] = { "sda" };
	struct iob_result *w = tree_mixed_workload();
	struct iobi_device loop = plain("loop0", loop_ios, below, 1);
	loop.use.kind = "loop";
	loop.use.about = "on /tmp/a";
	loop.use.flags = IOB_DEVICE_TARGET | IOB_DEVICE_WRITE_CACHE;
	add(w, loop, v, 2);
	struct iobi_device disk = plain("sda", disk_ios, NULL, 0);
	disk.use.depth = 1;
	disk.use.flags = IOB_DEVICE_ROTATIONAL;
	disk.use.op[IOB_OP_WRITE] =
		(struct iob_device_io){ .ios = 3, .merges = 4, .bytes = 1536, .ticks_ms = 5 };
	disk.use.op[IOB_OP_TRIM] = (struct iob_device_io){ .ios = 2, .bytes = 8192 };
	disk.use.op[IOB_OP_SYNC] = (struct iob_device_io){ .ios = 7, .ticks_ms = 8 };
	add(w, disk, v, 2);
	ck_assert_int_eq(iobi_devices_derive(w), 0);
	return w;
}

static const struct iob_device_use *at(const struct iob_result *r, size_t i)
{
	const struct iob_device_use *u = iob_result_device(r, i);
	ck_assert_ptr_nonnull(u);
	return u;
}

#define ck_near(value, wanted) ck_assert_double_eq_tol(value, wanted, 1e-9)

START_TEST(what_follows_from_counts)
{
	struct iob_result *w = loop_on_disk(200, 50);
	const struct iob_device_use *u = at(w, 0);
	ck_assert_uint_eq(iob_result_device_count(w), 2);
	ck_assert_uint_eq(u->size, sizeof(*u));
	ck_assert_uint_eq(u->above, UINT32_MAX);
	ck_assert_uint_eq(u->n_below, 1);
	ck_assert_uint_eq(u->below[0], 1);
	ck_near(u->utilisation, 0.5);
	ck_near(u->in_flight, 2);
	ck_near(u->mean_request, 4096);
	ck_near(u->requests_per_io, 2);
	ck_assert_int_eq(u->foreign_bytes, 0);
	ck_near(u->member_ios.mean, 55);
	ck_assert_uint_eq(u->member_ios.worst, 1);
	u = at(w, 1);
	ck_assert_uint_eq(u->above, 0);
	ck_assert_uint_eq(u->op[IOB_OP_ALL].ios, 55); /* flushes are not in it */
	ck_assert_uint_eq(u->op[IOB_OP_ALL].bytes, 50 * 4096 + 1536 + 8192);
	ck_assert_uint_eq(u->op[IOB_OP_ALL].merges, 4);
	ck_near(u->requests_per_io, 0.55);
	ck_near(u->mean_request, (50 * 4096 + 1536) / 53.0);
	ck_assert_int_eq(u->foreign_bytes, 50 * 4096 + 1536 + 8192 - 819200);
	ck_assert_ptr_null(iob_result_device(w, 2));
	ck_assert_ptr_null(iob_result_device(NULL, 0));
	ck_assert_uint_eq(iob_result_device_interval_count(w, 0), 2);
	ck_assert_uint_eq(iob_result_device_interval_count(w, 2), 0);
	ck_assert_uint_eq(iob_result_device_interval(w, 1, 1)->write_bytes, 1024);
	ck_assert_ptr_null(iob_result_device_interval(w, 1, 2));
	/* A worker has its workload's. */
	ck_assert_uint_eq(iob_result_device_count(iob_result_child(w, 0)), 2);
	ck_assert_ptr_eq(iob_result_device(iob_result_child(w, 1), 1), u);
	iob_result_free(w);
}
END_TEST

/* Two workloads on one device counted the same requests: once in the stage.
 * Stages follow one another: added up in the suite. */
START_TEST(stages_and_suites)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *second = tree_mixed_workload();
	struct iobi_device other = plain("sdb", 10, NULL, 0);
	add(second, plain("sda", 50, NULL, 0), NULL, 0);
	second->device[0].use.flags = IOB_DEVICE_TARGET;
	add(second, other, NULL, 0);
	tree_close(second);
	tree_adopt(root, tree_stage("1", loop_on_disk(200, 50), second));
	tree_adopt(root, tree_stage("2", loop_on_disk(300, 70), NULL));
	tree_close(root);
	const struct iob_result *stage = iob_result_child(root, 0);
	ck_assert_uint_eq(iob_result_device_count(stage), 3);
	ck_assert_str_eq(at(stage, 1)->name, "sda");
	ck_assert_uint_eq(at(stage, 1)->op[IOB_OP_READ].ios, 50);
	ck_assert_uint_eq(at(stage, 1)->flags, IOB_DEVICE_ROTATIONAL | IOB_DEVICE_TARGET);
	ck_assert_uint_eq(at(stage, 1)->length_ns, 1000000000);
	ck_assert_str_eq(at(stage, 2)->name, "sdb");
	ck_assert_uint_eq(at(stage, 2)->above, UINT32_MAX);
	ck_assert_uint_eq(iob_result_device_count(root), 3);
	ck_assert_uint_eq(at(root, 0)->op[IOB_OP_READ].ios, 500);
	ck_assert_uint_eq(at(root, 0)->op[IOB_OP_READ].issued_ios, 200);
	ck_assert_uint_eq(at(root, 0)->length_ns, 2000000000);
	ck_near(at(root, 0)->utilisation, 0.5);
	ck_near(at(root, 0)->requests_per_io, 2.5);
	ck_assert_uint_eq(at(root, 1)->op[IOB_OP_READ].ios, 120);
	ck_assert_uint_eq(at(root, 1)->op[IOB_OP_SYNC].ios, 14);
	ck_assert_uint_eq(at(root, 2)->op[IOB_OP_READ].ios, 10);
	ck_assert_uint_eq(at(root, 2)->length_ns, 1000000000);
	/* the series one after the other: the first stage was 2 s long */
	ck_assert_uint_eq(iob_result_device_interval_count(root, 0), 4);
	ck_assert_uint_eq(iob_result_device_interval(root, 0, 2)->start_ns, 2000000000);
	ck_assert_uint_eq(iob_result_device_interval(root, 0, 3)->start_ns, 2500000000);
	iob_result_free(root);
}
END_TEST

/* "No times yet" of a first short stage is no "no times" of the suite. */
START_TEST(flags_of_stages)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *first = loop_on_disk(1, 1), *last = loop_on_disk(2, 2);
	first->device[0].use.flags |= IOB_DEVICE_NO_TICKS;
	last->device[1].use.flags |= IOB_DEVICE_NO_COUNTERS;
	tree_adopt(root, tree_stage("1", first, NULL));
	tree_adopt(root, tree_stage("2", last, NULL));
	tree_close(root);
	ck_assert(isnan(at(iob_result_child(root, 0), 0)->utilisation));
	ck_assert(!isnan(at(root, 0)->utilisation));
	ck_assert_uint_eq(at(root, 0)->flags & IOB_DEVICE_NO_TICKS, 0);
	ck_assert(at(root, 1)->flags & IOB_DEVICE_NO_COUNTERS);
	ck_assert(isnan(at(root, 1)->utilisation));
	iob_result_free(root);
}
END_TEST

/* Processes of one machine saw the same requests; another machine has a disk of
 * that name of its own. */
START_TEST(merging)
{
	struct iob_result *a = loop_on_disk(200, 50), *b = loop_on_disk(210, 60);
	struct iob_result *c = loop_on_disk(1, 1);
	struct iob_error err = { 0 };
	b->device[0].use.length_ns += 5;
	for (size_t i = 0; i < 2; i++) {
		free((char *)c->device[i].use.machine);
		c->device[i].use.machine = strdup("there");
	}
	const struct iob_result *parts[] = { a, b, c };
	struct iob_result *m = iob_result_merge(parts, 3, &err);
	ck_assert_msg(m != NULL, "%s", err.message);
	ck_assert_uint_eq(iob_result_device_count(m), 4);
	ck_assert_uint_eq(at(m, 0)->op[IOB_OP_READ].ios, 210); /* the longer reading */
	ck_assert_uint_eq(at(m, 0)->op[IOB_OP_READ].issued_ios, 200);
	ck_assert_uint_eq(at(m, 0)->op[IOB_OP_READ].issued_bytes, 200 * 8192);
	ck_assert_uint_eq(at(m, 1)->op[IOB_OP_READ].ios, 50); /* the first of equal ones */
	ck_assert_uint_eq(iob_result_device_interval_count(m, 0), 2);
	ck_assert_str_eq(at(m, 2)->machine, "there");
	ck_assert_uint_eq(at(m, 2)->below[0], 3);
	ck_assert_uint_eq(at(m, 0)->below[0], 1);
	ck_assert_uint_eq(at(m, 3)->op[IOB_OP_READ].ios, 1);
	iob_result_free(m);
	/* Of one part it is a copy. */
	m = iob_result_merge(parts, 1, &err);
	ck_assert_uint_eq(at(m, 0)->op[IOB_OP_READ].ios, 200);
	ck_assert_uint_eq(at(m, 0)->op[IOB_OP_READ].issued_ios, 100);
	iob_result_free(m);
	iob_result_free(a);
	iob_result_free(b);
	iob_result_free(c);
}
END_TEST

static struct iob_result *array(void)
{
	static char *below[] = { "sda", "sdb", "sdc", "sdd", "sde" };
	struct iob_result *w = tree_mixed_workload();
	static const uint64_t ios[] = { 100, 110, 90, 400, 0 };
	struct iobi_device md = plain("md0", 700, below, 5);
	md.use.flags = IOB_DEVICE_TARGET | IOB_DEVICE_NO_TICKS | IOB_DEVICE_NO_DISCARDS |
		       IOB_DEVICE_NO_FLUSHES;
	md.use.kind = "md";
	md.use.about = "raid5, 4 disks";
	add(w, md, NULL, 0);
	for (int i = 0; i < 5; i++) {
		struct iobi_device d = plain(below[i], ios[i], NULL, 0);
		d.use.depth = 1;
		d.use.flags = IOB_DEVICE_PART;
		d.use.busy_ms = ios[i];
		add(w, d, NULL, 0);
	}
	ck_assert_int_eq(iobi_devices_derive(w), 0);
	return w;
}

START_TEST(members)
{
	struct iob_result *w = array();
	const struct iob_device_use *u = at(w, 0);
	ck_assert_uint_eq(u->n_below, 5);
	ck_assert_uint_eq(u->n_idle, 1);
	ck_near(u->member_ios.mean, 175);
	ck_near(u->member_ios.min, 90);
	ck_near(u->member_ios.max, 400);
	ck_assert_str_eq(at(w, u->member_ios.worst)->name, "sdd");
	ck_near(u->member_ios.skew, 4);
	ck_near(u->member_bytes.mean, 175 * 4096);
	ck_near(u->member_utilisation.max, 0.4);
	ck_assert_uint_eq(at(w, 4)->above, 0);
	ck_assert_int_eq(at(w, 4)->foreign_bytes, 0);
	iob_result_free(w);
}
END_TEST

static void has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text);
}

START_TEST(as_text)
{
	struct iob_result *w = array();
	char *text = tree_report(w, "text");
	has(text, "\ndevices  by the kernel's counters, everybody's requests, over 1.00 s\n");
	has(text, "\n  md0 ");
	has(text, "\n    sda ");
	has(text, " n/a ");
	has(text, "raid5, 4 disks\n");
	has(text,
	    "\n  md0: 4 of 5 members busy, requests each 175 (90.0 to 400), util 17.5 % (9.00 % "
	    "to 40.0 %); most skewed sdd, 4.00 times the requests of the others; idle sde\n");
	has(text, "n/a: not available");
	free(text);
	iob_result_free(w);
	w = loop_on_disk(12345, 50);
	text = tree_report(w, "text");
	has(text, "12,345");
	has(text, "49,380"); /* KiB read */
	has(text, "1.5");    /* KiB written: half a KiB is a sector */
	has(text, "123");    /* per I/O */
	has(text, "50.0 %");
	has(text, "-591 KiB"); /* foreign */
	free(text);
	iob_result_free(w);
}
END_TEST

static struct iob_result *suite_of(struct iob_result *w)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_adopt(root, tree_stage("1", w, NULL));
	tree_host(root);
	tree_close(root);
	return root;
}

/* To JSON and back: the same bytes again, but for the workers that are not read. */
static void there_and_back(struct iob_result *root)
{
	struct iob_error err = { 0 };
	char *json = tree_report(root, "json");
	struct iob_result *again = iob_result_read(json, strlen(json), "json", &err);
	ck_assert_msg(again != NULL, "%s", err.message);
	char *json2 = tree_report(again, "json");
	char *workers = strstr(json, "\"workers\""), *workers2 = strstr(json2, "\"workers\"");
	*workers = *workers2 = '\0';
	ck_assert_str_eq(json, json2);
	char *text = tree_report(root, "text"), *text2 = tree_report(again, "text");
	/* Findings name nodes, and names that are no UTF-8 do not come back. */
	char *findings = strstr(text, "\nfindings"), *findings2 = strstr(text2, "\nfindings");
	ck_assert(findings && findings2);
	*findings = *findings2 = '\0';
	ck_assert_str_eq(strstr(text, "\ndevices"), strstr(text2, "\ndevices"));
	free(text);
	free(text2);
	free(json);
	free(json2);
	iob_result_free(again);
	iob_result_free(root);
}

START_TEST(as_json)
{
	struct iob_result *root = suite_of(loop_on_disk(200, 50));
	char *json = tree_report(root, "json");
	has(json,
	    "{\"name\":\"loop0\",\"kind\":\"loop\",\"about\":\"on /tmp/a\",\"machine\":\"here\","
	    "\"device_bytes\":1099511627776,\"flags\":[\"target\",\"write_cache\"],\"depth\":0,"
	    "\"above\":null,\"below\":[\"sda\"],\"length_ns\":1000000000,\"read\":{\"ios\":200,"
	    "\"merges\":0,\"bytes\":819200,\"ticks_ms\":2000,\"issued_ios\":100,"
	    "\"issued_bytes\":819200}");
	has(json, "\"sync\":{\"ios\":7,\"ticks_ms\":8,\"issued_ios\":0}");
	has(json, "\"busy_ms\":500,\"queue_ms\":2000,\"utilisation\":0.5,\"in_flight\":2.0,"
		  "\"mean_request\":4096.0,\"requests_per_io\":2.0,\"foreign_bytes\":0");
	has(json, "\"above\":\"loop0\"");
	has(json, "\"about_hex\"");
	free(json);
	there_and_back(root);
	root = suite_of(array());
	json = tree_report(root, "json");
	has(json, "\"busy_ms\":null,\"queue_ms\":null,\"utilisation\":null,\"in_flight\":null");
	has(json, "\"trim\":{\"ios\":null,\"merges\":null,\"bytes\":null,\"ticks_ms\":null");
	has(json, "\"foreign_bytes\":null");
	has(json, "\"worst\":\"sdd\",\"skew\":4.0");
	free(json);
	there_and_back(root);
}
END_TEST

static char *replaced(const char *json, const char *from, const char *to)
{
	const char *place = strstr(json, from);
	ck_assert_msg(place != NULL, "no %s", from);
	struct iobi_text t = { 0 };
	iobi_text_add_n(&t, json, (size_t)(place - json));
	iobi_text_add(&t, to);
	iobi_text_add(&t, place + strlen(from));
	return t.data;
}

START_TEST(wrong_json)
{
	static const struct {
		const char *from, *to, *says;
	} wrong[] = {
		{ "\"name\":\"loop0\"", "\"name\":7",
		  "devices[0].name: is a number, must be text" },
		{ "\"name\":\"loop0\",", "", "devices[0].name" },
		{ "\"name\":\"sda\"", "\"name\":\"loop0\"",
		  "devices[1]: \"loop0\" is there twice" },
		{ "\"below\":[\"sda\"]", "\"below\":[1]", "devices[0].below[0]: must be the name" },
		{ "\"below\":[\"sda\"],", "", "devices[0].below" },
		{ "\"flags\":[\"target\"", "\"flags\":[null",
		  "devices[0].flags[0]: must be a word" },
		{ "\"depth\":0", "\"depth\":-1", "devices[0].depth: is -1" },
		{ "\"depth\":0", "\"depth\":4294967296", "devices[0]: a depth of 4294967296" },
		{ "\"device_bytes\":1099511627776", "\"device_bytes\":1.5", "device_bytes" },
		{ "\"busy_ms\":500", "\"busy_ms\":\"x\"", "devices[0].busy_ms" },
		{ "\"read\":{\"ios\":200", "\"read\":{\"ios\":-200",
		  "devices[0].read.ios: is -200" },
		{ "\"read_ios\":[100,100]", "\"read_ios\":[100]",
		  "devices[0].series.read_ios: has 1 values, start_ns has 2" },
		{ "\"read_ios\":[100,100]", "\"read_ios\":[100,null]", "read_ios[1]" },
	};
	struct iob_result *root = suite_of(loop_on_disk(200, 50));
	char *json = tree_report(root, "json");
	for (size_t i = 0; i < IOBI_LEN(wrong); i++) {
		struct iob_error err = { 0 };
		char *bad = replaced(json, wrong[i].from, wrong[i].to);
		ck_assert_ptr_null(iob_result_read(bad, strlen(bad), "json", &err));
		ck_assert_int_eq(err.code, EINVAL);
		ck_assert_msg(strstr(err.message, wrong[i].says) != NULL, "%s: %s", wrong[i].to,
			      err.message);
		free(bad);
	}
	free(json);
	iob_result_free(root);
}
END_TEST

/* "below" may name what is not there, and even close a cycle: nothing hangs. */
START_TEST(odd_json)
{
	struct iob_result *root = suite_of(loop_on_disk(200, 50));
	char *json = tree_report(root, "json");
	char *odd = replaced(json, "\"below\":[\"sda\"]", "\"below\":[\"sdz\",\"sda\",\"\"]");
	struct iob_result *r = iob_result_read(odd, strlen(odd), "json", NULL);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(at(r, 0)->n_below, 1);
	ck_assert_uint_eq(at(r, 0)->below[0], 1);
	iob_result_free(r);
	free(odd);
	odd = replaced(json, "\"above\":\"loop0\",\"below\":[]", "\"below\":[\"loop0\",\"sda\"]");
	r = iob_result_read(odd, strlen(odd), "json", NULL);
	ck_assert_ptr_nonnull(r);
	free(tree_report(r, "text"));
	free(tree_report(r, "json"));
	iob_result_free(r);
	free(odd);
	free(json);
	iob_result_free(root);
}
END_TEST

START_TEST(sums_that_overflow)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	for (int i = 0; i < 2; i++) {
		struct iob_result *w = loop_on_disk(200, 50);
		w->device[0].use.op[IOB_OP_READ].ios = UINT64_MAX;
		tree_adopt(root, tree_stage("1", w, NULL));
	}
	ck_assert_int_eq(iobi_result_close(root), -EOVERFLOW);
	iob_result_free(root);
}
END_TEST

START_TEST(no_memory)
{
	struct iob_result *root = suite_of(array());
	char *json = tree_report(root, "json");
	for (int n = 0; nomem_at(n); n++) {
		const struct iob_result *parts[] = { root };
		struct iob_error err = { 0 };
		struct iob_result *m = iob_result_merge(parts, 1, &err);
		int hit = nomem_hit();
		if (!m)
			ck_assert_int_eq(err.code, ENOMEM);
		iob_result_free(m);
		if (!hit)
			break;
	}
	for (int n = 0; nomem_at(n); n++) {
		struct iob_error err = { 0 };
		struct iob_result *m = iob_result_read(json, strlen(json), "json", &err);
		int hit = nomem_hit();
		if (!m)
			ck_assert_int_eq(err.code, ENOMEM);
		iob_result_free(m);
		if (!hit)
			break;
	}
	free(json);
	iob_result_free(root);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("devices");
	TCase *t = tcase_create("results");
	tcase_add_test(t, what_follows_from_counts);
	tcase_add_test(t, stages_and_suites);
	tcase_add_test(t, flags_of_stages);
	tcase_add_test(t, merging);
	tcase_add_test(t, members);
	tcase_add_test(t, sums_that_overflow);
	suite_add_tcase(s, t);
	t = tcase_create("reports");
	tcase_add_test(t, as_text);
	tcase_add_test(t, as_json);
	tcase_add_test(t, wrong_json);
	tcase_add_test(t, odd_json);
	tcase_add_test(t, no_memory);
	suite_add_tcase(s, t);
	return s;
}
IOB_TEST_MAIN(suite)
