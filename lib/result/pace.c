/* SPDX-License-Identifier: MIT */
/* How schedules were kept, summed up. */
#include "result/result_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static double lags(const struct iob_pace *p)
{
	return p->starts ? p->mean_lag_ns * (double)p->starts : 0;
}

int iobi_pace_join(struct iob_result *r, const struct iob_pace *from)
{
	if (!from)
		return 0;
	if (!r->pace)
		r->pace = calloc(1, sizeof(*r->pace));
	if (!r->pace)
		return -ENOMEM;
	struct iob_pace *p = r->pace;
	double sum = lags(p) + lags(from);
	p->asked_iops += from->asked_iops;
	p->size = sizeof(*p);
	p->starts += from->starts;
	p->late += from->late;
	p->dropped += from->dropped;
	p->unissued += from->unissued;
	if (from->worst_lag_ns > p->worst_lag_ns)
		p->worst_lag_ns = from->worst_lag_ns;
	p->mean_lag_ns = p->starts ? sum / (double)p->starts : (double)NAN;
	return 0;
}

const struct iob_pace *iob_result_pace(const struct iob_result *r)
{
	return r ? r->pace : NULL;
}
