/* SPDX-License-Identifier: MIT */
/* A table of text: columns as wide as they need to be, empty ones left out. */
#ifndef IOBI_TABLE_H
#define IOBI_TABLE_H

#include "report/report_priv.h"

enum {
	IOBI_TABLE_COLUMNS = 24
};

struct iobi_table {
	size_t n_columns, n_rows, cap;
	const char *head[IOBI_TABLE_COLUMNS];
	unsigned width[IOBI_TABLE_COLUMNS]; /* 0: nothing in it yet */
	int left[IOBI_TABLE_COLUMNS];       /* 1: text, 0: numbers */
	size_t *cell;                       /* n_rows x n_columns places in text; 0: empty */
	struct iobi_text text;
};

/* Adds a column; the head is kept as it is pointed to. */
void iobi_table_column(struct iobi_table *t, const char *head, int left);

/* Starts a row, all of it empty. */
void iobi_table_row(struct iobi_table *t);

/* Sets a cell of the last row. Control characters become "?". */
void iobi_table_set(struct iobi_table *t, size_t column, const char *text);

/* Writes head and rows, each indented by two blanks, and frees the table. */
void iobi_table_print(struct iobi_table *t, struct iobi_report *o);

#endif
