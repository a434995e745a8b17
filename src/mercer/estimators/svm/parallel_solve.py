"""Machines of several classes solved at the same time, each on a matrix of its own rows where that is cheaper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import local
from typing import Any

import numpy as np

from mercer._core.gram import Rows, rows_of_gram
from mercer.estimators.svm.kernel_rows import CHEAP
from mercer.estimators.svm.warm_start import Start
from mercer.solvers.svm.smo import Problem
from mercer.table import Table

_MOST = 5000  # variables of a problem that takes well under a second, so that Ctrl-C need not reach it
_AGAIN = 4  # times the numbers of the whole matrix: so many small ones are computed while it waits for fresh memory


def own_matrices_pay(problems: Sequence[Problem], table: Table) -> bool:
    """Whether small matrices that stay in the cache, some numbers computed again, are faster than one of all rows."""
    sizes = np.array([len(p.linear) for p in problems], dtype=np.float64)
    cheap = len(table.schema) <= CHEAP and (sizes**2).sum() <= _AGAIN * len(table) ** 2
    return len(problems) == 1 or (sizes.max() <= _MOST and bool(cheap))


def side_by_side(
    problems: Sequence[Problem], starts: Sequence[Start | None], source: Rows, answer: Callable[..., Any], n_jobs: int
) -> list[Any] | None:
    """answer(problem, rows, start) of every problem, its last entry the solution; None when they are too large."""
    largest = max(len(p.linear) for p in problems)
    if len(problems) == 1 or largest > _MOST or (source.gram is None and source.part is None):
        return None
    memory = local()

    def one(problem: Problem, start: Start | None) -> Any:
        if source.gram is not None:
            return answer(problem, rows_of_gram(source.gram), start)
        if not hasattr(memory, "values"):
            memory.values = np.empty(largest**2, dtype=source.dtype)
        return _alone(problem, start, source, answer, memory.values)

    together = (
        n_jobs if source.gram is not None else min(n_jobs, source.n**2 // largest**2)
    )  # within the whole's memory
    with ThreadPoolExecutor(max(1, together)) as pool:
        return list(pool.map(one, problems, starts))


def _alone(problem: Problem, start: Start | None, source: Rows, answer: Callable[..., Any], memory: Any) -> Any:
    """The answer from the matrix of the problem's own rows; what it does not say of the other rows is NaN."""
    assert source.part is not None
    rows = problem.kernel_rows
    *found, solution = answer(replace(problem, rows=None), source.part(rows, memory), start)
    f = np.full(source.n, np.nan)
    f[rows] = solution.f
    return (*found, replace(solution, f=f))
