# SPDX-License-Identifier: MIT
"""Results: the tree, counts, histograms, reports, reading back, merging."""

import json
import math
import os
import unittest
from datetime import datetime, timezone

import iobench
import support
from iobench import Error, Histogram, Result, Suite, Workload

try:
    import numpy
except ImportError:
    numpy = None

COUNTED = dict(support.NULL, io_size="4m", runtime=0)


def _without_workers(told):
    """Workers are not recorded in full, and not read back."""
    for stage in told["stages"]:
        for workload in stage["workloads"]:
            workload["workers"] = []
    return told


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        s = Suite()
        s.add(Workload(**COUNTED, read_percent=100, workers=2, name="reader"))
        s.add(Workload(**dict(COUNTED, io_size="2m"), block_size="8k", name="second"))
        s.next_stage("later")
        s.add(Workload(**COUNTED, name="third"))
        cls.r = s.run()

    def test_levels(self):
        r = self.r
        self.assertEqual((r.level, [c.level for c in r.children]), ("suite", ["stage", "stage"]))
        self.assertEqual(r.stages, r.children)
        self.assertIs(r.children, r.children)
        self.assertEqual([w.level for w in r.workloads], ["workload"] * 3)
        workers = r.workloads[0].children
        self.assertEqual([w.level for w in workers], ["worker", "worker"])
        self.assertEqual(workers[0].children, ())
        self.assertEqual(workers[0].workloads, ())
        self.assertEqual(r.workloads[0].workloads, (r.workloads[0],))
        self.assertEqual(r.children[1].stages, (r.children[1],))
        self.assertEqual(r.children[1].name, "later")

    def test_counts_add_up(self):
        r = self.r
        self.assertEqual([w.read.ios for w in r.workloads], [1024, 256, 1024])
        self.assertEqual([s.read.ios for s in r.stages], [1280, 1024])
        self.assertEqual((r.read.ios, r.read.bytes), (2304, 10 << 20))
        self.assertEqual((r.all.ios, r.write.ios, r.trim.ios, r.sync.ios), (2304, 0, 0, 0))
        self.assertEqual((r.all.errors, r.all.short), (0, 0))
        self.assertEqual(sum(w.read.ios for w in r.workloads[0].children), 1024)
        for node in (r, *r.stages, *r.workloads):
            self.assertAlmostEqual(node.read.iops, node.read.ios / node.elapsed, delta=1)
            self.assertAlmostEqual(node.read.bytes_per_s, node.read.bytes / node.elapsed, delta=1e4)
            self.assertEqual(node.read.latency.count, node.read.ios)
            self.assertEqual(node.read.response.count, node.read.ios)
            self.assertEqual(node.read.submit.count, node.read.ios)

    def test_times(self):
        r = self.r
        self.assertEqual(r.elapsed, r.elapsed_ns / 1e9)
        self.assertEqual(r.elapsed_ns, sum(s.elapsed_ns for s in r.stages))
        self.assertLess(abs((datetime.now(timezone.utc) - r.started).total_seconds()), 100)
        self.assertAlmostEqual(r.started.timestamp(), r.started_ns / 1e9, delta=1e-5)
        self.assertEqual(r.unfinished, 0)
        self.assertEqual(r.flags, iobench.Flags(False, False, False))
        self.assertIsNone(r.error)

    def test_parameters(self):
        w = self.r.workloads[0]
        self.assertEqual((w.params["block_size"], w.params["workers"], w.params["direct"],
                          w.params["runtime"], w.params["engine"], w.params["seed"]),
                         (4096, 2, True, 0.0, "null", 7))
        self.assertIs(type(w.params["runtime"]), float)
        self.assertEqual(set(w.params), {p.name for p in iobench.params()})
        self.assertGreaterEqual(set(w.effective), set(w.params))
        self.assertNotIn("block_size", self.r.params)  # 4k and 8k
        self.assertEqual(self.r.params["engine"], "null")

    def test_repr(self):
        self.assertRegex(repr(self.r), r"^<iobench.Result suite .*: 2304 ios in 0\.\d{3} s, \d+/s>$")
        self.assertRegex(repr(self.r.read), r"^<iobench read: 2304 ios, .* MB/s, 0 failed>$")
        self.assertRegex(repr(self.r.read.latency), r"^<iobench.Histogram of 2304: min \d+, p50 ")
        self.assertEqual(repr(self.r.write.latency), "<iobench.Histogram, empty>")

    def test_reports(self):
        for format in ("text", "xdisk", "json", "csv", "fio-json", "fio-json+", "fio-text"):
            text = self.r.report(format)
            self.assertIs(type(text), str)
            self.assertGreater(len(text), 100)
        self.assertEqual(self.r.to_dict(), json.loads(self.r.report("json")))
        told = self.r.to_dict()["stages"][0]["workloads"][0]
        self.assertEqual((told["name"], told["read"]["ios"]), ("reader", 1024))
        with self.assertRaisesRegex(Error, "json"):
            self.r.report("yaml")
        for wrong in (None, 3, b"json"):
            with self.assertRaises(TypeError):
                self.r.report(wrong)
        with self.assertRaises(ValueError):
            self.r.report("js\0on")

    def test_a_result_is_not_made_nor_changed(self):
        with self.assertRaises(TypeError):
            Result()
        with self.assertRaises(AttributeError):
            self.r.name = "x"
        with self.assertRaisesRegex(TypeError, "cannot be changed"):
            self.r.read.latency.record(1)
        with self.assertRaisesRegex(TypeError, "cannot be changed"):
            self.r.read.latency.merge(Histogram())

    def test_saved_and_read_back(self):
        with support.scratch() as d:
            for path in (os.path.join(d, "r.json"), os.path.join(os.fsencode(d), b"r\xff.json")):
                self.r.save(path)
                again = iobench.read(path)
                self.assertEqual(_without_workers(again.to_dict()),
                                 _without_workers(self.r.to_dict()))
                self.assertEqual(again.read.latency.percentile(99),
                                 self.r.read.latency.percentile(99))
                self.assertEqual(bytes(again.read.latency.counts), bytes(self.r.read.latency.counts))
            self.r.save(os.path.join(d, "r.csv"), "csv")
            with open(os.path.join(d, "r.csv"), encoding="utf-8") as f:
                self.assertEqual(f.read(), self.r.report("csv"))
            broken = os.path.join(d, "broken")
            with open(broken, "w", encoding="utf-8") as f:
                f.write('{\n\n"iobench": ?')
            with self.assertRaises(Error) as caught:
                iobench.read(broken)
            self.assertEqual((caught.exception.file, caught.exception.line), (broken, 3))
            with self.assertRaises(FileNotFoundError):
                iobench.read(os.path.join(d, "missing"))
            for wrong in (None, 0, 1.5):
                with self.assertRaises(TypeError):
                    iobench.read(wrong)
            with self.assertRaises(Error):
                iobench.read(broken, "xml")

    def test_merge(self):
        w = Workload(**COUNTED)
        parts = [w.run() for _ in range(3)]
        whole = iobench.merge(parts)
        self.assertEqual(whole.read.ios, 3 * 1024)
        self.assertEqual(whole.read.latency.count, 3 * 1024)
        self.assertEqual(whole.read.latency.max, max(p.read.latency.max for p in parts))
        self.assertEqual(whole.elapsed_ns, max(p.elapsed_ns for p in parts))
        self.assertEqual(iobench.merge(iter(parts)).read.ios, 3 * 1024)
        with self.assertRaises(Error):
            iobench.merge([])
        with self.assertRaises(Error):
            iobench.merge([parts[0], self.r])
        with self.assertRaises(TypeError):
            iobench.merge([parts[0], None])
        with self.assertRaises(TypeError):
            iobench.merge(None)

    def test_intervals(self):
        r = Workload(**support.NULL, runtime=0.5).run()
        intervals = r.intervals
        self.assertGreater(len(intervals), 2)
        self.assertEqual(sum(i.ios for i in intervals), r.all.ios)
        self.assertEqual(str(intervals), str(r.all.intervals))  # nan is not nan
        first = r.read.intervals[0]
        self.assertEqual(first.start_ns, 0)
        self.assertTrue(first.p50_ns <= first.p99_ns <= first.max_ns, first)
        self.assertTrue(first.mean_ns > 0)
        self.assertTrue(math.isnan(r.write.intervals[0].mean_ns))
        self.assertGreater(first.submit_mean_ns, 0)
        self.assertEqual(r.children[0].children[0].children[0].intervals, [])
        lines = [[int(v) for v in line.split(", ")] for line in r.report("fio-iops-log").splitlines()]
        self.assertEqual({tuple(line[2:]) for line in lines}, {(0, 0, 0)})
        self.assertLessEqual(len(lines), len(intervals))
        self.assertGreater(min(line[1] for line in lines), 0)


