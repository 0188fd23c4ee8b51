/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_ENGINE_H
#define IOBENCH_ENGINE_H

#include <iobench/result.h> /* enum iob_op */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For authors of engines: how I/O is issued. The built-in engines use the same
 * table. Every hook but probe and wake runs on the worker's own thread; each
 * worker opens a state of its own. Hooks return >= 0 or -errno and never block
 * longer than the I/O they wait for.
 */

/* One I/O. The library fills it before submit and owns it; the engine sets
 * `result` (and may use `tag` as it likes while the I/O is in flight). */
struct iob_io {
	uint64_t offset; /* in the target, in bytes */
	void *buf;
	uint32_t len;       /* bytes; 0 for IOB_OP_SYNC */
	uint16_t op;        /* enum iob_op */
	uint16_t target;    /* place in env->targets */
	int32_t result;     /* bytes moved, or -errno; SYNC: 0 or -errno */
	uint32_t tag;       /* the engine's own */
	uint32_t buf_index; /* buf lies at env->buffers + buf_index * env->buffer_stride */
	uint32_t flags;     /* 0 */
	uint64_t t_intended, t_submit, t_done; /* the library's clock */
};

/* What an engine can do, and what a workload wants of it. */
enum {
	IOB_ENGINE_SYNC = 1,      /* submit returns when the I/O is done; reap is NULL; depth 1 */
	IOB_ENGINE_NO_TARGET = 2, /* moves no data: needs a size, and no target */
	IOB_ENGINE_TRIM = 4,
	IOB_ENGINE_FSYNC = 8,
	IOB_ENGINE_POLL = 16,
	IOB_ENGINE_BUFFERED_ONLY = 32, /* cannot run with direct=true */
	IOB_ENGINE_FDATASYNC = 64      /* in caps_wanted: IOB_OP_SYNC flushes data only */
};

/* A target, as an engine is given it. */
struct iob_engine_target {
	int fd; /* opened as the workload asks: O_DIRECT, O_DSYNC, ...; -1 without a target */
	const char *path;
	uint64_t size;       /* bytes */
	int is_block_device; /* 0: a regular file */
};

/* What an engine knows when a worker opens it. */
struct iob_engine_env {
	uint32_t size;        /* of this struct */
	uint32_t caps_wanted; /* those of the above that the workload uses */
	void *user;           /* as given to iob_workload_set_engine */
	const struct iob_engine_target *targets;
	uint32_t n_targets;
	uint32_t depth;   /* the most I/Os in flight at once */
	uint32_t max_len; /* the longest I/O, bytes */
	void *buffers;    /* every I/O's buf lies in here; page-aligned */
	size_t buffer_len;
	uint32_t worker;      /* its number, from 0 */
	size_t buffer_stride; /* bytes from one buffer to the next; >= max_len */
	char *features;       /* open may write here which of its features it had */
	size_t features_len;  /* bytes there, NUL included */
	uint32_t sync;        /* 0 none, 1 data (RWF_DSYNC), 2 all (RWF_SYNC): fd has the O_ flag already */
	uint32_t writes;      /* 1: the workload writes, and fd is open for it */
};

/* An engine: its hooks, and what it can do. */
struct iob_engine_ops {
	uint32_t size; /* of this struct */
	uint32_t caps; /* IOB_ENGINE_* */
	const char *name;

	/* Whether it works here at all; any thread. NULL: it does. */
	int (*probe)(struct iob_error *err);

	/* Makes a worker's state. */
	int (*open)(const struct iob_engine_env *env, void **state, struct iob_error *err);

	/* Starts n I/Os, n <= depth - in flight (n = 1 for a SYNC engine). Returns
	 * how many were taken, from the first; fewer when the kernel is full, 0
	 * only while others are in flight; more is EPROTO and ends the worker. An
	 * I/O that fails at once is taken, and says so in `result`. A SYNC engine
	 * has them done on return. */
	int (*submit)(void *state, struct iob_io *const *ios, unsigned n);

	/* Waits until at least `min` I/Os are done or timeout_ns has passed (< 0:
	 * no limit; 0: just look), puts up to `max` of them in done[], returns
	 * how many. A wake ends the wait early, with 0. */
	int (*reap)(void *state, struct iob_io **done, unsigned min, unsigned max,
		    int64_t timeout_ns);

	/* Ends a reap in progress, or the next one. Any thread; may be NULL. */
	int (*wake)(void *state);

	/* Frees the state; nothing is in flight. */
	void (*close)(void *state);
};

/* The built-in engine i, NULL past the end; static. Those that cannot work on
 * this machine are listed too: their probe says why. */
IOB_API const struct iob_engine_ops *iob_engine_get(size_t i);

#ifdef __cplusplus
}
#endif
#endif
