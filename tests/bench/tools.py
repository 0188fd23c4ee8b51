# SPDX-License-Identifier: MIT
"""Running what is compared: iobench, fio, the bare loop, and either of them as a process."""
import json
import subprocess

BATCH = ["--iodepth_batch_submit=32", "--iodepth_batch_complete_min=32",
         "--iodepth_batch_complete_max=32"]
# fio's best options, as docs/performance.md has them.
BEST = {
    "null": ["--norandommap=1", *BATCH],
    "io_uring": ["--fixedbufs=1", "--registerfiles=1", "--nonvectored=1", "--norandommap=1",
                 *BATCH],
    "libaio": ["--userspace_reap=1", "--norandommap=1", *BATCH],
    "psync": ["--norandommap=1"],
}


class Failed(Exception):
    """A program that was run did not do what it was asked for."""


def run(command):
    done = subprocess.run([str(a) for a in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\nexit {done.returncode}: "
                     f"{done.stderr.strip()[-600:]}")
    return done.stdout


class Tools:
    """Where the programs are, and how long each is to run."""

    def __init__(self, iobench, programs, seconds):
        self.iobench, self.seconds = iobench, seconds
        self.record, self.bare, self.spawn = (programs[n] for n in ("record", "bare", "spawn"))

    def iobench_ns(self, args):
        """Wall time of the I/O phase over I/Os."""
        node = json.loads(run([self.iobench, "run", *args, "--runtime", f"{self.seconds}s",
                               "--format", "json", "--progress", "never"]))
        node = node["stages"][0]["workloads"][0]
        return node["elapsed_ns"] / node["read"]["ios"]

    def fio_args(self, args):
        return ["fio", "--name=bench", "--rw=randread", "--bs=4k", "--invalidate=0", *args]

    def fio_ns(self, args):
        """The same of fio. It keeps the page cache (invalidate=0), or there were nothing cached."""
        text = run([*self.fio_args(args), "--time_based=1", f"--runtime={self.seconds}",
                    "--output-format=json"])
        side = json.loads(text[text.index("{"):])["jobs"][0]["read"]
        return side["runtime"] * 1e6 / side["total_ios"]

    def bare_ns(self, args):
        engine, depth, *target = args
        return float(run([self.bare, engine, depth, self.seconds / 2, *target]))

    def spawned(self, command, n=1):
        """Of n runs of a process: [(wall ms, peak resident MiB)]."""
        rows = []
        for line in run([self.spawn, n, *command]).splitlines():
            wall, peak, status = map(int, line.split())
            if status:
                raise Failed(f"{' '.join(map(str, command))}: wait status {status}")
            rows.append((wall / 1e6, peak / 1024))
        return rows
