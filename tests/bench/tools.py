# SPDX-License-Identifier: MIT
"""Running what is compared: iobench, fio, the bare loop, and either of them as a process."""
import json
import math
import os
import re
import resource
import signal
import subprocess
import time

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


def _stop(child):
    """As Ctrl-C would: fio then ends its jobs, which are sessions of their own."""
    for number in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.communicate(timeout=10)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def run(command):
    """What a program prints. It and its children end with us."""
    command = [str(a) for a in command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as child:
        try:
            out, errors = child.communicate()
        except BaseException:
            _stop(child)
            raise
    if child.returncode:
        raise Failed(f"{' '.join(command)}\nexit {child.returncode}: {errors.strip()[-600:]}")
    return out


def cpu_ns():
    """Processor time of all programs that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e9


class Tools:
    """Where the programs are, and how long each is to run."""

    def __init__(self, iobench, programs, seconds, cpu=False):
        self.iobench, self.seconds, self.cpu = iobench, seconds, cpu
        self.record, self.bare, self.spawn, self.senses = (
            programs[n] for n in ("record", "bare", "spawn", "senses"))
        self.t_io_uring = programs.get("t_io_uring")

    def _per_io(self, command, read):
        """ns per I/O; read(output) gives the wall time in ns and the I/Os."""
        before = cpu_ns()
        wall, ios = read(run(command))
        return (cpu_ns() - before if self.cpu else wall) / ios

    def iobench_ns(self, args):
        """Wall time of the I/O phase over I/Os."""
        def read(text):
            node = json.loads(text)["stages"][0]["workloads"][0]
            return node["elapsed_ns"], node["read"]["ios"]
        return self._per_io([self.iobench, "run", *args, "--runtime", f"{self.seconds}s",
                             "--format", "json", "--progress", "never"], read)

    def fio_args(self, args):
        return ["fio", "--name=bench", "--rw=randread", "--bs=4k", "--invalidate=0", *args]

    def fio_ns(self, args):
        """The same of fio. It keeps the page cache (invalidate=0), or there were nothing cached."""
        def read(text):
            side = json.loads(text[text.index("{"):])["jobs"][0]["read"]
            return side["runtime"] * 1e6, side["total_ios"]
        return self._per_io([*self.fio_args(args), "--time_based=1", f"--runtime={self.seconds}",
                             "--output-format=json"], read)

    def t_io_uring_ns(self, path):
        """ns per I/O of fio's t/io_uring with fixed buffers and files; it prints its IOPS each
        second, to three digits or more."""
        if not self.t_io_uring:
            raise Failed("fio's source could not be fetched from Debian's archive and built")
        text = run([self.t_io_uring, "-d32", "-s32", "-c32", "-p0", "-B1", "-F1", "-O0", "-n1",
                    "-R1", f"-r{math.ceil(self.seconds) + 1}", path])
        scale = {"": 1, "K": 1e3, "M": 1e6}
        rates = [float(number) * scale[unit]
                 for number, unit in re.findall(r"^IOPS=([\d.]+)([KM]?),", text, re.M)]
        return 1e9 * len(rates) / sum(rates)

    def bare_ns(self, args):
        engine, depth, *target = args
        return self._per_io([self.bare, engine, depth, self.seconds / 2, *target],
                            lambda text: map(int, text.split()))

    def spawned(self, command, n=1):
        """Of n runs of a process: [(wall ms, peak resident MiB)]."""
        rows = []
        for line in run([self.spawn, n, *command]).splitlines():
            wall, peak, status = map(int, line.split())
            if status:
                raise Failed(f"{' '.join(map(str, command))}: wait status {status}")
            rows.append((wall / 1e6, peak / 1024))
        return rows

    @staticmethod
    def anonymous(command):
        """MiB at the most that are the process's own: no page of a library or a file."""
        most = 0
        with subprocess.Popen([str(a) for a in command], stdout=subprocess.DEVNULL) as child:
            while child.poll() is None:
                with open(f"/proc/{child.pid}/status", encoding="utf-8") as status:
                    for line in status:
                        if line.startswith("RssAnon:"):
                            most = max(most, int(line.split()[1]))
                time.sleep(0.01)
        return most / 1024
