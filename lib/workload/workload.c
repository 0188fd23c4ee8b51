/* SPDX-License-Identifier: MIT */
#include "workload/params.h"
#include "workload/units.h"
#include <iobench/engine.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIX_TEXT = IOBI_MIX_MAX * (IOBI_NUMBER + 8)
};

/* A value that was read and judged, but not yet put in its place. */
struct value {
	int64_t num;
	char *text;
	struct iobi_mix mix;
};

static bool has_number(const struct iob_param_info *info)
{
	return info->type != IOB_TYPE_BLOCKS && info->type != IOB_TYPE_TEXT;
}

static char *copy_text(const char *text, struct iob_error *err)
{
	char *copy = strdup(text);
	if (!copy)
		iobi_no_memory(err);
	return copy;
}

/* A bound as a user would write it. */
static const char *bound_text(char buf[IOBI_NUMBER], enum iob_param_type type, int64_t bound)
{
	if (type == IOB_TYPE_TIME)
		iobi_format_time(buf, IOBI_NUMBER, bound);
	else if (type == IOB_TYPE_RATE)
		iobi_format_rate(buf, IOBI_NUMBER, bound);
	else if (type == IOB_TYPE_INT || type == IOB_TYPE_BOOL || type == IOB_TYPE_CHOICE)
		snprintf(buf, IOBI_NUMBER, "%" PRId64, bound);
	else if (bound == 1 || bound % 1024)
		snprintf(buf, IOBI_NUMBER, "%" PRId64 " byte%s", bound, bound == 1 ? "" : "s");
	else
		iobi_format_size(buf, IOBI_NUMBER, bound);
	return buf;
}

static int in_bounds(const struct iob_param_info *info, int64_t value, const char *text,
		     struct iob_error *err)
{
	char bound[IOBI_NUMBER];
	if (value < info->min)
		return iobi_fail(err, ERANGE, info->name, "\"%s\" is below the minimum of %s",
				 IOBI_QUOTE(text), bound_text(bound, info->type, info->min));
	if (value > info->max)
		return iobi_fail(err, ERANGE, info->name, "\"%s\" is above the maximum of %s",
				 IOBI_QUOTE(text), bound_text(bound, info->type, info->max));
	return 0;
}

static int parse_number(const struct iob_param_info *info, const char *text, int64_t *num,
			struct iob_error *err)
{
	switch (info->type) {
	case IOB_TYPE_SIZE:
		return iobi_parse_size(text, info->name, num, err);
	case IOB_TYPE_TIME:
		return iobi_parse_time(text, info->name, num, err);
	case IOB_TYPE_RATE:
		return iobi_parse_rate(text, info->name, num, err);
	case IOB_TYPE_BOOL:
		return iobi_parse_bool(text, info->name, num, err);
	case IOB_TYPE_CHOICE:
		return iobi_parse_choice(info, text, num, err);
	default:
		return iobi_parse_int(text, info->name, num, err);
	}
}

static int read_number(const struct iob_param_info *info, const char *text, struct value *v,
		       struct iob_error *err)
{
	int rc = parse_number(info, text, &v->num, err);
	if (rc < 0 && rc != -ERANGE)
		return rc;
	int bounds = in_bounds(info, v->num, text, err); /* names the parameter's own */
	return bounds < 0 ? bounds : rc;
}

static int mix_text(struct value *v, struct iob_error *err)
{
	char text[MIX_TEXT];
	iobi_format_mix(text, sizeof(text), &v->mix);
	v->text = copy_text(text, err);
	return v->text ? 0 : -ENOMEM;
}

/* block_size_write alone may be empty, or 0: as block_size. */
static int read_blocks(const struct iob_param_info *info, const char *text, struct value *v,
		       struct iob_error *err)
{
	if (info->min > 0 || (*text && strcmp(text, "0"))) {
		int rc = iobi_parse_mix(text, info->name, &v->mix, err);
		if (rc < 0)
			return rc;
	}
	return mix_text(v, err);
}

