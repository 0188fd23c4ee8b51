/* SPDX-License-Identifier: MIT */
/* The reports of results made by hand, to the byte: tests/unit/golden/ has them.
 * ctest: notsan */
#include "support/nomem.h"
#include "support/tree.h"
#include <errno.h>
#include <locale.h>

/* One of tests/unit/golden/, the caller's. */
static char *golden(const char *name)
{
	const char *source = getenv("IOBENCH_SOURCE");
	char path[4096];
	struct iobi_text t = { 0 };
	char piece[4096];

	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s", source ? source : ".", name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;)
		iobi_text_add_n(&t, piece, n);
	fclose(f);
	ck_assert_ptr_nonnull(t.data);
	return t.data;
}

/* What came instead is left in the build tree, for diff. */
static void leave(const char *name, const char *text)
{
	const char *build = getenv("IOBENCH_BUILD");
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s.actual", build ? build : "/tmp", name);
	FILE *f = fopen(path, "wb");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
	printf("what was reported is in %s\n", path);
}

static void matches(const struct iob_result *r, const char *format, const char *name)
{
	char *is = tree_report(r, format), *must = golden(name);
	int same = strcmp(is, must) == 0;
	if (!same)
		leave(name, is);
	ck_assert_msg(same, "the %s report is not as in golden/%s", format, name);
	free(is);
	free(must);
}

START_TEST(to_the_byte)
{
	struct iob_result *r = tree_suite();
	matches(r, "text", "suite.text");
	matches(r, "xdisk", "suite.xdisk");
	matches(r, "csv", "suite.csv");
	matches(r, "json", "suite.json");
	iob_result_free(r);
}
END_TEST

/* Side by side, in the middle of it, with names that could do harm. */
static struct iob_result *side_by_side(void)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	struct iob_result *a = tree_mixed_workload();
	struct iob_result *b = tree_failing_workload("backup \x1b[31m, a very long name indeed");
	free(a->name);
	a->name = strdup("b\xc3\xbcro");
	b->flags |= IOB_RESULT_PARTIAL | IOB_RESULT_CANCELLED;
	b->unfinished = 1234;
	tree_asked(b, "percentiles", "0,50,100");
	tree_io(b, IOB_OP_SYNC, 7, 0, 900);
	tree_adopt(root, tree_stage("both", a, b));
	tree_adopt(root, tree_stage("scan", tree_failing_workload("workload 1"), NULL));
	tree_host(root);
	tree_close(root);
	return root;
}

START_TEST(workloads_side_by_side)
{
	struct iob_result *r = side_by_side();
	matches(r, "text", "side_by_side.text");
	iob_result_free(r);
}
END_TEST

START_TEST(the_locale_changes_nothing)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		printf("not checked: there is no locale de_DE.UTF-8 here\n");
		return;
	}
	char number[16];
	snprintf(number, sizeof(number), "%.1f", 0.5);
	ck_assert_str_eq(number, "0,5"); /* it does have a comma */
	struct iob_result *r = tree_suite();
	matches(r, "text", "suite.text");
	matches(r, "xdisk", "suite.xdisk");
	matches(r, "csv", "suite.csv");
	matches(r, "json", "suite.json");
	setlocale(LC_ALL, "C");
	iob_result_free(r);
}
END_TEST

/* ---- how they are written ---- */

START_TEST(formats_have_names)
{
	static const char *const names[] = { "text",        "xdisk",        "json",
					     "csv",         "fio-json",     "fio-json+",
					     "fio-text",    "fio-bw-log",   "fio-iops-log",
					     "fio-lat-log", "fio-slat-log", "fio-clat-log" };
	for (size_t i = 0; i < IOBI_LEN(names); i++)
		ck_assert_str_eq(iob_report_format(i), names[i]);
	ck_assert_ptr_null(iob_report_format(IOBI_LEN(names)));
}
END_TEST

