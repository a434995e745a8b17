"""What `conformal` set after a fit means for the intervals of every machine that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mercer
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.sin(X[:, 0]) + RNG.normal(0, 0.2, 40)


@pytest.mark.parametrize("made", [lambda **given: mercer.KernelRidge(kernel="rbf", **given), mercer.RVR])
def test_conformal_set_after_the_fit(made: Any, tmp_path: Path) -> None:
    normal, conformal = made().fit(X, Y), made(conformal=True).fit(X, Y)
    expected = normal.predict_interval(X)
    assert_array_equal(conformal.set_params(conformal=False).predict_interval(X), expected)
    mercer.save(conformal, tmp_path / "normal.mercer")
    assert_array_equal(mercer.load(tmp_path / "normal.mercer").predict_interval(X), expected)
    normal.set_params(conformal=True)
    with pytest.raises(MercerError, match=r"conformal=True was set after the fit of this .* Fit it again"):
        normal.predict_interval(X)
    with pytest.raises(MercerError, match=r"has no conformal_scores_.* Fit it again"):
        mercer.save(normal, tmp_path / "conformal.mercer")
    assert not (tmp_path / "conformal.mercer").exists()
    assert_array_equal(normal.fit(X, Y).predict_interval(X), conformal.set_params(conformal=True).predict_interval(X))
