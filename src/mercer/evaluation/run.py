"""One learner run: cross-validated on the training rows, then fitted to them and scored on the held-out rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from mercer._core import effective_jobs
from mercer._core.threads import at_most
from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.forward import Selection
from mercer.errors import MercerError
from mercer.estimators.registry import Learner
from mercer.evaluation.data.row_columns import KnownCosts
from mercer.evaluation.data.splits import SplitPlan, split_table
from mercer.evaluation.decisions.scores import (
    held_out_classes,
    search_score,
    weights_pay,
    weights_sentence,
    with_decisions,
)
from mercer.evaluation.intervals import Score, corrected_t
from mercer.evaluation.metrics import Metric
from mercer.evaluation.notice import Notice, with_notices
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.uncertainty.learner import cross_validated_scores, held_out_scores, row_scores
from mercer.select.decisions import without_class_weights
from mercer.select.sampling import limit_rows
from mercer.table import Source, Table
from mercer.table.target import Task
from mercer.table.target_column import Target

MIN_FOLDS = 2  # that are scored however long they take
MOST_TRAINING_ROWS = 10_000  # on which the training score is taken, evenly spaced
Item = TypeVar("Item")
Result = TypeVar("Result")


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
    folds: dict[str, list[float]] = field(default_factory=dict)  # cross-validated score of each fold
    seconds: float = 0.0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    behind: Score | None = None  # difference to the best, above 0 where that is better; None of the best itself
    tied: bool = False  # the interval of that difference holds 0
    note: str = ""
    recalibrated: bool = False  # whether the scores are those after calibration, which no other learner had
    weighting: str = ""  # whether class weights were used, and what they do to the cost
    error: str | None = None

    @classmethod
    def of(cls, learner: Learner, **found: Any) -> Entry:
        """The entry of a learner with what was found of it."""
        return cls(learner.key, learner.title, learner.summary, learner.is_baseline, learner.holds_rows, **found)


@dataclass(frozen=True)
class FoldResult:
    """The test rows of one fold, what was predicted for them, and the scores of those and of the training rows.

    `fitted` are some of the training rows and what was predicted for them; `guess` is the class that each test row is
    called, where that is not the most probable one; `costs` of the test rows, when these are known.
    """

    rows: Longs
    predicted: Floats
    scores: dict[str, float]
    training: dict[str, float]
    fitted: tuple[Longs, Floats] = field(default_factory=lambda: (np.zeros(0, dtype=np.int64), np.zeros((0, 0))))
    guess: Longs | None = None
    costs: Floats | None = None


@dataclass(frozen=True)
class Run:
    """A learner, its entry, the model of the training rows and its predictions for the held-out rows.

    `training_rows` are the row numbers that the model was fitted to, in its order. `inner` has for each fold the others
    as models without both predict them (see `selection.nested`). Of an ensemble, `members` are the runs of its members
    with their weights, and `selection` is how these were found.
    """

    learner: Learner
    entry: Entry
    model: Any = None
    held_out_table: Table | None = None
    predicted: Floats | None = None
    training_rows: Longs = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    notices: tuple[Notice, ...] = ()
    folds: tuple[FoldResult, ...] = ()
    inner: tuple[tuple[FoldResult, ...], ...] = ()
    class_weights: Floats | None = None
    members: tuple[tuple[Run, float], ...] = ()
    selection: Selection | None = None


@dataclass(frozen=True)
class Context:
    """What every learner of a comparison shares. `source` holds the cells that `table` was built from."""

    table: Table
    target: Target
    plan: SplitPlan
    options: ComparisonOptions
    source: Source
    metric: Metric
    weight: Floats | None = None  # of each row, in fits and scores
    costs: KnownCosts | None = None
    class_weights: Floats | None = None  # by which a learner is fitted, where that lowers its cost
    row_sample: str = ""  # which rows of the table the plan has, where a time budget is too short for all

    def weight_of(self, rows: Longs) -> Floats | None:
        """Weights of some of the rows; None where none were given."""
        return None if self.weight is None else self.weight[rows]

    def groups_of(self, rows: Longs) -> Longs | None:
        """The group, or the distinct row, that each of some rows belongs to; None where rows are independent."""
        return None if self.plan.groups is None else self.plan.groups[rows]


def run_learner(learner: Learner, context: Context, step: Callable[[str], None]) -> Run:
    """Run one learner; whatever it raises becomes its entry's error, so that the others go on."""
    start = time.perf_counter()
    try:
        run, notices = with_notices(learner.title, lambda: _run(learner, context, step))
    except Exception as error:
        return Run(learner, Entry.of(learner, seconds=time.perf_counter() - start, error=describe_error(error)))
    return replace(run, notices=notices, entry=replace(run.entry, seconds=time.perf_counter() - start))


