"""What the report says of a support vector machine: kernel, cost, support vectors, duality gap, and its tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.kernel.weight_facts import weight_facts
from mercer.formatting import amount, duration, percent
from mercer.kernels.formula import KernelFormula, kernel_formula
from mercer.select.tuning_result import Tuning, TuningPoint

MOST_CLASSES = 12

_TRANSDUCTIVE = (
    "Transductive: the frequencies of levels in the kernel were also counted on rows without a label, which must be "
    "known before predicting."
)


@dataclass(frozen=True, slots=True)
class TuningGrid:
    """Cross-validated scores of every gamma (rows) and cost (columns), larger is better.

    `best` and `simplest` are places (gamma, cost): the point chosen, and the simplest within one standard error of the
    best. `exact` marks points solved to the tolerance; the search gave up the others early.
    """

    gammas: list[str]
    costs: list[float]
    mean: list[list[float]]
    error: list[list[float]]
    exact: list[list[bool]]
    scoring: str
    best: tuple[int, int]
    simplest: tuple[int, int] | None  # None when it has another epsilon
    folds: int
    rows: int
    epsilon: float | None  # of the scores shown, when several were tried
    n_epsilons: int


@dataclass(frozen=True, slots=True)
class SvmDetails:
    """The problem that was solved, its solution, and how exact that is; None where it does not apply."""

    kernel: KernelFormula
    cost: float
    relative: bool  # cost and epsilon are in standard deviations of the target
    epsilon: float | None  # half the width of the tube, in units of the target
    rows: int
    n_support: int
    n_bounded: int | None
    by_class: list[tuple[str, int]]
    n_problems: int
    strategy: str | None  # "ovo" or "ovr", of several classes
    gap: float
    relative_gap: float  # duality gap / value of the objective
    iterations: int
    seconds: float
    converged: bool
    calibration: str | None
    transductive: bool
    tuning: TuningGrid | None


def explain_svm(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, parameters, support vectors, how exactly the problem is solved, and the grid that was searched."""
    found = _details(fitted)
    lead = "A new row is compared with the support vectors by the kernel k."
    notes = (*found.kernel.notes, _TRANSDUCTIVE) if found.transductive else tuple(found.kernel.notes)
    facts = [*_facts(found), *weight_facts(fitted.model.kernel_)]
    return ModelExplanation("svm", lead, facts, found, f"k(a, b) = {found.kernel.formula}", notes)


def _details(fitted: FittedLearner) -> SvmDetails:
    model, classes = fitted.model, fitted.classes
    sizes = sorted(zip(classes, model.n_support_.tolist(), strict=False), key=lambda s: -s[1])
    bounded = getattr(model, "n_bounded_", None)
    return SvmDetails(
        kernel=kernel_formula(model.kernel_),
        cost=float(getattr(model, "C_", getattr(model, "C", np.nan))),
        relative=bool(getattr(model, "relative", False)),
        epsilon=None if classes else float(model.tube_),
        rows=int(model.shape_fit_[0]),
        n_support=len(model.support_),
        n_bounded=None if bounded is None else int(bounded),
        by_class=sizes[:MOST_CLASSES],
        n_problems=len(model.intercept_),
        strategy=model.multi_class if is_classifier(model) and len(classes) > 2 else None,
        gap=float(model.duality_gap_),
        relative_gap=float(model.duality_gap_ / max(abs(model.primal_), 1e-300)),
        iterations=int(np.sum(model.n_iter_)),
        seconds=fitted.fit_seconds,
        converged=model.fit_status_ == 0,
        calibration=getattr(model, "_calibration", None),
        transductive=bool(getattr(model, "transductive_", False)),
        tuning=tuning_grid(getattr(model, "tuning_", None)),
    )


def tuning_grid(tuning: Tuning | None) -> TuningGrid | None:
    """A search over costs and widths as a grid; None without one, or over nu. Of several epsilons, the best one's."""
    if tuning is None or tuning.nus != (None,):
        return None
    gammas, costs, epsilons = tuning.gammas, tuning.costs, tuning.epsilons
    kept = tuning.best.epsilon

    def cells(values: NDArray[Any]) -> list[list[Any]]:
        found: list[list[Any]] = (values if len(epsilons) == 1 else values[:, epsilons.index(kept)]).tolist()
        return found

    def place(point: TuningPoint) -> tuple[int, int]:
        return gammas.index(point.gamma), costs.index(point.C)

    simplest = tuning.points[tuning.one_standard_error]
    return TuningGrid(
        gammas=["" if g is None else g if isinstance(g, str) else f"{g:.3g}" for g in gammas],
        costs=[c for c in costs if c is not None],
        mean=cells(tuning.mean),
        error=cells(tuning.standard_error),
        exact=cells(tuning.exact & ~tuning.rejected),
        scoring=tuning.scoring,
        best=place(tuning.best),
        simplest=place(simplest) if simplest.epsilon == kept else None,
        folds=tuning.n_folds,
        rows=tuning.n_rows,
        epsilon=kept,
        n_epsilons=len(epsilons),
    )


def _facts(found: SvmDetails) -> list[Fact]:
    unit = ", per standard deviation of the target" if found.relative else ""
    facts = [Fact("Cost C", amount(found.cost), f"of an error, against the width of the margin{unit}")]
    if found.kernel.gamma is not None:
        facts.append(Fact("γ", amount(found.kernel.gamma), "the larger, the more local"))
    if found.epsilon is not None:
        facts.append(Fact("ε", amount(found.epsilon), "smaller errors cost nothing; in units of the target"))
    return [*facts, *_support(found), *_solution(found)]


def _support(found: SvmDetails) -> list[Fact]:
    share = f"{percent(found.n_support / max(found.rows, 1))} of the rows"
    facts = [Fact("Support vectors", f"{found.n_support:,}", share)]
    if found.n_bounded is not None:
        where = "inside the margin" if found.epsilon is None else "outside the tube"
        free = found.n_support - found.n_bounded
        facts.append(Fact("Bounded support vectors", f"{found.n_bounded:,}", f"{where}; {free:,} on its edge"))
    return facts


def _solution(found: SvmDetails) -> list[Fact]:
    stopped = "" if found.converged else "; stopped before convergence"
    facts = [
        Fact("Duality gap", f"{amount(found.relative_gap)} of the objective", f"{amount(found.gap)} in all{stopped}"),
        Fact("Iterations", f"{found.iterations:,}", f"{duration(found.seconds)} to fit the training rows"),
        Fact("Rows learned from", f"{found.rows:,}"),
    ]
    if found.strategy:
        each = "one for each pair of classes" if found.strategy == "ovo" else "one for each class against the rest"
        facts.append(Fact("Binary problems", f"{found.n_problems:,}", each))
    if found.calibration:
        curve = "a logistic curve" if found.calibration == "sigmoid" else "an isotonic regression"
        facts.append(Fact("Probabilities", found.calibration, f"{curve} of cross-validated decisions, 5 folds"))
    return facts
