# SPDX-License-Identifier: MIT
"""A real SIGINT to a running child; also while the kernel holds its I/O. ctest: serial"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

import support

SLOW = 5 if support.SANITIZED else 1
CHILD = """
import iobench, json, os, sys, time
w = iobench.Workload(**json.loads(sys.argv[1]))
if sys.argv[2] != "none":
    def progress(p):
        if p.in_flight:
            print("running", flush=True)
else:
    progress = None
    print("running", flush=True)
def told(e):
    r = e.result
    print(json.dumps({"took": time.monotonic(), "ios": r.read.ios, "unfinished": r.unfinished,
                      "flags": r.flags._asdict()}), flush=True)
try:
    if sys.argv[2] == "with":
        with iobench.start(w) as run:
            while not run.wait(0.1):
                progress(run.progress())
    else:
        w.run(progress=progress)
except KeyboardInterrupt as e:
    told(e)
    # What the kernel still holds is nothing that we wait for.
    sys.stdout.flush()
    if sys.argv[3] == "leave":
        os._exit(130)
    raise
"""


class Interrupt(support.FileCase):
    def interrupt(self, params, how="progress", leave="raise", throttle=None, signals=1):
        def throttled():
            if throttle:
                subprocess.run(["testdev", "throttle", throttle, "100", "100", str(os.getpid())],
                               check=True)

        child = subprocess.Popen([sys.executable, "-c", CHILD, json.dumps(params), how, leave],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 preexec_fn=throttled)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.assertEqual(child.stdout.readline(), "running\n")
        time.sleep(0.7)
        start = time.monotonic()
        for _ in range(signals):
            child.send_signal(signal.SIGINT)
            time.sleep(0.1)
        line = child.stdout.readline()
        while line == "running\n":
            line = child.stdout.readline()
        if not line:
            self.fail(child.stderr.read())
        took = time.monotonic() - start
        told = json.loads(line)
        code = child.wait(timeout=60)
        print(f"{how} {params}: {told} after {took:.2f} s, exit {code}")
        return told, took, code

    def test_null(self):
        for how in ("progress", "none", "with"):
            told, took, code = self.interrupt(dict(support.NULL, runtime=60), how)
            self.assertGreater(told["ios"], 0)
            self.assertTrue(told["flags"]["cancelled"])
            self.assertFalse(told["flags"]["partial"])
            self.assertLess(took, 1 * SLOW)
            self.assertEqual(code, -signal.SIGINT)  # python's own way to leave

    def test_a_file(self):
        told, took, _ = self.interrupt(dict(target=self.path, engine="psync", workers=2,
                                            direct=False, runtime=60))
        self.assertGreater(told["ios"], 0)
        self.assertLess(took, 1 * SLOW)

    @unittest.skipUnless(os.getuid() == 0, "throttling a device needs root")
    def test_the_kernel_holds_256_reads(self):
        device = support.testdev("loop", "64m")[0]
        params = dict(target=device, queue_depth=256, engine="libaio", runtime=60)
        try:
            told, took, _ = self.interrupt(params, throttle=device, leave="leave")
        except subprocess.SubprocessError as e:
            self.skipTest(f"throttle: {e}")
        self.assertGreater(told["ios"], 10)
        self.assertGreater(told["unfinished"], 50)
        self.assertTrue(told["flags"]["partial"])
        self.assertLess(took, 2 * SLOW)  # a drain takes longer; a second is what it gets
        told, took, _ = self.interrupt(params, throttle=device, leave="leave", signals=2)
        self.assertGreater(told["unfinished"], 50)
        self.assertLess(took, 0.8 * SLOW)  # the second Ctrl-C does not wait even for that


if __name__ == "__main__":
    support.main()
