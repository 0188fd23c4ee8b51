/* SPDX-License-Identifier: MIT */
#include "result/json_in.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *iobi_json_load(struct iobi_json_in *in)
{
	json_error_t e;
	json_t *v = json_loadb(in->data, in->len, in->duplicates ? 0 : JSON_REJECT_DUPLICATES, &e);
	if (v)
		return v;
	if (!*e.text || json_error_code(&e) == json_error_out_of_memory) {
		iobi_no_memory(in->err); /* for which jansson mostly has no words */
		return NULL;
	}
	int line = (int)in->lines_before + (e.line > 0 ? e.line : 1);
	iobi_fail(in->err, EINVAL, "json", "not a JSON report: line %d column %d: %s", line,
		  e.column, e.text);
	if (in->err)
		in->err->line = line;
	return NULL;
}

/* jansson keeps no positions, so the place of a fault is looked up in the text,
 * which is JSON by then, or what jansson takes for it: a NUL after a number. */
struct scan {
	const char *p, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->p < s->end && strchr(" \t\r\n,:", *s->p) && *s->p)
		s->p++;
}

static void skip_string(struct scan *s)
{
	for (s->p++; s->p < s->end && *s->p != '"'; s->p++)
		if (*s->p == '\\')
			s->p++;
	s->p = s->p < s->end ? s->p + 1 : s->end;
}

static void skip_value(struct scan *s)
{
	int depth = 0;
	while (s->p < s->end) {
		char c = *s->p;
		if (c == '"') {
			skip_string(s);
		} else {
			depth += (c == '{' || c == '[') - (c == '}' || c == ']');
			s->p++;
		}
		if (!depth &&
		    (c == '}' || c == ']' || s->p >= s->end || strchr(",]} \t\r\n", *s->p)))
			return;
	}
}

static int at_end(const struct scan *s)
{
	return s->p >= s->end || *s->p == '}' || *s->p == ']';
}

/* From the '{' or '[' to the value; 0: it is not there. */
static int step_into(struct scan *s, const struct iobi_at *at)
{
	size_t n = at->key ? strlen(at->key) : 0, i = 0;

	for (s->p++, skip_blanks(s); !at_end(s); skip_blanks(s), i++) {
		const char *name = s->p;
		int found = !at->key && i == at->index;
		if (at->key) {
			skip_string(s);
			found = (size_t)(s->p - name) == n + 2 && !memcmp(name + 1, at->key, n);
			skip_blanks(s);
		}
		if (found)
			return 1;
		skip_value(s);
	}
	return 0;
}

static int find(struct scan *s, const struct iobi_at *at)
{
	if (!at->up) {
		skip_blanks(s);
		return 1;
	}
	if (!find(s, at->up))
		return 0;
	struct scan in = *s;
	if (!step_into(&in, at))
		return 0; /* missing: the place of what it is missing in */
	*s = in;
	return 1;
}

static int line_of(const struct iobi_at *at)
{
	struct scan s = { at->in->data, at->in->data + at->in->len };
	int line = (int)at->in->lines_before + 1;
	find(&s, at);
	for (const char *p = at->in->data; p < s.p; p++)
		line += *p == '\n';
	return line;
}

static void add_path(struct iobi_text *t, const struct iobi_at *at)
{
	if (!at->up)
		return;
	add_path(t, at->up);
	if (at->key)
		iobi_text_printf(t, "%s%.80s", t->len ? "." : "", at->key);
	else
		iobi_text_printf(t, "[%zu]", at->index);
}

int iobi_json_bad(const struct iobi_at *at, const char *fmt, ...)
{
	struct iobi_text path = { 0 };
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	add_path(&path, at);
	int rc = iobi_fail(at->in->err, EINVAL, "json", "%.250s: %s",
			   path.len ? path.data : "the report", what);
	if (at->in->err)
		at->in->err->line = line_of(at);
	iobi_text_free(&path);
	return rc;
}

static const char *type_name(json_type type)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "text",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};
	return names[type];
}

int iobi_json_want(const struct iobi_at *at, const char *key, json_type type, struct iobi_at *out)
{
	*out = (struct iobi_at){ at->in, at, key, 0, json_object_get(at->v, key) };
	if (!out->v || json_is_null(out->v))
		return 0;
	if (json_typeof(out->v) != type)
		return iobi_json_bad(out, "is %s, must be %s", type_name(json_typeof(out->v)),
				     type_name(type));
	return 1;
}

int iobi_json_need(const struct iobi_at *at, const char *key, json_type type, struct iobi_at *out)
{
	int rc = iobi_json_want(at, key, type, out);
	if (rc)
		return rc < 0 ? rc : 0;
	return iobi_json_bad(out, "is %s, must be %s", out->v ? "null" : "missing",
			     type_name(type));
}

