/* SPDX-License-Identifier: MIT */
/* fio's report for people, as fio 3 prints it: what was asked, each job, the groups,
 * the disks. */
#include "report/fio_print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what was asked ---- */

/* "4096B-4096B" */
static void add_blocks(struct iobi_text *t, const char *size)
{
	char low[IOBI_FIOP_NUMBER], high[IOBI_FIOP_NUMBER];
	struct iobi_mix mix;
	uint64_t min = UINT64_MAX, max = 0;
	if (!*size || iobi_parse_mix(size, "block_size", &mix, NULL) || !mix.n)
		mix = (struct iobi_mix){ .n = 1 };
	for (unsigned i = 0; i < mix.n; i++) {
		min = mix.part[i].size < min ? mix.part[i].size : min;
		max = mix.part[i].size > max ? mix.part[i].size : max;
	}
	min = mix.low ? mix.low : min;
	iobi_text_printf(t, "%s-%s", iobi_fiop_number(low, min, 4, 1024, "B"),
			 iobi_fiop_number(high, max, 4, 1024, "B"));
}

static void add_asked(struct iobi_text *t, const struct iobi_fiov_job *j,
		      const struct iob_result *w)
{
	const char *read = iobi_report_ran(w, "block_size");
	const char *write = iobi_report_ran(w, "block_size_write");
	const char *depth = iob_result_param(w, "queue_depth");
	write = *write ? write : read;
	iobi_fiop_text(t, iob_result_name(w));
	iobi_text_printf(t, ": (g=%u): rw=%s, bs=(R) ", j->group, iobi_fiov_rw(w));
	add_blocks(t, read);
	iobi_text_add(t, ", (W) ");
	add_blocks(t, write);
	iobi_text_add(t, ", (T) ");
	add_blocks(t, write);
	iobi_text_printf(t, ", ioengine=%s, iodepth=%s\n", iobi_report_ran(w, "engine"),
			 depth ? depth : iobi_report_ran(w, "queue_depth"));
}

/* A job and its clones have the same labels but for their numbers. */
static bool is_clone(const struct iob_result *w)
{
	size_t len;
	const char *clone = iobi_fiov_label(w, "fio.clone", &len);
	return clone && !(len == 1 && *clone == '0');
}

static void asked(struct iobi_report *o, const struct iobi_fiov *v)
{
	bool dots = false;
	for (size_t i = 0; i < v->n_jobs; i++)
		for (size_t k = 0; k < v->job[i].n_members; k++) {
			const struct iob_result *w = v->job[i].member[k];
			bool clone = is_clone(w);
			bool several = !clone && strcmp(iobi_report_ran(w, "workers"), "1") != 0;
			if (!clone)
				add_asked(&o->text, &v->job[i], w);
			if (several || (clone && !dots))
				iobi_text_add(&o->text, "...\n");
			dots = clone;
			iobi_report_push(o);
		}
}

static void head(struct iobi_report *o, const struct iobi_fiov *v, const struct iob_result *r)
{
	char version[96];
	unsigned threads = 0;
	for (size_t i = 0; i < v->n_jobs; i++)
		threads += v->job[i].jobs;
	asked(o, v);
	iobi_fiop_version(version, sizeof(version), r);
	iobi_text_printf(&o->text, "%s\nStarting %u thread%s\n", version, threads,
			 threads == 1 ? "" : "s");
}

/* ---- groups ---- */

static void group_op(struct iobi_report *o, const struct iobi_fiov_group *g, int i)
{
	static const char *const names[] = { "   READ", "  WRITE", "   TRIM" };
	const double rate[] = { g->op[i].agg, g->op[i].min_bw, g->op[i].max_bw };
	char two[3][IOBI_FIOP_NUMBER], ten[3][IOBI_FIOP_NUMBER], io[2][IOBI_FIOP_NUMBER];
	for (int k = 0; k < 3; k++) {
		iobi_fiop_number(two[k], (uint64_t)rate[k], 4, 1024, "B/s");
		iobi_fiop_number(ten[k], (uint64_t)rate[k], 4, 1000, "B/s");
	}
	iobi_text_printf(&o->text,
			 "%s: bw=%s (%s), %s-%s (%s-%s), io=%s (%s), run=%" PRIu64 "-%" PRIu64
			 "msec\n",
			 names[i], two[0], ten[0], two[1], two[2], ten[1], ten[2],
			 iobi_fiop_number(io[0], g->op[i].bytes, 4, 1024, "B"),
			 iobi_fiop_number(io[1], g->op[i].bytes, 4, 1000, "B"), g->op[i].min_run_ms,
			 g->op[i].max_run_ms);
}

static void groups(struct iobi_report *o, const struct iobi_fiov *v)
{
	for (size_t k = 0; k < v->n_groups; k++) {
		iobi_text_printf(&o->text, "\nRun status group %zu (all jobs):\n", k);
		for (int i = 0; i < IOBI_FIOV_SYNC; i++)
			if (v->group[k].op[i].max_run_ms)
				group_op(o, &v->group[k], i);
		iobi_report_push(o);
	}
}

/* ---- disks ---- */

static void add_counters(struct iobi_text *t, const char *prefix, const struct iob_device_io *r,
			 const struct iob_device_io *w, uint64_t queue_ms, double util)
{
	iobi_text_printf(
		t,
		"%sios=%" PRIu64 "/%" PRIu64 ", %ssectors=%" PRIu64 "/%" PRIu64 ", %smerge=%" PRIu64
		"/%" PRIu64 ", %sticks=%" PRIu64 "/%" PRIu64 ", %sin_queue=%" PRIu64 ", %sutil=",
		prefix, r->ios, w->ios, prefix, r->bytes / 512, w->bytes / 512, prefix, r->merges,
		w->merges, prefix, r->ticks_ms, w->ticks_ms, prefix, queue_ms, prefix);
	iobi_fiop_fixed(t, util, 3);
	iobi_text_add(t, "%");
}

static void disks(struct iobi_report *o, const struct iobi_fiov *v)
{
	if (v->n_disks)
		iobi_text_add(&o->text, "\nDisk stats (read/write):\n");
	for (size_t i = 0; i < v->n_disks; i++) {
		const struct iobi_fiov_disk *d = &v->disk[i];
		iobi_text_add(&o->text, d->n_members ? "    " : "  ");
		iobi_fiop_text(&o->text, d->use->name);
		iobi_text_add(&o->text, ": ");
		add_counters(&o->text, "", &d->use->op[IOB_OP_READ], &d->use->op[IOB_OP_WRITE],
			     d->use->queue_ms, d->util);
		if (d->n_members) {
			iobi_text_add(&o->text, ", ");
			add_counters(&o->text, "aggr", &d->of_members[0], &d->of_members[1],
				     d->members_queue_ms, d->members_util);
		}
		iobi_text_add(&o->text, "\n");
		iobi_report_push(o);
	}
}

void iobi_report_fio_text(struct iobi_report *o, const struct iob_result *r)
{
	struct iobi_fiov v;
	if (iobi_fiov_open(&v, r)) {
		o->text.failed = 1;
		return;
	}
	head(o, &v, r);
	iobi_text_add(&o->text, "\n");
	for (size_t i = 0; i < v.n_jobs && !o->rc; i++)
		iobi_fiop_job(o, &v, &v.job[i]);
	groups(o, &v);
	disks(o, &v);
	iobi_fiov_close(&v);
}
