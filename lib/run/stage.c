/* SPDX-License-Identifier: MIT */
#include "run/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static uint32_t worker_count(const struct iobi_stage *s)
{
	uint32_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->live[i].plan->workers;
	return n;
}

static int init_live(struct iobi_stage *s, struct iobi_live *l, struct iobi_plan *plan,
		     size_t intervals)
{
	l->plan = plan;
	atomic_store(&l->left, plan->workers);
	l->series = iobi_series_new(intervals);
	l->worker = calloc(plan->workers, sizeof(*l->worker));
	if (!l->series || !l->worker)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->workers; i++) {
		int rc = iobi_worker_init(&l->worker[i], plan, i, &s->stop);
		if (rc) {
			memset(&l->worker[i], 0, (plan->workers - i) * sizeof(*l->worker));
			return rc;
		}
	}
	return 0;
}

int iobi_stage_init(struct iobi_stage *s, const char *name, struct iobi_plan *plans, size_t n,
		    size_t intervals, struct iob_error *err)
{
	*s = (struct iobi_stage){ .name = name, .n = n };
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->gate, NULL);
	s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->live = calloc(n, sizeof(*s->live));
	s->series = n > 1 ? iobi_series_new(intervals) : NULL;
	int rc = s->live && (n == 1 || s->series) ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		rc = init_live(s, &s->live[i], &plans[i], intervals);
	rc = rc ? rc : iobi_watch_new(&s->watch, s);
	if (!rc && s->done_fd < 0)
		rc = -EMFILE;
	if (rc) {
		iobi_stage_free(s);
		return iobi_fail(err, -rc, "workers", "a stage could not be set up: %s",
				 iobi_errno_text(-rc));
	}
	return 0;
}

static void free_live(struct iobi_live *l)
{
	for (uint32_t i = 0; l->worker && i < l->plan->workers; i++)
		if (l->worker[i].plan)
			iobi_worker_free(&l->worker[i]);
	for (int op = 0; op < IOBI_OPS; op++)
		iob_hist_free(l->seen[op]);
	iobi_series_free(l->series);
	free(l->worker);
}

void iobi_stage_free(struct iobi_stage *s)
{
	for (size_t i = 0; s->live && i < s->n; i++)
		free_live(&s->live[i]);
	free(s->live);
	iobi_series_free(s->series);
	iobi_watch_free(s->watch);
	iobi_senses_free(s->senses);
	if (s->done_fd >= 0)
		close(s->done_fd);
	pthread_cond_destroy(&s->gate);
	pthread_mutex_destroy(&s->lock);
}

/* ---- the workers' threads ---- */

struct start {
	struct iobi_stage *stage;
	struct iobi_live *live;
	struct iobi_worker *worker;
};

/* Tells that this worker is ready, or why not; waits until all are. */
static bool pass_gate(struct iobi_stage *s, int rc, const struct iob_error *err)
{
	pthread_mutex_lock(&s->lock);
	if (rc < 0 && !s->error.code)
		s->error = *err;
	s->ready++;
	pthread_cond_broadcast(&s->gate);
	while (!s->open)
		pthread_cond_wait(&s->gate, &s->lock);
	bool go = !s->error.code;
	pthread_mutex_unlock(&s->lock);
	return go && rc >= 0;
}

