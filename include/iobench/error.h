/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_ERROR_H
#define IOBENCH_ERROR_H

#include <stdint.h>

/*
 * What went wrong. Calls that can fail take a pointer to one, which may be
 * NULL, and fill it only when they fail: where it begins as { 0 }, several calls
 * can share it, and its code be asked once behind them. A call that returns int
 * gives a value >= 0, or -errno; one that returns a pointer gives NULL. The layout
 * is frozen at 1024 bytes; text is always terminated, and cut where it does not fit.
 */
struct iob_error {
	int32_t code;      /* positive errno; 0: no error */
	int32_t line;      /* of `file`, from 1; 0 where there is none */
	uint64_t offset;   /* of the I/O that failed, in bytes; 0 where there is none */
	char where[64];    /* the parameter or the operation, as "block_size", "read" */
	char file[256];    /* the target or the file that was read; may be empty */
	char message[688]; /* one sentence: what is wrong, the value, what would be right */
};

#endif
