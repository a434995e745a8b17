"""The kernel of words, weighed by how few texts they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core.gram import KernelSpec, gram
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.encode.text import common_words, count_words
from mercer.kernels.numeric.pairwise import squares
from mercer.kernels.registry import register
from mercer.kernels.text.base import MISSING, Missing, TextKernel
from mercer.parameters import Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Columns, Selector, Table, text


@register
@shares_docs()
class Words(TextKernel):
    """k(a, b) = sum_w n_w(a) n_w(b) idf_w^2, with n_w how often word w stands in a text; the mean over the columns

    idf_w = 1 + log((1 + N) / (1 + N_w)) where N_w of N training texts have the word: rare words count most. The bag of
    words of `TfidfVectorizer`: a word is a run of letters and digits, without case, and words not seen in fit are
    ignored. Texts without a known word are like each other and like no other text.

    Parameters
    ----------
    idf : bool, default True
        Whether rare words count more; otherwise idf_w is 1.
    sublinear : bool, default False
        Whether n_w is replaced by 1 + log n_w.
    size : int or None, default None
        How many words of a column count, the commonest first; None for all.
    min_rows : int, default 1
        In how many training texts a word must stand to count.
    {normalised}
    {text_missing}
    {on_text}

    Attributes
    ----------
    words_ : list of tuple of str
        The words of each column, in alphabetical order.
    idf_ : list of ndarray
        idf_w of each of them.
    {compared_schema_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Words
    >>> rows = read_table({"note": ["tea or milk", "milk", "no tea"]}, kinds={"note": "text"})
    >>> Words().fit(rows).gram(rows).round(3)
    array([[1.   , 0.518, 0.313],
           [0.518, 1.   , 0.   ],
           [0.313, 0.   , 1.   ]])
    """

    parameters: ClassVar[Parameters] = {
        "idf": Flag(),
        "sublinear": Flag(),
        "size": Number(1, 10_000_000, whole=True, optional=True),
        "min_rows": Number(1, 2**53, whole=True),
        "normalised": Flag(),
        "missing": MISSING,
        "on": Columns(),
    }

    def __init__(
        self,
        *,
        idf: bool = True,
        sublinear: bool = False,
        size: int | None = None,
        min_rows: int = 1,
        normalised: bool = True,
        missing: Missing = "level",
        on: Selector = text(),
    ) -> None:
        self.idf = idf
        self.sublinear = sublinear
        self.size = size
        self.min_rows = min_rows
        self.normalised = normalised
        self.missing = missing
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        texts = np.vstack([t.texts(self.schema_.names) for t in tables])
        self.words_, self.idf_ = [], []
        for column in texts.T:
            known = np.array([t is not None for t in column], dtype=bool)
            words, n_texts = common_words(column, weight, self.size, self.min_rows)
            self.words_.append(words)
            self.idf_.append(1 + np.log((1 + weight @ known) / (1 + n_texts)) if self.idf else np.ones(len(words)))

    def rows(self, table: Table, dtype: np.dtype[Any]) -> Any:
        """The weighed counts of words, whose products are k.

        Parameters
        ----------
        table : Table
            Rows in the schema of fit.
        dtype : numpy.dtype
            float32 or float64.

        Returns
        -------
        rows : csr_array of shape (n_rows, n_words + 2 n_columns)
            For each column its words, and 0 or 1 for a text without any of them and for a missing one.
        """
        texts = table.texts(self.schema_.names)
        parts = [self._counts(texts[:, k], k) for k in range(texts.shape[1])]
        joined = sp.hstack(parts, format="csr") / np.sqrt(len(parts))
        return sp.csr_array(joined).astype(dtype)

    def _counts(self, texts: NDArray[np.object_], k: int) -> Any:
        gaps = np.array([t is None for t in texts], dtype=bool)
        weighed = sp.csr_array(count_words(texts, self.words_[k]))
        if self.sublinear:
            weighed.data = 1 + np.log(weighed.data)
        weighed.data *= self.idf_[k][weighed.indices]
        lengths = np.sqrt(squares(weighed))
        wordless = (lengths == 0) & ~gaps & bool(self.normalised)
        if self.normalised:
            weighed.data /= np.repeat(lengths, np.diff(weighed.indptr))
        marks = np.column_stack([wordless, gaps & (self.missing == "level")]).astype(np.float64)
        return sp.hstack([weighed, sp.csr_array(marks)], format="csr")

    def formula(self, a: Table, dtype: np.dtype[Any]) -> tuple[Any, KernelSpec]:
        return self.rows(a, dtype), KernelSpec("linear")

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        x = self.rows(a, dtype)
        return gram(x, None if b is a else self.rows(b, dtype), KernelSpec("linear"))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return squares(self.rows(a, dtype)).astype(dtype)

    def _learned(self) -> State:
        columns = [{"words": list(w), "idf": idf} for w, idf in zip(self.words_, self.idf_, strict=True)]
        return super()._learned() | {"columns": columns}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        columns = state.children("columns")
        if len(columns) != len(self.schema_):
            raise state.refuse("columns", f"{len(self.schema_)} columns")
        self.words_, self.idf_ = [], []
        for reader in columns:
            words = reader.texts("words")
            if list(words) != sorted(set(words)):
                raise reader.refuse("words", "distinct words in alphabetical order")
            self.words_.append(words)
            self.idf_.append(reader.array("idf", "float64", (len(words),), low=1.0, high=1000.0))
            reader.finish()
