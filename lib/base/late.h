/* SPDX-License-Identifier: MIT */
/*
 * A shared library that few runs need, loaded when one does: libmount brings
 * three more, 0.9 MiB and a third of the time that a process takes to start.
 */
#ifndef IOBI_LATE_H
#define IOBI_LATE_H

#include <stddef.h>

/* Loads `soname` and puts the addresses of its functions, by name, into fn[];
 * the handle, for dlclose(). NULL: it is not there, or too old. */
void *iobi_late_open(const char *soname, const char *const *name, void *fn, size_t n);

#endif
