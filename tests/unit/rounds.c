/* SPDX-License-Identifier: MIT */
/* Suites in rounds, on an engine that does as many I/Os in a stage as the test says
 * and no more: the rate is that number over the stage's time, whatever the load.
 * Limits are wide and steps are steep all the same. */
#include "support/script.h"
#include "support/test.h"

#include <math.h>

enum {
	TRIES = 4
};

/* I/Os that each stage does, in the order they run; the last one for all that follow. */
struct pattern {
	const unsigned *ios;
	unsigned n;
	_Atomic unsigned opened;
	unsigned fail_stage;            /* from 1: its I/Os fail; 0: none */
	struct iob_run *_Atomic cancel; /* this run, when stage `cancel_stage` opens */
	unsigned cancel_stage;
};

struct at_stage {
	unsigned left;
	bool fails;
	_Atomic bool woken;
};

static int open_stage(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct pattern *p = env->user;
	struct at_stage *s = calloc(1, sizeof(*s));
	unsigned stage = atomic_fetch_add(&p->opened, 1);
	(void)err;
	s->left = p->ios[stage < p->n ? stage : p->n - 1];
	s->fails = stage + 1 == p->fail_stage;
	if (p->cancel_stage && stage + 1 == p->cancel_stage) {
		struct iob_run *run;
		while (!(run = p->cancel))
			usleep(100);
		iob_run_cancel(run);
	}
	*state = s;
	return 0;
}

/* The last one is done when the stage's time is over. */
static int submit_one(void *state, struct iob_io *const *io, unsigned n)
{
	struct at_stage *s = state;
	(void)n;
	if (s->left)
		s->left--;
	while (!s->left && !s->fails && !s->woken)
		usleep(500);
	io[0]->result = s->fails ? -EIO : (int32_t)io[0]->len;
	return 1;
}

static int wake(void *state)
{
	((struct at_stage *)state)->woken = true;
	return 0;
}

static const struct iob_engine_ops ops = { .size = sizeof(ops),
					   .caps = IOB_ENGINE_NO_TARGET | IOB_ENGINE_SYNC,
					   .name = "counted",
					   .open = open_stage,
					   .submit = submit_one,
					   .wake = wake,
					   .close = free };

static const struct iob_steady_rule wide = {
	.size = sizeof(wide), .window = 3, .excursion = 1, .slope = 1
};

/* A suite of `cells` stages, "a", "b" and so on, of 100 ms each. */
static struct iob_suite *suite_of(struct pattern *p, unsigned cells, const char *more)
{
	struct iob_error err = { 0 };
	struct iob_suite *s = iob_suite_new(&err);
	char params[128];
	snprintf(params, sizeof(params), "size=1m runtime=100ms buffer=zero %s", more);
	struct iob_workload *w = workload(&ops, NULL, params);
	ck_assert_int_eq(iob_workload_set_engine(w, &ops, p, &err), 0);
	for (unsigned i = 0; i < cells; i++) {
		const char name[] = { (char)('a' + i), '\0' };
		ck_assert_int_eq(iob_suite_next_stage(s, name, &err), 0);
		ck_assert_int_eq(iob_suite_add(s, w, &err), 0);
	}
	iob_workload_free(w);
	return s;
}

static struct iob_result *rounds_of(const struct iob_suite *s, struct iob_steady_plan plan)
{
	struct iob_error err = { 0 };
	plan.size = sizeof(plan);
	plan.rule = plan.rule ? plan.rule : &wide;
	struct iob_result *r = iob_steady_run(s, &plan, &err);
	ck_assert_msg(r != NULL, "%s: %s", err.where, err.message);
	ck_assert_ptr_nonnull(iob_result_rounds(r));
	return r;
}

/* Run up to four times, until it was steady where it should be. */
static struct iob_result *tried(struct pattern *p, const struct iob_suite *s,
				struct iob_steady_plan plan, unsigned steady_at)
{
	struct iob_result *r = NULL;
	for (int i = 0; i < TRIES; i++) {
		iob_result_free(r);
		p->opened = 0;
		r = rounds_of(s, plan);
		if (iob_result_rounds(r)->steady_at == steady_at)
			break;
	}
	ck_assert_uint_eq(iob_result_rounds(r)->steady_at, steady_at);
	return r;
}

