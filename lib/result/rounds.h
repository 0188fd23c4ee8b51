/* SPDX-License-Identifier: MIT */
/*
 * The record of a suite that is run in rounds: how, and which stages are which
 * cell. All else follows from the stages, and is made anew when the suite is
 * closed, so that a result that was read back says the same.
 */
#ifndef IOBI_ROUNDS_H
#define IOBI_ROUNDS_H

#include "result/result_priv.h"
#include <iobench/steady.h>
#include <stdbool.h>

struct iobi_rounds {
	struct iob_rounds pub;
	struct iob_cell *cell; /* pub.cells of them; names and values are owned */
	char **note;
	bool broken; /* the last round that was done has I/O errors, and they end a workload */
};

/* Of an empty record; its cells have no names yet. NULL: no memory. */
struct iobi_rounds *iobi_rounds_new(enum iob_steady_metric metric,
				    const struct iob_steady_rule *rule, uint32_t max_rounds,
				    size_t once, size_t cells);
int iobi_rounds_name(struct iobi_rounds *r, size_t cell, const char *name, bool tracked);
int iobi_rounds_note(struct iobi_rounds *r, const char *text);
/* NULL where there is none, or no memory. */
struct iobi_rounds *iobi_rounds_copy(const struct iobi_rounds *r);
/* Whether both were to be run in the same way; NULL is as NULL alone. */
bool iobi_rounds_same(const struct iobi_rounds *a, const struct iobi_rounds *b);
void iobi_rounds_free(struct iobi_rounds *r);

/* What follows from the stages that the suite has; part of closing it. -ENOMEM. */
int iobi_rounds_close(struct iob_result *suite);

/* Whether another round is to be run, once the record was closed. */
bool iobi_rounds_go_on(const struct iobi_rounds *r);

/* Whether they may have so many stages that each should be small: a test of PTS
 * may have 1,400. */
bool iobi_rounds_many(const struct iobi_rounds *r);

/* Which round and which cell a stage of the suite is; false: it is of none. */
bool iobi_rounds_place(const struct iob_result *suite, size_t stage, uint32_t *round, size_t *cell);

#endif
