/* SPDX-License-Identifier: MIT */
/*
 * The loop of a worker whose I/Os start when a schedule says so (an open loop),
 * or a pause after the last one of their slot, or of the worker (think time).
 * Completions are taken while it waits for the next start, so that the wait is in no latency.
 */
#include "run/issue.h"

#include <errno.h>
#include <sys/prctl.h>

#define IOBI_SLACK_NS 1UL /* timers fire when they say, not 50 us later */

/* What a worker that pauses as a whole does between two pauses. */
struct stretch {
	uint64_t left;     /* I/Os yet to be started */
	uint64_t end_ns;   /* none is from then on */
	uint64_t pause_ns; /* until then it pauses; 0: it does not */
	uint64_t spin_ns;  /* and looks at the clock until then */
};

struct paced {
	const struct iobi_pace *pace;
	struct stretch stretch;
	uint64_t stopped_ns;          /* when no more was started; 0: not yet */
	struct iobi_schedule side[2]; /* of all or of reads; of writes */
	uint32_t left;                /* pending ones that a submit did not take */
};

/* ---- pauses of the whole worker ---- */

static uint64_t draw_think(struct iobi_worker *w, const struct iobi_pace *pace)
{
	double ns = (double)pace->think_ns;
	return pace->think_exp ? (uint64_t)iobi_random_exp(&w->random, ns) : pace->think_ns;
}

static void begin_stretch(struct paced *p, uint64_t now)
{
	const struct iobi_pace *pace = p->pace;
	p->stretch = (struct stretch){
		.left = pace->think_ios ? pace->think_ios : UINT64_MAX,
		.end_ns = pace->think_after_ns ? now + pace->think_after_ns : UINT64_MAX,
	};
}

static bool used_up(const struct paced *p, uint64_t now)
{
	return !p->stretch.left || now >= p->stretch.end_ns;
}

/* A pause begins when all that the stretch before it started is done. */
static void turn_stretch(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	struct stretch *s = &p->stretch;
	if (s->pause_ns && now >= s->pause_ns)
		begin_stretch(p, now);
	if (s->pause_ns || !used_up(p, now) || w->n_flying || w->n_pending)
		return;
	s->pause_ns = now + draw_think(w, p->pace);
	s->spin_ns = now + p->pace->think_spin_ns;
}

static bool may_start(const struct paced *p, uint64_t now)
{
	return !iobi_pauses(p->pace) || (!p->stretch.pause_ns && !used_up(p, now));
}

static void count_start(struct paced *p, const struct iob_io *io)
{
	p->stretch.left -= io->op != IOB_OP_SYNC;
}

/* What matters next to a worker that pauses as a whole; `start` is when its next
 * I/O is to start. */
static uint64_t next_of_stretch(const struct iobi_worker *w, const struct paced *p, uint64_t start)
{
	const struct stretch *s = &p->stretch;
	if (s->pause_ns)
		return s->pause_ns;
	if (!s->left)
		return UINT64_MAX; /* the end of those that fly */
	return !w->n_flying && s->end_ns < start ? s->end_ns : start;
}

/* ---- an open loop: what is due ---- */

static struct iobi_schedule *first_due(struct paced *p)
{
	return &p->side[p->side[1].next_ns < p->side[0].next_ns];
}

/* Starts that have passed are dropped, but for the latest; of the measured window
 * they are counted. */
static void drop_overdue(struct iobi_worker *w, struct iobi_schedule *s, uint64_t now)
{
	if (now >= w->start_ns && s->next_ns < w->start_ns)
		iobi_schedule_drop(s, w->start_ns);
	uint64_t n = iobi_schedule_drop(s, now);
	if (now >= w->start_ns)
		iobi_bump(&w->pace.dropped, n);
}

/* For snapshots, which see that way how long a start has been due. */
static void publish_due(struct iobi_worker *w, const struct paced *p)
{
	for (int side = 0; side < 2; side++)
		IOBI_STORE(&w->pace.due_ns[side], w->quota ? p->side[side].next_ns : UINT64_MAX);
}

static void start_due(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	while (w->n_unused && w->quota && may_start(p, now)) {
		struct iobi_schedule *s = first_due(p);
		if (s->next_ns > now)
			break;
		if (!p->pace->catch_up)
			drop_overdue(w, s, now);
		struct iob_io *io = w->unused[--w->n_unused];
		enum iob_op op = !p->pace->split    ? IOB_OP_ALL
				 : s == &p->side[0] ? IOB_OP_READ
						    : IOB_OP_WRITE;
		iobi_make(w, io, op);
		io->t_intended = s->next_ns;
		if (io->op != IOB_OP_SYNC)
			iobi_schedule_advance(s, io->len);
		count_start(p, io);
		w->pending[w->n_pending++] = io;
	}
}

