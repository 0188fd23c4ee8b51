/* SPDX-License-Identifier: MIT */
#ifndef IOBI_DEVICE_H
#define IOBI_DEVICE_H

#include "base/base.h"
#include <iobench/device.h>

/* iob_device_open below a root: there, "/dev/NAME" and "/dev/mapper/NAME" are
 * looked up in sysfs, and other paths are files that need not exist. */
struct iob_device *iobi_device_open(const char *root, const char *path, struct iob_error *err);

#endif
