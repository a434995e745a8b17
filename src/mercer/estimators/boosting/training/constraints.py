"""Columns that parameters name: categories, monotone columns, columns that may meet on a path."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_monotonic_cst

from mercer.errors import BadParameter, did_you_mean
from mercer.solvers.boost.binning import Bytes


def chosen_columns(given: Any, names: list[str], named: bool) -> list[str]:
    """The columns that `categorical_features` says by a mask, places or names; `named`: whether X has names."""
    values = np.asarray(given)
    if values.size == 0:
        return []
    if values.dtype.kind == "O":
        types = {type(v).__name__ for v in values.ravel()}
        if not all(isinstance(v, str) for v in values.ravel()):
            raise _not_columns(", ".join(sorted(types)))
    elif values.dtype.kind not in "biuU":
        raise _not_columns(values.dtype.name)
    if values.dtype.kind == "b":
        if values.shape != (len(names),):
            raise BadParameter(
                "categorical_features set as a boolean mask must have shape (n_features,), "
                f"got: {values.shape} for {len(names)} columns."
            )
        return [name for name, chosen in zip(names, values, strict=True) if chosen]
    if values.dtype.kind in "iu":
        if values.min() < 0 or values.max() >= len(names):
            wrong = int(values[(values < 0) | (values >= len(names))][0])
            raise BadParameter(
                "categorical_features set as integer indices must be in [0, n_features - 1]: "
                f"there is no column {wrong}, they go from 0 to {len(names) - 1}."
            )
        return [names[j] for j in values]
    return _by_name([str(v) for v in values], names, named)


def _by_name(given: list[str], names: list[str], named: bool) -> list[str]:
    if not named:
        raise BadParameter(
            "categorical_features should be passed as an array of integers or as a boolean mask when the model is "
            "fitted on data without feature names."
        )
    unknown = [name for name in given if name not in names]
    if unknown:
        raise BadParameter(
            f"categorical_features has an item value {unknown[0]!r} which is not a valid feature name of the training "
            f"data. {did_you_mean(unknown[0], names)}".rstrip()
        )
    return given


def _not_columns(found: str) -> BadParameter:
    return BadParameter(f"categorical_features must be an array-like of bool, int or str, got: {found}.")


def monotone_signs(model: Any, columns: list[str], nominal: Bytes) -> tuple[int, ...]:
    """The sign of each column that trees test, from `monotonic_cst` of a model that knows its input."""
    given = model.monotonic_cst
    if given is None:
        return ()
    try:
        signs = _check_monotonic_cst(model, dict(given) if isinstance(given, Mapping) else given)
    except ValueError as error:
        raise BadParameter(str(error)) from None
    by_name = dict(zip(model._input_names(), signs.tolist(), strict=True))
    found = tuple(int(by_name.get(name, 0)) for name in columns)
    wrong = [name for name, sign, level in zip(columns, found, nominal, strict=True) if sign and level]
    if wrong:
        raise BadParameter(f"Categorical features cannot have monotonic constraints: {wrong[0]!r} is one.")
    return found if any(found) else ()


def any_sign(given: Any) -> bool:
    """Whether `monotonic_cst` constrains a column."""
    signs = np.asarray([*given.values()] if isinstance(given, Mapping) else given, dtype=object)
    return bool(np.any(signs != 0))


def interaction_sets(given: Any, columns: list[str], names: list[str]) -> tuple[tuple[int, ...], ...]:
    """Sets of columns that may meet on a path, by place among those that trees test."""
    if given is None:
        return ()
    n = len(names)
    if isinstance(given, str):
        sets = [*combinations(range(n), 2 if given == "pairwise" and n > 1 else 1)]
    else:
        sets = _given_sets(given, n)
        rest = tuple(set(range(n)) - {j for one in sets for j in one})
        sets += [rest] if rest else []
    place = {name: k for k, name in enumerate(columns)}
    return tuple(tuple(place[names[j]] for j in one if names[j] in place) for one in sets)


def _given_sets(given: Any, n: int) -> list[tuple[int, ...]]:
    try:
        sets = [tuple(one) for one in given]
    except TypeError:
        raise BadParameter(
            f"Interaction constraints must be a sequence of tuples or lists, got: {given!r}. For example [[0, 1], [2]]."
        ) from None
    for one in sets:
        if not all(isinstance(j, Integral) and 0 <= int(j) < n for j in one):
            raise BadParameter(
                f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, {n - 1}], "
                f"specifying the position of features, got invalid indices: {one!r}."
            )
    return [tuple(int(j) for j in one) for one in sets]
