"""Rows after resampling: equal to imbalanced-learn's where it applies, and by the stated rule elsewhere."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

import mercer
from mercer.combine.resample.methods import GROWS, Resampling
from mercer.combine.resample.sample import Sample
from mercer.combine.resample.synthetic import between_neighbours
from mercer.distances import HEOM, Gower
from mercer.errors import BadTable, BadTarget, MercerError, MercerWarning

from .tables import RARE, N, Y, levels, mixed, numbers

CODES = (Y == "rare").astype(np.int32)


def resampled(rows: Any, method: Any, codes: Any = CODES, **options: Any) -> Sample:
    table = mercer.read_table(rows)
    settings = {"ratio": 1.0, "n_neighbors": None, "distance": None, "random_state": 0} | options
    return Resampling(method, **settings).apply(Sample(table, codes), np.unique(codes).astype(str))


def scaled() -> tuple[np.ndarray, np.ndarray]:
    scale = numbers().std(axis=0)
    return numbers() / scale, scale


@pytest.mark.parametrize("method", GROWS)
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_new_rows_are_those_of_imbalanced_learn(method: str, ratio: float) -> None:
    over = pytest.importorskip("imblearn.over_sampling")
    kind = {"smote": over.SMOTE, "borderline": over.BorderlineSMOTE, "adasyn": over.ADASYN}[method]
    cells, scale = scaled()
    expected, codes = kind(random_state=0, sampling_strategy=ratio).fit_resample(cells, CODES)
    found = resampled(numbers(), method, ratio=ratio)
    np.testing.assert_allclose(found.table.numbers(), expected * scale, rtol=1e-12)
    np.testing.assert_array_equal(found.codes, codes)


def test_mixed_rows_are_those_of_smotenc() -> None:
    over = pytest.importorskip("imblearn.over_sampling")
    table = mercer.read_table(mixed(missing=False))
    scale = table.numbers().std(axis=0)
    cells = np.column_stack([table.numbers() / scale, table.codes()])
    expected, _ = over.SMOTENC([2, 3], random_state=0).fit_resample(cells, CODES)
    found = resampled(table, "smote").table
    np.testing.assert_allclose(found.numbers(), expected[:, :2] * scale)
    np.testing.assert_array_equal(found.codes(), expected[:, 2:])


@pytest.mark.parametrize("method", ["tomek", "edited"])
@pytest.mark.parametrize("distance", [None, mercer.distances.Euclidean(scale="std")], ids=str)
def test_cleaned_rows_are_those_of_imbalanced_learn(method: str, distance: Any) -> None:
    under = pytest.importorskip("imblearn.under_sampling")
    sampler = {"tomek": under.TomekLinks, "edited": under.EditedNearestNeighbours}[method]()
    sampler.fit_resample(scaled()[0], CODES)
    kept = np.sort(sampler.sample_indices_)
    assert RARE < len(kept) < N
    np.testing.assert_array_equal(resampled(numbers(), method, distance=distance).table.numbers(), numbers()[kept])


@pytest.mark.parametrize("method", GROWS)
@pytest.mark.parametrize("rows", [numbers(), mixed(missing=True), levels()], ids=["numbers", "missing", "levels"])
def test_new_rows_lie_between_a_rare_row_and_its_neighbours(method: str, rows: Any) -> None:
    table = mercer.read_table(rows)
    found = resampled(rows, method, distance=HEOM(), n_neighbors=4)
    new, own = found.table[N:], np.flatnonzero(CODES == 1)
    assert (found.codes[N:] == 1).all() and found.table.schema == table.schema
    if method != "adasyn":  # which rounds
        assert Counter(found.codes.tolist()) == {0: N - own.size, 1: N - own.size}
    for name in table.schema.numeric_names:
        known = table.column(name)[own]
        assert np.nanmin(known) <= np.nanmin(new[name]) and np.nanmax(new[name]) <= np.nanmax(known)
    assert new.codes().size == 0 or new.codes().max() < 3


def test_every_new_row_of_numbers_is_on_a_segment_to_a_neighbour() -> None:
    table, own = mercer.read_table(numbers()), np.flatnonzero(CODES == 1)
    rare, places = table[own], np.arange(RARE, dtype=np.int32)
    near = HEOM().fit(table).nearest(rare, rare, 4, groups=(places, places)).row
    start = np.repeat(rare.numbers(), 4, axis=0)
    along = rare.numbers()[near.ravel()] - start
    for row in resampled(numbers(), "smote", distance=HEOM(), n_neighbors=4).table.numbers()[N:]:
        step = np.clip((row - start)[:, 0] / along[:, 0], 0, 1)
        off = np.abs(start + step[:, None] * along - row) / numbers().std(axis=0)
        assert off.max(axis=1).min() < 1e-9


def test_a_level_is_the_majority_and_a_gap_has_the_share_of_the_neighbours() -> None:
    rows = {"x": [0.0, 1.0, np.nan, 3.0, 50.0, 51.0, 52.0], "job": ["a", "b", "b", "b", "c", "c", None]}
    table = mercer.read_table(rows, kinds={"job": "category", "x": "numeric"})
    base, near = np.zeros(4000, np.int64), np.tile([1, 2, 3], (4000, 1))
    new = between_neighbours(table, base, near, np.random.RandomState(0))
    assert set(new["job"]) == {"b"}
    assert np.isnan(new["x"]).mean() == pytest.approx(1 / 3, abs=0.03)
    assert np.nanmin(new["x"]) >= 0.0 and np.nanmax(new["x"]) <= 3.0
    tied = between_neighbours(table, base, np.tile([1, 4], (4000, 1)), np.random.RandomState(0))
    assert set(tied["job"]) == {"b"}  # the first of those that tie
    own = between_neighbours(table, base + 4, np.tile([1, 4], (4000, 1)), np.random.RandomState(0))
    assert set(own["job"]) == {"c"}  # the row's own of those that tie
    gaps = between_neighbours(table, base + 4, np.tile([5, 6], (4000, 1)), np.random.RandomState(0))["job"]
    assert np.mean([g is None for g in gaps]) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("rows", [numbers(), mixed(missing=True), levels()], ids=["numbers", "missing", "levels"])
def test_draws_have_the_counts_of_imbalanced_learn(rows: Any) -> None:
    for ratio in (1.0, 0.5):
        more, fewer = (resampled(rows, method, ratio=ratio).counts().tolist() for method in ("over", "under"))
        assert more == [N - RARE, int((N - RARE) * ratio)]
        assert fewer == [int(RARE / ratio), RARE]
    assert resampled(rows, "over", ratio=0.01).counts().tolist() == [N - RARE, RARE]  # nothing to do


def test_a_whole_factor_repeats_every_row_as_often() -> None:
    rows = np.arange(12.0)[:, None]
    found = resampled(rows, "over", np.repeat([0, 1], [9, 3]).astype(np.int32))
    assert Counter(found.table.numbers()[:, 0].tolist()) == {i: 3 if i >= 9 else 1 for i in range(12)}


def test_several_classes_all_grow() -> None:
    codes = np.repeat([0, 1, 2], [80, 50, 20]).astype(np.int32)
    for method in ("over", "smote"):
        for distance in (None, Gower()):
            if distance is None and method == "smote":
                pytest.importorskip("imblearn")
            assert resampled(numbers(), method, codes, distance=distance).counts().tolist() == [80, 80, 80]
    assert resampled(numbers(), "under", codes).counts().tolist() == [20, 20, 20]


@pytest.mark.parametrize("distance", [None, HEOM()], ids=str)
@pytest.mark.parametrize("method", GROWS)
def test_classes_of_one_row_and_of_two(method: str, distance: Any) -> None:
    if distance is None:
        pytest.importorskip("imblearn")
    rows = np.random.default_rng(0).normal(size=(40, 2))
    one, two = (np.repeat([0, 1], [40 - n, n]).astype(np.int32) for n in (1, 2))
    with pytest.raises(BadTarget, match=r"Class '1' has one row.*Use method='over'"):
        resampled(rows, method, one, distance=distance)
    with pytest.warns(MercerWarning, match="Class '1' has 2 rows: each has 1 neighbours in it, fewer than the 5"):
        found = resampled(rows, method, two, distance=distance)
    new = found.table.numbers()[40:]
    along = (new - rows[38]) / (rows[39] - rows[38])
    np.testing.assert_allclose(along[:, 0], along[:, 1], atol=1e-9)


def test_one_class_is_refused() -> None:
    with pytest.raises(BadTarget, match=r"one class.*OneClassSVM"):
        resampled(numbers(), "over", np.zeros(N, np.int32))


def test_texts_are_copied_and_texts_alone_refused() -> None:
    words = [f"a long text of many words, number {i}" for i in range(N)]
    rows = {"age": mixed(missing=True)["age"], "note": words}
    found = resampled(rows, "smote").table
    assert found.texts().shape[1] == 1
    assert set(found.texts()[N:, 0]) <= {w for w, c in zip(words, CODES, strict=True) if c}
    with pytest.raises(BadTable, match="every column is text"):
        resampled({"note": words}, "smote")
    assert resampled({"note": words}, "under").counts()[0] == (CODES == 1).sum()


def test_classes_that_do_not_meet() -> None:
    rows = np.arange(40.0)[:, None] + np.repeat([0, 1000], [30, 10])[:, None]
    codes = np.repeat([0, 1], [30, 10]).astype(np.int32)
    for distance in (None, HEOM()):
        if distance is None:
            pytest.importorskip("imblearn")
        with pytest.raises(BadTable, match=r"no row of a rare class has a neighbour.*'smote'"):
            resampled(rows, "adasyn", codes, distance=distance)
        assert len(resampled(rows, "borderline", codes, distance=distance).codes) == 40  # no row is in danger


def test_a_class_that_would_vanish_is_said() -> None:
    rows = np.repeat(np.arange(10.0), 2)[:, None] + np.tile([0.0, 0.1], 10)[:, None]
    codes = np.append(np.tile([0, 1], 10)[:-1], 0).astype(np.int32)
    with pytest.raises(BadTable, match=r"'edited' leaves no row of class '0'"):
        resampled(rows, "edited", codes, distance=HEOM())


def test_without_imbalanced_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imblearn", None)
    with pytest.raises(MercerError, match=r"pip install mercer\[imbalance\]. Or give metric='heom'"):
        mercer.Resampled(method="smote").fit(numbers(), Y)
    for rows, options in ((mixed(missing=True), {}), (numbers(), {"metric": "heom"})):
        assert mercer.Resampled(method="smote", **options).fit(rows, Y).fitted_prior_.tolist() == [0.5, 0.5]


def test_filters_of_warnings_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """They belong to all threads, of which others may warn at the same time."""
    over = pytest.importorskip("imblearn.over_sampling")
    seen = []

    class Watched(over.SMOTE):
        def fit_resample(self, *given: Any) -> Any:
            seen.append(list(warnings.filters))
            return super().fit_resample(*given)

    monkeypatch.setattr(over, "SMOTE", Watched)
    resampled(numbers(), "smote")
    assert seen == [list(warnings.filters)]
