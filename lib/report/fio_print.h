/* SPDX-License-Identifier: MIT */
/* Numbers and times in the form that fio prints them for people. */
#ifndef IOBI_FIO_PRINT_H
#define IOBI_FIO_PRINT_H

#include "report/fio_view.h"

/* At most `digits` digits and a prefix: 16300 -> "16.3k", with base 1024 and the
 * unit "B/s" 241172480 -> "230MiB/s". */
enum {
	IOBI_FIOP_NUMBER = 40
};
char *iobi_fiop_number(char *buf, uint64_t v, int digits, unsigned base, const char *unit);

/* With two decimals, at least `width` wide. */
void iobi_fiop_fixed(struct iobi_text *t, double v, int width);

/* "Mon Nov 30 12:39:38 2026", in local time; "" where it is not known. */
void iobi_fiop_time(char *buf, size_t n, uint64_t ns);

/* Whose form it is, and who measured: readers look for "fio-3". */
void iobi_fiop_version(char *buf, size_t n, const struct iob_result *r);

/* A name or text in a line: control characters become "?". */
void iobi_fiop_text(struct iobi_text *t, const char *s);

/* fio_text_job.c: what is told of one job. */
void iobi_fiop_job(struct iobi_report *o, const struct iobi_fiov *v, const struct iobi_fiov_job *j);

#endif