static int judge_text(const struct iob_param_info *info, const char *text, struct iob_error *err)
{
	enum iobi_fill fill;
	uint8_t pattern[64];
	size_t len;
	struct iobi_distribution d;
	int64_t ns;
	bool exponential;
	switch (info->key) {
	case IOB_PARAM_DISTRIBUTION:
		return iobi_parse_distribution(text, &d, err);
	case IOB_PARAM_LABELS:
		return iobi_parse_labels(text, err);
	case IOB_PARAM_BUFFER:
		return iobi_parse_fill(text, &fill, pattern, &len, err);
	case IOB_PARAM_THINK_TIME:
		return iobi_parse_think_time(text, &ns, &exponential, err);
	case IOB_PARAM_CPUS:
		return iobi_parse_cpus(text, NULL, NULL, err);
	case IOB_PARAM_ENGINE:
		return *text ? 0
			     : iobi_fail(err, EINVAL, "engine",
					 "the text is empty; "
					 "give a name, as auto or io_uring");
	default:
		return 0;
	}
}

static int read_text(const struct iob_param_info *info, const char *text, struct value *v,
		     struct iob_error *err)
{
	struct iob_error e = { .code = EINVAL };
	int rc = judge_text(info, text, err);
	if (rc < 0)
		return rc;
	v->text = info->key == IOB_PARAM_PERCENTILES ? iobi_percentiles_text(text, &e)
						     : copy_text(text, &e);
	if (v->text)
		return 0;
	if (err)
		*err = e;
	return -e.code;
}

static int read_value(const struct iob_param_info *info, const char *text, struct value *v,
		      struct iob_error *err)
{
	*v = (struct value){ 0 };
	if (!text)
		return iobi_fail(err, EINVAL, info->name, "no text was given (NULL)");
	if (info->type == IOB_TYPE_BLOCKS)
		return read_blocks(info, text, v, err);
	if (info->type == IOB_TYPE_TEXT)
		return read_text(info, text, v, err);
	return read_number(info, text, v, err);
}

static void put_value(struct iob_workload *w, enum iob_param p, const struct value *v)
{
	free(w->text[p]);
	w->text[p] = v->text;
	w->num[p] = v->num;
	if (p == IOB_PARAM_BLOCK_SIZE || p == IOB_PARAM_BLOCK_SIZE_WRITE)
		w->mix[p - IOB_PARAM_BLOCK_SIZE] = v->mix;
}

static int set_text(struct iob_workload *w, const struct iob_param_info *info, const char *text,
		    struct iob_error *err)
{
	struct value v;
	int rc = read_value(info, text, &v, err);
	if (rc == 0)
		put_value(w, info->key, &v);
	return rc;
}

struct iob_workload *iob_workload_new(struct iob_error *err)
{
	struct iob_workload *w = calloc(1, sizeof(*w));
	if (!w)
		iobi_no_memory(err);
	for (size_t i = 0; w && i < IOBI_PARAMS; i++) {
		const struct iob_param_info *info = iob_param_info(i);
		if (set_text(w, info, info->default_text, err) == 0)
			continue;
		iob_workload_free(w);
		return NULL;
	}
	return w;
}

void iob_workload_free(struct iob_workload *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < IOBI_PARAMS; i++)
		free(w->text[i]);
	for (size_t i = 0; i < w->n_targets; i++)
		free(w->target[i].path);
	free(w->target);
	free(w);
}

/* False: no memory; what was copied so far can be freed with the workload. */
static bool copy_owned(struct iob_workload *to, const struct iob_workload *from)
{
	for (size_t i = 0; i < IOBI_PARAMS; i++)
		if (from->text[i] && !(to->text[i] = strdup(from->text[i])))
			return false;
	if (from->n_targets && !(to->target = calloc(from->n_targets, sizeof(*to->target))))
		return false;
	for (; to->n_targets < from->n_targets; to->n_targets++) {
		const struct iobi_workload_target *t = &from->target[to->n_targets];
		char *path = strdup(t->path);
		if (!path)
			return false;
		to->target[to->n_targets] =
			(struct iobi_workload_target){ path, t->flags, t->hash };
	}
	return true;
}

