/* SPDX-License-Identifier: MIT */
/* `distribution` and `labels`: texts with a form of their own. */
#include "workload/units.h"
#include <errno.h>
#include <string.h>

static const char where[] = "distribution";

enum {
	PART = 64,
	DECIMALS = 9
};

static int no_form(const char *text, struct iob_error *err)
{
	return iobi_fail(err, EINVAL, where,
			 "\"%s\" is none of uniform, zipf:THETA, pareto:H, normal:DEVIATION, "
			 "zoned:ACCESS/SIZE:..., zoned_abs:ACCESS/SIZE:...",
			 IOBI_QUOTE(text));
}

/* Both are exact, so the quotient is the double that is nearest. */
static int read_value(const char *text, double low, double high, const char *bounds, double *value,
		      struct iob_error *err)
{
	struct iobi_number n = { 0 };
	double fraction = 0, unit = 1;
	int rc = iobi_read_number(text, where, bounds, &n, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n.fraction_len && i < DECIMALS; i++) {
		fraction = fraction * 10 + (n.fraction[i] - '0');
		unit *= 10;
	}
	*value = ((double)n.whole * unit + fraction) / unit;
	if (*n.rest || n.too_large || n.fraction_len > DECIMALS || !(*value > low && *value < high))
		return iobi_fail(err, *n.rest ? EINVAL : ERANGE, where, "\"%s\" is not %s",
				 IOBI_QUOTE(text), bounds);
	return 0;
}

/* "60/10" or, absolute, "60/10g". */
static int read_zone(char *part, struct iobi_distribution *d, struct iob_error *err)
{
	char *slash = strchr(part, '/');
	int64_t access = 0, size = 0;
	if (!slash)
		return iobi_fail(err, EINVAL, where, "the zone \"%s\" is not ACCESS/SIZE, as 60/10",
				 IOBI_QUOTE(part));
	*slash = '\0';
	int rc = iobi_parse_int(part, where, &access, err);
	if (!rc && d->kind == IOBI_DISTRIBUTION_ZONED)
		rc = iobi_parse_int(slash + 1, where, &size, err);
	else if (!rc)
		rc = iobi_parse_size(slash + 1, where, &size, err);
	if (rc)
		return rc;
	if (access > 100 || size < 1)
		return iobi_fail(
			err, ERANGE, where,
			"a zone takes 0 to 100 percent of the I/Os and has a size above 0");
	if (d->n == IOBI_ZONES_MAX)
		return iobi_fail(err, EINVAL, where, "at most %d zones can be given",
				 IOBI_ZONES_MAX);
	d->zone[d->n].access = (uint32_t)access;
	d->zone[d->n++].size = (uint64_t)size;
	return 0;
}

static int judge_zones(const char *text, const struct iobi_distribution *d, struct iob_error *err)
{
	uint64_t access = 0, size = 0;
	for (unsigned i = 0; i < d->n; i++) {
		access += d->zone[i].access;
		if (d->kind == IOBI_DISTRIBUTION_ZONED)
			size += d->zone[i].size < 101 ? d->zone[i].size : 101;
	}
	if (access != 100)
		return iobi_fail(err, EINVAL, where,
				 "the zones of \"%s\" get %u percent of the I/Os; they must add up "
				 "to 100",
				 IOBI_QUOTE(text), (unsigned)access);
	if (d->kind == IOBI_DISTRIBUTION_ZONED && size != 100)
		return iobi_fail(err, EINVAL, where,
				 "the zones of \"%s\" do not have 100 percent of the region",
				 IOBI_QUOTE(text));
	return 0;
}

static int read_zones(const char *text, const char *list, struct iobi_distribution *d,
		      struct iob_error *err)
{
	char part[PART];
	for (;;) {
		size_t len = strcspn(list, ":");
		if (len >= PART)
			return no_form(text, err);
		memcpy(part, list, len);
		part[len] = '\0';
		int rc = read_zone(part, d, err);
		if (rc < 0)
			return rc;
		if (!list[len])
			return judge_zones(text, d, err);
		list += len + 1;
	}
}

static const char *after(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);
	return strncmp(text, prefix, len) ? NULL : text + len;
}

int iobi_parse_distribution(const char *text, struct iobi_distribution *d, struct iob_error *err)
{
	const char *rest;
	*d = (struct iobi_distribution){ .kind = IOBI_DISTRIBUTION_UNIFORM };
	if (!strcmp(text, "uniform"))
		return 0;
	if ((rest = after(text, "zipf:"))) {
		d->kind = IOBI_DISTRIBUTION_ZIPF;
		return read_value(rest, 0, 100, "a theta above 0 and below 100, as 1.2", &d->value,
				  err);
	}
	if ((rest = after(text, "pareto:"))) {
		d->kind = IOBI_DISTRIBUTION_PARETO;
		return read_value(rest, 0, 1, "an h above 0 and below 1, as 0.2", &d->value, err);
	}
	if ((rest = after(text, "normal:"))) {
		d->kind = IOBI_DISTRIBUTION_NORMAL;
		return read_value(rest, 0, 100.000001, "a deviation above 0 and up to 100 percent",
				  &d->value, err);
	}
	if ((rest = after(text, "zoned:")))
		d->kind = IOBI_DISTRIBUTION_ZONED;
	else if ((rest = after(text, "zoned_abs:")))
		d->kind = IOBI_DISTRIBUTION_ZONED_ABS;
	return rest ? read_zones(text, rest, d, err) : no_form(text, err);
}

int iobi_parse_labels(const char *text, struct iob_error *err)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), name = strcspn(text, "=\n");
		if (!name || text[name] != '=')
			return iobi_fail(err, EINVAL, "labels",
					 "\"%s\" is no line of the form name=value",
					 IOBI_QUOTE(text));
		text += len + (text[len] == '\n');
	}
	return 0;
}
