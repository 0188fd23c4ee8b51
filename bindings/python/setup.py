# SPDX-License-Identifier: MIT
"""Builds the package against an installed libiobench: SWIG, a C compiler, pkg-config iobench."""

import os
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
BINDINGS = os.path.dirname(HERE)
SYSTEM_DIRS = ("/lib", "/usr/lib", "/usr/local/lib")


def pkg_config(*words):
    try:
        return subprocess.check_output(["pkg-config", *words, "iobench"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        sys.exit("iobench is not installed, or PKG_CONFIG_PATH does not name the place of its "
                 "iobench.pc (and pkg-config is needed)")


def run_path(libdir):
    known = any(libdir == d or libdir.startswith(d + "/") for d in SYSTEM_DIRS)
    return [] if known else [libdir]


class BuildExtension(build_ext):
    """SWIG first; then the stub of Workload, from the built module's own table."""

    def build_extension(self, ext):
        os.makedirs(self.build_temp, exist_ok=True)
        wrap = os.path.join(self.build_temp, "_iobench_wrap.c")
        words = ["-DSWIGWORDSIZE64"] if sys.maxsize > 2**32 else []
        subprocess.check_call(
            ["swig", "-python", "-module", "_iobench", "-interface", "_iobench", *words,
             "-I" + BINDINGS, *("-I" + d for d in ext.include_dirs), "-outdir", self.build_temp,
             "-o", wrap, os.path.join(BINDINGS, "iobench.i")])
        ext.sources = [wrap]
        super().build_extension(ext)
        self.write_stub(os.path.dirname(os.path.abspath(self.get_ext_fullpath(ext.name))))

    def write_stub(self, package):
        path = os.pathsep.join([os.path.dirname(package), os.environ.get("PYTHONPATH", "")])
        subprocess.check_call(
            [sys.executable, os.path.join(HERE, "stubs.py"), os.path.join(package, "_workload.pyi")],
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"})


LIBDIR = pkg_config("--variable=libdir")
setup(
    version=pkg_config("--modversion"),
    packages=["iobench"],
    package_data={"iobench": ["py.typed", "*.pyi"]},
    cmdclass={"build_ext": BuildExtension, "build_py": build_py},
    ext_modules=[Extension(
        "iobench._iobench", sources=[], libraries=["iobench"], library_dirs=[LIBDIR],
        include_dirs=[pkg_config("--variable=includedir")], runtime_library_dirs=run_path(LIBDIR))],
)