struct iob_workload *iob_workload_copy(const struct iob_workload *w, struct iob_error *err)
{
	if (!w) {
		iobi_is_null(err, "workload");
		return NULL;
	}
	struct iob_workload *copy = calloc(1, sizeof(*copy));
	if (copy) {
		memcpy(copy->num, w->num, sizeof(copy->num));
		memcpy(copy->mix, w->mix, sizeof(copy->mix));
		copy->ops = w->ops;
		copy->user = w->user;
		if (copy_owned(copy, w))
			return copy;
	}
	iob_workload_free(copy);
	iobi_no_memory(err);
	return NULL;
}

int iob_workload_set(struct iob_workload *w, const char *name, const char *text,
		     struct iob_error *err)
{
	if (!w || !name)
		return iobi_is_null(err, w ? "name" : "workload");
	const struct iob_param_info *info = iobi_param_find(name, err);
	return info ? set_text(w, info, text, err) : -ENOENT;
}

int iob_workload_set_str(struct iob_workload *w, enum iob_param p, const char *value,
			 struct iob_error *err)
{
	const struct iob_param_info *info = iobi_param_key(p, err);
	if (!w)
		return iobi_is_null(err, "workload");
	return info ? set_text(w, info, value, err) : -ENOENT;
}

int iob_workload_set_int(struct iob_workload *w, enum iob_param p, int64_t value,
			 struct iob_error *err)
{
	const struct iob_param_info *info = iobi_param_key(p, err);
	char text[IOBI_NUMBER];
	struct value v = { .num = value };
	if (!w)
		return iobi_is_null(err, "workload");
	if (!info)
		return -ENOENT;
	if (info->type == IOB_TYPE_TEXT)
		return iobi_fail(err, EINVAL, info->name, "takes text, not the number %" PRId64,
				 value);
	snprintf(text, sizeof(text), "%" PRId64, value);
	int rc = in_bounds(info, value, text, err);
	if (rc < 0)
		return rc;
	if (info->type == IOB_TYPE_BLOCKS)
		return set_text(w, info, text, err);
	put_value(w, p, &v);
	return 0;
}

int iob_workload_get_int(const struct iob_workload *w, enum iob_param p, int64_t *value)
{
	const struct iob_param_info *info = iobi_param_key(p, NULL);
	if (!w || !value)
		return -EINVAL;
	if (!info)
		return -ENOENT;
	if (has_number(info)) {
		*value = w->num[p];
		return 0;
	}
	if (info->type == IOB_TYPE_TEXT)
		return -EINVAL;
	const struct iobi_mix *mix = &w->mix[p - IOB_PARAM_BLOCK_SIZE];
	if (mix->n > 1 || mix->low)
		return -EINVAL;
	*value = mix->part[0].size;
	return 0;
}

const char *iob_workload_get_str(const struct iob_workload *w, enum iob_param p)
{
	const struct iob_param_info *info = w ? iobi_param_key(p, NULL) : NULL;
	if (!info)
		return NULL;
	return info->type == IOB_TYPE_CHOICE ? iobi_param_choice(p, w->num[p]) : w->text[p];
}

/* The number of a parameter that has no text of its own. */
static const char *number_text(const struct iob_param_info *info, int64_t num,
			       char buf[IOBI_NUMBER])
{
	if (info->type == IOB_TYPE_SIZE)
		iobi_format_size(buf, IOBI_NUMBER, num);
	else if (info->type == IOB_TYPE_TIME)
		iobi_format_time(buf, IOBI_NUMBER, num);
	else if (info->type == IOB_TYPE_RATE)
		iobi_format_rate(buf, IOBI_NUMBER, num);
	else if (info->type == IOB_TYPE_BOOL)
		return num ? "true" : "false";
	else
		snprintf(buf, IOBI_NUMBER, "%" PRId64, num);
	return buf;
}

int iob_workload_get(const struct iob_workload *w, const char *name, char *text, size_t n)
{
	if (!w || !name || (n && !text))
		return -EINVAL;
	const struct iob_param_info *info = iobi_param_find(name, NULL);
	char buf[IOBI_NUMBER];
	if (!info)
		return -ENOENT;
	const char *value = iob_workload_get_str(w, info->key);
	int len =
		snprintf(text, n, "%s", value ? value : number_text(info, w->num[info->key], buf));
	return len < 0 ? -EOVERFLOW : len;
}