START_TEST(steady_once_the_rate_is)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 5, 100 }, .n = 3 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_result *r = tried(&p, s, (struct iob_steady_plan){ 0 }, 5);
	const struct iob_rounds *o = iob_result_rounds(r);
	const struct iob_cell *c = iob_result_cell(r, 0);
	ck_assert(o->done == 5 && o->first == 3 && o->last == 5 && o->max_rounds == 25);
	ck_assert(o->window == 3 && o->cells == 1 && o->tracked == 1 && o->once == 0);
	ck_assert_uint_eq(iob_result_child_count(r), 5);
	ck_assert_uint_eq(p.opened, 5);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	ck_assert(c->tracked && c->steady && c->n_values == 5);
	ck_assert_str_eq(c->name, "a");
	ck_assert_uint_eq(ios(iob_result_cell_stage(r, 0, 1), IOB_OP_READ), 5);
	ck_assert_uint_eq(ios(iob_result_cell_stage(r, 0, 3), IOB_OP_READ), 100);
	ck_assert_double_le(c->values[0], 50);
	ck_assert_double_gt(c->values[2], 2 * c->values[0]);
	double mean = (c->values[2] + c->values[3] + c->values[4]) / 3;
	ck_assert_double_eq_tol(c->average, mean, 1e-9);
	ck_assert_double_eq_tol(iob_result_cell_mean(r, 0, IOB_OP_READ, IOB_STEADY_IOPS), mean,
				1e-9);
	ck_assert_double_eq_tol(iob_result_cell_mean(r, 0, IOB_OP_ALL, IOB_STEADY_BANDWIDTH),
				mean * 4096, 1e-3);
	ck_assert(isnan(iob_result_cell_mean(r, 0, IOB_OP_WRITE, IOB_STEADY_IOPS)));
	ck_assert_double_eq(c->values[1],
			    iob_result_iops(iob_result_cell_stage(r, 0, 2), IOB_OP_ALL));
	ck_assert_ptr_null(iob_result_cell_stage(r, 0, 6));
	ck_assert_ptr_null(iob_result_cell_stage(r, 0, 0));
	ck_assert_ptr_null(iob_result_cell(r, 1));
	ck_assert_ptr_null(iob_result_rounds(iob_result_child(r, 0)));
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

static size_t workers_of(const struct iob_result *r)
{
	return iob_result_child_count(iob_result_child(iob_result_child(r, 0), 0));
}

START_TEST(of_many_stages_each_is_small)
{
	struct pattern p = { .ios = (const unsigned[]){ 100 }, .n = 1 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_result *r = rounds_of(s, (struct iob_steady_plan){ .max_rounds = 100 });
	ck_assert_uint_eq(workers_of(r), 1);
	iob_result_free(r);
	r = rounds_of(s, (struct iob_steady_plan){ .max_rounds = 101 });
	ck_assert_uint_eq(workers_of(r), 0);
	const struct iob_result *stage = iob_result_child(r, 0);
	ck_assert_uint_eq(ios(stage, IOB_OP_READ), ios(iob_result_child(stage, 0), IOB_OP_READ));
	ck_assert_uint_ge(iob_hist_count(iob_result_hist(iob_result_child(stage, 0), IOB_OP_READ,
							 IOB_LATENCY_SERVICE)),
			  1);
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

START_TEST(never_steady_is_said)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 100, 5, 100, 5, 100 }, .n = 6 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_result *r = tried(&p, s, (struct iob_steady_plan){ .max_rounds = 6 }, 0);
	const struct iob_rounds *o = iob_result_rounds(r);
	ck_assert(o->done == 6 && o->first == 4 && o->last == 6);
	ck_assert(!iob_result_cell(r, 0)->steady);
	ck_assert_double_gt(iob_result_cell(r, 0)->excursion, 1);
	ck_assert_uint_eq(iob_result_flags(r), 0);
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

START_TEST(latency_is_steady_when_the_rate_is)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 100 }, .n = 2 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_result *r =
		tried(&p, s, (struct iob_steady_plan){ .metric = IOB_STEADY_LATENCY }, 4);
	const struct iob_cell *c = iob_result_cell(r, 0);
	ck_assert_double_ge(c->values[0], 50e6 / 5); /* one of five took the time */
	ck_assert_double_ge(c->average, 50e6 / 100);
	ck_assert_double_lt(c->average, c->values[0]);
	ck_assert_double_eq_tol(c->average,
				iob_result_cell_mean(r, 0, IOB_OP_ALL, IOB_STEADY_LATENCY), 1);
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

