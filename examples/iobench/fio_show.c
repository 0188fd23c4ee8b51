/* SPDX-License-Identifier: MIT */
/* Jobs as a command line, and the table of fio's options. */
#include "fio.h"
#include <string.h>

/* ---- labels ---- */

const char *fio_label(const struct iob_workload *w, const char *name)
{
	const char *line = iob_workload_get_str(w, IOB_PARAM_LABELS);
	size_t len = strlen(name);

	for (; *line; line += fio_label_len(line), line += *line == '\n')
		if (!strncmp(line, name, len) && line[len] == '=')
			return line + len + 1;
	return NULL;
}

size_t fio_label_len(const char *label)
{
	return strcspn(label, "\n");
}

const char *fio_option(const struct iob_workload *w, const char *name)
{
	char label[64];
	const char *text;

	snprintf(label, sizeof(label), "fio.option.%s", name);
	text = fio_label(w, label);
	snprintf(label, sizeof(label), "fio.global.%s", name);
	return text ? text : fio_label(w, label);
}

bool fio_option_on(const struct iob_workload *w, const char *name, bool otherwise)
{
	const char *text = fio_option(w, name);

	return text ? fio_label_len(text) != 1 || *text != '0' : otherwise;
}

bool fio_first_clone(const struct iob_workload *w)
{
	const char *clone = fio_label(w, "fio.clone");

	return !clone || !strncmp(clone, "0\n", 2);
}

/* ---- --showcmd ---- */

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(" \t'\"\\$`*?[](){}<>|&;#!~", text[i]))
			return false;
	return true;
}

/* For a shell: in single quotes where it needs them. */
static void print_word(const char *text, size_t len)
{
	if (is_plain(text, len)) {
		printf("%.*s", (int)len, text);
		return;
	}
	putchar('\'');
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\'')
			fputs("'\\''", stdout);
		else
			putchar(text[i]);
	putchar('\'');
}

/* "fio.option.bs=4k" as --bs=4k; a flag without a value alone. */
static void print_option(const char *line, size_t prefix)
{
	size_t len = fio_label_len(line);

	fputs(" --", stdout);
	line += prefix;
	len -= prefix;
	if (line[len - 1] == '=')
		len--;
	print_word(line, len);
}

/* A job's own names hold those of [global] already. */
static void print_options(const struct iob_workload *w, const char *prefix)
{
	const char *line = iob_workload_get_str(w, IOB_PARAM_LABELS);
	bool global = !strcmp(prefix, "fio.global."),
	     own = fio_label(w, "fio.option.filename") != NULL;
	size_t len = strlen(prefix);

	for (; *line; line += fio_label_len(line), line += *line == '\n') {
		if (strncmp(line, prefix, len) != 0 || !strncmp(line + len, "name=", 5))
			continue;
		if (global && own && !strncmp(line + len, "filename=", 9))
			continue;
		print_option(line, len);
	}
}

static void print_job(const struct iob_workload *w)
{
	const char *name = iob_workload_get_str(w, IOB_PARAM_NAME);

	fputs(" --name=", stdout);
	print_word(name, strlen(name));
	print_options(w, "fio.global.");
	print_options(w, "fio.option.");
}

int fio_showcmd(const struct iob_suite *s)
{
	fputs("fio", stdout);
	for (size_t i = 0; i < iob_suite_stage_count(s); i++)
		for (size_t k = 0; k < iob_suite_workload_count(s, i); k++)
			if (fio_first_clone(iob_suite_workload(s, i, k)))
				print_job(iob_suite_workload(s, i, k));
	putchar('\n');
	return finish_stdout();
}

/* ---- --cmdhelp ---- */

static const char *const markdown_head =
	"# fio's options\n\n"
	"Made by `iobench fio --cmdhelp=markdown` from the library's own table; a test checks that "
	"it "
	"is up to date.\n\n"
	"`iobench fio job.fio` and `iob_suite_from_fio_file` read fio's job files, "
	"`iobench fio --name=a --rw=randread ...` and `iob_suite_from_fio_args` its command lines. "
	"A "
	"job and each of its clones is a workload; jobs that run at the same time are the "
	"workloads of "
	"a stage; `stonewall` starts the next one. What the names in the third column mean is in "
	"[parameters.md](parameters.md).\n\n"
	"What is other than in fio, on purpose:\n\n"
	"- A job that writes is refused without `--allow-destroy`, which names the jobs and what "
	"they "
	"would write; a file that is missing is made only with `--create` or `--allow-destroy`. A "
	"file "
	"that is there is never made longer or shorter, and never removed; one that is only read "
	"is "
	"never written, also where `size` passes its end, which is an error.\n"
	"- What fio reads as something that its author did not mean is an error (`4.5k`, `1sec`, "
	"`direct=true`, an environment variable that is not set, an unknown option), or is read as "
	"it "
	"is meant, with a note (`bs = 4k`, `4KiB`). Errors name the file and the line.\n"
	"- Latencies are those of this library: percentiles by nearest rank, the clock read before "
	"the "
	"submit call. Offsets are not those that fio would draw, but `randrepeat` repeats them.\n"
	"- No command of a job file is ever run.\n\n";

static const char *const section[] = {
	[IOB_FIO_SUPPORTED] =
		"## Supported\n\n| option | takes | what becomes of it |\n|---|---|---|\n",
	[IOB_FIO_NO_EFFECT] =
		"\n## Accepted, without effect\n\nA note says so.\n\n| option | takes | why |\n"
		"|---|---|---|\n",
	[IOB_FIO_REFUSED] =
		"\n## Refused\n\nBy name, with file and line.\n\n| option | belongs to |\n"
		"|---|---|\n",
};

static void markdown_name(const struct iob_fio_option *o)
{
	printf("| `%s`", o->name);
	if (o->alias)
		printf(", `%s`", o->alias);
	fputs(" | ", stdout);
}

static void print_markdown(enum iob_fio_support support)
{
	const struct iob_fio_option *o;

	fputs(section[support], stdout);
	for (size_t i = 0; (o = iob_fio_option(i)); i++) {
		if (o->support != support)
			continue;
		markdown_name(o);
		if (support != IOB_FIO_REFUSED)
			printf("%s | ", o->value);
		printf("%s |\n", o->help);
	}
}

static void print_text(const struct iob_fio_option *o)
{
	static const char *const mark[] = { "", "no effect: ", "not supported: " };
	char text[1024];

	printf("%-27s ", o->name);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", mark[o->support], o->help,
		 o->value[0] ? " (takes " : "", o->value, o->value[0] ? ")" : "",
		 o->alias ? "; also " : "", o->alias ? o->alias : "");
	wrap(stdout, text, 28, 28);
}

static int one_option(const char *what)
{
	const struct iob_fio_option *o;

	for (size_t i = 0; (o = iob_fio_option(i)); i++)
		if (!strcmp(o->name, what) || (o->alias && !strcmp(o->alias, what))) {
			print_text(o);
			return finish_stdout();
		}
	complain("--cmdhelp: fio has no option \"%s\" that is known here", what);
	return EXIT_BAD;
}

int fio_cmdhelp(const char *what)
{
	const struct iob_fio_option *o;
	bool markdown = what && !strcmp(what, "markdown");

	if (what && !markdown && strcmp(what, "all") != 0)
		return one_option(what);
	if (markdown)
		fputs(markdown_head, stdout);
	for (int support = 0; markdown && support <= IOB_FIO_REFUSED; support++)
		print_markdown((enum iob_fio_support)support);
	for (size_t i = 0; !markdown && (o = iob_fio_option(i)); i++)
		print_text(o);
	return finish_stdout();
}
