/* SPDX-License-Identifier: MIT */
/*
 * Findings: rules that are pure functions of a closed node, what was seen of
 * the machine, and what a recording held. One file a family; the registry has
 * them all. A rule looks, and either raises its finding with the numbers it
 * rests on, or says why a recording cannot be checked, or stays silent.
 */
#ifndef IOBI_JUDGE_H
#define IOBI_JUDGE_H

#include "result/findings/view.h"
#include "result/result_priv.h"
#include <iobench/finding.h>

struct iobi_judge;

struct iobi_rule {
	struct iob_finding_info info;
	unsigned levels; /* IOBI_AT_*: of what nodes */
	bool of_machine; /* rests on what was seen while it ran: parts keep theirs when merged */
	void (*judge)(struct iobi_judge *j);
};
enum {
	IOBI_AT_SUITE = 1 << IOB_LEVEL_SUITE,
	IOBI_AT_STAGE = 1 << IOB_LEVEL_STAGE,
	IOBI_AT_WORKLOAD = 1 << IOB_LEVEL_WORKLOAD,
};

struct iobi_family {
	const struct iobi_rule *rule;
	size_t n;
};
extern const struct iobi_family iobi_plan_rules, iobi_environment_rules, iobi_depth_rules,
	iobi_cache_rules, iobi_device_rules, iobi_latency_rules, iobi_steady_rules,
	iobi_sampling_rules, iobi_pacing_rules;

/* registry.c: rule i over all families in their order; NULL past the end. */
const struct iobi_rule *iobi_rule(size_t i);
const struct iobi_rule *iobi_rule_find(const char *code);

enum {
	IOBI_EVIDENCE_MAX = 10,
	IOBI_WORDS_MAX = 16
};

struct iobi_judge {
	struct iob_result *r;
	struct iobi_view view; /* of a workload; else all unknown */
	const struct iobi_rule *rule;
	struct iob_evidence evidence[IOBI_EVIDENCE_MAX];
	size_t n_evidence;
	char word[IOBI_WORDS_MAX][64];
	size_t n_words;
	int rc; /* -ENOMEM */
};

/* A number that the finding about to be raised rests on; the name is static. */
void iobi_number(struct iobi_judge *j, const char *name, double value);

/* Raises the rule's finding. Only %s, %u and the like: %f follows the locale. */
void iobi_raise(struct iobi_judge *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Says why a recording cannot be checked; the reason is static. Of a live result
 * nothing is said: what it lacks does not come back. */
void iobi_unchecked(struct iobi_judge *j, const char *reason);

/* Whether the node has that finding already. */
bool iobi_raised(const struct iobi_judge *j, const char *code);

/* Numbers as words, valid until the rule returns. */
const char *iobi_w_number(struct iobi_judge *j, double v);     /* "0.97", "12.3", "2048" */
const char *iobi_w_ns(struct iobi_judge *j, double ns);        /* "148 us" */
const char *iobi_w_bytes(struct iobi_judge *j, double v);      /* "64 KiB" */
const char *iobi_w_rate(struct iobi_judge *j, double v);       /* "3.91 GB/s" */
const char *iobi_w_share(struct iobi_judge *j, double v);      /* "3.1 %" */
const char *iobi_w_percentile(struct iobi_judge *j, double p); /* "p99.9" */

#endif
