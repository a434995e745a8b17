"""A small storable classifier: the model file is tested without leaning on a real learner."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray

from mercer.errors import BadFile
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.state import Reader, State
from mercer.store.registry import STORABLE
from mercer.table import Schema, Table, read_table


class Centroids(TableClassifier):
    """p(class | x) falls with the distance to the class mean; numeric columns, missing cells at the mean."""

    def __init__(self, sharpness: float = 1.0) -> None:
        self.sharpness = sharpness

    def fit(self, X: Any, y: Any) -> Self:
        table = self._fit_table(X)
        codes = self._fit_labels(y, table.n_rows)
        values = np.nan_to_num(table.numbers())
        means = [values[codes == c].mean(axis=0) for c in range(len(self.classes_))]
        self.means_: NDArray[np.float64] = np.asfortranarray(means, dtype=np.float64)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        values = np.nan_to_num(self._predict_table(X).numbers())
        score = -self.sharpness * np.sqrt(((values[:, None] - self.means_) ** 2).sum(axis=2))
        score = np.exp(score - score.max(axis=1, keepdims=True))
        return score / score.sum(axis=1, keepdims=True)

    def to_state(self) -> State:
        return {
            "sharpness": float(self.sharpness),
            "schema": self.schema_.to_state(),
            "classes": labels_state(self.classes_),
            "means": self.means_,
            "parts": [{"class_index": i, "row": row} for i, row in enumerate(self.means_)],
        }

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls(state.number("sharpness", 0.0, 1e6))
        model.schema_ = Schema.from_state(state.child("schema"))
        model.n_features_in_ = len(model.schema_)
        model.classes_ = labels_from_state(state.child("classes"))
        shape = (len(model.classes_), len(model.schema_))
        model.means_ = state.array("means", "float64", shape)
        parts = state.children("parts")
        if len(parts) != shape[0]:
            raise BadFile(f"{state.where}.parts: expected {shape[0]} of them.")
        for part in parts:
            part.integer("class_index", 0, shape[0] - 1)
            part.array("row", "float64", shape[1:])
        return model


@pytest.fixture
def storable(monkeypatch: pytest.MonkeyPatch) -> type[Centroids]:
    """The class above, on the list of what a file may name."""
    monkeypatch.setitem(STORABLE, "Centroids", Centroids)
    return Centroids


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 40))
    return read_table({"a": first, "b": [None if i % 9 == 0 else v for i, v in enumerate(second)]})


@pytest.fixture
def model(storable: type[Centroids], table: Table) -> Centroids:
    return storable(2.0).fit(table, np.where(table.column("a") > 0, "yes", "no"))
