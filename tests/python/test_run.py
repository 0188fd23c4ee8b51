# SPDX-License-Identifier: MIT
"""Runs: progress, callbacks that raise, the non-blocking form, threads, forks. ctest: serial"""

import errno
import gc
import os
import threading
import time
import unittest

import iobench
import support
from iobench import Error, Suite, Workload

LONG = dict(support.NULL, runtime=60)
SLOW = 10 if support.SANITIZED else 2


class Blocking(support.FileCase):
    def test_must_hold(self):
        r = Workload(target=self.path, block_size="8k", read_percent=100, queue_depth=8,
                     runtime=1, direct=False).run()
        self.assertGreater(r.read.iops, 100)
        self.assertTrue(100 < r.read.latency.percentile(99) < 1e9)
        self.assertAlmostEqual(r.elapsed, 1, delta=0.2 * SLOW)

    def test_progress_on_this_thread_about_five_times_a_second(self):
        calls = []

        def progress(p):
            calls.append((threading.get_ident(), time.monotonic(), p))

        r = Workload(**support.NULL, runtime=2).run(progress=progress)
        self.assertEqual({ident for ident, _, _ in calls}, {threading.get_ident()})
        self.assertTrue(5 <= len(calls) <= 12, len(calls))
        shares = [p.share for _, _, p in calls]
        self.assertEqual(shares, sorted(shares))
        last = calls[-1][2]
        self.assertTrue(0.5 < last.share <= 1, last)
        self.assertTrue(0 <= last.eta < 1, last)
        self.assertEqual((last.stage, last.stages, last.done), (0, 1, False))
        self.assertGreater(last.iops.read, 0)
        self.assertEqual(last.iops.all, last.iops.read)
        self.assertEqual(last.iops.write, 0)
        self.assertGreater(last.bytes_per_s.all, last.iops.all)
        self.assertEqual(r.flags, iobench.Flags(cancelled=False, partial=False, errors=False))

    def test_a_callback_that_raises_cancels(self):
        class Stop(Exception):
            pass

        def progress(p):
            nonlocal start
            start = time.monotonic()
            if p.iops.all:
                raise Stop("enough")

        start = 0
        with self.assertRaisesRegex(Stop, "enough") as caught:
            Workload(**LONG).run(progress=progress)
        self.assertLess(time.monotonic() - start, 2 * SLOW)
        r = caught.exception.result
        self.assertTrue(r.flags.cancelled)
        self.assertGreater(r.read.ios, 0)
        self.assertEqual(len(r.workloads), 1)

    def test_an_exception_that_takes_no_attribute(self):
        class Bare(BaseException):
            __slots__ = ()

            def __setattr__(self, name, value):
                raise AttributeError(name)

        def progress(p):
            raise Bare

        with self.assertRaises(Bare):
            Workload(**LONG).run(progress=progress)

    def test_wrong_arguments(self):
        for wrong in (3, "x", []):
            with self.assertRaises(TypeError):
                Workload(**LONG).run(progress=wrong)

    def test_a_stage_that_cannot_start(self):
        w = Workload(target=self.path, runtime=0.1)
        w.run()
        os.unlink(self.path)
        with self.assertRaises(Error) as caught:
            w.run()
        self.assertEqual(caught.exception.errno, errno.ENOENT)

    def test_other_threads_go_on(self):
        count = 0
        stop = threading.Event()

        def spin():
            nonlocal count
            while not stop.is_set():
                count += 1
                time.sleep(0.001)

        thread = threading.Thread(target=spin)
        thread.start()
        try:
            Workload(**support.NULL, runtime=1).run()
        finally:
            stop.set()
            thread.join()
        self.assertGreater(count, 100 // SLOW)  # 1000 on a machine that has nothing else to do


def under_way(run):
    """Waits until it has done I/O, however busy the machine is."""
    while not run.snapshot().read.ios:
        time.sleep(0.02)


class NonBlocking(unittest.TestCase):
    def test_with(self):
        with iobench.start(Workload(**support.NULL, runtime=0.5)) as run:
            self.assertFalse(run.done)
            self.assertFalse(run.wait(0.05))
            snapshot = run.snapshot()
            self.assertTrue(snapshot.flags.partial)
            self.assertIn(run.phase(0, 0), ("waiting", "running"))
            self.assertRaises(IndexError, run.phase, 0, 1)
            self.assertRaises(IndexError, run.phase, 1, 0)
            self.assertRegex(repr(run), r"iobench.Run stage 1/1 .*% done")
        self.assertTrue(run.done)
        self.assertEqual(run.phase(0, 0), "ended")
        r = run.finish()
        self.assertIs(run.finish(), r)
        self.assertFalse(r.flags.partial)
        self.assertGreaterEqual(r.read.ios, snapshot.read.ios)
        self.assertRegex(repr(run), "done>")
        self.assertTrue(run.progress().done)

    def test_cancel(self):
        run = iobench.start(Workload(**LONG))
        under_way(run)
        start = time.monotonic()
        run.cancel()
        r = run.finish()
        self.assertLess(time.monotonic() - start, 1 * SLOW)
        self.assertTrue(r.flags.cancelled)
        self.assertGreater(r.read.ios, 0)

    def test_an_exception_in_the_block(self):
        with self.assertRaises(ZeroDivisionError) as caught:
            with Workload(**LONG).start() as run:
                under_way(run)
                start = time.monotonic()
                1 / 0
        self.assertLess(time.monotonic() - start, 2 * SLOW)
        self.assertTrue(run.done)
        self.assertTrue(caught.exception.result.flags.cancelled)
        self.assertGreater(caught.exception.result.read.ios, 0)

    def test_a_run_that_is_dropped_ends(self):
        start = time.monotonic()
        iobench.start(Workload(**LONG))
        gc.collect()
        self.assertLess(time.monotonic() - start, 2 * SLOW)
        self.assertEqual(_threads(), 1)

    def test_snapshots_while_it_ends(self):
        for _ in range(20):
            run = iobench.start(Workload(**support.NULL, runtime=0.02))
            ios = 0
            while not run.done:
                s = run.snapshot()
                self.assertGreaterEqual(s.read.ios, ios)
                ios = s.read.ios
            self.assertGreaterEqual(run.finish().read.ios, ios)

    def test_any_thread_may_cancel_and_look(self):
        run = iobench.start(Workload(**LONG))
        results = []
        lookers = [threading.Thread(target=lambda: [run.progress() and run.snapshot().read.ios
                                                    for _ in range(50)]) for _ in range(3)]
        waiters = [threading.Thread(target=lambda: results.append(run.finish().read.ios))
                   for _ in range(3)]
        for t in lookers + waiters:
            t.start()
        for t in lookers:
            t.join()
        run.cancel()
        for t in waiters:
            t.join()
        self.assertEqual(len(set(results)), 1)

    def test_a_child_of_fork_leaves_the_parents_run_alone(self):
        run = iobench.start(Workload(**support.NULL, runtime=1))
        pid = os.fork()
        if pid == 0:
            del run
            gc.collect()
            os._exit(7)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 7)
        r = run.finish()
        self.assertFalse(r.flags.cancelled)
        self.assertAlmostEqual(r.elapsed, 1, delta=0.5)


