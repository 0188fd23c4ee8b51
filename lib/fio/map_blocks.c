/* SPDX-License-Identifier: MIT */
/* bs, bsrange, bssplit and ba: reads, writes and trims each have their own. */
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

/* Blocks of one direction, as text for block_size; least and most of them. */
struct blocks {
	char text[IOBI_MIX_MAX * (IOBI_NUMBER + 8)];
	int64_t least, most;
};

static int set_size(const struct iobi_fio_map *m, int key, struct blocks *b, int64_t low,
		    int64_t high)
{
	if (low < 1)
		return iobi_fio_wrong(m, ERANGE, key, "a block has 1 byte or more");
	if (high > INT64_C(1) << 30)
		return iobi_fio_wrong(m, ENOTSUP, key, "not supported: blocks over 1g");
	high -= high % low; /* what fio draws are multiples of the lower end */
	b->least = low;
	b->most = high;
	if (low == high)
		snprintf(b->text, sizeof(b->text), "%" PRId64, low);
	else
		snprintf(b->text, sizeof(b->text), "%" PRId64 "-%" PRId64, low, high);
	return 0;
}

static int read_bs(const struct iobi_fio_map *m, struct blocks b[3])
{
	const char *text = iobi_fio_text(m, IOBI_FIO_BS);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_BS);
	int64_t size[3] = { 4096, 4096, 4096 };
	int rc = text ? iobi_fio_sizes(&at, text, size) : 0;
	for (int i = 0; !rc && i < 3; i++)
		rc = set_size(m, IOBI_FIO_BS, &b[i], size[i], size[i]);
	return rc;
}

/* The part of a text for direction i; one that is not there is as the last. */
static const char *part_of(const char *text, int i, size_t *len)
{
	for (; i && strchr(text, ','); i--)
		text = strchr(text, ',') + 1;
	*len = strcspn(text, ",");
	return text;
}

static int read_range(const struct iobi_fio_map *m, struct blocks b[3])
{
	const char *text = iobi_fio_text(m, IOBI_FIO_BSRANGE);
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_BSRANGE);
	for (int i = 0; text && i < 3; i++) {
		int64_t low = 0, high = 0;
		size_t len;
		const char *part = part_of(text, i, &len);
		if (!len)
			continue;
		int rc = iobi_fio_range(&at, part, len, &low, &high);
		rc = rc ? rc : set_size(m, IOBI_FIO_BSRANGE, &b[i], low, high);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- bssplit: "4k/60:64k/40"; a blank share is an equal part of the rest ---- */

struct split {
	unsigned n, blank;
	int64_t size[IOBI_MIX_MAX], percent[IOBI_MIX_MAX], sum;
};

static int wrong_split(const struct iobi_fio_map *m, const char *what)
{
	return iobi_fio_wrong(m, EINVAL, IOBI_FIO_BSSPLIT, "\"%s\": %s",
			      IOBI_QUOTE(iobi_fio_text(m, IOBI_FIO_BSSPLIT)), what);
}

static int add_part(const struct iobi_fio_map *m, struct split *s, const char *part, size_t len)
{
	struct iobi_fio_at at = iobi_fio_at(m, IOBI_FIO_BSSPLIT);
	size_t first = 0;
	int64_t size = 0, percent = -1;
	while (first < len && part[first] != '/')
		first++;
	int rc = iobi_fio_size(&at, part, first, &size);
	if (!rc && len > first + 1)
		rc = iobi_fio_int(&at, part + first + 1, len - first - 1, &percent);
	if (rc)
		return rc;
	if (percent == 0)
		return 0;
	if (percent > 100)
		return wrong_split(m, "a percent is above 100");
	if (s->n == IOBI_MIX_MAX)
		return wrong_split(m, "there are more than 16 sizes");
	s->blank += percent < 0;
	s->sum += percent > 0 ? percent : 0;
	s->size[s->n] = size;
	s->percent[s->n++] = percent;
	return 0;
}

static int share_rest(const struct iobi_fio_map *m, struct split *s)
{
	int64_t rest = 100 - s->sum;
	if (rest < 0 || (!s->blank && rest) || (s->blank && rest < s->blank))
		return wrong_split(m, "the percents must add up to 100");
	for (unsigned i = 0; i < s->n; i++)
		if (s->percent[i] < 0) {
			s->percent[i] = rest / s->blank;
			rest -= s->percent[i];
			s->blank--;
		}
	return 0;
}

/* The same size twice is one of both shares. */
static void join_alike(struct split *s)
{
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = i + 1; k < s->n; k++) {
			if (s->size[k] != s->size[i])
				continue;
			s->percent[i] += s->percent[k];
			s->n--;
			s->size[k] = s->size[s->n];
			s->percent[k] = s->percent[s->n];
			k--;
		}
}

