"""Every learner compared: on the same rows, by the same folds and the same held-out rows."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mercer._core.threads import single_blas_thread
from mercer.errors import BadTable
from mercer.estimators.registry import learners
from mercer.evaluate.advice import fitting_hint
from mercer.evaluate.columns import ColumnSummary, summarise_columns
from mercer.evaluate.diagnostics import Diagnostics, diagnose
from mercer.evaluate.explanations import LearnerExplanation, explain_learners
from mercer.evaluate.metrics import METRICS, Metric, main_metric
from mercer.evaluate.options import ComparisonOptions, Progress
from mercer.evaluate.run import Context, Entry, Run, describe_error, fit, run_learner, with_notices
from mercer.evaluate.splits import SplitPlan, plan_splits
from mercer.formatting import counted
from mercer.table import LeftOut, Source, infer
from mercer.table.build import build
from mercer.table.target import Task
from mercer.table.target_column import Target, read_target

FORMAT = "mercer result 2"
_PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "polars")


@dataclass(frozen=True, slots=True)
class TargetSummary:
    """The target: why it is a class or a number, and its distribution."""

    name: str
    reason: str
    n_missing: int
    classes: list[str]
    counts: list[int]  # rows of each class
    positive: str | None
    quantiles: list[float]  # minimum, quartiles and maximum of a number


@dataclass(frozen=True, slots=True)
class SplitSummary:
    """How the rows were used."""

    n_rows: int
    n_train: int
    n_held_out: int
    n_folds: int
    n_repeats: int
    stratified: bool


@dataclass(frozen=True)
class Comparison:
    """All that was found. `leaderboard` is best first; `best_model` is its first learner fitted to every row."""

    name: str
    task: Task
    target: TargetSummary
    metric: Metric
    splits: SplitSummary
    columns: list[ColumnSummary]
    left_out: list[LeftOut]
    leaderboard: list[Entry]
    diagnostics: Diagnostics
    explanations: list[LearnerExplanation]
    hint: str
    notices: list[str]
    seed: int
    level: float
    seconds: float
    versions: dict[str, str]
    best_model: Any

    @property
    def best(self) -> Entry:
        """The first entry of the leaderboard."""
        return self.leaderboard[0]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON (NaN becomes None); the fitted model is not in it."""
        content = {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "best_model"}
        metrics = {key: plain(m) for key, m in METRICS.items() if m.task is self.task}
        return {"format": FORMAT, **content, "metrics": metrics}


def prepare(source: Source, target: str, options: ComparisonOptions) -> Context:
    """Read the target, infer the kinds of the other columns, build the table and split its rows.

    Parameters
    ----------
    source : Source
        Cells as they were read, with the target among the columns; rows without a target are left out.
    target : str
        Name or place of the column to predict.
    options : ComparisonOptions
        Task, kinds, folds and held-out share.

    Returns
    -------
    Context
        What every learner shares: the one table that all of them are fitted to and scored on.
    """
    found, rest = read_target(source, target, options.task)
    plan = plan_splits(found, options)
    table = build(rest, infer(rest, options.kinds))
    if not len(table.schema):
        reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in table.schema.left_out[:3])
        raise BadTable(f"No column is left to learn {found.name!r} from. {reasons}".strip())
    return Context(table, found, plan, options, rest)


