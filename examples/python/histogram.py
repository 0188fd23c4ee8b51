#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""histogram.py FILE [PNG]: the shape of the latency of 20,000 random reads, a line for each octave
from 1 us on; and as a picture, where matplotlib is there."""
import sys

import iobench

try:
    w = iobench.Workload(target=sys.argv[1:2], runtime=0, io_size=20000 * 4096)
    result = w.run()
except iobench.Error as e:
    sys.exit(f"histogram: {e}")

h = result.read.latency
octaves = {}
for count, end in zip(h.counts, h.edges[1:]):
    edge = max(1000 << ((end - 1) // 1000).bit_length(), 1000)
    octaves[edge] = octaves.get(edge, 0) + count
for edge, count in octaves.items():
    if count:
        print(f"under {edge // 1000:>8} us {count:>8} {'#' * (50 * count // h.count)}")

if len(sys.argv) > 2:
    import iobench.plot

    iobench.plot.histogram(result).figure.savefig(sys.argv[2])
