"""One learner tried: cross-validated on the training part, then checked on the held-out part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer.errors import MercerError
from mercer.estimators.registry import Learner
from mercer.evaluate.intervals import BOOTSTRAP, Score, bootstrap, corrected_t, percentiles, wilson
from mercer.evaluate.metrics import METRICS, score, search_metric
from mercer.evaluate.options import ContestOptions
from mercer.evaluate.splits import Plan, Rows, part
from mercer.evaluate.target import Target
from mercer.select.sampling import sample_rows
from mercer.select.weighted import scorer
from mercer.table import Table, Task

MOST_TRAINING_ROWS = 10_000  # on which the training score is taken, evenly spaced
MOST_CLASSES = 50  # beyond it, only shares get an interval: the rest would take minutes to resample
Result = TypeVar("Result")
_SHARES = {"accuracy", "positive_accuracy"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the leaderboard: scores by metric key, or the error that stopped the learner."""

    key: str
    title: str
    summary: str
    is_baseline: bool
    holds_rows: bool
    cross_validated: dict[str, Score] = field(default_factory=dict)
    held_out: dict[str, Score] = field(default_factory=dict)
    training: dict[str, float | None] = field(default_factory=dict)
    seconds: float = 0.0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    note: str = ""
    error: str | None = None


@dataclass(frozen=True)
class Trial:
    """An entry with what it was made from: the model of the training part and its held-out predictions.

    `rows` are those of the table that the model learned from, in its order.
    """

    entry: Entry
    model: Any = None
    held_out_table: Table | None = None
    predicted: NDArray[np.float64] | None = None
    notices: tuple[str, ...] = ()
    rows: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class Ground:
    """What every learner of a contest shares."""

    table: Table
    target: Target
    plan: Plan
    options: ContestOptions


def try_learner(learner: Learner, ground: Ground, step: Callable[[str], None]) -> Trial:
    """Run one learner; whatever it raises becomes its entry's error, so that the others go on."""
    start = time.perf_counter()
    try:
        trial, notices = noted(learner, lambda: _run(learner, ground, step, start))
    except Exception as error:
        entry = Entry(*_names(learner), seconds=time.perf_counter() - start, error=in_words(error))
        return Trial(entry)
    return replace(trial, notices=notices)


def noted(learner: Learner, action: Callable[[], Result]) -> tuple[Result, tuple[str, ...]]:
    """The result, and what was warned of on the way, each thing once, under the learner's name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = action()
    return result, tuple(dict.fromkeys(f"{learner.title}: {w.message}" for w in caught))


def in_words(error: Exception) -> str:
    """What kind of error, and what it says."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _names(learner: Learner) -> tuple[str, str, str, bool, bool]:
    return learner.key, learner.title, learner.summary, learner.is_baseline, learner.holds_rows


def _run(learner: Learner, ground: Ground, step: Callable[[str], None], start: float) -> Trial:
    plan, target, options = ground.plan, ground.target, ground.options
    checked: list[dict[str, float]] = []
    trained: list[dict[str, float]] = []
    for i, (teach, check) in enumerate(plan.folds, 1):
        step(f"{learner.title}: fold {i} of {len(plan.folds)}")
        seen, unseen = part(ground.table, teach, check)
        model = fit(learner, ground, seen, target.values[teach])
        checked.append(_scores(model, unseen, target, check))
        few = np.linspace(0, len(teach) - 1, min(len(teach), MOST_TRAINING_ROWS)).astype(np.int64)
        trained.append(_scores(model, seen.take(few), target, teach[few]))
    step(f"{learner.title}: held-out rows")
    seen, unseen = part(ground.table, plan.train, plan.test)
    fit_start = time.perf_counter()
    model = fit(learner, ground, seen, target.values[plan.train])
    predict_start = time.perf_counter()
    predicted = predict(model, unseen, target)
    predict_end = time.perf_counter()
    held_out = held_out_scores(target, plan.test, predicted, options)
    entry = Entry(
        *_names(learner),
        cross_validated={
            k: corrected_t([s[k] for s in checked], plan.test_share, options.level, METRICS[k].limits)
            for k in checked[0]
        },
        held_out=held_out,
        training={k: corrected_t([s[k] for s in trained], 0.0).value for k in trained[0]},
        seconds=time.perf_counter() - start,
        fit_seconds=predict_start - fit_start,
        predict_seconds=predict_end - predict_start,
        note=_note(learner, len(plan.train)),
    )
    return Trial(entry, model, unseen, predicted, rows=plan.train[_taken(learner, ground, target.values[plan.train])])


def _note(learner: Learner, n_rows: int) -> str:
    if learner.max_rows is None or n_rows <= learner.max_rows:
        return ""
    return f"learned from {learner.max_rows:,} of {n_rows:,} rows, drawn at random: it does not take more"


def fit(learner: Learner, ground: Ground, table: Table, values: NDArray[Any]) -> Any:
    """A fitted estimator; a table too long for the learner is sampled down."""
    options = ground.options
    model = learner.make(ground.target.task, options.seed, options.n_jobs)
    if learner.searches:
        model.set_params(grid__scoring=search_metric(ground.target.task, len(ground.target.classes)))
    rows = _taken(learner, ground, values)
    if len(rows) < len(table):
        table, values = table.take(rows), values[rows]
    return model.fit(table, values)


def _taken(learner: Learner, ground: Ground, values: NDArray[Any]) -> Rows:
    """The rows that a learner is given of a table with these values of the target: all, or as many as it takes."""
    if learner.max_rows is None or len(values) <= learner.max_rows:
        return np.arange(len(values))
    classes = None if ground.target.task is Task.REGRESSION else values
    return sample_rows(classes, len(values), learner.max_rows, ground.options.seed)


def predict(model: Any, table: Table, target: Target) -> NDArray[np.float64]:
    """Numbers, or probabilities in a column per class of the target (0 for a class the model has not met)."""
    if target.task is Task.REGRESSION:
        values = np.asarray(model.predict(table), dtype=np.float64)
    else:
        values = np.zeros((len(table), len(target.classes)))
        values[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(table)
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).reshape(len(values), -1).any(axis=1).argmax())
        raise MercerError(f"The prediction for row {row + 1} of the rows checked is not a finite number.")
    return values


def _scores(model: Any, table: Table, target: Target, rows: Rows) -> dict[str, float]:
    return score(target.task, target.values[rows], predict(model, table, target), target.positive)


def held_out_scores(
    target: Target, rows: Rows, predicted: NDArray[np.float64], options: ContestOptions
) -> dict[str, Score]:
    """Every metric with an interval: Wilson for shares of rows, bootstrap of the rows for the others."""
    truth = target.values[rows]
    values = score(target.task, truth, predicted, target.positive)
    found = {key: Score(value if np.isfinite(value) else None) for key, value in values.items()}
    if len(target.classes) <= MOST_CLASSES:
        scores = scorer(target.task, truth, predicted, target.positive)
        draws = bootstrap(lambda w: _vector(scores(w), values), len(truth), options.seed)
        low, high = percentiles(draws, options.level)
        for j, key in enumerate(values):
            found[key] = Score(found[key].value, _known(low[j]), _known(high[j]), BOOTSTRAP)
    for key in _SHARES & values.keys():
        n = len(truth) if key == "accuracy" else int((truth == target.positive).sum())
        found[key] = wilson(round(values[key] * n), n, options.level) if n else Score(None)
    return found


def _vector(scores: dict[str, float], order: dict[str, float]) -> NDArray[np.float64]:
    return np.array([scores[key] for key in order])


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