/* Cells a and b by turns; b alone goes on changing. */
static const unsigned two_cells[] = { 100, 5, 100, 100, 100, 5, 100, 100, 100, 5, 100, 100 };

START_TEST(all_tracked_cells_must_be)
{
	struct pattern p = { .ios = two_cells, .n = 12 };
	struct iob_suite *s = suite_of(&p, 2, "");
	struct iob_result *r = tried(&p, s, (struct iob_steady_plan){ .max_rounds = 6 }, 0);
	ck_assert_uint_eq(iob_result_rounds(r)->tracked, 2);
	ck_assert(iob_result_cell(r, 0)->steady && !iob_result_cell(r, 1)->steady);
	ck_assert_uint_eq(iob_result_child_count(r), 12);
	iob_result_free(r);

	ck_assert_int_eq(iob_suite_track(s, 0, NULL), 0);
	r = tried(&p, s, (struct iob_steady_plan){ .max_rounds = 6 }, 3);
	ck_assert_uint_eq(iob_result_rounds(r)->tracked, 1);
	ck_assert(iob_result_cell(r, 0)->tracked && !iob_result_cell(r, 1)->tracked);
	ck_assert_str_eq(iob_result_name(iob_result_child(r, 5)), "b");
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

START_TEST(stages_before_the_rounds_run_once)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 100 }, .n = 2 };
	struct iob_suite *s = suite_of(&p, 1, ""), *more = suite_of(&p, 2, "");
	ck_assert_int_eq(iob_suite_begin_rounds(s, NULL), 0);
	ck_assert_uint_eq(iob_suite_once_count(s), 1);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(iob_suite_next_stage(s, i ? "c" : "b", NULL), 0);
		ck_assert_int_eq(iob_suite_add(s, iob_suite_workload(more, i, 0), NULL), 0);
	}
	struct iob_result *r = tried(&p, s, (struct iob_steady_plan){ 0 }, 3);
	ck_assert_uint_eq(iob_result_child_count(r), 1 + 3 * 2);
	ck_assert_uint_eq(iob_result_rounds(r)->once, 1);
	ck_assert_str_eq(iob_result_name(iob_result_child(r, 0)), "a");
	ck_assert_str_eq(iob_result_cell(r, 0)->name, "b");
	ck_assert_str_eq(iob_result_name(iob_result_cell_stage(r, 1, 3)), "c");
	iob_result_free(r);

	p.opened = 0;
	r = iob_suite_run(s, NULL); /* each once, and no rounds */
	ck_assert_uint_eq(iob_result_child_count(r), 3);
	ck_assert_ptr_null(iob_result_rounds(r));
	iob_result_free(r);
	iob_suite_free(s);
	iob_suite_free(more);
}
END_TEST

static const char *seed_of(const struct iob_result *r, uint32_t round)
{
	return iob_result_effective(iob_result_cell_stage(r, 0, round), "seed");
}

START_TEST(each_round_has_a_seed_of_its_own)
{
	struct pattern p = { .ios = (const unsigned[]){ 100 }, .n = 1 };
	struct iob_suite *s = suite_of(&p, 1, "seed=77 runtime=20ms");
	struct iob_steady_plan plan = { .max_rounds = 3 };
	struct iob_result *a = rounds_of(s, plan), *b = rounds_of(s, plan);
	ck_assert_str_eq(seed_of(a, 1), "77");
	ck_assert_str_ne(seed_of(a, 2), "77");
	ck_assert_str_ne(seed_of(a, 2), seed_of(a, 3));
	ck_assert_str_eq(seed_of(a, 3), seed_of(b, 3));
	iob_result_free(a);
	iob_result_free(b);
	iob_suite_free(s);
}
END_TEST

