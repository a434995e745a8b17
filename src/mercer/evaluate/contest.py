"""The contest: every learner on the same rows, judged by the same folds and the same held-out part."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

import numpy as np

from mercer._core.threads import single_blas_thread
from mercer.errors import BadTable
from mercer.estimators.registry import Learner, learners
from mercer.evaluate.advice import fitting_hint
from mercer.evaluate.columns import ColumnFacts, column_facts
from mercer.evaluate.details import Details, look_closer
from mercer.evaluate.explanations.account import Account, accounts
from mercer.evaluate.metrics import METRICS, Metric, main_metric
from mercer.evaluate.options import ContestOptions
from mercer.evaluate.run import Entry, Ground, Trial, fit, in_words, noted, try_learner
from mercer.evaluate.splits import Plan, plan_splits
from mercer.evaluate.target import Target, read_target
from mercer.table import LeftOut, Source, Task, infer
from mercer.table.build import build

Progress: TypeAlias = Callable[[str, float], None]
FORMAT = "mercer result 1"
_PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "polars")


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """The target in words and counts."""

    name: str
    reason: str
    n_missing: int
    classes: list[str]
    counts: list[int]  # rows of each class
    positive: str | None
    quantiles: list[float]  # minimum, quartiles and maximum of a number


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """How the rows were used."""

    n_rows: int
    n_train: int
    n_held_out: int
    n_folds: int
    n_repeats: int
    stratified: bool


@dataclass(frozen=True)
class Contest:
    """All that was found. `leaderboard` is best first; `winner` is its first learner fitted to every row."""

    name: str
    task: Task
    target: TargetFacts
    metric: Metric
    splits: SplitFacts
    columns: list[ColumnFacts]
    left_out: list[LeftOut]
    leaderboard: list[Entry]
    details: Details
    accounts: list[Account]
    hint: str
    notices: list[str]
    seed: int
    level: float
    seconds: float
    versions: dict[str, str]
    winner: Any

    @property
    def best(self) -> Entry:
        return self.leaderboard[0]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON (NaN becomes None); the fitted model is not in it."""
        content = {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "winner"}
        metrics = {key: plain(m) for key, m in METRICS.items() if m.task is self.task}
        return {"format": FORMAT, **content, "metrics": metrics}


@single_blas_thread()
def run_contest(source: Source, target: str, options: ContestOptions, progress: Progress) -> Contest:
    """Read the target, infer the schema, split, cross-validate each learner, check on held-out rows, refit the best.

    `progress(what, share)` is called as work goes on, `share` rising from 0 to 1. A learner that fails is listed
    with its error; the contest fails only when all of them do. The same seed gives the same result, times apart.
    BLAS has one thread: on a busy machine two took 20 times as long for least squares on a fold, waiting for each
    other; native code has its own threads.
    """
    start = time.perf_counter()
    progress("Reading the target and the kinds of the columns", 0.0)
    ground = _ground(source, target, options)
    metric = main_metric(ground.target.task, len(ground.target.classes))
    running = learners(ground.target.task, options.learners)
    steps = _Steps(progress, len(running) * (len(ground.plan.folds) + 1) + 2)
    trials = _ranked([try_learner(learner, ground, steps) for learner in running], metric)
    winner, trials = _refit(running, trials, ground, steps)
    steps("What drives the predictions")
    details = look_closer(trials[0], ground, metric)
    explained = accounts(trials, winner, ground, [i.column for i in details.importance])
    progress("Done", 1.0)
    entries = [trial.entry for trial in trials]
    return Contest(
        name=options.name,
        task=ground.target.task,
        target=_target_facts(ground.target),
        metric=metric,
        splits=_split_facts(ground.plan),
        columns=column_facts(ground.table),
        left_out=list(ground.table.schema.left_out),
        leaderboard=entries,
        details=details,
        accounts=explained,
        hint=fitting_hint(entries[0], entries, metric),
        notices=_notices(source, ground.target, trials),
        seed=options.seed,
        level=options.level,
        seconds=time.perf_counter() - start,
        versions=_versions(),
        winner=winner,
    )


