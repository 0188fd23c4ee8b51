/* SPDX-License-Identifier: MIT */
#include "run/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- what the parameters say together ---- */

static uint32_t largest(const struct iobi_mix *mix, uint32_t so_far)
{
	for (unsigned i = 0; i < mix->n; i++)
		if (mix->part[i].size > so_far)
			so_far = mix->part[i].size;
	return so_far;
}

static void plan_sizes(struct iobi_plan *p)
{
	const struct iob_workload *w = p->w;
	const struct iobi_mix *read = &w->mix[0], *write = w->mix[1].n ? &w->mix[1] : &w->mix[0];
	p->slot = 0;
	if (p->reads)
		p->slot = largest(read, p->slot);
	if (p->writes || p->trims)
		p->slot = largest(write, p->slot);
	p->uniform = true;
	if (p->reads)
		p->uniform &= read->n == 1 && !read->low && read->part[0].size == p->slot;
	if (p->writes || p->trims)
		p->uniform &= write->n == 1 && !write->low && write->part[0].size == p->slot;
	iobi_choice_init(&p->choice, iobi_param(w, IOB_PARAM_READ_PERCENT),
			 iobi_param(w, IOB_PARAM_TRIM_PERCENT), read, write);
}

static void plan_ops(struct iobi_plan *p)
{
	int64_t read = iobi_param(p->w, IOB_PARAM_READ_PERCENT);
	int64_t trim = iobi_param(p->w, IOB_PARAM_TRIM_PERCENT);
	p->trims = trim > 0;
	p->reads = trim < 100 && read > 0;
	p->writes = trim < 100 && read < 100;
	p->trim_first = p->writes && iobi_param(p->w, IOB_PARAM_TRIM_FIRST);
	p->trims |= p->trim_first;
}

static int plan_seed(struct iobi_plan *p, struct iob_error *err)
{
	p->seed = (uint64_t)iobi_param(p->w, IOB_PARAM_SEED);
	while (!p->seed) {
		if (getrandom(&p->seed, sizeof(p->seed), 0) != sizeof(p->seed))
			return iobi_fail(err, errno, "seed", "no random seed to be had: %s",
					 iobi_errno_text(errno));
		p->seed &= INT64_MAX;
	}
	return 0;
}

struct cpu_list {
	struct iobi_plan *p;
	struct iob_error *err;
	cpu_set_t allowed;
};

static int add_cpu(void *user, unsigned cpu)
{
	struct cpu_list *l = user;
	if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &l->allowed))
		return iobi_fail(l->err, EINVAL, "cpus",
				 "\"%s\": CPU %u does not exist here or may not be used",
				 l->p->w->text[IOB_PARAM_CPUS], cpu);
	unsigned *more = realloc(l->p->cpu, (l->p->n_cpus + 1) * sizeof(*more));
	if (!more)
		return iobi_no_memory(l->err);
	l->p->cpu = more;
	more[l->p->n_cpus++] = cpu;
	return 0;
}

static int plan_cpus(struct iobi_plan *p, struct iob_error *err)
{
	const char *text = p->w->text[IOB_PARAM_CPUS];
	struct cpu_list l = { .p = p, .err = err };
	if (!text || !*text)
		return 0;
	CPU_ZERO(&l.allowed);
	if (sched_getaffinity(0, sizeof(l.allowed), &l.allowed))
		return iobi_fail(err, errno, "cpus", "the CPUs that may be used are not known: %s",
				 iobi_errno_text(errno));
	return iobi_parse_cpus(text, add_cpu, &l, err);
}

