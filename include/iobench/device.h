/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_DEVICE_H
#define IOBENCH_DEVICE_H

#include <iobench/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a block device or a file is: facts, the layers below it, who uses it,
 * what is on it. Read once, when it is opened; nothing is held open and
 * nothing is changed. Immutable, can be shared by threads. What its layers did
 * during a run is in the result, iob_result_device().
 */
struct iob_device;

/* What the value of a fact is. */
enum iob_fact_type {
	IOB_FACT_NUMBER = 0,
	IOB_FACT_BYTES = 1,
	IOB_FACT_BOOL = 2, /* `number` is 0 or 1 */
	IOB_FACT_TEXT = 3
};

/* One thing that is known of a device. What is not known is left out, so that
 * nothing has to stand for it. */
struct iob_fact {
	uint32_t size; /* of this struct */
	enum iob_fact_type type;
	const char *name; /* "logical_block" */
	const char *help; /* what it says, in a sentence */
	const char *text; /* the value of any type: "4096", "true", "mq-deadline" */
	int64_t number;   /* of NUMBER, BYTES and BOOL */
};

/* How something uses a device. */
enum iob_user_kind {
	IOB_USER_MOUNT = 0,     /* a mounted file system */
	IOB_USER_SWAP = 1,      /* swap space */
	IOB_USER_HOLDER = 2,    /* a device that is stacked on it: md, dm, bcache, loop */
	IOB_USER_EXCLUSIVE = 3, /* a process or the kernel has it open exclusively */
	IOB_USER_LOOP = 4       /* of a file: a loop device on it that is itself in use */
};

/* Somebody who uses a device: itself, a partition of it, the disk it is on, or
 * what is stacked on it or under it. While there is one, it is never written. */
struct iob_device_user {
	uint32_t size; /* of this struct */
	enum iob_user_kind kind;
	const char *device;  /* the one that is used, "/dev/sda1" */
	const char *what;    /* the mount point, the holder; "" for others */
	const char *message; /* "/dev/sda1 is mounted at /srv" */
};

/* Something found on a device that tells what its data is. */
struct iob_device_signature {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	const char *type;         /* "ext4", "crypto_LUKS", "gpt" */
	const char *usage;        /* "filesystem", "raid", "crypto", "other", "partitions" */
	const char *label, *uuid; /* "" where there is none */
};

/* Looks at a block device or a regular file. ENOENT, EISDIR, ENOTBLK, EACCES,
 * ENOMEM. Without the right to open the device, signatures and exclusive
 * users are not known. */
IOB_API struct iob_device *iob_device_open(const char *path, struct iob_error *err);

/* Frees what iob_device_open gave; NULL is allowed. */
IOB_API void iob_device_free(struct iob_device *d);

/* "/dev/sda" for whatever link was given; of a file its path as it was given. */
IOB_API const char *iob_device_path(const struct iob_device *d);

/* "disk", "partition", "md", "dm", "loop", "zram", "bcache", ...; "file". */
IOB_API const char *iob_device_kind(const struct iob_device *d);

/* In a few words, for people: "raid6, 12 members", "LVM vg/data", the model. */
IOB_API const char *iob_device_about(const struct iob_device *d);

/* How many facts are known. */
IOB_API size_t iob_device_fact_count(const struct iob_device *d);

/* Fact i; NULL past the end. */
IOB_API const struct iob_fact *iob_device_fact(const struct iob_device *d, size_t i);

/* The fact of that name; NULL where it is not known. */
IOB_API const struct iob_fact *iob_device_find(const struct iob_device *d, const char *name);

/* Every fact that there is, with its name, type and help and without a value,
 * in the order above; NULL past the end. Static. */
IOB_API const struct iob_fact *iob_fact_info(size_t i);

/* How many devices it stands on directly: a partition on its disk, md and dm
 * on their parts, a loop device and a file on the device of the file system. */
IOB_API size_t iob_device_below_count(const struct iob_device *d);

/* The i-th of them; NULL past the end. Belongs to d. Its users and signatures
 * are not looked for. */
IOB_API const struct iob_device *iob_device_below(const struct iob_device *d, size_t i);

/* How many users it has. */
IOB_API size_t iob_device_user_count(const struct iob_device *d);

/* User i; NULL past the end. */
IOB_API const struct iob_device_user *iob_device_user(const struct iob_device *d, size_t i);

