/* SPDX-License-Identifier: MIT */
/* From live workers to nodes of the result tree. */
#include "run/stage.h"
#include "run/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void iobi_stage_totals(const struct iobi_stage *s, struct iobi_totals *out)
{
	*out = (struct iobi_totals){ 0 };
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->live[i].plan->workers; k++) {
			const struct iobi_worker *w = &s->live[i].worker[k];
			out->in_flight += IOBI_LOAD(&w->in_flight);
			for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
				out->ios[op] += IOBI_LOAD(&w->meter[op].ios);
				out->bytes[op] += IOBI_LOAD(&w->meter[op].bytes);
			}
		}
}

/* ---- one worker ---- */

static struct iob_hist *copy_recorder(const struct iobi_recorder *r)
{
	struct iob_hist *h = iob_hist_new(r->bits, NULL);
	if (h && iobi_recorder_copy(r, h) < 0) {
		iob_hist_free(h);
		h = NULL;
	}
	if (h)
		iobi_hist_trim(h);
	return h;
}

/* A sync engine's call is the whole I/O, so its service time is its submit
 * time; in a closed loop every I/O is intended when it is submitted. */
static int copy_meter(const struct iobi_meter *m, bool sync, struct iobi_op_result *out)
{
	out->count[IOB_COUNT_ERRORS] = IOBI_LOAD(&m->errors);
	out->count[IOB_COUNT_SHORT] = IOBI_LOAD(&m->shorts);
	out->count[IOB_COUNT_BYTES] = IOBI_LOAD(&m->bytes);
	if (!m->service.counts)
		return 0;
	struct iob_hist **h = out->latency;
	h[IOB_LATENCY_SERVICE] = copy_recorder(&m->service);
	if (!h[IOB_LATENCY_SERVICE])
		return -ENOMEM;
	out->count[IOB_COUNT_IOS] = iob_hist_count(h[IOB_LATENCY_SERVICE]);
	h[IOB_LATENCY_RESPONSE] = m->response.counts ? copy_recorder(&m->response) :
						       iobi_hist_copy(h[IOB_LATENCY_SERVICE]);
	h[IOB_LATENCY_SUBMIT] =
		sync ? iobi_hist_copy(h[IOB_LATENCY_SERVICE]) : copy_recorder(&m->submit);
	return h[IOB_LATENCY_RESPONSE] && h[IOB_LATENCY_SUBMIT] ? 0 : -ENOMEM;
}

static void drop_meters(struct iob_result *r)
{
	for (int op = 0; op < IOBI_RESULT_OPS; op++) {
		for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
			iob_hist_free(r->op[op].latency[l]);
		r->op[op] = (struct iobi_op_result){ 0 };
	}
}

/* Counters that belong together; two loads, so there is soon a moment for them. */
struct moment {
	uint64_t ios, bytes;
};

static struct moment moment_of(const struct iobi_worker *w, int op)
{
	struct moment m;
	for (int tries = 0; tries <= IOBI_SEQ_TRIES; tries++) {
		uint32_t before = iobi_seq_read(&w->seq);
		m.ios = IOBI_LOAD(&w->meter[op].ios);
		m.bytes = IOBI_LOAD(&w->meter[op].bytes);
		if (iobi_seq_same(&w->seq, before))
			break;
		sched_yield();
	}
	return m;
}

/* A copy during which batches went on has more samples than its sums and bytes
 * know of, by many where this thread lost its CPU: the sums are taken from the
 * buckets then, the bytes from the mean size so far. */
static void settle(const struct iobi_worker *w, struct iob_result *r)
{
	for (int op = IOB_OP_READ; op < IOBI_METERS; op++) {
		struct iobi_op_result *o = &r->op[op];
		for (int l = 0; l < IOBI_RESULT_LATENCIES; l++)
			if (o->latency[l])
				iobi_hist_sums_from_buckets(o->latency[l]);
		struct moment m = moment_of(w, op);
		if (m.ios)
			o->count[IOB_COUNT_BYTES] = (uint64_t)((iobi_u128)m.bytes *
							       o->count[IOB_COUNT_IOS] / m.ios);
	}
}

/* A copy of one moment: tried again while the worker records a batch, but
 * never waited for. */
static int copy_meters(const struct iobi_worker *w, struct iob_result *r)
{
	bool sync = w->plan->ops->caps & IOB_ENGINE_SYNC;
	for (int tries = 0;; tries++) {
		uint32_t before = iobi_seq_read(&w->seq);
		int rc = 0;
		for (int op = IOB_OP_READ; !rc && op < IOBI_METERS; op++)
			rc = copy_meter(&w->meter[op], sync, &r->op[op]);
		if (rc || iobi_seq_same(&w->seq, before))
			return rc;
		if (tries >= IOBI_SEQ_TRIES) {
			settle(w, r);
			return 0;
		}
		drop_meters(r);
		sched_yield();
	}
}

