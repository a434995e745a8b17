"""Every storable learner: the file gives back the same predictions, and damage to it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier, is_outlier_detector
from tests.contracts.estimators import exported

import mercer
from mercer.estimators.registry import learners
from mercer.store import open_model
from mercer.store.registry import STORABLE
from mercer.table import Table, Task

MIXED = [
    "Species",
    "Island",
    "Clutch Completion",
    "Culmen Length (mm)",
    "Delta 15 N (o/oo)",
    "Date Egg",
    "Comments",
]
NUMBERS = ["Culmen Length (mm)", "Flipper Length (mm)"]


@pytest.fixture(scope="module")
def penguins() -> Table:
    table = mercer.load_penguins()
    return table.take(~table.missing("Sex") & ~table.missing("Body Mass (g)"))


def _fitted(name: str, penguins: Table, columns: list[str], **options: Any) -> Any:
    model: Any = STORABLE[name](**options)
    target = "Sex" if is_classifier(model) else "Body Mass (g)"
    return model.fit(penguins.select(columns), penguins.column(target))


CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in STORABLE),
    *(("NaiveBayes", {"likelihoods": numeric}) for numeric in ("density", "binned")),
    *(("NaiveBayesRegressor", {"method": method}) for method in ("kernel", "intervals")),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("columns", [MIXED, NUMBERS], ids=["mixed", "numbers"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_bit_for_bit(name: str, options: dict[str, Any], columns: list[str], penguins: Table, tmp_path: Path) -> None:
    model = _fitted(name, penguins, columns, **options)
    mercer.save(model, tmp_path / "m.mercer", target="t", training_rows=penguins.n_rows)
    stored = open_model(tmp_path / "m.mercer")
    loaded, rows = stored.model, penguins.select(columns)
    assert type(loaded) is type(model)
    task = "outliers" if is_outlier_detector(model) else "classification" if is_classifier(model) else "regression"
    assert stored.card.task == task
    assert np.asarray(loaded.predict(rows)).tolist() == np.asarray(model.predict(rows)).tolist()
    if hasattr(model, "predict_proba"):
        assert loaded.classes_.dtype == model.classes_.dtype
        assert loaded.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    assert mercer.load(tmp_path / "m.mercer").schema_ == model.schema_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name, cls in STORABLE.items() if "kinds" in cls().get_params()])
def test_kinds_given_come_back(name: str, penguins: Table, tmp_path: Path) -> None:
    kinds = {"Species": list(penguins.schema["Species"].levels), NUMBERS[0]: "numeric"}
    model = _fitted(name, penguins, ["Species", NUMBERS[0]], kinds=kinds)
    mercer.save(model, tmp_path / "m.mercer")
    assert mercer.load(tmp_path / "m.mercer").kinds == kinds


@pytest.mark.parametrize(
    ("name", "task"), [("SVC", "classification"), ("SVR", "regression"), ("OneClassSVM", "outliers")]
)
def test_the_card_says_what_the_model_is_for(name: str, task: str, penguins: Table, tmp_path: Path) -> None:
    mercer.save(_fitted(name, penguins, MIXED), tmp_path / "m.mercer")
    assert open_model(tmp_path / "m.mercer").card.task == task


def test_every_learner_that_train_runs_can_be_stored() -> None:
    made = {type(learner.make(task)) for task in Task for learner in learners(task)}
    assert made <= set(STORABLE.values())


def test_every_public_estimator_has_a_record() -> None:
    assert {c.__name__ for c in exported()} | {"OneClassSVM", "SVDD"} == set(STORABLE)


def test_saving_twice_gives_the_same_model(penguins: Table, tmp_path: Path) -> None:
    model = _fitted("NaiveBayes", penguins, MIXED)
    mercer.save(model, tmp_path / "a.mercer")
    again = mercer.load(tmp_path / "a.mercer")
    mercer.save(again, tmp_path / "b.mercer")
    rows = penguins.select(MIXED)
    last = mercer.load(tmp_path / "b.mercer")
    assert last.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
