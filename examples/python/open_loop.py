#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""open_loop.py FILE [RATE]: a closed loop finds what the device can do. Half of that, or RATE, is then
asked for by a schedule, and what a client waits is told."""
import sys

import iobench


def tell(name, r):
    print(f"{name:<6} {r.all.iops:7.0f} a second, p99: "
          f"service {r.all.latency.percentile(99) / 1e3:8.0f} us, "
          f"response {r.all.response.percentile(99) / 1e3:8.0f} us")


try:
    w = iobench.Workload(target=sys.argv[1:2], queue_depth=16, runtime=1)
    closed = w.run()
    w.arrival = "poisson"
    w.rate_iops = int(sys.argv[2]) if len(sys.argv) > 2 else int(closed.all.iops / 2)
    opened = w.run()
except iobench.Error as e:
    sys.exit(f"open_loop: {e}")

tell("closed", closed)
tell("open", opened)
if opened.pace.unissued:
    print(f"{opened.pace.unissued} more were due and never started")
