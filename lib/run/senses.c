/* SPDX-License-Identifier: MIT */
#include "run/senses.h"
#include "run/harness.h"
#include "run/stage.h"
#include "target/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum {
	SEEKS_MAX = 20000, /* extents of a file that are looked at: some 20 ms */
	WINDOWS = 64,      /* stretches of a file whose pages are looked at */
	WINDOW_PAGES = 512,
	PEEK_BLOCKS = 4,   /* of a worker, at a tick */
	PEEK_LOOKS = 4096, /* for those among the blocks that were read into */
	PEEK_WORKERS = 16,
	PEEK_BYTES = 4096,
	EARLY_FIRST_NS = 1000000,
	EARLY_LAST_NS = 100000000, /* from there on the ticks do */
	CLOCK_READINGS = 256,
	STEAL_LEAST = 50 /* ticks of the kernel's clock, all cores: under it, chance */
};

struct of_workload {
	double holes, resident_before, resident_after;
	double in_flight_sum, ticks;
	double zero_blocks, blocks_seen;
	uint64_t reads_seen; /* when its blocks were looked at */
	double harness_ns;
};

struct cpu_times {
	uint64_t all, idle, steal;
};

struct iobi_senses {
	struct of_workload *of;
	struct cpu_times before, after;
	double clock_read_ns;
	unsigned turn;
	uint64_t first_ns, due_ns; /* of looks before the first tick */
};

/* ---- files ---- */

static bool is_tmpfs(int fd)
{
	struct statfs fs;
	const long tmpfs = 0x01021994, ramfs = (long)0x858458f6;
	return !fstatfs(fd, &fs) && ((long)fs.f_type == tmpfs || (long)fs.f_type == ramfs);
}

/* Bytes of [from, end) that are data, by SEEK_DATA; allocated and never written
 * is a hole to it. Of a file in too many pieces, as its first pieces are. */
static double data_share(int fd, off_t from, off_t end)
{
	off_t at = from, data = 0;
	for (int i = 0; at < end && i < SEEKS_MAX; i++) {
		off_t start = lseek(fd, at, SEEK_DATA);
		if (start < 0 && errno != ENXIO)
			return NAN;
		if (start < 0 || start >= end) {
			at = end;
			break;
		}
		off_t stop = lseek(fd, start, SEEK_HOLE);
		if (stop <= start)
			return NAN;
		data += (stop < end ? stop : end) - start;
		at = stop;
	}
	at = at < end ? at : end;
	return at > from ? (double)data / (double)(at - from) : NAN;
}

/* The kernel tells the pages only of whom might write the file: others see all. */
static bool may_see_pages(int fd)
{
	struct stat st;
	return !fstat(fd, &st) && (geteuid() == 0 || st.st_uid == geteuid());
}

static double count_pages(const unsigned char *page, size_t n)
{
	double there = 0;
	for (size_t i = 0; i < n; i++)
		there += page[i] & 1;
	return there;
}

/* Stretches spread over the region; nothing is touched, only looked up. */
static double resident_share(int fd, uint64_t base, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), window = page * WINDOW_PAGES;
	uint64_t from = base / page * page, end = base + bytes, step = (end - from) / WINDOWS;
	unsigned char there[WINDOW_PAGES];
	double pages = 0, resident = 0;
	if (!may_see_pages(fd))
		return NAN;
	step = step < window ? window : step / page * page;
	for (uint64_t at = from; at < end; at += step) {
		size_t len = (size_t)(end - at < window ? end - at : window);
		size_t n = (len + page - 1) / page;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);
		if (map == MAP_FAILED)
			return NAN;
		int rc = mincore(map, len, there);
		munmap(map, len);
		if (rc)
			return NAN;
		pages += (double)n;
		resident += count_pages(there, n);
	}
	return pages > 0 ? resident / pages : NAN;
}

/* Means over the files of a workload, weighted by what it does to each. */
struct mean {
	double sum, weight;
};

static void add_mean(struct mean *m, double v, double weight)
{
	if (isnan(v))
		return;
	m->sum += v * weight;
	m->weight += weight;
}

static double mean_of(const struct mean *m)
{
	return m->weight > 0 ? m->sum / m->weight : NAN;
}

static void look_at_files(const struct iobi_plan *p, double *holes, double *resident)
{
	struct mean data = { 0, 0 }, pages = { 0, 0 };
	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct iobi_plan_target *t = &p->target[i];
		if (!t->known || t->known->t.is_block || t->known->t.missing || !t->bytes)
			continue;
		int fd = iobi_target_open(&t->known->t, O_RDONLY, NULL);
		if (fd < 0)
			continue;
		if (holes && p->reads)
			add_mean(&data, data_share(fd, (off_t)t->base, (off_t)(t->base + t->bytes)),
				 (double)t->bytes);
		if (p->direct)
			add_mean(&pages,
				 /* there the page cache is the storage */
				 is_tmpfs(fd) ? (holes ? 0 : 1)
					      : resident_share(fd, t->base, t->bytes),
				 (double)t->bytes);
		close(fd);
	}
	if (holes)
		*holes = 1 - mean_of(&data);
	*resident = mean_of(&pages);
}

