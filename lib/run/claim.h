/* SPDX-License-Identifier: MIT */
/* What a run takes hold of before it starts: devices claimed, files made. */
#ifndef IOBI_CLAIM_H
#define IOBI_CLAIM_H

#include "run/plan.h"

/* Claims every device that will be written (O_EXCL), once. */
int iobi_targets_claim(struct iobi_targets *all, struct iob_error *err);

/* Whether some file is missing and will be made. */
bool iobi_targets_missing(const struct iobi_targets *all);

/* Makes the missing files; go_on as for iobi_target_create. */
int iobi_targets_create(struct iobi_targets *all, int (*go_on)(void *, uint64_t done), void *user,
			struct iob_error *err);

#endif
