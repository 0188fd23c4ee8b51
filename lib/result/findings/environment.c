/* SPDX-License-Identifier: MIT */
/* The machine: its cores, its hypervisor, its clock. */
#include "result/findings/judge.h"
#include <math.h>

/* A worker that has less than a twentieth of a core left waits for the core. */
static const double most_cpu = 0.95;
/* With cores to spare a worker waits for one only until it has woken; of short I/O
 * that may be a tenth of the time. With none to spare it waits for others. */
static const double least_idle = 0.05, most_wait = 0.1;
/* A hundredth of the time is ten milliseconds a second: longer than most I/O. */
static const double most_steal = 0.01;
/* Two readings for each I/O: above it they are a part of what is measured. */
static const double most_clock_ns = 100;

enum bound { BOUND_BY_NOTHING, BOUND_BY_CORE, BOUND_BY_WAIT, BOUND_BY_ALL_CORES };

/* worker: its share of a core. */
static enum bound bound_by(double worker, const struct iobi_machine *m)
{
	if (worker > most_cpu)
		return BOUND_BY_CORE;
	if (worker + m->cpu_wait > most_cpu)
		return BOUND_BY_WAIT;
	return m->cpu_all > most_cpu ? BOUND_BY_ALL_CORES : BOUND_BY_NOTHING;
}

static void cpu_bound(struct iobi_judge *j)
{
	const struct iobi_machine *m = j->view.machine;
	double worker = j->view.rec ? j->view.rec->cpu_share : m->cpu_worker;
	if (isnan(worker))
		iobi_unchecked(j, "the recording has no CPU time");
	switch (bound_by(worker, m)) {
	case BOUND_BY_CORE:
		iobi_number(j, "worker", worker);
		iobi_raise(j, "a worker used %s of a core: the rate is that of the core",
			   iobi_w_share(j, worker));
		break;
	case BOUND_BY_WAIT:
		iobi_number(j, "worker", worker);
		iobi_number(j, "wait", m->cpu_wait);
		iobi_raise(j,
			   "a worker used %s of a core and waited for one for %s of the time: the "
			   "rate is that of the cores, which others use too",
			   iobi_w_share(j, worker), iobi_w_share(j, m->cpu_wait));
		break;
	case BOUND_BY_ALL_CORES:
		iobi_number(j, "all", m->cpu_all);
		iobi_raise(j, "the workers used %s of all cores: the rate is that of the cores",
			   iobi_w_share(j, m->cpu_all));
		break;
	case BOUND_BY_NOTHING:
		break;
	}
}

static void core_wait(struct iobi_judge *j)
{
	const struct iobi_machine *m = j->view.machine;
	if (!(m->idle < least_idle) || !(m->cpu_wait > most_wait) ||
	    bound_by(m->cpu_worker, m) != BOUND_BY_NOTHING)
		return;
	iobi_number(j, "idle", m->idle);
	iobi_number(j, "wait", m->cpu_wait);
	iobi_raise(j,
		   "the cores were idle for %s of the time, and a worker waited for one for %s of "
		   "it: latencies hold that wait",
		   iobi_w_share(j, m->idle), iobi_w_share(j, m->cpu_wait));
}

static void steal(struct iobi_judge *j)
{
	double share = j->view.machine->steal;
	if (isnan(share))
		iobi_unchecked(j, "the recording has no steal time");
	if (!(share > most_steal))
		return;
	iobi_number(j, "steal", share);
	iobi_raise(j,
		   "the hypervisor took %s of the cores' time away: latencies hold what others did",
		   iobi_w_share(j, share));
}

static void clock_source(struct iobi_judge *j)
{
	const struct iobi_machine *m = j->view.machine;
	bool slow = m->clock_read_ns > most_clock_ns;
	if (isnan(m->clock_is_tsc))
		iobi_unchecked(j, "the recording says nothing of its clock");
	if (!(m->clock_is_tsc == 0) && !slow)
		return;
	iobi_number(j, "is_tsc", m->clock_is_tsc);
	iobi_number(j, "read_ns", m->clock_read_ns);
	iobi_raise(j, "time was %s: a reading takes %s, and each I/O has two",
		   slow ? "read slowly" : "not read from the TSC", iobi_w_ns(j, m->clock_read_ns));
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "cpu-bound", "environment",
	    "A worker used more than 95 % of a core, or used one and waited for one for more than "
	    "95 % "
	    "of the time; or all workers together used more than 95 % of all cores.",
	    "More workers, larger blocks, or an engine that needs fewer system calls; else the "
	    "machine is what was measured.",
	    "a worker used 99 % of a core: the rate is that of the core" },
	  IOBI_AT_WORKLOAD,
	  true,
	  cpu_bound },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "core-wait", "environment",
	    "The cores were idle for less than 5 % of the time, and a worker waited for one for "
	    "more than 10 % of it, where cpu-bound says nothing.",
	    "Measure when the machine does nothing else, or with fewer workers than cores.",
	    "the cores were idle for 0.52 % of the time, and a worker waited for one for 26 % of "
	    "it: latencies hold that wait" },
	  IOBI_AT_WORKLOAD,
	  true,
	  core_wait },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "steal", "environment",
	    "The hypervisor took more than 1 % of the time of the cores (/proc/stat).",
	    "Measure when the host is quiet, or on a machine of your own.",
	    "the hypervisor took 4.2 % of the cores' time away: latencies hold what others did" },
	  IOBI_AT_WORKLOAD,
	  true,
	  steal },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "clock", "environment",
	    "The kernel's clock source is not the TSC (of machines that have one), so that the "
	    "library does not use it either; or a reading costs more than 100 ns.",
	    "Boot with clocksource=tsc where the TSC is stable; short latencies are too long by "
	    "what "
	    "the readings cost.",
	    "time was read slowly: a reading takes 840 ns, and each I/O has two" },
	  IOBI_AT_WORKLOAD,
	  true,
	  clock_source },
};

const struct iobi_family iobi_environment_rules = { rules, IOBI_LEN(rules) };
