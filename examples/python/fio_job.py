#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""fio_job.py JOBFILE: runs a job file of fio that only reads, and prints each job's speed."""
import sys

import iobench

try:
    # Without allow_destroy a job that writes is refused, and no file is made.
    suite = iobench.load_fio(sys.argv[1] if len(sys.argv) > 1 else "")
    for note in suite.notes:
        print(f"{note.file}:{note.line}: {note.text}", file=sys.stderr)
    result = suite.run()
except iobench.Error as e:
    sys.exit(f"fio_job: {e}")
for job in result.workloads:
    read = job.read
    print(f"{job.name:<16} {read.iops:8.0f} IOPS {(read.latency.percentile(99) or 0) / 1e3:8.1f} us p99")
