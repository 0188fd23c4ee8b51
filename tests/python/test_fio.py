# SPDX-License-Identifier: MIT
"""Job files and command lines of fio: read, told about, refused, and run on real files."""

import errno
import json
import os
import pathlib
import unittest

import iobench
import support
from iobench import Error


class Jobs(support.FileCase):
    def job(self, text):
        path = os.path.join(self.dir, "job.fio")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def content(self):
        with open(self.path, "rb") as f:
            return f.read()

    def test_a_file(self):
        path = self.job(f"[global]\nfilename={self.path}\nthread\n[a]\nrw=randread\nnumjobs=2\n"
                        "[b]\nstonewall\nbs = 64k\n")
        for jobs in (path, os.fsencode(path), pathlib.Path(path)):
            suite = iobench.load_fio(jobs)
            self.assertEqual([[w.name for w in stage.workloads] for stage in suite.stages],
                             [["a", "a"], ["b"]])
            self.assertEqual([(n.file, n.line) for n in suite.notes], [(path, 3), (path, 9)])
            self.assertIn("thread has no effect", suite.notes[0].text)
        result = suite.run()
        self.assertEqual([(w.name, w.read.ios, w.read.bytes) for w in result.workloads],
                         [("a", 1024, 4 << 20)] * 2 + [("b", 64, 4 << 20)])
        self.assertEqual(result.workloads[0].params["engine"], "psync")

    def test_arguments(self):
        suite = iobench.load_fio(["fio", "--name=a", b"--rw=randread", "--iodepth", "8",
                                  "--filename=" + self.path, "--size=1m"])
        self.assertEqual(suite.notes, [iobench.Note(
            "iodepth=8 runs at depth 1: ioengine=psync does one I/O at a time (as in fio)", None, 0)])
        self.assertEqual(suite.run().read.bytes, 1 << 20)
        self.assertEqual(iobench.load_fio(("--name=a", "--filename=x")).stages[0].name, "a")
        self.assertEqual(iobench.Suite().notes, [])

    def test_reports_as_fio_prints_them(self):
        path = self.job(f"[global]\nfilename={self.path}\n[a]\nrw=randread\nnumjobs=2\n"
                        "group_reporting\npercentile_list=50:99\n[b]\nstonewall\nbs=64k\n")
        result = iobench.load_fio(path).run()
        told = json.loads(result.report("fio-json"))
        self.assertTrue(told["fio version"].startswith("fio-3."))
        self.assertEqual(told["global options"], {"filename": self.path})
        self.assertEqual([(j["jobname"], j["groupid"], j["read"]["total_ios"]) for j in told["jobs"]],
                         [("a", 0, 2048), ("b", 1, 64)])
        self.assertEqual({k: told["jobs"][0]["job options"][k] for k in ("rw", "bs", "iodepth", "numjobs")},
                         {"rw": "randread", "bs": "4k", "iodepth": "1", "numjobs": "2"})
        self.assertEqual(list(told["jobs"][0]["read"]["clat_ns"]["percentile"]), ["50.000000", "99.000000"])
        self.assertEqual(told["jobs"][0]["iodepth_level"]["1"], 100)
        bins = json.loads(result.report("fio-json+"))["jobs"][1]["read"]["clat_ns"]["bins"]
        self.assertEqual(sum(bins.values()), 64)

    def test_and_read_back(self):
        result = iobench.load_fio(["--name=a", "--rw=randread", "--filename=" + self.path]).run()
        back_path = os.path.join(self.dir, "a.json")
        with open(back_path, "w", encoding="utf-8") as f:
            f.write(result.report("fio-json+"))
        back = iobench.read(back_path)
        self.assertEqual((back.read.ios, back.read.bytes), (1024, 4 << 20))
        self.assertAlmostEqual(back.read.iops / result.read.iops, 1, delta=1e-6)
        self.assertAlmostEqual(back.read.latency.mean / result.read.latency.mean, 1, delta=1e-6)
        for p in (1, 50, 99, 99.9):
            self.assertAlmostEqual(back.read.latency.percentile(p) / result.read.latency.percentile(p),
                                   1, delta=1 / 32)

    def test_at_the_same_time_and_in_order(self):
        jobs = iobench.load_fio(self.job(f"[global]\nfilename={self.path}\nruntime=400ms\ntime_based\n"
                                         "[a]\nnumjobs=3\n[b]\nrw=randread\n[c]\nstonewall\n[d]\n"))
        result = jobs.run()
        stages = [[(w.started_ns / 1e9, w.started_ns / 1e9 + w.elapsed) for w in stage.children]
                  for stage in result.children]
        self.assertEqual([len(stage) for stage in stages], [4, 2])
        for stage in stages:  # each begins before the first of them ends
            self.assertLess(max(begin for begin, _ in stage), min(end for _, end in stage))
        self.assertGreaterEqual(min(b for b, _ in stages[1]), max(e for _, e in stages[0]) - 0.01)
        self.assertTrue(all(w.read.ios > 0 for w in result.workloads))

    def test_writing_needs_leave(self):
        before, path = self.content(), self.job(f"[w]\nrw=write\nfilename={self.path}\nsize=1m\n")
        with self.assertRaises(Error) as caught:
            iobench.load_fio(path).run()
        self.assertEqual((caught.exception.errno, caught.exception.file), (errno.EPERM, self.path))
        self.assertEqual(self.content(), before)
        self.assertEqual(iobench.load_fio(path, allow_destroy=True).run().write.bytes, 1 << 20)
        after = self.content()
        self.assertNotEqual(after[:1 << 20], before[:1 << 20])
        self.assertEqual(after[1 << 20:], before[1 << 20:])

    def test_missing_files(self):
        words = ["--name=a", "--directory=" + self.dir, "--size=1m"]
        made = os.path.join(self.dir, "a.0.0")
        with self.assertRaises(Error) as caught:
            iobench.load_fio(words).run()
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertFalse(os.path.exists(made))
        self.assertEqual(iobench.load_fio(words, create=True).run().read.bytes, 1 << 20)
        self.assertEqual(os.path.getsize(made), 1 << 20)

    def test_wrong_jobs(self):
        path = self.job("[a]\nfilename=x\niodept=4\n")
        with self.assertRaisesRegex(Error, 'did you mean "iodepth"') as caught:
            iobench.load_fio(path)
        e = caught.exception
        self.assertEqual((e.errno, e.where, e.file, e.line), (errno.ENOENT, "iodept", path, 3))
        with self.assertRaisesRegex(Error, "not supported: verify_only"):
            iobench.load_fio(["--name=a", "--verify_only"])
        with self.assertRaisesRegex(Error, r"U\+2013 \(en dash\)"):
            iobench.load_fio(["\u2013name=a"])
        with self.assertRaisesRegex(Error, "nowhere"):
            iobench.load_fio(os.path.join(self.dir, "nowhere"))

    def test_wrong_calls(self):
        for wrong in (None, 3, {"--name": "a"}, ["--name=a", 3], [None]):
            with self.assertRaises(TypeError):
                iobench.load_fio(wrong)
        for wrong in ("a\0b", ["--name=a\0b"]):
            with self.assertRaises(ValueError):
                iobench.load_fio(wrong)
        with self.assertRaises(TypeError):
            iobench.load_fio([], create=1)
        with self.assertRaises(TypeError):
            iobench.load_fio([], destroy=True)
        with self.assertRaisesRegex(Error, "there is no job"):
            iobench.load_fio([])

    def test_options(self):
        options = {o.name: o for o in iobench.fio_options()}
        self.assertEqual(options["rw"].alias, "readwrite")
        self.assertEqual(options["rw"].support, "supported")
        self.assertEqual(options["thread"].support, "no effect")
        self.assertEqual(options["zonemode"].support, "refused")
        self.assertGreater(len(options), 200)


if __name__ == "__main__":
    support.main()
