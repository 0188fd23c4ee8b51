/* SPDX-License-Identifier: MIT */
#ifndef IOBI_JSON_DEVICES_H
#define IOBI_JSON_DEVICES_H

#include "result/json_in.h"
#include "result/result_priv.h"

/* The member "devices" of a workload, if it is there, into r->device[]. */
int iobi_json_devices_in(const struct iobi_at *at, struct iob_result *r);

/* The word for bit i of the flags of a device; NULL past the last. */
const char *iobi_device_flag_name(size_t i);

#endif
