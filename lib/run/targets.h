/* SPDX-License-Identifier: MIT */
/* The distinct targets of a run: looked at once, claimed once, shared by its plans. */
#ifndef IOBI_TARGETS_H
#define IOBI_TARGETS_H

#include "target/target.h"
#include "workload/workload_priv.h"
#include <iobench/engine.h>

struct iobi_known_target {
	struct iobi_target t;
	uint64_t create_size; /* of a missing file: the most that a plan wants */
	enum iobi_layout layout; /* the most thorough that a plan wants */
	bool remove;             /* a plan wants it removed at the end, if it is made */
	bool made;               /* by this run */
	bool guarded;         /* permission to write was checked */
	bool written;         /* some plan writes to it */
	int claim;            /* descriptor that claims it, or -1 */
};

struct iobi_targets {
	struct iobi_known_target **list;
	size_t n;
	/* Engines that were probed with success. */
	const struct iob_engine_ops *probed[8];
	unsigned n_probed;
};

/* Looks a path up, or looks at it and keeps it. */
int iobi_targets_know(struct iobi_targets *all, const char *path, unsigned flags,
		      struct iobi_known_target **out, struct iob_error *err);

/* Claims every device that will be written (O_EXCL), once. */
int iobi_targets_claim(struct iobi_targets *all, struct iob_error *err);

/* Whether some file is missing and will be made. */
bool iobi_targets_missing(const struct iobi_targets *all);

/* How a missing file is to be made: under whatever flags, a path is one file, of
 * the largest and most thorough that is wanted so far. */
struct iobi_making iobi_targets_making(const struct iobi_targets *all, const char *path);

/* The bytes of all missing files that will be filled, or of those on the file
 * system of `beside` alone; and whether there is room for them together. */
uint64_t iobi_targets_to_make(const struct iobi_targets *all, const struct iobi_target *beside);
int iobi_targets_room(const struct iobi_targets *all, struct iob_error *err);

/* Makes the missing files, all or none; go_on as for iobi_target_create. */
int iobi_targets_create(struct iobi_targets *all, int (*go_on)(void *, uint64_t done), void *user,
			struct iob_error *err);

/* Removes the files that were made and are not to stay. */
void iobi_targets_remove(struct iobi_targets *all);

/* Gives up the claims and forgets all. */
void iobi_targets_free(struct iobi_targets *all);

#endif
