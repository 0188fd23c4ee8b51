/* SPDX-License-Identifier: MIT */
#include "report/table.h"
#include <stdlib.h>
#include <string.h>

/* Characters, for UTF-8; a name in another encoding is only misaligned. */
static unsigned characters(const char *s)
{
	unsigned n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void iobi_table_column(struct iobi_table *t, const char *head, int left)
{
	t->head[t->n_columns] = head;
	t->left[t->n_columns] = left;
	t->n_columns++;
}

static int make_room(struct iobi_table *t)
{
	if (t->n_rows < t->cap)
		return 1;
	size_t cap = t->cap ? 2 * t->cap : 16;
	size_t *cell = realloc(t->cell, cap * t->n_columns * sizeof(*cell));
	if (!cell)
		return 0;
	t->cell = cell;
	t->cap = cap;
	return 1;
}

void iobi_table_row(struct iobi_table *t)
{
	if (!t->text.len)
		iobi_text_add_n(&t->text, "", 1); /* place 0 is no cell */
	if (t->text.failed || !make_room(t)) {
		t->text.failed = 1;
		return;
	}
	memset(t->cell + t->n_rows * t->n_columns, 0, t->n_columns * sizeof(*t->cell));
	t->n_rows++;
}

void iobi_table_set(struct iobi_table *t, size_t column, const char *text)
{
	if (t->text.failed || !*text)
		return;
	size_t place = t->text.len;
	iobi_text_add_n(&t->text, text, strlen(text) + 1);
	if (t->text.failed)
		return;
	for (char *p = t->text.data + place; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	t->cell[(t->n_rows - 1) * t->n_columns + column] = place;
	unsigned n = characters(text), head = characters(t->head[column]);
	if (t->width[column] < (n > head ? n : head))
		t->width[column] = n > head ? n : head;
}

/* No blanks at the end of a line: they are held back until something follows. */
static unsigned add_cell(struct iobi_text *out, const struct iobi_table *t, size_t c, const char *s,
			 unsigned pending)
{
	unsigned pad = t->width[c] - characters(s);
	if (!*s)
		return pending + pad;
	iobi_text_printf(out, "%*s%s", (int)(pending + (t->left[c] ? 0 : pad)), "", s);
	return t->left[c] ? pad : 0;
}

static void print_row(const struct iobi_table *t, struct iobi_text *out, const size_t *cell)
{
	unsigned pending = 0;
	for (size_t c = 0; c < t->n_columns; c++) {
		if (!t->width[c])
			continue;
		const char *s = !cell ? t->head[c] : cell[c] ? t->text.data + cell[c] : "";
		pending = add_cell(out, t, c, s, pending + 2);
	}
	iobi_text_add(out, "\n");
}

void iobi_table_print(struct iobi_table *t, struct iobi_report *o)
{
	if (t->text.failed)
		o->text.failed = 1;
	else if (t->n_rows)
		print_row(t, &o->text, NULL);
	for (size_t i = 0; i < t->n_rows && !t->text.failed && !o->rc; i++) {
		print_row(t, &o->text, t->cell + i * t->n_columns);
		iobi_report_push(o);
	}
	iobi_text_free(&t->text);
	free(t->cell);
	*t = (struct iobi_table){ 0 };
}
