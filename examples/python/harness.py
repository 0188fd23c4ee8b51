#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A unittest that fails where the storage is too slow, or answers too late:

    TARGET=/dev/nvme0n1 LIMIT_US=2000 python3 harness.py
"""
import os
import unittest

import iobench

TARGET = os.environ.get("TARGET", "")
LIMIT_US = float(os.environ.get("LIMIT_US", "1000"))


@unittest.skipUnless(TARGET, "TARGET names no file or device")
class Storage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = iobench.Workload(target=TARGET, block_size="8k", queue_depth=4,
                                      runtime=float(os.environ.get("RUNTIME", "2"))).run()

    def test_no_io_failed(self):
        self.assertFalse(self.result.flags.errors, self.result.error)

    def test_p99(self):
        p99 = self.result.read.latency.percentile(99) / 1e3
        self.assertLess(p99, LIMIT_US, f"p99 is {p99:.0f} us:\n{self.result.report('text')}")


if __name__ == "__main__":
    unittest.main()