START_TEST(no_such_format)
{
	struct iob_result *r = tree_suite();
	struct iob_error err = { 0 };
	struct iobi_text t = { 0 };

	ck_assert_int_eq(iob_result_report(r, "jsn", tree_gather, &t, &err), -EINVAL);
	ck_assert_str_eq(err.message,
			 "there is no report format \"jsn\"; did you mean \"json\"? "
			 "There are text, xdisk, json, csv, fio-json, fio-json+, "
			 "fio-text, fio-bw-log, fio-iops-log, fio-lat-log, fio-slat-log, "
			 "fio-clat-log");
	ck_assert_str_eq(err.where, "format");
	ck_assert_int_eq(iob_result_report(r, NULL, tree_gather, &t, &err), -EINVAL);
	ck_assert_int_eq(iob_result_report(NULL, "text", tree_gather, &t, &err), -EINVAL);
	ck_assert_int_eq(iob_result_report(r, "text", NULL, NULL, &err), -EINVAL);
	ck_assert_int_eq(iob_result_report(r, "JSON", tree_gather, &t, NULL), -EINVAL);
	ck_assert_uint_eq(t.len, 0);
	iob_result_free(r);
}
END_TEST

struct writer {
	size_t calls, bytes, longest;
	int rc; /* given at call number `fail` */
	size_t fail;
};

static int count(void *user, const char *data, size_t len)
{
	struct writer *w = user;
	w->bytes += len;
	w->longest = len > w->longest ? len : w->longest;
	return ++w->calls == w->fail ? w->rc : 0;
}

/* n reads that each took 157 us. */
static struct iob_result *reads(const char *block, uint64_t n, uint64_t len, uint64_t elapsed_ns)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_params(w, block, "1", "4", "random", "100");
	tree_io(w, IOB_OP_READ, n, len, 157000);
	w->elapsed_ns = elapsed_ns;
	tree_close(w);
	return w;
}

/* Each with three intervals. */
static struct iob_result *many_stages(size_t n)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	for (size_t i = 0; i < n; i++) {
		struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
		tree_params(w, "8k", "1", "4", "random", "100");
		tree_io(w, IOB_OP_READ, 9, 8192, 157000);
		w->elapsed_ns = 1000000000;
		w->n_intervals = 3;
		for (size_t k = 0; k < 3; k++)
			tree_interval(w, IOB_OP_READ, k, k * 300000000, 300000000, 3, 24576, 157000,
				      157000, 157000, 157000);
		tree_close(w);
		tree_adopt(root, tree_stage("stage 1", w, NULL));
	}
	tree_close(root);
	return root;
}

START_TEST(written_in_pieces)
{
	struct iob_result *r = many_stages(1500);
	for (size_t i = 0; iob_report_format(i); i++) {
		struct writer w = { 0 };
		ck_assert_int_eq(iob_result_report(r, iob_report_format(i), count, &w, NULL), 0);
		ck_assert_uint_gt(w.bytes, 50000);
		ck_assert_uint_lt(w.longest, 100000);
		ck_assert_uint_le(w.calls, w.bytes / 65536 + 1); /* and none of them small */
	}
	iob_result_free(r);
}
END_TEST

/* 10 I/Os beyond a percentile carry it, fewer mark it, none leave it out. */
START_TEST(thin_percentiles_are_marked)
{
	static const struct {
		uint64_t n;
		const char *cell;
	} cases[] = {
		{ 1000, " 157 us  " }, { 999, " ~157 us  " }, { 100, " ~157 us  " }, { 99, " -  " }
	};
	for (size_t i = 0; i < IOBI_LEN(cases); i++) {
		struct iob_result *w = reads("8k", cases[i].n, 8192, 1000000000);
		tree_asked(w, "percentiles", "99");
		char *s = tree_report(w, "text"), *row = strstr(s, "read ");
		row[strcspn(row, "\n")] = '\0';
		ck_assert_msg(strstr(row, cases[i].cell) != NULL, "%s", row);
		ck_assert_int_eq(strchr(row, '~') != NULL, cases[i].cell[1] == '~');
		free(s);
		iob_result_free(w);
	}
}
END_TEST

