"""The naive Bayes classifiers of scikit-learn's names against scikit-learn's, and on mixed tables."""

from __future__ import annotations

import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes
from tests.states import changed

import mercer
from mercer.errors import BadFile, BadParameter, BadTable, MercerWarning
from mercer.likelihoods import Bernoulli, Codes, ColumnAlpha, Multinomial
from mercer.state import Reader

NAMES = ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"]
COUNTING = NAMES[1:]
RNG = np.random.default_rng(3)
Y = RNG.choice(["a", "b", "c"], 200, p=[0.6, 0.3, 0.1])
SHIFT = np.searchsorted(["a", "b", "c"], Y)[:, None]
COUNTS = RNG.poisson(1 + SHIFT * [0.5, 0, 1, 0.2, 0], (200, 5)).astype(float)
WEIGHT = RNG.random(200)
NEW = RNG.integers(0, int(COUNTS.max(axis=0).min()) + 1, (50, 5)).astype(float)

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in NAMES),
    ("GaussianNB", {"priors": [0.2, 0.3, 0.5], "var_smoothing": 0.1}),
    *((name, {"alpha": 0.3, "fit_prior": False}) for name in COUNTING),
    *((name, {"alpha": 0, "force_alpha": False, "class_prior": [0.2, 0.3, 0.5]}) for name in COUNTING),
    *((name, {"alpha": np.array([0.1, 1.0, 2.0, 0.5, 3.0])}) for name in ("MultinomialNB", "ComplementNB")),
    ("ComplementNB", {"norm": True}),
    ("BernoulliNB", {"binarize": 1.5}),
    ("CategoricalNB", {"min_categories": 12}),
    ("CategoricalNB", {"min_categories": [20, 12, 30, 12, 12]}),
]
ATTRIBUTES = [
    "classes_", "class_count_", "class_prior_", "class_log_prior_", "theta_", "var_", "feature_count_", "feature_all_",
    "feature_log_prob_", "category_count_", "n_categories_", "n_features_in_",
]  # fmt: skip


def both(name: str, options: dict[str, Any]) -> tuple[Any, Any]:
    return getattr(mercer, name)(**options), getattr(naive_bayes, name)(**options)


def assert_alike(ours: Any, theirs: Any, rows: Any) -> None:
    assert_allclose(ours.predict_joint_log_proba(rows), theirs.predict_joint_log_proba(rows), rtol=1e-7, atol=1e-9)
    assert_allclose(ours.predict_log_proba(rows), theirs.predict_log_proba(rows), rtol=1e-7, atol=1e-8)
    assert_array_equal(ours.predict(rows), theirs.predict(rows))
    for name in ATTRIBUTES:
        if not hasattr(theirs, name):
            continue
        mine, expected = getattr(ours, name), getattr(theirs, name)
        for a, b in zip(mine, expected, strict=True) if isinstance(expected, list) else [(mine, expected)]:
            assert np.asarray(a).dtype == np.asarray(b).dtype, name
            if np.asarray(b).dtype.kind in "fi":
                assert_allclose(a, b, rtol=1e-7, atol=1e-12, err_msg=name)


@pytest.mark.filterwarnings("ignore:alpha too small", "ignore:divide by zero")
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)
def test_scikit_learns_answers_on_numbers(name: str, options: dict[str, Any], weight: Any) -> None:
    ours, theirs = (model.fit(COUNTS, Y, sample_weight=weight) for model in both(name, options))
    if weight is not None and "var_smoothing" in options:
        pytest.skip("scikit-learn takes the largest variance without the weights")
    assert_alike(ours, theirs, NEW)
    framed = getattr(mercer, name)(**options).fit(pd.DataFrame(COUNTS), Y, sample_weight=weight)
    assert_array_equal(framed.predict_proba(pd.DataFrame(NEW)), ours.predict_proba(NEW))


@pytest.mark.parametrize("name", NAMES)
def test_chunks_add_up_as_scikit_learns_do(name: str) -> None:
    ours, theirs = both(name, {"var_smoothing": 0.0} if name == "GaussianNB" else {})
    least = {"min_categories": 20} if name == "CategoricalNB" else {}
    for model in (ours, theirs):
        model.set_params(**least)
        for start in (0, 70, 140):
            rows = slice(start, start + 70)
            model.partial_fit(COUNTS[rows], Y[rows], classes=["a", "b", "c", "never"], sample_weight=WEIGHT[rows])
    if name == "GaussianNB":  # a class without rows has no normal density: theirs divides by 0
        assert_array_equal(
            ours.predict(NEW), ours.classes_[np.argmax(ours.predict_joint_log_proba(NEW)[:, :3], axis=1)]
        )
        assert_allclose(ours.theta_[:3], theirs.theta_[:3])
    else:
        assert_alike(ours, theirs, NEW)


