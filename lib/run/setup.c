/* SPDX-License-Identifier: MIT */
/* A worker's memory, descriptors and engine: all that the hot loop uses, before it starts. */
#include "run/worker.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool uses(const struct iobi_plan *p, int op)
{
	switch (op) {
	case IOB_OP_READ:
		return p->reads;
	case IOB_OP_WRITE:
		return p->writes;
	case IOB_OP_TRIM:
		return p->trims;
	case IOB_OP_SYNC:
		return p->fsync_every > 0 || p->end_sync;
	default:
		return false;
	}
}

/* Zero pages, which cost memory only where a latency falls. */
static int init_meters(struct iobi_worker *w)
{
	size_t each = iobi_recorder_bytes(w->plan->precision), n = 0;
	for (int op = 0; op < IOBI_METERS; op++)
		n += uses(w->plan, op);
	size_t kinds = w->plan->pace.open ? 3 : 2;
	w->counts_len = n * kinds * each;
	w->counts = mmap(NULL, w->counts_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (w->counts == MAP_FAILED) {
		w->counts = NULL;
		return -ENOMEM;
	}
	uint8_t *at = w->counts;
	for (int op = 0; op < IOBI_METERS; op++) {
		if (!uses(w->plan, op))
			continue;
		iobi_recorder_init(&w->meter[op].service, w->plan->precision, at);
		iobi_recorder_init(&w->meter[op].submit, w->plan->precision, at + each);
		if (kinds == 3)
			iobi_recorder_init(&w->meter[op].response, w->plan->precision,
					   at + 2 * each);
		at += kinds * each;
	}
	w->target_meter = calloc(w->plan->n_targets, sizeof(*w->target_meter));
	return w->target_meter ? 0 : -ENOMEM;
}

int iobi_worker_init(struct iobi_worker *w, const struct iobi_plan *plan, uint32_t index,
		     _Atomic bool *stop)
{
	memset(w, 0, sizeof(*w));
	w->plan = plan;
	w->index = index;
	w->stop = stop;
	pthread_mutex_init(&w->lock, NULL);
	int rc = init_meters(w);
	if (rc)
		iobi_worker_free(w);
	return rc;
}

void iobi_worker_free(struct iobi_worker *w)
{
	if (w->counts)
		munmap(w->counts, w->counts_len);
	free(w->target_meter);
	pthread_mutex_destroy(&w->lock);
	w->counts = NULL;
	w->target_meter = NULL;
}

static int pin(const struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	cpu_set_t set;
	if (!p->n_cpus)
		return 0;
	CPU_ZERO(&set);
	for (unsigned i = 0; p->cpus_any && i < p->n_cpus; i++)
		CPU_SET(p->cpu[i], &set);
	if (!p->cpus_any)
		CPU_SET(p->cpu[w->index % p->n_cpus], &set);
	int code = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	return code ? iobi_fail(err, code, "cpus", "\"%s\": a worker cannot be bound to them: %s",
				p->w->text[IOB_PARAM_CPUS], iobi_errno_text(code))
		    : 0;
}

static int open_targets(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	w->targets = calloc(p->n_targets, sizeof(*w->targets));
	if (!w->targets)
		return iobi_no_memory(err);
	for (uint32_t i = 0; i < p->n_targets; i++)
		w->targets[i].fd = -1;
	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct iobi_known_target *k = p->target[i].known;
		struct iob_engine_target *t = &w->targets[i];
		t->path = k ? k->t.path : p->ops->name;
		t->size = k ? k->t.size : p->target[i].base + p->target[i].slots * p->slot;
		t->is_block_device = k && k->t.is_block;
		if (!k || (p->ops->caps & IOB_ENGINE_NO_TARGET))
			continue;
		t->fd = iobi_target_open(&k->t, iobi_plan_open_flags(p), err);
		if (t->fd < 0)
			return t->fd;
	}
	return 0;
}

/* One worker does it for all, before any of them is let go. */
static int prepare_targets(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	int rc = 0;
	for (uint32_t i = 0; !rc && !w->index && i < p->n_targets; i++) {
		const struct iobi_plan_target *t = &p->target[i];
		if (w->targets[i].fd < 0)
			continue;
		if (p->invalidate && iobi_target_invalidate(&t->known->t) < 0)
			w->not_invalidated = true;
		if (p->pre_read)
			rc = iobi_target_pre_read(&t->known->t, t->base, t->bytes, w->stop, err);
	}
	return rc;
}

static int init_offsets(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	w->offsets = calloc(p->n_targets, sizeof(*w->offsets));
	w->live = calloc(p->n_targets, sizeof(*w->live));
	w->unflushed = calloc(p->n_targets, sizeof(*w->unflushed));
	if (!w->offsets || !w->live || !w->unflushed)
		return iobi_no_memory(err);
	for (uint32_t i = 0; i < p->n_targets; i++) {
		struct iobi_offsets_spec spec = {
			.order = p->order,
			.slots = p->target[i].slots,
			.slot = p->place,
			.base = p->target[i].base,
			.worker = w->index,
			.workers = p->workers,
			.seed = iobi_random_derive(p->seed, i, 2),
			.bytes = !p->uniform || p->strides,
			.fixed = p->place != p->slot,
			.end = (p->target[i].slots - 1) * p->place + p->slot,
			.gap = (uint64_t)iobi_param(p->w, IOB_PARAM_GAP),
			.run_length = (uint32_t)iobi_param(p->w, IOB_PARAM_RUN_LENGTH),
			.distribution = &p->distribution,
		};
		iobi_offsets_init(&w->offsets[i], &spec);
		w->live[i] = i;
	}
	w->n_live = p->n_targets;
	w->turn = w->index % p->n_targets; /* the workers do not march in step */
	if (p->visits) /* which takes the next one first */
		w->turn = (w->turn + p->n_targets - 1) % p->n_targets;
	return 0;
}

