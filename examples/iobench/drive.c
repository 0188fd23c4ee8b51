/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Short waits, so that a signal that comes just before one is seen in time. What is
 * left of 200 ms after the drain is for the report: 48 cells as JSON take 90. */
enum {
	WAIT_MS = 50,
	DRAIN_MS = 60
};

/* --status-interval: what has been measured so far, now and then. */
static void tell_status(struct iob_run *run, const struct opts *o, struct outputs *out,
			uint64_t *next_ns)
{
	struct iob_result *r;

	if (!o->status_ns || now_ns() < *next_ns)
		return;
	*next_ns += o->status_ns;
	r = iob_run_snapshot(run, NULL);
	if (r && iob_result_child_count(r))
		outputs_status(out, r);
	iob_result_free(r);
}

/* True when the run has ended, false when a signal came. */
static bool watch(struct iob_run *run, const struct opts *o, struct outputs *out)
{
	struct progress p = { 0 };
	uint64_t next_status = now_ns() + o->status_ns;
	int rc = 0;

	progress_begin(&p, o);
	while (!signals_got() && rc != 1) {
		rc = iob_run_wait(run, WAIT_MS, NULL);
		if (rc < 0 && rc != -EINTR)
			break;
		progress_tick(&p, run);
		if (rc != 1)
			tell_status(run, o, out, &next_status);
	}
	progress_end(&p);
	return !signals_got();
}

/* Whether all I/O is drained shortly after the run was cancelled. */
static bool drained(struct iob_run *run)
{
	uint64_t end = now_ns() + DRAIN_MS * UINT64_C(1000000), now;
	int rc = 0;

	while (rc != 1 && (now = now_ns()) < end)
		rc = iob_run_wait(run, (int)((end - now) / 1000000) + 1, NULL);
	return rc == 1;
}

/* Reports, and the logs of fio's jobs. */
static int write_all(const struct opts *o, struct outputs *out, const struct iob_result *r)
{
	int status = outputs_write(out, r), logs = fio_logs_write(o, r);

	fio_findings(o, r);
	return status == EXIT_OK ? logs : status;
}

static void tell_unfinished(const struct iob_result *r)
{
	uint64_t n = iob_result_unfinished(r);

	if (n)
		complain("interrupted; the kernel still has %" PRIu64 " I/O%s", n,
			 n == 1 ? "" : "s");
	else
		complain("interrupted");
}

/* Leaves without a word to the kernel: a worker may be held by a device for as
 * long as it likes. */
static void report_interrupted(struct iob_run *run, const struct opts *o, struct outputs *out)
{
	bool whole = drained(run);
	struct iob_result *r = whole ? iob_run_result(run, NULL) : NULL;

	if (!r)
		r = iob_run_snapshot(run, NULL);
	if (r && iob_result_child_count(r)) {
		write_all(o, out, r);
		tell_unfinished(r);
	} else {
		/* No stage has begun: a file is being made, and goes again. */
		complain("interrupted before anything was measured");
		iob_run_wait(run, -1, NULL);
	}
	outputs_close(out);
	_exit(EXIT_INTERRUPTED);
}

static void tell_io_errors(const struct iob_result *r)
{
	const struct iob_error *first = iob_result_error(r);
	uint64_t n = iob_result_count(r, IOB_OP_ALL, IOB_COUNT_ERRORS) +
		     iob_result_count(r, IOB_OP_ALL, IOB_COUNT_SHORT) +
		     iob_result_count(r, IOB_OP_SYNC, IOB_COUNT_ERRORS);

	if (n || !first) /* else an engine broke, and no I/O failed */
		complain("%" PRIu64 " I/O error%s%s", n, n == 1 ? "" : "s",
			 first ? "; the first:" : "");
	if (first)
		complain_of(first);
}

/* A stage could not start: the error, and what the stages before it measured. */
static int report_failed(struct iob_run *run, const struct opts *o, struct outputs *out,
			 const struct iob_error *err)
{
	struct iob_result *r = iob_run_snapshot(run, NULL);

	if (r && iob_result_count(r, IOB_OP_ALL, IOB_COUNT_IOS))
		write_all(o, out, r);
	iob_result_free(r);
	complain_of(err);
	return EXIT_FAILED;
}

static int report(struct iob_run *run, const struct opts *o, struct outputs *out)
{
	struct iob_error err = { 0 };
	struct iob_result *r = iob_run_result(run, &err);
	int status;

	if (!r)
		return report_failed(run, o, out, &err);
	status = write_all(o, out, r);
	if (o->tell && !o->output && !strcmp(o->format[0], "text"))
		o->tell(r);
	steady_tell(r);
	if (iob_result_flags(r) & IOB_RESULT_ERRORS) {
		tell_io_errors(r);
		status = EXIT_FAILED;
	}
	if (status == EXIT_OK && o->strict && any_invalid(r))
		status = EXIT_INVALID;
	if (status == EXIT_OK && search_found_nothing(r))
		status = EXIT_NOTHING;
	iob_result_free(r);
	return status;
}

/* What cannot be run as it was asked is a bad argument; a machine that is out
 * of something is a failure. */
static int start_status(int code)
{
	switch (code) {
	case ENOMEM:
	case EAGAIN:
	case EMFILE:
	case ENFILE:
		return EXIT_FAILED;
	default:
		return EXIT_BAD;
	}
}

static struct iob_run *start(const struct iob_suite *suite, const struct opts *o,
			     struct iob_error *err)
{
	if (o->search)
		return iob_search_start(o->search, err);
	return o->steady.on ? iob_steady_start(suite, &o->steady.plan, err)
			    : iob_run_start(suite, err);
}

static int run_suite(const struct iob_suite *suite, const struct opts *o, struct outputs *out)
{
	struct iob_error err = { 0 };
	struct iob_run *run = start(suite, o, &err);
	int status;

	if (!run) {
		complain_of(&err);
		return start_status(err.code);
	}
	signals_watch(run);
	if (!watch(run, o, out))
		report_interrupted(run, o, out);
	status = report(run, o, out);
	signals_watch(NULL);
	iob_run_free(run);
	return status;
}

int drive(const struct iob_suite *suite, const struct opts *o)
{
	struct outputs out = { 0 };
	int status;

	signals_install();
	status = fio_logs_check(o);
	if (status == EXIT_GO_ON)
		status = outputs_open(&out, o);
	if (status == EXIT_GO_ON)
		status = run_suite(suite, o, &out);
	outputs_close(&out);
	return status;
}

int drive_filled(struct opts *o, fill_fn fill)
{
	struct iob_error err = { 0 };
	struct iob_suite *suite = iob_suite_new(&err);
	int status = EXIT_BAD;

	if (suite && fill(suite, o, &err) >= 0) {
		tell_notes(suite);
		status = steady_apply(o, suite);
		if (status == EXIT_GO_ON)
			status = drive(suite, o);
	} else {
		complain_of(&err);
	}
	iob_suite_free(suite);
	return status;
}
