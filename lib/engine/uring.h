/* SPDX-License-Identifier: MIT */
/* One worker's ring: made by uring_setup.c, driven by io_uring.c. */
#ifndef IOBI_URING_H
#define IOBI_URING_H

#include "engine/engines.h"
#include <liburing.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* linux/blkdev.h has it since 6.12: sqe->addr = start, sqe->addr3 = length. */
#define IOBI_BLOCK_URING_CMD_DISCARD _IO(0x12, 0)

enum iobi_uring_device {
	IOBI_URING_FILE,
	IOBI_URING_DEVICE,
	IOBI_URING_WAITS /* a device that takes no request that may not wait, as zram */
};

struct iobi_uring {
	/* What every I/O touches. */
	struct io_uring_sqe *sqes;
	unsigned *sq_ktail;
	unsigned sq_tail, sq_mask;
	struct io_uring_cqe *cqes;
	unsigned *cq_khead, *cq_ktail;
	unsigned cq_head, cq_mask;
	unsigned enter_fd;     /* the ring's descriptor, or its registered number */
	unsigned enter_flags;  /* of every io_uring_enter */
	unsigned submit_flags; /* of those that submit */
	uint8_t opcode[3];     /* by enum iob_op, of READ and WRITE */
	uint8_t sqe_flags;
	unsigned chunk_shift; /* buf_index >> this = the registered buffer */
	unsigned in_flight;
	int *fds; /* by target: descriptors, or registered numbers */

	uint8_t *block_device; /* by target: enum iobi_uring_device */
	int must_enter;        /* completions show up only when the kernel is entered */
	int looked;            /* the latest submit posted what was done */
	int polled;            /* IOPOLL */
	int data_only;         /* fdatasync */
	atomic_int woken;
	struct io_uring ring;
};

/* Whether the workload suits any ring: depth, poll. */
int iobi_uring_check(const struct iob_engine_env *env, struct iob_error *err);

/* Makes the ring of a zeroed *s whose ring.ring_fd is -1 and fds are the
 * targets'; on failure uring_close takes it apart. */
int iobi_uring_setup(struct iobi_uring *s, const struct iob_engine_env *env, struct iob_error *err);

/* Says why the kernel made no ring. */
int iobi_uring_refused(int code, uint32_t depth, struct iob_error *err);

#endif
