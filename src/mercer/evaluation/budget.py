"""A time budget kept: learners in order of cheapness, each with a share of the seconds and the rows that fit into it.

Native fits of most learners cannot be stopped half-way, so a learner is first fitted to few rows; from the seconds that
takes, the rows and folds are found that its share allows. What is saved goes to the learners after it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mercer._core.threads import at_most
from mercer.arrays import Longs
from mercer.estimators.registry import Learner
from mercer.evaluation.data.splits import SplitPlan, split_table
from mercer.evaluation.notice import listed
from mercer.evaluation.options import Budget
from mercer.evaluation.run.fitting import fit, predict, sample_note
from mercer.evaluation.run.learner import MIN_FOLDS, MOST_TRAINING_ROWS, run_learner
from mercer.evaluation.run.parallel import workers
from mercer.evaluation.run.records import Context, Run, can_stay
from mercer.formatting import counted
from mercer.select.sampling import limit_rows, sample_rows

RESERVE = 0.3  # of what is left after reading: for the last fit, importances, explanations and the report...
LEAST_RESERVE = (
    1.5  # ...at least so many seconds, up to half of what is left: a page takes half a second of an idle core
)
REPORT = 0.12  # of the budget: importances, explanations and the report, without fits
CONTEST = 0.5  # of the seconds for fits: for the learners; what is left fills a library of further settings
FEWEST, PILOT = 500, 4000  # rows of the first fit
AGAIN = 4  # times as many rows in a second fit, where the first says that there is no time for all of them
PASSES = 2  # times the seconds that reading took: what the cheapest learners and scores take on all rows
FEWEST_ROWS, FEWEST_FOR_RARE = 1000, 2000  # that a table is sampled down to; where more keep a rare class whole
MANY_ROWS, VERY_MANY_ROWS = 10_000, 50_000  # of tables whose folds are tested in part: 3 of 5, 2 of 5


@dataclass(frozen=True)
class Pilot:
    """What a fit to few rows took, and what is expected of one to more.

    Attributes
    ----------
    rows : int
        It was fitted to.
    fit, predict : float
        Seconds of the fit, and of the prediction of one row.
    power : float
        A fit to n rows takes (n / rows) ** power times as long.
    holds_rows : bool
        Whether a prediction looks at every row fitted to.
    """

    rows: int
    fit: float
    predict: float
    power: float
    holds_rows: bool

    def then(self, larger: Pilot) -> Pilot:
        """The pilot on more rows, with the power that both tell; a tenth is added for what is not seen yet."""
        if not 0 < self.fit < larger.fit or self.rows >= larger.rows:
            return replace(larger, power=min(self.power, 1.0))
        slope = math.log(larger.fit / self.fit) / math.log(larger.rows / self.rows) + 0.1
        return replace(larger, power=min(max(slope, 0.5), self.power))

    def seconds(self, n_train: int, n_test: int, n_fits: int) -> float:
        """Of so many fits to n_train rows, and of predictions for n_test rows in all."""
        more = max(1.0, n_train / self.rows)
        looks = more if self.holds_rows else 1.0
        return n_fits * self.fit * more**self.power + n_test * self.predict * looks

    def rows_within(self, seconds: float, n_train: int, n_test: int, n_fits: int) -> int | None:
        """The most rows, up to n_train, whose fits and predictions take no longer; None when the fewest do."""
        if self.seconds(self.rows, n_test, n_fits) > seconds:
            return None
        low, high = self.rows, max(self.rows, n_train)
        while low < high:
            middle = (low + high + 1) // 2
            if self.seconds(middle, n_test, n_fits) <= seconds:
                low = middle
            else:
                high = middle - 1
        return low


def sampled(context: Context, budget: Budget) -> tuple[Context, str]:
    """The context with fewer rows where the budget is too short for all of them, and a sentence about it.

    Every row of a rare class stays; the rows weigh, in fits and in scores, as many as they stand for (`limit_rows`).
    """
    target, n_rows = context.target, len(context.plan.train) + len(context.plan.test)
    classes = target.codes if target.classes else None
    in_time = int(min(n_rows * budget.left / (PASSES * max(budget.spent, 1e-9)), 2.0**62))
    most = max(_fewest_rows(classes), in_time)
    if most >= n_rows:
        return context, ""
    kept, weight, whole = limit_rows(classes, len(target.values), most, context.options.seed)
    plan = thinned(context.plan, kept)
    if plan is None:
        return context, ""
    names = [target.classes[int(c)] for c in whole]
    why = f"to keep the {budget}"
    said = sample_note(len(plan.train) + len(plan.test), n_rows, why, names)
    fewer = replace(context, plan=plan, row_sample=said)
    if weight is not None:
        each = np.zeros(len(target.values))
        each[kept] = weight
        fewer = replace(fewer, weight=each if context.weight is None else each * context.weight)
    return fewer, f"All models {said}."


def _fewest_rows(classes: Longs | None) -> int:
    """Rows that a table is sampled down to: enough that `limit_rows` keeps the smallest class whole, up to a limit."""
    if classes is None:
        return FEWEST_ROWS
    counts = np.unique(classes, return_counts=True)[1]
    needed = 2 * len(counts) * int(counts.min())
    return max(FEWEST_ROWS, needed) if needed <= FEWEST_FOR_RARE else FEWEST_ROWS


def with_fewer_folds(context: Context) -> Context:
    """The context with some of the folds of a long table: these test enough rows, and the time is for more models."""
    plan, n_rows = context.plan, len(context.plan.train)
    most = 2 if n_rows > VERY_MANY_ROWS else 3 if n_rows > MANY_ROWS else len(plan.folds)
    if plan.kind == "time" or most >= plan.n_folds:
        return context
    return replace(context, plan=replace(plan, folds=plan.folds[:most], n_folds=most, n_repeats=1))


def report_seconds(budget: Budget) -> float:
    """What is kept for importances, explanations and the report."""
    return min(max(REPORT * budget.seconds, LEAST_RESERVE), budget.left / 2)


def thinned(plan: SplitPlan, rows: Longs) -> SplitPlan | None:
    """The plan with some of its rows; None where a part would be left without any."""

    def some(part: Longs) -> Longs:
        return part[np.isin(part, rows, assume_unique=True)]

    folds = tuple((some(train), some(test)) for train, test in plan.folds)
    thin = replace(plan, train=some(plan.train), test=some(plan.test), folds=folds)
    parts = [thin.train, thin.test, *(part for fold in folds for part in fold)]
    return thin if all(len(part) for part in parts) else None


def run_within(
    learners: Sequence[Learner],
    context: Context,
    step: Callable[[str], None],
    budget: Budget,
    *,
    has_library: bool = False,
) -> tuple[list[Run], list[str]]:
    """Every learner that the budget has time for, in the order given, and sentences on the others.

    A learner has an even share of the seconds left to it and those after it, or its own `time_share` where that is
    more; where that is too short for the fewest rows, up to half of them. The baseline and the cheapest other learner
    are run whatever is left. Where a library of further settings is to come, learners have half of the seconds for
    fits; those that were left out then have what remains.

    Parameters
    ----------
    learners : sequence of Learner
        To run.
    context : Context
        What they share.
    step : callable
        Called with a line that says what is being done.
    budget : Budget
        Seconds for the whole run.
    has_library : bool, default False
        Whether further settings of the learners are to be run after them.

    Returns
    -------
    runs : list of Run
        In the order of `learners`.
    notices : list of str
        What was left out.
    """
    contest = _Contest(context, step, budget)
    contest.run(learners, CONTEST * (budget.left - report_seconds(budget)) if has_library else _before_report(budget))
    if has_library and (left_out := contest.left_out(learners)):
        contest.run(left_out, _before_report(budget), 1.0)  # further settings are worth less than another learner
    return [contest.runs[learner.key] for learner in learners if learner.key in contest.runs], contest.notices(learners)


def _before_report(budget: Budget) -> float:
    """Seconds for the learners, where no library of further settings comes after them."""
    return budget.left - max(RESERVE * budget.left, min(LEAST_RESERVE, budget.left / 2))


@dataclass
class _Contest:
    """The learners run, why the others were not, and the seconds of the slowest first fit yet."""

    context: Context
    step: Callable[[str], None]
    budget: Budget
    runs: dict[str, Run] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0

    def run(self, learners: Sequence[Learner], usable: float, caution: float = 2.0) -> None:
        """Each of the learners that there is time for in these seconds, the cheapest first.

        None is tried whose share is less than the slowest first fit yet, times `caution`; those that were refused are
        tried again after the others.
        """
        end = self.budget.spent + usable
        for place, learner in enumerate(sorted(learners, key=lambda found: (found.key in self.refused, found.effort))):
            left, to_come = max(0.0, end - self.budget.spent), len(learners) - place
            first = all(run.learner.is_baseline for run in self.runs.values())
            fair = max(left / to_come, learner.time_share * usable)
            share = Share(fair, math.inf if first else max(fair, left / min(2, to_come)))
            if caution * self.slowest > share.most:  # a first fit alone would take most of it
                continue
            found, pilot = _run(learner, self.context, self.step, self.budget, share)
            self.slowest = max(self.slowest, pilot)
            if isinstance(found, str):
                self.refused[learner.key] = found
            else:
                self.runs[learner.key] = found

    def left_out(self, learners: Sequence[Learner]) -> list[Learner]:
        return [learner for learner in learners if learner.key not in self.runs]

    def notices(self, learners: Sequence[Learner]) -> list[str]:
        """What was left out, and why."""
        cheapest = sorted(self.left_out(learners), key=lambda found: found.effort)
        found = [self.refused[learner.key] for learner in cheapest if learner.key in self.refused]
        late = [learner.title for learner in cheapest if learner.key not in self.refused]
        if late:
            found.append(
                f"{listed(late)} {'was' if len(late) == 1 else 'were'} not run: too little is left of the "
                f"{self.budget}. Allow more time, or name fewer learners."
            )
        return found


@dataclass(frozen=True)
class Share:
    """Seconds that a learner should take, and that it may take at most."""

    fair: float
    most: float


def _run(
    learner: Learner, context: Context, step: Callable[[str], None], budget: Budget, share: Share
) -> tuple[Run | str, float]:
    """The learner run within its share of the seconds, or why it was not; and the seconds of its first fit."""
    start = budget.spent
    if learner.is_baseline:
        return run_learner(learner, _limited(context, share.fair), step), 0.0
    step(f"{learner.title}: a first fit to few rows")
    plan = context.plan
    n_test = len(plan.test) + sum(len(test) + min(len(train), MOST_TRAINING_ROWS) for train, test in plan.folds[:2])
    try:
        pilot = _pilots(learner, _limited(context, share.fair), budget, n_test, share.fair)
    except Exception:  # whatever it raises, it raises again in its run, and is reported there
        return run_learner(learner, _limited(context, share.fair), step), 0.0
    first = budget.spent - start
    left = share.fair - first
    rows = pilot.rows_within(left, len(plan.train), n_test, _fits(context))
    needed = pilot.seconds(pilot.rows, n_test, _fits(context))
    if rows is None and needed > share.most - first:
        why = (
            f"{learner.title} was not run: with {counted(pilot.rows, 'row')} it would take about {needed:.1f} s, more "
            f"than the {budget} leaves. Allow more time, or name fewer learners."
        )
        return why, first
    limit = min(pilot.rows if rows is None else rows, learner.max_rows or len(plan.train))
    within = learner if limit >= len(plan.train) else replace(learner, max_rows=limit)
    return run_learner(within, _limited(context, max(left, needed)), step), first


def _fits(context: Context) -> int:
    """The fewest fits, one after the other, that a run takes: its first folds at once, and the training rows."""
    return math.ceil(MIN_FOLDS / workers(context)) + 1


def _pilots(learner: Learner, context: Context, budget: Budget, n_test: int, seconds: float) -> Pilot:
    """What fits to few rows took; to more of them where the fewest do not tell whether there is time for all.

    Of boosted trees a fit to 1,000 rows takes a fifth of one to 30,000, not a thirtieth. A learner that searches stops
    at its time limit, so that two fits tell nothing.
    """
    n_train = len(context.plan.train)
    pilot, n_fits = _pilot(learner, context, budget), _fits(context)
    while (
        not learner.searches
        and AGAIN * pilot.rows < n_train
        and (pilot.rows_within(seconds, n_train, n_test, n_fits) or 0) < n_train
        and AGAIN * pilot.fit < seconds / 5
    ):
        pilot = pilot.then(_pilot(learner, context, budget, AGAIN * pilot.rows))
    return pilot


def _limited(context: Context, seconds: float) -> Context:
    """The context with this time limit for a learner."""
    return replace(context, options=replace(context.options, time_limit=max(seconds, 1e-3)))


def _pilot(learner: Learner, context: Context, budget: Budget, n_rows: int | None = None) -> Pilot:
    """A fit to few of the training rows, and a prediction of others."""
    rows = context.plan.train
    few = int(np.clip(len(rows) // 20, min(FEWEST, len(rows)), PILOT)) if n_rows is None else n_rows
    classes = context.target.codes[rows] if context.target.classes else None
    chosen = rows[sample_rows(classes, len(rows), few, context.options.seed)]
    tested = context.plan.test[:few]
    train, test = split_table(context.table, chosen, tested)
    start = budget.spent
    with warnings.catch_warnings(), at_most(1 if workers(context) > 1 else None):  # as folds are
        warnings.simplefilter("ignore")  # the run that follows gives them again
        model = fit(replace(learner, max_rows=None), context, train, chosen)
        fitted = budget.spent
        predict(model, test, context.target)
    ended = budget.spent
    power = 2.0 if learner.holds_rows else 1.1  # those that hold rows compare rows with rows
    return Pilot(len(chosen), fitted - start, (ended - fitted) / len(tested), power, learner.holds_rows)


def last_fit(run: Run, context: Context, budget: Budget) -> Run:
    """The run whose fit to every row leaves enough seconds for the report.

    Where there is no time for another fit, the model of the training rows is kept, which is the one that was scored; of
    an ensemble, those of the members with least weight for their seconds. What cannot stay has a row limit.
    """
    at_once = min(workers(context), max(1, len(run.members)))
    usable = max(budget.left - report_seconds(budget), budget.left / 2)
    if _last_seconds(run) <= usable * at_once:
        return run
    if not run.members:
        return _staying(run, context, usable / _last_seconds(run))
    return replace(run, members=_fitted_within(run.members, context, usable * at_once))


def _last_seconds(run: Run) -> float:
    return 1.5 * run.entry.fit_seconds  # a fifth more rows than in the run, at power 2


def _fitted_within(
    members: Sequence[tuple[Run, float]], context: Context, seconds: float
) -> tuple[tuple[Run, float], ...]:
    """The members, of which those that there are no seconds for are not fitted again to every row."""
    found, share = list(members), seconds / sum(_last_seconds(run) for run, _ in members)
    for place in np.argsort([-weight / max(_last_seconds(run), 1e-9) for run, weight in members], kind="stable"):
        run, weight = members[place]
        seconds -= _last_seconds(run)
        if seconds < 0:
            found[place] = _staying(run, context, share), weight
    return tuple(found)


def _staying(run: Run, context: Context, share: float) -> Run:
    """The run as it was compared; where that cannot stay, with a row limit of this share of its training rows."""
    if can_stay(run, context):
        return replace(run, stays=True)
    rows = max(min(FEWEST, len(run.training_rows)), int(len(run.training_rows) * share))
    return replace(run, learner=replace(run.learner, max_rows=rows))


def rows_for(share: float, n_predictions: int, run: Run, budget: Budget | None) -> int | None:
    """Rows that can be predicted so many times in a share of the seconds left; None for any number of them."""
    if budget is None or run.predicted is None:
        return None
    one = max(run.entry.predict_seconds, 1e-6) / len(run.predicted)
    return int(share * budget.left / (one * max(1, n_predictions)))
