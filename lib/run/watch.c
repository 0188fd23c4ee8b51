/* SPDX-License-Identifier: MIT */
#include "run/watch.h"
#include "run/stage.h"
#include "target/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What was issued to one target of one workload. */
struct issued {
	uint64_t ios[IOBI_OPS], bytes[IOBI_OPS];
};

/* A target: the devices that it is directly on. */
struct root {
	size_t live;
	uint32_t target;
	size_t *place, n_places;
	struct issued before; /* when the watch began */
};

struct reading {
	uint64_t at_ns;
	struct iobi_stat *stat; /* of each device */
};

struct iobi_watch {
	struct iobi_counters counters;
	struct root *root;
	size_t n_roots;
	struct reading begin, last, end; /* `last`: of the latest interval */
	bool begun, ended;
	char machine[IOBI_NAME];
	struct iob_device_interval **interval; /* of each device */
	size_t room;                           /* places of each */
	size_t n_intervals;
};

/* ---- making one ---- */

static int add_places(struct iobi_watch *w, struct iobi_system *sys, struct root *root,
		      const struct iobi_dev_list *devs)
{
	int rc = 0;
	root->place = calloc(devs->n + 1, sizeof(*root->place));
	if (!root->place)
		return -ENOMEM;
	for (size_t i = 0; i < devs->n && !rc; i++)
		rc = iobi_counters_add(&w->counters, sys, devs->list[i].dev,
				       &root->place[root->n_places++]);
	return rc;
}

/* Files of one file system stand on the same: it is looked up for the first. */
static const struct root *same_file_system(const struct iobi_watch *w, const struct iobi_stage *s,
					   const struct iobi_target *t)
{
	for (size_t i = 0; i < w->n_roots; i++) {
		const struct root *r = &w->root[i];
		const struct iobi_target *other =
			&s->live[r->live].plan->target[r->target].known->t;
		if (!other->is_block && other->dev == t->dev)
			return r;
	}
	return NULL;
}

static int copy_places(struct root *root, const struct root *from)
{
	root->place = calloc(from->n_places + 1, sizeof(*root->place));
	if (!root->place)
		return -ENOMEM;
	memcpy(root->place, from->place, from->n_places * sizeof(*root->place));
	root->n_places = from->n_places;
	return 0;
}

static int find_places(struct iobi_watch *w, struct iobi_system *sys, struct root *root,
		       const struct iobi_target *t)
{
	char link[64], real[PATH_MAX];
	struct iobi_dev own = { .dev = t->rdev };
	struct iobi_dev_list devs = { &own, 1 };
	if (t->is_block)
		return add_places(w, sys, root, &devs);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", t->fd);
	ssize_t n = readlink(link, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	int rc = iobi_fs_devices(sys, real, t->dev, &devs);
	rc = rc ? rc : add_places(w, sys, root, &devs);
	free(devs.list);
	return rc;
}

static int add_roots(struct iobi_watch *w, struct iobi_system *sys, const struct iobi_stage *s,
		     size_t i)
{
	const struct iobi_plan *p = s->live[i].plan;
	int rc = 0;
	for (uint32_t t = 0; t < p->n_targets && !rc; t++) {
		struct root root = { .live = i, .target = t };
		if (!p->target[t].known || (p->ops->caps & IOB_ENGINE_NO_TARGET))
			continue;
		const struct iobi_target *known = &p->target[t].known->t;
		const struct root *like = known->is_block ? NULL : same_file_system(w, s, known);
		rc = like ? copy_places(&root, like) : find_places(w, sys, &root, known);
		struct root *more = realloc(w->root, (w->n_roots + 1) * sizeof(*more));
		if (!more) {
			free(root.place);
			return -ENOMEM;
		}
		w->root = more;
		more[w->n_roots++] = root;
	}
	return rc;
}

/* Room for more intervals; where there is none, what there is gets coarser. */
static bool grow(struct iobi_watch *w)
{
	enum {
		FIRST = 16
	};
	size_t room = w->room ? 2 * w->room : FIRST;
	room = room < IOBI_SERIES_MAX ? room : IOBI_SERIES_MAX;
	for (size_t i = 0; i < w->counters.n; i++) {
		struct iob_device_interval *more = realloc(w->interval[i], room * sizeof(*more));
		if (!more)
			return false;
		w->interval[i] = more;
	}
	w->room = room;
	return true;
}

static int make_room(struct iobi_watch *w)
{
	size_t n = w->counters.n;
	w->begin.stat = calloc(n, sizeof(struct iobi_stat));
	w->last.stat = calloc(n, sizeof(struct iobi_stat));
	w->end.stat = calloc(n, sizeof(struct iobi_stat));
	w->interval = calloc(n, sizeof(struct iob_device_interval *));
	int ok = w->begin.stat && w->last.stat && w->end.stat && w->interval;
	return ok && grow(w) ? 0 : -ENOMEM;
}

static bool any_target(const struct iobi_stage *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].plan->target[0].known &&
		    !(s->live[i].plan->ops->caps & IOB_ENGINE_NO_TARGET))
			return true;
	return false;
}