static int copy_targets(const struct iobi_worker *w, struct iob_result *r)
{
	const struct iobi_plan *p = w->plan;
	if (p->ops->caps & IOB_ENGINE_NO_TARGET)
		return 0;
	r->targets = calloc(p->n_targets, sizeof(*r->targets));
	if (!r->targets)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct iobi_target *t = &p->target[i].known->t;
		struct iob_target_use *use = &r->targets[i];
		*use = (struct iob_target_use){
			.size = sizeof(*use),
			.path = strdup(t->path),
			.target_bytes = t->size,
			.ios = IOBI_LOAD(&w->target_meter[i].ios),
			.bytes = IOBI_LOAD(&w->target_meter[i].bytes),
			.errors = IOBI_LOAD(&w->target_meter[i].errors),
		};
		if (!use->path)
			return -ENOMEM;
		r->n_targets = i + 1;
	}
	if (p->n_targets == 1) /* the only target had it all */
		for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++) {
			r->targets[0].ios += r->op[op].count[IOB_COUNT_IOS];
			r->targets[0].bytes += r->op[op].count[IOB_COUNT_BYTES];
		}
	return 0;
}

/* Of a snapshot: what is due and waits, as behind an I/O that hangs. */
static void add_waiting(const struct iobi_worker *w, uint64_t now, struct iob_pace *p)
{
	uint64_t end = now < w->deadline_ns ? now : w->deadline_ns;
	for (int side = 0; side < 2; side++) {
		uint64_t due = IOBI_LOAD(&w->pace.due_ns[side]);
		double gap = w->plan->pace.gap_ns[side] * w->plan->workers;
		if (!due || end < w->start_ns || due > end || end - due < IOBI_LATE_NS)
			continue;
		p->worst_lag_ns = end - due > p->worst_lag_ns ? end - due : p->worst_lag_ns;
		due = due > w->start_ns ? due : w->start_ns;
		p->unissued += iobi_whole(floor((double)(end - due) / gap)) + 1;
	}
}

static int copy_pace(const struct iobi_worker *w, struct iob_result *r, uint64_t now)
{
	const struct iobi_pace_meter *m = &w->pace;
	struct iob_pace p = {
		.starts = IOBI_LOAD(&m->starts),
		.late = IOBI_LOAD(&m->late),
		.dropped = IOBI_LOAD(&m->dropped),
		.unissued = IOBI_LOAD(&m->unissued),
		.worst_lag_ns = IOBI_LOAD(&m->worst_lag_ns),
		.asked_iops = iobi_pace_rate(&w->plan->pace) / w->plan->workers,
	};
	if (!w->plan->pace.open)
		return 0;
	if (now)
		add_waiting(w, now, &p);
	if (p.starts)
		p.mean_lag_ns = (double)IOBI_LOAD(&m->lag_sum_ns) / (double)p.starts;
	return iobi_pace_join(r, &p);
}

/* A worker that does one at a time has nothing to count. */
static void copy_batches(const struct iobi_worker *w, const struct iob_result *r,
			 struct iobi_usage *u)
{
	if (w->plan->depth > 1 && !(w->plan->ops->caps & IOB_ENGINE_SYNC)) {
		for (int i = 0; i < IOBI_USAGE_CLASSES; i++) {
			u->depth[i] = IOBI_LOAD(&w->batches.depth[i]);
			u->submit[i] = IOBI_LOAD(&w->batches.submit[i]);
			u->complete[i] = IOBI_LOAD(&w->batches.complete[i]);
		}
		return;
	}
	for (int op = IOB_OP_READ; op <= IOB_OP_SYNC; op++)
		u->depth[0] += r->op[op].count[IOB_COUNT_IOS] + r->op[op].count[IOB_COUNT_ERRORS] +
			       r->op[op].count[IOB_COUNT_SHORT];
	u->submit[1] = u->complete[1] = u->depth[0];
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0; /* ticks are coarse */
}

