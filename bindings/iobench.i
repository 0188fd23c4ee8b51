/* SPDX-License-Identifier: MIT */
/*
 * The library's public headers as a private module of Python (_iobench) and of
 * Perl (IO::Bench::_swig). The classes that people use stand above it, written
 * by hand. What a language makes of handles, texts and errors is in its own
 * file: bindings/python/python.i, bindings/perl/perl.i.
 *
 * The headers' rules are what the typemaps go by: a non-const pointer returned
 * is the caller's, so its handle frees it; a const one belongs to the object it
 * came from, so the classes above keep that alive. A struct iob_error * that a
 * call fills becomes an exception.
 */
#ifdef SWIGPYTHON
%module _iobench
#else
%module "IO::Bench::_swig"
#endif

%{
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <iobench/engine.h>
#include <iobench/iobench.h>
%}

%{
/* A run that nobody holds any more is cancelled. Freeing it waits for the
 * kernel, perhaps for long; past a fifth of a second a thread of its own does that. */
static void *free_run(void *run)
{
	iob_run_free(run);
	return NULL;
}

static void drop_run(struct iob_run *run)
{
	pthread_t thread;
	sigset_t all, mask;
	iob_run_cancel(run);
	if (iob_run_wait(run, 200, NULL) == 1) {
		iob_run_free(run);
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	if (!pthread_create(&thread, NULL, free_run, run))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Bytes that a call made; the typemap frees them. */
struct bytes {
	char *data; /* NULL: none */
	size_t len, room;
};

/* The buckets of a histogram side by side: n counts, n + 1 edges. */
struct grid {
	uint64_t *edges, *counts; /* NULL: no memory */
	size_t n;
};
%}

#ifdef SWIGPYTHON
%include "python/python.i"
#else
%include "perl/perl.i"
#endif

%include <stdint.i>
%include <typemaps.i>
%apply uint64_t *OUTPUT { uint64_t *value, uint64_t *low, uint64_t *high };
%apply int64_t *OUTPUT { int64_t *value };
%apply const char *name { const char *block_sizes, const char *purge };
%apply unsigned int *OUTPUT { unsigned *flags };

HANDLE(workload)
HANDLE(suite)
RUN_HANDLE
HANDLE(result)
HANDLE(hist)
HANDLE(device)
HANDLE(search)

/* These open files, wait, or go through much memory. */
BLOCKS(iob_run_start)
BLOCKS(iob_run_result)
BLOCKS(iob_run_snapshot)
BLOCKS(iob_suite_run)
BLOCKS(iob_workload_run)
BLOCKS(iob_search_start)
BLOCKS(iob_search_run)
BLOCKS(steady_start)
BLOCKS(suite_add_pts)
BLOCKS(iob_suite_add_precondition)
BLOCKS(iob_workload_check)
BLOCKS(iob_result_merge)
BLOCKS(iob_result_read)
BLOCKS(iob_suite_from_fio_file)
BLOCKS(iob_suite_from_fio_args)
BLOCKS(run_wait)
BLOCKS(result_report)
BLOCKS(iob_device_open)
BLOCKS(device_report)
BLOCKS(compare_report)
BLOCKS(engine_probe)

/* Handles free themselves; the others are written anew below. */
%ignore iob_workload_free;
%ignore iob_suite_free;
%ignore iob_run_free;
%ignore iob_result_free;
%ignore iob_hist_free;
%ignore iob_device_free;
%ignore iob_search_free;
%ignore iob_steady_start;
%ignore iob_steady_run;
%ignore iob_steady_judge;
%ignore iob_steady_pts;
%ignore iob_suite_add_pts;
%ignore iob_steady;
%ignore iob_steady_rule;
%ignore iob_steady_plan;
%ignore iob_pts_plan;
%ignore iob_rounds::notes;
%ignore iob_cell::values;
%ignore iob_workload_set_engine;
%ignore iob_workload_get;
%ignore iob_run_wait;
%ignore iob_hist_buckets;
%ignore iob_result_report;
%ignore iob_device_report;

/* A struct has that name as well. */
%rename(iob_param_get) iob_param_info(size_t);
%rename(iob_finding_kind) iob_finding_info(size_t);
%rename(iob_fio_option_get) iob_fio_option(size_t);
%rename(iob_device_user_get) iob_device_user(const struct iob_device *, size_t);
%rename(iob_device_signature_get) iob_device_signature(const struct iob_device *, size_t);

%immutable;
%nodefaultctor;
%nodefaultdtor;
%ignore iob_error;
%ignore iob_progress;
%ignore iob_axis;
%include <iobench/version.h>
%include <iobench/error.h>
%include <iobench/hist.h>
%include <iobench/workload.h>
%include <iobench/suite.h>
%include <iobench/fio.h>
%include <iobench/result.h>
%include <iobench/device.h>
%include <iobench/finding.h>
%include <iobench/run.h>
%include <iobench/search.h>
%include <iobench/steady.h>
%include <iobench/pts.h>
%include <iobench/report.h>

%inline %{
/* A signal ends the wait early, and is no error. */
static int run_wait(struct iob_run *r, int timeout_ms)
{
	return iob_run_wait(r, timeout_ms, NULL);
}

static struct bytes workload_text(const struct iob_workload *w, const char *name)
{
	struct bytes text = { 0 };
	int len = iob_workload_get(w, name, NULL, 0);
	if (len < 0 || !(text.data = malloc((size_t)len + 1)))
		return text;
	text.len = (size_t)len;
	iob_workload_get(w, name, text.data, text.len + 1);
	return text;
}

static const char *engine_name(size_t i)
{
	const struct iob_engine_ops *ops = iob_engine_get(i);
	return ops ? ops->name : NULL;
}

static unsigned engine_caps(size_t i)
{
	const struct iob_engine_ops *ops = iob_engine_get(i);
	return ops ? ops->caps : 0;
}

static int engine_probe(size_t i, struct iob_error *err)
{
	const struct iob_engine_ops *ops = iob_engine_get(i);
	return ops && ops->probe ? ops->probe(err) : 0;
}
%}

%{
static struct bytes doubles(const double *v, size_t n)
{
	struct bytes b = { .len = n * sizeof(*v), .data = malloc(n * sizeof(*v) + 1) };
	if (b.data && n)
		memcpy(b.data, v, b.len);
	return b;
}

static struct iob_steady_rule rule_of(unsigned window, double excursion, double slope)
{
	return (struct iob_steady_rule){ sizeof(struct iob_steady_rule), window, excursion, slope };
}
%}

%inline %{
/* The values are packed doubles, and so are steady, round, average, excursion and slope. */
static struct bytes steady_judge(const char *data, size_t len, unsigned window, double excursion,
				 double slope, struct iob_error *err)
{
	struct iob_steady_rule rule = rule_of(window, excursion, slope);
	struct iob_steady s = { .size = sizeof(s) };
	struct bytes none = { 0 };
	size_t n = len / sizeof(double);
	double *v = malloc(len + 1);
	if (!v)
		return none;
	memcpy(v, data, n * sizeof(*v)); /* it need not be aligned */
	int rc = iob_steady_judge(v, n, &rule, &s, err);
	free(v);
	if (rc < 0)
		return none;
	const double out[] = { s.steady, (double)s.round, s.average, s.excursion, s.slope };
	return doubles(out, sizeof(out) / sizeof(out[0]));
}

static struct iob_run *steady_start(const struct iob_suite *s, int metric, unsigned max_rounds,
				    unsigned window, double excursion, double slope,
				    struct iob_error *err)
{
	struct iob_steady_rule rule = rule_of(window, excursion, slope);
	struct iob_steady_plan plan = { .size = sizeof(plan),
					.metric = (enum iob_steady_metric)metric,
					.max_rounds = max_rounds,
					.rule = &rule };
	return iob_steady_start(s, &plan, err);
}

static int suite_add_pts(struct iob_suite *s, const struct iob_workload *base, int test,
			 int no_precondition, const char *block_sizes, const char *purge,
			 struct iob_error *err)
{
	struct iob_pts_plan plan = { .size = sizeof(plan),
				     .test = (enum iob_pts)test,
				     .no_precondition = no_precondition != 0,
				     .block_sizes = block_sizes,
				     .purge = purge };
	return iob_suite_add_pts(s, base, &plan, err);
}

/* Members that are arrays. */
static const char *rounds_note(const struct iob_rounds *r, unsigned i)
{
	return i < r->n_notes ? r->notes[i] : NULL;
}

static struct bytes cell_values(const struct iob_cell *c)
{
	return doubles(c->values, c->n_values);
}
%}

%constant int IOB_ENGINE_SYNC = IOB_ENGINE_SYNC;
%constant int IOB_ENGINE_NO_TARGET = IOB_ENGINE_NO_TARGET;
%constant int IOB_ENGINE_TRIM = IOB_ENGINE_TRIM;
%constant int IOB_ENGINE_FSYNC = IOB_ENGINE_FSYNC;
%constant int IOB_ENGINE_POLL = IOB_ENGINE_POLL;
%constant int IOB_ENGINE_BUFFERED_ONLY = IOB_ENGINE_BUFFERED_ONLY;

%{
static int append(void *user, const char *data, size_t len)
{
	struct bytes *b = user;
	if (b->room - b->len < len) {
		size_t room = 2 * b->room + len;
		char *more = realloc(b->data, room);
		if (!more)
			return -ENOMEM;
		b->data = more;
		b->room = room;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

/* The last value of the bucket that starts at `low` (hist.h: how it is split). */
static uint64_t bucket_high(int bits, uint64_t low)
{
	if (!(low >> bits))
		return low;
	return low + ((UINT64_C(1) << (63 - __builtin_clzll(low) - bits)) - 1);
}

/* The sparse buckets, and how many there are with the empty ones between. */
struct sparse {
	uint64_t *low, *count;
	size_t n, all;
};

static struct sparse sparse_buckets(const struct iob_hist *h)
{
	struct sparse s = { .n = iob_hist_buckets(h, NULL, NULL, NULL, 0) };
	int bits = iob_hist_precision(h);
	s.low = calloc(s.n + 1, sizeof(*s.low));
	s.count = calloc(s.n + 1, sizeof(*s.count));
	if (!s.n || !s.low || !s.count)
		return s;
	iob_hist_buckets(h, s.low, NULL, s.count, s.n);
	for (uint64_t at = s.low[0]; at < s.low[s.n - 1]; at = bucket_high(bits, at) + 1)
		s.all++;
	s.all++;
	return s;
}

static void fill_grid(struct grid *g, const struct sparse *s, int bits)
{
	uint64_t at = s->low[0];
	for (size_t i = 0, next = 0; i < g->n; i++) {
		uint64_t high = bucket_high(bits, at);
		g->edges[i] = at;
		g->counts[i] = at == s->low[next] ? s->count[next++] : 0;
		at = high == UINT64_MAX ? high : high + 1; /* 2^64 is no 64-bit number */
	}
	g->edges[g->n] = at;
}
%}

%inline %{
static struct bytes result_report(const struct iob_result *r, const char *format,
				  struct iob_error *err)
{
	struct bytes b = { 0 };
	if (iob_result_report(r, format, append, &b, err) < 0) {
		free(b.data);
		b.data = NULL;
	}
	return b;
}

static struct bytes device_report(const struct iob_device *d, const char *format,
				  struct iob_error *err)
{
	struct bytes b = { 0 };
	if (iob_device_report(d, format, append, &b, err) < 0) {
		free(b.data);
		b.data = NULL;
	}
	return b;
}

/* Members that are arrays. */
static const struct iob_device_io *device_io(const struct iob_device_use *u, int op)
{
	return &u->op[op];
}

static const struct iob_evidence *finding_evidence(const struct iob_finding *f, unsigned i)
{
	return &f->evidence[i];
}

/* Where in the tree it stands. */
static const char *finding_of(const struct iob_finding *f)
{
	return iob_result_name(f->of);
}

static int finding_level(const struct iob_finding *f)
{
	return (int)iob_result_level(f->of);
}

/* The first n_a parts are the one set, the others the other. */
static struct bytes compare_report(const struct iob_result *const *parts, size_t n, size_t n_a,
				   const char *format, struct iob_error *err)
{
	struct bytes b = { 0 };
	n_a = n_a < n ? n_a : n;
	struct iob_comparison *c = iob_compare(parts, n_a, parts + n_a, n - n_a, err);
	if (!c || iob_comparison_report(c, format, append, &b, err) < 0) {
		free(b.data);
		b.data = NULL;
	}
	iob_comparison_free(c);
	return b;
}

static unsigned device_below(const struct iob_device_use *u, unsigned i)
{
	return u->below[i];
}

static struct grid hist_grid(const struct iob_hist *h)
{
	struct sparse s = sparse_buckets(h);
	struct grid g = { .n = s.all };
	if (s.low && s.count) {
		g.edges = calloc(g.n + 1, sizeof(*g.edges));
		g.counts = calloc(g.n + 1, sizeof(*g.counts));
	}
	if (g.edges && g.counts && g.n)
		fill_grid(&g, &s, iob_hist_precision(h));
	free(s.low);
	free(s.count);
	return g;
}
%}
