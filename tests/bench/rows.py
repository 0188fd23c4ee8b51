# SPDX-License-Identifier: MIT
"""The table: what is measured, how, and the goal."""
import dataclasses
import json
import math
import statistics
import typing

import cost
import tools


@dataclasses.dataclass
class Row:
    key: str
    measure: str
    goal: typing.Optional[float]  # None: for information
    take: typing.Callable         # (bench, progress) -> Taken
    unit: str = "x"               # of the measured value
    less: bool = False            # whether less is better
    reach: typing.Optional[float] = None
    note: str = ""


@dataclasses.dataclass
class Taken:
    """A value a round; and medians of what it was made of, as text."""
    values: list
    ours: str = ""
    other: str = ""
    bare: str = ""
    profile: typing.Optional[dict] = None
    raw: typing.Optional[dict] = None  # every measurement, by who and in order

    def median(self):
        return statistics.median(self.values)


def met(row, value):
    if row.goal is None:
        return None
    return value <= row.goal if row.less else value >= row.goal


def off_by(row, value):
    """How far from the goal, in percent; more than 0 where it is not met."""
    return 100 * (value / row.goal - 1 if row.less else 1 - value / row.goal)


def ns(values):
    value = statistics.median(values)
    return f"{value:.1f} ns" if value < 100 else f"{value:.0f} ns"


# ---- time per I/O, by pairs ----

def pair(ours, fio, target=None, bare=None, direct=False):
    """fio, iobench, fio, iobench ...: fio's time per I/O over ours. target(scratch): its path."""
    def take(bench, progress):
        path = target(bench.scratch) if target else None
        ours_args = ours + (["--target", path] if path else ["--size", "1g"])
        fio_args = fio + ([f"--filename={path}"] if path else ["--size=1g"])
        bare_target = [path] * bool(path) + ["direct"] * direct
        times = {"fio": [], "ours": [], "bare": []}
        for i in range(bench.rounds):
            progress(i)
            times["fio"].append(bench.tools.fio_ns(fio_args))
            times["ours"].append(bench.tools.iobench_ns(ours_args))
            if bare:
                times["bare"].append(bench.tools.bare_ns([*bare, *bare_target]))
        return Taken([a / b for a, b in zip(times["fio"], times["ours"])], ns(times["ours"]),
                     ns(times["fio"]), ns(times["bare"]) if bare else "", raw=times)
    return take


def against_t_io_uring(bench, progress):
    path = bench.scratch.file(1)
    if bench.tools.cpu:
        raise tools.Failed("t/io_uring tells only rates, not processor time")
    theirs, mine = [], []
    for i in range(bench.rounds):
        progress(i)
        theirs.append(bench.tools.t_io_uring_ns(path))
        mine.append(bench.tools.iobench_ns(["--engine", "io_uring", "--direct", "false",
                                            "--queue-depth", "32", "--target", path]))
    return Taken([a / b for a, b in zip(theirs, mine)], ns(mine), ns(theirs),
                 raw={"fio": theirs, "ours": mine})


def two_workers(bench, progress):
    if bench.tools.cpu:
        raise tools.Failed("processor time says nothing about two workers")
    one, two = [], []
    args = ["--engine", "null", "--size", "1g", "--queue-depth", "32"]
    for i in range(bench.rounds):
        progress(i)
        one.append(bench.tools.iobench_ns([*args, "--workers", "1"]))
        two.append(bench.tools.iobench_ns([*args, "--workers", "2"]))
    return Taken([a / b for a, b in zip(one, two)], ns(two), f"one: {ns(one)}")


# ---- instructions ----

def instructions(case):
    def take(bench, progress):
        progress(0)
        path = None if case == "null" else bench.scratch.file(1)
        counted = cost.measure(bench.tools.iobench, case, path)
        fio = cost.measure_fio(case, path)
        return Taken([counted.per_io], f"{counted.per_io:.1f}", f"{fio:.0f}",
                     profile=counted.as_dict(), raw={"ours": counted.per_io, "fio": fio})
    return take


