/* SPDX-License-Identifier: MIT */
#include "fio.h"
#include <stdlib.h>
#include <string.h>

/* What the command line says besides the jobs. */
struct asked {
	struct opts opts;
	const char **rest; /* for the library, "fio" first */
	int n_rest;
	bool parse_only, showcmd;
	const char *formats; /* of --output-format; NULL: normal */
	const char *cmdhelp; /* "": all */
	int end;             /* a status to end with at once, or EXIT_GO_ON */
};

/* ---- switches: those of fio's program, and of this tool ---- */

static int set_flags(struct asked *a, unsigned flags)
{
	a->opts.target_flags |= flags;
	return EXIT_GO_ON;
}

static int set_destroy(struct asked *a, const char *value)
{
	return set_flags(a, IOB_TARGET_ALLOW_DESTROY);
}

static int set_create(struct asked *a, const char *value)
{
	return set_flags(a, IOB_TARGET_CREATE);
}

static int set_signature(struct asked *a, const char *value)
{
	return set_flags(a, IOB_TARGET_OVERWRITE_SIGNATURE);
}

static int set_output(struct asked *a, const char *value)
{
	a->opts.output = value;
	return EXIT_GO_ON;
}

static int set_format(struct asked *a, const char *value)
{
	a->formats = value;
	return EXIT_GO_ON;
}

static int set_eta(struct asked *a, const char *value)
{
	static const char *const when[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, when[i])) {
			a->opts.progress = i;
			return EXIT_GO_ON;
		}
	complain("--eta: \"%s\" is none of auto, always, never", value);
	return EXIT_BAD;
}

/* fio's times: a bare number is seconds. */
static int set_time(const char *name, const char *value, uint64_t *ns)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 },      { "s", 1 },      { "m", 60 },   { "h", 3600 },
		      { "d", 86400 }, { "ms", 0.001 }, { "us", 1e-6 } };
	char *unit;
	double number = strtod(value, &unit), seconds = -1;

	for (size_t i = 0; unit != value && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			seconds = number * units[i].seconds;
	if (!(seconds >= 0.1 && seconds < 1e9)) {
		complain("--%s: \"%s\" is no time of 0.1s or more, as 10, 500ms or 1m", name,
			 value);
		return EXIT_BAD;
	}
	*ns = (uint64_t)(seconds * 1e9);
	return EXIT_GO_ON;
}

static int set_status(struct asked *a, const char *value)
{
	return set_time("status-interval", value, &a->opts.status_ns);
}

static int set_newline(struct asked *a, const char *value)
{
	return set_time("eta-newline", value, &a->opts.newline_ns);
}

static int set_interval(struct asked *a, const char *value)
{
	return set_time("eta-interval", value, &a->opts.eta_ns);
}

static int set_strict(struct asked *a, const char *value)
{
	a->opts.strict = true;
	return EXIT_GO_ON;
}

static int set_parse_only(struct asked *a, const char *value)
{
	a->parse_only = true;
	return EXIT_GO_ON;
}

static int set_showcmd(struct asked *a, const char *value)
{
	a->showcmd = true;
	return EXIT_GO_ON;
}

static int set_cmdhelp(struct asked *a, const char *value)
{
	a->cmdhelp = value ? value : "all";
	return EXIT_GO_ON;
}

static int show_version(struct asked *a, const char *value)
{
	printf("iobench-%s\n", iob_version());
	return finish_stdout();
}

