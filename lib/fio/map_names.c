/* SPDX-License-Identifier: MIT */
/* The names of a job's targets: lists of fio's, what is made up, and where they are. */
#include "fio/facts.h"
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists: "a:b", "\:" being one of the name ---- */

static size_t list_length(const char *list)
{
	size_t n = 1;
	for (; *list; list++) {
		if (list[0] == '\\' && list[1])
			list++;
		else
			n += *list == ':';
	}
	return n;
}

/* Cuts the list in place; item i begins at names[i]. */
static void cut(char *list, char **names)
{
	char *to = list;
	size_t n = 0;
	names[n++] = to;
	for (; *list; list++) {
		if (list[0] == '\\' && (list[1] == ':' || list[1] == '\\')) {
			*to++ = *++list;
		} else if (*list == ':') {
			*to++ = '\0';
			names[n++] = to;
		} else {
			*to++ = *list;
		}
	}
	*to = '\0';
}

/* All are in one text, so the one that stands first there is the first. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int order = strcmp(x, y);
	return order ? order : (x > y) - (x < y);
}

static void drop_empty(struct iobi_fio_names *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++)
		if (*list->name[i])
			list->name[n++] = list->name[i];
	list->n = n;
}

/* One that is named twice, as by [global] and the job, is one target. */
static int drop_twins(struct iobi_fio_names *list)
{
	char **sorted = calloc(list->n, sizeof(*sorted)), *first = NULL;
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, list->name, list->n * sizeof(*sorted));
	qsort(sorted, list->n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < list->n; i++)
		if (first && !strcmp(first, sorted[i]))
			*sorted[i] = '\0';
		else
			first = sorted[i];
	free(sorted);
	drop_empty(list);
	return 0;
}

/* An empty name at the end is of a colon too many. */
static bool has_gap(struct iobi_fio_names *list)
{
	if (list->n > 1 && !*list->name[list->n - 1])
		list->n--;
	for (size_t i = 0; i < list->n; i++)
		if (!*list->name[i])
			return true;
	return false;
}

static int split(const struct iobi_fio_map *m, int key, struct iobi_fio_names *list)
{
	const char *text = iobi_fio_text(m, key);
	if (!text)
		return 0;
	list->n = list_length(text);
	list->name = calloc(list->n, sizeof(*list->name));
	list->text = strdup(text);
	if (!list->name || !list->text)
		return iobi_no_memory(m->f->err);
	cut(list->text, list->name);
	if (has_gap(list))
		return iobi_fio_wrong(m, EINVAL, key, "\"%s\" has an empty name in it",
				      IOBI_QUOTE(text));
	return 0;
}

int iobi_fio_map_names(struct iobi_fio_map *m)
{
	int rc = split(m, IOBI_FIO_DIRECTORY, &m->dirs);
	rc = rc ? rc : split(m, IOBI_FIO_FILENAME, &m->names);
	if (!rc && m->names.n > 1 && drop_twins(&m->names))
		rc = iobi_no_memory(m->f->err);
	return rc;
}

static void free_list(struct iobi_fio_names *list)
{
	free(list->name);
	free(list->text);
	*list = (struct iobi_fio_names){ .n = 0 };
}

void iobi_fio_free_names(struct iobi_fio_map *m)
{
	free_list(&m->dirs);
	free_list(&m->names);
}

/* ---- paths ---- */

/* Of several directories each clone takes the next. */
static void add_directory(const struct iobi_fio_map *m, struct iobi_text *path, int64_t clone)
{
	if (!m->dirs.n)
		return;
	iobi_text_add(path, m->dirs.name[(size_t)clone % m->dirs.n]);
	if (path->len && path->data[path->len - 1] != '/')
		iobi_text_add(path, "/");
}

static const char *format_of(const struct iobi_fio_map *m)
{
	const char *format = iobi_fio_text(m, IOBI_FIO_FILENAME_FORMAT);
	return format ? format : "$jobname.$jobnum.$filenum";
}

static int add_formatted(const struct iobi_fio_map *m, struct iobi_text *path, int64_t clone,
			 int64_t file)
{
	for (const char *format = format_of(m); *format;) {
		if (!strncmp(format, "$jobname", 8)) {
			iobi_text_add(path, m->job->name); /* the section's, also with name= */
			format += 8;
		} else if (!strncmp(format, "$jobnum", 7)) {
			iobi_text_printf(path, "%" PRId64, clone);
			format += 7;
		} else if (!strncmp(format, "$filenum", 8)) {
			iobi_text_printf(path, "%" PRId64, file);
			format += 8;
		} else if (!strncmp(format, "$clientuid", 10)) {
			return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_FILENAME_FORMAT,
					      "not supported: $clientuid (fio's network mode)");
		} else {
			iobi_text_add_n(path, format++, 1);
		}
	}
	return 0;
}

/* A section that is called as a device is that device. */
static bool is_device(const struct iobi_fio_map *m)
{
	return !m->names.n && *m->job->name == '/' && iobi_fio_look(m->job->name).block;
}

int iobi_fio_count_files(const struct iobi_fio_map *m, int64_t *n)
{
	*n = 1;
	if (m->names.n) {
		*n = (int64_t)m->names.n;
		return 0;
	}
	int rc = is_device(m) ? 0 : iobi_fio_get_int(m, IOBI_FIO_NRFILES, n);
	if (!rc && (*n < 1 || *n > UINT16_MAX))
		return iobi_fio_wrong(m, ERANGE, IOBI_FIO_NRFILES, "%" PRId64 " is not 1 to %d", *n,
				      UINT16_MAX);
	if (!rc && !strstr(format_of(m), "$filenum")) /* all files are the same one */
		*n = 1;
	return rc;
}

int iobi_fio_path(const struct iobi_fio_map *m, struct iobi_text *path, int64_t clone, int64_t file)
{
	int rc = 0;
	if (is_device(m)) {
		iobi_text_add(path, m->job->name);
	} else {
		add_directory(m, path, clone);
		if (m->names.n)
			iobi_text_add(path, m->names.name[file]);
		else
			rc = add_formatted(m, path, clone, file);
	}
	return rc || !path->failed ? rc : iobi_no_memory(m->f->err);
}
