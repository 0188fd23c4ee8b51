/* SPDX-License-Identifier: MIT */
/*
 * A run: one thread of its own leads the stages one after another, keeps the
 * time and the interval series; the caller's threads only look at it.
 */
#include "run/claim.h"
#include "run/stage.h"
#include "target/host.h"
#include <iobench/run.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { IOBI_TICK_MS = 100 };

struct planned_stage {
	char *name;
	struct iobi_plan *plans;
	struct iob_workload **copies; /* that the plans refer to */
	size_t n;
	uint64_t length_ns; /* ramp + runtime; 0: not known */
};

struct iob_run {
	struct iobi_targets targets;
	struct planned_stage *planned;
	size_t n;
	pthread_t leader;
	bool led; /* the leader's thread exists */
	_Atomic bool cancelled;
	int cancel_fd, done_fd; /* eventfds: stay readable once set */

	pthread_mutex_t lock; /* guards what follows */
	struct iob_result *suite; /* the stages that have ended */
	struct iobi_stage *stage; /* the one that runs, or NULL */
	size_t at;                /* its number */
	uint64_t start_ns;
	struct iob_error error; /* code 0: none */
	struct iob_progress progress;
	struct iobi_totals last;
	uint64_t last_ns;
};

/* ---- planning ---- */

static void free_planned(struct planned_stage *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		if (ps->plans)
			iobi_plan_free(&ps->plans[i]);
		if (ps->copies)
			iob_workload_free(ps->copies[i]);
	}
	free(ps->plans);
	free(ps->copies);
	free(ps->name);
}

static uint64_t length_of(const struct iobi_plan *p)
{
	return p->runtime_ns ? p->runtime_ns + p->ramp_ns : 0;
}

static int plan_stage(struct iob_run *r, const struct iob_suite *s, size_t stage,
		      struct iob_error *err)
{
	struct planned_stage *ps = &r->planned[stage];
	ps->n = iob_suite_workload_count(s, stage);
	ps->name = strdup(iob_suite_stage_name(s, stage));
	ps->plans = calloc(ps->n, sizeof(*ps->plans));
	ps->copies = calloc(ps->n, sizeof(struct iob_workload *));
	if (!ps->name || !ps->plans || !ps->copies)
		return iobi_no_memory(err);
	for (size_t i = 0; i < ps->n; i++) {
		ps->copies[i] = iob_workload_copy(iob_suite_workload(s, stage, i), err);
		if (!ps->copies[i])
			return -ENOMEM;
		int rc = iobi_plan_init(&ps->plans[i], ps->copies[i], &r->targets, err);
		if (rc < 0)
			return rc;
		uint64_t length = length_of(&ps->plans[i]);
		if (length > ps->length_ns)
			ps->length_ns = length;
	}
	return 0;
}

static int plan_all(struct iob_run *r, const struct iob_suite *s, struct iob_error *err)
{
	size_t n = iob_suite_stage_count(s);
	if (!n)
		return iobi_fail(err, EINVAL, "suite", "the suite is empty: add a workload");
	r->planned = calloc(n, sizeof(*r->planned));
	if (!r->planned)
		return iobi_no_memory(err);
	for (r->n = 0; r->n < n; r->n++) {
		int rc = plan_stage(r, s, r->n, err);
		if (rc < 0) {
			r->n++;
			return rc;
		}
	}
	return iobi_targets_claim(&r->targets, err);
}

/* ---- progress ---- */

static double share_of_live(const struct iobi_live *l, uint64_t go, uint64_t now)
{
	double share = 0;
	if (l->plan->runtime_ns)
		share = (double)(now - go) / (double)length_of(l->plan);
	if (l->plan->io_size) {
		uint64_t bytes = 0;
		for (uint32_t i = 0; i < l->plan->workers; i++)
			for (int op = IOB_OP_READ; op < IOBI_METERS; op++)
				bytes += IOBI_LOAD(&l->worker[i].meter[op].bytes);
		share = fmax(share, (double)bytes / (double)l->plan->io_size);
	}
	return fmin(share, 1);
}

/* A stage is as far as the workload of it that is least far. */
static double stage_share(const struct iobi_stage *s, uint64_t now)
{
	double least = 1;
	for (size_t i = 0; i < s->n; i++)
		least = fmin(least, share_of_live(&s->live[i], s->go_ns, now));
	return least;
}

