/* SPDX-License-Identifier: MIT */
/* Caches and links: whether the data came from, and went to, the storage. */
#include "result/findings/judge.h"
#include <math.h>
#include <string.h>

/* A device that read less than this share of what was read was not what served it. */
static const double least_from_device = 0.9;
/* Reads under this: the counters' sectors and the run's ends are too much of it. */
static const double least_bytes = 1 << 20;
/* A disk's own cache has 64 to 512 MiB, a controller's more: within less than
 * the smallest of them, going over the region again is served from it. */
static const double small_region = 64.0 * 1024 * 1024;
/* Fresh zones and unmapped stretches are common; a tenth of the region is not noise. */
static const double most_holes = 0.1;
/* Data is mostly zeros in some files; all but all of the blocks looked at is no data. */
static const double most_zeros = 0.9, least_blocks = 8;
/* Reading ahead and probing by others leave some pages; half the region is caching. */
static const double most_resident = 0.5;

/* ---- declared limits ---- */

static double declared(struct iobi_judge *j, const char *name, const char *missing)
{
	double v = iobi_asked_number(j->r, name);
	if (v > 0)
		return v;
	iobi_unchecked(j, missing);
	return NAN;
}

static bool child_raised(const struct iob_result *r, const char *code)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (!strcmp(r->findings.list[i]->code, code))
			return true;
	for (size_t i = 0; i < r->n_child; i++)
		if (child_raised(r->child[i], code))
			return true;
	return false;
}

static double bytes_per_s(const struct iobi_judge *j)
{
	const struct iobi_recorded *rec = j->view.rec;
	if (!rec || rec->counted)
		return iob_result_bytes_per_s(j->r, IOB_OP_ALL);
	return rec->bytes_per_s.value;
}

/* Workloads side by side share the link. */
static void above_link(struct iobi_judge *j)
{
	bool stage = j->r->level == IOB_LEVEL_STAGE;
	if (stage && (j->r->n_child < 2 || child_raised(j->r, "above-link")))
		return;
	double limit = declared(j, "link_limit", "no link limit was declared (link_limit)");
	double rate = bytes_per_s(j);
	if (!(rate > limit))
		return;
	iobi_number(j, "bytes_per_s", rate);
	iobi_number(j, "link_limit", limit);
	iobi_raise(j,
		   "%s is %s of what the link carries (%s): a cache on this side of it served the "
		   "rest",
		   iobi_w_rate(j, rate), iobi_w_share(j, rate / limit), iobi_w_rate(j, limit));
}

static void below_round_trip(struct iobi_judge *j)
{
	double least = declared(j, "round_trip", "no round trip was declared (round_trip)");
	struct iobi_range mean = { NAN, NAN, NAN };
	const struct iob_hist *h = j->r->op[IOB_OP_READ].latency[IOB_LATENCY_SERVICE];
	if (h->count)
		mean.low = mean.value = mean.high = iob_hist_mean(h);
	if (j->view.rec && h->count)
		mean = j->view.rec->op[IOB_OP_READ].mean_ns;
	if (!(mean.high < least))
		return;
	iobi_number(j, "mean_ns", mean.value);
	iobi_number(j, "round_trip_ns", least);
	iobi_raise(j, "a read took %s on average, less than the way to the storage and back (%s)",
		   iobi_w_ns(j, mean.value), iobi_w_ns(j, least));
}

/* ---- how it was opened ---- */

static bool writes_through(const struct iobi_judge *j)
{
	const struct iobi_recorded *rec = j->view.rec;
	const char *sync = iobi_ran(j->r, "sync");
	if (rec->has_flags)
		return strpbrk(rec->flags, "SW") != NULL;
	return sync && strcmp(sync, "none") != 0;
}

