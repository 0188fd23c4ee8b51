/* SPDX-License-Identifier: MIT */
#ifndef IOBI_PARAMS_H
#define IOBI_PARAMS_H

#include "workload/workload_priv.h"

/* A parameter by key, NULL and *err for a key that is none. */
const struct iob_param_info *iobi_param_key(enum iob_param p, struct iob_error *err);

/* The i-th choice of a parameter of type CHOICE; NULL past the end. Static. */
const char *iobi_param_choice(enum iob_param p, int64_t i);

/* The place of `text` among the choices. */
int iobi_parse_choice(const struct iob_param_info *info, const char *text, int64_t *value,
		      struct iob_error *err);

#endif
