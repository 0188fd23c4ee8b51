/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const struct output *it, const char *why)
{
	complain("%s: cannot write %s: %s", it->what, it->path, why);
	return EXIT_BAD;
}

static bool same_file(const char *path, const struct stat *st)
{
	struct stat t;

	return !stat(path, &t) && t.st_dev == st->st_dev && t.st_ino == st->st_ino;
}

/* The file that a loop device shows is the target as the device is. */
static bool is_shown_by(const char *target, const struct stat *st)
{
	struct stat t;
	struct iob_device *d = NULL;
	const struct iob_fact *f = NULL;

	if (!stat(target, &t) && S_ISBLK(t.st_mode))
		d = iob_device_open(target, NULL);
	if (d)
		f = iob_device_find(d, "backing_file");
	bool yes = f && f->text && same_file(f->text, st);
	iob_device_free(d);
	return yes;
}

/* Replacing it would take it from under a loop device that is in use. */
static bool is_used(const char *path, const struct stat *st)
{
	struct iob_device *d = S_ISREG(st->st_mode) ? iob_device_open(path, NULL) : NULL;
	bool yes = d && iob_device_user_count(d);

	iob_device_free(d);
	return yes;
}

/* A report must not replace the file that is measured, nor one that is read. */
static const char *why_not(const char *path, const struct stat *st, const struct opts *o)
{
	for (size_t i = 0; i < o->n_targets; i++)
		if (same_file(o->target[i], st) || is_shown_by(o->target[i], st))
			return "it is the target";
	for (size_t i = 0; i < o->n_inputs; i++)
		if (same_file(o->input[i], st))
			return "the jobs are read from it";
	return is_used(path, st) ? "a device is on it, or it is swap" : NULL;
}

static const char *last_part(const char *path, size_t *len)
{
	const char *slash = strrchr(path, '/');

	*len = slash ? (size_t)(slash - path) + 1 : 0;
	return slash ? slash + 1 : path;
}

/* Neither is there yet: the run would make the one, the report then the other. */
static bool same_place(const char *a, const char *b)
{
	size_t len_a, len_b;
	const char *name_a = last_part(a, &len_a), *name_b = last_part(b, &len_b);
	char *dir_a = len_a ? strndup(a, len_a) : strdup(".");
	char *dir_b = len_b ? strndup(b, len_b) : strdup(".");
	struct stat st;
	bool same = dir_a && dir_b && !strcmp(name_a, name_b) && !stat(dir_a, &st) &&
		    same_file(dir_b, &st);

	free(dir_a);
	free(dir_b);
	return same;
}

static bool will_be_target(const char *path, const struct opts *o)
{
	for (size_t i = 0; i < o->n_targets; i++)
		if (same_place(path, o->target[i]))
			return true;
	return false;
}

