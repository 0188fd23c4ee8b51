/* SPDX-License-Identifier: MIT */
#include "run/run_priv.h"
#include "target/host.h"
#include "workload/units.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	WORTH_ASKING = 64 << 20 /* bytes of buffers that may be too many */
};

/* ---- planning ---- */

static void free_planned(struct iobi_planned_stage *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		if (ps->plans)
			iobi_plan_free(&ps->plans[i]);
		if (ps->copies)
			iob_workload_free(ps->copies[i]);
	}
	free(ps->plans);
	free(ps->copies);
	free(ps->name);
}

/* The text of a label up to the end of its line; *len 0: there is none. */
static const char *label_of(const struct iob_workload *w, const char *name, size_t *len)
{
	const char *line = w->text[IOB_PARAM_LABELS];
	size_t n = strlen(name);
	*len = 0;
	for (; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, name, n) && line[n] == '=') {
			*len = strcspn(line + n + 1, "\n");
			return line + n + 1;
		}
	return "";
}

/* Which one it is about; of a job that was read from a file, where that stands. */
static void tell_workload(const struct iob_workload *w, struct iob_error *err)
{
	size_t used = err ? strlen(err->message) : 0, n, at;
	const char *name = w->text[IOB_PARAM_NAME], *job = label_of(w, "fio.job", &n),
		   *place = label_of(w, "fio.place", &at);
	if (!err || !name || !*name || err->code == ENOMEM)
		return;
	snprintf(err->message + used, sizeof(err->message) - used, "; it is %s \"%s\"%s%.*s",
		 *job ? "job" : "workload", IOBI_QUOTE(name), at ? ", " : "", (int)at, place);
}

/* The kernel would hand it out, and then kill whom it likes. */
static int check_memory(const struct iobi_planned_stage *ps, struct iob_error *err)
{
	uint64_t sum = 0, room;
	for (size_t i = 0; i < ps->n; i++)
		if (__builtin_add_overflow(sum, iobi_plan_memory(&ps->plans[i]), &sum))
			sum = UINT64_MAX;
	if (sum < WORTH_ASKING || sum <= (room = iobi_host_memory()))
		return 0;
	return iobi_fail(err, ENOMEM, "queue_depth",
			 "stage \"%s\": the buffers of all workers, queue_depth times block_size "
			 "each, would take %" PRIu64 " bytes, and %" PRIu64
			 " bytes of memory are available; lower queue_depth, block_size or workers",
			 IOBI_QUOTE(ps->name), sum, room);
}

static int plan_stage(struct iob_run *r, struct iobi_planned_stage *ps, const struct iob_suite *s,
		      size_t stage, struct iob_error *err)
{
	ps->n = iob_suite_workload_count(s, stage);
	ps->name = strdup(iob_suite_stage_name(s, stage));
	ps->plans = calloc(ps->n, sizeof(*ps->plans));
	ps->copies = calloc(ps->n, sizeof(struct iob_workload *));
	if (!ps->name || !ps->plans || !ps->copies)
		return iobi_no_memory(err);
	for (size_t i = 0; i < ps->n; i++) {
		ps->copies[i] = iob_workload_copy(iob_suite_workload(s, stage, i), err);
		if (!ps->copies[i])
			return -ENOMEM;
		int rc = iobi_plan_init(&ps->plans[i], ps->copies[i], &r->targets, err);
		if (rc < 0) {
			tell_workload(ps->copies[i], err);
			return rc;
		}
		uint64_t length = iobi_plan_length(&ps->plans[i]);
		if (length > ps->length_ns)
			ps->length_ns = length;
	}
	return check_memory(ps, err);
}

int iobi_run_plan(struct iob_run *r, const struct iob_suite *s, struct iob_error *err)
{
	size_t n = iob_suite_stage_count(s);
	struct iobi_planned_stage *more = realloc(r->planned, (r->n + n + 1) * sizeof(*more));
	int rc = 0;
	if (!more)
		return iobi_no_memory(err);
	r->planned = more;
	for (size_t i = 0; !rc && i < n; i++) {
		struct iobi_planned_stage *ps = &more[r->n++];
		*ps = (struct iobi_planned_stage){ 0 };
		rc = plan_stage(r, ps, s, i, err);
	}
	return rc;
}

int iobi_run_plan_next(struct iob_run *r, struct iob_error *err)
{
	struct iob_suite *s = iob_suite_new(err);
	int rc = s ? r->guide.next(r->guide.user, s, err) : -ENOMEM;
	rc = rc < 0 ? rc : iobi_run_plan(r, s, err);
	iob_suite_free(s);
	return rc;
}

