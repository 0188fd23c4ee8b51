/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_ROUNDS_H
#define IOBI_JSON_ROUNDS_H

#include "result/json_in.h"
#include "result/rounds.h"

/* The record of rounds, if there is one, of a suite that has its stages. */
int iobi_json_rounds_in(const struct iobi_at *at, struct iob_result *suite);

#endif
