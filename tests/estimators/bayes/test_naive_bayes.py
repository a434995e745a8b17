"""Naive Bayes on mixed tables: missing cells, unseen levels, weights, chunks, merging, explaining."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier

import mercer
from mercer.errors import BadColumn, MercerError
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.likelihoods import Alpha, Binned, Density, Gaussian, MEstimate, Words


@pytest.fixture
def people() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    n = 240
    y = rng.choice(["stay", "go", "maybe"], n, p=[0.5, 0.3, 0.2])
    shift = pd.Series(y).map({"stay": 0.0, "go": 2.0, "maybe": -1.0}).to_numpy()
    frame = pd.DataFrame(
        {
            "age": rng.normal(40 + 5 * shift, 8),
            "job": rng.choice(["clerk", "sales", "tech"], n),
            "member": rng.random(n) < 0.3 + 0.2 * (y == "go"),
            "note": [f"{'urgent call' if k == 'go' else 'no news today'} number {i % 7}" for i, k in enumerate(y)],
        }
    )
    frame.loc[::9, "age"] = np.nan
    frame.loc[::7, "job"] = None
    return frame, y


KINDS = {"note": "text"}


def test_learns_from_every_kind(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = people
    model = mercer.NaiveBayes(kinds=KINDS).fit(X, y)
    assert sorted(part.key for part in model.likelihoods_) == ["categorical", "gaussian", "words"]
    assert model.score(X, y) > 0.8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_missing_cell_is_skipped_not_the_row() -> None:
    X = {"a": ["x", "x", "y", None], "b": [1.0, None, 3.0, 4.0]}
    tables = mercer.NaiveBayes(smoothing="none").fit(X, [0, 0, 1, 1]).tables()
    np.testing.assert_array_equal(tables["a"].counts, [[2, 0], [0, 1]])
    np.testing.assert_array_equal(tables["b"].values[-1], [1, 2])


def test_a_row_of_missing_cells_gets_the_prior(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = people
    model = mercer.NaiveBayes(kinds=KINDS).fit(X, y)
    nothing = pd.DataFrame({"age": [np.nan], "job": [None], "member": [None], "note": [None]})
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.class_prior_)


def test_unseen_level_gets_the_smoothed_mass() -> None:
    model = mercer.NaiveBayes().fit({"a": ["x", "x", "y", "z", "x"]}, [0, 0, 0, 1, 1])
    joint = np.exp(model.predict_joint_log_proba({"a": ["never"]}))[0]
    np.testing.assert_allclose(joint, [3 / 5 * 1 / (3 + 3), 2 / 5 * 1 / (2 + 3)])


def test_without_smoothing_an_unseen_level_says_nothing_and_an_impossible_row_gets_the_prior() -> None:
    model = mercer.NaiveBayes(smoothing="none").fit({"a": list("xxy"), "b": list("uvv")}, [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba({"a": ["never"], "b": [None]})[0], model.class_prior_)
    np.testing.assert_allclose(model.predict_proba({"a": ["y"], "b": ["u"]})[0], model.class_prior_)


def test_five_thousand_columns_do_not_underflow() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5000)) + 0.3 * y[:, None]
    model = mercer.NaiveBayes().fit(X, y)
    proba = model.predict_proba(X)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("variance", ["class", "pooled", "global"])
def test_variances(variance: str) -> None:
    x, y = np.array([[1.0], [2.0], [4.0], [10.0], [14.0]]), [0, 0, 0, 1, 1]
    found = mercer.NaiveBayes(variance=variance).fit(x, y).tables()["x0"].values[1]
    a, b = x[:3].var(ddof=1), x[3:].var(ddof=1)
    expected = {"class": [a, b], "pooled": [(2 * a + b) / 3] * 2, "global": [x.var(ddof=1)] * 2}
    np.testing.assert_allclose(found, expected[variance])


def test_a_column_constant_within_a_class_does_not_decide_alone() -> None:
    """As a pixel that one digit never touched: a speck on it must not outweigh all that speaks for the digit."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = np.column_stack([rng.normal(6.0 * y, 1.0), np.where(y == 1, rng.normal(size=100), 0.0)])
    speck = [[0.0, 0.05]]
    assert mercer.NaiveBayes().fit(X, y).predict(speck)[0] == 0
    assert mercer.NaiveBayes(variance_floor=1e-9).fit(X, y).predict(speck)[0] == 1


