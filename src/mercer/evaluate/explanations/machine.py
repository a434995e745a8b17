"""A support vector machine: kernel, cost, support vectors, how well its problem is solved, and how it was tuned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators.svm.classifier import KernelClassifier
from mercer.evaluate.explanations.kernel import KernelFacts, kernel_facts
from mercer.evaluate.explanations.subject import Subject
from mercer.select.tuning_result import Tuning, TuningPoint

MOST_CLASSES = 12


@dataclass(frozen=True, slots=True)
class Surface:
    """Cross-validated scores of every gamma (lines) and cost (columns), larger is better.

    `best` and `modest` are places (gamma, cost): the point chosen, and the simplest within one standard error of the
    best. `exact` marks points solved to the end; the others were left behind early.
    """

    gammas: list[str]
    costs: list[float]
    mean: list[list[float]]
    error: list[list[float]]
    exact: list[list[bool]]
    scoring: str
    best: tuple[int, int]
    modest: tuple[int, int] | None  # None when it has another tube
    folds: int
    rows: int
    epsilon: float | None  # of the cells shown, when several were tried
    n_epsilons: int


@dataclass(frozen=True, slots=True)
class MachineAccount:
    """Givens, result and solver's account; None where it does not apply."""

    kernel: KernelFacts
    cost: float
    relative: bool  # cost and epsilon were given in standard deviations of the target
    epsilon: float | None  # half the width of the tube, in units of the target
    rows: int
    n_support: int
    n_bounded: int | None
    by_class: list[tuple[str, int]]
    n_machines: int
    strategy: str | None  # "ovo" or "ovr", of several classes
    gap: float
    relative_gap: float  # to the value of the problem
    iterations: int
    seconds: float
    converged: bool
    calibration: str | None
    transductive: bool
    surface: Surface | None


def machine_account(subject: Subject) -> MachineAccount:
    model, classes = subject.model, subject.classes
    sizes = sorted(zip(classes, model.n_support_.tolist(), strict=False), key=lambda s: -s[1])
    calibration = getattr(model, "probability", False)
    bounded = getattr(model, "n_bounded_", None)
    return MachineAccount(
        kernel=kernel_facts(model.kernel_),
        cost=float(getattr(model, "C_", getattr(model, "C", np.nan))),
        relative=bool(getattr(model, "relative", False)),
        epsilon=None if classes else float(model.tube_),
        rows=int(model.shape_fit_[0]),
        n_support=len(model.support_),
        n_bounded=None if bounded is None else int(bounded),
        by_class=sizes[:MOST_CLASSES],
        n_machines=len(model.intercept_),
        strategy=model.multi_class if isinstance(model, KernelClassifier) and len(classes) > 2 else None,
        gap=float(model.duality_gap_),
        relative_gap=float(model.duality_gap_ / max(abs(model.primal_), 1e-300)),
        iterations=int(np.sum(model.n_iter_)),
        seconds=float(subject.trial.entry.fit_seconds),
        converged=model.fit_status_ == 0,
        calibration="sigmoid" if calibration is True else calibration or None,
        transductive=bool(getattr(model, "transductive_", False)),
        surface=surface(getattr(model, "tuning_", None)),
    )


def surface(tuning: Tuning | None) -> Surface | None:
    """A search as plain data; None when nothing was tuned, or nu. Of several tubes, the cells of the best one."""
    if tuning is None or tuning.nus != (None,):
        return None
    gammas, costs, epsilons = tuning.gammas, tuning.costs, tuning.epsilons
    kept = tuning.best.epsilon

    def cells(values: NDArray[Any]) -> list[list[Any]]:
        found: list[list[Any]] = (values if len(epsilons) == 1 else values[:, epsilons.index(kept)]).tolist()
        return found

    def place(point: TuningPoint) -> tuple[int, int]:
        return gammas.index(point.gamma), costs.index(point.C)

    modest = tuning.points[tuning.one_standard_error]
    return Surface(
        gammas=["" if g is None else g if isinstance(g, str) else f"{g:.3g}" for g in gammas],
        costs=[c for c in costs if c is not None],
        mean=cells(tuning.mean),
        error=cells(tuning.standard_error),
        exact=cells(tuning.exact & ~tuning.rejected),
        scoring=tuning.scoring,
        best=place(tuning.best),
        modest=place(modest) if modest.epsilon == kept else None,
        folds=tuning.n_folds,
        rows=tuning.n_rows,
        epsilon=kept,
        n_epsilons=len(epsilons),
    )
