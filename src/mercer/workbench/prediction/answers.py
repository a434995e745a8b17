"""The answers of a model: the prediction, and the probability of each class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from mercer.arrays import Floats
from mercer.evaluation.data.row_columns import read_amounts
from mercer.select.costs import RowAmounts
from mercer.select.decisions import DecisionRule
from mercer.store import StoredModel
from mercer.table import Source, Table
from mercer.table.kinds.parts import as_dates

CHUNK = 50_000
PREDICTION = "prediction"


def model_answers(stored: StoredModel, rows: Table, progress: Callable[[str, float], None]) -> pl.DataFrame:
    """Prediction and probability of each class, in chunks."""
    parts = []
    for start in range(0, len(rows), CHUNK):
        parts.append(_chunk(stored, rows.take(slice(start, start + CHUNK))))
        progress("Predicting", min(1.0, (start + CHUNK) / len(rows)))
    return pl.concat(parts)


def _chunk(stored: StoredModel, rows: Table) -> pl.DataFrame:
    """The columns of one target; of several, the columns of each, numbered from 1."""
    model = stored.model
    shares = _probabilities(model, rows)
    if shares is None:
        predicted = model.predict(rows)
        targets = predicted.T if predicted.ndim > 1 else [predicted]
        answers = [(predicted, None, ()) for predicted in targets]
    elif isinstance(shares, list):  # several targets
        each = enumerate(zip(shares, model.classes_, strict=True))
        answers = [(_most_probable(model, rows, share, classes, j), share, classes) for j, (share, classes) in each]
    else:
        answers = [(_most_probable(model, rows, shares, model.classes_), shares, model.classes_)]
    numbers = [f"_{j + 1}" for j in range(len(answers))] if len(answers) > 1 else [""]
    return pl.DataFrame([c for number, one in zip(numbers, answers, strict=True) for c in _columns(*one, number)])


def _probabilities(model: Any, rows: Table) -> Any:
    """Probabilities of the classes, (n_rows, n_classes) or a list of these; None when the model gives none."""
    try:
        return model.predict_proba(rows)
    except (AttributeError, NotFittedError):  # a regression, LinearSVC, or SVC without `probability`
        return None


def _most_probable(model: Any, rows: Table, shares: Floats, classes: Any, output: int = 0) -> NDArray[Any]:
    """The class predicted without computing scores twice: the model is asked again only where probabilities tie."""
    top = shares.max(axis=1, keepdims=True)
    predicted: NDArray[Any] = np.asarray(classes)[shares.argmax(axis=1)]
    tied = np.flatnonzero((shares == top).sum(axis=1) != 1)
    if len(tied):
        answers = model.predict(rows.take(tied))
        answers = answers if answers.ndim == 1 else answers[:, output]
        predicted = predicted if predicted.dtype == answers.dtype else predicted.astype(object)
        predicted[tied] = answers
    return predicted


def with_dates(frame: pl.DataFrame, stored: StoredModel) -> pl.DataFrame:
    """The answers with numbers of days as the dates that the target has."""
    unit = stored.card.date_unit
    if not unit:
        return frame
    dates = as_dates(frame[PREDICTION].to_numpy(), unit)
    return frame.with_columns(pl.Series(PREDICTION, dates if unit == "D" else dates.astype("datetime64[ms]")))


def probability_columns(classes: Iterable[Any], number: str = "") -> list[str]:
    """The names of the columns of probabilities; `number` is that of the output, where there are several."""
    return [f"probability{number}_{label}" for label in classes]


def decided(frame: pl.DataFrame, stored: StoredModel, source: Source, notes: list[str]) -> pl.DataFrame:
    """The predictions as the decision of the model has them: by its threshold, costs, or number of rows."""
    rule = stored.card.decision
    if rule is None:
        return frame
    names = probability_columns(rule.classes)
    shares = rule.probabilities(frame.select(names).to_numpy())
    called = np.asarray(stored.model.classes_)[rule.decide(shares, row_amounts(source, rule, notes))]
    found = [pl.Series(PREDICTION, called.tolist()), *(pl.Series(name, shares[:, k]) for k, name in enumerate(names))]
    return frame.with_columns(found)


def row_amounts(source: Source, rule: DecisionRule, notes: list[str]) -> RowAmounts:
    """The costs of each row, those that are decided by and those that are scored by; a note where one is lacking."""
    lacking = [name for name in rule.columns if name not in source.columns]
    if lacking:
        notes.append(no_amounts(lacking[0], rule))
    return read_amounts(source, tuple(name for name in rule.priced_by if name in source.columns))


def no_amounts(lacking: str, rule: DecisionRule) -> str:
    """What is done instead where the table lacks a column with the cost of each row."""
    how = (
        f"from a probability of {rule.threshold:.4g}" if rule.threshold is not None else "by the mean cost of training"
    )
    return f"The table has no column {lacking!r} with the cost of each row: rows are decided {how} instead."


def _columns(predicted: Any, shares: Any, classes: Any, number: str) -> list[pl.Series]:
    names = probability_columns(classes, number)
    values = [pl.Series(name, shares[:, k]) for k, name in enumerate(names)]
    return [pl.Series(f"{PREDICTION}{number}", predicted.tolist()), *values]
