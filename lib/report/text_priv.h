/* SPDX-License-Identifier: MIT */
#ifndef IOBI_TEXT_PRIV_H
#define IOBI_TEXT_PRIV_H

#include "report/report_priv.h"

/* The workloads below a node, in order. */
struct iobi_list {
	const struct iob_result **w;
	size_t n;
};

enum {
	IOBI_CELL = 64
};

char *iobi_text_ns(char *buf, double ns);     /* "12.4 us"; "-" for NaN */
char *iobi_text_bytes(char *buf, uint64_t v); /* "256 MiB" */
char *iobi_text_number(char *buf, double v);  /* "1,505,683", "12.3" */
char *iobi_text_count(char *buf, uint64_t v); /* exact, with commas */

/* A name in a line: control characters become "?". */
void iobi_text_add_name(struct iobi_text *t, const char *s);

/* What tells a workload from the others beside the columns of the table. */
void iobi_text_label(char *buf, const struct iob_result *w);

/* text_head.c: where, when, what all workloads have in common. */
void iobi_text_head(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l);

/* text_search.c: the curve of a search, and what came of it. */
void iobi_text_search(struct iobi_report *o, const struct iob_result *r);
/* text_rounds.c: whether rounds came to be steady, and their results. */
void iobi_text_rounds(struct iobi_report *o, const struct iob_result *r);

/* How many stages of a suite have their rows shown: those of many rounds have not. */
size_t iobi_text_stages(const struct iob_result *r);

/* text_notes.c: what did not go as asked. */
void iobi_text_notes(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l);

/* text_pace.c: schedules, and response times where they differ. */
void iobi_text_pace(struct iobi_report *o, const struct iobi_list *l);

/* text_devices.c: what the layers under the targets did. */
void iobi_text_devices(struct iobi_report *o, const struct iob_result *r);

/* text_findings.c: what cannot be believed of it. */
void iobi_text_findings(struct iobi_report *o, const struct iob_result *r);

#endif
