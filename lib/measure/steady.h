/* SPDX-License-Identifier: MIT */
#ifndef IOBI_STEADY_H
#define IOBI_STEADY_H

#include <iobench/steady.h>

/* A caller's rule, NULL: the specification's; -EINVAL, -E2BIG where it is none. */
int iobi_steady_take(struct iob_steady_rule *to, const struct iob_steady_rule *rule,
		     struct iob_error *err);

/* Judges rule->window values, all of them numbers; leaves out->round alone. */
void iobi_steady_window(const double *v, const struct iob_steady_rule *rule,
			struct iob_steady *out);

#endif
