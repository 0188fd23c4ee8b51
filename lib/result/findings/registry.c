/* SPDX-License-Identifier: MIT */
#include "result/findings/judge.h"
#include <string.h>

/* In the order in which they are applied: what explains a shallow queue comes
 * before the queue. */
static const struct iobi_family *const families[] = {
	&iobi_plan_rules,   &iobi_environment_rules, &iobi_depth_rules,  &iobi_cache_rules,
	&iobi_device_rules, &iobi_latency_rules,     &iobi_steady_rules, &iobi_sampling_rules,
	&iobi_pacing_rules,
};

const struct iobi_rule *iobi_rule(size_t i)
{
	for (size_t f = 0; f < IOBI_LEN(families); f++) {
		if (i < families[f]->n)
			return &families[f]->rule[i];
		i -= families[f]->n;
	}
	return NULL;
}

const struct iobi_rule *iobi_rule_find(const char *code)
{
	const struct iobi_rule *rule;
	for (size_t i = 0; (rule = iobi_rule(i)); i++)
		if (strcmp(rule->info.code, code) == 0)
			return rule;
	return NULL;
}

const struct iob_finding_info *iob_finding_info(size_t i)
{
	const struct iobi_rule *rule = iobi_rule(i);
	return rule ? &rule->info : NULL;
}

const char *iob_severity_name(enum iob_severity severity)
{
	static const char *const names[] = { "note", "warning", "invalid" };
	return (unsigned)severity < IOBI_LEN(names) ? names[severity] : NULL;
}
