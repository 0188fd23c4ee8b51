/* SPDX-License-Identifier: MIT */
/* The guide of a search's run: makes a stage of the value to try, cuts it into
 * batches while it runs, judges it when it has ended. */
#include "run/guide.h"
#include "run/stage.h"
#include "search/search_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LEFT_AFTER_PROBE = 8
};

struct steps {
	struct iob_search *s;
	struct iobi_bracket bracket;
	uint32_t attempt; /* at bracket.next; 0: the closed loop at the start */
	bool over;        /* it cannot go on */
	struct iobi_sample sample;
	struct iob_hist *seen; /* up to the last batch */
	uint64_t batch_ns;     /* where that ended; 0: there was none */
};

/* ---- what comes next ---- */

static void name_step(const struct steps *st, char *name, size_t n)
{
	const char *param = st->s->want.param;
	if (!st->attempt)
		snprintf(name, n, "closed loop");
	else if (st->attempt == 1)
		snprintf(name, n, "%s=%" PRId64, param, st->bracket.next);
	else
		snprintf(name, n, "%s=%" PRId64 " try %" PRIu32, param, st->bracket.next,
			 st->attempt);
}

static bool is_over(const struct steps *st)
{
	return st->over || (st->attempt && !st->bracket.next);
}

static int next_step(void *user, struct iob_suite *suite, struct iob_error *err)
{
	struct steps *st = user;
	char name[64];
	if (is_over(st))
		return 0;
	struct iob_workload *w =
		iobi_search_workload(st->s, st->attempt ? st->bracket.next : 0, err);
	name_step(st, name, sizeof(name));
	int rc = w ? iob_suite_next_stage(suite, name, err) : -ENOMEM;
	rc = rc < 0 ? rc : iob_suite_add(suite, w, err);
	iob_workload_free(w);
	return rc;
}

static unsigned steps_left(const void *user)
{
	const struct steps *st = user;
	if (is_over(st))
		return 0;
	/* The one that runs is planned already. */
	unsigned n = st->attempt ? iobi_bracket_left(&st->bracket) : LEFT_AFTER_PROBE;
	return n ? n - 1 : 0;
}

/* ---- while it runs ---- */

static uint64_t start_of(const struct iobi_stage *stage)
{
	return stage->live[0].worker[0].start_ns;
}

/* Batches end at whole tenths of the runtime. */
static uint64_t batch_due(const void *user, const struct iobi_stage *stage)
{
	const struct steps *st = user;
	uint64_t start = start_of(stage), length = stage->live[0].plan->runtime_ns / IOBI_BATCHES;
	uint64_t from = st->batch_ns ? st->batch_ns : start;
	uint64_t k = length ? (from - start) / length + 1 : IOBI_BATCHES;
	return k < IOBI_BATCHES ? start + k * length : UINT64_MAX;
}

static int add_batch(struct steps *st, const struct iobi_stage *stage, uint64_t now)
{
	const struct iob_search_outcome *want = &st->s->want;
	struct iobi_sample *sample = &st->sample;
	uint64_t start = start_of(stage), from = st->batch_ns ? st->batch_ns : start;
	struct iob_hist *all = iobi_live_latency(&stage->live[0], want->op, want->latency);
	struct iob_hist *h = all && st->seen ? iobi_hist_since(all, st->seen)
			     : all           ? iobi_hist_copy(all)
					     : NULL;
	if (h && h->count && sample->n < IOBI_POINTS) {
		sample->at[sample->n] = (double)(from / 2 + now / 2 - start) / 1e9;
		sample->mean[sample->n++] = iob_hist_mean(h) / 1e9;
	}
	iob_hist_free(st->seen);
	st->seen = all;
	st->batch_ns = now;
	return iobi_batches_add(&sample->batches, h);
}

static int look(void *user, const struct iobi_stage *stage, uint64_t now, bool last)
{
	struct steps *st = user;
	if (now <= start_of(stage) || (!last && now < batch_due(st, stage)))
		return 0;
	return add_batch(st, stage, now);
}

/* ---- when it has ended ---- */

static void end_try(struct steps *st)
{
	iob_hist_free(st->seen);
	st->seen = NULL;
	st->batch_ns = 0;
	st->sample.n = 0;
}