static void note_worst(struct iobi_worker *w, uint64_t lag)
{
	if (lag > IOBI_LOAD(&w->pace.worst_lag_ns))
		IOBI_STORE(&w->pace.worst_lag_ns, lag);
}

/* Flushes come between, and are on no schedule. */
static void note_lags(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	struct iobi_pace_meter *m = &w->pace;
	if (now < w->start_ns)
		return;
	for (uint32_t i = p->left; i < w->n_pending; i++) {
		const struct iob_io *io = w->pending[i];
		bool write = p->pace->split && io->op != IOB_OP_READ;
		uint64_t lag = now - io->t_intended;
		if (io->op == IOB_OP_SYNC)
			continue;
		iobi_bump(&m->starts, 1);
		iobi_bump(&m->lag_sum_ns, lag);
		note_worst(w, lag);
		if (lag >= IOBI_LATE_NS && (double)lag > p->side[write].mean_ns)
			iobi_bump(&m->late, 1);
	}
}

/* What fell due in the measured window before the end, and was never started. */
static void note_unissued(struct iobi_worker *w, struct paced *p)
{
	uint64_t end = p->stopped_ns < w->deadline_ns ? p->stopped_ns : w->deadline_ns;
	for (int i = 0; i < 2; i++) {
		struct iobi_schedule *s = &p->side[i];
		if (s->next_ns < end && end > w->start_ns)
			note_worst(w, end - s->next_ns);
		iobi_schedule_skip(s, w->start_ns);
		iobi_bump(&w->pace.unissued, iobi_schedule_skip(s, end));
	}
}

/* An end by errors or by the amount that was asked leaves nothing that was to be
 * started. */
static bool cut_off(const struct iobi_worker *w, const struct paced *p)
{
	return p->pace->open && (w->ended == IOBI_ENDED_RUNTIME || w->ended == IOBI_ENDED_STOPPED);
}

static void stop_starting(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	if (p->stopped_ns)
		return;
	p->stopped_ns = now;
	if (cut_off(w, p))
		note_unissued(w, p);
	for (int i = 0; i < 2; i++)
		IOBI_STORE(&w->pace.due_ns[i], UINT64_MAX);
}

/* ---- a closed loop with think time: a heap of slots by when they are ready ---- */

static void swap(struct iobi_thinking *a, struct iobi_thinking *b)
{
	struct iobi_thinking t = *a;
	*a = *b;
	*b = t;
}

