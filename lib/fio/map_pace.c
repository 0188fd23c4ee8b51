/* SPDX-License-Identifier: MIT */
/* rate, rate_iops and thinktime: when I/Os start. */
#include "fio/map.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	READS,
	WRITES,
	TRIMS
};

/* "500", or "500,200" for reads and writes. */
static int map_rate(struct iobi_fio_map *m, int key, enum iob_param p, enum iob_param p_write,
		    bool *given)
{
	struct iobi_fio_at at = iobi_fio_at(m, key);
	int64_t rate[3] = { 0 };
	const char *text = iobi_fio_text(m, key);
	int rc = text ? iobi_fio_sizes(&at, text, rate) : 0;
	int64_t one = rate[m->reads ? READS : m->trims ? TRIMS : WRITES];
	if (rc || !text)
		return rc;
	if (m->reads && m->writes && !one != !rate[WRITES])
		return iobi_fio_wrong(
			m, ENOTSUP, key,
			"not supported: a rate for reads or writes alone where a job does "
			"both");
	*given |= one > 0;
	rc = iobi_fio_set_int(m, m->w, key, p, one);
	if (rc || !m->reads || !m->writes)
		return rc;
	return iobi_fio_set_int(m, m->w, key, p_write, rate[WRITES]);
}

static int map_arrival(struct iobi_fio_map *m)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_RATE_PROCESS);
	if (text && strcmp(text, "linear") != 0 && strcmp(text, "poisson") != 0)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_RATE_PROCESS,
				      "\"%s\" is neither linear nor poisson", IOBI_QUOTE(text));
	return iobi_fio_set_str(m, m->w, IOBI_FIO_RATE_PROCESS, IOB_PARAM_ARRIVAL,
				text && *text == 'p' ? "poisson" : "fixed");
}

/* ---- pauses ---- */

/* A bare number is microseconds. */
static int read_pause(struct iobi_fio_map *m, int key, int64_t *ns)
{
	const char *text = iobi_fio_text(m, key);
	struct iobi_fio_at at = iobi_fio_at(m, key);
	*ns = 0;
	if (!text)
		return 0;
	int rc = iobi_fio_time(&at, text, strlen(text), ns);
	if (!rc && !text[strspn(text, "0123456789.")])
		*ns /= 1000000;
	return rc;
}

struct think {
	int64_t time_ns, spin_ns, after_ns, ios; /* ios 0: not counted */
};

static int read_think(struct iobi_fio_map *m, struct think *t)
{
	int rc = read_pause(m, IOBI_FIO_THINKTIME, &t->time_ns);
	rc = rc ? rc : read_pause(m, IOBI_FIO_THINKTIME_SPIN, &t->spin_ns);
	rc = rc ? rc : read_pause(m, IOBI_FIO_THINKTIME_IOTIME, &t->after_ns);
	t->ios = t->after_ns ? 0 : 1;
	rc = rc ? rc : iobi_fio_get_int(m, IOBI_FIO_THINKTIME_BLOCKS, &t->ios);
	if (!rc && iobi_fio_text(m, IOBI_FIO_THINKTIME_BLOCKS) && t->ios < 1)
		t->ios = 1;
	if (t->time_ns && t->spin_ns > t->time_ns) /* as in fio */
		t->time_ns = t->spin_ns;
	return rc;
}

/* fio counts what is done, and waits for what is still in flight on top. */
static int judge_count(struct iobi_fio_map *m)
{
	const char *type = iobi_fio_text(m, IOBI_FIO_THINKTIME_BLOCKS_TYPE);
	if (type && strcmp(type, "complete") != 0 && strcmp(type, "issue") != 0)
		return iobi_fio_wrong(m, EINVAL, IOBI_FIO_THINKTIME_BLOCKS_TYPE,
				      "\"%s\" is neither complete nor issue", IOBI_QUOTE(type));
	if (m->depth < 2 || (type && *type == 'i'))
		return 0;
	return iobi_fio_map_note(m, IOBI_FIO_THINKTIME,
				 "thinktime_blocks counts I/Os as they start, as with "
				 "thinktime_blocks_type=issue (fio counts their ends, and what is "
				 "in flight then comes on top)");
}

static int set_time(struct iobi_fio_map *m, int key, enum iob_param p, int64_t ns)
{
	char text[IOBI_NUMBER];
	snprintf(text, sizeof(text), "%" PRId64 "ns", ns);
	return ns ? iobi_fio_set_str(m, m->w, key, p, text) : 0;
}

/* One I/O at a time and a pause after each is what a slot does by itself. */
static int map_think(struct iobi_fio_map *m, bool paced)
{
	struct think t = { 0 };
	int rc = read_think(m, &t);
	if (rc || !t.time_ns)
		return rc;
	if (t.ios)
		rc = judge_count(m);
	if (t.ios == 1 && m->depth == 1 && !paced && !t.spin_ns && !t.after_ns)
		t.ios = 0;
	rc = rc ? rc : set_time(m, IOBI_FIO_THINKTIME, IOB_PARAM_THINK_TIME, t.time_ns);
	rc = rc ? rc : set_time(m, IOBI_FIO_THINKTIME_SPIN, IOB_PARAM_THINK_SPIN, t.spin_ns);
	rc = rc ? rc : set_time(m, IOBI_FIO_THINKTIME_IOTIME, IOB_PARAM_THINK_AFTER, t.after_ns);
	return rc ? rc
		  : iobi_fio_set_int(m, m->w, IOBI_FIO_THINKTIME_BLOCKS, IOB_PARAM_THINK_IOS,
				     t.ios);
}

int iobi_fio_map_pace(struct iobi_fio_map *m)
{
	bool paced = false;
	int rc = map_rate(m, IOBI_FIO_RATE, IOB_PARAM_RATE_BYTES, IOB_PARAM_RATE_BYTES_WRITE,
			  &paced);
	rc = rc ? rc
		: map_rate(m, IOBI_FIO_RATE_IOPS, IOB_PARAM_RATE_IOPS, IOB_PARAM_RATE_IOPS_WRITE,
			   &paced);
	if (!rc && paced)
		rc = map_arrival(m);
	return rc ? rc : map_think(m, paced);
}
