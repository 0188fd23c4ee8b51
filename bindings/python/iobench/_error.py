# SPDX-License-Identifier: MIT
"""What went wrong."""

from __future__ import annotations


class Error(OSError):
    """An error of the library: one sentence says what is wrong, the value, and what would be right.

    errno     as errno.EPERM, errno.EINVAL
    strerror  the sentence; also str(error), with the place before it
    where     the parameter or the operation: "block_size", "target", "read"
    file      the target, or the file that was read; None where there is none (also `filename`)
    offset    of the I/O that failed, in bytes; 0 where there is none
    line      of `file`, from 1; 0 where there is none
    result    where an error ended a run: what was measured until then, a Result, or None
    """

    where: str
    offset: int
    line: int

    def __init__(self, errno: int, message: str, file: str | None = None, where: str = "",
                 offset: int = 0, line: int = 0) -> None:
        super().__init__(errno, message, file or None)
        self.where = where
        self.offset = offset
        self.line = line
        self.result = None

    @property
    def file(self) -> str | None:
        return self.filename

    def __str__(self) -> str:
        return f"{self.where}: {self.strerror}" if self.where else str(self.strerror)


class ParameterError(Error, ValueError):
    """A parameter's value that the library does not take; a ValueError, too."""
