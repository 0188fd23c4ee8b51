/* SPDX-License-Identifier: MIT */
/* The calls of a search, and what must hold before one starts. */
#include "search/search_priv.h"
#include "engine/engines.h"
#include "run/clock.h"
#include "run/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <iobench/run.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_NS INT64_C(3000000000) /* of the closed loop that shows where to begin */
enum {
	DEPTH_MOST = 1024,
	RATE_MOST = 1000000000
};

struct iob_search *iob_search_new(const struct iob_workload *base, struct iob_error *err)
{
	struct iob_search *s = base ? calloc(1, sizeof(*s)) : NULL;
	if (!base) {
		iobi_is_null(err, "workload");
		return NULL;
	}
	if (s)
		s->base = iob_workload_copy(base, err);
	if (!s || !s->base) {
		free(s);
		iobi_no_memory(err);
		return NULL;
	}
	s->want = (struct iob_search_outcome){ .size = sizeof(s->want),
					       .tries = 3,
					       .percentile = NAN,
					       .resolution = 2,
					       .confidence = 95 };
	return s;
}

void iob_search_free(struct iob_search *s)
{
	if (s)
		iob_workload_free(s->base);
	free(s);
}

static struct iob_search *copy(const struct iob_search *s, struct iob_error *err)
{
	struct iob_search *c = iob_search_new(s->base, err);
	if (!c)
		return NULL;
	c->over = s->over;
	c->targeted = s->targeted;
	c->want = s->want;
	return c;
}

/* ---- a step's workload ---- */

static bool closed(const struct iob_workload *w)
{
	return iobi_param(w, IOB_PARAM_ARRIVAL) == IOBI_ARRIVAL_CLOSED;
}

static int set(struct iob_workload *w, enum iob_param p, int64_t value, struct iob_error *err)
{
	return iob_workload_set_int(w, p, value, err);
}

static int make_closed(struct iob_workload *w, struct iob_error *err)
{
	int rc = iob_workload_set(w, "arrival", "closed", err);
	return rc < 0 ? rc : set(w, IOB_PARAM_RATE_IOPS, 0, err);
}

static int make_probe(struct iob_workload *w, struct iob_error *err)
{
	int64_t runtime = iobi_param(w, IOB_PARAM_RUNTIME);
	int rc = make_closed(w, err);
	return rc < 0 ? rc
		      : set(w, IOB_PARAM_RUNTIME, runtime < PROBE_NS ? runtime : PROBE_NS, err);
}

static int make_rate(struct iob_workload *w, int64_t value, struct iob_error *err)
{
	int rc = 0;
	if (!value)
		return make_probe(w, err);
	if (closed(w))
		rc = iob_workload_set(w, "arrival", "fixed", err);
	return rc < 0 ? rc : set(w, IOB_PARAM_RATE_IOPS, value, err);
}

static int make_depth(struct iob_workload *w, int64_t value, struct iob_error *err)
{
	int rc = make_closed(w, err);
	return rc < 0 ? rc : set(w, IOB_PARAM_QUEUE_DEPTH, value, err);
}

struct iob_workload *iobi_search_workload(const struct iob_search *s, int64_t value,
					  struct iob_error *err)
{
	struct iob_workload *w = iob_workload_copy(s->base, err);
	if (w && (s->over == IOBI_OVER_RATE ? make_rate(w, value, err)
					    : make_depth(w, value, err)) < 0) {
		iob_workload_free(w);
		return NULL;
	}
	return w;
}

/* ---- what must hold ---- */

/* What two readings of the clock differ by, one behind the other, and how long it
 * takes to see another time: nothing shorter can be measured. */
static uint64_t clock_step(void)
{
	enum {
		READINGS = 1000
	};
	const struct iobi_clock *c = iobi_clock();
	uint64_t start = iobi_now(c), last = start, steps = 0;
	for (int i = 0; i < READINGS || !steps; i++) {
		uint64_t now = iobi_now(c);
		steps += now != last;
		last = now;
	}
	return (last - start) / steps;
}

static int check_target(const struct iob_search *s, struct iob_error *err)
{
	if (!s->targeted)
		return iobi_fail(err, EINVAL, "latency_target",
				 "there is no latency target; set one, as p99=1ms");
	uint64_t step = clock_step();
	if (s->want.limit_ns < step)
		return iobi_fail(err, EINVAL, "latency_target",
				 "%" PRIu64 " ns is below what the clock can tell here, %" PRIu64
				 " ns; set a longer one",
				 s->want.limit_ns, step);
	return 0;
}

/* A step ends by time, is one workload, and hides no start. */
static int check_base(const struct iob_workload *w, struct iob_error *err)
{
	static const enum iob_param ends[] = { IOB_PARAM_IO_SIZE, IOB_PARAM_PASSES, IOB_PARAM_IOS,
					       IOB_PARAM_MAKE_ONLY };
	for (size_t i = 0; i < IOBI_LEN(ends); i++)
		if (iobi_param(w, ends[i])) {
			const char *name = iob_param_info(ends[i])->name;
			return iobi_fail(err, EINVAL, name,
					 "the steps of a search end by runtime; leave %s at its "
					 "default",
					 name);
		}
	if (!iobi_param(w, IOB_PARAM_RUNTIME))
		return iobi_fail(
			err, EINVAL, "runtime",
			"runtime is 0, and the steps of a search end by it; set it, as 10s");
	return 0;
}