/* What the end of this worker means for others; the leader sees to it. */
static void end_others(struct iobi_stage *s, struct iobi_live *l, struct iobi_worker *w)
{
	bool last = atomic_fetch_sub(&l->left, 1) == 1;
	bool cancels = IOBI_LOAD(&w->cancels);
	enum iobi_ends_others ends = last ? l->plan->ends_others : IOBI_ENDS_NONE;
	if (cancels || ends == IOBI_ENDS_RUN)
		atomic_store(&s->run_over, true);
	if (cancels || ends != IOBI_ENDS_NONE)
		atomic_store(&s->over, true);
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts = { 0, 0 };
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* For how long it was ready to run and had no core: "ran waited slices". */
static uint64_t thread_wait_ns(void)
{
	char text[96] = "", *at = text;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	strtoull(n > 0 ? text : "0", &at, 10);
	return n > 0 ? strtoull(at, NULL, 10) : 0;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static void set_usage(struct iobi_usage *u, const struct rusage *r)
{
	u->user_ns = time_ns(r->ru_utime);
	u->system_ns = time_ns(r->ru_stime);
	u->switches = (uint64_t)r->ru_nvcsw + (uint64_t)r->ru_nivcsw;
	u->major_faults = (uint64_t)r->ru_majflt;
	u->minor_faults = (uint64_t)r->ru_minflt;
}

static void note_usage(struct iobi_worker *w)
{
	struct rusage r;
	struct iobi_usage to = { 0 };
	if (getrusage(RUSAGE_THREAD, &r))
		return;
	set_usage(&to, &r);
	IOBI_STORE(&w->user_ns, to.user_ns - w->before.user_ns);
	IOBI_STORE(&w->system_ns, to.system_ns - w->before.system_ns);
	IOBI_STORE(&w->switches, to.switches - w->before.switches);
	IOBI_STORE(&w->major_faults, to.major_faults - w->before.major_faults);
	IOBI_STORE(&w->minor_faults, to.minor_faults - w->before.minor_faults);
}

static void run_loop(struct iobi_worker *w)
{
	struct rusage before = { 0 };
	bool known = !getrusage(RUSAGE_THREAD, &before);
	uint64_t wait = thread_wait_ns(), cpu = thread_cpu_ns(), start = iobi_now(&w->clock);
	w->loop_ns = start;
	set_usage(&w->before, &before);
	atomic_store(&w->tid, gettid());
	iobi_worker_loop(w);
	if (known)
		note_usage(w);
	IOBI_STORE(&w->cpu_ns, thread_cpu_ns() - cpu);
	IOBI_STORE(&w->cpu_wait_ns, thread_wait_ns() - wait);
	atomic_store(&w->ran_ns, iobi_now(&w->clock) - start);
	atomic_store(&w->tid, 0);
}

static void *worker_thread(void *arg)
{
	struct start start = *(struct start *)arg;
	struct iobi_stage *s = start.stage;
	struct iob_error err = { 0 };
	free(arg);
	int rc = iobi_worker_open(start.worker, &err);
	if (pass_gate(s, rc, &err))
		run_loop(start.worker);
	iobi_worker_close(start.worker);
	end_others(s, start.live, start.worker);
	if (atomic_fetch_sub(&s->left, 1) == 1)
		eventfd_write(s->done_fd, 1);
	return NULL;
}

static int start_thread(struct iobi_stage *s, struct iobi_live *l, struct iobi_worker *w)
{
	pthread_attr_t attr;
	sigset_t all;
	struct start *start = malloc(sizeof(*start));
	if (!start)
		return -ENOMEM;
	*start = (struct start){ s, l, w };
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &all);
	int rc = pthread_create(&w->thread, &attr, worker_thread, start);
	pthread_attr_destroy(&attr);
	w->started = rc == 0;
	if (rc)
		free(start);
	return -rc;
}

static uint32_t start_threads(struct iobi_stage *s, int *rc)
{
	uint32_t n = 0;
	for (size_t i = 0; !*rc && i < s->n; i++)
		for (uint32_t k = 0; !*rc && k < s->live[i].plan->workers; k++) {
			*rc = start_thread(s, &s->live[i], &s->live[i].worker[k]);
			n += !*rc;
		}
	return n;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void set_window(struct iobi_live *l, uint64_t go)
{
	uint64_t begin = add_ns(go, l->plan->delay_ns);
	uint64_t start = add_ns(begin, l->plan->ramp_ns);
	for (uint32_t i = 0; i < l->plan->workers; i++) {
		struct iobi_worker *w = &l->worker[i];
		w->begin_ns = begin;
		w->start_ns = start;
		w->deadline_ns =
			l->plan->runtime_ns ? add_ns(start, l->plan->runtime_ns) : UINT64_MAX;
	}
}

static uint64_t epoch_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool any_ramp(const struct iobi_stage *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].plan->ramp_ns)
			return true;
	return false;
}

