# SPDX-License-Identifier: MIT
"""libiobench: run storage workloads, get latencies that can be trusted.

>>> import iobench
>>> r = iobench.Workload(target="FILE", block_size="8k", queue_depth=8, runtime=1).run()
>>> r.read.iops, r.read.latency.percentile(99)      # a second, nanoseconds

    Workload    what to do, and to what; help(iobench.Workload) has every parameter
    Suite       stages and matrices of workloads; matrix()
    load_fio    a Suite from a job file or a command line of fio
    until_steady   rounds until they are steady (SNIA PTS); steady(), pts(), precondition()
    search      the highest rate or depth that holds a latency target; Search
    start       the non-blocking form: wait, progress, snapshot, cancel
    Result      what was measured: counts, rates, histograms, reports; read(), merge()
    Finding     what cannot be believed of a result, and why; compare() of two
    device      what a block device or file is: facts, layers, who uses it
    Histogram   percentiles; counts and edges for numpy
    Error       what went wrong, and where
    plot        CDFs, histograms and heat maps (needs matplotlib)
"""

import importlib as _importlib
import typing as _typing

from ._device import (Device, DeviceInterval, DeviceUse, DeviceUser, Requests, Signature, Spread,
                      device)
from ._engines import Engine, engines
from ._error import Error, ParameterError
from ._fio import FioOption, fio_options, load_fio
from ._finding import Compared, Comparison, Finding, FindingKind, Ratio, Unchecked, findings
from ._histogram import Histogram
from ._parameters import Parameter, params
from ._result import (Cell, Flags, Found, Interval, Means, Operation, Pace, Result, Rounds,
                      SearchStep, TargetUse, compare, merge, read)
from ._search import Search, search
from ._steady import Steady, precondition, pts, pts_suite, steady, until_steady
from ._run import ByOperation, Progress, Run, start
from ._suite import Note, Stage, Suite, matrix
from ._workload import Target, Workload
from ._iobench import iob_version as version

__version__: str = version()
__all__ = ["ByOperation", "Cell", "Compared", "Comparison", "Device", "DeviceInterval", "DeviceUse",
           "DeviceUser", "Engine", "Error", "Finding", "FindingKind", "FioOption", "Flags", "Found",
           "Histogram", "Interval", "Means", "Note", "Operation", "Pace", "Parameter",
           "ParameterError", "Progress", "Ratio", "Requests", "Result", "Rounds", "Run", "Search",
           "SearchStep", "Signature", "Spread", "Stage", "Steady", "Suite", "Target", "TargetUse",
           "Unchecked", "Workload", "compare", "device", "engines", "findings", "fio_options",
           "load_fio", "matrix", "merge", "params", "precondition", "pts", "pts_suite", "read",
           "search", "start", "steady", "until_steady", "version"]

for _public in __all__:
    if hasattr(globals()[_public], "__module__"):
        try:
            globals()[_public].__module__ = "iobench"
        except AttributeError:
            pass  # a built-in function
del _public

if _typing.TYPE_CHECKING:
    from . import plot
else:
    def __getattr__(name):
        """plot, when it is first asked for: only it needs matplotlib."""
        if name == "plot":
            return _importlib.import_module(".plot", __name__)
        raise AttributeError(f"module 'iobench' has no attribute '{name}'")