struct fio_switch {
	const char *name, *arg; /* arg NULL: takes no value; "[...]": only behind a = */
	const char *help;
	int (*set)(struct asked *a, const char *value);
};
static const struct fio_switch switches[] = {
	{ "allow-destroy", NULL,
	  "The data on the jobs' targets may be overwritten, and files that are missing are made.",
	  set_destroy },
	{ "create", NULL, "Make files that are missing, filled.", set_create },
	{ "overwrite-signature", NULL,
	  "Write also to a device that holds a file system or a partition table (with "
	  "--allow-destroy).",
	  set_signature },
	{ "output", "FILE",
	  "Write the reports to FILE, all formats one after the other, and not to stdout.",
	  set_output },
	{ "output-format", "LIST",
	  "normal, json or json+, separated by commas; or text, xdisk, csv as of iobench run, and "
	  "iobench-json for its json.",
	  set_format },
	{ "eta", "WHEN", "auto, always or never: a line on stderr while it runs.", set_eta },
	{ "eta-interval", "TIME",
	  "How often that line is drawn: every second unless told otherwise.", set_interval },
	{ "eta-newline", "TIME", "Leave that line standing this often, and go on below it.",
	  set_newline },
	{ "status-interval", "TIME",
	  "Report this often while it runs, on stdout or into FILE, before the last report.",
	  set_status },
	{ "strict", NULL, "Exit with 3 where a result cannot be believed, as iobench run does.",
	  set_strict },
	{ "parse-only", NULL, "Read the jobs, tell what is wrong with them, and run nothing.",
	  set_parse_only },
	{ "showcmd", NULL, "Print the jobs as a command line, and run nothing.", set_showcmd },
	{ "cmdhelp", "[OPTION]", "Print what becomes of fio's options, or of one.", set_cmdhelp },
	{ "version", NULL, "Print the version.", show_version },
};
enum {
	N_SWITCHES = sizeof(switches) / sizeof(switches[0])
};

static const struct fio_switch *find_switch(const char *arg, const char **value)
{
	const char *name = arg + strspn(arg, "-");
	size_t len = strcspn(name, "=");

	*value = name[len] ? name + len + 1 : NULL;
	for (size_t i = 0; *arg == '-' && i < N_SWITCHES; i++)
		if (strlen(switches[i].name) == len && !strncmp(switches[i].name, name, len))
			return &switches[i];
	return NULL;
}

static int take_switch(struct asked *a, const struct fio_switch *s, const char *value, int argc,
		       char **argv, int *used)
{
	if (!s->arg && value) {
		complain("--%s takes no value, and \"%s\" was given", s->name, value);
		return EXIT_BAD;
	}
	if (s->arg && *s->arg != '[' && !value) {
		if (argc < 2) {
			complain("--%s needs a value", s->name);
			return EXIT_BAD;
		}
		value = argv[1];
		*used = 2;
	}
	return s->set(a, value);
}

static int take_all(struct asked *a, int argc, char **argv)
{
	for (int i = 0, used; i < argc; i += used) {
		const char *value;
		const struct fio_switch *s = find_switch(argv[i], &value);
		int status = EXIT_GO_ON;

		used = 1;
		if (s)
			status = take_switch(a, s, value, argc - i, argv + i, &used);
		else
			a->rest[a->n_rest++] = strcmp(argv[i], "-") ? argv[i] : "/dev/stdin";
		if (status != EXIT_GO_ON)
			return status;
	}
	return EXIT_GO_ON;
}

/* ---- formats ---- */

static const char *known_format(const char *name, size_t len)
{
	const char *known;

	for (size_t i = 0; (known = iob_report_format(i)); i++)
		if (strlen(known) == len && !strncmp(known, name, len))
			return known;
	return NULL;
}

/* By fio's names and by the library's. */
static const char *find_format(const char *name, size_t len)
{
	static const char *const pair[][2] = { { "normal", "fio-text" },
					       { "json", "fio-json" },
					       { "json+", "fio-json+" },
					       { "iobench-json", "json" } };

	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++)
		if (strlen(pair[i][0]) == len && !strncmp(pair[i][0], name, len))
			return known_format(pair[i][1], strlen(pair[i][1]));
	return known_format(name, len);
}

static int no_format(const char *name, size_t len)
{
	char list[512] = "";

	static const char *const names[] = { "normal", "json", "json+",       "text",
					     "xdisk",  "csv",  "iobench-json" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (find_format(names[i], strlen(names[i])))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				 list[0] ? ", " : "", names[i]);
	complain("--output-format: there is no format \"%.*s\"; there are %s", (int)len, name,
		 list);
	return EXIT_BAD;
}

static bool is_chosen(const struct opts *o, const char *format)
{
	for (size_t i = 0; i < o->n_formats; i++)
		if (!strcmp(o->format[i], format))
			return true;
	return false;
}

/* As fio prints them: JSON first, and json+ instead of json. */
static void put_format(struct opts *o, const char *format)
{
	bool json = !strncmp(format, "fio-json", 8);

	if (is_chosen(o, format) || (json && is_chosen(o, "fio-json+")) ||
	    o->n_formats == FORMATS_MAX)
		return;
	if (json && is_chosen(o, "fio-json")) {
		o->format[0] = format;
		return;
	}
	if (json && o->n_formats)
		memmove(o->format + 1, o->format, o->n_formats * sizeof(o->format[0]));
	o->format[json ? 0 : o->n_formats] = format;
	o->n_formats++;
}

