/* SPDX-License-Identifier: MIT */
/* Results made by hand, so that what a report must say is known beforehand. */
#ifndef IOB_TREE_H
#define IOB_TREE_H

#include "result/result_priv.h"
#include "support/test.h"
#include <errno.h>
#include <math.h>
#include <iobench/report.h>
#include <string.h>

static inline struct iob_result *tree_node(enum iob_level level, const char *name)
{
	struct iob_result *r = iobi_result_new(level, name);
	ck_assert_ptr_nonnull(r);
	return r;
}

/* n I/Os of `len` bytes that each took `ns`; their submit call a tenth of it. */
static inline void tree_io(struct iob_result *r, enum iob_op op, uint64_t n, uint64_t len,
			   uint64_t ns)
{
	const uint64_t value[IOBI_RESULT_LATENCIES] = { ns / 10, ns, ns };
	r->op[op].count[IOB_COUNT_IOS] += n;
	r->op[op].count[IOB_COUNT_BYTES] += n * len;
	for (int l = 0; l < IOBI_RESULT_LATENCIES; l++) {
		struct iob_hist **h = &r->op[op].latency[l];
		if (!*h)
			*h = iob_hist_new(8, NULL);
		ck_assert_int_eq(iob_hist_record(*h, value[l], n), 0);
	}
}

static inline void tree_close(struct iob_result *r)
{
	ck_assert_int_eq(iobi_result_close(r), 0);
}

static inline void tree_adopt(struct iob_result *parent, struct iob_result *child)
{
	ck_assert_int_eq(iobi_result_adopt(parent, child), 0);
}

static inline void tree_target(struct iob_result *r, const char *path, uint64_t size, uint64_t ios,
			       uint64_t bytes, uint64_t errors)
{
	struct iob_target_use use = {
		.path = path, .target_bytes = size, .ios = ios, .bytes = bytes, .errors = errors
	};
	ck_assert_int_eq(iobi_result_add_target(r, &use), 0);
}

static inline void tree_asked(struct iob_result *w, const char *name, const char *value)
{
	ck_assert_int_eq(iobi_pairs_set(&w->params, name, value), 0);
	ck_assert_int_eq(iobi_pairs_set(&w->effective, name, value), 0);
}

static inline void tree_ran(struct iob_result *w, const char *name, const char *value)
{
	ck_assert_int_eq(iobi_pairs_set(&w->effective, name, value), 0);
}

static inline void tree_error(struct iob_result *r, int code, const char *op, const char *file,
			      uint64_t offset)
{
	r->error = calloc(1, sizeof(*r->error));
	ck_assert_ptr_nonnull(r->error);
	r->error->code = code;
	r->error->offset = offset;
	snprintf(r->error->where, sizeof(r->error->where), "%s", op);
	snprintf(r->error->file, sizeof(r->error->file), "%s", file);
	snprintf(r->error->message, sizeof(r->error->message), "%s of 8192 bytes failed", op);
}

static inline void tree_interval(struct iob_result *r, enum iob_op op, size_t i, uint64_t start,
				 uint64_t length, uint64_t ios, uint64_t bytes, double mean,
				 uint64_t p50, uint64_t p99, uint64_t max)
{
	if (!r->interval[op])
		r->interval[op] = calloc(r->n_intervals, sizeof(struct iob_interval));
	r->interval[op][i] = (struct iob_interval){ .size = sizeof(struct iob_interval),
						    .start_ns = start,
						    .length_ns = length,
						    .ios = ios,
						    .bytes = bytes,
						    .mean_ns = mean,
						    .p50_ns = p50,
						    .p99_ns = p99,
						    .max_ns = max,
						    .submit_mean_ns = ios ? mean / 10 : NAN };
}

/* What a report says; the caller's. */
static inline int tree_gather(void *user, const char *data, size_t len)
{
	iobi_text_add_n(user, data, len);
	return 0;
}

static inline char *tree_report(const struct iob_result *r, const char *format)
{
	struct iobi_text t = { 0 };
	struct iob_error err = { 0 };
	int rc = iob_result_report(r, format, tree_gather, &t, &err);
	ck_assert_msg(rc == 0, "%s: %s", format, err.message);
	ck_assert_ptr_nonnull(t.data);
	ck_assert_uint_eq(strlen(t.data), t.len);
	return t.data;
}