/* FNV-1a */
static uint32_t hash_of(const char *path)
{
	uint32_t hash = 2166136261;
	for (; path && *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619;
	return hash;
}

static int judge_target(const struct iob_workload *w, const char *path, uint32_t hash,
			unsigned flags, struct iob_error *err)
{
	const unsigned known =
		IOB_TARGET_CREATE | IOB_TARGET_ALLOW_DESTROY | IOB_TARGET_OVERWRITE_SIGNATURE;
	if (!path || !*path)
		return iobi_fail(err, EINVAL, "target",
				 "the path is %s; give a block device "
				 "or a file",
				 path ? "empty" : "NULL");
	if (flags & ~known)
		return iobi_fail_at(err, EINVAL, "target", path, 0,
				    "unknown flags 0x%x for \"%s\"; there are 0x1 CREATE, 0x2 "
				    "ALLOW_DESTROY, 0x4 OVERWRITE_SIGNATURE",
				    flags & ~known, IOBI_QUOTE(path));
	for (size_t i = 0; i < w->n_targets; i++)
		if (w->target[i].hash == hash && !strcmp(w->target[i].path, path))
			return iobi_fail_at(err, EINVAL, "target", path, 0,
					    "\"%s\" is there already; a workload has each target "
					    "once",
					    IOBI_QUOTE(path));
	return 0;
}

int iob_workload_add_target(struct iob_workload *w, const char *path, unsigned flags,
			    struct iob_error *err)
{
	if (!w)
		return iobi_is_null(err, "workload");
	const uint32_t hash = hash_of(path);
	int rc = judge_target(w, path, hash, flags, err);
	if (rc < 0)
		return rc;
	struct iobi_workload_target *more =
		reallocarray(w->target, w->n_targets + 1, sizeof(*more));
	if (!more)
		return iobi_no_memory(err);
	w->target = more;
	char *copy = copy_text(path, err);
	if (!copy)
		return -ENOMEM;
	more[w->n_targets++] = (struct iobi_workload_target){ copy, flags, hash };
	return 0;
}

size_t iob_workload_target_count(const struct iob_workload *w)
{
	return w ? w->n_targets : 0;
}

const char *iob_workload_target(const struct iob_workload *w, size_t i, unsigned *flags)
{
	if (i >= iob_workload_target_count(w))
		return NULL;
	if (flags)
		*flags = w->target[i].flags;
	return w->target[i].path;
}

/* What is wrong with an engine's table, or NULL. */
static const char *engine_fault(const struct iob_engine_ops *ops)
{
	if (!ops->name || !*ops->name)
		return "its name is missing";
	if (!ops->open || !ops->submit || !ops->close)
		return !ops->open     ? "open is NULL"
		       : !ops->submit ? "submit is NULL"
				      : "close is NULL";
	if (ops->caps & IOB_ENGINE_SYNC)
		return ops->reap ? "reap must be NULL in an IOB_ENGINE_SYNC engine" : NULL;
	return ops->reap ? NULL : "reap is NULL, which only an IOB_ENGINE_SYNC engine may have";
}

int iob_workload_set_engine(struct iob_workload *w, const struct iob_engine_ops *ops, void *user,
			    struct iob_error *err)
{
	const size_t least = offsetof(struct iob_engine_ops, close) + sizeof(ops->close);
	if (!w)
		return iobi_is_null(err, "workload");
	if (ops && ops->size < least)
		return iobi_fail(err, EINVAL, "engine",
				 "the size of its table is %u bytes; it takes at least %zu, "
				 "sizeof(struct iob_engine_ops)",
				 ops->size, least);
	const char *fault = ops ? engine_fault(ops) : NULL;
	if (fault)
		return iobi_fail(err, EINVAL, "engine", "%s (\"%s\")", fault,
				 IOBI_QUOTE(ops->name ? ops->name : ""));
	w->ops = ops;
	w->user = ops ? user : NULL;
	return 0;
}
