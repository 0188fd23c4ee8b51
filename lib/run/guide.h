/* SPDX-License-Identifier: MIT */
/*
 * Who says what a run does next, where its suite does not: a search, whose
 * stages follow from what those before them measured. Its functions are called
 * by the leader's thread alone, but for the first `next` and `drop`.
 */
#ifndef IOBI_GUIDE_H
#define IOBI_GUIDE_H

#include <iobench/run.h>
#include <stdbool.h>

struct iobi_stage;

struct iobi_guide {
	void *user;
	/* Before anything else: what the suite's result is to hold from the start; may be
	 * NULL, as all but next and drop. -ENOMEM. */
	int (*begin)(void *user, struct iob_result *suite);
	/* Adds the stages that come next to an empty suite; nothing: the run is over. */
	int (*next)(void *user, struct iob_suite *s, struct iob_error *err);
	/* Looks at the stage that runs, when it wants to (a time of iobi_now, or
	 * UINT64_MAX), and once its workers have ended; -ENOMEM. */
	uint64_t (*due)(const void *user, const struct iobi_stage *s);
	int (*look)(void *user, const struct iobi_stage *s, uint64_t now, bool last);
	/* A stage, the last child of the suite, has ended; called under the lock, the
	 * suite may be written to. -ENOMEM. */
	int (*ended)(void *user, struct iob_result *suite);
	/* How many stages may be yet to plan; an estimate. */
	unsigned (*left)(const void *user);
	void (*drop)(void *user);
};

/* Starts a run that has no suite. Takes the guide's user over, also on failure. */
struct iob_run *iobi_run_guided(const struct iobi_guide *g, struct iob_error *err);

#endif