static int check_rate(const struct iob_workload *w, struct iob_error *err)
{
	static const enum iob_param others[] = { IOB_PARAM_RATE_IOPS_WRITE, IOB_PARAM_RATE_BYTES,
						 IOB_PARAM_RATE_BYTES_WRITE };
	for (size_t i = 0; i < IOBI_LEN(others); i++)
		if (iobi_param(w, others[i])) {
			const char *name = iob_param_info(others[i])->name;
			return iobi_fail(
				err, EINVAL, name,
				"a search varies rate_iops alone, of all I/Os; leave %s at 0",
				name);
		}
	if (!iobi_param(w, IOB_PARAM_CATCH_UP))
		return iobi_fail(err, EINVAL, "catch_up",
				 "false drops the starts that are late, which hides them from the "
				 "latency that is searched for; leave it true");
	return 0;
}

static const struct iob_engine_ops *engine_of(const struct iob_workload *w, struct iob_error *err)
{
	const char *name = w->text[IOB_PARAM_ENGINE];
	if (w->ops)
		return w->ops;
	return !name || !*name || !strcmp(name, "auto") ? iobi_engine_auto(0, err)
							: iobi_engine_find(name, err);
}

static int check_depth(struct iob_search *s, struct iob_error *err)
{
	const struct iob_engine_ops *ops = engine_of(s->base, err);
	if (!ops)
		return -EINVAL;
	if (ops->caps & IOB_ENGINE_SYNC)
		return iobi_fail(err, EINVAL, "engine",
				 "engine %s does one I/O at a time and has no depth to search; use "
				 "io_uring or libaio, or search a rate (arrival=fixed)",
				 ops->name);
	uint32_t most = iobi_engine_max_depth(ops);
	most = most < 65536 ? most : 65536;
	if (s->want.high > most)
		return iobi_fail(err, ERANGE, "high",
				 "%" PRId64 " is more than engine %s can have in flight, %" PRIu32,
				 s->want.high, ops->name, most);
	if (!s->want.high)
		s->want.high = most < DEPTH_MOST ? most : DEPTH_MOST;
	return 0;
}

static int check_op(const struct iob_search *s, struct iob_error *err)
{
	static const char *const make[] = { "", "read_percent above 0", "read_percent below 100",
					    "trim_percent above 0" };
	int64_t read = iobi_param(s->base, IOB_PARAM_READ_PERCENT);
	int64_t trim = iobi_param(s->base, IOB_PARAM_TRIM_PERCENT);
	const bool has[] = { true, read > 0 && trim < 100, read < 100 && trim<100, trim> 0 };
	if (has[s->want.op])
		return 0;
	return iobi_fail(err, EINVAL, "op", "the workload does no %ss; set %s, or op=all",
			 iobi_op_name(s->want.op), make[s->want.op]);
}

/* What was left open follows from the rest. */
static int set_bounds(struct iob_search *s, struct iob_error *err)
{
	struct iob_search_outcome *o = &s->want;
	double seconds = (double)iobi_param(s->base, IOB_PARAM_RUNTIME) / 1e9;
	bool rate = s->over == IOBI_OVER_RATE;
	o->param = iob_param_info(rate ? IOB_PARAM_RATE_IOPS : IOB_PARAM_QUEUE_DEPTH)->name;
	o->latency = rate ? IOB_LATENCY_RESPONSE : IOB_LATENCY_SERVICE;
	if (!o->high)
		o->high = RATE_MOST;
	if (!o->low)
		o->low = rate ? (int64_t)fmin(ceil(iobi_ios_needed(o) / seconds), (double)o->high)
			      : 1;
	if (o->low > o->high)
		return iobi_fail(err, EINVAL, "low",
				 "%" PRId64 " is above the highest value to try, high=%" PRId64,
				 o->low, o->high);
	return 0;
}

/* Completes a search, or says what is wrong with it. */
static int check(struct iob_search *s, struct iob_error *err)
{
	if (s->over == IOBI_OVER_AUTO)
		s->over = closed(s->base) ? IOBI_OVER_DEPTH : IOBI_OVER_RATE;
	bool rate = s->over == IOBI_OVER_RATE;
	int rc = check_target(s, err);
	rc = rc < 0 ? rc : check_base(s->base, err);
	rc = rc < 0 ? rc : check_op(s, err);
	rc = rc < 0 ? rc : rate ? check_rate(s->base, err) : check_depth(s, err);
	rc = rc < 0 ? rc : set_bounds(s, err);
	if (rc < 0)
		return rc;
	struct iob_workload *w = iobi_search_workload(s, s->want.low, err);
	rc = w ? iob_workload_check(w, err) : -ENOMEM;
	iob_workload_free(w);
	return rc;
}

struct iob_run *iob_search_start(const struct iob_search *s, struct iob_error *err)
{
	struct iob_search *c = s ? copy(s, err) : NULL;
	if (!s)
		iobi_is_null(err, "search");
	if (!c)
		return NULL;
	if (check(c, err) < 0) {
		iob_search_free(c);
		return NULL;
	}
	return iobi_search_lead(c, err);
}

struct iob_result *iob_search_run(const struct iob_search *s, struct iob_error *err)
{
	struct iob_run *run = iob_search_start(s, err);
	struct iob_result *r = run ? iob_run_result(run, err) : NULL;
	iob_run_free(run);
	return r;
}
