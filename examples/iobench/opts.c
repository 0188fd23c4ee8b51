/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <stdlib.h>
#include <string.h>

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_FAILED;
}

static int set_target(struct opts *o, const char *value)
{
	o->target[o->n_targets++] = value;
	return EXIT_GO_ON;
}

static int set_destroy(struct opts *o, const char *value)
{
	o->target_flags |= IOB_TARGET_ALLOW_DESTROY;
	return EXIT_GO_ON;
}

static int set_create(struct opts *o, const char *value)
{
	o->target_flags |= IOB_TARGET_CREATE;
	return EXIT_GO_ON;
}

static int set_signature(struct opts *o, const char *value)
{
	o->target_flags |= IOB_TARGET_OVERWRITE_SIGNATURE;
	return EXIT_GO_ON;
}

static int unknown_format(const char *word, size_t len)
{
	const char *names[FORMATS_MAX];
	char list[512] = "";
	size_t n = 0;

	for (; n < FORMATS_MAX && (names[n] = iob_report_format(n)); n++) {
		strncat(list, n ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, names[n], sizeof(list) - strlen(list) - 1);
	}
	complain("--format: there is no format \"%.*s\"; there are %s", (int)len, word, list);
	return EXIT_BAD;
}

static int add_format(struct opts *o, const char *word, size_t len)
{
	const char *name = NULL;

	for (size_t i = 0; (name = iob_report_format(i)); i++)
		if (strlen(name) == len && !strncmp(name, word, len))
			break;
	if (!name)
		return unknown_format(word, len);
	for (size_t i = 0; i < o->n_formats; i++)
		if (o->format[i] == name)
			return EXIT_GO_ON;
	if (o->n_formats < FORMATS_MAX)
		o->format[o->n_formats++] = name;
	return EXIT_GO_ON;
}

static int set_format(struct opts *o, const char *value)
{
	int status = EXIT_GO_ON;

	o->n_formats = 0;
	for (;;) {
		size_t len = strcspn(value, ",");
		status = add_format(o, value, len);
		if (status != EXIT_GO_ON || !value[len])
			return status;
		value += len + 1;
	}
}

static int set_output(struct opts *o, const char *value)
{
	if (!value[0]) {
		complain("--output: the name of a file is wanted, not an empty one");
		return EXIT_BAD;
	}
	o->output = value;
	return EXIT_GO_ON;
}

static int set_strict(struct opts *o, const char *value)
{
	o->strict = true;
	return EXIT_GO_ON;
}

static int set_progress(struct opts *o, const char *value)
{
	static const char *const mode[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, mode[i])) {
			o->progress = i;
			return EXIT_GO_ON;
		}
	complain("--progress: \"%s\" is none of auto, always, never", value);
	return EXIT_BAD;
}

static int set_search_latency_target(struct opts *o, const char *value)
{
	o->search_word[0] = value;
	return EXIT_GO_ON;
}

static int set_search_over(struct opts *o, const char *value)
{
	o->search_word[1] = value;
	return EXIT_GO_ON;
}

static int set_search_op(struct opts *o, const char *value)
{
	o->search_word[2] = value;
	return EXIT_GO_ON;
}

static int set_search_low(struct opts *o, const char *value)
{
	o->search_word[3] = value;
	return EXIT_GO_ON;
}

static int set_search_high(struct opts *o, const char *value)
{
	o->search_word[4] = value;
	return EXIT_GO_ON;
}

static int set_search_resolution(struct opts *o, const char *value)
{
	o->search_word[5] = value;
	return EXIT_GO_ON;
}

static int set_search_confidence(struct opts *o, const char *value)
{
	o->search_word[6] = value;
	return EXIT_GO_ON;
}

static int set_search_tries(struct opts *o, const char *value)
{
	o->search_word[7] = value;
	return EXIT_GO_ON;
}

