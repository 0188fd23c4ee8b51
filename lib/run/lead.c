/* SPDX-License-Identifier: MIT */
/*
 * One thread of the run's own leads the stages one after another, and keeps
 * the time and the interval series.
 */
#include "run/run_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

enum { IOBI_TICK_MS = 100 };

static int note_failure(struct iob_run *r, const struct iob_error *err)
{
	pthread_mutex_lock(&r->lock);
	r->error = *err;
	pthread_mutex_unlock(&r->lock);
	return -err->code;
}

static int no_memory(struct iob_run *r)
{
	struct iob_error err;
	iobi_no_memory(&err);
	return note_failure(r, &err);
}

/* Snapshots read when and whether it was stopped. */
static void stop(struct iob_run *r, struct iobi_stage *s, bool cancelled)
{
	pthread_mutex_lock(&r->lock);
	iobi_stage_stop(s, cancelled);
	pthread_mutex_unlock(&r->lock);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* 1: there is news, 0: it is `until`. */
static int wait_until(uint64_t until, uint64_t now, struct pollfd *fds, nfds_t n)
{
	uint64_t ns = until > now ? until - now : 0;
	struct timespec timeout = { .tv_sec = (time_t)(ns / 1000000000),
				    .tv_nsec = (long)(ns % 1000000000) };
	return ppoll(fds, n, &timeout, NULL) != 0;
}

/* Waits for an end, a cancel, or the time of the next tick: the counters of the
 * devices are to be read when the ramp ends, not up to a tick later. Short runs
 * are looked at before their first tick. */
static void wait_for_news(struct iob_run *r, struct iobi_stage *s, struct pollfd fds[2])
{
	nfds_t n = s->cancelled ? 1 : 2;
	uint64_t now = iobi_now(iobi_clock());
	uint64_t until = least(now + IOBI_TICK_MS * UINT64_C(1000000), iobi_watch_due(s->watch, s));
	if (r->guide.due)
		until = least(until, r->guide.due(r->guide.user, s));
	for (;;) {
		uint64_t early = iobi_senses_due(s->senses, now);
		if (wait_until(least(until, early), now, fds, n) || until <= early)
			return;
		pthread_mutex_lock(&r->lock);
		iobi_senses_peek(s->senses, s);
		pthread_mutex_unlock(&r->lock);
		now = iobi_now(iobi_clock());
	}
}

static int tick(struct iob_run *r, struct iobi_stage *s, uint64_t now)
{
	pthread_mutex_lock(&r->lock);
	if (now >= iobi_watch_due(s->watch, s))
		iobi_watch_begin(s->watch, s);
	iobi_senses_tick(s->senses, s);
	int rc = iobi_stage_tick(s, now, false);
	pthread_mutex_unlock(&r->lock);
	if (!rc && r->guide.look)
		rc = r->guide.look(r->guide.user, s, now, false);
	return rc;
}

/* Until every worker has ended: ticks, the cancel, the wake at the end. */
static int follow(struct iob_run *r, struct iobi_stage *s)
{
	uint64_t deadline = iobi_stage_deadline(s);
	bool woken = false;
	for (;;) {
		struct pollfd fds[] = { { .fd = s->done_fd, .events = POLLIN },
					{ .fd = r->cancel_fd, .events = POLLIN } };
		wait_for_news(r, s, fds);
		uint64_t now = iobi_now(iobi_clock());
		if (fds[0].revents)
			return 0;
		if (!s->cancelled && fds[1].revents)
			stop(r, s, true);
		if (!s->stopped && atomic_load(&s->over))
			stop(r, s, false);
		if (!woken && now >= deadline) {
			iobi_stage_wake(s);
			woken = true;
		}
		int rc = tick(r, s, now);
		if (rc) {
			stop(r, s, true);
			return rc;
		}
		iobi_progress_update(r, s, now);
	}
}

/* The finished stage becomes part of the result; nobody looks at it any more. */
static int end_stage(struct iob_run *r, struct iobi_stage *s, int rc)
{
	iobi_stage_join(s);
	if (!rc && r->guide.look)
		rc = r->guide.look(r->guide.user, s, iobi_now(iobi_clock()), true);
	pthread_mutex_lock(&r->lock);
	iobi_watch_end(s->watch, s);
	iobi_senses_end(s->senses, s);
	rc = rc ? rc : iobi_stage_tick(s, iobi_now(iobi_clock()), true);
	struct iob_result *done = rc ? NULL : iobi_stage_result(s, 0);
	r->stage = NULL;
	rc = done ? iobi_result_adopt(r->suite, done) : -ENOMEM;
	if (!rc && r->guide.ended)
		rc = r->guide.ended(r->guide.user, r->suite);
	pthread_mutex_unlock(&r->lock);
	return rc ? no_memory(r) : 0;
}

/* A series of 600 intervals takes half a megabyte. */
static size_t intervals_of(const struct iob_run *r)
{
	enum {
		OF_MANY = 120
	};
	return iobi_rounds_many(r->suite->rounds) ? OF_MANY : IOBI_SERIES_MAX;
}

static int lead_stage(struct iob_run *r, size_t at)
{
	struct iobi_planned_stage *ps = &r->planned[at];
	struct iobi_stage stage;
	struct iob_error err = { 0 };
	int rc = iobi_stage_init(&stage, ps->name, ps->plans, ps->n, intervals_of(r), &err);
	if (rc < 0)
		return note_failure(r, &err);
	iobi_senses_begin(&stage.senses, &stage);
	rc = iobi_stage_start(&stage, &err);
	if (rc < 0) {
		note_failure(r, &err);
	} else {
		iobi_progress_begin(r, &stage, at);
		rc = follow(r, &stage);
		rc = end_stage(r, &stage, rc);
		r->over = atomic_load(&stage.run_over);
	}
	iobi_stage_free(&stage);
	return rc;
}

static int go_on(void *user, uint64_t done)
{
	struct iob_run *r = user;
	iobi_progress_filled(r, done);
	return !atomic_load(&r->cancelled);
}

static int make_files(struct iob_run *r)
{
	struct iob_error err;
	if (!iobi_targets_missing(&r->targets))
		return 0;
	iobi_progress_fill(r, iobi_targets_to_make(&r->targets, NULL));
	int rc = iobi_targets_create(&r->targets, go_on, r, &err);
	return rc < 0 ? note_failure(r, &err) : 0;
}

/* Whether there is a stage `at`: planned, or by the guide. */
static bool have_stage(struct iob_run *r, size_t at, int *rc)
{
	struct iob_error err = { 0 };
	if (*rc || r->over || atomic_load(&r->cancelled))
		return false;
	if (at < r->n || !r->guide.next)
		return at < r->n;
	*rc = iobi_run_plan_next(r, &err);
	if (*rc < 0)
		note_failure(r, &err);
	return !*rc && at < r->n;
}

/* A guided run may have had more to do. */
static bool cut_short(const struct iob_run *r)
{
	return atomic_load(&r->cancelled) && (r->suite->n_child < r->n || r->guide.next);
}

void *iobi_lead(void *arg)
{
	struct iob_run *r = arg;
	int rc = make_files(r);
	pthread_mutex_lock(&r->lock);
	r->start_ns = iobi_now(iobi_clock());
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; have_stage(r, i, &rc); i++)
		rc = lead_stage(r, i);
	iobi_targets_remove(&r->targets);

	pthread_mutex_lock(&r->lock);
	if (cut_short(r))
		r->suite->flags |= IOB_RESULT_CANCELLED;
	if (iobi_result_close(r->suite) && !r->error.code)
		iobi_no_memory(&r->error);
	r->progress.done = 1;
	if (!rc)
		r->progress.share = atomic_load(&r->cancelled) ? r->progress.share : 1;
	r->progress.eta_ns = 0;
	pthread_mutex_unlock(&r->lock);
	eventfd_write(r->done_fd, 1);
	return NULL;
}
