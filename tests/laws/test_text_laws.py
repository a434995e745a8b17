"""Laws of kernels on text, on random texts and random expressions."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from mercer import read_table
from mercer.kernels import (
    RBF,
    EditDistance,
    Encoded,
    Kernel,
    Mismatch,
    Normalise,
    Overlap,
    Spectrum,
    Subsequence,
    Words,
    check,
)
from mercer.state import Reader
from mercer.table.blocks import Texts

_flags = st.booleans()
_missing = st.sampled_from(["level", "ignore"])
kernels = st.one_of(
    st.builds(Spectrum, st.integers(1, 4), normalised=_flags, missing=_missing),
    st.builds(Mismatch, st.integers(2, 4), st.integers(0, 1), normalised=_flags, missing=_missing),
    st.builds(Subsequence, st.integers(1, 4), st.floats(0.1, 1), normalised=_flags, missing=_missing),
    st.builds(EditDistance, st.floats(0.1, 3), relative=_flags, missing=_missing),
    st.builds(Words, idf=_flags, sublinear=_flags, normalised=_flags, missing=_missing),
)
_cells = st.text("abcä 漢😀", max_size=12) | st.none() | st.text(max_size=6)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 8))
    cells = {name: draw(st.lists(_cells, min_size=n, max_size=n)) for name in ("s", "t")}
    cells["x"] = draw(st.lists(st.floats(-3, 3, width=32) | st.none(), min_size=n, max_size=n))
    cells["a"] = draw(st.lists(st.sampled_from(["p", "q", None]), min_size=n, max_size=n))
    texts = np.array([cells["s"], cells["t"]], dtype=object).T
    table = read_table(cells, kinds={"s": "text", "t": "text", "x": "numeric", "a": ["p", "q"]})
    return replace(table, text_block=Texts(texts))  # reading makes an empty text a missing one


def _gram(kernel, table):
    return clone(kernel).fit(table).gram(table)


@settings(deadline=None, max_examples=40)
@given(kernels, tables())
def test_symmetric_diagonal_one_and_positive_where_promised(kernel, table):
    gram = _gram(kernel, table)
    assert_allclose(gram, gram.T, rtol=1e-12)
    assert_allclose(clone(kernel).fit(table).diag(table), gram.diagonal(), rtol=1e-10)
    assert check(kernel, table).smallest >= -1e-9 * np.abs(gram).max() or not kernel.positive
    if kernel.normalised and kernel.missing == "level":
        assert_allclose(gram.diagonal(), 1, rtol=1e-10)
        assert np.abs(gram).max() <= 1 + 1e-9


@settings(deadline=None, max_examples=20)
@given(kernels, kernels, tables())
def test_sums_and_products_are_closed_and_mix_with_other_columns(a, b, table):
    other = Encoded(RBF(0.5), levels="keep") * Overlap()
    _close(_gram(a * other + b, table), _gram(a, table) * _gram(other, table) + _gram(b, table))
    if a.positive and b.positive:
        gram = _gram(a * other + b, table)
        assert np.linalg.eigvalsh(gram).min() >= -1e-9 * max(1.0, np.abs(gram).max())


def _close(a, b):
    assert_allclose(a, b, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(b).max()))


@settings(deadline=None, max_examples=40)
@given(kernels, tables(), st.data())
def test_blocks_state_and_permutations(kernel, table, data):
    fitted = clone(kernel).fit(table)
    whole = fitted.gram(table)
    cut = data.draw(st.integers(1, len(table) - 1))
    head, tail = table.take(slice(0, cut)), table.take(slice(cut, None))
    _close(np.block([[fitted.gram(r, c) for c in (head, tail)] for r in (head, tail)]), whole)
    _close(fitted.product(table, tail, np.ones((len(tail), 1)))[:, 0], whole[:, cut:].sum(axis=1))
    order = np.array(data.draw(st.permutations(range(len(table)))))
    _close(_gram(kernel, table.take(order)), whole[np.ix_(order, order)])
    assert_allclose(Kernel.from_state(Reader(fitted.to_state())).gram(table), whole, rtol=0, atol=0)


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 3), tables())
def test_normalising_by_hand_is_normalising(p, table):
    """Where every text has a p-gram: otherwise 0 / 0 is 0 for `Normalise`, which knows no texts."""
    known = np.array([all(t is not None and len(t) >= p for t in row) for row in table.texts(["s", "t"])], dtype=bool)
    if known.sum() < 2:
        return
    rows = table.take(known)
    by_hand = sum(_gram(Normalise(Spectrum(p, normalised=False, on=[n])), rows) for n in ("s", "t")) / 2
    assert_allclose(_gram(Spectrum(p), rows), by_hand, atol=1e-12)
