"""The similarity of edit distances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer._core.texts import Texts, TextSpec, text_gram
from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.kernels.registry import register
from mercer.kernels.text.base import MISSING, Missing, StringKernel
from mercer.parameters import Flag, Number, Parameters
from mercer.table import Columns, Selector, text


@register
@shares_docs()
class EditDistance(StringKernel):
    """k(a, b) = exp(-gamma e(a, b) / max(|a|, |b|)), with e the least number of characters inserted, deleted or
    replaced that turn a into b

    For misspelt names and codes. Need not be positive semi-definite: `check` measures it on a
    table, `repair` makes a Gram matrix positive. Takes time in proportion to |a| |b| / 64 for each pair of texts.

    Parameters
    ----------
    gamma : float, default 1.0
        Above 0; larger makes texts less alike.
    relative : bool, default True
        Whether distances are divided by the length of the longer text, and so are from 0 to 1.
    {text_missing}
    {on_text}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import EditDistance
    >>> rows = read_table({"name": ["Meier", "Meyer", "Mair"]}, kinds={"name": "text"})
    >>> EditDistance().fit(rows).gram(rows)[0].round(4)  # distances 0, 1 / 5 and 2 / 5
    array([1.    , 0.8187, 0.6703])
    """

    parameters: ClassVar[Parameters] = {
        "gamma": Number(0, above=True),
        "relative": Flag(),
        "missing": MISSING,
        "on": Columns(),
    }
    normalised = False  # a text has similarity 1 with itself as it is

    def __init__(
        self, gamma: float = 1.0, *, relative: bool = True, missing: Missing = "level", on: Selector = text()
    ) -> None:
        self.gamma = gamma
        self.relative = relative
        self.missing = missing
        self.on = on

    @property
    def gamma_(self) -> float:
        """gamma, by the name under which searches over widths look for it."""
        return float(self.gamma)

    @property
    def positive(self) -> bool:
        return False

    def compare(self, x: Texts, y: Texts, dtype: np.dtype[Any]) -> Array:
        self._refuse_hours(x, y, 1 / 16)
        found = text_gram(x, y, TextSpec("edit"), dtype)
        if self.relative:
            longer = np.maximum(np.diff(x.starts)[:, None], np.diff(y.starts)[None, :])
            found /= np.maximum(longer, 1)
        found *= dtype.type(-self.gamma)
        return np.exp(found, out=found)

    def compare_self(self, x: Texts) -> Floats:
        return np.ones(len(x))
