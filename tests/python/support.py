# SPDX-License-Identifier: MIT
"""What the tests of the Python binding share."""

import os
import subprocess
import sys
import tempfile
import unittest

os.environ["IOBENCH_DEV_OWNER"] = str(os.getpid())
SOURCE = os.environ["IOBENCH_SOURCE"]
BUILD = os.environ["IOBENCH_BUILD"]
SANITIZED = bool(os.environ.get("IOBENCH_SANITIZE"))
NULL = dict(engine="null", size="1g", seed=7)
SKIPPED = 77


def testdev(*words):
    """A device of tests/support/testdev; skips the test where this machine has none."""
    done = subprocess.run(["testdev", *map(str, words)], capture_output=True, text=True)
    if done.returncode == SKIPPED:
        raise unittest.SkipTest("testdev " + " ".join(map(str, words)))
    if done.returncode:
        raise RuntimeError(f"testdev {words}: {done.stderr}")
    return done.stdout.split()


def scratch():
    """A directory that goes with this process."""
    return tempfile.TemporaryDirectory(prefix="iobench-python.")


class FileCase(unittest.TestCase):
    """A test with a file of 4 MiB, self.path."""

    SIZE = 4 << 20

    def setUp(self):
        self._dir = scratch()
        self.addCleanup(self._dir.cleanup)
        self.dir = self._dir.name
        self.path = os.path.join(self.dir, "file")
        with open(self.path, "wb") as f:
            f.write(os.urandom(self.SIZE))


def main():
    """unittest.main, with 77 where every test was skipped."""
    run = unittest.main(module="__main__", exit=False, verbosity=1)
    result = run.result
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0 or result.testsRun == len(result.skipped):
        sys.exit(SKIPPED)
