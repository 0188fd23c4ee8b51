/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <string.h>

static void print_text(const struct iob_finding_info *f, bool first)
{
	printf("%s%-20s %s\n", first ? "" : "\n", f->code, iob_severity_name(f->severity));
	fputs("  raised  ", stdout);
	wrap(stdout, f->rule, 10, 10);
	fputs("  to do   ", stdout);
	wrap(stdout, f->advice, 10, 10);
	fputs("  as      ", stdout);
	wrap(stdout, f->example, 10, 10);
}

static void print_markdown(const struct iob_finding_info *f, const char *last_family)
{
	if (!last_family || strcmp(last_family, f->family) != 0)
		printf("## About %s\n\n", f->family);
	printf("### %s\n\n*%s.* %s\n\n**What to do:** %s\n\n> %s: %s\n\n", f->code,
	       iob_severity_name(f->severity), f->rule, f->advice, f->code, f->example);
}

static void print_markdown_head(void)
{
	puts("# Findings\n\n"
	     "What cannot be believed of a result, and why. Each result carries them, from a run "
	     "here\n"
	     "and from a recording alike (`iobench check FILE`): at the end of the text report, "
	     "as\n"
	     "`findings` in JSON, from `iob_result_finding()`. A finding quotes its numbers, and "
	     "has\n"
	     "them by name as evidence.\n\n"
	     "- **note**: to be known when the numbers are read.\n"
	     "- **warning**: the numbers may not be what they seem.\n"
	     "- **invalid**: they are not of what was to be measured; `--strict` makes it exit "
	     "3.\n\n"
	     "What a recording does not hold is not checked, and `check` says so. This page is "
	     "made by\n"
	     "`iobench findings --format markdown` from the rules themselves; what clean runs "
	     "have all the\n"
	     "same, and why, is in [alarms.md](alarms.md).\n");
}

static int list(bool markdown)
{
	const struct iob_finding_info *f, *last = NULL;

	if (markdown)
		print_markdown_head();
	for (size_t i = 0; (f = iob_finding_info(i)); i++, last = f)
		if (markdown)
			print_markdown(f, last ? last->family : NULL);
		else
			print_text(f, i == 0);
	return finish_stdout();
}

int cmd_findings(const struct command *self, int argc, char **argv)
{
	const char *format = "text";

	if (argc && !strncmp(argv[0], "--format=", 9))
		format = argv[0] + 9;
	else if (argc == 2 && !strcmp(argv[0], "--format"))
		format = argv[1];
	else if (argc)
		return only_help(self, argc, argv);
	if (strcmp(format, "text") != 0 && strcmp(format, "markdown") != 0) {
		complain("--format: there is no format \"%s\"; there are text, markdown", format);
		return EXIT_BAD;
	}
	return list(!strcmp(format, "markdown"));
}