def _ground(source: Source, target: str, options: ContestOptions) -> Ground:
    """What every learner shares: the table without the target, the target, the splits."""
    found, rest = read_target(source, target, options.task)
    plan = plan_splits(found, options)
    table = build(rest, infer(rest, options.kinds))
    if not len(table.schema):
        reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in table.schema.left_out[:3])
        raise BadTable(f"No column is left to learn {found.name!r} from. {reasons}".strip())
    return Ground(table, found, plan, options)


def _split_facts(plan: Plan) -> SplitFacts:
    n_train, n_test = len(plan.train), len(plan.test)
    return SplitFacts(n_train + n_test, n_train, n_test, plan.n_folds, plan.n_repeats, plan.stratified)


class _Steps:
    """Counts steps and passes them on as shares."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, what: str) -> None:
        self.progress(what, min(0.99, self.done / self.total))
        self.done += 1


def _ranked(trials: list[Trial], metric: Metric) -> list[Trial]:
    """Best first by the cross-validated main metric; failures last. A tie keeps the order of the registry."""

    def rank(trial: Trial) -> float:
        value = trial.entry.cross_validated[metric.key].value if trial.entry.error is None else None
        return math.inf if value is None else (-value if metric.higher_is_better else value)

    if all(t.entry.error is not None for t in trials):
        raise _all_failed(trials)
    return sorted(trials, key=lambda t: (t.entry.error is not None, rank(t)))


def _refit(
    running: tuple[Learner, ...], ranked: list[Trial], ground: Ground, step: Callable[[str], None]
) -> tuple[Any, list[Trial]]:
    """The best learner fitted to every row, and the ranking: one that fails at this goes to its end."""
    by_key = {learner.key: learner for learner in running}
    step(f"{ranked[0].entry.title}: fitting to every row")
    failed: list[Trial] = []
    for i, trial in enumerate(ranked):
        if trial.entry.error is not None:
            break
        learner = by_key[trial.entry.key]
        try:
            winner, notices = noted(learner, partial(fit, learner, ground, ground.table, ground.target.labels))
        except Exception as error:
            failed.append(replace(trial, entry=replace(trial.entry, error=in_words(error))))
        else:
            best = replace(trial, notices=trial.notices + notices)
            return winner, [best, *ranked[i + 1 :], *failed]
    raise _all_failed([*failed, *ranked[len(failed) :]])


def _all_failed(trials: list[Trial]) -> BadTable:
    reasons = "; ".join(f"{t.entry.title}: {t.entry.error}" for t in trials)
    return BadTable(f"No learner could be fitted. {reasons}")


def _target_facts(target: Target) -> TargetFacts:
    if target.task is Task.REGRESSION:
        quantiles = np.quantile(target.numbers, [0, 0.25, 0.5, 0.75, 1]).tolist()
        return TargetFacts(target.name, target.reason, target.n_missing, [], [], None, quantiles)
    counts = np.bincount(target.codes, minlength=len(target.classes)).tolist()
    positive = None if target.positive is None else target.classes[target.positive]
    return TargetFacts(target.name, target.reason, target.n_missing, list(target.classes), counts, positive, [])


def _notices(source: Source, target: Target, trials: list[Trial]) -> list[str]:
    found = list(source.notices)
    if target.n_missing:
        rows = "1 row" if target.n_missing == 1 else f"{target.n_missing:,} rows"
        found.append(f"{rows} without a value of {target.name!r} left out.")
    for trial in trials:
        found += trial.notices
        if trial.entry.note:
            found.append(f"{trial.entry.title}: {trial.entry.note}.")
        if trial.entry.error is not None:
            found.append(f"{trial.entry.title} failed: {trial.entry.error}")
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
