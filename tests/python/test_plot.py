# SPDX-License-Identifier: MIT
"""Pictures: what is drawn is what was measured. ctest: nosan"""

import io
import math
import os
import sys
import unittest

import support

_config = support.scratch()
os.environ["MPLCONFIGDIR"] = _config.name
try:
    import matplotlib
except ImportError:
    print("skipped: there is no matplotlib (python3-matplotlib)")
    sys.exit(support.SKIPPED)
matplotlib.use("Agg")
import iobench
import iobench.plot as plot
from matplotlib import pyplot

COUNTED = dict(support.NULL, io_size="40m", runtime=0)


class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        w = iobench.Workload(**COUNTED, read_percent=50)
        cls.a, cls.b = w.copy(name="a").run(), w.copy(name="b", queue_depth=8).run()
        cls.m = iobench.matrix(w, block_size=["4k", "64k", "1m"], queue_depth=[1, 8]).run()

    def tearDown(self):
        pyplot.close("all")

    def picture(self, ax):
        out = io.BytesIO()
        ax.figure.savefig(out)
        self.assertGreater(len(out.getvalue()), 5000)
        return [t.get_text() for t in ax.texts]

    def test_cdf(self):
        ax = plot.cdf([self.a, self.b], labels=["one", "two"])
        self.picture(ax)
        self.assertEqual([t.get_text() for t in ax.get_legend().get_texts()], ["one", "two"])
        self.assertEqual(ax.get_xscale(), "log")
        line = ax.lines[0]
        xs, ys = list(line.get_xdata()), list(line.get_ydata())
        self.assertEqual(xs, sorted(xs))
        self.assertEqual(ys, sorted(ys))
        self.assertEqual(xs[-1], self.a.all.latency.max)
        h = self.a.all.latency
        for p in (50, 90, 99, 99.9):
            nines = -math.log10(1 - p / 100)
            at = next(x for x, y in zip(xs, ys) if y >= nines - 1e-9)
            self.assertEqual(at, max(h.percentile(p), 1), p)  # a log axis has no 0
        labels = [t.get_text() for t in ax.get_yticklabels()]
        self.assertEqual(labels[:4], ["0", "90 %", "99 %", "99.9 %"])

    def test_histogram(self):
        ax = plot.histogram([self.a, self.b], op="read", bins=50)
        self.picture(ax)
        self.assertEqual([t.get_text() for t in ax.get_legend().get_texts()], ["a", "b"])
        for stairs in ax.patches:
            values, edges, _ = stairs.get_data()
            self.assertAlmostEqual(sum(values), 1, places=9)
            self.assertEqual(len(edges), 51)
        plot.histogram(self.a, bins=1)
        plot.histogram([self.a.workloads[0]], latency="submit")

    def test_heatmap(self):
        ax = plot.heatmap(self.m, "queue_depth", "block_size", "ios")
        texts = self.picture(ax)
        cells = {(w.params["block_size"], w.params["queue_depth"]): w.all.ios for w in self.m.workloads}
        self.assertEqual(texts, [f"{cells[b, d]:,}" if cells[b, d] >= 100 else f"{cells[b, d]:.3g}"
                                 for b in (4096, 65536, 1 << 20) for d in (1, 8)])
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["4k", "64k", "1m"])
        self.assertEqual([t.get_text() for t in ax.get_xticklabels()], ["1", "8"])
        for value in ("iops", "bytes_per_s", "mean", "p99", "p99.9", "errors",
                      lambda w: w.read.latency.max):
            self.picture(plot.heatmap(self.m, "block_size", "queue_depth", value, op="read"))

    def test_into_given_axes(self):
        _, axes = pyplot.subplots(1, 3)
        self.assertIs(plot.cdf(self.a, axes[0]), axes[0])
        self.assertIs(plot.histogram(self.a, axes[1]), axes[1])
        self.assertIs(plot.heatmap(self.m, "queue_depth", "block_size", ax=axes[2]), axes[2])

    def test_nothing_to_draw(self):
        self.assertIn("no I/O", self.picture(plot.cdf(self.a, op="trim")))
        self.assertIn("no I/O", self.picture(plot.histogram([self.a, self.b], op="sync")))
        self.assertEqual(self.picture(plot.heatmap(self.m, "workers", "direct", "p50", op="trim")), ["\u2013"])
        mixed = [self.a, iobench.Workload(**COUNTED).run()]
        self.picture(plot.cdf(mixed, op="write"))

    def test_one_sample(self):
        one = iobench.Workload(**dict(COUNTED, io_size="4k")).run()
        self.picture(plot.cdf(one))
        self.picture(plot.histogram(one))

    def test_wrong(self):
        for call in (lambda: plot.cdf([]), lambda: plot.cdf(self.a, op="x"),
                     lambda: plot.cdf(self.a, latency="x"), lambda: plot.cdf([self.a], labels=[]),
                     lambda: plot.histogram(self.a, bins=0), lambda: plot.heatmap(self.m, "x", "workers"),
                     lambda: plot.heatmap(self.m, "workers", "direct", "pxx")):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: plot.cdf(None), lambda: plot.cdf(["x"])):
            with self.assertRaises(TypeError):
                call()


class Imports(unittest.TestCase):
    def test_only_plot_needs_matplotlib(self):
        code = ("import sys\nsys.modules['matplotlib'] = None\nsys.modules['numpy'] = None\n"
                "import iobench\niobench.Workload(engine='null', size='1g', runtime=0.01).run()\n"
                "try:\n    import iobench.plot\nexcept ImportError:\n    sys.exit(7)\n")
        import subprocess
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 7)


class Series(unittest.TestCase):
    def test_rates_and_findings(self):
        r = iobench.Workload(**support.NULL, runtime=1.2).run()
        ax = plot.series(r)
        rates = ax.patches[0].get_data().values
        expected = [i.ios / i.length_ns * 1e9 for i in r.all.intervals if i.length_ns]
        self.assertEqual(list(rates), expected)
        self.assertIn("warning: short-run", ax.texts[0].get_text())
        labels = [t.get_text() for t in ax.get_legend().get_texts()]
        self.assertEqual(labels[:2], ["all IOPS", "mean"])
        pyplot.close(ax.figure)

    def test_nothing_and_wrong(self):
        r = iobench.Workload(**COUNTED).run()
        pyplot.close(plot.series(r, op="trim").figure)
        with self.assertRaises(ValueError):
            plot.series(r, op="seek")
        with self.assertRaises(TypeError):
            plot.series("r")


if __name__ == "__main__":
    support.main()
