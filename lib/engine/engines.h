/* SPDX-License-Identifier: MIT */
#ifndef IOBI_ENGINES_H
#define IOBI_ENGINES_H

#include "base/base.h"
#include <iobench/engine.h>

extern const struct iob_engine_ops iobi_engine_null, iobi_engine_psync, iobi_engine_libaio,
	iobi_engine_io_uring, iobi_engine_mmap, iobi_engine_posixaio;

/* By name, "auto" not among them; NULL and *err (where = "engine", the names
 * there are, the nearest one) where there is none. */
const struct iob_engine_ops *iobi_engine_find(const char *name, struct iob_error *err);

/* What `engine=auto` means here: the first of io_uring, libaio, psync that has
 * every cap in `caps` and whose probe succeeds. */
const struct iob_engine_ops *iobi_engine_auto(uint32_t caps, struct iob_error *err);

/* The deepest queue an engine takes; UINT32_MAX where it sets no limit. */
uint32_t iobi_engine_max_depth(const struct iob_engine_ops *ops);

/* The largest ring the kernel makes. */
enum { IOBI_URING_MAX_DEPTH = 32768 };

/* 0 where the devices of all targets can be polled; else -EOPNOTSUPP, where = "poll". */
int iobi_engine_check_poll(const struct iob_engine_env *env, struct iob_error *err);

/* The targets' descriptors as an array of the caller's own; NULL: no memory. */
int *iobi_engine_fds(const struct iob_engine_env *env);

/* Appends a word to env->features, separated by a blank. */
void iobi_engine_feature(const struct iob_engine_env *env, const char *word);

#endif