/* Of the whole run: by time where every stage's is known, else by stages. */
static void set_share(struct iob_run *r, double stage, uint64_t now)
{
	double done = 0, total = 0;
	bool timed = true;
	for (size_t i = 0; i < r->n; i++)
		timed &= r->planned[i].length_ns > 0;
	for (size_t i = 0; i < r->n; i++) {
		double length = timed ? (double)r->planned[i].length_ns : 1;
		total += length;
		done += i < r->at ? length : i == r->at ? stage * length : 0;
	}
	double spent = (double)(now - r->start_ns);
	r->progress.share = done / total;
	if (timed)
		r->progress.eta_ns = (uint64_t)(total - done);
	else
		r->progress.eta_ns = done > 0 ? (uint64_t)(spent * (total - done) / done) :
						UINT64_MAX;
}

static void set_rates(struct iob_progress *p, const struct iobi_totals *now,
		      const struct iobi_totals *last, uint64_t ns)
{
	double seconds = (double)ns / 1e9;
	p->iops[IOB_OP_ALL] = p->bytes_per_s[IOB_OP_ALL] = 0;
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		p->iops[op] = (double)(now->ios[op] - last->ios[op]) / seconds;
		p->bytes_per_s[op] = (double)(now->bytes[op] - last->bytes[op]) / seconds;
		if (op != IOB_OP_SYNC) {
			p->iops[IOB_OP_ALL] += p->iops[op];
			p->bytes_per_s[IOB_OP_ALL] += p->bytes_per_s[op];
		}
	}
	p->in_flight = now->in_flight;
}

static void update_progress(struct iob_run *r, struct iobi_stage *s, uint64_t now)
{
	struct iobi_totals totals;
	iobi_stage_totals(s, &totals);
	pthread_mutex_lock(&r->lock);
	if (now > r->last_ns)
		set_rates(&r->progress, &totals, &r->last, now - r->last_ns);
	r->last = totals;
	r->last_ns = now;
	set_share(r, stage_share(s, now), now);
	pthread_mutex_unlock(&r->lock);
}

static void begin_progress(struct iob_run *r, struct iobi_stage *s, size_t at)
{
	pthread_mutex_lock(&r->lock);
	r->stage = s;
	r->at = at;
	r->last = (struct iobi_totals){ 0 };
	r->last_ns = s->go_ns;
	r->progress.stage = (uint32_t)at;
	snprintf(r->progress.name, sizeof(r->progress.name), "%s", s->name);
	pthread_mutex_unlock(&r->lock);
}

/* ---- leading ---- */

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

/* Until every worker has ended: ticks, the cancel, the wake at the end. */
static int follow(struct iob_run *r, struct iobi_stage *s)
{
	uint64_t deadline = iobi_stage_deadline(s);
	bool woken = false;
	for (;;) {
		struct pollfd fds[] = { { .fd = s->done_fd, .events = POLLIN },
					{ .fd = r->cancel_fd, .events = POLLIN } };
		poll(fds, s->cancelled ? 1 : 2, IOBI_TICK_MS);
		uint64_t now = iobi_now(iobi_clock());
		if (fds[0].revents)
			return 0;
		if (!s->cancelled && fds[1].revents)
			iobi_stage_stop(s);
		if (!woken && now >= deadline) {
			iobi_stage_wake(s);
			woken = true;
		}
		pthread_mutex_lock(&r->lock);
		int rc = iobi_stage_tick(s, now, false);
		pthread_mutex_unlock(&r->lock);
		if (rc) {
			iobi_stage_stop(s);
			return rc;
		}
		update_progress(r, s, now);
	}
}

/* The finished stage becomes part of the result; nobody looks at it any more. */
static int end_stage(struct iob_run *r, struct iobi_stage *s, int rc)
{
	iobi_stage_join(s);
	pthread_mutex_lock(&r->lock);
	rc = rc ? rc : iobi_stage_tick(s, iobi_now(iobi_clock()), true);
	struct iob_result *done = rc ? NULL : iobi_stage_result(s, 0);
	r->stage = NULL;
	rc = done ? iobi_result_adopt(r->suite, done) : -ENOMEM;
	pthread_mutex_unlock(&r->lock);
	return rc ? no_memory(r) : 0;
}