def describe_error(error: Exception) -> str:
    """Type and message of an error."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _run(learner: Learner, context: Context, step: Callable[[str], None]) -> Run:
    context, tested, weighting = _with_best_weights(learner, context, step)
    step(f"{learner.title}: held-out rows")
    return run_held_out(learner, context, tested, weighting)


def run_held_out(learner: Learner, context: Context, tested: list[FoldResult], weighting: str = "") -> Run:
    """The run of a learner that was cross-validated: fitted to the training rows and scored on the held-out rows."""
    plan, target = context.plan, context.target
    train, test = split_table(context.table, plan.train, plan.test)
    fit_start = time.perf_counter()
    model = fit(learner, context, train, plan.train)
    predict_start = time.perf_counter()
    predicted = predict(model, test, target, context.class_weights)
    predict_end = time.perf_counter()
    notes = row_limit_note(learner, context, plan.train), _time_limit_note(len(tested), context)
    entry = scored_entry(
        learner,
        context,
        tested,
        predicted,
        fit_seconds=predict_start - fit_start,
        predict_seconds=predict_end - predict_start,
        weighting=weighting,
        note="; ".join(filter(None, notes)),
    )
    rows = plan.train[limited(learner, context, plan.train)[0]]
    weights = context.class_weights
    return Run(learner, entry, model, test, predicted, rows, folds=tuple(tested), class_weights=weights)


def scored_entry(
    learner: Learner, context: Context, tested: list[FoldResult], predicted: Floats, **found: Any
) -> Entry:
    """The entry of a learner with its scores on folds and on the held-out rows, and what else was found of it."""
    called = held_out_classes(tested, context, predicted)
    return Entry.of(
        learner,
        cross_validated=cross_validated_scores(tested, context),
        held_out=held_out_scores(context, context.plan.test, predicted, called),
        folds={k: [t.scores[k] for t in tested] for k in tested[0].scores},
        training={k: corrected_t([t.training[k] for t in tested], 0.0).value for k in tested[0].training},
        **found,
    )


def _with_best_weights(
    learner: Learner, context: Context, step: Callable[[str], None]
) -> tuple[Context, list[FoldResult], str]:
    """Cross-validated with class weights as the costs are, where that lowers the cost; and a sentence on it."""
    start = time.perf_counter()
    plain = with_decisions(cross_validate(learner, context, step), context)
    weights = None if context.costs is None else context.costs.matrix.class_weights()
    able = not learner.is_baseline and "class_weight" in learner.make(context.target.task).get_params()
    if weights is None or not able or (weights == weights[0]).all() or not (weights > 0).all():
        return context, plain, ""
    if time.perf_counter() - start > 0.4 * context.options.time_limit:  # the last fit is to come
        return context, plain, "fitted without class weights: its time limit left none to try them"
    weighing = replace(context, class_weights=weights)
    weighted = with_decisions(cross_validate(learner, weighing, step), weighing)
    pays = weights_pay(plain, weighted, context)
    sentence = weights_sentence(weights, plain, weighted, pays)
    return (weighing, weighted, sentence) if pays else (context, plain, sentence)


def cross_validate(learner: Learner, context: Context, step: Callable[[str], None]) -> list[FoldResult]:
    """The learner fitted without each fold in turn, and scored on it and on its training rows."""
    folds, limit = context.plan.folds, context.options.time_limit
    at_once = workers(context)
    found: list[FoldResult] = []
    start = time.perf_counter()
    for first in range(0, len(folds), at_once):
        spent = time.perf_counter() - start
        if first >= MIN_FOLDS and spent + 2 * spent / first > limit:  # this fold, and the fit to all training rows
            break
        step(f"{learner.title}: fold {first + 1} of {len(folds)}")
        found += in_threads(partial(_test_fold, learner, context), folds[first : first + at_once], context)
    return found


def workers(context: Context) -> int:
    """Fits at the same time, each by one thread: 1 without a time budget, where a fit has all threads to itself.

    Two threads for one fit of boosted trees to 30,000 rows take half as much processor time again as one.
    """
    return 1 if context.options.budget is None else effective_jobs(context.options.n_jobs)


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], context: Context) -> list[Result]:
    """Each item worked on: in a time budget as many at once as there are cores, each by one thread."""
    if workers(context) == 1 or len(items) < 2:
        return [work(item) for item in items]

    def alone(item: Item) -> Result:
        with at_most(1):
            return work(item)

    with ThreadPoolExecutor(workers(context)) as pool:
        return list(pool.map(alone, items))


def _test_fold(learner: Learner, context: Context, fold: tuple[Longs, Longs]) -> FoldResult:
    """The learner fitted to the training rows of a fold, and scored on its test rows."""
    train_rows, test_rows = fold
    train, test = split_table(context.table, train_rows, test_rows)
    model = fit(learner, context, train, train_rows)
    predicted = predict(model, test, context.target, context.class_weights)
    few = np.linspace(0, len(train_rows) - 1, min(len(train_rows), MOST_TRAINING_ROWS)).astype(np.int64)
    again = predict(model, train.take(few), context.target, context.class_weights)
    scores = row_scores(predicted, context, test_rows), row_scores(again, context, train_rows[few])
    return FoldResult(test_rows, predicted, *scores, (train_rows[few], again))


def row_limit_note(learner: Learner, context: Context, rows: Longs) -> str:
    """Which of the rows the learner was fitted to, where its row limit is met; '' elsewhere."""
    kept, _, whole = limited(learner, context, rows)
    if len(kept) == len(rows):
        return ""
    why = "its row limit" if context.options.budget is None else "its row limit in the time budget"
    return sample_note(len(kept), len(rows), why, [context.target.classes[int(c)] for c in whole])


def sample_note(n_kept: int, n_rows: int, why: str, whole: Sequence[str]) -> str:
    """What was learned from, where that are not all rows: "learned from 100 of 600 rows, its row limit: ...".

    Parameters
    ----------
    n_kept, n_rows : int
        Rows that are used, and all of them.
    why : str
        What limits them.
    whole : sequence of str
        The classes of which every row is used.

    Returns
    -------
    str
        A sentence without its subject.
    """
    found = f"learned from {n_kept:,} of {n_rows:,} rows, {why}"
    if not len(whole):
        return f"{found}: a random sample"
    listed = f"{len(whole)} rare classes" if len(whole) > 3 else " and ".join(map(repr, whole))
    return f"{found}: every row of {listed} and a random sample of the others, weighted to stand for all of them"


def _time_limit_note(n_done: int, context: Context) -> str:
    n_folds = len(context.plan.folds)
    if n_done == n_folds:
        return ""
    return f"scored on {n_done} of {n_folds} folds, where it met its time limit of {context.options.time_limit:.2g} s"


def fit(learner: Learner, context: Context, table: Table, rows: Longs, *, named: bool = False) -> Any:
    """A fitted estimator; a table beyond the learner's row limit is sampled down to it.

    Parameters
    ----------
    learner : Learner
        What is fitted.
    context : Context
        What the learners share.
    table : Table
        The training rows.
    rows : ndarray
        Their row numbers.
    named : bool, default False
        Whether classes are fitted by name, as in the model that is kept, or by code.

    Returns
    -------
    estimator
        Fitted.
    """
    options, target = context.options, context.target
    values = (target.labels if named else target.values)[rows]
    model = learner.make(target.task, options.seed, options.n_jobs)
    if settings := _search_settings(learner, context, rows, values):
        known = model.get_params(deep=False)
        model.set_params(**{name: value for name, value in settings.items() if name.split("__")[0] in known})
    kept, weight, _ = limited(learner, context, rows)
    if len(kept) < len(table):
        table, values = table.take(kept), values[kept]
    if context.class_weights is not None:
        names = target.classes if named else range(len(target.classes))
        present = set(np.unique(target.codes[rows][kept]).tolist())
        pairs = enumerate(zip(names, context.class_weights.tolist(), strict=True))
        model.set_params(class_weight={name: factor for code, (name, factor) in pairs if code in present})
    if context.weight is not None:
        weight = context.weight[rows][kept] * (1.0 if weight is None else weight)
    extra = {} if weight is None or not has_fit_parameter(model, "sample_weight") else {"sample_weight": weight}
    return model.fit(table, values, **extra)


def _search_settings(learner: Learner, context: Context, rows: Longs, values: NDArray[Any]) -> dict[str, Any]:
    """What a learner's own search is to maximise, and how long it may take."""
    target, positive = context.target, None
    if target.positive is not None and (target.values[rows] == target.positive).any():
        positive = int(np.searchsorted(np.unique(values), values[target.values[rows] == target.positive][0]))
    score = search_score(context, rows, values, positive)
    if learner.searches:
        share = context.options.time_limit / (len(context.plan.folds) + 2) / 2  # half for the search, half for the fit
        return {"grid__scoring": score, "grid__time_limit": share, "time_limit": share}
    chooses_k = learner.scores_neighbours and target.task is Task.CLASSIFICATION
    return {"scoring": None if score == "accuracy" else score} if chooses_k else {}


