"""The kernel of subsequences with gaps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._core.texts import MOST_SUBSEQUENCE, Texts, TextSpec, subsequence_squares, text_gram
from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import TooLarge
from mercer.kernels.numeric.pairwise import squares
from mercer.kernels.registry import register
from mercer.kernels.text.base import MISSING, Missing, StringKernel
from mercer.parameters import Flag, Number, Parameters
from mercer.table import Columns, Selector, text

_FEW_SEQUENCES = 1024  # of p characters of the alphabet, up to which each text becomes sums over all of them
_ROWS = 4096  # texts whose sums are made together


@register
@shares_docs()
class Subsequence(StringKernel):
    """k(a, b) = sum_u sum_i sum_j decay^(span(i) + span(j)), over places i in a and j in b
    where u, of p characters, stands in this order

    Gaps are allowed; span is from the first place to the last. A subsequence that is spread widely
    counts little. Takes time in proportion to p |a| |b| for each pair of texts: for short texts, or for few different
    characters, as in DNA, where each text is summed up once.

    Parameters
    ----------
    p : int, default 3
        Characters in a subsequence, from 1 to 16.
    decay : float, default 0.5
        Above 0 and at most 1: what each place spanned costs; at 1 gaps are free.
    {normalised}
    {text_missing}
    {on_text}

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins (2002), Text classification using string kernels.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Subsequence
    >>> rows = read_table({"word": ["cat", "car", "bat"]}, kinds={"word": "text"})
    >>> Subsequence(p=2, decay=0.5).fit(rows).gram(rows)[0].round(4)  # 1 / (2 + decay^2)
    array([1.    , 0.4444, 0.4444])
    """

    parameters: ClassVar[Parameters] = {
        "p": Number(1, MOST_SUBSEQUENCE, whole=True),
        "decay": Number(0, 1, above=True),
        "normalised": Flag(),
        "missing": MISSING,
        "on": Columns(),
    }

    def __init__(
        self,
        p: int = 3,
        decay: float = 0.5,
        *,
        normalised: bool = True,
        missing: Missing = "level",
        on: Selector = text(),
    ) -> None:
        self.p = p
        self.decay = decay
        self.normalised = normalised
        self.missing = missing
        self.on = on

    def compare(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._products(x, y, dtype)
        if not np.isfinite(found).all():
            raise TooLarge(
                f"{self!r} has more subsequences than a {dtype} can count: lower decay or p"
                + (", or use double precision." if dtype == np.float32 else ".")
            )
        return found

    def _products(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        alphabet = np.unique(np.concatenate([x.chars, y.chars]))
        if len(alphabet) ** int(self.p) <= _FEW_SEQUENCES:
            left = self._sums(x, alphabet).astype(dtype)
            return np.asarray(left @ (left if y is x else self._sums(y, alphabet).astype(dtype)).T)
        self._refuse_hours(x, y, int(self.p))
        return text_gram(x, y, TextSpec("subsequence", int(self.p), float(self.decay)), dtype)

    def compare_self(self, x: Texts) -> Floats:
        alphabet = np.unique(x.chars)
        if len(alphabet) ** int(self.p) <= _FEW_SEQUENCES:
            return squares(self._sums(x, alphabet))
        return subsequence_squares(x, int(self.p), float(self.decay))

    def _sums(self, texts: Texts, alphabet: Array) -> Floats:
        """sum_i decay^span(i) of every u of p characters of the alphabet, (n_texts, n_alphabet^p)."""
        codes, size = np.searchsorted(alphabet, texts.chars), max(len(alphabet), 1)
        out = np.empty((len(texts), size ** int(self.p)))
        for start in range(0, len(texts), _ROWS):
            stop = min(start + _ROWS, len(texts))
            lengths = np.diff(texts.starts[start : stop + 1])
            cells = np.full((stop - start, int(lengths.max(initial=0))), -1)
            inside = np.arange(cells.shape[1]) < lengths[:, None]
            cells[inside] = codes[texts.starts[start] : texts.starts[stop]]
            out[start:stop] = _sequence_sums(cells, size, int(self.p), float(self.decay))
        return out


def _sequence_sums(cells: Array, size: int, length: int, decay: float) -> Floats:
    """The sums of rows of codes, -1 after the end, character by character: F_l of the sequences of l characters so far,
    each weighed by decay^(places since its first), grows by those of l - 1 that the next character continues."""
    n = len(cells)
    so_far = [np.ones((n, 1)), *(np.zeros((n, size**k)) for k in range(1, length))]
    total = np.zeros((n, size ** (length - 1), size))
    for column in cells.T:
        rows = np.flatnonzero(column >= 0)
        code = column[rows]
        total[rows, :, code] += decay * so_far[-1][rows]
        for k in range(length - 1, 0, -1):
            so_far[k] *= decay
            grown = so_far[k].reshape(n, size ** (k - 1), size)
            grown[rows, :, code] += decay * so_far[k - 1][rows]
    return total.reshape(n, -1)
