/* SPDX-License-Identifier: MIT */
/* Which workloads are an entry of fio's reports, and which of them a group. */
#include "report/fio_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels ---- */

const char *iobi_fiov_label(const struct iob_result *w, const char *name, size_t *len)
{
	const char *line = iob_result_param(w, "labels");
	size_t n = strlen(name);
	while (line && *line) {
		size_t all = strcspn(line, "\n");
		if (all > n && !strncmp(line, name, n) && line[n] == '=') {
			*len = all - n - 1;
			return line + n + 1;
		}
		line += all + (line[all] == '\n');
	}
	return NULL;
}

bool iobi_fiov_label_is(const struct iob_result *w, const char *name, const char *text)
{
	size_t len;
	const char *value = iobi_fiov_label(w, name, &len);
	return value && len == strlen(text) && !strncmp(value, text, len);
}

static char *label_copy(const struct iob_result *w, const char *own, const char *global)
{
	size_t len = 0;
	const char *value = iobi_fiov_label(w, own, &len);
	value = value ? value : iobi_fiov_label(w, global, &len);
	return strndup(value ? value : "", value ? len : 0);
}

const char *iobi_fiov_option(const struct iobi_fiov *v, const struct iobi_fiov_job *j,
			     const char *name)
{
	const char *own = iobi_pairs_get(&j->options, name);
	const char *global = own ? NULL : iobi_pairs_get(&v->global, name);
	return own ? own : global ? global : "";
}

/* ---- entries ---- */

/* What the next workload belongs to. */
struct walk {
	struct iobi_fiov *v;
	const struct iob_result *last; /* NULL: none yet */
};

static bool same_label(const struct iob_result *a, const struct iob_result *b, const char *name)
{
	size_t na = 0, nb = 0;
	const char *va = iobi_fiov_label(a, name, &na), *vb = iobi_fiov_label(b, name, &nb);
	return na == nb && (!na || !strncmp(va, vb, na));
}

/* A stage is what ran at the same time: a group, or several by new_group. */
static bool same_group(const struct walk *k, const struct iob_result *w)
{
	return k->last && k->last->parent == w->parent && same_label(k->last, w, "fio.group");
}

static void *one_more(void **list, size_t n, size_t size)
{
	char *more = reallocarray(*list, n + 1, size);
	if (!more)
		return NULL;
	*list = more;
	return memset(more + n * size, 0, size);
}

static struct iobi_fiov_job *new_job(struct iobi_fiov *v)
{
	struct iobi_fiov_job *j = one_more((void **)&v->job, v->n_jobs, sizeof(*j));
	v->n_jobs += j != NULL;
	return j;
}

/* stats=0: fio shows nothing of it. */
static bool is_hidden(const struct iob_result *w)
{
	return iobi_fiov_label_is(w, "fio.option.stats", "0") ||
	       (iobi_fiov_label_is(w, "fio.global.stats", "0") &&
		!iobi_fiov_label_is(w, "fio.option.stats", "1"));
}

static int add_member(struct iobi_fiov_job *j, const struct iob_result *w)
{
	const struct iob_result **to =
		one_more((void **)&j->member, j->n_members, sizeof(*j->member));
	if (!to)
		return -ENOMEM;
	*to = w;
	j->n_members++;
	return 0;
}

static int begin_job(struct walk *k, const struct iob_result *w, struct iobi_fiov_job **out)
{
	struct iobi_fiov *v = k->v;
	struct iobi_fiov_job *j = new_job(v);
	if (!j)
		return -ENOMEM;
	j->name = iob_result_name(w);
	j->description = label_copy(w, "fio.option.description", "fio.global.description");
	j->group = (unsigned)v->n_groups - 1;
	*out = j;
	return j->description ? 0 : -ENOMEM;
}

static int add_workload(struct walk *k, const struct iob_result *w)
{
	struct iobi_fiov *v = k->v;
	struct iobi_fiov_job *j = v->n_jobs ? &v->job[v->n_jobs - 1] : NULL;
	bool same = same_group(k, w);
	int rc = 0;
	if (!same && !one_more((void **)&v->group, v->n_groups, sizeof(*v->group)))
		return -ENOMEM;
	v->n_groups += !same;
	if (!same || !j || !iobi_fiov_label_is(w, "fio.group_reporting", "1"))
		rc = begin_job(k, w, &j);
	k->last = w;
	return rc ? rc : add_member(j, w);
}

