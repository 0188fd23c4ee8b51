/* SPDX-License-Identifier: MIT */
/* Recorded results of tests/unit/seeds/, copies of them with changes, and which
 * rows have a finding. */
#ifndef IOB_SEEDS_H
#define IOB_SEEDS_H

#include <iobench/iobench.h>
#include <stddef.h>

/* The text of a seed; the caller's to free. */
char *seed_text(const char *name);

/* A result out of a text. Fails the test where it cannot be read. */
struct iob_result *seed_read(const char *text, const char *format);

/* A copy with the first `from` replaced; both the caller's. Fails where it is not there. */
char *seed_replace(const char *text, const char *from, const char *to);

/* "1 3 4" the stages with the code, "" where none; "all" for one of the suite alone. */
const char *seed_rows(const struct iob_result *r, const char *code);

struct seed_expect {
	const char *code, *rows;
};
/* Exactly these codes have rows, each exactly its own: no other finding is there. */
void seed_exactly(const struct iob_result *r, const struct seed_expect *e, size_t n);

/* The first finding of that code, at or below a node; NULL. */
const struct iob_finding *seed_finding(const struct iob_result *r, const char *code);

/* A number of its evidence. Fails where there is none of that name. */
double seed_number(const struct iob_finding *f, const char *name);

#endif
