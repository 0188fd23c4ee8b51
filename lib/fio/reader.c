/* SPDX-License-Identifier: MIT */
/* A job file: sections, lines, includes. */
#include "fio/fio_priv.h"
#include "workload/units.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEEPEST = 16,       /* includes inside includes */
	LARGEST = 16 << 20, /* bytes of a file */
	ALL = 64 << 20      /* of all files, as often as they are read */
};

struct file {
	const char *path;
	int line, depth;
	bool behind; /* another file: its first job waits for those of the others */
};

static int read_lines(struct iobi_fio *f, const char *path, int depth, bool behind,
		      struct iobi_fio_place from);

/* ---- one option ---- */

static int unknown(struct iobi_fio *f, const char *name, struct iobi_fio_place at)
{
	const char *dash = iobi_fio_false_dash(name);
	const char *nearest = dash ? NULL : iobi_fio_nearest(name);
	if (dash)
		return iobi_fio_fail(
			f, EINVAL, "dash", at,
			"\"%s\" begins with %s, a dash of a web page or a text program; "
			"type - instead",
			IOBI_QUOTE(name), dash);
	if (nearest)
		return iobi_fio_fail(f, ENOENT, IOBI_QUOTE(name), at,
				     "unknown option \"%s\"; did you mean \"%s\"?",
				     IOBI_QUOTE(name), nearest);
	return iobi_fio_fail(f, ENOENT, IOBI_QUOTE(name), at, "unknown option \"%s\"",
			     IOBI_QUOTE(name));
}

/* Once an option and suite: what is accepted and changes nothing. */
static int note_no_effect(struct iobi_fio *f, int key, struct iobi_fio_place at)
{
	const struct iob_fio_option *o = iobi_fio_row(key);
	if (o->support != IOB_FIO_NO_EFFECT || f->noted[key])
		return 0;
	f->noted[key] = true;
	return iobi_fio_note(f, at, "%s has no effect: %s", o->name, o->help);
}

static bool takes_number(int key, const char *text)
{
	enum iobi_fio_type type = iobi_fio_type(key);
	if (key == IOBI_FIO_FILESIZE) /* a - in it is a range */
		return strpbrk(text, "*(") != NULL;
	return type == IOBI_FIO_IS_INT || type == IOBI_FIO_IS_SIZE || type == IOBI_FIO_IS_PERCENT ||
	       type == IOBI_FIO_IS_TIME;
}

/* A file name is added to those there are, also to those of [global]. */
static const char *add_name(struct iobi_fio *f, const char *so_far, const char *text)
{
	struct iobi_text t = { 0 };
	if (!so_far)
		return text;
	iobi_text_printf(&t, "%s:%s", so_far, text);
	const char *kept = t.failed ? NULL : iobi_fio_keep(f, t.data, t.len);
	if (t.failed)
		iobi_no_memory(f->err);
	iobi_text_free(&t);
	return kept;
}

static int put(struct iobi_fio *f, int key, const char *text, struct iobi_fio_place at)
{
	struct iobi_fio_value *v = &f->into->value[key];
	if (key == IOBI_FIO_FILENAME)
		text = add_name(f, v->text, text);
	if (!text)
		return -ENOMEM;
	*v = (struct iobi_fio_value){ text, at, ++f->order, true };
	return note_no_effect(f, key, at);
}

int iobi_fio_set(struct iobi_fio *f, const char *name, size_t len, const char *value,
		 struct iobi_fio_place at)
{
	int key = iobi_fio_key(name, len);
	const struct iob_fio_option *refused = key < 0 ? iobi_fio_refused(name, len) : NULL;
	const char *kept = key < 0 ? iobi_fio_keep(f, name, len) : iobi_fio_row(key)->name;
	if (!kept)
		return -ENOMEM;
	if (refused)
		return iobi_fio_fail(f, ENOTSUP, refused->name, at, "not supported: %s (%s)", kept,
				     refused->help);
	if (key < 0)
		return unknown(f, kept, at);
	const char *text = iobi_fio_expand(f, value ? value : "", kept, at);
	if (text && takes_number(key, text))
		text = iobi_fio_calculate(f, text, kept, at);
	if (!text)
		return f->err && f->err->code ? -f->err->code : -EINVAL;
	int rc = iobi_fio_judge(f, key, text, at);
	return rc ? rc : put(f, key, text, at);
}

