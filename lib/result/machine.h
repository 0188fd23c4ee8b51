/* SPDX-License-Identifier: MIT */
/* What was seen of the machine while a workload ran, for the findings. */
#ifndef IOBI_MACHINE_H
#define IOBI_MACHINE_H

#include <stddef.h>

/* NaN: not known. Shares are from 0 to 1. */
struct iobi_machine {
	double cpu_worker;      /* of a core: the busiest worker */
	double cpu_wait;        /* of the time: how long that one waited for a core */
	double cpu_all;         /* of all cores: all workers of the stage */
	double active;          /* of the window: how long a worker ran, on average */
	double in_flight;       /* mean of what was in flight, looked at now and then */
	double failing;         /* mean of what was in flight and failed, or was short */
	double idle;            /* of the cores' time: nobody wanted it */
	double steal;           /* of the cores' time, taken by the hypervisor */
	double clock_is_tsc;    /* 0 or 1; NaN too: no such clock here */
	double clock_read_ns;   /* what reading the clock costs */
	double holes;           /* of the region: never written, before the run */
	double resident_before; /* of the region: in the page cache, before and after */
	double resident_after;
	double zero_blocks; /* of the blocks looked at: nothing but zeros was read */
	double blocks_seen; /* how many were looked at */
	double harness_ns;  /* what an I/O costs without I/O, in the same shape */
};

/* Its fields by name; NULL past the end. */
struct iobi_machine_field {
	const char *name;
	size_t offset;
};
const struct iobi_machine_field *iobi_machine_field(size_t i);

void iobi_machine_unknown(struct iobi_machine *m);

/* Rounds what was seen so that the JSON holds it, and a result that is read back is
 * judged by the same numbers. */
void iobi_machine_settle(struct iobi_machine *m);

static inline double *iobi_machine_at(struct iobi_machine *m, const struct iobi_machine_field *f)
{
	return (double *)((char *)m + f->offset);
}

#endif
