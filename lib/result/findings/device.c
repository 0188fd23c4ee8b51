/* SPDX-License-Identifier: MIT */
/* Devices and their layers, by their own counters. */
#include "result/findings/judge.h"
#include <math.h>
#include <string.h>

/* An I/O that is cut at a boundary now and then is not one that is cut always. */
static const double most_requests = 1.5;
/* Counters and run do not start and end at the same moment. */
static const double most_foreign = 0.05;
static const double least_foreign_bytes = 1 << 20;
/* Twice as busy as its peers is chance on few requests, thrice is not. */
static const double most_skew = 3, least_requests = 1000;

static double moved(const struct iob_device_use *u)
{
	return (double)u->op[IOB_OP_READ].bytes + (double)u->op[IOB_OP_WRITE].bytes;
}

static double requests(const struct iob_device_use *u)
{
	return (double)u->op[IOB_OP_READ].ios + (double)u->op[IOB_OP_WRITE].ios;
}

/* ---- request-split ---- */

/* All devices of one depth that stand under the targets by parts, not by files. */
struct layer {
	double requests, bytes;
	size_t n;
	const char *name;
	bool foreign;
};

static bool under_a_file(const struct iob_result *r, const struct iob_device_use *u)
{
	for (uint32_t at = u->above; at < r->n_devices; at = r->device[at].use.above)
		if (!strcmp(r->device[at].use.kind, "loop"))
			return true;
	return false;
}

/* The kernel counts a flush that a write or a sync asks for as a write of its own,
 * of nothing, where there is a cache to be flushed. */
static double flushes(const struct iob_result *r, const struct iob_device_use *u)
{
	const char *sync = iobi_ran(r, "sync");
	double n = (double)r->op[IOB_OP_SYNC].count[IOB_COUNT_IOS];
	if (!r->recorded && !(u->flags & IOB_DEVICE_WRITE_CACHE))
		return 0;
	if (sync && strcmp(sync, "none") != 0)
		n += fmax((double)u->op[IOB_OP_WRITE].issued_ios,
			  (double)r->op[IOB_OP_WRITE].count[IOB_COUNT_IOS]);
	return fmin(n, (double)u->op[IOB_OP_WRITE].ios);
}

static struct layer layer_at(const struct iob_result *r, uint32_t depth)
{
	struct layer l = { 0 };
	for (size_t i = 0; i < r->n_devices; i++) {
		const struct iob_device_use *u = &r->device[i].use;
		if (u->depth != depth || u->flags & IOB_DEVICE_NO_COUNTERS || under_a_file(r, u))
			continue;
		double n = requests(u) - flushes(r, u);
		l.requests += n;
		l.bytes += moved(u);
		l.name = l.name ? l.name : u->name;
		l.n += n > 0;
	}
	return l;
}

static void add_layer(struct iobi_judge *j, struct iobi_text *t, const struct layer *l,
		      double per_io, double size)
{
	iobi_text_printf(t, "%s%s", t->len ? ", " : "", l->name);
	if (l->n > 1)
		iobi_text_printf(t, " and %zu more", l->n - 1);
	iobi_text_printf(t, " %s of %s", iobi_w_number(j, per_io), iobi_w_bytes(j, size));
}

static const char *const per_io_names[] = { "requests_per_io", "requests_per_io_1",
					    "requests_per_io_2", "requests_per_io_3" };

/* Recordings have requests and no bytes: those of the run then, which all went there. */
static void request_split(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	double ios = (double)r->op[IOB_OP_READ].count[IOB_COUNT_IOS] +
		     (double)r->op[IOB_OP_WRITE].count[IOB_COUNT_IOS];
	double bytes = (double)r->op[IOB_OP_READ].count[IOB_COUNT_BYTES] +
		       (double)r->op[IOB_OP_WRITE].count[IOB_COUNT_BYTES],
	       worst = 0;
	struct iobi_text t = { 0 };
	if (!r->n_devices) {
		iobi_unchecked(j, "the recording has no disk statistics of its own");
		return;
	}
	if (r->device[0].use.op[IOB_OP_ALL].issued_ios) {
		ios = (double)r->device[0].use.op[IOB_OP_READ].issued_ios +
		      (double)r->device[0].use.op[IOB_OP_WRITE].issued_ios;
		bytes = (double)r->device[0].use.op[IOB_OP_READ].issued_bytes +
			(double)r->device[0].use.op[IOB_OP_WRITE].issued_bytes;
	}
	for (uint32_t depth = 0; depth < IOBI_LEN(per_io_names); depth++) {
		struct layer l = layer_at(r, depth);
		double per_io = l.requests / ios;
		if (!l.requests || !ios || l.bytes > bytes * (1 + most_foreign) ||
		    (j->view.direct == 0 && !j->view.rec))
			continue;
		worst = fmax(worst, per_io);
		iobi_number(j, per_io_names[depth], per_io);
		add_layer(j, &t, &l, per_io, (l.bytes ? l.bytes : bytes) / l.requests);
	}
	if (worst >= most_requests && !t.failed)
		iobi_raise(
			j,
			"an I/O of %s became several requests, by layer: %s; its latency is that "
			"of the last of them",
			iobi_w_bytes(j, bytes / ios), t.data);
	iobi_text_free(&t);
}

