/* SPDX-License-Identifier: MIT */
/* Searches on an engine whose latency is a known function of its load: one server,
 * `serve_ns` an I/O. A closed loop's latency is depth x serve_ns, an open loop's
 * serve_ns up to the rate 1 / serve_ns and without bound above it.
 * ctest: serial novalgrind timeout=240 (it is about time) */
#include "support/script.h"
#include "support/test.h"

#include <math.h>

/* ---- the engine ---- */

struct server {
	uint64_t serve_ns;
	_Atomic unsigned opened; /* of how many stages */
	unsigned fail_from;      /* its stage from which on all I/O fails; 0: none */
	unsigned refuse_from;    /* its stage from which on it does not open; 0: none */
};

enum {
	FLYING = 1 << 12
};

struct queue {
	struct server *s;
	struct iob_io *io[FLYING]; /* a ring, in the order that they are served */
	uint64_t done_ns[FLYING];
	unsigned head, n;
	uint64_t free_ns; /* when the server has served all */
	bool fails;
};

static uint64_t clock_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int server_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct queue *q = calloc(1, sizeof(*q));
	q->s = env->user;
	unsigned stage = atomic_fetch_add(&q->s->opened, 1) + 1;
	if (q->s->refuse_from && stage >= q->s->refuse_from) {
		free(q);
		return iobi_fail(err, EMFILE, "engine", "told to fail");
	}
	q->fails = q->s->fail_from && stage >= q->s->fail_from;
	*state = q;
	return 0;
}

static int server_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct queue *q = state;
	uint64_t now = clock_ns();
	for (unsigned i = 0; i < n; i++) {
		unsigned at = (q->head + q->n++) % FLYING;
		q->free_ns = (q->free_ns > now ? q->free_ns : now) + q->s->serve_ns;
		q->done_ns[at] = q->free_ns;
		q->io[at] = ios[i];
	}
	return (int)n;
}

static int server_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
		       int64_t timeout_ns)
{
	struct queue *q = state;
	uint64_t now = clock_ns();
	unsigned n = 0;
	if (timeout_ns && q->n && q->done_ns[q->head] > now) {
		uint64_t wait = q->done_ns[q->head] - now;
		if (timeout_ns > 0 && (uint64_t)timeout_ns < wait)
			wait = (uint64_t)timeout_ns;
		nanosleep(&(struct timespec){ (time_t)(wait / 1000000000),
					      (long)(wait % 1000000000) },
			  NULL);
		now = clock_ns();
	}
	for (; n < max && q->n && q->done_ns[q->head] <= now; n++, q->n--) {
		done[n] = q->io[q->head];
		done[n]->result = q->fails ? -EIO : (int32_t)done[n]->len;
		q->head = (q->head + 1) % FLYING;
	}
	return (int)n;
}

static void server_close(void *state)
{
	free(state);
}

static const struct iob_engine_ops server_ops = { .size = sizeof(server_ops),
						  .caps = IOB_ENGINE_NO_TARGET,
						  .name = "server",
						  .open = server_open,
						  .submit = server_submit,
						  .reap = server_reap,
						  .close = server_close };

/* ---- helpers ---- */

static struct iob_search *make(const struct iob_engine_ops *ops, void *user, const char *params,
			       const char *settings)
{
	struct iob_error err = { 0 };
	struct iob_workload *w = workload(NULL, NULL, params);
	struct iob_search *s = NULL;
	char *copy = strdup(settings), *save;
	if (ops)
		ck_assert_int_eq(iob_workload_set_engine(w, ops, user, &err), 0);
	s = iob_search_new(w, &err);
	ck_assert_ptr_nonnull(s);
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, ':');
		*value++ = '\0';
		ck_assert_msg(!iob_search_set(s, p, value, &err), "%s: %s", err.where, err.message);
	}
	free(copy);
	iob_workload_free(w);
	return s;
}

static struct iob_result *found(struct server *server, const char *params, const char *settings)
{
	struct iob_error err = { 0 };
	struct iob_search *s = make(&server_ops, server, params, settings);
	struct iob_result *r = iob_search_run(s, &err);
	iob_search_free(s);
	ck_assert_msg(r != NULL, "%s: %s", err.where, err.message);
	ck_assert_ptr_nonnull(iob_result_search(r));
	ck_assert_uint_eq(iob_result_search_step_count(r), iob_result_child_count(r));
	return r;
}