@pytest.mark.parametrize("name", NAMES)
def test_their_parameters_come_first_with_their_defaults(name: str) -> None:
    theirs = inspect.signature(getattr(naive_bayes, name)).parameters
    mine = inspect.signature(getattr(mercer, name)).parameters
    assert list(mine)[: len(theirs)] == list(theirs)
    for key, parameter in theirs.items():
        assert (mine[key].default, mine[key].kind) == (parameter.default, parameter.kind)


@pytest.mark.parametrize("name", COUNTING)
def test_sparse_rows_give_what_dense_ones_give(name: str) -> None:
    model = getattr(mercer, name)
    dense, sparse = model().fit(COUNTS, Y, WEIGHT), model().fit(sp.csr_matrix(COUNTS), Y, WEIGHT)
    assert_allclose(sparse.predict_joint_log_proba(sp.csr_array(NEW)), dense.predict_joint_log_proba(NEW), rtol=1e-12)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_a_million_hashed_columns_stay_sparse(name: str, alpha: float) -> None:
    place = (RNG.integers(0, 60, 600), RNG.integers(0, 2**20, 600))
    rows = sp.csr_matrix((np.ones(600), place), shape=(60, 2**20))  # 480 MB if dense
    model = getattr(mercer, name)(alpha=alpha).fit(rows, np.arange(60) % 2)
    assert np.isfinite(model.predict_proba(rows)).all()
    assert (model.predict(rows) == np.arange(60) % 2).mean() > 0.9


def test_indicators_that_are_0_and_1_already() -> None:
    there = (COUNTS > 1).astype(float)
    ours, theirs = both("BernoulliNB", {"binarize": None})
    assert_alike(ours.fit(there, Y), theirs.fit(there, Y), (NEW > 1).astype(float))
    with pytest.raises(BadTable, match="indicators: from 0 to 1"):
        ours.fit(COUNTS, Y)


def test_alpha_of_each_column() -> None:  # scikit-learn's BernoulliNB cannot broadcast it
    alpha = np.array([0.1, 1.0, 2.0, 0.5, 3.0])
    model = mercer.BernoulliNB(alpha=alpha).fit(COUNTS, Y)
    for j, one in enumerate(alpha):
        single = mercer.BernoulliNB(alpha=one).fit(COUNTS[:, [j]], Y)
        assert_allclose(model.feature_log_prob_[:, [j]], single.feature_log_prob_)


def test_indicators_skip_missing_cells() -> None:
    rows = np.array([[1.0, 0.0], [0.0, np.nan], [1.0, 1.0], [np.nan, 1.0]])
    model = mercer.BernoulliNB().fit(rows, ["a", "a", "b", "b"])
    assert_array_equal(model.feature_count_, [[1, 0], [1, 2]])
    assert_allclose(np.exp(model.feature_log_prob_), [[1 / 2, 1 / 3], [2 / 3, 3 / 4]])
    half = np.exp(model.predict_joint_log_proba([[np.nan, 1.0]]))
    assert_allclose(half, [[0.5 / 3, 0.5 * 3 / 4]])
    by_column = model.likelihoods_[0].column_log_prob(mercer.read_table(rows)).sum(axis=1)
    assert_allclose(model.predict_joint_log_proba(rows), by_column + np.log(0.5))
    sparse = sp.csr_matrix(rows)
    assert_allclose(
        mercer.BernoulliNB().fit(sparse, list("aabb")).predict_proba(sparse), model.predict_proba(rows), rtol=1e-12
    )


def test_what_never_happened_is_impossible_without_smoothing() -> None:
    model = mercer.BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    assert_array_equal(model.predict_proba([[1, 0], [0, 1]]), [[1, 0], [0, 1]])
    counts = mercer.MultinomialNB(alpha=0).fit([[1, 0], [0, 1]], ["a", "b"])
    assert_array_equal(counts.predict_proba([[3, 0], [0, 2]]), [[1, 0], [0, 1]])


