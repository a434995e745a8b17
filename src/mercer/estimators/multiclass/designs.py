"""Codes of classes by design: one against one, one against the rest, exhaustive, random with far rows, BCH."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from math import ceil, log2
from typing import Literal, TypeAlias

import numpy as np

from mercer.errors import BadParameter
from mercer.estimators.multiclass.bch import bch_code
from mercer.estimators.multiclass.codes import TWO_CLASSES, Code, column_separation, row_distances, row_separation

Design: TypeAlias = Literal["dense", "sparse", "exhaustive", "bch", "one_vs_one", "one_vs_rest"]
MOST_EXHAUSTIVE = 11  # classes: 1,023 problems
_TRIES = 100  # random codes of which the best is kept; 1,000 gain half a bit at 26 classes
_DENSITY = {"dense": (10, (1, -1)), "sparse": (15, (1, 0, -1))}  # Allwein et al. 2000: bits per log2 of the classes


def design_code(design: Design, n_classes: int, length: int | None, random: np.random.RandomState) -> Code:
    """A code of this design; `length` is its number of columns, None chooses it.

    Reference: Dietterich and Bakiri 1995, Solving multiclass learning problems via error-correcting output codes;
    Allwein, Schapire and Singer 2000, Reducing multiclass to binary.
    """
    if n_classes == 2:
        return TWO_CLASSES
    if design in ("dense", "sparse"):
        return _random_code(design, n_classes, length, random)
    if design == "bch":
        return _best(bch_code(n_classes, length, random) for _ in range(_TRIES))
    fixed = {"one_vs_one": one_vs_one, "one_vs_rest": one_vs_rest, "exhaustive": exhaustive}[design](n_classes)
    if length not in (None, fixed.shape[1]):
        raise BadParameter(
            f"A code {design!r} of {n_classes} classes has {fixed.shape[1]} columns, not {length}: leave length out, "
            "or use code='dense', whose length is free."
        )
    return fixed


def short_code(n_classes: int) -> Code:
    """A dense code of 1.8 log2(k) columns, the same in every fit: 9 for 26 classes.

    Each column is a problem of all rows. On 4,000 rows of letter these 9 take an SVC 1.9 times as long as its 325
    pairs, 10 log2(k) columns 8 times as long.
    """
    length = min(max(ceil(1.8 * log2(n_classes)), 1), 2 ** (n_classes - 1) - 1)
    return design_code("dense", n_classes, length, np.random.RandomState(0))


def one_vs_one(n_classes: int) -> Code:
    """A column for each pair, in the order of `itertools.combinations`: +1 the first, -1 the second, 0 the others."""
    first, second = np.triu_indices(n_classes, 1)
    code = np.zeros((n_classes, len(first)), dtype=np.int8)
    code[first, np.arange(len(first))], code[second, np.arange(len(first))] = 1, -1
    return code


def one_vs_rest(n_classes: int) -> Code:
    """A column for each class: +1 itself, -1 the others."""
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def exhaustive(n_classes: int) -> Code:
    """Every way to part the classes in two, 2^(k-1) - 1 columns; any two rows differ in 2^(k-2) of them."""
    if n_classes > MOST_EXHAUSTIVE:
        raise BadParameter(
            f"An exhaustive code of {n_classes} classes has {2 ** (n_classes - 1) - 1} columns, each a model. It is "
            f"for up to {MOST_EXHAUSTIVE} classes: use code='dense' or 'bch'."
        )
    return _all_columns(n_classes, (1, -1))


def _all_columns(n_classes: int, entries: tuple[int, ...]) -> Code:
    """All columns of these entries with both signs, the first that is not 0 being +1."""
    columns = [c for c in product(entries, repeat=n_classes) if min(c) < 0 and next(v for v in c if v) > 0]
    return np.array(columns, dtype=np.int8).T


def _random_code(
    design: Literal["dense", "sparse"], n_classes: int, length: int | None, random: np.random.RandomState
) -> Code:
    """The best of many random codes; all columns there are, as often as they fit, where `length` asks for more."""
    factor, entries = _DENSITY[design]
    several = (3**n_classes - 2 ** (n_classes + 1) + 1) // 2 if design == "sparse" else 2 ** (n_classes - 1) - 1
    wanted = min(ceil(factor * log2(n_classes)), several) if length is None else length
    if wanted < log2(n_classes):
        raise BadParameter(f"{n_classes} classes need a code of at least {ceil(log2(n_classes))} columns.")
    if wanted >= several:
        every = _all_columns(n_classes, entries)
        return np.tile(every, -(-wanted // several))[:, :wanted]
    shares = [0.5, 0.5] if design == "dense" else [0.25, 0.5, 0.25]
    best = _best(_draw(n_classes, wanted, np.array(entries), shares, random) for _ in range(_TRIES))
    return best if design == "sparse" else max(best, _spread(best), key=_quality)


def _draw(n_classes: int, length: int, entries: Code, shares: list[float], random: np.random.RandomState) -> Code:
    """`length` different random columns."""
    kept: dict[bytes, Code] = {}
    while len(kept) < length:
        for column in random.choice(entries, size=(length, n_classes), p=shares).astype(np.int8):
            if column.min() < 0 < column.max():
                turned = column * column[np.flatnonzero(column)[0]]
                kept.setdefault(turned.tobytes(), turned)
    return np.column_stack(list(islice(kept.values(), length)))


def _spread(code: Code) -> Code:
    """Turn bits of a dense code while sum_{r < s} 2^-d(r, s) falls, which the closest rows make up.

    Turning bit (r, l) changes d(r, s) by m_rl m_sl, and so the sum by sum_s 2^-d(r, s) (1/4 - 3/4 m_rl m_sl).
    """
    code = code.astype(np.float64)
    for _ in range(code.size):
        near = np.exp2(-row_distances(code))
        change = near.sum(axis=1, keepdims=True) / 4 - 0.75 * code * (near @ code)
        for place in np.argsort(change, axis=None)[:10]:
            at = np.unravel_index(place, code.shape)
            if change[at] >= -1e-12:
                break
            code[at] *= -1
            if column_separation(code.astype(np.int8)) and np.ptp(code[:, at[1]]):
                break
            code[at] *= -1
        else:
            break
        if change[at] >= -1e-12:
            break
    return (code * code[0]).astype(np.int8)


def _quality(code: Code) -> tuple[float, int]:
    return row_separation(code), column_separation(code)


def _best(codes: Iterator[Code]) -> Code:
    """The code whose closest rows are furthest apart; of several, by its columns."""
    return max(codes, key=_quality)
