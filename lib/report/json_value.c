/* SPDX-License-Identifier: MIT */
#include "report/json_value.h"
#include "base/base.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void iobi_json_put(json_t **to, const char *key, json_t *value)
{
	if (*to && value && json_object_set_new(*to, key, value) == 0)
		return;
	if (!*to)
		json_decref(value);
	json_decref(*to);
	*to = NULL;
}

void iobi_json_append(json_t **to, json_t *value)
{
	if (*to && value && json_array_append_new(*to, value) == 0)
		return;
	if (!*to)
		json_decref(value);
	json_decref(*to);
	*to = NULL;
}

static uint32_t smallest_of_length(size_t len)
{
	return len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
}

/* Bytes of the character at s; 0: it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : 4;
	if (len == 1)
		return 1;
	if (len == 4 && s[0] >> 3 != 30)
		return 0;
	uint32_t c = s[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	int surrogate = c >= 0xd800 && c <= 0xdfff;
	return c < smallest_of_length(len) || surrogate || c > 0x10ffff ? 0 : len;
}

static int is_utf8(const char *s)
{
	size_t n = 1;
	for (; *s && n; s += n)
		n = utf8_length((const unsigned char *)s);
	return n != 0;
}

static json_t *repaired(const char *s)
{
	struct iobi_text t = { 0 };
	for (size_t n; *s; s += n ? n : 1) {
		n = utf8_length((const unsigned char *)s);
		iobi_text_add_n(&t, n ? s : "\xef\xbf\xbd", n ? n : 3);
	}
	json_t *v = t.failed ? NULL : json_string(t.data);
	iobi_text_free(&t);
	return v;
}

json_t *iobi_json_text(const char *s)
{
	return is_utf8(s) ? json_string(s) : repaired(s);
}

static json_t *hex(const char *s)
{
	struct iobi_text t = { 0 };
	for (; *s; s++)
		iobi_text_printf(&t, "%02x", (unsigned)(unsigned char)*s);
	json_t *v = t.failed ? NULL : json_string(t.data);
	iobi_text_free(&t);
	return v;
}

void iobi_json_put_bytes(json_t **to, const char *key, const char *s)
{
	iobi_json_put(to, key, iobi_json_text(s));
	if (is_utf8(s))
		return;
	char name[32] = "";
	strncat(name, key, sizeof(name) - sizeof("_hex"));
	iobi_json_put(to, strcat(name, "_hex"), hex(s));
}

json_t *iobi_json_number(iobi_u128 v)
{
	char text[48];
	if (v <= INT64_MAX)
		return json_integer((json_int_t)v);
	return json_string(iobi_format_u128(text, sizeof(text), v));
}

json_t *iobi_json_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *iobi_json_flags(unsigned flags)
{
	json_t *v = json_array();
	for (size_t i = 0; iobi_flag_name(i); i++)
		if (flags & 1U << i)
			iobi_json_append(&v, json_string(iobi_flag_name(i)));
	return v;
}

/* Whether a text is the decimal form of an integer, with nothing left over. */
static int is_integer(const char *s, json_int_t *out)
{
	size_t digits = strspn(s, "0123456789");
	uint64_t v = 0;
	if (!digits || digits > 19 || s[digits] || (digits > 1 && *s == '0'))
		return 0;
	for (; *s; s++) /* 19 digits are less than 2^64 */
		v = 10 * v + (uint64_t)(*s - '0');
	*out = (json_int_t)v;
	return v <= INT64_MAX;
}

static json_t *integer_or_text(const char *s)
{
	json_int_t v;
	return is_integer(s, &v) ? json_integer(v) : iobi_json_text(s);
}

json_t *iobi_json_host(const struct iobi_pairs *host)
{
	static const char *const names[] = { "kernel", "cpu", "cores", "memory", "clocksource" };
	json_t *v = json_object();
	for (size_t i = 0; i < IOBI_LEN(names); i++)
		iobi_json_put(&v, names[i], json_null());
	for (size_t i = 0; i < host->n; i++) {
		const char *name = host->pair[i].name, *value = host->pair[i].value;
		int number = strcmp(name, "cores") == 0 || strcmp(name, "memory") == 0;
		if (strcmp(name, "version") != 0)
			iobi_json_put(&v, name,
				      number ? integer_or_text(value) : iobi_json_text(value));
	}
	return v;
}

/* Whole numbers and booleans as such, so that programs can compare them; what
 * has a unit stays the text that iob_workload_set takes. */
static json_t *param_value(const char *name, const char *text)
{
	const struct iob_param_info *info = iobi_param_find(name, NULL);
	if (info && info->type == IOB_TYPE_INT)
		return integer_or_text(text);
	if (info && info->type == IOB_TYPE_BOOL && strcmp(text, "true") == 0)
		return json_true();
	if (info && info->type == IOB_TYPE_BOOL && strcmp(text, "false") == 0)
		return json_false();
	return iobi_json_text(text);
}

