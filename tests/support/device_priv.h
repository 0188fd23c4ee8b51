/* SPDX-License-Identifier: MIT */
#ifndef IOB_TEST_DEVICE_PRIV_H
#define IOB_TEST_DEVICE_PRIV_H

#include "device.h"

/* state.c: one line a thing, "KIND A B", undone last to first. */
int dev_record(const char *kind, const char *a, const char *b);
/* A number that no other thing of this owner has. */
unsigned dev_serial(void);

/* Reads or writes a small file whole; text is cut at its first newline. */
int dev_read_text(const char *path, char *text, size_t n);
int dev_write_text(const char *path, const char *text);

/* How each kind is undone; -EBUSY is tried again. */
int dev_undo_loop(const char *device, const char *backing);
int dev_undo_zram(const char *id, const char *unused);
int dev_undo_mount(const char *dir, const char *unused);
int dev_undo_cgroup(const char *group, const char *origin);

#endif