/* Waits until `n` workers are ready, then opens the gate, to all or to none. */
static int open_gate(struct iobi_stage *s, uint32_t n, int rc, struct iob_error *err)
{
	pthread_mutex_lock(&s->lock);
	while (s->ready < n)
		pthread_cond_wait(&s->gate, &s->lock);
	if (rc < 0 && !s->error.code)
		iobi_fail(&s->error, -rc, "workers", "thread %" PRIu32 " could not be started: %s",
			  n + 1, iobi_errno_text(-rc));
	if (!any_ramp(s))
		iobi_watch_begin(s->watch, s); /* before the first I/O */
	s->go_epoch_ns = epoch_ns();
	s->go_ns = iobi_now(iobi_clock());
	for (size_t i = 0; i < s->n; i++)
		set_window(&s->live[i], s->go_ns);
	if (s->error.code && err)
		*err = s->error;
	rc = -s->error.code;
	s->open = true;
	pthread_cond_broadcast(&s->gate);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int iobi_stage_start(struct iobi_stage *s, struct iob_error *err)
{
	int rc = 0;
	atomic_store(&s->left, worker_count(s));
	uint32_t n = start_threads(s, &rc);
	rc = open_gate(s, n, rc, err);
	if (rc < 0)
		iobi_stage_join(s);
	return rc;
}

void iobi_stage_join(struct iobi_stage *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->live[i].plan->workers; k++) {
			struct iobi_worker *w = &s->live[i].worker[k];
			if (w->started)
				pthread_join(w->thread, NULL);
			w->started = false;
		}
}

void iobi_stage_wake(struct iobi_stage *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t k = 0; k < s->live[i].plan->workers; k++)
			iobi_worker_wake(&s->live[i].worker[k]);
}

void iobi_stage_stop(struct iobi_stage *s, bool cancelled)
{
	s->cancelled |= cancelled;
	if (s->stopped)
		return;
	s->stopped = true;
	s->stop_ns = iobi_now(iobi_clock());
	atomic_store(&s->stop, true);
	iobi_stage_wake(s);
}

uint64_t iobi_stage_deadline(const struct iobi_stage *s)
{
	uint64_t latest = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].worker[0].deadline_ns > latest)
			latest = s->live[i].worker[0].deadline_ns;
	return latest;
}

/* ---- the interval series ---- */

/* Of one moment, so that an interval's mean is that of its own I/Os; tried
 * again while the worker records a batch, but never waited for. */
static int add_recorded(const struct iobi_worker *w, const struct iobi_recorder *from,
			struct iob_hist *into)
{
	for (int tries = 0;; tries++) {
		uint32_t before = iobi_seq_read(&w->seq);
		struct iob_hist *h = iob_hist_new(into->bits, NULL);
		int rc = h ? iobi_recorder_copy(from, h) : -ENOMEM;
		bool good = rc || iobi_seq_same(&w->seq, before) || tries >= IOBI_SEQ_TRIES;
		if (good && !rc)
			rc = iob_hist_merge(into, h);
		iob_hist_free(h);
		if (good)
			return rc;
		sched_yield();
	}
}

static struct iob_hist *service_so_far(const struct iobi_live *l, int op)
{
	struct iob_hist *h = iob_hist_new(l->plan->precision, NULL);
	for (uint32_t i = 0; h && i < l->plan->workers; i++)
		if (add_recorded(&l->worker[i], &l->worker[i].meter[op].service, h) < 0) {
			iob_hist_free(h);
			return NULL;
		}
	return h;
}

/* In a closed loop an I/O is intended when it is submitted. */
static int add_latency(const struct iobi_worker *w, int op, enum iob_latency latency,
		       struct iob_hist *into)
{
	const struct iobi_meter *m = &w->meter[op];
	bool response = latency == IOB_LATENCY_RESPONSE && m->response.counts;
	const struct iobi_recorder *from = latency == IOB_LATENCY_SUBMIT ? &m->submit
					   : response                    ? &m->response
									 : &m->service;
	return from->counts ? add_recorded(w, from, into) : 0;
}

struct iob_hist *iobi_live_latency(const struct iobi_live *l, enum iob_op op,
				   enum iob_latency latency)
{
	struct iob_hist *h = iob_hist_new(l->plan->precision, NULL);
	int rc = h ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < l->plan->workers; i++)
		for (int at = IOB_OP_READ; !rc && at < IOBI_OPS; at++)
			if (op == IOB_OP_ALL ? at != IOB_OP_SYNC : at == (int)op)
				rc = add_latency(&l->worker[i], at, latency, h);
	if (!rc)
		return h;
	iob_hist_free(h);
	return NULL;
}

static uint64_t bytes_so_far(const struct iobi_live *l, int op)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < l->plan->workers; i++)
		bytes += IOBI_LOAD(&l->worker[i].meter[op].bytes);
	return bytes;
}

