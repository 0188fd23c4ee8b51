/* SPDX-License-Identifier: MIT */
/* What is wanted of a search, from text. */
#include "search/search_priv.h"
#include "workload/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A share of 1e-6 %, as percentiles are; exact. */
static int parse_percent(const char *text, const char *where, const char *example, double *out,
			 struct iob_error *err)
{
	enum {
		DECIMALS = 6
	};
	struct iobi_number n = { 0 };
	int rc = iobi_read_number(text, where, example, &n, err);
	uint64_t micro = 0;
	if (rc < 0)
		return rc;
	if (*n.rest && strcmp(n.rest, "%"))
		return iobi_fail(err, EINVAL, where, "\"%s\" is not a number alone; it takes %s",
				 IOBI_QUOTE(text), example);
	if (n.fraction_len > DECIMALS)
		return iobi_fail(err, EINVAL, where, "\"%s\" has more than %d decimals",
				 IOBI_QUOTE(text), DECIMALS);
	for (size_t i = 0; i < DECIMALS; i++)
		micro = micro * 10 + (i < n.fraction_len ? (uint64_t)(n.fraction[i] - '0') : 0);
	*out = n.too_large || n.whole > 1000000 ? HUGE_VAL
						: (double)(n.whole * 1000000 + micro) / 1e6;
	return 0;
}

/* ---- latency_target ---- */

#define TARGETS "as p99=1ms, p99.9=500us, mean=2ms or max=10ms"

static int set_metric(struct iob_search_outcome *o, const char *word, struct iob_error *err)
{
	double p = NAN;
	o->metric = !strcmp(word, "mean") ? IOB_SEARCH_MEAN : IOB_SEARCH_MAX;
	o->percentile = NAN;
	if (!strcmp(word, "mean") || !strcmp(word, "max"))
		return 0;
	if (word[0] != 'p')
		return iobi_fail(
			err, EINVAL, "latency_target",
			"\"%s\" is none of p with a percentile, mean, max; write it " TARGETS,
			IOBI_QUOTE(word));
	int rc = parse_percent(word + 1, "latency_target", "a percentile, " TARGETS, &p, err);
	if (rc < 0)
		return rc;
	if (!(p > 0 && p <= 100))
		return iobi_fail(
			err, ERANGE, "latency_target",
			"\"%s\": the percentile must be above 0 and not above 100, as p99.9",
			IOBI_QUOTE(word));
	if (p < 100) {
		o->metric = IOB_SEARCH_PERCENTILE;
		o->percentile = p;
	}
	return 0;
}

static int set_target(struct iob_search *s, const char *text, struct iob_error *err)
{
	struct iob_search_outcome o = s->want;
	char word[32];
	const char *limit = strchr(text, '=');
	int64_t ns = 0;
	if (!limit || !limit[1] || (size_t)(limit - text) >= sizeof(word))
		return iobi_fail(err, EINVAL, "latency_target",
				 "\"%s\" is no latency target; write it " TARGETS,
				 IOBI_QUOTE(text));
	snprintf(word, sizeof(word), "%.*s", (int)(limit - text), text);
	int rc = set_metric(&o, word, err);
	rc = rc < 0 ? rc : iobi_parse_time(limit + 1, "latency_target", &ns, err);
	if (rc < 0)
		return rc;
	if (!ns)
		return iobi_fail(err, ERANGE, "latency_target",
				 "\"%s\": the limit must be above 0, as 1ms", IOBI_QUOTE(text));
	o.limit_ns = (uint64_t)ns;
	s->want = o;
	s->targeted = true;
	return 0;
}

/* ---- the others ---- */

/* Which of the words it is; what is none of them is told with them all. */
static int choose(const char *where, const char *text, const char *const *words, size_t n, int *out,
		  struct iob_error *err)
{
	char list[128] = "";
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(text, words[i])) {
			*out = (int)i;
			return 0;
		}
		strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, words[i], sizeof(list) - strlen(list) - 1);
	}
	return iobi_fail(err, EINVAL, where, "\"%s\" is none of %s", IOBI_QUOTE(text), list);
}