/* The order of offsets and of targets. */
static int plan_order(struct iobi_plan *p, struct iob_error *err)
{
	const struct iob_workload *w = p->w;
	int64_t pattern = iobi_param(w, IOB_PARAM_PATTERN);
	bool random = pattern == IOBI_PATTERN_RANDOM, repeats = iobi_param(w, IOB_PARAM_REPEATS);
	int rc = iobi_parse_distribution(w->text[IOB_PARAM_DISTRIBUTION], &p->distribution, err);
	if (pattern == IOBI_PATTERN_SEQUENTIAL)
		p->order = IOBI_ORDER_SEQUENTIAL;
	else if (pattern == IOBI_PATTERN_BACKWARD)
		p->order = IOBI_ORDER_BACKWARD;
	else if (p->distribution.kind != IOBI_DISTRIBUTION_UNIFORM)
		p->order = IOBI_ORDER_DRAWN;
	else
		p->order = repeats ? IOBI_ORDER_REPEATS : IOBI_ORDER_PERMUTED;
	p->place = random ? (uint32_t)iobi_param(w, IOB_PARAM_ALIGN) : 0;
	p->place = p->place ? p->place : p->slot;
	p->strides = p->order == IOBI_ORDER_BACKWARD || (!random && iobi_param(w, IOB_PARAM_GAP)) ||
		     (random && iobi_param(w, IOB_PARAM_RUN_LENGTH) > 1);
	p->target_order = (enum iobi_target_order)iobi_param(w, IOB_PARAM_TARGET_ORDER);
	p->target_run = (uint32_t)iobi_param(w, IOB_PARAM_TARGET_RUN);
	p->visits = p->target_order != IOBI_TARGETS_TURN || p->target_run > 1;
	return rc;
}

/* What ends the workload. */
static int plan_end(struct iobi_plan *p, struct iob_error *err)
{
	const struct iob_workload *w = p->w;
	p->io_size = (uint64_t)iobi_param(w, IOB_PARAM_IO_SIZE);
	p->ios = (uint64_t)iobi_param(w, IOB_PARAM_IOS);
	p->runtime_ns = (uint64_t)iobi_param(w, IOB_PARAM_RUNTIME);
	p->ramp_ns = (uint64_t)iobi_param(w, IOB_PARAM_RAMP_TIME);
	p->delay_ns = (uint64_t)iobi_param(w, IOB_PARAM_START_DELAY);
	p->ends_others = (enum iobi_ends_others)iobi_param(w, IOB_PARAM_ENDS_OTHERS);
	p->counts_ios = p->uniform || p->ios;
	bool bytes = p->io_size || iobi_param(w, IOB_PARAM_PASSES);
	p->make_only = iobi_param(w, IOB_PARAM_MAKE_ONLY);
	if (!p->runtime_ns && !bytes && !p->ios && !p->make_only)
		return iobi_fail(err, EINVAL, "runtime",
				 "runtime 0 runs until io_size is moved, and io_size is 0: it would "
				 "never end; set one of them, or passes or ios");
	if (p->ios && bytes && !p->uniform)
		return iobi_fail(err, EINVAL, "ios",
				 "with block sizes that differ, ios cannot be set together with io_size "
				 "or passes");
	return 0;
}

static void plan_flags(struct iobi_plan *p)
{
	const struct iob_workload *w = p->w;
	p->direct = iobi_param(w, IOB_PARAM_DIRECT);
	p->poll = iobi_param(w, IOB_PARAM_POLL);
	p->sync = (enum iobi_sync)iobi_param(w, IOB_PARAM_SYNC);
	p->stop_on_error = iobi_param(w, IOB_PARAM_ON_ERROR) != IOBI_ON_ERROR_CONTINUE;
	p->cancel_on_error = iobi_param(w, IOB_PARAM_ON_ERROR) == IOBI_ON_ERROR_CANCEL;
	p->fsync_data = p->sync == IOBI_SYNC_DATA || iobi_param(w, IOB_PARAM_FSYNC_DATA);
	p->end_sync = iobi_param(w, IOB_PARAM_END_SYNC) && p->writes;
	p->close_sync = iobi_param(w, IOB_PARAM_CLOSE_SYNC) && p->writes;
	p->invalidate = iobi_param(w, IOB_PARAM_INVALIDATE);
	p->pre_read = iobi_param(w, IOB_PARAM_PRE_READ);
	p->cpus_any = iobi_param(w, IOB_PARAM_CPUS_POLICY) == IOBI_CPUS_ANY;
}

