/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_REPORT_H
#define IOBENCH_REPORT_H

#include <iobench/device.h>
#include <iobench/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes `len` bytes of a report. 0 to go on; anything else ends the report,
 * which then fails with that value (a negative errno), or EIO. */
typedef int (*iob_write_fn)(void *user, const char *data, size_t len);

/* Writes a report of the whole tree under r: "text", "xdisk", "json", "csv",
 * or as fio prints its own, "fio-json", "fio-json+" (with the histograms' bins),
 * "fio-text" (its report for people); fio's logs "fio-bw-log", "fio-iops-log",
 * "fio-lat-log", "fio-slat-log", "fio-clat-log". The same bytes under any locale.
 * EINVAL: no such format (the message names those there are). */
IOB_API int iob_result_report(const struct iob_result *r, const char *format, iob_write_fn fn,
			      void *user, struct iob_error *err);

/* The names of the formats, in the order above; NULL past the end. Static. */
IOB_API const char *iob_report_format(size_t i);

/* Writes what a device is: facts, users, signatures, layers: "text" or "json".
 * EINVAL: no such format. */
IOB_API int iob_device_report(const struct iob_device *d, const char *format, iob_write_fn fn,
			      void *user, struct iob_error *err);

/*
 * Reads a recorded result: "json" as iob_result_report wrote it (workers are
 * not recorded in full and not read), or what another program printed,
 * "fio-json", "xdisk", "fio-text" (of fio's versions 2 and 3); NULL or "":
 * whichever it looks like. What others printed has IOB_RESULT_RECORDED: a stage for each
 * row, or group of jobs that ran side by side, with the counts, means, extremes
 * and percentiles that were printed; a row without a run time stands for one
 * second, or 1,000 where its rate has decimals. EINVAL with err->line where the
 * text is not such a report.
 */
IOB_API struct iob_result *iob_result_read(const char *data, size_t len, const char *format,
					   struct iob_error *err);

/* The names of the formats that can be read; NULL past the end. Static. */
IOB_API const char *iob_read_format(size_t i);

#ifdef __cplusplus
}
#endif
#endif