json_t *iobi_json_params(const struct iobi_pairs *p)
{
	json_t *v = json_object();
	for (size_t i = 0; i < p->n; i++)
		iobi_json_put(&v, p->pair[i].name, param_value(p->pair[i].name, p->pair[i].value));
	return v;
}

json_t *iobi_json_targets(const struct iob_result *w)
{
	json_t *v = json_array();
	for (size_t i = 0; i < w->n_targets; i++) {
		const struct iob_target_use *t = &w->targets[i];
		json_t *o = json_object();
		iobi_json_put_bytes(&o, "path", t->path);
		iobi_json_put(&o, "target_bytes", iobi_json_number(t->target_bytes));
		iobi_json_put(&o, "ios", iobi_json_number(t->ios));
		iobi_json_put(&o, "bytes", iobi_json_number(t->bytes));
		iobi_json_put(&o, "errors", iobi_json_number(t->errors));
		iobi_json_append(&v, o);
	}
	return v;
}

json_t *iobi_json_pace(const struct iob_pace *p)
{
	json_t *v = json_object();
	iobi_json_put(&v, "asked_iops", iobi_json_real(p->asked_iops));
	iobi_json_put(&v, "starts", iobi_json_number(p->starts));
	iobi_json_put(&v, "late", iobi_json_number(p->late));
	iobi_json_put(&v, "dropped", iobi_json_number(p->dropped));
	iobi_json_put(&v, "unissued", iobi_json_number(p->unissued));
	iobi_json_put(&v, "worst_lag_ns", iobi_json_number(p->worst_lag_ns));
	iobi_json_put(&v, "mean_lag_ns", iobi_json_real(p->mean_lag_ns));
	return v;
}

/* "EIO" of "EIO (Input/output error)". */
static json_t *errno_name(int code)
{
	const char *text = iobi_errno_text(code);
	return json_stringn(text, strcspn(text, " "));
}

json_t *iobi_json_error(const struct iob_error *e)
{
	if (!e)
		return json_null();
	json_t *v = json_object();
	iobi_json_put(&v, "code", json_integer(e->code));
	iobi_json_put(&v, "name", errno_name(e->code));
	iobi_json_put(&v, "op", iobi_json_text(e->where));
	iobi_json_put_bytes(&v, "target", e->file);
	iobi_json_put(&v, "offset", iobi_json_number(e->offset));
	iobi_json_put(&v, "message", iobi_json_text(e->message));
	return v;
}

enum column {
	START,
	LENGTH,
	IOS,
	BYTES,
	MEAN,
	P50,
	P99,
	MAX,
	SUBMIT
};

static json_t *cell(const struct iob_interval *v, enum column c)
{
	switch (c) {
	case START:
		return iobi_json_number(v->start_ns);
	case LENGTH:
		return iobi_json_number(v->length_ns);
	case IOS:
		return iobi_json_number(v->ios);
	case BYTES:
		return iobi_json_number(v->bytes);
	case MEAN:
		return iobi_json_real(v->mean_ns);
	case P50:
		return iobi_json_number(v->p50_ns);
	case P99:
		return iobi_json_number(v->p99_ns);
	case MAX:
		return iobi_json_number(v->max_ns);
	default:
		return iobi_json_real(v->submit_mean_ns);
	}
}

static json_t *column(const struct iob_result *w, enum iob_op op, enum column c)
{
	json_t *v = json_array();
	for (size_t i = 0; i < w->n_intervals; i++)
		iobi_json_append(&v, cell(&w->interval[op][i], c));
	return v;
}

static int submits_known(const struct iob_result *w, enum iob_op op)
{
	for (size_t i = 0; i < w->n_intervals; i++)
		if (!isnan(w->interval[op][i].submit_mean_ns))
			return 1;
	return 0;
}

static json_t *columns_of(const struct iob_result *w, enum iob_op op)
{
	json_t *v = json_object();
	iobi_json_put(&v, "ios", column(w, op, IOS));
	iobi_json_put(&v, "bytes", column(w, op, BYTES));
	iobi_json_put(&v, "mean_ns", column(w, op, MEAN));
	iobi_json_put(&v, "p50_ns", column(w, op, P50));
	iobi_json_put(&v, "p99_ns", column(w, op, P99));
	iobi_json_put(&v, "max_ns", column(w, op, MAX));
	if (submits_known(w, op))
		iobi_json_put(&v, "submit_mean_ns", column(w, op, SUBMIT));
	return v;
}

