/* SPDX-License-Identifier: MIT */
/* iobench check FILE: what cannot be believed of a recorded result, row by row. */
#include "tool.h"
#include <string.h>

struct check {
	const char *file, *from;
	const char *declared[3]; /* by the names below */
	bool strict, json;
};
static const char *const declared_names[] = { "link-limit", "round-trip", "claim" };
static const char *const declared_keys[] = { "link_limit", "round_trip", "claim" };

/* ---- text ---- */

/* Findings of the suite itself have no row: 0. */
static size_t row_of(const struct iob_result *r, const struct iob_result *of)
{
	for (size_t i = 0; i < iob_result_child_count(r); i++) {
		const struct iob_result *stage = iob_result_child(r, i);
		if (stage == of)
			return i + 1;
		for (size_t k = 0; k < iob_result_child_count(stage); k++)
			if (iob_result_child(stage, k) == of)
				return i + 1;
	}
	return 0;
}

static void print_rate(const struct iob_result *r)
{
	char iops[32], mb[32];

	printf(": %s IOPS, %s MB/s\n", si(iops, sizeof(iops), iob_result_iops(r, IOB_OP_ALL)),
	       si(mb, sizeof(mb), iob_result_bytes_per_s(r, IOB_OP_ALL) / 1e6));
}

static void print_row(const struct iob_result *stage, size_t number)
{
	const char *line = iob_result_effective(iob_result_child(stage, 0), "line");
	size_t n = iob_result_child_count(stage);

	printf("row %zu", number);
	if (line)
		printf(" (line %s)", line);
	printf("  %s", iob_result_name(stage));
	if (n > 1)
		printf(", %zu workloads side by side", n);
	print_rate(stage);
}

static void print_finding(const struct iob_finding *f, const struct iob_result *stage)
{
	char left[256];
	bool name = stage && iob_result_child_count(stage) > 1 && f->of != stage;

	snprintf(left, sizeof(left), "  %-8s %s: %s%s", iob_severity_name(f->severity), f->code,
		 name ? iob_result_name(f->of) : "", name ? ": " : "");
	fputs(left, stdout);
	wrap(stdout, f->message, strlen(left), 11);
}

static void print_rows(const struct iob_result *r)
{
	for (size_t i = 0; i < iob_result_child_count(r); i++) {
		const struct iob_result *stage = iob_result_child(r, i);
		print_row(stage, i + 1);
		for (size_t k = 0; k < iob_result_finding_count(stage); k++)
			print_finding(iob_result_finding(stage, k), stage);
		if (!iob_result_finding_count(stage))
			puts("  nothing found");
	}
	for (size_t k = 0; k < iob_result_finding_count(r); k++)
		if (iob_result_finding(r, k)->of == r) {
			puts("all rows");
			print_finding(iob_result_finding(r, k), NULL);
		}
}

/* The rows with a code, each once: findings come in the order of the tree. */
static size_t rows_with(const struct iob_result *r, const char *code, bool print)
{
	size_t n = 0, last = 0;

	for (size_t i = 0; i < iob_result_finding_count(r); i++) {
		const struct iob_finding *f = iob_result_finding(r, i);
		size_t row = strcmp(f->code, code) ? last : row_of(r, f->of);
		if (row == last)
			continue;
		last = row;
		if (print)
			printf("%s%zu", n ? ", " : "", row);
		n++;
	}
	return n;
}

static bool has(const struct iob_result *r, const char *code)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		if (!strcmp(iob_result_finding(r, i)->code, code))
			return true;
	return false;
}

static void print_codes(const struct iob_result *r)
{
	const struct iob_finding_info *info;

	puts("\nby code");
	if (!iob_result_finding_count(r))
		puts("  nothing found");
	for (size_t i = 0; (info = iob_finding_info(i)); i++) {
		if (!has(r, info->code))
			continue;
		size_t n = rows_with(r, info->code, false);
		printf("  %-20s %-8s ", info->code, iob_severity_name(info->severity));
		if (n)
			printf("%zu row%s: ", n, n == 1 ? "" : "s");
		else
			printf("the whole file");
		rows_with(r, info->code, true);
		puts("");
	}
}

static void print_unchecked(const struct iob_result *r)
{
	char left[64];

	if (iob_result_unchecked_count(r))
		puts("\nnot checked");
	for (size_t i = 0; i < iob_result_unchecked_count(r); i++) {
		const struct iob_unchecked *u = iob_result_unchecked(r, i);
		snprintf(left, sizeof(left), "  %-20s %zu workload%s: ", u->code, u->workloads,
			 u->workloads == 1 ? "" : "s");
		fputs(left, stdout);
		wrap(stdout, u->reason, strlen(left), 23);
	}
}

static void print_text(const struct check *c, const struct iob_result *r)
{
	const char *by = iob_result_effective(r, "recorded_by");
	size_t n = iob_result_child_count(r);

	printf("%s: %s, %zu row%s\n\n", c->file, by ? by : "json", n, n == 1 ? "" : "s");
	print_rows(r);
	print_codes(r);
	print_unchecked(r);
}

/* ---- json ---- */

static void print_quoted(const char *s)
{
	putchar('"');
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			printf("\\u%04x", (unsigned)(unsigned char)*s);
		else
			putchar(*s);
	putchar('"');
}

static void print_member(const char *before, const char *key, const char *value)
{
	printf("%s\"%s\": ", before, key);
	if (value)
		print_quoted(value);
	else
		fputs("null", stdout);
}

