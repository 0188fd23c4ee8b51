/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_VERSION_H
#define IOBENCH_VERSION_H

#if defined(__GNUC__)
#define IOB_API __attribute__((visibility("default")))
#else
#define IOB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define IOB_VERSION_MAJOR 0
#define IOB_VERSION_MINOR 1
#define IOB_VERSION_PATCH 0
#define IOB_VERSION_STRING "0.1.0"

/* The version of the library that is running, as "major.minor.patch"; static text. */
IOB_API const char *iob_version(void);

#ifdef __cplusplus
}
#endif
#endif
