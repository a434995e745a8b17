"""Python twins of the functions of texts: the definitions, without a thought for speed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.gram import KernelFunction
from mercer.arrays import Floats


class Texts(NamedTuple):
    """Code points, one text after the other; those of text i are starts[i] to starts[i + 1]."""

    chars: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lines(self) -> list[tuple[int, ...]]:
        """The code points of each text."""
        return [tuple(self.chars[i:j].tolist()) for i, j in zip(self.starts, self.starts[1:], strict=False)]


def gapped_grams(texts: Texts, length: int, gaps: int) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64], int]:
    """CSR values, columns and starts of the counts of p-grams of which all but `gaps` places are read, and how many
    columns there are: for every choice of the places, the p-grams in the order in which they first appear."""
    lines = texts.lines()
    names: dict[tuple[Any, ...], int] = {}
    counts: list[Counter[int]] = [Counter() for _ in lines]
    for kept in combinations(range(length), length - gaps):
        for count, line in zip(counts, lines, strict=True):
            for start in range(len(line) - length + 1):
                gram = (kept, *(line[start + place] for place in kept))
                count[names.setdefault(gram, len(names))] += 1
    entries = [sorted(count.items()) for count in counts]
    starts = np.cumsum([0, *(len(e) for e in entries)]).astype(np.int64)
    columns = np.array([c for e in entries for c, _ in e], dtype=np.int32)
    values = np.array([v for e in entries for _, v in e], dtype=np.float64)
    return values, columns, starts, len(names)


def text_kernel(a: Texts, b: Texts, spec: Any, single: bool) -> KernelFunction:
    """Subsequences in common, or edit distances, of two lists of texts; spec: a TextSpec; single: in float32."""
    left, right, dtype = a.lines(), b.lines(), np.dtype(np.float32 if single else np.float64)

    def values(index: Any) -> NDArray[Any]:
        rows = [left[i] for i in np.arange(len(left))[index]]
        compare = edit_distance if spec.kind == "edit" else lambda s, t: subsequences(s, t, spec.length, spec.decay)
        found = [[compare(s, t) for t in right] for s in rows]
        return np.array(found, dtype=dtype).reshape(len(rows), len(right))

    return KernelFunction(values, len(left), dtype)


def subsequence_squares(texts: Texts, length: int, decay: float, n_jobs: int) -> Floats:
    """The subsequence kernel of each text with itself."""
    return np.array([subsequences(s, s, length, decay) for s in texts.lines()], dtype=np.float64)


def subsequences(s: tuple[int, ...], t: tuple[int, ...], length: int, decay: float) -> float:
    """K_p of Lodhi et al. (2002) by the recursion that native/include/mercer/text_pairs.hpp states."""
    same = np.equal.outer(np.array(s), np.array(t)) * decay**2
    before = np.ones((len(s) + 1, len(t) + 1))  # K'_0
    for _ in range(length - 1):
        after = np.zeros_like(before)
        for i in range(len(s)):
            across = 0.0
            for j in range(len(t)):
                across = decay * across + same[i, j] * before[i, j]
                after[i + 1, j + 1] = decay * after[i, j + 1] + across
        before = after
    return float((same * before[:-1, :-1]).sum())


def edit_distance(s: tuple[int, ...], t: tuple[int, ...]) -> int:
    """Insertions, deletions and replacements that turn s into t, by the table of Wagner and Fischer (1974)."""
    row = list(range(len(t) + 1))
    for i, a in enumerate(s):
        corner, row[0] = row[0], i + 1
        for j, b in enumerate(t):
            corner, row[j + 1] = row[j + 1], min(row[j] + 1, row[j + 1] + 1, corner + (a != b))
    return row[-1]