class Writes(support.FileCase):
    def test_every_kind(self):
        r = Workload(target=self.path, allow_destroy=True, read_percent=50, trim_percent=20,
                     fsync_every=10, engine="psync", direct=False, io_size="4m", runtime=0).run()
        self.assertEqual(r.all.ios, r.read.ios + r.write.ios + r.trim.ios)
        for kind in (r.read, r.write, r.trim, r.sync):
            self.assertGreater(kind.ios, 0, kind)
            self.assertGreater(kind.latency.percentile(50), 0)
        use, = r.targets
        self.assertEqual((use.path, use.target_bytes, use.errors), (self.path, self.SIZE, 0))
        self.assertEqual(use.bytes, r.all.bytes)
        self.assertGreaterEqual(use.ios, r.all.ios)


class Histograms(unittest.TestCase):
    def test_values_past_2_63(self):
        h = Histogram()
        top = 2**64 - 1
        h.record(top, 2**63 + 5)
        h.record(2**63)
        self.assertEqual((h.min, h.max, h.count), (2**63, top, 2**63 + 6))
        self.assertEqual(h.percentile(100), top)
        self.assertEqual(h.percentile(0), 2**63)
        self.assertEqual(list(h.counts)[0], 1)
        self.assertEqual(list(h.counts)[-1], 2**63 + 5)
        self.assertEqual(h.edges[-1], top)
        with self.assertRaises(Error):
            h.record(1, 2**63)  # more samples than 2^64 - 1
        self.assertEqual(h.count, 2**63 + 6)

    def test_wrong_values(self):
        h = Histogram()
        for wrong in (-1, 2**64, 1.5, None, "3", b"3"):
            with self.assertRaises((TypeError, OverflowError, ValueError), msg=repr(wrong)):
                h.record(wrong)
            with self.assertRaises((TypeError, OverflowError, ValueError), msg=repr(wrong)):
                h.record(1, wrong)
        for wrong in (None, "8", 2.5, b"8"):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                Histogram(wrong)
        for wrong in (0, 15, -3):
            with self.assertRaises(Error):
                Histogram(wrong)
        with self.assertRaises(OverflowError):
            Histogram(2**40)
        with self.assertRaises(OverflowError):
            h.record(2**64)
        with self.assertRaises(TypeError):
            h.merge(None)
        self.assertEqual(h.count, 0)
        h.record(5)
        for wrong in (-1, 100.1, float("nan"), float("inf")):
            with self.assertRaises(Error):
                h.percentile(wrong)
        for wrong in (None, "50", b"50"):
            with self.assertRaises(TypeError):
                h.percentile(wrong)

    def test_percentile_interval(self):
        # Ranks of the binomial distribution, as in tests/unit/hist_interval.c.
        known = {(10, 50): (2, 9), (100, 90): (84, 96), (1000, 99): (983, 997)}
        for (n, p), ends in known.items():
            h = Histogram(14)
            for value in range(1, n + 1):
                h.record(value)
            self.assertEqual(h.percentile_interval(p), ends)
            low, high = h.percentile_interval(p, 0.5)
            self.assertTrue(ends[0] < low <= high < ends[1])
        with self.assertRaisesRegex(Error, "1000 samples are too few for an interval of p99.99"):
            h.percentile_interval(99.99)
        with self.assertRaisesRegex(Error, "not between 0 and 100"):
            h.percentile_interval(101)
        with self.assertRaisesRegex(Error, "confidence 1 is not between 0 and 1"):
            h.percentile_interval(50, 1)
        with self.assertRaises(TypeError):
            h.percentile_interval("50")

    def test_empty(self):
        h = Histogram()
        self.assertEqual((h.count, h.min, h.max, len(h), bool(h)), (0, 0, 0, 0, False))
        self.assertTrue(math.isnan(h.mean) and math.isnan(h.stddev))
        with self.assertRaisesRegex(Error, "no samples"):
            h.percentile(50)
        self.assertEqual((list(h.counts), list(h.edges)), ([], [0]))

    def test_edges_are_contiguous_and_hold_every_sample(self):
        for precision in (1, 5, 8, 14):
            h = Histogram(precision)
            values = [0, 1, 2, 3, 255, 256, 257, 1000, 1001, 65535, 10**6, 10**9]
            for v in values:
                h.record(v, v + 1)
            counts, edges = h.counts, h.edges
            self.assertEqual(len(edges), len(counts) + 1)
            self.assertEqual(list(edges), sorted(set(edges)))
            expected = dict.fromkeys(range(len(counts)), 0)
            at = 0
            for v in values:
                while edges[at + 1] <= v:
                    at += 1
                expected[at] += v + 1
            self.assertEqual(list(counts), list(expected.values()), precision)
            self.assertTrue(edges[0] <= 0 and 10**9 < edges[-1] <= 10**9 * (1 + 2**-precision) + 1)

    def test_memory(self):
        h = Histogram()
        h.record(1000, 3)
        counts, edges = h.counts, h.edges
        self.assertEqual((counts.format, counts.itemsize, counts.readonly), ("Q", 8, True))
        h.record(2000)
        self.assertEqual(sum(counts), 3)  # what was taken stays
        self.assertEqual(sum(h.counts), 4)
        del h
        self.assertEqual((list(counts), list(edges)), ([3], [1000, 1002]))

    def test_merge(self):
        a, b, both = Histogram(), Histogram(), Histogram()
        for i in range(1000):
            (a if i % 3 else b).record(i * i)
            both.record(i * i)
        a.merge(b)
        self.assertEqual((list(a.counts), list(a.edges)), (list(both.counts), list(both.edges)))
        self.assertEqual((a.mean, a.stddev), (both.mean, both.stddev))
        with self.assertRaisesRegex(Error, "precision"):
            Histogram(10).merge(a)
        coarse = Histogram(4)
        coarse.merge(a)
        self.assertEqual((coarse.count, coarse.max, coarse.precision), (1000, 999**2, 4))

    @unittest.skipUnless(numpy, "no numpy (python3-numpy)")
    def test_numpy_takes_it_without_a_copy(self):
        r = Workload(**COUNTED).run()
        h = r.read.latency
        counts = h.counts
        array = numpy.asarray(counts)
        self.assertEqual(array.dtype, numpy.uint64)
        bytes_ = numpy.frombuffer(counts.obj, numpy.uint8)
        self.assertEqual(array.__array_interface__["data"][0],
                         bytes_.__array_interface__["data"][0])
        edges = numpy.asarray(h.edges)
        own = Histogram()
        own.record(edges[0], counts[0])
        self.assertEqual(own.percentile(numpy.float32(50)), edges[0])
        del r, h, counts
        self.assertEqual(int(array.sum()), 1024)
        self.assertTrue((numpy.diff(edges.astype(float)) > 0).all())

    def test_percentiles_are_monotonous_and_within(self):
        r = Workload(**COUNTED).run()
        h = r.read.latency
        last = h.min
        for p in (0, 1, 50, 90, 99, 99.9, 100):
            value = h.percentile(p)
            self.assertTrue(last <= value <= h.max)
            last = value
        self.assertEqual((h.percentile(0), h.percentile(100)), (h.min, h.max))
        self.assertTrue(h.min <= h.mean <= h.max)


if __name__ == "__main__":
    support.main()
