"""Linear machines in chunks: every pass answers what the solvers of all open problems ask of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core.memory import physical_memory
from mercer.scale.rows import Part, Rows
from mercer.solvers.svm import smoothed_newton
from mercer.solvers.svm.sifted_rows import Answer, Plane, Question
from mercer.solvers.svm.smo import Limits, Problem
from mercer.solvers.svm.summed_newton import Course, Start
from mercer.table import Table

_BYTES = 1 << 26  # of second derivatives in the state of a chunk: as many problems are solved side by side
_CELLS = 1 << 23
_GATHERED = 1 << 24  # cells of rows near kinks that are solved in one process
_AT_ONCE = 1 << 30  # bytes of rows that are solved as those of one table, if an eighth of the memory holds them
_SHARE, _SAMPLE = 10, 1 << 25  # of the rows one in so many, but no more cells: the sample whose solution is the start
_LEAST, _A_COLUMN = 4096, 20  # rows of it at least, and for each column
_SAMPLE_GAP = 1e-4  # share of its objective at which it is solved


def fits_at_once(n_bytes: int) -> bool:
    """Whether rows of so many bytes are gathered and solved as those of one table."""
    return n_bytes <= min(_AT_ONCE, physical_memory() // 8)


def rows_at_a_time(width: int) -> int:
    """How many rows of so many columns are held at a time: 64 MB."""
    return max(1024, _CELLS // (width + 1))


def sample_size(n_rows: int, width: int) -> int:
    """Rows that `solve_sample` is to be given of so many with so many columns; 0 where it would not help."""
    n = min(n_rows // _SHARE, _SAMPLE // (width + 1))
    return n if n >= max(_LEAST, _A_COLUMN * (width + 1)) else 0


class Formulation(Protocol):
    """The problems of some rows, by their target: a part of those of all rows. It can be pickled."""

    def __call__(self, target: NDArray[Any], /) -> Sequence[Problem]:
        """In the same order for every chunk."""


@dataclass(frozen=True)
class GatherRows:
    """The rows of a chunk as numbers, and its target."""

    matrix: Callable[[Table], Any]

    def __call__(self, part: Part) -> tuple[Any, NDArray[Any]]:
        return self.matrix(part.table), part.target


def gather(rows: Rows, matrix: Callable[[Table], Any]) -> tuple[Any, NDArray[Any]]:
    """All rows as numbers, dense or CSR as their chunks are, and the target."""
    parts, targets = zip(*filter(None, rows.each(lambda k: GatherRows(matrix))), strict=True)
    z = sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
    return z, np.concatenate(targets)


@dataclass(frozen=True)
class Answers:
    """What some rows answer to each query; sums that add up."""

    found: tuple[Answer, ...]

    def merge(self, other: Answers) -> Answers:
        """Of both samples together."""
        pairs = zip(self.found, other.found, strict=True)
        return Answers(tuple(tuple(x + y for x, y in zip(a, b, strict=True)) for a, b in pairs))


@dataclass(frozen=True)
class AnswerQueries:
    """The answers of a chunk to what is asked for some of the problems."""

    matrix: Callable[[Part], Any]
    formulate: Formulation
    queries: dict[int, Question]
    n_rows: int  # that are worked on at a time

    def __call__(self, part: Part) -> Answers:
        return reduce(Answers.merge, map(self._answers, part.blocks(self.n_rows)))

    def _answers(self, part: Part) -> Answers:
        z, problems = self.matrix(part), self.formulate(part.target)
        return Answers(tuple(query.answer(problems[k], z) for k, query in self.queries.items()))


def solve_sample(
    z: Any, target: NDArray[Any], formulate: Formulation, rho: float, sizes: Sequence[int], unit: float
) -> list[Start | None]:
    """The solution of each problem on rows drawn, whose losses count for those of all; None where they are too few.

    A decision of n rows and d columns is off by about sqrt(d / n) units. sizes : rows of each problem among all
    """
    width, found = z.shape[1] + 1, list[Start | None]()
    for problem, size in zip(formulate(target), sizes, strict=True):
        n = len(problem.linear)
        share = size / max(n, 1)
        ridge = None if problem.ridge is None else problem.ridge / share
        weighed = replace(problem, lower=problem.lower * share, upper=problem.upper * share, ridge=ridge)
        near = None
        if n >= _A_COLUMN * width:
            solved = smoothed_newton.solve(weighed, z, rho=rho, limits=Limits(tol=-1.0, gap_tol=_SAMPLE_GAP))
            near = Start(np.append(solved.w, solved.bias[0]), unit * float(np.sqrt(width / n)))
        found.append(near)
    return found


def solve_planes(
    rows: Rows,
    matrix: Callable[[Part], Any],
    formulate: Formulation,
    course: Callable[[int, int, Start | None], Course],
    sizes: Sequence[int],
    width: int,
    starts: Sequence[Start | None],
) -> list[Plane]:
    """The planes that the solvers find, in rounds of one pass for all that still ask.

    matrix : the rows of a chunk as numbers, (n_rows, width)
    course : the solver of a problem of so many rows, of which so many may be gathered, from a start
    sizes, starts : rows of each problem, and where its solver starts
    """
    together, found = max(1, _BYTES // (8 * (width + 1) ** 2)), dict[int, Plane]()
    for first in range(0, len(sizes), together):
        some = range(first, min(first + together, len(sizes)))
        running = {k: course(sizes[k], _GATHERED // (width + 1) // len(some), starts[k]) for k in some}
        queries = {k: next(course) for k, course in running.items()}
        while queries:
            answers = rows.merge(AnswerQueries(matrix, formulate, queries, rows_at_a_time(width))).found
            queries = dict(_asked(running, dict(zip(queries, answers, strict=True)), found))
    return [found[k] for k in range(len(sizes))]


def _asked(running: dict[int, Course], answers: dict[int, Answer], found: dict[int, Plane]) -> Any:
    """What the solvers ask next; the planes of those that end are put among those found."""
    for k, answer in answers.items():
        try:
            yield k, running[k].send(answer)
        except StopIteration as end:
            found[k] = end.value
