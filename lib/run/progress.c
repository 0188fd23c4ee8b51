/* SPDX-License-Identifier: MIT */
#include "run/run_priv.h"

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

void iobi_progress_begin(struct iob_run *r, struct iobi_stage *s, size_t at)
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
