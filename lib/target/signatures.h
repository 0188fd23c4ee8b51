/* SPDX-License-Identifier: MIT */
/* What libblkid finds on a device: file systems, parts of arrays, partition tables. */
#ifndef IOBI_SIGNATURES_H
#define IOBI_SIGNATURES_H

#include "base/base.h"
#include <iobench/device.h>

struct iobi_signatures {
	struct iob_device_signature *list; /* texts are owned */
	size_t n;
};

/* fd: open for reading. 0, -ENOMEM, or -EIO where the device could not be read. */
int iobi_signatures_find(int fd, struct iobi_signatures *out);
void iobi_signatures_free(struct iobi_signatures *s);

#endif
