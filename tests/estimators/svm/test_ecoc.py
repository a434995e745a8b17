"""SVC(multi_class="ecoc"): the problems of a code on one kernel matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import mercer

IRIS, SPECIES = load_iris(return_X_y=True)
WINE, CULTIVAR = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)


@pytest.mark.parametrize(("X", "y"), [(IRIS, SPECIES), (WINE, CULTIVAR)], ids=["iris", "wine"])
@pytest.mark.parametrize("learner", [mercer.SVC(gamma=0.1, tol=1e-9), mercer.NuSVC(nu=0.2, gamma=0.1, tol=1e-9)])
def test_the_same_as_a_machine_for_each_column(X: Any, y: Any, learner: Any) -> None:
    model = learner.set_params(multi_class="ecoc").fit(X, y)
    apart = mercer.OutputCode(learner, code=model.code_book_, decoding="hinge").fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), apart.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), apart.predict(X))
    np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))


def test_probabilities_and_the_file(tmp_path: Path) -> None:
    y = np.array(["s", "ve", "vi"])[SPECIES]
    model = mercer.SVC(multi_class="ecoc", probability="sigmoid").fit(IRIS, y)
    share = model.predict_proba(IRIS)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[share.argmax(axis=1)], model.predict(IRIS))
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict_proba(IRIS), share)
    np.testing.assert_array_equal(again.code_book_, model.code_book_)


def test_two_classes_are_one_problem() -> None:
    two = SPECIES > 0
    coded = mercer.SVC(multi_class="ecoc").fit(IRIS[two], SPECIES[two])
    np.testing.assert_array_equal(
        coded.decision_function(IRIS), mercer.SVC().fit(IRIS[two], SPECIES[two]).decision_function(IRIS)
    )


def test_a_search_decides_by_the_code() -> None:
    grid = mercer.Grid(C=[0.1, 10.0], cv=3)
    model = mercer.SVC(C="cv", multi_class="ecoc", grid=grid).fit(IRIS, SPECIES)
    assert model.C_ in (0.1, 10.0) and model.tuning_.mean.max() > 0.9
