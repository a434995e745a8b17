"""Drift: found where a column moved, silent where it did not, at any number of rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from mercer.errors import BadFile
from mercer.state import Reader
from mercer.store.summary import TrainingSummary, bin_counts, summarise
from mercer.table import conform_table, read_table
from mercer.workbench.prediction.drift import column_drift, flag_rows


def columns(n: int, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    return {
        "normal": rng.normal(size=n),
        "tail": np.where(rng.random(n) < 0.1, np.nan, rng.exponential(size=n) ** 2),
        "zeros": rng.poisson(0.4, n).astype(float),
        "level": rng.choice(["a", "b", "c", "d"], n, p=[0.6, 0.3, 0.09, 0.01]),
        "many": np.array([f"t{int(v)}" for v in rng.zipf(1.4, n) % 5000]),
    }


KINDS = {"zeros": "numeric", "level": "category", "many": "category"}


@pytest.fixture(scope="module")
def training():
    return read_table(columns(2000, 1), kinds=KINDS)


@pytest.fixture(scope="module")
def summary(training):
    return summarise(training)


def test_the_summary_holds_what_the_columns_hold(training, summary):
    held = {c.column.name: c for c in summary.columns}
    values = training.numbers("tail")[:, 0]
    known = values[~np.isnan(values)]
    assert held["tail"].n_missing == np.isnan(values).sum()
    assert held["tail"].quantiles == pytest.approx(np.quantile(known, np.arange(11) / 10))
    assert held["tail"].counts.sum() == len(known)
    assert held["tail"].counts == pytest.approx(np.full(10, len(known) / 10), abs=1)
    assert held["zeros"].counts.sum() == 2000
    levels, counts = np.unique(training.column("level"), return_counts=True)
    assert dict(zip(held["level"].column.levels, held["level"].counts.tolist(), strict=True)) == dict(
        zip(levels.tolist(), counts.tolist(), strict=True)
    )


@pytest.mark.parametrize("n", [1, 5, 30, 300, 3000])
def test_rows_of_the_same_distribution_are_no_drift(training, summary, n):
    """The rule allows one false alarm in a hundred tables; of 40, more than 3 have a probability of 0.0007."""
    alarms = 0
    for seed in range(40):
        rows = conform_table(columns(n, 100 + seed), training.schema)
        alarms += any(column.drifted for column in column_drift(rows, summary))
    assert alarms <= 3


def test_the_test_is_that_of_scipy_on_bins(training, summary):
    rows = conform_table(columns(500, 7), training.schema)
    found = {c.name: c for c in column_drift(rows, summary)}["normal"]
    held = summary.columns[0]
    pair = np.array([held.counts, bin_counts(held.edges, rows.numbers("normal")[:, 0])])
    expected = min(1.0, 2 * stats.chi2_contingency(pair, correction=False).pvalue * len(summary.columns))
    assert found.p_value == pytest.approx(expected)
    p, q = ((c + 0.5) / (c + 0.5).sum() for c in pair)
    assert found.psi == pytest.approx(float(((q - p) * np.log(q / p)).sum()))
    assert found.psi == pytest.approx(stats.entropy(q, p) + stats.entropy(p, q))  # Jeffreys' divergence


@pytest.mark.parametrize("n", [60, 2000])
@pytest.mark.parametrize(
    ("name", "move"),
    [
        ("normal", lambda v: v + 1.5),
        ("normal", lambda v: v * 4),
        ("tail", lambda v: np.where(np.arange(len(v)) % 2, np.nan, v)),
        ("zeros", lambda v: v + 1),
        ("level", lambda v: np.where(v == "a", "c", v)),
        ("level", lambda v: np.where(v == "b", "new", v)),
    ],
)
def test_a_column_that_moved_is_found_alone(training, summary, n, name, move):
    data = columns(n, 3)
    data[name] = move(data[name])
    found = column_drift(conform_table(data, training.schema), summary)
    assert [c.name for c in found if c.drifted] == [name]
    assert found[0].name == name
    assert "→" in found[0].change


def test_a_small_move_of_many_rows_is_not_called_drift(training):
    held = summarise(read_table({"x": np.random.default_rng(0).normal(size=200_000)}))
    rows = read_table({"x": np.random.default_rng(1).normal(0.03, size=200_000)})
    (found,) = column_drift(rows, held)
    assert found.p_value < 1e-6
    assert not found.drifted


def test_flags_name_the_cell_and_the_range(training, summary):
    data = columns(6, 5)
    data["normal"][2] = 40.0
    data["normal"][3] = float(training.numbers("normal").max()) + 0.1  # beyond, but not far
    data["level"] = np.array(["a", "b", "x" * 99, "a", "a", "zz"])
    data["many"] = np.array(["a ticket never seen"] * 6)  # as usual there
    found = flag_rows(conform_table(data, training.schema), summary, lambda name, row: data[name][row])
    assert found.n_rows == 2
    assert found.far == {"normal": 1}
    assert found.unseen == {"level": 2}
    low, high = training.numbers("normal").min(), training.numbers("normal").max()
    assert (
        found.texts[2] == f"normal: 40 is far outside {low:.6g} to {high:.6g}; level: {'x' * 39 + '…'!r} was never seen"
    )
    assert found.texts[5] == "level: 'zz' was never seen"
    assert found.texts[3] is None


def test_flags_without_a_summary_are_of_levels_alone():
    schema = read_table({"a": ["x", "y", "x"], "n": [1.0, 2.0, 4.0]}).schema
    rows = conform_table({"a": ["x", "z"], "n": [1e9, 1.0]}, schema)
    found = flag_rows(rows, None, lambda name, row: "z")
    assert found.texts == [None, "a: 'z' was never seen"]


def test_a_column_that_is_constant_or_empty():
    table = read_table(
        {"c": [5.0] * 9, "e": [None] * 9, "t": ["some words here now"] * 9},
        kinds={"c": "numeric", "e": "numeric", "t": "text"},
    )
    held = summarise(table)
    rows = conform_table({"c": [5.0, 7.0], "e": [None, 1.0], "t": ["a", None]}, table.schema)
    assert flag_rows(rows, held, lambda *_: "").texts == [None, "c: 7 is far outside 5 to 5"]
    assert not any(c.drifted for c in column_drift(rows, held))


def test_sparse_and_very_wide_tables_have_no_summary(monkeypatch):
    assert summarise(read_table(sp.csr_array(np.eye(3)))) is None
    monkeypatch.setattr("mercer.store.summary.MOST_COLUMNS", 2)
    assert summarise(read_table({"a": [1.0, 2.5], "b": [2.0, 3.5], "c": [1.0, 3.0]})) is None


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("version", 2, "version"),
        ("n_rows", 0, "n_rows"),
        ("n_missing", np.zeros(4, dtype=np.int64), "shape"),
        ("quantiles", np.zeros((3, 11))[:, ::-1] + np.arange(11)[::-1], "do not rise"),
        ("bins", np.full((3, 10), -1), "values from 0"),
        ("levels", np.zeros(1, dtype=np.int64), "shape"),
    ],
)
def test_a_summary_that_does_not_fit_is_refused(training, summary, key, value, message):
    state = summary.to_state()
    assert TrainingSummary.from_state(Reader(dict(state)), training.schema).to_state().keys() == state.keys()
    with pytest.raises(BadFile, match=message):
        TrainingSummary.from_state(Reader(state | {key: value}), training.schema)
