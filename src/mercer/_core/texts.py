"""Texts as code points, counts of their p-grams, and comparisons of pairs of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._core.gram import gram_into
from mercer._core.reference import texts as twin
from mercer._core.select import compiled
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats

gapped_grams = compiled(twin.gapped_grams)
text_kernel = compiled(twin.text_kernel)
_squares = compiled(twin.subsequence_squares)
Texts = twin.Texts
_TILE = 512  # columns that native code computes together
KINDS = ("subsequence", "edit")
MOST_SUBSEQUENCE, MOST_GRAM = 16, 256  # characters, as native code allows


@dataclass(frozen=True)
class TextSpec:
    """kind: subsequence, sum over common subsequences of `length` characters of decay^(both spans); edit, the edit
    distance."""

    kind: Literal["subsequence", "edit"]
    length: int = 1
    decay: float = 1.0

    @property
    def code(self) -> int:
        """The number of the kind in native code."""
        return KINDS.index(self.kind)


def as_texts(texts: Sequence[str]) -> Texts:
    """Texts as native code takes them."""
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    starts = np.concatenate([[0], np.cumsum([len(t) for t in texts], dtype=np.int64)]).astype(np.int64)
    return Texts(np.frombuffer(joined, dtype="<i4").astype(np.int32), starts)


def joined(a: Texts, b: Texts) -> Texts:
    """The texts of a, then those of b."""
    starts = np.concatenate([a.starts, a.starts[-1] + b.starts[1:]])
    return Texts(np.concatenate([a.chars, b.chars]), starts)


def gram_counts(texts: Texts, length: int, gaps: int = 0) -> Any:
    """How often each p-gram stands in each text, all but `gaps` of its places being read: (n_texts, n_grams) CSR."""
    values, columns, starts, width = gapped_grams(texts, length, gaps)
    return sparse.csr_array((values, columns, starts), shape=(len(texts), max(width, 1)))


def text_gram(a: Texts, b: Texts, spec: TextSpec, dtype: Any, n_jobs: int | None = None) -> NDArray[Any]:
    """The comparison of every text of a with every text of b; b is a: exactly symmetric."""
    kind = np.dtype(dtype)
    out = np.empty((len(a), len(b)), dtype=kind)
    gram_into(text_kernel(a, b, spec, kind == np.float32), out, effective_jobs(n_jobs))
    for start in range(0, len(a) if a is b else 0, _TILE):  # within a tile both halves were computed, and rounded
        tile = out[start : start + _TILE, start : start + _TILE]
        tile[...] = np.triu(tile) + np.triu(tile, 1).T
    return out


def subsequence_squares(texts: Texts, length: int, decay: float, n_jobs: int | None = None) -> Floats:
    """The subsequence kernel of each text with itself, (n_texts,)."""
    return _squares(texts, length, decay, effective_jobs(n_jobs))
