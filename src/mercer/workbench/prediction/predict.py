"""mercer.predict: a stored model on new rows, their unusual cells, and its scores where labels are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.errors import BadColumn, MercerError, did_you_mean
from mercer.evaluation.assessment.evaluation import Evaluation
from mercer.evaluation.intervals import Score
from mercer.evaluation.uncertainty.costs import cost_interval
from mercer.select.copies import find_copies
from mercer.store import StoredModel, open_model
from mercer.table import Cause, Schema, Source, Table
from mercer.table.build import new_rows
from mercer.table.kinds.missing import Markers, as_markers, expect_columns
from mercer.workbench.evaluate import score_predictions
from mercer.workbench.prediction.answers import (
    PREDICTION,
    decided,
    model_answers,
    probability_columns,
    row_amounts,
    with_dates,
)
from mercer.workbench.prediction.drift import Flags, column_drift, flag_rows
from mercer.workbench.prediction.predicted import Predicted
from mercer.workbench.prediction.several import together
from mercer.workbench.prediction.truth import class_places, known_numbers
from mercer.workbench.row_groups import group_numbers
from mercer.workbench.rows import TRAINING_ROWS
from mercer.workbench.sources import open_rows

ALL, FLAGS = "all", "flags"


def predict(
    model: str | Path | StoredModel,
    data: Any,
    *,
    keep: str | Sequence[str] = (),
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    sheet: str | int | None = None,
    query: str | None = None,
    table_name: str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Predicted:
    """Predict each row of a table with a stored model, reading cells as training did.

    A column in another notation than the training table (1.234,50 for 1234.5, 01.02.2021 for 2021-02-01) is read in its
    own where that has one meaning, with a warning, and refused otherwise.

    Numbers beyond the training range by more than the width of its middle 80 %, and levels that no training row had,
    are flagged row by row. Each column is tested for drift at a level of 0.01 for all columns together. Where the
    table brings the target along, every metric is reported with its interval.

    Parameters
    ----------
    model : str, Path or StoredModel
        A `model.mercer` file.
    data : str, Path, data frame, mapping, ndarray or Table
        New rows. Columns are found by name, in any order; columns that the model does not know are ignored.
    keep : str or sequence of str, default ()
        Columns of the table to carry along; "all" for every one. Columns that identify the rows always are.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", beside those of the training table.
    separator : str or None, default None
        Of a text file; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    sheet : str, int or None, default None
        Which sheet of a workbook, by name or by number from 1; None for the first that holds the model's columns.
    query : str or None, default None
        What to read from a database: a query that only reads.
    table_name : str or None, default None
        Which table of a database, in place of a query; None if it has but one.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on.

    Returns
    -------
    predicted : Predicted
        The lines, flags, drift and scores.

    Raises
    ------
    BadFile
        The model or the table cannot be read.
    BadColumn
        A column of the model, or of `keep`, is not in the table.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> penguins = mercer.load_penguins()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.mercer"
    ...     path = mercer.train(penguins, "Species", learners="naive_bayes", quick=True).save(path)
    ...     found = mercer.predict(path, penguins, keep="Island")
    >>> found.frame.columns[:3], found.drifted, found.evaluation.n_rows
    (['row', 'Island', 'prediction'], [], 344)
    """
    stored = model if isinstance(model, StoredModel) else open_model(model)
    source = open_rows(
        data,
        missing=(*stored.card.missing, *as_markers(missing)),
        separator=separator,
        header=header,
        sheet=sheet,
        query=query,
        table_name=table_name,
        schema=stored.model.schema_,
    )
    expect_columns(source, as_markers(missing))
    return predict_source(stored, source, (keep,) if isinstance(keep, str) else tuple(keep), progress)


def predict_source(
    stored: StoredModel, source: Source, keep: Sequence[str], progress: Callable[[str, float], None] | None = None
) -> Predicted:
    """Predict the rows of a source; of several targets, each with its own columns and scores."""
    kept = kept_columns(source, keep)
    outputs, step = stored.outputs, progress or (lambda _what, _share: None)
    found = [_answered(one, replace(source, columns=stored.columns_of(one, source.columns)), step) for one in outputs]
    if len(found) == 1:
        answers, one = found[0]
        return replace(one, frame=row_lines(outputs[0].model.schema_, source, kept, answers, one.flags))
    targets = {one.target: replace(one, frame=answers) for answers, one in found}
    answers, whole = together(targets)
    return replace(whole, frame=row_lines(outputs[0].model.schema_, source, kept, answers, whole.flags))


def _answered(
    stored: StoredModel, source: Source, progress: Callable[[str, float], None]
) -> tuple[pl.DataFrame, Predicted]:
    """The answers of the model of one target, and what is known of the rows; the columns of the lines are to come."""
    schema: Schema = stored.model.schema_
    target = None if stored.card.target in schema else source.columns.pop(stored.card.target, None)
    rows = new_rows(source, schema)
    notes: list[str] = []
    answers = decided(model_answers(stored, rows, progress), stored, source, notes)
    flags = flag_rows(rows, stored.summary, lambda name, row: source.columns[name][row])
    evaluation, unknown = None, 0
    if target is not None and PREDICTION in answers.columns:  # several targets have no names to compare by
        try:
            evaluation, unknown = _score(stored, target, source, answers, rows)
        except MercerError as error:
            notes.append(f"The predictions could not be compared with the target: {error}")
    if evaluation is not None and stored.summary is not None and stored.summary.describes(rows):
        notes.append(TRAINING_ROWS)
    answers = with_dates(answers, stored)
    return answers, Predicted(
        frame=answers,
        target=stored.card.target,
        flags=flags,
        drift=[] if stored.summary is None or rows.is_sparse else column_drift(rows, stored.summary),
        evaluation=evaluation,
        unknown_classes=unknown,
        notes=notes,
    )


def kept_columns(source: Source, keep: Sequence[str]) -> list[pl.Series]:
    """The columns to carry along, as they were read."""
    if tuple(keep) == (ALL,) and ALL not in source.columns:
        return list(source.columns.values())
    for name in keep:
        if name not in source.columns:
            raise BadColumn(f"keep: there is no column {name!r}. {did_you_mean(name, source.columns)}")
    return [source.columns[name] for name in dict.fromkeys(keep)]


def row_lines(
    schema: Schema, source: Source, kept: list[pl.Series], answers: pl.DataFrame, flags: Flags
) -> pl.DataFrame:
    """Row number, columns that identify the row or were asked for, the answers, and flags."""
    keys = [c.name for c in schema.left_out if c.cause is Cause.IDENTIFIER and c.name in source.columns]
    asked = {cells.name for cells in kept}
    taken = {"row", FLAGS, *answers.columns}
    front = [pl.Series("row", range(1, len(flags.texts) + 1), dtype=pl.Int64)]
    front += [source.columns[name] for name in keys if name not in taken | asked]
    for cells in kept:
        name = cells.name
        while name in taken:
            name = f"table_{name}"
        taken.add(name)
        front.append(cells.alias(name))
    return pl.DataFrame([*front, *answers.get_columns(), pl.Series(FLAGS, flags.texts, dtype=pl.String)])


def _score(
    stored: StoredModel, cells: pl.Series, source: Source, answers: pl.DataFrame, table: Table
) -> tuple[Evaluation | None, int]:
    """The scores on rows whose target is known, and how many rows are of a class unknown to the model."""
    alone = Source({cells.name: cells}, markers=source.markers)
    name = type(stored.model).__name__
    if stored.card.task != "classification":
        truth = known_numbers(stored, alone, cells.name)
        known = ~np.isnan(truth)
        if not known.any():
            return None, 0
        predicted = answers[PREDICTION].to_numpy()[known]
        groups = _copies(table, known, truth[known])
        return score_predictions(truth[known], predicted, task="regression", name=name, groups=groups), 0
    names = tuple(str(label) for label in stored.model.classes_)
    codes = class_places(names, alone, cells.name)
    known, unknown = (codes >= 0) & (codes < len(names)), int((codes == len(names)).sum())
    if not known.any():
        return None, unknown
    predicted = np.array([str(label) for label in answers[PREDICTION]])[known]
    columns = probability_columns(names)
    shares = answers.select(columns).to_numpy()[known] if columns[0] in answers.columns else None
    positive = stored.card.positive or None
    truth = np.array(names, dtype=object)[codes[known]]
    if len(names) == 2 and positive is None:
        positive = names[int((codes[known] == 1).sum() <= (codes[known] == 0).sum())]
    groups = _copies(table, known, codes[known])
    found = score_predictions(
        truth,
        predicted,
        probabilities=shares,
        classes=names,
        task="classification",
        positive=positive,
        name=name,
        groups=groups,
    )
    costs = _cost(stored, source, np.flatnonzero(known), codes, predicted, found.level, groups)
    return replace(found, scores=found.scores | costs), unknown


def _copies(table: Table, known: NDArray[np.bool_], values: NDArray[Any]) -> Longs | None:
    """Which of the rows with a known target are copies of another."""
    return group_numbers(find_copies(table.take(np.flatnonzero(known)), values))


def _cost(
    stored: StoredModel,
    source: Source,
    rows: Longs,
    codes: NDArray[Any],
    predicted: NDArray[Any],
    level: float,
    groups: Longs | None,
) -> dict[str, Score]:
    """What the decisions on these rows cost, where the file says what errors cost."""
    rule = stored.card.decision
    if rule is None:
        return {}
    amounts = {name: cells[rows] for name, cells in row_amounts(source, rule, []).items()}
    called = np.array([rule.classes.index(label) for label in predicted.tolist()], dtype=np.int64)
    prices = rule.known_prices(amounts)
    if prices is None:
        return {}
    truth = codes[rows].astype(np.int64)
    return {"cost": cost_interval(prices, truth, called, amounts, level, groups=groups)}
