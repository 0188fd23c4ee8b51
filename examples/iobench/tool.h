/* SPDX-License-Identifier: MIT */
/* The iobench tool: a user of the public headers, and of nothing else. */
#ifndef TOOL_H
#define TOOL_H

#include <iobench/iobench.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How the process ends. CONTINUE is for steps that may end it early. */
enum {
	EXIT_GO_ON = -1,
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* I/O errors, a failed run, a report that could not be written */
	EXIT_BAD = 2,    /* bad arguments, a refused target */
	EXIT_INVALID = 3, /* --strict, and a finding of severity invalid */
	EXIT_NOTHING = 4, /* --latency-target, and no value holds it */
	EXIT_INTERRUPTED = 130
};

struct command {
	const char *name;
	const char *args;    /* of its usage line */
	const char *summary; /* of `iobench --help` */
	const char *about;   /* the top of its own --help */
	int (*run)(const struct command *self, int argc, char **argv);
	unsigned options; /* OF_*: what it takes besides those of all */
};
enum {
	OF_ROUNDS = 1, /* steady.c */
	OF_PTS = 2     /* cmd_pts.c */
};

/* cmd_*.c */
int cmd_run(const struct command *self, int argc, char **argv);
int cmd_matrix(const struct command *self, int argc, char **argv);
int cmd_fio(const struct command *self, int argc, char **argv);
int cmd_device(const struct command *self, int argc, char **argv);
int cmd_precondition(const struct command *self, int argc, char **argv);
int cmd_pts(const struct command *self, int argc, char **argv);
int cmd_check(const struct command *self, int argc, char **argv);
int cmd_compare(const struct command *self, int argc, char **argv);
int cmd_findings(const struct command *self, int argc, char **argv);
int cmd_engines(const struct command *self, int argc, char **argv);
int cmd_params(const struct command *self, int argc, char **argv);

/* say.c: messages on stderr, words, wrapped text. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain_of(const struct iob_error *err);
/* The candidate that `word` was most likely meant to be; NULL if none is near. */
const char *nearest(const char *word, const char *const *candidates, size_t n);
/* Prints `text` in lines that end before the right edge, each but the first
 * after `indent` blanks; `column` is where the first one starts. */
void wrap(FILE *out, const char *text, size_t column, size_t indent);
/* "123k", "4.56M": three digits. */
const char *si(char *buf, size_t n, double value);
/* What a suite has to say, on stderr. */
void tell_notes(const struct iob_suite *s);
/* The status for a command that printed on stdout: checks that it got there. */
int finish_stdout(void);

/* opts.c: what `run` and `matrix` are told. */
enum {
	FORMATS_MAX = 32,
	AXES_MAX = 32,
	SEARCH_WORDS = 8,
	TRACKED_MAX = 64
};
enum progress_mode {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS,
	PROGRESS_NEVER
};
struct opts {
	bool matrix;
	struct iob_workload *workload;
	struct iob_axis axis[AXES_MAX]; /* in the order they were given; texts are argv's */
	size_t n_axes;
	const char **target; /* argv's */
	size_t n_targets;
	const char *const *input; /* files that jobs are read from */
	size_t n_inputs;
	unsigned target_flags;
	const char *format[FORMATS_MAX]; /* the library's own texts */
	size_t n_formats;
	const char *output; /* NULL: stdout */
	enum progress_mode progress;
	bool strict;
	const struct iob_suite *jobs; /* of fio, for its progress line; else NULL */
	const char *search_word[SEARCH_WORDS]; /* argv's, in the order of search.c; NULL: not given */
	const struct iob_search *search;       /* what runs instead of the suite, or NULL */
	struct {
		bool on;	   /* run in rounds */
		const char *given; /* an option that is for rounds alone */
		struct iob_steady_plan plan;
		struct iob_steady_rule rule;
		const char *tracked[TRACKED_MAX]; /* argv's */
		size_t n_tracked;
	} steady;
	struct iob_pts_plan pts;
	const char *const *own;	       /* parameters that the command sets itself; ends with NULL */
	const char *const (*preset)[2]; /* other defaults of parameters; NULL: none */
	void (*tell)(const struct iob_result *r); /* after a text report on stdout; may be NULL */
	bool one_file;		      /* all formats go to one --output, as fio's do */
	uint64_t eta_ns, newline_ns; /* of fio's progress line, how often; 0: as it is */
	uint64_t status_ns;	      /* report on stdout this often; 0: at the end only */
};
/* An option of the tool's own; parameters come from the library's table. */
struct option {
	const char *name; /* without the dashes */
	const char *arg;  /* NULL: takes no value */
	const char *help;
	int (*set)(struct opts *o, const char *value); /* EXIT_GO_ON or EXIT_BAD */
};
extern const struct option steady_options[], pts_options[];
extern const size_t n_steady_options, n_pts_options;
/* Option i of a command; NULL past the last. */
const struct option *command_option(const struct command *self, size_t i);
/* EXIT_GO_ON, or the status to end with. opts_free in either case. */
int opts_parse(struct opts *o, const struct command *self, int argc, char **argv);
void opts_free(struct opts *o);
/* Complains where --allow-destroy was not given. */
int need_destroy(const struct opts *o, const char *command);

