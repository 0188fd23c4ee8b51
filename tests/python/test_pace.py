# SPDX-License-Identifier: MIT
"""Open loops in Python: the schedule, both times, corrected histograms."""

import unittest

import support
from iobench import Error, Histogram, Workload, matrix


class Paced(unittest.TestCase):
    def test_a_schedule_that_is_kept(self):
        r = Workload(**support.NULL, runtime=0.3, arrival="fixed", rate_iops=500).run()
        self.assertEqual(r.pace.asked_iops, 500)
        self.assertEqual(r.pace.starts + r.pace.unissued, 150)
        self.assertEqual(r.all.response.count, r.all.ios)
        self.assertGreaterEqual(r.all.response.max, r.all.latency.max)
        self.assertEqual(r.workloads[0].pace, r.pace)
        told = r.to_dict()["stages"][0]["workloads"][0]["pace"]
        self.assertEqual(list(told), list(r.pace._fields))
        self.assertEqual([told[f] for f in ("starts", "worst_lag_ns")],
                         [r.pace.starts, r.pace.worst_lag_ns])
        self.assertAlmostEqual(told["mean_lag_ns"], r.pace.mean_lag_ns, delta=1)

    def test_one_that_is_not(self):
        r = Workload(**support.NULL, runtime=0.3, arrival="poisson", rate_iops=10**9).run()
        self.assertEqual(r.pace.asked_iops, 1e9)
        self.assertGreater(r.pace.unissued, 10**6)
        self.assertGreater(r.all.response.percentile(50), r.all.latency.percentile(50))
        found = [f for f in r.findings if f.code == "saturated"]
        self.assertEqual(found[0].evidence["unissued"], r.pace.unissued)
        self.assertIn("\n  response  mean ", r.report("text"))
        self.assertIn("response_p99_ns", r.report("csv"))

    def test_a_closed_loop_has_none(self):
        r = Workload(**support.NULL, runtime=0, io_size="4m").run()
        self.assertIsNone(r.pace)
        self.assertEqual(list(r.all.response.counts), list(r.all.latency.counts))

    def test_cells_of_a_matrix(self):
        w = Workload(**support.NULL, runtime=0.1, arrival="fixed", rate_iops=1)
        cells = matrix(w, rate_iops=[100, 400], queue_depth=[1, 8]).run().workloads
        self.assertEqual([c.pace.asked_iops for c in cells], [100, 100, 400, 400])
        with self.assertRaises(Error) as caught:
            matrix(w, rate_iops=[100, 0]).run()
        self.assertEqual(caught.exception.where, "rate_iops")
        self.assertIn("over 0", str(caught.exception))

    def test_what_does_not_go_together(self):
        for where, wrong in (("arrival", dict(rate_iops=100)),
                             ("rate_iops", dict(arrival="fixed")),
                             ("think_time", dict(arrival="fixed", rate_iops=5, think_time="1ms"))):
            with self.assertRaises(Error) as caught:
                Workload(**support.NULL, runtime=0.1, **wrong).run()
            self.assertEqual(caught.exception.where, where)
        with self.assertRaises(Error):
            Workload(rate_iops=-1)


class Corrected(unittest.TestCase):
    def test_the_vector_of_hdrhistogram(self):
        raw, corrected = Histogram(), Histogram()
        raw.record(1000, 10000)
        raw.record(10**8)
        corrected.record_corrected(1000, 10000, count=10000)
        corrected.record_corrected(10**8, 10000)
        self.assertEqual((raw.count, corrected.count), (10001, 20000))
        for h, p, value in ((raw, 99.99, 1000), (corrected, 50, 1000), (corrected, 75, 50e6),
                            (corrected, 90, 80e6), (corrected, 99, 98e6), (corrected, 100, 1e8)):
            self.assertAlmostEqual(h.percentile(p) / value, 1, delta=2**-8)
        self.assertAlmostEqual(corrected.mean, 25_003_000, delta=1e-3)

    def test_edges(self):
        h = Histogram()
        h.record_corrected(10**12, 1)
        self.assertEqual(h.count, 10**12)
        with self.assertRaises(Error):
            h.record_corrected(2**64 - 1, 1)
        h.record_corrected(5, 0)
        self.assertEqual(h.count, 10**12 + 1)
        for wrong in (-1, 2**64, 1.5, None, "3"):
            with self.assertRaises((TypeError, OverflowError, ValueError), msg=repr(wrong)):
                h.record_corrected(1, wrong)
        r = Workload(**support.NULL, runtime=0, io_size="4k").run()
        with self.assertRaises(TypeError):
            r.read.latency.record_corrected(1, 1)


if __name__ == "__main__":
    support.main()