@single_blas_thread()
def compare_learners(context: Context, progress: Progress) -> Comparison:
    """Cross-validate each learner, score it on the held-out rows, rank them, and fit the best to every row.

    A learner that fails is listed with its error; the comparison fails only when all of them do. The same seed gives
    the same result, except for times. BLAS has one thread: on a busy machine two took 20 times as long for least
    squares on a fold, waiting for each other; native code has its own threads.

    Parameters
    ----------
    context : Context
        From `prepare`.
    progress : callable
        Called as `progress(what, share)` while work goes on, `share` rising from 0 to 1.

    Returns
    -------
    Comparison
        Leaderboard, diagnostics of the best learner, explanations of all, and the best model.
    """
    start = time.perf_counter()
    target, options = context.target, context.options
    metric = main_metric(target.task, len(target.classes))
    running = learners(target.task, options.learners)
    steps = _Steps(progress, len(running) * (len(context.plan.folds) + 1) + 2)
    runs = _ranked([run_learner(learner, context, steps) for learner in running], metric)
    best_model, runs = _refit(runs, context, steps)
    steps("Permutation importance")
    diagnostics = diagnose(runs[0], context, metric)
    explanations = explain_learners(runs, best_model, context, [i.column for i in diagnostics.importance])
    progress("Done", 1.0)
    entries = [run.entry for run in runs]
    return Comparison(
        name=options.name,
        task=target.task,
        target=_target_summary(target),
        metric=metric,
        splits=_split_summary(context.plan),
        columns=summarise_columns(context.table),
        left_out=list(context.table.schema.left_out),
        leaderboard=entries,
        diagnostics=diagnostics,
        explanations=explanations,
        hint=fitting_hint(entries[0], entries, metric),
        notices=_notices(context, runs),
        seed=options.seed,
        level=options.level,
        seconds=time.perf_counter() - start,
        versions=_versions(),
        best_model=best_model,
    )


def _split_summary(plan: SplitPlan) -> SplitSummary:
    n_train, n_test = len(plan.train), len(plan.test)
    return SplitSummary(n_train + n_test, n_train, n_test, plan.n_folds, plan.n_repeats, plan.stratified)


class _Steps:
    """Counts steps and reports them as shares of all."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, what: str) -> None:
        self.progress(what, min(0.99, self.done / self.total))
        self.done += 1


def _ranked(runs: list[Run], metric: Metric) -> list[Run]:
    """Best first by the cross-validated main metric; failures last. A tie keeps the order of the registry."""

    def rank(run: Run) -> float:
        value = run.entry.cross_validated[metric.key].value if run.entry.error is None else None
        return math.inf if value is None else (-value if metric.higher_is_better else value)

    if all(run.entry.error is not None for run in runs):
        raise _all_failed(runs)
    return sorted(runs, key=lambda run: (run.entry.error is not None, rank(run)))


def _refit(ranked: list[Run], context: Context, step: Callable[[str], None]) -> tuple[Any, list[Run]]:
    """The best learner fitted to every row, and the ranking: a learner that fails at this goes to its end."""
    step(f"{ranked[0].entry.title}: fitting to every row")
    failed: list[Run] = []
    for i, run in enumerate(ranked):
        if run.entry.error is not None:
            break
        try:
            model, notices = with_notices(
                run.learner, partial(fit, run.learner, context, context.table, context.target.labels)
            )
        except Exception as error:
            failed.append(replace(run, entry=replace(run.entry, error=describe_error(error))))
        else:
            best = replace(run, notices=run.notices + notices)
            return model, [best, *ranked[i + 1 :], *failed]
    raise _all_failed([*failed, *ranked[len(failed) :]])


def _all_failed(runs: list[Run]) -> BadTable:
    reasons = "; ".join(f"{run.entry.title}: {run.entry.error}" for run in runs)
    return BadTable(f"No learner could be fitted. {reasons}")


def _target_summary(target: Target) -> TargetSummary:
    if target.task is Task.REGRESSION:
        quantiles = np.quantile(target.numbers, [0, 0.25, 0.5, 0.75, 1]).tolist()
        return TargetSummary(target.name, target.reason, target.n_missing, [], [], None, quantiles)
    counts = np.bincount(target.codes, minlength=len(target.classes)).tolist()
    positive = None if target.positive is None else target.classes[target.positive]
    return TargetSummary(target.name, target.reason, target.n_missing, list(target.classes), counts, positive, [])


def _notices(context: Context, runs: list[Run]) -> list[str]:
    found, target = list(context.source.notices), context.target
    if target.n_missing:
        found.append(f"{counted(target.n_missing, 'row')} without a value of {target.name!r} left out.")
    for run in runs:
        found += run.notices
        if run.entry.note:
            found.append(f"{run.entry.title}: {run.entry.note}.")
        if run.entry.error is not None:
            found.append(f"{run.entry.title} failed: {run.entry.error}")
    return list(dict.fromkeys(found))


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a source tree that is not installed
            continue
    return found


def plain(value: Any) -> Any:
    """Dataclasses, arrays and enums as what JSON knows; numbers that are not finite become None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, str) else value