def test_a_class_of_one_row_takes_the_pooled_variance() -> None:
    model = mercer.NaiveBayes().fit([[0.0], [2.0], [9.0]], [0, 0, 1])
    np.testing.assert_allclose(model.tables()["x0"].values[1], [2.0, 2.0])


def test_a_class_that_never_saw_the_column_is_neither_favoured_nor_punished() -> None:
    model = mercer.NaiveBayes(priors="uniform").fit({"a": [1.0, 2.0, None, None]}, [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba({"a": [1.5]})[0], [0.5, 0.5])


def test_likelihoods_by_column_and_by_kind(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = people
    model = mercer.NaiveBayes({"age": Density(bandwidth=2.0)}, kinds=KINDS).fit(X, y)
    assert model.tables()["age"].likelihood == "density"
    np.testing.assert_allclose(model.tables()["age"].values[1], 2.0)
    binned = mercer.NaiveBayes({"numeric": Binned(n_bins=4)}, kinds=KINDS).fit(X, y)
    assert len(binned.tables()["age"].rows) == 4


def test_priors_by_class_and_uniform() -> None:
    X, y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]
    uniform = mercer.NaiveBayes(priors="uniform").fit(X, y)
    by_name = mercer.NaiveBayes(priors={"a": 0.5, "b": 0.5}).fit(X, y)
    np.testing.assert_array_equal(uniform.predict_proba(X), by_name.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [0.5, 0.4]}, "sum of the priors"),
        ({"priors": [0.5, 0.25, 0.25]}, "must match number of classes"),
        ({"priors": {"a": 1.0}}, "lacks the class 'b'"),
        ({"priors": "flat"}, "uniform"),
        ({"smoothing": "heavy"}, "laplace"),
        ({"smoothing": -1.0}, "a number of at least 0"),
        ({"variance": "own"}, "'class' or 'pooled' or 'global'"),
        ({"likelihoods": Gaussian(var_smoothing=-1.0)}, "The 'var_smoothing' parameter of Gaussian must be"),
        ({"likelihoods": "gauss"}, "Did you mean 'gaussian'"),
        ({"likelihoods": {"nowhere": "gaussian"}}, "no column 'nowhere'"),
        ({"likelihoods": "categorical"}, "x0"),
        ({"likelihoods": "density", "kinds": None}, None),
    ],
)
def test_options_are_checked_in_fit(options: dict[str, object], message: str | None) -> None:
    model = mercer.NaiveBayes(**options)
    if message is None:
        model.fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
        return
    with pytest.raises(MercerError, match=message):
        model.fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])


CHUNKED = [None, "density", "binned", Gaussian(variance="pooled"), Gaussian(variance="global")]
CHUNKED += [Gaussian(var_smoothing=0.1)]


@pytest.mark.parametrize("likelihoods", CHUNKED, ids=repr)
@pytest.mark.parametrize("how", ["merge", "partial_fit"])
def test_chunks_give_the_model_of_all_rows(
    people: tuple[pd.DataFrame, np.ndarray], likelihoods: object, how: str
) -> None:
    X, y = people
    whole = mercer.NaiveBayes(likelihoods, kinds=KINDS).fit(X, y)
    pieces = [slice(0, 30), slice(30, 170), slice(170, None)]
    if how == "merge":
        a, b, c = (mercer.NaiveBayes(likelihoods, kinds=KINDS).fit(X[s], y[s]) for s in pieces)
        model = a.merge(b).merge(c)
    else:
        model = mercer.NaiveBayes(likelihoods, kinds=KINDS)
        for piece in pieces:
            model.partial_fit(X[piece], y[piece])
    assert [(c.name, c.kind, c.levels) for c in model.schema_] == [(c.name, c.kind, c.levels) for c in whole.schema_]
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_merge_joins_levels_and_classes() -> None:
    a = mercer.NaiveBayes().fit({"j": ["p", "q", "p", "q"]}, ["u", "u", "v", "v"])
    b = mercer.NaiveBayes().fit({"j": ["r", "q", "r"]}, ["v", "w", "w"])
    whole = mercer.NaiveBayes().fit({"j": ["p", "q", "p", "q", "r", "q", "r"]}, list("uuvvvww"))
    both = a.merge(b)
    assert both.classes_.tolist() == ["u", "v", "w"]
    np.testing.assert_array_equal(both.tables()["j"].counts, whole.tables()["j"].counts)
    np.testing.assert_array_equal(a.classes_, ["u", "v"])  # a itself is left alone


