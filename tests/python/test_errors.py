# SPDX-License-Identifier: MIT
"""Errors: refused writes, errors of I/O, what an Error tells. ctest: serial"""

import errno
import os
import pickle
import subprocess
import unittest

import iobench
import support
from iobench import Error, Workload


def signature(path):
    with open(path, "rb") as f:
        return f.read()


class Refused(support.FileCase):
    def refused(self, number, **params):
        before = signature(self.path)
        with self.assertRaises(Error) as caught:
            Workload(target=self.path, **params).run()
        e = caught.exception
        self.assertEqual(e.errno, number)
        self.assertEqual(signature(self.path), before)
        return e

    def test_writing_without_permission(self):
        for params in (dict(read_percent=50), dict(trim_percent=10), dict(read_percent=0)):
            e = self.refused(errno.EPERM, **params)
            self.assertEqual((e.where, e.file), ("target", self.path))
            self.assertIn("destroy", e.strerror.lower())
            self.assertIn("target", str(e))

    def test_parameters_against_each_other(self):
        e = self.refused(errno.EINVAL, block_size="8m")
        self.assertEqual(e.where, "block_size")
        e = self.refused(errno.ENOTSUP, engine="mmap")
        self.assertEqual(e.where, "direct")
        with self.assertRaises(Error):
            Workload(target=self.path, engine="warp").run()
        with self.assertRaises(Error) as caught:
            Workload(target=self.dir).run()
        self.assertEqual(caught.exception.errno, errno.EISDIR)

    @unittest.skipUnless(os.getuid() == 0, "devices need root")
    def test_a_mounted_device(self):
        mounted, image = support.testdev("ext4", "32m")[:2]
        with open("/proc/mounts", encoding="utf-8") as f:
            device = next(line.split()[0] for line in f if line.split()[1] == mounted)
        with self.assertRaises(Error) as caught:
            Workload(target=device, allow_destroy=True, overwrite_signature=True, read_percent=0,
                     io_size="4k", runtime=0).run()
        self.assertEqual((caught.exception.errno, caught.exception.where), (errno.EBUSY, "target"))
        self.assertIn("mounted", caught.exception.strerror)

    @unittest.skipUnless(os.getuid() == 0, "devices need root")
    def test_errors_of_io_are_in_the_result(self):
        device, backing = support.testdev("loop", "16m")
        os.truncate(backing, 8 << 20)
        r = Workload(target=device, on_error="continue", io_size="16m", runtime=0,
                     pattern="sequential", block_size="64k").run()
        self.assertTrue(r.flags.errors)
        self.assertEqual(r.read.errors, 128)
        self.assertEqual(r.read.ios, 128)
        e = r.error
        self.assertIsInstance(e, Error)
        self.assertEqual((e.errno, e.where, e.file), (errno.EIO, "read", device))
        self.assertGreaterEqual(e.offset, 8 << 20)
        self.assertRegex(repr(r), "errors>$")
        self.assertEqual(r.to_dict()["stages"][0]["workloads"][0]["error"]["code"], errno.EIO)
        self.assertEqual(r.targets[0].errors, 128)


class Told(unittest.TestCase):
    def test_plot_is_there_when_asked_for(self):
        try:
            self.assertTrue(callable(iobench.plot.cdf))
        except ImportError as e:                        # no AttributeError: it says what is missing
            self.assertIn("matplotlib", str(e))
        with self.assertRaisesRegex(AttributeError, "no attribute 'plott'"):
            iobench.plott

    def test_an_error_in_full(self):
        e = Error(errno.EINVAL, "what", "FILE", "block_size", 7, 3)
        self.assertEqual((e.errno, e.strerror, e.file, e.where, e.offset, e.line, e.result),
                         (errno.EINVAL, "what", "FILE", "block_size", 7, 3, None))
        self.assertEqual(str(e), "block_size: what")
        again = pickle.loads(pickle.dumps(e))
        self.assertEqual((again.args, again.file, again.where, again.offset, again.line),
                         (e.args, e.file, e.where, e.offset, e.line))
        self.assertEqual(str(Error(errno.EIO, "what")), "what")
        self.assertIsNone(Error(errno.EIO, "what", "").file)

    def test_an_os_error(self):
        try:
            Workload(target="/nonexistent").run()
        except OSError as e:
            self.assertEqual(e.errno, errno.ENOENT)
            self.assertEqual(e.filename, "/nonexistent")
        else:
            self.fail("it ran")

    def test_the_private_module_takes_no_nonsense(self):
        c = iobench._workload.c
        w = c.iob_workload_new()
        h = c.iob_hist_new(8)
        for call in (lambda: c.iob_workload_set(None, "a", "b"), lambda: c.iob_workload_set(h, "a", "b"),
                     lambda: c.iob_run_cancel(w), lambda: c.iob_run_start(w),
                     lambda: c.iob_workload_set_str(w, 0, None), lambda: c.iob_result_name(w),
                     lambda: c.iob_suite_add_matrix(c.iob_suite_new(), w, [("a", None)]),
                     lambda: c.iob_suite_add_matrix(c.iob_suite_new(), w, [1]),
                     lambda: c.iob_suite_add_matrix(c.iob_suite_new(), w, None),
                     lambda: c.iob_result_merge([w]), lambda: c.iob_result_merge(None),
                     lambda: c.iob_result_read(None, "json")):
            with self.assertRaises((TypeError, ValueError)):
                call()
        self.assertIsNone(c.iob_param_get(10**6))
        self.assertIsNone(c.engine_name(10**6))


class Environment(unittest.TestCase):
    def test_another_locale(self):
        """Numbers do not follow the locale, and the locale stays as it was."""
        code = ("import locale; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\n"
                "import iobench\n"
                "assert locale.str(0.5) == '0,5'\n"
                "w = iobench.Workload(engine='null', size='1g', runtime='0.25s', percentiles=[99.9])\n"
                "assert w.runtime == 0.25 and w.percentiles == '99.9'\n"
                "r = w.run()\n"
                "assert r.params['runtime'] == 0.25 and r.to_dict()\n"
                "assert locale.str(0.5) == '0,5'\n")
        done = subprocess.run(["/usr/bin/env", os.environ["PYTHON"], "-c", code],
                              capture_output=True, text=True)
        if "unsupported locale" in done.stderr:
            self.skipTest("there is no de_DE.UTF-8")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_ascii_environment(self):
        code = ("import iobench, os\n"
                "w = iobench.Workload(target=b'/nonexistent\\xe9', name='caf\\xe9')\n"
                "assert os.fsencode(w.targets[0].path) == b'/nonexistent\\xe9'\n"
                "assert w.name == 'caf\\xe9', ascii(w.name)\n")
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
            done = subprocess.run([os.environ["PYTHON"], "-c", code], env={**os.environ, **env},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    support.main()
