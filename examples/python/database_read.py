#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a database asks of its data file, read only: is the disk as fast as it was sold?

    database_read.py FILE [--scan 1g] [--runtime 3s] [--create]

A table scan in pages of 16 KiB, one with read-ahead of 128 KiB, and four readers of 8 KiB pages at a
queue depth of 256, which is how the vendors measure their IOPS (they do so for 30 s). --create makes
a missing FILE, filled with data that neither compresses nor is found twice.
"""
import argparse
import sys

import iobench


def arguments():
    parser = argparse.ArgumentParser(description="What a database asks of its data file, read only.")
    parser.add_argument("target", metavar="FILE")
    parser.add_argument("--scan", default="1g", help="bytes that a scan reads")
    parser.add_argument("--runtime", default="3s", help="of the four readers")
    parser.add_argument("--create", action="store_true")
    return parser.parse_args()


def suite(options):
    scan = iobench.Workload(target=options.target, create=options.create, size=options.scan,
                            pattern="sequential", runtime=0, io_size=options.scan)
    s = iobench.Suite()
    for name, block in (("scan 16k", "16k"), ("scan 128k", "128k")):
        s.next_stage(name)
        s.add(scan.copy(name=name, block_size=block))
    s.next_stage("4 readers")
    s.add(iobench.Workload(target=options.target, create=options.create, size=options.scan,
                           name="4 readers", block_size="8k", workers=4, queue_depth=256,
                           runtime=options.runtime))
    return s


def main():
    result = suite(arguments()).run()
    print(f"{'':12} {'s':>7} {'IOPS':>9} {'MB/s':>8} {'mean ms':>9} {'p99 ms':>9} {'in flight':>10}")
    for w in result.workloads:
        read, h = w.read, w.read.latency
        in_flight = read.iops * h.mean / 1e9  # Little's law: what was really outstanding
        print(f"{w.params['name']:12} {w.elapsed:>7.2f} {read.iops:>9.0f} {read.bytes_per_s / 1e6:>8.1f} "
              f"{h.mean / 1e6:>9.3f} {h.percentile(99) / 1e6:>9.3f} {in_flight:>10.1f}")
    if result.flags.errors:
        sys.exit(f"I/O failed: {result.error}")


try:
    main()
except iobench.Error as e:
    sys.exit(f"database_read: {e}")
except KeyboardInterrupt:
    sys.exit(130)