static int any_io(const struct iob_result *w, enum iob_op op)
{
	for (size_t i = 0; i < w->n_intervals; i++)
		if (w->interval[op][i].ios || w->interval[op][i].bytes)
			return 1;
	return 0;
}

json_t *iobi_json_series(const struct iob_result *w)
{
	json_t *v = json_object();
	iobi_json_put(&v, "start_ns", column(w, IOB_OP_ALL, START));
	iobi_json_put(&v, "length_ns", column(w, IOB_OP_ALL, LENGTH));
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++)
		if (any_io(w, (enum iob_op)op))
			iobi_json_put(&v, iobi_op_name((unsigned)op),
				      columns_of(w, (enum iob_op)op));
	if (any_io(w, IOB_OP_ALL))
		iobi_json_put(&v, "all", columns_of(w, IOB_OP_ALL));
	return v;
}

/* Of a summary those that are known, whatever was asked. */
static struct iobi_percentiles known_percentiles(const struct iobi_summary *s)
{
	struct iobi_percentiles p = { .n = 0 };
	for (; p.n < s->n && p.n < IOBI_PERCENTILES_MAX; p.n++)
		p.p[p.n] = s->known[p.n].step / 1e6;
	return p;
}

static json_t *percentiles(const struct iob_hist *h, const struct iobi_percentiles *p)
{
	json_t *v = json_object();
	for (size_t i = 0; i < p->n; i++) {
		uint64_t value;
		char key[32];
		int rc = iob_hist_percentile(h, p->p[i], &value);
		iobi_json_put(&v, iobi_format_percent(key, sizeof(key), p->p[i]),
			      rc ? json_null() : iobi_json_number(value));
	}
	return v;
}

/* Those with fewer than 10 samples beyond them: they say little. */
static json_t *unsupported(const struct iob_hist *h, const struct iobi_percentiles *p)
{
	json_t *v = json_array();
	for (size_t i = 0; i < p->n; i++) {
		char text[32];
		if (iobi_report_support(h, p->p[i]) < 10)
			iobi_json_append(
				&v, json_string(iobi_format_percent(text, sizeof(text), p->p[i])));
	}
	return v;
}

static json_t *bucket(int bits, uint32_t index, uint64_t count)
{
	json_t *v = json_array();
	iobi_json_append(&v, iobi_json_number(iobi_hist_low(bits, index)));
	iobi_json_append(&v, iobi_json_number(iobi_hist_high(bits, index)));
	iobi_json_append(&v, iobi_json_number(count));
	return v;
}

static json_t *buckets_of(const struct iob_hist *h)
{
	json_t *v = json_array();
	for (uint32_t i = 0; i < h->span; i++)
		if (h->counts[i])
			iobi_json_append(&v, bucket(h->bits, h->first + i, h->counts[i]));
	return v;
}

/* A sum of squares has up to 192 bits: text, always. */
static json_t *u192(const uint64_t v[3])
{
	uint64_t rest[3] = { v[0], v[1], v[2] };
	char text[64], *at = text + sizeof(text) - 1;
	*at = '\0';
	do {
		iobi_u128 carry = 0;
		for (int i = 2; i >= 0; i--) {
			carry = carry << 64 | rest[i];
			rest[i] = (uint64_t)(carry / 10);
			carry %= 10;
		}
		*--at = (char)('0' + (int)carry);
	} while (rest[0] || rest[1] || rest[2]);
	return json_string(at);
}

json_t *iobi_json_hist(const struct iob_hist *h, const struct iobi_percentiles *p, int buckets)
{
	int none = !iob_hist_count(h);
	json_t *v = json_object();
	struct iobi_percentiles known;
	if (h->summary) {
		known = known_percentiles(h->summary);
		p = &known;
	}
	iobi_json_put(&v, "count", iobi_json_number(h->count));
	iobi_json_put(&v, "min", none ? json_null() : iobi_json_number(h->min));
	iobi_json_put(&v, "max", none ? json_null() : iobi_json_number(h->max));
	iobi_json_put(&v, "mean", iobi_json_real(iob_hist_mean(h)));
	iobi_json_put(&v, "stddev", iobi_json_real(iob_hist_stddev(h)));
	iobi_json_put(&v, "sum", iobi_json_number(h->sum));
	iobi_json_put(&v, "sum_squares", u192(h->square));
	iobi_json_put(&v, "precision", json_integer(h->bits));
	iobi_json_put(&v, "percentiles", percentiles(h, p));
	iobi_json_put(&v, "unsupported", unsupported(h, p));
	if (h->summary)
		iobi_json_put(&v, "summary", json_true());
	if (buckets)
		iobi_json_put(&v, "buckets", buckets_of(h));
	return v;
}