/* Of a worker in its loop, from without. */
static void look_at_usage(const struct iobi_worker *w, struct iobi_usage *u)
{
	struct iobi_usage is = { 0 };
	const struct iobi_usage *was = &w->before;
	int tid = atomic_load(&w->tid);
	if (!tid || !iobi_thread_usage(tid, &is))
		return;
	u->ran_ns = since(iobi_now(&w->clock), w->loop_ns);
	u->user_ns = since(is.user_ns, was->user_ns);
	u->system_ns = since(is.system_ns, was->system_ns);
	u->switches = since(is.switches, was->switches);
	u->major_faults = since(is.major_faults, was->major_faults);
	u->minor_faults = since(is.minor_faults, was->minor_faults);
}

/* The times of a worker are exact once it has ended: ran_ns is set last. */
static int copy_usage(const struct iobi_worker *w, struct iob_result *r)
{
	struct iobi_usage *u = &r->usage;
	copy_batches(w, r, u);
	u->ran_ns = atomic_load(&w->ran_ns);
	if (!u->ran_ns) {
		look_at_usage(w, u);
		return 0;
	}
	u->user_ns = IOBI_LOAD(&w->user_ns);
	u->system_ns = IOBI_LOAD(&w->system_ns);
	u->switches = IOBI_LOAD(&w->switches);
	u->major_faults = IOBI_LOAD(&w->major_faults);
	u->minor_faults = IOBI_LOAD(&w->minor_faults);
	return 0;
}

