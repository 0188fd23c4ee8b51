/* SPDX-License-Identifier: MIT */
/* Reading JSON whose every fault is told with its line and its path, as
 * "stages[0].workloads[1].read.ios". */
#ifndef IOBI_JSON_IN_H
#define IOBI_JSON_IN_H

#include "base/base.h"
#include <jansson.h>

struct iobi_json_in {
	const char *data;
	size_t len;
	struct iob_error *err;
	uint64_t buckets_left; /* of memory: a short text must not ask for much of it */
	unsigned lines_before; /* data, in the text that it is a part of */
	int duplicates;        /* a key may come twice: the last counts */
};

/* A value and how it is reached. */
struct iobi_at {
	struct iobi_json_in *in;
	const struct iobi_at *up; /* NULL: the whole text */
	const char *key;          /* NULL: an element */
	size_t index;
	json_t *v;
};

/* The whole text; NULL and in->err where it is no JSON. The caller's to release. */
json_t *iobi_json_load(struct iobi_json_in *in);

/* -EINVAL, with where and in which line. */
int iobi_json_bad(const struct iobi_at *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A member that must be there (need) or may be missing or null (want: 1 there,
 * 0 not), and be of that type; or element i of an array. */
int iobi_json_need(const struct iobi_at *at, const char *key, json_type type, struct iobi_at *out);
int iobi_json_want(const struct iobi_at *at, const char *key, json_type type, struct iobi_at *out);
struct iobi_at iobi_json_element(const struct iobi_at *at, size_t i);

/* Whole numbers >= 0, written as a number or, where large, as digits. u64_or_0
 * takes a missing one as 0. */
int iobi_json_u64(const struct iobi_at *at, const char *key, uint64_t *v);
int iobi_json_u64_or_0(const struct iobi_at *at, const char *key, uint64_t *v);
int iobi_json_u64_value(const struct iobi_at *at, uint64_t *v);
int iobi_json_u128(const struct iobi_at *at, const char *key, iobi_u128 *v);
int iobi_json_u192(const struct iobi_at *at, const char *key, uint64_t v[3]);

/* Text that may be no UTF-8: KEY_hex has the exact bytes where KEY does not.
 * The caller's to free, also on failure. */
int iobi_json_bytes(const struct iobi_at *at, const char *key, char **out);

#endif
