# SPDX-License-Identifier: MIT
"""Workloads: values and their types, wrong ones, targets, copies, documentation."""

import copy
import decimal
import errno
import math
import os
import pathlib
import pickle
import unittest
from datetime import timedelta
from fractions import Fraction

import iobench
import support
from iobench import Error, ParameterError, Workload

NAN = float("nan")
TABLE = {p.name: p for p in iobench.params()}


class Values(unittest.TestCase):
    def test_natural_types_and_units(self):
        w = Workload(block_size="8k", runtime="500ms", workers="4", direct="no", pattern="sequential")
        self.assertEqual((w.block_size, w.runtime, w.workers, w.direct, w.pattern),
                         (8192, 0.5, 4, False, "sequential"))
        self.assertIs(type(w.block_size), int)
        self.assertIs(type(w.runtime), float)
        self.assertIs(w.direct, False)
        w.block_size, w.runtime, w.workers, w.direct = 4096, 10, 2, True
        self.assertEqual((w.block_size, w.runtime, w.workers, w.direct), (4096, 10.0, 2, True))

    def test_times(self):
        w = Workload()
        for value, seconds in ((10, 10.0), (0.25, 0.25), ("1m", 60.0), ("2", 2.0), (0, 0.0),
                               (timedelta(minutes=1, microseconds=5), 60.000005),
                               (Fraction(1, 4), 0.25), (1e-9, 1e-9), (True + 1, 2.0)):
            w.runtime = value
            self.assertEqual(w.runtime, seconds, value)

    def test_sizes(self):
        w = Workload()
        for value, size in ((4096, 4096), ("1m", 1 << 20), (1e9, 10**9), ("1GB", 10**9),
                            (2**63 - 1, 2**63 - 1)):
            w.size = value
            self.assertEqual(w.size, size, value)
        w.seed = 2**63 - 1
        self.assertEqual(w.seed, 2**63 - 1)

    def test_rates(self):
        rates = [p.name for p in iobench.params() if p.type == "rate"]
        self.assertTrue(rates)
        for name in rates:
            w = Workload()
            for value, rate in ((10**9, 10**9), (3.2e9, 3_200_000_000), ("3.2GB/s", 3_200_000_000),
                                ("500m", 500 << 20)):
                setattr(w, name, value)
                self.assertEqual(getattr(w, name), rate, value)

    def test_mixes(self):
        w = Workload(block_size="4k:60,64k:40")
        self.assertEqual(w.block_size, "4k:60,64k:40")
        w.block_size = {4096: 60, "64k": 40}
        self.assertEqual(w.block_size, "4k:60,64k:40")
        w.block_size = "8k"
        self.assertEqual(w.block_size, 8192)
        self.assertEqual(w.block_size_write, 0)
        w.block_size_write = w.block_size_write
        self.assertEqual(w.block_size_write, 0)

    def test_lists(self):
        w = Workload(percentiles=[50, 99, 99.9], cpus=[0, 1])
        self.assertEqual((w.percentiles, w.cpus), ("50,99,99.9", "0,1"))
        w.cpus, w.percentiles = range(2), 99
        self.assertEqual((w.cpus, w.percentiles), ("0,1", "99"))
        w.cpus = ""
        self.assertEqual(w.cpus, "")

    def test_every_parameter_comes_back(self):
        w = Workload()
        for p in iobench.params():
            value = getattr(w, p.name)
            setattr(w, p.name, value)
            self.assertEqual(getattr(w, p.name), value, p.name)
            self.assertIn(type(value), (int, float, bool, str), p.name)
        self.assertEqual(w, Workload())

    def test_numbers_of_other_kinds(self):
        class Index:
            def __index__(self):
                return 16

        w = Workload(workers=Index())
        self.assertEqual(w.workers, 16)
        w.workers = 3.0
        self.assertEqual(w.workers, 3)
        try:
            import numpy
        except ImportError:
            return
        w.block_size, w.runtime, w.workers = numpy.int64(8192), numpy.float32(0.5), numpy.uint8(2)
        self.assertEqual((w.block_size, w.runtime, w.workers), (8192, 0.5, 2))


