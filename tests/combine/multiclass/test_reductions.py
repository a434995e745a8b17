"""OneVsOne, OneVsRest and OutputCode: scikit-learn's as witnesses, laws, mixed tables, files, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
import sklearn.multiclass
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer.errors import BadParameter, BadTable, BadTarget, MercerError

IRIS, SPECIES = load_iris(return_X_y=True)
WINE, CULTIVAR = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
RNG = np.random.default_rng(0)
DECODINGS = ["hamming", "weighted", "hinge", "exponential", "squared", "probabilistic"]
LINEAR = sklearn.linear_model.LogisticRegression(tol=1e-8, max_iter=10_000)
REDUCTIONS = [
    mercer.OneVsOne(mercer.LogisticRegression()),
    mercer.OneVsRest(mercer.NaiveBayes()),
    *(mercer.OutputCode(mercer.LogisticRegression(), code="exhaustive", decoding=d) for d in DECODINGS),
]


def mixed(n: int = 90) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.array(["ant", "bee", "cat"])[np.arange(n) % 3]
    frame = pd.DataFrame({"size": np.arange(n) % 3 + rng.normal(0, 0.4, n), "colour": rng.choice(["red", "blue"], n)})
    frame.loc[y == "bee", "colour"] = "green"
    frame.loc[::10, "size"] = np.nan
    frame.loc[5::11, "colour"] = None
    return frame, y


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    def fit(self, X: Any, y: Any) -> Any:
        self.tree_ = DecisionTreeClassifier(random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.tree_.predict(X)


@pytest.mark.parametrize(("X", "y"), [(IRIS, SPECIES), (WINE, CULTIVAR)], ids=["iris", "wine"])
@pytest.mark.parametrize("estimator", [LINEAR, sklearn.svm.SVC(tol=1e-8)], ids=["logistic", "svc"])
def test_the_same_as_scikit_learn(X: Any, y: Any, estimator: Any) -> None:
    pairs = sklearn.multiclass.OneVsOneClassifier(estimator).fit(X, y)
    own = mercer.OneVsOne(estimator).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), pairs.predict(X))
    np.testing.assert_allclose(own.decision_function(X), pairs.decision_function(X), atol=1e-3)
    rest = sklearn.multiclass.OneVsRestClassifier(estimator).fit(X, y)
    own = mercer.OneVsRest(estimator).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), rest.predict(X))
    np.testing.assert_allclose(own.decision_function(X), rest.decision_function(X), atol=1e-3)


def test_probabilities_of_one_against_the_rest_are_scikit_learns() -> None:
    rest = sklearn.multiclass.OneVsRestClassifier(LINEAR).fit(IRIS, SPECIES)
    own = mercer.OneVsRest(LINEAR).fit(IRIS, SPECIES)
    same = np.argmax(rest.predict_proba(IRIS), axis=1) == own.predict(IRIS)
    np.testing.assert_allclose(own.predict_proba(IRIS)[same], rest.predict_proba(IRIS)[same], atol=1e-6)


def test_the_code_of_scikit_learn_gives_its_answers() -> None:
    """It takes the row at the least Euclidean distance from the decisions: the least squared loss."""
    theirs = sklearn.multiclass.OutputCodeClassifier(LINEAR, code_size=3, random_state=2).fit(WINE, CULTIVAR)
    code = theirs.code_book_[:, np.ptp(theirs.code_book_, axis=0) > 0]  # others are the same for every class
    own = mercer.OutputCode(LINEAR, code=code, decoding="squared").fit(WINE, CULTIVAR)
    np.testing.assert_array_equal(own.predict(WINE), theirs.predict(WINE))
    np.testing.assert_array_equal(own.code_book_, code)


def test_codes_of_pairs_and_rest_are_those_strategies() -> None:
    for code, strategy in (("one_vs_one", mercer.OneVsOne), ("one_vs_rest", mercer.OneVsRest)):
        own = mercer.OutputCode(mercer.LogisticRegression(), code=code).fit(IRIS, SPECIES)
        other = strategy(mercer.LogisticRegression()).fit(IRIS, SPECIES)
        np.testing.assert_array_equal(own.code_book_, other.code_book_)
        agree = own.predict(IRIS) == other.predict(IRIS)
        assert agree.mean() == 1.0


@pytest.mark.parametrize("model", REDUCTIONS, ids=repr)
def test_other_names_of_the_classes_change_no_answer(model: Any) -> None:
    names = np.array(["b", "c", "a"])
    plain = model.fit(IRIS, SPECIES).predict_proba(IRIS)
    named = model.fit(IRIS, names[SPECIES])
    turned = named.predict_proba(IRIS)[:, [1, 2, 0]]
    np.testing.assert_allclose(turned, plain, atol=1e-5)


@pytest.mark.parametrize("model", REDUCTIONS, ids=repr)
def test_mixed_tables_and_files(model: Any, tmp_path: Path) -> None:
    frame, y = mixed()
    model.fit(frame, y)
    assert model.score(frame, y) > 0.8
    share = model.predict_proba(frame)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[share.argmax(axis=1)], model.predict(frame))
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict_proba(frame), share)
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
    np.testing.assert_array_equal(again.code_book_, model.code_book_)


def test_each_model_is_that_of_its_rows_alone() -> None:
    frame, y = mixed()
    model = mercer.OneVsOne(mercer.NaiveBayes()).fit(frame, y)
    two = y != "cat"
    table = mercer.read_table(frame)
    alone = mercer.NaiveBayes().fit(table.take(two), (y[two] == "ant").astype(int))
    np.testing.assert_array_equal(model.estimators_[0].predict_proba(frame), alone.predict_proba(frame))


def test_kinds_of_the_estimator_hold_for_the_table() -> None:
    rows = {"zone": np.arange(60) % 4, "size": np.arange(60) % 3 + 0.1}
    model = mercer.OneVsRest(mercer.NaiveBayes(kinds={"zone": "category"})).fit(rows, np.arange(60) % 3)
    assert str(model.schema_["zone"].kind) == "category" == str(model.estimators_[0].schema_["zone"].kind)


def test_equal_columns_share_a_model(tmp_path: Path) -> None:
    model = mercer.OutputCode(mercer.SVC(), length=9, random_state=0).fit(IRIS, SPECIES)
    assert model.code_book_.shape == (3, 9) and len({id(m) for m in model.estimators_}) == 3
    assert model.row_separation_ == 6.0 and model.column_separation_ == 0
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert len({id(m) for m in again.estimators_}) == 3
    np.testing.assert_array_equal(again.decision_function(IRIS), model.decision_function(IRIS))


def test_weights_are_copies_of_rows() -> None:
    weight = RNG.integers(1, 3, len(SPECIES))
    for model in (mercer.OneVsOne(), mercer.OutputCode(decoding="weighted", random_state=0)):
        weighted = model.fit(IRIS, SPECIES, sample_weight=weight).decision_function(IRIS)
        copied = model.fit(np.repeat(IRIS, weight, axis=0), np.repeat(SPECIES, weight)).decision_function(IRIS)
        np.testing.assert_allclose(weighted, copied, atol=1e-4)


def test_two_classes_are_the_estimator_itself() -> None:
    two = SPECIES > 0
    alone = mercer.LogisticRegression().fit(IRIS[two], SPECIES[two])
    for model in (mercer.OneVsOne(), mercer.OneVsRest(), mercer.OutputCode()):
        model.fit(IRIS[two], SPECIES[two])
        np.testing.assert_allclose(model.predict_proba(IRIS), alone.predict_proba(IRIS), atol=1e-9)
        assert model.decision_function(IRIS).shape == (150,)


def test_a_class_absent_from_a_fold() -> None:
    y = np.r_[np.zeros(20), np.ones(20), np.full(20, 2)].astype(int)
    X = y[:, None] + RNG.normal(0, 0.1, (60, 2))
    found = cross_val_predict(mercer.OneVsOne(), X, y, cv=KFold(3))  # unshuffled: each fold lacks a class
    assert set(found[:20]) <= {1, 2} and len(found) == 60


def test_a_search_reaches_the_estimator_inside() -> None:
    grid = GridSearchCV(mercer.OneVsOne(mercer.SVC()), {"estimator__C": [0.1, 10.0]}, cv=3).fit(IRIS, SPECIES)
    assert set(grid.best_params_) == {"estimator__C"} and grid.best_score_ > 0.9


def test_estimators_of_scikit_learn_are_given_the_rows_as_they_are() -> None:
    frame, y = mixed()
    encoded = make_pipeline(mercer.encode.Impute(), mercer.encode.OneHot(), DecisionTreeClassifier(random_state=0))
    assert mercer.OneVsRest(encoded).fit(frame, y).score(frame, y) > 0.9
    numbers = frame[["size"]].fillna(0.0)
    model = mercer.OneVsOne(LINEAR).fit(numbers, y)
    assert model.estimators_[0].feature_names_in_.tolist() == ["size"]
    model.fit(numbers.to_numpy(), y)
    by_name, by_place = {"size": numbers["size"].to_numpy()}, numbers.to_numpy()
    np.testing.assert_array_equal(model.predict(by_name), model.predict(by_place))


def test_one_class_is_refused() -> None:
    for model in (mercer.OneVsOne(), mercer.OneVsRest(), mercer.OutputCode()):
        with pytest.raises(BadTarget, match="classes has to be greater than one"):
            model.fit(IRIS, np.zeros(150))


def test_a_decoding_that_the_estimator_cannot_serve() -> None:
    with pytest.raises(BadParameter, match="needs predict_proba, which SVC has not"):
        mercer.OutputCode(mercer.SVC(), decoding="probabilistic").fit(IRIS, SPECIES)
    with pytest.raises(BadParameter, match="needs decision_function or predict_proba"):
        mercer.OutputCode(OnlyPredicts(), decoding="hinge").fit(IRIS, SPECIES)
    assert mercer.OutputCode(OnlyPredicts()).fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.9
    assert not hasattr(mercer.OneVsOne(mercer.SVC()), "predict_proba")
    with pytest.raises(AttributeError, match="SVC has none"):
        mercer.OneVsOne(mercer.SVC()).fit(IRIS, SPECIES).predict_proba(IRIS)


def test_codes_that_are_refused() -> None:
    equal = [[1, 1, -1], [1, 1, -1], [-1, 1, 1]]
    with pytest.raises(BadParameter, match="Column 1"):
        mercer.OutputCode(code=equal).fit(IRIS, SPECIES)
    with pytest.raises(BadParameter, match="Rows 0 and 1"):
        mercer.OutputCode(code=np.array(equal)[:, [0, 2]]).fit(IRIS, SPECIES)
    with pytest.raises(BadParameter, match="has 2 rows, but there are 3"):
        mercer.OutputCode(code=[[1], [-1]]).fit(IRIS, SPECIES)
    with pytest.raises(BadParameter, match="Did you mean 'dense'"):
        mercer.OutputCode(code="dens").fit(IRIS, SPECIES)
    with pytest.raises(BadParameter, match="'estimator' parameter of OneVsOne must be a classifier"):
        mercer.OneVsOne(mercer.SVR()).fit(IRIS, SPECIES)


def test_other_bad_input(tmp_path: Path) -> None:
    frame, y = mixed()
    with pytest.raises(BadTable, match="takes no dict of mixed columns"):
        mercer.OneVsOne(LINEAR).fit(frame.to_dict("list"), y)
    with pytest.raises(MercerError, match="takes no sample_weight"):
        mercer.OneVsOne(OnlyPredicts()).fit(IRIS, SPECIES, sample_weight=np.ones(150))
    with pytest.raises(MercerError, match="OnlyPredicts cannot be stored"):
        mercer.save(mercer.OneVsOne(OnlyPredicts()).fit(IRIS, SPECIES), tmp_path / "m.mercer")
