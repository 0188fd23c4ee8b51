#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""False alarms: 100 clean runs across engines, depths, block sizes and patterns on a loop device
with written data, and what was found of them. Prints a table in Markdown.

    alarms.py IOBENCH TESTDEV [SECONDS OF A SHORT RUN [SECONDS OF A LONG ONE]]
"""
import collections
import itertools
import json
import os
import subprocess
import sys

SIZE = 256 << 20


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


def make_device(testdev):
    path = subprocess.run([testdev, "loop", str(SIZE)], capture_output=True, text=True,
                          check=True).stdout.split()[0]
    with open(path, "wb") as device:
        for _ in range(SIZE >> 20):
            device.write(os.urandom(1 << 20))
        os.fsync(device.fileno())
    return path


def run(iobench, path, cell, seconds):
    words = [f"--{k.replace('_', '-')}={v}" for k, v in cell.items()]
    done = subprocess.run([iobench, "run", "--target", path, "--allow-destroy", "--format", "json",
                           "--runtime", f"{seconds}s", "--sync", "data", *words],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    suite = json.loads(done.stdout)
    return [f for stage in suite["stages"] for node in (stage, *stage["workloads"])
            for f in node["findings"]]


def main():
    os.environ["IOBENCH_DEV_OWNER"] = str(os.getpid())
    iobench, testdev = sys.argv[1:3]
    short, long = (float(sys.argv[3]) if len(sys.argv) > 3 else 2,
                   float(sys.argv[4]) if len(sys.argv) > 4 else 10)
    path = make_device(testdev)
    found, examples, severity, clean = collections.Counter(), {}, {}, 0
    every, longer = cells()
    for cell, seconds in [(c, short) for c in every] + [(c, long) for c in longer]:
        findings = run(iobench, path, cell, seconds)
        clean += not any(f["severity"] != "note" and f["code"] != "short-run" for f in findings)
        for f in findings:
            found[f["code"]] += 1
            severity[f["code"]] = f["severity"]
            examples.setdefault(f["code"], (cell, f["message"]))
    print(f"{len(every)} runs of {short:g} s and {len(longer)} of {long:g} s; without a warning or "
          f"an invalid finding but short-run: {clean}\n")
    print("| finding | severity | runs | the first |\n|---|---|--:|---|")
    for code, n in found.most_common():
        cell, message = examples[code]
        what = " ".join(str(v) for v in cell.values())
        print(f"| {code} | {severity[code]} | {n} | {what}: {message} |")


main()