/* O_SYNC and O_DSYNC take writes to the storage; reads they leave in the cache. */
static void open_flags(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	if (!v->rec)
		return;
	const char *claim = iob_result_param(j->r, "claim");
	if (!claim || strcmp(claim, "direct") != 0) {
		iobi_unchecked(j, "nothing was claimed of how it was opened (claim)");
		return;
	}
	if (v->direct < 0)
		iobi_unchecked(j, "the recording does not say how it was opened");
	if (v->direct != 0 || !(v->reads || !writes_through(j)))
		return;
	iobi_number(j, "direct", 0);
	iobi_raise(
		j,
		"claimed to bypass the cache, opened with -O%s, which holds neither D (O_DIRECT) "
		"nor C (O_CIO): %s went through it",
		v->rec->has_flags ? v->rec->flags : "", v->reads ? "reads" : "writes");
}

static void direct_not_honoured(struct iobi_judge *j)
{
	const struct iobi_machine *m = j->view.machine;
	double grown = m->resident_after - m->resident_before;
	if (j->view.direct != 1 || !(m->resident_after > most_resident) || !(grown > 0.1))
		return;
	iobi_number(j, "resident_before", m->resident_before);
	iobi_number(j, "resident_after", m->resident_after);
	iobi_raise(j,
		   "opened with O_DIRECT, and yet %s of the region is in the page cache after the "
		   "run, %s before: the file system does not honour it",
		   iobi_w_share(j, m->resident_after), iobi_w_share(j, m->resident_before));
}

/* ---- what the devices saw ---- */

/* Of the reads that were issued: a device need not have counted one that failed. */
static double good_share(const struct iob_result *r)
{
	const uint64_t *n = r->op[IOB_OP_READ].count;
	double good = (double)n[IOB_COUNT_IOS];
	double all = good + (double)n[IOB_COUNT_ERRORS] + (double)n[IOB_COUNT_SHORT];
	return all > 0 ? good / all : 1;
}

static void cache_served(struct iobi_judge *j)
{
	const struct iob_result *r = j->r;
	double read = (double)r->op[IOB_OP_READ].count[IOB_COUNT_BYTES], seen = 0, issued = 0;
	for (size_t i = 0; i < r->n_devices; i++) {
		const struct iob_device_use *u = &r->device[i].use;
		if (!(u->flags & IOB_DEVICE_TARGET))
			continue;
		if (u->flags & IOB_DEVICE_NO_COUNTERS)
			return;
		seen += (double)u->op[IOB_OP_READ].bytes;
		if (!(u->flags & IOB_DEVICE_PART) || !issued)
			issued += (double)u->op[IOB_OP_READ].issued_bytes;
	}
	if (!r->n_devices) {
		iobi_unchecked(j, "the recording has no bytes of the devices");
		return;
	}
	issued *= good_share(r);
	if (j->view.rec || read < least_bytes || !(seen < least_from_device * issued))
		return;
	iobi_number(j, "read_bytes", issued);
	iobi_number(j, "device_bytes", seen);
	iobi_number(j, "share", seen / issued);
	iobi_raise(j, "the device saw %s of the bytes read (%s of %s): a cache served the rest",
		   iobi_w_share(j, seen / issued), iobi_w_bytes(j, seen), iobi_w_bytes(j, issued));
}

/* ---- what was there to be read ---- */

static void unwritten(struct iobi_judge *j)
{
	const struct iobi_machine *m = j->view.machine;
	if (!j->view.reads)
		return;
	if (m->holes > most_holes) {
		iobi_number(j, "holes", m->holes);
		iobi_raise(j, "%s of the region was never written: reading it needs no storage",
			   iobi_w_share(j, m->holes));
	} else if (m->zero_blocks > most_zeros && m->blocks_seen >= least_blocks) {
		iobi_number(j, "zero_blocks", m->zero_blocks);
		iobi_number(j, "blocks_seen", m->blocks_seen);
		iobi_raise(
			j,
			"%s of %s blocks looked at held nothing but zeros: it was never written, "
			"or trimmed, and reading it may need no storage",
			iobi_w_share(j, m->zero_blocks), iobi_w_number(j, m->blocks_seen));
	}
}

