# SPDX-License-Identifier: MIT
"""Searches: what they find, what they refuse, how they end. ctest: serial"""

import math
import time
import unittest

import iobench
import support
from iobench import Error, Search, Workload

SHORT = dict(support.NULL, runtime=0.2)


class Answers(unittest.TestCase):
    def test_everything_holds(self):
        r = iobench.search(Workload(**SHORT), "p99=10s", high=5)
        s = r.search
        self.assertEqual((s.answer, s.param, s.held, s.missed), ("everything holds", "queue_depth", 5, None))
        self.assertEqual((s.metric, s.limit_ns, s.op, s.latency), ("p99", 10**10, "all", "service"))
        self.assertEqual((s.low, s.high, s.resolution, s.confidence, s.tries), (1, 5, 2, 95, 3))
        self.assertEqual([step.value for step in s.steps], [1, 2, 4, 5])
        for step, stage in zip(s.steps, r.stages):
            self.assertEqual((step.verdict, step.attempt), ("holds", 1))
            self.assertEqual(stage.name, f"queue_depth={step.value}")
            self.assertEqual(step.ios, stage.all.ios)
            self.assertTrue(0 < step.low_ns <= step.latency_ns <= step.high_ns < 10**10, step)

    def test_a_rate(self):
        w = Workload(**SHORT, arrival="fixed", rate_iops=2000, queue_depth=16)
        s = iobench.search(w, "mean=1s", high=4000, confidence=99, resolution="5%").search
        self.assertEqual((s.param, s.latency, s.metric), ("rate_iops", "response", "mean"))
        self.assertEqual((s.resolution, s.confidence), (5, 99))
        self.assertEqual(s.steps[0].value, 2000)

    def test_nothing_holds_and_why(self):
        w = Workload(**SHORT, arrival="fixed", rate_iops=100)
        s = iobench.search(w, "p99.99=1s", low=100, high=100, tries=2).search
        self.assertEqual((s.answer, s.held, s.missed), ("nothing holds", None, 100))
        # On a busy machine the rate may not have been reached either.
        self.assertLessEqual({step.verdict for step in s.steps}, {"too few", "saturated"})
        self.assertTrue(all(math.isnan(step.high_ns) for step in s.steps))

    def test_it_reads_back_and_others_have_none(self):
        r = iobench.search(Workload(**SHORT), "max=10s", high=2)
        d = r.to_dict()["search"]
        self.assertEqual((d["answer"], d["held"], d["target"]["metric"]), ("everything holds", 2, "max"))
        self.assertIn("everything holds: even queue_depth 2", r.report())
        self.assertIsNone(r.children[0].search)
        self.assertIsNone(Workload(**SHORT).run().search)


class Ends(unittest.TestCase):
    def test_a_callback_that_raises_keeps_the_steps(self):
        class Stop(Exception):
            pass

        def progress(p):
            if p.stage >= 2:
                raise Stop

        with self.assertRaises(Stop) as caught:
            iobench.search(Workload(**dict(SHORT, runtime=0.5)), "p99=10s", progress)
        s = caught.exception.result.search
        self.assertEqual(s.answer, "unfinished")
        self.assertGreaterEqual(s.held, 2)

    def test_in_the_background(self):
        search = Search(Workload(**dict(support.NULL, runtime=30)), "p99=10s")
        with iobench.start(search) as run:
            time.sleep(0.2)
            self.assertEqual(run.progress().name, "queue_depth=1")
            run.cancel()
        r = run.finish()
        self.assertTrue(r.flags.cancelled)
        self.assertEqual(r.search.answer, "unfinished")
        self.assertEqual(r.search.steps[0].verdict, "not judged")


class Refused(unittest.TestCase):
    def test_errors_name_the_setting(self):
        for where, settings in (("latency_target", dict(latency_target="p101=1ms")),
                                ("latency_target", dict(latency_target="p99=1ns")),
                                ("low", dict(low=0)), ("low", dict(low=-3)), ("low", dict(low=5, high=4)),
                                ("over", dict(over="workers")), ("confidence", dict(confidence=0.95)),
                                ("resolution", dict(resolution=float("nan"))),
                                ("op", dict(op="write"))):
            with self.subTest(settings), self.assertRaises(Error) as caught:
                iobench.search(Workload(**SHORT), **{"latency_target": "p99=1ms", **settings})
            self.assertEqual(caught.exception.where, where)

    def test_what_a_step_cannot_be(self):
        for where, params in (("io_size", dict(io_size="1m")), ("runtime", dict(runtime=0)),
                              ("catch_up", dict(arrival="fixed", catch_up=False))):
            with self.subTest(where), self.assertRaises(Error) as caught:
                iobench.search(Workload(**{**SHORT, **params}), "p99=1ms")
            self.assertEqual(caught.exception.where, where)

    def test_types(self):
        for args, settings in (((3, "p99=1ms"), {}), ((Workload(), 5), {}),
                               ((Workload(), "p99=1ms"), dict(low=True)),
                               ((Workload(), "p99=1ms"), dict(low=[])),
                               ((Workload(), "p99=1ms"), dict(lowest=3))):
            with self.assertRaises(TypeError):
                iobench.search(*args, **settings)


if __name__ == "__main__":
    support.main()
