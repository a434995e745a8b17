"""Further settings of the learners, for the ensemble alone: run where there is time, the best bets first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mercer.estimators.registry import Learner, TaskModel
from mercer.evaluation.budget import LEAST_RESERVE, RESERVE
from mercer.evaluation.options import Budget
from mercer.evaluation.run import Context, Run, run_learner

MOST_ROWS = 20_000  # of a table on which they are run without a time budget


@dataclass(frozen=True, slots=True)
class Further:
    """Other settings of a learner.

    Attributes
    ----------
    key : str
        Of the learner.
    what : str
        Behind its title.
    settings : dict
        Parameters that differ from those of the learner.
    effort : float
        How many times as long a fit takes.
    """

    key: str
    what: str
    settings: dict[str, Any]
    effort: float


# Chosen on telco_churn, german_credit, titanic, ames_housing, abalone and wine_quality (red) in three folds, out of ten
# settings of forests and boosted trees. The first: AUC .849 for .845, .787 for .772 on telco_churn, german_credit; the
# second: R^2 .9155 for .9115, .551 for .547 on ames_housing, abalone; the third: AUC .845 for .842 on telco_churn.
FURTHER = (
    Further("boosting", "4 leaves", {"max_leaf_nodes": 4, "learning_rate": 0.1}, 0.6),
    Further(
        "boosting",
        "slow",
        {"max_leaf_nodes": 8, "learning_rate": 0.02, "max_iter": 800, "l2_regularization": 10.0, "max_features": 0.3},
        2.0,
    ),
    Further("forest", "leaves of 5 rows", {"min_samples_leaf": 5}, 0.8),
)


def run_further(runs: Sequence[Run], context: Context, step: Callable[[str], None]) -> list[Run]:
    """Runs of further settings of learners that did not fail; those that fail themselves are left out.

    Without a time budget they are run on tables of at most `MOST_ROWS` rows, so that the same seed gives the same
    result; with one, as long as it has seconds to spare.

    Parameters
    ----------
    runs : sequence of Run
        Of the learners.
    context : Context
        What the runs share.
    step : callable
        Told what is being done.

    Returns
    -------
    list of Run
        Whose learners have titles of their own.
    """
    known = {run.learner.key: run for run in runs if run.entry.error is None}
    budget, found = context.options.budget, []
    for further in FURTHER:
        base = known.get(further.key)
        if base is None or not _has_time(further, base, context, budget):
            continue
        limit = max(further.effort * base.entry.seconds, 1e-3) * 1.5
        within = replace(context, options=replace(context.options, time_limit=min(limit, context.options.time_limit)))
        run = run_learner(_variant(base.learner, further), context if budget is None else within, step)
        if run.entry.error is None:
            found.append(run)
    return found


def _has_time(further: Further, base: Run, context: Context, budget: Budget | None) -> bool:
    if budget is None:
        return len(context.plan.train) <= MOST_ROWS
    spare = budget.left - max(RESERVE * budget.seconds, LEAST_RESERVE)
    return 1.5 * further.effort * base.entry.seconds <= spare


def _variant(learner: Learner, further: Further) -> Learner:
    """The learner with these settings, under a title of its own."""

    def changed(model: TaskModel | None) -> TaskModel | None:
        if model is None or model.settings is None:
            return model
        usual = model.settings
        return replace(model, settings=lambda seed, n_jobs: {**usual(seed, n_jobs), **further.settings})

    return replace(
        learner,
        key=f"{learner.key}, {further.what}",
        title=f"{learner.title}, {further.what}",
        classification=changed(learner.classification),
        regression=changed(learner.regression),
    )
