/* SPDX-License-Identifier: MIT */
/* Findings of runs on real devices. Another load on the machine spoils a try, a
 * defect spoils them all: what depends on time is tried again. */
#ifndef IOB_FOUND_H
#define IOB_FOUND_H

#include "support/device.h"
#include "support/seeds.h"
#include "support/test.h"
#include "support/work.h"
#include <iobench/iobench.h>
#include <stdbool.h>

/* Runs until the result has all codes of `with` and none of `without`, lists with
 * blanks; NULL: none. Fails the test when no try is so. The result is the caller's. */
typedef struct iob_result *(*found_run)(const void *arg);
struct iob_result *found_until(found_run run, const void *arg, const char *with,
			       const char *without);

/* The same of plain runs, whose result is not needed. */
struct found_plain {
	const char *parameters, *path;
};
struct iob_result *found_plain(const void *arg);
void found_on(const char *path, const char *parameters, const char *with, const char *without);

/* A loop device of 128 MiB with data that is none of zeros; before the tests fork.
 * 0 or -errno. */
int found_disk(struct dev *out);

/* A number of the evidence of a finding that the result has. */
double found_number(const struct iob_result *r, const char *code, const char *name);

/* In a mount namespace of its own, something else lies at a path, as of a machine
 * that is not this one, until found_uncover(). */
void found_cover(const char *path, const char *with);
void found_uncover(const char *path);

#endif