static struct iobi_submits submits_of(const struct iobi_worker *w, int op)
{
	const struct iobi_meter *m = &w->meter[op];
	bool sync = w->plan->ops->caps & IOB_ENGINE_SYNC;
	struct iobi_submits s = { 0 };
	for (int tries = 0; tries <= IOBI_SEQ_TRIES; tries++) {
		uint32_t before = iobi_seq_read(&w->seq);
		s.n = iobi_recorder_total(sync ? &m->service : &m->submit, &s.ns);
		if (iobi_seq_same(&w->seq, before))
			break;
		sched_yield();
	}
	return s;
}

static struct iobi_submits submits_since_last(struct iobi_live *l, int op)
{
	struct iobi_submits now = { 0 }, had = l->seen_submits[op];
	for (uint32_t i = 0; i < l->plan->workers; i++) {
		struct iobi_submits s = submits_of(&l->worker[i], op);
		now.n += s.n;
		now.ns += s.ns;
	}
	l->seen_submits[op] = now;
	return (struct iobi_submits){ now.n - had.n, now.ns - had.ns };
}

/* What came since the last interval; part[].service is the caller's to free. */
static int since_last(struct iobi_live *l, struct iobi_interval_part part[IOBI_OPS])
{
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		if (!l->worker[0].meter[op].service.counts)
			continue;
		struct iob_hist *now = service_so_far(l, op);
		if (!now)
			return -ENOMEM;
		struct iob_hist *had = l->seen[op];
		part[op].service = had ? iobi_hist_since(now, had) : iobi_hist_copy(now);
		uint64_t bytes = bytes_so_far(l, op);
		part[op].bytes = bytes - l->seen_bytes[op];
		part[op].submits = submits_since_last(l, op);
		l->seen_bytes[op] = bytes;
		l->seen[op] = now;
		iob_hist_free(had);
		if (!part[op].service)
			return -ENOMEM;
	}
	return 0;
}

static void free_parts(struct iobi_interval_part part[IOBI_OPS])
{
	for (int op = 0; op < IOBI_OPS; op++)
		iob_hist_free((struct iob_hist *)part[op].service);
}

/* The stage's interval is the sum of its workloads'. */
static int join_parts(struct iobi_interval_part sum[IOBI_OPS],
		      const struct iobi_interval_part part[IOBI_OPS])
{
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		if (!part[op].service)
			continue;
		if (!sum[op].service)
			sum[op].service = iob_hist_new(IOBI_SERIES_BITS, NULL);
		if (!sum[op].service)
			return -ENOMEM;
		struct iob_hist *into = (struct iob_hist *)sum[op].service;
		int bits = iob_hist_precision(part[op].service);
		if (bits < iob_hist_precision(into)) {
			struct iob_hist *coarser = iob_hist_new(bits, NULL);
			if (!coarser || iob_hist_merge(coarser, into) < 0) {
				iob_hist_free(coarser);
				return -ENOMEM;
			}
			iob_hist_free(into);
			sum[op].service = into = coarser;
		}
		if (iob_hist_merge(into, part[op].service) < 0)
			return -ENOMEM;
		sum[op].bytes += part[op].bytes;
		sum[op].submits.n += part[op].submits.n;
		sum[op].submits.ns += part[op].submits.ns;
	}
	return 0;
}

static int add_interval(struct iobi_stage *s, uint64_t start, uint64_t length)
{
	struct iobi_interval_part sum[IOBI_OPS] = { { 0 } };
	int rc = 0;
	for (size_t i = 0; !rc && i < s->n; i++) {
		struct iobi_interval_part part[IOBI_OPS] = { { 0 } };
		rc = since_last(&s->live[i], part);
		if (!rc && s->series)
			rc = join_parts(sum, part);
		if (!rc)
			rc = iobi_series_add(s->live[i].series, start, length, part);
		free_parts(part);
	}
	if (!rc && s->series)
		rc = iobi_series_add(s->series, start, length, sum);
	free_parts(sum);
	return rc;
}

/* The stage's clock starts with the first workload that is past its ramp. */
static uint64_t first_start(const struct iobi_stage *s)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].worker[0].start_ns < first)
			first = s->live[i].worker[0].start_ns;
	return first;
}

int iobi_stage_tick(struct iobi_stage *s, uint64_t now, bool last)
{
	uint64_t origin = first_start(s);
	if (now <= origin)
		return 0;
	uint64_t from = s->interval_ns ? s->interval_ns : origin;
	uint64_t due = iobi_series_interval_ns(s->live[0].series);
	if (now <= from || (!last && now - from < due))
		return 0;
	s->interval_ns = now;
	iobi_watch_tick(s->watch, s);
	return add_interval(s, from - origin, now - from);
}
