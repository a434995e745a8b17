"""Learners that take long with many classes are run only where they are named."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.estimators.registry import Learner
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
        What is left out, and how to run it.
    """
    n_classes = len(context.target.classes)
    if context.options.learners is not None:
        return [*running], []
    late = [learner for learner in running if learner.max_classes is not None and n_classes > learner.max_classes]
    return [learner for learner in running if learner not in late], [
        f"{learner.title} was not run: it tells each pair of classes apart, and {n_classes} classes are "
        f"{n_classes * (n_classes - 1) // 2:,} pairs. Name it to run it all the same: --learner {learner.key}."
        for learner in late
    ]
