/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <string.h>

enum {
	TEXT_COLUMN = 26
};

void help_main(FILE *out, const struct command *commands, size_t n)
{
	fputs("usage: iobench COMMAND [OPTIONS]\n\n", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %-13s %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "  iobench run --target FILE                 random 4k reads for 10 seconds\n"
	      "  iobench run --target FILE --queue-depth 32 --format json\n"
	      "  iobench COMMAND --help                    its options\n"
	      "  iobench --version\n",
	      out);
}

static void print_left(FILE *out, const char *left)
{
	fprintf(out, "  %-*s", TEXT_COLUMN - 2, left);
	if (strlen(left) > TEXT_COLUMN - 3)
		fprintf(out, "\n%*s", TEXT_COLUMN, "");
}

void help_option(FILE *out, const char *left, const char *text)
{
	print_left(out, left);
	wrap(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_option(FILE *out, const struct option *o)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	print_left(out, left);
	wrap(out, o->help, TEXT_COLUMN, TEXT_COLUMN);
}

static const char *placeholder(const struct iob_param_info *p)
{
	static const char *const word[] = {
		[IOB_TYPE_INT] = "N",     [IOB_TYPE_SIZE] = "SIZE",   [IOB_TYPE_TIME] = "TIME",
		[IOB_TYPE_BOOL] = "BOOL", [IOB_TYPE_CHOICE] = "NAME", [IOB_TYPE_BLOCKS] = "SIZE",
		[IOB_TYPE_TEXT] = "TEXT", [IOB_TYPE_RATE] = "RATE",
	};
	return (size_t)p->type < sizeof(word) / sizeof(word[0]) ? word[p->type] : "VALUE";
}

static void print_param(FILE *out, const struct iob_param_info *p)
{
	char left[64], text[1024];
	size_t n = 0;

	snprintf(left, sizeof(left), "--%s %s", p->name, placeholder(p));
	for (char *c = left; *c != ' '; c++)
		*c = *c == '_' ? '-' : *c;
	if (p->choices && !strstr(p->help, p->choices))
		n = (size_t)snprintf(text, sizeof(text), "%s. ", p->choices);
	if (n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, p->default_text[0] ? "%s (default %s)" : "%s",
			 p->help, p->default_text);
	print_left(out, left);
	wrap(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

void help_command(FILE *out, const struct command *self, bool with_parameters)
{
	fprintf(out, "usage: iobench %s%s%s\n\n", self->name, self->args[0] ? " " : "", self->args);
	wrap(out, self->about, 0, 0);
	if (!with_parameters)
		return;
	fputs("\nOptions:\n", out);
	const struct option *o;
	for (size_t i = 0; (o = command_option(self, i)); i++)
		print_option(out, o);
	fputs("\nParameters, each as --name VALUE or --name=VALUE:\n", out);
	for (size_t i = 0; i < iob_param_count(); i++)
		print_param(out, iob_param_info(i));
	fputs("\n", out);
	wrap(out,
	     "Sizes: a bare number is bytes; k, m, g, t are powers of 1024; kB, MB, GB powers of "
	     "1000. Times: a bare number is seconds; ns, us, ms, s, m, h.",
	     0, 0);
	wrap(out,
	     "Exit status: 0 done; 1 I/O errors or a failed run; 2 bad arguments or a refused "
	     "target; 3 --strict, and a finding says that the result is invalid; 4 no value holds the --latency-target; 130 interrupted (what was measured is reported).",
	     0, 0);
}

int only_help(const struct command *self, int argc, char **argv)
{
	if (!argc)
		return EXIT_GO_ON;
	if (strcmp(argv[0], "--help") && strcmp(argv[0], "-h")) {
		complain("%s takes no \"%s\"; iobench %s --help says what it takes", self->name,
			 argv[0], self->name);
		return EXIT_BAD;
	}
	help_command(stdout, self, false);
	return finish_stdout();
}
