"""Which encoders can be fitted in chunks, and what each learns from counts of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from mercer.arrays import Array, Floats
from mercer.encode import (
    BagOfWords,
    Bins,
    Chain,
    DropMissing,
    Encoder,
    Impute,
    Log,
    MinMax,
    OneHot,
    Polynomial,
    TopLevels,
    UnitLength,
    ZScore,
)
from mercer.encode.bin_edges import filled_bins, inside, quantile_ranks, width_edges
from mercer.encode.scale import enough_numbers
from mercer.errors import MercerError
from mercer.parameters import check_parameters
from mercer.scale.encoders.statistics import EncodedRows
from mercer.scale.rows import Rows
from mercer.table.missingness import NO_INDICATORS

Learn: TypeAlias = Callable[[Any, EncodedRows], None]
_CUTS = ("frequency", "width")  # of Bins; the others need the numbers in their order


def fit_encoder(encoder: Encoder, rows: Rows) -> None:
    """What `encoder.fit` finds in all rows at once."""
    _fit(encoder, EncodedRows(rows, rows.schema))


def check_encoder(encoder: Encoder) -> None:
    """MercerError if the encoder, or a step of it, cannot be fitted in chunks."""
    if isinstance(encoder, Chain):
        check_parameters(encoder)
        for _, step in encoder.steps:
            check_encoder(step)
        return
    name = type(encoder).__name__
    if type(encoder) not in LEARNS:
        known = ", ".join(encoders_in_chunks())
        raise MercerError(f"{name} needs all rows at once. In chunks these encoders can be fitted: {known}.")
    if isinstance(encoder, Bins) and encoder.cut not in _CUTS:
        check_parameters(encoder)
        raise MercerError(
            f"Bins(cut={encoder.cut!r}) needs all rows at once. In chunks, take cut='frequency' or cut='width'."
        )


def encoders_in_chunks() -> list[str]:
    """The encoders that can be fitted in chunks; a `Chain` if its steps can.

    Returns
    -------
    names : list of str
        Their names in `mercer.encode`.

    Examples
    --------
    >>> import mercer
    >>> "ZScore" in mercer.scale.encoders_in_chunks()
    True
    """
    return sorted(cls.__name__ for cls in LEARNS)


def _fit(encoder: Encoder, rows: EncodedRows) -> None:
    check_parameters(encoder)
    encoder.names_ = encoder._chosen(rows.schema)
    LEARNS[type(encoder)](encoder, rows)
    encoder.schema_out_ = encoder._checked_out(rows.schema)


def _learn_moments(encoder: ZScore, rows: EncodedRows) -> None:
    found, unit = rows.moments(encoder.names_)
    enough_numbers(found.known, encoder.ddof, encoder.names_)
    constant = found.low == found.high
    deviation = np.sqrt(found.scatter / (found.known - encoder.ddof)) * unit
    mean = np.where(constant, found.low, found.mean) * unit
    encoder._set_moments(mean, np.where(constant, 0.0, deviation), sparse=False)


def _learn_range(encoder: MinMax, rows: EncodedRows) -> None:
    _, low, high = rows.ranges(encoder.names_)
    encoder._set_range(low, high)


def _learn_fill(encoder: Impute, rows: EncodedRows) -> None:
    numeric, categorical = encoder._split(rows.schema, encoder.names_)
    encoder.fill_ = _number_fill(encoder, rows, numeric)
    encoder._set_codes(categorical, rows.levels(categorical))
    encoder.flagged_ = rows.gaps(encoder.names_)[1] > 0 if encoder.indicator else np.zeros(len(encoder.names_), bool)


def _number_fill(encoder: Impute, rows: EncodedRows, names: tuple[str, ...]) -> Floats:
    if encoder.numbers == "mean":
        found, unit = rows.moments(names)
        return np.asarray(found.mean * unit)
    known, _, _ = rows.ranges(names)
    if encoder.numbers == "median":
        middle = [np.array([(n - 1) // 2, n // 2]) for n in known]
        return np.array([two.mean() for two in rows.at_ranks(names, middle)])
    return np.array([values[counts.argmax()] for values, counts in rows.numbers(names)])


def _learn_shares(encoder: DropMissing, rows: EncodedRows) -> None:
    n_rows, lost = rows.gaps(encoder.names_)
    encoder.share_ = lost / n_rows


def _learn_levels(encoder: OneHot, rows: EncodedRows) -> None:
    encoder._set_counts(rows.levels(encoder.names_))


def _learn_top(encoder: TopLevels, rows: EncodedRows) -> None:
    categorical = tuple(n for n in encoder.names_ if rows.schema[n].kind.categorical)
    numeric = tuple(n for n in encoder.names_ if n not in categorical)
    found: dict[str, tuple[Floats, Array]] = dict(zip(numeric, rows.numbers(numeric), strict=True))
    for name, counts in zip(categorical, rows.levels(categorical), strict=True):
        found[name] = (np.arange(len(counts) - 2, dtype=np.float64), counts[1:-1])
    encoder._set_counts([found[n] for n in encoder.names_])


def _learn_edges(encoder: Bins, rows: EncodedRows) -> None:
    known, low, high = rows.ranges(encoder.names_)
    ends = list(zip(low, high, strict=True))
    if encoder.cut == "width":
        encoder.edges_ = [width_edges(a, b, encoder.n) for a, b in ends]
    else:
        ranks = [quantile_ranks(int(n), encoder.n) for n in known]
        found = rows.at_ranks(encoder.names_, [np.concatenate(pair) for pair in ranks])
        halves = [np.split(values / 2, 2) for values in found]
        edges = [inside(left + right, a, b) for (left, right), (a, b) in zip(halves, ends, strict=True)]
        encoder.edges_ = list(map(filled_bins, edges, rows.below(encoder.names_, edges)))
    encoder._warn_few()


def _learn_words(encoder: BagOfWords, rows: EncodedRows) -> None:
    encoder._set_words([] if encoder.hashed else rows.words(encoder.names_))


def _check_logs(encoder: Log, rows: EncodedRows) -> None:
    rows.each(encoder._logs)


def _learn_nothing(encoder: Encoder, rows: EncodedRows) -> None:
    """What the encoder does is said by its parameters."""


def _learn_steps(encoder: Chain, rows: EncodedRows) -> None:
    encoder._validate_names([name for name, _ in encoder.steps])
    encoder.steps_ = []
    for name, step in encoder.steps:
        fitted = clone(step)
        columns = [*rows.schema.input_names, *(c.name for c in rows.schema.left_out)]
        fitted.schema_, fitted.missing_indicators_ = rows.schema, NO_INDICATORS
        fitted.n_features_in_, fitted.feature_names_in_ = len(columns), np.array(columns, dtype=object)
        _fit(fitted, rows)
        encoder.steps_.append((name, fitted))
        rows = rows.behind(fitted)


LEARNS: dict[type[Encoder], Learn] = {
    BagOfWords: _learn_words,
    Bins: _learn_edges,
    Chain: _learn_steps,
    DropMissing: _learn_shares,
    Impute: _learn_fill,
    Log: _check_logs,
    MinMax: _learn_range,
    OneHot: _learn_levels,
    Polynomial: _learn_nothing,
    TopLevels: _learn_top,
    UnitLength: _learn_nothing,
    ZScore: _learn_moments,
}
