/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_HIST_H
#define IOBI_JSON_HIST_H

#include "result/json_in.h"
#include "result/result_priv.h"

/* A histogram that is one: its buckets, bounds and sums agree. */
int iobi_json_hist_in(const struct iobi_at *at, struct iob_hist **out);

/* Charges what closing r will make of the histograms below to the text's account. */
int iobi_json_charge(const struct iobi_at *at, const struct iob_result *r);

#endif
