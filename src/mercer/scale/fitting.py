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
from mercer.scale.engine import engine_of
from mercer.scale.registry import fit_of
from mercer.scale.rows import Rows
from mercer.scale.survey import survey
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
        The name of the column to predict. Encoders need none; one that is named is not encoded.
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
    chunks, engine, classes = as_chunks(data), engine_of(client), is_classifier(model)

    def told(what: str) -> Callable[[float], None] | None:
        return None if progress is None else lambda share: progress(what, share)

    kinds = getattr(model, "kinds", None)
    key = uuid4().hex
    try:
        found = survey(
            chunks, engine, target, kinds, classes=classes, progress=told("Looking at the columns"), fit=key,
            learned=learned,
        )  # fmt: skip
    except BaseException:
        engine.forget()
        raise
    labels, counts = None, np.empty(0, dtype=np.int64)
    if isinstance(found.target, Classes):
        labels, counts = found.target.labels, found.target.counts
        check_classification_targets(np.repeat(labels, 3))  # once each, scikit-learn would warn of a class per row
    rows = Rows(
        chunks, engine, found.schema, target, labels, counts, progress=told("Learning"), learned=learned, fit=key
    )
    fit_rows(model, rows, tuple(found.columns))
    assert not isinstance(found.target, Either)
    if found.target.n_missing:
        notice = f"{found.target.n_missing:,} rows have no {target!r} and were left out."
        warnings.warn(notice, MercerWarning, stacklevel=2)
    return model


def fit_rows(model: Any, rows: Rows, columns: tuple[str, ...]) -> None:
    """Fit a model to rows whose schema and classes are known; `columns` are those of the input."""
    model.schema_, model.missing_indicators_ = rows.schema, NO_INDICATORS
    model.n_features_in_, model.feature_names_in_ = len(columns), np.array(columns, dtype=object)
    try:
        fit_of(model)(model, rows)
    finally:
        rows.engine.forget()