/* A worker that is reported alone stands for itself. */
static int walk_down(struct walk *k, const struct iob_result *r)
{
	int rc = 0;
	if (iob_result_level(r) >= IOB_LEVEL_WORKLOAD)
		return is_hidden(r) ? 0 : add_workload(k, r);
	for (size_t i = 0; i < iob_result_child_count(r) && !rc; i++)
		rc = walk_down(k, iob_result_child(r, i));
	return rc;
}

/* ---- groups ---- */

static void widen(uint64_t *least, uint64_t *most, uint64_t v)
{
	*least = !*least || v < *least ? v : *least;
	*most = v > *most ? v : *most;
}

static void sum_group(struct iobi_fiov *v, const struct iobi_fiov_job *j)
{
	for (int i = 0; i < IOBI_FIOV_SYNC; i++) {
		const struct iobi_fiov_op *o = &j->op[i];
		struct iobi_fiov_group *g = &v->group[j->group];
		if (!o->runtime_ms)
			continue;
		bool first = !g->op[i].max_run_ms;
		widen(&g->op[i].min_run_ms, &g->op[i].max_run_ms, o->runtime_ms);
		if (first || o->bytes_per_s < g->op[i].min_bw)
			g->op[i].min_bw = o->bytes_per_s;
		if (o->bytes_per_s > g->op[i].max_bw)
			g->op[i].max_bw = o->bytes_per_s;
		g->op[i].bytes += o->bytes;
	}
}

/* All that was moved, over the longest run; one entry is its group. */
static void set_aggregates(struct iobi_fiov *v)
{
	for (size_t k = 0; k < v->n_groups; k++)
		for (int i = 0; i < IOBI_FIOV_SYNC; i++)
			if (v->group[k].op[i].max_run_ms)
				v->group[k].op[i].agg = (double)v->group[k].op[i].bytes * 1e3 /
							(double)v->group[k].op[i].max_run_ms;
	for (size_t k = 0; k < v->n_jobs; k++)
		for (int i = 0; i < IOBI_FIOV_SYNC; i++) {
			struct iobi_fiov_op *o = &v->job[k].op[i];
			double agg = v->group[v->job[k].group].op[i].agg / 1024;
			double share = agg > 0 ? o->bw.mean * 100 / agg : 0;
			o->agg = share > 100 ? 100 : share;
		}
}

static void set_window(struct iobi_fiov *v, const struct iobi_fiov_job *j)
{
	if (j->started_ns && (!v->started_ns || j->started_ns < v->started_ns))
		v->started_ns = j->started_ns;
	if (j->ended_ns > v->ended_ns)
		v->ended_ns = j->ended_ns;
}

int iobi_fiov_open(struct iobi_fiov *v, const struct iob_result *r)
{
	struct walk k = { .v = v };
	*v = (struct iobi_fiov){ 0 };
	int rc = walk_down(&k, r);
	for (size_t i = 0; i < v->n_jobs && !rc; i++) {
		rc = iobi_fiov_options(v, &v->job[i]);
		rc = rc ? rc : iobi_fiov_numbers(&v->job[i]);
		if (rc)
			break;
		sum_group(v, &v->job[i]);
		set_window(v, &v->job[i]);
	}
	if (!rc)
		set_aggregates(v);
	rc = rc ? rc : iobi_fiov_disks(v, r);
	if (rc)
		iobi_fiov_close(v);
	return rc;
}

static void close_job(struct iobi_fiov_job *j)
{
	for (int i = 0; i < IOBI_FIOV_OPS; i++) {
		iob_hist_free(j->op[i].slat.hist);
		iob_hist_free(j->op[i].lat.hist);
	}
	iobi_pairs_clear(&j->options);
	free(j->description);
	free(j->member);
}

void iobi_fiov_close(struct iobi_fiov *v)
{
	for (size_t i = 0; i < v->n_jobs; i++)
		close_job(&v->job[i]);
	iobi_pairs_clear(&v->global);
	free(v->job);
	free(v->group);
	free(v->disk);
	*v = (struct iobi_fiov){ 0 };
}
