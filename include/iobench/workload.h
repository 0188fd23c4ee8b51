/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_WORKLOAD_H
#define IOBENCH_WORKLOAD_H

#include <iobench/error.h>
#include <iobench/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A workload says what to do (its parameters) and to what (its targets). It is
 * a plain description: nothing is opened until it is checked or run. A run
 * takes its own copy, so a workload may be changed or freed at any time.
 * One workload belongs to one thread at a time; a const one can be shared.
 */
struct iob_workload;
struct iob_engine_ops; /* <iobench/engine.h> */

/* Parameters. No value is ever renumbered or reused. `iobench params` and
 * docs/parameters.md describe each; both come from iob_param_info(). */
enum iob_param {
	IOB_PARAM_ENGINE = 0,
	IOB_PARAM_PATTERN = 1,
	IOB_PARAM_BLOCK_SIZE = 2,
	IOB_PARAM_BLOCK_SIZE_WRITE = 3,
	IOB_PARAM_READ_PERCENT = 4,
	IOB_PARAM_TRIM_PERCENT = 5,
	IOB_PARAM_QUEUE_DEPTH = 6,
	IOB_PARAM_WORKERS = 7,
	IOB_PARAM_RUNTIME = 8,
	IOB_PARAM_RAMP_TIME = 9,
	IOB_PARAM_SIZE = 10,
	IOB_PARAM_OFFSET = 11,
	IOB_PARAM_IO_SIZE = 12,
	IOB_PARAM_DIRECT = 13,
	IOB_PARAM_SYNC = 14,
	IOB_PARAM_FSYNC_EVERY = 15,
	IOB_PARAM_ON_ERROR = 16,
	IOB_PARAM_POLL = 17,
	IOB_PARAM_SEED = 18,
	IOB_PARAM_REPEATS = 19,
	IOB_PARAM_BUFFER = 20,
	IOB_PARAM_CPUS = 21,
	IOB_PARAM_PRECISION = 22,
	IOB_PARAM_PERCENTILES = 23,
	IOB_PARAM_NAME = 24,
	IOB_PARAM_LINK_LIMIT = 25,
	IOB_PARAM_ROUND_TRIP = 26,
	IOB_PARAM_RUN_LENGTH = 27,
	IOB_PARAM_GAP = 28,
	IOB_PARAM_ALIGN = 29,
	IOB_PARAM_DISTRIBUTION = 30,
	IOB_PARAM_TARGET_ORDER = 31,
	IOB_PARAM_TARGET_RUN = 32,
	IOB_PARAM_START_DELAY = 33,
	IOB_PARAM_PASSES = 34,
	IOB_PARAM_IOS = 35,
	IOB_PARAM_ENDS_OTHERS = 36,
	IOB_PARAM_INVALIDATE = 37,
	IOB_PARAM_PRE_READ = 38,
	IOB_PARAM_END_SYNC = 39,
	IOB_PARAM_CLOSE_SYNC = 40,
	IOB_PARAM_FSYNC_DATA = 41,
	IOB_PARAM_LAYOUT = 42,
	IOB_PARAM_REMOVE = 43,
	IOB_PARAM_CPUS_POLICY = 44,
	IOB_PARAM_COMPRESS_PERCENT = 45,
	IOB_PARAM_COMPRESS_CHUNK = 46,
	IOB_PARAM_DEDUPE_PERCENT = 47,
	IOB_PARAM_LABELS = 48,
	IOB_PARAM_ARRIVAL = 49,
	IOB_PARAM_RATE_IOPS = 50,
	IOB_PARAM_RATE_IOPS_WRITE = 51,
	IOB_PARAM_RATE_BYTES = 52,
	IOB_PARAM_RATE_BYTES_WRITE = 53,
	IOB_PARAM_THINK_TIME = 54,
	IOB_PARAM_CATCH_UP = 55,
	IOB_PARAM_SPIN = 56,
	IOB_PARAM_TRIM_FIRST = 57,
	IOB_PARAM_MAKE_ONLY = 58,
	IOB_PARAM_THINK_IOS = 59,
	IOB_PARAM_THINK_AFTER = 60,
	IOB_PARAM_THINK_SPIN = 61
};

/* What a parameter's value is, and so which of the calls below take it. */
enum iob_param_type {
	IOB_TYPE_INT = 0,    /* a whole number */
	IOB_TYPE_SIZE = 1,   /* bytes */
	IOB_TYPE_TIME = 2,   /* nanoseconds; as text, a bare number is seconds */
	IOB_TYPE_BOOL = 3,   /* 0 or 1; as text true, false, yes, no, on, off, 1, 0 */
	IOB_TYPE_CHOICE = 4, /* one of `choices`; as an integer its place there, from 0 */
	IOB_TYPE_BLOCKS = 5, /* bytes, a mix as "4k:60,64k:40" (percents add up to 100), or "4k-64k" */
	IOB_TYPE_TEXT = 6,   /* text of a form that `help` tells */
	IOB_TYPE_RATE = 7    /* bytes a second; as text "3.2GB/s", "500m" */
};

