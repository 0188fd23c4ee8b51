/* SPDX-License-Identifier: MIT */
#include "run/clock.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The machine's constants: written once, under `once`. */
static struct iobi_clock machine_clock;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
/* The kernel watches its clock source; if that is the TSC, it is fit for use. */
static int kernel_uses_tsc(void)
{
	char name[16] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, name, sizeof(name) - 1);
	close(fd);
	return n >= 4 && !memcmp(name, "tsc\n", 4);
}

/* The kernel's own rate, from the page of a perf event that counts nothing:
 * ns = cycles * time_mult >> time_shift, perf_event_open(2). 0: not told. The
 * event is a CPU's, which takes 10 us and a privilege; the first event of a
 * task makes the kernel wait for all its CPUs, 2 to 20 ms. */
static uint64_t rate_from_perf(void)
{
	int cpu = sched_getcpu();
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu < 0 ? 0 : cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t mult = 0;
	if (p != MAP_FAILED) {
		if (p->cap_user_time && p->time_mult && p->time_shift <= 32)
			mult = (uint64_t)p->time_mult << (32 - p->time_shift);
		munmap(p, page);
	}
	close(fd);
	return mult;
}

/* One reading of both clocks, with the TSC read closest round the other. */
static void read_both(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t before = __rdtsc();
		uint64_t now = iobi_monotonic_ns();
		uint64_t after = __rdtsc();
		if (after - before < best) {
			best = after - before;
			*tsc = before + best / 2;
			*ns = now;
		}
	}
}

/* Half a millisecond against CLOCK_MONOTONIC: right to about 0.01 %. */
static uint64_t rate_from_monotonic(void)
{
	uint64_t tsc0 = 0, tsc1 = 0, ns0 = 0, ns1 = 0;
	read_both(&tsc0, &ns0);
	while (iobi_monotonic_ns() - ns0 < 500000)
		;
	read_both(&tsc1, &ns1);
	return tsc1 > tsc0 ? (uint64_t)(((iobi_u128)(ns1 - ns0) << 32) / (tsc1 - tsc0)) : 0;
}
#endif

static void measure(void)
{
#if defined(__x86_64__)
	if (!kernel_uses_tsc())
		return;
	machine_clock.mult = rate_from_perf();
	if (!machine_clock.mult)
		machine_clock.mult = rate_from_monotonic();
#endif
}

const struct iobi_clock *iobi_clock(void)
{
	pthread_once(&once, measure);
	return &machine_clock;
}