/* steady.c */
void steady_init(struct opts *o);
int steady_apply(struct opts *o, struct iob_suite *s); /* once the suite is made */
void steady_tell(const struct iob_result *r);	       /* on stderr, where it was not */

/* help.c */
void help_main(FILE *out, const struct command *commands, size_t n);
void help_command(FILE *out, const struct command *self, bool with_parameters);
/* An option and what it does, in two columns. */
void help_option(FILE *out, const char *left, const char *text);
/* Handles --help and refuses whatever else an argument-less command is given. */
int only_help(const struct command *self, int argc, char **argv);

/* output.c: where reports go. Files are made before the run starts, under a
 * temporary name, and appear under their own name once they are whole. */
struct output {
	const char *what; /* asked for it, for complaints */
	const char *format;
	char *path; /* NULL: stdout */
	char *temp; /* NULL: written in place (stdout, a pipe, a terminal) */
	int fd;
	bool joined; /* goes where the one before it goes */
};
struct outputs {
	struct output item[FORMATS_MAX];
	size_t n;
	bool one_file;
};
/* Makes the file of it->path; EXIT_GO_ON, or EXIT_BAD with a complaint. */
int output_open(struct output *it, const struct opts *o);
/* The reports of n results one after another, as a whole; EXIT_OK or EXIT_FAILED. */
int output_write(struct output *it, const struct iob_result *const *results, size_t n);
void output_close(struct output *it); /* drops what was not written; frees path */
int outputs_open(struct outputs *out, const struct opts *o);
int outputs_write(struct outputs *out, const struct iob_result *result);
/* What is not the end yet: on stdout, or into the one file. */
int outputs_status(struct outputs *out, const struct iob_result *result);
void outputs_close(struct outputs *out); /* drops what was not written */

/* search.c: makes the search that the options want, if any (*out NULL: none): its
 * latency target is the first word. search_refuse: no option may want one. */
int search_make(const struct opts *o, struct iob_search **out);
int search_refuse(const struct opts *o);
bool search_found_nothing(const struct iob_result *r);

/* input.c: a recorded result of a file ("-": stdin), in a format or (NULL) in
 * whichever it looks like. NULL and a complaint. */
struct iob_result *read_result(const char *path, const char *from);
bool any_invalid(const struct iob_result *r);

/* progress.c: one line on stderr while a run goes on. */
struct progress {
	bool on, terminal;
	size_t drawn;     /* length of the line that stands there */
	uint64_t next_ns; /* when to draw again */
	uint64_t every_ns;
	uint64_t newline_ns, next_line_ns; /* how often the line stays; 0: never */
	const struct iob_suite *jobs; /* of fio, or NULL */
};
void progress_begin(struct progress *p, const struct opts *o);
void progress_tick(struct progress *p, struct iob_run *run);
void progress_end(struct progress *p);
uint64_t now_ns(void);

/* fio_line.c: the same in fio's form. */
int fio_line(char *buf, size_t n, const struct iob_suite *s, struct iob_run *run,
	     const struct iob_progress *now);

/* fio_logs.c: the logs that fio's jobs ask for (o->jobs; NULL: none). First
 * whether they can be written, EXIT_GO_ON or EXIT_BAD; at the end EXIT_OK or
 * EXIT_FAILED. */
int fio_logs_check(const struct opts *o);
int fio_logs_write(const struct opts *o, const struct iob_result *result);

/* fio_findings.c: of fio's jobs, on stderr where no report tells them. */
void fio_findings(const struct opts *o, const struct iob_result *r);

/* signals.c: Ctrl-C. The first one cancels the run, the second ends the process. */
void signals_install(void);
void signals_watch(struct iob_run *run); /* NULL: none; a signal then ends the process */
bool signals_got(void);
/* Files that the handler removes when it ends the process. */
void signals_doom(const char *path);
void signals_spare(const char *path);

/* drive.c: runs a suite to its end and reports; the exit status. */
int drive(const struct iob_suite *suite, const struct opts *o);

/* Makes a suite by `fill` (a negative number: *err says why not), and runs it. */
typedef int (*fill_fn)(struct iob_suite *suite, const struct opts *o, struct iob_error *err);
int drive_filled(struct opts *o, fill_fn fill);

#endif
