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
