# SPDX-License-Identifier: MIT
"""The examples do what they say. ctest: serial nosan"""

import glob
import os
import re
import subprocess
import unittest

import support

PYTHON = os.path.join(support.SOURCE, "examples/python")
PERL = os.path.join(support.SOURCE, "examples/perl")


class Examples(support.FileCase):
    SIZE = 16 << 20

    def run_it(self, name, *words, code=0, **env):
        interpreter = os.environ["PYTHON"] if name.endswith(".py") else os.environ.get("PERL")
        if not interpreter:
            self.skipTest("no perl")
        path = os.path.join(PYTHON if name.endswith(".py") else PERL, name)
        done = subprocess.run([interpreter, path, *words], capture_output=True, text=True,
                              cwd=self.dir, env={**os.environ, **env})
        told = f"{name}: {done.stdout}{done.stderr}"
        if code is None:  # any that is not 0: perl's die has its own
            self.assertNotEqual(done.returncode, 0, told)
        else:
            self.assertEqual(done.returncode, code, told)
        return done.stdout + (done.stderr if code != 0 else "")

    def both(self, name, *words, **more):
        for suffix in (".py", ".pl"):
            with self.subTest(name + suffix):
                yield self.run_it(name + suffix, *words, **more)

    def test_hello(self):
        for out in self.both("hello", self.path):
            rate, p99 = re.fullmatch(r"(\d+) reads a second, 99 % of them within (\d+) us\n",
                                     out).groups()
            self.assertTrue(int(rate) > 10 and int(p99) > 0, out)

    def test_matrix(self):
        for out in self.both("matrix", self.path):
            rows = [line.split() for line in out.splitlines()]
            self.assertEqual(rows[0], ["block", "depth", "IOPS", "MB/s", "p99", "us"])
            self.assertEqual([row[:2] for row in rows[1:]],
                             [[b, d] for b in ("4k", "16k", "64k") for d in ("1", "8")])
            for block, _, iops, rate, p99 in rows[1:]:
                expected = float(iops) * int(block[:-1]) * 1024 / 1e6
                self.assertAlmostEqual(float(rate), expected, delta=1 + expected / 100)
                self.assertGreater(float(p99), 0)

    def test_histogram(self):
        for out in self.both("histogram", self.path):
            self.assertEqual(sum(int(line.split()[3]) for line in out.splitlines()), 20000)
            edges = [int(line.split()[1]) for line in out.splitlines()]
            self.assertEqual(edges, sorted(edges))
            self.assertTrue(all(edge & (edge - 1) == 0 for edge in edges))
        try:
            import matplotlib
        except ImportError:
            return
        self.run_it("histogram.py", self.path, "picture.png", MPLBACKEND="Agg",
                    MPLCONFIGDIR=self.dir)
        self.assertGreater(os.path.getsize(os.path.join(self.dir, "picture.png")), 5000)

    def test_open_loop(self):
        line = r"%s +\d+ a second, p99: service +\d+ us, response +\d+ us\n"
        for out in self.both("open_loop", self.path, "200"):
            self.assertRegex(out, line % "closed" + line % "open")
        for out in self.both("open_loop", self.path, "1000000"):
            self.assertRegex(out, r"\n\d{6} more were due and never started\n$")

    def test_until_steady(self):
        lines = self.run_it("until_steady.py", self.path).splitlines()
        rounds = [line for line in lines if line.startswith("round ")]
        self.assertTrue(5 <= len(rounds) <= 15, lines)
        self.assertRegex(lines[len(rounds)], r"^steady (at round \d+|state was not achieved in 15 rounds)$")
        self.assertEqual(len(lines), len(rounds) + 3)
        for line in lines[-2:]:
            self.assertRegex(line, r"^block_size=\d+k +\d+ reads a second, mean of rounds \d+ to \d+$")

    def test_latency_target(self):
        for out in self.both("latency_target", self.path, "mean=50ms"):
            rows = out.splitlines()
            self.assertRegex(rows[0], r"^closed loop +\d+ IOPS +\d+ us$")
            self.assertRegex(rows[1], r"^rate_iops=\d+ +\d+ IOPS +\d+ us$")
            self.assertRegex(rows[-1], r"^(\d+ a second|none)$")

    def test_fio_job(self):
        jobs = os.path.join(self.dir, "jobs.fio")
        with open(jobs, "w", encoding="utf-8") as f:
            f.write(f"[global]\nfilename={self.path}\n[seq]\nbs=64k\n"
                    "[rand]\nstonewall\nrw=randread\nthread\n")
        for name in ("fio_job.py", "fio_job.pl"):
            out = self.run_it(name, "jobs.fio")
            self.assertRegex(out, r"\Aseq +\d+ IOPS +[\d.]+ us p99\nrand +\d+ IOPS +[\d.]+ us p99\n\Z")
        with open(self.path, "rb") as f:
            before = f.read()
        with open(jobs, "a", encoding="utf-8") as f:
            f.write("[wr]\nrw=write\n")
        for name in ("fio_job.py", "fio_job.pl"):
            out = self.run_it(name, "jobs.fio", code=None)
            self.assertIn("jobs.fio:8: thread has no effect", out)
            self.assertRegex(out, "fio_job: .*ALLOW_DESTROY")
        with open(self.path, "rb") as f:
            self.assertEqual(f.read(), before)

    def test_a_missing_file(self):
        for name in ("hello", "matrix", "histogram", "latency_target", "fio_job"):
            self.assertRegex(self.run_it(name + ".py", "nowhere", code=1), f"^{name}: .*nowhere")
            self.assertRegex(self.run_it(name + ".pl", "nowhere", code=2), f"^{name}: .*nowhere")

    def test_harness(self):
        for name in ("harness.py", "harness.t"):
            with self.subTest(name):
                slow = dict(TARGET=self.path, RUNTIME="0.3")
                self.run_it(name, **slow, LIMIT_US="10000000")
                out = self.run_it(name, **slow, LIMIT_US="0.001", code=1)
                self.assertIn("p99", out)
                self.assertIn("IOPS", out)  # the report goes with it
                self.run_it(name, TARGET="")  # skipped

    def test_database_read(self):
        path = os.path.join(self.dir, "data")
        out = self.run_it("database_read.py", path, "--create", "--scan", "32m", "--runtime", "300ms")
        rows = {line[:12].strip(): line[12:].split() for line in out.splitlines()[1:]}
        self.assertEqual(list(rows), ["scan 16k", "scan 128k", "4 readers"])
        self.assertEqual(os.path.getsize(path), 32 << 20)
        for name, block in (("scan 16k", 16384), ("scan 128k", 131072)):
            seconds, iops, rate = map(float, rows[name][:3])
            self.assertAlmostEqual(iops * block / 1e6, rate, delta=1 + rate / 100)
            # seconds have two decimals in the table
            blocks = (32 << 20) / block
            self.assertAlmostEqual(seconds * iops, blocks, delta=0.006 * iops + 0.01 * blocks)
            self.assertAlmostEqual(float(rows[name][5]), 1, delta=0.3)
        self.assertTrue(500 < float(rows["4 readers"][5]) <= 1030, out)
        self.assertRegex(self.run_it("database_read.py", "nowhere", code=1), "^database_read: .*nowhere")

    def test_compare_layouts(self):
        other = os.path.join(self.dir, "other")
        with open(other, "wb") as f:
            f.write(os.urandom(self.SIZE))
        with open(self.path, "rb") as f:
            before = f.read()
        words = ["--runtime", "25ms", "--size", "16m", "--names", "RAID 10,RAID 6"]
        out = self.run_it("compare_layouts.py", self.path, other, *words)
        with open(self.path, "rb") as f:
            self.assertEqual(f.read(), before)
        self.assertEqual(len(out.splitlines()), 2 + 12)
        out = self.run_it("compare_layouts.py", self.path, other, *words, "--allow-destroy")
        head, rows = out.splitlines()[:2], [line.split() for line in out.splitlines()[2:]]
        self.assertEqual(head[1].count("RAID 10"), 3)
        self.assertEqual([row[:4] for row in rows],
                         [[b, w, p, r] for b in ("8k", "16k", "1m") for w in ("1", "16")
                          for p in ("random", "sequential") for r in ("100", "0", "50", "80")])
        for row in rows:
            first, second, ratio = float(row[5]), float(row[6]), float(row[7][:-1])
            if first > 100:
                self.assertAlmostEqual(second / first, ratio, delta=0.01 + 0.02 * ratio)
            # The side without I/O; a busy machine may leave out the other in so short a time.
            absent = {"100": row[14:18], "0": row[9:13]}.get(row[3], [])
            self.assertEqual(absent, ["-"] * len(absent), row)
        self.assertRegex(self.run_it("compare_layouts.py", self.path, "nowhere", *words, code=1),
                         "^compare_layouts: .*nowhere")

    def test_all_are_tested(self):
        with open(__file__, encoding="utf-8") as f:
            text = f.read()
        for path in glob.glob(PYTHON + "/*") + glob.glob(PERL + "/*"):
            self.assertIn(os.path.splitext(os.path.basename(path))[0], text)
            self.assertTrue(os.access(path, os.X_OK), path)


if __name__ == "__main__":
    support.main()