def test_levels_and_words_beside_the_numbers() -> None:
    table = {"n": COUNTS[:, 0], "job": np.where(RNG.random(200) < 0.7, Y, "other"), "text": [f"word {y} x" for y in Y]}
    kinds = {"job": "category", "text": "text"}
    plain = mercer.NaiveBayes({"numeric": "multinomial"}, smoothing=0.5, kinds=kinds).fit(table, Y)
    preset = mercer.MultinomialNB(alpha=0.5, kinds=kinds).fit(table, Y)
    assert_array_equal(preset.predict_proba(table), plain.predict_proba(table))
    assert preset.feature_count_.shape == (3, 1)
    levels = mercer.CategoricalNB(kinds=kinds).fit(table, Y)
    assert levels.n_categories_.tolist() == [int(COUNTS[:, 0].max()) + 1, 4]
    assert levels.category_count_[1].sum() == 200
    with pytest.raises(AttributeError, match="without numeric columns"):
        _ = mercer.GaussianNB(kinds={"job": "category"}).fit({"job": table["job"]}, Y).theta_
    with pytest.raises(BadParameter, match="not every column is a number"):
        mercer.MultinomialNB(alpha=[1.0, 2.0, 3.0], kinds=kinds).fit(table, Y)


def test_a_level_never_seen_gets_the_mass_that_alpha_leaves() -> None:
    model = mercer.CategoricalNB().fit([[0], [0], [1]], ["a", "a", "b"])
    assert_allclose(np.exp(model.predict_joint_log_proba([[7]])), [[2 / 3 * 1 / 4, 1 / 3 * 1 / 3]])


def test_fractions_are_cut_off_with_a_warning() -> None:
    with pytest.warns(MercerWarning, match="'x0': fractions are cut off"):
        model = mercer.CategoricalNB().fit([[0.9], [0.2], [1.5]], ["a", "a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(
            model.predict_proba([[1.9]]), mercer.CategoricalNB().fit([[0], [0], [1]], list("aab")).predict_proba([[1]])
        )


def test_refusals() -> None:
    with pytest.raises(BadTable, match="more than 1,000,000 levels"):
        mercer.CategoricalNB().fit([[0.0], [1e9]], ["a", "b"])
    with pytest.raises(BadParameter, match="2 numbers for 1 columns"):
        mercer.NaiveBayes(Codes(n_levels=[2, 3])).fit([[0], [1]], ["a", "b"])
    with pytest.raises(BadParameter, match="3 numbers for 2 columns"):
        mercer.NaiveBayes(Multinomial(ColumnAlpha([1.0, 1.0, 1.0]))).fit(COUNTS[:, :2], Y)
    with pytest.raises(BadParameter, match="alpha"):
        mercer.NaiveBayes(Bernoulli(ColumnAlpha([1.0, -1.0]))).fit(COUNTS[:, :2], Y)
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        mercer.BernoulliNB().partial_fit(COUNTS, Y, classes=["a", "b"])


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_model_goes_on_learning(name: str) -> None:
    model = getattr(mercer, name)().partial_fit(COUNTS[:100], Y[:100], classes=["a", "b", "c"])
    again = type(model).from_state(Reader(model.to_state()))
    more = [m.partial_fit(COUNTS[100:], Y[100:]).predict_proba(NEW) for m in (model, again)]
    assert_array_equal(*more)


def test_counts_in_the_slot_of_unseen_levels_are_refused() -> None:
    state = mercer.CategoricalNB().fit([[0], [1]], ["a", "b"]).to_state()
    part = state["fitted"]["likelihoods"][0]
    for key, value in (
        ("counts", np.ones_like(part["statistics"]["counts"])),
        ("sizes", np.array([10**9])),
        ("sizes", np.array([5])),
    ):
        bad = changed(part, f"statistics.{key}", value)
        with pytest.raises(BadFile):
            mercer.CategoricalNB.from_state(Reader(changed(state, "fitted.likelihoods", [bad])))


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_what_predictions_keep_is_of_the_statistics_as_they_are(name: str) -> None:
    kind = getattr(mercer, name)
    model = kind().partial_fit(COUNTS[:100], Y[:100], classes=["a", "b", "c"])
    size = len(pickle.dumps(model))
    model.predict(NEW)
    assert len(pickle.dumps(model)) == size  # a pickle holds the counts alone
    model.partial_fit(COUNTS[100:], Y[100:])
    assert_array_equal(model.predict_proba(NEW), kind().fit(COUNTS, Y).predict_proba(NEW))
    part, table = model.likelihoods_[0], mercer.read_table(COUNTS[:1])
    part.update(table, np.zeros(1, np.int32), None)
    more = np.zeros((1, 3))
    part.add_log_prob(table, more)
    assert_allclose(more, part.column_log_prob(table).sum(axis=1))
