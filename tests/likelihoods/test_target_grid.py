"""p(x | z) on a grid of target values."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import BadFile
from mercer.likelihoods.target_grid import NumberTable, TargetGrid
from mercer.state import Reader
from mercer.table import Table


@pytest.fixture
def table() -> Table:
    rng = np.random.default_rng(0)
    cells = {
        "x": rng.normal(size=60).tolist(),
        "a": rng.choice(list("pqr"), 60).tolist(),
        "t": rng.choice(["red wine", "green tea", "tea"], 60).tolist(),
    }
    return mercer.read_table(cells, kinds={"a": "category", "t": "text"})


def _grid(table: Table) -> TargetGrid:
    target = np.linspace(0, 1, len(table))
    return TargetGrid.fit(table, target, np.ones(len(table)), 16, "laplace", 1.0)


def test_levels_and_densities_are_distributions_at_every_point(table: Table) -> None:
    grid = _grid(table)
    assert grid.points.shape == (16,)
    np.testing.assert_allclose(np.exp(grid.levels[0])[:-1].sum(axis=0), 1)
    np.testing.assert_allclose(np.exp(grid.words[0][1])[:-1].sum(axis=0), 1)
    numbers = grid.numbers[0]
    x = np.linspace(numbers.low, numbers.high, 400)
    inside = np.trapezoid(np.exp(numbers.log_prob(x)), x, axis=0)
    assert (inside > 0.9).all()  # the rest lies beyond the outermost numbers
    assert (inside < 1.01).all()


def test_the_joint_is_the_prior_where_every_cell_is_missing(table: Table) -> None:
    grid = _grid(table)
    nothing = mercer.read_table(
        {"x": [None, 1.0], "a": [None, "p"], "t": [None, "tea"]}, kinds={"x": "numeric", "a": list("pqr"), "t": "text"}
    )
    np.testing.assert_array_equal(grid.log_joint(nothing)[0], grid.log_prior)


def test_beyond_the_grid_is_the_value_at_its_end() -> None:
    numbers = NumberTable(0.0, 1.0, np.array([[1.0], [2.0], [4.0]]))
    np.testing.assert_allclose(numbers.log_prob(np.array([-5.0, 0.25, 0.5, 0.75, 9.0])).ravel(), [1, 1.5, 2, 3, 4])


def test_state_round_trip_and_damage(table: Table) -> None:
    grid = _grid(table)
    again = TargetGrid.from_state(Reader(grid.to_state()), table.schema)
    np.testing.assert_array_equal(again.log_joint(table), grid.log_joint(table))
    with pytest.raises(BadFile, match="one table per column"):
        TargetGrid.from_state(Reader(grid.to_state() | {"levels": []}), table.schema)
    damaged = grid.to_state()
    damaged["numbers"][0]["high"] = damaged["numbers"][0]["low"]
    with pytest.raises(BadFile, match="an empty grid"):
        TargetGrid.from_state(Reader(damaged), table.schema)
