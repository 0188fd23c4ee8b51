/* SPDX-License-Identifier: MIT */
/* An engine that does exactly what it is told, and helpers to run workloads on
 * it: for promises about time and counts that no real device keeps to the unit. */
#ifndef IOB_SCRIPT_H
#define IOB_SCRIPT_H

#include "base/base.h"
#include <iobench/engine.h>
#include <iobench/iobench.h>

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the engine ---- */

static inline double now_s(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

enum { LOG_MAX = 1 << 20 };

/* What all workers of a test share; `user` of the engine. */
struct script {
	unsigned take_most;      /* a submit takes at most this many; 0: all */
	uint64_t io_ns;          /* a SYNC I/O sleeps so long */
	uint64_t stall_at; /* ns after the first SYNC I/O, the next one sleeps stall_ns more */
	_Atomic uint64_t stall_ns;
	_Atomic uint64_t first_ns;
	uint64_t fail_from, fail_to; /* offsets in here fail with `error` */
	int error;               /* or, if > 0, move so many bytes */
	int fail_target;         /* -1: any */
	int open_error;          /* of worker `open_error_of` */
	unsigned open_error_of;
	int submit_error;
	unsigned submits_before_error, reap_most;
	_Atomic unsigned closed_with; /* I/Os in flight */
	pthread_mutex_t gate;    /* locked by the test: I/O is stuck */
	bool gated;
	pthread_t test_thread;
	bool hold; /* nothing is done before a wake */
	_Atomic bool woken;
	_Atomic unsigned wakes, wakes_by_test, strays, unblocked;
	_Atomic unsigned log_n;
	struct iob_io *log; /* of every I/O, if not NULL */
};

struct state {
	struct script *s;
	pthread_t thread;
	struct iob_io *flying[64];
	unsigned n, submits;
};

static inline int engine_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	struct script *s = env->user;
	sigset_t now, all;
	if (s->open_error && env->worker == s->open_error_of)
		return iobi_fail(err, s->open_error, "engine", "told to fail");
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	sigfillset(&all);
	for (int sig = 1; sig < 32; sig++) /* 32 and 33 are glibc's own */
		if (sig != SIGKILL && sig != SIGSTOP && !sigismember(&now, sig))
			atomic_fetch_add(&s->unblocked, 1);
	struct state *st = calloc(1, sizeof(*st));
	st->s = s;
	st->thread = pthread_self();
	*state = st;
	return 0;
}

static inline void check_thread(struct state *st)
{
	if (!pthread_equal(st->thread, pthread_self()))
		atomic_fetch_add(&st->s->strays, 1);
}

static inline void decide(struct script *s, struct iob_io *io)
{
	bool bad = s->error && io->offset >= s->fail_from && io->offset < s->fail_to &&
		   (s->fail_target < 0 || s->fail_target == io->target);
	io->result = bad ? s->error : (int32_t)io->len;
	if (s->log) {
		unsigned i = atomic_fetch_add(&s->log_n, 1);
		if (i < LOG_MAX)
			s->log[i] = *io;
	}
}

static inline int engine_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct state *st = state;
	check_thread(st);
	if (st->s->submit_error && st->submits++ >= st->s->submits_before_error)
		return -st->s->submit_error;
	if (st->s->take_most && n > st->s->take_most)
		n = st->s->take_most;
	for (unsigned i = 0; i < n; i++) {
		decide(st->s, ios[i]);
		st->flying[st->n++] = ios[i];
	}
	return (int)n;
}

static inline int engine_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
		       int64_t timeout_ns)
{
	struct state *st = state;
	check_thread(st);
	while (st->s->hold && !st->s->woken) {
		if (!timeout_ns)
			return 0;
		usleep(1000);
	}
	unsigned n = st->n < max ? st->n : max;
	if (st->s->reap_most && n > st->s->reap_most)
		n = st->s->reap_most;
	for (unsigned i = 0; i < n; i++)
		done[i] = st->flying[--st->n];
	return (int)n;
}

static inline int sync_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct state *st = state;
	struct script *s = st->s;
	check_thread(st);
	if (n != 1)
		atomic_fetch_add(&s->strays, 1);
	if (s->gated) {
		pthread_mutex_lock(&s->gate);
		pthread_mutex_unlock(&s->gate);
	}
	uint64_t now = (uint64_t)(now_s() * 1e9);
	uint64_t none = 0, ns = 0;
	atomic_compare_exchange_strong(&s->first_ns, &none, now);
	if (s->stall_ns && now - s->first_ns >= s->stall_at)
		ns = atomic_exchange(&s->stall_ns, 0);
	if (ns) {
		nanosleep(&(struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) },
			  NULL);
	}
	if (s->io_ns)
		nanosleep(&(struct timespec){ .tv_nsec = (long)s->io_ns }, NULL);
	decide(s, ios[0]);
	return 1;
}

static inline int engine_wake(void *state)
{
	struct state *st = state;
	atomic_fetch_add(&st->s->wakes, 1);
	atomic_store(&st->s->woken, true);
	if (pthread_equal(st->s->test_thread, pthread_self()))
		atomic_fetch_add(&st->s->wakes_by_test, 1);
	return 0;
}

static inline void engine_close(void *state)
{
	struct state *st = state;
	check_thread(st);
	atomic_fetch_add(&st->s->closed_with, st->n);
	free(st);
}

#define CAPS (IOB_ENGINE_NO_TARGET | IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC)
static const struct iob_engine_ops __attribute__((unused)) async_ops = { .size = sizeof(async_ops),
						 .caps = CAPS,
						 .name = "scripted",
						 .open = engine_open,
						 .submit = engine_submit,
						 .reap = engine_reap,
						 .wake = engine_wake,
						 .close = engine_close };
static const struct iob_engine_ops __attribute__((unused)) sync_ops = { .size = sizeof(sync_ops),
						.caps = CAPS | IOB_ENGINE_SYNC,
						.name = "scripted-sync",
						.open = engine_open,
						.submit = sync_submit,
						.wake = engine_wake,
						.close = engine_close };

/* ---- helpers ---- */

static inline struct iob_workload *workload(const struct iob_engine_ops *ops, struct script *s,
				     const char *params)
{
	struct iob_error err;
	struct iob_workload *w = iob_workload_new(&err);
	char *copy = strdup(params), *save;
	if (s) {
		s->test_thread = pthread_self();
		if (!s->error)
			s->fail_target = -1;
	}
	if (ops)
		ck_assert_int_eq(iob_workload_set_engine(w, ops, s, &err), 0);
	else
		ck_assert_int_eq(iob_workload_set(w, "engine", "null", &err), 0);
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, '=');
		*value++ = '\0';
		ck_assert_msg(!iob_workload_set(w, p, value, &err), "%s: %s", err.where,
			      err.message);
	}
	free(copy);
	return w;
}

static inline struct iob_result *run(const struct iob_engine_ops *ops, struct script *s,
			      const char *params)
{
	struct iob_error err;
	struct iob_workload *w = workload(ops, s, params);
	struct iob_result *r = iob_workload_run(w, &err);
	ck_assert_msg(r != NULL, "%s: %s", err.where, err.message);
	iob_workload_free(w);
	return r;
}


static inline uint64_t ios(const struct iob_result *r, enum iob_op op)
{
	return iob_result_count(r, op, IOB_COUNT_IOS);
}

#endif
