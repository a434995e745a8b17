"""Rows written twice: found, kept on one side of every split, and said."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mercer
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.uncertainty.learner import held_out_scores
from mercer.select.copies import find_copies, grouped
from mercer.table import from_array, open_source

RNG = np.random.default_rng(2)


def noise(n, times, *, identifier=False):
    """Columns that say nothing of the target, every row written several times, in any order."""
    order = RNG.permutation(np.repeat(np.arange(n), times))
    data = {
        "x": RNG.normal(size=n)[order],
        "z": RNG.normal(size=n)[order],
        "job": RNG.choice(["clerk", "cook"], n)[order],
        "y": RNG.choice(["no", "yes"], n)[order],
    }
    return data | ({"name": [f"n{i}" for i in range(len(order))]} if identifier else {})


def plan(data, **options):
    return prepare(open_source(data), "y", ComparisonOptions(**options))


@pytest.mark.parametrize("identifier", [False, True])
def test_copies_are_on_one_side_of_every_split(identifier):
    data = noise(60, 3, identifier=identifier)
    made = plan(data).plan
    assert (made.n_copies, made.keeps_copies_together) == (120, True)
    assert sorted([*made.train, *made.test]) == list(range(180))
    for train, test in [(made.train, made.test), *made.folds]:
        assert len(train) and len(test)
        assert set(data["x"][train]).isdisjoint(data["x"][test])


def test_noise_written_twice_scores_at_chance():
    context = plan(noise(300, 2), learners=("neighbours", "tree"), folds=3)
    found = compare_learners(context, lambda what, share: None)
    auc = [entry.cross_validated["roc_auc"].value for entry in found.leaderboard]
    assert all(abs(value - 0.5) < 0.1 for value in auc)
    assert any(n.startswith("300 of 600 rows repeat another row") for n in found.notices)


def test_intervals_of_copies_are_those_of_the_distinct_rows():
    once = {"x": RNG.normal(size=80), "z": RNG.normal(size=80), "y": RNG.choice(["no", "yes"], 80)}
    options = {"learners": ("naive_bayes",), "folds": 3, "repeats": 1}
    held_out = []
    for times in (1, 5):
        copied = {name: np.repeat(cells, times) for name, cells in once.items()}
        context = plan(copied, **options)
        rows = context.plan.test
        assert (context.groups_of(rows) is None) == (times == 1)
        proba = np.full((len(rows), 2), 0.5)
        proba[:, 1] += 0.3 * np.tanh(copied["x"][rows])
        proba[:, 0] = 1 - proba[:, 1]
        held_out.append(held_out_scores(context, rows, proba))
    for key, score in held_out[0].items():
        assert (held_out[1][key].low, held_out[1][key].high) == pytest.approx((score.low, score.high))


def test_a_row_written_once_more_keeps_the_rest_as_it_was():
    data = {name: list(cells) for name, cells in noise(100, 1).items()}
    assert plan(data).plan.n_copies == 0
    made = plan({name: [*cells, cells[3]] for name, cells in data.items()}).plan
    assert made.n_copies == 1
    assert (3 in made.test) == (100 in made.test)


def test_rows_alike_by_chance_are_no_copies():
    data = {name: RNG.choice(levels, 500) for name, levels in {"a": ["u", "v"], "b": ["s", "t"], "y": [0, 1]}.items()}
    assert plan(data).plan.n_copies == 0


def test_too_few_distinct_rows_are_split_with_a_notice():
    data = noise(12, 10)
    context = plan({**data, "y": np.where(data["x"] > np.median(data["x"]), "no", "yes")}, learners=("baseline",))
    assert not context.plan.keeps_copies_together
    found = compare_learners(context, lambda what, share: None)
    assert any("too few to keep copies together" in n for n in found.notices)


def test_sparse_rows_missing_cells_and_texts():
    cells = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    twice = mercer.read_table(sp.csr_array(sp.vstack([cells, cells])))
    target = np.tile(np.arange(50.0), 2)
    found = find_copies(twice, target)
    assert found.group.tolist() == [*range(50)] * 2
    assert find_copies(twice, np.arange(100.0)) is None
    rows = {
        "n": [*RNG.normal(size=38), np.nan, -0.0],
        "t": [None, *(f"some words of row {i} here" for i in range(39))],
    }
    table = mercer.read_table({name: [*column, *column[-3:], column[0]] for name, column in rows.items()})
    found = find_copies(table, np.array([*range(40), 37, 38, 39, 0], dtype=float))
    assert found.group[-4:].tolist() == [37, 38, 39, 0]
    assert found.rows_of(np.array([0, 39])).tolist() == [0, 39, 42, 43]


def test_messages_sent_again_are_copies_and_blank_ones_are_not():
    sent = [f"call me back at {i} or later" for i in range(60)]
    table = mercer.read_table({"text": [*sent, *sent[:5]]})
    found = find_copies(table, np.array([i % 2 for i in range(60)] + [0, 1, 0, 1, 0], dtype=float))
    assert found.group[-5:].tolist() == [0, 1, 2, 3, 4]
    assert found.n_copies == 5
    blank = mercer.read_table({"text": [*sent, None, None, None, None]})
    assert find_copies(blank, np.tile([0.0, 1.0], 32)) is None


def test_a_row_that_is_usual_is_not_a_copy():
    """A third of the rows show nothing and are alike, as in mammography; the others differ, or are written twice."""
    rng = np.random.default_rng(0)
    apart = rng.normal(size=(200, 3))
    nothing = np.full((100, 3), -0.4)
    assert find_copies(from_array(np.vstack([apart, nothing])), np.zeros(300)) is None
    found = find_copies(from_array(np.vstack([apart, apart, nothing])), np.zeros(500))
    assert np.bincount(found.group).tolist() == [2] * 200 + [1] * 100
    assert found.n_copies == 200


def test_missing_cells_of_pandas_are_groups_of_their_own():
    found = grouped(pd.Series([1, pd.NA, pd.NA, 1], dtype="Int64"))
    assert found.group.tolist() == [0, 1, 2, 0]


def few_positives(times, n=200):
    """40 held-out rows, of which copies make more; a fifth are positive."""
    positive = np.arange(n) % 5 == 0
    columns = {"x": RNG.normal(size=n) + positive, "z": RNG.normal(size=n), "y": np.where(positive, "yes", "no")}
    return {name: np.repeat(cells, times) for name, cells in columns.items()}


@pytest.mark.parametrize("by_group", [False, True])
def test_copies_and_rows_of_a_group_make_no_more_positives(by_group):
    data = few_positives(5)
    if by_group:
        data |= {"patient": np.repeat(np.arange(200), 5), "x": RNG.normal(size=1000)}
    context = plan(data, learners=("naive_bayes",), folds=3, repeats=1, group="patient" if by_group else None)
    assert np.count_nonzero(np.asarray(data["y"])[context.plan.test] == "yes") >= 35
    found = compare_learners(context, lambda what, share: None)
    assert found.headline == "cross_validated"  # 8 of them are independent


def test_few_positives_written_often_are_few():
    data = few_positives(4, 100)
    context = plan(data, learners=("naive_bayes",), folds=3, repeats=1)
    doubts = compare_learners(context, lambda what, share: None).doubts
    assert any(said.startswith("Few independent rows of 'yes' (20)") for said in doubts), doubts


def marked(order, kind):
    """A column that differs between the copies of a row."""
    if kind == "number":
        return RNG.choice(10**6, len(order), replace=False) + 10**6
    return [str(d) for d in np.datetime64("2020-01-01") + RNG.integers(0, 900, len(order))]


@pytest.mark.parametrize("kind", ["number", "date"])
def test_rows_that_differ_in_a_number_or_date_of_the_row_alone_are_copies(kind):
    data = noise(60, 3)
    data["mark"] = marked(data["x"], kind)
    context = plan(data, learners=("naive_bayes",), folds=3, repeats=1)
    made = context.plan
    assert (made.n_copies, made.keeps_copies_together, made.copies_but_for) == (120, True, ("mark",))
    for train, test in [(made.train, made.test), *made.folds]:
        assert set(data["x"][train]).isdisjoint(data["x"][test])
    notices = compare_learners(context, lambda what, share: None).notices
    assert any(said.startswith("120 of 180 rows repeat another row but for 'mark', target") for said in notices)


@pytest.mark.parametrize("kind", ["number", "date"])
def test_rows_of_a_few_levels_or_amounts_are_no_copies_of_each_other(kind):
    """Alike but for a number of the row: that is no wonder where no other column tells rows apart."""
    n = 400
    columns = {name: RNG.choice(list("abcd"), n) for name in ("job", "city", "car")}
    columns["job"] = columns["city"]  # which makes alike more rows than chance would
    data = columns | {"rooms": RNG.integers(1, 6, n), "y": RNG.choice(["no", "yes"], n)}
    data["mark"] = marked(data["y"], kind)
    assert plan(data).plan.n_copies == 0
    assert plan(noise(100, 1) | {"mark": marked(range(100), kind)}).plan.n_copies == 0
