"""Kernels on levels with a structure: graphs and trees of levels, against closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from mercer import read_table
from mercer.errors import BadParameter
from mercer.kernels import (
    Clinical,
    Diffusion,
    GraphDiffusion,
    LevelTree,
)

LEVELS = read_table({"c": list("pqrqp"), "d": list("uvvuu")}, kinds={"c": "category", "d": "category"})


def test_diffusion_on_all_levels_is_the_matrix_exponential():
    beta, n = 0.3, 3
    heat = expm(-beta * (n * np.eye(n) - np.ones((n, n))))
    heat /= heat[0, 0]
    codes = LEVELS.codes("c")[:, 0]
    assert_allclose(Diffusion(beta, on=["c"]).fit(LEVELS).gram(LEVELS), heat[np.ix_(codes, codes)])
    two = Diffusion(beta, on=["d"]).fit(LEVELS).gram(LEVELS)
    assert_allclose(Diffusion(beta).fit(LEVELS).gram(LEVELS), heat[np.ix_(codes, codes)] * two)


def test_diffusion_on_a_path_has_the_eigenvectors_of_its_laplacian():
    laplacian = np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])
    values, vectors = np.linalg.eigh(laplacian)
    heat = vectors @ np.diag(np.exp(-0.7 * values)) @ vectors.T
    lengths = np.sqrt(heat.diagonal())
    rows = read_table({"c": list("pqr")}, kinds={"c": "category"})
    found = GraphDiffusion([["p", "q"], ["q", "r"], ["r", "q"], ["p", "p"]], 0.7).fit(rows).gram(rows)
    assert_allclose(found, heat / np.outer(lengths, lengths))


def test_edges_are_pairs_and_parents_no_circle():
    with pytest.raises(BadParameter, match="joins two levels"):
        GraphDiffusion([["p", "q", "r"]]).fit(LEVELS)
    with pytest.raises(BadParameter, match="circle"):
        LevelTree(parents={"p": "q", "q": "p"}).fit(LEVELS)


def test_levels_of_a_tree_share_ancestors():
    rows = read_table({"c": ["a/b/c", "a/b", "a/x/c", "z"]}, kinds={"c": "category"})
    found = LevelTree().fit(rows).gram(rows)
    assert_allclose(found[0], [1, 2 / np.sqrt(6), 1 / 3, 0])
    parents = {"a/b/c": "a/b", "a/b": "a", "a/x/c": "a/x", "a/x": "a"}
    assert_allclose(LevelTree(parents=parents).fit(rows).gram(rows), found)


def test_levels_never_seen_are_like_themselves_alone():
    for kernel in (LevelTree(), GraphDiffusion([["p", "q"]]), Clinical(), Diffusion()):
        new = {"c": ["new", "p", None, None], "d": ["u", "u", "u", "u"]}
        gram = kernel.set_params(on=["c"]).fit(LEVELS).gram(new)
        assert_allclose(gram.diagonal(), 1)
        assert gram[0, 1] < 0.2
        assert_allclose(gram[2, 3], 1)