/* A long table is cut, and its head comes again. */
/* Those that do not fit beside the rates get tables of their own, of bounded width. */
START_TEST(many_percentiles)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_asked(w, "percentiles", "1,5,10,20,30,40,50,60,70,80,90,95,99,99.5,99.9,99.95,99.99");
	tree_io(w, IOB_OP_READ, 1000000, 4096, 1000);
	tree_close(w);
	char *is = tree_report(w, "text");
	for (const char *line = is; *line; line += strcspn(line, "\n") + 1)
		ck_assert_uint_lt(strcspn(line, "\n"), 200);
	ck_assert_ptr_nonnull(strstr(is, "p80"));
	ck_assert_ptr_nonnull(strstr(is, "p99.99"));
	free(is);
	iob_result_free(w);
}
END_TEST

START_TEST(a_long_table_is_cut)
{
	struct iob_result *r = many_stages(1001);
	char *s = tree_report(r, "text");
	size_t heads = 0, rows = 0;
	for (char *p = s; (p = strstr(p, "read%")); p++)
		heads++;
	for (char *p = s; (p = strstr(p, "8 KiB")); p++)
		rows++;
	ck_assert_uint_eq(heads, 3);
	ck_assert_uint_eq(rows, 1001);
	free(s);
	iob_result_free(r);
}
END_TEST

START_TEST(the_writers_failure_ends_it)
{
	struct iob_result *r = many_stages(1500);
	for (size_t i = 0; iob_report_format(i); i++) {
		struct iob_error err = { 0 };
		struct writer w = { .rc = -ENOSPC, .fail = 1 };
		ck_assert_int_eq(iob_result_report(r, iob_report_format(i), count, &w, &err),
				 -ENOSPC);
		ck_assert_uint_eq(w.calls, 1);
		ck_assert_int_eq(err.code, ENOSPC);
		ck_assert_ptr_nonnull(strstr(err.message, "ENOSPC (No space left on device)"));
		w = (struct writer){ .rc = 1, .fail = 2 };
		int rc = iob_result_report(r, iob_report_format(i), count, &w, NULL);
		ck_assert_int_eq(rc, w.calls == 2 ? -EIO : 0);
	}
	iob_result_free(r);
}
END_TEST

START_TEST(without_memory)
{
	struct iob_result *r = tree_suite();
	for (size_t i = 0; iob_report_format(i); i++)
		for (long n = 0; nomem_at(n); n++) {
			struct iob_error err = { 0 };
			struct writer w = { 0 };
			int rc = iob_result_report(r, iob_report_format(i), count, &w, &err);
			if (!nomem_hit())
				break;
			ck_assert_msg(rc == -ENOMEM && err.code == ENOMEM, "%s, allocation %ld: %d",
				      iob_report_format(i), n, rc);
		}
	iob_result_free(r);
}
END_TEST

/* ---- xdisk ---- */

static void row_is(const struct iob_result *r, const char *row)
{
	char *s = tree_report(r, "xdisk");
	char *line = strchr(s, '\n') + 1;
	ck_assert_str_eq(line, row);
	free(s);
}

START_TEST(xdisk_rows)
{
	struct iob_result *w = reads("8k", 236587, 8192, 1000000000);
	row_is(w, "8K 1 4 100 R -D 236587 1848 0.157 0.157 0.157 0.157 0.0 0.0 0.0 0.0\n");
	tree_ran(w, "sync", "data");
	row_is(w, "8K 1 4 100 R -DW 236587 1848 0.157 0.157 0.157 0.157 0.0 0.0 0.0 0.0\n");
	tree_ran(w, "sync", "all");
	tree_ran(w, "direct", "false");
	row_is(w, "8K 1 4 100 R -S 236587 1848 0.157 0.157 0.157 0.157 0.0 0.0 0.0 0.0\n");
	tree_ran(w, "sync", "none");
	tree_ran(w, "engine_kind", "sync");
	tree_ran(w, "block_size", "4k:60,64k:40");
	row_is(w, "mix 1 0 100 R - 236587 1848 0.157 0.157 0.157 0.157 0.0 0.0 0.0 0.0\n");
	iob_result_free(w);
}
END_TEST