static int lead_stage(struct iob_run *r, size_t at)
{
	struct planned_stage *ps = &r->planned[at];
	struct iobi_stage stage;
	struct iob_error err = { 0 };
	int rc = iobi_stage_init(&stage, ps->name, ps->plans, ps->n, &err);
	if (rc < 0)
		return note_failure(r, &err);
	rc = iobi_stage_start(&stage, &err);
	if (rc < 0) {
		note_failure(r, &err);
	} else {
		begin_progress(r, &stage, at);
		rc = follow(r, &stage);
		rc = end_stage(r, &stage, rc);
	}
	iobi_stage_free(&stage);
	return rc;
}

static int go_on(void *user, uint64_t done)
{
	struct iob_run *r = user;
	return !atomic_load(&r->cancelled);
}

static int make_files(struct iob_run *r)
{
	struct iob_error err;
	if (!iobi_targets_missing(&r->targets))
		return 0;
	pthread_mutex_lock(&r->lock);
	snprintf(r->progress.name, sizeof(r->progress.name), "filling the files that are missing");
	pthread_mutex_unlock(&r->lock);
	int rc = iobi_targets_create(&r->targets, go_on, r, &err);
	return rc < 0 ? note_failure(r, &err) : 0;
}

static void *lead(void *arg)
{
	struct iob_run *r = arg;
	int rc = make_files(r);
	pthread_mutex_lock(&r->lock);
	r->start_ns = iobi_now(iobi_clock());
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; !rc && i < r->n && !atomic_load(&r->cancelled); i++)
		rc = lead_stage(r, i);

	pthread_mutex_lock(&r->lock);
	if (atomic_load(&r->cancelled) && r->suite->n_child < r->n)
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

/* ---- the caller's side ---- */

static int add_host_fact(void *user, const char *name, const char *value)
{
	struct iob_result *suite = user;
	return iobi_pairs_set(&suite->host, name, value);
}

static struct iob_run *new_run(struct iob_error *err)
{
	struct iob_run *r = calloc(1, sizeof(*r));
	if (!r) {
		iobi_no_memory(err);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	r->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->suite = iobi_result_new(IOB_LEVEL_SUITE, "suite");
	r->progress.size = sizeof(r->progress);
	r->progress.eta_ns = UINT64_MAX;
	if (r->cancel_fd >= 0 && r->done_fd >= 0 && r->suite &&
	    !iobi_host_facts(add_host_fact, r->suite))
		return r;
	iobi_fail(err, r->suite ? EMFILE : ENOMEM, "run", "no descriptors or memory for a run");
	iob_run_free(r);
	return NULL;
}

/* The leader blocks all signals, and so do the workers that it starts; the
 * caller's own mask is not touched. */
static int start_leader(struct iob_run *r, struct iob_error *err)
{
	pthread_attr_t attr;
	sigset_t all;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &all);
	int rc = pthread_create(&r->leader, &attr, lead, r);
	pthread_attr_destroy(&attr);
	r->led = !rc;
	return rc ? iobi_fail(err, rc, "run", "no thread could be started: %s", iobi_errno_text(rc)) :
		    0;
}

struct iob_run *iob_run_start(const struct iob_suite *s, struct iob_error *err)
{
	if (!s) {
		iobi_fail(err, EINVAL, "suite", "the suite is NULL");
		return NULL;
	}
	struct iob_run *r = new_run(err);
	if (!r)
		return NULL;
	int rc = plan_all(r, s, err);
	r->progress.stages = (uint32_t)r->n;
	iobi_clock();
	if (rc < 0 || start_leader(r, err) < 0) {
		iob_run_free(r);
		return NULL;
	}
	return r;
}

int iob_run_wait(struct iob_run *r, int timeout_ms, struct iob_error *err)
{
	struct pollfd fd = { .fd = r->done_fd, .events = POLLIN };
	int n = poll(&fd, 1, timeout_ms);
	if (n < 0)
		return iobi_fail(err, errno, "wait", "waiting was interrupted: %s",
				 iobi_errno_text(errno));
	return n > 0;
}