START_TEST(a_cancelled_run_has_the_rounds_so_far)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 5, 100 }, .n = 3, .cancel_stage = 4 };
	struct iob_steady_plan plan = { .size = sizeof(plan), .rule = &wide };
	struct iob_suite *s = suite_of(&p, 2, "");
	struct iob_run *run = iob_steady_start(s, &plan, NULL);
	ck_assert_ptr_nonnull(run);
	p.cancel = run;
	struct iob_result *r = iob_run_result(run, NULL);
	const struct iob_rounds *o = iob_result_rounds(r);
	ck_assert_uint_eq(iob_result_flags(r) & IOB_RESULT_CANCELLED, IOB_RESULT_CANCELLED);
	ck_assert(o->done == 1 && o->steady_at == 0 && o->first == 1 && o->last == 1);
	ck_assert_uint_eq(iob_result_child_count(r), 4); /* a b a, and b cut short */
	ck_assert_uint_eq(iob_result_cell(r, 0)->n_values, 1);
	ck_assert_double_eq(iob_result_cell(r, 0)->average, iob_result_cell(r, 0)->values[0]);
	ck_assert(isnan(iob_result_cell(r, 0)->excursion));
	iob_result_free(r);
	iob_run_free(run);
	iob_suite_free(s);
}
END_TEST

START_TEST(errors_end_it)
{
	struct pattern p = { .ios = (const unsigned[]){ 100 }, .n = 1, .fail_stage = 2 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_result *r = rounds_of(s, (struct iob_steady_plan){ 0 });
	ck_assert_uint_eq(iob_result_rounds(r)->done, 2);
	ck_assert_uint_eq(iob_result_rounds(r)->steady_at, 0);
	ck_assert_uint_eq(iob_result_flags(r), IOB_RESULT_ERRORS);
	iob_result_free(r);
	iob_suite_free(s);

	p = (struct pattern){ .ios = p.ios, .n = 1, .fail_stage = 2 };
	s = suite_of(&p, 1, "on_error=continue"); /* the window goes past what failed */
	r = tried(&p, s, (struct iob_steady_plan){ 0 }, 5);
	ck_assert_double_eq(iob_result_cell(r, 0)->values[1], 0);
	iob_result_free(r);
	iob_suite_free(s);
}
END_TEST

static void take(struct iob_progress *p, struct iob_run *run)
{
	*p = (struct iob_progress){ .size = sizeof(*p) };
	ck_assert_int_eq(iob_run_progress(run, p), 0);
}

START_TEST(progress_and_snapshots_tell_the_round)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 100, 5, 100, 5, 100 }, .n = 6 };
	struct iob_steady_plan plan = { .size = sizeof(plan), .rule = &wide, .max_rounds = 6 };
	struct iob_suite *s = suite_of(&p, 1, "runtime=300ms");
	struct iob_run *run = iob_steady_start(s, &plan, NULL);
	struct iob_progress now, last = { 0 };
	struct iob_result *half = NULL;
	while (iob_run_wait(run, 50, NULL) != 1) {
		take(&now, run);
		ck_assert_uint_eq(now.rounds, 6);
		ck_assert_uint_ge(now.round, last.round);
		ck_assert_double_ge(now.share, last.share - 1e-9);
		if (now.round == 3 && !half)
			half = iob_run_snapshot(run, NULL);
		last = now;
	}
	take(&now, run);
	ck_assert(now.done && now.round == 6 && now.share == 1);
	ck_assert_ptr_nonnull(half);
	ck_assert_uint_ge(iob_result_rounds(half)->done, 2);
	ck_assert_uint_le(iob_result_rounds(half)->done, 3);
	iob_result_free(half);
	iob_run_free(run);
	iob_suite_free(s);
}
END_TEST

/* ---- recorded ---- */

struct text {
	char *data;
	size_t len;
};

static int append(void *user, const char *data, size_t len)
{
	struct text *t = user;
	t->data = realloc(t->data, t->len + len + 1);
	memcpy(t->data + t->len, data, len);
	t->len += len;
	t->data[t->len] = '\0';
	return 0;
}