/* Another load on the machine spoils a try; a defect spoils them all. */
enum {
	TRIES = 4
};

static int keep(void *user, const char *data, size_t len)
{
	iobi_text_add_n(user, data, len);
	return 0;
}

/* ---- what is found ---- */

/* 2 ms an I/O: depth x 2 ms; the mean is at most 13 ms up to depth 6. */
START_TEST(a_depth_by_littles_law)
{
	int64_t held = 0;
	for (int i = 0; i < TRIES && held != 6; i++) {
		struct server s = { .serve_ns = 2000000 };
		struct iob_result *r =
			found(&s, "size=10m runtime=400ms", "latency_target:mean=13ms");
		const struct iob_search_outcome *o = iob_result_search(r);
		held = o->held;
		ck_assert_str_eq(o->param, "queue_depth");
		ck_assert_int_eq(o->latency, IOB_LATENCY_SERVICE);
		if (o->answer == IOB_SEARCH_FOUND)
			ck_assert_int_eq(o->missed, o->held + 1);
		ck_assert_str_eq(iob_result_name(iob_result_child(r, 0)), "queue_depth=1");
		iob_result_free(r);
	}
	ck_assert_int_eq(held, 6);
}
END_TEST

/* 500 I/Os a second: below, latency is 2 ms, above a backlog grows. */
START_TEST(a_rate_that_the_server_can_do)
{
	bool good = false;
	for (int i = 0; i < TRIES && !good; i++) {
		struct server s = { .serve_ns = 2000000 };
		struct iob_result *r = found(&s, "size=10m runtime=1s arrival=fixed queue_depth=64",
					     "latency_target:p90=30ms");
		const struct iob_search_outcome *o = iob_result_search(r);
		const struct iob_search_step *first = iob_result_search_step(r, 0);
		ck_assert_str_eq(o->param, "rate_iops");
		ck_assert_int_eq(o->latency, IOB_LATENCY_RESPONSE);
		ck_assert_int_eq(first->value, 0);
		ck_assert_int_eq(first->verdict, IOB_SEARCH_NOT_JUDGED);
		ck_assert_str_eq(iob_result_name(iob_result_child(r, 0)), "closed loop");
		good = o->answer == IOB_SEARCH_FOUND && o->held >= 485 && o->held <= 515 &&
		       (double)o->missed <= (double)o->held * 1.02 + 1;
		iob_result_free(r);
	}
	ck_assert(good);
}
END_TEST

START_TEST(each_step_is_a_stage_in_order)
{
	struct server s = { .serve_ns = 1000000 };
	struct iob_result *r = found(&s, "size=10m runtime=200ms", "latency_target:mean=5500us");
	int64_t highest = 0;
	for (size_t i = 0; i < iob_result_search_step_count(r); i++) {
		const struct iob_search_step *step = iob_result_search_step(r, i);
		const struct iob_result *stage = iob_result_child(r, i);
		char depth[16];
		snprintf(depth, sizeof(depth), "%d", (int)step->value);
		ck_assert_str_eq(iob_result_effective(stage, "queue_depth"), depth);
		ck_assert_uint_ge(step->ios, ios(stage, IOB_OP_ALL));
		ck_assert_double_gt(step->iops, 0);
		ck_assert(step->verdict != IOB_SEARCH_NOT_JUDGED);
		if (step->verdict == IOB_SEARCH_HOLDS) {
			ck_assert_double_le(step->high_ns, 5.5e6);
			highest = step->value > highest ? step->value : highest;
		}
		if (step->verdict == IOB_SEARCH_MISSES)
			ck_assert_double_gt(step->low_ns, 5.5e6);
	}
	ck_assert_int_eq(highest, iob_result_search(r)->held);
	ck_assert_ptr_null(iob_result_search_step(r, iob_result_search_step_count(r)));
	ck_assert_ptr_null(iob_result_search(iob_result_child(r, 0)));
	iob_result_free(r);
}
END_TEST

START_TEST(nothing_holds)
{
	struct server s = { .serve_ns = 2000000 };
	struct iob_result *r = found(&s, "size=10m runtime=200ms", "latency_target:mean=1ms");
	const struct iob_search_outcome *o = iob_result_search(r);
	ck_assert_int_eq(o->answer, IOB_SEARCH_NOTHING);
	ck_assert_int_eq(o->held, 0);
	ck_assert_int_eq(o->missed, 1);
	ck_assert_uint_le(iob_result_child_count(r), 3); /* tries of the one value */
	iob_result_free(r);
}
END_TEST

