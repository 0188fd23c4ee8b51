#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a call from Python or Perl costs: 1,000 runs of one I/O on the null engine, beside the same
from C. The goal: Python within twice C.

    PYTHONPATH=build/python PERL5LIB=build/perl bindings.py BUILD [--check] [--rounds 7]

The best round of each counts, in turn, for the machine's sake. --check: exit 1 past the goal.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import iobench

RUNS = 1000
SOURCE = pathlib.Path(__file__).resolve().parents[2]
C_PROGRAM = r"""
#include <iobench/iobench.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	struct timespec from, to;
	struct iob_workload *w = iob_workload_new(NULL);
	iob_workload_set(w, "engine", "null", NULL);
	iob_workload_set(w, "size", "1g", NULL);
	iob_workload_set(w, "io_size", "4k", NULL);
	iob_workload_set(w, "runtime", "0", NULL);
	uint64_t ios = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < 1000; i++) {
		struct iob_result *r = iob_workload_run(w, NULL);
		ios += iob_result_count(r, IOB_OP_READ, IOB_COUNT_IOS);
		iob_result_free(r);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.9f\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
	return ios != 1000;
}
"""
PERL_PROGRAM = """
use Time::HiRes 'time'; use IO::Bench;
my $w = IO::Bench::Workload->new(engine => 'null', size => '1g', io_size => '4k', runtime => 0);
my ($n, $from) = (0, time);
$n += $w->run->read->ios for 1 .. 1000;
print time - $from; die $n if $n != 1000;
"""


def python_seconds():
    w = iobench.Workload(engine="null", size="1g", io_size="4k", runtime=0)
    ios, start = 0, time.perf_counter()
    for _ in range(RUNS):
        ios += w.run().read.ios
    took = time.perf_counter() - start
    assert ios == RUNS
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    lib = options.build.resolve() / "lib"
    with tempfile.TemporaryDirectory() as tmp:
        program = pathlib.Path(tmp, "program")
        program.with_suffix(".c").write_text(C_PROGRAM, encoding="utf-8")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", f"-I{SOURCE}/include",
                        program.with_suffix(".c"), f"-L{lib}", "-liobench", f"-Wl,-rpath,{lib}",
                        "-o", program], check=True)

        def output(*words):
            return float(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)

        ways = {"C": lambda: output(program), "Python": python_seconds}
        if os.environ.get("PERL5LIB"):
            ways["Perl"] = lambda: output("perl", "-e", PERL_PROGRAM)
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(options.rounds):
            for name, way in ways.items():
                best[name] = min(best[name], way())
    for name, took in best.items():
        print(f"{name:8} {took / RUNS * 1e6:8.1f} us a run of one I/O, {took / best['C']:.2f} x C")
    if options.check and best["Python"] > 2 * best["C"]:
        sys.exit("Python takes more than twice C")


main()
