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

/* "R(4),w(2)" */
static void add_jobs(char *buf, size_t n, const struct iob_suite *s, size_t stage)
{
	size_t jobs = iob_suite_workload_count(s, stage), len = 0, i = 0;

	buf[0] = '\0';
	while (i < jobs && len + 24 < n) {
		char c = letter(iob_suite_workload(s, stage, i));
		size_t first = i;
		while (i < jobs && letter(iob_suite_workload(s, stage, i)) == c)
			i++;
		len += (size_t)snprintf(buf + len, n - len, "%s%c(%zu)", first ? "," : "", c,
					i - first);
	}
}

static size_t count_files(const struct iob_suite *s, size_t stage)
{
	size_t n = 0;

	for (size_t i = 0; i < iob_suite_workload_count(s, stage); i++)
		n += iob_workload_target_count(iob_suite_workload(s, stage, i));
	return n;
}

/* As fio: four digits at the most, powers of 1024. */
static void format_rate(char *buf, size_t n, double bytes)
{
	static const char *const unit[] = { "KiB/s", "MiB/s", "GiB/s", "TiB/s" };
	size_t i = 0;

	for (bytes /= 1024; bytes >= 9999.5 && i < 3; i++)
		bytes /= 1024;
	snprintf(buf, n, "%.0f%s", bytes, unit[i]);
}

static void format_iops(char *buf, size_t n, double iops)
{
	if (iops >= 9999.5)
		snprintf(buf, n, "%.1fk", iops / 1000);
	else
		snprintf(buf, n, "%.0f", iops);
}

typedef void (*format_fn)(char *buf, size_t n, double value);

/* "r=1,w=2": the ops that do anything; r=0 where none does. */
static size_t add_values(char *buf, size_t n, const double value[5], format_fn format)
{
	static const char ops[] = " rwt";
	size_t len = 0;

	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
		char text[32];
		bool only =
			op == IOB_OP_READ && value[IOB_OP_WRITE] <= 0 && value[IOB_OP_TRIM] <= 0;
		if (value[op] <= 0 && !only)
			continue;
		format(text, sizeof(text), value[op]);
		len += (size_t)snprintf(buf + len, n - len, "%s%c=%s", len ? "," : "", ops[op],
					text);
	}
	return len;
}

static void format_eta(char *buf, size_t n, uint64_t eta_ns)
{
	uint64_t s = eta_ns / 1000000000;

	if (eta_ns == UINT64_MAX)
		snprintf(buf, n, "--");
	else if (s < 3600)
		snprintf(buf, n, "%02um:%02us", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, n, "%02uh:%02um:%02us", (unsigned)(s / 3600), (unsigned)(s / 60 % 60),
			 (unsigned)(s % 60));
}

int fio_line(char *buf, size_t n, const struct iob_suite *s, const struct iob_progress *now)
{
	char jobs[96], rates[128], iops[128], eta[32];

	add_jobs(jobs, sizeof(jobs), s, now->stage);
	add_values(rates, sizeof(rates), now->bytes_per_s, format_rate);
	add_values(iops, sizeof(iops), now->iops, format_iops);
	format_eta(eta, sizeof(eta), now->eta_ns);
	return snprintf(buf, n, "Jobs: %zu (f=%zu): [%s][%.1f%%][%s][%s IOPS][eta %s]",
			iob_suite_workload_count(s, now->stage), count_files(s, now->stage), jobs,
			now->share * 100, rates, iops, eta);
}
