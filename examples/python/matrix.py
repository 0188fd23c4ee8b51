#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""matrix.py FILE: how block size and queue depth change the speed of reads."""
import sys

import iobench

try:
    base = iobench.Workload(target=sys.argv[1:], runtime="200ms")
    result = iobench.matrix(base, block_size=["4k", "16k", "64k"], queue_depth=[1, 8]).run()
except iobench.Error as e:
    sys.exit(f"matrix: {e}")
print(f"{'block':>8} {'depth':>6} {'IOPS':>10} {'MB/s':>8} {'p99 us':>10}")
for cell in result.workloads:
    ran, read = cell.effective, cell.read
    print(f"{ran['block_size'] >> 10:>7}k {ran['queue_depth']:>6} {read.iops:>10.0f} "
          f"{read.bytes_per_s / 1e6:>8.0f} {read.latency.percentile(99) / 1e3:>10.1f}")
