/* SPDX-License-Identifier: MIT */
/* What the devices of a node did: lists joined, and what follows from the counts. */
#include "result/result_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static void free_device(struct iobi_device *d)
{
	for (uint32_t i = 0; d->below && i < d->use.n_below; i++)
		free(d->below[i]);
	free(d->below);
	free((uint32_t *)d->use.below);
	free((char *)d->use.name);
	free((char *)d->use.kind);
	free((char *)d->use.about);
	free((char *)d->use.machine);
	free(d->interval);
}

void iobi_devices_free(struct iob_result *r)
{
	for (size_t i = 0; i < r->n_devices; i++)
		free_device(&r->device[i]);
	free(r->device);
	r->device = NULL;
	r->n_devices = 0;
}

static int copy_texts(struct iobi_device *to, const struct iobi_device *from)
{
	to->use.name = strdup(from->use.name);
	to->use.kind = strdup(from->use.kind);
	to->use.about = strdup(from->use.about);
	to->use.machine = strdup(from->use.machine);
	to->below = calloc(from->use.n_below + 1, sizeof(char *));
	int ok = to->use.name && to->use.kind && to->use.about && to->use.machine && to->below;
	for (uint32_t i = 0; ok && i < from->use.n_below; i++) {
		to->below[i] = strdup(from->below[i]);
		ok = to->below[i] != NULL;
	}
	return ok ? 0 : -ENOMEM;
}

