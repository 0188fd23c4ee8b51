# SPDX-License-Identifier: MIT
"""Objects deleted in every order; many runs, and many errors, without growth. ctest: serial timeout=300"""

import gc
import itertools
import os
import unittest
import weakref

import iobench
import support
from iobench import Error, Suite, Workload

ONE = dict(support.NULL, io_size="4k", runtime=0)


def rss_kib():
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


class Order(unittest.TestCase):
    def test_every_order(self):
        """Whatever goes first, what is left still works."""
        def make():
            w = Workload(**dict(ONE, io_size="64k"))
            s = Suite()
            s.add(w)
            run = s.start()
            root = run.finish()
            child = root.children[0].children[0]
            op = child.read
            h = op.latency
            return dict(workload=w, suite=s, run=run, root=root, child=child, op=op, hist=h,
                        counts=h.counts, stage=s.stages[0])

        look = {
            "workload": lambda w: self.assertEqual(w.block_size, 4096),
            "suite": lambda s: self.assertEqual(len(s), 1),
            "run": lambda r: self.assertTrue(r.done and r.finish().read.ios == 16),
            "root": lambda r: self.assertEqual((r.read.ios, r.children[0].read.ios), (16, 16)),
            "child": lambda c: self.assertEqual((c.read.ios, c.children[0].level), (16, "worker")),
            "op": lambda o: self.assertEqual((o.ios, o.latency.count), (16, 16)),
            "hist": lambda h: self.assertTrue(h.count == 16 and h.percentile(50) >= h.min),
            "counts": lambda c: self.assertEqual(sum(c), 16),
            "stage": lambda s: self.assertEqual(s.workloads[0].block_size, 4096),
        }
        names = list(look)
        orders = [o for i, o in enumerate(itertools.permutations(names)) if i % 997 == 0]
        for order in orders:
            held = make()
            for name in order:
                del held[name]
                gc.collect(0)
                for left, thing in held.items():
                    look[left](thing)

    def test_children_only(self):
        names = ["root", "child", "hist"]
        for order in itertools.permutations(names):
            root = Workload(**ONE).run()
            held = {"root": root, "child": root.children[0], "hist": root.children[0].read.latency}
            del root
            for name in order:
                del held[name]
                gc.collect()
                for thing in held.values():
                    self.assertTrue(repr(thing))

    def test_a_run_whose_workload_is_gone(self):
        run = Workload(**dict(support.NULL, runtime=0.2)).start()
        gc.collect()
        self.assertGreater(run.finish().read.ios, 0)

    def test_cycles_are_collected(self):
        class Holder:
            pass

        a = Holder()
        a.result = Workload(**ONE).run()
        a.self = a
        gone = weakref.ref(a.result)
        del a
        gc.collect()
        self.assertIsNone(gone())


class Growth(unittest.TestCase):
    def grows(self, times, action):
        for _ in range(times // 10):
            action()
        gc.collect()
        before = rss_kib()
        for _ in range(times):
            action()
        gc.collect()
        grown = rss_kib() - before
        print(f"{times} times {action.__name__}: {grown} KiB more")
        return grown

    @unittest.skipIf(support.SANITIZED, "a sanitizer keeps freed memory")
    def test_runs(self):
        w = Workload(**ONE)

        def run():
            r = w.run()
            assert r.children[0].children[0].read.latency.counts[0] == 1

        self.assertLess(self.grows(10_000, run), 1024)

    @unittest.skipIf(support.SANITIZED, "a sanitizer keeps freed memory")
    def test_everything_else(self):
        def matter():
            s = iobench.matrix(Workload(**ONE), workers=[1, 2])
            r = s.run()
            r.to_dict(), r.params, r.targets, r.intervals, s.stages, repr(r)
            iobench.merge([r, r])
            with s.start() as run:
                run.progress(), run.snapshot()

        self.assertLess(self.grows(1_000, matter), 1024)

    @unittest.skipIf(support.SANITIZED, "a sanitizer keeps freed memory")
    def test_errors(self):
        w = Workload(target="/nonexistent")
        r = Workload(**ONE).run()

        def fail():
            for wrong in (lambda: Workload(block_size="x" * 300), w.run, w.check, Suite().run,
                          lambda: r.report("x"), lambda: iobench.merge([]),
                          lambda: Workload(target=["a", "b", "a"]),
                          lambda: iobench.matrix(w, workers="1,0"),
                          lambda: r.write.latency.percentile(50)):
                try:
                    wrong()
                except Error:
                    pass
                else:
                    raise AssertionError(wrong)

        self.assertLess(self.grows(3_000, fail), 1024)

    def test_descriptors(self):
        w = Workload(**ONE)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(50):
            w.run()
            iobench.start(w).cancel()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)


if __name__ == "__main__":
    support.main()
