"""Predictions of a stored model, written whole."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from mercer.arrays import Floats
from mercer.cli.console import note
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read
from mercer.cli.options import Reading
from mercer.errors import BadOutput, MercerError
from mercer.evaluation.options import Progress
from mercer.evaluation.row_columns import read_amounts
from mercer.formatting import visible
from mercer.select.costs import RowAmounts
from mercer.select.decisions import DecisionRule
from mercer.store import StoredModel, open_model
from mercer.store.atomic import refuse_unwritable, write_file
from mercer.table import Cause, Column, Kind, Schema, Source, Table, infer
from mercer.table.build import build, conform

CHUNK = 50_000
STDOUT = Path("-")
_PREDICTION = "prediction"


def run(model: Path, reading: Reading, out: Path, as_json: bool) -> None:
    """Predict every row of a table."""
    _refuse_output(out)
    stored = open_model(model)
    source = read(reading, stored.card.missing, stored.model.schema_)
    target = source.columns.pop(stored.card.target, None)
    with progress_bar("Predicting") as progress:
        frame = _predictions(stored, source, progress)
    several = _PREDICTION not in frame.columns  # several targets have no names to compare by
    score = {} if target is None or several else _score(stored, target, source, frame)
    _write(frame, out)
    if out == STDOUT:
        return
    if as_json:
        print(json.dumps({"rows": frame.height, "out": str(out), "columns": frame.columns, **score}, indent=2))
    else:
        print(f"{frame.height:,} {'row' if frame.height == 1 else 'rows'} predicted: {visible(out)}")
        _show_score(score, stored.card.target)


def _refuse_output(out: Path) -> None:
    """Refuse an unknown format or a folder that cannot be written, before any work."""
    if out == STDOUT:
        return
    if out.suffix.lower() not in (".csv", ".parquet"):
        raise BadOutput(f"--out {out}: predictions are written as .csv or .parquet.")
    refuse_unwritable(out)


def _predictions(stored: StoredModel, source: Source, progress: Progress) -> pl.DataFrame:
    """Row number, columns that identify the row, prediction, probability of each class."""
    schema: Schema = stored.model.schema_
    rows = build(conform(source, schema), schema)
    parts = []
    for start in range(0, len(rows), CHUNK):
        parts.append(_chunk(stored, rows.take(slice(start, start + CHUNK))))
        progress("Predicting", min(1.0, (start + CHUNK) / len(rows)))
    found = _decided(pl.concat(parts), stored, source)
    keys = [c.name for c in schema.left_out if c.cause is Cause.IDENTIFIER and c.name in source.columns]
    front = [pl.Series("row", range(1, len(rows) + 1), dtype=pl.Int64)]
    front += [source.columns[name] for name in keys if name not in ("row", *found.columns)]
    return pl.DataFrame(front).hstack(found)


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


def _decided(frame: pl.DataFrame, stored: StoredModel, source: Source) -> pl.DataFrame:
    """The predictions as the decision of the model has them: by its threshold, costs, or number of rows."""
    rule = stored.card.decision
    if rule is None:
        return frame
    names = [f"probability_{label}" for label in rule.classes]
    shares = rule.probabilities(frame.select(names).to_numpy())
    called = np.asarray(stored.model.classes_)[rule.decide(shares, _amounts(source, rule))]
    found = [pl.Series(_PREDICTION, called.tolist()), *(pl.Series(name, shares[:, k]) for k, name in enumerate(names))]
    return frame.with_columns(found)


def _amounts(source: Source, rule: DecisionRule) -> RowAmounts:
    """The costs of each row; none, with a note, where a column is lacking."""
    lacking = [name for name in rule.columns if name not in source.columns]
    if not lacking:
        return read_amounts(source, rule.columns)
    known = [name for name in rule.columns if name not in lacking]
    how = (
        f"from a probability of {rule.threshold:.4g}" if rule.threshold is not None else "by the mean cost of training"
    )
    note(f"The table has no column {lacking[0]!r} with the cost of each row: rows are decided {how} instead.")
    return read_amounts(source, tuple(known))


def _columns(predicted: Any, shares: Any, classes: Any, number: str) -> list[pl.Series]:
    names = [f"probability{number}_{label}" for label in classes]
    values = [pl.Series(name, shares[:, k]) for k, name in enumerate(names)]
    return [pl.Series(f"{_PREDICTION}{number}", predicted.tolist()), *values]


def _write(frame: pl.DataFrame, out: Path) -> None:
    buffer = io.BytesIO()
    if out.suffix.lower() == ".parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_csv(buffer)
    if out == STDOUT:
        _print_csv(buffer.getvalue())
    else:
        write_file(out, [buffer.getbuffer()])


def _print_csv(data: bytes) -> None:
    """UTF-8 as in a file, whatever the terminal speaks; on a terminal, nothing in it that the terminal obeys."""
    if sys.stdout.isatty():
        for line in data.decode().split("\n")[:-1]:
            print(visible(line))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def _score(stored: StoredModel, cells: pl.Series, source: Source, frame: pl.DataFrame) -> dict[str, Any]:
    """How good the predictions are, when the table brings the target along."""
    alone = Source({cells.name: cells}, markers=source.markers)
    measure = _accuracy if stored.card.task == "classification" else _error
    try:
        return measure(stored, alone, frame)
    except MercerError as error:
        note(f"The predictions could not be compared with the target: {error}")
        return {}


def _error(stored: StoredModel, alone: Source, frame: pl.DataFrame) -> dict[str, Any]:
    truth = build(alone, infer(alone, {stored.card.target: "numeric"})).numbers()[:, 0]
    error = frame[_PREDICTION].to_numpy() - truth
    error = error[~np.isnan(error)]
    return {"scored": len(error), "rmse": float(np.sqrt(np.mean(error**2)))} if len(error) else {}


def _accuracy(stored: StoredModel, alone: Source, frame: pl.DataFrame) -> dict[str, Any]:
    """A class that the model does not know counts as predicted wrong."""
    classes = tuple(str(label) for label in stored.model.classes_)
    truth = build(alone, Schema((Column(stored.card.target, Kind.CATEGORY, classes),))).codes()[:, 0]
    place = {name: code for code, name in enumerate(classes)}
    predicted = np.array([place[str(label)] for label in frame[_PREDICTION]])
    known = truth >= 0
    if not known.any():
        return {}
    unknown = int((truth == len(classes)).sum())
    score = {"scored": int(known.sum()), "accuracy": float((predicted == truth)[known].mean())}
    return score | ({"unknown_classes": unknown} if unknown else {})


def _show_score(score: dict[str, Any], target: str) -> None:
    if "accuracy" in score:
        print(f"{score['accuracy']:.1%} of the {score['scored']:,} rows with a known {target!r} are predicted right.")
    if "unknown_classes" in score:
        print(f"{score['unknown_classes']:,} of them are of a class unknown to the model: compare the spelling.")
    if "rmse" in score:
        print(f"Root mean squared error on {score['scored']:,} rows with a known {target!r}: {score['rmse']:.6g}.")
