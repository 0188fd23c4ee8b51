/* SPDX-License-Identifier: MIT */
#include "workload/params.h"
#include "workload/units.h"
#include <iobench/suite.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STAGES_MAX = 1000000
};

struct stage {
	char *name;       /* as given, or NULL */
	char made_up[32]; /* "stage 3" */
	struct iob_workload **workload;
	size_t n;
	bool tracked;
};

struct iob_suite {
	struct stage **stage; /* each on its own: its name stays where it is */
	size_t n, cap;
	bool closed;            /* the next workload starts a stage */
	char *next_name;        /* of that stage, or NULL */
	size_t once;            /* stages before the rounds */
	bool rounds;            /* they have begun */
	struct iob_note **note; /* each in one block with its texts */
	size_t n_notes;
};

struct iob_suite *iob_suite_new(struct iob_error *err)
{
	struct iob_suite *s = calloc(1, sizeof(*s));
	if (!s)
		iobi_no_memory(err);
	else
		s->closed = true;
	return s;
}

static void stage_free(struct stage *st)
{
	for (size_t i = 0; i < st->n; i++)
		iob_workload_free(st->workload[i]);
	free(st->workload);
	free(st->name);
	free(st);
}

void iob_suite_free(struct iob_suite *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		stage_free(s->stage[i]);
	for (size_t i = 0; i < s->n_notes; i++)
		free(s->note[i]);
	free(s->note);
	free(s->stage);
	free(s->next_name);
	free(s);
}