static int set_split(const struct iobi_fio_map *m, const struct split *s, struct blocks *b)
{
	size_t len = 0;
	if (s->n == 1)
		return set_size(m, IOBI_FIO_BSSPLIT, b, s->size[0], s->size[0]);
	b->least = INT64_MAX;
	b->most = 0;
	for (unsigned i = 0; i < s->n; i++) {
		if (s->size[i] < 1 || s->size[i] > INT64_C(1) << 30)
			return wrong_split(m, "a block is 1 byte to 1g");
		b->least = s->size[i] < b->least ? s->size[i] : b->least;
		b->most = s->size[i] > b->most ? s->size[i] : b->most;
		len += (size_t)snprintf(b->text + len, sizeof(b->text) - len,
					"%s%" PRId64 ":%" PRId64, i ? "," : "", s->size[i],
					s->percent[i]);
	}
	return s->n ? 0 : wrong_split(m, "there is no size");
}

static int read_split(const struct iobi_fio_map *m, struct blocks b[3])
{
	const char *text = iobi_fio_text(m, IOBI_FIO_BSSPLIT);
	for (int i = 0; text && i < 3; i++) {
		struct split s = { 0 };
		size_t len, at = 0;
		const char *part = part_of(text, i, &len);
		int rc = 0;
		while (!rc && at < len) {
			size_t one = strcspn(part + at, ":,");
			rc = add_part(m, &s, part + at, one);
			at += one + 1;
		}
		rc = rc || !len ? rc : share_rest(m, &s);
		join_alike(&s);
		rc = rc || !len ? rc : set_split(m, &s, &b[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static int set_blocks(struct iobi_fio_map *m, const struct blocks b[3])
{
	const struct blocks *write = &b[m->trims ? TRIMS : WRITES];
	const struct blocks *read = m->reads ? &b[READS] : write;
	m->least = read->least;
	m->most = read->most;
	if ((m->writes || m->trims) && write->least < m->least)
		m->least = write->least;
	if ((m->writes || m->trims) && write->most > m->most)
		m->most = write->most;
	int rc = iobi_fio_set_str(m, m->w, IOBI_FIO_BS, IOB_PARAM_BLOCK_SIZE, read->text);
	if (rc || !m->writes || !strcmp(read->text, write->text))
		return rc;
	return iobi_fio_set_str(m, m->w, IOBI_FIO_BS, IOB_PARAM_BLOCK_SIZE_WRITE, write->text);
}

static int map_align(struct iobi_fio_map *m)
{
	int64_t align = 0;
	int rc = iobi_fio_get_int(m, IOBI_FIO_BA, &align);
	if (rc || !m->random || !align || (align == m->least && align == m->most))
		return rc;
	return iobi_fio_set_int(m, m->w, IOBI_FIO_BA, IOB_PARAM_ALIGN, align);
}

int iobi_fio_map_blocks(struct iobi_fio_map *m)
{
	struct blocks b[3];
	if (iobi_fio_on(m, IOBI_FIO_BS_IS_SEQ_RAND, false))
		return iobi_fio_wrong(m, ENOTSUP, IOBI_FIO_BS_IS_SEQ_RAND,
				      "not supported: bs_is_seq_rand=1");
	int rc = read_bs(m, b);
	rc = rc ? rc : read_range(m, b);
	rc = rc ? rc : read_split(m, b);
	rc = rc ? rc : set_blocks(m, b);
	return rc ? rc : map_align(m);
}
