# SPDX-License-Identifier: MIT
"""Files and devices of the bench's own, each made when it is first asked for.

All go when this process ends, however it ends: tests/support/testdev's guard sees to it.
"""
import os
import subprocess

MIB = 1 << 20


class Missing(Exception):
    """This machine has no such device."""


class Scratch:
    def __init__(self, testdev):
        self._testdev = testdev
        self._env = dict(os.environ, IOBENCH_DEV_OWNER=str(os.getpid()))
        self._made = {}

    def _ask(self, *args):
        done = subprocess.run([self._testdev, *args], env=self._env, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise Missing(f"testdev {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout.split()[0]

    def _once(self, key, make):
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def ext4(self):
        return self._once("ext4", lambda: self._ask("ext4", "800m"))

    def file(self, mib):
        """A file of random data on ext4, in the page cache."""
        return self._once(("file", mib), lambda: self._make_file(f"{self.ext4()}/{mib}m", mib))

    @staticmethod
    def _make_file(path, mib):
        with open(path, "wb") as out:
            for _ in range(mib):
                out.write(os.urandom(MIB))
            os.fsync(out.fileno())
        Scratch.cache(path)
        return path

    @staticmethod
    def cache(path):
        """Drops what writing left and reads it, so that the cache is as reading makes it."""
        fd = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            while os.read(fd, MIB):
                pass
        finally:
            os.close(fd)

    def zram(self):
        """256 MiB of data that does not compress: each read is a copy."""
        return self._once("zram", self._make_zram)

    def _make_zram(self):
        path = self._ask("zram", "256m")
        with open(path, "wb", buffering=0) as out:
            for _ in range(256):
                out.write(os.urandom(MIB))
            os.fsync(out.fileno())
        return path

    def files(self, n):
        """A directory of n files of 64 KiB: target.0, target.1 and so on."""
        return self._once(("files", n), lambda: self._make_files(n))

    def _make_files(self, n):
        directory = f"{self.ext4()}/files{n}"
        os.mkdir(directory)
        for i in range(n):
            with open(f"{directory}/target.{i}", "wb") as out:
                out.write(os.urandom(64 * 1024))
                os.fsync(out.fileno())
        return directory

    def close(self):
        subprocess.run([self._testdev, "cleanup"], env=self._env, check=False)
