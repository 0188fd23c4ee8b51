/* SPDX-License-Identifier: MIT */
/* The tests of the SNIA Performance Test Specification, as suites. */
#include "run/plan.h"
#include <errno.h>
#include <inttypes.h>
#include <iobench/pts.h>
#include <iobench/suite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t cell_runtime = INT64_C(60) * 1000000000;

/* A cell by mix and block; block NULL: any. */
struct cell {
	const char *mix, *block;
};

struct test {
	const char *name;
	enum iob_steady_metric metric;
	const char *pattern;
	bool one_at_a_time;
	const char *mixes, *blocks; /* slowest and fastest axis, as the specification loops */
	struct cell tracked[3];
};

static const struct test tests[] = {
	[IOB_PTS_IOPS] = { "iops",
			   IOB_STEADY_IOPS,
			   "random",
			   false,
			   "100,95,65,50,35,5,0",
			   "1m,128k,64k,32k,16k,8k,4k,512",
			   { { "0", "4k" }, { "65", "64k" }, { "100", "1m" } } },
	[IOB_PTS_THROUGHPUT] = { "throughput",
				 IOB_STEADY_BANDWIDTH,
				 "sequential",
				 false,
				 "100,0",
				 "1m",
				 { { "0", NULL } } },
	[IOB_PTS_LATENCY] = { "latency",
			      IOB_STEADY_LATENCY,
			      "random",
			      true,
			      "100,65,0",
			      "8k,4k,512",
			      { { "0", "4k" } } },
};

static const struct test *find(enum iob_pts test)
{
	return (unsigned)test < IOBI_LEN(tests) ? &tests[test] : NULL;
}

const char *iob_pts_name(enum iob_pts test)
{
	return find(test) ? find(test)->name : NULL;
}

enum iob_steady_metric iob_pts_metric(enum iob_pts test)
{
	return find(test) ? find(test)->metric : IOB_STEADY_IOPS;
}

/* What is being made. */
struct making {
	struct iob_suite *s;
	const struct test *test;
	const struct iob_pts_plan *plan;
	struct iob_workload *w;  /* of all cells */
	struct iobi_text blocks; /* their sizes */
	struct iob_error *err;
};

