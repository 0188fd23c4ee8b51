/* SPDX-License-Identifier: MIT */
#include "run/run_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static double share_of_live(const struct iobi_live *l, uint64_t go, uint64_t now)
{
	double share = 0;
	if (l->plan->runtime_ns)
		share = (double)(now - go) / (double)iobi_plan_length(l->plan);
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

/* Stages that are yet to be planned, each as long as the last one that is. */
static size_t stages_to_come(const struct iob_run *r)
{
	return r->guide.left ? r->guide.left(r->guide.user) : 0;
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
	total += (double)stages_to_come(r) * (timed ? (double)r->planned[r->n - 1].length_ns : 1);
	double spent = (double)(now - r->start_ns);
	r->progress.stages = (uint32_t)(r->n + stages_to_come(r));
	r->progress.share = done / total;
	if (timed)
		r->progress.eta_ns = iobi_whole(total - done);
	else
		r->progress.eta_ns =
			done > 0 ? iobi_whole(spent * (total - done) / done) : UINT64_MAX;
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

void iobi_progress_update(struct iob_run *r, const struct iobi_stage *s, uint64_t now)
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

static void set_round(struct iob_run *r, size_t at)
{
	const struct iobi_rounds *rounds = r->suite->rounds;
	if (!rounds)
		return;
	r->progress.rounds = rounds->pub.max_rounds;
	if (at >= rounds->pub.once)
		r->progress.round = (uint32_t)((at - rounds->pub.once) / rounds->pub.cells) + 1;
}

static int phase_of(const struct iobi_live *l, uint64_t go_ns, uint64_t now)
{
	const struct iobi_plan *p = l->plan;
	if (!atomic_load(&l->left))
		return IOB_PHASE_ENDED;
	if (!go_ns || now < go_ns + p->delay_ns)
		return IOB_PHASE_WAITING;
	return now < go_ns + p->delay_ns + p->ramp_ns ? IOB_PHASE_RAMP : IOB_PHASE_RUNNING;
}

int iob_run_phase(struct iob_run *r, size_t stage, size_t workload)
{
	int phase = IOB_PHASE_WAITING;
	if (!iobi_run_ours(r))
		return -EINVAL;
	pthread_mutex_lock(&r->lock);
	const struct iobi_stage *s = stage == r->at ? r->stage : NULL;
	if (stage >= r->progress.stages || (s && workload >= s->n))
		phase = -ENOENT;
	else if (s)
		phase = phase_of(&s->live[workload], s->go_ns, iobi_now(iobi_clock()));
	else if (stage < iob_result_child_count(r->suite))
		phase = IOB_PHASE_ENDED;
	pthread_mutex_unlock(&r->lock);
	return phase;
}

void iobi_progress_begin(struct iob_run *r, struct iobi_stage *s, size_t at)
{
	pthread_mutex_lock(&r->lock);
	r->stage = s;
	r->at = at;
	r->last = (struct iobi_totals){ 0 };
	r->last_ns = s->go_ns;
	r->progress.stage = (uint32_t)at;
	set_round(r, at);
	r->progress.stages = (uint32_t)(r->n + stages_to_come(r));
	r->progress.share = at ? r->progress.share : 0; /* that of the files is over */
	snprintf(r->progress.name, sizeof(r->progress.name), "%s", s->name);
	pthread_mutex_unlock(&r->lock);
}

/* ---- files that are made first ---- */

void iobi_progress_fill(struct iob_run *r, uint64_t total)
{
	pthread_mutex_lock(&r->lock);
	r->filling = (struct iobi_filling){ .total = total, .told_ns = iobi_now(iobi_clock()) };
	snprintf(r->progress.name, sizeof(r->progress.name), "filling the files that are missing");
	pthread_mutex_unlock(&r->lock);
}

/* What is left to fill, then all stages, where their times are known. */
static uint64_t fill_eta(const struct iob_run *r, uint64_t left, double per_ns)
{
	uint64_t eta = per_ns > 0 ? iobi_whole((double)left / per_ns) : UINT64_MAX;
	for (size_t i = 0; i < r->n && eta != UINT64_MAX; i++)
		if (!r->planned[i].length_ns ||
		    __builtin_add_overflow(eta, r->planned[i].length_ns, &eta))
			eta = UINT64_MAX;
	return eta;
}

static void tell_filling(struct iob_run *r, uint64_t done, uint64_t now)
{
	struct iobi_filling *f = &r->filling;
	double per_ns = (double)(done - f->told) / (double)(now - f->told_ns);
	f->told = done;
	f->told_ns = now;
	r->progress.share = f->total ? fmin((double)done / (double)f->total, 1) : 0;
	r->progress.bytes_per_s[IOB_OP_WRITE] = r->progress.bytes_per_s[IOB_OP_ALL] = per_ns * 1e9;
	r->progress.eta_ns = fill_eta(r, f->total > done ? f->total - done : 0, per_ns);
}

void iobi_progress_filled(struct iob_run *r, uint64_t done)
{
	enum {
		OFTEN_NS = 100000000
	};
	struct iobi_filling *f = &r->filling;
	uint64_t now = iobi_now(iobi_clock());
	pthread_mutex_lock(&r->lock);
	if (done < f->last) /* the next file */
		f->before += f->last;
	f->last = done;
	if (now >= f->told_ns + OFTEN_NS)
		tell_filling(r, f->before + done, now);
	pthread_mutex_unlock(&r->lock);
}
