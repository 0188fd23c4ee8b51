/* SPDX-License-Identifier: MIT */
/* What a device is, for people and for programs: from the public facts alone. */
#include "report/json_value.h"
#include "report/table.h"
#include "report/text_priv.h"
#include <errno.h>
#include <iobench/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layers in the order they are shown; each once, however many lead to it. */
struct layers {
	const struct iob_device **seen;
	size_t n;
	int failed;
};

/* Whether it is the first time. */
static int first_time(struct layers *l, const struct iob_device *d)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->seen[i] == d)
			return 0;
	const struct iob_device **more = realloc(l->seen, (l->n + 1) * sizeof(*more));
	if (!more) {
		l->failed = 1;
		return 0;
	}
	l->seen = more;
	more[l->n++] = d;
	return 1;
}

/* ---- text ---- */

static void add_value(struct iobi_text *t, const struct iob_fact *f)
{
	char text[IOBI_CELL], exact[IOBI_CELL];
	if (f->type == IOB_FACT_BYTES && f->number >= 1024) {
		iobi_text_printf(t, "%s", iobi_text_bytes(text, (uint64_t)f->number));
		if (f->number >= 1 << 20 || f->number % 1024)
			iobi_text_printf(t, " (%s bytes)",
					 iobi_text_count(exact, (uint64_t)f->number));
	} else if (f->type == IOB_FACT_BYTES) {
		iobi_text_printf(t, "%s bytes", f->text);
	} else if (f->type == IOB_FACT_BOOL) {
		iobi_text_add(t, f->number ? "yes" : "no");
	} else {
		iobi_text_add_name(t, f->text);
	}
}

static void add_line(struct iobi_text *t, const char *name, const char *text)
{
	iobi_text_printf(t, "  %-20s ", name);
	iobi_text_add_name(t, text);
	iobi_text_add(t, "\n");
}

static void add_users(struct iobi_text *t, const struct iob_device *d)
{
	size_t n = iob_device_user_count(d);
	for (size_t i = 0; i < n; i++)
		add_line(t, i ? "" : "in use", iob_device_user(d, i)->message);
	if (!n)
		add_line(t, "in use", "nobody is known to use it");
}

static void add_signatures(struct iobi_text *t, const struct iob_device *d)
{
	for (size_t i = 0; i < iob_device_signature_count(d); i++) {
		const struct iob_device_signature *s = iob_device_signature(d, i);
		iobi_text_printf(t, "  %-20s ", i ? "" : "holds");
		iobi_text_add_name(t, s->type);
		iobi_text_printf(t, " (%s)", s->usage);
		iobi_text_add(t, *s->label ? ", named " : "");
		iobi_text_add_name(t, s->label);
		iobi_text_add(t, *s->uuid ? ", " : "");
		iobi_text_add_name(t, s->uuid);
		iobi_text_add(t, "\n");
	}
}

enum column {
	DEVICE,
	KIND,
	SIZE,
	BLOCK,
	MAX_IO,
	SCHEDULER,
	REQUESTS,
	DEPTH,
	CACHE,
	MEDIUM,
	WHAT
};

static void set_fact(struct iobi_table *t, enum column c, const struct iob_device *d,
		     const char *name)
{
	const struct iob_fact *f = iob_device_find(d, name);
	char text[IOBI_CELL];
	if (f && f->type == IOB_FACT_BYTES)
		iobi_table_set(t, c, iobi_text_bytes(text, (uint64_t)f->number));
	else if (f)
		iobi_table_set(t, c, f->text);
}

static void set_medium(struct iobi_table *t, const struct iob_device *d)
{
	const struct iob_fact *f = iob_device_find(d, "rotational");
	if (f)
		iobi_table_set(t, MEDIUM, f->number ? "rotates" : "flash");
}

static void add_layer(struct iobi_table *t, struct layers *l, const struct iob_device *d, int depth)
{
	char text[512];
	int first = first_time(l, d);
	iobi_table_row(t);
	snprintf(text, sizeof(text), "%*s%.400s", depth < 16 ? 2 * depth : 32, "",
		 iob_device_path(d));
	iobi_table_set(t, DEVICE, text);
	iobi_table_set(t, KIND, iob_device_kind(d));
	set_fact(t, SIZE, d, "size");
	if (!first) {
		iobi_table_set(t, WHAT, "as above");
		return;
	}
	set_fact(t, BLOCK, d, "logical_block");
	set_fact(t, MAX_IO, d, "max_io");
	set_fact(t, SCHEDULER, d, "scheduler");
	set_fact(t, REQUESTS, d, "nr_requests");
	set_fact(t, DEPTH, d, "queue_depth");
	set_fact(t, CACHE, d, "write_cache");
	set_medium(t, d);
	iobi_table_set(t, WHAT, iob_device_about(d));
	for (size_t i = 0; i < iob_device_below_count(d); i++)
		add_layer(t, l, iob_device_below(d, i), depth + 1);
}

static void add_layers(struct iobi_report *o, const struct iob_device *d)
{
	static const char *const heads[] = { "device",  "kind",      "size",     "block",
					     "max I/O", "scheduler", "requests", "depth",
					     "cache",   "medium",    "" };
	struct iobi_table t = { 0 };
	struct layers l = { NULL, 0, 0 };
	for (size_t i = 0; i < IOBI_LEN(heads); i++)
		iobi_table_column(&t, heads[i], i < SIZE || i == SCHEDULER || i >= CACHE);
	add_layer(&t, &l, d, 0);
	iobi_text_add(&o->text, "\nlayers\n");
	iobi_table_print(&t, o);
	o->text.failed |= l.failed;
	free(l.seen);
}

