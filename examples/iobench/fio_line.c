/* SPDX-License-Identifier: MIT */
/* The line that fio shows while it runs: Jobs: 4 (f=4): [r(4)][50.0%][r=128MiB/s]... */
#include "fio.h"
#include <string.h>

/* What a job does: as fio, capital letters for what is sequential. */
static char letter(const struct iob_workload *w)
{
	int64_t read = 100, trim = 0, pattern = 0;
	const char *both;

	iob_workload_get_int(w, IOB_PARAM_READ_PERCENT, &read);
	iob_workload_get_int(w, IOB_PARAM_TRIM_PERCENT, &trim);
	iob_workload_get_int(w, IOB_PARAM_PATTERN, &pattern);
	both = trim ? "dD" : read == 100 ? "rR" : read == 0 ? "wW" : "mM";
	return both[pattern != 0];
}

/* Where the run is. */
struct at {
	const struct iob_suite *s;
	struct iob_run *run;
	size_t stage; /* that runs */
};

/* A job waits, is in its ramp ("/"), runs, and has ended. */
static char phase(const struct at *at, size_t stage, size_t i)
{
	switch (iob_run_phase(at->run, stage, i)) {
	case IOB_PHASE_RAMP:
		return '/';
	case IOB_PHASE_RUNNING:
		return letter(iob_suite_workload(at->s, stage, i));
	case IOB_PHASE_ENDED:
		return '_';
	default:
		return 'P';
	}
}

static size_t count_running(const struct at *at, size_t *files)
{
	size_t n = 0;

	*files = 0;
	for (size_t i = 0; i < iob_suite_workload_count(at->s, at->stage); i++) {
		const struct iob_workload *w = iob_suite_workload(at->s, at->stage, i);
		size_t targets = iob_workload_target_count(w);
		char c = phase(at, at->stage, i);
		if (c == 'P' || c == '_')
			continue;
		n++;
		*files += targets ? targets : 1; /* one without has one all the same in fio */
	}
	return n;
}

/* Of all jobs of the run, as fio: "_(2),R(1),P(4)": ended, running, to come. */
static void add_jobs(char *buf, size_t n, const struct at *at)
{
	const struct iob_suite *s = at->s;
	char last = 0;
	size_t len = 0, same = 0;

	buf[0] = '\0';
	for (size_t stage = 0; stage < iob_suite_stage_count(s); stage++)
		for (size_t i = 0; i < iob_suite_workload_count(s, stage); i++) {
			char c = phase(at, stage, i);
			if (c == last) {
				same++;
				continue;
			}
			if (last && len < n)
				len += (size_t)snprintf(buf + len, n - len, "%c(%zu),", last, same);
			last = c;
			same = 1;
		}
	if (last && len < n)
		snprintf(buf + len, n - len, "%c(%zu)", last, same);
}

/* As fio: four digits at the most. */
static void format_number(char *buf, size_t n, double v, double base, const char *const *unit)
{
	size_t i = 0;

	for (v = (double)(uint64_t)v; v >= 10000 && unit[i + 1]; i++)
		v /= base;
	snprintf(buf, n, "%.*f%s", i && v < 100 ? 1 : 0, v, unit[i]);
}

static void format_rate(char *buf, size_t n, double bytes)
{
	static const char *const unit[] = { "KiB/s", "MiB/s", "GiB/s", "TiB/s", NULL };

	format_number(buf, n, bytes / 1024, 1024, unit);
}

static void format_iops(char *buf, size_t n, double iops)
{
	static const char *const unit[] = { "", "k", "M", "G", NULL };

	format_number(buf, n, iops, 1000, unit);
}

static double sum(const struct iob_workload *w, enum iob_param reads, enum iob_param writes)
{
	int64_t r = 0, wr = 0;

	iob_workload_get_int(w, reads, &r);
	iob_workload_get_int(w, writes, &wr);
	return (double)r + (double)wr;
}

