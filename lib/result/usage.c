/* SPDX-License-Identifier: MIT */
#include "result/usage.h"
#include "base/base.h"
#include <errno.h>

#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct iobi_usage, name),                                          \
			sizeof(((struct iobi_usage *)0)->name) / sizeof(uint64_t)                  \
	}

static const struct iobi_usage_field fields[] = {
	FIELD(ran_ns),       FIELD(user_ns), FIELD(system_ns), FIELD(switches), FIELD(major_faults),
	FIELD(minor_faults), FIELD(depth),   FIELD(submit),    FIELD(complete),
};

const struct iobi_usage_field *iobi_usage_field(size_t i)
{
	return i < IOBI_LEN(fields) ? &fields[i] : NULL;
}

int iobi_usage_add(struct iobi_usage *to, const struct iobi_usage *more)
{
	struct iobi_usage from = *more;
	for (size_t i = 0; i < IOBI_LEN(fields); i++)
		for (size_t k = 0; k < fields[i].n; k++) {
			uint64_t *sum = &iobi_usage_at(to, &fields[i])[k];
			if (__builtin_add_overflow(*sum, iobi_usage_at(&from, &fields[i])[k], sum))
				return -EOVERFLOW;
		}
	return 0;
}