static void print_evidence(const struct iob_finding *f)
{
	fputs(", \"evidence\": {", stdout);
	for (size_t i = 0; i < f->n_evidence; i++) {
		double v = f->evidence[i].value;
		printf("%s\"%s\": ", i ? ", " : "", f->evidence[i].name);
		if (v == v && v - v == 0)
			printf("%.15g", v);
		else
			fputs("null", stdout);
	}
	putchar('}');
}

static void print_json_finding(const struct iob_result *r, size_t i)
{
	const struct iob_finding *f = iob_result_finding(r, i);
	size_t row = row_of(r, f->of);
	bool workload = iob_result_level(f->of) == IOB_LEVEL_WORKLOAD;

	printf("%s\n  {", i ? "," : "");
	if (row)
		printf("\"row\": %zu, ", row);
	else
		fputs("\"row\": null, ", stdout);
	print_member("", "line", iob_result_effective(f->of, "line"));
	print_member(", ", "workload", workload ? iob_result_name(f->of) : NULL);
	print_member(", ", "code", f->code);
	print_member(", ", "severity", iob_severity_name(f->severity));
	print_member(", ", "message", f->message);
	print_evidence(f);
	putchar('}');
}

static void print_json(const struct check *c, const struct iob_result *r)
{
	const char *by = iob_result_effective(r, "recorded_by");

	print_member("{", "file", c->file);
	print_member(", ", "format", by ? by : "json");
	printf(", \"rows\": %zu,\n \"findings\": [", iob_result_child_count(r));
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		print_json_finding(r, i);
	fputs("],\n \"not_checked\": [", stdout);
	for (size_t i = 0; i < iob_result_unchecked_count(r); i++) {
		const struct iob_unchecked *u = iob_result_unchecked(r, i);
		printf("%s\n  ", i ? "," : "");
		print_member("{", "code", u->code);
		print_member(", ", "reason", u->reason);
		printf(", \"workloads\": %zu}", u->workloads);
	}
	puts("]}");
}

/* ---- options ---- */

/* The value of an option, in the same word or the next; NULL and a complaint. */
static const char *value_of(int argc, char **argv, int *i)
{
	const char *equals = strchr(argv[*i], '=');

	if (equals)
		return equals + 1;
	if (*i + 1 < argc)
		return argv[++*i];
	complain("%s needs a value", argv[*i]);
	return NULL;
}

static bool is(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(arg, "--", 2) && !strncmp(arg + 2, name, n) &&
	       (!arg[2 + n] || arg[2 + n] == '=');
}

static int set_format(struct check *c, const char *value)
{
	c->json = value && !strcmp(value, "json");
	if (value && !c->json && strcmp(value, "text") != 0)
		complain("--format: there is no format \"%s\"; there are text, json", value);
	return value && (c->json || !strcmp(value, "text")) ? EXIT_GO_ON : EXIT_BAD;
}

static int take_option(struct check *c, const struct command *self, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];

	for (size_t k = 0; k < sizeof(declared_names) / sizeof(declared_names[0]); k++)
		if (is(arg, declared_names[k])) {
			c->declared[k] = value_of(argc, argv, i);
			return c->declared[k] ? EXIT_GO_ON : EXIT_BAD;
		}
	if (is(arg, "from")) {
		c->from = value_of(argc, argv, i);
		return c->from ? EXIT_GO_ON : EXIT_BAD;
	}
	if (is(arg, "format"))
		return set_format(c, value_of(argc, argv, i));
	if (!strcmp(arg, "--strict")) {
		c->strict = true;
		return EXIT_GO_ON;
	}
	if (!strcmp(arg, "--help")) {
		help_command(stdout, self, false);
		return finish_stdout();
	}
	complain("unknown option %s; iobench check --help lists the options", arg);
	return EXIT_BAD;
}

static int take(struct check *c, const struct command *self, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1]) {
			int status = take_option(c, self, argc, argv, &i);
			if (status != EXIT_GO_ON)
				return status;
		} else if (c->file) {
			complain("check takes one file, and \"%s\" is a second one", argv[i]);
			return EXIT_BAD;
		} else {
			c->file = argv[i];
		}
	}
	if (!c->file)
		complain("check wants a file: iobench check FILE");
	return c->file ? EXIT_GO_ON : EXIT_BAD;
}

static int declare_all(const struct check *c, struct iob_result *r)
{
	struct iob_error err;

	for (size_t k = 0; k < sizeof(declared_keys) / sizeof(declared_keys[0]); k++)
		if (c->declared[k] &&
		    iob_result_declare(r, declared_keys[k], c->declared[k], &err) < 0) {
			complain_of(&err);
			return EXIT_BAD;
		}
	return EXIT_OK;
}

int cmd_check(const struct command *self, int argc, char **argv)
{
	struct check c = { 0 };
	int status = take(&c, self, argc, argv);

	if (status != EXIT_GO_ON)
		return status;
	struct iob_result *r = read_result(c.file, c.from);
	if (!r)
		return EXIT_BAD;
	status = declare_all(&c, r);
	if (status == EXIT_OK) {
		(c.json ? print_json : print_text)(&c, r);
		status = finish_stdout();
	}
	if (status == EXIT_OK && c.strict && any_invalid(r))
		status = EXIT_INVALID;
	iob_result_free(r);
	return status;
}