static int open_in_place(struct output *it, const struct stat *st)
{
	if (S_ISBLK(st->st_mode))
		return refuse(it, "it is a block device");
	it->fd = open(it->path, O_WRONLY | O_CLOEXEC);
	return it->fd < 0 ? refuse(it, strerror(errno)) : EXIT_GO_ON;
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int open_temp(struct output *it, mode_t mode)
{
	if (asprintf(&it->temp, "%s.XXXXXX", it->path) < 0) {
		it->temp = NULL;
		return refuse(it, strerror(ENOMEM));
	}
	it->fd = mkstemp(it->temp);
	if (it->fd < 0) {
		free(it->temp);
		it->temp = NULL;
		return refuse(it, strerror(errno));
	}
	signals_doom(it->temp);
	fcntl(it->fd, F_SETFD, FD_CLOEXEC);
	return fchmod(it->fd, mode) ? refuse(it, strerror(errno)) : EXIT_GO_ON;
}

/* A symbolic link stays one: what it points at is replaced. */
static void follow_link(struct output *it)
{
	char *real = realpath(it->path, NULL);

	if (real) {
		free(it->path);
		it->path = real;
	}
}

int output_open(struct output *it, const struct opts *o)
{
	struct stat st;
	const char *why;

	if (stat(it->path, &st)) {
		if (errno != ENOENT)
			return refuse(it, strerror(errno));
		return will_be_target(it->path, o) ? refuse(it, "it is the target")
						   : open_temp(it, default_mode());
	}
	why = why_not(it->path, &st, o);
	if (why)
		return refuse(it, why);
	if (!S_ISREG(st.st_mode))
		return open_in_place(it, &st);
	if (access(it->path, W_OK))
		return refuse(it, strerror(errno));
	follow_link(it);
	return open_temp(it, st.st_mode & 07777);
}

int outputs_open(struct outputs *out, const struct opts *o)
{
	int status = EXIT_GO_ON;
	bool many = o->n_formats > 1 && !o->one_file;

	out->one_file = o->one_file;
	for (size_t i = 0; i < o->n_formats && status == EXIT_GO_ON; i++) {
		struct output *it = &out->item[out->n++];
		it->what = "--output";
		it->format = o->format[i];
		it->joined = i && o->one_file;
		it->fd = o->output ? -1 : STDOUT_FILENO;
		if (!o->output || it->joined)
			continue;
		if (asprintf(&it->path, "%s%s%s", o->output, many ? "." : "",
			     many ? it->format : "") < 0)
			it->path = NULL;
		status = it->path ? output_open(it, o) : EXIT_FAILED;
	}
	return status;
}

static int write_all(void *user, const char *data, size_t len)
{
	int fd = *(int *)user;

	while (len) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int into_memory(void *user, const char *data, size_t len)
{
	return fwrite(data, 1, len, user) == len ? 0 : -ENOMEM;
}

/* The whole report in memory, so that what is written is written at once. */
static char *render(const struct iob_result *result, const char *format, size_t *len,
		    struct iob_error *err)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	int rc = f ? iob_result_report(result, format, into_memory, f, err) : -ENOMEM;

	if (f && fclose(f) && rc >= 0)
		rc = -ENOMEM;
	if (rc >= 0)
		return text;
	free(text);
	return NULL;
}

/* Makes a file that was written appear under its name, or with an error in rc not. */
static int commit(struct output *it, int rc)
{
	if (!it->path)
		return rc;
	if (close(it->fd) && !rc)
		rc = -errno;
	it->fd = -1;
	if (!it->temp || rc)
		return rc;
	if (rename(it->temp, it->path))
		return -errno;
	signals_spare(it->temp);
	free(it->temp);
	it->temp = NULL;
	return 0;
}

static int not_written(const struct output *it, const char *format, int rc)
{
	if (!rc)
		return EXIT_OK;
	complain("cannot write the %s report to %s: %s", format, it->path ? it->path : "stdout",
		 strerror(-rc));
	return EXIT_FAILED;
}

/* EXIT_GO_ON, or EXIT_FAILED with a complaint. */
static int add(struct output *it, const char *format, const struct iob_result *result)
{
	struct iob_error err = { 0 };
	size_t len = 0;
	char *text = render(result, format, &len, &err);
	int rc;

	if (!text) {
		complain("cannot make the %s report: %s", format,
			 err.message[0] ? err.message : "out of memory");
		return EXIT_FAILED;
	}
	rc = write_all(&it->fd, text, len);
	free(text);
	return rc ? not_written(it, format, rc) : EXIT_GO_ON;
}

int output_write(struct output *it, const struct iob_result *const *results, size_t n)
{
	int status = EXIT_GO_ON;

	for (size_t i = 0; i < n && status == EXIT_GO_ON; i++)
		status = add(it, it->format, results[i]);
	return status == EXIT_GO_ON ? not_written(it, it->format, commit(it, 0)) : status;
}

static struct output *file_of(struct outputs *out, size_t i)
{
	while (out->item[i].joined)
		i--;
	return &out->item[i];
}

/* Report i, an empty line before it where it comes behind another one. */
static int write_one(struct outputs *out, size_t i, const struct iob_result *result, bool apart)
{
	struct output *file = file_of(out, i);
	const char *format = out->item[i].format;
	int rc = apart ? write_all(&file->fd, "\n", 1) : 0;

	return rc ? not_written(file, format, rc) : add(file, format, result);
}

int outputs_write(struct outputs *out, const struct iob_result *result)
{
	int all = EXIT_OK;

	for (size_t i = 0; i < out->n; i++) {
		struct output *file = file_of(out, i);
		bool last = i + 1 == out->n || !out->item[i + 1].joined;
		int status = write_one(out, i, result, i && (!file->path || out->item[i].joined));
		if (status == EXIT_GO_ON && last)
			status = not_written(file, out->item[i].format, commit(file, 0));
		if (status == EXIT_FAILED)
			all = status;
	}
	return all;
}

int outputs_status(struct outputs *out, const struct iob_result *result)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < out->n; i++)
		if ((!file_of(out, i)->path || out->one_file) &&
		    write_one(out, i, result, out->item[i].joined) == EXIT_FAILED)
			status = EXIT_FAILED;
	return status;
}

void output_close(struct output *it)
{
	if (it->path && it->fd >= 0)
		close(it->fd);
	if (it->temp) {
		unlink(it->temp);
		signals_spare(it->temp);
	}
	free(it->temp);
	free(it->path);
}

void outputs_close(struct outputs *out)
{
	for (size_t i = 0; i < out->n; i++)
		output_close(&out->item[i]);
	out->n = 0;
}
