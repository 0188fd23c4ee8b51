/* SPDX-License-Identifier: MIT */
/* Tables of XDISK's numbers in prose: means without extremes, numbers with
 * commas, a dash for a side that did nothing. */
#include "result/import/xdisk.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	PATTERN,
	PROFILE,
	TABLE_RATE,
	TABLE_MB,
	READ_MS,
	WRITE_MS,
	CELLS
};

/* Cells of a copy of the line; how many. */
static size_t cells(char *line, char *cell[CELLS + 1])
{
	char *save;
	size_t n = 0;
	for (char *c = strtok_r(line, "\t", &save); c && n <= CELLS;
	     c = strtok_r(NULL, "\t", &save))
		cell[n++] = c;
	return n;
}

/* "1,505,683" without its commas; false: no number. */
static bool take(char *text, struct iobi_range *out)
{
	char *to = text;
	for (const char *s = text; *s; s++)
		if (*s != ',')
			*to++ = *s;
	*to = '\0';
	return iobi_whole_number(text, out);
}

/* "100% read", "100% write", "80/20". */
static bool take_profile(const char *text, struct iobi_range *read)
{
	const char *rest = text;
	if (!iobi_take_number(&rest, read) || read->value > 100)
		return false;
	if (*rest == '/')
		return true;
	if (*rest != '%')
		return false;
	rest += 1 + strspn(rest + 1, " ");
	if (!strcasecmp(rest, "write"))
		*read = (struct iobi_range){ 100 - read->high, 100 - read->value, 100 - read->low };
	return !strcasecmp(rest, "read") || !strcasecmp(rest, "write");
}

static bool is_dash(const char *s)
{
	return !strcmp(s, "-") || !strcmp(s, "\xe2\x80\x94") || !strcmp(s, "\xe2\x80\x93");
}

static bool take_cells(struct iobi_xdisk_row *row, char *cell[CELLS + 1])
{
	bool random = !strcasecmp(cell[PATTERN], "random");
	row->word[IO] = random ? "R" : "S";
	if ((!random && strcasecmp(cell[PATTERN], "sequential") != 0) ||
	    !take_profile(cell[PROFILE], &row->value[READ]))
		return false;
	return take(cell[TABLE_RATE], &row->value[RATE]) && take(cell[TABLE_MB], &row->value[MB]) &&
	       (is_dash(cell[READ_MS]) || take(cell[READ_MS], &row->value[R_AVG])) &&
	       (is_dash(cell[WRITE_MS]) || take(cell[WRITE_MS], &row->value[W_AVG]));
}

int iobi_xdisk_table_row(struct iob_result *suite, const struct iobi_xdisk_heading *h, char *line,
			 unsigned n)
{
	struct iobi_xdisk_row row = { .line = n, .block = h->block, .no_flags = true };
	struct iobi_xdisk_heading none = { .read = -1 };
	char copy[512], block[32], workers[16], read[16], *cell[CELLS + 1];
	snprintf(copy, sizeof(copy), "%s", line);
	if (!strchr(line, '\t') || !h->block || !h->workers || cells(copy, cell) != CELLS ||
	    !take_cells(&row, cell))
		return 0;
	snprintf(block, sizeof(block), h->block % (1 << 20) ? "%lluK" : "%lluM",
		 (unsigned long long)(h->block % (1 << 20) ? h->block >> 10 : h->block >> 20));
	snprintf(workers, sizeof(workers), "%u", h->workers);
	snprintf(read, sizeof(read), "%d", (int)row.value[READ].value);
	row.word[BS] = block;
	row.word[PROC] = workers;
	row.word[READ] = read;
	row.word[RATE] = strchr(cell[TABLE_RATE], '.') ? cell[TABLE_RATE] : "1";
	row.value[PROC].value = h->workers;
	return iobi_xdisk_add(suite, &row, &none) ? -1 : 1;
}
