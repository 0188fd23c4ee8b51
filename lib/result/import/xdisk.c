/* SPDX-License-Identifier: MIT */
/*
 * XDISK's rows: 16 columns separated by blanks, and the headings they stand
 * under, "16K Block Size", "1 Thread", "Random I/O", "80% Read 20% Write". All
 * else is prose. A row has a rate and no run time: it stands for one second
 * (1,000 where the rate has decimals), so that rates and means come out right.
 */
#include "result/import/xdisk.h"
#include "workload/workload_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const names[COLUMNS] = { "BS",      "Proc",    "AIO",     "read%",
					    "IO",      "Flag",    "IO/s",    "MB/s",
					    "rMin-ms", "rMax-ms", "rAvg-ms", "WrAvg",
					    "wMin-ms", "wMax-ms", "wAvg-ms", "WwAvg" };

static void split(struct iobi_xdisk_row *row, char *line)
{
	char *save;
	row->n = 0;
	for (char *w = strtok_r(line, " \t", &save); w && row->n <= COLUMNS;
	     w = strtok_r(NULL, " \t", &save))
		row->word[row->n++] = w;
}

/* ---- headings ---- */

static bool says(const char *rest, const char *what)
{
	return strcasecmp(rest, what) == 0;
}

static const char *after_blanks(const char *s)
{
	return s + strspn(s, " \t-");
}

/* "8K block size" alone, or with a dash and the threads: "8K block size - 1 thread". */
static const char *after_dash(const char *s)
{
	s += strspn(s, " \t");
	s += !strncmp(s, "\xe2\x80\x94", 3) ? 3 : *s == '-';
	return s + strspn(s, " \t");
}

static bool ends_heading(const char *s)
{
	return !*s || after_dash(s) > s + 1;
}

static void take_share(struct iobi_xdisk_heading *h, int share, const char *rest)
{
	if (!strncasecmp(rest, "read", 4))
		h->read = share;
	else if (says(rest, "write"))
		h->read = 100 - share;
}

/* Each heading is a line of its own; whatever else a line holds is prose. */
static void take_heading(struct iobi_xdisk_heading *h, const char *line)
{
	const char *rest = line;
	struct iobi_range v;
	if (says(line, "random i/o") || says(line, "sequential i/o")) {
		h->pattern = (line[0] | 0x20) == 's' ? 'S' : 'R';
		return;
	}
	if (!iobi_take_number(&rest, &v) || v.value > 1e9)
		return;
	if (*rest == '%') {
		take_share(h, (int)v.value, after_blanks(rest + 1));
		return;
	}
	if (says(after_blanks(rest), "thread") || says(after_blanks(rest), "threads")) {
		h->workers = (unsigned)iobi_whole(v.value);
		return;
	}
	rest = line;
	uint64_t size = iobi_take_size(&rest, false);
	rest = after_blanks(rest);
	if (strncasecmp(rest, "block size", 10) != 0 || !ends_heading(rest + 10))
		return;
	h->block = size;
	rest = rest[10] ? after_dash(rest + 10) : "";
	if (iobi_take_number(&rest, &v) && !strncasecmp(after_blanks(rest), "thread", 6))
		h->workers = (unsigned)iobi_whole(v.value);
}

/* ---- rows ---- */

static bool is_size(const char *word)
{
	const char *s = word;
	return !strcmp(word, "mix") || !strcmp(word, "?") || (iobi_take_size(&s, false) && !*s);
}

/* Enough of one that it must be all of one. */
static bool is_row(const struct iobi_xdisk_row *row)
{
	return row->n > FLAG && is_size(row->word[BS]) && row->word[FLAG][0] == '-' &&
	       (!strcmp(row->word[IO], "R") || !strcmp(row->word[IO], "S"));
}

static int bad(const struct iobi_xdisk_row *row, struct iob_error *err, const char *what,
	       const char *word)
{
	int rc = iobi_fail(err, EINVAL, "xdisk", "line %u: %s: \"%.60s\"", row->line, what, word);
	if (err)
		err->line = (int32_t)row->line;
	return rc;
}

/* "-": not known, as of a robust average that nobody recorded. */
static int parse_row(struct iobi_xdisk_row *row, struct iob_error *err)
{
	char what[64];
	if (row->n != COLUMNS) {
		snprintf(what, sizeof(what), "a row has 16 columns, this one %s%zu",
			 row->n > COLUMNS ? "more than " : "", row->n > COLUMNS ? COLUMNS : row->n);
		return bad(row, err, what, row->word[0]);
	}
	const char *s = row->word[BS];
	row->block = iobi_take_size(&s, false);
	for (int c = PROC; c < COLUMNS; c++) {
		bool text = c == IO || c == FLAG, robust = c == R_ROBUST || c == W_ROBUST;
		if (text || iobi_whole_number(row->word[c], &row->value[c]) ||
		    (robust && !strcmp(row->word[c], "-")))
			continue;
		snprintf(what, sizeof(what), "column %s is no number", names[c]);
		return bad(row, err, what, row->word[c]);
	}
	if (row->value[READ].value > 100)
		return bad(row, err, "column read% is above 100", row->word[READ]);
	return 0;
}

static double window_s(const struct iobi_xdisk_row *row)
{
	return strchr(row->word[RATE], '.') ? 1000 : 1;
}