static int copy_error(struct iobi_worker *w, struct iob_result *r)
{
	int rc = 0;
	pthread_mutex_lock(&w->lock);
	if (w->error.code) {
		r->error = malloc(sizeof(*r->error));
		if (r->error)
			*r->error = w->error;
		else
			rc = -ENOMEM;
		r->flags |= IOB_RESULT_ERRORS;
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

/* The measured window of a workload. */
struct window {
	uint64_t start, end;
};

static struct iob_result *worker_result(struct iobi_worker *w, const struct window *win,
					uint64_t started, uint64_t now)
{
	char name[32];
	snprintf(name, sizeof(name), "worker %" PRIu32, w->index);
	struct iob_result *r = iobi_result_new(IOB_LEVEL_WORKER, name);
	if (!r)
		return NULL;
	r->started_ns = started;
	r->elapsed_ns = win->end - win->start;
	r->unfinished = IOBI_LOAD(&w->in_flight);
	if (copy_meters(w, r) || copy_targets(w, r) || copy_pace(w, r, now) ||
	    copy_usage(w, r) || copy_error(w, r) || iobi_result_close(r)) {
		iob_result_free(r);
		return NULL;
	}
	return r;
}

/* ---- one workload ---- */

/* Whether it was time that ended the worker, or will. */
static bool timed(const struct iobi_worker *w, uint64_t now)
{
	return now || w->ended == IOBI_ENDED_RUNTIME || w->ended == IOBI_ENDED_STOPPED;
}

/* The end of a worker: its last completion, or later the time that ended it. */
static uint64_t end_of(const struct iobi_stage *s, const struct iobi_worker *w, uint64_t now)
{
	uint64_t last = IOBI_LOAD(&w->last_done_ns);
	if (now)
		return now;
	if (w->ended == IOBI_ENDED_RUNTIME && w->deadline_ns > last)
		return w->deadline_ns;
	if (w->ended == IOBI_ENDED_STOPPED && s->stop_ns > last)
		return s->stop_ns;
	return last;
}

/* A run that io_size ended is measured from its first I/O where it had no ramp:
 * a few of them take less time than it takes to wake the workers. */
static struct window window_of(const struct iobi_stage *s, const struct iobi_live *l, uint64_t now)
{
	struct window win = { .start = UINT64_MAX };
	for (uint32_t i = 0; i < l->plan->workers; i++) {
		const struct iobi_worker *w = &l->worker[i];
		uint64_t from = IOBI_LOAD(&w->first_ns), to = end_of(s, w, now);
		if (l->plan->ramp_ns || !from || timed(w, now))
			from = w->start_ns;
		if (from < win.start)
			win.start = from;
		if (to > win.end)
			win.end = to;
	}
	if (win.end < win.start)
		win.end = win.start;
	return win;
}

static int set_effective_number(struct iob_result *r, const char *name, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return iobi_pairs_set(&r->effective, name, text);
}

static int set_params(const struct iobi_plan *p, struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < iob_param_count(); i++) {
		char small[256], *text = small;
		const char *name = iob_param_info(i)->name;
		int n = iob_workload_get(p->w, name, small, sizeof(small));
		if (n >= (int)sizeof(small)) {
			text = malloc((size_t)n + 1);
			if (!text)
				return -ENOMEM;
			iob_workload_get(p->w, name, text, (size_t)n + 1);
		}
		rc = iobi_pairs_set(&r->params, name, text);
		if (!rc)
			rc = iobi_pairs_set(&r->effective, name, text);
		if (text != small)
			free(text);
	}
	return rc;
}

/* What ran differs from what was asked where the engine or a default decides. */
static int set_effective(const struct iobi_live *l, struct iob_result *r)
{
	const struct iobi_plan *p = l->plan;
	const struct iobi_plan_target *t = p->target;
	char text[32];
	int rc = iobi_pairs_set(&r->effective, "engine", p->ops->name);
	rc = rc ? rc : set_effective_number(r, "queue_depth", p->depth);
	rc = rc ? rc : set_effective_number(r, "seed", p->seed);
	iobi_format_size(text, sizeof(text), (int64_t)(t->slots * p->slot));
	rc = rc ? rc : iobi_pairs_set(&r->effective, "size", text);
	if (!rc && !p->w->mix[1].n)
		rc = iobi_pairs_set(&r->effective, "block_size_write",
				    iobi_pairs_get(&r->params, "block_size"));
	if (!rc && (p->ops->caps & IOB_ENGINE_NO_TARGET))
		rc = iobi_pairs_set(&r->effective, "direct", "false");
	if (!rc && l->worker[0].not_invalidated)
		rc = iobi_pairs_set(&r->effective, "invalidate", "false");
	bool sync = p->ops->caps & IOB_ENGINE_SYNC;
	rc = rc ? rc : iobi_pairs_set(&r->effective, "engine_kind", sync ? "sync" : "async");
	return rc ? rc : iobi_pairs_set(&r->effective, "engine_features", l->worker[0].features);
}

static void workload_name(const struct iobi_plan *p, size_t i, char *name, size_t n)
{
	const char *given = p->w->text[IOB_PARAM_NAME];
	if (given && *given)
		snprintf(name, n, "%s", given);
	else
		snprintf(name, n, "workload %zu", i + 1);
}

static int export_series(const struct iobi_series *s, struct iob_result *r)
{
	r->n_intervals = iobi_series_count(s);
	for (int op = 0; r->n_intervals && op < IOBI_OPS; op++) {
		r->interval[op] = iobi_series_export(s, (enum iob_op)op);
		if (!r->interval[op])
			return -ENOMEM;
	}
	return 0;
}

static int add_workers(const struct iobi_live *l, struct iob_result *r, const struct window *win,
		       uint64_t now)
{
	for (uint32_t i = 0; i < l->plan->workers; i++) {
		struct iob_result *child = worker_result(&l->worker[i], win, r->started_ns, now);
		if (!child || iobi_result_adopt(r, child))
			return -ENOMEM;
	}
	return 0;
}

static struct iob_result *workload_result(const struct iobi_stage *s, size_t i, uint64_t now)
{
	const struct iobi_live *l = &s->live[i];
	char name[256];
	workload_name(l->plan, i, name, sizeof(name));
	struct iob_result *r = iobi_result_new(IOB_LEVEL_WORKLOAD, name);
	if (!r)
		return NULL;
	struct window win = window_of(s, l, now);
	r->elapsed_ns = win.end - win.start;
	r->started_ns = s->go_epoch_ns + (win.start - s->go_ns);
	r->flags |= s->cancelled ? IOB_RESULT_CANCELLED : 0;
	r->flags |= now ? IOB_RESULT_PARTIAL : 0;
	int rc = set_params(l->plan, r);
	rc = rc ? rc : set_effective(l, r);
	rc = rc ? rc : export_series(l->series, r);
	rc = rc ? rc : iobi_watch_result(s->watch, s, i, r);
	iobi_senses_result(s->senses, s, i, r);
	rc = rc ? rc : add_workers(l, r, &win, now);
	if (rc || iobi_result_close(r)) {
		iob_result_free(r);
		return NULL;
	}
	return r;
}

struct iob_result *iobi_stage_result(const struct iobi_stage *s, uint64_t now)
{
	struct iob_result *r = iobi_result_new(IOB_LEVEL_STAGE, s->name);
	int rc = r ? export_series(s->series ? s->series : s->live[0].series, r) : -ENOMEM;
	for (size_t i = 0; !rc && i < s->n; i++) {
		struct iob_result *child = workload_result(s, i, now);
		rc = child ? iobi_result_adopt(r, child) : -ENOMEM;
		if (!rc && (!i || child->started_ns < r->started_ns))
			r->started_ns = child->started_ns;
	}
	if (rc || iobi_result_close(r)) {
		iob_result_free(r);
		return NULL;
	}
	return r;
}
