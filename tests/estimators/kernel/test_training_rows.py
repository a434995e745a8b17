"""Rows without a target that tell a kernel how frequent its levels are."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.errors import BadTarget, MercerError
from mercer.kernels import Lin

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"job": RNG.choice(["a", "b", "c", "d"], 120), "city": RNG.choice(["x", "y", "z"], 120)})
LABELS = np.where((FRAME["job"] == "a") ^ (FRAME["city"] == "x"), "yes", "no").astype(object)
NUMBERS = (FRAME["job"] == "a") + 2.0 * (FRAME["city"] == "x")
AWAY = np.arange(120) % 3 == 0
pytestmark = pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")  # Lin may be indefinite


@pytest.mark.parametrize("make", [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR])
def test_rows_without_a_target_are_unlabelled_rows(make):
    y = LABELS if make in (mercer.SVC, mercer.NuSVC) else NUMBERS
    options = {"nu": 0.3} if make is mercer.NuSVC else {}
    holes = [None if away else value for away, value in zip(AWAY, y, strict=True)]
    one = make(kernel=Lin(), transductive=True, **options).fit(FRAME, holes)
    two = make(kernel=Lin(), **options).fit(FRAME[~AWAY], y[~AWAY], unlabelled=FRAME[AWAY])
    plain = make(kernel=Lin(), **options).fit(FRAME[~AWAY], y[~AWAY])
    assert one.transductive_ and two.transductive_ and not plain.transductive_
    assert_allclose(one.dual_coef_, two.dual_coef_)
    assert_array_equal(one.support_, np.flatnonzero(~AWAY)[two.support_])  # rows of the table that was given
    assert_array_equal(one.predict(FRAME), two.predict(FRAME))
    rows = FRAME[:20]
    assert np.abs(one.kernel_.gram(rows) - plain.kernel_.gram(rows)).max() > 1e-6


def test_none_nan_and_na_are_missing_targets():
    for hole in (None, np.nan, pd.NA):
        y = LABELS.copy()
        y[AWAY] = hole
        assert mercer.SVC(transductive=True).fit(FRAME, y, sample_weight=np.ones(120)).classes_.tolist() == [
            "no",
            "yes",
        ]
    with pytest.raises(ValueError):
        mercer.SVC().fit(FRAME, y)  # without the option, a missing target is a mistake


def test_nothing_to_learn_from_and_two_ways_at_once():
    holes = np.where(AWAY, None, LABELS)
    with pytest.raises(BadTarget, match="No row has a target"):
        mercer.SVC(transductive=True).fit(FRAME, [None] * 120)
    with pytest.raises(MercerError, match="not both"):
        mercer.SVC(transductive=True).fit(FRAME, holes, unlabelled=FRAME)
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(120,\)"):
        mercer.SVC(transductive=True).fit(FRAME, holes, sample_weight=[1.0, 2.0, 3.0])
    with pytest.raises(BadTarget, match="inconsistent"):
        mercer.SVC(transductive=True).fit(FRAME, holes[:50])
    with pytest.raises(MercerError, match="precomputed kernel learns nothing"):
        mercer.SVC(kernel="precomputed", transductive=True).fit(np.eye(120), holes)


def test_transductive_is_stored():
    model = mercer.SVC(kernel=Lin(), transductive=True).fit(FRAME, np.where(AWAY, None, LABELS))
    again = mercer.SVC.from_state(mercer.state.Reader(model.to_state()))
    assert again.transductive_
    assert_array_equal(again.support_, model.support_)
    assert_array_equal(again.predict(FRAME), model.predict(FRAME))
