/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_SEARCH_H
#define IOBI_JSON_SEARCH_H

#include "result/json_in.h"
#include "result/result_priv.h"

/* The member "search" of a report, where there is one. */
int iobi_json_search_in(const struct iobi_at *at, struct iob_result *r);

#endif
