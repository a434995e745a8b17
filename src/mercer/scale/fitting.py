"""Fitting a model to a table in chunks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets

from mercer.encode import Encoder
from mercer.errors import BadTarget, MercerWarning
from mercer.scale.chunks import as_chunks
from mercer.scale.engine import Engine, engine_of
from mercer.scale.registry import fit_of
from mercer.scale.rows import Rows
from mercer.scale.survey import Survey, survey
from mercer.scale.target import Classes, Either
from mercer.table.estimator import TableEstimator
from mercer.table.missingness import NO_INDICATORS

Model = TypeVar("Model", bound=TableEstimator)


def fit(
    model: Model,
    data: Any,
    target: str | None = None,
    *,
    client: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> Model:
    """Fit a model to rows that come in chunks: the model that `model.fit` makes of all rows at once.

    The table is read once to infer what its columns are, and once for each pass that the learner needs. No process
    holds more than a chunk of it. Rows whose target is missing are left out.

    Parameters
    ----------
    model : estimator
        A model or an encoder of mercer; `mercer.scale.learners_in_chunks()` and `mercer.scale.encoders_in_chunks()`
        name those that can be fitted so.
    data : str, Path, Dask data frame, data frame, mapping, sequence, callable or Chunks
        The rows, with the target among the columns: what `as_chunks` takes.
    target : str or None, default None
        The name of the column to predict. Encoders need none; one that is named is not encoded. Classes of data frames
        are the labels as they are, as in `model.fit`; those of files are texts without surrounding blanks.
    client : distributed.Client or None, default None
        A Dask cluster that does the work; None for this process, unless `on` names a cluster.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on.

    Returns
    -------
    model : estimator
        The same object, fitted: it predicts, explains and is stored as after `fit`.

    Raises
    ------
    BadFile
        A file cannot be read, or has changed between two passes; the message names it.
    BadColumn
        The chunks differ in their columns or types.
    BadTarget
        The target is not there, or every cell of it is missing.
    MercerError
        The model needs all rows at once.

    Examples
    --------
    >>> import mercer
    >>> today = {"wind": ["weak", "strong"], "play": ["yes", "no"]}
    >>> model = mercer.scale.fit(mercer.NaiveBayes(), [today, today], "play")
    >>> model.class_count_
    array([2., 2.])
    >>> mercer.scale.fit(mercer.encode.MinMax(), [{"age": [20, 30]}, {"age": [60]}]).transform({"age": [50]}).numbers()
    array([[0.75]])
    """
    fit_of(model)
    learned = not isinstance(model, Encoder)
    if learned and target is None:
        raise BadTarget("There is no target. Name the column to predict: fit(model, data, target).")
    rows, found = survey_rows(model, data, target, engine_of(client), progress, "Learning", learned=learned)
    fit_rows(model, rows, tuple(found.columns))
    return model


def survey_rows(
    model: Any,
    data: Any,
    target: str | None,
    engine: Engine,
    progress: Callable[[str, float], None] | None,
    what: str,
    *,
    learned: bool = True,
) -> tuple[Rows, Survey]:
    """The rows that a model is to learn from, and what the first pass found; later passes are told as `what`.

    Whoever asks lets the engine forget the rows in the end. `learned` is as in `survey`.
    """
    chunks, kinds, key = as_chunks(data), getattr(model, "kinds", None), uuid4().hex

    def told(what: str) -> Callable[[float], None] | None:
        return None if progress is None else lambda share: progress(what, share)

    try:
        found = survey(
            chunks, engine, target, kinds, classes=is_classifier(model), progress=told("Looking at the columns"),
            fit=key, learned=learned,
        )  # fmt: skip
    except BaseException:
        engine.forget()
        raise
    labels, counts = None, np.empty(0, dtype=np.int64)
    if isinstance(found.target, Classes):
        labels, counts = found.target.labels, found.target.counts
        check_classification_targets(np.repeat(labels, 3))  # once each, scikit-learn would warn of a class per row
    assert not isinstance(found.target, Either)
    if found.target.n_missing:
        notice = f"{found.target.n_missing:,} rows have no {target!r} and were left out."
        warnings.warn(notice, MercerWarning, stacklevel=3)
    given = chunks, engine, found.schema, target, labels, counts
    return Rows(*given, progress=told(what), learned=learned, fit=key, known=found.known, gaps=found.gaps), found


def fit_rows(model: Any, rows: Rows, columns: tuple[str, ...]) -> None:
    """Fit a model to rows whose schema and classes are known; `columns` are those of the input."""
    set_columns(model, rows, columns)
    try:
        fit_of(model)(model, rows)
    finally:
        rows.engine.forget()


def set_columns(model: Any, rows: Rows, columns: tuple[str, ...]) -> None:
    """Set what an estimator knows of its input."""
    model.schema_, model.missing_indicators_ = rows.schema, NO_INDICATORS
    model.n_features_in_, model.feature_names_in_ = len(columns), np.array(columns, dtype=object)
