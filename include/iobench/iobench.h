/* SPDX-License-Identifier: MIT */
#ifndef IOBENCH_IOBENCH_H
#define IOBENCH_IOBENCH_H

/*
 * libiobench: run storage workloads, get latencies that can be trusted.
 *
 *	workload.h	what to do, and to what
 *	suite.h		stages and matrices of workloads
 *	fio.h		job files and command lines of fio, as suites
 *	run.h		doing it: wait, progress, snapshot, cancel
 *	search.h	the highest rate or depth that holds a latency target
 *	steady.h	running it in rounds, until they are steady
 *	pts.h		tests of the SNIA Performance Test Specification
 *	result.h	what was measured
 *	hist.h		latency histograms
 *	device.h	what a target is, and what its layers did
 *	report.h	text, xdisk, json, csv, fio's; reading a recorded result
 *	compare.h	two results, cell by cell
 *	finding.h	what cannot be believed of a result, and why
 *	error.h		what went wrong
 *	engine.h	not included here: for authors of engines
 *
 * Calls that can fail take a struct iob_error, which may be NULL. One that
 * returns int gives 0 or more, or a negative errno; one that returns a pointer
 * gives NULL. A pointer that is not const is the caller's to free; a const one
 * belongs to the object it came from.
 *
 * No call follows a NULL. Where a comment gives it no meaning, a call that can
 * fail says EINVAL and names the argument, one that frees or cancels does
 * nothing, and one that tells gives what it gives of nothing: 0, NULL, "" or
 * NaN. So does a place past the end, and an enum's value that there is not.
 *
 * A struct begins with its size, so that it can grow. One that a caller fills is
 * taken from programs of an older header as if its new members were 0; what one
 * of a newer header has set beyond the library's own is E2BIG. One that the
 * library fills for a caller is filled as far as the size that it was given; of
 * one that it hands out, members past its size are not there.
 *
 * The library prints nothing, never exits, and touches neither signal handlers
 * nor the locale. Its threads block all signals. Distinct objects may be used
 * from distinct threads; wait, progress, snapshot and cancel of one run from
 * any thread at the same time; const objects can be shared.
 */
#include <iobench/compare.h>
#include <iobench/device.h>
#include <iobench/error.h>
#include <iobench/finding.h>
#include <iobench/fio.h>
#include <iobench/hist.h>
#include <iobench/pts.h>
#include <iobench/report.h>
#include <iobench/result.h>
#include <iobench/run.h>
#include <iobench/search.h>
#include <iobench/steady.h>
#include <iobench/suite.h>
#include <iobench/version.h>
#include <iobench/workload.h>

#endif
