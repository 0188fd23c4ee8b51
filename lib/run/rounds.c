/* SPDX-License-Identifier: MIT */
/* Suites that are run in rounds, until they are steady. */
#include "result/rounds.h"
#include "measure/steady.h"
#include "run/guide.h"
#include "run/plan.h"
#include <errno.h>
#include <iobench/run.h>
#include <stdlib.h>

enum {
	ROUNDS = 25, /* of the specification */
	ROUNDS_MAX = 100000,
	STAGES_MAX = 10000000
};

/* The caller's plan in this version's form, and the rule it points to. */
struct asked {
	struct iob_steady_plan plan;
	struct iob_steady_rule rule;
};

static int take_plan(struct asked *to, const struct iob_steady_plan *plan, struct iob_error *err)
{
	int rc = IOBI_TAKE(struct iob_steady_plan, rule, &to->plan, plan, "plan", err);
	if (rc)
		return rc;
	if (!iob_steady_metric_name(to->plan.metric))
		return iobi_fail(err, EINVAL, "metric",
				 "%d is none; there are iops, bandwidth and latency",
				 (int)to->plan.metric);
	if (to->plan.max_rounds > ROUNDS_MAX)
		return iobi_fail(err, EINVAL, "max_rounds", "%u is more than %d",
				 to->plan.max_rounds, ROUNDS_MAX);
	if (!to->plan.max_rounds)
		to->plan.max_rounds = ROUNDS;
	return iobi_steady_take(&to->rule, to->plan.rule, err);
}

static int check_suite(const struct iob_suite *s, uint32_t max_rounds, uint32_t window,
		       struct iob_error *err)
{
	size_t cells = iob_suite_stage_count(s) - iob_suite_once_count(s);
	if (!iob_suite_stage_count(s))
		return iobi_fail(err, EINVAL, "suite", "the suite is empty: add a workload");
	if (!cells)
		return iobi_fail(
			err, EINVAL, "suite",
			"there is no stage that a round consists of: all of them run once, "
			"before the rounds");
	if (max_rounds < window)
		return iobi_fail(err, EINVAL, "max_rounds",
				 "%u rounds are less than the window, which has %u: it could never "
				 "be steady",
				 max_rounds, window);
	if (cells > STAGES_MAX / max_rounds)
		return iobi_fail(err, ERANGE, "max_rounds",
				 "%u rounds of %zu stages are more than %d stages", max_rounds,
				 cells, STAGES_MAX);
	return 0;
}

static bool any_tracked(const struct iob_suite *s)
{
	for (size_t i = 0; i < iob_suite_stage_count(s); i++)
		if (iob_suite_tracked(s, i))
			return true;
	return false;
}

static int fill_record(struct iobi_rounds *r, const struct iob_suite *s)
{
	bool some = any_tracked(s);
	int rc = 0;
	for (size_t i = 0; i < r->pub.cells && !rc; i++) {
		size_t stage = r->pub.once + i;
		rc = iobi_rounds_name(r, i, iob_suite_stage_name(s, stage),
				      !some || iob_suite_tracked(s, stage));
	}
	for (size_t i = 0; i < iob_suite_note_count(s) && !rc; i++)
		rc = iobi_rounds_note(r, iob_suite_note(s, i)->text);
	return rc;
}

static struct iobi_rounds *make_record(const struct iob_suite *s, const struct asked *asked,
				       struct iob_error *err)
{
	uint32_t max = asked->plan.max_rounds;
	size_t once = iob_suite_once_count(s);
	if (check_suite(s, max, asked->rule.window, err))
		return NULL;
	struct iobi_rounds *r = iobi_rounds_new(asked->plan.metric, &asked->rule, max, once,
						iob_suite_stage_count(s) - once);
	if (r && !fill_record(r, s))
		return r;
	iobi_rounds_free(r);
	iobi_no_memory(err);
	return NULL;
}

/* ---- what comes next ---- */

/* The guide's own. */
struct guided {
	struct iob_suite *suite;    /* all that is run, once or in each round */
	struct iobi_rounds *rounds; /* the result's; until it has begun, ours */
	bool given;                 /* it is the result's */
	uint32_t planned;           /* rounds */
};

static int begin(void *user, struct iob_result *suite)
{
	struct guided *g = user;
	suite->rounds = g->rounds;
	g->given = true;
	return 0;
}

/* Offsets must not be those of the round before: where a seed was set, each round
 * has its own of it; else one is drawn whenever a stage is planned. */