/* From "rounds" to the stages. */
static char *record_of(const struct iob_result *r)
{
	struct text t = { 0 };
	ck_assert_int_eq(iob_result_report(r, "json", append, &t, NULL), 0);
	char *from = strstr(t.data, "\"rounds\""), *to = strstr(t.data, "\"stages\"");
	ck_assert(from && to && from < to);
	char *record = strndup(from, (size_t)(to - from));
	free(t.data);
	return record;
}

static struct iob_result *read_with(const char *json, const char *word, const char *other,
				    struct iob_error *err)
{
	struct text t = { 0 };
	const char *at = strstr(json, word);
	ck_assert_msg(at != NULL, "no %s", word);
	append(&t, json, (size_t)(at - json));
	append(&t, other, strlen(other));
	append(&t, at + strlen(word), strlen(at + strlen(word)));
	struct iob_result *r = iob_result_read(t.data, t.len, "json", err);
	free(t.data);
	return r;
}

static struct iob_result *recorded(struct text *json)
{
	struct pattern p = { .ios = (const unsigned[]){ 5, 100 }, .n = 2 };
	struct iob_suite *s = suite_of(&p, 2, "runtime=50ms");
	iob_suite_track(s, 1, NULL);
	iob_suite_add_note(s, "a \"note\"", NULL);
	struct iob_result *r = rounds_of(s, (struct iob_steady_plan){ .max_rounds = 4 });
	ck_assert_int_eq(iob_result_report(r, "json", append, json, NULL), 0);
	iob_suite_free(s);
	return r;
}

START_TEST(read_back_it_says_the_same)
{
	struct text json = { 0 };
	struct iob_result *r = recorded(&json), *back, *copy;
	const struct iob_result *part = r;
	back = iob_result_read(json.data, json.len, "json", NULL);
	copy = iob_result_merge(&part, 1, NULL);
	ck_assert(back && copy);
	char *a = record_of(r), *b = record_of(back), *c = record_of(copy);
	ck_assert_str_eq(a, b);
	ck_assert_str_eq(a, c);
	ck_assert_ptr_nonnull(strstr(a, "\"notes\": [\"a \\\"note\\\"\"]"));
	free(a);
	free(b);
	free(c);
	free(json.data);
	iob_result_free(r);
	iob_result_free(back);
	iob_result_free(copy);
}
END_TEST

START_TEST(a_record_that_is_none)
{
	static const char *const wrong[][3] = {
		{ "\"metric\": \"iops\"", "\"metric\": \"speed\"",
		  "must be iops, bandwidth or latency" },
		{ "\"window\": 3", "\"window\": 1", "window: 1 rounds are no window" },
		{ "\"window\": 3", "\"window\": 99999999999", "window is more than 2^31 - 1" },
		{ "\"excursion\": 1.0", "\"excursion\": -1.0", "excursion: -1.00 is no limit" },
		{ "\"slope\": 1.0", "\"slope\": \"1\"", "slope must be a number" },
		{ "\"once\": 0", "\"once\": 18446744073709551615", "" },
		{ "\"once\": 0", "\"once\": 99", "once is more than there are stages" },
		{ "\"tracked\":false", "\"tracked\":0", "tracked must be true or false" },
		{ "\"notes\": [", "\"notes\": [1,", "must be text" },
	};
	struct text json = { 0 };
	iob_result_free(recorded(&json));
	for (size_t i = 0; i < IOBI_LEN(wrong); i++) {
		struct iob_error err = { 0 };
		ck_assert_ptr_null(read_with(json.data, wrong[i][0], wrong[i][1], &err));
		ck_assert_int_eq(err.code, EINVAL);
		ck_assert_msg(strstr(err.message, wrong[i][2]), "\"%s\" in \"%s\"", wrong[i][2],
			      err.message);
	}
	/* Limits as other programs write them, and fewer rounds than there are stages of. */
	struct iob_result *r = read_with(json.data, "\"slope\": 1.0", "\"slope\": 1", NULL);
	ck_assert_double_eq(iob_result_rounds(r)->slope, 1);
	iob_result_free(r);
	r = read_with(json.data, "\"max_rounds\": 4", "\"max_rounds\": 2", NULL);
	ck_assert_uint_eq(iob_result_rounds(r)->done, 2);
	ck_assert_uint_eq(iob_result_rounds(r)->steady_at, 0);
	iob_result_free(r);
	free(json.data);
}
END_TEST