static int plan_params(struct iobi_plan *p, struct iob_error *err)
{
	const struct iob_workload *w = p->w;
	const char *fill = w->text[IOB_PARAM_BUFFER];
	p->workers = (uint32_t)iobi_param(w, IOB_PARAM_WORKERS);
	p->fsync_every = (uint64_t)iobi_param(w, IOB_PARAM_FSYNC_EVERY);
	p->precision = (int)iobi_param(w, IOB_PARAM_PRECISION);
	p->shape = (struct iobi_shape){
		.compress_percent = (uint32_t)iobi_param(w, IOB_PARAM_COMPRESS_PERCENT),
		.compress_chunk = (uint32_t)iobi_param(w, IOB_PARAM_COMPRESS_CHUNK),
		.dedupe_percent = (uint32_t)iobi_param(w, IOB_PARAM_DEDUPE_PERCENT),
	};
	plan_ops(p);
	int rc = iobi_plan_pace(p, err);
	if (rc < 0)
		return rc;
	plan_sizes(p);
	iobi_plan_gaps(p);
	plan_flags(p);
	rc = plan_order(p, err);
	rc = rc < 0 ? rc : plan_end(p, err);
	rc = rc < 0 ? rc
		    : iobi_parse_fill(fill && *fill ? fill : "random", &p->fill, p->pattern,
				      &p->pattern_len, err);
	rc = rc < 0 ? rc : plan_seed(p, err);
	return rc < 0 ? rc : plan_cpus(p, err);
}

/* ---- the engine ---- */

static uint32_t caps_of(const struct iobi_plan *p)
{
	uint32_t caps = 0;
	if (p->trims)
		caps |= IOB_ENGINE_TRIM;
	if (p->fsync_every)
		caps |= IOB_ENGINE_FSYNC;
	if (p->fsync_every && p->fsync_data)
		caps |= IOB_ENGINE_FDATASYNC;
	if (p->poll)
		caps |= IOB_ENGINE_POLL;
	return caps;
}

static int probe_once(struct iobi_targets *all, const struct iob_engine_ops *ops,
		      struct iob_error *err)
{
	for (unsigned i = 0; i < all->n_probed; i++)
		if (all->probed[i] == ops)
			return 0;
	int rc = ops->probe ? ops->probe(err) : 0;
	if (rc >= 0 && all->n_probed < IOBI_LEN(all->probed))
		all->probed[all->n_probed++] = ops;
	return rc;
}

static int lacks(const struct iobi_plan *p, const char *param, const char *what, const char *use,
		 struct iob_error *err)
{
	return iobi_fail(err, ENOTSUP, param, "engine %s cannot %s; use %s", p->ops->name, what,
			 use);
}

static int check_caps(const struct iobi_plan *p, struct iob_error *err)
{
	uint32_t missing = p->caps_wanted & ~p->ops->caps & ~(uint32_t)IOB_ENGINE_FDATASYNC;
	if (missing & IOB_ENGINE_TRIM)
		return lacks(p, "trim_percent", "trim", "psync or io_uring", err);
	if (missing & IOB_ENGINE_FSYNC)
		return lacks(p, "fsync_every", "fsync", "psync, libaio or io_uring", err);
	if (missing & IOB_ENGINE_POLL)
		return lacks(p, "poll", "poll for completions", "psync or io_uring", err);
	if (p->direct && (p->ops->caps & IOB_ENGINE_BUFFERED_ONLY))
		return iobi_fail(err, ENOTSUP, "direct",
				 "engine %s works through the page cache and cannot do direct I/O; "
				 "set direct=false",
				 p->ops->name);
	if (p->poll && !p->direct)
		return iobi_fail(err, EINVAL, "poll", "polling needs direct=true");
	return 0;
}

static int plan_engine(struct iobi_plan *p, struct iobi_targets *all, struct iob_error *err)
{
	const char *name = p->w->text[IOB_PARAM_ENGINE];
	p->caps_wanted = caps_of(p);
	if (p->w->ops) {
		p->ops = p->w->ops;
		p->user = p->w->user;
	} else if (!name || !*name || !strcmp(name, "auto")) {
		p->ops = iobi_engine_auto(p->caps_wanted, err);
	} else {
		p->ops = iobi_engine_find(name, err);
	}
	if (!p->ops)
		return -EINVAL;
	p->depth = (uint32_t)iobi_param(p->w, IOB_PARAM_QUEUE_DEPTH);
	if (p->depth > iobi_engine_max_depth(p->ops))
		return iobi_fail(err, EINVAL, "queue_depth",
				 "%u is more than engine %s can do: its ring holds %u", p->depth,
				 p->ops->name, iobi_engine_max_depth(p->ops));
	if (p->ops->caps & IOB_ENGINE_SYNC)
		p->depth = 1;
	int rc = check_caps(p, err);
	return rc < 0 ? rc : probe_once(all, p->ops, err);
}