/* Whatever it is called: a pattern of zeros, or random data compressed to nothing. */
static bool writes_zeros(const struct iob_result *r)
{
	const char *buffer = iobi_ran(r, "buffer"), *digits;
	if (!buffer)
		return false;
	if (!strcmp(buffer, "random"))
		return iobi_ran_number(r, "compress_percent") >= 100;
	digits = strncmp(buffer, "pattern:", 8) ? "" : buffer + 8;
	return !strcmp(buffer, "zero") || (*digits && !digits[strspn(digits, "0x")]);
}

static void zero_buffers(struct iobi_judge *j)
{
	if (!j->view.writes || !writes_zeros(j->r))
		return;
	iobi_number(j, "bytes", (double)j->r->op[IOB_OP_WRITE].count[IOB_COUNT_BYTES]);
	iobi_raise(j,
		   "%s of zeros were written: storage that compresses or leaves zeros out did not "
		   "write them",
		   iobi_w_bytes(j, (double)j->r->op[IOB_OP_WRITE].count[IOB_COUNT_BYTES]));
}

static void small_working_set(struct iobi_judge *j)
{
	const struct iobi_view *v = &j->view;
	double region = (double)v->region;
	const char *engine = iobi_ran(j->r, "engine");
	if (!region)
		iobi_unchecked(j, "the recording has no size of the region");
	if (!region || (engine && !strcmp(engine, "null")) || !(v->bytes > region) ||
	    region >= small_region)
		return;
	iobi_number(j, "region_bytes", region);
	iobi_number(j, "passes", v->bytes / region);
	iobi_raise(j, "the region has %s and was gone over %s times: less than the cache of a disk",
		   iobi_w_bytes(j, region), iobi_w_number(j, v->bytes / region));
}

static bool volatile_cache(const struct iob_result *r, const char **name)
{
	for (size_t i = 0; i < r->n_devices; i++)
		if (r->device[i].use.flags & IOB_DEVICE_TARGET &&
		    r->device[i].use.flags & IOB_DEVICE_WRITE_CACHE) {
			*name = r->device[i].use.name;
			return true;
		}
	return false;
}

static bool flushed(const struct iobi_judge *j)
{
	const char *sync = iobi_ran(j->r, "sync"), *end = iobi_ran(j->r, "end_sync");
	return (sync && strcmp(sync, "none") != 0) || (end && !strcmp(end, "true")) ||
	       iobi_ran_number(j->r, "fsync_every") > 0 ||
	       j->r->op[IOB_OP_SYNC].count[IOB_COUNT_IOS];
}

static void unflushed(struct iobi_judge *j)
{
	const char *name = "", *engine = iobi_ran(j->r, "engine");
	if (!j->view.writes || j->view.rec || flushed(j) || (engine && !strcmp(engine, "null")))
		return;
	double bytes = (double)j->r->op[IOB_OP_WRITE].count[IOB_COUNT_BYTES];
	iobi_number(j, "bytes", bytes);
	if (j->view.direct == 0)
		iobi_raise(j,
			   "%s were written to the page cache and never flushed: how long the "
			   "storage takes for them was not measured",
			   iobi_w_bytes(j, bytes));
	else if (volatile_cache(j->r, &name))
		iobi_raise(j,
			   "%s were written and never flushed, and %s has a volatile cache: they "
			   "may have got no further",
			   iobi_w_bytes(j, bytes), name);
}

