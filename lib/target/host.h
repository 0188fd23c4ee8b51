/* SPDX-License-Identifier: MIT */
/* The machine a result was measured on. */
#ifndef IOBI_HOST_H
#define IOBI_HOST_H

#include "base/base.h"
#include <stdint.h>

/* Calls fn with "kernel", "cpu", "cores", "memory" (bytes), "clocksource"; a
 * fact that cannot be had is left out. Stops when fn returns other than 0. */
int iobi_host_facts(int (*fn)(void *user, const char *name, const char *value), void *user);

/* Bytes of memory that can be had without swapping; UINT64_MAX: not told. */
uint64_t iobi_host_memory(void);

#endif
