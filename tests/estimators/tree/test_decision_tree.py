"""Trees as estimators: presets, pruning, reading, and bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier as Rival
from sklearn.tree import DecisionTreeRegressor as RivalRegressor

import mercer
from mercer.errors import BadFile, MercerError
from mercer.solvers.tree.rare_levels import RareLevels
from mercer.solvers.tree.tree import LEAF, Columns
from mercer.state import Reader

TAX = pd.DataFrame(
    {
        "refund": ["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no"],
        "marital": ["S", "M", "S", "M", "D", "M", "D", "S", "M", "S"],
        "income": [125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90],
    }
)
CHEAT = np.array(["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes"])


def noisy(n=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("pqrs"), n)})
    label = np.where(((frame["a"] > 0) & frame["c"].isin(["p", "q", "r"])) ^ (rng.random(n) < 0.15), "in", "out")
    return frame, label


@pytest.mark.parametrize("algorithm", ["id3", "c4.5", "cart"])
def test_the_textbook_algorithms(algorithm):
    frame, label = noisy()
    fresh, truth = noisy(2000, 1)
    plain = mercer.DecisionTreeClassifier().fit(frame, label)
    model = mercer.DecisionTreeClassifier(algorithm=algorithm).fit(frame, label)
    multiway = model.tree_.branches.max() > 2
    assert multiway == (algorithm != "cart")
    if algorithm != "id3":
        assert model.get_n_leaves() < plain.get_n_leaves()
        assert model.score(fresh, truth) > max(0.78, plain.score(fresh, truth))


def test_regression_pruned_by_folds():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(300, 2))
    y = np.sign(x[:, 0]) + 0.5 * rng.normal(size=300)
    full = mercer.DecisionTreeRegressor().fit(x, y)
    pruned = mercer.DecisionTreeRegressor(prune="cv").fit(x, y)
    assert pruned.get_n_leaves() < 10 < full.get_n_leaves()
    fresh = rng.uniform(-3, 3, size=(500, 2))
    assert np.mean((pruned.predict(fresh) - np.sign(fresh[:, 0])) ** 2) < 0.1
    assert pruned.alpha_ > 0


def test_importances_as_in_scikit_learn():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 4)).astype(np.float32)
    y = (x[:, 0] + 0.5 * x[:, 1] > 0).astype(int)
    weight = rng.random(500)
    ours = mercer.DecisionTreeClassifier(min_samples_leaf=20).fit(x, y, weight)
    theirs = Rival(min_samples_leaf=20, random_state=0).fit(x, y, weight)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)
    assert ours.get_depth() == theirs.get_depth()
    ours = mercer.DecisionTreeRegressor(min_samples_leaf=20).fit(x, x[:, 2])
    theirs = RivalRegressor(min_samples_leaf=20, random_state=0).fit(x, x[:, 2])
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-6)


def test_words_of_a_text_are_tested_and_count_for_their_column():
    frame = pd.DataFrame(
        {"note": [f"the {'good' if i % 3 else 'bad'} thing number {i}" for i in range(90)], "x": np.arange(90.0) % 7}
    )
    label = np.arange(90) % 3 > 0
    model = mercer.DecisionTreeClassifier(kinds={"note": "text"}).fit(frame, label)
    assert model.feature_importances_.tolist() == [1.0, 0.0]
    assert (model.predict(frame) == label).all()


def test_class_weight_moves_the_answer():
    x, y = np.zeros((10, 1)), np.array([0] * 8 + [1] * 2)
    assert mercer.DecisionTreeClassifier().fit(x, y).predict([[0]])[0] == 0
    assert mercer.DecisionTreeClassifier(class_weight={0: 1, 1: 5}).fit(x, y).predict([[0]])[0] == 1
    even = mercer.DecisionTreeClassifier(class_weight="balanced").fit(x, y).predict_proba([[0]])
    np.testing.assert_allclose(even, [[0.5, 0.5]])


def test_one_class_and_one_row():
    for algorithm in (None, "id3", "c4.5", "cart"):
        model = mercer.DecisionTreeClassifier(algorithm=algorithm).fit([[1.0], [2.0]], ["a", "a"])
        assert model.predict([[5.0]]).tolist() == ["a"]
    assert mercer.DecisionTreeRegressor().fit([[1.0]], [3.0]).predict([[9.0]]).tolist() == [3.0]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"criterion": "ginni"}, "'criterion' parameter of DecisionTreeClassifier"),
        ({"criterion": "squared_error"}, "'criterion' parameter of DecisionTreeClassifier"),
        ({"algorithm": "c5"}, "'algorithm' parameter of DecisionTreeClassifier"),
        ({"prune": "much"}, "'prune' parameter of DecisionTreeClassifier"),
        ({"ccp_alpha": -1.0}, "'ccp_alpha' parameter of DecisionTreeClassifier"),
        ({"min_samples_split": 1}, "'min_samples_split' parameter of DecisionTreeClassifier"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter of DecisionTreeClassifier"),
        ({"max_depth": 0}, "'max_depth' parameter of DecisionTreeClassifier"),
        ({"prune": "pessimistic", "confidence": 2.0}, "'confidence' parameter of DecisionTreeClassifier"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, what):
    with pytest.raises(MercerError, match=what):
        mercer.DecisionTreeClassifier(**options).fit(TAX, CHEAT)


def test_a_damaged_file_is_refused():
    state = mercer.DecisionTreeClassifier().fit(TAX, CHEAT).to_state()
    fitted, tree = state["fitted"], state["fitted"]["tree"]
    inner = int(np.flatnonzero(tree["kind"] != LEAF)[-1])
    first = tree["first"].copy()
    first[inner] = 0
    for change in ({"first": first}, {"column": tree["column"] + 9}, {"answer": tree["answer"][:, :1].copy()}):
        with pytest.raises(BadFile):
            mercer.DecisionTreeClassifier.from_state(Reader(state | {"fitted": fitted | {"tree": tree | change}}))


def with_ticket(n=400, levels=5000, seed=0):
    """One useful number, and a category with about a level per row that means nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    frame = pd.DataFrame({"x": x, "ticket": pd.Categorical([f"t{k}" for k in rng.integers(0, levels, n)])})
    return frame, np.where((x > 0) ^ (rng.random(n) < 0.1), "in", "out")


