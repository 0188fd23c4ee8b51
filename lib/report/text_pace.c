/* SPDX-License-Identifier: MIT */
/* How the schedules of open loops were kept, and what waiting for them added. */
#include "report/text_priv.h"
#include <math.h>

enum {
	PACES_SHOWN = 50
};

/* Response time is worth a line where it is over a tenth more at p99. */
static int response_differs(const struct iob_hist *service, const struct iob_hist *response)
{
	uint64_t s = 0, r = 0;
	if (iob_hist_percentile(service, 99, &s) || iob_hist_percentile(response, 99, &r))
		return 0;
	return (double)r > (double)s * 1.1 || (double)s > (double)r * 1.1;
}

static void add_latency(struct iobi_text *t, const char *name, const struct iob_hist *h)
{
	static const double percents[] = { 50, 90, 99, 99.9 };
	char text[IOBI_CELL], percent[16];
	iobi_text_printf(t, "\n  %-8s  mean %s", name, iobi_text_ns(text, iob_hist_mean(h)));
	for (size_t i = 0; i < IOBI_LEN(percents); i++) {
		uint64_t v = 0;
		if ((double)iob_hist_count(h) * (100 - percents[i]) < 100)
			continue; /* not one sample lies beyond it */
		iob_hist_percentile(h, percents[i], &v);
		iobi_text_printf(t, "  p%s %s",
				 iobi_format_percent(percent, sizeof(percent), percents[i]),
				 iobi_text_ns(text, (double)v));
	}
	iobi_text_printf(t, "  max %s", iobi_text_ns(text, (double)iob_hist_max(h)));
}

static void add_rate(struct iobi_text *t, double asked, double done)
{
	char a[IOBI_CELL], d[IOBI_CELL];
	iobi_text_printf(t, "%s a second asked, %s done; ", iobi_text_number(a, asked),
			 iobi_text_number(d, done));
}

static void add_pace(struct iobi_text *t, const struct iob_result *w)
{
	const struct iob_pace *p = w->pace;
	const struct iob_hist *service = iob_result_hist(w, IOB_OP_ALL, IOB_LATENCY_SERVICE);
	const struct iob_hist *response = iob_result_hist(w, IOB_OP_ALL, IOB_LATENCY_RESPONSE);
	char n[IOBI_CELL], late[IOBI_CELL], worst[IOBI_CELL], mean[IOBI_CELL];

	iobi_text_add(t, "schedule of \"");
	iobi_text_add_name(t, w->name);
	iobi_text_add(t, "\": ");
	if (!isnan(p->asked_iops))
		add_rate(t, p->asked_iops, iob_result_iops(w, IOB_OP_ALL));
	iobi_text_printf(t, "%s started, %s late; lag mean %s, worst %s",
			 iobi_text_count(n, p->starts), iobi_text_count(late, p->late),
			 iobi_text_ns(mean, p->mean_lag_ns),
			 iobi_text_ns(worst, (double)p->worst_lag_ns));
	if (p->unissued)
		iobi_text_printf(t, "; %s due and never started", iobi_text_count(n, p->unissued));
	if (p->dropped)
		iobi_text_printf(t, "; %s dropped", iobi_text_count(n, p->dropped));
	if (response_differs(service, response)) {
		add_latency(t, "service", service);
		add_latency(t, "response", response);
	}
	iobi_text_add(t, "\n");
}

void iobi_text_pace(struct iobi_report *o, const struct iobi_list *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->w[i]->pace && n++ < PACES_SHOWN)
			add_pace(&o->text, l->w[i]);
	if (n > PACES_SHOWN)
		iobi_text_printf(&o->text, "schedules of %zu more workloads\n", n - PACES_SHOWN);
}
