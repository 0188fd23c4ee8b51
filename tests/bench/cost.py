#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""User instructions per I/O, counted by callgrind in the worker's thread.

The difference of two runs of different length, so that neither start nor end is in it; the same
on every machine that has the same compiler and libraries.

    cost.py TOOL FILE [--check] [--lines N]     FILE: 1 MiB, on a file system with a page cache
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

KIB = 1024
CASES = {
    "null": ("null engine, depth 32", 120,
             ["--engine", "null", "--size", "1g", "--queue-depth", "32"]),
    "io_uring": ("io_uring, depth 32, cached file", 165,
                 ["--engine", "io_uring", "--queue-depth", "32", "--direct", "false"]),
    "psync": ("psync, cached file", 150, ["--engine", "psync", "--direct", "false"]),
}
# I/Os of the two runs; the seed fixes the offsets, so the count is the same every time.
SHORT, LONG = 32 * 1024, 96 * 1024


def available():
    return shutil.which("valgrind") is not None


class Profile:
    """What one thread spent, by (file, line) and by the symbol that a line's code is in."""

    def __init__(self, path):
        self.total = 0
        self.lines = collections.Counter()
        self.symbols = set()
        self._names = {}
        self._read(path)

    def _name(self, text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not match:
            return text
        number, name = match.groups()
        return self._names.setdefault(number, name) if name else self._names.get(number, "?")

    def _read(self, path):
        """callgrind's own format: Valgrind manual, "Callgrind Format Specification"."""
        object_, file, function = "", "", ""
        line, skip = 0, False
        kinds = {}
        with open(path, encoding="utf-8", errors="replace") as text:
            for row in text:
                row = row.rstrip("\n")
                if match := re.match(r"(fl|fi|fe|fn|ob|cfi|cfl|cfn|cob)=(.*)", row):
                    key, value = match.groups()
                    kind = {"fn": "fn", "cfn": "fn", "ob": "ob", "cob": "ob"}.get(key, "fl")
                    self._names = kinds.setdefault(kind, {})
                    value = self._name(value)
                    if key in ("fl", "fi", "fe"):
                        file = value
                    elif key == "fn":
                        function = value
                        self.symbols.add(value)
                    elif key == "ob":
                        object_ = value
                elif row.startswith("calls="):
                    skip = True
                elif match := re.match(r"([+-]?\d+|\*) (\d+)", row):
                    place, cost = match.groups()
                    line = line if place == "*" else \
                        line + int(place) if place[0] in "+-" else int(place)
                    if not skip:
                        self.lines[object_, function, file, line] += int(cost)
                        self.total += int(cost)
                    skip = False


def functions_of(path, cache={}):
    """(first line, last line, name) of each function of a C file in the kernel's style."""
    if path in cache:
        return cache[path]
    found, start, name = [], 0, None
    try:
        with open(path, encoding="utf-8", errors="replace") as text:
            for number, row in enumerate(text, 1):
                if match := re.match(r"[A-Za-z_].*?\b(\w+)\(", re.sub(r"__attribute__\(\(.*?\)\) ?",
                                                                     "", row)):
                    start, name = number, match.group(1)
                elif row.startswith("}") and name:
                    found.append((start, number, name))
                    name = None
    except OSError:
        pass
    cache[path] = found
    return found


def function_at(symbol, file, line):
    """The function in the source, also where it was inlined; the symbol where nobody knows."""
    for first, last, name in functions_of(file):
        if first <= line <= last:
            return name
    return symbol


class Cost:
    """Instructions per I/O: of the worker, and by function."""

    def __init__(self, key, short, long_, ios):
        self.key, (self.title, self.goal, _) = key, CASES[key]
        self.per_io = (long_.total - short.total) / ios
        self.functions = collections.Counter()
        self.lines = collections.Counter()
        delta = collections.Counter(long_.lines)
        delta.subtract(short.lines)
        for (object_, symbol, file, line), cost in delta.items():
            name = function_at(symbol, file, line)
            where = os.path.basename(file if "/" in file else object_)
            self.functions[name, where] += cost / ios
            self.lines[name, where, line] += cost / ios

    def top(self, n=12):
        return [(name, where, cost) for (name, where), cost in self.functions.most_common(n)
                if cost >= 0.5]

    def as_dict(self):
        return {"case": self.key, "goal": self.goal, "per_io": self.per_io,
                "functions": [{"function": name, "file": where, "per_io": round(cost, 2)}
                              for name, where, cost in self.top(40)]}


def _callgrind(command, out):
    """Runs it; what each of its threads spent, and its output."""
    command = ["valgrind", "--tool=callgrind", "--separate-threads=yes",
               "--callgrind-out-file=" + out, *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(" ".join(command) + ":\n" + done.stderr)
    return [Profile(path) for path in glob.glob(out + "-*")], done.stdout


def _run(tool, args, ios, out):
    """The worker's thread."""
    threads, report = _callgrind(
        [tool, "run", *args, "--seed", "7", "--runtime", "0", "--io-size", str(ios * 4 * KIB),
         "--format", "json", "--progress", "never"], out)
    counted = json.loads(report)["stages"][0]["workloads"][0]["read"]["ios"]
    if counted != ios:
        raise RuntimeError(f"{counted} I/Os where {ios} were asked for")
    worker = [p for p in threads if "iobi_worker_loop" in p.symbols]
    return worker[0] if len(worker) == 1 else max(threads, key=lambda p: p.total)


def measure(tool, key, file=None):
    """Cost of a case; file is the target where it needs one."""
    args = CASES[key][2] + ([] if key == "null" else ["--target", file])
    with tempfile.TemporaryDirectory(prefix="iobench-cost.") as scratch:
        short = _run(tool, args, SHORT, os.path.join(scratch, "short"))
        long_ = _run(tool, args, LONG, os.path.join(scratch, "long"))
    return Cost(key, short, long_, LONG - SHORT)


def measure_fio(key, file=None):
    """The same of fio with its defaults: of the busiest thread, its job."""
    depth = [] if key == "psync" else ["--iodepth=32"]
    target = [f"--filename={file}", "--size=1m"] if file else ["--size=1g"]
    totals = []
    with tempfile.TemporaryDirectory(prefix="iobench-cost.") as scratch:
        for ios in (SHORT, LONG):
            threads, _ = _callgrind(
                ["fio", "--name=cost", "--thread=1", f"--ioengine={key}", "--rw=randread",
                 "--bs=4k", "--invalidate=0", f"--io_size={ios * 4}k", *depth, *target],
                os.path.join(scratch, str(ios)))
            totals.append(max(p.total for p in threads))
    return (totals[1] - totals[0]) / (LONG - SHORT)


def works(tool, engine):
    """Whether the engine can be used here; a container may forbid io_uring."""
    listed = subprocess.run([tool, "engines"], capture_output=True, text=True, check=True).stdout
    return re.search(rf"^{engine}\s+yes\b", listed, re.M) is not None


def show(cost, lines=0):
    print(f"{cost.title}: {cost.per_io:.1f} instructions per I/O, goal {cost.goal}")
    for name, where, each in cost.top():
        print(f"  {each:7.1f}  {name} ({where})")
    for (name, where, line), each in cost.lines.most_common(lines):
        print(f"  {each:7.2f}  {where}:{line} ({name})")


def main(argv):
    lines = 0
    if "--lines" in argv:
        at = argv.index("--lines")
        lines = int(argv[at + 1])
        del argv[at:at + 2]
    check = "--check" in argv
    places = [a for a in argv if not a.startswith("--")]
    if len(places) != 2:
        sys.exit(__doc__)
    failed = False
    for key in CASES:
        if not works(places[0], key):
            print(f"{key}: not on this machine")
            continue
        cost = measure(places[0], key, places[1])
        show(cost, lines)
        if cost.per_io > cost.goal:
            failed = True
            print(f"{'FAILED' if check else 'over'}: {cost.title}: {cost.per_io:.1f} > {cost.goal}")
    return 1 if failed and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
