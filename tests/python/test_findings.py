# SPDX-License-Identifier: MIT
"""Findings, recorded results and comparisons in Python."""

import gc
import math
import os
import unittest

import iobench
import support

SEEDS = os.path.join(support.SOURCE, "tests", "unit", "seeds")


def seed(name, **declared):
    return iobench.read(os.path.join(SEEDS, name), **declared)


def rows(result, code):
    return [i + 1 for i, stage in enumerate(result.stages)
            if any(f.code == code for f in stage.findings)]


class Findings(unittest.TestCase):
    def test_of_a_run(self):
        r = iobench.Workload(**support.NULL, runtime=0.2, name="w").run()
        codes = {f.code: f for f in r.findings}
        self.assertIn("short-run", codes)
        f = codes["short-run"]
        self.assertEqual((f.severity, f.where, f.level), ("warning", "w", "workload"))
        self.assertAlmostEqual(f.evidence["elapsed_ns"], r.elapsed_ns, delta=1)
        self.assertRegex(str(f), r"^warning short-run: \d+ ms were measured")
        self.assertEqual(r.findings, r.workloads[0].findings)
        self.assertEqual(r.workloads[0].children[0].findings, [])
        self.assertEqual(r.unchecked, [])
        back = r.to_dict()["stages"][0]["workloads"][0]["findings"]
        self.assertEqual([f.code for f in r.findings], [f["code"] for f in back])

    def test_kinds(self):
        kinds = iobench.findings()
        codes = [k.code for k in kinds]
        self.assertEqual(len(codes), len(set(codes)))
        self.assertIn("throttled", codes)
        for kind in kinds:
            self.assertIn(kind.severity, ("note", "warning", "invalid"))
            self.assertTrue(kind.rule and kind.advice and kind.example and kind.family)


class Recorded(unittest.TestCase):
    def test_xdisk(self):
        r = seed("xdisk-v7000-raw.txt", link_limit="3.2GB/s", round_trip="30us", claim="direct")
        self.assertTrue(r.flags.recorded)
        self.assertEqual(rows(r, "stall"), [78, 79, 80])
        self.assertEqual(rows(r, "block-size-mismatch"), [18, 26, 34, 58, 66, 74])
        self.assertEqual(len(rows(r, "open-flags")), 60)
        self.assertEqual([f.level for f in r.findings if f.code == "incomplete"], ["suite"])
        self.assertIn("throttled", {u.code for u in r.unchecked})
        self.assertEqual(rows(seed("xdisk-v7000-raw.txt"), "above-link"), [])

    def test_fio(self):
        r = seed("fio-azure-ase.txt")
        self.assertEqual(rows(r, "depth-not-reached"), [1, 2])
        self.assertEqual(rows(r, "throttled"), [2, 3])
        f = next(f for f in r.findings if f.code == "depth-not-reached")
        self.assertEqual(f.evidence["asked"], 2048)
        self.assertEqual(r.stages[0].read.latency.percentile(99), 644000)
        self.assertEqual(r.stages[0].effective["recorded_by"], "fio-text")
        with self.assertRaisesRegex(iobench.Error, "the report that was read has others"):
            r.stages[0].read.latency.percentile(98.5)
        plus = seed("a.jp.json")
        self.assertGreater(len(plus.stages[0].read.latency.counts), 100)

    def test_wrong(self):
        with self.assertRaisesRegex(iobench.Error, "looks like none of"):
            iobench.read(__file__)
        with self.assertRaises(iobench.Error):
            seed("fio-azure-ase.txt", claim="honest")
        with self.assertRaises(TypeError):
            iobench.read(__file__, 3)


class Compared(unittest.TestCase):
    def test_halves(self):
        r = seed("xdisk-v7000-raw.txt")
        comparison = iobench.compare(r.stages[:40], r.stages[40:])
        del r
        gc.collect()
        self.assertEqual(len(comparison.cells), 40)
        cell = comparison.cells[9]
        self.assertEqual((cell.found_in, cell.name),
                         ("both", "block_size=8K workers=16 pattern=random read_percent=0"))
        self.assertAlmostEqual(cell.metrics["iops"].ratio, 27052 / 33141, places=5)
        self.assertTrue(math.isnan(cell.metrics["iops"].low))
        self.assertEqual(cell.metrics["iops"].difference, "unknown")
        for format in ("text", "csv", "markdown"):
            self.assertIn("27", comparison.report(format))

    def test_runs(self):
        # A machine that is busy enough cuts few intervals; a longer run has enough of them.
        for runtime in (1.2, 3, 10):
            a = iobench.Workload(**support.NULL, runtime=runtime).run()
            metric = iobench.compare(a, a).cells[0].metrics["iops"]
            self.assertEqual(metric.ratio, 1)
            if len(a.workloads[0].all.intervals) >= 5:
                break
            self.assertEqual(metric.difference, "unknown")
        self.assertEqual(metric.difference, "not shown")
        self.assertLess(metric.low, 1)
        self.assertGreater(metric.high, 1)

    def test_too_short_to_tell(self):
        a = iobench.Workload(**support.NULL, runtime=0, io_size="1m").run()
        metric = iobench.compare(a, a).cells[0].metrics["iops"]
        self.assertEqual((metric.ratio, metric.difference), (1, "unknown"))
        self.assertTrue(math.isnan(metric.low) and math.isnan(metric.high))

    def test_wrong(self):
        a = iobench.Workload(**support.NULL, runtime=0, io_size="1m").run()
        with self.assertRaises(TypeError):
            iobench.compare(a, "b")
        with self.assertRaisesRegex(iobench.Error, "no workload in set B"):
            iobench.compare(a, [])
        with self.assertRaisesRegex(iobench.Error, "no format"):
            iobench.compare(a, a).report("xml")
        with self.assertRaises(TypeError):
            iobench.Comparison()


if __name__ == "__main__":
    unittest.main()