static const struct option tool_options[] = {
	{ "target", "PATH", "A block device or a file. Can be given more than once.", set_target },
	{ "allow-destroy", NULL,
	  "The data on the targets may be overwritten. Nothing is ever written without this.",
	  set_destroy },
	{ "create", NULL, "Make target files that are missing: offset + size bytes, filled.",
	  set_create },
	{ "overwrite-signature", NULL,
	  "Write also to a device that holds a file system or a partition table (with "
	  "--allow-destroy).",
	  set_signature },
	{ "format", "LIST", "Any of text, xdisk, json, csv, fio-json, fio-json+, fio-text, separated by commas (default "
	  "text).",
	  set_format },
	{ "output", "FILE",
	  "Write the report to FILE and not to stdout; with several formats to FILE.xdisk, "
	  "FILE.json and so on.",
	  set_output },
	{ "progress", "WHEN",
	  "auto, always or never: a line on stderr while it runs (default auto: on a terminal).",
	  set_progress },
	{ "strict", NULL,
	  "Exit with status 3 where a finding says that the result is invalid (iobench findings).",
	  set_strict },
	{ "latency-target", "TARGET",
	  "Search: run again and again, at the highest rate (arrival fixed or poisson) or "
	  "else the highest queue depth that holds a latency, as p99=1ms, p99.9=500us, "
	  "mean=2ms, max=10ms. Each step takes ramp-time and runtime; the report has all of "
	  "them.",
	  set_search_latency_target },
	{ "search-over", "NAME",
	  "What the search varies: rate_iops, queue_depth, or auto, by the arrival "
	  "(default).",
	  set_search_over },
	{ "search-op", "NAME",
	  "Whose latency is judged: all (default), read, write or trim.",
	  set_search_op },
	{ "search-low", "N",
	  "The lowest value that is tried (default: where a step has enough I/Os to tell).",
	  set_search_low },
	{ "search-high", "N",
	  "The highest value that is tried (default: any rate, a depth of 1024).",
	  set_search_high },
	{ "search-resolution", "PERCENT",
	  "How close what holds and what misses must be (default 2).",
	  set_search_resolution },
	{ "search-confidence", "PERCENT",
	  "How sure each verdict is (default 95).",
	  set_search_confidence },
	{ "search-tries", "N",
	  "How often a value is tried before it counts as undecided (default 3).",
	  set_search_tries },
	{ "help", NULL, "Print this help.", NULL },
};

/* Those of all commands, with --help last. */
const struct option *command_option(const struct command *self, size_t i)
{
	const size_t n = sizeof(tool_options) / sizeof(tool_options[0]) - 1;
	size_t rounds = self->options & OF_ROUNDS ? n_steady_options : 0;
	size_t pts = self->options & OF_PTS ? n_pts_options : 0;

	if (i < n)
		return &tool_options[i];
	i -= n;
	if (i < rounds)
		return &steady_options[i];
	i -= rounds;
	if (i < pts)
		return &pts_options[i];
	return i == pts ? &tool_options[n] : NULL;
}

/* block-size and block_size are the same option. */
static bool same_name(const char *option, size_t len, const char *name)
{
	size_t i = 0;

	for (; i < len && name[i]; i++)
		if (option[i] != name[i] && !(strchr("-_", option[i]) && strchr("-_", name[i])))
			return false;
	return i == len && !name[i];
}

static const struct option *find_option(const struct command *self, const char *name, size_t len)
{
	const struct option *o;

	for (size_t i = 0; (o = command_option(self, i)); i++)
		if (same_name(name, len, o->name))
			return o;
	return NULL;
}

static const struct iob_param_info *find_param(const char *name, size_t len)
{
	for (size_t i = 0; i < iob_param_count(); i++)
		if (same_name(name, len, iob_param_info(i)->name))
			return iob_param_info(i);
	return NULL;
}

static const char *nearest_option(const struct command *self, const char *word)
{
	enum {
		MAX = 128
	};
	const struct option *o;
	const char *names[MAX];
	size_t n = 0;

	for (size_t i = 0; (o = command_option(self, i)) && n < MAX; i++)
		names[n++] = o->name;
	for (size_t i = 0; i < iob_param_count() && n < MAX; i++)
		names[n++] = iob_param_info(i)->name;
	return nearest(word, names, n);
}

static int unknown_option(const struct command *self, const char *arg, size_t len)
{
	char word[64], spelled[64];
	const char *near;

	snprintf(word, sizeof(word), "%.*s", (int)len, arg);
	near = strcmp(word, "filename") ? iob_param_from_fio(word) : "target";
	if (!near)
		near = nearest_option(self, word);
	if (!near) {
		complain("unknown option --%s; iobench %s --help lists the options", word,
			 self->name);
		return EXIT_BAD;
	}
	snprintf(spelled, sizeof(spelled), "%s", near);
	for (char *c = spelled; *c; c++)
		*c = *c == '_' ? '-' : *c;
	complain("unknown option --%s; did you mean --%s?", word, spelled);
	return EXIT_BAD;
}

/* Whether a value stands for several: a comma list, but where the value itself
 * may hold commas a list separated by semicolons. */
static bool is_list(const struct iob_param_info *p, const char *value)
{
	bool own_commas = p->key == IOB_PARAM_CPUS || p->key == IOB_PARAM_PERCENTILES ||
			  (p->type == IOB_TYPE_BLOCKS && strchr(value, ':'));

	if (p->key == IOB_PARAM_NAME)
		return false;
	return strchr(value, ';') || (!own_commas && strchr(value, ','));
}

