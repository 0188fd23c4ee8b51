/* SPDX-License-Identifier: MIT */
/* The interval series of a workload out of its columns in a report. */
#include "result/json_series.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One column of a series into the same field of every interval. */
static int read_column(const struct iobi_at *at, const char *key, struct iob_interval *v, size_t n,
		       size_t field)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, key, JSON_ARRAY, &list);

	if (!rc && json_array_size(list.v) != n)
		rc = iobi_json_bad(&list, "has %zu values, start_ns has %zu",
				   json_array_size(list.v), n);
	for (size_t i = 0; i < n && !rc; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = iobi_json_u64_value(&e, (uint64_t *)((char *)&v[i] + field));
	}
	return rc;
}

static int read_mean(const struct iobi_at *at, struct iob_interval *v)
{
	v->mean_ns = json_is_number(at->v) ? json_number_value(at->v) : NAN;
	if (!json_is_number(at->v) && !json_is_null(at->v))
		return iobi_json_bad(at, "must be a number or null");
	if (v->ios ? !(v->mean_ns >= 0) : !isnan(v->mean_ns))
		return iobi_json_bad(at, v->ios ? "must be a number, 0 or more: there was I/O"
						: "must be null: there was no I/O");
	return 0;
}

/* A mean may be there of an interval in which nothing completed. */
static int read_submit_mean(const struct iobi_at *at, struct iob_interval *v)
{
	if (json_is_null(at->v))
		return 0;
	v->submit_mean_ns = json_is_number(at->v) ? json_number_value(at->v) : -1;
	return v->submit_mean_ns >= 0 ? 0 : iobi_json_bad(at, "must be null, or 0 or more");
}

static int read_means(const struct iobi_at *list, struct iob_interval *v, size_t n,
		      int (*read)(const struct iobi_at *at, struct iob_interval *v))
{
	int rc = 0;
	if (json_array_size(list->v) != n)
		rc = iobi_json_bad(list, "has %zu values, start_ns has %zu",
				   json_array_size(list->v), n);
	for (size_t i = 0; i < n && !rc; i++) {
		struct iobi_at e = iobi_json_element(list, i);
		rc = read(&e, &v[i]);
	}
	return rc;
}

static int read_all_means(const struct iobi_at *at, struct iob_interval *v, size_t n)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, "mean_ns", JSON_ARRAY, &list);
	if (!rc)
		rc = read_means(&list, v, n, read_mean);
	if (!rc)
		rc = iobi_json_want(at, "submit_mean_ns", JSON_ARRAY, &list);
	return rc <= 0 ? rc : read_means(&list, v, n, read_submit_mean);
}

#define FIELD(name) offsetof(struct iob_interval, name)

static int read_intervals(const struct iobi_at *at, struct iob_interval *v, size_t n)
{
	static const struct {
		const char *key;
		size_t field;
	} columns[] = {
		{ "ios", FIELD(ios) },       { "bytes", FIELD(bytes) },
		{ "p50_ns", FIELD(p50_ns) }, { "p99_ns", FIELD(p99_ns) },
		{ "max_ns", FIELD(max_ns) },
	};
	int rc = 0;
	for (size_t c = 0; c < IOBI_LEN(columns) && !rc; c++)
		rc = read_column(at, columns[c].key, v, n, columns[c].field);
	return rc ? rc : read_all_means(at, v, n);
}

static int check_grid(const struct iobi_at *at, const struct iob_interval *v, size_t n)
{
	uint64_t end = 0;
	for (size_t i = 0; i < n; i++) {
		if (v[i].start_ns < end)
			return iobi_json_bad(at,
					     "interval %zu starts before the end of the one "
					     "before it",
					     i);
		if (__builtin_add_overflow(v[i].start_ns, v[i].length_ns, &end))
			return iobi_json_bad(at, "interval %zu ends after 2^64 ns", i);
	}
	return 0;
}

static int read_grid(const struct iobi_at *at, struct iob_interval *v, size_t n)
{
	int rc = read_column(at, "start_ns", v, n, FIELD(start_ns));
	if (!rc)
		rc = read_column(at, "length_ns", v, n, FIELD(length_ns));
	for (size_t i = 0; i < n; i++) {
		v[i].size = sizeof(*v);
		v[i].mean_ns = v[i].submit_mean_ns = NAN;
	}
	return rc ? rc : check_grid(at, v, n);
}

static int read_op_series(const struct iobi_at *at, struct iob_result *r, int op,
			  const struct iob_interval *grid)
{
	struct iobi_at node;
	size_t n = r->n_intervals;
	int rc = iobi_json_want(at, iobi_op_name((unsigned)op), JSON_OBJECT, &node);

	if (rc <= 0)
		return rc;
	r->interval[op] = malloc(n * sizeof(*grid));
	if (!r->interval[op])
		return iobi_no_memory(at->in->err);
	memcpy(r->interval[op], grid, n * sizeof(*grid));
	return read_intervals(&node, r->interval[op], n);
}

static int read_all_series(const struct iobi_at *at, struct iob_result *r)
{
	size_t n = r->n_intervals;
	struct iob_interval *grid = calloc(n, sizeof(*grid));
	int rc = grid ? read_grid(at, grid, n) : iobi_no_memory(at->in->err);

	for (int op = 0; op < IOBI_RESULT_OPS && !rc; op++)
		rc = read_op_series(at, r, op, grid);
	/* Time without I/O is a series too. */
	if (!rc && !r->interval[IOB_OP_SYNC]) {
		r->interval[IOB_OP_SYNC] = grid;
		grid = NULL;
	}
	free(grid);
	return rc;
}

int iobi_json_series_in(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at series, starts;
	int rc = iobi_json_want(at, "series", JSON_OBJECT, &series);

	if (rc > 0)
		rc = iobi_json_want(&series, "start_ns", JSON_ARRAY, &starts);
	if (rc <= 0)
		return rc;
	r->n_intervals = json_array_size(starts.v);
	return r->n_intervals ? read_all_series(&series, r) : 0;
}