static int init_buffers(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	w->write_block = p->reads && p->writes ? p->depth : 0;
	struct iobi_buffer_spec spec = {
		.blocks = p->depth + w->write_block,
		.max_len = p->slot,
		.fill = p->fill,
		.pattern = p->pattern,
		.pattern_len = p->pattern_len,
		.first_write = p->writes ? w->write_block : p->depth,
		.seed = iobi_random_derive(p->seed, w->index, 3),
		.shape = p->shape,
		.same_seed = iobi_random_derive(p->seed, 0, 5),
	};
	return iobi_buffer_init(&w->buffer, &spec, err);
}

static int init_ios(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	enum iob_op op = p->reads ? IOB_OP_READ : p->writes ? IOB_OP_WRITE : IOB_OP_TRIM;
	w->io = calloc(p->depth, sizeof(*w->io));
	w->unused = calloc(p->depth, 3 * sizeof(*w->unused));
	if (!w->io || !w->unused)
		return iobi_no_memory(err);
	w->pending = w->unused + p->depth;
	w->done = w->pending + p->depth;
	for (uint32_t i = 0; i < p->depth; i++) {
		struct iob_io *io = &w->io[i];
		io->op = op;
		io->len = p->slot;
		io->buf_index = i;
		io->buf = iobi_buffer_block(&w->buffer, i);
		w->unused[p->depth - 1 - i] = io;
	}
	w->n_unused = p->depth;
	if (p->pace.think_ns)
		w->thinking = calloc(p->depth, sizeof(*w->thinking));
	return !p->pace.think_ns || w->thinking ? 0 : iobi_no_memory(err);
}

static int open_engine(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	struct iob_engine_env env = {
		.size = sizeof(env),
		.caps_wanted = p->caps_wanted,
		.user = p->user,
		.targets = w->targets,
		.n_targets = p->n_targets,
		.depth = p->depth,
		.max_len = p->slot,
		.buffers = w->buffer.mem,
		.buffer_len = w->buffer.len,
		.worker = w->index,
		.buffer_stride = w->buffer.stride,
		.features = w->features,
		.features_len = sizeof(w->features),
		.sync = p->sync,
		.writes = p->writes || p->trims,
	};
	void *state = NULL;
	int rc = p->ops->open(&env, &state, err);
	pthread_mutex_lock(&w->lock);
	w->state = state;
	w->opened = rc >= 0;
	pthread_mutex_unlock(&w->lock);
	if (rc < 0 && err && !err->code)
		iobi_fail(err, -rc, "engine", "engine %s could not start: %s", p->ops->name,
			  iobi_errno_text(-rc));
	return rc < 0 ? rc : 0;
}

int iobi_worker_open(struct iobi_worker *w, struct iob_error *err)
{
	const struct iobi_plan *p = w->plan;
	w->clock = *iobi_clock();
	w->quota = iobi_plan_quota(p, w->index);
	w->random.state = iobi_random_derive(p->seed, w->index, 4);
	w->features[0] = '\0';
	int rc = pin(w, err);
	rc = rc ? rc : open_targets(w, err);
	rc = rc ? rc : prepare_targets(w, err);
	rc = rc ? rc : init_offsets(w, err);
	rc = rc ? rc : init_buffers(w, err);
	rc = rc ? rc : init_ios(w, err);
	return rc ? rc : open_engine(w, err);
}

/* A flush that failed lost what was written, however well it went before. */
static void failed_close(struct iobi_worker *w, uint32_t target, int code)
{
	const char *path = w->targets[target].path;
	pthread_mutex_lock(&w->lock);
	if (!w->error.code)
		iobi_fail_at(&w->error, code, "close_sync", path, 0, "flushing \"%s\" failed: %s", path,
			     iobi_errno_text(code));
	pthread_mutex_unlock(&w->lock);
}

void iobi_worker_close(struct iobi_worker *w)
{
	pthread_mutex_lock(&w->lock);
	bool opened = w->opened;
	w->opened = false;
	pthread_mutex_unlock(&w->lock);
	if (opened)
		w->plan->ops->close(w->state);
	for (uint32_t i = 0; w->targets && i < w->plan->n_targets; i++) {
		if (w->targets[i].fd < 0)
			continue;
		if (w->plan->close_sync && opened && fsync(w->targets[i].fd))
			failed_close(w, i, errno);
		close(w->targets[i].fd);
	}
	if (!w->stranded) { /* else the kernel may still write there */
		iobi_buffer_free(&w->buffer);
		free(w->io);
	}
	free(w->targets);
	free(w->offsets);
	free(w->live);
	free(w->unflushed);
	free(w->unused);
	free(w->thinking);
	w->thinking = NULL;
	w->targets = NULL;
	w->offsets = NULL;
	w->live = NULL;
	w->unflushed = NULL;
	w->io = NULL;
	w->unused = NULL;
}

void iobi_worker_wake(struct iobi_worker *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->opened && w->plan->ops->wake)
		w->plan->ops->wake(w->state);
	pthread_mutex_unlock(&w->lock);
}
