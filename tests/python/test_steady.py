# SPDX-License-Identifier: MIT
"""Steady state: the rule, rounds on a file, preconditioning, and what is refused."""

import math
import os
import tempfile
import unittest

import iobench
import support
from iobench import Error, Suite, Workload

LOOSE = dict(window=3, excursion=1e6, slope=1e6)  # that any load meets
NEVER = dict(window=2, excursion=0, slope=0)


class Rule(unittest.TestCase):
    def test_the_specifications_vectors(self):
        s = iobench.steady([100, 102, 98, 101, 99])
        self.assertTrue(s and s.steady and s.round == 5)
        s = iobench.steady([100, 102.5, 105, 107.5, 110])
        self.assertTrue(s.steady)
        self.assertAlmostEqual(s.excursion, 0.0952, places=4)
        self.assertAlmostEqual(s.slope, 0.0952, places=4)
        s = iobench.steady([100, 103, 106, 109, 112])
        self.assertFalse(s)
        self.assertAlmostEqual(s.slope, 0.1132, places=4)
        s = iobench.steady([90, 110, 90, 110, 90])
        self.assertEqual((s.steady, s.round, round(s.slope, 9)), (False, 5, 0))
        self.assertAlmostEqual(s.excursion, 0.2041, places=4)

    def test_too_few_and_others(self):
        s = iobench.steady(range(1, 5))
        self.assertTrue(not s and s.round is None and math.isnan(s.average))
        self.assertEqual(iobench.steady(iter([9, 5, 5]), window=2).round, 3)
        self.assertFalse(iobench.steady([]))

    def test_no_numbers(self):
        for values in ([1, math.nan], [-1], [math.inf]):
            with self.assertRaisesRegex(Error, "round"):
                iobench.steady(values)
        with self.assertRaisesRegex(Error, "2 to 1000"):
            iobench.steady([1], window=1)
        with self.assertRaisesRegex(Error, "limit"):
            iobench.steady([1], slope=-0.1)
        with self.assertRaises(TypeError):
            iobench.steady(["fast"])