START_TEST(everything_holds)
{
	struct server s = { .serve_ns = 1000000 };
	struct iob_result *r = found(&s, "size=10m runtime=200ms", "latency_target:mean=1s high:5");
	const struct iob_search_outcome *o = iob_result_search(r);
	ck_assert_int_eq(o->answer, IOB_SEARCH_EVERYTHING);
	ck_assert_int_eq(o->held, 5);
	ck_assert_int_eq(o->missed, 0);
	ck_assert_uint_eq(iob_result_child_count(r), 4); /* 1, 2, 4, 5 */
	iob_result_free(r);
}
END_TEST

/* 100 I/Os cannot tell p99.9: tried three times, then missed, and it says why. */
START_TEST(too_few_ios_are_told)
{
	struct server s = { .serve_ns = 2000000 };
	struct iob_result *r =
		found(&s, "size=10m runtime=200ms", "latency_target:p99.9=1s high:1");
	ck_assert_uint_eq(iob_result_child_count(r), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct iob_search_step *step = iob_result_search_step(r, i);
		ck_assert_int_eq(step->verdict, IOB_SEARCH_TOO_FEW);
		ck_assert_uint_eq(step->attempt, i + 1);
		ck_assert(isnan(step->high_ns));
	}
	ck_assert_uint_gt(iob_result_search_step(r, 2)->ios, iob_result_search_step(r, 1)->ios);
	ck_assert_str_eq(iob_result_name(iob_result_child(r, 2)), "queue_depth=1 try 3");
	ck_assert_int_eq(iob_result_search(r)->answer, IOB_SEARCH_NOTHING);
	iob_result_free(r);
}
END_TEST

/* The tries of a value are judged together: what one cannot tell, three can. */
START_TEST(tries_add_up)
{
	bool good = false;
	for (int i = 0; i < TRIES && !good; i++) {
		struct server s = { .serve_ns = 100000 };
		struct iob_result *r = found(&s,
					     "size=10m runtime=800ms arrival=fixed rate_iops=1000",
					     "latency_target:p99=2s high:1000 low:1000");
		good = iob_result_child_count(r) == 2 &&
		       iob_result_search_step(r, 0)->verdict == IOB_SEARCH_TOO_FEW &&
		       iob_result_search_step(r, 1)->verdict == IOB_SEARCH_HOLDS &&
		       iob_result_search(r)->answer == IOB_SEARCH_EVERYTHING;
		iob_result_free(r);
	}
	ck_assert(good);
}
END_TEST

/* ---- how it ends early ---- */

START_TEST(a_cancel_keeps_the_steps)
{
	struct server s = { .serve_ns = 1000000 };
	struct iob_search *search =
		make(&server_ops, &s, "size=10m runtime=300ms", "latency_target:mean=1s high:1000");
	struct iob_run *run = iob_search_start(search, NULL);
	struct iob_progress p = { .size = sizeof(p) };
	iob_search_free(search);
	ck_assert_ptr_nonnull(run);
	do {
		usleep(20000);
		iob_run_progress(run, &p);
	} while (p.stage < 2);
	ck_assert_uint_gt(p.stages, p.stage);
	struct iob_result *snap = iob_run_snapshot(run, NULL);
	ck_assert_uint_ge(iob_result_search_step_count(snap), 2);
	ck_assert_int_eq(iob_result_search(snap)->answer, IOB_SEARCH_UNFINISHED);
	iob_result_free(snap);
	iob_run_cancel(run);
	struct iob_result *r = iob_run_result(run, NULL);
	const struct iob_search_outcome *o = iob_result_search(r);
	ck_assert(iob_result_flags(r) & IOB_RESULT_CANCELLED);
	ck_assert_int_eq(o->answer, IOB_SEARCH_UNFINISHED);
	ck_assert_int_ge(o->held, 2);
	ck_assert_int_eq(o->missed, 0);
	iob_result_free(r);
	iob_run_free(run);
}
END_TEST

