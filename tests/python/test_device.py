# SPDX-License-Identifier: MIT
"""Devices: what they are, and what they did during a run."""

import gc
import os
import pathlib
import unittest

import iobench
import support
from iobench import Device, Error, Workload


class Files(support.FileCase):
    def test_facts(self):
        d = iobench.device(self.path)
        self.assertEqual((d.path, d.kind), (self.path, "file"))
        self.assertEqual(d.facts["size"], self.SIZE)
        self.assertIn("filesystem", d.facts)
        self.assertEqual((d.users, d.signatures), ([], []))
        self.assertIn(self.path, repr(d))
        self.assertIn("filesystem", d.report())
        self.assertEqual(d.to_dict()["device"]["facts"]["size"], self.SIZE)
        self.assertEqual(iobench.device(pathlib.Path(self.path)).path, self.path)
        self.assertEqual(iobench.device(os.fsencode(self.path)).path, self.path)

    def test_names_that_are_no_text(self):
        path = os.fsencode(self.dir) + b"/a:b \xff\n"
        os.rename(self.path, path)
        self.assertEqual(os.fsencode(iobench.device(path).path), path)

    def test_wrong(self):
        for path, number in (("/nowhere", 2), (self.dir, 21), ("/dev/null", 15), ("", 22)):
            with self.assertRaises(Error) as caught:
                iobench.device(path)
            self.assertEqual((caught.exception.errno, caught.exception.where), (number, "device"))
        for path in (None, 3, 1.5, [], "a\0b"):
            with self.assertRaises((TypeError, ValueError)):
                iobench.device(path)
        with self.assertRaises(Error):
            iobench.device(self.path).report("yaml")
        with self.assertRaises(TypeError):
            iobench.device(self.path).report(None)
        with self.assertRaises(TypeError):
            Device()

    def test_null_engine_has_none(self):
        self.assertEqual(Workload(**support.NULL, io_size="1m", runtime=0).run().devices, [])


class Loop(unittest.TestCase):
    def setUp(self):
        self.path, self.file = support.testdev("loop", "32m", 4096)
        self.name = self.path[len("/dev/"):]

    def test_facts(self):
        d = iobench.device(self.path)
        self.assertEqual((d.path, d.kind, d.about), (self.path, "loop", f"on {self.file}"))
        self.assertEqual(d.facts["logical_block"], 4096)
        self.assertEqual(d.facts["backing_file"], self.file)
        self.assertIs(type(d.facts["read_only"]), bool)
        below = d.below
        del d
        gc.collect()
        self.assertTrue(all(b.path.startswith("/dev/") and b.facts["size"] > 0 for b in below))

    def test_who_uses_it(self):
        fd = os.open(self.path, os.O_RDWR | os.O_EXCL)
        try:
            user, = iobench.device(self.path).users
        finally:
            os.close(fd)
        self.assertEqual(user, ("exclusive", self.path, "", f"{self.path} is open exclusively"))

    def test_what_it_did(self):
        def ios():
            with open(f"/sys/block/{self.name}/stat", encoding="ascii") as f:
                return int(f.read().split()[0])
        before = ios()
        r = Workload(target=self.path, engine="psync", io_size="4m", runtime=0).run()
        use = r.devices[0]
        self.assertEqual((use.name, use.kind, use.depth, use.above), (self.name, "loop", 0, None))
        self.assertEqual(use.read.ios, ios() - before)
        self.assertEqual(use.read.bytes, 4 << 20)
        self.assertEqual(use.read.issued_ios, r.read.ios)
        self.assertEqual((use.foreign_bytes, use.mean_request), (0, 4096.0))
        self.assertEqual(use.requests_per_io, use.read.ios / r.read.ios)
        self.assertIn("target", use.flags)
        self.assertEqual(sum(i.read_ios for i in use.intervals), use.read.ios)
        told = r.to_dict()["stages"][0]["workloads"][0]["devices"]
        self.assertEqual([t["name"] for t in told], [u.name for u in r.devices])
        self.assertEqual(told[0]["read"]["ios"], use.read.ios)
        self.assertEqual(told[0]["below"], list(use.below))
        for u, below in ((use, b) for b in use.below):
            lower, = (x for x in r.devices if x.name == below)
            self.assertEqual(lower.above, u.name)
        for node in (r, *r.stages, *r.workloads, *r.workloads[0].children):
            self.assertEqual(node.devices[0].read, use.read)


if __name__ == "__main__":
    support.main()
