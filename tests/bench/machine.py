# SPDX-License-Identifier: MIT
"""The machine's facts, and making the programs that measure."""
import os
import platform
import re
import shutil
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(SOURCE, "tests", "bench")
QUIET = 0.5  # a load average above this is not a quiet machine


def output(*command):
    """What a command prints; empty where it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=SOURCE).stdout.strip()
    except OSError:
        return ""


def _read(path):
    try:
        with open(path, encoding="utf-8") as text:
            return text.read().strip()
    except OSError:
        return ""


def _field(path, name):
    match = re.search(rf"^{name}\s*:\s*(.*)$", _read(path), re.M)
    return match.group(1) if match else "unknown"


def facts(tool):
    changed = output("git", "status", "--porcelain", "--", "lib", "include")
    commit = output("git", "rev-parse", "--short", "HEAD") or "no git"
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "cpu": _field("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_kib": int(_field("/proc/meminfo", "MemTotal").split()[0]),
        "kernel": platform.release(),
        "clocksource": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "hypervisor": "hypervisor" in _field("/proc/cpuinfo", "flags").split(),
        "compiler": output("cc", "--version").splitlines()[0],
        "iobench": output(tool, "--version").split()[-1] + ", " + commit +
                   (" with changes in lib" if changed else ""),
        "fio": output("fio", "--version").removeprefix("fio-"),
        "load": round(os.getloadavg()[0], 2),
    }


def install():
    """fio and valgrind, where they are missing."""
    missing = [name for name in ("fio", "valgrind") if not shutil.which(name)]
    if not missing:
        return
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    print("installing " + " ".join(missing), file=sys.stderr)
    subprocess.run([*sudo, "apt-get", "-qq", "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*sudo, "apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing],
                   check=True, stdout=subprocess.DEVNULL)


def _build_step(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")


def build(directory):
    """A release build; -g changes no instruction and lets the profile name inlined functions."""
    print(f"building {directory}", file=sys.stderr)
    new = shutil.which("ninja") and not os.path.exists(os.path.join(directory, "CMakeCache.txt"))
    _build_step("cmake", "-S", SOURCE, "-B", directory, "-DCMAKE_BUILD_TYPE=Release",
                "-DCMAKE_C_FLAGS=-g", "-DIOBENCH_SANITIZE=", *(["-G", "Ninja"] if new else []))
    _build_step("cmake", "--build", directory, "--target", "iobench", "testdev", "iobench_static")
    return os.path.join(directory, "bin", "iobench")


def fio_t_io_uring(directory):
    """t/io_uring of the installed fio's version, which Debian's package lacks: from its source in
    Debian's archive. None where that cannot be had."""
    version = output("fio", "--version").removeprefix("fio-")
    name = f"fio_{version}.orig.tar.gz"
    source = os.path.join(directory, "fio-source")
    binary = os.path.join(source, f"fio-{version}", "t", "io_uring")
    if os.path.exists(binary):
        return binary
    print(f"building t/io_uring of fio {version}", file=sys.stderr)
    os.makedirs(source, exist_ok=True)
    archive = f"http://deb.debian.org/debian/pool/main/f/fio/{name}"
    steps = [["/usr/lib/apt/apt-helper", "download-file", archive, name], ["tar", "xf", name],
             ["sh", "-c", f"cd fio-{version} && ./configure && make -j{os.cpu_count()} t/io_uring"]]
    for step in steps:
        try:
            done = subprocess.run(step, cwd=source, capture_output=True, check=False)
        except OSError:
            return None
        if done.returncode:
            return None
    return binary


def compile_program(directory, name):
    """tests/bench/NAME.c, which may use the library's insides."""
    binary = os.path.join(directory, "bin", "bench." + name)
    _build_step("cc", "-std=c11", "-O3", "-D_GNU_SOURCE", "-Wall", "-Wextra",
                "-Wno-unused-parameter", f"-I{SOURCE}/include", f"-I{SOURCE}/lib",
                f"{BENCH}/{name}.c", "-o", binary, f"{directory}/lib/libiobench.a", "-luring",
                "-laio", "-ljansson", "-lm", "-lpthread")
    return binary
