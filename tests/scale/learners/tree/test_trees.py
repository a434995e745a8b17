"""Trees and forests in chunks are those of one fit where every bin holds one value; else they cut between bins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import cut, expect_same, people

import mercer
from mercer.errors import BadColumn, BadParameter, TooLarge
from mercer.scale.held import room
from mercer.scale.learners.tree import trees
from mercer.solvers.tree import apart


def few_values(n=600, seed=0):
    """A mixed table with gaps in which no column has more than 255 different values."""
    rng = np.random.default_rng(seed)
    rows = people(n, seed).assign(
        size=lambda t: np.arange(len(t)) % 7, note=rng.choice([f"n{k}" for k in range(20)], n)
    )
    return rows.assign(age=rows.age.round(), pay=rows.pay.round())


ROWS = few_values()
JOBS = ROWS.drop(columns="job").assign(y=ROWS.job)
PAY = ROWS.drop(columns="y").assign(pay=ROWS.pay.fillna(7.0))
MODELS = [
    (mercer.DecisionTreeClassifier(), ROWS, "y"),
    (mercer.DecisionTreeClassifier(criterion="entropy", max_depth=4), ROWS, "y"),
    (mercer.DecisionTreeClassifier(min_samples_leaf=5, class_weight="balanced"), ROWS, "y"),
    (mercer.DecisionTreeClassifier(max_features=2, random_state=0, min_impurity_decrease=0.002), ROWS, "y"),
    (mercer.DecisionTreeClassifier(splitter="random", random_state=3), ROWS, "y"),
    (mercer.DecisionTreeClassifier(min_samples_split=0.05, min_weight_fraction_leaf=0.01), JOBS, "y"),
    (mercer.DecisionTreeRegressor(min_samples_leaf=3), PAY, "pay"),
    (mercer.DecisionTreeRegressor(max_depth=5, min_samples_split=10, ccp_alpha=0.01), PAY, "pay"),
    (mercer.RandomForestClassifier(4, random_state=0), ROWS, "y"),
    (mercer.RandomForestClassifier(3, random_state=0, class_weight="balanced_subsample", max_samples=0.5), JOBS, "y"),
    (mercer.RandomForestRegressor(3, random_state=0, min_samples_leaf=2), PAY, "pay"),
    (mercer.ExtraTreesClassifier(3, random_state=0), JOBS, "y"),
    (mercer.ExtraTreesRegressor(3, random_state=1, max_depth=6), PAY, "pay"),
]


def in_chunks(model, rows, target, cuts):
    return mercer.scale.fit(clone(model), cut(rows, cuts), target)


@pytest.mark.parametrize("small", [0, 200 * 6], ids=["sums alone", "small nodes gathered"])
@pytest.mark.parametrize(("model", "rows", "target"), MODELS, ids=lambda value: type(value).__name__)
def test_the_trees_of_one_fit(monkeypatch, model, rows, target, small):
    monkeypatch.setattr(apart, "SMALL", small)
    monkeypatch.setattr(room, "budget", lambda: 1000)
    whole = clone(model).fit(rows.drop(columns=target), rows[target])
    expect_same(in_chunks(model, rows, target, [0, 1, 300]), whole, rtol=1e-9)


@given(cuts=st.lists(st.integers(0, 600), max_size=6), which=st.sampled_from(MODELS), small=st.sampled_from([0, 900]))
@settings(max_examples=15, deadline=None)
def test_chunks_do_not_change_a_tree(cuts, which, small):
    model, rows, target = which
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "SMALL", small)
        expect_same(in_chunks(model, rows, target, cuts), in_chunks(model, rows, target, []), rtol=0)


@pytest.mark.parametrize(("model", "rows", "target"), MODELS, ids=lambda value: type(value).__name__)
def test_the_larger_of_two_siblings_is_not_counted(monkeypatch, model, rows, target):
    monkeypatch.setattr(apart, "SMALL", 0)
    counted, question = [], apart.LevelGrowth._question
    monkeypatch.setattr(
        apart.LevelGrowth, "_question", lambda own, asked: counted.append(len(asked)) or question(own, asked)
    )
    found, nodes = [], []
    for most in (0, 1 << 26):
        monkeypatch.setattr(apart, "_HELD", most)
        counted.clear()
        found.append(in_chunks(model, rows, target, [0, 1, 300]))
        nodes.append(sum(counted))
    expect_same(*found, rtol=0)
    n_trees = len(getattr(found[0], "trees_", [0]))
    assert nodes[1] == (nodes[0] + n_trees) / 2


@pytest.mark.parametrize("small", [0, 1 << 21])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_more_values_than_bins(monkeypatch, small, splitter):
    """Thresholds lie between bins: rows end in the leaves that counted them, and predictions are as good."""
    monkeypatch.setattr(apart, "SMALL", small)
    rng = np.random.default_rng(0)
    rows = people(3000, 1).assign(
        code=lambda t: [f"c{k}" for k in rng.integers(0, 400, len(t))], far=rng.normal(size=3000)
    )
    rows["far"] = rows.far * np.where(rows.y == "yes", 2.0, 1.0)
    model = mercer.DecisionTreeClassifier(max_depth=6, splitter=splitter, random_state=0, min_samples_leaf=20)
    found = in_chunks(model, rows, "y", [100, 2000])
    x = rows.drop(columns="y")
    leaves = np.bincount(found.apply(x), minlength=len(found.tree_))
    ends = found.tree_.kind == 0
    np.testing.assert_array_equal(leaves[ends], found.tree_.rows[ends])
    whole = clone(model).fit(x, rows.y)
    if splitter == "best":
        assert found.score(x, rows.y) == pytest.approx(whole.score(x, rows.y), abs=0.01)
    assert len(np.unique(rows.far)) > 255


def test_numbers_far_from_zero_that_are_not_whole():
    rng = np.random.default_rng(0)
    rows = few_values(400, 2).drop(columns=["y", "pay"])
    rows["pay"] = 1e6 + rows.age / 10 + rng.normal(size=400)
    model = mercer.DecisionTreeRegressor(max_depth=4)
    whole = clone(model).fit(rows.drop(columns="pay"), rows.pay)
    expect_same(in_chunks(model, rows, "pay", [50]), whole, rtol=1e-7)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (mercer.DecisionTreeClassifier(algorithm="c4.5"), "algorithm"),
        (mercer.DecisionTreeClassifier(max_leaf_nodes=4), "max_leaf_nodes"),
        (mercer.DecisionTreeClassifier(prune="cv"), "prune"),
        (mercer.DecisionTreeClassifier(missing="surrogate"), "missing"),
        (mercer.DecisionTreeClassifier(monotonic_cst=[1, 0, 0]), "monotonic_cst"),
        (mercer.RandomForestClassifier(oob_score=True), "oob_score"),
        (mercer.ExtraTreesClassifier(warm_start=True), "warm_start"),
    ],
)
def test_what_chunks_cannot_do_is_refused(model, name):
    with pytest.raises(BadParameter, match=f"{name}=.* needs all rows at once. In chunks {name} is") as refused:
        mercer.scale.fit(model, [ROWS], "y")
    assert trees._INSTEAD.get(name, "take that") in str(refused.value)
    assert str(refused.value).endswith("or fit a sample of the rows.")


def test_numbers_by_their_absolute_error_and_texts_are_refused(monkeypatch):
    with pytest.raises(BadParameter, match="criterion='absolute_error' needs all rows"):
        mercer.scale.fit(mercer.DecisionTreeRegressor(criterion="absolute_error"), [PAY], "pay")
    words = [f"red {k} blue" for k in range(len(ROWS))]
    with pytest.raises(BadColumn, match="'text' is text"):
        mercer.scale.fit(mercer.DecisionTreeClassifier(kinds={"text": "text"}), [ROWS.assign(text=words)], "y")
    monkeypatch.setattr(trees, "MOST_ROWS", 599)
    with pytest.raises(TooLarge, match="at most 599 rows, and these are 600"):
        mercer.scale.fit(mercer.DecisionTreeClassifier(), [ROWS], "y")


def test_trees_are_told():
    told = []
    model = mercer.RandomForestClassifier(4, random_state=0)
    mercer.scale.fit(model, cut(ROWS, [100]), "y", progress=lambda *now: told.append(now))
    shares = [share for what, share in told if what == "Learning"]
    assert shares[-1] == 1.0
    assert {1 / 4, 2 / 4, 3 / 4} < set(shares)


@pytest.mark.parametrize("depth", [None, 6])
def test_one_tree_is_told_level_by_level(monkeypatch, depth):
    monkeypatch.setattr(apart, "SMALL", 400)
    told, begun = [], []

    def progress(what, share):
        told.append(share)

    grow = apart.LevelGrowth.grow
    monkeypatch.setattr(apart.LevelGrowth, "grow", lambda self: begun.append(len(told)) or grow(self))
    model = mercer.DecisionTreeClassifier(max_depth=depth)
    plain = mercer.scale.fit(clone(model), cut(ROWS, [100]), "y")
    begun.clear()
    found = mercer.scale.fit(model, cut(ROWS, [100]), "y", progress=progress)
    shares = told[begun[0] :]
    assert len(set(shares)) > 4
    assert np.all(np.diff(shares) >= 0)
    assert (shares[0] < 0.5, shares[-1]) == (True, 1.0)
    expect_same(found, plain, rtol=0)