@pytest.mark.parametrize("options", [{"min_samples_leaf": 5, "set_penalty": 0.0}, {"min_samples_leaf": 1}])
def test_a_category_with_a_level_per_row_does_not_win(options):
    kinds = {"ticket": "category"}
    frame, label = with_ticket()
    fresh, truth = with_ticket(seed=1)
    fooled = mercer.DecisionTreeClassifier(min_samples_level=0, set_penalty=0.0, max_depth=1, kinds=kinds)
    assert fooled.fit(frame, label).rules()[0].conditions[0].startswith("ticket")
    model = mercer.DecisionTreeClassifier(**options, max_depth=1, kinds=kinds).fit(frame, label)
    assert model.rules()[0].conditions[0].startswith("x")
    assert model.score(fresh, truth) > 0.85 > fooled.score(fresh, truth)


def test_five_thousand_levels_are_joined_where_rare_and_named_in_full():
    rng = np.random.default_rng(0)
    code = np.concatenate([np.arange(5000), rng.integers(0, 5, 2000)])  # five levels are common
    frame = pd.DataFrame({"town": [f"t{k}" for k in code]})
    rich = np.where(np.isin(code, [0, 2]), 5.0, 1.0)
    model = mercer.DecisionTreeRegressor(min_samples_leaf=3, kinds={"town": "category"}).fit(frame, rich)
    assert model.get_n_leaves() == 2
    assert model.tree_.level_start[1] == 5000  # every level is in the list of the one test
    np.testing.assert_array_equal(model.predict(frame), rich)
    np.testing.assert_array_equal(model.predict({"town": ["t2", "t4321", "never seen"]}), [5.0, 1.0, 1.0])
    copy = mercer.DecisionTreeRegressor.from_state(Reader(model.to_state()))
    np.testing.assert_array_equal(copy.predict({"town": ["t2", "t4321", "never seen"]}), [5.0, 1.0, 1.0])


def test_rare_levels_by_hand():
    columns = Columns.of(codes=[[0, 0], [0, 1], [1, 2], [2, -1], [3, 4]], levels=[4, 4], nominal=[1, 0])
    rare = RareLevels.among(columns, 2)
    assert [few.tolist() for few in rare.of_column] == [[1, 2, 3], []]  # the second is ordinal: left alone
    assert rare.joined(columns).codes.tolist() == [[0, 0], [0, 1], [1, 2], [1, -1], [1, 4]]
    fresh = replace(columns, codes=np.array([[-1, 0], [4, 0]], np.int32))
    assert rare.joined(fresh).codes[:, 0].tolist() == [-1, 1]  # missing stays missing, a new level is a rare one
    for damage in ({"level": np.array([1, 9], np.int32)}, {"start": np.array([0, 2, 2])}, {"start": np.array([0, 3])}):
        with pytest.raises(BadFile):
            RareLevels.from_state(Reader(rare.to_state() | damage), [4, 4])


def test_ordered_rows_do_not_mislead_the_folds():
    """Rows sorted by a category: folds of consecutive rows would meet levels they never saw."""
    code = np.repeat(np.arange(10), 20)
    frame = pd.DataFrame({"level": [f"l{k}" for k in code]})
    model = mercer.DecisionTreeClassifier(prune="cv", min_samples_leaf=5).fit(frame, code % 2)
    assert model.score(frame, code % 2) == 1.0


PAIRS = [(1, 1), (1, 20), (2, 3), (4, 17), (5, 5), (6, 13), (7, 20), (10, 10), (12, 5), (19, 2), (20, 20), (10, 50)]


@pytest.mark.parametrize("counts", PAIRS, ids=str)
def test_cross_validated_pruning_keeps_a_perfect_column(counts):
    y = np.repeat(["p", "q"], counts)
    X = np.column_stack([(y == "p") * 1.0, np.arange(len(y)) % 3])
    for options in ({"prune": "cv"}, {"algorithm": "cart"}):
        model = mercer.DecisionTreeClassifier(**options).fit(X, y)
        assert (model.get_n_leaves(), model.score(X, y)) == (2, 1.0)
        number = mercer.DecisionTreeRegressor(**options).fit(X, (y == "p") * 7.3)
        assert number.get_n_leaves() == 2


def test_cross_validated_pruning_of_noise_leaves_one_leaf_and_a_finite_penalty():
    rng = np.random.default_rng(0)
    model = mercer.DecisionTreeClassifier(prune="cv").fit(rng.normal(size=(200, 3)), rng.integers(0, 2, 200))
    assert model.get_n_leaves() == 1
    assert np.isfinite(model.alpha_)


def test_the_least_rows_of_a_split_may_be_the_share_of_all_rows():
    X, y = load_iris(return_X_y=True)
    for share in (1.0, 0.5):
        own, rival = mercer.DecisionTreeClassifier(min_samples_split=share), Rival(min_samples_split=share)
        assert own.fit(X, y).get_n_leaves() == rival.fit(X, y).get_n_leaves()
    with pytest.raises(
        MercerError, match=r"must be an int in the range \[2, inf\) or a float in the range \(0.0, 1.0\]"
    ):
        mercer.DecisionTreeClassifier(min_samples_split=1).fit(X, y)
