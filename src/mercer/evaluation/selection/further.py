"""Further settings of the learners, for the ensemble alone: three of them, or as many as a time budget has time for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mercer.evaluation.data.splits import MANY_CLASSES
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.run.records import Context, Run
from mercer.evaluation.selection.library import grow
from mercer.evaluation.selection.portfolio import FURTHER

MOST_ROWS = 20_000  # of a table on which they are run without a time budget


def run_further(runs: Sequence[Run], context: Context, step: Callable[[str], None]) -> list[Run]:
    """Runs of further settings of learners that did not fail; those that fail themselves are left out.

    Without a time budget the settings `FURTHER` are run on tables of at most `MOST_ROWS` rows and `MANY_CLASSES`
    classes, so that the same seed gives the same result; with one, a library of settings fills its time.

    Parameters
    ----------
    runs : sequence of Run
        Of the learners.
    context : Context
        What the runs share.
    step : callable
        Called with a line that says what is being done.

    Returns
    -------
    list of Run
        Whose learners have titles of their own; of a library, without held-out rows.
    """
    if context.options.budget is not None:
        found = grow(runs, context, step)
    elif len(context.plan.train) <= MOST_ROWS and len(context.target.classes) <= MANY_CLASSES:
        known = {run.learner.key: run for run in runs if run.entry.error is None}
        bets = [(further, known[further.key]) for further in FURTHER if further.key in known]
        found = [run_learner(further.variant(base.learner), context, step) for further, base in bets]
    else:
        found = []
    return [run for run in found if run.entry.error is None]
