/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_COMPARE_H
#define IOBENCH_COMPARE_H

#include <iobench/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Two results, or two sets of them, cell by cell: each workload of one with the
 * workload of the other that has its name (its stage's, where that has one
 * workload), the first with the first where names come twice; by place where no
 * name is in both, and reports tell both then. Immutable, can be shared by threads. The results must live on.
 */
struct iob_comparison;

/* What is compared. No value of any enum below is ever renumbered or reused. */
enum iob_metric {
	IOB_METRIC_IOPS = 0,      /* of all operations */
	IOB_METRIC_READ_MEAN = 1, /* service times, ns */
	IOB_METRIC_WRITE_MEAN = 2,
	IOB_METRIC_READ_P99 = 3,
	IOB_METRIC_WRITE_P99 = 4
};
enum {
	IOB_METRICS = 5
};

/* Whether the two differ by more than they vary themselves. */
enum iob_difference {
	IOB_DIFFERENCE_UNKNOWN = 0,   /* no interval of the ratio: a series is too short */
	IOB_DIFFERENCE_NOT_SHOWN = 1, /* the interval of the ratio holds 1 */
	IOB_DIFFERENCE_SHOWN = 2
};

/* One metric of a cell. */
struct iob_ratio {
	double a, b;      /* NaN: it did none of it, or it is not known */
	double ratio;     /* b / a; NaN */
	double low, high; /* its 95 % interval, by batch means; NaN: a series has under 5 */
	enum iob_difference difference;
};

/* A workload of one set and that of the other. */
struct iob_compared {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	const char *name;
	const struct iob_result *a, *b; /* NULL: the other set has nothing like it */
	struct iob_ratio metric[IOB_METRICS];
};

/* Compares all workloads at and below the nodes of each set. EINVAL: a set has
 * none, or a NULL; ENOMEM. */
IOB_API struct iob_comparison *iob_compare(const struct iob_result *const *a, size_t n_a,
					   const struct iob_result *const *b, size_t n_b,
					   struct iob_error *err);

/* Frees a comparison; NULL is allowed. */
IOB_API void iob_comparison_free(struct iob_comparison *c);

/* How many cells there are. */
IOB_API size_t iob_comparison_count(const struct iob_comparison *c);

/* Cell i, in the order of the first set, then what only the second has; NULL
 * past the end. */
IOB_API const struct iob_compared *iob_comparison_cell(const struct iob_comparison *c, size_t i);

/* Writes a report of it: "text", "json", "csv" or "markdown". EINVAL: no such format. */
IOB_API int iob_comparison_report(const struct iob_comparison *c, const char *format,
				  iob_write_fn fn, void *user, struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
