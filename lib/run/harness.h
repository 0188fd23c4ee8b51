/* SPDX-License-Identifier: MIT */
#ifndef IOBI_HARNESS_H
#define IOBI_HARNESS_H

#include "run/worker.h"

/* Time that the library itself takes for an I/O of this shape, in ns; NaN for runs
 * under a second, and where the buffers are large. Under 20 ms. */
double iobi_harness_ns(const struct iobi_plan *p);

#endif
