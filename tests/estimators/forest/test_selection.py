"""Columns chosen by a forest: both measures against scikit-learn and by hand, mixed tables, pipelines without leaks."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import mercer
from mercer import FeatureSelection, SelectByForest
from mercer.encode import Chain, Impute
from mercer.errors import BadParameter, BadTarget, MercerError
from mercer.state import Reader

RNG = np.random.default_rng(3)
N = 400
X = RNG.normal(size=(N, 6))
Y = (X[:, 1] + 0.5 * X[:, 4] > 0).astype(int)


def test_both_measures_are_those_of_the_forest_and_near_scikit_learns():
    ours = mercer.select_features(X, Y, 2, n_estimators=30, random_state=5)
    forest = mercer.RandomForestClassifier(30, random_state=5).fit(X, Y)
    np.testing.assert_array_equal(ours.impurity, forest.feature_importances_)
    found = forest.permutation_importances(X, Y).importances
    np.testing.assert_array_equal(ours.accuracy, found.mean(axis=1))
    np.testing.assert_allclose(ours.error, found.std(axis=1, ddof=1) / np.sqrt(30))
    theirs = RandomForestClassifier(30, random_state=5).fit(X, Y).feature_importances_
    np.testing.assert_allclose(ours.impurity, theirs, atol=0.05)
    assert ours.impurity.sum() == pytest.approx(1)
    assert ours.by_impurity == ours.by_accuracy == ("x1", "x4")


def test_accuracy_is_the_decrease_on_out_of_bag_rows():
    """By hand: the tree's own prediction, one column of its out-of-bag rows shuffled with the same generator."""
    found = mercer.select_features(X, Y, 2, n_estimators=4, random_state=9)
    forest = mercer.RandomForestClassifier(4, random_state=9).fit(X, Y)
    decreases = np.zeros((4, 6))
    for t, (tree, drawn) in enumerate(zip(forest.estimators_, forest.estimators_samples_, strict=True)):
        random = np.random.default_rng([forest.seeds_[t], 1])
        out = np.setdiff1d(np.arange(N), drawn)
        for j in sorted(set(tree.tree_.feature) - {-2}):
            cells = X[out].copy()
            cells[:, j] = cells[random.permutation(len(out)), j]
            decreases[t, j] = tree.score(X[out], Y[out]) - tree.score(cells, Y[out])
    np.testing.assert_allclose(found.accuracy, decreases.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.error, decreases.std(axis=0, ddof=1) / 2, atol=1e-12)


def test_union_of_the_two_top_k_in_the_order_of_the_table():
    made = FeatureSelection(
        tuple("abcd"), np.array([0.1, 0.5, 0.2, 0.2]), np.array([0.3, 0.0, 0.1, 0.2]), np.zeros(4), 2
    )
    assert made.by_impurity == ("b", "c")
    assert made.by_accuracy == ("a", "d")
    assert made.selected == tuple("abcd")
    assert FeatureSelection(*(getattr(made, f) for f in ("columns", "impurity", "accuracy", "error")), 1).selected == (
        "a",
        "b",
    )
    assert str(made).count("selected") == 4


def mixed(n=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "huge": rng.normal(size=n) * 1e300,
            "job": rng.choice(["a", "b", "c", "d"], n),
            "id_like": rng.integers(0, 90, n).astype(str),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "note": rng.choice(["a red thing", "some blue thing"], n) + [" " + "x" * (i % 9) for i in range(n)],
        }
    )  # fmt: skip
    red = frame["note"].str.contains("red")
    y = np.where((frame["job"] == "a") | ((frame["size"] == "L") & red), "yes", "no")
    for j, name in enumerate(["noise", "job", "size", "huge"]):
        frame.loc[j::11, name] = None
    return frame, y


def test_a_mixed_table_with_missing_cells_and_text():
    frame, y = mixed()
    found = mercer.select_features(frame, y, 3, n_estimators=60)
    assert set(found.by_accuracy) == {"job", "size", "note"}
    assert found.columns == tuple(frame.columns)
    assert np.isfinite([found.impurity, found.accuracy, found.error]).all()
    picked = SelectByForest(3, n_estimators=60).fit(frame, y)
    assert picked.transform(frame).columns == picked.selection_.selected
    assert picked.get_support().tolist() == [c in picked.selection_.selected for c in frame.columns]
    assert picked.get_support(indices=True).tolist() == np.flatnonzero(picked.get_support()).tolist()
    kept = SelectByForest(1, n_estimators=60, on=["noise", "job"]).fit(frame, y)
    assert "noise" not in kept.get_feature_names_out().tolist() or len(kept.selection_.selected) == 2
    assert {"note", "size", "huge"} <= set(kept.get_feature_names_out().tolist())


