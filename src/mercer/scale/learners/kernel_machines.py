"""Kernel machines in chunks, on features of their kernel: SVC, SVR and KernelRidge with an `approximation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.stopping import Report
from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.estimators.kernel.approximation.basis import RANK
from mercer.estimators.kernel.machine import KernelMachine, evenly_spaced
from mercer.estimators.kernel.rows import kernel_dtype
from mercer.estimators.least_squares.kernel_ridge import KernelRidge
from mercer.estimators.least_squares.linear_system.solve import given_penalty
from mercer.estimators.least_squares.process import forget_process, refuse_conformal
from mercer.estimators.multiclass.designs import short_code
from mercer.estimators.multiclass.strategy import expect_two_classes
from mercer.estimators.svm.approximation.features import FeatureSolver
from mercer.estimators.svm.formulations import CostClassification, EpsilonRegression, squared_loss_cost
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.kernels import as_kernel
from mercer.parameters import check_parameters
from mercer.scale.learners.encoding import NumberMoments
from mercer.scale.learners.kernels import View, fit_kernel
from mercer.scale.learners.landmarks import ChunkBasis, Drawn, FeatureRows, RowNumbers, chunk_basis
from mercer.scale.learners.missing import class_indicators, number_indicators
from mercer.scale.learners.planes import (
    Formulation,
    GatherRows,
    fits_at_once,
    rows_at_a_time,
    sample_size,
    solve_planes,
    solve_sample,
)
from mercer.scale.rows import Part, Rows, Sums
from mercer.select.search import set_parameters
from mercer.solvers.ridge.features import FeatureProducts
from mercer.solvers.svm.sifted_rows import near_kinks
from mercer.solvers.svm.smo import Limits, Problem
from mercer.solvers.svm.smoothed_newton import PlaneSolution, loss_at
from mercer.solvers.svm.summed_newton import Course, Start, minimise
from mercer.table.missingness import indicator_kind

_GAP = 1e-6  # share of the primal value at which a machine is solved in passes over more
_ERRS = 1e-5  # units of the target beyond a margin or tube


@dataclass(frozen=True)
class ClassProblems:
    """The problems of the pairs of classes of a chunk, or of each class and the rest."""

    formulation: CostClassification
    factors: Floats  # weight of a row of each class

    def __call__(self, codes: NDArray[Any]) -> list[Problem]:
        weight = self.factors[codes]
        binary = self.formulation.multiclass.problems(codes)
        return [self.formulation.problem(b, weight[b.rows]) for b in binary]


@dataclass(frozen=True)
class NumberProblem:
    """The problem of the numbers of a chunk."""

    formulation: EpsilonRegression

    def __call__(self, target: NDArray[Any]) -> list[Problem]:
        return [self.formulation.problem(target, np.ones(len(target)))]


@dataclass(frozen=True)
class Solved:
    """The planes of all problems, (n_problems, width), their offsets, how well each is solved, and rows that err."""

    planes: Floats
    offsets: Floats
    reports: Sequence[Report]
    n_bounded: int


@dataclass(frozen=True)
class CountBounded:
    """How many rows of a chunk err in at least one of the problems."""

    matrix: FeatureRows
    problems: Formulation
    planes: Floats  # (n_problems, width)
    offsets: Floats
    band: float  # so near to a kink a row does not err
    n_rows: int

    def __call__(self, part: Part) -> Sums:
        return Sums((sum(map(self._count, part.blocks(self.n_rows))),))

    def _count(self, part: Part) -> int:
        decisions, errs = self.matrix(part) @ self.planes.T + self.offsets, np.zeros(len(part.target), dtype=bool)
        for problem, f in zip(self.problems(part.target), decisions.T, strict=True):
            own = problem.kernel_rows
            errs[own] |= problem.at_bound(loss_at(problem, f[own])[0]) & ~near_kinks(problem, f[own], self.band)
        return int(errs.sum())


@dataclass(frozen=True)
class CountProducts:
    """The products of features and target of a chunk."""

    matrix: FeatureRows
    n_rows: int

    def __call__(self, part: Part) -> FeatureProducts:
        return reduce(FeatureProducts.merge, map(self._products, part.blocks(self.n_rows)))

    def _products(self, part: Part) -> FeatureProducts:
        return FeatureProducts.of(self.matrix(part), part.target[:, None], np.ones(len(part.target)))


def fit_svc(model: SVC, rows: Rows) -> None:
    """The widest margins between the classes, in the space of the features."""
    _refuse(model)
    if model._calibration is not None:
        raise MercerError("probability= needs folds of all rows at once: leave it out to fit in chunks.")
    model.classes_, counts = rows.classes, rows.counts.astype(np.float64)
    expect_two_classes(model, rows.class_codes(), counts)
    if model.multi_class == "ecoc":
        model.code_book_ = short_code(len(model.classes_))
    model.class_weight_ = class_factors(model.class_weight, rows.classes, rows.class_codes(), counts)
    model.missing_indicators_ = class_indicators(rows, indicator_kind(rows.schema), model.missing_indicator)
    model.__dict__.pop("calibrators_", None)  # those of an earlier fit
    squared, multiclass = model.loss == "squared_hinge", model._multiclass
    factors = squared_loss_cost(model.class_weight_) if squared else model.class_weight_
    problems = ClassProblems(CostClassification(float(model.C), squared, multiclass), factors)
    sizes = [int(counts[side != 0].sum()) for side in multiclass.code.T]
    rows = rows.flagged(model.missing_indicators_)
    found, made = _solve(model, rows, problems, sizes, seed=model._fold_seed, kinks=not squared)
    landmarks = made.landmarks.target.astype(np.int32)
    model._n_support = np.bincount(landmarks, minlength=len(counts)).astype(np.int32)
    model.margin_ = np.array([2 / np.linalg.norm(w) if w.any() else np.inf for w in found.planes])


def fit_svr(model: SVR, rows: Rows) -> None:
    """The flattest function whose tube holds most rows, in the space of the features."""
    _refuse(model)
    model.missing_indicators_ = number_indicators(rows, indicator_kind(rows.schema), model.missing_indicator)
    rows = rows.flagged(model.missing_indicators_)
    moments = rows.merge(_target_moments)
    deviation = float(moments.deviation()[0]) or 1.0
    squared = model.loss == "squared_epsilon_insensitive"
    unit = deviation if model.relative else 1.0
    formulation = EpsilonRegression(float(model.C), float(model.epsilon), squared, unit)
    n = int(moments.known[0])
    size = float(np.hypot(deviation, moments.mean[0]))
    found, made = _solve(model, rows, NumberProblem(formulation), [n], seed=0, kinks=not squared, unit=size)
    model.n_iter_ = int(found.reports[0].iterations)
    model.tube_ = float(formulation.epsilon * formulation.unit)
    model._n_support = np.array([len(made.basis.places)], dtype=np.int32)


def fit_kernel_ridge(model: KernelRidge, rows: Rows) -> None:
    """(Z'Z + alpha) w = Z'y over the features Z of all rows."""
    _refuse(model)
    refuse_conformal(model)
    model.missing_indicators_ = number_indicators(rows, indicator_kind(rows.schema), model.missing_indicator)
    values = set_parameters(model, None)
    penalty = given_penalty(values, "alpha", 1)
    if not (penalty > 0).all():
        raise MercerError("alpha=0: a kernel of low rank needs a penalty above 0. Raise alpha, or fit it exactly.")
    gamma = "auto" if values["gamma"] is None else values["gamma"]
    made = _prepare(model, rows.flagged(model.missing_indicators_), gamma, seed=0, double=True)
    width = made.width
    count = CountProducts(FeatureRows(made.basis), rows_at_a_time(width))
    found = rows.flagged(model.missing_indicators_).merge(count).solve(penalty)
    model.outputs_2d_, model._penalty_of_target = False, np.zeros(1, dtype=np.int64)
    forget_process(model)
    model.residual_, model.n_iter_, model.log_marginal_likelihood_ = found.residual, 1, found.log_evidence
    _keep(model, made, found.planes, np.zeros(1))
    model._noise = np.zeros((1, len(model.support_)))  # of no row: there is no return_std


def _solve(
    model: SVC | SVR,
    rows: Rows,
    problems: ClassProblems | NumberProblem,
    sizes: list[int],
    *,
    seed: int,
    kinks: bool,
    unit: float = 1.0,
) -> tuple[Solved, ChunkBasis]:
    """The planes of all problems; sets what predictions need."""
    if not np.isfinite(float(model.C)):
        raise MercerError("C=inf: a margin without errors cannot be had from an approximation. Give a finite C.")
    values = set_parameters(model, None)
    made = _prepare(model, rows, values["gamma"], seed)
    if fits_at_once(model.shape_fit_[0] * made.width * made.basis.dtype.itemsize):
        found = _solve_at_once(model, rows, problems, made)
    else:
        found = _solve_in_passes(model, rows, problems, sizes, made, kinks, unit)
    model._keep_outcome(found.reports)
    _keep(model, made, found.planes, found.offsets)
    model.n_bounded_ = found.n_bounded
    return found, made


def _solve_at_once(model: SVC | SVR, rows: Rows, problems: ClassProblems | NumberProblem, made: ChunkBasis) -> Solved:
    """As one fit to all rows solves them: the features are gathered."""
    z, target = np.empty((model.shape_fit_[0], made.width), dtype=made.basis.dtype), []
    start = 0
    for features, own in filter(None, rows.each(lambda k: GatherRows(made.basis.features))):
        z[start : start + len(own)] = features
        target.append(own)
        start += len(own)
    stated, solver = problems(np.concatenate(target)), FeatureSolver.of(model)
    trained = [problems.formulation.train(p, z, solver) for p in stated]  # type: ignore[arg-type]
    errs = [p.kernel_rows[p.at_bound(t.solution.beta)] for p, t in zip(stated, trained, strict=True)]
    planes = np.array([t.solution.w for t in trained if isinstance(t.solution, PlaneSolution)])
    reports = [t.solution for t in trained]
    return Solved(planes, np.array([t.bias for t in trained]), reports, len(np.unique(np.concatenate(errs))))


def _solve_in_passes(
    model: SVC | SVR, rows: Rows, problems: Formulation, sizes: list[int], made: ChunkBasis, kinks: bool, unit: float
) -> Solved:
    """By sums over the rows."""
    width, limits = made.width, Limits(gap_tol=_GAP, max_iter=model.max_iter, time_limit=model.time_limit or 0.0)

    def course(n_rows: int, room: int, start: Start | None) -> Course:
        return minimise(width, 0.0, limits, kinks=kinks, unit=unit, n_rows=n_rows, room=room, start=start)

    matrix, starts = FeatureRows(made.basis), list[Start | None]([None] * len(sizes))
    if made.drawn is not None:
        starts = solve_sample(made.basis.features(made.drawn.table), made.drawn.target, problems, 0.0, sizes, unit)
    found = solve_planes(rows, matrix, problems, course, sizes, width, starts)
    planes, offsets = np.array([p.w for p in found]), np.array([p.offset for p in found])
    count = CountBounded(matrix, problems, planes, offsets, _ERRS * unit, rows_at_a_time(width))
    return Solved(planes, offsets, found, rows.merge(count).values[0])


def _prepare(model: Any, rows: Rows, gamma: Any, seed: int, double: bool = False) -> ChunkBasis:
    """The kernel fitted to all rows, features of it, and where they are many some rows to solve first."""
    numbers, rng = RowNumbers.of(rows), np.random.RandomState(seed)
    dtype = np.dtype(np.float64) if double else kernel_dtype(model.precision, numbers.n)
    rank = model.rank or RANK
    many = not double and not fits_at_once(numbers.n * rank * dtype.itemsize)
    sample = Drawn.of(model, numbers, rng, sample_size(numbers.n, rank) if many else 0)
    choice, table = model._choice, sample.landmarks.table
    kernel = as_kernel(choice.kernel, table.schema, gamma=gamma, coef0=choice.coef0, degree=choice.degree)
    model.kernel_ = fit_kernel(kernel, rows, View(table))
    model.transductive_, model.shape_fit_ = False, (numbers.n, model.n_features_in_)
    if not model.kernel_.positive:
        model._warn_indefinite(numbers.take(evenly_spaced(numbers.n)).table)
    return chunk_basis(model, model.kernel_, sample, numbers, dtype, rng)


def _keep(model: KernelMachine, made: ChunkBasis, planes: Floats, offsets: Floats) -> None:
    """Set landmarks or features and their coefficients, a row for each problem."""
    basis = made.basis
    model.support_, model.support_rows_ = basis.places.astype(np.int32), made.landmarks.table
    model._keep_coef(basis.coef(planes), offsets)
    model._map, model._by_problem, model.approximation_error_ = basis.kept, True, basis.error


def _refuse(model: Any) -> None:
    """MercerError for what passes over the rows do not do."""
    check_parameters(model)
    name = type(model).__name__
    if model.approximation not in ("nystroem", "features"):
        raise MercerError(
            f"{name} needs all rows at once, unless it approximates its kernel: to fit it in chunks, give "
            "approximation='nystroem'."
        )
    if model.searched_parameters():
        raise MercerError('"cv" needs all rows at once: in chunks, give numbers, such as those found on a sample.')
    for option in ("polish", "warm_start", "transductive"):
        if getattr(model, option, False):
            raise MercerError(f"{option}=True needs all rows at once: leave it out to fit in chunks.")
    if model._choice.precomputed or model._choice.is_function:
        raise MercerError("In chunks, kernels compare rows of columns: give a name or a Kernel.")


def _target_moments(part: Part) -> NumberMoments:
    return NumberMoments.of(part.target[:, None])
