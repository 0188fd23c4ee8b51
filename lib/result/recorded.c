/* SPDX-License-Identifier: MIT */
#include "result/recorded.h"
#include <math.h>
#include <stdlib.h>

static const struct iobi_range unknown = { NAN, NAN, NAN };

struct iobi_recorded *iobi_recorded_new(const char *format, unsigned line)
{
	struct iobi_recorded *rec = calloc(1, sizeof(*rec));
	if (!rec)
		return NULL;
	atomic_init(&rec->refs, 1);
	rec->format = format;
	rec->line = line;
	rec->iops = rec->bytes_per_s = unknown;
	for (size_t op = 0; op < IOBI_LEN(rec->op); op++)
		rec->op[op] = (struct iobi_recorded_op){ unknown, NAN, NAN, NAN };
	rec->cpu_share = NAN;
	rec->filed_read = -1;
	return rec;
}

struct iobi_recorded *iobi_recorded_hold(struct iobi_recorded *rec)
{
	if (rec)
		atomic_fetch_add(&rec->refs, 1);
	return rec;
}

void iobi_recorded_drop(struct iobi_recorded *rec)
{
	if (!rec || atomic_fetch_sub(&rec->refs, 1) > 1)
		return;
	free(rec->share);
	free(rec);
}