/* MB/s = IO/s x BS / 2^20 between the printed numbers, to 0.2 %. */
START_TEST(xdisk_identity)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} blocks[] = { { "512", 512 }, { "8k", 8192 }, { "1m", 1048576 }, { "3m", 3145728 } };

	for (size_t b = 0; b < IOBI_LEN(blocks); b++)
		for (uint64_t n = 1; n < 4000000000; n = n * 7 / 3 + 1) {
			struct iob_result *w =
				reads(blocks[b].text, n, blocks[b].bytes, 7000000000);
			char *s = tree_report(w, "xdisk");
			double iops, mb;
			ck_assert_int_eq(sscanf(strchr(s, '\n') + 1,
						"%*s %*s %*s %*s %*s %*s %lf %lf", &iops, &mb),
					 2);
			double is = iops * (double)blocks[b].bytes / 1048576;
			ck_assert_msg(mb > is * 0.998 && mb < is * 1.002, "%s", s);
			free(s);
			iob_result_free(w);
		}
}
END_TEST

START_TEST(xdisk_blocks)
{
	static const char *const blocks[][2] = {
		{ "512", "0.5K" }, { "1536", "1.5K" },   { "4k", "4K" },   { "1023k", "1023K" },
		{ "1m", "1M" },    { "1025k", "1025K" }, { "16m", "16M" }, { "1g", "1024M" },
	};
	for (size_t i = 0; i < IOBI_LEN(blocks); i++) {
		struct iob_result *w = reads(blocks[i][0], 1, 512, 1000000000);
		char *s = tree_report(w, "xdisk"), *row = strchr(s, '\n') + 1;
		row[strcspn(row, " ")] = '\0';
		ck_assert_str_eq(row, blocks[i][1]);
		free(s);
		iob_result_free(w);
	}
}
END_TEST

START_TEST(xdisk_block_is_that_of_the_side_that_ran)
{
	struct iob_result *w = reads("8k", 100, 8192, 1000000000);
	tree_asked(w, "block_size_write", "64k");
	char *s = tree_report(w, "xdisk");
	ck_assert(!strncmp(strchr(s, '\n') + 1, "8K ", 3));
	free(s);
	tree_asked(w, "read_percent", "50");
	s = tree_report(w, "xdisk");
	ck_assert(!strncmp(strchr(s, '\n') + 1, "mix ", 4));
	free(s);
	tree_asked(w, "read_percent", "0");
	s = tree_report(w, "xdisk");
	ck_assert(!strncmp(strchr(s, '\n') + 1, "64K ", 4));
	free(s);
	iob_result_free(w);
}
END_TEST

/* The robust average leaves out the outer 5 % on either side. */
START_TEST(xdisk_robust_average)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_params(w, "8k", "1", "1", "sequential", "0");
	w->elapsed_ns = 1000000000;
	tree_io(w, IOB_OP_WRITE, 4, 8192, 1000);
	tree_io(w, IOB_OP_WRITE, 92, 8192, 2000000);
	tree_io(w, IOB_OP_WRITE, 4, 8192, 900000000);
	tree_close(w);
	row_is(w, "8K 1 1 0 S -D 100 0.781 0.0 0.0 0.0 0.0 0.001 900 37.8 2.00\n");
	iob_result_free(w);
}
END_TEST

START_TEST(nothing_ran)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "w");
	tree_params(w, "8k", "1", "1", "random", "100");
	tree_close(w);
	row_is(w, "8K 1 1 100 R -D 0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0\n");
	char *s = tree_report(w, "csv");
	ck_assert_str_eq(
		strchr(s, '\n') + 1,
		",w,io_uring,random,8k,100,1,1,all,0,0,0,0,0,0.000,0.000,,,,,,,,,,,,,,,,,,,,\n");
	free(s);
	iob_result_free(w);
}
END_TEST

START_TEST(no_workloads)
{
	struct iob_result *r = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_host(r);
	tree_close(r);
	char *s = tree_report(r, "text");
	ck_assert_str_eq(s, "iobench 0.1.0, Linux 6.18.0 x86_64, 2 cores of Some CPU @ 2.0GHz, "
			    "8 GiB\nrun      no workload was measured\n");
	free(s);
	s = tree_report(r, "xdisk");
	ck_assert_str_eq(strchr(s, '\n'), "\n");
	free(s);
	iob_result_free(r);
}
END_TEST

/* ---- csv ---- */

