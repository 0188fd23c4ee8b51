/* SPDX-License-Identifier: MIT */
/*
 * What is seen of the machine while a stage runs, for the findings: holes of
 * the files and what of them is in the page cache, CPU time, steal, the clock,
 * what was in flight, whether what was read is anything but zeros. By the
 * leader, around the run and at its ticks; never by a worker.
 */
#ifndef IOBI_SENSES_H
#define IOBI_SENSES_H

#include "result/result_priv.h"
#include <stdint.h>

struct iobi_stage;
struct iobi_senses;

/* Before the workers start. *out stays NULL where there is no memory for it: a
 * result without it is a result. The calls below take NULL, too. */
void iobi_senses_begin(struct iobi_senses **out, struct iobi_stage *s);
void iobi_senses_free(struct iobi_senses *x);

/* Now and then while they run. */
void iobi_senses_tick(struct iobi_senses *x, struct iobi_stage *s);

/* When to look at what was read before the first ticks; UINT64_MAX: no more. */
uint64_t iobi_senses_due(struct iobi_senses *x, uint64_t now);
void iobi_senses_peek(struct iobi_senses *x, const struct iobi_stage *s);

/* All workers are done. */
void iobi_senses_end(struct iobi_senses *x, const struct iobi_stage *s);

/* What was seen so far of workload i, into its node. */
void iobi_senses_result(const struct iobi_senses *x, const struct iobi_stage *s, size_t i,
			struct iob_result *r);

#endif
