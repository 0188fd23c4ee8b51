/* SPDX-License-Identifier: MIT */
/* The first lines of the text report. */
#include "report/text_priv.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *host_fact(const struct iob_result *r, const char *name)
{
	while (r->parent)
		r = r->parent;
	const char *value = iobi_pairs_get(&r->host, name);
	return value ? value : "";
}

static void add_time(struct iobi_text *t, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	if (ns && gmtime_r(&s, &tm))
		iobi_text_printf(t, ", %04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900,
				 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static uint64_t decimal(const char *s)
{
	uint64_t v = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		v = 10 * v + (uint64_t)(*s - '0');
	return v;
}

static void add_host(struct iobi_text *t, const struct iob_result *r)
{
	const char *cores = host_fact(r, "cores"), *cpu = host_fact(r, "cpu");
	uint64_t memory = decimal(host_fact(r, "memory"));
	char text[IOBI_CELL];

	if (*host_fact(r, "kernel"))
		iobi_text_printf(t, ", %s", host_fact(r, "kernel"));
	if (*cores)
		iobi_text_printf(t, ", %s %s", cores, strcmp(cores, "1") ? "cores" : "core");
	if (*cpu)
		iobi_text_printf(t, " of %s", cpu);
	if (memory)
		iobi_text_printf(t, ", %s", iobi_text_bytes(text, memory));
}

static void add_machine(struct iobi_text *t, const struct iob_result *r)
{
	const char *version = host_fact(r, "version");
	iobi_text_printf(t, "iobench %s", *version ? version : iob_version());
	add_time(t, r->started_ns);
	add_host(t, r);
	iobi_text_add(t, "\n");
}

static void add_targets(struct iobi_text *t, const struct iob_result *r)
{
	enum {
		SHOWN = 4
	};
	char text[IOBI_CELL];

	if (!r->n_targets)
		return;
	iobi_text_add(t, r->n_targets == 1 ? "target   " : "targets  ");
	for (size_t i = 0; i < r->n_targets && i < SHOWN; i++) {
		iobi_text_add(t, i ? ", " : "");
		iobi_text_add_name(t, r->targets[i].path);
		iobi_text_printf(t, " (%s)", iobi_text_bytes(text, r->targets[i].target_bytes));
	}
	if (r->n_targets > SHOWN)
		iobi_text_printf(t, " and %zu more", r->n_targets - SHOWN);
	iobi_text_add(t, "\n");
}

/* A value that all workloads share, else NULL: what differs is in the table. */
static const char *shared(const struct iob_result *r, const char *name)
{
	const char *v = iob_result_effective(r, name);
	return v && *v ? v : NULL;
}

static int is(const char *value, const char *what)
{
	return value && strcmp(value, what) == 0;
}

static void add_engine(struct iobi_text *t, const struct iob_result *r)
{
	const char *engine = shared(r, "engine"), *direct = shared(r, "direct");
	const char *features = shared(r, "engine_features"), *sync = shared(r, "sync");

	iobi_text_printf(t, "engine   %s", engine ? engine : "not the same for all");
	if (features)
		iobi_text_printf(t, " (%s)", features);
	if (direct && !is(engine, "null"))
		iobi_text_printf(t, ", %s",
				 is(direct, "true") ? "direct" : "through the page cache");
	if (is(sync, "data") || is(sync, "all"))
		iobi_text_printf(t, ", sync=%s", sync);
	if (is(shared(r, "poll"), "true"))
		iobi_text_add(t, ", polled");
	iobi_text_add(t, "\n");
}

static const char *more_than_zero(const struct iob_result *r, const char *name)
{
	const char *v = shared(r, name);
	return is(v, "0") ? NULL : v;
}

static void add_region(struct iobi_text *t, const struct iob_result *r)
{
	const char *size = more_than_zero(r, "size"), *offset = more_than_zero(r, "offset");
	if (size)
		iobi_text_printf(t, ", region %s", size);
	if (offset)
		iobi_text_printf(t, " from offset %s", offset);
}

static void add_length(struct iobi_text *t, const struct iob_result *r)
{
	static const struct {
		const char *name, *says;
	} limits[] = { { "runtime", "each for" },
		       { "io_size", "each moves" },
		       { "ramp_time", "after a ramp of" } };
	for (size_t i = 0; i < IOBI_LEN(limits); i++)
		if (more_than_zero(r, limits[i].name))
			iobi_text_printf(t, ", %s %s", limits[i].says,
					 more_than_zero(r, limits[i].name));
}

static void add_plan(struct iobi_text *t, const struct iob_result *r, const struct iobi_list *l)
{
	char text[IOBI_CELL];
	size_t stages = r->level == IOB_LEVEL_SUITE ? r->n_child : 0;

	iobi_text_add(t, "run      ");
	if (stages > 1)
		iobi_text_printf(t, "%zu stages, ", stages);
	if (l->n != stages || l->n == 1)
		iobi_text_printf(t, "%zu %s, ", l->n, l->n == 1 ? "workload" : "workloads");
	iobi_text_printf(t, "%s measured", iobi_text_ns(text, (double)r->elapsed_ns));
	add_length(t, r);
	add_region(t, r);
	iobi_text_add(t, "\n");
}

static void add_state(struct iobi_text *t, const struct iob_result *r)
{
	char text[IOBI_CELL];
	if (r->flags & IOB_RESULT_CANCELLED)
		iobi_text_add(t,
			      "CANCELLED before its end: this is what was measured until then\n");
	if (!(r->flags & IOB_RESULT_PARTIAL))
		return;
	iobi_text_add(t, "PARTIAL: taken while it ran");
	if (r->unfinished)
		iobi_text_printf(t, "; unfinished: %s %s in flight",
				 iobi_text_count(text, r->unfinished),
				 r->unfinished == 1 ? "I/O" : "I/Os");
	iobi_text_add(t, "\n");
}

void iobi_text_head(struct iobi_report *o, const struct iob_result *r, const struct iobi_list *l)
{
	add_machine(&o->text, r);
	add_targets(&o->text, r);
	if (l->n) {
		add_engine(&o->text, r);
		add_plan(&o->text, r, l);
	} else
		iobi_text_add(&o->text, "run      no workload was measured\n");
	add_state(&o->text, r);
}
