/* SPDX-License-Identifier: MIT */
#ifndef IOBI_WORKLOAD_PRIV_H
#define IOBI_WORKLOAD_PRIV_H

#include "base/base.h"
#include <iobench/workload.h>
#include <stdbool.h>

enum { IOBI_PARAMS = 62, IOBI_MIX_MAX = 16 };
enum iobi_pattern { IOBI_PATTERN_RANDOM, IOBI_PATTERN_SEQUENTIAL, IOBI_PATTERN_BACKWARD };
enum iobi_sync { IOBI_SYNC_NONE, IOBI_SYNC_DATA, IOBI_SYNC_ALL };
enum iobi_on_error { IOBI_ON_ERROR_STOP, IOBI_ON_ERROR_CONTINUE, IOBI_ON_ERROR_CANCEL };
enum iobi_arrival { IOBI_ARRIVAL_CLOSED, IOBI_ARRIVAL_FIXED, IOBI_ARRIVAL_POISSON };
enum iobi_target_order { IOBI_TARGETS_TURN, IOBI_TARGETS_RANDOM, IOBI_TARGETS_SEQUENTIAL };
enum iobi_ends_others { IOBI_ENDS_NONE, IOBI_ENDS_STAGE, IOBI_ENDS_RUN };
enum iobi_layout { IOBI_LAYOUT_FILLED, IOBI_LAYOUT_ALLOCATED, IOBI_LAYOUT_SPARSE };
enum iobi_cpus_policy { IOBI_CPUS_EACH, IOBI_CPUS_ANY };

/* Block sizes and their shares; one part of 100 % where there is no mix. */
struct iobi_mix {
	unsigned n;
	uint32_t low; /* > 0: any multiple of it up to part[0].size */
	struct {
		uint32_t size;
		uint32_t percent;
	} part[IOBI_MIX_MAX];
};

struct iobi_workload_target {
	char *path;
	unsigned flags;
	uint32_t hash; /* of the path: a workload may have thousands */
};

struct iob_workload {
	int64_t num[IOBI_PARAMS];     /* INT, SIZE, TIME, BOOL, CHOICE */
	char *text[IOBI_PARAMS];      /* BLOCKS (canonical), TEXT; CHOICE: NULL */
	struct iobi_mix mix[2];       /* block_size, block_size_write (n = 0: as block_size) */
	struct iobi_workload_target *target;
	size_t n_targets;
	const struct iob_engine_ops *ops; /* the caller's own engine, or NULL */
	void *user;
};

/* suite.c: a note on line `line` of `file`; the same one twice is one. -ENOMEM. */
struct iob_suite;
int iobi_suite_add_note(struct iob_suite *s, const char *file, int line, const char *text);

/* params.c */
const struct iob_param_info *iobi_param_find(const char *name, struct iob_error *err);
/* The nearest name among the parameters, or NULL. */
const char *iobi_param_nearest(const char *name);

/* units.c: text <-> base units. where is the parameter that an error names. */
int iobi_parse_size(const char *text, const char *where, int64_t *value, struct iob_error *err);
int iobi_parse_time(const char *text, const char *where, int64_t *ns, struct iob_error *err);
int iobi_parse_rate(const char *text, const char *where, int64_t *value, struct iob_error *err);
int iobi_parse_int(const char *text, const char *where, int64_t *value, struct iob_error *err);
int iobi_parse_bool(const char *text, const char *where, int64_t *value, struct iob_error *err);
int iobi_parse_mix(const char *text, const char *where, struct iobi_mix *mix, struct iob_error *err);
int iobi_format_size(char *buf, size_t n, int64_t value); /* "8k": the shortest exact form */
int iobi_format_time(char *buf, size_t n, int64_t ns);    /* "500ms" */
int iobi_format_rate(char *buf, size_t n, int64_t value); /* "3200MB/s" */
int iobi_format_mix(char *buf, size_t n, const struct iobi_mix *mix);

/* buffer.c of run/ and the checks share this reading of `buffer`. */
enum iobi_fill { IOBI_FILL_RANDOM, IOBI_FILL_ZERO, IOBI_FILL_PATTERN };
int iobi_parse_fill(const char *text, enum iobi_fill *fill, uint8_t pattern[64], size_t *len,
		    struct iob_error *err);
/* "500us", or "exp:1ms" for an exponential one of that mean. */
int iobi_parse_think_time(const char *text, int64_t *ns, bool *exponential, struct iob_error *err);
/* `distribution`, read. */
enum { IOBI_ZONES_MAX = 64 };
enum iobi_distribution_kind {
	IOBI_DISTRIBUTION_UNIFORM,
	IOBI_DISTRIBUTION_ZIPF,
	IOBI_DISTRIBUTION_PARETO,
	IOBI_DISTRIBUTION_NORMAL,
	IOBI_DISTRIBUTION_ZONED,
	IOBI_DISTRIBUTION_ZONED_ABS
};
struct iobi_distribution {
	enum iobi_distribution_kind kind;
	double value; /* theta, h, deviation in % */
	unsigned n;
	struct {
		uint32_t access; /* % of the I/Os */
		uint64_t size;   /* % of the region; ZONED_ABS: bytes */
	} zone[IOBI_ZONES_MAX];
};
int iobi_parse_distribution(const char *text, struct iobi_distribution *d, struct iob_error *err);
/* `labels`: "name=value" lines. */
int iobi_parse_labels(const char *text, struct iob_error *err);
/* "50,99,99.9" -> up to 64 percents. */
enum { IOBI_PERCENTILES_MAX = 64 };
int iobi_parse_percentiles(const char *text, double *out, size_t *n, struct iob_error *err);
/* "0-3,8": calls fn for each; only the text is judged, not whether the CPUs exist. */
int iobi_parse_cpus(const char *text, int (*fn)(void *user, unsigned cpu), void *user,
		    struct iob_error *err);

#endif
