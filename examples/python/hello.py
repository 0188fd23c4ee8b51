#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""hello.py FILE: random reads of 8 KiB for a second."""
import sys

import iobench

try:
    result = iobench.Workload(target=sys.argv[1:], block_size="8k", runtime="1s").run()
except iobench.Error as e:
    sys.exit(f"hello: {e}")
print(f"{result.read.iops:.0f} reads a second, 99 % of them within "
      f"{result.read.latency.percentile(99) / 1e3:.0f} us")