def test_the_same_choice_in_any_container_and_with_any_number_of_threads():
    frame, y = mixed()
    one, two = (mercer.select_features(frame, y, 2, n_estimators=10, n_jobs=j) for j in (1, 2))
    table = mercer.select_features(mercer.read_table(frame), y, 2, n_estimators=10)
    for other in (two, table):
        np.testing.assert_array_equal(other.accuracy, one.accuracy)
        np.testing.assert_array_equal(other.impurity, one.impurity)
    dense, sparse = (mercer.select_features(x, Y, 2, n_estimators=10) for x in (X, sp.csr_array(X)))
    np.testing.assert_array_equal(dense.accuracy, sparse.accuracy)


def test_a_column_of_many_levels_that_say_nothing_is_not_chosen():
    frame, y = mixed(1000)
    found = mercer.select_features(frame, y, 3, n_estimators=60)
    assert set(found.by_accuracy) == set(found.by_impurity) == {"job", "size", "note"}
    assert found.accuracy[found.columns.index("id_like")] < 3 * found.error[found.columns.index("id_like")]


def test_numbers_to_predict():
    y = 3 * X[:, 2] + X[:, 5] + 0.1 * RNG.normal(size=N)
    found = mercer.select_features(X, y, 2, n_estimators=40)
    assert set(found.selected) == {"x2", "x5"}
    # Shuffled, the first of two columns costs about 2 * 9 in squared error.
    assert 9 < found.accuracy[2] < 27
    counts = mercer.select_features(X, np.round(10 * X[:, 0]).astype(int), 1, n_estimators=20)
    assert counts.selected == ("x0",)
    assert counts.accuracy[0] > 50  # squared error, not accuracy


def test_inside_a_pipeline_columns_are_chosen_without_the_test_fold():
    """Columns of pure noise, chosen on all rows, seem to predict; chosen in each training fold, they do not."""
    rng = np.random.default_rng(1)
    noise, y = rng.normal(size=(60, 400)), np.repeat([0, 1], 30)
    options = {"n_estimators": 60}
    leaked = noise[:, [int(c[1:]) for c in mercer.select_features(noise, y, 8, **options).selected]]
    honest = make_pipeline(SelectByForest(8, **options), mercer.NaiveBayes())
    assert cross_val_score(mercer.NaiveBayes(), leaked, y, cv=5).mean() > 0.72
    assert cross_val_score(honest, noise, y, cv=5).mean() < 0.65


def test_in_a_chain_and_in_a_file():
    frame, y = mixed()
    chain = Chain([("choose", SelectByForest(2, n_estimators=10, on=["noise", "id_like", "job"])), ("fill", Impute())])
    frame = frame.drop(columns="huge")  # a mean of 1e299 is refused in a file
    table = chain.fit(frame, y).table(frame)
    again = Chain.from_state(Reader(chain.to_state()))
    assert again.table(frame).columns == table.columns
    np.testing.assert_array_equal(again.table(frame).numbers(), table.numbers())
    state = SelectByForest(2, n_estimators=10).fit(frame, y).to_state()
    state["fitted"]["accuracy"] = state["fitted"]["accuracy"][:2]
    with pytest.raises(MercerError, match="accuracy"):
        SelectByForest.from_state(Reader(state))


@pytest.mark.parametrize(("name", "value"), [
    ("k", 0), ("k", 1.5), ("n_estimators", 0), ("task", "ranking"), ("random_state", -1), ("words", 0),
])  # fmt: skip
def test_options_that_make_no_sense_are_refused(name, value):
    with pytest.raises(BadParameter, match=f"The '{name}' parameter of .* must be .* Got {value!r} instead"):
        mercer.select_features(X, Y, **{name: value})


def test_targets_that_cannot_be_learned():
    with pytest.raises(BadTarget, match="constant"):
        mercer.select_features(X, np.zeros(N))
    with pytest.raises(BadTarget, match="found 'a'"):
        mercer.select_features(X, ["a", "b"] * (N // 2), task="regression")
    with pytest.raises(BadTarget, match="y is None"):
        SelectByForest().fit(X)


def test_more_wanted_than_there_are():
    assert mercer.select_features(X, Y, 99, n_estimators=5).selected == tuple(f"x{j}" for j in range(6))
    tiny = mercer.select_features([[0.0, 1.0], [1.0, 1.0]], ["a", "b"], 1, n_estimators=3)
    assert tiny.selected[0] == "x0"
