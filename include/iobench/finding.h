/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_FINDING_H
#define IOBENCH_FINDING_H

#include <iobench/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much of a result a finding costs. No value is ever renumbered or reused. */
enum iob_severity {
	IOB_SEVERITY_NOTE = 0,    /* to be known when the numbers are read */
	IOB_SEVERITY_WARNING = 1, /* the numbers may not be what they seem */
	IOB_SEVERITY_INVALID = 2  /* they are not of what was to be measured */
};

/* A number that a finding rests on. */
struct iob_evidence {
	const char *name; /* "asked", "reached" */
	double value;     /* times in ns, sizes in bytes, shares from 0 to 1 */
};

/* What cannot be believed of a result, and why. Made by rules when a result is
 * closed or read; docs/findings.md has them all. */
struct iob_finding {
	uint32_t size; /* of this struct */
	enum iob_severity severity;
	const char *code;            /* "depth-not-reached" */
	const char *message;         /* one sentence, with its numbers */
	const struct iob_result *of; /* the suite, stage or workload that it is about */
	const struct iob_evidence *evidence;
	size_t n_evidence;
};

/* A rule that could not be applied to what a recorded result holds. */
struct iob_unchecked {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	const char *code;
	const char *reason; /* "the recording has no run time" */
	size_t workloads;   /* for how many of those below it holds */
};

/* One rule: a kind of finding. */
struct iob_finding_info {
	uint32_t size; /* of this struct */
	enum iob_severity severity;
	const char *code;
	const char *family;  /* what it is about: "depth", "caches", "device" */
	const char *rule;    /* when it is raised, with its thresholds */
	const char *advice;  /* what to do about it */
	const char *example; /* a message of one */
};

/* How many findings there are of a node and all below it. */
IOB_API size_t iob_result_finding_count(const struct iob_result *r);

/* Finding i, in the order of the tree; NULL past the end. */
IOB_API const struct iob_finding *iob_result_finding(const struct iob_result *r, size_t i);

/* How many rules could not be applied to a recorded result, by reason. */
IOB_API size_t iob_result_unchecked_count(const struct iob_result *r);

/* The i-th of them; NULL past the end. */
IOB_API const struct iob_unchecked *iob_result_unchecked(const struct iob_result *r, size_t i);

/* The i-th kind of finding there is; NULL past the end. Static. */
IOB_API const struct iob_finding_info *iob_finding_info(size_t i);

/* "note", "warning", "invalid"; NULL for another value. Static. */
IOB_API const char *iob_severity_name(enum iob_severity severity);

/*
 * Judges a whole result (its root) anew with what is declared of the set-up it
 * was measured in: "link_limit" ("3.2GB/s", what the way to the storage can
 * carry), "round_trip" ("30us", the least time of a request), "claim"
 * ("direct": that no cache was used). Findings got before are no longer valid,
 * and no other thread may look at the result meanwhile. ENOENT: none of these
 * names; EINVAL, ERANGE: no such value, or not the root.
 */
IOB_API int iob_result_declare(struct iob_result *r, const char *name, const char *text,
			       struct iob_error *err);

#ifdef __cplusplus
}
#endif
#endif
