/* SPDX-License-Identifier: MIT */
/* ${ENV}, $pagesize and its like, and arithmetic in numbers. */
#include "fio/fio_priv.h"
#include "workload/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t pages_mb(void)
{
	return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20;
}

/* "${NAME}" at *text: its value, or an error where it is not set. */
static int add_environment(struct iobi_fio *f, struct iobi_text *t, const char **text,
			   const char *where, struct iobi_fio_place at)
{
	const char *name = *text + 2;
	size_t len = strcspn(name, "}");
	if (!name[len] || !len)
		return iobi_fio_fail(f, EINVAL, where, at, "\"%s\" has no closing }",
				     IOBI_QUOTE(*text));
	const char *kept = iobi_fio_keep(f, name, len);
	if (!kept)
		return -ENOMEM;
	const char *value = getenv(kept);
	if (!value)
		return iobi_fio_fail(
			f, ENOENT, where, at,
			"${%s}: there is no such environment variable (fio takes it as "
			"empty)",
			IOBI_QUOTE(kept));
	iobi_text_add(t, value);
	*text = name + len + 1;
	return 0;
}

static int add_keyword(struct iobi_text *t, const char **text)
{
	static const char *const names[] = { "$pagesize", "$mb_memory", "$ncpus" };
	for (size_t i = 0; i < IOBI_LEN(names); i++) {
		size_t len = strlen(names[i]);
		if (strncmp(*text, names[i], len))
			continue;
		int64_t value = i == 0   ? sysconf(_SC_PAGESIZE)
				: i == 1 ? pages_mb()
					 : sysconf(_SC_NPROCESSORS_ONLN);
		iobi_text_printf(t, "%" PRId64, value);
		*text += len;
		return 1;
	}
	return 0;
}

static int expand(struct iobi_fio *f, struct iobi_text *t, const char *text, const char *where,
		  struct iobi_fio_place at)
{
	while (*text) {
		size_t plain = strcspn(text, "$");
		iobi_text_add_n(t, text, plain);
		text += plain;
		if (!*text)
			break;
		if (text[1] == '{') {
			int rc = add_environment(f, t, &text, where, at);
			if (rc)
				return rc;
		} else if (!add_keyword(t, &text)) {
			iobi_text_add_n(t, text++, 1);
		}
	}
	return t->failed ? iobi_no_memory(f->err) : 0;
}

const char *iobi_fio_expand(struct iobi_fio *f, const char *text, const char *where,
			    struct iobi_fio_place at)
{
	struct iobi_text t = { 0 };
	const char *kept = NULL;
	if (!strchr(text, '$'))
		return iobi_fio_keep(f, text, strlen(text));
	if (!expand(f, &t, text, where, at))
		kept = iobi_fio_keep(f, t.data ? t.data : "", t.len);
	iobi_text_free(&t);
	return kept;
}

/* ---- arithmetic: + - * / and parentheses over whole numbers ---- */

enum {
	IOBI_DEEPEST = 32
};

struct sum {
	struct iobi_fio_at at;
	const char *text; /* what is left of it */
	int depth;
	bool wrong; /* no such expression */
	bool reported;
};

static int64_t add_up(struct sum *s);

static void skip_blanks(struct sum *s)
{
	s->text += strspn(s->text, " \t");
}

static int64_t give_up(struct sum *s)
{
	s->wrong = true;
	return 0;
}

static int64_t operand(struct sum *s)
{
	int64_t value = 0;
	skip_blanks(s);
	if (*s->text == '(' && s->depth < IOBI_DEEPEST) {
		s->depth++;
		s->text++;
		value = add_up(s);
		skip_blanks(s);
		if (*s->text++ != ')')
			return s->text--, give_up(s);
		s->depth--;
		return value;
	}
	size_t len = strcspn(s->text, "+-*/() \t");
	if (!len)
		return give_up(s);
	s->reported = iobi_fio_size(&s->at, s->text, len, &value) < 0;
	s->text += len;
	return s->reported ? give_up(s) : value;
}

static int64_t multiply(struct sum *s)
{
	int64_t value = operand(s);
	for (skip_blanks(s); !s->wrong && (*s->text == '*' || *s->text == '/'); skip_blanks(s)) {
		char op = *s->text++;
		int64_t with = operand(s);
		if (s->wrong || (op == '/' && !with))
			return give_up(s);
		if (op == '/')
			value /= with;
		else if (__builtin_mul_overflow(value, with, &value))
			return give_up(s);
	}
	return value;
}

static int64_t add_up(struct sum *s)
{
	int64_t value = multiply(s);
	for (skip_blanks(s); !s->wrong && (*s->text == '+' || *s->text == '-'); skip_blanks(s)) {
		char op = *s->text++;
		int64_t with = multiply(s);
		if (s->wrong || (op == '+' ? __builtin_add_overflow(value, with, &value)
					   : __builtin_sub_overflow(value, with, &value)))
			return give_up(s);
	}
	return value;
}

/* A sign alone is none: "-1" is a number that is wrong, not a sum. */
static bool is_sum(const char *text)
{
	return *text && strpbrk(text + 1, "+*/(") != NULL;
}

const char *iobi_fio_calculate(struct iobi_fio *f, const char *text, const char *where,
			       struct iobi_fio_place at)
{
	struct sum s = { .at = { f, where, at, 1024 }, .text = text };
	char number[IOBI_NUMBER];
	if (*text != '(' && !is_sum(text) && !strpbrk(text, "-"))
		return text;
	if (*text == '-')
		return text;
	int64_t value = add_up(&s);
	if (s.reported)
		return NULL;
	if (s.wrong || *s.text || value < 0) {
		iobi_fio_fail(f, EINVAL, where, at,
			      "\"%s\" is neither a number nor a sum of whole numbers above 0, as "
			      "2*4k",
			      IOBI_QUOTE(text));
		return NULL;
	}
	snprintf(number, sizeof(number), "%" PRId64, value);
	return iobi_fio_keep(f, number, strlen(number));
}