static int set_over(struct iob_search *s, const char *text, struct iob_error *err)
{
	static const char *const words[] = { "auto", "rate_iops", "queue_depth" };
	int which = 0, rc = choose("over", text, words, IOBI_LEN(words), &which, err);
	if (!rc)
		s->over = (enum iobi_over)which;
	return rc;
}

static int set_op(struct iob_search *s, const char *text, struct iob_error *err)
{
	static const char *const words[] = { "all", "read", "write", "trim" };
	int which = 0, rc = choose("op", text, words, IOBI_LEN(words), &which, err);
	if (!rc)
		s->want.op = (enum iob_op)which;
	return rc;
}

static int parse_count(const char *where, const char *text, int64_t least, int64_t most,
		       int64_t *out, struct iob_error *err)
{
	char low[IOBI_NUMBER], high[IOBI_NUMBER];
	int64_t v = 0;
	int rc = iobi_parse_int(text, where, &v, err);
	if (rc < 0 && rc != -ERANGE)
		return rc;
	if (rc < 0 || v < least || v > most)
		return iobi_fail(err, ERANGE, where, "\"%s\" is not in %s to %s", IOBI_QUOTE(text),
				 iobi_format_u128(low, sizeof(low), (iobi_u128)least),
				 iobi_format_u128(high, sizeof(high), (iobi_u128)most));
	*out = v;
	return 0;
}

static int set_low(struct iob_search *s, const char *text, struct iob_error *err)
{
	return parse_count("low", text, 1, 1000000000, &s->want.low, err);
}

static int set_high(struct iob_search *s, const char *text, struct iob_error *err)
{
	return parse_count("high", text, 1, 1000000000, &s->want.high, err);
}

static int set_tries(struct iob_search *s, const char *text, struct iob_error *err)
{
	int64_t v = 0;
	int rc = parse_count("tries", text, 1, 100, &v, err);
	if (!rc)
		s->want.tries = (uint32_t)v;
	return rc;
}

static int set_resolution(struct iob_search *s, const char *text, struct iob_error *err)
{
	double v = 0;
	int rc = parse_percent(text, "resolution", "percent, as 2 or 0.5", &v, err);
	if (!rc && !(v >= 0.01 && v <= 100))
		return iobi_fail(err, ERANGE, "resolution", "\"%s\" is not in 0.01 to 100 percent",
				 IOBI_QUOTE(text));
	if (!rc)
		s->want.resolution = v;
	return rc;
}

static int set_confidence(struct iob_search *s, const char *text, struct iob_error *err)
{
	double v = 0;
	int rc = parse_percent(text, "confidence", "percent, as 95 or 99.9", &v, err);
	if (!rc && !(v >= 50 && v <= 99.999))
		return iobi_fail(err, ERANGE, "confidence", "\"%s\" is not in 50 to 99.999 percent",
				 IOBI_QUOTE(text));
	if (!rc)
		s->want.confidence = v;
	return rc;
}

static const struct setting {
	const char *name;
	int (*set)(struct iob_search *s, const char *text, struct iob_error *err);
} settings[] = {
	{ "latency_target", set_target },
	{ "over", set_over },
	{ "op", set_op },
	{ "low", set_low },
	{ "high", set_high },
	{ "resolution", set_resolution },
	{ "confidence", set_confidence },
	{ "tries", set_tries },
};

static const char *setting_name(size_t i)
{
	return i < IOBI_LEN(settings) ? settings[i].name : NULL;
}

static int unknown(const char *name, struct iob_error *err)
{
	const char *near = iobi_nearest(name, setting_name);
	return iobi_fail(err, ENOENT, "search",
			 "a search has no \"%s\"%s%s%s There are latency_target, over, op, low, "
			 "high, resolution, confidence, tries",
			 IOBI_QUOTE(name), near ? "; did you mean \"" : ".", near ? near : "",
			 near ? "\"?" : "");
}

int iob_search_set(struct iob_search *s, const char *name, const char *text, struct iob_error *err)
{
	if (!s || !name || !text)
		return iobi_is_null(err, !s ? "search" : !name ? "name" : "text");
	for (size_t i = 0; i < IOBI_LEN(settings); i++)
		if (!strcmp(name, settings[i].name))
			return settings[i].set(s, text, err);
	return unknown(name, err);
}
