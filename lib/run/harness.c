/* SPDX-License-Identifier: MIT */
/* What an I/O costs without I/O: one worker of the same plan on the null engine,
 * for a few milliseconds before the stage. */
#include "run/harness.h"

#include <math.h>

enum {
	MEASURED_NS = 10 * 1000 * 1000,
	MEMORY_MAX = 64 << 20 /* of buffers: filling more takes longer than measuring */
};
#define WORTH_IT_NS UINT64_C(1000000000)

/* What waits, opens or ends is left out; what is done for each I/O is not. */
static struct iobi_plan without_io(const struct iobi_plan *p)
{
	struct iobi_plan null = *p;
	null.ops = &iobi_engine_null;
	null.user = NULL;
	null.caps_wanted = 0;
	null.workers = 1;
	null.n_cpus = 0;
	null.pace = (struct iobi_pace){ 0 };
	null.delay_ns = null.ramp_ns = 0;
	null.runtime_ns = MEASURED_NS;
	null.io_size = null.ios = 0;
	null.pre_read = null.invalidate = null.drops = null.end_sync = null.close_sync = null.poll = false;
	return null;
}

static double cost_of(struct iobi_worker *w)
{
	uint64_t ios = 0, start = iobi_now(iobi_clock());
	w->start_ns = start;
	w->deadline_ns = start + MEASURED_NS;
	iobi_worker_loop(w);
	for (int op = IOB_OP_READ; op < IOBI_METERS; op++)
		ios += IOBI_LOAD(&w->meter[op].ios);
	return ios ? (double)(iobi_now(iobi_clock()) - start) / (double)ios : NAN;
}

double iobi_harness_ns(const struct iobi_plan *p)
{
	struct iobi_plan null = without_io(p);
	_Atomic bool stop = false;
	struct iobi_worker w;
	double ns = NAN;
	if (iobi_plan_length(p) < WORTH_IT_NS || (uint64_t)p->depth * p->slot > MEMORY_MAX ||
	    iobi_worker_init(&w, &null, 0, &stop))
		return NAN;
	if (iobi_worker_open(&w, NULL) >= 0)
		ns = cost_of(&w);
	iobi_worker_close(&w);
	iobi_worker_free(&w);
	return ns;
}
