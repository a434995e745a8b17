"""Remedies for rare classes, tried on learners and kept where they pay: rows resampled inside the training folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, get_args

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from mercer.combine.resample.bagging import BalancedBagging
from mercer.combine.resample.methods import Method
from mercer.combine.resample.resampled import Resampled
from mercer.errors import MercerError, did_you_mean
from mercer.estimators.common.explanations.model_explanation import FittedLearner, ModelExplanation
from mercer.estimators.registry import LEARNERS, Learner, TaskModel
from mercer.evaluation.budget import LEAST_RESERVE, RESERVE
from mercer.evaluation.data.splits import split_table
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.run.records import Context, Run
from mercer.evaluation.uncertainty.paired import behind
from mercer.table.target import Task

AUTO, NONE = "auto", "none"
MOST_LEARNERS = 2  # on which "auto" tries every remedy: the best ones
MOST_COMMON_ROWS = 2000  # that one-class detection learns from
Make: TypeAlias = Callable[[Any, int], Any]  # (learner's estimator, seed) -> the same with the remedy


def _resampled(method: Method) -> Make:
    return lambda estimator, seed: Resampled(estimator, method, random_state=seed)


REMEDIES: dict[str, Make] = {
    **{method: _resampled(method) for method in get_args(Method)},
    "bagging": lambda e, seed: BalancedBagging(e, random_state=seed),
}


def checked_remedy(given: str) -> str:
    """The remedy asked for: "auto", "none" or one of `REMEDIES`."""
    known = (AUTO, NONE, *REMEDIES)
    if given not in known:
        raise MercerError(f"There is no remedy {given!r} for rare classes. {did_you_mean(given, known)}")
    return given


def expect_classes_to_remedy(context: Context) -> None:
    """Refuse a remedy for numbers, before any learner runs; "auto" finds nothing to do there."""
    asked, target = checked_remedy(context.options.imbalance), context.target
    if asked not in (AUTO, NONE) and target.task is not Task.CLASSIFICATION:
        raise MercerError(f"imbalance = {asked!r}: remedies are for rare classes; {target.name!r} has numbers.")


def with_remedies(runs: list[Run], context: Context, step: Callable[[str], None]) -> tuple[list[Run], list[str]]:
    """The runs, a learner's own replaced by the one with a remedy where that is better, and what to say of it.

    A remedy pays where the interval of its paired difference to the learner alone, over the folds, lies above 0 at the
    level of all remedies together (Bonferroni). Resampling changes training folds alone, and its probabilities are
    corrected for the class shares that it changed.

    Parameters
    ----------
    runs : list of Run
        Best first.
    context : Context
        What the runs share; `options.imbalance` says which remedies are tried.
    step : callable
        Called with a line that says what is being done.

    Returns
    -------
    runs : list of Run
        In the same places.
    notices : list of str
        A sentence for each learner on which no remedy pays, and one on detection of the rare class as outliers.
    """
    asked = context.options.imbalance
    if asked == NONE or context.target.task is not Task.CLASSIFICATION:
        return runs, []
    able = [run for run in runs if run.entry.error is None and not run.learner.is_baseline and not run.members]
    tried = able[:MOST_LEARNERS] if asked == AUTO else able
    found, notices = list(runs), []
    for run in tried:
        better, said = _remedied(run, list(REMEDIES) if asked == AUTO else [asked], context, step)
        found[found.index(run)] = better
        notices.append(said)
    return found, [*filter(None, notices), *(_one_class(tried, context, step) if asked == AUTO else [])]


def _remedied(run: Run, names: Sequence[str], context: Context, step: Callable[[str], None]) -> tuple[Run, str]:
    """The run, or that with the best of the remedies where it pays; and a sentence."""
    ran = [r for n in names if _has_time(run, context) for r in [run_learner(variant(run.learner, n), context, step)]]
    scored = [r for r in ran if r.entry.error is None]
    errors = [f"{r.learner.title}: {r.entry.error}" for r in ran if r.entry.error is not None]
    late = len(names) - len(ran)
    rest = [*errors, *([f"{late} more left out to keep the time budget"] if late else [])]
    also = f" ({'; '.join(rest)})" if rest else ""
    if not scored:
        return run, f"Rare classes: no remedy could be tried on {run.learner.title}{also}."
    key, title, sign = context.metric.key, context.metric.title, 1 if context.metric.higher_is_better else -1

    def mean(one: Run) -> float:
        return float(np.mean([fold.scores[key] for fold in one.folds]))

    best = max(scored, key=lambda one: sign * mean(one))
    level = 1 - (1 - context.options.level) / len(scored)
    gap = behind(best.folds, run.folds, context.metric, context, level)
    figures = f"{title} {mean(best):.4g} in place of {mean(run):.4g} in cross-validation"
    if gap.low is None or gap.low <= 0:
        said = ", ".join(f"{_method(one)} {mean(one):.4g}" for one in scored)
        return (
            run,
            f"Rare classes: no remedy pays for {run.learner.title}: {title} {mean(run):.4g} alone; {said}{also}.",
        )
    note = f"{_words(_method(best))}, its probabilities corrected for the class shares: {figures}"
    entry = replace(best.entry, note="; ".join(filter(None, [best.entry.note, note])))
    return replace(best, entry=entry), ""  # the note of the entry is a notice


def variant(learner: Learner, method: str) -> Learner:
    """The learner with a remedy: under its key, with a title of its own, explained by the model inside."""
    plain = learner.model(Task.CLASSIFICATION)
    assert plain is not None

    def settings(seed: int, n_jobs: int | None) -> dict[str, Any]:
        return REMEDIES[method](learner.make(Task.CLASSIFICATION, seed, n_jobs), seed).get_params(deep=False)

    cls = type(REMEDIES[method](None, 0))
    explain = None if plain.explain is None or cls is BalancedBagging else _inside(plain)
    return replace(
        learner,
        title=f"{learner.title}, {method}",
        classification=TaskModel(cls, explain, settings),
        searches=False,  # by the metric of the comparison: the search inside goes by its own
        scores_neighbours=False,
    )


def _inside(plain: TaskModel) -> Callable[[FittedLearner], ModelExplanation]:
    """What the report says of the learner that was fitted to the resampled rows."""

    def explain(fitted: FittedLearner) -> ModelExplanation:
        assert plain.explain is not None
        held_out = replace(fitted.held_out, model=fitted.held_out.model.estimator_)
        return plain.explain(replace(fitted, model=fitted.model.estimator_, held_out=held_out))

    return explain


def _method(run: Run) -> str:
    return run.learner.title.rpartition(", ")[2]


def _words(method: str) -> str:
    if method == "bagging":
        return "the mean of fits to under-sampled rows"
    return f"fitted to rows resampled by {method!r}"


def _has_time(run: Run, context: Context) -> bool:
    budget = context.options.budget
    if budget is None:
        return True
    return 2 * run.entry.seconds <= budget.left - max(RESERVE * budget.seconds, LEAST_RESERVE)


def _one_class(tried: Sequence[Run], context: Context, step: Callable[[str], None]) -> list[str]:
    """How well the rare class of two is found as what is unlike the common one, beside the best learner."""
    target = context.target
    if target.positive is None or not tried or not _has_time(tried[0], context):
        return []
    record = next(learner.outliers for learner in LEARNERS if learner.outliers is not None)
    step("One-class detection")
    areas = []
    try:
        for train_rows, test_rows in context.plan.folds[: context.plan.n_folds]:
            common = train_rows[target.codes[train_rows] != target.positive]
            spaced = common[np.linspace(0, len(common) - 1, min(len(common), MOST_COMMON_ROWS)).astype(np.int64)]
            rows, test = split_table(context.table, spaced, test_rows)
            truth = target.codes[test_rows] == target.positive
            score = -record.estimator(kernel="mixed", nu=0.1).fit(rows).decision_function(test)
            areas.append((roc_auc_score(truth, score), average_precision_score(truth, score)))
    except ValueError as error:  # an area is not defined on a fold of one class; errors of mercer are ValueErrors too
        return [f"Rare classes: one-class detection could not be tried: {error}"]
    auc, precision = np.mean(areas, axis=0)
    scores = tried[0].entry.cross_validated
    beside = ", ".join(f"{s.value:.3f}" for k in ("roc_auc", "average_precision") if (s := scores.get(k)) and s.value)
    name = target.classes[target.positive]
    return [
        f"Rare classes: one-class detection, a support vector machine of the rows that are not {name!r}, reaches ROC "
        f"AUC {auc:.3f} and average precision {precision:.3f}; {tried[0].learner.title} {beside}."
    ]
