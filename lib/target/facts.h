/* SPDX-License-Identifier: MIT */
/* The facts of one device: the table of those there are, and what sysfs says. */
#ifndef IOBI_FACTS_H
#define IOBI_FACTS_H

#include "target/layers.h"
#include <iobench/device.h>

/* Those known, in the order of the table; texts are owned. */
struct iobi_facts {
	struct iob_fact *list;
	size_t n;
	bool failed; /* no memory */
};

/* Sets a fact of the table; one that is set already keeps its value. */
void iobi_facts_number(struct iobi_facts *f, const char *name, int64_t value);
void iobi_facts_text(struct iobi_facts *f, const char *name, const char *text);
const struct iob_fact *iobi_facts_find(const struct iobi_facts *f, const char *name);
void iobi_facts_free(struct iobi_facts *f);

/* All that sysfs tells of a block device. -ENOMEM. */
int iobi_facts_read(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev);

/* "disk", "partition", "md", ...; and in a few words what it is. */
void iobi_device_kind(const struct iobi_system *sys, dev_t dev, char *kind, size_t n);
int iobi_device_about(const struct iobi_system *sys, dev_t dev, struct iobi_text *out);

/* transport.c: how it is attached, and how fast that is. */
void iobi_facts_transport(struct iobi_facts *f, const struct iobi_system *sys, dev_t dev);

#endif