# ---- processes ----

def empty(bench, n=7):
    """(ms, MiB) of a process with the libraries that does nothing: the floor of the others."""
    runs = bench.tools.spawned([bench.tools.iobench, "--version"], n)
    return [statistics.median(values) for values in zip(*runs)]


def memory(workers):
    """Peak resident memory of the process; in brackets what of it is no file's (of libraries)."""
    def take(bench, progress):
        path = bench.scratch.file(1)
        command = [bench.tools.iobench, "run", "--engine", "io_uring", "--queue-depth", "32",
                   "--direct", "false", "--workers", workers, "--target", path, "--runtime", "1s"]
        other = [*bench.tools.fio_args(["--ioengine=io_uring", "--iodepth=32",
                                        f"--filename={path}"]),
                 "--time_based=1", "--runtime=1", f"--numjobs={workers}", "--thread=1"]
        ours, fio = [], []
        for i in range(bench.rounds):
            progress(i)
            fio += [peak for _, peak in bench.tools.spawned(other)]
            ours += [peak for _, peak in bench.tools.spawned(command)]

        def cell(peaks, run):
            return f"{statistics.median(peaks):.1f} MiB ({bench.tools.anonymous(run):.1f})"
        return Taken(ours, cell(ours, command), cell(fio, other), f"{empty(bench)[1]:.1f} MiB",
                     raw={"ours": ours, "fio": fio})
    return take


def startup(ours, fio, n=5):
    """ours(scratch), fio(scratch): arguments. A round is fio once, and ours n times (median)."""
    def take(bench, progress):
        mine, theirs = [], []
        command = [bench.tools.iobench, "run", *ours(bench.scratch), "--runtime", "0"]
        other = bench.tools.fio_args(fio(bench.scratch))
        for i in range(bench.rounds):
            progress(i)
            theirs.append(bench.tools.spawned(other)[0][0])
            mine.append(statistics.median(w for w, _ in bench.tools.spawned(command, n)))
        return Taken([a / b for a, b in zip(theirs, mine)], f"{statistics.median(mine):.2f} ms",
                     f"{statistics.median(theirs):.0f} ms", f"{empty(bench)[0]:.2f} ms",
                     raw={"ours": mine, "fio": theirs})
    return take


def targets(n):
    def ours(scratch):
        directory = scratch.files(n)
        paths = [a for i in range(n) for a in ("--target", f"{directory}/target.{i}")]
        return [*paths, "--direct", "false", "--io-size", f"{4 * n}k"]

    def fio(scratch):
        return [f"--directory={scratch.files(n)}", "--filename_format=target.$filenum",
                f"--nrfiles={n}", f"--size={64 * n}k", f"--io_size={4 * n}k"]
    return startup(ours, fio)


def record(which):
    def take(bench, progress):
        values = []
        for i in range(bench.rounds):
            progress(i)
            values.append(json.loads(tools.run([bench.tools.record]))[which])
        return Taken(values, f"{statistics.median(values):.2f} ns")
    return take


def senses(which):
    """The program takes the median of pairs by itself; a round is one call of it."""
    def take(bench, progress):
        values = []
        for i in range(bench.rounds):
            progress(i)
            values.append(json.loads(tools.run([bench.tools.senses, "300ms",
                                                bench.scratch.file(8)]))[which])
        return Taken(values)
    return take


# ---- the rows ----

def _file(mib):
    return lambda scratch: scratch.file(mib)


