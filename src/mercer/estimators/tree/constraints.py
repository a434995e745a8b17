"""Monotonic constraints: `monotonic_cst` of the columns of X as signs of the columns that a tree tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import BadParameter
from mercer.table import Column, Kind


def constraints(
    monotonic_cst: Any, tested: Sequence[Column], names: Sequence[str], n_classes: Sequence[int]
) -> tuple[int, ...]:
    """The sign of each tested column: 1 where the answer may not fall, -1 where it may not rise; () where all is free.

    `names` are those of X, in whose order `monotonic_cst` is.
    """
    if monotonic_cst is None:
        return ()
    given = np.asarray(monotonic_cst)
    if len(n_classes) > 1:
        raise BadParameter(
            "Monotonicity constraints are not supported with multiple outputs: fit one tree per output, or leave out "
            "monotonic_cst."
        )
    if max(n_classes) > 2:
        raise BadParameter(
            "Monotonicity constraints are not supported with multiclass classification: monotonic_cst is about the "
            f"probability of the second of two classes, and y has {max(n_classes)}."
        )
    if len(given) != len(names):
        raise BadParameter(
            f"monotonic_cst has shape {len(given)} but the input data X has {len(names)} features. Give one for each."
        )
    if not np.isin(given, (-1, 0, 1)).all():
        raise BadParameter(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(given)}")
    signs = _signs(dict(zip(names, given.astype(int).tolist(), strict=True)), tested)
    return () if max(n_classes) == 1 else signs  # one class: its probability is 1 everywhere


def _signs(sign_of: dict[str, int], tested: Sequence[Column]) -> tuple[int, ...]:
    ordered = {c.name for c in tested if c.kind in (Kind.NUMERIC, Kind.ORDINAL)}
    wrong = [name for name, sign in sign_of.items() if sign and name not in ordered]
    if wrong:
        raise BadParameter(
            f"monotonic_cst: column {wrong[0]!r} has no order to rise in. Give 0, or its levels in order in `kinds`."
        )
    return tuple(sign_of.get(c.name, 0) for c in tested)
