/* SPDX-License-Identifier: MIT */
/* XDISK's rows: read, judged, and the same of copies that were changed. */
#include "support/seeds.h"
#include "support/test.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define READS                                                                                      \
	"1 3 4 5 7 8 9 11 12 13 15 16 17 19 20 21 23 24 25 27 28 29 31 32 33 35 36 37 39 40 "      \
	"41 43 44 45 47 48 49 51 52 53 55 56 57 59 60 61 63 64 65 67 68 69 71 72 73 75 76 77 79 "  \
	"80"
#define SMALL_READS                                                                                \
	"1 3 4 5 7 8 9 11 12 13 15 16 17 19 20 21 23 24 "                                          \
	"41 43 44 45 47 48 49 51 52 53 55 56 57 59 60 61 63 64"

static struct iob_result *judged(const char *text, const char *limit)
{
	struct iob_result *r = seed_read(text, NULL);
	ck_assert_int_eq(iob_result_declare(r, "link_limit", limit, NULL), 0);
	ck_assert_int_eq(iob_result_declare(r, "round_trip", "30us", NULL), 0);
	ck_assert_int_eq(iob_result_declare(r, "claim", "direct", NULL), 0);
	return r;
}

static const struct seed_expect of_seed[] = {
	{ "open-flags", READS },
	{ "above-link", "9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80" },
	{ "below-round-trip", SMALL_READS },
	{ "harness-bound", "1 5 9 17 21 41 45 49 57" },
	{ "block-size-mismatch", "18 26 34 58 66 74" },
	{ "stall", "78 79 80" },
	{ "incomplete", "all" },
	/* one worker, and the rate times the mean within 2 % of 1 */
	{ "depth-one-bound", "2 3 6 7 8 18 19 22 23 24 25 26 29 32 "
			     "42 43 46 47 48 58 59 61 62 63 64 65 66 69" },
};

START_TEST(the_seed_is_judged_as_told)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = judged(text, "3.2GB/s");
	ck_assert_uint_eq(iob_result_child_count(r), 80);
	ck_assert_str_eq(seed_rows(r, "open-flags"), READS);
	ck_assert_str_eq(seed_rows(r, "above-link"),
			 "9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80");
	ck_assert_str_eq(seed_rows(r, "below-round-trip"), SMALL_READS);
	ck_assert_str_eq(seed_rows(r, "harness-bound"), "1 5 9 17 21 41 45 49 57");
	ck_assert_str_eq(seed_rows(r, "impossible"), "");
	ck_assert_str_eq(seed_rows(r, "block-size-mismatch"), "18 26 34 58 66 74");
	ck_assert_str_eq(seed_rows(r, "heading-mismatch"), "");
	ck_assert_str_eq(seed_rows(r, "stall"), "78 79 80");
	ck_assert_str_eq(seed_rows(r, "incomplete"), "all");
	ck_assert_str_eq(seed_rows(r, "depth-not-reached"), "");
	seed_exactly(r, of_seed, sizeof(of_seed) / sizeof(of_seed[0]));
	iob_result_free(r);
	r = judged(text, "6.4GB/s");
	ck_assert_str_eq(seed_rows(r, "above-link"), "9 13 33 36 37 40 49 53 73 77");
	iob_result_free(r);
	free(text);
}
END_TEST

/* Without a claim and limits nothing is said of them, but that they were not checked. */
START_TEST(what_was_not_declared_is_not_checked)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = seed_read(text, "xdisk");
	ck_assert_str_eq(seed_rows(r, "above-link"), "");
	ck_assert_str_eq(seed_rows(r, "open-flags"), "");
	size_t found = 0;
	for (size_t i = 0; i < iob_result_unchecked_count(r); i++) {
		const struct iob_unchecked *u = iob_result_unchecked(r, i);
		ck_assert_uint_eq(u->workloads, 80);
		found += !strcmp(u->code, "above-link") || !strcmp(u->code, "open-flags") ||
			 !strcmp(u->code, "throttled");
	}
	ck_assert_uint_eq(found, 3);
	ck_assert_ptr_null(iob_result_unchecked(r, iob_result_unchecked_count(r)));
	iob_result_free(r);
	free(text);
}
END_TEST

