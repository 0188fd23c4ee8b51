/* SPDX-License-Identifier: MIT */
/* Recorded results, from files or stdin. */
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct content {
	char *data;
	size_t len, room;
};

static bool read_all(FILE *in, struct content *c)
{
	for (;;) {
		if (c->len == c->room) {
			c->room = c->room ? 2 * c->room : 1 << 16;
			char *more = realloc(c->data, c->room);
			if (!more)
				return false;
			c->data = more;
		}
		size_t n = fread(c->data + c->len, 1, c->room - c->len, in);
		c->len += n;
		if (!n)
			return !ferror(in);
	}
}

struct iob_result *read_result(const char *path, const char *from)
{
	bool standard = !strcmp(path, "-");
	FILE *in = standard ? stdin : fopen(path, "rb");
	struct content c = { 0 };
	struct iob_error err = { 0 };
	struct iob_result *r = NULL;

	if (!in || !read_all(in, &c))
		complain("cannot read %s: %s", path, strerror(errno));
	else
		r = iob_result_read(c.data, c.len, from, &err);
	if (!r && err.code)
		complain("%s: %s", path, err.message);
	if (in && !standard)
		fclose(in);
	free(c.data);
	return r;
}

bool any_invalid(const struct iob_result *r)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		if (iob_result_finding(r, i)->severity == IOB_SEVERITY_INVALID)
			return true;
	return false;
}
