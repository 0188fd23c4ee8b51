/* SPDX-License-Identifier: MIT */
/* Workloads in one line: work("engine=psync block_size=8k", path, flags), and what
 * tests ask of results. A failure fails the check test. */
#ifndef IOB_TEST_WORK_H
#define IOB_TEST_WORK_H

#include <iobench/engine.h>
#include <iobench/iobench.h>

/* A workload from "name=value name=value"; path NULL: no target. */
struct iob_workload *work(const char *parameters, const char *path, unsigned flags);

/* The same, run; the workload is freed. */
struct iob_result *work_run(const char *parameters, const char *path, unsigned flags);

/* The built-in engines that move data and work here; NULL past the end. */
const struct iob_engine_ops *work_engine(size_t i);
size_t work_engine_count(void);

/* A number among a result's effective values. */
long long work_effective(const struct iob_result *r, const char *name);

/* A file of `bytes` bytes of value `fill`, synced. */
void work_file(const char *path, size_t bytes, int fill);

/* A whole file or device, read through the page cache; the caller frees it. */
unsigned char *work_read(const char *path, size_t bytes);

/* Prints why and exits with 77. */
void work_skip(const char *what, int error) __attribute__((noreturn));

/* Skips the test where no loop device can be limited to `iops`; dev_begin() is
 * called here. The limit is another process's, and gone after it. */
void work_need_throttle(unsigned iops);

#endif
