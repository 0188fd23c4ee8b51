/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_SUITE_H
#define IOBENCH_SUITE_H

#include <iobench/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A suite is a list of stages that run one after another; the workloads of one
 * stage run side by side. It holds copies of the workloads it is given. One
 * suite belongs to one thread at a time; a const one can be shared.
 */
struct iob_suite;

/* One dimension of a matrix: a parameter, and its values separated by commas
 * ("8k,16k,1m"), or by semicolons where there is one ("4k:60,64k:40;8k"). */
struct iob_axis {
	const char *param;
	const char *values;
};

/* An empty suite. Fails with ENOMEM. */
IOB_API struct iob_suite *iob_suite_new(struct iob_error *err);

/* Frees a suite; NULL is allowed. Runs and results made from it live on. */
IOB_API void iob_suite_free(struct iob_suite *s);

/* Adds a copy of a workload beside the others of the last stage (the first
 * stage is made when it is needed). */
IOB_API int iob_suite_add(struct iob_suite *s, const struct iob_workload *w, struct iob_error *err);

/* What is added next starts a new stage. `name` may be NULL: it is then made
 * up. A stage to which nothing is added does not exist. */
IOB_API int iob_suite_next_stage(struct iob_suite *s, const char *name, struct iob_error *err);

/* Adds one stage for each combination of the axes' values, each a copy of
 * `base` with those values; the first axis varies slowest. A stage is named
 * after its values, "block_size=8k workers=16", behind the name that was last
 * given to iob_suite_next_stage, if any ("disk: block_size=8k"). What is added
 * next starts a new stage. On failure the suite is as it was. ERANGE: more than
 * 1,000,000 stages. */
IOB_API int iob_suite_add_matrix(struct iob_suite *s, const struct iob_workload *base,
				 const struct iob_axis *axes, size_t n, struct iob_error *err);

/* How many stages there are. */
IOB_API size_t iob_suite_stage_count(const struct iob_suite *s);

/* The name of a stage; NULL past the end. Belongs to the suite. */
IOB_API const char *iob_suite_stage_name(const struct iob_suite *s, size_t stage);

/* How many workloads a stage has; 0 past the end. */
IOB_API size_t iob_suite_workload_count(const struct iob_suite *s, size_t stage);

/* The i-th workload of a stage; NULL past the end. Belongs to the suite. */
IOB_API const struct iob_workload *iob_suite_workload(const struct iob_suite *s, size_t stage,
						      size_t i);

/* Where a suite is run in rounds (<iobench/steady.h>), what is added next is the
 * first stage of a round; the stages so far run once, before the rounds. Without
 * this every stage is of the round. EINVAL: it was called before. */
IOB_API int iob_suite_begin_rounds(struct iob_suite *s, struct iob_error *err);

/* How many stages run once, before the rounds. */
IOB_API size_t iob_suite_once_count(const struct iob_suite *s);

/* In rounds, steadiness is asked of this stage. Where it is asked of none, it is
 * of all that are of the round. EINVAL: there is no such stage, or it runs once. */
IOB_API int iob_suite_track(struct iob_suite *s, size_t stage, struct iob_error *err);

/* 1 where iob_suite_track was called for the stage, else 0. */
IOB_API int iob_suite_tracked(const struct iob_suite *s, size_t stage);

/* Something that was accepted, and that its author may want to know. */
struct iob_note {
	uint32_t size;    /* of this struct */
	int32_t line;     /* of `file`, from 1; 0: of the command line, or of no text at all */
	const char *file; /* "": where line is 0 */
	const char *text; /* one sentence */
};

/* Adds a note of the caller's own, as "purge: nvme format -s1"; the same one
 * twice is one. Where the suite is run in rounds the result has it. */
IOB_API int iob_suite_add_note(struct iob_suite *s, const char *text, struct iob_error *err);

/* How many notes a suite has: what a reader of files noted, and the caller's own. */
IOB_API size_t iob_suite_note_count(const struct iob_suite *s);

/* The i-th note; NULL past the end. Belongs to the suite. */
IOB_API const struct iob_note *iob_suite_note(const struct iob_suite *s, size_t i);

#ifdef __cplusplus
}
#endif
#endif
