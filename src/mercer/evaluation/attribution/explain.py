"""Contributions of columns to the scores of single rows, of any model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.arrays import Bools, Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.common.explanations.explanation import SUM, Explanation
from mercer.estimators.common.explanations.text_table import cell_text, shown_cells
from mercer.evaluation.attribution.score import ModelScore, model_score
from mercer.evaluation.attribution.shapley import PAIRS, background_rows, shapley_values
from mercer.table import Table, conform_table
from mercer.table.estimator import TableEstimator, prediction_table
from mercer.table.formats.containers import (
    as_container,
    column_cells,
    column_names,
    mix_rows,
    row_count,
    stack_rows,
    take_rows,
)
from mercer.table.missingness import flag_name

MOST_COLUMNS = 2000  # that are sampled: more take minutes and mean little one by one
_CELLS = 4_000_000  # of mixed rows that are held at once


def model_rows(model: Any, X: Any) -> Any:
    """The rows as the model reads them: a Table for mercer's own and those around them that were stored.

    For others, the container as it came.
    """
    if isinstance(model, TableEstimator):
        return prediction_table(model, X)
    return conform_table(X, model.schema_) if hasattr(model, "schema_") else as_container(X)


def exact_explanation(model: Any, rows: Any, background: Any = None) -> Explanation | None:
    """The contributions that a model gives itself, being a sum over columns or a tree; None for other models.

    Parameters
    ----------
    model : estimator
        Fitted.
    rows : rows
        As `model_rows` gives them.
    background : rows, optional
        The base of a sum over columns becomes its mean over these rows, unless each row compares classes of its own.

    Returns
    -------
    Explanation or None
        By the columns of the input: "age is missing" counts for "age".
    """
    explain = getattr(model, "_explain_columns", None)
    found: Explanation | None = None if explain is None else explain(rows)
    if explain is None or found is None:
        return None
    found = _onto_columns(found, rows)
    compared = found.for_class is None or len(model.classes_) == 2
    if background is None or not compared or found.method != SUM or not len(background):
        return found
    mean = _onto_columns(explain(background), background).values.mean(axis=0)
    return replace(found, values=found.values - mean, base=found.base + mean.sum())


def _onto_columns(found: Explanation, rows: Table) -> Explanation:
    """What "<name> is missing" adds, added to what <name> adds."""
    known = set(rows.schema.names)
    owner = {flag_name(n): n for n in known if flag_name(n) not in known}
    names = tuple(n for n in found.columns if n not in owner)
    if len(names) == len(found.columns):
        return found
    place = {name: j for j, name in enumerate(names)}
    values = np.zeros((len(found), len(names)))
    for j, name in enumerate(found.columns):
        values[:, place[owner.get(name, name)]] += found.values[:, j]
    keep = [found.columns.index(n) for n in names]
    cells = [tuple(row[j] for j in keep) for row in found.cells]
    return replace(found, columns=names, values=values, cells=cells)


def sampled_explanation(
    model: Any, rows: Any, background: Any, *, samples: int | None = None, seed: int = 0
) -> Explanation:
    """Shapley values of each row against background rows, by sampling where there are more than a few columns.

    Parameters
    ----------
    model : estimator
        Fitted, of any kind.
    rows, background : rows
        As `model_rows` gives them, of the same columns.
    samples : int, optional
        Pairs of orders for each background row, 2 or more; 2 when not given.
    seed : int, default 0
        Of the orders, and of the background rows where only some of them are used.

    Returns
    -------
    Explanation
        With standard errors unless all sets of columns were taken.
    """
    names = column_names(rows)
    if len(names) > MOST_COLUMNS:
        raise MercerError(
            f"{len(names):,} columns are too many to explain one by one ({MOST_COLUMNS:,} at most) unless the model is "
            "a sum over columns or a tree. Select columns first, or explain a linear model of these rows."
        )
    score = model_score(model, take_rows(rows, np.arange(min(1, row_count(rows)))))
    if list(column_names(background)) != names:
        raise MercerError("background: its columns are not those of the rows. Give rows of the same table.")
    background = _some_rows(background, background_rows(len(names), samples), seed)
    empty, full = score.of_rows(background), score.of_rows(rows)
    chosen = score.explained(full)
    values, errors = np.empty((len(full), len(names))), np.zeros((len(full), len(names)))
    exact = True
    for i, c in enumerate(chosen):
        pool = stack_rows(take_rows(rows, np.array([i])), background)
        mixed = _Mixed(pool, score, int(c))
        ends = (float(full[i, c]), empty[:, c])
        found = shapley_values(mixed, len(names), len(empty), ends, samples or PAIRS, seed)
        values[i], exact = found.values, found.error is None
        errors[i] = 0.0 if found.error is None else found.error
    return Explanation(
        tuple(names),
        values,
        empty.mean(axis=0)[chosen],
        *score.sides(chosen),
        _shown(rows),
        score.unit,
        None if exact else errors,
        f"Shapley values {'over all sets of columns' if exact else 'by sampling'}, {len(empty)} background rows",
    )


class _Mixed:
    """The score of rows whose cells are in part those of the first row of a pool, in part those of its others."""

    def __init__(self, pool: Any, score: ModelScore, column: int) -> None:
        self.pool, self.score, self.column = pool, score, column

    def __call__(self, own: Bools, rows: Longs) -> Floats:
        size = max(1, _CELLS // own.shape[1])
        parts = [slice(start, start + size) for start in range(0, len(own), size)]
        return np.concatenate([self._scores(own[part], rows[part]) for part in parts])

    def _scores(self, own: Bools, rows: Longs) -> Floats:
        index = np.where(own, 0, rows[:, None] + 1)
        return np.asarray(self.score.of_rows(mix_rows(self.pool, index))[:, self.column])


def _some_rows(X: Any, most: int, seed: int) -> Any:
    n = row_count(X)
    if not n:
        raise MercerError("background: there are no rows in it.")
    return X if n <= most else take_rows(X, np.sort(np.random.default_rng(seed).permutation(n)[:most]))


def _shown(rows: Any) -> list[tuple[str, ...]]:
    names = column_names(rows)
    if isinstance(rows, Table):
        return shown_cells(rows, names)
    columns = [[cell_text(v) for v in column_cells(rows, j)] for j in range(len(names))]
    return list(zip(*columns, strict=True))
