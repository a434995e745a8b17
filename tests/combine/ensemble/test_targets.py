"""Ensembles of several targets: one library, one weight for each member, the mean of the metric over the targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

import mercer
from mercer.combine.ensemble.forward import select
from mercer.combine.ensemble.thirds import thirds
from mercer.combine.members import members_state, read_members
from mercer.errors import BadFile, MercerError
from mercer.state import Reader

RNG = np.random.default_rng(1)
N = 90
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "job": RNG.choice(["cook", "smith"], N),
    }
)
WARM = np.where(X["a"] + RNG.normal(size=N) / 2 > 0, "yes", "no")
SIZE = np.where(X["job"] == "cook", RNG.integers(0, 2, N), 2)
LABELS = pd.DataFrame({"warm": WARM, "size": SIZE})
NUMBERS = np.column_stack([X["a"] + RNG.normal(size=N) / 3, X["a"] - 2 * (X["job"] == "cook")])
BINARY = np.column_stack([WARM == "yes", SIZE == 2]).astype(int)
QUICK = ["naive_bayes", "linear", "tree"]
SHORT = mercer.Forward(steps=6)


@pytest.mark.parametrize("combiner", [SHORT, "stacking"])
def test_several_classes_of_several_targets(combiner: mercer.Forward | str, tmp_path: Path) -> None:
    model = mercer.EnsembleSelection(QUICK, metric="log_loss", combiner=combiner).fit(X, LABELS)
    library = model.library_
    assert library.predictions_.shape == (3, N, 5)
    assert [known.tolist() for known in model.classes_] == [["no", "yes"], [0, 1, 2]]
    places = [library.names_.index(member.name) for member in model.members_]
    for member, place in zip(model.members_, places, strict=True):
        shares = np.split(library.predictions_[place], [2], axis=1)
        expected = np.mean([log_loss(y, share) for y, share in zip((WARM, SIZE), shares, strict=True)])
        assert member.score == pytest.approx(expected)
    assert model.score_ <= min(member.score for member in model.members_)
    shares = model.predict_proba(X)
    parts = [np.hstack(member.model.predict_proba(mercer.read_table(X))) for member in model.members_]
    np.testing.assert_allclose(np.hstack(shares), np.tensordot(model.weights_, np.array(parts), 1))
    assert (
        set(model.predict(X)[:, 0]) <= {"no", "yes"}
        and model.predict(X)[:, 1].tolist() == np.argmax(shares[1], axis=1).tolist()
    )
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(np.hstack(again.predict_proba(X)), np.hstack(shares))


def test_numbers(tmp_path: Path) -> None:
    model = mercer.EnsembleSelectionRegressor(["linear", "tree", "boosting"], combiner=SHORT).fit(X, NUMBERS)
    best = max(r2_score(NUMBERS, predicted, multioutput="uniform_average") for predicted in model.library_.predictions_)
    assert model.score_ >= best and max(m.score for m in model.members_) <= best + 1e-12
    assert model.predict(X).shape == (N, 2)
    mercer.save(model, tmp_path / "model.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "model.mercer").predict(X), model.predict(X))
    stacked = mercer.EnsembleSelectionRegressor(["linear", "tree"], combiner="stacking").fit(X, NUMBERS)
    assert stacked.score_ >= max(member.score for member in stacked.members_)


def test_predictions_are_those_of_one_model_for_each_target() -> None:
    cells = X[["a"]].to_numpy()
    library = mercer.ModelLibrary([("theirs", LogisticRegression()), ("ridge", LogisticRegression(C=0.1))], cv=3)
    library.fit(cells, BINARY)
    for test in library.folds_:
        train = np.setdiff1d(np.arange(N), test)
        for j, columns in enumerate(([0, 1], [2, 3])):
            alone = LogisticRegression().fit(cells[train], BINARY[train, j]).predict_proba(cells[test])
            np.testing.assert_allclose(library.predictions_[0, test][:, columns], alone)
    with pytest.raises(MercerError, match=r"Every model of the library failed\. theirs: Unknown label type"):
        library.fit(cells, NUMBERS)


def test_the_default_metric_is_the_mean_area_of_targets_of_two_classes() -> None:
    model = mercer.EnsembleSelection(QUICK, combiner=SHORT).fit(X, BINARY)
    assert model.metric_ == "roc_auc"
    first = model.library_.predictions_[model.library_.names_.index(model.members_[0].name)]
    areas = [roc_auc_score(BINARY[:, j], first[:, 2 * j + 1]) for j in range(2)]
    assert model.members_[0].score == pytest.approx(np.mean(areas))


def test_theirs_of_several_targets_and_chains() -> None:
    cells = X[["a"]].to_numpy()
    models = [
        ("each", MultiOutputClassifier(LogisticRegression())),
        ("chain", ClassifierChain(LogisticRegression())),
    ]
    library = mercer.ModelLibrary(models, cv=3).fit(cells, BINARY)
    assert not any(record.error for record in library.records_)
    np.testing.assert_allclose(library.predictions_[0, :, :2], library.predictions_[1, :, :2])  # the first of the chain


def test_a_label_that_few_rows_have() -> None:
    rare = BINARY.copy()
    rare[:, 1] = 0
    rare[:3, 1] = 1
    model = mercer.EnsembleSelection(["naive_bayes", "tree"], combiner=SHORT).fit(X, rare)
    assert all(share.shape == (N, 2) for share in model.predict_proba(X))


def test_resumed_and_other_targets_refused(tmp_path: Path) -> None:
    library = mercer.ModelLibrary(["naive_bayes"], folder=tmp_path, cv=3)
    first = library.fit(X, BINARY).predictions_
    again = clone(library).fit(X, BINARY)
    assert again.records_[0].is_resumed
    np.testing.assert_array_equal(again.predictions_, first)
    with pytest.raises(BadFile, match="other rows"):
        clone(library).fit(X, BINARY[:, ::-1])


def test_thirds() -> None:
    found = thirds(["naive_bayes", "tree"], X, BINARY)
    assert found.metric == "roc_auc" and found.member_scores.shape == (3, 2)


def test_errors() -> None:
    with pytest.raises(MercerError, match="'cost' is of one target"):
        mercer.EnsembleSelection(QUICK, metric="cost", costs="fn=2,fp=1").fit(X, BINARY)
    cube = np.full((2, 4, 4), 0.5)
    with pytest.raises(MercerError, match=r"a column of y, and as many columns .* n_classes = \(2, 3\)"):
        select(cube, np.zeros((4, 2), dtype=int), n_classes=(2, 3))
    with pytest.raises(MercerError, match="class codes from 0 to 1"):
        select(cube, np.full((4, 2), 2), n_classes=(2, 2))
    flat = mercer.EnsembleSelection([("flat", Flat())]).fit
    with pytest.raises(MercerError, match=r"Flat gives probabilities of shape \(18, 3\) for 2 targets"):
        flat(X[["a"]].to_numpy(), BINARY)


class Flat(LogisticRegression):
    """Says that it takes several targets."""

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y):  # type: ignore[no-untyped-def]
        return super().fit(X, y[:, 0] + y[:, 1])


def test_a_file_whose_members_have_different_targets_is_refused() -> None:
    model = mercer.EnsembleSelectionRegressor(["linear", "tree"], combiner=SHORT).fit(X, NUMBERS)
    assert len(model.members_) == 2
    narrow = mercer.LinearRegression().fit(X, NUMBERS[:, 0])
    state = model.to_state()
    [inside] = [part for part in (state, state.get("fitted")) if part and "models" in part]
    inside["models"] = members_state([narrow, model.members_[1].model])
    assert len(read_members(Reader(inside), "models")) == 2
    with pytest.raises(BadFile, match="different numbers of targets"):
        mercer.EnsembleSelectionRegressor.from_state(Reader(state)).predict(X)


def test_ridge_of_both_targets_is_one_model() -> None:
    cells = X[["a"]].to_numpy()
    library = mercer.ModelLibrary([("ridge", Ridge())], cv=3).fit(cells, NUMBERS)
    test = library.folds_[0]
    train = np.setdiff1d(np.arange(N), test)
    np.testing.assert_allclose(
        library.predictions_[0, test], Ridge().fit(cells[train], NUMBERS[train]).predict(cells[test])
    )