/* One name means one device as long as the machine is not started anew. */
static void name_machine(struct iobi_watch *w)
{
	if (iobi_sysfs_read("/proc/sys/kernel/random/boot_id", w->machine, sizeof(w->machine)) < 0)
		w->machine[0] = '\0';
	w->machine[strcspn(w->machine, "\n")] = '\0';
}

int iobi_watch_new(struct iobi_watch **out, const struct iobi_stage *s)
{
	struct iobi_system sys;
	*out = NULL;
	if (!any_target(s))
		return 0;
	struct iobi_watch *w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	iobi_system_open(&sys, "");
	int rc = 0;
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = add_roots(w, &sys, s, i);
	rc = rc ? rc : iobi_counters_open(&w->counters, &sys);
	iobi_system_close(&sys);
	name_machine(w);
	if (!rc && w->counters.n)
		rc = make_room(w);
	if (!rc && w->counters.n)
		*out = w;
	else
		iobi_watch_free(w);
	return rc;
}

void iobi_watch_free(struct iobi_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; w->interval && i < w->counters.n; i++)
		free(w->interval[i]);
	free(w->interval);
	for (size_t i = 0; i < w->n_roots; i++)
		free(w->root[i].place);
	free(w->root);
	free(w->begin.stat);
	free(w->last.stat);
	free(w->end.stat);
	iobi_counters_free(&w->counters);
	free(w);
}

/* ---- what was issued ---- */

/* a * b / c without passing 64 bits on the way. */
static uint64_t share(uint64_t a, uint64_t b, uint64_t c)
{
	return c ? (uint64_t)((iobi_u128)a * b / c) : 0;
}

/* What failed was issued too, and the device did something for it. */
static void sum_ops(const struct iobi_live *l, struct issued *out)
{
	for (uint32_t i = 0; i < l->plan->workers; i++)
		for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
			const struct iobi_meter *m = &l->worker[i].meter[op];
			out->ios[op] +=
				IOBI_LOAD(&m->ios) + IOBI_LOAD(&m->errors) + IOBI_LOAD(&m->shorts);
			out->bytes[op] += IOBI_LOAD(&m->bytes) + IOBI_LOAD(&m->failed_bytes);
		}
}

static void sum_target(const struct iobi_live *l, uint32_t target, uint64_t *ios, uint64_t *bytes)
{
	for (uint32_t i = 0; i < l->plan->workers; i++) {
		*ios += IOBI_LOAD(&l->worker[i].target_meter[target].ios);
		*bytes += IOBI_LOAD(&l->worker[i].target_meter[target].bytes);
	}
}

/* Ops are metered for a workload, targets for all ops: one target of several
 * had its share of each. */
static struct issued issued_to(const struct iobi_live *l, uint32_t target)
{
	struct issued all = { { 0 }, { 0 } };
	uint64_t ios = 0, bytes = 0, all_ios = 0, all_bytes = 0;
	sum_ops(l, &all);
	if (l->plan->n_targets == 1)
		return all;
	sum_target(l, target, &ios, &bytes);
	for (uint32_t t = 0; t < l->plan->n_targets; t++)
		sum_target(l, t, &all_ios, &all_bytes);
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		all.ios[op] = share(all.ios[op], ios, all_ios);
		all.bytes[op] = share(all.bytes[op], bytes, all_bytes);
	}
	return all;
}

/* ---- readings ---- */

static void read_now(const struct iobi_watch *w, struct reading *r)
{
	r->at_ns = iobi_now(iobi_clock());
	iobi_counters_read(&w->counters, r->stat);
}

uint64_t iobi_watch_due(const struct iobi_watch *w, const struct iobi_stage *s)
{
	uint64_t latest = 0;
	if (!w || w->begun)
		return UINT64_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].worker[0].start_ns > latest)
			latest = s->live[i].worker[0].start_ns;
	return latest;
}