/* How many signatures were found. */
IOB_API size_t iob_device_signature_count(const struct iob_device *d);

/* Signature i; NULL past the end. */
IOB_API const struct iob_device_signature *iob_device_signature(const struct iob_device *d,
								size_t i);

/* ---- in a result ---- */

/* What is to be known of the counters of a layer. */
enum {
	IOB_DEVICE_TARGET = 1,      /* a target, or what a target's file system is on */
	IOB_DEVICE_NO_COUNTERS = 2, /* iostats are off, or it went away: all counts are 0 */
	IOB_DEVICE_NO_TICKS = 4,    /* it keeps no times: busy, in flight are not available */
	IOB_DEVICE_NO_DISCARDS = 8, /* its kernel counts none */
	IOB_DEVICE_NO_FLUSHES = 16, /* its kernel counts none */
	IOB_DEVICE_PART = 32,       /* it stands beside others under a layer: its share of what
				     * this run issued is not known, nor is foreign_bytes */
	IOB_DEVICE_ROTATIONAL = 64,
	IOB_DEVICE_WRITE_CACHE = 128 /* volatile: data is safe only after a flush */
};

/* One kind of request at a device. */
struct iob_device_io {
	uint64_t ios;    /* requests that were done */
	uint64_t merges; /* requests that joined another one before */
	uint64_t bytes;
	uint64_t ticks_ms;     /* time of all requests together */
	uint64_t issued_ios;   /* I/Os of this run to the targets above it */
	uint64_t issued_bytes; /* of those */
};

/* How a value is spread over the members of a layer that did something. */
struct iob_device_spread {
	double mean, min, max; /* NaN where there is none */
	double skew;           /* of `worst`: its value over the mean of the others */
	uint32_t worst;        /* place of the most skewed one */
	uint32_t reserved;
};

/* What a device did during the measured window, by its own counters
 * (/sys/block/X/stat): everybody's requests, not only this run's. The list of a
 * node is a tree, the upper layer before the lower, each device once. */
struct iob_device_use {
	uint32_t size;       /* of this struct */
	uint32_t flags;      /* IOB_DEVICE_* */
	const char *name;    /* "sda" */
	const char *kind;    /* "disk"; as iob_device_kind */
	const char *about;   /* as iob_device_about */
	const char *machine; /* where it is: one name can be another device there */
	uint64_t device_bytes;
	uint32_t depth; /* 0: at the top */
	uint32_t above; /* place of the first that it is below of; UINT32_MAX: none */
	uint32_t n_below;
	uint32_t n_idle;       /* of those below: no request, as a spare; not in the spreads */
	const uint32_t *below; /* their places */
	uint64_t length_ns;    /* between the two readings of the counters */
	/* By enum iob_op: READ, WRITE, TRIM (discards), SYNC (flushes, only their
	 * number and time), ALL = READ + WRITE + TRIM. */
	struct iob_device_io op[5];
	uint64_t busy_ms;       /* with a request in flight */
	uint64_t queue_ms;      /* that, for each request in flight */
	double utilisation;     /* 0 to 1; NaN: not available */
	double in_flight;       /* mean; NaN: not available */
	double mean_request;    /* bytes of a read or write; NaN where there was none */
	double requests_per_io; /* requests here for an I/O of this run; NaN without any */
	int64_t foreign_bytes;  /* read, written and discarded here less what this run issued;
				 * < 0 where a cache served it; 0 with IOB_DEVICE_PART */
	/* over the members: requests, bytes, utilisation */
	struct iob_device_spread member_ios, member_bytes, member_utilisation;
};

/* The same counters over one stretch of the window. */
struct iob_device_interval {
	uint32_t size; /* of this struct */
	uint32_t reserved;
	uint64_t start_ns; /* since the start of the measured window */
	uint64_t length_ns;
	uint64_t read_ios, read_bytes, write_ios, write_bytes;
	uint64_t busy_ms, queue_ms;
};

/* How many intervals device i of a result has. */
IOB_API size_t iob_result_device_interval_count(const struct iob_result *r, size_t i);

/* Interval k of device i; NULL past the end. */
IOB_API const struct iob_device_interval *iob_result_device_interval(const struct iob_result *r,
								     size_t i, size_t k);

#ifdef __cplusplus
}
#endif
#endif