/* Utilisation x 100, as the facts have it. */
START_TEST(utilisation_of_every_row)
{
	static const int u[80] = { 71,  99, 99, 96,  69, 100, 99,  99,  28,  99, 99, 98,  90,  100,
				   100, 99, 72, 99,  98, 97,  72,  99,  99,  98, 99, 99,  97,  98,
				   100, 97, 97, 98,  99, 99,  99,  99,  100, 99, 99, 99,  69,  99,
				   99,  97, 71, 100, 99, 98,  28,  100, 99,  98, 87, 100, 100, 99,
				   73,  99, 98, 97,  90, 99,  99,  98,  99,  99, 97, 97,  100, 97,
				   97,  98, 99, 99,  99, 99,  100, 99,  99,  99 };
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = seed_read(text, NULL);
	for (size_t i = 0; i < 80; i++) {
		const struct iob_result *row = iob_result_child(r, i);
		double n = atof(iob_result_effective(row, "workers"));
		double x = iob_result_iops(row, IOB_OP_ALL);
		double mean = iob_hist_mean(iob_result_hist(row, IOB_OP_ALL, IOB_LATENCY_SERVICE));
		ck_assert_msg(fabs(x * mean / 1e9 / n * 100 - u[i]) <= 1, "row %zu: %g, not %d",
			      i + 1, x * mean / 1e9 / n * 100, u[i]);
	}
	iob_result_free(r);
	free(text);
}
END_TEST

START_TEST(a_row_is_read)
{
	struct iob_result *r =
		seed_read("8K 16 0 80 R -RW 151339 1182 0.001 6.95 0.010 0.005 0.001 6.68 0.479 "
			  "0.398\n16K 2 8 100 S -D 500.5 7.82 0.1 9 0.5 - 0.0 0.0 0.0 0.0\n",
			  "xdisk");
	const struct iob_result *row = iob_result_child(r, 0);
	const struct iob_hist *reads = iob_result_hist(row, IOB_OP_READ, IOB_LATENCY_SERVICE);
	uint64_t v;
	ck_assert_int_eq((int)iob_result_flags(r), IOB_RESULT_RECORDED);
	ck_assert_double_eq_tol(iob_result_iops(row, IOB_OP_ALL), 151339, 1e-6);
	ck_assert_uint_eq(iob_result_count(row, IOB_OP_READ, IOB_COUNT_IOS), 121071);
	ck_assert_uint_eq(iob_hist_max(reads), 6950000);
	ck_assert_uint_eq(iob_hist_min(reads), 1000);
	ck_assert_double_eq_tol(iob_hist_mean(reads), 10000, 1e-3);
	ck_assert(isnan(iob_hist_stddev(reads)));
	ck_assert_int_eq(iob_hist_percentile(reads, 99, &v), -ENODATA);
	ck_assert_int_eq(iob_hist_percentile(reads, 100, &v), 0);
	ck_assert_uint_eq(v, 6950000);
	ck_assert_str_eq(iob_result_effective(row, "block_size"), "8k");
	ck_assert_str_eq(iob_result_effective(row, "direct"), "false");
	ck_assert_str_eq(iob_result_effective(row, "sync"), "data");
	ck_assert_str_eq(iob_result_effective(row, "line"), "1");
	row = iob_result_child(r, 1);
	ck_assert_double_eq_tol(iob_result_iops(row, IOB_OP_ALL), 500.5, 1e-6);
	ck_assert_str_eq(iob_result_effective(row, "queue_depth"), "8");
	ck_assert_str_eq(iob_result_effective(row, "direct"), "true");
	ck_assert_str_eq(iob_result_effective(row, "pattern"), "sequential");
	iob_result_free(r);
}
END_TEST

/* The second half before the first: rows are judged by what they say and where
 * they stand, not by their number. */
START_TEST(halves_swapped)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	const char *first = strstr(text, "Traditional Raid 10 Benchmarks\n");
	const char *second = strstr(text, "Distributed Raid 6 Benchmarks");
	char *copy = malloc(strlen(text) + 2);
	ck_assert(first && second && first < second);
	sprintf(copy, "%s\n%.*s", second, (int)(second - first), first);
	struct iob_result *r = judged(copy, "3.2GB/s");
	ck_assert_uint_eq(iob_result_child_count(r), 80);
	ck_assert_str_eq(seed_rows(r, "stall"), "38 39 40");
	ck_assert_str_eq(seed_rows(r, "harness-bound"), "1 5 9 17 41 45 49 57 61");
	ck_assert_str_eq(seed_rows(r, "block-size-mismatch"), "18 26 34 58 66 74");
	ck_assert_str_eq(seed_rows(r, "above-link"),
			 "9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80");
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

struct change {
	const char *from, *to, *code, *rows;
};