static int note(struct making *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int note(struct making *m, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return iob_suite_add_note(m->s, text, m->err);
}

/* ---- block sizes ---- */

/* What I/O must be a multiple of on all targets, and on which it must. */
static int alignment(struct making *m, uint32_t *align, const char **path)
{
	*align = 1;
	for (size_t i = 0; iobi_param(m->w, IOB_PARAM_DIRECT) && i < m->w->n_targets; i++) {
		struct iobi_target t;
		int rc = iobi_target_init(&t, m->w->target[i].path, m->w->target[i].flags, m->err);
		if (rc < 0)
			return rc;
		if (t.direct_align > *align) {
			*align = t.direct_align;
			*path = m->w->target[i].path;
		}
		iobi_target_free(&t);
	}
	return 0;
}

static int leave_out(struct making *m, const char *block, uint32_t align, const char *path)
{
	char text[64];
	iobi_format_size(text, sizeof(text), align);
	return note(m, "left out: blocks of %s, as \"%.200s\" needs multiples of %s", block, path,
		    text);
}

/* The test's own, but for those that a target cannot do. */
static int own_blocks(struct making *m)
{
	char list[128], *rest = list, *block;
	const char *path = "";
	uint32_t align;
	int64_t bytes;
	int rc = alignment(m, &align, &path);
	snprintf(list, sizeof(list), "%s", m->test->blocks);
	while (rc >= 0 && (block = strsep(&rest, ","))) {
		rc = iobi_parse_size(block, "block_size", &bytes, m->err);
		if (rc >= 0 && bytes % align)
			rc = leave_out(m, block, align, path);
		else if (rc >= 0)
			iobi_text_printf(&m->blocks, "%s%s", m->blocks.len ? "," : "", block);
	}
	return rc < 0 ? rc : m->blocks.failed ? iobi_no_memory(m->err) : 0;
}

static int choose_blocks(struct making *m)
{
	const char *given = m->plan->block_sizes;
	if (!given)
		return own_blocks(m);
	iobi_text_add(&m->blocks, given);
	if (m->blocks.failed)
		return iobi_no_memory(m->err);
	return note(m, "scaled down: blocks of %.100s (the specification has %s)", given,
		    m->test->blocks);
}

/* ---- cells ---- */

static int set_base(struct making *m)
{
	static const struct {
		enum iob_param param;
		const char *value;
	} none[] = { { IOB_PARAM_BLOCK_SIZE_WRITE, "" },
		     { IOB_PARAM_TRIM_PERCENT, "0" },
		     { IOB_PARAM_NAME, "" } };
	int rc = iob_workload_set_str(m->w, IOB_PARAM_PATTERN, m->test->pattern, m->err);
	for (size_t i = 0; i < IOBI_LEN(none) && rc >= 0; i++)
		rc = iob_workload_set_str(m->w, none[i].param, none[i].value, m->err);
	if (rc >= 0 && m->test->one_at_a_time) {
		rc = iob_workload_set_int(m->w, IOB_PARAM_WORKERS, 1, m->err);
		rc = rc < 0 ? rc : iob_workload_set_int(m->w, IOB_PARAM_QUEUE_DEPTH, 1, m->err);
	}
	return rc;
}

static bool is_tracked(const struct test *t, const struct iob_workload *w)
{
	char mix[32];
	iob_workload_get(w, "read_percent", mix, sizeof(mix));
	const char *block = iob_workload_get_str(w, IOB_PARAM_BLOCK_SIZE);
	for (size_t i = 0; i < IOBI_LEN(t->tracked) && t->tracked[i].mix; i++)
		if (!strcmp(t->tracked[i].mix, mix) &&
		    (!t->tracked[i].block || !strcmp(t->tracked[i].block, block)))
			return true;
	return false;
}

static int track(struct making *m, size_t from)
{
	unsigned wanted = 0, n = 0;
	for (size_t i = from; i < iob_suite_stage_count(m->s); i++)
		if (is_tracked(m->test, iob_suite_workload(m->s, i, 0))) {
			int rc = iob_suite_track(m->s, i, m->err);
			if (rc < 0)
				return rc;
			n++;
		}
	while (wanted < IOBI_LEN(m->test->tracked) && m->test->tracked[wanted].mix)
		wanted++;
	if (!n)
		return iobi_fail(m->err, EINVAL, "block_sizes",
				 "\"%.100s\" has none of the cells that are tracked; the %s test "
				 "tracks 4k%s",
				 m->blocks.data, m->test->name,
				 m->test->metric == IOB_STEADY_IOPS ? ", 64k and 1m" : "");
	return n < wanted ? note(m, "tracked: %u of the %u cells of the specification", n, wanted)
			  : 0;
}

static int add_cells(struct making *m)
{
	size_t from = iob_suite_stage_count(m->s);
	const struct iob_axis axes[] = { { "read_percent", m->test->mixes },
					 { "block_size", m->blocks.data } };
	int rc = iob_suite_begin_rounds(m->s, m->err);
	rc = rc < 0 ? rc : iob_suite_add_matrix(m->s, m->w, axes, IOBI_LEN(axes), m->err);
	return rc < 0 ? rc : track(m, from);
}

/* ---- what is said of it ---- */

static int note_scale(struct making *m)
{
	int64_t runtime = iobi_param(m->w, IOB_PARAM_RUNTIME);
	int64_t size = iobi_param(m->w, IOB_PARAM_SIZE);
	char text[64];
	int rc = 0;
	if (runtime != cell_runtime) {
		iobi_format_time(text, sizeof(text), runtime);
		rc = note(m, "scaled down: %s a cell (the specification has 60s)", text);
	}
	if (rc >= 0 && size) {
		iobi_format_size(text, sizeof(text), size);
		rc = note(m, "scaled down: a region of %s (the specification has the whole device)",
			  text);
	}
	return rc;
}

static int note_head(struct making *m)
{
	const char *purge = m->plan->purge;
	int rc = note(m, "SNIA PTS %s test", m->test->name);
	if (rc >= 0)
		rc = note(m, "purge: %.300s", purge && *purge ? purge : "not done by iobench");
	return rc < 0 ? rc
		      : note(m, "precondition: %s",
			     m->plan->no_precondition
				     ? "not done by iobench"
				     : "128 KiB sequential writes, twice the region");
}

static int make(struct making *m, const struct iob_workload *base)
{
	int rc = note_head(m);
	if (rc >= 0 && !m->plan->no_precondition)
		rc = iob_suite_add_precondition(m->s, base, m->err);
	rc = rc < 0 ? rc : set_base(m);
	rc = rc < 0 ? rc : choose_blocks(m);
	rc = rc < 0 ? rc : note_scale(m);
	return rc < 0 ? rc : add_cells(m);
}

int iob_suite_add_pts(struct iob_suite *s, const struct iob_workload *base,
		      const struct iob_pts_plan *plan, struct iob_error *err)
{
	struct iob_pts_plan own;
	struct making m = { .s = s, .plan = &own, .err = err };
	if (!s || !base || !plan)
		return iobi_is_null(err, !s ? "suite" : !base ? "workload" : "plan");
	int rc = IOBI_TAKE(struct iob_pts_plan, purge, &own, plan, "plan", err);
	if (rc)
		return rc;
	m.test = find(own.test);
	if (!m.test)
		return iobi_fail(err, EINVAL, "test",
				 "%d is none; there are iops, throughput and latency",
				 (int)own.test);
	m.w = iob_workload_copy(base, err);
	rc = m.w ? make(&m, base) : -ENOMEM;
	iob_workload_free(m.w);
	iobi_text_free(&m.blocks);
	return rc < 0 ? rc : 0;
}
