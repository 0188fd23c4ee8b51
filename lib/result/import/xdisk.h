/* SPDX-License-Identifier: MIT */
#ifndef IOBI_XDISK_H
#define IOBI_XDISK_H

#include "result/import/import.h"

enum iobi_xdisk_column {
	BS,
	PROC,
	AIO,
	READ,
	IO,
	FLAG,
	RATE,
	MB,
	R_MIN,
	R_MAX,
	R_AVG,
	R_ROBUST,
	W_MIN,
	W_MAX,
	W_AVG,
	W_ROBUST,
	COLUMNS
};

/* What the headings above a row say. */
struct iobi_xdisk_heading {
	uint64_t block;
	unsigned workers;
	int read;
	char pattern;
};

struct iobi_xdisk_row {
	char *word[COLUMNS + 1];
	size_t n;
	uint64_t block; /* 0: a mix, or not known */
	struct iobi_range value[COLUMNS];
	bool no_flags; /* how it was opened is not known, nor are extremes */
	unsigned line;
};

/* Makes a stage of it. -ENOMEM. */
int iobi_xdisk_add(struct iob_result *suite, const struct iobi_xdisk_row *row,
		   const struct iobi_xdisk_heading *h);

/* xdisk_table.c: a row of a table that somebody made of XDISK's numbers, its
 * columns separated by tabs: "Random", "80/20", IO/s, MB/s, Read (ms), Write
 * (ms). 1: it is one and was added; 0: it is none; -ENOMEM. */
int iobi_xdisk_table_row(struct iob_result *suite, const struct iobi_xdisk_heading *h, char *line,
			 unsigned n);

#endif