/* What there is to do at first, and what it takes hold of. */
static int plan_first(struct iob_run *r, const struct iob_suite *s, struct iob_error *err)
{
	if (s && !iob_suite_stage_count(s))
		return iobi_fail(err, EINVAL, "suite", "the suite is empty: add a workload");
	int rc = s ? iobi_run_plan(r, s, err) : iobi_run_plan_next(r, err);
	rc = rc < 0 ? rc : iobi_targets_room(&r->targets, err);
	return rc < 0 ? rc : iobi_targets_claim(&r->targets, err);
}

/* ---- the caller's side ---- */

static int add_host_fact(void *user, const char *name, const char *value)
{
	struct iob_result *suite = user;
	return iobi_pairs_set(&suite->host, name, value);
}

static struct iob_run *new_run(struct iob_error *err)
{
	struct iob_run *r = calloc(1, sizeof(*r));
	if (!r) {
		iobi_no_memory(err);
		return NULL;
	}
	pthread_mutex_init(&r->lock, NULL);
	r->owner = getpid();
	r->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->suite = iobi_result_new(IOB_LEVEL_SUITE, "suite");
	r->progress.size = sizeof(r->progress);
	r->progress.eta_ns = UINT64_MAX;
	bool fds = r->cancel_fd >= 0 && r->done_fd >= 0;
	if (fds && r->suite && !iobi_host_facts(add_host_fact, r->suite))
		return r;
	iobi_fail(err, fds ? ENOMEM : EMFILE, "run", "no %s for a run",
		  fds ? "memory" : "descriptors");
	iob_run_free(r);
	return NULL;
}

/* The leader blocks all signals, and so do the workers that it starts; the
 * caller's own mask is not touched. */
static int start_leader(struct iob_run *r, struct iob_error *err)
{
	pthread_attr_t attr;
	sigset_t all;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setsigmask_np(&attr, &all);
	int rc = pthread_create(&r->leader, &attr, iobi_lead, r);
	pthread_attr_destroy(&attr);
	r->led = !rc;
	return rc ? iobi_fail(err, rc, "run", "no thread could be started: %s", iobi_errno_text(rc))
		  : 0;
}

static struct iob_run *start(struct iob_run *r, const struct iob_suite *s, struct iob_error *err)
{
	int rc = plan_first(r, s, err);
	r->progress.stages = (uint32_t)r->n;
	iobi_clock();
	if (rc < 0 || start_leader(r, err) < 0) {
		iob_run_free(r);
		return NULL;
	}
	return r;
}

struct iob_run *iob_run_start(const struct iob_suite *s, struct iob_error *err)
{
	struct iob_run *r = s ? new_run(err) : NULL;
	if (!s)
		iobi_is_null(err, "suite");
	return r ? start(r, s, err) : NULL;
}

struct iob_run *iobi_run_guided(const struct iobi_guide *g, struct iob_error *err)
{
	struct iob_run *r = new_run(err);
	if (!r) {
		g->drop(g->user);
		return NULL;
	}
	r->guide = *g;
	if (g->begin && g->begin(g->user, r->suite)) {
		iobi_no_memory(err);
		iob_run_free(r);
		return NULL;
	}
	return start(r, NULL, err);
}

bool iobi_run_ours(const struct iob_run *r)
{
	return r && r->owner == getpid();
}

static int not_ours(const struct iob_run *r, struct iob_error *err)
{
	return !r ? iobi_is_null(err, "run")
		  : iobi_fail(err, EINVAL, "run", "it belongs to process %d, which started it",
			      (int)r->owner);
}

int iob_run_wait(struct iob_run *r, int timeout_ms, struct iob_error *err)
{
	if (!iobi_run_ours(r))
		return not_ours(r, err);
	struct pollfd fd = { .fd = r->done_fd, .events = POLLIN };
	int n = poll(&fd, 1, timeout_ms);
	if (n < 0)
		return iobi_fail(err, errno, "wait", "waiting was interrupted: %s",
				 iobi_errno_text(errno));
	return n > 0;
}