START_TEST(failed_io_ends_it)
{
	struct server s = { .serve_ns = 1000000, .fail_from = 3 };
	struct iob_result *r = found(&s, "size=10m runtime=200ms", "latency_target:mean=1s");
	const struct iob_search_outcome *o = iob_result_search(r);
	ck_assert(iob_result_flags(r) & IOB_RESULT_ERRORS);
	ck_assert_uint_eq(iob_result_child_count(r), 3);
	ck_assert_int_eq(iob_result_search_step(r, 2)->verdict, IOB_SEARCH_NOT_JUDGED);
	ck_assert_int_eq(o->answer, IOB_SEARCH_UNFINISHED);
	ck_assert_int_eq(o->held, 2);
	iob_result_free(r);
}
END_TEST

/* A step that cannot start fails the run; what was measured before is in a snapshot. */
START_TEST(a_step_that_cannot_start)
{
	struct server s = { .serve_ns = 1000000, .refuse_from = 3 };
	struct iob_search *search = make(&server_ops, &s, "size=10m runtime=200ms",
					 "latency_target:mean=1s");
	struct iob_error err = { 0 };
	struct iob_run *run = iob_search_start(search, &err);
	iob_search_free(search);
	ck_assert_ptr_nonnull(run);
	ck_assert_ptr_null(iob_run_result(run, &err));
	ck_assert_int_eq(err.code, EMFILE);
	struct iob_result *r = iob_run_snapshot(run, NULL);
	ck_assert_uint_eq(iob_result_search_step_count(r), 2);
	ck_assert_int_eq(iob_result_search(r)->answer, IOB_SEARCH_UNFINISHED);
	ck_assert_int_eq(iob_result_search(r)->held, 2);
	iob_result_free(r);
	iob_run_free(run);
}
END_TEST

/* ---- reports ---- */

START_TEST(every_report_has_the_steps)
{
	struct server s = { .serve_ns = 1000000 };
	struct iob_result *r = found(&s, "size=10m runtime=200ms", "latency_target:p50=4500us");
	struct iobi_text text = { 0 }, json = { 0 }, again = { 0 }, csv = { 0 };
	ck_assert_int_eq(iob_result_report(r, "text", keep, &text, NULL), 0);
	ck_assert_ptr_nonnull(strstr(text.data, "the highest queue_depth with p50 of service time "
						"at most 4.50 ms, to 2 %, each verdict at 95 %"));
	ck_assert_ptr_nonnull(strstr(text.data, "limit at |"));
	ck_assert_ptr_nonnull(strstr(text.data, "found: queue_depth "));
	ck_assert_int_eq(iob_result_report(r, "csv", keep, &csv, NULL), 0);
	ck_assert_ptr_nonnull(strstr(csv.data, ",search_value,search_attempt,search_verdict,"));
	ck_assert_int_eq(iob_result_report(r, "json", keep, &json, NULL), 0);
	struct iob_result *back = iob_result_read(json.data, json.len, "json", NULL);
	ck_assert_ptr_nonnull(back);
	const struct iob_search_outcome *a = iob_result_search(r), *b = iob_result_search(back);
	ck_assert_int_eq(a->held, b->held);
	ck_assert_int_eq(a->missed, b->missed);
	ck_assert_int_eq(b->answer, IOB_SEARCH_FOUND);
	ck_assert_double_eq(b->percentile, 50);
	ck_assert_uint_eq(iob_result_search_step_count(r), iob_result_search_step_count(back));
	iobi_text_free(&text);
	ck_assert_int_eq(iob_result_report(back, "text", keep, &again, NULL), 0);
	ck_assert_ptr_nonnull(strstr(again.data, "found: queue_depth "));
	iob_result_free(back);
	iob_result_free(r);
	iobi_text_free(&json);
	iobi_text_free(&again);
	iobi_text_free(&csv);
}
END_TEST

/* What a report was changed to, and what is said of it. */
static void unread(const char *json, const char *from, const char *to, const char *says)
{
	struct iobi_text t = { 0 };
	struct iob_error err = { 0 };
	const char *at = strstr(json, from);
	ck_assert_msg(at != NULL, "no %s", from);
	iobi_text_add_n(&t, json, (size_t)(at - json));
	iobi_text_add(&t, to);
	iobi_text_add(&t, at + strlen(from));
	ck_assert_ptr_null(iob_result_read(t.data, t.len, "json", &err));
	ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
	iobi_text_free(&t);
}

