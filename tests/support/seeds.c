/* SPDX-License-Identifier: MIT */
#include "support/seeds.h"
#include "support/test.h"
#include <string.h>

char *seed_text(const char *name)
{
	const char *source = getenv("IOBENCH_SOURCE");
	char path[4096];
	snprintf(path, sizeof(path), "%s/tests/unit/seeds/%s", source ? source : ".", name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "no %s", path);
	char *text = calloc(1, 1 << 20);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, f), 0);
	fclose(f);
	return text;
}

struct iob_result *seed_read(const char *text, const char *format)
{
	struct iob_error err = { 0 };
	struct iob_result *r = iob_result_read(text, strlen(text), format, &err);
	ck_assert_msg(r != NULL, "%s", err.message);
	return r;
}

char *seed_replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "no \"%s\" in the seed", from);
	char *copy = malloc(strlen(text) + strlen(to) + 1);
	ck_assert_ptr_nonnull(copy);
	sprintf(copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return copy;
}

static int has(const struct iob_result *r, const char *code)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		if (!strcmp(iob_result_finding(r, i)->code, code))
			return 1;
	return 0;
}

const char *seed_rows(const struct iob_result *r, const char *code)
{
	static char rows[1024];
	size_t len = 0;
	rows[0] = '\0';
	for (size_t i = 0; i < iob_result_child_count(r); i++)
		if (has(iob_result_child(r, i), code))
			len += (size_t)snprintf(rows + len, sizeof(rows) - len, "%s%zu",
						len ? " " : "", i + 1);
	if (!len && has(r, code))
		strcpy(rows, "all");
	return rows;
}

void seed_exactly(const struct iob_result *r, const struct seed_expect *e, size_t n)
{
	const struct iob_finding_info *info;
	for (size_t i = 0; (info = iob_finding_info(i)); i++) {
		const char *want = "", *is = seed_rows(r, info->code);
		for (size_t k = 0; k < n; k++)
			if (!strcmp(e[k].code, info->code))
				want = e[k].rows;
		ck_assert_msg(!strcmp(is, want), "%s: rows \"%s\", not \"%s\"", info->code, is,
			      want);
	}
}

const struct iob_finding *seed_finding(const struct iob_result *r, const char *code)
{
	for (size_t i = 0; i < iob_result_finding_count(r); i++)
		if (!strcmp(iob_result_finding(r, i)->code, code))
			return iob_result_finding(r, i);
	return NULL;
}

double seed_number(const struct iob_finding *f, const char *name)
{
	for (size_t i = 0; f && i < f->n_evidence; i++)
		if (!strcmp(f->evidence[i].name, name))
			return f->evidence[i].value;
	ck_abort_msg("no evidence \"%s\"", name);
	return 0;
}