static void think(struct iobi_worker *w, struct iob_io *io, uint64_t ready_ns)
{
	struct iobi_thinking *heap = w->thinking;
	uint32_t i = w->n_thinking++;
	heap[i] = (struct iobi_thinking){ ready_ns, io };
	for (; i && heap[(i - 1) / 2].ready_ns > heap[i].ready_ns; i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static struct iob_io *wake_first(struct iobi_worker *w)
{
	struct iobi_thinking *heap = w->thinking;
	struct iob_io *io = heap[0].io;
	heap[0] = heap[--w->n_thinking];
	for (uint32_t i = 0, child; (child = 2 * i + 1) < w->n_thinking; i = child) {
		if (child + 1 < w->n_thinking && heap[child + 1].ready_ns < heap[child].ready_ns)
			child++;
		if (heap[i].ready_ns <= heap[child].ready_ns)
			break;
		swap(&heap[i], &heap[child]);
	}
	return io;
}

static void start_ready(struct iobi_worker *w, uint64_t now)
{
	while (w->n_thinking && w->thinking[0].ready_ns <= now && w->quota) {
		struct iob_io *io = wake_first(w);
		iobi_make(w, io, IOB_OP_ALL);
		w->pending[w->n_pending++] = io;
	}
}

/* Slots that were just given back pause first. */
static void rest_of(struct iobi_worker *w, const struct iobi_pace *pace, uint32_t n, uint64_t now)
{
	for (; n; n--)
		think(w, w->unused[--w->n_unused], now + draw_think(w, pace));
}

/* ---- a closed loop that pauses as a whole ---- */

static void start_stretch(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	while (w->n_unused && w->quota && may_start(p, now)) {
		struct iob_io *io = w->unused[--w->n_unused];
		iobi_make(w, io, IOB_OP_ALL);
		count_start(p, io);
		w->pending[w->n_pending++] = io;
	}
}

/* ---- submitting and waiting ---- */

static void stamp_submit(struct iobi_worker *w, const struct paced *p, uint64_t now)
{
	for (uint32_t i = 0; i < w->n_pending; i++) {
		w->pending[i]->t_submit = now;
		if (!p->pace->open || w->pending[i]->op == IOB_OP_SYNC)
			w->pending[i]->t_intended = now;
	}
}

/* A sync engine's I/O is done when it was submitted. */
static int submit_sync(struct iobi_worker *w, uint64_t *now)
{
	int n = w->plan->ops->submit(w->state, w->pending, 1);
	*now = iobi_now(&w->clock);
	if (n != 1)
		return n < 0 ? n : -EIO;
	w->done[0] = w->pending[0];
	w->n_pending = 0;
	w->n_flying = 1;
	return 1;
}

static int submit(struct iobi_worker *w, struct paced *p, uint64_t *now)
{
	uint64_t before = iobi_now(&w->clock);
	stamp_submit(w, p, before);
	if (p->pace->open)
		note_lags(w, p, before);
	IOBI_STORE(&w->in_flight, w->n_flying + w->n_pending);
	if (w->plan->ops->caps & IOB_ENGINE_SYNC)
		return submit_sync(w, now);
	int got = iobi_submit_and_look(w, before, now);
	p->left = w->n_pending;
	return got;
}

/* When the next start is, or the end; UINT64_MAX: only a completion matters. */
static uint64_t next_event(const struct iobi_worker *w, struct paced *p)
{
	uint64_t next = UINT64_MAX;
	if (w->ended != IOBI_ENDED_NOT)
		return next;
	if (p->pace->open && w->n_unused && w->quota)
		next = first_due(p)->next_ns;
	if (w->n_thinking && w->quota)
		next = w->thinking[0].ready_ns;
	if (iobi_pauses(p->pace))
		next = next_of_stretch(w, p, next);
	return next < w->deadline_ns ? next : w->deadline_ns;
}

static int wait(struct iobi_worker *w, struct paced *p, uint64_t *now)
{
	uint64_t next = next_event(w, p), left = next > *now ? next - *now : 0;
	bool spin = p->pace->spin || *now < p->stretch.spin_ns;
	int got = 0;
	if (w->n_flying) {
		int64_t timeout = next == UINT64_MAX     ? -1
				  : spin                 ? 0
				  : left > INT64_MAX / 2 ? -1
							 : (int64_t)left;
		got = w->plan->ops->reap(w->state, w->done, 1, w->plan->depth, timeout);
	} else if (!spin && left) {
		iobi_nap(left);
	}
	*now = iobi_now(&w->clock);
	return got;
}

/* What the engine had no room for is not started. */
static void unmake_pending(struct iobi_worker *w, struct paced *p)
{
	for (uint32_t i = 0; i < w->n_pending && cut_off(w, p) && w->last_ns >= w->start_ns; i++) {
		bool on_schedule = w->pending[i]->op != IOB_OP_SYNC;
		iobi_bump(&w->pace.unissued, on_schedule);
		iobi_bump(&w->pace.starts, i < p->left && on_schedule ? -UINT64_C(1) : 0);
	}
	iobi_unmake_pending(w);
	p->left = 0;
}

static void start_some(struct iobi_worker *w, struct paced *p, uint64_t now)
{
	if (iobi_stopping(w)) {
		stop_starting(w, p, now);
		unmake_pending(w, p);
		return;
	}
	if (iobi_pauses(p->pace))
		turn_stretch(w, p, now);
	if (p->pace->open) {
		start_due(w, p, now);
		publish_due(w, p);
	} else if (iobi_pauses(p->pace)) {
		start_stretch(w, p, now);
	} else {
		start_ready(w, now);
	}
}

static bool over(const struct iobi_worker *w)
{
	return !w->n_pending && !w->n_flying && (w->ended != IOBI_ENDED_NOT || !w->quota);
}

static void loop(struct iobi_worker *w, struct paced *p)
{
	for (;;) {
		uint64_t now = iobi_now(&w->clock);
		int got = 0;
		w->last_ns = now;
		start_some(w, p, now);
		if (over(w))
			return;
		if (w->n_pending)
			got = submit(w, p, &now);
		if (!got)
			got = wait(w, p, &now);
		if (got < 0) {
			if (!iobi_give_up(w, got))
				continue;
			return;
		}
		w->last_ns = now;
		if (got)
			iobi_complete(w, w->done, (unsigned)got, now);
		if (got && !p->pace->open && !iobi_pauses(p->pace))
			rest_of(w, p->pace, (uint32_t)got, now);
	}
}

static void init_schedules(struct iobi_worker *w, struct paced *p)
{
	for (int side = 0; side < 2; side++)
		iobi_schedule_init(&p->side[side], p->pace, side, w->begin_ns, w->index,
				   w->plan->workers,
				   iobi_random_derive(w->plan->seed, w->index, 8 + (uint64_t)side));
}

void iobi_loop_paced(struct iobi_worker *w)
{
	struct paced p = { .pace = &w->plan->pace };
	prctl(PR_SET_TIMERSLACK, IOBI_SLACK_NS); /* of this thread, which is the library's own */
	begin_stretch(&p, w->last_ns);
	if (p.pace->open)
		init_schedules(w, &p);
	while (!p.pace->open && !iobi_pauses(p.pace) && w->n_unused)
		think(w, w->unused[--w->n_unused], w->begin_ns);
	loop(w, &p);
	stop_starting(w, &p, w->last_ns);
}
