/* SPDX-License-Identifier: MIT */
/* The devices of a workload out of its report. What is null there is not
 * available, which the flags say as well; what follows from counts is made anew. */
#include "result/json_devices.h"
#include "base/base.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *iobi_device_flag_name(size_t i)
{
	static const char *const names[] = { "target",      "no_counters", "no_ticks",
					     "no_discards", "no_flushes",  "part",
					     "rotational",  "write_cache" };
	return i < IOBI_LEN(names) ? names[i] : NULL;
}

static int read_flags(const struct iobi_at *at, uint32_t *flags)
{
	struct iobi_at list;
	const char *name;
	int rc = iobi_json_need(at, "flags", JSON_ARRAY, &list);
	for (size_t i = 0; !rc && i < json_array_size(list.v); i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		if (!json_is_string(e.v))
			return iobi_json_bad(&e, "must be a word, as \"target\"");
		for (size_t f = 0; (name = iobi_device_flag_name(f)); f++)
			if (!strcmp(json_string_value(e.v), name))
				*flags |= UINT32_C(1) << f;
	}
	return rc;
}

static int read_text(const struct iobi_at *at, const char *key, const char **out)
{
	char *text = NULL;
	int rc = iobi_json_bytes(at, key, &text);
	*out = text;
	return rc;
}

static int read_below(const struct iobi_at *at, struct iobi_device *d)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, "below", JSON_ARRAY, &list);
	if (rc)
		return rc;
	size_t n = json_array_size(list.v);
	d->below = calloc(n + 1, sizeof(char *));
	if (!d->below)
		return iobi_no_memory(at->in->err);
	for (size_t i = 0; i < n; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		if (!json_is_string(e.v))
			return iobi_json_bad(&e, "must be the name of a device");
		d->below[i] = (char *)json_string_value(e.v); /* copied when it is added */
		d->use.n_below++;
	}
	return 0;
}

static int read_io(const struct iobi_at *at, int op, struct iob_device_io *io)
{
	struct iobi_at node;
	int rc = iobi_json_need(at, iobi_op_name((unsigned)op), JSON_OBJECT, &node);
	rc = rc ? rc : iobi_json_u64_or_0(&node, "ios", &io->ios);
	rc = rc ? rc : iobi_json_u64_or_0(&node, "merges", &io->merges);
	rc = rc ? rc : iobi_json_u64_or_0(&node, "bytes", &io->bytes);
	rc = rc ? rc : iobi_json_u64_or_0(&node, "ticks_ms", &io->ticks_ms);
	rc = rc ? rc : iobi_json_u64_or_0(&node, "issued_ios", &io->issued_ios);
	return rc ? rc : iobi_json_u64_or_0(&node, "issued_bytes", &io->issued_bytes);
}

#define FIELD(name) offsetof(struct iob_device_interval, name)

static int read_column(const struct iobi_at *at, const char *key, struct iobi_device *d,
		       size_t field)
{
	struct iobi_at list;
	int rc = iobi_json_need(at, key, JSON_ARRAY, &list);
	if (!rc && json_array_size(list.v) != d->n_intervals)
		rc = iobi_json_bad(&list, "has %zu values, start_ns has %zu",
				   json_array_size(list.v), d->n_intervals);
	for (size_t i = 0; i < d->n_intervals && !rc; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = iobi_json_u64_value(&e, (uint64_t *)((char *)&d->interval[i] + field));
	}
	return rc;
}

static int read_series(const struct iobi_at *at, struct iobi_device *d)
{
	static const struct {
		const char *key;
		size_t field;
	} columns[] = {
		{ "start_ns", FIELD(start_ns) },   { "length_ns", FIELD(length_ns) },
		{ "read_ios", FIELD(read_ios) },   { "read_bytes", FIELD(read_bytes) },
		{ "write_ios", FIELD(write_ios) }, { "write_bytes", FIELD(write_bytes) },
		{ "busy_ms", FIELD(busy_ms) },     { "queue_ms", FIELD(queue_ms) },
	};
	struct iobi_at series, starts;
	int rc = iobi_json_want(at, "series", JSON_OBJECT, &series);
	if (rc > 0)
		rc = iobi_json_want(&series, "start_ns", JSON_ARRAY, &starts);
	if (rc <= 0)
		return rc;
	d->n_intervals = json_array_size(starts.v);
	d->interval = calloc(d->n_intervals + 1, sizeof(*d->interval));
	if (!d->interval)
		return iobi_no_memory(at->in->err);
	for (size_t i = 0; i < d->n_intervals; i++)
		d->interval[i].size = sizeof(*d->interval);
	rc = 0;
	for (size_t c = 0; c < IOBI_LEN(columns) && !rc; c++)
		rc = read_column(&series, columns[c].key, d, columns[c].field);
	return rc;
}