struct iob_param_info {
	uint32_t size; /* of this struct */
	enum iob_param key;
	const char *name; /* "block_size" */
	enum iob_param_type type;
	const char *unit;         /* "bytes", "ns", "%", "" */
	int64_t min, max;         /* of types with an integer value, in base units */
	const char *default_text; /* "4k" */
	const char *choices;      /* "random|sequential"; NULL for other types */
	const char *help;         /* a sentence or two */
};

/* How many parameters there are. */
IOB_API size_t iob_param_count(void);

/* The i-th parameter, in the order of enum iob_param; NULL past the end. Static. */
IOB_API const struct iob_param_info *iob_param_info(size_t i);

/* The parameter to look at for what an option of fio does ("iodepth": "queue_depth"), for
 * error messages; NULL where it has the same name, or there is none. Static. */
IOB_API const char *iob_param_from_fio(const char *option);

/* A workload with every parameter at its default and no target. Fails with ENOMEM. */
IOB_API struct iob_workload *iob_workload_new(struct iob_error *err);

/* A copy of its own, targets and engine with it. Fails with ENOMEM. */
IOB_API struct iob_workload *iob_workload_copy(const struct iob_workload *w, struct iob_error *err);

/* Frees a workload; NULL is allowed. */
IOB_API void iob_workload_free(struct iob_workload *w);

/*
 * Sets any parameter from text: "block_size", "8k". Units: k m g t (either
 * case) and Ki, KiB.. are powers of 1024, kB MB GB powers of 1000; ns us ms s m
 * h are times, and a rate of bytes may end in /s. EINVAL: text that is no such
 * value; ERANGE: out of bounds; ENOENT: no such parameter (the message offers the
 * nearest name). On failure the workload is as it was.
 */
IOB_API int iob_workload_set(struct iob_workload *w, const char *name, const char *text,
			     struct iob_error *err);

/* Sets a parameter with an integer value, in base units: bytes, ns, %, 0 or 1,
 * the place among the choices. EINVAL where the parameter is text. */
IOB_API int iob_workload_set_int(struct iob_workload *w, enum iob_param p, int64_t value,
				 struct iob_error *err);

/* Sets any parameter from text, by key; as iob_workload_set. */
IOB_API int iob_workload_set_str(struct iob_workload *w, enum iob_param p, const char *value,
				 struct iob_error *err);

/* The integer value, in base units. -EINVAL where the parameter is text, or a
 * mix or range of block sizes. */
IOB_API int iob_workload_get_int(const struct iob_workload *w, enum iob_param p, int64_t *value);

/* The text of a parameter of type CHOICE, BLOCKS or TEXT; NULL for integer
 * parameters. Valid until that parameter is next set. */
IOB_API const char *iob_workload_get_str(const struct iob_workload *w, enum iob_param p);

/* Any parameter as text that iob_workload_set takes back, as snprintf: the
 * length it needs without the NUL, cut to n bytes; text may be NULL where n is
 * 0. -ENOENT: no such name. */
IOB_API int iob_workload_get(const struct iob_workload *w, const char *name, char *text, size_t n);

/* What may be done to a target. Without a flag it is only ever read. */
enum {
	IOB_TARGET_CREATE = 1,             /* a missing file is made: `offset` + `size` bytes, `layout` */
	IOB_TARGET_ALLOW_DESTROY = 2,      /* its data may be overwritten */
	IOB_TARGET_OVERWRITE_SIGNATURE = 4 /* also where a file system or partition table is found */
};

/* Adds a block device or a regular file. The path is taken as it stands and
 * looked at only when the workload is checked or run. */
IOB_API int iob_workload_add_target(struct iob_workload *w, const char *path, unsigned flags,
				    struct iob_error *err);

/* How many targets were added. */
IOB_API size_t iob_workload_target_count(const struct iob_workload *w);

/* The path of target i, and its flags where `flags` is not NULL; NULL past the
 * end. Belongs to the workload. */
IOB_API const char *iob_workload_target(const struct iob_workload *w, size_t i, unsigned *flags);

/* Runs the workload on an engine of the caller's own, <iobench/engine.h>.
 * `ops` and `user` must outlive every run of it. NULL: back to `engine`. */
IOB_API int iob_workload_set_engine(struct iob_workload *w, const struct iob_engine_ops *ops,
				    void *user, struct iob_error *err);

/* Says whether the workload could run here and now: parameters against each
 * other, targets, sizes, alignment, permission to write, the engine. Opens
 * nothing for writing and changes nothing. 0, or -errno and *err. */
IOB_API int iob_workload_check(const struct iob_workload *w, struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
