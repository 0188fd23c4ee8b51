/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

void progress_begin(struct progress *p, const struct opts *o)
{
	enum progress_mode mode = o->progress;

	p->jobs = o->jobs;
	p->terminal = isatty(STDERR_FILENO);
	p->on = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && p->terminal);
	p->next_ns = now_ns() + second / 5;
	p->every_ns = o->eta_ns ? o->eta_ns : o->jobs || !p->terminal ? second : second / 5;
	p->newline_ns = o->newline_ns;
	p->next_line_ns = now_ns() + o->newline_ns;
}

static void format_eta(char *buf, size_t n, uint64_t eta_ns)
{
	uint64_t s = (eta_ns + second - 1) / second;

	if (eta_ns == UINT64_MAX)
		snprintf(buf, n, "--:--");
	else if (s < 3600)
		snprintf(buf, n, "%02u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, n, "%llu:%02u:%02u", (unsigned long long)(s / 3600),
			 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}

static int format_line(char *buf, size_t n, const struct iob_progress *now)
{
	char iops[16], mb[16], eta[32];
	double mb_per_s = now->bytes_per_s[IOB_OP_ALL] / 1e6;

	si(iops, sizeof(iops), now->iops[IOB_OP_ALL]);
	snprintf(mb, sizeof(mb), "%.*f", mb_per_s < 10 ? 1 : 0, mb_per_s);
	format_eta(eta, sizeof(eta), now->eta_ns);
	if (now->rounds)
		return snprintf(buf, n,
				"round %u/%u  stage %u/%u  %2u%%  IOPS %s  MB/s %s  eta %s  %s",
				now->round, now->rounds, now->stage + 1, now->stages,
				(unsigned)(now->share * 100), iops, mb, eta, now->name);
	return snprintf(buf, n, "stage %u/%u  %2u%%  IOPS %s  MB/s %s  eta %s  %s", now->stage + 1,
			now->stages, (unsigned)(now->share * 100), iops, mb, eta, now->name);
}

static size_t columns(void)
{
	struct winsize w;

	/* One that does not know how wide it is shows what it gets. */
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col ? 512 : w.ws_col;
}

/* Draws over the line that stands there; no escape codes. */
static void redraw(struct progress *p, const char *line, size_t len)
{
	size_t width = columns() - 1;

	if (len > width)
		len = width;
	fprintf(stderr, "\r%.*s%*s", (int)len, line, p->drawn > len ? (int)(p->drawn - len) : 0,
		"");
	fflush(stderr);
	p->drawn = len;
}

/* --eta-newline: the line stays, and the next one is below it. */
static void leave(struct progress *p, uint64_t t)
{
	fputc('\n', stderr);
	p->drawn = 0;
	p->next_line_ns = t + p->newline_ns;
}

void progress_tick(struct progress *p, struct iob_run *run)
{
	struct iob_progress now = { .size = sizeof(now) };
	uint64_t t = now_ns();
	char line[512];
	int len;

	if (!p->on || (!p->jobs && t < p->next_ns) || iob_run_progress(run, &now) < 0)
		return;
	if (t < p->next_ns)
		return;
	p->next_ns = t + p->every_ns;
	len = p->jobs ? fio_line(line, sizeof(line), p->jobs, run, &now)
		      : format_line(line, sizeof(line), &now);
	if (p->terminal)
		redraw(p, line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
	else
		fprintf(stderr, "%s\n", line);
	if (p->terminal && p->newline_ns && t >= p->next_line_ns)
		leave(p, t);
}

void progress_end(struct progress *p)
{
	if (p->drawn && p->jobs) { /* as fio leaves it */
		fputc('\n', stderr);
	} else if (p->drawn) {
		fprintf(stderr, "\r%*s\r", (int)p->drawn, "");
		fflush(stderr);
	}
	p->on = false;
	p->drawn = 0;
}
