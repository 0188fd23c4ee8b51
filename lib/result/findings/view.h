/* SPDX-License-Identifier: MIT */
/* A workload as the rules see it, whether it ran here or was recorded elsewhere. */
#ifndef IOBI_VIEW_H
#define IOBI_VIEW_H

#include "result/result_priv.h"

struct iobi_view {
	const struct iobi_recorded *rec; /* NULL: it ran here */
	const struct iobi_machine *machine;
	struct iobi_range iops, mean_ns; /* all ops, flushes too */
	struct iobi_range in_flight;     /* mean by Little's law: X * R, failed ones too */
	double elapsed_ns, ios, bytes;   /* NaN: not known */
	double failed;                   /* I/Os, or short */
	double workers, asked, ran;      /* asked, ran: depth of all workers together */
	bool sync;                       /* one I/O at a time for each worker */
	bool paced;                      /* it waits on purpose */
	bool reads, writes;
	int direct;      /* 1, 0; -1: not known */
	uint64_t block;  /* 0: several, or not known */
	uint64_t region; /* bytes that I/O stays in; 0: not known */
};

void iobi_view_make(struct iobi_view *v, const struct iob_result *w);

/* The latencies that tell the shape: those of the op that did most. */
const struct iob_hist *iobi_view_hist(const struct iob_result *w, enum iob_op *op);

/* A parameter as it ran, else as it was asked; NULL. */
const char *iobi_ran(const struct iob_result *w, const char *name);

/* A parameter as a number in base units; NaN where it is none. */
double iobi_ran_number(const struct iob_result *w, const char *name);
double iobi_asked_number(const struct iob_result *w, const char *name);

/* "64" to a number; NaN. */
double iobi_plain_number(const char *text);

#endif
