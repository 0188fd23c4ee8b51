/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <string.h>

static int to_stdout(void *user, const char *data, size_t len)
{
	(void)user;
	return fwrite(data, 1, len, stdout) == len ? 0 : -1;
}

static int report(const char *path, const char *format)
{
	struct iob_error err = { 0 };
	struct iob_device *d = iob_device_open(path, &err);
	int rc = d ? iob_device_report(d, format, to_stdout, NULL, &err) : -1;

	iob_device_free(d);
	if (!d) {
		complain_of(&err);
		return EXIT_BAD;
	}
	return rc < 0 && !ferror(stdout) ? (complain_of(&err), EXIT_FAILED) : finish_stdout();
}

static void list_facts(void)
{
	const struct iob_fact *f;

	for (size_t i = 0; (f = iob_fact_info(i)); i++) {
		printf("%-20s ", f->name);
		wrap(stdout, f->help, 21, 21);
	}
}

/* The value of --format, given as one word or two; NULL: it is another option. */
static const char *format_of(int argc, char **argv, int *i)
{
	if (!strncmp(argv[*i], "--format=", 9))
		return argv[*i] + 9;
	if (strcmp(argv[*i], "--format") || *i + 1 == argc)
		return NULL;
	return argv[++*i];
}

struct asked {
	const char *path, *format;
	bool facts, plain; /* plain: "--" was given, all else are paths */
};

/* Takes argv[*i] (and its value); EXIT_GO_ON or EXIT_BAD. */
static int take(struct asked *a, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];

	if (a->plain || arg[0] != '-' || !arg[1]) {
		if (a->path) {
			complain("device takes one path, and \"%s\" is a second one", arg);
			return EXIT_BAD;
		}
		a->path = arg;
		return EXIT_GO_ON;
	}
	if (!strcmp(arg, "--facts"))
		a->facts = true;
	else if (!strcmp(arg, "--"))
		a->plain = true;
	else
		a->format = format_of(argc, argv, i);
	if (a->format)
		return EXIT_GO_ON;
	complain("device: \"%s\" is no option, or lacks its value; there are --format text|json "
		 "and --facts",
		 arg);
	return EXIT_BAD;
}

static int answer(const struct asked *a)
{
	if (strcmp(a->format, "text") && strcmp(a->format, "json")) {
		complain("--format: there is no format \"%s\"; there are text, json", a->format);
		return EXIT_BAD;
	}
	if (a->facts) {
		list_facts();
		return finish_stdout();
	}
	if (a->path)
		return report(a->path, a->format);
	complain("device: name a block device or a file, as iobench device /dev/sda");
	return EXIT_BAD;
}

int cmd_device(const struct command *self, int argc, char **argv)
{
	struct asked a = { .format = "text" };

	for (int i = 0; i < argc; i++) {
		if (!a.plain && (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")))
			return only_help(self, 1, argv + i);
		if (take(&a, argc, argv, &i) != EXIT_GO_ON)
			return EXIT_BAD;
	}
	return answer(&a);
}