void iob_run_cancel(struct iob_run *r)
{
	int saved = errno; /* it may be called from a signal handler */
	uint64_t one = 1;
	if (!iobi_run_ours(r))
		return;
	atomic_store(&r->cancelled, true);
	if (write(r->cancel_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

int iob_run_progress(struct iob_run *r, struct iob_progress *out)
{
	uint32_t size = out ? out->size : 0;
	if (!iobi_run_ours(r) || !size)
		return -EINVAL;
	pthread_mutex_lock(&r->lock);
	memcpy(out, &r->progress, size < sizeof(r->progress) ? size : sizeof(r->progress));
	pthread_mutex_unlock(&r->lock);
	out->size = size;
	return 0;
}

/* Merging one result with nothing is a copy of it. */
static struct iob_result *copy_result(const struct iob_result *r, struct iob_error *err)
{
	return iob_result_merge(&r, 1, err);
}

static int copy_ended(const struct iob_run *r, struct iob_result *into, struct iob_error *err)
{
	for (size_t i = 0; i < r->suite->n_child; i++) {
		struct iob_result *stage = copy_result(r->suite->child[i], err);
		if (!stage)
			return -ENOMEM;
		if (iobi_result_adopt(into, stage))
			return iobi_no_memory(err);
	}
	for (size_t i = 0; i < r->suite->host.n; i++)
		if (add_host_fact(into, r->suite->host.pair[i].name, r->suite->host.pair[i].value))
			return iobi_no_memory(err);
	into->search = iobi_search_copy(r->suite->search);
	into->rounds = iobi_rounds_copy(r->suite->rounds);
	bool failed = (r->suite->search && !into->search) || (r->suite->rounds && !into->rounds);
	return failed ? iobi_no_memory(err) : 0;
}

static int copy_running(const struct iob_run *r, struct iob_result *into, struct iob_error *err)
{
	if (!r->stage)
		return 0;
	struct iob_result *stage = iobi_stage_result(r->stage, iobi_now(iobi_clock()));
	return stage && !iobi_result_adopt(into, stage) ? 0 : iobi_no_memory(err);
}

struct iob_result *iob_run_snapshot(struct iob_run *r, struct iob_error *err)
{
	struct iob_result *suite =
		iobi_run_ours(r) ? iobi_result_new(IOB_LEVEL_SUITE, "suite") : NULL;
	if (!suite) {
		iobi_run_ours(r) ? iobi_no_memory(err) : not_ours(r, err);
		return NULL;
	}
	pthread_mutex_lock(&r->lock);
	int rc = copy_ended(r, suite, err);
	rc = rc ? rc : copy_running(r, suite, err);
	suite->flags |= r->progress.done ? r->suite->flags : IOB_RESULT_PARTIAL;
	if (!r->progress.done && atomic_load(&r->cancelled))
		suite->flags |= IOB_RESULT_CANCELLED;
	pthread_mutex_unlock(&r->lock);
	if (!rc && iobi_result_close(suite))
		rc = iobi_no_memory(err);
	if (!rc)
		return suite;
	iob_result_free(suite);
	return NULL;
}

/* The lock is what makes all that the leader wrote visible here. */
static void wait_for_end(struct iob_run *r)
{
	while (iob_run_wait(r, -1, NULL) != 1)
		;
	pthread_mutex_lock(&r->lock);
	pthread_mutex_unlock(&r->lock);
}

struct iob_result *iob_run_result(struct iob_run *r, struct iob_error *err)
{
	if (!iobi_run_ours(r)) {
		not_ours(r, err);
		return NULL;
	}
	wait_for_end(r);
	if (r->error.code) {
		if (err)
			*err = r->error;
		return NULL;
	}
	return copy_result(r->suite, err);
}

void iob_run_free(struct iob_run *r)
{
	if (!iobi_run_ours(r))
		return;
	if (r->led) {
		iob_run_cancel(r);
		pthread_join(r->leader, NULL);
	}
	iob_result_free(r->suite);
	if (r->guide.drop)
		r->guide.drop(r->guide.user);
	for (size_t i = 0; i < r->n; i++)
		free_planned(&r->planned[i]);
	free(r->planned);
	iobi_targets_free(&r->targets);
	if (r->cancel_fd >= 0)
		close(r->cancel_fd);
	if (r->done_fd >= 0)
		close(r->done_fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct iob_result *iob_suite_run(const struct iob_suite *s, struct iob_error *err)
{
	struct iob_result *result = NULL;
	struct iob_run *r = iob_run_start(s, err);
	if (!r)
		return NULL;
	wait_for_end(r);
	if (!r->error.code) {
		result = r->suite; /* spares a copy */
		r->suite = NULL;
	} else if (err) {
		*err = r->error;
	}
	iob_run_free(r);
	return result;
}

struct iob_result *iob_workload_run(const struct iob_workload *w, struct iob_error *err)
{
	struct iob_result *result = NULL;
	struct iob_suite *s = iob_suite_new(err);
	if (s && !iob_suite_add(s, w, err))
		result = iob_suite_run(s, err);
	iob_suite_free(s);
	return result;
}
