"""What the curves are drawn from: scores and true classes of a model's rows, or results that hold a curve already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Bools, Floats
from mercer.errors import BadTable, MercerError
from mercer.evaluation.assessment.labels import label_names, names_as_known
from mercer.evaluation.effects import predictions
from mercer.table.formats.containers import as_rows, row_count


@dataclass(frozen=True)
class ClassScore:
    """One class: which rows are of it, and how much each looks like it."""

    label: str
    positive: Bools
    score: Floats
    unit: str  # "probability" or "decision"


def class_scores(model: Any, X: Any, y: Any, label: Any = None) -> list[ClassScore]:
    """The classes asked for: the second of two, each of several, or `label`.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    MercerError
        If it is no classifier, or a class has no row, or all rows.
    """
    expect_rows(X, y)
    check_is_fitted(model)
    names, unit, found = predictions(model, as_rows(X), label)
    if unit == "prediction":
        raise MercerError(f"{type(model).__name__} predicts numbers; this curve needs a classifier.")
    truth = labels(y, found, label_names(model.classes_))
    parts = [ClassScore(name, truth == name, score, unit) for name, score in zip(names, found.T, strict=True)]
    parts = [p for p in parts if 0 < p.positive.sum() < len(truth)] if len(parts) > 1 else parts
    if not parts or not 0 < parts[0].positive.sum() < len(truth):
        name = names[0] if len(names) == 1 else "any class"
        raise MercerError(f"A curve needs rows of {name!r} and rows of another class; y has one class alone.")
    return parts


def expect_rows(X: Any, y: Any) -> None:
    """Say what is missing when a model comes without its rows."""
    if X is None or y is None:
        raise MercerError("A model needs rows and their target: give X and y, or a result that holds the curve.")


def labels(y: Any, rows: Any, known: Sequence[str] = ()) -> NDArray[Any]:
    """The labels as texts, as many as rows: 1, 1.0 and "1" are one, and truth values are called as the classes are."""
    found = np.asarray(y)
    if found.ndim != 1 or len(found) != row_count(rows):
        raise BadTable(f"y has the shape {found.shape}; expected a label for each of the {row_count(rows)} rows.")
    return np.array(names_as_known(label_names(found), known), dtype=str)


def held(source: Any, name: str, kind: type) -> list[Any] | None:
    """What a result holds under a name, itself if it is of that kind; None if it is a model.

    Results are a TrainResult, an Evaluation or their parts, a single curve, or a sequence of them.

    Raises
    ------
    MercerError
        If a result holds none.
    """
    if isinstance(source, kind):
        return [source]
    if isinstance(source, Sequence) and source and all(isinstance(s, kind) for s in source):
        return list(source)
    for part in parts_of(source):
        found = getattr(part, name, None)
        if isinstance(found, kind):
            return [found]
        if found and isinstance(found, Sequence) and isinstance(found[0], kind):
            return list(found)
    expect_model(source, name.replace("_", " "))
    return None


def parts_of(source: Any) -> Iterator[Any]:
    """A result and the parts of it that hold curves, as far as it has them."""
    yield source
    if hasattr(source, "fit"):  # a model, whatever its methods are called
        return
    comparison = getattr(source, "comparison", None)
    for whole in (source, comparison):
        for name in ("diagnostics", "decision"):
            part = getattr(whole, name, None)
            if part is not None:
                yield part


def expect_model(source: Any, what: str) -> None:
    """Refuse a result, or anything else that cannot be asked for predictions."""
    if not hasattr(source, "predict") or len(list(parts_of(source))) > 1:  # the result of a run predicts, too
        name = type(source).__name__
        raise MercerError(f"This {name} has no {what}. Give a fitted model with X and y, or a result that has it.")
