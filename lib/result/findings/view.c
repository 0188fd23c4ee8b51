/* SPDX-License-Identifier: MIT */
#include "result/findings/view.h"
#include "workload/workload_priv.h"
#include <math.h>
#include <string.h>

const char *iobi_ran(const struct iob_result *w, const char *name)
{
	const char *value = iob_result_effective(w, name);
	return value ? value : iob_result_param(w, name);
}

double iobi_plain_number(const char *text)
{
	int64_t v;
	return text && iobi_parse_int(text, "", &v, NULL) == 0 ? (double)v : NAN;
}

static double number(const char *name, const char *text)
{
	const struct iob_param_info *info = iobi_param_find(name, NULL);
	struct iobi_mix mix;
	int64_t v;
	int rc = -1;
	if (!text || !*text || !info)
		return text && !info ? iobi_plain_number(text) : NAN;
	if (info->type == IOB_TYPE_SIZE)
		rc = iobi_parse_size(text, name, &v, NULL);
	if (info->type == IOB_TYPE_TIME)
		rc = iobi_parse_time(text, name, &v, NULL);
	if (info->type == IOB_TYPE_RATE)
		rc = iobi_parse_rate(text, name, &v, NULL);
	if (info->type == IOB_TYPE_INT)
		rc = iobi_parse_int(text, name, &v, NULL);
	if (info->type == IOB_TYPE_BLOCKS && !iobi_parse_mix(text, name, &mix, NULL) && mix.n == 1)
		return mix.part[0].size;
	return rc ? NAN : (double)v;
}

double iobi_ran_number(const struct iob_result *w, const char *name)
{
	return number(name, iobi_ran(w, name));
}

double iobi_asked_number(const struct iob_result *w, const char *name)
{
	return number(name, iob_result_param(w, name));
}

static int is(const struct iob_result *w, const char *name, const char *value)
{
	const char *ran = iobi_ran(w, name);
	return ran && strcmp(ran, value) == 0;
}

static struct iobi_range exact(double v)
{
	return (struct iobi_range){ v, v, v };
}

static struct iobi_range scaled(struct iobi_range r, double by)
{
	return (struct iobi_range){ r.low * by, r.value * by, r.high * by };
}

static struct iobi_range plus(struct iobi_range a, struct iobi_range b)
{
	return (struct iobi_range){ a.low + b.low, a.value + b.value, a.high + b.high };
}

static uint64_t done(const struct iob_result *w, int op)
{
	return w->op[op].count[IOB_COUNT_IOS];
}

static struct iobi_range mean_of(const struct iob_result *w, int op)
{
	if (w->recorded)
		return w->recorded->op[op].mean_ns;
	return exact(iob_hist_mean(w->op[op].latency[IOB_LATENCY_SERVICE]));
}

/* I/Os that failed were in flight too; of recordings nobody knows for how long. */
static void add_failed(struct iobi_view *v, const struct iob_result *w)
{
	double failing = w->machine.failing;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++)
		v->failed += (double)(w->op[op].count[IOB_COUNT_ERRORS] +
				      w->op[op].count[IOB_COUNT_SHORT]);
	if (failing > 0)
		v->in_flight = isnan(v->in_flight.value) ? exact(failing)
							 : plus(v->in_flight, exact(failing));
}

/* A flush takes its worker's time like any I/O. */
static void set_latency(struct iobi_view *v, const struct iob_result *w)
{
	struct iobi_range sum = exact(0);
	double n = 0;
	for (int op = IOB_OP_READ; op < IOBI_RESULT_OPS; op++) {
		if (!done(w, op))
			continue;
		sum = plus(sum, scaled(mean_of(w, op), (double)done(w, op)));
		n += (double)done(w, op);
	}
	v->mean_ns = n > 0 ? scaled(sum, 1 / n) : exact(NAN);
	v->iops = exact(w->elapsed_ns ? n / (double)w->elapsed_ns * 1e9 : NAN);
	if (w->recorded && !w->recorded->counted)
		v->iops = w->recorded->iops;
	v->in_flight = (struct iobi_range){ v->iops.low * v->mean_ns.low / 1e9,
					    v->iops.value * v->mean_ns.value / 1e9,
					    v->iops.high * v->mean_ns.high / 1e9 };
	add_failed(v, w);
	int known = !w->recorded || w->recorded->counted;
	v->ios = known ? n : NAN;
	v->elapsed_ns = known ? (double)w->elapsed_ns : NAN;
	v->bytes = known ? (double)w->op[IOB_OP_ALL].count[IOB_COUNT_BYTES] : NAN;
}

static void set_depth(struct iobi_view *v, const struct iob_result *w)
{
	double asked = iobi_asked_number(w, "queue_depth"), ran = iobi_ran_number(w, "queue_depth");
	v->workers = iobi_ran_number(w, "workers");
	v->sync = is(w, "engine_kind", "sync");
	v->ran = v->workers * (v->sync ? 1 : ran);
	v->asked = isnan(asked) ? v->ran : v->workers * asked;
}

/* Parameters that make it wait; a value of 0 does not. */
static bool is_paced(const struct iob_result *w)
{
	static const char *const names[] = { "think_time", "rate_iops", "rate_iops_write",
					     "rate_bytes", "rate_bytes_write" };
	for (size_t i = 0; i < IOBI_LEN(names); i++) {
		const char *value = iobi_ran(w, names[i]);
		if (value && *value && strcmp(value, "0") != 0)
			return true;
	}
	const char *arrival = iobi_ran(w, "arrival");
	return is(w, "paced", "true") || (arrival && strcmp(arrival, "closed") != 0);
}

static uint64_t block_of(const struct iob_result *w, const char *name)
{
	double size = iobi_ran_number(w, name);
	return isnan(size) ? 0 : (uint64_t)size;
}

static void set_sizes(struct iobi_view *v, const struct iob_result *w)
{
	uint64_t reads = block_of(w, "block_size"), writes = block_of(w, "block_size_write");
	double size = iobi_ran_number(w, "size");
	if (!iobi_ran(w, "block_size_write"))
		writes = reads;
	v->block = !v->writes || reads == writes ? reads : v->reads ? 0 : writes;
	if (w->recorded)
		v->region = w->recorded->region_bytes;
	else if (size > 0)
		v->region = (uint64_t)size * (w->n_targets ? w->n_targets : 1);
}

void iobi_view_make(struct iobi_view *v, const struct iob_result *w)
{
	*v = (struct iobi_view){ .rec = w->recorded, .machine = &w->machine };
	v->reads = done(w, IOB_OP_READ) != 0;
	v->writes = done(w, IOB_OP_WRITE) != 0;
	v->direct = is(w, "direct", "true") ? 1 : is(w, "direct", "false") ? 0 : -1;
	v->paced = is_paced(w);
	set_latency(v, w);
	set_depth(v, w);
	set_sizes(v, w);
}

const struct iob_hist *iobi_view_hist(const struct iob_result *w, enum iob_op *op)
{
	const struct iob_hist *all = w->op[IOB_OP_ALL].latency[IOB_LATENCY_SERVICE];
	*op = IOB_OP_ALL;
	if (!all->summary)
		return all;
	*op = IOB_OP_READ;
	for (int i = IOB_OP_WRITE; i <= IOB_OP_TRIM; i++)
		if (done(w, i) > done(w, (int)*op))
			*op = (enum iob_op)i;
	return w->op[*op].latency[IOB_LATENCY_SERVICE];
}