static const struct iobi_rule rules[] = {
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "above-link", "caches",
	    "More bytes a second than the link that was declared (link_limit) carries; workloads "
	    "side "
	    "by side together.",
	    "Bypass the cache that served them (O_DIRECT), or use a region larger than it.",
	    "12.3 GB/s is 385 % of what the link carries (3.2 GB/s): a cache on this side of it "
	    "served "
	    "the rest" },
	  IOBI_AT_WORKLOAD | IOBI_AT_STAGE,
	  false,
	  above_link },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "below-round-trip", "caches",
	    "The mean read latency, with rounding at its highest, is under the round trip that was "
	    "declared (round_trip).",
	    "Bypass the cache that served the reads (O_DIRECT), or use a region larger than it.",
	    "a read took 3 us on average, less than the way to the storage and back (30 us)" },
	  IOBI_AT_WORKLOAD,
	  false,
	  below_round_trip },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "open-flags", "caches",
	    "It was claimed that a recording bypassed the cache (claim direct), and its open flags "
	    "hold neither O_DIRECT nor concurrent I/O. Rows that only write are believed where "
	    "they "
	    "were opened with O_SYNC or O_DSYNC.",
	    "Measure again with the cache bypassed (XDISK: -OD or -OC beside the others).",
	    "claimed to bypass the cache, opened with -ORW, which holds neither D (O_DIRECT) nor C "
	    "(O_CIO): reads went through it" },
	  IOBI_AT_WORKLOAD,
	  false,
	  open_flags },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "direct-not-honoured", "caches",
	    "Opened with O_DIRECT, and after the run more than half of the region is in the page "
	    "cache "
	    "that was not there before.",
	    "Use a file system that honours O_DIRECT, or the device itself.",
	    "opened with O_DIRECT, and yet 97 % of the region is in the page cache after the run, "
	    "0 % "
	    "before: the file system does not honour it" },
	  IOBI_AT_WORKLOAD,
	  true,
	  direct_not_honoured },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "cache-served", "caches",
	    "The counters of the target's devices saw under 90 % of the bytes that were read (of "
	    "runs "
	    "that read 1 MiB or more). Reads that failed do not count.",
	    "Read with direct=true, or drop the cache first and use a region larger than memory.",
	    "the device saw 3 % of the bytes read (28 MiB of 931 MiB): a cache served the rest" },
	  IOBI_AT_WORKLOAD,
	  true,
	  cache_served },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_INVALID, "unwritten", "caches",
	    "More than a tenth of the region of a file that was read are holes or were allocated "
	    "and "
	    "never written (before the run); or more than 90 % of at least 8 blocks looked at held "
	    "nothing but zeros.",
	    "Write the whole region once before it is read.",
	    "100 % of the region was never written: reading it needs no storage" },
	  IOBI_AT_WORKLOAD,
	  true,
	  unwritten },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "zero-buffers", "caches",
	    "Zeros were written: buffer=zero, a pattern of zeros, or compress_percent=100.",
	    "Write random data (buffer=random), or data that is like yours.",
	    "4.12 GiB of zeros were written: storage that compresses or leaves zeros out did not "
	    "write "
	    "them" },
	  IOBI_AT_WORKLOAD,
	  false,
	  zero_buffers },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "small-working-set", "caches",
	    "The region is smaller than 64 MiB, which the cache of any disk holds, and was gone "
	    "over "
	    "more than once.",
	    "Use a region as large as the data that will be stored, or at least larger than the "
	    "caches "
	    "on the way.",
	    "the region has 16 MiB and was gone over 212 times: less than the cache of a disk" },
	  IOBI_AT_WORKLOAD,
	  false,
	  small_working_set },
	{ { sizeof(struct iob_finding_info), IOB_SEVERITY_WARNING, "unflushed", "caches",
	    "Writes that were never flushed (sync=none, no fsync_every): through the page cache, "
	    "or to "
	    "a device with a volatile cache.",
	    "Use sync=data, or flush every so many writes (fsync_every), as what you will run "
	    "does.",
	    "2.41 GiB were written and never flushed, and sda has a volatile cache: they may have "
	    "got "
	    "no further" },
	  IOBI_AT_WORKLOAD,
	  false,
	  unflushed },
};

const struct iobi_family iobi_cache_rules = { rules, IOBI_LEN(rules) };
