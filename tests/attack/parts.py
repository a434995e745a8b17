"""Kernels, distances, encoders and features with parameter values that nobody should pass."""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

import mercer
from mercer import distances, encode, kernels
from mercer.errors import MercerError
from tests.attack.outcome import Outcome, Wrong, refused_by_scikit_learn
from tests.attack.parameters import VALUES
from tests.attack.tables import LABELS, ROWS, TARGET

FEATURES = (mercer.Nystroem, mercer.RandomFeatures, mercer.KernelComponents, mercer.SelectByForest)
NUMBERS = mercer.read_table({"number": ROWS["number"], "target": TARGET})  # which most kernels ask for
CLOSED = (kernels.Kernel, distances.Distance, encode.Encoder)  # bases, which are no part by themselves


@cache
def parts() -> tuple[type[Any], ...]:
    """Every public class whose objects are made without arguments."""
    found = [getattr(room, name) for room in (kernels, distances, encode) for name in dir(room)]
    classes = [c for c in found if isinstance(c, type) and issubclass(c, CLOSED) and c not in CLOSED]
    return (*(c for c in dict.fromkeys(classes) if not inspect.isabstract(c) and _is_made(c)), *FEATURES)


def _is_made(cls: type[Any]) -> bool:
    try:
        cls()
    except TypeError:
        return False
    return True


def attempt(seed: int) -> Outcome:
    """Fit a part with one or two hostile parameters to the small table, and use it on other rows."""
    rng = np.random.default_rng(seed)
    cls = parts()[seed % len(parts())]
    names = [*inspect.signature(cls).parameters]
    picked = rng.choice(names, size=min(len(names), int(rng.integers(1, 3)))) if names else ()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            part = cls(**{name: VALUES[rng.integers(len(VALUES))] for name in picked})
            _use(part, (ROWS, NUMBERS)[rng.integers(2)])
        except (MercerError, ValueError, TypeError) as error:
            if isinstance(error, MercerError) or refused_by_scikit_learn(error):
                return Outcome.REFUSED
            raise
    return Outcome.ANSWERED


def _use(part: Any, rows: mercer.Table) -> None:
    if isinstance(part, kernels.Kernel):
        _expect_numbers(part.fit(rows, y=LABELS).gram(rows.take(np.arange(9)), rows))
    elif isinstance(part, distances.Distance):
        fitted = part.fit(rows, np.unique(LABELS, return_inverse=True)[1].astype(np.int32))
        _expect_numbers(fitted.between(fitted.cells(rows), fitted.cells(rows)))
    else:
        _expect_numbers(part.fit(rows, LABELS).transform(rows))


def _expect_numbers(found: Any) -> None:
    """No infinite number, and NaN only where a part passes missing cells on."""
    if isinstance(found, mercer.Table):
        values = found.number_block.values
        found = values if isinstance(values, np.ndarray) else values.data
    cells = np.asarray(found.data if sp.issparse(found) else found)
    if cells.dtype.kind == "f" and np.isinf(cells).any():
        raise Wrong("infinite numbers")