/* ---- the machine ---- */

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice": guests
 * are in user and nice already. */
static void read_cpu_times(struct cpu_times *t)
{
	enum {
		IDLE = 3,
		IOWAIT,
		STEAL = 7
	};
	char text[IOBI_SYSFS_PAGE], *at = text + 4;
	*t = (struct cpu_times){ 0 };
	if (iobi_sysfs_read("/proc/stat", text, sizeof(text)) < 0 || strncmp(text, "cpu ", 4) != 0)
		return;
	for (int i = 0; i <= STEAL; i++) {
		uint64_t v = strtoull(at, &at, 10);
		t->all += v;
		t->idle += i == IDLE || i == IOWAIT ? v : 0;
		t->steal = v;
	}
}

static void put_shares(const struct cpu_times *from, const struct cpu_times *to,
		       struct iobi_machine *m)
{
	double all = (double)(to->all - from->all);
	if (to->all < from->all + STEAL_LEAST)
		return;
	if (to->steal >= from->steal)
		m->steal = (double)(to->steal - from->steal) / all;
	if (to->idle >= from->idle)
		m->idle = (double)(to->idle - from->idle) / all;
}

static double clock_cost(void)
{
	const struct iobi_clock *clock = iobi_clock();
	uint64_t before = iobi_now(clock), now = before;
	for (int i = 0; i < CLOCK_READINGS; i++)
		now = iobi_now(clock);
	return (double)(now - before) / CLOCK_READINGS;
}

/* ---- ticks ---- */

/* A block that the kernel may be writing at this moment: whatever half of it is
 * seen is good enough. */
static bool __attribute__((no_sanitize("thread"))) is_zero(const volatile uint64_t *p, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*p); i++)
		if (p[i])
			return false;
	return true;
}

static bool __attribute__((no_sanitize("thread"))) is_unread(const volatile uint64_t *p)
{
	return *p == IOBI_UNREAD;
}

/* Engines of the caller's own may leave buffers as they are. */
static bool can_peek(const struct iobi_plan *p)
{
	if (!p->reads || p->w->ops || p->ops->caps & IOB_ENGINE_NO_TARGET)
		return false;
	for (uint32_t i = 0; i < p->n_targets; i++)
		if (!p->target[i].known || !p->target[i].known->t.is_block)
			return false;
	return true;
}

/* What was read, of blocks that were read into: at a low rate those are the same few
 * of a deep queue. The buffers are there while it is open, which the lock holds. */
static void peek(struct iobi_senses *x, struct of_workload *o, struct iobi_worker *w)
{
	const struct iobi_plan *p = w->plan;
	uint32_t blocks = w->write_block ? w->write_block : p->depth;
	size_t bytes = p->slot < PEEK_BYTES ? p->slot : PEEK_BYTES;
	pthread_mutex_lock(&w->lock);
	uint32_t looks = !w->opened || !w->buffer.mem ? 0
			 : blocks < PEEK_LOOKS        ? blocks
						      : PEEK_LOOKS;
	for (uint32_t i = 0, seen = 0; i < looks && seen < PEEK_BLOCKS; i++) {
		uint32_t at = (x->turn * PEEK_BLOCKS + i) % blocks;
		const volatile uint64_t *block = iobi_buffer_block(&w->buffer, at);
		if (is_unread(block))
			continue;
		o->zero_blocks += is_zero(block, bytes);
		seen++;
		o->blocks_seen++;
	}
	pthread_mutex_unlock(&w->lock);
}

static void peek_all(struct iobi_senses *x, struct of_workload *o, const struct iobi_live *l)
{
	for (uint32_t k = 0; can_peek(l->plan) && k < PEEK_WORKERS && k < l->plan->workers; k++)
		peek(x, o, &l->worker[k]);
}

void iobi_senses_tick(struct iobi_senses *x, struct iobi_stage *s)
{
	if (!x)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct iobi_live *l = &s->live[i];
		uint64_t in_flight = 0;
		for (uint32_t k = 0; k < l->plan->workers; k++)
			in_flight += IOBI_LOAD(&l->worker[k].in_flight);
		x->of[i].in_flight_sum += (double)in_flight;
		x->of[i].ticks++;
		peek_all(x, &x->of[i], l);
	}
	x->turn++;
}

/* Each time half as long again as it has run, at least a millisecond. */
uint64_t iobi_senses_due(struct iobi_senses *x, uint64_t now)
{
	if (!x)
		return UINT64_MAX;
	if (!x->first_ns)
		x->first_ns = x->due_ns = now;
	uint64_t ran = now - x->first_ns;
	if (ran > EARLY_LAST_NS)
		return UINT64_MAX;
	if (now >= x->due_ns)
		x->due_ns = now + (ran / 2 > EARLY_FIRST_NS ? ran / 2 : EARLY_FIRST_NS);
	return x->due_ns;
}