static int add_intervals(struct iobi_device *to, const struct iobi_device *from, uint64_t shift)
{
	size_t n = to->n_intervals + from->n_intervals;
	if (!from->n_intervals)
		return 0;
	struct iob_device_interval *more = realloc(to->interval, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	to->interval = more;
	for (size_t i = 0; i < from->n_intervals; i++) {
		more[to->n_intervals] = from->interval[i];
		more[to->n_intervals++].start_ns += shift;
	}
	return 0;
}

static int append(struct iob_result *r, const struct iobi_device *d, uint64_t shift)
{
	struct iobi_device *more = realloc(r->device, (r->n_devices + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->device = more;
	struct iobi_device *to = &more[r->n_devices++];
	*to = (struct iobi_device){ .use = d->use };
	to->use.size = sizeof(to->use);
	to->use.below = NULL;
	int rc = copy_texts(to, d);
	return rc ? rc : add_intervals(to, d, shift);
}

int iobi_devices_add(struct iob_result *r, const struct iobi_device *d)
{
	return append(r, d, 0);
}

static struct iobi_device *find(const struct iob_result *r, const char *name, const char *machine)
{
	for (size_t i = 0; i < r->n_devices; i++)
		if (!strcmp(r->device[i].use.name, name) &&
		    !strcmp(r->device[i].use.machine, machine))
			return &r->device[i];
	return NULL;
}

/* ---- joining ---- */

static int add_to(uint64_t *sum, uint64_t more)
{
	return __builtin_add_overflow(*sum, more, sum) ? -EOVERFLOW : 0;
}

static int add_issued(struct iob_device_io *to, const struct iob_device_io *from)
{
	return add_to(&to->issued_ios, from->issued_ios) ||
			       add_to(&to->issued_bytes, from->issued_bytes)
		       ? -EOVERFLOW
		       : 0;
}

static int add_io(struct iob_device_io *to, const struct iob_device_io *from)
{
	if (add_to(&to->ios, from->ios) || add_to(&to->merges, from->merges) ||
	    add_to(&to->bytes, from->bytes) || add_to(&to->ticks_ms, from->ticks_ms))
		return -EOVERFLOW;
	return add_issued(to, from);
}

/* One stage after another; where one could not be counted, the sum cannot. */
static int add_after(struct iobi_device *to, const struct iobi_device *from, uint64_t shift)
{
	int rc = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		rc = add_io(&to->use.op[op], &from->use.op[op]);
	rc = rc ? rc : add_to(&to->use.busy_ms, from->use.busy_ms);
	rc = rc ? rc : add_to(&to->use.queue_ms, from->use.queue_ms);
	rc = rc ? rc : add_to(&to->use.length_ns, from->use.length_ns);
	/* Whether it keeps times is seen the better the longer it runs. */
	to->use.flags &= ~(uint32_t)IOB_DEVICE_NO_TICKS;
	to->use.flags |= from->use.flags;
	return rc ? rc : add_intervals(to, from, shift);
}

static void take_counts(struct iobi_device *to, const struct iobi_device *from)
{
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++) {
		struct iob_device_io *a = &to->use.op[op];
		const struct iob_device_io *b = &from->use.op[op];
		a->ios = b->ios;
		a->merges = b->merges;
		a->bytes = b->bytes;
		a->ticks_ms = b->ticks_ms;
	}
	to->use.busy_ms = from->use.busy_ms;
	to->use.queue_ms = from->use.queue_ms;
	to->use.length_ns = from->use.length_ns;
	to->use.flags = from->use.flags;
}

/* Two processes that ran at the same time saw the same requests: the longest
 * reading has the most of them. What they issued adds up. */
static int add_parallel(struct iobi_device *to, const struct iobi_device *from)
{
	int rc = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		rc = add_issued(&to->use.op[op], &from->use.op[op]);
	if (rc || from->use.length_ns <= to->use.length_ns)
		return rc;
	take_counts(to, from);
	to->n_intervals = 0;
	return add_intervals(to, from, 0);
}

int iobi_devices_join(struct iob_result *r, const struct iob_result *part, enum iobi_join how,
		      uint64_t shift_ns)
{
	int rc = 0;
	for (size_t i = 0; i < part->n_devices && !rc; i++) {
		const struct iobi_device *from = &part->device[i];
		struct iobi_device *to = find(r, from->use.name, from->use.machine);
		if (!to)
			rc = append(r, from, shift_ns);
		else if (how == IOBI_JOIN_AFTER)
			rc = add_after(to, from, shift_ns);
		else if (how == IOBI_JOIN_PARALLEL)
			rc = add_parallel(to, from);
		else
			to->use.flags |= from->use.flags & IOB_DEVICE_TARGET;
	}
	return rc;
}

/* ---- what follows ---- */

static uint32_t place_of(const struct iob_result *r, const char *name, const char *machine)
{
	const struct iobi_device *d = find(r, name, machine);
	return d ? (uint32_t)(d - r->device) : UINT32_MAX;
}

/* Names to places; what is not in this list is dropped. */
static int resolve(struct iob_result *r, struct iobi_device *d)
{
	uint32_t *below = calloc(d->use.n_below + 1, sizeof(*below)), n = 0;
	if (!below)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->use.n_below; i++) {
		char *name = d->below[i];
		below[n] = place_of(r, name, d->use.machine);
		if (below[n] == UINT32_MAX)
			free(name);
		else
			d->below[n++] = name;
	}
	d->use.n_below = n;
	free((uint32_t *)d->use.below);
	d->use.below = below;
	return 0;
}

static void find_above(struct iob_result *r)
{
	for (size_t i = 0; i < r->n_devices; i++)
		r->device[i].use.above = UINT32_MAX;
	for (size_t i = 0; i < r->n_devices; i++)
		for (uint32_t k = 0; k < r->device[i].use.n_below; k++) {
			struct iob_device_use *u = &r->device[r->device[i].use.below[k]].use;
			if (u->above == UINT32_MAX)
				u->above = (uint32_t)i;
		}
}

static void sum_all(struct iob_device_use *u)
{
	u->op[IOB_OP_ALL] = (struct iob_device_io){ 0 };
	for (int op = IOB_OP_READ; op <= IOB_OP_TRIM; op++)
		if (add_io(&u->op[IOB_OP_ALL], &u->op[op]))
			u->flags |= IOB_DEVICE_NO_COUNTERS;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static int64_t difference(uint64_t a, uint64_t b)
{
	uint64_t d = a > b ? a - b : b - a;
	int64_t most = d > INT64_MAX ? INT64_MAX : (int64_t)d;
	return a > b ? most : -most;
}

int iobi_device_counts(const struct iob_device_use *u, int op)
{
	uint32_t kept_out = op == IOB_OP_TRIM   ? IOB_DEVICE_NO_DISCARDS
			    : op == IOB_OP_SYNC ? IOB_DEVICE_NO_FLUSHES
						: 0;
	return !(u->flags & (IOB_DEVICE_NO_COUNTERS | kept_out));
}

int iobi_device_times(const struct iob_device_use *u, int op)
{
	return iobi_device_counts(u, op) && !(u->flags & IOB_DEVICE_NO_TICKS);
}

static void derive_one(struct iob_device_use *u)
{
	const struct iob_device_io *op = u->op;
	int counted = iobi_device_counts(u, IOB_OP_ALL);
	int timed = iobi_device_times(u, IOB_OP_ALL);
	double ms = (double)u->length_ns / 1e6;

	sum_all(u);
	u->utilisation = timed ? fmin(ratio((double)u->busy_ms, ms), 1) : NAN;
	if (timed && !u->length_ns)
		u->utilisation = NAN; /* fmin prefers a number */
	u->in_flight = timed ? ratio((double)u->queue_ms, ms) : NAN;
	u->mean_request = ratio((double)op[IOB_OP_READ].bytes + (double)op[IOB_OP_WRITE].bytes,
				(double)op[IOB_OP_READ].ios + (double)op[IOB_OP_WRITE].ios);
	u->requests_per_io =
		counted ? ratio((double)op[IOB_OP_ALL].ios, (double)op[IOB_OP_ALL].issued_ios)
			: NAN;
	u->foreign_bytes = counted && !(u->flags & IOB_DEVICE_PART)
				   ? difference(op[IOB_OP_ALL].bytes, op[IOB_OP_ALL].issued_bytes)
				   : 0;
}

/* ---- the members of a layer ---- */

enum metric {
	IOS,
	BYTES,
	UTILISATION
};

static double metric_of(const struct iob_device_use *u, enum metric m)
{
	if (m == UTILISATION)
		return u->utilisation;
	return (double)(m == IOS ? u->op[IOB_OP_ALL].ios : u->op[IOB_OP_ALL].bytes);
}

static int is_idle(const struct iob_device_use *u)
{
	return !u->op[IOB_OP_ALL].ios && !(u->flags & IOB_DEVICE_NO_COUNTERS);
}

/* Whether it has a say: idle spares and what is not available have none. */
static int counts(const struct iob_device_use *u, enum metric m)
{
	return !is_idle(u) && !(u->flags & IOB_DEVICE_NO_COUNTERS) && !isnan(metric_of(u, m));
}

/* How far from the others: 3 times as much is as far as a third. */
static double distance(double value, double others)
{
	if (value <= 0 || others <= 0)
		return value == others ? 1 : HUGE_VAL;
	return value > others ? value / others : others / value;
}

static void find_worst(const struct iob_result *r, const struct iob_device_use *u, enum metric m,
		       double sum, unsigned n, struct iob_device_spread *s)
{
	double most = 0;
	for (uint32_t i = 0; i < u->n_below; i++) {
		const struct iob_device_use *member = &r->device[u->below[i]].use;
		if (!counts(member, m))
			continue;
		double value = metric_of(member, m), others = (sum - value) / (n - 1);
		if (n > 1 && distance(value, others) <= most)
			continue;
		most = n > 1 ? distance(value, others) : 1;
		s->worst = u->below[i];
		s->skew = n > 1 ? ratio(value, others) : 1;
	}
}

static struct iob_device_spread spread(const struct iob_result *r, const struct iob_device_use *u,
				       enum metric m)
{
	struct iob_device_spread s = { NAN, NAN, NAN, NAN, UINT32_MAX, 0 };
	double sum = 0;
	unsigned n = 0;
	for (uint32_t i = 0; i < u->n_below; i++) {
		const struct iob_device_use *member = &r->device[u->below[i]].use;
		if (!counts(member, m))
			continue;
		double value = metric_of(member, m);
		sum += value;
		s.min = fmin(s.min, value); /* NaN is no number to fmin */
		s.max = fmax(s.max, value);
		n++;
	}
	if (n) {
		s.mean = sum / n;
		find_worst(r, u, m, sum, n, &s);
	}
	return s;
}

static void derive_members(const struct iob_result *r, struct iob_device_use *u)
{
	u->n_idle = 0;
	for (uint32_t i = 0; i < u->n_below; i++)
		u->n_idle += (uint32_t)is_idle(&r->device[u->below[i]].use);
	u->member_ios = spread(r, u, IOS);
	u->member_bytes = spread(r, u, BYTES);
	u->member_utilisation = spread(r, u, UTILISATION);
}

int iobi_devices_derive(struct iob_result *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_devices && !rc; i++)
		rc = resolve(r, &r->device[i]);
	if (rc)
		return rc;
	find_above(r);
	for (size_t i = 0; i < r->n_devices; i++)
		derive_one(&r->device[i].use);
	for (size_t i = 0; i < r->n_devices; i++)
		derive_members(r, &r->device[i].use);
	return 0;
}

/* ---- reading ---- */

/* A worker's are its workload's. */
static const struct iob_result *owner(const struct iob_result *r)
{
	return r && r->level == IOB_LEVEL_WORKER && r->parent ? r->parent : r;
}

size_t iob_result_device_count(const struct iob_result *r)
{
	r = owner(r);
	return r ? r->n_devices : 0;
}

static const struct iobi_device *device_at(const struct iob_result *r, size_t i)
{
	r = owner(r);
	return r && i < r->n_devices ? &r->device[i] : NULL;
}

const struct iob_device_use *iob_result_device(const struct iob_result *r, size_t i)
{
	const struct iobi_device *d = device_at(r, i);
	return d ? &d->use : NULL;
}

size_t iob_result_device_interval_count(const struct iob_result *r, size_t i)
{
	const struct iobi_device *d = device_at(r, i);
	return d ? d->n_intervals : 0;
}

const struct iob_device_interval *iob_result_device_interval(const struct iob_result *r, size_t i,
							     size_t k)
{
	const struct iobi_device *d = device_at(r, i);
	return d && k < d->n_intervals ? &d->interval[k] : NULL;
}
