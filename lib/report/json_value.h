/* SPDX-License-Identifier: MIT */
/* The values of the JSON report, as trees of jansson's. Each is NULL where
 * there was no memory, and a NULL put into another makes that one NULL. */
#ifndef IOBI_JSON_VALUE_H
#define IOBI_JSON_VALUE_H

#include "report/report_priv.h"
#include <iobench/steady.h>
#include <jansson.h>

/* Adds a member or an element; takes `value`. On failure *to becomes NULL. */
void iobi_json_put(json_t **to, const char *key, json_t *value);
void iobi_json_append(json_t **to, json_t *value);

/* Text; bytes that are no UTF-8 become U+FFFD each. */
json_t *iobi_json_text(const char *s);

/* Puts text, and where it is not UTF-8 its exact bytes as KEY_hex beside it. */
void iobi_json_put_bytes(json_t **to, const char *key, const char *s);

/* A number up to 2^63 - 1, above that its decimal digits as text. */
json_t *iobi_json_number(iobi_u128 v);

/* null for NaN. */
json_t *iobi_json_real(double v);

json_t *iobi_json_flags(unsigned flags);
json_t *iobi_json_host(const struct iobi_pairs *host);
json_t *iobi_json_params(const struct iobi_pairs *p);
json_t *iobi_json_targets(const struct iob_result *w);
json_t *iobi_json_pace(const struct iob_pace *p);
json_t *iobi_json_search(const struct iobi_search_log *l);
json_t *iobi_json_rounds(const struct iob_rounds *r);
json_t *iobi_json_cell(const struct iob_result *r, size_t i);
json_t *iobi_json_error(const struct iob_error *e);
json_t *iobi_json_findings(const struct iob_result *r);
json_t *iobi_json_machine(const struct iob_result *w);
json_t *iobi_json_usage(const struct iob_result *w);
json_t *iobi_json_series(const struct iob_result *w);
json_t *iobi_json_device(const struct iob_result *w, size_t i);
json_t *iobi_json_hist(const struct iob_hist *h, const struct iobi_percentiles *p, int buckets);

#endif