static int choose_formats(struct asked *a)
{
	const char *at = a->formats;
	struct opts *o = &a->opts;

	o->one_file = true;
	if (!at) {
		const char *normal = find_format("normal", 6);
		put_format(o, normal ? normal : iob_report_format(0));
		return EXIT_GO_ON;
	}
	for (;; at++) {
		size_t len = strcspn(at, ",");
		const char *format = find_format(at, len);
		if (!format)
			return no_format(at, len);
		put_format(o, format);
		at += len;
		if (!*at)
			return EXIT_GO_ON;
	}
}

/* ---- the jobs ---- */

/* All targets, so that a report does not replace one of them. */
static bool collect_targets(struct opts *o, const struct iob_suite *s)
{
	size_t n = 0;

	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			o->target = calloc(n + 1, sizeof(*o->target));
		if (pass && !o->target)
			return false;
		for (size_t i = 0; i < iob_suite_stage_count(s); i++)
			for (size_t k = 0; k < iob_suite_workload_count(s, i); k++) {
				const struct iob_workload *w = iob_suite_workload(s, i, k);
				for (size_t t = 0; t < iob_workload_target_count(w); t++)
					if (!pass)
						n++;
					else
						o->target[o->n_targets++] =
							iob_workload_target(w, t, NULL);
			}
	}
	return true;
}

static int run_jobs(struct asked *a, const struct iob_suite *s)
{
	int status = choose_formats(a);

	if (status == EXIT_GO_ON && !iob_suite_stage_count(s)) {
		complain("there is no job to run");
		status = EXIT_BAD;
	}
	if (status == EXIT_GO_ON)
		status = fio_refuse(s, a->opts.target_flags);
	if (status != EXIT_GO_ON)
		return status;
	if (!collect_targets(&a->opts, s)) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	a->opts.input = a->rest + 1; /* options among them are no files */
	a->opts.n_inputs = (size_t)a->n_rest - 1;
	a->opts.jobs = s;
	return drive(s, &a->opts);
}

static int read_jobs(struct asked *a)
{
	struct iob_error err = { 0 };
	struct iob_suite *s =
		iob_suite_from_fio_args(a->n_rest, a->rest, a->opts.target_flags, &err);
	int status = EXIT_OK;

	if (!s) {
		complain_of(&err);
		return EXIT_BAD;
	}
	tell_notes(s);
	if (a->showcmd)
		status = fio_showcmd(s);
	else if (!a->parse_only)
		status = run_jobs(a, s);
	iob_suite_free(s);
	return status;
}

static int show_help(const struct command *self)
{
	help_command(stdout, self, false);
	fputs("\nOptions, besides fio's own:\n", stdout);
	for (size_t i = 0; i < N_SWITCHES; i++) {
		char left[64];
		bool optional = switches[i].arg && *switches[i].arg == '[';
		snprintf(left, sizeof(left), "--%s%s%s", switches[i].name,
			 !switches[i].arg ? ""
			 : optional       ? "="
					  : " ",
			 switches[i].arg ? switches[i].arg : "");
		help_option(stdout, left, switches[i].help);
	}
	fputs("\n", stdout);
	wrap(stdout,
	     "--section=NAME and --readonly are as in fio. `iobench fio --cmdhelp` lists fio's "
	     "options "
	     "and what becomes of each.",
	     0, 0);
	return finish_stdout();
}

static bool asks_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int cmd_fio(const struct command *self, int argc, char **argv)
{
	struct asked a = { .n_rest = 0 };
	int status;

	if (asks_help(argc, argv))
		return show_help(self);
	if (argc < 1) {
		complain("name a job file, or give options of fio; iobench fio --help");
		return EXIT_BAD;
	}
	a.rest = calloc((size_t)argc + 2, sizeof(*a.rest));
	if (!a.rest) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	a.rest[a.n_rest++] = "fio";
	status = take_all(&a, argc, argv);
	if (status == EXIT_GO_ON)
		status = a.cmdhelp ? fio_cmdhelp(a.cmdhelp) : read_jobs(&a);
	free(a.opts.target);
	free(a.rest);
	return status;
}
