"""Models and rows as they are handed to the jobs: estimators or model files, frames with the target in a column."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from mercer.errors import BadColumn, MercerError, did_you_mean
from mercer.store import StoredModel, open_model
from mercer.table.formats.containers import as_container, column_names, row_count, split_column
from mercer.table.target import one_column
from mercer.workbench.decided import Decided


@dataclass(frozen=True)
class Assessed:
    """A model by name, with the target and the threshold (class, probability) that its file holds."""

    name: str
    model: Any
    target: str = ""
    threshold: tuple[str, float] | None = None


def assessed_model(model: Any) -> Assessed:
    """An estimator, or the model in a file."""
    if isinstance(model, str | Path | StoredModel):
        stored = model if isinstance(model, StoredModel) else open_model(model)
        card = stored.only().card
        threshold = None if card.threshold is None else (card.positive, card.threshold)
        model = stored.model if card.decision is None else Decided(stored.model, card.decision)
        return Assessed(type(stored.model).__name__, model, card.target, threshold)
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise MercerError(f"{model!r} is not a model: give an estimator with `predict`, or a model.mercer file.")
    if not (is_classifier(model) or is_regressor(model)):
        raise MercerError(f"{type(model).__name__} is neither a classifier nor a regressor: it has no score here.")
    return Assessed(model_name(model), model)


def model_name(model: Any) -> str:
    """Class of an estimator; of a pipeline, that of its last step too."""
    steps = getattr(model, "steps", None)
    name = type(model).__name__
    return f"{name} ({type(steps[-1][1]).__name__})" if steps else name


def rows_and_target(assessed: Assessed, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """The rows without the target, and the target: given, or a column of the rows by name."""
    X = as_container(X)
    if y is None and not assessed.target:
        raise MercerError("Which target? Give y: the labels, or the name of the column of X that holds them.")
    if y is not None and not isinstance(y, str):
        return X, one_column(y, row_count(X))
    name = assessed.target if y is None else y
    names = column_names(X)
    if name not in names:
        raise BadColumn(f"X has no column {name!r} to compare with. {did_you_mean(name, names)}")
    target, rest = split_column(X, name)
    return rest, one_column(target, row_count(X))