/* ---- lines ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
	size_t len = strlen(text);
	while (len && is_blank(text[len - 1]))
		text[--len] = '\0';
	while (is_blank(*text))
		text++;
	return text;
}

static int note_blanks(struct iobi_fio *f, struct iobi_fio_place at)
{
	if (f->noted_blanks)
		return 0;
	f->noted_blanks = true;
	return iobi_fio_note(f, at,
			     "blanks round = are left out (fio reads \"bs = 4k\" as 4 bytes)");
}

static bool wanted(const struct iobi_fio *f, const char *name)
{
	for (size_t i = 0; i < f->n_sections; i++)
		if (!strcmp(f->section[i], name))
			return true;
	return !f->n_sections;
}

static int note_global(struct iobi_fio *f, const char *name, struct iobi_fio_place at)
{
	if (!strcmp(name, "global"))
		return 0;
	return iobi_fio_note(f, at, "[%s] begins with \"global\" and so holds globals, as in fio",
			     IOBI_QUOTE(name));
}

/* A section that is not wanted is read into a job that is dropped again. */
static int drop_unwanted(struct iobi_fio *f)
{
	if (f->n_jobs && f->into == f->job[f->n_jobs - 1] && !wanted(f, f->into->name)) {
		free(f->into);
		f->n_jobs--;
	}
	f->into = NULL;
	return 0;
}

static int open_section(struct iobi_fio *f, struct file *file, char *line)
{
	struct iobi_fio_place at = { file->path, file->line };
	char *close = strrchr(line, ']');
	if (!close || *trim(close + 1))
		return iobi_fio_fail(f, EINVAL, "section", at, "\"%s\" is no section, as [NAME]",
				     IOBI_QUOTE(line));
	*close = '\0';
	char *trimmed = trim(line + 1);
	if (!*trimmed)
		return iobi_fio_fail(f, EINVAL, "section", at, "the section has no name");
	if (file->depth)
		return iobi_fio_fail(
			f, EINVAL, "section", at,
			"an included file cannot open the section [%s]: it goes into the "
			"one that includes it",
			IOBI_QUOTE(trimmed));
	const char *name = iobi_fio_keep(f, trimmed, strlen(trimmed));
	if (!name)
		return -ENOMEM;
	drop_unwanted(f);
	if (!strncmp(name, "global", strlen("global"))) {
		f->into = &f->global;
		return note_global(f, name, at);
	}
	f->into = iobi_fio_new_job(f, name, at);
	if (f->into && wanted(f, name)) {
		f->into->first = file->behind;
		file->behind = false;
	}
	return f->into ? 0 : -ENOMEM;
}

static int include(struct iobi_fio *f, const struct file *file, const char *name)
{
	struct iobi_fio_place at = { file->path, file->line };
	const char *slash = strrchr(file->path, '/');
	struct iobi_text t = { 0 };
	name = iobi_fio_expand(f, name, "include", at);
	if (!name)
		return -EINVAL;
	if (!*name)
		return iobi_fio_fail(f, EINVAL, "include", at, "it names no file");
	if (file->depth >= DEEPEST)
		return iobi_fio_fail(f, ELOOP, "include", at,
				     "\"%s\" would be the %dth file inside another",
				     IOBI_QUOTE(name), DEEPEST + 1);
	if (slash && *name != '/')
		iobi_text_add_n(&t, file->path, (size_t)(slash - file->path) + 1);
	iobi_text_add(&t, name);
	const char *path = t.failed ? NULL : iobi_fio_keep(f, t.data, t.len);
	iobi_text_free(&t);
	if (!path)
		return iobi_no_memory(f->err);
	return read_lines(f, path, file->depth + 1, false, at);
}

static int no_section(struct iobi_fio *f, const char *line, struct iobi_fio_place at)
{
	return iobi_fio_fail(f, EINVAL, "section", at,
			     "\"%s\" stands before any section; put [global] or [NAME] above it",
			     IOBI_QUOTE(line));
}

