/* SPDX-License-Identifier: MIT */
/* The loops of engines whose submit is the whole I/O. */
#include "run/issue.h"

#include <errno.h>

/* submit is the whole I/O; the library reads the clock around it. */
void iobi_loop_sync(struct iobi_worker *w)
{
	const struct iob_engine_ops *ops = w->plan->ops;
	while (LIKELY(!iobi_stopping(w))) {
		iobi_fill(w);
		if (UNLIKELY(!w->n_pending))
			break;
		struct iob_io *io = w->pending[0];
		io->t_intended = io->t_submit = iobi_now(&w->clock);
		int n = ops->submit(w->state, w->pending, 1);
		uint64_t now = iobi_now(&w->clock);
		if (UNLIKELY(n != 1)) {
			iobi_broken(w, n < 0 ? n : -EIO, "submitting");
			break;
		}
		w->n_pending = 0;
		w->n_flying = 1;
		iobi_complete(w, &io, 1, now);
		IOBI_STORE(&w->in_flight, 1); /* the next one */
	}
}
