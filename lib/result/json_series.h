/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_SERIES_H
#define IOBI_JSON_SERIES_H

#include "result/json_in.h"
#include "result/result_priv.h"

/* The member "series" of a workload, if it is there, into r->interval[]. */
int iobi_json_series_in(const struct iobi_at *at, struct iob_result *r);

#endif
