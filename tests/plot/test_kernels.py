"""Kernel matrices are sorted Gram matrices; shapes are the formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process.kernels import Matern as TheirMatern
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import plot
from mercer.errors import MercerError
from mercer.kernels import RBF, Laplacian, Lin, Matern, RationalQuadratic

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = RNG.choice(["b", "a", "c"], 30)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), RBF(gamma=0.3).fit(X), mercer.SVC(gamma=0.3).fit(X, Y)])
def test_the_matrix_is_sorted_by_class(kernel):
    ax = plot.kernel_matrix(kernel, X, Y)
    order = np.argsort(Y, kind="stable")
    assert_allclose(ax.images[0].get_array(), rbf_kernel(X[order], gamma=0.3), rtol=1e-6)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c"]
    ends = np.cumsum(np.unique(Y, return_counts=True)[1])[:-1]
    assert_allclose([line.get_ydata()[0] for line in ax.lines[::2]], ends - 0.5)


def test_numbers_sort_rows_and_no_target_keeps_their_order():
    target = X[:, 0]
    assert_allclose(
        plot.kernel_matrix("rbf", X, target).images[0].get_array()[0, 1],
        plot.kernel_matrix("rbf", X).images[0].get_array()[np.argsort(target)[0], np.argsort(target)[1]],
    )


def test_categories_have_a_matrix_too():
    ax = plot.kernel_matrix(Lin(), {"job": ["a", "b", "a", "c"]}, ["x", "y", "x", "y"])
    assert_allclose(np.diag(ax.images[0].get_array()), 1)


def test_a_machine_that_learned_from_missing_cells():
    rows = {"age": [None if i % 3 == 0 else float(i % 7) for i in range(60)], "job": ["a", "b"] * 30}
    model = mercer.SVC(missing_indicator=True).fit(rows, ["n" if i % 3 == 0 else "p" for i in range(60)])
    drawn = plot.kernel_matrix(model, rows).images[0].get_array()
    assert_allclose(drawn, drawn.T)
    assert drawn[0, 1] < drawn[0, 6]  # one is missing, and both are


def test_many_rows_are_thinned_evenly(monkeypatch):
    monkeypatch.setattr("mercer.plot.kernels._MOST_ROWS", 10)
    ax = plot.kernel_matrix("rbf", X, Y)
    assert ax.images[0].get_array().shape == (10, 10)
    assert len(ax.lines) == 4


def test_shapes_are_the_formulas():
    given = [RBF(gamma=0.5), Laplacian(gamma=1.0), RationalQuadratic(), Matern()]
    lines = plot.kernel_shapes(given).lines
    d = lines[0].get_xdata()
    matern = TheirMatern(nu=given[3].nu, length_scale=given[3].length_scale)
    assert_allclose(lines[0].get_ydata(), np.exp(-(d**2) / 2), atol=1e-12)
    assert_allclose(lines[1].get_ydata(), np.exp(-d), atol=1e-12)
    assert_allclose(lines[2].get_ydata(), 1 / (1 + d**2 / 2), atol=1e-12)
    assert_allclose(lines[3].get_ydata(), matern(d[:, None], np.zeros((1, 1)))[:, 0], atol=1e-9)
    assert len({line.get_linestyle() for line in lines}) == 4


def test_a_width_stretches_the_distance():
    lines = plot.kernel_shapes(RBF(gamma=0.5), widths=[0.5, 2.0], reach=4).lines
    for width, line in zip([0.5, 2.0], lines, strict=True):
        d, k = line.get_data()
        assert_allclose(k, np.exp(-((d / width) ** 2) / 2), atol=1e-12)


def test_bad_input():
    with pytest.raises(MercerError, match="above 0"):
        plot.kernel_shapes(widths=[0.0])
    with pytest.raises(MercerError, match="no kernel 'rbff'"):
        plot.kernel_matrix("rbff", X)
    with pytest.raises(MercerError, match="has no kernel"):
        plot.kernel_matrix(mercer.NaiveBayes().fit(X, Y), X)
    with pytest.raises(NotFittedError):
        plot.kernel_matrix(mercer.SVC(), X)
    with pytest.raises(MercerError, match="y has the shape"):
        plot.kernel_matrix("rbf", X, Y[:3])
