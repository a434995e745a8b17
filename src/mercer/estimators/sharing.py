"""Models that share work when they are fitted to the same rows: which ones, and while they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from mercer.estimators.boosting.base import BaseBoosting
from mercer.estimators.boosting.training.shared import bins_key, sharing_bins
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.shared import by_cost, kernel_key, sharing_kernel
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.estimators.linear.shared import design_key, sharing_design
from mercer.estimators.neighbours.model import NeighbourModel, search_key, sharing_neighbours

LINEAR = (LinearRegression, LogisticRegression)


def sharing_groups(models: Sequence[Any]) -> list[list[int]]:
    """Places of models that share work, each group in the order in which it is best fitted.

    Parameters
    ----------
    models : sequence of estimator
        Not fitted.

    Returns
    -------
    groups : list of list of int
        In the order of their first models; a model that shares nothing is a group of its own.

    Examples
    --------
    >>> from mercer import SVC, KNeighborsClassifier, NaiveBayes
    >>> from mercer.estimators.sharing import sharing_groups
    >>> sharing_groups([SVC(C=10), NaiveBayes(), SVC(C=1), KNeighborsClassifier(3), KNeighborsClassifier(9)])
    [[2, 0], [1], [3, 4]]
    """
    found: dict[Any, list[int]] = {}
    for place, model in enumerate(models):
        key = _key(model)
        found.setdefault(place if key is None else key, []).append(place)
    return [sorted(group, key=lambda place: by_cost(models[place])) for group in found.values()]


@contextmanager
def sharing(models: Sequence[Any], budget: int) -> Iterator[None]:
    """While it lasts, the models of a group share work on the rows that all are fitted to, within so many bytes."""
    with ExitStack() as stack:
        if len(models) > 1 and all(isinstance(model, KernelMachine) for model in models):
            stack.enter_context(sharing_kernel(models, budget))
        elif len(models) > 1 and all(isinstance(model, NeighbourModel) for model in models):
            stack.enter_context(sharing_neighbours(models))
        elif len(models) > 1 and all(isinstance(model, BaseBoosting) for model in models):
            stack.enter_context(sharing_bins(models))
        elif len(models) > 1 and all(isinstance(model, LINEAR) for model in models):
            stack.enter_context(sharing_design(models))
        yield


def _key(model: Any) -> str | None:
    """The same for models that can share work; None for one that cannot."""
    if isinstance(model, NeighbourModel):
        return search_key(model)
    if isinstance(model, BaseBoosting):
        return bins_key(model)
    if isinstance(model, LINEAR):
        return design_key(model)
    return kernel_key(model) if isinstance(model, KernelMachine) else None
