"""What kernels on text share: missing cells, several columns, texts without anything to compare."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._core.texts import Texts, as_texts
from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, NotText, TooLarge
from mercer.kernels.base import Kernel
from mercer.parameters import Choice, Flag, Parameters
from mercer.table import Column, Columns, Kind, Selector, Table, text

Missing = Literal["level", "ignore"]
MISSING = Choice(Missing)
_MOST_STEPS = 2e13  # of dynamic programming: hours on two cores


class TextKernel(Kernel):
    """A kernel on columns of text: `StringKernel` compares characters, `Words` compares words.

    Examples
    --------
    >>> from mercer.kernels import Spectrum, TextKernel, Words
    >>> issubclass(Spectrum, TextKernel), issubclass(Words, TextKernel)
    (True, True)
    """

    missing: Missing

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind is Kind.TEXT:
            return None
        who, name = type(self).__name__, column.name
        instead = "RBF" if column.kind is Kind.NUMERIC else "Overlap"
        return NotText(
            f"{who} compares text, but column {name!r} is {column.kind}. Use {instead}(on={name!r}), or say "
            f"kinds={{{name!r}: 'text'}} where the table is read."
        )


@shares_docs()
class StringKernel(TextKernel):
    """k(a, b) = 1/d sum_k s(a_k, b_k) over d columns of text; subclasses write s as `compare` and `compare_self`.

    Normalised, s(a, b) / sqrt(s(a, a) s(b, b)); texts that have nothing to compare (s of 0 with themselves) are then
    like each other and like no other text.

    Parameters
    ----------
    {normalised}
    {text_missing}
    {on_text}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import read_table
    >>> from mercer.kernels import StringKernel
    >>> class Lengths(StringKernel):  # s(a, b) = |a| |b|
    ...     def compare(self, x, y, dtype):
    ...         return np.outer(np.diff(x.starts), np.diff(y.starts)).astype(dtype)
    ...     def compare_self(self, x):
    ...         return np.square(np.diff(x.starts), dtype=float)
    >>> rows = read_table({"note": ["tea", "milk"]}, kinds={"note": "text"})
    >>> Lengths(normalised=False).fit(rows).gram(rows)
    array([[ 9., 12.],
           [12., 16.]])
    """

    parameters: ClassVar[Parameters] = {"normalised": Flag(), "missing": MISSING, "on": Columns()}
    normalised: bool = True

    def __init__(self, normalised: bool = True, *, missing: Missing = "level", on: Selector = text()) -> None:
        self.normalised = normalised
        self.missing = missing
        self.on = on

    @abstractmethod
    def compare(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        """s of every text of x with every text of y.

        Parameters
        ----------
        x : Texts
            The first texts, as code points.
        y : Texts
            The second texts; the same object as x when texts are compared with each other.
        dtype : numpy.dtype
            float32 or float64.

        Returns
        -------
        gram : ndarray of shape (n_x, n_y)
            The Gram matrix, not normalised.
        """

    @abstractmethod
    def compare_self(self, x: Texts) -> Floats:
        """s of every text with itself.

        Parameters
        ----------
        x : Texts
            The texts.

        Returns
        -------
        diagonal : ndarray of shape (n_x,)
            The diagonal of the Gram matrix, not normalised.
        """

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left = a.texts(self.schema_.names)
        right = left if b is a else b.texts(self.schema_.names)
        found = self._column(left[:, 0], right[:, 0], b is a, dtype)
        for k in range(1, left.shape[1]):
            found += self._column(left[:, k], right[:, k], b is a, dtype)
        found /= dtype.type(left.shape[1])
        return found

    def _column(self, a: NDArray[np.object_], b: NDArray[np.object_], same: bool, dtype: np.dtype[Any]) -> NDArray[Any]:
        (x, gaps_a) = _read(a)
        (y, gaps_b) = (x, gaps_a) if same else _read(b)
        found = self.compare(x, y, dtype)
        if self.normalised:
            left = self.compare_self(x)
            right = left if same else self.compare_self(y)
            found *= _inverse_lengths(left).astype(dtype)[:, None]
            found *= _inverse_lengths(right).astype(dtype)[None, :]
            found[np.ix_(left == 0, right == 0)] = 1
        found[gaps_a] = 0
        found[:, gaps_b] = 0
        if self.missing == "level":
            found[np.ix_(gaps_a, gaps_b)] = 1
        return found

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        columns = [self._column_self(column) for column in a.texts(self.schema_.names).T]
        return np.mean(columns, axis=0).astype(dtype)

    def _column_self(self, texts: NDArray[np.object_]) -> Floats:
        x, gaps = _read(texts)
        own = np.ones(len(x)) if self.normalised else self.compare_self(x).astype(np.float64)
        own[gaps] = float(self.missing == "level")
        return own

    def _refuse_hours(self, x: Texts, y: Texts, steps: float = 1.0) -> None:
        """TooLarge when comparing takes the product of the lengths, and that is too much."""
        needed = steps * len(x.chars) * len(y.chars)
        if needed > _MOST_STEPS:
            raise TooLarge(
                f"{self!r} compares every character of one text with every one of the other: {len(x):,} x {len(y):,} "
                f"texts of {len(x.chars) / len(x):,.0f} characters take {needed:.1g} steps. Use Spectrum or Words, "
                "whose cost grows with the length alone, or fewer rows."
            )


def _read(texts: NDArray[np.object_]) -> tuple[Texts, NDArray[np.bool_]]:
    """The texts, and which are missing."""
    gaps = np.array([t is None for t in texts], dtype=bool)
    return as_texts(["" if t is None else str(t) for t in texts]), gaps


def _inverse_lengths(squares: Floats) -> Floats:
    return np.divide(1, np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0)
