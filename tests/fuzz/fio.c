/* SPDX-License-Identifier: MIT */
/* ctest: timeout=300
 * Any bytes as a job file, and, split at blanks, as a command line: refused with
 * a message, or a suite whose workloads are whole. The file is in memory. */
#include <errno.h>
#include <iobench/iobench.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum {
	ARGS_MAX = 64
};

#define MUST(c)                                                                                    \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #c);                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static void check_workload(const struct iob_workload *w)
{
	char text[256];
	for (size_t i = 0; i < iob_param_count(); i++)
		MUST(iob_workload_get(w, iob_param_info(i)->name, text, sizeof(text)) >= 0);
	for (size_t i = 0; i < iob_workload_target_count(w); i++)
		MUST(iob_workload_target(w, i, NULL)[0]);
	MUST(strstr(iob_workload_get_str(w, IOB_PARAM_LABELS), "fio.clone="));
}

static void check_suite(const struct iob_suite *s)
{
	for (size_t i = 0; i < iob_suite_stage_count(s); i++) {
		MUST(iob_suite_stage_name(s, i) && iob_suite_workload_count(s, i));
		check_workload(iob_suite_workload(s, i, 0));
	}
	for (size_t i = 0; i < iob_suite_note_count(s); i++)
		MUST(iob_suite_note(s, i)->text[0] && iob_suite_note(s, i)->file);
}

static void check_error(const struct iob_error *err)
{
	MUST(err->code > 0 && err->message[0] && err->line >= 0);
	MUST(strlen(err->message) < sizeof(err->message) &&
	     strlen(err->where) < sizeof(err->where));
	for (const char *c = err->message; *c; c++)
		MUST((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
}

static void judge(struct iob_suite *s, const struct iob_error *err)
{
	if (s)
		check_suite(s);
	else
		check_error(err);
	iob_suite_free(s);
}

static void as_file(const uint8_t *data, size_t len)
{
	struct iob_error err = { 0 };
	char path[32];
	int fd = memfd_create("job", MFD_CLOEXEC);
	MUST(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	judge(iob_suite_from_fio_file(path, IOB_TARGET_ALLOW_DESTROY, &err), &err);
	close(fd);
}

static void as_arguments(char *text)
{
	struct iob_error err = { 0 };
	const char *argv[ARGS_MAX];
	int argc = 0;
	for (char *word = strtok(text, " \n"); word && argc < ARGS_MAX; word = strtok(NULL, " \n"))
		if (*word == '-') /* no file of the machine's */
			argv[argc++] = word;
	judge(iob_suite_from_fio_args(argc, argv, 0, &err), &err);
}

/* Clones and files by the thousand are slow and teach nothing: `name` (as far as
 * it may be abbreviated) with a number of three characters. */
static int too_many(const char *text, const char *name)
{
	const size_t len = strlen(name);
	for (; (text = strstr(text, name)) || 0; text++) {
		const char *value = text + len + strcspn(text + len, "= \t\n");
		if (strspn(value + strspn(value, " =\t"), "0123456789abcdefxkmgtpKMGTP($*+{") > 2)
			return 1;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);
	MUST(text);
	memcpy(text, data, len);
	text[len] = '\0';
	if (!too_many(text, "nu") && !too_many(text, "nr") && len < 65536) {
		as_file(data, len);
		as_arguments(text);
	}
	free(text);
	return 0;
}
