/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_FINDINGS_H
#define IOBI_JSON_FINDINGS_H

#include "result/json_in.h"
#include "result/result_priv.h"

/* The members "findings", "usage" and "machine" of a node, if they are there. */
int iobi_json_findings_in(const struct iobi_at *at, struct iob_result *r);
int iobi_json_usage_in(const struct iobi_at *at, struct iob_result *r);
int iobi_json_machine_in(const struct iobi_at *at, struct iob_result *r);

#endif
