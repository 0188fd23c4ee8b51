/* SPDX-License-Identifier: MIT */
/*
 * A histogram that is put by: its buckets with something in them, and nothing
 * else. An interval of a series has a few hundred of them among thousands.
 */
#ifndef IOBI_THIN_H
#define IOBI_THIN_H

#include "measure/hist_priv.h"

struct iobi_thin;

/* NULL: no memory. */
struct iobi_thin *iobi_thin_new(const struct iob_hist *h);
void iobi_thin_free(struct iobi_thin *t);

int iobi_thin_bits(const struct iobi_thin *t);

/* Adds its samples to a histogram as iob_hist_merge does. */
int iobi_thin_add_to(const struct iobi_thin *t, struct iob_hist *into);

#endif
