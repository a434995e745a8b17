"""Several targets from one search: each is answered as a model of its own would."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsClassifier as Rival
from sklearn.neighbors import KNeighborsRegressor as RivalRegressor
from tests.states import changed

import mercer
from mercer.errors import BadFile, BadTarget, MercerError
from mercer.state import Reader


def several(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    labels = np.column_stack([x[:, 0] > 0, (x[:, 1] > 0).astype(int) + (x[:, 2] > 1), rng.integers(5, 7, n)])
    return x, labels, np.column_stack([x[:, 0] ** 2, 1000 * x[:, 1], np.ones(n)])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_the_answers_of_scikit_learn(weights):
    x, labels, numbers = several()
    fresh = several(30, seed=1)[0]
    theirs, ours = (kind(4, weights=weights).fit(x, labels) for kind in (Rival, mercer.KNeighborsClassifier))
    assert [c.tolist() for c in ours.classes_] == [c.tolist() for c in theirs.classes_]
    assert ours.outputs_2d_ is theirs.outputs_2d_ is True
    np.testing.assert_array_equal(ours.predict(fresh), theirs.predict(fresh))
    for rows in (fresh, None):
        for a, b in zip(ours.predict_proba(rows), theirs.predict_proba(rows), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
    rival, model = (kind(4, weights=weights).fit(x, numbers) for kind in (RivalRegressor, mercer.KNeighborsRegressor))
    np.testing.assert_allclose(model.predict(fresh), rival.predict(fresh))
    assert model.score(x, numbers) == pytest.approx(r2_score(numbers, rival.predict(x)))


def test_weights_of_rows_and_classes_count_in_each_target():
    x, labels, numbers = several()
    weight = np.random.default_rng(3).integers(0, 4, len(x))
    factors = ["balanced", None, {5: 1.0, 6: 2.0}]
    whole = mercer.KNeighborsClassifier(5, class_weight=factors).fit(x, labels, sample_weight=weight)
    for j, factor in enumerate(factors):
        one = mercer.KNeighborsClassifier(5, class_weight=factor).fit(x, labels[:, j], sample_weight=weight)
        np.testing.assert_array_equal(whole.predict_proba(x)[j], one.predict_proba(x))
    means = mercer.KNeighborsRegressor(5).fit(x, numbers, sample_weight=weight)
    for j in range(3):
        one = mercer.KNeighborsRegressor(5).fit(x, numbers[:, j], sample_weight=weight)
        np.testing.assert_array_equal(means.predict(x)[:, j], one.predict(x))


def test_k_is_chosen_for_the_mean_of_the_targets():
    x, labels, numbers = several()
    options = {"weights": "cv", "max_neighbors": 20}
    whole = mercer.KNeighborsClassifier("cv", **options).fit(x, labels)
    ones = [mercer.KNeighborsClassifier("cv", **options).fit(x, labels[:, j]) for j in range(3)]
    for vote, scores in whole.curve_.scores.items():
        np.testing.assert_allclose(scores, np.mean([one.curve_.scores[vote] for one in ones], axis=0))
    means = mercer.KNeighborsRegressor("cv", cv=5, **options).fit(x, numbers)
    ones = [mercer.KNeighborsRegressor("cv", cv=5, **options).fit(x, numbers[:, j]) for j in range(3)]
    shares = [o.curve_.scores["distance"] / (np.var(y) or 1) for o, y in zip(ones, numbers.T, strict=True)]
    np.testing.assert_allclose(means.curve_.scores["distance"], np.mean(shares, axis=0))


def test_a_score_counts_the_rows_that_are_right_in_every_target():
    x, labels, _ = several()
    model = mercer.KNeighborsClassifier(3).fit(x, labels)
    right = (model.predict(x) == labels).all(axis=1)
    assert 0.3 < model.score(x, labels) < 1
    assert model.score(x, labels) == right.mean()
    weight = np.arange(len(x))
    assert model.score(x, labels, sample_weight=weight) == pytest.approx(np.average(right, weights=weight))
    with pytest.raises(BadTarget, match="predicts 3 targets, but y has 2"):
        model.score(x, labels[:, :2])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_targets_of_a_data_frame_keep_their_types(frame):
    x, labels, _ = several()
    y = frame({"who": np.where(labels[:, 0], "old", "young"), "many": labels[:, 1]})
    model = mercer.KNeighborsClassifier(3, metric="hvdm").fit(x, y)
    assert [c.tolist() for c in model.classes_] == [["old", "young"], [0, 1, 2]]
    found = model.predict(x[:2])
    assert found.dtype == object and {type(v) for v in found[0]} == {str, int}
    assert model.explain(x[:1])[0].targets.shape == (3, 2)
    assert model.score(x, y) > 0.5


def test_one_column_of_numbers_stays_a_column_and_labels_become_flat():
    x, labels, numbers = several()
    assert mercer.KNeighborsRegressor(3).fit(x, numbers[:, :1]).predict(x).shape == (120, 1)
    with pytest.warns(UserWarning, match="column-vector"):
        model = mercer.KNeighborsClassifier(3).fit(x, labels[:, :1])
    assert model.predict(x).shape == (120,) and not model.outputs_2d_


def test_levels_are_compared_by_the_combinations_of_labels_they_go_with():
    code = np.arange(200) % 8
    y = np.column_stack([code % 2, code // 4])
    rows = {"c": [f"level{k}" for k in code], "d": [f"level{k}" for k in (code * 3) % 7]}
    model = mercer.KNeighborsClassifier(5, metric="hvdm").fit(rows, y)
    assert model.score(rows, y) == 1.0
    # Levels 0 and 2 go with the same labels: no distance between them in that column.
    assert model.distance_.column_sum_.cost[2] == 0 and model.distance_.column_sum_.cost[1] > 0


def test_several_targets_are_stored():
    x, labels, numbers = several()
    factors = [None, "balanced", None]
    for model in (
        mercer.KNeighborsClassifier(3, class_weight=factors).fit(x, labels),
        mercer.KNeighborsRegressor(3).fit(x, numbers),
        mercer.KNeighborsRegressor(3).fit(x, numbers[:, :1]),
    ):
        back = type(model).from_state(Reader(model.to_state()))
        np.testing.assert_array_equal(back.predict(x), model.predict(x))
        assert back.get_params() == model.get_params()
        assert back.fit(x, labels).predict(x).shape == labels.shape
    state = mercer.KNeighborsRegressor(3).fit(x, numbers).to_state()
    for name, value in (("outputs_2d", False), ("target", np.zeros((120, 0))), ("target", np.zeros((119, 3)))):
        with pytest.raises(BadFile):
            mercer.KNeighborsRegressor.from_state(Reader(changed(state, f"fitted.{name}", value)))


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (np.zeros((120, 0)), "columns side by side"),
        (np.zeros((120, 2, 2)), "columns side by side"),
        (np.zeros((119, 2)), "inconsistent numbers of samples"),
        (np.full((120, 2), np.nan), "NaN"),
        (sp.csr_array(np.ones((120, 2))), "sparse matrix. Use y.toarray"),
    ],
)
def test_targets_that_make_no_sense_are_refused(y, says):
    x, *_ = several()
    for kind in (mercer.KNeighborsClassifier, mercer.KNeighborsRegressor):
        with pytest.raises(ValueError, match=says):
            kind().fit(x, y)


def test_targets_of_the_wrong_kind_are_refused():
    x, labels, numbers = several()
    with pytest.raises(ValueError, match="Unknown label type"):
        mercer.KNeighborsClassifier().fit(x, numbers)
    with pytest.raises(BadTarget, match="must be numbers"):
        mercer.KNeighborsRegressor().fit(x, labels.astype(str) + np.array(["a", "b", "c"], dtype=object))
    for weight, says in (({0: 1.0, 1: 2.0}, "one target of 3"), (["balanced"], "1 entries for 3 targets")):
        with pytest.raises(MercerError, match=says):
            mercer.KNeighborsClassifier(class_weight=weight).fit(x, labels)
