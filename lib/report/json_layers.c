/* SPDX-License-Identifier: MIT */
/* What the devices did, as JSON. */
#include "report/json_value.h"
#include "result/json_devices.h"
#include <math.h>

static json_t *flags_of(uint32_t flags)
{
	const char *name;
	json_t *v = json_array();
	for (size_t i = 0; (name = iobi_device_flag_name(i)); i++)
		if (flags & UINT32_C(1) << i)
			iobi_json_append(&v, json_string(name));
	return v;
}

/* null where it could not be counted. */
static json_t *if_any(int available, uint64_t v)
{
	return available ? iobi_json_number(v) : json_null();
}

static json_t *io(const struct iob_device_use *u, int op)
{
	const struct iob_device_io *o = &u->op[op];
	int counted = iobi_device_counts(u, op);
	json_t *v = json_object();
	iobi_json_put(&v, "ios", if_any(counted, o->ios));
	if (op != IOB_OP_SYNC) {
		iobi_json_put(&v, "merges", if_any(counted, o->merges));
		iobi_json_put(&v, "bytes", if_any(counted, o->bytes));
	}
	iobi_json_put(&v, "ticks_ms", if_any(iobi_device_times(u, op), o->ticks_ms));
	iobi_json_put(&v, "issued_ios", iobi_json_number(o->issued_ios));
	if (op != IOB_OP_SYNC)
		iobi_json_put(&v, "issued_bytes", iobi_json_number(o->issued_bytes));
	return v;
}

static json_t *name_at(const struct iob_result *r, uint32_t place)
{
	return place < r->n_devices ? iobi_json_text(r->device[place].use.name) : json_null();
}

static json_t *names_below(const struct iob_result *r, const struct iob_device_use *u)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < u->n_below; i++)
		iobi_json_append(&v, name_at(r, u->below[i]));
	return v;
}

/* The skew of a member beside idle ones knows no bound. */
static json_t *bounded(double v)
{
	return iobi_json_real(isinf(v) ? NAN : v);
}

static json_t *spread(const struct iob_result *r, const struct iob_device_spread *s)
{
	json_t *v = json_object();
	iobi_json_put(&v, "mean", bounded(s->mean));
	iobi_json_put(&v, "min", bounded(s->min));
	iobi_json_put(&v, "max", bounded(s->max));
	iobi_json_put(&v, "worst", name_at(r, s->worst));
	iobi_json_put(&v, "skew", bounded(s->skew));
	return v;
}

static json_t *members(const struct iob_result *r, const struct iob_device_use *u)
{
	if (!u->n_below)
		return json_null();
	json_t *v = json_object();
	iobi_json_put(&v, "count", json_integer(u->n_below));
	iobi_json_put(&v, "idle", json_integer(u->n_idle));
	iobi_json_put(&v, "ios", spread(r, &u->member_ios));
	iobi_json_put(&v, "bytes", spread(r, &u->member_bytes));
	iobi_json_put(&v, "utilisation", spread(r, &u->member_utilisation));
	return v;
}

enum column {
	START,
	LENGTH,
	READ_IOS,
	READ_BYTES,
	WRITE_IOS,
	WRITE_BYTES,
	BUSY,
	QUEUE,
	COLUMNS
};

static uint64_t cell(const struct iob_device_interval *v, int c)
{
	const uint64_t cells[COLUMNS] = { v->start_ns,  v->length_ns,   v->read_ios, v->read_bytes,
					  v->write_ios, v->write_bytes, v->busy_ms,  v->queue_ms };
	return cells[c];
}

static json_t *series(const struct iobi_device *d)
{
	static const char *const names[COLUMNS] = { "start_ns",   "length_ns", "read_ios",
						    "read_bytes", "write_ios", "write_bytes",
						    "busy_ms",    "queue_ms" };
	json_t *v = json_object();
	for (int c = 0; c < COLUMNS; c++) {
		json_t *column = json_array();
		for (size_t i = 0; i < d->n_intervals; i++)
			iobi_json_append(&column, iobi_json_number(cell(&d->interval[i], c)));
		iobi_json_put(&v, names[c], column);
	}
	return v;
}

json_t *iobi_json_device(const struct iob_result *r, size_t i)
{
	const struct iob_device_use *u = &r->device[i].use;
	int timed = iobi_device_times(u, IOB_OP_ALL);
	json_t *v = json_object();
	iobi_json_put_bytes(&v, "name", u->name);
	iobi_json_put_bytes(&v, "kind", u->kind);
	iobi_json_put_bytes(&v, "about", u->about);
	iobi_json_put_bytes(&v, "machine", u->machine);
	iobi_json_put(&v, "device_bytes", iobi_json_number(u->device_bytes));
	iobi_json_put(&v, "flags", flags_of(u->flags));
	iobi_json_put(&v, "depth", json_integer(u->depth));
	iobi_json_put(&v, "above", name_at(r, u->above));
	iobi_json_put(&v, "below", names_below(r, u));
	iobi_json_put(&v, "length_ns", iobi_json_number(u->length_ns));
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++)
		iobi_json_put(&v, iobi_op_name((unsigned)op), io(u, op));
	iobi_json_put(&v, "all", io(u, IOB_OP_ALL));
	iobi_json_put(&v, "busy_ms", if_any(timed, u->busy_ms));
	iobi_json_put(&v, "queue_ms", if_any(timed, u->queue_ms));
	iobi_json_put(&v, "utilisation", iobi_json_real(u->utilisation));
	iobi_json_put(&v, "in_flight", iobi_json_real(u->in_flight));
	iobi_json_put(&v, "mean_request", iobi_json_real(u->mean_request));
	iobi_json_put(&v, "requests_per_io", iobi_json_real(u->requests_per_io));
	iobi_json_put(&v, "foreign_bytes",
		      u->flags & (IOB_DEVICE_PART | IOB_DEVICE_NO_COUNTERS)
			      ? json_null()
			      : json_integer(u->foreign_bytes));
	iobi_json_put(&v, "members", members(r, u));
	iobi_json_put(&v, "series", series(&r->device[i]));
	return v;
}
