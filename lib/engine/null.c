/* SPDX-License-Identifier: MIT */
/* No I/O at all: what the library itself costs. */
#include "engine/engines.h"
#include "engine/wait.h"
#include <stdlib.h>

struct null {
	uint32_t mask;       /* of the queue, a power of two */
	uint32_t head, tail; /* given back, taken */
	atomic_int woken;
	struct iob_io *queue[];
};

static int null_open(const struct iob_engine_env *env, void **state, struct iob_error *err)
{
	size_t n = 1;
	struct null *s;

	while (n < env->depth)
		n <<= 1;
	s = calloc(1, sizeof(*s) + n * sizeof(s->queue[0]));
	if (!s)
		return iobi_no_memory(err);
	s->mask = (uint32_t)(n - 1);
	*state = s;
	return 0;
}

static int null_submit(void *state, struct iob_io *const *ios, unsigned n)
{
	struct null *s = state;
	uint32_t tail = s->tail;

	for (unsigned i = 0; i < n; i++)
		s->queue[tail++ & s->mask] = ios[i];
	s->tail = tail;
	return (int)n;
}

/* Nothing is in flight, so only a wake or the time can end this. */
static void null_sleep(struct null *s, int64_t timeout_ns)
{
	struct iobi_wait w = iobi_wait_start(timeout_ns);
	int64_t ns;

	while (!iobi_wait_woken(&s->woken) && iobi_wait_next(&w, &ns)) {
		nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
		iobi_wait_update(&w);
	}
}

static int null_reap(void *state, struct iob_io **done, unsigned min, unsigned max,
		     int64_t timeout_ns)
{
	struct null *s = state;
	uint32_t head = s->head, n = s->tail - head;

	if (!n && min && timeout_ns)
		null_sleep(s, timeout_ns);
	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++) {
		struct iob_io *io = s->queue[head++ & s->mask];

		io->result = (int32_t)io->len;
		done[i] = io;
	}
	s->head = head;
	return (int)n;
}

static int null_wake(void *state)
{
	struct null *s = state;

	atomic_store(&s->woken, 1);
	return 0;
}

static void null_close(void *state)
{
	free(state);
}

const struct iob_engine_ops iobi_engine_null = {
	.size = sizeof(struct iob_engine_ops),
	.caps = IOB_ENGINE_NO_TARGET | IOB_ENGINE_TRIM | IOB_ENGINE_FSYNC,
	.name = "null",
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.wake = null_wake,
	.close = null_close,
};