/* ---- what is refused ---- */

static void refused(const struct iob_suite *s, const struct iob_steady_plan *plan,
		    const char *where, const char *says)
{
	struct iob_error err = { 0 };
	ck_assert_ptr_null(iob_steady_start(s, plan, &err));
	ck_assert_str_eq(err.where, where);
	ck_assert_msg(strstr(err.message, says), "\"%s\" in \"%s\"", says, err.message);
}

START_TEST(what_is_no_plan)
{
	struct pattern p = { .ios = (const unsigned[]){ 100 }, .n = 1 };
	struct iob_suite *s = suite_of(&p, 1, ""), *empty = iob_suite_new(NULL);
	struct iob_steady_rule rule = wide;
	struct iob_steady_plan plan = { .size = sizeof(plan), .rule = &rule, .max_rounds = 2 };
	refused(s, &plan, "max_rounds", "2 rounds are less than the window, which has 3");
	plan.max_rounds = 1000000;
	refused(s, &plan, "max_rounds", "1000000 is more than 100000");
	plan.max_rounds = 3;
	rule.slope = -0.1;
	refused(s, &plan, "slope", "-0.1");
	rule = wide;
	plan.metric = (enum iob_steady_metric)9;
	refused(s, &plan, "metric", "there are iops, bandwidth and latency");
	plan.size = offsetof(struct iob_steady_plan, rule);
	refused(s, &plan, "plan", "sizeof(struct iob_steady_plan)");
	refused(empty, NULL, "suite", "empty");
	refused(NULL, NULL, "suite", "NULL");
	ck_assert_int_eq(iob_suite_begin_rounds(s, NULL), 0);
	refused(s, NULL, "suite", "no stage that a round consists of");
	ck_assert_uint_eq(p.opened, 0);
	iob_suite_free(s);
	iob_suite_free(empty);
}
END_TEST

START_TEST(what_cannot_be_tracked)
{
	struct pattern p = { .ios = (const unsigned[]){ 100 }, .n = 1 };
	struct iob_suite *s = suite_of(&p, 1, "");
	struct iob_error err = { 0 };
	ck_assert_int_eq(iob_suite_track(s, 1, &err), -EINVAL);
	ck_assert_str_eq(err.message, "there is no stage 1; there are 1");
	ck_assert_int_eq(iob_suite_begin_rounds(s, &err), 0);
	ck_assert_int_eq(iob_suite_track(s, 0, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.message, "stage 0, \"a\", runs once"));
	ck_assert_int_eq(iob_suite_begin_rounds(s, &err), -EINVAL);
	ck_assert_int_eq(iob_suite_tracked(s, 0), 0);
	ck_assert_int_eq(iob_suite_tracked(s, 5), 0);
	ck_assert_int_eq(iob_suite_add_note(s, "", &err), -EINVAL);
	ck_assert_int_eq(iob_suite_add_note(s, NULL, &err), -EINVAL);
	ck_assert_int_eq(iob_suite_add_note(s, "purge: none", &err), 0);
	ck_assert_str_eq(iob_suite_note(s, 0)->text, "purge: none");
	iob_suite_free(s);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("rounds");
	TCase *t = tcase_create("rounds");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, steady_once_the_rate_is);
	tcase_add_test(t, of_many_stages_each_is_small);
	tcase_add_test(t, never_steady_is_said);
	tcase_add_test(t, latency_is_steady_when_the_rate_is);
	tcase_add_test(t, all_tracked_cells_must_be);
	tcase_add_test(t, stages_before_the_rounds_run_once);
	tcase_add_test(t, each_round_has_a_seed_of_its_own);
	tcase_add_test(t, a_cancelled_run_has_the_rounds_so_far);
	tcase_add_test(t, errors_end_it);
	tcase_add_test(t, progress_and_snapshots_tell_the_round);
	tcase_add_test(t, read_back_it_says_the_same);
	tcase_add_test(t, a_record_that_is_none);
	tcase_add_test(t, what_is_no_plan);
	tcase_add_test(t, what_cannot_be_tracked);
	suite_add_tcase(s, t);
	return s;
}

IOB_TEST_MAIN(suite)