/* Room for n stages in all. */
static int reserve(struct iob_suite *s, size_t n)
{
	size_t cap = s->cap ? s->cap : 16;
	if (n <= s->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	struct stage **stage = reallocarray(s->stage, cap, sizeof(*stage));
	if (!stage)
		return -ENOMEM;
	s->stage = stage;
	s->cap = cap;
	return 0;
}

static int stage_add(struct stage *st, struct iob_workload *w)
{
	struct iob_workload **more = reallocarray(st->workload, st->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	st->workload = more;
	more[st->n++] = w;
	return 0;
}

/* Ends the suite with a stage of one workload, and takes w and the name. On
 * failure neither, and the suite is as it was. */
static int append_stage(struct iob_suite *s, struct iob_workload *w, char *name)
{
	struct stage *st = reserve(s, s->n + 1) == 0 ? calloc(1, sizeof(*st)) : NULL;
	if (!st)
		return -ENOMEM;
	if (stage_add(st, w) < 0) {
		stage_free(st);
		return -ENOMEM;
	}
	snprintf(st->made_up, sizeof(st->made_up), "stage %zu", s->n + 1);
	st->name = name;
	s->stage[s->n++] = st;
	return 0;
}

int iob_suite_add(struct iob_suite *s, const struct iob_workload *w, struct iob_error *err)
{
	if (!s || !w)
		return iobi_is_null(err, s ? "workload" : "suite");
	struct iob_workload *copy = iob_workload_copy(w, err);
	if (!copy)
		return -ENOMEM;
	int rc = s->closed ? append_stage(s, copy, s->next_name)
			   : stage_add(s->stage[s->n - 1], copy);
	if (rc < 0) {
		iob_workload_free(copy);
		return iobi_no_memory(err);
	}
	s->closed = false;
	s->next_name = NULL;
	return 0;
}

int iob_suite_next_stage(struct iob_suite *s, const char *name, struct iob_error *err)
{
	if (!s)
		return iobi_is_null(err, "suite");
	char *copy = name && *name ? strdup(name) : NULL;
	if (name && *name && !copy)
		return iobi_no_memory(err);
	free(s->next_name);
	s->next_name = copy;
	s->closed = true;
	return 0;
}

/* An axis with its values as texts of their own. */
struct axis {
	const struct iob_param_info *info;
	char *copy; /* the list, NULs for separators */
	const char **value;
	size_t n;
};

static char separator(const char *values)
{
	return strchr(values, ';') ? ';' : ',';
}

static size_t count_values(const char *values)
{
	char sep = separator(values);
	size_t n = 1;
	for (; *values; values++)
		n += *values == sep;
	return n;
}

static bool has_empty_value(const char *values)
{
	char sep = separator(values);
	for (const char *at = values; at; at = strchr(at, sep)) {
		at += at != values; /* past the separator */
		if (!*at || *at == sep)
			return true;
	}
	return false;
}

static int judge_axis(const struct iob_axis *axis, const struct axis *before, size_t n_before,
		      const struct iob_param_info **info, struct iob_error *err)
{
	if (!axis->param)
		return iobi_is_null(err, "param");
	*info = iobi_param_find(axis->param, err);
	if (!*info)
		return -ENOENT;
	const char *name = (*info)->name;
	for (size_t i = 0; i < n_before; i++)
		if (before[i].info == *info)
			return iobi_fail(err, EINVAL, name,
					 "two axes of the matrix have this parameter");
	if (!axis->values || !*axis->values)
		return iobi_fail(err, EINVAL, name,
				 "the axis has no values; give them with commas between");
	if (has_empty_value(axis->values))
		return iobi_fail(err, EINVAL, name, "the axis has an empty value in \"%s\"",
				 IOBI_QUOTE(axis->values));
	return 0;
}

/* Judges the axes and counts the cells, before anything is allocated for them. */
static int judge_axes(const struct iob_suite *s, const struct iob_axis *axes, struct axis *axis,
		      size_t n, struct iob_error *err)
{
	size_t cells = 1, left = s->n < STAGES_MAX ? STAGES_MAX - s->n : 0;
	for (size_t i = 0; i < n; i++) {
		int rc = judge_axis(&axes[i], axis, i, &axis[i].info, err);
		if (rc < 0)
			return rc;
		axis[i].n = count_values(axes[i].values);
	}
	for (size_t i = 0; i < n; i++) {
		if (axis[i].n > left / cells)
			return iobi_fail(err, ERANGE, axis[i].info->name,
					 "with this axis the suite has more than %d stages",
					 STAGES_MAX);
		cells *= axis[i].n;
	}
	return 0;
}

static int split_axis(struct axis *a, const char *values)
{
	char sep[2] = { separator(values), '\0' }, *rest;
	a->copy = rest = strdup(values);
	a->value = calloc(a->n, sizeof(*a->value));
	if (!a->copy || !a->value)
		return -ENOMEM;
	for (size_t i = 0; i < a->n; i++)
		a->value[i] = strsep(&rest, sep);
	return 0;
}

/* Splits the axes, and tries every value once, on a workload of its own. */
static int read_axes(struct iob_workload *trial, const struct iob_axis *axes, struct axis *axis,
		     size_t n, struct iob_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (split_axis(&axis[i], axes[i].values) < 0)
			return iobi_no_memory(err);
		for (size_t k = 0; k < axis[i].n; k++) {
			int rc = iob_workload_set_str(trial, axis[i].info->key, axis[i].value[k],
						      err);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* "prefix: block_size=8k workers=1", from the values as the workload holds them. */
static char *cell_name(const struct iob_workload *w, const struct axis *axis, size_t n,
		       const char *prefix)
{
	struct iobi_text t = { 0 };
	if (prefix) {
		iobi_text_add(&t, prefix);
		iobi_text_add(&t, ": ");
	}
	for (size_t i = 0; i < n; i++) {
		const char *text = iob_workload_get_str(w, axis[i].info->key);
		char number[64];
		if (!text)
			iob_workload_get(w, axis[i].info->name, number, sizeof(number));
		iobi_text_printf(&t, "%s%s=%s", i ? " " : "", axis[i].info->name,
				 text ? text : number);
	}
	if (t.failed)
		iobi_text_free(&t);
	return t.data;
}

/* Cell number `cell`; the first axis varies slowest. */
static struct iob_workload *make_cell(const struct iob_workload *base, const struct axis *axis,
				      size_t n, size_t cell)
{
	struct iob_workload *w = iob_workload_copy(base, NULL);
	for (size_t i = n; w && i-- > 0; cell /= axis[i].n) {
		const char *value = axis[i].value[cell % axis[i].n];
		if (iob_workload_set_str(w, axis[i].info->key, value, NULL) == 0)
			continue;
		iob_workload_free(w);
		w = NULL;
	}
	return w;
}

static int add_cell(struct iob_suite *s, const struct iob_workload *base, const struct axis *axis,
		    size_t n, size_t cell)
{
	struct iob_workload *w = make_cell(base, axis, n, cell);
	char *name = w ? cell_name(w, axis, n, s->next_name) : NULL;
	if (name && append_stage(s, w, name) == 0)
		return 0;
	free(name);
	iob_workload_free(w);
	return -ENOMEM;
}

static int add_cells(struct iob_suite *s, const struct iob_workload *base, const struct axis *axis,
		     size_t n, struct iob_error *err)
{
	const size_t before = s->n;
	size_t cells = 1;
	for (size_t i = 0; i < n; i++)
		cells *= axis[i].n;
	for (size_t cell = 0; cell < cells; cell++) {
		if (add_cell(s, base, axis, n, cell) == 0)
			continue;
		while (s->n > before)
			stage_free(s->stage[--s->n]);
		return iobi_no_memory(err);
	}
	free(s->next_name);
	s->next_name = NULL;
	s->closed = true;
	return 0;
}

static void free_axes(struct axis *axis, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(axis[i].copy);
		free(axis[i].value);
	}
}

int iob_suite_add_matrix(struct iob_suite *s, const struct iob_workload *base,
			 const struct iob_axis *axes, size_t n, struct iob_error *err)
{
	struct axis axis[IOBI_PARAMS] = { 0 };
	if (!s || !base || (n && !axes))
		return iobi_is_null(err, !s ? "suite" : !base ? "workload" : "axes");
	if (n == 0)
		return iobi_fail(err, EINVAL, "matrix", "there is no axis; give at least one");
	if (n > IOBI_PARAMS)
		return iobi_fail(err, EINVAL, "matrix",
				 "%zu axes are more than there are parameters", n);
	int rc = judge_axes(s, axes, axis, n, err);
	if (rc < 0)
		return rc;
	struct iob_workload *trial = iob_workload_copy(base, err);
	rc = trial ? read_axes(trial, axes, axis, n, err) : -ENOMEM;
	iob_workload_free(trial);
	if (rc == 0)
		rc = add_cells(s, base, axis, n, err);
	free_axes(axis, n);
	return rc;
}

size_t iob_suite_stage_count(const struct iob_suite *s)
{
	return s ? s->n : 0;
}

const char *iob_suite_stage_name(const struct iob_suite *s, size_t stage)
{
	if (stage >= iob_suite_stage_count(s))
		return NULL;
	const struct stage *st = s->stage[stage];
	const char *own = st->n == 1 ? iob_workload_get_str(st->workload[0], IOB_PARAM_NAME) : "";
	if (st->name)
		return st->name;
	return *own ? own : st->made_up;
}

size_t iob_suite_workload_count(const struct iob_suite *s, size_t stage)
{
	return stage < iob_suite_stage_count(s) ? s->stage[stage]->n : 0;
}

const struct iob_workload *iob_suite_workload(const struct iob_suite *s, size_t stage, size_t i)
{
	return i < iob_suite_workload_count(s, stage) ? s->stage[stage]->workload[i] : NULL;
}

/* ---- rounds ---- */

int iob_suite_begin_rounds(struct iob_suite *s, struct iob_error *err)
{
	if (!s)
		return iobi_is_null(err, "suite");
	if (s->rounds)
		return iobi_fail(err, EINVAL, "rounds", "they have begun already, after stage %zu",
				 s->once);
	s->rounds = s->closed = true;
	s->once = s->n;
	return 0;
}

size_t iob_suite_once_count(const struct iob_suite *s)
{
	return s ? s->once : 0;
}

int iob_suite_track(struct iob_suite *s, size_t stage, struct iob_error *err)
{
	if (!s)
		return iobi_is_null(err, "suite");
	if (stage >= s->n)
		return iobi_fail(err, EINVAL, "track", "there is no stage %zu; there are %zu",
				 stage, s->n);
	if (stage < s->once)
		return iobi_fail(err, EINVAL, "track",
				 "stage %zu, \"%s\", runs once, before the rounds", stage,
				 IOBI_QUOTE(iob_suite_stage_name(s, stage)));
	s->stage[stage]->tracked = true;
	return 0;
}

int iob_suite_tracked(const struct iob_suite *s, size_t stage)
{
	return stage < iob_suite_stage_count(s) && s->stage[stage]->tracked;
}

/* ---- notes ---- */

size_t iob_suite_note_count(const struct iob_suite *s)
{
	return s ? s->n_notes : 0;
}

const struct iob_note *iob_suite_note(const struct iob_suite *s, size_t i)
{
	return i < iob_suite_note_count(s) ? s->note[i] : NULL;
}

static struct iob_note *new_note(const char *file, int line, const char *text)
{
	size_t file_len = strlen(file) + 1, text_len = strlen(text) + 1;
	struct iob_note *note = malloc(sizeof(*note) + file_len + text_len);
	if (!note)
		return NULL;
	char *texts = (char *)(note + 1);
	memcpy(texts, file, file_len);
	memcpy(texts + file_len, text, text_len);
	*note = (struct iob_note){
		.size = sizeof(*note), .line = line, .file = texts, .text = texts + file_len
	};
	return note;
}

int iobi_suite_add_note(struct iob_suite *s, const char *file, int line, const char *text)
{
	for (size_t i = 0; i < s->n_notes; i++)
		if (s->note[i]->line == line && !strcmp(s->note[i]->file, file) &&
		    !strcmp(s->note[i]->text, text))
			return 0;
	struct iob_note **more = reallocarray(s->note, s->n_notes + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->note = more;
	more[s->n_notes] = new_note(file, line, text);
	if (!more[s->n_notes])
		return -ENOMEM;
	s->n_notes++;
	return 0;
}

int iob_suite_add_note(struct iob_suite *s, const char *text, struct iob_error *err)
{
	if (!s || !text)
		return iobi_is_null(err, s ? "text" : "suite");
	if (!*text)
		return iobi_fail(err, EINVAL, "note", "the note is empty; give a sentence");
	return iobi_suite_add_note(s, "", 0, text) ? iobi_no_memory(err) : 0;
}