static int read_numbers(const struct iobi_at *at, struct iob_device_use *u)
{
	uint64_t depth = 0;
	int rc = iobi_json_u64(at, "depth", &depth);
	if (!rc && depth > UINT32_MAX)
		rc = iobi_json_bad(at, "a depth of %ju is too much", (uintmax_t)depth);
	u->depth = (uint32_t)depth;
	rc = rc ? rc : iobi_json_u64(at, "device_bytes", &u->device_bytes);
	rc = rc ? rc : iobi_json_u64(at, "length_ns", &u->length_ns);
	rc = rc ? rc : iobi_json_u64_or_0(at, "busy_ms", &u->busy_ms);
	rc = rc ? rc : iobi_json_u64_or_0(at, "queue_ms", &u->queue_ms);
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS && !rc; op++)
		rc = read_io(at, op, &u->op[op]);
	return rc;
}

/* A number where the flags say that there is none to be had is not taken. */
static void drop_unavailable(struct iob_device_use *u)
{
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++) {
		struct iob_device_io *io = &u->op[op];
		if (!iobi_device_counts(u, op))
			*io = (struct iob_device_io){ .issued_ios = io->issued_ios,
						      .issued_bytes = io->issued_bytes };
		if (!iobi_device_times(u, op))
			io->ticks_ms = 0;
	}
	struct iob_device_io *flush = &u->op[IOB_OP_SYNC];
	flush->merges = flush->bytes = flush->issued_bytes = 0; /* it has none */
	if (!iobi_device_times(u, IOB_OP_ALL))
		u->busy_ms = u->queue_ms = 0;
}

static int read_device(const struct iobi_at *at, struct iobi_device *d)
{
	int rc = json_is_object(at->v) ? 0 : iobi_json_bad(at, "must be an object");
	rc = rc ? rc : read_text(at, "name", &d->use.name);
	rc = rc ? rc : read_text(at, "kind", &d->use.kind);
	rc = rc ? rc : read_text(at, "about", &d->use.about);
	rc = rc ? rc : read_text(at, "machine", &d->use.machine);
	rc = rc ? rc : read_flags(at, &d->use.flags);
	rc = rc ? rc : read_numbers(at, &d->use);
	drop_unavailable(&d->use);
	rc = rc ? rc : read_below(at, d);
	return rc ? rc : read_series(at, d);
}

static int known(const struct iob_result *r, const struct iobi_device *d)
{
	for (size_t i = 0; i < r->n_devices; i++)
		if (!strcmp(r->device[i].use.name, d->use.name) &&
		    !strcmp(r->device[i].use.machine, d->use.machine))
			return 1;
	return 0;
}

static int add_device(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_device d = { .use = { .size = sizeof(d.use) } };
	int rc = read_device(at, &d);
	if (!rc && known(r, &d))
		rc = iobi_json_bad(at, "\"%.60s\" is there twice", d.use.name);
	if (!rc && iobi_devices_add(r, &d))
		rc = iobi_no_memory(at->in->err);
	free((char *)d.use.name);
	free((char *)d.use.kind);
	free((char *)d.use.about);
	free((char *)d.use.machine);
	free(d.below);
	free(d.interval);
	return rc;
}

int iobi_json_devices_in(const struct iobi_at *at, struct iob_result *r)
{
	struct iobi_at list;
	int rc = iobi_json_want(at, "devices", JSON_ARRAY, &list);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (size_t i = 0; i < json_array_size(list.v) && !rc; i++) {
		struct iobi_at e = iobi_json_element(&list, i);
		rc = add_device(&e, r);
	}
	return rc;
}
