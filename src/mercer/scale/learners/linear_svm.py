"""Linear support vector machines in chunks: the plane of all rows, by sums of losses and their derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.estimators.multiclass.strategy import expect_two_classes
from mercer.estimators.svm.formulations import squared_loss_cost
from mercer.estimators.svm.linear.machine import LinearMachine
from mercer.estimators.svm.linear.problems import LinearAnswer, LinearLimits, box_problem, many_rows
from mercer.estimators.svm.linear.svc import LinearSVC
from mercer.estimators.svm.linear.svr import LinearSVR
from mercer.scale.learners.encoding import EncodedRows, learn_encoding
from mercer.scale.learners.landmarks import RowNumbers
from mercer.scale.learners.missing import class_indicators, number_indicators
from mercer.scale.learners.planes import (
    Formulation,
    fits_at_once,
    gather,
    sample_size,
    solve_planes,
    solve_sample,
)
from mercer.scale.rows import Part, Rows, Sums
from mercer.select.search import set_parameters
from mercer.solvers.svm.coordinate import hinge, insensitive
from mercer.solvers.svm.smo import Problem
from mercer.solvers.svm.summed_newton import Course, Start, minimise
from mercer.table.missingness import indicator_kind

MOST_COLUMNS = 2500  # of the encoded rows, whose second derivatives take 50 MB
_COPIES = 2  # of rows that are gathered: those of the chunks, and all together
_TOL = 1e-3  # at most: one fit stops at a gap of `_GAP` then
_GAP, _SMOOTH_GAP = 5e-7, 1e-10  # shares of P at which a solver stops: of losses with kinks, and of squared ones


@dataclass(frozen=True)
class ClassPlanes:
    """The hinge losses of each class against the rest; of two classes, of the second."""

    cost: Floats  # of a row of each class
    squared: bool

    def __call__(self, codes: NDArray[Any]) -> list[Problem]:
        k = len(self.cost)
        signs = [np.where(codes == c, 1.0, -1.0) for c in ([1] if k == 2 else range(k))]
        return [hinge(y, self.cost[codes], squared=self.squared) for y in signs]


@dataclass(frozen=True)
class NumberPlane:
    """The epsilon-insensitive losses."""

    C: float
    epsilon: float
    squared: bool

    def __call__(self, target: NDArray[Any]) -> list[Problem]:
        cost = np.full(len(target), self.C)
        return [insensitive(target, cost, self.epsilon, squared=self.squared)]


def fit_linear_svc(model: LinearSVC, rows: Rows) -> None:
    """The plane of two classes, or a plane for each."""
    model._check()
    _refuse(model)
    if model.multi_class == "crammer_singer" or model.penalty == "l1":
        asked = "multi_class='crammer_singer'" if model.multi_class == "crammer_singer" else "penalty='l1'"
        raise MercerError(f"{asked} needs all rows at once: in chunks, take multi_class='ovr' and penalty='l2'.")
    model.classes_, counts = rows.classes, rows.counts.astype(np.float64)
    expect_two_classes(model, rows.class_codes(), counts)
    kind = indicator_kind(rows.schema)
    model.missing_indicators_ = class_indicators(rows, kind, model.missing_indicator)
    squared = model.loss == "squared_hinge"
    cost = float(model.C) * class_factors(model.class_weight, rows.classes, rows.class_codes(), counts)
    planes = ClassPlanes(squared_loss_cost(cost) if squared else cost, squared)
    sizes = [int(counts.sum())] * (1 if len(counts) == 2 else len(counts))
    _fit_planes(model, rows, planes, sizes, kinks=not squared)


def fit_linear_svr(model: LinearSVR, rows: Rows) -> None:
    """The plane of numbers."""
    model._check()
    _refuse(model)
    kind = indicator_kind(rows.schema)
    model.missing_indicators_ = number_indicators(rows, kind, model.missing_indicator)
    squares, n = rows.merge(_sum_squares).values
    planes = NumberPlane(float(model.C), float(model.epsilon), model._squared)
    _fit_planes(model, rows, planes, [n], kinks=not model._squared, unit=float(np.sqrt(squares / n)) or 1.0)


def _fit_planes(
    model: LinearMachine, rows: Rows, planes: Formulation, sizes: list[int], *, kinks: bool, unit: float = 1.0
) -> None:
    rows = rows.flagged(model.missing_indicators_)
    set_parameters(model, None)
    model.encoder_ = learn_encoding(rows, model._learned_schema)
    width = len(model.encoder_.names)
    if width > MOST_COLUMNS:
        raise BadTable(
            f"The table makes {width:,} encoded columns, more than the {MOST_COLUMNS:,} that are fitted in chunks. "
            "Leave columns of many levels out."
        )
    encoded, limits = EncodedRows(model.encoder_), LinearLimits.of(model)
    at_once = fits_at_once(_COPIES * sizes[0] * encoded.bytes_a_row)
    if kinks and at_once and many_rows((sizes[0], width), limits):
        solved = _solve_at_once(rows, encoded, planes, limits)
        model._keep_plane(*model._plane(solved))
        model._keep_outcome(solved)
        return
    own = replace(limits.limits, gap_tol=min(_GAP, model.tol) if kinks else _SMOOTH_GAP)

    def course(n_rows: int, room: int, start: Start | None) -> Course:
        return minimise(width, limits.rho, own, kinks=kinks, unit=unit, n_rows=n_rows, room=room, start=start)

    starts = _sample_starts(rows, encoded, planes, limits.rho, sizes, unit)
    found = solve_planes(rows, encoded, planes, course, sizes, width, starts)
    model._keep_plane(np.array([p.w for p in found]), np.array([p.offset for p in found]))
    model._keep_outcome(found)


def _sample_starts(
    rows: Rows, encoded: EncodedRows, planes: Formulation, rho: float, sizes: list[int], unit: float
) -> list[Start | None]:
    """Where the solver of each problem starts: by one pass where the rows are many."""
    n_drawn = sample_size(sizes[0], len(encoded.encoding.names))
    if not n_drawn:
        return [None] * len(sizes)
    numbers = RowNumbers.of(rows)
    drawn = numbers.take(np.sort(numbers.draw(n_drawn, np.random.RandomState(0))))
    return solve_sample(encoded.of(drawn.table), drawn.target, planes, rho, sizes, unit)


def _solve_at_once(rows: Rows, encoded: EncodedRows, planes: Formulation, limits: LinearLimits) -> list[LinearAnswer]:
    """As one fit to all rows solves them, to a gap of at most `_GAP`."""
    z, target = gather(rows, encoded.of)
    own = replace(limits, limits=replace(limits.limits, tol=min(limits.limits.tol, _TOL)))
    return [box_problem(problem, own).run(z, None) for problem in planes(target)]


def _refuse(model: Any) -> None:
    """MercerError for what passes over the rows do not do."""
    if model.searched_parameters():
        raise MercerError('C="cv" needs all rows at once: in chunks, give a number, such as one found on a sample.')
    if model.warm_start:
        raise MercerError("warm_start=True needs all rows at once: leave it out to fit in chunks.")


def _sum_squares(part: Part) -> Sums:
    return Sums((float(part.target @ part.target), len(part.target)))
