/* SPDX-License-Identifier: MIT */
/* Looking into the JSON report of a result. */
#ifndef IOB_TREE_JSON_H
#define IOB_TREE_JSON_H

#include "support/tree.h"
#include <jansson.h>

static inline json_t *parsed(const struct iob_result *r)
{
	char *s = tree_report(r, "json");
	json_error_t e;
	json_t *v = json_loads(s, JSON_REJECT_DUPLICATES, &e);
	ck_assert_msg(v != NULL, "line %d: %s", e.line, e.text);
	free(s);
	return v;
}

/* A member by "stages.0.workloads.0.read.ios"; it must be there. */
static inline json_t *at(json_t *v, const char *path)
{
	char key[64];
	while (*path) {
		size_t n = strcspn(path, ".");
		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		v = json_is_array(v) ? json_array_get(v, strtoul(key, NULL, 10))
				     : json_object_get(v, key);
		ck_assert_msg(v != NULL, "%s is missing", key);
		path += n + (path[n] == '.');
	}
	return v;
}

#endif
