/* SPDX-License-Identifier: MIT */
/*
 * A workload made definite: its engine, its targets as they are, regions in
 * slots, seed drawn. Making a plan checks everything that can be checked
 * without writing; a plan is constant while it runs.
 */
#ifndef IOBI_PLAN_H
#define IOBI_PLAN_H

#include "engine/engines.h"
#include "run/buffer.h"
#include "run/mix.h"
#include "run/offsets.h"
#include "run/pace.h"
#include "run/targets.h"
#include "workload/workload_priv.h"

struct iobi_plan_target {
	struct iobi_known_target *known; /* NULL: an engine without targets */
	uint64_t base, slots;
	uint64_t bytes; /* of the region, in whole blocks */
};

struct iobi_plan {
	const struct iob_workload *w; /* not owned */
	const struct iob_engine_ops *ops;
	void *user;
	uint32_t caps_wanted;
	uint32_t workers, depth; /* as they run */
	uint32_t slot;           /* the largest block size */
	bool uniform;            /* one block size for all */
	bool reads, writes, trims, direct, poll, stop_on_error, cancel_on_error;
	bool simple; /* one target, one block size, one op, nothing between */
	bool strides;    /* gaps, backward, runs: iobi_offsets_stride */
	bool visits;     /* targets are not simply taken in turn */
	bool drops;      /* the cache is dropped before each further pass */
	bool counts_ios; /* quotas are I/Os, not bytes */
	bool trim_first; /* of each block that is written */
	bool make_only;  /* no I/O at all */
	bool fsync_data, end_sync, close_sync, invalidate, pre_read, cpus_any;
	enum iobi_target_order target_order;
	enum iobi_ends_others ends_others;
	uint32_t target_run;
	uint32_t place; /* bytes from one random place to the next: slot, or align */
	struct iobi_distribution distribution;
	enum iobi_sync sync;
	enum iobi_order order;
	struct iobi_choice choice;
	struct iobi_plan_target *target;
	uint32_t n_targets;
	uint64_t seed;
	uint64_t fsync_every;
	uint64_t io_size;        /* bytes, passes included; 0: no limit */
	uint64_t ios;            /* 0: no limit */
	uint64_t runtime_ns, ramp_ns, delay_ns;
	struct iobi_shape shape; /* of random data */
	struct iobi_pace pace;
	int precision;
	enum iobi_fill fill;
	uint8_t pattern[64];
	size_t pattern_len;
	unsigned *cpu; /* to pin workers to, in turn */
	unsigned n_cpus;
};

int iobi_plan_init(struct iobi_plan *p, const struct iob_workload *w, struct iobi_targets *all,
		   struct iob_error *err);
void iobi_plan_free(struct iobi_plan *p);

/* plan_pace.c: arrival, rates and think time; after the ops are known, which
 * rates of writes change. */
int iobi_plan_pace(struct iobi_plan *p, struct iob_error *err);

/* The mean gaps between starts; once the mix is known. */
void iobi_plan_gaps(struct iobi_plan *p);

/* regions.c: looks at the targets and checks all that can be. */
int iobi_plan_targets(struct iobi_plan *p, struct iobi_targets *all, struct iob_error *err);

/* Flags for open(2) of the targets. */
int iobi_plan_open_flags(const struct iobi_plan *p);

/* What a worker is to issue: I/Os of a uniform plan, else bytes (its last I/O may
 * pass them); UINT64_MAX: no limit. */
uint64_t iobi_plan_quota(const struct iobi_plan *p, uint32_t worker);

/* Bytes that the buffers of all its workers take. */
uint64_t iobi_plan_memory(const struct iobi_plan *p);

/* Delay, ramp and runtime; 0 where it ends by io_size or ios alone. */
static inline uint64_t iobi_plan_length(const struct iobi_plan *p)
{
	return p->runtime_ns ? p->delay_ns + p->ramp_ns + p->runtime_ns : 0;
}

static inline int64_t iobi_param(const struct iob_workload *w, enum iob_param p)
{
	return w->num[p];
}

#endif