START_TEST(a_wrong_report_is_told)
{
	struct server s = { .serve_ns = 1000000 };
	struct iobi_text json = { 0 };
	struct iob_result *r = found(&s, "size=10m runtime=100ms", "latency_target:p50=1s high:1");
	ck_assert_int_eq(iob_result_report(r, "json", keep, &json, NULL), 0);
	unread(json.data, "\"everything holds\"", "\"lost\"", "search.answer: is \"lost\"");
	unread(json.data, "\"queue_depth\",\"target\"", "\"workers\",\"target\"",
	       "search.param: is \"workers\"");
	unread(json.data, "\"p50\"", "\"p101\"", "search.target.metric: is \"p101\"");
	unread(json.data, "\"held\":1", "\"held\":-1", "search.held: is -1");
	unread(json.data, "\"verdict\":\"holds\"", "\"verdict\":7", "search.steps[0].verdict");
	unread(json.data, "\"steps\":[", "\"steps\":[3,", "search.steps[0]: must be an object");
	iob_result_free(r);
	iobi_text_free(&json);
}
END_TEST

/* ---- what is refused ---- */

static void refused(const struct iob_engine_ops *ops, const char *params, const char *settings,
		    const char *where, const char *says)
{
	static struct script script;
	struct iob_error err = { 0 };
	struct iob_search *s = make(ops, &script, params, settings);
	ck_assert_ptr_null(iob_search_start(s, &err));
	ck_assert_msg(!strcmp(err.where, where), "%s: %s", err.where, err.message);
	ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
	iob_search_free(s);
}

START_TEST(what_cannot_be_searched)
{
	const char *p99 = "latency_target:p99=1ms";
	refused(NULL, "size=1m", "high:5", "latency_target", "as p99=1ms");
	refused(NULL, "size=1m", "latency_target:p99=1ns", "latency_target", "the clock can tell");
	refused(NULL, "size=1m io_size=1m", p99, "io_size", "end by runtime");
	refused(NULL, "size=1m ios=10", p99, "ios", "end by runtime");
	refused(NULL, "size=1m passes=1", p99, "passes", "end by runtime");
	refused(NULL, "size=1m runtime=0", p99, "runtime", "set it, as 10s");
	refused(NULL, "size=1m arrival=fixed rate_bytes=1m", p99, "rate_bytes", "leave rate_bytes");
	refused(NULL, "size=1m arrival=fixed catch_up=false", p99, "catch_up", "hides them");
	refused(NULL, "size=1m think_time=1ms", "latency_target:p99=1ms over:rate_iops",
		"think_time", "for arrival=closed");
	refused(NULL, "size=1m", "latency_target:p99=1ms low:10 high:5", "low", "high=5");
	refused(NULL, "size=1m", "latency_target:p99=1ms op:write", "op", "read_percent below 100");
	refused(&sync_ops, "size=1m", p99, "engine", "one I/O at a time");
}
END_TEST

/* Nothing is written without leave, whatever asks. */
START_TEST(writes_need_permission)
{
	char path[] = "/tmp/iobench-search-XXXXXX";
	int fd = mkstemp(path);
	struct iob_error err = { 0 };
	struct iob_workload *w = iob_workload_new(NULL);
	ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
	iob_workload_set(w, "read_percent", "50", NULL);
	iob_workload_set(w, "direct", "false", NULL);
	iob_workload_add_target(w, path, 0, NULL);
	struct iob_search *s = iob_search_new(w, NULL);
	iob_search_set(s, "latency_target", "p99=1ms", NULL);
	ck_assert_ptr_null(iob_search_start(s, &err));
	ck_assert_int_eq(err.code, EPERM);
	iob_search_free(s);
	iob_workload_free(w);
	unlink(path);
	close(fd);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		a_depth_by_littles_law,
		a_rate_that_the_server_can_do,
		each_step_is_a_stage_in_order,
		nothing_holds,
		everything_holds,
		too_few_ios_are_told,
		tries_add_up,
		a_cancel_keeps_the_steps,
		failed_io_ends_it,
		a_step_that_cannot_start,
		every_report_has_the_steps,
		a_wrong_report_is_told,
		what_cannot_be_searched,
		writes_need_permission,
	};
	return iob_test_list("search", 120, tests, IOBI_LEN(tests));
}

IOB_TEST_MAIN(suite)
