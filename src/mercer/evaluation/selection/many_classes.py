"""What is left out where classes are many and fits are long: learners that are not named, repeats, settings."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.estimators.registry import Learner
from mercer.evaluation.data.splits import MANY_CLASSES
from mercer.evaluation.run.records import Context


def for_many_classes(running: Sequence[Learner], context: Context) -> tuple[list[Learner], list[str]]:
    """The learners without those that have more classes before them than their limit; sentences on these.

    Parameters
    ----------
    running : sequence of Learner
        To be run.
    context : Context
        What they share.

    Returns
    -------
    kept : list of Learner
        All of them where learners were named.
    notices : list of str
        What is left out, and how to have it.
    """
    n_classes = len(context.target.classes)
    if context.options.learners is not None:
        return [*running], _cut_short(context)
    late = [learner for learner in running if learner.max_classes is not None and n_classes > learner.max_classes]
    return [learner for learner in running if learner not in late], [
        f"{learner.title} was not run: it tells each pair of classes apart, and {n_classes} classes are "
        f"{n_classes * (n_classes - 1) // 2:,} pairs. Name it to run it all the same: --learner {learner.key}."
        for learner in late
    ] + _cut_short(context)


def _cut_short(context: Context) -> list[str]:
    """What else many classes are not given, where nobody asked for it."""
    n_classes, options = len(context.target.classes), context.options
    if n_classes <= MANY_CLASSES or options.budget is not None or options.repeats is not None:
        return []
    return [
        f"Fits to {n_classes} classes are long: cross-validation is not repeated, and the ensemble has one setting of "
        "each learner. --time 10m tries further settings."
    ]
