#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""until_steady FILE: random reads of two block sizes in rounds, until their rates are steady by the
rule of the SNIA Performance Test Specification."""

import sys

import iobench

w = iobench.Workload(target=sys.argv[1], queue_depth=8, runtime=0.2)
result = iobench.until_steady(iobench.matrix(w, block_size=["4k", "64k"]), "iops", rounds=15)

rounds = result.rounds
for i, values in enumerate(zip(*(cell.values for cell in rounds.cells)), 1):
    print(f"round {i:>2}  " + "  ".join(f"{v:>9.0f}" for v in values))
print(f"steady at round {rounds.steady_at}" if rounds.steady else
      f"steady state was not achieved in {rounds.done} rounds")
for cell in rounds.cells:
    print(f"{cell.name:<16} {cell.read.iops:>9.0f} reads a second, mean of rounds "
          f"{rounds.first} to {rounds.last}")
