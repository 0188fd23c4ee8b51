/* SPDX-License-Identifier: MIT */
/*
 * What reports tell of a job, as labels of its workloads:
 *
 *	fio.job=NAME fio.clone=N fio.thread=N fio.group=N fio.group_reporting=0|1
 *	fio.place=FILE line N			where it stands; not of the command line
 *	fio.global.OPTION=TEXT fio.option.OPTION=TEXT	in the order they were given
 */
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>

enum {
	LABELS_MAX = 256 << 20
};

/* The option that was given next after `order`; -1: none. */
static int next_given(const struct iobi_fio_job *j, bool own, unsigned order)
{
	int next = -1;
	for (int i = 0; i < IOBI_FIO_KEYS; i++) {
		const struct iobi_fio_value *v = &j->value[i];
		if (v->text && v->own == own && v->order > order &&
		    (next < 0 || v->order < j->value[next].order))
			next = i;
	}
	return next;
}

static void add_options(struct iobi_text *t, const struct iobi_fio_job *j, bool own)
{
	unsigned order = 0;
	for (int key; (key = next_given(j, own, order)) >= 0; order = j->value[key].order)
		iobi_text_printf(t, "fio.%s.%s=%s\n", own ? "option" : "global",
				 iobi_fio_row(key)->name, j->value[key].text);
}

/* On a command line a job's name is one of its options. */
static void add_name(struct iobi_text *t, const struct iobi_fio_job *j)
{
	if (!j->place.line)
		iobi_text_printf(t, "fio.option.name=%s\n", j->name);
}

int iobi_fio_map_labels(struct iobi_fio_map *m, struct iob_workload *w, int64_t clone)
{
	struct iobi_text t = { 0 };
	iobi_text_printf(&t,
			 "fio.job=%s\nfio.clone=%" PRId64 "\nfio.thread=%u\nfio.group=%u\n"
			 "fio.group_reporting=%d\n",
			 m->job->name, clone, m->thread, m->group,
			 iobi_fio_on(m, IOBI_FIO_GROUP_REPORTING, false));
	if (m->job->place.line)
		iobi_text_printf(&t, "fio.place=%s line %d\n", IOBI_QUOTE(m->job->place.file),
				 m->job->place.line);
	add_options(&t, m->job, false);
	add_name(&t, m->job);
	add_options(&t, m->job, true);
	m->label_bytes += t.len;
	int rc =
		m->label_bytes > LABELS_MAX
			? iobi_fio_wrong(m, E2BIG, IOBI_FIO_NUMJOBS,
					 "the options of all clones would come to more than %d MiB",
					 LABELS_MAX >> 20)
		: t.failed ? iobi_no_memory(m->f->err)
			   : iobi_fio_set_str(m, w, IOBI_FIO_NAME, IOB_PARAM_LABELS, t.data);
	iobi_text_free(&t);
	return rc;
}
