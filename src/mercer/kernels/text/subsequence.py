"""The kernel of subsequences with gaps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._core.texts import MOST_SUBSEQUENCE, Texts, TextSpec, subsequence_squares, text_gram
from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import TooLarge
from mercer.kernels.registry import register
from mercer.kernels.text.base import MISSING, Missing, StringKernel
from mercer.parameters import Flag, Number, Parameters
from mercer.table import Columns, Selector, text


@register
@shares_docs()
class Subsequence(StringKernel):
    """k(a, b) = sum_u sum_i sum_j decay^(span(i) + span(j)), over places i in a and j in b
    where u, of p characters, stands in this order

    Gaps are allowed; span is from the first place to the last. A subsequence that is spread widely
    counts little. Takes time in proportion to p |a| |b| for each pair of texts: for short texts.

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
        self._refuse_hours(x, y, int(self.p))
        found = text_gram(x, y, TextSpec("subsequence", int(self.p), float(self.decay)), dtype)
        if not np.isfinite(found).all():
            raise TooLarge(
                f"{self!r} has more subsequences than a {dtype} can count: lower decay or p"
                + (", or use double precision." if dtype == np.float32 else ".")
            )
        return found

    def compare_self(self, x: Texts) -> Floats:
        return subsequence_squares(x, int(self.p), float(self.decay))
