"""Is text of 11,000 documents and 2^20 hashed columns learnt no slower than by scikit-learn, and in no more memory?

Documents are generated: 150 words of a Zipf vocabulary of 60,000 each, whose frequencies differ between two classes;
rows of unit length. Both sides with their default parameters, on the same CSR matrix; time is that of the processor,
since that of the wall is a matter of what else runs. A smaller test set is scored too, so that speed is not bought.
Needs no data: `python benchmarks/sparse_text.py` runs it alone.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import HEADER, Row, peak_extra
from sklearn import linear_model, naive_bayes, svm
from sklearn.preprocessing import normalize

import mercer

_DOCUMENTS, _TEST = 11_000, 2_000
_WORDS, _VOCABULARY, _COLUMNS = 150, 60_000, 1 << 20
_RIVALS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "LogisticRegression": (mercer.LogisticRegression, linear_model.LogisticRegression),
    "LinearSVC": (mercer.LinearSVC, svm.LinearSVC),
    "Perceptron": (mercer.Perceptron, linear_model.Perceptron),
    "NaiveBayes": (mercer.NaiveBayes, naive_bayes.MultinomialNB),
}


def rows(data: Path | None = None) -> Iterator[Row]:
    warnings.simplefilter("ignore")
    x, y = documents(_DOCUMENTS + _TEST)
    train, test = (x[:_DOCUMENTS], y[:_DOCUMENTS]), (x[_DOCUMENTS:], y[_DOCUMENTS:])
    for name, makers in _RIVALS.items():
        for make in makers:
            make().fit(train[0][:100], train[1][:100])  # what is imported or compiled on first use
        models = [make() for make in makers]
        peaks = [peak_extra(lambda m=m: m.fit(*train)) / 1e6 for m in models]
        times = [min(_processor_time(make, *train) for _ in range(3)) for make in makers]
        errors = [max(1 - m.score(*test), 1 / _TEST) for m in models]  # a ratio needs one
        yield Row(f"{name}.fit", *times, "scikit-learn", "1x")
        yield Row("  memory", *peaks, "scikit-learn", "1x", "MB")
        yield Row("  test errors", *errors, "scikit-learn", "", "")


def documents(n: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of word frequencies (n, 2^20) and their classes."""
    random = np.random.default_rng(seed)
    column, y = random.permutation(_COLUMNS)[:_VOCABULARY], random.integers(0, 2, n)
    word = np.empty((n, _WORDS), dtype=np.int64)
    for c in (0, 1):
        share = np.exp(random.normal(scale=0.5, size=_VOCABULARY)) / np.arange(1, _VOCABULARY + 1)
        ends = np.cumsum(share) / share.sum()
        word[y == c] = np.searchsorted(ends[:-1], random.random((int((y == c).sum()), _WORDS)))
    cells = np.ones(n * _WORDS), (np.repeat(np.arange(n), _WORDS), column[word].ravel())
    return normalize(sp.csr_matrix(cells, shape=(n, _COLUMNS))), y


def _processor_time(make: Callable[[], Any], x: Any, y: np.ndarray) -> float:
    start = time.process_time()
    make().fit(x, y)
    return time.process_time() - start


if __name__ == "__main__":
    print(HEADER)
    for row in rows():
        print(row.line(), flush=True)