static const struct change changes[] = {
	/* row 18 measured as its heading says */
	{ "8K 1 0 0 R -RW 3966 31.0", "16K 1 0 0 R -RW 3966 62.0", "block-size-mismatch",
	  "26 34 58 66 74" },
	/* row 1 called 16K alone: neither its heading nor its rates agree */
	{ "8K 1 0 100 R -RW 236587", "16K 1 0 100 R -RW 236587", "block-size-mismatch",
	  "1 18 26 34 58 66 74" },
	/* a row of 16 workers under "1 Thread" */
	{ "8K 1 0 0 R -RW 4015", "8K 16 0 0 R -RW 4015", "heading-mismatch", "2" },
	/* sequential under "Random I/O" */
	{ "8K 1 0 0 R -RW 4015", "8K 1 0 0 S -RW 4015", "heading-mismatch", "2" },
	/* 60 % under "50% Read 50% Write" */
	{ "8K 1 0 50 R -RW 7832", "8K 1 0 60 R -RW 7832", "heading-mismatch", "3" },
	/* a heading that is no heading of a size */
	{ "16K Block Size\n1 Thread\n100% Read", "16K\n1 Thread\n100% Read", "block-size-mismatch",
	  "17 19 20 26 34 58 66 74" },
	/* more in flight than there were workers */
	{ "8K 1 0 0 R -RW 4015 31.4", "8K 1 0 0 R -RW 8030 62.7", "impossible", "2" },
	/* a mean above its own maximum */
	{ "0.001 3.24 0.247 0.242", "0.001 0.140 0.247 0.242", "impossible", "2" },
	/* fast enough for the rounding to allow 0.9 */
	{ "8K 1 0 100 R -RW 236587 1848", "8K 1 0 100 R -RW 336587 2630", "harness-bound",
	  "5 9 17 21 41 45 49 57" },
	/* a stall that is none: half a second */
	{ "3.50 3024 13.5 12.3", "3.50 524 13.5 12.3", "stall", "79 80" },
	/* and one more */
	{ "0.001 3.24 0.247 0.242", "0.001 1240 0.247 0.242", "stall", "2 78 79 80" },
	/* opened with O_DIRECT, or concurrent I/O */
	{ "8K 1 0 100 R -RW 236587", "8K 1 0 100 R -DRW 236587", "open-flags", READS + 2 },
	{ "8K 1 0 100 R -RW 236587", "8K 1 0 100 R -CRW 236587", "open-flags", READS + 2 },
	/* one more row above the link */
	{ "8K 1 0 0 R -RW 4015 31.4", "8K 1 0 0 R -RW 401500 3137", "above-link",
	  "2 9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80" },
	/* and a read that is as slow as the way there */
	{ "0.001 0.157 0.003 0.005", "0.001 0.157 0.031 0.005", "below-round-trip",
	  SMALL_READS + 2 },
};

START_TEST(rows_changed)
{
	const struct change *c = &changes[_i];
	char *text = seed_text("xdisk-v7000-raw.txt"), *copy = seed_replace(text, c->from, c->to);
	struct iob_result *r = judged(copy, "3.2GB/s");
	ck_assert_str_eq(seed_rows(r, c->code), c->rows);
	iob_result_free(r);
	free(copy);
	free(text);
}
END_TEST

static const struct {
	const char *text, *message;
	int line;
} refused[] = {
	{ "prose\n\n8K 1 0 100 R -RW 1 2 3\n", "line 3: a row has 16 columns, this one 9: \"8K\"",
	  3 },
	{ "8K 1 0 100 R -RW 1 2 3 4 5 6 7 8 9 10 11\n",
	  "line 1: a row has 16 columns, this one more than 16: \"8K\"", 1 },
	{ "8K 1 0 100 R -RW 1 2 3 x 5 6 7 8 9 10\n", "line 1: column rMax-ms is no number: \"x\"",
	  1 },
	{ "8K 1 0 101 R -RW 1 2 3 4 5 6 7 8 9 10\n", "line 1: column read% is above 100: \"101\"",
	  1 },
};

START_TEST(broken_rows_are_refused)
{
	struct iob_error err = { 0 };
	const char *text = refused[_i].text;
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "xdisk", &err));
	ck_assert_int_eq(err.code, EINVAL);
	ck_assert_int_eq(err.line, refused[_i].line);
	ck_assert_str_eq(err.message, refused[_i].message);
	ck_assert_ptr_null(iob_result_read(text, strlen(text), "xdisk", NULL));
}
END_TEST

static int collect(void *user, const char *data, size_t len)
{
	strncat(user, data, len);
	return 0;
}

static char *report(const struct iob_result *r, const char *format)
{
	char *text = calloc(1, 4 << 20);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(iob_result_report(r, format, collect, text, NULL), 0);
	return text;
}