static void end_value(struct steps *st)
{
	iobi_batches_free(&st->sample.batches);
	st->sample = (struct iobi_sample){ 0 };
}

/* Where to begin: an open loop keeps up with half of what a closed one did. */
static void begin(struct steps *st, double first)
{
	const struct iob_search_outcome *want = &st->s->want;
	iobi_bracket_init(&st->bracket, want->low, want->high, 1 + want->resolution / 100,
			  (int64_t)first);
	st->attempt = 1;
}

/* What is missed is never tried again: a rate that was not reached, but whose
 * latency is not over the limit, may have been kept from it by a stall at the
 * end, of the machine's and not of the device's. */
static bool once_more(const struct steps *st, const struct iob_search_step *step)
{
	if (st->attempt >= st->s->want.tries)
		return false;
	if (step->verdict == IOB_SEARCH_SATURATED)
		return st->attempt == 1 && !(step->low_ns > (double)st->s->want.limit_ns);
	return step->verdict == IOB_SEARCH_UNDECIDED || step->verdict == IOB_SEARCH_TOO_FEW;
}

static void go_on(struct steps *st, const struct iob_search_step *step)
{
	if (!st->attempt) {
		end_value(st);
		begin(st, step->iops / 2);
	} else if (once_more(st, step)) {
		st->attempt++;
	} else {
		end_value(st);
		iobi_bracket_judge(&st->bracket, step->verdict == IOB_SEARCH_HOLDS);
		st->attempt = 1;
	}
}

/* I/O that failed, or a cancel: the step says nothing. */
static bool cut_short(const struct steps *st, const struct iob_result *stage)
{
	bool goes_on = iobi_param(st->s->base, IOB_PARAM_ON_ERROR) == IOBI_ON_ERROR_CONTINUE;
	return stage->flags & IOB_RESULT_CANCELLED ||
	       (stage->flags & IOB_RESULT_ERRORS && !goes_on);
}

static void conclude(const struct steps *st, struct iob_search_outcome *o)
{
	o->held = st->bracket.held;
	o->missed = st->bracket.missed;
	o->answer = st->over || !st->attempt ? IOB_SEARCH_UNFINISHED
					     : iobi_bracket_answer(&st->bracket);
}

static int begin_log(void *user, struct iob_result *suite)
{
	const struct steps *st = user;
	suite->search = iobi_search_copy(&(struct iobi_search_log){ .outcome = st->s->want });
	return suite->search ? 0 : -ENOMEM;
}

static int step_ended(void *user, struct iob_result *suite)
{
	struct steps *st = user;
	const struct iob_result *stage = suite->child[suite->n_child - 1];
	struct iob_search_step step = { .attempt = st->attempt,
					.value = st->attempt ? st->bracket.next : 0 };
	st->sample.ios += iob_result_count(stage, IOB_OP_ALL, IOB_COUNT_IOS);
	st->sample.elapsed_ns += stage->elapsed_ns;
	iobi_judge(&st->s->want, &st->sample, st->attempt ? stage->pace : NULL, &step);
	st->over = cut_short(st, stage);
	if (st->over || !st->attempt)
		step.verdict = IOB_SEARCH_NOT_JUDGED;
	int rc = iobi_search_add(suite->search, &step);
	end_try(st);
	if (!st->over)
		go_on(st, &step);
	conclude(st, &suite->search->outcome);
	return rc;
}

static void drop(void *user)
{
	struct steps *st = user;
	end_try(st);
	end_value(st);
	iob_search_free(st->s);
	free(st);
}

struct iob_run *iobi_search_lead(struct iob_search *s, struct iob_error *err)
{
	int64_t first = 0;
	struct steps *st = calloc(1, sizeof(*st));
	if (!st) {
		iob_search_free(s);
		iobi_no_memory(err);
		return NULL;
	}
	st->s = s;
	bool rate = s->over == IOBI_OVER_RATE;
	iob_workload_get_int(s->base, rate ? IOB_PARAM_RATE_IOPS : IOB_PARAM_QUEUE_DEPTH, &first);
	if (first)
		begin(st, (double)first);
	struct iobi_guide guide = { .user = st,
				    .begin = begin_log,
				    .next = next_step,
				    .due = batch_due,
				    .look = look,
				    .ended = step_ended,
				    .left = steps_left,
				    .drop = drop };
	return iobi_run_guided(&guide, err);
}