static inline void tree_params(struct iob_result *w, const char *block, const char *workers,
			       const char *depth, const char *pattern, const char *read)
{
	tree_asked(w, "engine", "auto");
	tree_ran(w, "engine", "io_uring");
	tree_ran(w, "engine_kind", "async");
	tree_asked(w, "pattern", pattern);
	tree_asked(w, "block_size", block);
	tree_asked(w, "read_percent", read);
	tree_asked(w, "workers", workers);
	tree_asked(w, "queue_depth", depth);
	tree_asked(w, "runtime", "2s");
	tree_asked(w, "direct", "true");
	tree_asked(w, "sync", "none");
	tree_asked(w, "percentiles", "50,90,99,99.9");
}

/* 2 s, 2 workers, 80 % reads of 8k: 12,000 reads and 3,000 writes. */
static inline struct iob_result *tree_mixed_workload(void)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, "workload 1");
	for (int i = 0; i < 2; i++) {
		struct iob_result *k = tree_node(IOB_LEVEL_WORKER, i ? "worker 2" : "worker 1");
		k->elapsed_ns = 2000000000;
		tree_io(k, IOB_OP_READ, 5990, 8192, 100000);
		tree_io(k, IOB_OP_READ, 10, 8192, 5000000);
		tree_io(k, IOB_OP_WRITE, 1500, 8192, i ? 400000 : 200000);
		tree_close(k);
		tree_adopt(w, k);
	}
	tree_params(w, "8k", "2", "1", "random", "80");
	w->started_ns = UINT64_C(1785542400123456789);
	w->elapsed_ns = 2000000000;
	tree_target(w, "/dev/loop7", 268435456, 15000, 122880000, 0);
	w->n_intervals = 2;
	for (size_t i = 0; i < 2; i++) {
		tree_interval(w, IOB_OP_READ, i, i * 1000000000, 1000000000, 6000, 49152000,
			      108166.5, 100351, 100351, 5000000);
		tree_interval(w, IOB_OP_WRITE, i, i * 1000000000, 1000000000, 1500, 12288000,
			      300000, 200703, 400000, 400000);
		tree_interval(w, IOB_OP_ALL, i, i * 1000000000, 1000000000, 7500, 61440000,
			      146533.2, 100351, 400000, 5000000);
	}
	tree_close(w);
	return w;
}

/* 1 s of 1m reads that fail now and then on a synchronous engine. */
static inline struct iob_result *tree_failing_workload(const char *name)
{
	struct iob_result *w = tree_node(IOB_LEVEL_WORKLOAD, name);
	struct iob_result *k = tree_node(IOB_LEVEL_WORKER, "worker 1");
	k->elapsed_ns = 1000000000;
	tree_io(k, IOB_OP_READ, 40, 1048576, 24000000);
	k->op[IOB_OP_READ].count[IOB_COUNT_ERRORS] = 3;
	k->op[IOB_OP_READ].count[IOB_COUNT_SHORT] = 1;
	tree_error(k, EIO, "read", "/tmp/a \"file\"", 1048576);
	tree_close(k);
	tree_adopt(w, k);
	tree_params(w, "1m", "1", "32", "sequential", "100");
	tree_ran(w, "engine", "psync");
	tree_ran(w, "engine_kind", "sync");
	tree_ran(w, "queue_depth", "1");
	w->started_ns = UINT64_C(1785542403000000000);
	w->elapsed_ns = 1000000000;
	tree_target(w, "/tmp/a \"file\"", 1073741824, 40, 41943040, 4);
	tree_close(w);
	return w;
}

static inline void tree_host(struct iob_result *root)
{
	static const char *const facts[][2] = { { "kernel", "Linux 6.18.0 x86_64" },
						{ "cpu", "Some CPU @ 2.0GHz" },
						{ "cores", "2" },
						{ "memory", "8589934592" },
						{ "clocksource", "tsc" },
						{ "version", "0.1.0" } };
	for (size_t i = 0; i < IOBI_LEN(facts); i++)
		ck_assert_int_eq(iobi_pairs_set(&root->host, facts[i][0], facts[i][1]), 0);
}

static inline struct iob_result *tree_stage(const char *name, struct iob_result *a,
					    struct iob_result *b)
{
	struct iob_result *stage = tree_node(IOB_LEVEL_STAGE, name);
	tree_adopt(stage, a);
	if (b)
		tree_adopt(stage, b);
	tree_close(stage);
	return stage;
}

/* Both of the above, one after the other. */
static inline struct iob_result *tree_suite(void)
{
	struct iob_result *root = tree_node(IOB_LEVEL_SUITE, "suite");
	tree_adopt(root, tree_stage("block_size=8k workers=2", tree_mixed_workload(), NULL));
	tree_adopt(root, tree_stage("scan", tree_failing_workload("workload 1"), NULL));
	tree_host(root);
	tree_close(root);
	return root;
}

#endif