def _cached(engine, mib, fio_defaults, best, reach=(None, None)):
    """Two rows: against fio's defaults, and its best options."""
    depth = [] if engine == "psync" else ["--queue-depth", "32"]
    fio_depth = [] if engine == "psync" else ["--iodepth=32"]
    ours = ["--engine", engine, "--direct", "false", *depth]
    fio = [f"--ioengine={engine}", *fio_depth]
    bare = [engine, "1" if engine == "psync" else "32"]
    what = f"{engine}{', depth 32' if depth else ''}, cached {mib} MiB file"
    name = f"{engine}-{mib}m"
    return [
        Row(f"{name}-defaults", f"{what}: against fio's defaults", fio_defaults,
            pair(ours, fio, _file(mib), bare), reach=reach[0]),
        Row(f"{name}-best", f"{what}: against fio's best options", best,
            pair(ours, fio + tools.BEST[engine], _file(mib), bare), reach=reach[1]),
    ]


def _null_rows():
    ours = ["--engine", "null", "--queue-depth", "32"]
    batch = ["--ioengine=null", "--iodepth=32", *tools.BEST["null"]]
    bare = ["null", "32"]
    return [
        Row("null-32-repeats", "null engine, depth 32, repeats true: against fio with batch 32 and "
            "norandommap", 4.8, pair([*ours, "--repeats", "true"], batch, bare=bare)),
        Row("null-32", "null engine, depth 32: against fio with batch 32 and norandommap", 4.2,
            pair(ours, batch, bare=bare)),
        Row("null-32-defaults", "null engine, depth 32: against fio's defaults", 9.5,
            pair(ours, ["--ioengine=null", "--iodepth=32"], bare=bare)),
        Row("null-1", "null engine, depth 1: against fio with norandommap", 4.4,
            pair(["--engine", "null"], ["--ioengine=null", "--norandommap=1"],
                 bare=["null", "1"])),
    ]


def _zram_row():
    ours = ["--engine", "libaio", "--queue-depth", "32"]
    return Row("libaio-zram", "libaio, depth 32, zram, direct: against fio's defaults", 1.2,
               pair(ours, ["--ioengine=libaio", "--iodepth=32", "--direct=1"],
                    lambda scratch: scratch.zram(), ["libaio", "32"], direct=True))


def all_rows():
    one_io = startup(lambda s: ["--target", s.file(1), "--direct", "false", "--io-size", "4k"],
                     lambda s: [f"--filename={s.file(1)}", "--size=1m", "--io_size=4k"])
    return [
        *_null_rows(),
        *[Row(f"instructions-{case}", f"user instructions per I/O: {title}", goal,
              instructions(case), "", less=True) for case, (title, goal, _) in cost.CASES.items()],
        *_cached("io_uring", 1, 2.5, 1.45, (2.8, 1.65)),
        Row("io_uring-1m-t", "the same against fio's t/io_uring, which records no latency", None,
            against_t_io_uring, reach=1),
        *_cached("libaio", 1, 2.4, 1.7),
        *_cached("psync", 1, 1.6, 1.45),
        *_cached("io_uring", 512, 1.7, 1.15),
        _zram_row(),
        Row("two-workers", "two workers against one, null engine, depth 32", 1.95, two_workers),
        Row("memory-1", "peak resident memory, io_uring, depth 32, 1 worker", 3, memory(1), " MiB",
            less=True),
        Row("memory-64", "the same, 64 workers", 16, memory(64), " MiB", less=True),
        Row("startup", "wall time of a process that does one I/O, against fio", 50, one_io),
        Row("startup-200", "the same, 200 files and an I/O to each", 10, targets(200)),
        Row("record", "a sample into a worker's histogram: exact sum, min and max", 4,
            record("add"), " ns", less=True),
        Row("record-each", "the same, a batch of 32 different ones", 4, record("each"), " ns",
            less=True),
        Row("senses-null", "processor time per I/O of a worker that is looked at for the findings "
            "against one that is not: null engine, depth 32", 1.01, senses("null"), less=True),
        Row("senses-psync", "the same, psync, cached 8 MiB file", 1.01, senses("psync"), less=True),
        Row("record-public", "a sample by iob_hist_record()", None, record("record"), " ns",
            less=True),
    ]


def rounded(value):
    """Three digits that count."""
    if not value:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