static int read_option(struct iobi_fio *f, const struct file *file, char *line)
{
	struct iobi_fio_place at = { file->path, file->line };
	static const char keyword[] = "include";
	if (!f->into)
		return no_section(f, line, at);
	if (!strncmp(line, keyword, strlen(keyword)) &&
	    (is_blank(line[strlen(keyword)]) || !line[strlen(keyword)]))
		return include(f, file, trim(line + strlen(keyword)));
	char *value = strchr(line, '=');
	if (value) {
		bool blanks = is_blank(value[1]) || (value > line && is_blank(value[-1]));
		*value++ = '\0';
		line = trim(line);
		value = trim(value);
		int rc = blanks && *value ? note_blanks(f, at) : 0;
		if (rc)
			return rc;
	}
	return iobi_fio_set(f, line, strlen(line), value, at);
}

static int read_line(struct iobi_fio *f, struct file *file, char *line)
{
	line[strcspn(line, ";#")] = '\0';
	line = trim(line);
	if (!*line)
		return 0;
	return *line == '[' ? open_section(f, file, line) : read_option(f, file, line);
}

/* ---- files ---- */

static int fail_file(struct iobi_fio *f, const char *path, struct iobi_fio_place from, int code,
		     const char *what)
{
	int rc = iobi_fio_fail(f, code, from.line ? "include" : "path", from, "\"%s\": %s",
			       IOBI_QUOTE(path), what);
	if (f->err && !from.line)
		snprintf(f->err->file, sizeof(f->err->file), "%s", path);
	return rc;
}

static int read_all(int fd, struct iobi_text *t)
{
	char part[16384];
	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		iobi_text_add_n(t, part, (size_t)n);
		if (t->failed || t->len > LARGEST)
			return t->failed ? -ENOMEM : -EFBIG;
	}
}

/* A pipe may be a job file, as <(...) of a shell, but not an included one. */
static int load(const char *path, bool pipes, struct iobi_text *t)
{
	struct stat st;
	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !(pipes && S_ISFIFO(st.st_mode)))
		return -EINVAL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = read_all(fd, t);
	close(fd);
	if (!rc && t->len && memchr(t->data, 0, t->len))
		rc = -EILSEQ;
	return rc;
}

static int read_text(struct iobi_fio *f, struct file *file, char *text)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
	if (!strncmp(text, mark, strlen(mark)))
		text += strlen(mark);
	int rc = 0;
	for (char *line; !rc && (line = strsep(&text, "\n"));) {
		file->line++;
		rc = read_line(f, file, line);
	}
	return rc;
}

static int read_lines(struct iobi_fio *f, const char *path, int depth, bool behind,
		      struct iobi_fio_place from)
{
	struct iobi_text t = { 0 };
	struct file file = { .path = path, .depth = depth, .behind = behind };
	int rc = load(path, !depth, &t);
	f->file_bytes +=
		t.len + 4096; /* includes grow by leaps, and even an empty file takes time */
	if (!rc && f->file_bytes > ALL)
		rc = -E2BIG;
	if (rc == -E2BIG)
		fail_file(f, path, from, -rc, "with it the files come to more than 64 MiB");
	else if (rc == -EILSEQ || rc == -EINVAL || rc == -EFBIG)
		fail_file(f, path, from, -rc,
			  rc == -EFBIG ? "is too large for a job file" : "is no job file");
	else if (rc)
		fail_file(f, path, from, -rc, iobi_errno_text(-rc));
	else if (t.data)
		rc = read_text(f, &file, t.data);
	iobi_text_free(&t);
	return rc;
}

int iobi_fio_read_file(struct iobi_fio *f, const char *path, bool behind_another)
{
	struct iobi_fio_place nowhere = { "", 0 };
	const char *kept = iobi_fio_keep(f, path, strlen(path));
	if (!kept)
		return -ENOMEM;
	f->into = NULL;
	f->file = f->file ? f->file : kept;
	int rc = read_lines(f, kept, 0, behind_another, nowhere);
	if (!rc)
		drop_unwanted(f);
	return rc;
}
