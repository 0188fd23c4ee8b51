/* SPDX-License-Identifier: MIT */
/* The table of IBM's XDISK, column by column: units of 2^10, latencies in ms,
 * separated by single blanks as XDISK does. */
#include "measure/hist_priv.h"
#include "report/report_priv.h"
#include <math.h>
#include <string.h>

enum {
	NUMBER = 48
};

/* The fewest decimals that are off by no more than a share of the value, so that
 * MB/s = IO/s x BS holds to 0.2 % between the printed numbers, however small. */
static void add_rate(struct iobi_report *o, double v, int least, double off)
{
	char text[NUMBER];
	int decimals = v < 1000 ? least : 0;
	double scale = pow(10, decimals);

	while (decimals < 9 && fabs(round(v * scale) / scale - v) > v * off) {
		decimals++;
		scale *= 10;
	}
	iobi_text_printf(&o->text, " %s", iobi_format_fixed(text, sizeof(text), v, decimals));
}

static void add_ms(struct iobi_report *o, double ns)
{
	char text[NUMBER];
	double ms = ns / 1e6;

	if (ms < 0.9995)
		iobi_format_fixed(text, sizeof(text), ms, 3);
	else
		iobi_format_digits(text, sizeof(text), ms, 3);
	iobi_text_printf(&o->text, " %s", text);
}

/* Minimum, maximum, mean, and the mean of the samples between the 5th and the
 * 95th percentile, XDISK's "robust average". */
static void add_latency(struct iobi_report *o, const struct iob_hist *h)
{
	if (!iob_hist_count(h)) {
		iobi_text_add(&o->text, " 0.0 0.0 0.0 0.0");
		return;
	}
	add_ms(o, (double)iob_hist_min(h));
	add_ms(o, (double)iob_hist_max(h));
	add_ms(o, iob_hist_mean(h));
	add_ms(o, iobi_hist_mean_between(h, 5, 95));
}

/* 8K, 1M, 0.5K; never in bytes, whatever the size. */
static void add_block(struct iobi_report *o, const struct iob_result *w)
{
	const uint64_t k = 1024, m = k * k;
	uint64_t block = iobi_report_block(w);
	char text[NUMBER];

	if (!block) {
		iobi_text_add(&o->text, *iobi_report_ran(w, "block_size") ? "mix" : "?");
		return;
	}
	int whole_m = block % m == 0;
	iobi_format_percent(text, sizeof(text), (double)block / (double)(whole_m ? m : k));
	iobi_text_printf(&o->text, "%s%s", text, whole_m ? "M" : "K");
}

static void add_flags(struct iobi_report *o, const struct iob_result *w)
{
	const char *sync = iobi_report_ran(w, "sync");
	iobi_text_printf(&o->text, " -%s%s%s",
			 strcmp(iobi_report_ran(w, "direct"), "true") == 0 ? "D" : "",
			 strcmp(sync, "all") == 0 ? "S" : "", strcmp(sync, "data") == 0 ? "W" : "");
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "?";
}

static void add_row(struct iobi_report *o, const struct iob_result *w)
{
	int async = strcmp(iobi_report_ran(w, "engine_kind"), "async") == 0;
	int worker = iob_result_level(w) == IOB_LEVEL_WORKER;

	add_block(o, w);
	iobi_text_printf(&o->text, " %s %s %s %s",
			 worker ? "1" : or_unknown(iobi_report_ran(w, "workers")),
			 async ? or_unknown(iobi_report_ran(w, "queue_depth")) : "0",
			 or_unknown(iobi_report_ran(w, "read_percent")),
			 strcmp(iobi_report_ran(w, "pattern"), "sequential") == 0 ? "S" : "R");
	add_flags(o, w);
	add_rate(o, iob_result_iops(w, IOB_OP_ALL), 0, 0.0005);
	add_rate(o, iob_result_bytes_per_s(w, IOB_OP_ALL) / (1024 * 1024), 1, 0.001);
	add_latency(o, iob_result_hist(w, IOB_OP_READ, IOB_LATENCY_SERVICE));
	add_latency(o, iob_result_hist(w, IOB_OP_WRITE, IOB_LATENCY_SERVICE));
	iobi_text_add(&o->text, "\n");
}

void iobi_report_xdisk(struct iobi_report *o, const struct iob_result *r)
{
	iobi_text_add(&o->text, "BS Proc AIO read% IO Flag IO/s MB/s rMin-ms rMax-ms rAvg-ms WrAvg "
				"wMin-ms wMax-ms wAvg-ms WwAvg\n");
	iobi_report_each(o, r, add_row);
}