static uint64_t reads_of(const struct iobi_live *l)
{
	uint64_t n = 0;
	for (uint32_t k = 0; k < l->plan->workers; k++)
		n += IOBI_LOAD(&l->worker[k].meter[IOB_OP_READ].ios);
	return n;
}

/* Not the same blocks again. */
void iobi_senses_peek(struct iobi_senses *x, const struct iobi_stage *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct iobi_live *l = &s->live[i];
		uint64_t reads = reads_of(l);
		if (reads < x->of[i].reads_seen + (uint64_t)l->plan->depth * l->plan->workers)
			continue;
		peek_all(x, &x->of[i], l);
		x->of[i].reads_seen = reads;
	}
	x->turn++;
}

/* ---- begin and end ---- */

void iobi_senses_begin(struct iobi_senses **out, struct iobi_stage *s)
{
	struct iobi_senses *x = calloc(1, sizeof(*x));
	struct of_workload *of = calloc(s->n, sizeof(*of));
	*out = NULL;
	if (!x || !of) {
		free(x);
		free(of);
		return;
	}
	x->of = of;
	for (size_t i = 0; i < s->n; i++) {
		look_at_files(s->live[i].plan, &of[i].holes, &of[i].resident_before);
		of[i].resident_after = NAN;
		of[i].harness_ns = iobi_harness_ns(s->live[i].plan);
	}
	x->clock_read_ns = clock_cost();
	read_cpu_times(&x->before);
	*out = x;
}

void iobi_senses_end(struct iobi_senses *x, const struct iobi_stage *s)
{
	if (!x)
		return;
	read_cpu_times(&x->after);
	for (size_t i = 0; i < s->n; i++)
		look_at_files(s->live[i].plan, NULL, &x->of[i].resident_after);
}

void iobi_senses_free(struct iobi_senses *x)
{
	if (x)
		free(x->of);
	free(x);
}

/* ---- the result ---- */

/* Of a core, the busiest worker; of all cores, all workers of the stage. */
static void put_cpu(const struct iobi_stage *s, size_t i, struct iobi_machine *m)
{
	double all = 0, longest = 0;
	for (size_t k = 0; k < s->n; k++)
		for (uint32_t w = 0; w < s->live[k].plan->workers; w++) {
			const struct iobi_worker *worker = &s->live[k].worker[w];
			double ran = (double)IOBI_LOAD(&worker->ran_ns);
			double cpu = (double)IOBI_LOAD(&worker->cpu_ns);
			if (!ran)
				return; /* it still runs */
			all += cpu;
			longest = fmax(longest, ran);
			if (k == i && !(cpu / ran <= m->cpu_worker)) {
				m->cpu_worker = cpu / ran;
				m->cpu_wait = (double)IOBI_LOAD(&worker->cpu_wait_ns) / ran;
			}
		}
	m->cpu_all = all / longest / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* By Little's law: their time is in no latency. */
static void put_failing(const struct iobi_live *l, const struct iob_result *r,
			struct iobi_machine *m)
{
	uint64_t ns = 0;
	for (uint32_t k = 0; k < l->plan->workers; k++)
		ns += IOBI_LOAD(&l->worker[k].failed_ns);
	if (r->elapsed_ns)
		m->failing = (double)ns / (double)r->elapsed_ns;
}

/* How long the workers ran, of the time that the first to start and the last to
 * end had. */
static void put_active(const struct iobi_stage *s, const struct iob_result *r, size_t i,
		       struct iobi_machine *m)
{
	double sum = 0, window = (double)r->elapsed_ns;
	const struct iobi_live *l = &s->live[i];
	for (uint32_t k = 0; k < l->plan->workers; k++) {
		const struct iobi_worker *w = &l->worker[k];
		double ran = (double)IOBI_LOAD(&w->ran_ns) - (double)l->plan->ramp_ns;
		if (!IOBI_LOAD(&w->ran_ns))
			return;
		sum += fmin(fmax(ran, 0), window);
	}
	if (window > 0)
		m->active = sum / window / l->plan->workers;
}

void iobi_senses_result(const struct iobi_senses *x, const struct iobi_stage *s, size_t i,
			struct iob_result *r)
{
	struct iobi_machine *m = &r->machine;
	if (!x)
		return;
	const struct of_workload *o = &x->of[i];
	m->holes = o->holes;
	m->resident_before = o->resident_before;
	m->resident_after = o->resident_after;
	m->clock_is_tsc = IOBI_CLOCK_HAS_TSC ? iobi_clock()->mult != 0 : NAN;
	m->clock_read_ns = x->clock_read_ns;
	put_shares(&x->before, &x->after, m);
	m->blocks_seen = o->blocks_seen;
	m->harness_ns = o->harness_ns;
	m->zero_blocks = o->blocks_seen > 0 ? o->zero_blocks / o->blocks_seen : NAN;
	if (o->ticks > 0 && !(s->live[i].plan->ops->caps & IOB_ENGINE_SYNC))
		m->in_flight = o->in_flight_sum / o->ticks;
	put_failing(&s->live[i], r, m);
	put_cpu(s, i, m);
	put_active(s, r, i, m);
}
