"""Linear models fitted to the same rows: words are counted and the design matrix is made once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.estimators.common.attached import attached
from mercer.estimators.common.weights.sample_weight import same_weights
from mercer.table import Table

if TYPE_CHECKING:
    from mercer.estimators.linear.linear_regression import LinearRegression
    from mercer.estimators.linear.logistic.regression import LogisticRegression

LinearModel: TypeAlias = "LinearRegression | LogisticRegression"

_DESIGN_SIDE = ("terms", "baseline", "kinds")  # what decides the design of the same rows


class SharedDesign:
    """The design of the rows last learned from, and the matrix of those last encoded: where a table is one object."""

    def __init__(self) -> None:
        self._learned: tuple[Table, Floats | None, Design] | None = None
        self._encoded: tuple[Table, Design, Any] | None = None

    def learn(self, table: Table, weight: Floats | None, model: LinearModel) -> Design:
        """What `learn_design` gives."""
        known = self._learned
        if known is None or known[0] is not table or not same_weights(known[1], weight):
            self._learned = known = table, weight, Design.learn(table, weight, model.terms or (), model.baseline)
        return known[2]

    def matrix(self, design: Design, table: Table) -> Any:
        """The design matrix of the rows."""
        known = self._encoded
        if known is None or known[0] is not table or known[1] is not design:
            self._encoded = known = table, design, design.matrix(table)
        return known[2]


def learn_design(model: LinearModel, table: Table, weight: Floats | None) -> Design:
    """The columns of the design matrix, from the training rows of a model."""
    shared: SharedDesign | None = getattr(model, "_shared_design", None)
    if shared is not None:
        return shared.learn(table, weight, model)
    return Design.learn(table, weight, model.terms or (), model.baseline)


def design_matrix(model: LinearModel, table: Table) -> Any:
    """The design matrix of rows that a model is fitted to or predicts."""
    shared: SharedDesign | None = getattr(model, "_shared_design", None)
    return model.design_.matrix(table) if shared is None else shared.matrix(model.design_, table)


def design_key(model: LinearModel) -> str:
    """The same for linear models that have one design on the same rows."""
    return "design " + repr([getattr(model, name) for name in _DESIGN_SIDE])


@contextmanager
def sharing_design(models: Sequence[LinearModel]) -> Iterator[None]:
    """While it lasts, linear models of one `design_key` encode rows once that all are fitted to, or predict."""
    with attached(models, "_shared_design", SharedDesign()):
        yield