/* What was found stays with it: through JSON, through a copy. */
START_TEST(findings_survive_json_and_merge)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = judged(text, "3.2GB/s");
	char *json = report(r, "json");
	struct iob_result *back = seed_read(json, NULL);
	char *again = report(back, "json");
	ck_assert_str_eq(json, again);
	ck_assert_uint_eq(iob_result_finding_count(back), iob_result_finding_count(r));
	ck_assert_str_eq(seed_rows(back, "stall"), "78 79 80");
	const struct iob_result *parts[] = { back };
	struct iob_result *copy = iob_result_merge(parts, 1, NULL);
	ck_assert_uint_eq(iob_result_finding_count(copy), iob_result_finding_count(r));
	const struct iob_finding *a = seed_finding(r, "above-link"),
				 *b = seed_finding(copy, "above-link");
	ck_assert_str_eq(a->message, b->message);
	ck_assert_double_eq(seed_number(a, "bytes_per_s"), seed_number(b, "bytes_per_s"));
	ck_assert_str_eq(iob_result_name(b->of), "workload 1");
	iob_result_free(copy);
	iob_result_free(back);
	iob_result_free(r);
	free(again);
	free(json);
	free(text);
}
END_TEST

/* What the library prints in XDISK's form it can read. */
START_TEST(own_rows_are_read)
{
	char *text = seed_text("xdisk-v7000-raw.txt");
	struct iob_result *r = seed_read(text, NULL);
	char *rows = report(r, "xdisk");
	struct iob_result *back = seed_read(rows, NULL);
	ck_assert_uint_eq(iob_result_child_count(back), 80);
	for (size_t i = 0; i < 80; i++)
		ck_assert_double_eq_tol(iob_result_iops(iob_result_child(back, i), IOB_OP_ALL),
					iob_result_iops(iob_result_child(r, i), IOB_OP_ALL), 1);
	iob_result_free(back);
	iob_result_free(r);
	free(rows);
	free(text);
}
END_TEST

/* The same numbers as a table of means, its columns separated by tabs. */
START_TEST(tables_in_prose)
{
	char *text = seed_text("xdisk-v7000-tables.txt");
	struct iob_result *r = judged(text, "3.2GB/s");
	ck_assert_uint_eq(iob_result_child_count(r), 80);
	ck_assert_str_eq(seed_rows(r, "above-link"),
			 "9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80");
	ck_assert_str_eq(seed_rows(r, "below-round-trip"), SMALL_READS);
	ck_assert_str_eq(seed_rows(r, "harness-bound"), "1 5 9 17 21 41 45 49 57");
	ck_assert_str_eq(seed_rows(r, "block-size-mismatch"), "18 26 34 58 66 74");
	ck_assert_str_eq(seed_rows(r, "impossible"), "");
	ck_assert_str_eq(seed_rows(r, "open-flags"), "");
	ck_assert_str_eq(seed_rows(r, "stall"), "");
	iob_result_free(r);
	free(text);
}
END_TEST

START_TEST(declaring_is_checked)
{
	struct iob_result *r = seed_read("8K 1 0 100 R -RW 1 0.01 1 1 1 1 0 0 0 0\n", "xdisk");
	struct iob_error err;
	ck_assert_int_eq(iob_result_declare(r, "link_limt", "1GB/s", &err), -ENOENT);
	ck_assert_int_eq(iob_result_declare(r, "link_limit", "fast", &err), -EINVAL);
	ck_assert_int_eq(iob_result_declare(r, "claim", "honest", &err), -EINVAL);
	ck_assert_str_eq(err.message, "\"honest\" is no claim that is known; there is direct");
	ck_assert_int_eq(iob_result_declare(NULL, "claim", "direct", &err), -EINVAL);
	iob_result_free(r);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("import_xdisk");
	TCase *t = tcase_create("xdisk");
	tcase_add_test(t, the_seed_is_judged_as_told);
	tcase_add_test(t, what_was_not_declared_is_not_checked);
	tcase_add_test(t, utilisation_of_every_row);
	tcase_add_test(t, a_row_is_read);
	tcase_add_test(t, halves_swapped);
	tcase_add_loop_test(t, rows_changed, 0, sizeof(changes) / sizeof(changes[0]));
	tcase_add_loop_test(t, broken_rows_are_refused, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(t, findings_survive_json_and_merge);
	tcase_add_test(t, own_rows_are_read);
	tcase_add_test(t, tables_in_prose);
	tcase_add_test(t, declaring_is_checked);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
