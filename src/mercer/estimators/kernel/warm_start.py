"""Warm start: what is kept of a fit, and what of it can start the next one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError, MercerWarning
from mercer.solvers.svm.smo import Problem
from mercer.table import Table, table_state


@dataclass(frozen=True)
class Start:
    """Coefficients of a problem's variables, and K times them by kernel row, or None when that is not known."""

    beta: Floats
    f: Floats | None


@dataclass(frozen=True)
class WarmStart:
    """The solutions of the last fit; checksums tell whether rows and kernel are still the same."""

    rows: int
    kernel: int | None
    starts: tuple[Start, ...]

    @classmethod
    def of(cls, table: Table, kernel: Any, solutions: Sequence[Any]) -> WarmStart:
        """From solutions, the last of which may be an interrupted one; linear machines have no K beta."""
        starts = tuple(Start(s.beta, getattr(s, "f", None)) for s in solutions)
        return cls(table_checksum(table), kernel_checksum(kernel), starts)

    def feasible_starts(self, kernel: Any, problems: Sequence[Problem]) -> list[Start | None]:
        """A start for every problem that was reached; K beta is good for the same kernel alone."""
        same = self.kernel is not None and self.kernel == kernel_checksum(kernel)
        found = [feasible(p, s) for p, s in zip(problems, self.starts, strict=False)]
        plain = [s if s is None or same else Start(s.beta, None) for s in found]
        return plain + [None] * (len(problems) - len(plain))


def starts_from(last: WarmStart | None, table: Table, kernel: Any, problems: Sequence[Problem]) -> list[Start | None]:
    """Where each problem starts: at the last fit's solution when that was on the same rows, else None."""
    if last is None:
        return [None] * len(problems)
    if last.rows == table_checksum(table):
        return last.feasible_starts(kernel, problems)
    warnings.warn("warm_start: not the rows of the last fit, so this one starts afresh.", MercerWarning, stacklevel=4)
    return [None] * len(problems)


def feasible(problem: Problem, start: Start) -> Start | None:
    """The start, shrunk into the problem's box when its sums are 0; None when the problem does not allow it."""
    beta = start.beta
    if len(beta) != len(problem.linear):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(beta > 0, problem.upper / beta, np.where(beta < 0, problem.lower / beta, np.inf))
    scale = min(1.0, float(room.min(initial=1.0)))
    sums = [float(problem.start[g].sum()) for g in problem.groups] if problem.equality else [0.0]
    if any(sums):
        kept = all(np.isclose(beta[g].sum(), s, rtol=1e-9) for g, s in zip(problem.groups, sums, strict=True))
        return start if scale == 1.0 and kept else None
    if not scale > 0:
        return None
    return start if scale == 1.0 else Start(beta * scale, None if start.f is None else start.f * scale)


def table_checksum(table: Table) -> int:
    """A number that two tables share when their cells are the same."""
    return _checksum(table_state(table), 0)


def kernel_checksum(kernel: Any) -> int | None:
    """A number that two fitted kernels share when they are the same; None for one that is no plain data."""
    try:
        return _checksum(kernel.to_state(), 0)
    except MercerError:
        return None


def _checksum(value: Any, before: int) -> int:
    if isinstance(value, dict):
        for name in sorted(value):
            before = _checksum(value[name], crc32(str(name).encode(), before))
        return before
    if isinstance(value, np.ndarray) and value.dtype != object:
        shape = crc32(f"{value.shape}{value.dtype}".encode(), before)
        return crc32(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data, shape)
    if isinstance(value, list | tuple | np.ndarray):
        for item in value:
            before = _checksum(item, before)
        return before
    return crc32(repr(value).encode(), before)