struct iobi_at iobi_json_element(const struct iobi_at *at, size_t i)
{
	return (struct iobi_at){ at->in, at, NULL, i, json_array_get(at->v, i) };
}

/* v = v * 10 + digit; 1: it does not fit 192 bits. */
static int push_digit(uint64_t v[3], char digit)
{
	iobi_u128 carry = (iobi_u128)(digit - '0');
	for (int i = 0; i < 3; i++) {
		carry += (iobi_u128)v[i] * 10;
		v[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return carry != 0;
}

static int parse_digits(const char *s, uint64_t v[3])
{
	memset(v, 0, 3 * sizeof(*v));
	if (!*s || s[strspn(s, "0123456789")])
		return -EINVAL;
	for (; *s; s++)
		if (push_digit(v, *s))
			return -ERANGE;
	return 0;
}

static int whole_number(const struct iobi_at *at, uint64_t v[3])
{
	if (json_is_integer(at->v) && json_integer_value(at->v) >= 0) {
		v[0] = (uint64_t)json_integer_value(at->v);
		v[1] = v[2] = 0;
		return 0;
	}
	int rc = json_is_string(at->v) ? parse_digits(json_string_value(at->v), v) : -EINVAL;
	if (!rc)
		return 0;
	if (rc == -ERANGE)
		return iobi_json_bad(at, "has too many digits");
	if (json_is_integer(at->v))
		return iobi_json_bad(at, "is %" JSON_INTEGER_FORMAT ", must be 0 or more",
				     json_integer_value(at->v));
	if (json_is_string(at->v))
		return iobi_json_bad(at, "is \"%.60s\", must be a whole number",
				     json_string_value(at->v));
	return iobi_json_bad(at, "is %s, must be a whole number",
			     !at->v                ? "missing"
			     : json_is_real(at->v) ? "a fraction"
						   : type_name(json_typeof(at->v)));
}

static int bounded(const struct iobi_at *at, uint64_t v[3], int limbs)
{
	int rc = whole_number(at, v);
	for (int i = limbs; i < 3 && !rc; i++)
		if (v[i])
			rc = iobi_json_bad(at, "is %.60s, must be less than 2^%d",
					   json_string_value(at->v), 64 * limbs);
	return rc;
}

int iobi_json_u64_value(const struct iobi_at *at, uint64_t *v)
{
	uint64_t limb[3];
	int rc = bounded(at, limb, 1);
	if (!rc)
		*v = limb[0];
	return rc;
}

static struct iobi_at member(const struct iobi_at *at, const char *key)
{
	return (struct iobi_at){ at->in, at, key, 0, json_object_get(at->v, key) };
}

int iobi_json_u64(const struct iobi_at *at, const char *key, uint64_t *v)
{
	struct iobi_at m = member(at, key);
	return iobi_json_u64_value(&m, v);
}

int iobi_json_u64_or_0(const struct iobi_at *at, const char *key, uint64_t *v)
{
	struct iobi_at m = member(at, key);
	*v = 0;
	return m.v && !json_is_null(m.v) ? iobi_json_u64_value(&m, v) : 0;
}

int iobi_json_u128(const struct iobi_at *at, const char *key, iobi_u128 *v)
{
	struct iobi_at m = member(at, key);
	uint64_t limb[3];
	int rc = bounded(&m, limb, 2);
	if (!rc)
		*v = (iobi_u128)limb[1] << 64 | limb[0];
	return rc;
}

int iobi_json_u192(const struct iobi_at *at, const char *key, uint64_t v[3])
{
	struct iobi_at m = member(at, key);
	return bounded(&m, v, 3);
}

/* ---- bytes ---- */

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

static int unhex(const struct iobi_at *at, char **out)
{
	const char *s = json_string_value(at->v);
	size_t n = strlen(s) / 2;
	char *to = malloc(n + 1);

	if (!to)
		return iobi_no_memory(at->in->err);
	*out = to;
	to[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(s[2 * i]), low = hex_digit(s[2 * i + 1]);
		if (high < 0 || low < 0 || !(high | low))
			return iobi_json_bad(at, "is no text in hex");
		to[i] = (char)(high << 4 | low);
	}
	return s[2 * n] ? iobi_json_bad(at, "has an odd number of digits") : 0;
}

int iobi_json_bytes(const struct iobi_at *at, const char *key, char **out)
{
	struct iobi_at text, hex;
	char name[32];
	int rc = iobi_json_need(at, key, JSON_STRING, &text);

	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%s_hex", key);
	rc = iobi_json_want(at, name, JSON_STRING, &hex);
	if (rc)
		return rc < 0 ? rc : unhex(&hex, out);
	*out = strdup(json_string_value(text.v));
	return *out ? 0 : iobi_no_memory(at->in->err);
}
