"""Levels, presence, counts and words: likelihoods that count."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import BadColumn, BadFile, BadTable
from mercer.likelihoods import Bernoulli, Categorical, Complement, Likelihood, Multinomial, Words
from mercer.likelihoods.registry import read_fitted
from mercer.state import Reader
from mercer.table import Table


def _fitted(likelihood: Likelihood, table: Table, y: list[int]) -> Likelihood:
    part = likelihood.reset(table.schema, max(y) + 1)
    part.update(table, np.array(y, dtype=np.int32), None)
    return part


def test_presence_above_the_threshold() -> None:
    table = mercer.read_table(np.array([[0.0], [2.0], [np.nan], [2.0]]))
    part = _fitted(Bernoulli("none", threshold=1.0), table, [0, 0, 0, 1])
    np.testing.assert_allclose(np.exp(part.column_log_prob(table))[:, 0, 0], [0.5, 0.5, 1.0, 0.5])
    np.testing.assert_allclose(part.column_log_prob(table)[:, 0, 1], [-np.inf, 0, 0, 0])


@pytest.mark.parametrize("likelihood", [Bernoulli("none"), Multinomial("none")], ids=repr)
def test_without_smoothing_the_sum_is_that_of_the_cells(likelihood: Likelihood) -> None:
    """An outcome of probability 0 that does not occur adds 0, not 0 * -inf."""
    table = mercer.read_table(np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 3.0]]))
    part = _fitted(likelihood, table, [0, 1, 1])
    out = np.zeros((3, 2))
    part.add_log_prob(table, out)
    assert np.isneginf(out[1, 0])
    np.testing.assert_allclose(out, part.column_log_prob(table).sum(axis=1))


def test_complement_weights_come_from_the_other_classes() -> None:
    table = mercer.read_table(np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 4.0]]))
    part = _fitted(Complement("none"), table, [0, 1, 2])
    np.testing.assert_allclose(part.log_weights()[0], -np.log([1 / 6, 5 / 6]))
    scaled = _fitted(Complement("none", normalise=True), table, [0, 1, 2])
    np.testing.assert_allclose(scaled.log_weights().sum(axis=1), 1)


@pytest.mark.parametrize("likelihood", [Multinomial(), Complement()], ids=repr)
def test_negative_counts_are_refused(likelihood: Likelihood) -> None:
    with pytest.raises(BadTable, match=f"passed to {likelihood.key}"):
        _fitted(likelihood, mercer.read_table(np.array([[-1.0], [2.0]])), [0, 1])


def test_merge_finds_levels_by_name() -> None:
    few = mercer.read_table({"a": ["q", "s"]}, kinds={"a": "category"})
    many = mercer.read_table({"a": ["p", "q", "r", "s"]}, kinds={"a": "category"})
    part = Categorical().reset(many.schema, 3)
    part.merge(_fitted(Categorical(), few, [0, 1]), [2, 0])
    np.testing.assert_array_equal(part.tables()[0].counts.T, [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0]])


def test_merge_finds_words_by_name() -> None:
    kinds = {"t": "text"}
    first = _fitted(Words(), mercer.read_table({"t": ["red green", "red"]}, kinds=kinds), [0, 1])
    second = _fitted(Words(), mercer.read_table({"t": ["blue", "green Green"]}, kinds=kinds), [0, 1])
    first.merge(second, [0, 1])
    assert first.vocabularies == [{"red": 0, "green": 1, "blue": 2}]
    np.testing.assert_array_equal(first.counts[0], [[1, 1, 1], [1, 2, 0]])


def test_words_of_rows_without_weight_are_not_in_the_vocabulary() -> None:
    table = mercer.read_table({"t": ["red", "green"]}, kinds={"t": "text"})
    part = Words().reset(table.schema, 1)
    part.update(table, np.zeros(2, dtype=np.int32), np.array([1.0, 0.0]))
    assert part.vocabularies == [{"red": 0}]


def test_a_column_of_another_kind_is_refused() -> None:
    with pytest.raises(
        BadColumn, match="categorical models binary or category or ordinal columns, but 'x0' is numeric"
    ):
        Categorical().reset(mercer.read_table(np.array([[0.0]])).schema, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"likelihood": "poisson"}, "likelihood: expected one of gaussian"),
        ({"columns": ["nowhere"]}, "'nowhere' is not a column"),
        ({"statistics": {"columns": []}}, "0 vocabularies for 1 text columns"),
        ({"statistics": {"columns": [{"words": ["a", "a"], "counts": np.zeros((2, 2))}]}}, "a word occurs twice"),
        ({"parameters": {"smoothing": {"case": 1, "value": -1.0}}}, "smoothing: expected"),
        (
            {"parameters": {"smoothing": {"case": 2, "value": {"alpha": -1.0}}}},
            "alpha: expected a number of at least 0",
        ),
    ],
)
def test_a_damaged_state_is_refused(change: dict[str, object], message: str) -> None:
    table = mercer.read_table({"t": ["red green", "red"]}, kinds={"t": "text"})
    state = _fitted(Words(), table, [0, 1]).to_state() | change
    with pytest.raises(BadFile, match=message):
        read_fitted(Reader(state), table.schema, 2)
