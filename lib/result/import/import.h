/* SPDX-License-Identifier: MIT */
/* Results that other programs measured and printed. A reader takes the numbers
 * that are there, and knows of each how far it was rounded. */
#ifndef IOBI_IMPORT_H
#define IOBI_IMPORT_H

#include "result/result_priv.h"

/* read_json.c: the library's own. */
struct iob_result *iobi_read_json(const char *data, size_t len, struct iob_error *err);

struct iob_result *iobi_read_xdisk(const char *data, size_t len, struct iob_error *err);
struct iob_result *iobi_read_fio_text(const char *data, size_t len, struct iob_error *err);
struct iob_result *iobi_read_fio_json(const char *data, size_t len, struct iob_error *err);

/* ---- lines ---- */

/* A text as lines without blanks at their ends; one is valid until the next. */
struct iobi_lines {
	char *copy, *next;
	unsigned n; /* of the line that was read last, from 1 */
};
int iobi_lines_open(struct iobi_lines *l, const char *data, size_t len, struct iob_error *err);
char *iobi_lines_next(struct iobi_lines *l); /* NULL: no more */
void iobi_lines_close(struct iobi_lines *l);

/* ---- numbers ---- */

/* Reads a decimal number at *at and moves past it; what it can stand for, half a
 * unit of its last digit each way. False: there is none. */
bool iobi_take_number(const char **at, struct iobi_range *out);

/* The same, of which the whole text is one. */
bool iobi_whole_number(const char *text, struct iobi_range *out);

/* "64KiB", "64k", "1M", "16.0KiB", "4096B": powers of 1024; kB, MB, GB of 1000
 * where `decimal`. 0: no size. */
uint64_t iobi_take_size(const char **at, bool decimal);

struct iobi_range iobi_range_times(struct iobi_range r, double by);

/* ---- nodes ---- */

/* A latency as it was printed, in ns. */
struct iobi_printed {
	struct iobi_range mean;
	double min, max, stddev; /* stddev NaN: not known */
	const double *p;
	const uint64_t *value;
	size_t n;
};

/* Makes latency l of an op an outline of `count` samples. */
int iobi_printed_put(struct iob_result *w, int op, enum iob_latency l, uint64_t count,
		     const struct iobi_printed *printed);

/* Sets a parameter as asked and as ran. */
int iobi_set_both(struct iob_result *w, const char *name, const char *value);
int iobi_set_number(struct iob_result *w, const char *name, uint64_t value);
int iobi_set_size(struct iob_result *w, const char *name, uint64_t bytes);

/* A new stage of the suite, a new workload of a stage; NULL: no memory. */
struct iob_result *iobi_new_stage(struct iob_result *suite, const char *name);
struct iob_result *iobi_new_workload(struct iob_result *stage, const char *name, const char *format,
				     unsigned line);

/* Closes all from the leaves up; frees the suite where that fails. */
struct iob_result *iobi_import_end(struct iob_result *suite, int rc, struct iob_error *err);

#endif