void iobi_watch_begin(struct iobi_watch *w, const struct iobi_stage *s)
{
	if (!w || w->begun)
		return;
	read_now(w, &w->begin);
	for (size_t i = 0; i < w->n_roots; i++)
		w->root[i].before = issued_to(&s->live[w->root[i].live], w->root[i].target);
	w->last.at_ns = w->begin.at_ns;
	memcpy(w->last.stat, w->begin.stat, w->counters.n * sizeof(struct iobi_stat));
	w->begun = true;
}

static bool busy(const struct iobi_watch *w, const struct reading *r)
{
	for (size_t i = 0; i < w->counters.n; i++)
		if (r->stat[i].v[IOBI_STAT_IN_FLIGHT])
			return true;
	return false;
}

/* The kernel completes an I/O a moment before it counts it. Others may be busy
 * on the device, so the wait for the counters is short. */
void iobi_watch_end(struct iobi_watch *w, const struct iobi_stage *s)
{
	enum {
		TRIES = 10
	};
	const struct timespec moment = { .tv_nsec = 200000 };
	if (!w)
		return;
	read_now(w, &w->end);
	uint64_t at = w->end.at_ns;
	for (int i = 0; i < TRIES && busy(w, &w->end); i++) {
		nanosleep(&moment, NULL);
		read_now(w, &w->end);
	}
	w->end.at_ns = at;
	iobi_watch_begin(w, s); /* it ended before its ramp did: nothing was measured */
	w->ended = true;
}

/* ---- intervals ---- */

static struct iob_device_interval between(const struct iobi_watch *w, const struct reading *from,
					  const struct reading *to, size_t i, uint64_t origin)
{
	struct iob_device_use use = { 0 };
	uint64_t start = from->at_ns > origin ? from->at_ns : origin;
	iobi_counters_since(&w->counters.list[i], &from->stat[i], &to->stat[i], &use);
	return (struct iob_device_interval){
		.size = sizeof(struct iob_device_interval),
		.start_ns = start - origin,
		.length_ns = to->at_ns > start ? to->at_ns - start : 0,
		.read_ios = use.op[IOB_OP_READ].ios,
		.read_bytes = use.op[IOB_OP_READ].bytes,
		.write_ios = use.op[IOB_OP_WRITE].ios,
		.write_bytes = use.op[IOB_OP_WRITE].bytes,
		.busy_ms = use.busy_ms,
		.queue_ms = use.queue_ms,
	};
}

static void add(struct iob_device_interval *to, const struct iob_device_interval *from)
{
	to->length_ns += from->length_ns;
	to->read_ios += from->read_ios;
	to->read_bytes += from->read_bytes;
	to->write_ios += from->write_ios;
	to->write_bytes += from->write_bytes;
	to->busy_ms += from->busy_ms;
	to->queue_ms += from->queue_ms;
}

/* Neighbours in pairs, as the I/O series does. */
static void halve(struct iobi_watch *w)
{
	for (size_t d = 0; d < w->counters.n; d++)
		for (size_t i = 0; i < w->n_intervals; i++) {
			struct iob_device_interval *v = w->interval[d];
			if (i % 2)
				add(&v[i / 2], &v[i]);
			else
				v[i / 2] = v[i];
		}
	w->n_intervals = (w->n_intervals + 1) / 2;
}

static uint64_t first_start(const struct iobi_stage *s)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (s->live[i].worker[0].start_ns < first)
			first = s->live[i].worker[0].start_ns;
	return first;
}

void iobi_watch_tick(struct iobi_watch *w, const struct iobi_stage *s)
{
	if (!w || !w->begun)
		return;
	if (!w->ended)
		read_now(w, &w->end);
	if (w->end.at_ns <= w->last.at_ns)
		return;
	if (w->n_intervals == w->room && (w->room == IOBI_SERIES_MAX || !grow(w)))
		halve(w);
	for (size_t d = 0; d < w->counters.n; d++)
		w->interval[d][w->n_intervals] = between(w, &w->last, &w->end, d, first_start(s));
	w->n_intervals++;
	struct iobi_stat *spare = w->last.stat;
	w->last = w->end;
	w->end.stat = spare;
	memcpy(w->end.stat, w->last.stat, w->counters.n * sizeof(struct iobi_stat));
}

/* ---- the result ---- */

/* What all targets issued to the devices below them. */
struct sums {
	struct issued *of; /* of each device */
	uint32_t *flags;
	bool *below; /* under the workload that is asked for */
	size_t *seen, mark;
};

