/* SPDX-License-Identifier: MIT */
/* What can be known of a target without opening it. */
#ifndef IOBI_FIO_FACTS_H
#define IOBI_FIO_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct iobi_fio_facts {
	bool there, block;
	int64_t size; /* bytes */
};

/* Opens nothing but a file of sysfs. */
struct iobi_fio_facts iobi_fio_look(const char *path);

#endif
