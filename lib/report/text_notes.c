/* SPDX-License-Identifier: MIT */
/* The last lines of the text report: errors, and what ran other than asked. */
#include "report/text_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NOTES = 32,
	ERRORS_SHOWN = 20
};

struct note {
	char text[160];
	size_t n; /* workloads it holds for */
};

static void add_note(struct note *notes, size_t *n, const char *text)
{
	size_t i = 0;
	while (i < *n && strcmp(notes[i].text, text) != 0)
		i++;
	if (i == NOTES)
		return;
	if (i == *n)
		snprintf(notes[(*n)++].text, sizeof(notes->text), "%s", text);
	notes[i].n++;
}

/* Where "as it comes" was asked, what ran is no surprise. */
static int left_open(const char *name, const char *asked)
{
	return !*asked || (!strcmp(name, "size") && !strcmp(asked, "0"));
}

static void compare(const struct iob_result *w, const char *name, struct note *notes, size_t *n)
{
	const char *asked = iob_result_param(w, name), *ran = iob_result_effective(w, name);
	const char *engine = iob_result_effective(w, "engine"), *why = "";
	char text[sizeof(notes->text)];

	if (!asked || !ran || left_open(name, asked) || strcmp(asked, ran) == 0)
		return;
	const char *kind = iob_result_effective(w, "engine_kind");
	if (!strcmp(name, "queue_depth") && kind && !strcmp(kind, "sync"))
		why = " does one I/O at a time";
	snprintf(text, sizeof(text), "%s %.40s asked, %.40s ran%s%.24s%s", name, asked, ran,
		 *why ? ": " : "", *why && engine ? engine : "", why);
	add_note(notes, n, text);
}

static void collect(const struct iob_result *w, struct note *notes, size_t *n)
{
	static const char *const names[] = { "queue_depth", "workers",      "block_size",
					     "direct",      "sync",         "poll",
					     "pattern",     "read_percent", "size",
					     "offset",      "runtime",      "ramp_time",
					     "io_size",     "precision" };
	for (size_t i = 0; i < IOBI_LEN(names); i++)
		compare(w, names[i], notes, n);
}

static void asked_and_ran(struct iobi_report *o, const struct iobi_list *l)
{
	struct note *notes = calloc(NOTES, sizeof(*notes));
	size_t n = 0;

	for (size_t i = 0; notes && i < l->n; i++)
		collect(l->w[i], notes, &n);
	for (size_t i = 0; i < n; i++) {
		iobi_text_printf(&o->text, "note: %s", notes[i].text);
		if (l->n > 1 && notes[i].n == l->n)
			iobi_text_printf(&o->text, " (all %zu workloads)", l->n);
		if (notes[i].n < l->n)
			iobi_text_printf(&o->text, " (%zu of %zu workloads)", notes[i].n, l->n);
		iobi_text_add(&o->text, "\n");
	}
	if (!notes)
		o->text.failed = 1;
	free(notes);
}

static void add_where(struct iobi_text *t, const struct iob_result *w)
{
	const struct iob_result *stage = iobi_report_above(w, IOB_LEVEL_STAGE);
	if (stage && stage != w) {
		iobi_text_add(t, "\"");
		iobi_text_add_name(t, stage->name);
		iobi_text_add(t, stage->n_child > 1 ? "\", " : "\"");
	}
	if (stage && stage->n_child == 1)
		return;
	iobi_text_add(t, "\"");
	iobi_text_add_name(t, w->name);
	iobi_text_add(t, "\"");
}

static void add_count(struct iobi_text *t, uint64_t n, const char *what)
{
	char text[IOBI_CELL];
	if (n)
		iobi_text_printf(t, " %s %s %s;", iobi_text_count(text, n), n == 1 ? "I/O" : "I/Os",
				 what);
}

/* Flushes are not in IOB_OP_ALL. */
static uint64_t of_all(const struct iob_result *w, enum iob_count c)
{
	return iob_result_count(w, IOB_OP_ALL, c) + iob_result_count(w, IOB_OP_SYNC, c);
}

static void add_error(struct iobi_text *t, const struct iob_result *w)
{
	const struct iob_error *e = w->error;
	char text[IOBI_CELL];

	iobi_text_add(t, "ERROR in ");
	add_where(t, w);
	iobi_text_add(t, ":");
	add_count(t, of_all(w, IOB_COUNT_ERRORS), "failed");
	add_count(t, of_all(w, IOB_COUNT_SHORT), "short");
	if (e) {
		iobi_text_printf(t, " the first: %s at offset %s", *e->where ? e->where : "I/O",
				 iobi_text_count(text, e->offset));
		iobi_text_add(t, *e->file ? " of " : "");
		iobi_text_add_name(t, e->file);
		iobi_text_printf(t, ": %s", iobi_errno_text(e->code));
	}
	iobi_text_add(t, "\n");
}

static void errors(struct iobi_report *o, const struct iobi_list *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (!(l->w[i]->flags & IOB_RESULT_ERRORS))
			continue;
		if (n++ < ERRORS_SHOWN)
			add_error(&o->text, l->w[i]);
	}
	if (n > ERRORS_SHOWN)
		iobi_text_printf(&o->text, "ERROR in %zu more workloads\n", n - ERRORS_SHOWN);
}

void iobi_text_notes(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l)
{
	errors(o, l);
	asked_and_ran(o, l);
}
