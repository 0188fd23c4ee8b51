/* SPDX-License-Identifier: MIT */
#ifndef IOBI_COMPARE_H
#define IOBI_COMPARE_H

#include "result/result_priv.h"
#include <iobench/compare.h>

struct iob_comparison {
	struct iob_compared *cell; /* names are those of nodes */
	size_t n;
};

/* Under which name a workload is compared. */
const char *iobi_compare_name(const struct iob_result *w);

#endif
