"""Boosted trees: laws, scikit-learn and LightGBM as witnesses, what only ours do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier as TheirClassifier
from sklearn.ensemble import HistGradientBoostingRegressor as TheirRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import mercer
from mercer import HistGradientBoostingClassifier as Classifier
from mercer import HistGradientBoostingRegressor as Regressor
from mercer.errors import BadParameter, BadTarget
from mercer.estimators.boosting.base import LEAST_HESSIAN
from mercer.solvers.boost import boost

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("extra", [{}, {"l2_regularization": 3.0, "max_depth": 3}, {"max_leaf_nodes": None}])
def test_numbers_are_those_of_scikit_learn(loss: Any, extra: dict[str, Any]) -> None:
    X, y = load_diabetes(return_X_y=True)
    X = np.round(X, 3)  # fewer than 255 values a column: both have the same bins
    ours = Regressor(loss, max_iter=20, **extra).fit(X, y)
    theirs = TheirRegressor(loss=loss, max_iter=20, **extra).fit(X, y)
    close = np.isclose(ours.predict(X), theirs.predict(X), rtol=1e-4)
    assert close.mean() > 0.97  # of tests that gain alike, rounding may choose another


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_probabilities_are_those_of_scikit_learn(load: Any) -> None:
    X, y = load(return_X_y=True)
    X = np.round(X / X.std(axis=0), 1)  # fewer than 255 values a column: both have the same bins
    ours = Classifier(max_iter=10).fit(X, y).predict_proba(X)
    theirs = TheirClassifier(max_iter=10).fit(X, y).predict_proba(X)
    assert (np.abs(ours - theirs).max(axis=1) < 0.01).mean() > 0.97


def test_missing_cells_and_monotone_columns_as_scikit_learn() -> None:
    X, y = make_friedman1(400, random_state=0)
    X[RNG.random(X.shape) < 0.1] = np.nan
    X = np.round(X, 2)
    signs = [1, 1, 0, 0, -1, 0, 0, 0, 0, 0]
    ours = Regressor(max_iter=20, monotonic_cst=signs).fit(X, y)
    theirs = TheirRegressor(max_iter=20, monotonic_cst=signs).fit(X, y)
    assert np.isclose(ours.predict(X), theirs.predict(X), rtol=1e-4).mean() > 0.95


def test_a_monotone_column_keeps_its_promise() -> None:
    X = RNG.normal(size=(500, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * RNG.normal(size=500)
    grid = np.repeat(X[:40], 50, axis=0)
    grid[:, 0] = np.tile(np.linspace(-3, 3, 50), 40)
    for loss in ("squared_error", "absolute_error", "huber"):
        model = Regressor(loss, monotonic_cst=[1, 0, 0], min_samples_leaf=5).fit(X, y)
        assert (np.diff(model.predict(grid).reshape(40, 50), axis=1) >= -1e-12).all()


def test_a_row_of_weight_two_is_two_rows() -> None:
    X, y = RNG.normal(size=(80, 3)).round(1), RNG.integers(0, 2, 80)
    weight = RNG.integers(1, 4, 80)
    model = Classifier(min_samples_leaf=1, max_iter=10)
    weighted = model.fit(X, y, sample_weight=weight).decision_function(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-6, atol=1e-9)


def test_neither_the_order_of_rows_nor_threads_change_the_model() -> None:
    X, y = RNG.normal(size=(9000, 6)), RNG.normal(size=9000)
    order = RNG.permutation(len(y))
    one = Regressor(max_iter=5, n_jobs=1).fit(X, y).predict(X)
    assert np.array_equal(one, Regressor(max_iter=5, n_jobs=2).fit(X, y).predict(X))
    again = Regressor(max_iter=5, n_jobs=2).fit(X[order], y[order]).predict(X)
    np.testing.assert_allclose(one, again, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("subsample", [1.0, 0.6])
def test_trees_of_several_classes_are_the_same_side_by_side_and_one_after_the_other(subsample: float) -> None:
    X = RNG.normal(size=(9000, 8))
    y = np.digitize(X[:, 0] * X[:, 1], [-1.0, -0.2, 0.2, 1.0])
    one, two, three = (Classifier(max_iter=3, n_jobs=jobs, subsample=subsample, random_state=0) for jobs in (1, 2, 3))
    expected = one.fit(X, y).predict_proba(X)
    assert np.array_equal(two.fit(X, y).predict_proba(X), expected)
    assert np.array_equal(three.fit(X, y).predict_proba(X), expected)


def test_categories_words_and_gaps_as_they_are() -> None:
    n = 600
    city = RNG.choice([f"c{i}" for i in range(40)], n)
    chosen = {f"c{i}" for i in range(0, 40, 3)}
    gaps = RNG.random(n) < 0.3
    note = RNG.choice(["a cheap offer today", "the minutes of a meeting", "an offer of lunch"], n)
    y = np.where(np.isin(city, list(chosen)) ^ ["offer" in text for text in note], "yes", "no")
    rows = {"city": city, "age": np.where(gaps, None, 40.0), "note": note, "pay": RNG.normal(size=n)}
    model = Classifier(kinds={"note": "text"}, learning_rate=0.3).fit(rows, y)
    assert model.score(rows, y) > 0.97
    assert model.is_categorical_ is not None
    top = np.argsort(-model.feature_importances_)[:2]
    assert {model.schema_.names[j] for j in top} == {"city", "note"}


def test_categorical_features_of_an_array() -> None:
    X = np.column_stack([RNG.integers(0, 12, 500), RNG.normal(size=500)])
    y = np.isin(X[:, 0], [1, 4, 7, 9]).astype(int)
    for named in ([0], [True, False]):
        model = Classifier(categorical_features=named, max_leaf_nodes=2, max_iter=40).fit(X, y)
        assert model.score(X, y) == 1.0, "one test of levels tells the classes apart"
    with pytest.raises(BadParameter, match="no column 5"):
        Classifier(categorical_features=[5]).fit(X, y)


def test_early_stopping_keeps_the_best_round() -> None:
    X, y = make_friedman1(600, noise=4.0, random_state=1)
    options: Any = {"early_stopping": True, "max_iter": 500, "learning_rate": 0.3, "random_state": 0}
    model = Regressor(**options, keep_best=True).fit(X, y)
    assert model.n_iter_ < 500
    assert model.n_iter_ == int(np.argmax(model.validation_score_))
    whole = Regressor(**options).fit(X, y)
    assert whole.n_iter_ >= model.n_iter_ + whole.n_iter_no_change
    assert whole.n_iter_ == len(whole.validation_score_) - 1


def test_warm_start_goes_on_and_staged_predictions_end_at_the_last() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    once = Classifier(max_iter=12, random_state=0).fit(X, y)
    twice = Classifier(max_iter=5, warm_start=True, random_state=0).fit(X, y)
    twice.set_params(max_iter=12).fit(X, y)
    np.testing.assert_allclose(once.decision_function(X), twice.decision_function(X), rtol=1e-12)
    stages = list(once.staged_predict_proba(X))
    assert len(stages) == 12
    np.testing.assert_allclose(stages[-1], once.predict_proba(X), rtol=1e-12)


def test_a_quantile_lies_above_its_share_of_the_rows() -> None:
    X = RNG.normal(size=(2000, 2))
    y = X[:, 0] + RNG.normal(size=2000)
    train, test = slice(0, 1500), slice(1500, None)
    model = Regressor("quantile", quantile=0.8).fit(X[train], y[train])
    assert 0.72 < (y[test] <= model.predict(X[test])).mean() < 0.88


def test_interactions_that_are_not_allowed_do_not_happen() -> None:
    X = RNG.normal(size=(400, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = Regressor(interaction_cst="no_interactions", max_iter=20).fit(X, y)
    base = np.zeros((4, 3))
    base[[1, 3], 0], base[[2, 3], 1] = 1.0, 1.0
    a, b, c, d = model.predict(base)
    assert abs((d - c) - (b - a)) < 1e-9, "the effect of one column does not depend on the other"


def test_a_stored_model_answers_alike(tmp_path: Any) -> None:
    table = mercer.load_penguins()
    sex = [str(v) for v in table.column("Sex")]
    model = Classifier(max_iter=5, min_samples_leaf=5).fit(table, sex)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    assert np.array_equal(again.feature_importances_, model.feature_importances_)


def test_as_good_as_lightgbm_with_its_own_categories() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is a witness, not a dependency")
    n = 3000
    level, x = RNG.integers(0, 30, n), RNG.normal(size=(n, 3))
    effect = RNG.normal(size=30)
    p = 1 / (1 + np.exp(-(effect[level] + x[:, 0] * x[:, 1])))
    y = (RNG.random(n) < p).astype(int)
    train, test = train_test_split(np.arange(n), random_state=0)
    rows = {"level": [f"l{k}" for k in level], **{f"x{j}": x[:, j] for j in range(3)}}
    ours = Classifier().fit({k: np.asarray(v)[train] for k, v in rows.items()}, y[train])
    found = log_loss(y[test], ours.predict_proba({k: np.asarray(v)[test] for k, v in rows.items()}))
    theirs = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, num_leaves=31)
    wide = np.column_stack([level, x])
    theirs.fit(wide[train], y[train], categorical_feature=[0])
    assert found < log_loss(y[test], theirs.booster_.predict(wide[test])) + 0.01


def test_rows_that_are_certain_but_for_one_make_no_leaf_of_a_huge_value() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    y = (X[:, 0] > 2.2) ^ (rng.random(4000) < 0.004)  # a rare class, some labels wrong
    model = Classifier(max_iter=60, early_stopping=False).fit(X[:2000], y[:2000])
    leaves = model.forest_.column < 0
    assert model.forest_.hessian[leaves].min() >= LEAST_HESSIAN
    assert log_loss(y[2000:], model.predict_proba(X[2000:])) < 0.045  # with a least hessian of 1e-3: 0.0459


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (Regressor("quantile"), "which quantile"),
        (Regressor(monotonic_cst=[1]), "features"),
        (Regressor(monotonic_cst={"nobody": 1}), "Pass monotonic_cst as an integer array"),
        (Regressor(interaction_cst=[[0, 9]]), "integer indices"),
        (Regressor(max_bins=256), "max_bins"),
        (Regressor(learning_rate=0.0), "learning_rate"),
    ],
)
def test_wrong_parameters_are_named(model: Any, match: str) -> None:
    X, y = RNG.normal(size=(30, 3)), RNG.normal(size=30)
    with pytest.raises(BadParameter, match=match):
        model.fit(X, y)


def test_targets_that_a_loss_cannot_have() -> None:
    X = RNG.normal(size=(30, 2))
    with pytest.raises(BadTarget, match="strictly positive"):
        Regressor("gamma").fit(X, np.zeros(30))
    with pytest.raises(BadTarget, match="non-negative"):
        Regressor("poisson").fit(X, -np.ones(30))


def test_a_sum_beyond_the_range_of_numbers_is_told() -> None:
    X, y = RNG.normal(size=(60, 2)), RNG.integers(0, 3, 60)
    with pytest.raises(BadTarget, match="lower learning_rate"):
        Classifier(learning_rate=1.7e308, min_samples_leaf=2).fit(X, y)


def test_signs_in_a_matrix_are_refused_for_several_classes() -> None:
    X, y = RNG.normal(size=(30, 3)), np.arange(30) % 3
    with pytest.raises(BadParameter, match="monotonic_cst has shape"):
        Classifier(monotonic_cst=np.zeros((2, 2))).fit(X, y)
    with pytest.raises(BadParameter, match="multiclass"):
        Classifier(monotonic_cst=np.ones((2, 2))).fit(X, y)


@pytest.mark.parametrize(("n_rows", "threads"), [(500, {1}), (9000, {2})])
def test_a_small_table_is_boosted_by_one_thread(
    n_rows: int, threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To start and to wait for a second one took half of the processor time of 600 rows of 20 columns."""
    asked, grow = set(), boost.core.boost_rounds

    def counting(*given: Any) -> Any:
        asked.add(given[-1])
        return grow(*given)

    monkeypatch.setattr(boost.core, "boost_rounds", counting)
    x = np.random.default_rng(0).normal(size=(n_rows, 10))
    Regressor(max_iter=2, n_jobs=2).fit(x, x[:, 0])
    assert asked == threads


@pytest.mark.parametrize(("n_rows", "l2", "share"), [(300, 5.0, 0.3), (8001, 1.0, 0.5)])
def test_restraint_by_the_number_of_rows(n_rows, l2, share):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 6))
    y = X[:, 0] * X[:, 1] + rng.normal(size=n_rows)
    settings = {"max_iter": 3, "random_state": 0, "early_stopping": False}
    auto = mercer.HistGradientBoostingRegressor(l2_regularization="auto", max_features="auto", **settings)
    given = mercer.HistGradientBoostingRegressor(l2_regularization=l2, max_features=share, **settings)
    np.testing.assert_array_equal(auto.fit(X, y).predict(X), given.fit(X, y).predict(X))
    with pytest.raises(BadParameter, match="max_features"):
        auto.set_params(max_features="all").fit(X, y)
