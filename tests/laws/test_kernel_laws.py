"""Laws of kernels on random tables and random expressions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from mercer import read_table
from mercer.kernels import (
    ANOVA,
    IOF,
    OF,
    RBF,
    Additive,
    ArcCosine,
    Clinical,
    Cosine,
    Diffusion,
    Encoded,
    Exp,
    Goodall1,
    Goodall2,
    Goodall3,
    Goodall4,
    GraphDiffusion,
    Kernel,
    Laplacian,
    LevelTree,
    Lin,
    Linear,
    Matern,
    Normalise,
    Overlap,
    Periodic,
    Polynomial,
    PolynomialOf,
    RationalQuadratic,
    Scale,
    Sigmoid,
    Spline,
    check,
)
from mercer.state import Reader

_widths = st.floats(0.05, 5)
_missing = st.sampled_from(["level", "ignore"])
_numeric = st.one_of(
    st.just(Linear()),
    st.just(Cosine()),
    st.builds(Polynomial, _widths, st.floats(0, 2), st.integers(1, 3)),
    st.builds(Sigmoid, _widths, st.floats(-1, 1)),
    st.builds(RBF, _widths | st.sampled_from(["scale", "auto"])),
    st.builds(Laplacian, _widths),
    st.builds(Matern, st.sampled_from([0.5, 1.5, 2.5, 0.9]), _widths),
    st.builds(RationalQuadratic, _widths, _widths),
    st.builds(Periodic, _widths, _widths),
    st.builds(ArcCosine, st.integers(0, 2)),
    st.just(Spline()),
).map(lambda k: Encoded(k, levels="keep"))
_categorical = st.sampled_from([Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4]).flatmap(
    lambda k: st.builds(k, _missing)
)
_structured = st.one_of(
    st.builds(Diffusion, _widths),
    st.builds(GraphDiffusion, st.just([["p", "q"], ["q", "z"]]), _widths, missing=_missing),
    st.builds(LevelTree, st.none(), missing=_missing),
    st.builds(Clinical, _missing),
    st.builds(Additive, _numeric | _categorical),
    st.builds(ANOVA, _categorical, st.integers(1, 2), st.none() | st.just((0.5, 2.0))),
)
kernels = st.recursive(
    _numeric | _categorical | _structured,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(Scale, inner, _widths),
        st.builds(PolynomialOf, inner, st.tuples(st.floats(0, 1), st.floats(0.1, 1))),
    ),
    max_leaves=3,
)


@st.composite
def tables(draw, min_rows=2):
    n = draw(st.integers(min_rows, 9))
    numbers = st.floats(-3, 3, width=32) | st.none()
    levels = st.sampled_from(["p", "q", "r", None])
    cells = {name: draw(st.lists(numbers, min_size=n, max_size=n)) for name in ("x", "y")}
    cells |= {name: draw(st.lists(levels, min_size=n, max_size=n)) for name in ("a", "b")}
    return read_table(cells, kinds={"x": "numeric", "y": "numeric", "a": ["p", "q", "r"], "b": ["p", "q", "r"]})


def _gram(kernel, table):
    return clone(kernel).fit(table).gram(table)


def _assert_close(a, b):
    assert_allclose(a, b, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(b).max()))


@settings(deadline=None, max_examples=60)
@given(kernels, kernels, kernels, tables())
def test_product_distributes_over_sum(a, b, c, table):
    _assert_close(_gram((a + b) * c, table), _gram(a * c + b * c, table))


@settings(deadline=None, max_examples=60)
@given(kernels, kernels, tables(), _widths)
def test_sums_and_products_commute_and_scale(a, b, table, factor):
    _assert_close(_gram(a + b, table), _gram(b + a, table))
    _assert_close(_gram(a * b, table), _gram(b * a, table))
    _assert_close(_gram(factor * (a + b), table), _gram(factor * a + factor * b, table))


@settings(deadline=None, max_examples=60)
@given(kernels, tables())
def test_symmetric_diagonal_and_positive_where_promised(kernel, table):
    gram = _gram(kernel, table)
    _assert_close(gram, gram.T)
    _assert_close(clone(kernel).fit(table).diag(table), gram.diagonal())
    assert check(kernel, table).smallest >= -1e-9 * np.abs(gram).max() or not kernel.positive


@settings(deadline=None, max_examples=60)
@given(kernels, tables(min_rows=4), st.data())
def test_blocks_and_permutations(kernel, table, data):
    fitted = clone(kernel).fit(table)
    whole = fitted.gram(table)
    cut = data.draw(st.integers(1, len(table) - 1))
    head, tail = table.take(slice(0, cut)), table.take(slice(cut, None))
    _assert_close(np.block([[fitted.gram(r, c) for c in (head, tail)] for r in (head, tail)]), whole)
    order = np.array(data.draw(st.permutations(range(len(table)))))
    _assert_close(_gram(kernel, table.take(order)), whole[np.ix_(order, order)])


@settings(deadline=None, max_examples=40)
@given(kernels, tables())
def test_parameters_and_state_round_trip(kernel, table):
    again = clone(kernel).set_params(**kernel.get_params())
    assert repr(again) == repr(kernel)
    fitted = again.fit(table)
    stored = Kernel.from_state(Reader(fitted.to_state()))
    assert_allclose(stored.gram(table), fitted.gram(table), rtol=0, atol=0)


@settings(deadline=None, max_examples=40)
@given(kernels, tables())
def test_normalised_rows_have_length_one_or_none(kernel, table):
    if not kernel.positive:
        return
    gram = _gram(Normalise(Scale(Exp(Normalise(kernel)), 2.0)), table)
    _assert_close(gram.diagonal(), np.ones(len(table)))
    assert np.abs(gram).max() <= 1 + 1e-9
