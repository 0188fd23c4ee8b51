/* SPDX-License-Identifier: MIT */
/* The kernel's own counters of the devices that targets stand on, read at a moment. */
#ifndef IOBI_COUNTERS_H
#define IOBI_COUNTERS_H

#include "target/layers.h"
#include <iobench/device.h>

/* A reading of /sys/block/X/stat: 11 fields, 15 with discards, 17 with flushes. */
enum {
	IOBI_STAT_READ = 0, /* ios, merges, sectors, ms; so have writes and discards */
	IOBI_STAT_WRITE = 4,
	IOBI_STAT_IN_FLIGHT = 8,
	IOBI_STAT_BUSY = 9,
	IOBI_STAT_QUEUE = 10,
	IOBI_STAT_DISCARD = 11,
	IOBI_STAT_FLUSH = 15, /* ios, ms */
	IOBI_STATS = 17
};
struct iobi_stat {
	uint64_t v[IOBI_STATS];
	unsigned n; /* fields that there were; 0: it could not be read */
};
void iobi_stat_parse(const char *text, struct iobi_stat *out);

/* One device: what it is, and where its counters are. */
struct iobi_counter {
	char name[IOBI_NAME], kind[IOBI_NAME];
	char *about;
	uint32_t flags; /* IOB_DEVICE_ROTATIONAL, _WRITE_CACHE */
	bool stats_off; /* queue/iostats is 0; some drivers count all the same */
	uint64_t device_bytes;
	uint32_t depth;
	const struct iobi_edge *below;
	size_t n_below;
	int fd;
};

struct iobi_counters {
	struct iobi_layers layers;
	struct iobi_counter *list; /* of as many */
	size_t n;
};

/* Adds a block device and all below it, and gives its place; then open, once. */
int iobi_counters_add(struct iobi_counters *c, struct iobi_system *sys, dev_t dev,
		      size_t *root);
int iobi_counters_open(struct iobi_counters *c, struct iobi_system *sys);
void iobi_counters_free(struct iobi_counters *c);

/* Reads all, one after another, into c->n places. */
void iobi_counters_read(const struct iobi_counters *c, struct iobi_stat *out);

/* What happened between two readings, into the counts and flags of `use`, which
 * has its other flags already. */
void iobi_counters_since(const struct iobi_counter *c, const struct iobi_stat *from,
			 const struct iobi_stat *to, struct iob_device_use *use);

#endif