def test_merge_refuses_other_columns_and_other_options() -> None:
    a = mercer.NaiveBayes().fit({"j": [1.0, 2.0]}, [0, 1])
    with pytest.raises(BadColumn, match="different columns"):
        a.merge(mercer.NaiveBayes().fit({"k": [1.0, 2.0]}, [0, 1]))
    with pytest.raises(MercerError, match="options"):
        a.merge(mercer.NaiveBayes(ddof=0).fit({"j": [1.0, 2.0]}, [0, 1]))


def test_partial_fit_makes_room_for_announced_classes_and_refuses_others() -> None:
    model = mercer.NaiveBayes().partial_fit([[0.0], [1.0]], [0, 0], classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba([[0.5]])[0].tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        mercer.NaiveBayes().partial_fit([[0.0]], [3], classes=[0, 1])


@pytest.mark.parametrize("likelihoods", [None, "density", "binned"])
def test_explanations_add_up(people: tuple[pd.DataFrame, np.ndarray], likelihoods: object) -> None:
    X, y = people
    keep = y != "maybe"
    for rows, labels in ((X, y), (X[keep], y[keep])):
        model = mercer.NaiveBayes(likelihoods, kinds=KINDS).fit(rows, labels)
        found = model.explain(rows)
        place = {c: k for k, c in enumerate(model.classes_)}
        proba = model.predict_log_proba(rows)
        i = np.arange(len(rows))
        odds = proba[i, [place[c] for c in found.for_class]] - proba[i, [place[c] for c in found.against_class]]
        np.testing.assert_allclose(found.total, odds, rtol=1e-9, atol=1e-9)
    assert "(base)" in repr(found)
    assert "age" in found.row(0)


def test_sparse_counts_are_multinomial_and_equal_the_dense_model() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.4, (50, 8)).astype(float), rng.integers(0, 3, 50)
    sparse = mercer.NaiveBayes().fit(sp.csr_array(X), y)
    assert sparse.likelihoods_[0].key == "multinomial"
    dense = mercer.NaiveBayes("multinomial").fit(X, y)
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X))


def test_tables_read_well(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = people
    tables = mercer.NaiveBayes(kinds=KINDS, smoothing=Alpha(0.5)).fit(X, y).tables()
    text = repr(tables)
    assert "P(class)" in text
    assert "job (categorical)" in text
    assert "<table>" in tables._repr_html_()
    assert [t.name for t in tables] == ["age", "job", "member", "note"]


def test_threads_do_not_change_the_model() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100_000, 3)), rng.integers(0, 4, 100_000)
    one, two = (mercer.NaiveBayes(n_jobs=j).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.likelihoods_[0].mean, two.likelihoods_[0].mean)
    np.testing.assert_array_equal(one.likelihoods_[0].m2, two.likelihoods_[0].m2)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("options", [{}, {"likelihoods": Binned(n_bins=3), "smoothing": 0.5, "priors": "uniform"}])
