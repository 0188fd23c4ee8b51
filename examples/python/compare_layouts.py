#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The storage matrix on two targets, side by side, as for the same disks in RAID 10 and in RAID 6.

    compare_layouts.py FIRST SECOND [--runtime 1s] [--size 256m] [--allow-destroy] [--names A,B]

Block 8k, 16k, 1m; 1 and 16 workers; random and sequential; 100, 0, 50 and 80 % reads. Without
--allow-destroy, which lets it overwrite both targets, only the reads are run.
"""
import argparse
import sys

import iobench

BLOCKS, WORKERS, PATTERNS, READS = ["8k", "16k", "1m"], [1, 16], ["random", "sequential"], [100, 0, 50, 80]


def arguments():
    parser = argparse.ArgumentParser(description="The storage matrix on two targets.")
    parser.add_argument("targets", nargs=2, metavar="TARGET")
    parser.add_argument("--runtime", default="1s", help="of each cell")
    parser.add_argument("--size", default="256m", help="of the region of each target")
    parser.add_argument("--names", default="first,second")
    parser.add_argument("--allow-destroy", action="store_true")
    return parser.parse_args()


def measure(target, options):
    base = iobench.Workload(target=target, allow_destroy=options.allow_destroy,
                            runtime=options.runtime, size=options.size)
    suite = iobench.matrix(base, block_size=BLOCKS, workers=WORKERS, pattern=PATTERNS,
                           read_percent=READS if options.allow_destroy else [100])

    def progress(p):
        if sys.stderr.isatty():
            print(f"\r{target}: {100 * p.share:.0f} %, stage {p.stage + 1}/{p.stages} ", end="",
                  file=sys.stderr, flush=True)

    return suite.run(progress=progress)


def size(n):
    return f"{n >> 20}m" if n >> 20 else f"{n >> 10}k"


def late(operation):
    """Mean and p99 in ms, or dashes where there was no such I/O."""
    h = operation.latency
    return (f"{h.mean / 1e6:>8.3f} {h.percentile(99) / 1e6:>8.3f}" if h.count else f"{'-':>8} {'-':>8}")


def main():
    options = arguments()
    names = options.names.split(",")
    first, second = (measure(target, options) for target in options.targets)
    print(f"{'':33} | {'IO/s':^27} | {'read ms: mean and p99':^35} | {'write ms: mean and p99':^35}")
    print(f"{'block':>6} {'workers':>7} {'pattern':>10} {'read%':>7} | {names[0]:>9} {names[1]:>9} {'':>7} | "
          + " | ".join(f"{n:>17} {m:>17}" for n, m in [names, names]))
    for a, b in zip(first.workloads, second.workloads):
        p = a.params
        ratio = b.all.iops / a.all.iops if a.all.iops else float("nan")
        print(f"{size(p['block_size']):>6} {p['workers']:>7} {p['pattern']:>10} {p['read_percent']:>7} | "
              f"{a.all.iops:>9.0f} {b.all.iops:>9.0f} {ratio:>6.2f}x | "
              f"{late(a.read)} {late(b.read)} | {late(a.write)} {late(b.write)}")
    if first.flags.errors or second.flags.errors:
        sys.exit(f"I/O failed: {first.error or second.error}")


try:
    main()
except iobench.Error as e:
    sys.exit(f"compare_layouts: {e}")
except KeyboardInterrupt:
    sys.exit(130)
