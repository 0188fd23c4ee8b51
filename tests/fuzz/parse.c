/* SPDX-License-Identifier: MIT */
/* Parameters and matrices from any text. A line of the input is a text that
 * every parameter is set to; a line `+name=values` is an axis of a matrix; a
 * line `name=value` is set by name. What is refused must change nothing, and
 * what is taken must come back. */
#include <iobench/suite.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum {
	AXES = 3,
	CELLS_MAX = 500,
	LINES_MAX = 40
};

#define MUST(c)                                                                                    \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #c);                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static char *get(const struct iob_workload *w, const char *name)
{
	int len = iob_workload_get(w, name, NULL, 0);
	if (len < 0)
		return NULL;
	char *text = malloc((size_t)len + 1);
	MUST(text && iob_workload_get(w, name, text, (size_t)len + 1) == len);
	MUST(strlen(text) == (size_t)len);
	return text;
}

static void check_error(const struct iob_error *err, int rc)
{
	MUST(err->code == -rc);
	MUST(rc == -EINVAL || rc == -ERANGE || rc == -ENOENT);
	MUST(err->message[0] && strlen(err->message) < sizeof(err->message));
	MUST(strlen(err->where) < sizeof(err->where));
	for (const char *c = err->message; *c; c++)
		MUST((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
}

static void try_set(struct iob_workload *w, const char *name, const char *text)
{
	struct iob_error err = { 0 };
	char *before = get(w, name);
	int rc = iob_workload_set(w, name, text, &err);
	char *after = get(w, name);
	if (rc < 0) {
		check_error(&err, rc);
		MUST(!before == !after && (!before || !strcmp(before, after)));
	} else {
		MUST(rc == 0 && err.code == 0 && after);
		MUST(iob_workload_set(w, name, after, NULL) == 0);
		char *again = get(w, name);
		MUST(!strcmp(after, again));
		free(again);
	}
	free(before);
	free(after);
}

static size_t count(const char *text)
{
	size_t n = 1;
	for (char sep = strchr(text, ';') ? ';' : ','; *text; text++)
		n += *text == sep;
	return n;
}

static void check_stages(const struct iob_suite *s)
{
	for (size_t i = 0; i < iob_suite_stage_count(s); i++) {
		MUST(iob_suite_stage_name(s, i)[0]);
		MUST(iob_suite_workload_count(s, i) == 1);
		MUST(iob_suite_workload(s, i, 0));
	}
}

static void try_matrix(const struct iob_workload *w, const struct iob_axis *axes, size_t n)
{
	struct iob_suite *s = iob_suite_new(NULL);
	struct iob_error err = { 0 };
	size_t cells = 1;
	MUST(s);
	for (size_t i = 0; i < n; i++)
		cells *= count(axes[i].values);
	int rc = cells > CELLS_MAX ? 0 : iob_suite_add_matrix(s, w, axes, n, &err);
	if (rc < 0) {
		check_error(&err, rc);
		MUST(iob_suite_stage_count(s) == 0);
	} else if (cells <= CELLS_MAX) {
		MUST(iob_suite_stage_count(s) == cells);
		check_stages(s);
	}
	iob_suite_free(s);
}

static void try_line(struct iob_workload *w, char *line)
{
	for (size_t i = 0; i < iob_param_count(); i++)
		try_set(w, iob_param_info(i)->name, line);
	char *value = strchr(line, '=');
	if (!value)
		return;
	*value++ = '\0';
	try_set(w, line, value);
}

static void try_lines(struct iob_workload *w, char *text)
{
	struct iob_axis axes[AXES];
	size_t n = 0;
	char *line;
	for (int i = 0; i < LINES_MAX && (line = strsep(&text, "\n")); i++) {
		char *value = strchr(line, '=');
		if (line[0] != '+' || !value || n == AXES) {
			try_line(w, line);
			continue;
		}
		*value++ = '\0';
		axes[n++] = (struct iob_axis){ line + 1, value };
	}
	try_matrix(w, axes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct iob_workload *w = iob_workload_new(NULL);
	char *text = malloc(len + 1);
	MUST(w && text);
	memcpy(text, data, len);
	text[len] = '\0';
	try_lines(w, text);
	free(text);
	iob_workload_free(w);
	return 0;
}
