"""Models and rows as they are handed to the jobs: estimators or model files, frames with the target in a column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer.errors import BadColumn, MercerError, MercerWarning, did_you_mean
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.intervals import Score
from mercer.select.costs import RowAmounts
from mercer.store import StoredModel, open_model
from mercer.store.summary import TrainingSummary
from mercer.table import conform_table, open_source
from mercer.table.estimator import TableEstimator
from mercer.table.formats.containers import (
    as_container,
    as_rows,
    column_cells,
    column_names,
    row_count,
    split_column,
)
from mercer.table.target import in_64_bits, in_numbers, one_column
from mercer.workbench.decided import Decided
from mercer.workbench.prediction.answers import no_amounts
from mercer.workbench.prediction.truth import class_places, known_numbers
from mercer.workbench.prices import Prices
from mercer.workbench.sources import amounts_of

TRAINING_ROWS = (
    "These are the rows that the model was trained on: it knows their answers, and its scores here are better than on "
    "new rows. The report of the run has scores of rows that were held out."
)


@dataclass(frozen=True)
class Assessed:
    """A model by name, with the target, the positive class and the summary of training rows that its file holds.

    `stored` is what the file holds, by which a target is read as it was learned.
    """

    name: str
    model: Any
    target: str = ""
    positive: str | None = None
    summary: TrainingSummary | None = None
    stored: StoredModel | None = None

    def check_new(self, X: Any) -> None:
        """Warn where these rows are those that the model was trained on."""
        if self.summary is None or row_count(X) != self.summary.n_rows:
            return
        model = self.model.estimator if isinstance(self.model, Decided) else self.model
        if self.summary.describes(conform_table(X, model.schema_)):
            warn(TRAINING_ROWS, MercerWarning, stacklevel=3)

    def deciding(self, X: Any, amounts: RowAmounts | None = None) -> Assessed:
        """The same for one table, whose rows it decides by their own costs where its rule asks for them.

        `amounts` are these costs; when None, the columns of X, as far as they are there.
        """
        if not isinstance(self.model, Decided) or not self.model.rule.priced_by:
            return self
        rule = self.model.rule
        if amounts is None:
            columns = {name: column_cells(X, j) for j, name in enumerate(column_names(X)) if name in rule.priced_by}
            amounts = amounts_of(columns, rule.priced_by) if columns else {}
            if lacking := [name for name in rule.columns if name not in amounts]:
                warn(no_amounts(lacking[0], rule), MercerWarning, stacklevel=3)
        return replace(self, model=Decided(self.model.estimator, rule, amounts))

    def costs(self, tested: Predictions, level: float) -> dict[str, Score]:
        """What the decisions cost, where the file says what errors cost; nothing for classes that it does not know."""
        prices = Prices.of_model(self.model)
        return {} if prices is None else prices.score(tested, level)


def assessed_model(model: Any) -> Assessed:
    """An estimator, or the model in a file."""
    if isinstance(model, str | Path | StoredModel):
        stored = model if isinstance(model, StoredModel) else open_model(model)
        card = stored.only().card
        model = stored.model if card.decision is None else Decided(stored.model, card.decision)
        return Assessed(type(stored.model).__name__, model, card.target, card.positive or None, stored.summary, stored)
    if isinstance(model, type) or not (hasattr(model, "predict") or _learns(model)):
        raise MercerError(f"{model!r} is not a model: give an estimator with `predict`, or a model.mercer file.")
    if not (is_classifier(model) or is_regressor(model)):
        raise MercerError(f"{type(model).__name__} is neither a classifier nor a regressor: it has no score here.")
    return Assessed(model_name(model), model)


def _learns(model: Any) -> bool:
    """Whether it says that it predicts once it is fitted, as a stack of models does."""
    return hasattr(model, "__sklearn_tags__") and bool(is_classifier(model) or is_regressor(model))


def expect_fitted(model: Any, name: str, otherwise: str = "") -> None:
    """Refuse a model that is not fitted, and say what else can be done."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise MercerError(f"{name} is not fitted: call its fit first{otherwise}.") from None


def model_name(model: Any) -> str:
    """Class of an estimator; of a pipeline, that of its last step too."""
    steps = getattr(model, "steps", None)
    name = type(model).__name__
    return f"{name} ({type(steps[-1][1]).__name__})" if steps else name


def rows_and_target(assessed: Assessed, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """The rows without the target, and the target: given, or a column of the rows by name."""
    X = as_container(X) if _named(y, assessed) or isinstance(assessed.model, TableEstimator | Decided) else as_rows(X)
    if y is None and not assessed.target:
        raise MercerError("Which target? Give y: the labels, or the name of the column of X that holds them.")
    if not _named(y, assessed):
        return X, one_column(in_numbers(_as_learned(assessed, y)), row_count(X))
    name = assessed.target if y is None else y
    names = column_names(X)
    if name not in names:
        raise BadColumn(f"X has no column {name!r} to compare with. {did_you_mean(name, names)}")
    target, rest = split_column(X, name)
    return rest, one_column(in_numbers(_as_learned(assessed, target, cells=True)), row_count(X))


def _named(y: Any, assessed: Assessed) -> bool:
    """Whether the target is a column of the rows."""
    return isinstance(y, str) or (y is None and bool(assessed.target))


def _as_learned(assessed: Assessed, y: Any, *, cells: bool = False) -> Any:
    """A target with the numbers or classes that the model of a file has for it; an array of numbers as it is.

    With `cells`, these are of a table.
    """
    stored, values = assessed.stored, np.asarray(in_64_bits(y))
    if stored is None or values.ndim != 1 or not len(values):
        return y
    name = stored.card.target or "y"
    if stored.card.task != "classification":
        return y if values.dtype.kind in "biuf" and not cells else known_numbers(stored, open_source({name: y}), name)
    classes = np.asarray(stored.model.classes_)
    different = np.unique(values) if values.dtype.kind in "biu" else values  # which saves a second of a million
    if set(map(str, different.tolist())) <= set(map(str, classes.tolist())):
        return y
    places = class_places(list(map(str, classes.tolist())), open_source({name: y}), name)
    known = (places >= 0) & (places < len(classes))
    found = values.astype(object)
    found[known] = classes[places[known]]
    return found