/* A pass moves what the regions hold. */
static void plan_passes(struct iobi_plan *p)
{
	uint64_t passes = (uint64_t)iobi_param(p->w, IOB_PARAM_PASSES), bytes = 0;
	for (uint32_t i = 0; i < p->n_targets; i++)
		if (__builtin_add_overflow(bytes, p->target[i].bytes, &bytes))
			bytes = UINT64_MAX;
	if (__builtin_mul_overflow(bytes, passes, &bytes))
		bytes = UINT64_MAX;
	if (passes && (!p->io_size || bytes < p->io_size))
		p->io_size = bytes;
}

int iobi_plan_init(struct iobi_plan *p, const struct iob_workload *w, struct iobi_targets *all,
		   struct iob_error *err)
{
	*p = (struct iobi_plan){ .w = w };
	int rc = plan_params(p, err);
	rc = rc < 0 ? rc : plan_engine(p, all, err);
	rc = rc < 0 ? rc : iobi_plan_targets(p, all, err);
	if (rc < 0) {
		iobi_plan_free(p);
		return rc;
	}
	plan_passes(p);
	p->visits &= p->n_targets > 1;
	p->drops = p->invalidate && !p->direct && !p->pre_read &&
		   !(p->ops->caps & IOB_ENGINE_NO_TARGET);
	p->simple = p->n_targets == 1 && p->uniform && !p->fsync_every && !p->strides &&
		    !p->drops && p->reads + p->writes + p->trims == 1;
	return 0;
}

void iobi_plan_free(struct iobi_plan *p)
{
	free(p->target);
	free(p->cpu);
	*p = (struct iobi_plan){ 0 };
}

int iobi_plan_open_flags(const struct iobi_plan *p)
{
	int flags = p->writes || p->trims ? O_RDWR : O_RDONLY;
	if (p->direct)
		flags |= O_DIRECT;
	if (p->sync == IOBI_SYNC_DATA)
		flags |= O_DSYNC;
	if (p->sync == IOBI_SYNC_ALL)
		flags |= O_SYNC;
	return flags;
}

uint64_t iobi_plan_memory(const struct iobi_plan *p)
{
	uint64_t blocks = (uint64_t)p->depth * (p->reads && p->writes ? 2 : 1);
	return blocks * p->workers * p->slot; /* below 2^64 by the bounds of the three */
}

/* Whole passes are shared as the passes themselves are, so that io_size = the
 * region touches every block once whatever the number of workers. */
static uint64_t share_of_blocks(const struct iobi_plan *p, uint64_t blocks, uint32_t worker)
{
	uint64_t slots = 0, own = 0;
	for (uint32_t i = 0; i < p->n_targets; i++) {
		slots += p->target[i].slots;
		own += iobi_offsets_share(p->target[i].slots, worker, p->workers);
	}
	return blocks / slots * own + iobi_offsets_share(blocks % slots, worker, p->workers);
}

uint64_t iobi_plan_quota(const struct iobi_plan *p, uint32_t worker)
{
	if (p->make_only)
		return 0;
	if (!p->io_size && !p->ios)
		return UINT64_MAX;
	if (!p->counts_ios)
		return iobi_offsets_share(p->io_size, worker, p->workers);
	if (!p->uniform)
		return iobi_offsets_share(p->ios, worker, p->workers);
	uint64_t blocks = p->io_size ? (p->io_size - 1) / p->slot + 1 : UINT64_MAX;
	if (p->ios && p->ios < blocks)
		blocks = p->ios;
	return share_of_blocks(p, blocks, worker);
}