static int add_workload(struct iob_suite *s, const struct iob_workload *from, uint32_t round,
			struct iob_error *err)
{
	uint64_t seed = (uint64_t)iobi_param(from, IOB_PARAM_SEED);
	struct iob_workload *w = iob_workload_copy(from, err);
	int rc = w ? 0 : -ENOMEM;
	if (w && seed && round > 1) {
		seed = iobi_random_derive(seed, round, 6) & INT64_MAX;
		rc = iob_workload_set_int(w, IOB_PARAM_SEED, seed ? (int64_t)seed : 1, err);
	}
	rc = rc < 0 ? rc : iob_suite_add(s, w, err);
	iob_workload_free(w);
	return rc;
}

static int add_stage(struct iob_suite *s, const struct iob_suite *from, size_t stage,
		     uint32_t round, struct iob_error *err)
{
	int rc = iob_suite_next_stage(s, iob_suite_stage_name(from, stage), err);
	for (size_t i = 0; i < iob_suite_workload_count(from, stage) && rc >= 0; i++)
		rc = add_workload(s, iob_suite_workload(from, stage, i), round, err);
	return rc;
}

/* The first time also what runs once. */
static int next(void *user, struct iob_suite *s, struct iob_error *err)
{
	struct guided *g = user;
	size_t from = g->planned ? g->rounds->pub.once : 0;
	int rc = 0;
	if (g->planned && !iobi_rounds_go_on(g->rounds))
		return 0;
	g->planned++;
	for (size_t i = from; i < iob_suite_stage_count(g->suite) && rc >= 0; i++)
		rc = add_stage(s, g->suite, i, g->planned, err);
	return rc;
}

/* Their histograms are half of what a stage takes. */
static void drop_workers(struct iob_result *stage)
{
	for (size_t i = 0; i < stage->n_child; i++) {
		struct iob_result *w = stage->child[i];
		while (w->n_child)
			iob_result_free(w->child[--w->n_child]);
		free(w->child);
		w->child = NULL;
	}
}

static int ended(void *user, struct iob_result *suite)
{
	(void)user;
	if (iobi_rounds_many(suite->rounds))
		drop_workers(suite->child[suite->n_child - 1]);
	return iobi_rounds_close(suite);
}

static unsigned left(const void *user)
{
	const struct guided *g = user;
	return (unsigned)((g->rounds->pub.max_rounds - g->planned) * g->rounds->pub.cells);
}

static void drop(void *user)
{
	struct guided *g = user;
	if (!g->given)
		iobi_rounds_free(g->rounds);
	iob_suite_free(g->suite);
	free(g);
}

/* ---- the caller's side ---- */

static struct iob_suite *copy_of(const struct iob_suite *from, struct iob_error *err)
{
	struct iob_suite *s = iob_suite_new(err);
	int rc = s ? 0 : -ENOMEM;
	for (size_t i = 0; i < iob_suite_stage_count(from) && rc >= 0; i++)
		rc = add_stage(s, from, i, 1, err);
	if (rc >= 0)
		return s;
	iob_suite_free(s);
	return NULL;
}

static struct guided *make_guided(const struct iob_suite *s, const struct asked *asked,
				  struct iob_error *err)
{
	struct guided *g = calloc(1, sizeof(*g));
	if (!g) {
		iobi_no_memory(err);
		return NULL;
	}
	g->rounds = make_record(s, asked, err);
	g->suite = g->rounds ? copy_of(s, err) : NULL;
	if (g->suite)
		return g;
	drop(g);
	return NULL;
}

struct iob_run *iob_steady_start(const struct iob_suite *s, const struct iob_steady_plan *plan,
				 struct iob_error *err)
{
	const struct iob_steady_plan iops = { .size = sizeof(iops) };
	struct guided *g = NULL;
	struct asked asked;
	if (!s)
		iobi_is_null(err, "suite");
	else if (!take_plan(&asked, plan ? plan : &iops, err))
		g = make_guided(s, &asked, err);
	if (!g)
		return NULL;
	return iobi_run_guided(&(struct iobi_guide){ .user = g,
						     .begin = begin,
						     .next = next,
						     .ended = ended,
						     .left = left,
						     .drop = drop },
			       err);
}

struct iob_result *iob_steady_run(const struct iob_suite *s, const struct iob_steady_plan *plan,
				  struct iob_error *err)
{
	struct iob_run *run = iob_steady_start(s, plan, err);
	struct iob_result *r = run ? iob_run_result(run, err) : NULL;
	iob_run_free(run);
	return r;
}
