/* SPDX-License-Identifier: MIT */
#ifndef IOBI_REPORT_PRIV_H
#define IOBI_REPORT_PRIV_H

#include "result/result_priv.h"
#include "workload/workload_priv.h"
#include <iobench/report.h>

/* A report being written: text gathers here and goes on in sizeable pieces. */
struct iobi_report {
	struct iobi_text text;
	iob_write_fn fn;
	void *user;
	int rc; /* what ended it early; 0: nothing did */
};

/* Hands on what there is, if it is much. Called after each line or member. */
void iobi_report_push(struct iobi_report *o);

/* Hands on the rest and frees the text; 0, or -errno with *err. */
int iobi_report_end(struct iobi_report *o, const char *format, struct iob_error *err);

/* Every workload from r downwards, in order; r itself where it is one, or a worker. */
typedef void (*iobi_report_each_fn)(struct iobi_report *o, const struct iob_result *w);
void iobi_report_each(struct iobi_report *o, const struct iob_result *r, iobi_report_each_fn fn);

/* The node at `level` that r is or lies under; NULL: none. */
const struct iob_result *iobi_report_above(const struct iob_result *r, enum iob_level level);

/* Bit i of the flags as a word, NULL past the last. */
const char *iobi_flag_name(size_t i);

/* Whether there is anything to tell of an op: I/O, whole or failed. */
int iobi_report_did(const struct iob_result *r, enum iob_op op);

/* The percentiles that the workload asked for. */
struct iobi_percentiles {
	double p[IOBI_PERCENTILES_MAX];
	size_t n;
};
void iobi_report_percentiles(const struct iob_result *w, struct iobi_percentiles *out);

/* "99.9": at most 6 decimals, no trailing zeros. */
char *iobi_format_percent(char *buf, size_t n, double p);

/* How many samples lie beyond a percentile, on its thinner side; 0 and 100 are exact. */
double iobi_report_support(const struct iob_hist *h, double p);

/* As it ran, else as it was asked; "" where that is not known. */
const char *iobi_report_ran(const struct iob_result *w, const char *name);

/* The block size of what the workload did; 0 for a mix, or where it is not known. */
uint64_t iobi_report_block(const struct iob_result *w);

/* The round that a workload is of, from 1; 0: none. */
uint32_t iobi_report_round(const struct iob_result *w);

/* The formats. */
void iobi_report_text(struct iobi_report *o, const struct iob_result *r);
void iobi_report_xdisk(struct iobi_report *o, const struct iob_result *r);
void iobi_report_json(struct iobi_report *o, const struct iob_result *r);
void iobi_report_csv(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_json(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_json_plus(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_text(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_bw_log(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_iops_log(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_lat_log(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_slat_log(struct iobi_report *o, const struct iob_result *r);
void iobi_report_fio_clat_log(struct iobi_report *o, const struct iob_result *r);

#endif