def limited(learner: Learner, context: Context, rows: Longs) -> tuple[Longs, Floats | None, NDArray[Any]]:
    """Which of the rows a learner is fitted to, their weights, and the classes kept whole, as `limit_rows` has it."""
    target, most = context.target, learner.max_rows
    classes = None if target.task is Task.REGRESSION else target.values[rows]
    return limit_rows(classes, len(rows), len(rows) if most is None else most, context.options.seed)


def predict(model: Any, table: Table, target: Target, class_weights: Floats | None = None) -> Floats:
    """Numbers, or probabilities in a column per class of the target (0 for a class that the model has not seen).

    Parameters
    ----------
    model : estimator
        Fitted to class codes or numbers.
    table : Table
        Rows to predict.
    target : Target
        What is predicted.
    class_weights : ndarray of shape (n_classes,), optional
        That the model was fitted with: they are taken out of its probabilities.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_classes)
        Numbers or probabilities.
    """
    if target.task is Task.REGRESSION:
        values = np.asarray(model.predict(table), dtype=np.float64)
    else:
        values = np.zeros((len(table), len(target.classes)))
        values[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(table)
        values = values if class_weights is None else without_class_weights(values, class_weights)
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).reshape(len(values), -1).any(axis=1).argmax())
        raise MercerError(f"The prediction for row {row + 1} of the test rows is not a finite number.")
    return values
