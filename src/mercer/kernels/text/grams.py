"""Kernels of p-grams, runs of p characters: Spectrum and Mismatch."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from mercer._core.gram import KernelSpec, gram
from mercer._core.texts import MOST_GRAM, Texts, as_texts, gram_counts, joined
from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.kernels.numeric.pairwise import squares
from mercer.kernels.registry import register
from mercer.kernels.text.base import MISSING, Missing, StringKernel
from mercer.parameters import Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Columns, Selector, Table, text

_DENSE = 1024  # p-grams up to which counts are held dense: BLAS is then faster than skipping zeros
_MOST_PATTERNS = 4096  # choices of places that Mismatch may read
_LAST_CHARACTER = 0x10FFFF


def _counts_gram(x: Texts, y: Texts, length: int, gaps: int, dtype: np.dtype[Any]) -> Array:
    """Products of the counts of p-grams of two lists of texts, (n_x, n_y)."""
    both = gram_counts(x if y is x else joined(x, y), length, gaps).astype(dtype)
    rows = both.toarray() if both.shape[1] <= _DENSE else both
    left, right = (rows, None) if y is x else (rows[: len(x)], rows[len(x) :])
    if not sp.issparse(rows):
        return np.asarray(left @ (left if right is None else right).T)
    return gram(left, right, KernelSpec("linear"))


@register
@shares_docs()
class Spectrum(StringKernel):
    """k(a, b) = sum_u n_u(a) n_u(b), over all runs u of p characters, with n_u(a) how often u stands in a

    Texts are alike when they share pieces, wherever these stand: for sequences of letters (DNA, proteins), names, codes
    and misspelt words. The cost grows with the length of the texts alone. Upper and lower case differ.

    Parameters
    ----------
    p : int, default 3
        Characters in a run, from 1 to 256; a text that is shorter has none.
    {normalised}
    {text_missing}
    {on_text}

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Leslie, Eskin and Noble (2002), The spectrum kernel: a string kernel for SVM protein classification.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Spectrum
    >>> rows = read_table({"name": ["Anna", "Hanna", "Otto"]}, kinds={"name": "text"})
    >>> Spectrum(p=2).fit(rows).gram(rows).round(3)
    array([[1.   , 0.577, 0.   ],
           [0.577, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    parameters: ClassVar[Parameters] = {
        "p": Number(1, MOST_GRAM, whole=True),
        "normalised": Flag(),
        "missing": MISSING,
        "on": Columns(),
    }

    def __init__(
        self, p: int = 3, *, normalised: bool = True, missing: Missing = "level", on: Selector = text()
    ) -> None:
        self.p = p
        self.normalised = normalised
        self.missing = missing
        self.on = on

    def compare(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        return _counts_gram(x, y, int(self.p), 0, dtype)

    def compare_self(self, x: Texts) -> Floats:
        return squares(gram_counts(x, int(self.p)))


@register
@shares_docs()
class Mismatch(StringKernel):
    """k(a, b) = sum_u n_u(a) n_u(b), with n_u(a) how many runs of p characters of a differ from u in at most m places

    over all u of p characters of the alphabet: as `Spectrum`, but forgiving single changes. Computed without a list of
    the u: two runs that differ in d places have I(d) of them in common, and how many pairs of runs differ in d places
    follows from counts of runs with up to 2m places left out (inclusion and exclusion), whatever the alphabet.

    Parameters
    ----------
    p : int, default 4
        Characters in a run, from 1 to 256.
    m : int, default 1
        Places that may differ, below p.
    {normalised}
    {text_missing}
    {on_text}

    Attributes
    ----------
    alphabet_ : str
        The characters of the training texts; all others count as one further character.
    {compared_schema_}

    References
    ----------
    Leslie, Eskin, Cohen, Weston and Noble (2004), Mismatch string kernels for discriminative protein classification.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Mismatch, Spectrum
    >>> rows = read_table({"dna": ["ACGT", "ACCT", "TTTT"]}, kinds={"dna": "text"})
    >>> Spectrum(p=3).fit(rows).gram(rows)[0].round(3)
    array([1., 0., 0.])
    >>> Mismatch(p=3, m=1).fit(rows).gram(rows)[0].round(3)
    array([1.   , 0.43 , 0.109])
    """

    parameters: ClassVar[Parameters] = {
        "p": Number(1, MOST_GRAM, whole=True),
        "m": Number(0, MOST_GRAM, whole=True),
        "normalised": Flag(),
        "missing": MISSING,
        "on": Columns(),
    }

    def __init__(
        self, p: int = 4, m: int = 1, *, normalised: bool = True, missing: Missing = "level", on: Selector = text()
    ) -> None:
        self.p = p
        self.m = m
        self.normalised = normalised
        self.missing = missing
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        if self.m >= self.p:
            raise BadParameter(f"Mismatch: m={self.m} of p={self.p} places may differ; expected m below p.")
        patterns = max(comb(self.p, j) for j in range(min(2 * self.m, self.p) + 1))
        if patterns > _MOST_PATTERNS:
            raise BadParameter(
                f"Mismatch: p={self.p}, m={self.m} reads {patterns:,} choices of places, of {_MOST_PATTERNS:,} "
                "at most. Lower m or p."
            )
        super()._fit(tables, weight)
        texts = [t for table in tables for t in table.texts(self.schema_.names).ravel() if t is not None]
        self.alphabet_ = "".join(sorted(set("".join(texts))))

    def compare(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        left = self._known(x)
        right = left if y is x else self._known(y)
        found = np.zeros((len(x), len(y)))
        for gaps, share in enumerate(self._shares()):
            if share:
                found += share * _counts_gram(left, right, int(self.p), gaps, np.dtype(np.float64))
        return found.astype(dtype, copy=False)

    def compare_self(self, x: Texts) -> Floats:
        left = self._known(x)
        counted = [share * squares(gram_counts(left, int(self.p), gaps)) for gaps, share in enumerate(self._shares())]
        return np.sum(counted, axis=0)

    def _known(self, x: Texts) -> Texts:
        """Characters by their place in the alphabet, all others as the one after it."""
        place = np.full(_LAST_CHARACTER + 1, len(self.alphabet_), dtype=np.int32)
        place[as_texts([self.alphabet_]).chars] = np.arange(len(self.alphabet_))
        return Texts(place[x.chars], x.starts)

    def _shares(self) -> list[float]:
        """What each number of gaps weighs in the sum: of Gram matrices of runs with so many places left out."""
        p, size = int(self.p), max(len(self.alphabet_) + 1, 2)
        common = [_common(d, p, int(self.m), size) for d in range(min(2 * int(self.m), p) + 1)]
        return [
            float(sum((-1) ** (d - j) * comb(p - j, d - j) * common[d] for d in range(j, len(common))))
            for j in range(len(common))
        ]

    def _learned(self) -> State:
        return super()._learned() | {"alphabet": [ord(c) for c in self.alphabet_]}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        codes = state.scalars("alphabet")
        if list(codes) != sorted(set(codes)) or not all(  # type: ignore[type-var]
            isinstance(c, int) and 0 <= c <= _LAST_CHARACTER for c in codes
        ):
            raise state.refuse("alphabet", "code points in increasing order")
        self.alphabet_ = "".join(chr(int(c)) for c in codes)  # type: ignore[arg-type]


def _common(d: int, p: int, m: int, size: int) -> int:
    """I(d): words of p characters within m of both of two that differ in d places, over `size` characters.

    In the d places a word has i characters of the first, k of the second and others in the rest; in the p - d places it
    differs from both in r.
    """
    total = 0
    for i in range(d + 1):
        for k in range(d - i + 1):
            ways = factorial(d) // (factorial(i) * factorial(k) * factorial(d - i - k)) * (size - 2) ** (d - i - k)
            for r in range(min(m - d + min(i, k), p - d) + 1):
                total += ways * comb(p - d, r) * (size - 1) ** r
    return total