void iob_run_cancel(struct iob_run *r)
{
	int saved = errno; /* it may be called from a signal handler */
	uint64_t one = 1;
	atomic_store(&r->cancelled, true);
	if (write(r->cancel_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

int iob_run_progress(struct iob_run *r, struct iob_progress *out)
{
	uint32_t size = out->size;
	if (!size)
		return -EINVAL;
	pthread_mutex_lock(&r->lock);
	memcpy(out, &r->progress, size < sizeof(r->progress) ? size : sizeof(r->progress));
	pthread_mutex_unlock(&r->lock);
	out->size = size;
	return 0;
}

/* Merging one result with nothing is a copy of it. */
static struct iob_result *copy_result(const struct iob_result *r, struct iob_error *err)
{
	return iob_result_merge(&r, 1, err);
}

static int copy_ended(const struct iob_run *r, struct iob_result *into, struct iob_error *err)
{
	for (size_t i = 0; i < r->suite->n_child; i++) {
		struct iob_result *stage = copy_result(r->suite->child[i], err);
		if (!stage)
			return -ENOMEM;
		if (iobi_result_adopt(into, stage))
			return iobi_no_memory(err);
	}
	for (size_t i = 0; i < r->suite->host.n; i++)
		if (add_host_fact(into, r->suite->host.pair[i].name, r->suite->host.pair[i].value))
			return iobi_no_memory(err);
	return 0;
}

static int copy_running(const struct iob_run *r, struct iob_result *into, struct iob_error *err)
{
	if (!r->stage)
		return 0;
	struct iob_result *stage = iobi_stage_result(r->stage, iobi_now(iobi_clock()));
	return stage && !iobi_result_adopt(into, stage) ? 0 : iobi_no_memory(err);
}

struct iob_result *iob_run_snapshot(struct iob_run *r, struct iob_error *err)
{
	struct iob_result *suite = iobi_result_new(IOB_LEVEL_SUITE, "suite");
	if (!suite) {
		iobi_no_memory(err);
		return NULL;
	}
	pthread_mutex_lock(&r->lock);
	int rc = copy_ended(r, suite, err);
	rc = rc ? rc : copy_running(r, suite, err);
	suite->flags |= r->progress.done ? r->suite->flags : IOB_RESULT_PARTIAL;
	suite->flags |= atomic_load(&r->cancelled) ? IOB_RESULT_CANCELLED : 0;
	pthread_mutex_unlock(&r->lock);
	if (!rc && iobi_result_close(suite))
		rc = iobi_no_memory(err);
	if (!rc)
		return suite;
	iob_result_free(suite);
	return NULL;
}

static void wait_for_end(struct iob_run *r)
{
	while (iob_run_wait(r, -1, NULL) != 1)
		;
}

struct iob_result *iob_run_result(struct iob_run *r, struct iob_error *err)
{
	wait_for_end(r);
	if (r->error.code) {
		if (err)
			*err = r->error;
		return NULL;
	}
	return copy_result(r->suite, err);
}

void iob_run_free(struct iob_run *r)
{
	if (!r)
		return;
	if (r->led) {
		iob_run_cancel(r);
		pthread_join(r->leader, NULL);
	}
	iob_result_free(r->suite);
	for (size_t i = 0; i < r->n; i++)
		free_planned(&r->planned[i]);
	free(r->planned);
	iobi_targets_free(&r->targets);
	if (r->cancel_fd >= 0)
		close(r->cancel_fd);
	if (r->done_fd >= 0)
		close(r->done_fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct iob_result *iob_suite_run(const struct iob_suite *s, struct iob_error *err)
{
	struct iob_result *result = NULL;
	struct iob_run *r = iob_run_start(s, err);
	if (!r)
		return NULL;
	wait_for_end(r);
	if (!r->error.code) {
		result = r->suite; /* spares a copy */
		r->suite = NULL;
	} else if (err) {
		*err = r->error;
	}
	iob_run_free(r);
	return result;
}

struct iob_result *iob_workload_run(const struct iob_workload *w, struct iob_error *err)
{
	struct iob_result *result = NULL;
	struct iob_suite *s = iob_suite_new(err);
	if (s && !iob_suite_add(s, w, err))
		result = iob_suite_run(s, err);
	iob_suite_free(s);
	return result;
}
