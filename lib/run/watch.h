/* SPDX-License-Identifier: MIT */
/*
 * The devices under a stage's targets, while it runs: their counters at the
 * start and the end of the measured window and per interval, and what the
 * stage's own workloads issued to them. Read by the leader, never by a worker.
 */
#ifndef IOBI_WATCH_H
#define IOBI_WATCH_H

#include "result/result_priv.h"

struct iobi_stage;
struct iobi_watch;

/* *out stays NULL where no target has a device. -ENOMEM. The calls below take
 * NULL, too. */
int iobi_watch_new(struct iobi_watch **out, const struct iobi_stage *s);
void iobi_watch_free(struct iobi_watch *w);

/* When it should begin: at the end of the longest ramp, from when on all that
 * the workloads do is measured; UINT64_MAX once it has. */
uint64_t iobi_watch_due(const struct iobi_watch *w, const struct iobi_stage *s);
void iobi_watch_begin(struct iobi_watch *w, const struct iobi_stage *s);

/* Ends an interval. */
void iobi_watch_tick(struct iobi_watch *w, const struct iobi_stage *s);

/* All workers are done: the last reading, which later ticks and results use. */
void iobi_watch_end(struct iobi_watch *w, const struct iobi_stage *s);

/* The devices below the targets of workload i, up to now, into its node. */
int iobi_watch_result(const struct iobi_watch *w, const struct iobi_stage *s, size_t i,
		      struct iob_result *r);

#endif
