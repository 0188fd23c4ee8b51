/* SPDX-License-Identifier: MIT */
#ifndef IOBI_RESULT_PRIV_H
#define IOBI_RESULT_PRIV_H

#include "base/base.h"
#include "measure/hist_priv.h"
#include "result/machine.h"
#include "result/recorded.h"
#include "result/search.h"
#include "result/usage.h"
#include <iobench/device.h>
#include <iobench/finding.h>
#include <iobench/result.h>

enum {
	IOBI_RESULT_OPS = 5,
	IOBI_RESULT_LATENCIES = 3,
	IOBI_RESULT_COUNTS = 4
};

/* Names and values, in the order they were set. */
struct iobi_pairs {
	struct iobi_pair {
		char *name, *value;
	} * pair;
	size_t n;
};
int iobi_pairs_set(struct iobi_pairs *p, const char *name, const char *value);
const char *iobi_pairs_get(const struct iobi_pairs *p, const char *name);
void iobi_pairs_clear(struct iobi_pairs *p);

struct iobi_op_result {
	uint64_t count[IOBI_RESULT_COUNTS];
	struct iob_hist *latency[IOBI_RESULT_LATENCIES]; /* never NULL once closed */
};

/* What a device did; its series. */
struct iobi_device {
	struct iob_device_use use;
	char **below; /* names, use.n_below of them; use.below follows from them */
	struct iob_device_interval *interval;
	size_t n_intervals;
};

/* findings/: what a node's rules found, and what all below it did. */
struct iobi_findings {
	struct iob_finding **list; /* its own */
	size_t n;
	const struct iob_finding **all;
	size_t n_all;
	struct iob_unchecked *unchecked;
	size_t n_unchecked;
};

struct iobi_rounds; /* rounds.h */

struct iob_result {
	enum iob_level level;
	unsigned flags;
	char *name;
	uint64_t started_ns, elapsed_ns, unfinished;
	struct iob_result *parent; /* NULL: the root */
	struct iob_result **child;
	size_t n_child;
	struct iobi_op_result op[IOBI_RESULT_OPS];
	struct iobi_pairs params, effective; /* of a workload */
	struct iobi_pairs host;  /* of the root: kernel, cpu, cores, memory, clocksource, version */
	struct iob_error *error; /* NULL: none */
	struct iob_pace *pace; /* NULL: no open loop here or below */
	struct iob_target_use *targets; /* paths are owned */
	size_t n_targets;
	struct iobi_device *device; /* a worker has none of its own */
	size_t n_devices;
	struct iob_interval *interval[IOBI_RESULT_OPS];
	size_t n_intervals;
	struct iobi_machine machine;     /* of a workload: what was seen while it ran */
	struct iobi_usage usage;         /* sums up; all 0: not known */
	struct iobi_recorded *recorded;  /* of a workload that another program ran; else NULL */
	struct iobi_search_log *search;  /* of a suite that a search ran; else NULL */
	struct iobi_findings findings;
	struct iobi_rounds *rounds; /* of a suite that was run in rounds; else NULL */
};

/*
 * Building a tree, from the leaves. A worker node gets its count[] and
 * latency[] for READ..SYNC set directly (histograms are adopted; NULL means
 * empty). Then close it, adopt it into its workload, set that one's own fields
 * (params, targets, elapsed, series ...) and close that one, and so on up.
 */
struct iob_result *iobi_result_new(enum iob_level level, const char *name);
int iobi_result_adopt(struct iob_result *parent,
		      struct iob_result *child); /* frees child on failure */

/* Fills what follows from the children: counts, histograms, flags, unfinished,
 * the first error by time order of children, targets (joined by path); at stage level the
 * longest window, at suite level the sum of windows and the series of the
 * stages one after another; IOB_OP_ALL = READ + WRITE + TRIM; missing
 * histograms become empty ones (precision: the coarsest below, else 8). Keeps
 * what a node was given itself: error, elapsed of a workload, interval[]. */
int iobi_result_close(struct iob_result *r);

/* Adds the counts and, where r has none yet, the histograms of READ..SYNC of
 * the parts. -EOVERFLOW where a sum passes 2^64 - 1. */
int iobi_result_sum(struct iob_result *r, const struct iob_result *const *part, size_t n);

/* Adds what one target got to the entry of that path in r->targets. */
int iobi_result_add_target(struct iob_result *r, const struct iob_target_use *use);

/* The same for all of another node's. */
int iobi_result_add_targets(struct iob_result *r, const struct iob_result *from);

/* devices.c. A device as it is given, the counts of READ to SYNC, flags, times
 * and issued I/O; the rest of the public struct follows when the node is
 * closed. Texts, names and intervals are copied. */
int iobi_devices_add(struct iob_result *r, const struct iobi_device *d);
void iobi_devices_free(struct iob_result *r);

/* How the counters of one device in a part go into those that r has. */
enum iobi_join {
	IOBI_JOIN_SAME,     /* the same reading: workloads of a stage */
	IOBI_JOIN_AFTER,    /* a later one: stages of a suite */
	IOBI_JOIN_PARALLEL, /* another one of the same time: parts of a merge */
};
int iobi_devices_join(struct iob_result *r, const struct iob_result *part, enum iobi_join how,
		      uint64_t shift_ns);

/* What follows from the counts. */
int iobi_devices_derive(struct iob_result *r);

/* Whether the counts of an op, and its times, are to be had of a layer; IOB_OP_ALL: of
 * the layer as a whole. */
int iobi_device_counts(const struct iob_device_use *u, int op);
int iobi_device_times(const struct iob_device_use *u, int op);

/* findings/findings.c. Judges a closed node and lists what those below it have;
 * part of closing. */
int iobi_findings_close(struct iob_result *r);
void iobi_findings_free(struct iob_result *r);

/* Adds a finding, or puts it in the place of the one with its code; copied. */
int iobi_findings_put(struct iob_result *r, const struct iob_finding *finding);

/* Takes a finding out of a closed node: one above it says it for all. */
int iobi_findings_drop(struct iob_result *r, const char *code);

/* Takes over what another node found: all of it where r is a copy of that one
 * alone, else what rests on more than counts. */
int iobi_findings_keep(struct iob_result *r, const struct iob_result *from, bool alone);

/* intervals.c: the series of r and of a part that ran beside it, in one. The
 * coarser of the two gives the grid; an interval of the other goes where its
 * middle lies, past the end it is appended. */
int iobi_intervals_join(struct iob_result *r, const struct iob_result *part);

/* The series of the children, which ran one after another. */
int iobi_intervals_chain(struct iob_result *r);

/* Completes interval[]: an op that was given none did no I/O, and
 * IOB_OP_ALL = READ + WRITE + TRIM. */
int iobi_intervals_complete(struct iob_result *r);

/* pace.c: adds one schedule to another; -ENOMEM. `from` may be NULL. */
int iobi_pace_join(struct iob_result *r, const struct iob_pace *from);

#endif
