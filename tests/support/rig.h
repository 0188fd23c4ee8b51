/* SPDX-License-Identifier: MIT */
/* Drives one engine's table of functions by hand, against a real target: no
 * library in between. A failure fails the check test. */
#ifndef IOB_TEST_RIG_H
#define IOB_TEST_RIG_H

#include <iobench/engine.h>
#include <stdint.h>

enum { RIG_DEPTH = 64 };

/* The thread sanitizer crashes in glibc's aio threads, which start one another
 * where it cannot see it: under it, tests leave posixaio out. */
#if defined(__SANITIZE_THREAD__)
#define RIG_POSIXAIO 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RIG_POSIXAIO 0
#endif
#endif
#ifndef RIG_POSIXAIO
#define RIG_POSIXAIO 1
#endif

struct rig {
	const struct iob_engine_ops *ops;
	void *state;
	struct iob_engine_env env;
	struct iob_engine_target target;
	char features[256];
	struct iob_io io[RIG_DEPTH]; /* io[i] has buffer i */
	char path[256];
};

/* Opens `path` with the O_ flags and fills rig->env for a queue of `depth`, I/Os
 * of up to max_len bytes. The caller may change env before rig_open. */
void rig_init(struct rig *r, const struct iob_engine_ops *ops, const char *path, int flags,
	      uint32_t depth, uint32_t max_len);

/* The engine's open; its value. */
int rig_open(struct rig *r, struct iob_error *err);

/* The same, and it must succeed. */
void rig_start(struct rig *r);

void rig_close(struct rig *r);

/* Sets io[i]. */
struct iob_io *rig_io(struct rig *r, unsigned i, enum iob_op op, uint64_t offset, uint32_t len);

/* Submits io[0..n) and waits until all are done, each given back once. */
void rig_run(struct rig *r, unsigned n);

/* One I/O from buffer 0, to its end; its result. */
int rig_one(struct rig *r, enum iob_op op, uint64_t offset, uint32_t len);

/* The buffer of io[i]. */
unsigned char *rig_buf(struct rig *r, unsigned i);

/* What file byte `at` should be, another for each round. */
static inline unsigned char rig_byte(uint64_t at, unsigned round)
{
	return (unsigned char)((at * UINT64_C(0x9e3779b97f4a7c15) >> 56) + round);
}
void rig_fill(unsigned char *p, uint64_t at, uint32_t len, unsigned round);
void rig_check(const unsigned char *p, uint64_t at, uint32_t len, unsigned round);

/* A new file of that pattern (round 0) in the scratch directory: dev_begin() first. */
const char *rig_file(uint64_t bytes);

/* Milliseconds of CLOCK_MONOTONIC. */
double rig_ms(void);

#endif
