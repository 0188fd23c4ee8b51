/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <inttypes.h>
#include <string.h>

static const char *type_name(enum iob_param_type type)
{
	static const char *const name[] = {
		[IOB_TYPE_INT] = "number",      [IOB_TYPE_SIZE] = "size",
		[IOB_TYPE_TIME] = "time",       [IOB_TYPE_BOOL] = "true or false",
		[IOB_TYPE_CHOICE] = "a choice", [IOB_TYPE_BLOCKS] = "size or mix",
		[IOB_TYPE_TEXT] = "text",       [IOB_TYPE_RATE] = "rate",
	};
	return (size_t)type < sizeof(name) / sizeof(name[0]) ? name[type] : "?";
}

static const char *or_dash(const char *text)
{
	return text && text[0] ? text : "-";
}

static void print_text(const struct iob_param_info *p)
{
	printf("%-17s %-10s ", p->name, or_dash(p->default_text));
	if (p->choices)
		printf("%s\n%29s", p->choices, "");
	wrap(stdout, p->help, 29, 29);
}

/* In a table, a | ends the cell. */
static void markdown_cell(const char *text)
{
	for (; *text; text++)
		printf(*text == '|' ? "\\%c" : "%c", *text);
}

static void print_markdown(const struct iob_param_info *p)
{
	printf("| `%s` | %s | `", p->name, type_name(p->type));
	markdown_cell(or_dash(p->default_text));
	fputs("` | ", stdout);
	if (p->choices) {
		markdown_cell(p->choices);
		fputs(". ", stdout);
	}
	markdown_cell(p->help);
	fputs(" |\n", stdout);
}

static void json_text(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	if (!text) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	for (; *text; text++)
		if ((unsigned char)*text < 0x20)
			printf("\\u%04x", (unsigned)*text);
		else
			printf(strchr("\"\\", *text) ? "\\%c" : "%c", *text);
	putchar('"');
}

static void print_json(const struct iob_param_info *p)
{
	static const char *const key[] = { "name", "type", "unit", "default", "choices", "help" };
	const char *value[] = { p->name,         type_name(p->type), p->unit,
				p->default_text, p->choices,         p->help };

	fputs("  {", stdout);
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		json_text(key[i], value[i]);
		fputs(", ", stdout);
	}
	printf("\"min\": %" PRId64 ", \"max\": %" PRId64 "}", p->min, p->max);
}

static const char *const markdown_head =
	"# Parameters\n\n"
	"Made by `iobench params --format markdown` from the library's own table; a test checks "
	"that it is up to date.\n"
	"In C: `iob_workload_set(w, \"block_size\", \"8k\", &err)`; on the command line: "
	"`--block-size 8k`.\n\n"
	"Sizes: a bare number is bytes; k, m, g, t (either case), Ki and KiB are powers of 1024; "
	"kB, MB, GB powers of 1000. "
	"Times: a bare number is seconds; ns, us, ms, s, m, h; fractions are allowed in times "
	"only. "
	"A mix is a list of sizes with their shares, `4k:60,64k:40`.\n\n"
	"| name | value | default | what it does |\n|---|---|---|---|\n";

struct style {
	const char *name, *head, *between, *tail;
	void (*print)(const struct iob_param_info *p);
};
static const struct style styles[] = {
	{ "text", "parameter         default    what it does\n", "", "", print_text },
	{ "markdown", NULL, "", "", print_markdown },
	{ "json", "[\n", ",\n", "\n]\n", print_json },
};

static int print_table(const struct style *s)
{
	fputs(s->head ? s->head : markdown_head, stdout);
	for (size_t i = 0; i < iob_param_count(); i++) {
		if (i)
			fputs(s->between, stdout);
		s->print(iob_param_info(i));
	}
	fputs(s->tail, stdout);
	return finish_stdout();
}

static int print_as(const char *format)
{
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (!strcmp(format, styles[i].name))
			return print_table(&styles[i]);
	complain("--format: there is no format \"%s\"; there are text, markdown, json", format);
	return EXIT_BAD;
}

int cmd_params(const struct command *self, int argc, char **argv)
{
	if (!argc)
		return print_as("text");
	if (argc == 2 && !strcmp(argv[0], "--format"))
		return print_as(argv[1]);
	if (argc == 1 && !strncmp(argv[0], "--format=", 9))
		return print_as(argv[0] + 9);
	return only_help(self, argc, argv);
}