static void fill_recorded(struct iobi_recorded *rec, const struct iobi_xdisk_row *row,
			  const struct iobi_xdisk_heading *h)
{
	rec->iops = row->value[RATE];
	rec->bytes_per_s = iobi_range_times(row->value[MB], 1 << 20);
	rec->has_flags = !row->no_flags;
	snprintf(rec->flags, sizeof(rec->flags), "%s", row->no_flags ? "" : row->word[FLAG] + 1);
	rec->filed_block = h->block;
	rec->filed_workers = h->workers;
	rec->filed_read = h->read;
	rec->filed_pattern = h->pattern;
}

/* A side that did nothing prints 0.0. */
static int put_side(struct iob_result *w, const struct iobi_xdisk_row *row, int op,
		    enum iobi_xdisk_column min, double ios)
{
	const struct iobi_range *v = &row->value[min];
	struct iobi_printed p = { .mean = iobi_range_times(v[2], 1e6),
				  .min = v[0].value * 1e6,
				  .max = v[1].value * 1e6,
				  .stddev = NAN };
	uint64_t n = iobi_whole(ios);
	int rc = 0;
	w->op[op].count[IOB_COUNT_IOS] = n;
	w->op[op].count[IOB_COUNT_BYTES] = n * row->block;
	w->recorded->op[op].mean_ns = p.mean;
	if (!n)
		return 0;
	for (int l = 0; l < IOBI_RESULT_LATENCIES && !rc; l++)
		rc = iobi_printed_put(w, op, (enum iob_latency)l, n, &p);
	return rc;
}

static const char *sync_of(const char *flags)
{
	return strchr(flags, 'S') ? "all" : strchr(flags, 'W') ? "data" : "none";
}

static int set_params(struct iob_result *w, const struct iobi_xdisk_row *row)
{
	const char *flags = row->no_flags ? NULL : row->word[FLAG] + 1;
	bool sync = row->value[AIO].value == 0;
	int rc = row->block ? iobi_set_size(w, "block_size", row->block) : 0;
	rc = rc ? rc : iobi_set_number(w, "workers", iobi_whole(row->value[PROC].value));
	rc = rc ? rc
		: iobi_set_number(w, "queue_depth", sync ? 1 : iobi_whole(row->value[AIO].value));
	rc = rc ? rc : iobi_set_number(w, "read_percent", iobi_whole(row->value[READ].value));
	rc = rc ? rc : iobi_set_both(w, "pattern", *row->word[IO] == 'S' ? "sequential" : "random");
	if (!rc && flags)
		rc = iobi_set_both(w, "direct", strpbrk(flags, "DC") ? "true" : "false");
	if (!rc && flags)
		rc = iobi_set_both(w, "sync", sync_of(flags));
	return rc ? rc : iobi_pairs_set(&w->effective, "engine_kind", sync ? "sync" : "async");
}

int iobi_xdisk_add(struct iob_result *suite, const struct iobi_xdisk_row *row,
		   const struct iobi_xdisk_heading *h)
{
	char name[128];
	double ios = row->value[RATE].value * window_s(row), reads = row->value[READ].value / 100;
	snprintf(name, sizeof(name), "block_size=%.16s workers=%.12s pattern=%s read_percent=%.8s",
		 row->word[BS], row->word[PROC], *row->word[IO] == 'S' ? "sequential" : "random",
		 row->word[READ]);
	struct iob_result *stage = iobi_new_stage(suite, name);
	struct iob_result *w =
		stage ? iobi_new_workload(stage, "workload 1", "xdisk", row->line) : NULL;
	if (!w)
		return -ENOMEM;
	w->elapsed_ns = iobi_whole(window_s(row) * 1e9);
	fill_recorded(w->recorded, row, h);
	int rc = set_params(w, row);
	rc = rc ? rc : put_side(w, row, IOB_OP_READ, R_MIN, round(ios * reads));
	return rc ? rc : put_side(w, row, IOB_OP_WRITE, W_MIN, ios - round(ios * reads));
}

static int read_line(struct iob_result *suite, struct iobi_xdisk_heading *h, char *line, unsigned n,
		     struct iob_error *err)
{
	struct iobi_xdisk_row row = { .line = n };
	int table = iobi_xdisk_table_row(suite, h, line, n);
	if (table)
		return table < 0 ? iobi_no_memory(err) : 0;
	take_heading(h, line);
	split(&row, line);
	if (!is_row(&row))
		return 0;
	int rc = parse_row(&row, err);
	if (!rc && iobi_xdisk_add(suite, &row, h))
		rc = iobi_no_memory(err);
	return rc;
}

struct iob_result *iobi_read_xdisk(const char *data, size_t len, struct iob_error *err)
{
	struct iobi_xdisk_heading h = { .read = -1 };
	struct iobi_lines lines;
	struct iob_result *suite = iobi_result_new(IOB_LEVEL_SUITE, "xdisk");
	char *line;
	if (!suite || iobi_lines_open(&lines, data, len, NULL)) {
		iobi_no_memory(err);
		iob_result_free(suite);
		return NULL;
	}
	int rc = 0;
	while (!rc && (line = iobi_lines_next(&lines)))
		rc = read_line(suite, &h, line, lines.n, err);
	iobi_lines_close(&lines);
	if (!rc && !suite->n_child)
		rc = iobi_fail(
			err, EINVAL, "xdisk",
			"there is no row of XDISK's in the text, as \"8K 1 0 100 R -RW 236587 "
			"1848 0.001 ..\"");
	return iobi_import_end(suite, rc, err);
}