static void drop_axis(struct opts *o, const char *param)
{
	for (size_t i = 0; i < o->n_axes; i++)
		if (!strcmp(o->axis[i].param, param)) {
			memmove(&o->axis[i], &o->axis[i + 1],
				(--o->n_axes - i) * sizeof(o->axis[0]));
			return;
		}
}

static int set_param(struct opts *o, const struct iob_param_info *p, const char *value)
{
	struct iob_error err = { 0 };

	for (size_t i = 0; o->own && o->own[i]; i++)
		if (!strcmp(o->own[i], p->name)) {
			complain("--%s: this command sets it itself", p->name);
			return EXIT_BAD;
		}
	if (o->matrix) {
		drop_axis(o, p->name); /* given twice: the last one counts */
		if (is_list(p, value) && o->n_axes < AXES_MAX) {
			o->axis[o->n_axes++] = (struct iob_axis){ p->name, value };
			return EXIT_GO_ON;
		}
	}
	if (iob_workload_set(o->workload, p->name, value, &err) >= 0)
		return EXIT_GO_ON;
	complain_of(&err);
	return EXIT_BAD;
}

static int stray_argument(const char *arg)
{
	complain("\"%s\" is no option; a device or file is given as --target %s", arg, arg);
	return EXIT_BAD;
}

/* One option: EXIT_GO_ON with *used set to how many arguments it took. */
static int parse_option(struct opts *o, const struct command *self, int argc, char **argv,
			int *used)
{
	const char *name = argv[0] + 2, *value = strchr(name, '=');
	size_t len = value ? (size_t)(value++ - name) : strlen(name);
	const struct option *own = find_option(self, name, len);
	const struct iob_param_info *param = own ? NULL : find_param(name, len);
	bool wants = param || (own && own->arg);

	*used = 1;
	if (!own && !param)
		return unknown_option(self, name, len);
	if (!wants && value) {
		complain("--%s takes no value, and \"%s\" was given", own->name, value);
		return EXIT_BAD;
	}
	if (wants && !value) {
		if (argc < 2 || !strncmp(argv[1], "--", 2)) {
			complain("--%.*s needs a value%s%s", (int)len, name,
				 param && param->choices ? ": " : "",
				 param && param->choices ? param->choices : "");
			return EXIT_BAD;
		}
		value = argv[1];
		*used = 2;
	}
	return param ? set_param(o, param, value) : own->set(o, value);
}

static bool asks_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int add_targets(struct opts *o)
{
	struct iob_error err = { 0 };

	for (size_t i = 0; i < o->n_targets; i++)
		if (iob_workload_add_target(o->workload, o->target[i], o->target_flags, &err) < 0) {
			complain_of(&err);
			return EXIT_BAD;
		}
	return EXIT_GO_ON;
}

static int parse_all(struct opts *o, const struct command *self, int argc, char **argv)
{
	for (int i = 0, used; i < argc; i += used) {
		int status;
		if (!strcmp(argv[i], "--"))
			return i + 1 < argc ? stray_argument(argv[i + 1]) : EXIT_GO_ON;
		if (strncmp(argv[i], "--", 2))
			return stray_argument(argv[i]);
		status = parse_option(o, self, argc - i, argv + i, &used);
		if (status != EXIT_GO_ON)
			return status;
	}
	return EXIT_GO_ON;
}

int opts_parse(struct opts *o, const struct command *self, int argc, char **argv)
{
	int status;

	if (asks_help(argc, argv)) {
		help_command(stdout, self, true);
		return finish_stdout();
	}
	o->workload = iob_workload_new(NULL);
	o->target = calloc((size_t)argc + 1, sizeof(*o->target));
	if (!o->workload || !o->target)
		return out_of_memory();
	steady_init(o);
	for (size_t i = 0; o->preset && o->preset[i][0]; i++)
		iob_workload_set(o->workload, o->preset[i][0], o->preset[i][1], NULL);
	status = parse_all(o, self, argc, argv);
	if (status == EXIT_GO_ON)
		status = add_targets(o);
	if (!o->n_formats)
		o->format[o->n_formats++] = iob_report_format(0);
	return status;
}

void opts_free(struct opts *o)
{
	iob_workload_free(o->workload);
	free(o->target);
}

int need_destroy(const struct opts *o, const char *command)
{
	if (o->target_flags & IOB_TARGET_ALLOW_DESTROY)
		return EXIT_GO_ON;
	complain("%s: it overwrites its targets; nothing was touched. Give --allow-destroy if that "
		 "is meant",
		 command);
	return EXIT_BAD;
}
