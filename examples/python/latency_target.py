#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""latency_target.py FILE [TARGET]: the most reads a second at which the latency stays within
TARGET (p99=10ms), and what was measured on the way."""
import sys

import iobench

try:
    w = iobench.Workload(target=sys.argv[1:2], arrival="poisson", queue_depth=64, runtime="500ms")
    result = iobench.search(w, sys.argv[2] if len(sys.argv) > 2 else "p99=10ms")
except iobench.Error as e:
    sys.exit(f"latency_target: {e}")
for step, stage in zip(result.search.steps, result.stages):
    print(f"{stage.name:<24} {step.iops:>10.0f} IOPS {step.latency_ns / 1e3:>10.0f} us")
held = result.search.held
print(f"{held} a second" if held else "none")
