/* SPDX-License-Identifier: MIT */
/* What `iobench fio` is made of. */
#ifndef FIO_H
#define FIO_H

#include "tool.h"

/* The label `name` of a workload that was read from a job; NULL: it has none. The
 * text goes up to the end of its line. */
const char *fio_label(const struct iob_workload *w, const char *name);
size_t fio_label_len(const char *label);
/* The same of an option of fio's, as "bs", of the job or of [global]. */
const char *fio_option(const struct iob_workload *w, const char *name);
bool fio_option_on(const struct iob_workload *w, const char *name, bool otherwise);
/* Whether it is the first clone of its job. */
bool fio_first_clone(const struct iob_workload *w);

/* fio_show.c: the jobs as a command line, on stdout. */
int fio_showcmd(const struct iob_suite *s);
/* The table of options: NULL all of it, "markdown" as docs/fio.md, else one. */
int fio_cmdhelp(const char *what);

/* fio_refuse.c: tells each job that would write, or make a file, without leave;
 * EXIT_GO_ON or EXIT_BAD. */
int fio_refuse(const struct iob_suite *s, unsigned target_flags);

#endif