class Wrong(unittest.TestCase):
    """Each its own clear exception, and the workload as it was."""

    def refuse(self, kinds, pattern, name, value):
        w = Workload()
        before = getattr(w, name)
        with self.assertRaisesRegex(kinds, pattern, msg=f"{name}={value!r}") as caught:
            setattr(w, name, value)
        self.assertIn(name, str(caught.exception))
        self.assertEqual(getattr(w, name), before)
        with self.assertRaises(kinds):
            Workload(**{name: value})

    def test_wrong_types_of_every_parameter(self):
        for name in TABLE:
            for value in (None, b"8k", object(), 1j, len, bytearray(b"1"), [None], {1: None}):
                self.refuse(TypeError, "", name, value)

    def test_not_a_number(self):
        for name, p in TABLE.items():
            if p.type in ("int", "size", "time", "blocks", "rate"):
                for value in (NAN, math.inf, -math.inf):
                    self.refuse(ValueError, "is no number", name, value)
        self.refuse(ValueError, "too long", "runtime", 1e300)

    def test_negative(self):
        for name, p in TABLE.items():
            if p.type in ("int", "size", "time", "blocks", "rate"):
                for value in (-1, -5.0, -2**70):
                    self.refuse(ParameterError, "below the minimum", name, value)

    def test_too_large(self):
        for name, p in TABLE.items():
            if p.type in ("int", "size", "time", "blocks", "rate"):
                for value in (2**63, 2**64, 10**30):
                    self.refuse(ParameterError, "maximum|too large|large", name, value)

    def test_booleans_are_no_numbers_nor_numbers_booleans(self):
        for name, p in TABLE.items():
            if p.type not in ("bool",):
                self.refuse(TypeError, "bool", name, True)
        self.refuse(ParameterError, "above the maximum", "direct", 2)
        self.refuse(ParameterError, "", "direct", "perhaps")

    def test_fractions(self):
        self.refuse(ValueError, "not whole", "block_size", 4096.5)
        self.refuse(ValueError, "not whole", "workers", 1.5)
        self.refuse(TypeError, "Decimal", "workers", decimal.Decimal(2))
        self.refuse(ParameterError, "fraction", "block_size", "4.5k")

    def test_texts(self):
        for name in TABLE:
            self.refuse(ValueError, "NUL", name, "8k\0")
            self.refuse(ValueError, "half a character", name, "8k\ud800")
        self.refuse(ParameterError, "random, sequential|random.sequential", "pattern", "zigzag")
        self.refuse(ParameterError, "", "percentiles", [101])
        self.refuse(ParameterError, "", "block_size", {"4k": 60})
        self.refuse(ParameterError, "", "runtime", "")

    def test_parameter_error_is_a_value_error_and_an_os_error(self):
        with self.assertRaises(ParameterError) as caught:
            Workload(read_percent=101)
        e = caught.exception
        self.assertIsInstance(e, ValueError)
        self.assertIsInstance(e, Error)
        self.assertIsInstance(e, OSError)
        self.assertEqual((e.errno, e.where), (errno.ERANGE, "read_percent"))

    def test_unknown_names(self):
        w = Workload()
        with self.assertRaisesRegex(AttributeError, 'did you mean "block_size"'):
            w.blok_size = 4096
        with self.assertRaisesRegex(AttributeError, 'did you mean "queue_depth"'):
            w.queue_dept
        with self.assertRaisesRegex(AttributeError, 'did you mean "check"'):
            w.chek()
        with self.assertRaisesRegex(TypeError, 'did you mean "read_percent"'):
            Workload(read_percnt=50)
        with self.assertRaisesRegex(TypeError, 'did you mean "allow_destroy"'):
            Workload(alow_destroy=True)
        for fio, name in (("bs", "block_size"), ("iodepth", "queue_depth"), ("filename", "target")):
            with self.assertRaisesRegex(TypeError, f'did you mean "{name}"'):
                Workload(**{fio: 1})
        with self.assertRaisesRegex(AttributeError, 'did you mean "queue_depth"'):
            w.iodepth = 4
        with self.assertRaisesRegex(TypeError, "there are .*block_size"):
            Workload(xyzzy=1)
        with self.assertRaises(AttributeError):
            w.__nothing__
        with self.assertRaises(AttributeError):
            del w.block_size


class Targets(support.FileCase):
    def test_paths(self):
        other = os.path.join(self.dir, "other")
        w = Workload(target=[self.path, other.encode(), pathlib.Path(self.dir, "third")])
        self.assertEqual([t.path for t in w.targets],
                         [self.path, other, os.path.join(self.dir, "third")])
        self.assertEqual(Workload(target=self.path).targets,
                         [iobench.Target(self.path, False, False, False)])
        self.assertEqual(Workload().targets, [])

    def test_permissions(self):
        w = Workload(target=self.path, allow_destroy=True)
        w.add_target("/tmp/other", create=True, overwrite_signature=True)
        self.assertEqual(w.targets, [iobench.Target(self.path, True, False, False),
                                     iobench.Target("/tmp/other", False, True, True)])
        for wrong in (1, "yes", None, "no"):
            with self.assertRaisesRegex(TypeError, "allow_destroy"):
                Workload(target=self.path, allow_destroy=wrong)

    def test_wrong_paths(self):
        for wrong in (None, 3, 2.5, [None], [3], object(), [["x"]]):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                Workload(target=wrong)
        for wrong in ("a\0b", b"a\0b", ["ok", "\0"]):
            with self.assertRaisesRegex(ValueError, "NUL"):
                Workload(target=wrong)
        with self.assertRaisesRegex(Error, "empty") as caught:
            Workload(target="")
        self.assertEqual(caught.exception.where, "target")
        with self.assertRaisesRegex(Error, "there already"):
            Workload(target=[self.path, self.path])

    def test_a_path_that_is_no_utf8_is_read(self):
        path = os.path.join(os.fsencode(self.dir), b"caf\xe9\xff")
        os.rename(self.path, path)
        for given in (path, os.fsdecode(path)):
            w = Workload(target=given, block_size=4096, io_size=1 << 20, runtime=0, direct=False,
                         engine="psync")
            self.assertEqual(os.fsencode(w.targets[0].path), path)
            r = w.run()
            self.assertEqual(r.read.bytes, 1 << 20)
            self.assertEqual(os.fsencode(r.targets[0].path), path)
            self.assertEqual(r.to_dict()["stages"][0]["workloads"][0]["read"]["bytes"], 1 << 20)
            self.assertIn("caf", repr(w))

    def test_a_missing_one_is_named(self):
        path = os.path.join(os.fsencode(self.dir), b"no\xff")
        with self.assertRaises(Error) as caught:
            Workload(target=path).run()
        e = caught.exception
        self.assertEqual(e.errno, errno.ENOENT)
        self.assertEqual(os.fsencode(e.file), path)
        self.assertEqual(e.filename, e.file)

    def test_check(self):
        Workload(target=self.path).check()
        with self.assertRaises(Error):
            Workload(target=self.path, read_percent=50).check()
        with self.assertRaisesRegex(Error, "target"):
            Workload().check()