/* ---- the others ---- */

/* Others read, or wrote; a file system's journal is not others. */
static double foreign(const struct iob_device_use *u, bool journal)
{
	double read = (double)u->op[IOB_OP_READ].bytes - (double)u->op[IOB_OP_READ].issued_bytes;
	double write = (double)u->op[IOB_OP_WRITE].bytes - (double)u->op[IOB_OP_WRITE].issued_bytes;
	return (read > 0 ? read : 0) + (write > 0 && !journal ? write : 0);
}

static bool on_a_file(const struct iob_result *r)
{
	for (size_t i = 0; i < r->n_targets; i++)
		if (strncmp(r->targets[i].path, "/dev/", 5) != 0)
			return true;
	return false;
}

static void foreign_io(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	bool journal = on_a_file(r) && j->view.writes;
	if (j->view.rec) {
		iobi_unchecked(j, "the recording has no bytes of the devices");
		return;
	}
	for (size_t i = 0; i < r->n_devices && j->view.direct == 1; i++) {
		const struct iob_device_use *u = &r->device[i].use;
		double issued = (double)u->op[IOB_OP_READ].issued_bytes +
				(double)u->op[IOB_OP_WRITE].issued_bytes;
		double other = foreign(u, journal);
		if (!(u->flags & IOB_DEVICE_TARGET) ||
		    u->flags & (IOB_DEVICE_PART | IOB_DEVICE_NO_COUNTERS) ||
		    other < least_foreign_bytes || other <= most_foreign * issued)
			continue;
		iobi_number(j, "foreign_bytes", other);
		iobi_number(j, "issued_bytes", issued);
		iobi_raise(
			j,
			"%s moved %s more than this run issued (%s): somebody else used it at the "
			"same time",
			u->name, iobi_w_bytes(j, other), iobi_w_bytes(j, issued));
		return;
	}
}

static bool unavailable(const struct iob_device_use *u)
{
	if (u->flags & IOB_DEVICE_NO_COUNTERS)
		return true;
	return u->flags & IOB_DEVICE_NO_TICKS && requests(u) > 0;
}

static void counter_unavailable(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	struct iobi_text names = { 0 };
	size_t n = 0;
	bool all = true;
	for (size_t i = 0; i < r->n_devices; i++) {
		const struct iob_device_use *u = &r->device[i].use;
		if (!unavailable(u))
			continue;
		iobi_text_printf(&names, "%s%s", n++ ? ", " : "", u->name);
		all &= !!(u->flags & IOB_DEVICE_NO_COUNTERS);
	}
	if (!r->n_devices)
		iobi_unchecked(j, "the recording has no disk statistics of its own");
	iobi_number(j, "devices", (double)n);
	if (n && !names.failed)
		iobi_raise(j,
			   "%s: the kernel keeps no %s; utilisation and queue are not available, "
			   "which "
			   "does not mean idle",
			   names.data, all ? "counters" : "times");
	iobi_text_free(&names);
}

/* How busy a member is; NaN: it has no say. */
static double busy(const struct iob_device_use *u, bool by_time)
{
	if (!requests(u) || u->flags & IOB_DEVICE_NO_COUNTERS)
		return NAN;
	return by_time ? u->utilisation : requests(u);
}

/* Devices that share the work: the members of a layer, or those of one file system. */
struct peers {
	const struct iob_result *r;
	const struct iob_device_use *top; /* NULL: of the file system that the target is in */
	double largest;
};

static bool stands_under(const struct peers *p, uint32_t at)
{
	const uint32_t flags = IOB_DEVICE_TARGET | IOB_DEVICE_PART;
	if (!p->top)
		return !p->r->device[at].use.depth && (p->r->device[at].use.flags & flags) == flags;
	for (uint32_t i = 0; i < p->top->n_below; i++)
		if (p->top->below[i] == at)
			return true;
	return false;
}

/* The metadata of a pool and the cache before a disk are members of another kind,
 * and smaller. */
static bool is_peer(const struct peers *p, uint32_t at)
{
	return stands_under(p, at) && (double)p->r->device[at].use.device_bytes >= p->largest / 2;
}

static void find_largest(struct peers *p)
{
	for (uint32_t i = 0; i < p->r->n_devices; i++)
		if (stands_under(p, i))
			p->largest = fmax(p->largest, (double)p->r->device[i].use.device_bytes);
}

/* Paths to one disk are used one at a time on purpose, a cache and its disk unevenly. */
static bool shares_work(const struct iob_device_use *u)
{
	return strcmp(u->kind, "disk") != 0 && strcmp(u->kind, "bcache") != 0 &&
	       strncmp(u->about, "multipath", 9) != 0;
}

struct busiest {
	uint32_t at;
	double value, others, requests; /* others: their mean; requests: of all */
	unsigned n, idle;
};

