# SPDX-License-Identifier: MIT
"""The type stubs are complete and right, by mypy. ctest: nosan timeout=300"""

import ast
import os
import subprocess
import sys
import unittest

import iobench
import support

GOOD = """
import iobench, pathlib
from datetime import timedelta
w = iobench.Workload(target=["a", b"b", pathlib.Path("c")], block_size={"4k": 60, 65536: 40},
                     runtime=timedelta(seconds=1), direct=False, cpus=[0, 1], pattern="random",
                     allow_destroy=True)
w.block_size = "8k"
n: int = w.queue_depth
s: float = w.runtime
jobs = iobench.load_fio(["--name=a", b"--rw=read", pathlib.Path("job.fio")], create=True)
notes: list[str] = [n.text for n in jobs.notes] + [n.text for n in iobench.load_fio("f").notes]
r = iobench.matrix(w, block_size=["8k"], workers=[1, 2]).run(progress=lambda p: print(p.share))
p99: int = r.read.latency.percentile(99)
for cell in r.workloads:
    iops: float = cell.all.iops
with iobench.start(w) as run:
    snapshot: iobench.Result = run.snapshot()
view: memoryview = r.read.latency.counts
"""
BAD = ["import iobench\\niobench.Workload(blok_size=1)", "import iobench\\niobench.Workload(runtime=None)",
       "import iobench\\niobench.Workload(pattern='zigzag')",
       "import iobench\\niobench.Workload().queue_depth = b'8'",
       "import iobench\\nx: str = iobench.Workload().run().read.ios",
       "import iobench\\niobench.Workload().run(progress=3)", "import iobench\\niobench.load_fio(3)"]


def mypy(code, directory):
    path = os.path.join(directory, "program.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(code)
    return subprocess.run(["mypy", "--strict", "--no-error-summary", "--cache-dir",
                           os.path.join(directory, "cache"), path], capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}, cwd=directory)


class Stubs(unittest.TestCase):
    def stub(self):
        path = os.path.join(os.path.dirname(iobench.__file__), "_workload.pyi")
        with open(path, encoding="utf-8") as f:
            return ast.parse(f.read())

    def test_every_attribute_and_keyword(self):
        cls = next(n for n in self.stub().body
                   if isinstance(n, ast.ClassDef) and n.name == "Workload")
        functions = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
        names = {f.name for f in functions}
        for attribute in vars(iobench.Workload):
            if not attribute.startswith("_"):
                self.assertIn(attribute, names)
        for function in functions:
            if function.name in ("__init__", "copy"):
                keywords = {a.arg for a in function.args.kwonlyargs} | {"target"}
                for p in iobench.params():
                    self.assertIn(p.name, keywords)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(iobench.__file__), "py.typed")))

    def test_mypy(self):
        try:
            subprocess.run(["mypy", "--version"], capture_output=True, check=True)
        except OSError:
            self.skipTest("there is no mypy")
        with support.scratch() as d:
            done = mypy(GOOD, d)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            for code in BAD:
                done = mypy(code.replace("\\n", "\n"), d)
                self.assertEqual(done.returncode, 1, code + done.stdout + done.stderr)
                self.assertIn("program.py:2", done.stdout)


if __name__ == "__main__":
    support.main()