class Copies(unittest.TestCase):
    def test_copy(self):
        w = Workload(target="F", allow_destroy=True, block_size="8k")
        c = w.copy(queue_depth=4)
        self.assertEqual((c.queue_depth, c.block_size, c.targets), (4, 8192, w.targets))
        self.assertEqual(w.queue_depth, 1)
        c.block_size = "16k"
        self.assertEqual(w.block_size, 8192)
        self.assertEqual(copy.copy(w), w)
        self.assertEqual(copy.deepcopy(w), w)
        self.assertNotEqual(c, w)
        with self.assertRaises(TypeError):
            w.copy(blok_size=1)

    def test_permission_does_not_follow_to_another_target(self):
        w = Workload(target="F", allow_destroy=True, block_size="8k", cpus="0")
        c = w.copy(target="G", runtime=2)
        self.assertEqual(c.targets, [iobench.Target("G", False, False, False)])
        self.assertEqual((c.block_size, c.cpus, c.runtime), (8192, "0", 2.0))
        with self.assertRaisesRegex(TypeError, "goes with target"):
            w.copy(allow_destroy=True)
        with self.assertRaises(AttributeError):
            w.targets = []

    def test_pickle(self):
        w = Workload(target=[b"a\xff", "b"], create=True, block_size="4k:60,64k:40", runtime=2)
        w.add_target("c", allow_destroy=True)
        again = pickle.loads(pickle.dumps(w))
        self.assertEqual(again, w)
        self.assertEqual(again.targets, w.targets)

    def test_repr(self):
        w = Workload(target="F", block_size="8k", queue_depth=8, allow_destroy=True)
        self.assertEqual(repr(w), "Workload(target='F', allow_destroy=True, block_size='8k', "
                         "queue_depth='8')")
        self.assertEqual(eval(repr(w)), w)

    def test_subclass(self):
        class Mine(Workload):
            def __init__(self, **params):
                super().__init__(**params)
                self.note = "x"

        self.assertEqual(Mine(block_size="8k").block_size, 8192)
        self.assertEqual(Mine().note, "x")


class Documentation(unittest.TestCase):
    def test_attributes_are_the_table(self):
        names = set(dir(Workload))
        for p in iobench.params():
            self.assertIn(p.name, names)
            doc = getattr(Workload, p.name).__doc__
            self.assertIn(p.help, doc)
            self.assertIn(f'default "{p.default}"', doc)

    def test_every_public_name_is_documented(self):
        for name in iobench.__all__:
            thing = getattr(iobench, name)
            if name != "version":
                self.assertTrue((thing.__doc__ or "").strip(), name)
            for attribute in dir(thing) if isinstance(thing, type) else ():
                if not attribute.startswith("_") and attribute in vars(thing):
                    doc = getattr(thing, attribute).__doc__
                    is_field = issubclass(thing, tuple) or issubclass(thing, OSError)
                    self.assertTrue(is_field or (doc or "").strip(), f"{name}.{attribute}")

    def test_table(self):
        self.assertEqual([p.name for p in iobench.params()][:3], ["engine", "pattern", "block_size"])
        self.assertEqual(TABLE["pattern"].choices[:2], ("random", "sequential"))
        self.assertEqual(TABLE["read_percent"].max, 100)
        self.assertEqual(TABLE["size"].max, 2**63 - 1)

    def test_engines(self):
        engines = {e.name: e for e in iobench.engines()}
        self.assertEqual(set(engines) & {"null", "psync"}, {"null", "psync"})
        self.assertIsNone(engines["psync"].error)
        self.assertTrue(engines["psync"].sync)
        self.assertTrue(engines["null"].no_target)
        self.assertFalse(engines["psync"].no_target)

    def test_version(self):
        self.assertRegex(iobench.version(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(iobench.__version__, iobench.version())


if __name__ == "__main__":
    support.main()