class Rounds(support.FileCase):
    def test_steady(self):
        w = Workload(self.path, block_size="4k", runtime=0.15)
        told = []
        r = iobench.until_steady(iobench.matrix(w, block_size=["4k", "8k"]), "latency",
                                 progress=told.append, **LOOSE)
        o = r.rounds
        self.assertEqual((o.metric, o.steady, o.steady_at, o.done, o.max_rounds),
                         ("latency", True, 3, 3, 25))
        self.assertEqual((o.first, o.last, o.window, o.once, o.notes), (1, 3, 3, 0, ()))
        self.assertEqual([cell.name for cell in o.cells], ["block_size=4k", "block_size=8k"])
        self.assertEqual([s.name for s in r.stages], ["block_size=4k", "block_size=8k"] * 3)
        cell = o.cells[1]
        self.assertTrue(cell.tracked and cell.steady and len(cell.values) == 3)
        stages = r.stages[1::2]
        mean = sum(s.read.iops for s in stages) / 3
        self.assertAlmostEqual(cell.read.iops, mean, delta=mean * 1e-9)
        self.assertAlmostEqual(cell.all.bytes_per_s, mean * 8192, delta=mean)
        self.assertAlmostEqual(cell.average, sum(s.all.response.mean for s in stages) / 3, delta=1)
        self.assertTrue(math.isnan(cell.write.iops))
        self.assertTrue(all(p.rounds == 25 and p.round in (1, 2, 3) for p in told if p.round))
        self.assertIsNone(r.stages[0].rounds)
        self.assertIsNone(w.run().rounds)

        with tempfile.NamedTemporaryFile() as f:
            r.save(f.name)
            back = iobench.read(f.name).rounds
        self.assertEqual((back.steady_at, back.cells[0].name), (3, "block_size=4k"))
        for a, b in zip(o.cells, back.cells):
            self.assertEqual(a.values, b.values)
        self.assertEqual(r.to_dict()["rounds"]["cells"][0]["values"][0],
                         float(f"{o.cells[0].values[0]:.15g}"))

    def test_never_steady(self):
        w = Workload(self.path, runtime=0.02)
        r = w.run_until_steady(rounds=3, **NEVER)
        self.assertEqual((r.rounds.steady, r.rounds.steady_at, r.rounds.done), (False, None, 3))
        self.assertIn("steady-state-not-achieved", [f.code for f in r.findings])
        self.assertIn("NOT STEADY  steady state was not achieved in 3 rounds", r.report())

    def test_what_is_tracked_and_what_runs_once(self):
        suite = Suite()
        suite.next_stage("before")
        w = Workload(self.path, runtime=0.02)
        suite.add(w)
        suite.begin_rounds()
        suite.add_matrix(w, queue_depth=[1, 4])
        suite.track("queue_depth=4")
        suite.add_note("made by hand")
        o = suite.run_until_steady(**LOOSE).rounds
        self.assertEqual((o.once, [c.tracked for c in o.cells]), (1, [False, True]))
        self.assertEqual(o.notes, ("made by hand",))
        with self.assertRaisesRegex(ValueError, 'did you mean "queue_depth=4"'):
            suite.track("queue_depth=44")
        with self.assertRaisesRegex(Error, "runs once"):
            suite.track(0)

    def test_an_interrupted_one_has_the_rounds_so_far(self):
        def stop(p):
            if p.round >= 3:
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt) as caught:
            Workload(self.path, runtime=0.3).run_until_steady(rounds=1000, progress=stop, **NEVER)
        r = caught.exception.result
        self.assertGreaterEqual(r.rounds.done, 2)
        self.assertFalse(r.rounds.steady)
        self.assertTrue(r.flags.cancelled)

    def test_refused(self):
        w = Workload(self.path, runtime=0.01)
        with self.assertRaisesRegex(ValueError, "none of iops, bandwidth, latency"):
            w.run_until_steady("speed")
        with self.assertRaisesRegex(ValueError, "0 is no number of rounds"):
            w.run_until_steady(rounds=0)
        with self.assertRaisesRegex(Error, "3 rounds are less than the window"):
            w.run_until_steady(rounds=3)
        with self.assertRaisesRegex(TypeError, "neither"):
            iobench.until_steady(self.path)
        with self.assertRaisesRegex(TypeError, "cannot be called"):
            w.run_until_steady(progress=3)


class Snia(support.FileCase):
    SIZE = (4 << 20) + 8192

    def test_precondition(self):
        with self.assertRaises(Error):
            iobench.precondition(Workload(self.path)).run()
        with open(self.path, "rb") as f:
            before = f.read()
        w = Workload(self.path, allow_destroy=True)
        r = iobench.precondition(w).run()
        self.assertEqual(r.write.bytes, 2 * self.SIZE)
        self.assertEqual(os.path.getsize(self.path), self.SIZE)
        with open(self.path, "rb") as f:
            after = f.read()
        self.assertNotEqual(before[-4096:], after[-4096:])
        self.assertNotEqual(before[:4096], after[:4096])

    def test_pts(self):
        w = Workload(self.path, allow_destroy=True, runtime=0.1)
        r = iobench.pts("latency", w, block_sizes=["4k"], purge="none", rounds=5, excursion=1e6,
                        slope=1e6)
        o = r.rounds
        self.assertEqual((o.metric, o.steady, o.once, len(o.cells)), ("latency", True, 2, 3))
        self.assertEqual([c.name for c in o.cells if c.tracked], ["read_percent=0 block_size=4k"])
        self.assertIn("purge: none", o.notes)
        suite = iobench.pts_suite("throughput", w, precondition=False)
        self.assertEqual([s.name for s in suite.stages],
                         ["read_percent=100 block_size=1m", "read_percent=0 block_size=1m"])
        self.assertIn("purge: not done by iobench", [n.text for n in suite.notes])
        with self.assertRaisesRegex(ValueError, "no test"):
            iobench.pts("iop", w)
        with self.assertRaisesRegex(Error, "none of the cells"):
            iobench.pts_suite("iops", w, block_sizes="8k")


if __name__ == "__main__":
    support.main()
