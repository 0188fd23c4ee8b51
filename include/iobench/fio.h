/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_FIO_H
#define IOBENCH_FIO_H

#include <iobench/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What fio users own: job files and command lines, read into a suite. A job and
 * each of its numjobs clones is a workload, jobs that run at the same time are
 * workloads of one stage, a stonewall starts the next stage. Nothing is opened
 * but the job files; no command of a job file is ever run. docs/fio.md says
 * what becomes of each of fio's options.
 *
 * Writing follows iobench's rules, not fio's: targets get `target_flags`
 * (IOB_TARGET_*), and a job that writes to one without IOB_TARGET_ALLOW_DESTROY
 * is refused when the suite is checked or run.
 */

/* Reads a job file. On failure NULL, and *err with file, line and the option in
 * `where`. ENOENT: an unknown option (the message offers the nearest); ENOTSUP:
 * one of fio's that is not supported; EINVAL, ERANGE: a wrong value. */
IOB_API struct iob_suite *iob_suite_from_fio_file(const char *path, unsigned target_flags,
						  struct iob_error *err);

/* Reads fio's arguments, without the program's name (a leading "fio" is left
 * out): "--name=a", "--rw=randread", "--bs", "4k", job files. Options before the
 * first --name are global; those of a job file override them. */
IOB_API struct iob_suite *iob_suite_from_fio_args(int argc, const char *const *argv,
						  unsigned target_flags, struct iob_error *err);

/* What becomes of an option of fio. */
enum iob_fio_support {
	IOB_FIO_SUPPORTED = 0, /* does here what it does there */
	IOB_FIO_NO_EFFECT = 1, /* accepted, and changes nothing: a note says so */
	IOB_FIO_REFUSED = 2    /* an error */
};
struct iob_fio_option {
	uint32_t size; /* of this struct */
	enum iob_fio_support support;
	const char *name;
	const char *alias; /* another name; NULL: none */
	const char *value; /* what it takes, as "size" or "0 or 1" */
	const char *help;  /* what becomes of it; of a refused one: what it belongs to */
};

/* The options that are known, by support and name; NULL past the end. Static. */
IOB_API const struct iob_fio_option *iob_fio_option(size_t i);

#ifdef __cplusplus
}
#endif
#endif