static struct busiest find_busiest(const struct peers *p, bool by_time)
{
	struct busiest b = { 0 };
	double sum = 0;
	for (uint32_t i = 0; i < p->r->n_devices; i++) {
		const struct iob_device_use *u = &p->r->device[i].use;
		double value = is_peer(p, i) ? busy(u, by_time) : NAN;
		b.idle += is_peer(p, i) && !requests(u) && !(u->flags & IOB_DEVICE_NO_COUNTERS);
		if (isnan(value))
			continue;
		b.at = b.n && value <= b.value ? b.at : i;
		b.value = b.n && value <= b.value ? b.value : value;
		b.requests += requests(u);
		sum += value;
		b.n++;
	}
	b.others = b.n > 1 ? (sum - b.value) / (b.n - 1) : NAN;
	return b;
}

static void raise_skew(struct iobi_judge *j, const struct peers *p, const struct busiest *b,
		       bool by_time)
{
	const char *name = p->r->device[b->at].use.name;
	const char *of = p->top ? p->top->name : "the file system";
	double times = b->value / b->others;
	iobi_number(j, "value", b->value);
	if (b->n == 1) {
		iobi_number(j, "idle", b->idle);
		iobi_raise(j,
			   "%s, a member of %s, did all of its requests and %u other%s none: it is "
			   "the limit, not all of them",
			   name, of, b->idle, b->idle == 1 ? "" : "s");
		return;
	}
	iobi_number(j, "times", times);
	iobi_number(j, "others", b->others);
	iobi_raise(
		j,
		"%s, a member of %s, has %s times the %s of the others: it is the limit, not all "
		"of them",
		name, of, iobi_w_number(j, times), by_time ? "utilisation" : "requests");
}

static bool find_skew(struct iobi_judge *j, const struct peers *p, bool by_time)
{
	struct busiest b = find_busiest(p, by_time);
	double done = p->top ? requests(p->top) : b.requests;
	bool alone = b.n == 1 && b.idle;
	if (done < least_requests || !(alone || b.value / b.others >= most_skew))
		return false;
	raise_skew(j, p, &b, by_time);
	return true;
}

static bool any_skew(struct iobi_judge *j, const struct iob_device_use *top)
{
	struct peers p = { j->r, top, 0 };
	if (top && !shares_work(top))
		return false;
	find_largest(&p);
	return find_skew(j, &p, true) || find_skew(j, &p, false);
}

static void skew(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	if (!r->n_devices)
		iobi_unchecked(j, "the recording has no disk statistics of its own");
	bool found = any_skew(j, NULL);
	for (size_t i = 0; i < r->n_devices && !found; i++)
		found = any_skew(j, &r->device[i].use);
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "request-split", "device",
	    "At some layer of the target's devices, 1.5 requests or more for each I/O (layers "
	    "under the file of a loop device left out, and those that others used; flushes do not "
	    "count).",
	    "Use blocks that the layer takes whole (max_sectors_kb, chunk and stripe sizes), or "
	    "know "
	    "that the latency is of all the parts together.",
	    "an I/O of 1 MiB became several requests, by layer: dm-0 254 of 4.04 KiB, md0 and 1 "
	    "more "
	    "256 of 4 KiB, sdc and 19 more 16 of 64 KiB; its latency is that of the last of them" },
	  IOBI_AT_WORKLOAD,
	  true,
	  request_split },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_NOTE, "counter-unavailable", "device",
	    "A device did I/O and the kernel kept no times for it (all ticks are 0), or no "
	    "counters at "
	    "all.",
	    "Look at the layer below, or above; do not read 0 % as idle.",
	    "md0: the kernel keeps no times; utilisation and queue are not available, which does "
	    "not "
	    "mean idle" },
	  IOBI_AT_WORKLOAD,
	  true,
	  counter_unavailable },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "foreign-io", "device",
	    "A target's device read and wrote 5 % (and 1 MiB) more than this run issued, with "
	    "direct=true. What a file system writes beside the data of a file is not counted.",
	    "Find who else uses the device (iostat, iotop), and measure again without.",
	    "loop3 moved 412 MiB more than this run issued (1.92 GiB): somebody else used it at "
	    "the "
	    "same time" },
	  IOBI_AT_WORKLOAD,
	  true,
	  foreign_io },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "skew", "device",
	    "A member of a layer, or of a file system with several devices, is 3 times as busy as "
	    "the others are on average, by utilisation, else by requests; or it did all, and the "
	    "others nothing; of 1,000 requests or more. Not paths of one disk, nor members of "
	    "less than half the size of the largest (metadata, caches).",
	    "See where the data lies: small regions and large chunks put all I/O on one member.",
	    "sdc, a member of md0, has 9.4 times the utilisation of the others: it is the limit, "
	    "not "
	    "all of them" },
	  IOBI_AT_WORKLOAD,
	  true,
	  skew },
};

const struct iobi_family iobi_device_rules = { rules, IOBI_LEN(rules) };