def test_a_model_read_from_a_file_goes_on_learning(
    people: tuple[pd.DataFrame, np.ndarray], tmp_path: Path, options: dict[str, object]
) -> None:
    X, y = people
    first = mercer.NaiveBayes(kinds=KINDS, **options).fit(X[:100], y[:100])
    mercer.save(first, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    for model in (first, again):
        model.partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(again.predict_proba(X), first.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("likelihoods", [None, "binned", Density(2.0)], ids=repr)
def test_balanced_class_weight_is_fitting_with_the_weights(
    people: tuple[pd.DataFrame, np.ndarray], likelihoods: object
) -> None:
    X, y = people
    sizes = pd.Series(y).value_counts()
    factor = pd.Series(y).map(len(y) / (len(sizes) * sizes)).to_numpy()
    weight = np.linspace(0.5, 2, len(y))
    balanced = mercer.NaiveBayes(likelihoods, class_weight="balanced", kinds=KINDS).fit(X, y)
    np.testing.assert_allclose(balanced.class_prior_, 1 / 3)
    by_rows = mercer.NaiveBayes(likelihoods, kinds=KINDS).fit(X, y, factor)
    np.testing.assert_allclose(balanced.predict_proba(X), by_rows.predict_proba(X), rtol=1e-9)
    by_class = {"go": 2.0, "stay": 0.5}
    both = mercer.NaiveBayes(likelihoods, class_weight=by_class, kinds=KINDS).fit(X, y, weight)
    counts = row_counts(weight) * [by_class.get(label, 1.0) for label in y]
    by_rows = mercer.NaiveBayes(likelihoods, kinds=KINDS).partial_fit(X, y, sample_weight=counts)
    np.testing.assert_allclose(both.predict_proba(X), by_rows.predict_proba(X), rtol=1e-9)


def test_class_weight_in_chunks(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Also where the first chunk lacks a class that class_weight names."""
    X, y = people
    order = np.argsort(y == "maybe", kind="stable")
    X, y = X.iloc[order], y[order]
    model = mercer.NaiveBayes(class_weight={"maybe": 3.0, "go": 0.5}, kinds=KINDS)
    whole = mercer.NaiveBayes(class_weight={"maybe": 3.0, "go": 0.5}, kinds=KINDS).fit(X, y)
    chunked = model.partial_fit(X[:120], y[:120]).partial_fit(X[120:], y[120:])
    np.testing.assert_allclose(chunked.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


def test_balanced_class_weight_is_refused_where_rows_come_in_parts() -> None:
    X, y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]
    model = mercer.NaiveBayes(class_weight="balanced").fit(X, y)
    with pytest.raises(MercerError, match=r"partial_fit cannot use it\. Give class_weight as a dict"):
        model.partial_fit(X, y)
    with pytest.raises(MercerError, match="merge cannot use it"):
        model.merge(model)
    with pytest.raises(MercerError, match="differ in class_weight"):
        mercer.NaiveBayes().fit(X, y).merge(mercer.NaiveBayes(class_weight={"a": 2.0}).fit(X, y))


PARAMETERS: list[dict[str, object]] = [
    {},
    {"likelihoods": "density", "priors": "uniform", "smoothing": "none", "variance": "pooled", "ddof": 0},
    {"likelihoods": Gaussian(var_smoothing=0.1), "priors": {"stay": 0.2, "go": 0.3, "maybe": 0.5}, "n_jobs": 2},
    {"likelihoods": {"age": Density(2.0), "category": "categorical", "text": Words(MEstimate(2.0, "marginal"))}},
    {"likelihoods": {"numeric": Binned(4, "width", Alpha(0.5))}, "smoothing": MEstimate(3), "class_weight": "balanced"},
    {"priors": (0.25, 0.25, 0.5), "smoothing": 0.5, "variance_floor": 0.0, "class_weight": {"go": 2.0}},
    {"smoothing": Alpha(2.0), "likelihoods": {}, "kinds": {"note": "text", "job": ["tech", "sales", "clerk"]}},
]


@pytest.mark.parametrize("options", PARAMETERS, ids=str)
def test_a_loaded_model_has_the_parameters_it_was_made_with(
    people: tuple[pd.DataFrame, np.ndarray], tmp_path: Path, options: dict[str, object]
) -> None:
    X, y = people
    model = mercer.NaiveBayes(**{"kinds": KINDS, **options}).fit(X, y)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), model.predict_proba(X))


def test_likelihoods_given_are_not_changed_by_fit(people: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = people
    shared = Gaussian(variance="pooled")
    mercer.NaiveBayes(shared, kinds=KINDS).fit(X, y)
    assert shared.columns == ()
    assert not hasattr(shared, "mean")


def test_partial_fit_of_arrays_refuses_other_columns() -> None:
    model = mercer.NaiveBayes().partial_fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit([[0.0, 1.0, 2.0]], [0])
    named = mercer.NaiveBayes().partial_fit({"a": [0.0, 1.0], "b": [1.0, 3.0]}, [0, 1])
    with pytest.raises(BadColumn, match="Column 'b' is missing"):
        named.partial_fit({"a": [0.0]}, [0])


@pytest.mark.parametrize(
    "options", [{"smoothing": np.array([1.0, 2.0])}, {"class_weight": 0}, {"class_weight": []}], ids=str
)
def test_options_that_are_no_rule_are_refused(options: Any) -> None:
    with pytest.raises(MercerError, match=f"The '{next(iter(options))}' parameter of NaiveBayes must be"):
        mercer.NaiveBayes(**options).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def test_uniform_weights_of_any_size_are_no_weights_also_in_boosting() -> None:
    X, y = load_iris(return_X_y=True)
    assert mercer.NaiveBayes().fit(X, y, np.full(150, 1 / 150)).score(X, y) == 0.96
    assert AdaBoostClassifier(mercer.NaiveBayes(), n_estimators=10).fit(X, y).score(X, y) >= 0.95
