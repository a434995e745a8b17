"""scikit-learn's estimators around ours in model files: the same answers bit for bit, and damage refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain

import mercer
from mercer.combine.members import model_state
from mercer.errors import BadFile, BadTable, MercerError
from mercer.state import Reader
from mercer.store import open_model
from mercer.store.registry import read_model
from tests.clients.people import NUMBERS, X, Y

METHODS = ["sigmoid", "isotonic", "temperature"]
if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8):
    METHODS.pop()
PAY = X["pay"].to_numpy()
THREE = np.where(Y == "yes", np.where(PAY > 20, "a", "b"), "c")
LABELS = np.column_stack([Y == "yes", PAY > 20]).astype(int)
AMOUNTS = np.column_stack([PAY, 2 * PAY + 1])
CALIBRATED = [
    *(CalibratedClassifierCV(mercer.NaiveBayes(), method=m, cv=3) for m in METHODS),
    *(CalibratedClassifierCV(mercer.LinearSVC(), method=m, cv=3) for m in METHODS),
    CalibratedClassifierCV(mercer.SVC(), ensemble=False, cv=3),
    CalibratedClassifierCV(mercer.Resampled(mercer.NaiveBayes(), "over"), cv=3),
    mercer.Resampled(CalibratedClassifierCV(mercer.NaiveBayes(), cv=3), "over"),
    mercer.OneVsOne(CalibratedClassifierCV(mercer.LinearSVC(), cv=3)),
    MultiOutputClassifier(CalibratedClassifierCV(mercer.NaiveBayes(), cv=3)),
]


def round_trip(model: Any, path: Path, **names: Any) -> Any:
    mercer.save(model, path / "m.mercer", **names)
    return mercer.load(path / "m.mercer")


@pytest.mark.parametrize(
    ("model", "classes"), [*((m, Y) for m in CALIBRATED), *((m, THREE) for m in CALIBRATED[: len(METHODS)])], ids=str
)
def test_calibrated(model: Any, classes: Any, tmp_path: Path) -> None:
    target = np.column_stack([classes, Y]) if isinstance(model, MultiOutputClassifier) else classes
    fitted = sklearn.clone(model).fit(X, target)
    found = round_trip(fitted, tmp_path, target="")
    assert type(found) is type(fitted) and repr(found) == repr(fitted) and found.schema_["job"].levels
    np.testing.assert_array_equal(found.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(found.feature_names_in_, X.columns)
    assert sklearn.clone(found).get_params().keys() == fitted.get_params().keys()


def test_a_frozen_model_and_a_splitter(tmp_path: Path) -> None:
    inner = mercer.NaiveBayes().fit(X, Y)
    fitted = CalibratedClassifierCV(FrozenEstimator(inner), cv=StratifiedKFold(3)).fit(X, Y)
    found = round_trip(fitted, tmp_path)
    np.testing.assert_array_equal(found.predict_proba(X), fitted.predict_proba(X))
    assert found.cv is None and isinstance(found.estimator, FrozenEstimator)
    np.testing.assert_array_equal(found.estimator.predict_proba(X), inner.predict_proba(X))


@pytest.mark.parametrize(
    ("model", "rows", "target"),
    [
        (MultiOutputClassifier(mercer.NaiveBayes()), X, np.column_stack([THREE, Y])),
        (MultiOutputRegressor(mercer.LinearRegression(), n_jobs=1), X, AMOUNTS),
        (ClassifierChain(mercer.LogisticRegression(), order=[1, 0], random_state=3), NUMBERS, LABELS),
        (ClassifierChain(mercer.LinearSVC(), cv=3, chain_method="decision_function"), NUMBERS.to_numpy(), LABELS),
        (RegressorChain(mercer.LinearRegression(), order="random", random_state=0), NUMBERS, AMOUNTS),
    ],
    ids=repr,
)
def test_several_targets(model: Any, rows: Any, target: Any, tmp_path: Path) -> None:
    fitted = sklearn.clone(model).fit(rows, target)
    found = round_trip(fitted, tmp_path, target=["first", "second"])
    assert type(found) is type(fitted) and repr(found) == repr(fitted)
    np.testing.assert_array_equal(found.predict(rows), fitted.predict(rows))
    if hasattr(fitted, "predict_proba"):
        for ours, theirs in zip(found.predict_proba(rows), fitted.predict_proba(rows), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    stored = open_model(tmp_path / "m.mercer")
    assert stored.card.targets == ("first", "second")
    for j, one in enumerate(stored.outputs):
        assert one.card.target == ("first", "second")[j]
        np.testing.assert_array_equal(one.model.predict(rows), fitted.predict(rows)[:, j])
        if hasattr(one.model, "predict_proba"):
            best = one.model.classes_[one.model.predict_proba(rows).argmax(axis=1)]
            np.testing.assert_array_equal(best, one.model.predict(rows))
    found.fit(rows, target)  # its parameters are whole


def test_a_chain_reads_columns_by_name_and_refuses_missing_cells(tmp_path: Path) -> None:
    fitted = RegressorChain(mercer.LinearRegression()).fit(NUMBERS, AMOUNTS)
    mercer.save(fitted, tmp_path / "m.mercer", target=["first", "second"])
    one = open_model(tmp_path / "m.mercer").outputs[1].model
    assert one.schema_.names == ("age", "pay")
    turned = mercer.read_table(NUMBERS[["pay", "age"]]).select(["age", "pay"])
    np.testing.assert_allclose(one.predict(turned), fitted.predict(NUMBERS)[:, 1])
    with pytest.raises(BadTable, match="Row 1 has no 'age'"):
        one.predict(mercer.read_table(X[["age", "pay"]]))


def test_what_cannot_be_stored_says_why(tmp_path: Path) -> None:
    others = CalibratedClassifierCV(LogisticRegression()).fit(NUMBERS, Y)
    with pytest.raises(MercerError, match="A LogisticRegression cannot be stored"):
        mercer.save(others, tmp_path / "m.mercer")
    chain = RegressorChain(mercer.LinearRegression(), order=np.array([1, 0])).fit(NUMBERS, AMOUNTS)
    with pytest.raises(MercerError, match=r"order=array\(\[1, 0\]\) of RegressorChain cannot be stored"):
        mercer.save(chain, tmp_path / "m.mercer")
    both = MultiOutputRegressor(mercer.LinearRegression()).fit(X, AMOUNTS)
    with pytest.raises(MercerError, match="target names 3 columns; the model predicts 2"):
        mercer.save(both, tmp_path / "m.mercer", target=["a", "b", "c"])
    assert not list(tmp_path.iterdir())


def _calibrators(state: dict[str, Any]) -> list[dict[str, Any]]:
    return state["state"]["fitted"]["calibrators"][0]["parts"]


DAMAGE = [
    ("sigmoid", lambda s: _calibrators(s).append({"a": 1.0, "b": 0.0}), "1 calibrators are expected"),
    ("sigmoid", lambda s: _calibrators(s)[0].update(c=1.0), "does not belong there"),
    ("sigmoid", lambda s: s["state"]["fitted"]["calibrators"].pop(), "as many as estimators"),
    ("sigmoid", lambda s: s["state"]["fitted"]["classes"].update(values=["no", "oh"]), "other classes"),
    ("sigmoid", lambda s: s["state"]["parameters"].update(method="isotonic"), "knots"),
    ("isotonic", lambda s: _calibrators(s)[0]["knots"].fill(1.0), "heights rise"),
    ("isotonic", lambda s: _calibrators(s)[0].update(heights=_calibrators(s)[0]["heights"] + 2), "heights"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "damage", "said"), DAMAGE)
def test_damage_is_refused(method: str, damage: Any, said: str) -> None:
    state = model_state(CalibratedClassifierCV(mercer.NaiveBayes(), method=method, cv=3).fit(X, Y))
    damage(state)
    with pytest.raises(BadFile, match=said):
        read_model(Reader(state))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"order": np.array([0, 0])}, "each of the 2 targets once"),
        ({"names": ["age"]}, "2 different names"),
        ({"estimators": "swap"}, "one target more"),
        ({"estimators": []}, "one target more|no fitted model|order"),
    ],
)
def test_a_damaged_chain_is_refused(change: dict[str, Any], said: str) -> None:
    state = model_state(RegressorChain(mercer.LinearRegression()).fit(NUMBERS, AMOUNTS))
    fitted = state["state"]["fitted"]
    fitted.update({"estimators": fitted["estimators"][::-1]} if change == {"estimators": "swap"} else change)
    with pytest.raises((BadFile, IndexError), match=said):
        read_model(Reader(state))


def test_predictions_of_several_targets_are_named(tmp_path: Path) -> None:
    frame = pd.DataFrame(X).assign(sort=THREE, well=Y)
    model = MultiOutputClassifier(mercer.NaiveBayes()).fit(X, np.column_stack([THREE, Y]))
    mercer.save(model, tmp_path / "m.mercer", target=["sort", "well"])
    found = mercer.predict(tmp_path / "m.mercer", frame)
    assert found.frame.columns[1:3] == ["prediction_sort", "probability_sort_a"]
    assert found.targets["well"].evaluation is not None
