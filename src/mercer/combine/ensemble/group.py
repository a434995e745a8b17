"""Models that share work, fitted to the same rows: what each predicts for others, or why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.training import TrainingData, predict_member
from mercer.errors import MercerError
from mercer.estimators.sharing import sharing, sharing_groups

OUT_OF_TIME = "There was no time left for it."


class ModelGroup:
    """Models that share kernel matrices, neighbours, bins or designs where they are fitted to the same rows.

    Parameters
    ----------
    models : dict of int to estimator
        By their places in the library, in the order of fitting.
    data : TrainingData
        All rows.
    budget : int
        Bytes for what the models share.
    has_time : callable or None, default None
        Whether there is time for the model of a place; asked before each is fitted.

    Attributes
    ----------
    errors : dict of int to str
        Why a model has no predictions.
    seconds : dict of int to float
        How long each model took; what is shared counts for the first.
    """

    def __init__(
        self, models: Mapping[int, Any], data: TrainingData, budget: int, has_time: Callable[[int], bool] | None = None
    ) -> None:
        self.models, self.data, self.budget, self.has_time = models, data, budget, has_time
        self.errors: dict[int, str] = {}
        self.seconds = dict.fromkeys(models, 0.0)

    def predictions(self, train: Longs, tests: Sequence[Longs]) -> dict[int, list[Floats]]:
        """Of the models that have not failed, fitted to some rows, for each set of other rows."""
        data, tables = self.data.take(train), [self.data.table.take(test) for test in tests]
        copies = {m: clone(model) for m, model in self.models.items() if m not in self.errors}
        found: dict[int, list[Floats]] = {m: [] for m in copies}
        with sharing([*copies.values()], self.budget):
            for m, model in copies.items():
                self._try(m, partial(self._fit, m, model, data))
            for table in tables:
                for m in [m for m in copies if m not in self.errors]:
                    predicted = self._try(m, partial(_finite, copies[m], table, data))
                    found[m].append(predicted)
        return {m: predicted for m, predicted in found.items() if m not in self.errors}

    def _fit(self, m: int, model: Any, data: TrainingData) -> None:
        if self.has_time is not None and not self.has_time(m):
            raise MercerError(OUT_OF_TIME)
        data.fit_in_place(model)

    def _try(self, m: int, action: Callable[[], Any]) -> Any:
        start = perf_counter()
        try:
            return action()
        except Exception as error:  # any model may be in the library: whatever it raises is its own record
            self.errors[m] = str(error) or repr(error)
        finally:
            self.seconds[m] += perf_counter() - start


def _finite(model: Any, table: Any, data: TrainingData) -> Floats:
    found = predict_member(model, table, data.classes)
    if found.shape[1] != data.n_outputs:
        raise MercerError(f"It predicts {found.shape[1]} columns in place of {data.n_outputs}.")
    if not np.isfinite(found).all():
        raise MercerError("Some of its predictions are not finite numbers.")
    return found


def fit_all(models: Sequence[Any], data: TrainingData, budget: int) -> list[Any]:
    """Copies of the models, fitted to all rows; those of a group share work."""
    copies = [clone(model) for model in models]
    for group in sharing_groups(copies):
        with sharing([copies[m] for m in group], budget):
            for m in group:
                data.fit_in_place(copies[m])
    return copies
