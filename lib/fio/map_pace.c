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

/* A bare number is microseconds. */
static int read_pause(struct iobi_fio_map *m, int64_t *ns)
{
	const char *text = iobi_fio_text(m, IOBI_FIO_THINKTIME);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_THINKTIME);
	*ns = 0;
	if (!text)
		return 0;
	int rc = iobi_fio_time(&at, text, strlen(text), ns);
	if (!rc && !text[strspn(text, "0123456789.")])
		*ns /= 1000000;
	return rc;
}

static int map_think(struct iobi_fio_map *m, bool paced)
{
	int64_t ns, blocks = 1, depth = 1;
	char text[IOBI_NUMBER];
	int rc = read_pause(m, &ns);
	rc = rc ? rc : iobi_fio_get_int(m, IOBI_FIO_THINKTIME_BLOCKS, &blocks);
	if (rc || !ns)
		return rc;
	if (blocks > 1)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_THINKTIME_BLOCKS,
				      "not supported: thinktime_blocks=%" PRId64 "; only 1",
				      blocks);
	if (paced)
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_THINKTIME,
				      "not supported: thinktime together with a rate");
	iob_workload_get_int(m->w, IOB_PARAM_QUEUE_DEPTH, &depth);
	if (depth > 1)
		rc = iobi_fio_map_note(
			m, IOBI_FIO_THINKTIME,
			"thinktime is a pause of each I/O of the queue by itself (fio waits "
			"for all of them first)");
	snprintf(text, sizeof(text), "%" PRId64 "ns", ns);
	return rc ? rc : iobi_fio_set_str(m, m->w, IOBI_FIO_THINKTIME, IOB_PARAM_THINK_TIME, text);
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
