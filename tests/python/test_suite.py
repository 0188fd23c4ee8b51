# SPDX-License-Identifier: MIT
"""Suites, stages, matrices."""

import unittest

import iobench
import support
from iobench import Error, Suite, Workload

QUICK = dict(support.NULL, io_size="64k", runtime=0)


class Stages(unittest.TestCase):
    def test_side_by_side_and_after(self):
        s = Suite()
        s.add(Workload(**QUICK, name="a"))
        s.add(Workload(**QUICK, name="b"))
        s.next_stage("later")
        s.add(Workload(**QUICK, name="c"))
        self.assertEqual(len(s), 2)
        self.assertEqual([[w.name for w in stage.workloads] for stage in s.stages],
                         [["a", "b"], ["c"]])
        self.assertEqual(s.stages[1].name, "later")
        self.assertEqual(repr(s), "<iobench.Suite of 2 stages, 3 workloads>")
        r = s.run()
        self.assertEqual([c.name for c in r.children][1], "later")
        self.assertEqual([w.params["name"] for w in r.workloads], ["a", "b", "c"])
        self.assertEqual(r.read.ios, 3 * 16)

    def test_it_holds_copies(self):
        w = Workload(**QUICK)
        s = Suite()
        s.add(w)
        w.block_size = "16k"
        self.assertEqual(s.stages[0].workloads[0].block_size, 4096)
        s.stages[0].workloads[0].block_size = "32k"
        self.assertEqual(s.stages[0].workloads[0].block_size, 4096)

    def test_wrong(self):
        s = Suite()
        for wrong in (None, "x", s, 3):
            with self.assertRaises(TypeError):
                s.add(wrong)
            with self.assertRaises(TypeError):
                s.add_matrix(wrong, workers=[1])
        for wrong in (3, b"x", []):
            with self.assertRaises(TypeError):
                s.next_stage(wrong)
        with self.assertRaises(ValueError):
            s.next_stage("a\0b")
        with self.assertRaisesRegex(Error, "empty"):
            s.run()
        with self.assertRaises(TypeError):
            iobench.start(None)
        self.assertTrue(s)


class Matrix(unittest.TestCase):
    def test_the_first_axis_varies_slowest(self):
        s = iobench.matrix(Workload(**QUICK), block_size=["4k", 8192], workers=[1, 2],
                           read_percent="100,50")
        cells = [(w.block_size, w.workers, w.read_percent)
                 for stage in s.stages for w in stage.workloads]
        self.assertEqual(cells, [(b, w, r) for b in (4096, 8192) for w in (1, 2) for r in (100, 50)])

    def test_values_of_every_kind(self):
        w = Workload(**QUICK)
        s = iobench.matrix(w, block_size=[{4096: 60, 65536: 40}, "8k"], direct=[True, False],
                           ramp_time=[0.5, "1s"], percentiles=[[50, 99], "99.9"])
        self.assertEqual(len(s), 16)
        last = s.stages[-1].workloads[0]
        self.assertEqual((last.block_size, last.direct, last.ramp_time, last.percentiles),
                         (8192, False, 1.0, "99.9"))
        first = s.stages[0].workloads[0]
        self.assertEqual((first.block_size, first.percentiles), ("4k:60,64k:40", "50,99"))

    def test_one_value(self):
        w = Workload(**QUICK)
        s = iobench.matrix(w, block_size=[{4096: 60, 65536: 40}], workers=2)
        self.assertEqual([w.block_size for w in s.stages[0].workloads], ["4k:60,64k:40"])
        self.assertEqual(s.stages[0].workloads[0].workers, 2)
        self.assertEqual(w.workers, 1)
        self.assertEqual(len(iobench.matrix(w, name=["a;b"])), 1)

    def test_wrong(self):
        w = Workload(**QUICK)
        with self.assertRaisesRegex(TypeError, 'did you mean "block_size"'):
            iobench.matrix(w, blok_size=["4k"])
        with self.assertRaises(ValueError):
            iobench.matrix(w, block_size=[])
        with self.assertRaises(TypeError):
            iobench.matrix(w, block_size=None)
        with self.assertRaises(TypeError):
            iobench.matrix(w, block_size=[None])
        with self.assertRaises(iobench.ParameterError):
            iobench.matrix(w, workers=[1, 0])
        with self.assertRaisesRegex(ValueError, "semicolon"):
            iobench.matrix(w, name=["a;b", "c"])
        with self.assertRaises(Error):
            iobench.matrix(w, block_size="4k,,8k")
        s = Suite()
        with self.assertRaises(Error):
            s.add_matrix(w, workers="1,0")
        self.assertEqual(len(s), 0)

    def test_run(self):
        r = iobench.matrix(Workload(**QUICK), block_size=["4k", "16k"], workers=[1, 4]).run()
        self.assertEqual([(w.effective["block_size"], w.effective["workers"]) for w in r.workloads],
                         [(4096, 1), (4096, 4), (16384, 1), (16384, 4)])
        self.assertEqual([w.read.ios for w in r.workloads], [16, 16, 4, 4])
        self.assertEqual(r.read.bytes, 4 * 65536)


if __name__ == "__main__":
    support.main()