static void visit(const struct iobi_watch *w, struct sums *sums, size_t place,
		  const struct issued *by, uint32_t flags, bool own)
{
	const struct iobi_counter *c = &w->counters.list[place];
	uint32_t part = flags & IOB_DEVICE_PART || c->n_below > 1 ? IOB_DEVICE_PART : 0;
	sums->flags[place] |= flags;
	sums->below[place] |= own;
	if (sums->seen[place] == sums->mark)
		return;
	sums->seen[place] = sums->mark;
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		sums->of[place].ios[op] += by->ios[op];
		sums->of[place].bytes[op] += by->bytes[op];
	}
	for (size_t i = 0; i < c->n_below; i++)
		visit(w, sums, c->below[i].to, by, part, own);
}

static struct issued since(const struct issued *from, const struct issued *to)
{
	struct issued out;
	for (int op = 0; op < IOBI_OPS; op++) {
		out.ios[op] = to->ios[op] > from->ios[op] ? to->ios[op] - from->ios[op] : 0;
		out.bytes[op] =
			to->bytes[op] > from->bytes[op] ? to->bytes[op] - from->bytes[op] : 0;
	}
	return out;
}

static void sum_issued(const struct iobi_watch *w, const struct iobi_stage *s, size_t live,
		       struct sums *sums)
{
	for (size_t i = 0; i < w->n_roots; i++) {
		const struct root *root = &w->root[i];
		struct issued now = issued_to(&s->live[root->live], root->target);
		struct issued by = since(&root->before, &now);
		uint32_t part = root->n_places > 1 ? IOB_DEVICE_PART : 0;
		sums->mark = i + 1;
		for (size_t k = 0; k < root->n_places && w->begun; k++)
			visit(w, sums, root->place[k], &by, IOB_DEVICE_TARGET | part,
			      root->live == live);
	}
}

static void fill_use(const struct iobi_watch *w, size_t i, const struct reading *to,
		     const struct sums *sums, struct iob_device_use *use)
{
	const struct iobi_counter *c = &w->counters.list[i];
	use->name = c->name;
	use->kind = c->kind;
	use->about = c->about;
	use->machine = w->machine;
	use->device_bytes = c->device_bytes;
	use->depth = c->depth;
	use->n_below = (uint32_t)c->n_below;
	use->flags = c->flags | sums->flags[i];
	use->length_ns = to->at_ns > w->begin.at_ns ? to->at_ns - w->begin.at_ns : 0;
	iobi_counters_since(c, &w->begin.stat[i], &to->stat[i], use);
	for (int op = IOB_OP_READ; op < IOBI_OPS; op++) {
		use->op[op].issued_ios = sums->of[i].ios[op];
		use->op[op].issued_bytes = sums->of[i].bytes[op];
	}
}

static int add_device(const struct iobi_watch *w, size_t i, const struct reading *to,
		      const struct sums *sums, struct iob_result *r)
{
	const struct iobi_counter *c = &w->counters.list[i];
	struct iobi_device d = { .interval = w->interval[i], .n_intervals = w->n_intervals };
	d.below = calloc(c->n_below + 1, sizeof(char *));
	if (!d.below)
		return -ENOMEM;
	for (size_t k = 0; k < c->n_below; k++)
		d.below[k] = w->counters.list[c->below[k].to].name;
	fill_use(w, i, to, sums, &d.use);
	int rc = iobi_devices_add(r, &d);
	free(d.below);
	return rc;
}

static int add_devices(const struct iobi_watch *w, const struct iobi_stage *s, size_t live,
		       struct sums *sums, struct iob_result *r)
{
	struct reading now = { .stat = calloc(w->counters.n, sizeof(struct iobi_stat)) };
	int rc = now.stat ? 0 : -ENOMEM;
	if (!rc && !w->ended)
		read_now(w, &now);
	if (!rc)
		sum_issued(w, s, live, sums);
	for (size_t i = 0; i < w->counters.n && !rc; i++)
		if (sums->below[i])
			rc = add_device(w, i, w->ended ? &w->end : &now, sums, r);
	free(now.stat);
	return rc;
}

int iobi_watch_result(const struct iobi_watch *w, const struct iobi_stage *s, size_t i,
		      struct iob_result *r)
{
	size_t n = w ? w->counters.n : 0;
	if (!n)
		return 0;
	struct sums sums = { .of = calloc(n, sizeof(*sums.of)),
			     .flags = calloc(n, sizeof(*sums.flags)),
			     .below = calloc(n, sizeof(*sums.below)),
			     .seen = calloc(n, sizeof(*sums.seen)) };
	int rc = sums.of && sums.flags && sums.below && sums.seen ? 0 : -ENOMEM;
	rc = rc ? rc : add_devices(w, s, i, &sums, r);
	free(sums.of);
	free(sums.flags);
	free(sums.below);
	free(sums.seen);
	return rc;
}
