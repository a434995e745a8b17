"""A tree grown on histograms of parts is the tree of all rows, bit for bit, whatever the parts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.boost.test_boost_tree import mixed, rules_of

from mercer._core import boost as core
from mercer._core.reference import boost as twin
from mercer._core.reference import boost_split as twin_split
from mercer._core.select import native
from mercer.solvers.boost.binning import Binning
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.growth import Growth, Scale
from mercer.solvers.boost.tiles import Tiles

compiled = pytest.mark.skipif(native is None, reason="nothing is compiled: the twins are what runs")


class Rows:
    """Binned rows with gradients, cut in parts."""

    def __init__(self, seed):
        self.columns, self.rng = mixed(seed)
        self.n = len(self.columns)
        self.binning = Binning.fit(self.columns, max_bins=int(self.rng.integers(2, 60)))
        self.cells = self.binning.transform(self.columns)
        self.gradient, self.hessian = self.rng.normal(size=self.n), self.rng.random(self.n) + 0.01
        self.count = self.rng.integers(1, 4, self.n).astype(np.uint32) if seed % 4 == 1 else None
        self.options = rules_of(seed, self.rng, self.binning).options(len(self.binning.bins), self.n, seed)
        n_rows = self.n if self.count is None else int(self.count.sum())
        self.scale = Scale(float(np.abs(self.gradient).max()), float(self.hessian.max()), n_rows)
        self.cuts = np.sort(self.rng.integers(0, self.n + 1, size=int(self.rng.integers(0, 4))))

    def counted(self, question, histograms=core.boost_histograms):
        """The answer to a question, part by part."""
        out = np.zeros((question.n_slots, int((self.binning.bins + 1).sum()), 2), np.int64)
        for part in np.split(np.arange(self.n), self.cuts):
            nodes = np.zeros(len(part), dtype=np.int32)
            core.boost_descend(question.tree, self.cells[part], nodes, 1)
            slot = question.slot[nodes]
            own = np.flatnonzero(slot >= 0)
            rows = part[own]
            count = None if self.count is None else self.count[rows]
            given = slot[own], self.gradient[rows], self.hessian[rows], count
            scale = self.scale.gradient, self.scale.hessian, self.scale.n_rows
            args = self.cells[part], self.binning.bins, own.astype(np.uint32), *given, *scale, out, 2
            histograms(*args)
        return out


def grown(rows, **answers):
    growing = Growth(rows.binning.bins, rows.binning.nominal, rows.options, rows.scale).grow()
    question, n_questions = next(growing), 1
    while True:
        try:
            question = growing.send(rows.counted(question, **answers))
            n_questions += 1
        except StopIteration as end:
            return end.value, n_questions


@pytest.mark.parametrize("seed", range(40))
def test_parts_grow_the_tree_of_all_rows(seed):
    rows = Rows(seed)
    tiles = Tiles.of(rows.cells, rows.binning.bins, rows.binning.nominal)
    whole = core.boost_tree(tiles, rows.gradient, rows.hessian, rows.count, None, rows.options, 1)
    found, n_questions = grown(rows)
    assert found.keys() == whole.keys() - {"order", "first", "last"}
    for name, values in found.items():
        np.testing.assert_array_equal(values, whole[name], err_msg=name)
        assert values.dtype == whole[name].dtype, name
    assert n_questions <= (len(found["column"]) + 1) // 2  # one for each leaf at most


@compiled
@pytest.mark.parametrize("seed", range(12))
def test_native_answers_equal_those_of_the_twins(seed):
    rows = Rows(seed)
    tree, _ = grown(rows)
    forest = Forest.of([tree], rows.binning.bins.astype(np.uint8), np.zeros(1))
    nodes = [np.zeros(rows.n, dtype=np.int32) for _ in range(2)]
    core.boost_descend(forest, rows.cells, nodes[0], 2)
    twin.boost_descend(forest, rows.cells, nodes[1], 1)
    np.testing.assert_array_equal(*nodes)

    question = next(Growth(rows.binning.bins, rows.binning.nominal, rows.options, rows.scale).grow())
    histogram = rows.counted(question)
    np.testing.assert_array_equal(histogram, rows.counted(question, twin_split.boost_histograms))
    units = twin_split.Units.of(rows.scale.gradient, rows.scale.hessian, rows.scale.n_rows)
    total = histogram[0, : rows.binning.bins[0] + 1].sum(axis=0)
    value = -float(total[0]) * units.gradient / (units.triple(total)[1] * units.hessian)
    given = histogram[0], rows.binning.bins, rows.binning.nominal, rows.options, *vars(rows.scale).values()
    where = value, -1.0, 1.0, 3, np.array([0] if seed % 5 == 0 else [], dtype=np.int32)
    one, two = core.boost_split(*given, *where), twin_split.boost_split(*given, *where)
    assert one.keys() == two.keys()
    for name, found in one.items():
        np.testing.assert_allclose(found, two[name], rtol=1e-9, atol=1e-12, err_msg=name)