/* What those that run are held to: ", 0-2000 IOPS", ", 0B/s-1024KiB/s". */
static void add_limits(char *buf, size_t n, const struct at *at)
{
	double iops = 0, bytes = 0;
	char text[32];

	for (size_t i = 0; i < iob_suite_workload_count(at->s, at->stage); i++) {
		const struct iob_workload *w = iob_suite_workload(at->s, at->stage, i);
		char c = phase(at, at->stage, i);
		if (c == 'P' || c == '_')
			continue;
		iops += sum(w, IOB_PARAM_RATE_IOPS, IOB_PARAM_RATE_IOPS_WRITE);
		bytes += sum(w, IOB_PARAM_RATE_BYTES, IOB_PARAM_RATE_BYTES_WRITE);
	}
	buf[0] = '\0';
	if (bytes > 0) {
		format_rate(text, sizeof(text), bytes);
		snprintf(buf, n, ", 0B/s-%s", text);
	} else if (iops > 0) {
		snprintf(buf, n, ", 0-%.0f IOPS", iops);
	}
}

typedef void (*format_fn)(char *buf, size_t n, double value);

/* "r=1,w=2": the ops that do anything; r=0 where none does. */
static void add_values(char *buf, size_t n, const struct iob_progress *now, const double value[5],
		       format_fn format)
{
	static const char ops[] = " rwt";
	size_t len = 0;

	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		char text[32];
		bool idle = now->bytes_per_s[IOB_OP_ALL] <= 0 && op == IOB_OP_READ;
		if (now->iops[op] <= 0 && now->bytes_per_s[op] <= 0 && !idle)
			continue;
		format(text, sizeof(text), value[op]);
		len += (size_t)snprintf(buf + len, n - len, "%s%c=%s", len ? "," : "", ops[op],
					text);
	}
}

static void format_eta(char *buf, size_t n, uint64_t eta_ns)
{
	uint64_t s = eta_ns / 1000000000, days = s / 86400;
	size_t len = 0;

	if (eta_ns == UINT64_MAX) {
		snprintf(buf, n, "--m:--s");
		return;
	}
	if (days)
		len += (size_t)snprintf(buf, n, "%02ud:", (unsigned)days);
	if (s >= 3600)
		len += (size_t)snprintf(buf + len, n - len, "%02uh:", (unsigned)(s / 3600 % 24));
	snprintf(buf + len, n - len, "%02um:%02us", (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

/* Files are made before the first stage. */
static bool is_filling(const struct iob_progress *now)
{
	return !strncmp(now->name, "filling the files", 17);
}

int fio_line(char *buf, size_t n, const struct iob_suite *s, struct iob_run *run,
	     const struct iob_progress *now)
{
	const struct at at = { s, run, now->stage };
	char jobs[192], limits[64], rates[128] = "", iops[128] = "", eta[48], share[16] = "-.-%";
	bool filling = is_filling(now);
	size_t files, running = count_running(&at, &files);

	add_jobs(jobs, sizeof(jobs), &at);
	add_limits(limits, sizeof(limits), &at);
	add_values(rates, sizeof(rates), now, now->bytes_per_s, format_rate);
	add_values(iops, sizeof(iops), now, now->iops, format_iops);
	format_eta(eta, sizeof(eta), now->eta_ns);
	if (now->eta_ns != UINT64_MAX || filling)
		snprintf(share, sizeof(share), "%.1f%%", now->share * 100);
	if (filling)
		return snprintf(buf, n, "Laying out IO files: [%s][%s][eta %s]", share, rates, eta);
	if (now->eta_ns == UINT64_MAX && now->iops[IOB_OP_ALL] <= 0) /* nothing is known yet */
		return snprintf(buf, n, "Jobs: %zu (f=%zu)%s", running, files, limits);
	return snprintf(buf, n, "Jobs: %zu (f=%zu)%s: [%s][%s][%s][%s IOPS][eta %s]", running,
			files, limits, jobs, share, rates, iops, eta);
}