/* Fields of a line by RFC 4180; no field of ours spans lines. */
static size_t fields(char *line, char *field[64])
{
	size_t n = 0;
	for (char *in = line, *out = line;; n++) {
		int quoted = *in == '"';
		field[n] = out;
		for (in += quoted; *in && (quoted || *in != ','); *out++ = *in++)
			if (*in == '"' && *++in != '"') {
				quoted = 0;
				if (!*in || *in == ',')
					break;
			}
		int last = !*in;
		*out++ = '\0';
		if (last)
			return n + 1;
		in++;
	}
}

START_TEST(csv_quotes)
{
	struct iob_result *w = reads("8k", 1000, 8192, 1000000000);
	struct iob_result *stage = tree_stage("a \"b\", c", w, NULL);
	char *s = tree_report(stage, "csv"), *field[64], *head[64];
	char *row = strchr(s, '\n') + 1;
	row[-1] = '\0';
	row[strcspn(row, "\n")] = '\0';
	ck_assert(!strncmp(row, "\"a \"\"b\"\", c\",w,", 15));
	size_t n = fields(s, head);
	ck_assert_uint_eq(fields(row, field), n);
	ck_assert_str_eq(field[0], "a \"b\", c");
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(head[i], "iops"))
			ck_assert_str_eq(field[i], "1000.000");
		if (!strcmp(head[i], "mean_ns"))
			ck_assert_str_eq(field[i], "157000.000");
		if (!strcmp(head[i], "p99_9_ns"))
			ck_assert_str_eq(field[i], "157000");
		if (!strcmp(head[i], "op"))
			ck_assert_str_eq(field[i], "read");
	}
	free(s);
	iob_result_free(stage);
}
END_TEST

/* ---- subtrees ---- */

START_TEST(any_node_can_be_reported)
{
	struct iob_result *r = tree_suite();
	const struct iob_result *node[] = { r->child[0], r->child[0]->child[0],
					    r->child[0]->child[0]->child[1] };
	static const char *const rows[] = {
		"8K 2 1 80 R -D 7500 58.6 0.100 5.00 0.108 0.100 0.200 0.400 0.300 0.300\n",
		"8K 2 1 80 R -D 7500 58.6 0.100 5.00 0.108 0.100 0.200 0.400 0.300 0.300\n",
		"8K 1 1 80 R -D 3750 29.3 0.100 5.00 0.108 0.100 0.400 0.400 0.400 0.400\n",
	};
	for (size_t i = 0; i < IOBI_LEN(node); i++) {
		row_is(node[i], rows[i]);
		for (size_t f = 0; iob_report_format(f); f++)
			if (i < 2 || !strstr(iob_report_format(f), "-log")) /* of a series */
				free(tree_report(node[i], iob_report_format(f)));
	}
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report");
	TCase *all = tcase_create("all"), *xdisk = tcase_create("xdisk"),
	      *csv = tcase_create("csv");

	tcase_add_test(all, to_the_byte);
	tcase_add_test(all, workloads_side_by_side);
	tcase_add_test(all, the_locale_changes_nothing);
	tcase_add_test(all, formats_have_names);
	tcase_add_test(all, no_such_format);
	tcase_add_test(all, written_in_pieces);
	tcase_add_test(all, thin_percentiles_are_marked);
	tcase_add_test(all, many_percentiles);
	tcase_add_test(all, a_long_table_is_cut);
	tcase_add_test(all, the_writers_failure_ends_it);
	tcase_add_test(all, without_memory);
	tcase_add_test(all, nothing_ran);
	tcase_add_test(all, no_workloads);
	tcase_add_test(all, any_node_can_be_reported);
	tcase_add_test(xdisk, xdisk_rows);
	tcase_add_test(xdisk, xdisk_identity);
	tcase_add_test(xdisk, xdisk_blocks);
	tcase_add_test(xdisk, xdisk_block_is_that_of_the_side_that_ran);
	tcase_add_test(xdisk, xdisk_robust_average);
	tcase_add_test(csv, csv_quotes);
	suite_add_tcase(s, all);
	suite_add_tcase(s, xdisk);
	suite_add_tcase(s, csv);
	return s;
}

IOB_TEST_MAIN(suite)