def _threads():
    for _ in range(100):
        n = len(os.listdir("/proc/self/task"))
        if n == 1:
            break
        time.sleep(0.02)
    return n


class Threads(support.FileCase):
    def test_two_at_once(self):
        results = {}

        def measure(name, **params):
            results[name] = Workload(runtime=0.5, name=name, **params).run()

        threads = [threading.Thread(target=measure, args=("null",), kwargs=support.NULL),
                   threading.Thread(target=measure, args=("file",),
                                    kwargs=dict(target=self.path, direct=False))]
        start = time.monotonic()
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertLess(time.monotonic() - start, 0.9 * SLOW)
        for name, r in results.items():
            self.assertGreater(r.read.ios, 0)
            self.assertEqual(r.params["name"], name)

    def test_one_workload_that_others_change_meanwhile(self):
        w = Workload(**support.NULL, io_size="64k", runtime=0)
        stop = threading.Event()

        def change():
            while not stop.is_set():
                w.percentiles = "50,99"
                w.block_size = {"4k": 50, "8k": 50}
                w.block_size = 4096

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(300):
                self.assertGreater(w.run().read.ios, 0)
                w.check()
        finally:
            stop.set()
            thread.join()

    def test_one_suite_that_others_grow_meanwhile(self):
        w = Workload(**support.NULL, io_size="4k", runtime=0)
        s = Suite()
        s.add(w)
        threads = [threading.Thread(target=lambda: [s.add(w) for _ in range(50)]) for _ in range(2)]
        for t in threads:
            t.start()
        for _ in range(10):
            self.assertGreater(s.run().read.ios, 0)
        for t in threads:
            t.join()
        self.assertEqual(len(s.stages[0].workloads), 101)


if __name__ == "__main__":
    support.main()
