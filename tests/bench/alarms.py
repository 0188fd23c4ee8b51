#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""False alarms: 100 clean runs across engines, depths, block sizes and patterns on a loop device
with written data, what was found of them and why, as docs/alarms.md has it. What other programs
did meanwhile is measured, and runs beside busy ones are told apart. Whether the rate did change
where not-steady says so, the device's counters tell, read beside the run. Exit 1: a quiet run has a
warning or an invalid finding that nothing here explains, or a rate changed and nothing says so.

    alarms.py IOBENCH TESTDEV [SECONDS OF A SHORT RUN [SECONDS OF A LONG ONE]]
"""
import collections
import itertools
import json
import os
import subprocess
import sys
import time

import rates

SIZE = 256 << 20
QUIET = 0.05  # of all cores, used by other programs: no more

# Why a clean run here may have it all the same.
WHY = {
    "short-run": "a run of 2 s is under 10 s, which is what it says",
    "few-samples": "2 s of flushed writes are too few for p99.9",
    "depth-one-bound": "half of the runs are at depth 1 on purpose",
    "low-coverage": "2 s of small I/O touch little of 256 MiB",
    "cpu-bound": "a loop device on cached data is as fast as a core",
    "steal": "the hypervisor did take that time: /proc/stat says so",
    "clock": "the machine's clock source is not the TSC",
}
# What a disk that others use, below the loop device's file, does to flushed writes.
BELOW = {
    "stall": "a flush of the disk under the loop device's file took that long",
}
CHANGED = "the rate did change: the device's own counters, read beside the run, say so too"
# What a machine that others use does to a run.
BUSY = {
    "core-wait": "no core was idle: the worker did wait for one",
    "harness-bound": "the worker waited for a core between its I/Os",
    "depth-not-reached": "the worker waited for a core between its I/Os",
    "throttled": "the cores were given out in even slices",
}


def cells():
    """All engines x depth x block x pattern x reads that make sense, 80; then 20 long ones."""
    engines = ("psync", "libaio", "io_uring", "posixaio")
    every = [dict(engine=e, queue_depth=d if e != "psync" else 1, workers=d if e == "psync" else 1,
                  block_size=b, pattern=p, read_percent=r)
             for e, d, b, p, r in itertools.product(
                 engines, (1, 8), ("4k", "64k"), ("random", "sequential"), (100, 0, 50))]
    every = every[:80]
    long = [dict(engine=e, queue_depth=d if e != "psync" else 1, workers=d if e == "psync" else 1,
                 block_size=b, pattern="random", read_percent=100)
            for e, d, b in itertools.product(engines[:3], (1, 4, 16), ("4k", "16k", "128k"))][:20]
    return every, long


def words_of(cell):
    return " ".join(str(v) for v in cell.values())


def make_device(testdev):
    path = subprocess.run([testdev, "loop", str(SIZE)], capture_output=True, text=True,
                          check=True).stdout.split()[0]
    with open(path, "wb") as device:
        for _ in range(SIZE >> 20):
            device.write(os.urandom(1 << 20))
        os.fsync(device.fileno())
    return path


def run(iobench, path, cell, seconds):
    """Its findings, and the device's rate over ten windows of it."""
    words = [f"--{k.replace('_', '-')}={v}" for k, v in cell.items()]
    with rates.Rates(path) as seen:
        done = subprocess.run([iobench, "run", "--target", path, "--allow-destroy", "--format",
                               "json", "--runtime", f"{seconds}s", "--sync", "data", *words],
                              capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    suite = json.loads(done.stdout)
    measured = suite["stages"][0]["elapsed_ns"] / 1e9
    return ([f for stage in suite["stages"] for node in (stage, *stage["workloads"])
             for f in node["findings"]], seen.windows(measured))


def others():
    """CPU ticks of all programs but this one and its children, ended ones by their parents."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        kernel_thread = int(fields[6]) & 0x200000
        if int(pid) != os.getpid() and not kernel_thread:
            total += sum(map(int, fields[11:15]))
    return total


def run_beside(*args):
    """A run's findings and windows, and what share of the cores others used meanwhile."""
    before, start = others(), time.monotonic()
    found, windows = run(*args)
    cores = (others() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
    return found, windows, max(cores, 0) / os.cpu_count()


def why(code, busy, windows):
    """What explains a finding of a run, or None."""
    if code == "not-steady":
        return CHANGED if rates.changed(windows, -rates.CLOSE) else None
    return WHY.get(code) or BELOW.get(code) or (BUSY.get(code) if busy else None)


def as_seen(windows):
    return "the device's counters: excursion {:.0%}, slope {:+.0%}".format(*rates.shape(windows))


class Table:
    def __init__(self):
        self.runs, self.clean = collections.Counter(), collections.Counter()
        self.found, self.first, self.wrong = collections.Counter(), {}, []

    def add(self, cell, findings, windows, busy):
        self.runs[busy] += 1
        self.clean[busy] += not any(f["severity"] != "note" and f["code"] != "short-run"
                                    for f in findings)
        codes = {f["code"]: f for f in findings}
        for code, f in codes.items():
            explained = why(code, busy, windows)
            self.found[code, busy] += 1
            self.first.setdefault(code, (cell, f, explained))
            if not explained and f["severity"] != "note" and (not busy or code == "not-steady"):
                self.wrong.append(f"{words_of(cell)}: {code}: {f['message']}; {as_seen(windows)}")
        if not codes.keys() & {"not-steady", "short-run"} and rates.changed(windows, rates.CLOSE):
            self.wrong.append(f"{words_of(cell)}: no not-steady; {as_seen(windows)}")

    def print(self):
        print(f"| finding | severity | of {self.runs[False]} quiet | of {self.runs[True]} busy "
              "| why | the first |\n|---|---|--:|--:|---|---|")
        for code in sorted(self.first, key=lambda c: -self.found[c, False] - self.found[c, True]):
            cell, f, explained = self.first[code]
            print(f"| {code} | {f['severity']} | {self.found[code, False]} "
                  f"| {self.found[code, True]} | {explained or 'not explained'} "
                  f"| {words_of(cell)}: {f['message']} |")


def main():
    os.environ["IOBENCH_DEV_OWNER"] = str(os.getpid())
    iobench, testdev = sys.argv[1:3]
    short, long = (float(sys.argv[3]) if len(sys.argv) > 3 else 2,
                   float(sys.argv[4]) if len(sys.argv) > 4 else 10)
    path = make_device(testdev)
    every, longer = cells()
    table = Table()
    for cell, seconds in [(c, short) for c in every] + [(c, long) for c in longer]:
        findings, windows, share = run_beside(iobench, path, cell, seconds)
        table.add(cell, findings, windows, share > QUIET)
    print("# False alarms\n")
    print("Clean runs on a loop device with written data, and what was found of them all the same. "
          "Made by\n`tests/bench/alarms.py IOBENCH TESTDEV`.\n")
    print(f"{len(every)} runs of {short:g} s and {len(longer)} of {long:g} s, on {os.cpu_count()} "
          f"cores. Busy are those beside which other programs used more than\n{QUIET:.0%} of all "
          f"cores: {table.runs[True]}. Without a warning or an invalid finding but short-run: "
          f"{table.clean[False]} of {table.runs[False]} quiet\nruns, {table.clean[True]} of "
          f"{table.runs[True]} busy ones.\n")
    table.print()
    if table.wrong:
        sys.exit("not explained:\n" + "\n".join(table.wrong))


main()
