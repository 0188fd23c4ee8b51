/* SPDX-License-Identifier: MIT */
#ifndef IOBI_WORKLOAD_PRIV_H
#define IOBI_WORKLOAD_PRIV_H

#include "base/base.h"
#include <iobench/workload.h>
#include <stdbool.h>

enum { IOBI_PARAMS = 27, IOBI_MIX_MAX = 16 };
enum iobi_pattern { IOBI_PATTERN_RANDOM, IOBI_PATTERN_SEQUENTIAL };
enum iobi_sync { IOBI_SYNC_NONE, IOBI_SYNC_DATA, IOBI_SYNC_ALL };
enum iobi_on_error { IOBI_ON_ERROR_STOP, IOBI_ON_ERROR_CONTINUE };

/* Block sizes and their shares; one part of 100 % where there is no mix. */
struct iobi_mix {
	unsigned n;
	struct {
		uint32_t size;
		uint32_t percent;
	} part[IOBI_MIX_MAX];
};

struct iobi_workload_target {
	char *path;
	unsigned flags;
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
/* "50,99,99.9" -> up to 64 percents. */
enum { IOBI_PERCENTILES_MAX = 64 };
int iobi_parse_percentiles(const char *text, double *out, size_t *n, struct iob_error *err);
/* "0-3,8": calls fn for each; only the text is judged, not whether the CPUs exist. */
int iobi_parse_cpus(const char *text, int (*fn)(void *user, unsigned cpu), void *user,
		    struct iob_error *err);

#endif