static void device_text(struct iobi_report *o, const struct iob_device *d)
{
	struct iobi_text *t = &o->text;
	iobi_text_add_name(t, iob_device_path(d));
	iobi_text_printf(t, "  %s", iob_device_kind(d));
	iobi_text_add(t, *iob_device_about(d) ? ", " : "");
	iobi_text_add_name(t, iob_device_about(d));
	iobi_text_add(t, "\n");
	add_users(t, d);
	add_signatures(t, d);
	for (size_t i = 0; i < iob_device_fact_count(d); i++) {
		const struct iob_fact *f = iob_device_fact(d, i);
		iobi_text_printf(t, "  %-20s ", f->name);
		add_value(t, f);
		iobi_text_add(t, "\n");
	}
	add_layers(o, d);
}

/* ---- JSON ---- */

static json_t *facts_of(const struct iob_device *d)
{
	json_t *v = json_object();
	for (size_t i = 0; i < iob_device_fact_count(d); i++) {
		const struct iob_fact *f = iob_device_fact(d, i);
		if (f->type == IOB_FACT_TEXT)
			iobi_json_put_bytes(&v, f->name, f->text);
		else
			iobi_json_put(&v, f->name,
				      f->type == IOB_FACT_BOOL ? json_boolean(f->number)
							       : json_integer(f->number));
	}
	return v;
}

static json_t *users_of(const struct iob_device *d)
{
	static const char *const kinds[] = { "mount", "swap", "holder", "exclusive", "loop" };
	json_t *v = json_array();
	for (size_t i = 0; i < iob_device_user_count(d); i++) {
		const struct iob_device_user *u = iob_device_user(d, i);
		json_t *o = json_object();
		iobi_json_put(&o, "kind", json_string(kinds[u->kind]));
		iobi_json_put_bytes(&o, "device", u->device);
		iobi_json_put_bytes(&o, "what", u->what);
		iobi_json_put_bytes(&o, "message", u->message);
		iobi_json_append(&v, o);
	}
	return v;
}

static json_t *signatures_of(const struct iob_device *d)
{
	json_t *v = json_array();
	for (size_t i = 0; i < iob_device_signature_count(d); i++) {
		const struct iob_device_signature *s = iob_device_signature(d, i);
		json_t *o = json_object();
		iobi_json_put(&o, "type", iobi_json_text(s->type));
		iobi_json_put(&o, "usage", iobi_json_text(s->usage));
		iobi_json_put_bytes(&o, "label", s->label);
		iobi_json_put_bytes(&o, "uuid", s->uuid);
		iobi_json_append(&v, o);
	}
	return v;
}

static json_t *device_json(struct layers *l, const struct iob_device *d)
{
	json_t *v = json_object(), *below = json_array();
	iobi_json_put_bytes(&v, "path", iob_device_path(d));
	iobi_json_put(&v, "kind", json_string(iob_device_kind(d)));
	iobi_json_put_bytes(&v, "about", iob_device_about(d));
	if (!first_time(l, d)) {
		json_decref(below);
		iobi_json_put(&v, "repeated", json_true());
		return v;
	}
	iobi_json_put(&v, "facts", facts_of(d));
	for (size_t i = 0; i < iob_device_below_count(d); i++)
		iobi_json_append(&below, device_json(l, iob_device_below(d, i)));
	iobi_json_put(&v, "below", below);
	return v;
}

static int add_piece(const char *piece, size_t len, void *user)
{
	iobi_text_add_n(user, piece, len);
	return ((struct iobi_text *)user)->failed ? -1 : 0;
}

static void whole_json(struct iobi_report *o, const struct iob_device *d)
{
	struct layers l = { NULL, 0, 0 };
	json_t *about = json_object(), *v = json_object();
	iobi_json_put(&about, "version", json_string(iob_version()));
	iobi_json_put(&about, "schema", json_integer(1));
	iobi_json_put(&v, "iobench", about);
	iobi_json_put(&v, "users", users_of(d));
	iobi_json_put(&v, "signatures", signatures_of(d));
	iobi_json_put(&v, "device", device_json(&l, d));
	if (!v || json_dump_callback(v, add_piece, &o->text, JSON_INDENT(1)))
		o->text.failed = 1;
	iobi_text_add(&o->text, "\n");
	o->text.failed |= l.failed;
	json_decref(v);
	free(l.seen);
}

int iob_device_report(const struct iob_device *d, const char *format, iob_write_fn fn, void *user,
		      struct iob_error *err)
{
	struct iobi_report o = { .fn = fn, .user = user };
	int json = format && !strcmp(format, "json");
	if (!d || !fn)
		return iobi_is_null(err, d ? "fn" : "device");
	if (!json && (!format || strcmp(format, "text")))
		return iobi_fail(err, EINVAL, "format",
				 "there is no device report \"%.64s\"; there are text, json",
				 format ? format : "");
	if (json)
		whole_json(&o, d);
	else
		device_text(&o, d);
	return iobi_report_end(&o, format, err);
}
