"""What no kernel machine may do with: matrices that are not finite, not positive, singular; ranks beyond the rows.

The machines are found by their parameter `kernel`, so that a new one is not missed.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.errors import Indefinite, MercerError, MercerWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)
GRAM = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))


def _with_kernels() -> list[Any]:
    found = [getattr(mercer, name) for name in dir(mercer)]
    return [
        c for c in found if inspect.isclass(c) and hasattr(c, "fit") and "kernel" in inspect.signature(c).parameters
    ]


def _takes(machine: Any, parameter: str) -> bool:
    return parameter in inspect.signature(machine).parameters


# LocallyWeightedRegression has a window over distances by that name.
LEARNERS = [c for c in _with_kernels() if c is not mercer.LocallyWeightedRegression]
COMPARES_ROWS = [
    mercer.KernelComponents,
    mercer.KernelPerceptron,
    mercer.Nystroem,
    mercer.RandomFeatures,
    mercer.SVDD,
]
OF_MATRICES = [c for c in LEARNERS if c not in COMPARES_ROWS]
ANY_BASIS = (mercer.RVC, mercer.RVR)  # functions of a linear model, which need not be positive
BY_PAIR = (mercer.KernelRidge, mercer.Nystroem)  # a function of two rows, as in scikit-learn


def _answers(model: Any, x: Any) -> np.ndarray:
    name = next(n for n in ("decision_function", "predict", "transform") if hasattr(model, n))
    return np.asarray(getattr(model, name)(x), dtype=np.float64)


def test_the_machines_are_found() -> None:
    assert len(LEARNERS) >= 21
    assert {mercer.SVC, mercer.KernelRidge, mercer.RVR, mercer.TwinSVC, mercer.CoreVectorMachine} < set(OF_MATRICES)


@pytest.mark.parametrize("machine", LEARNERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite_is_refused(machine: Any, value: float) -> None:
    hole = GRAM.copy()
    hole[2, 5] = hole[5, 2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity|not a Gram matrix|precomputed kernel matrix"):
        machine(kernel="precomputed").fit(hole, Y)


@pytest.mark.parametrize("machine", [c for c in LEARNERS if c is not mercer.RandomFeatures])
def test_a_function_that_gives_nan_is_refused(machine: Any) -> None:
    def no_number(a: Any, b: Any) -> Any:
        return np.nan if machine in BY_PAIR else np.full((len(a), len(b)), np.nan)

    with pytest.raises(MercerError, match="gave nan for row 1 and row 1"):
        machine(kernel=no_number).fit(X, Y)


@pytest.mark.parametrize("machine", OF_MATRICES)
def test_a_matrix_that_is_not_positive_is_said_or_refused(machine: Any) -> None:
    model = machine(kernel="precomputed")
    if machine in ANY_BASIS:
        assert np.isfinite(_answers(model.fit(-GRAM, Y), -GRAM)).all()
    elif machine in (mercer.CoreVectorMachine, mercer.TwinSVC):
        with pytest.raises(MercerError, match="not positive"):
            model.fit(-GRAM, Y)
    else:
        with pytest.warns(Indefinite, match=r"not positive semi-definite: smallest eigenvalue -\d"):
            model.fit(-GRAM, Y)
        assert np.isfinite(_answers(model, -GRAM)).all()


@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")  # nu leaves no margin
@pytest.mark.parametrize("machine", OF_MATRICES)
def test_a_singular_matrix_has_an_answer(machine: Any) -> None:
    """All rows alike: there is nothing to tell them apart by, so that all have one answer."""
    ones = np.ones((40, 40))
    found = _answers(machine(kernel="precomputed").fit(ones, Y), ones)
    assert np.isfinite(found).all()
    assert_allclose(found, np.broadcast_to(found[:1], found.shape), atol=1e-8)


@pytest.mark.parametrize("machine", OF_MATRICES)
def test_a_positive_matrix_is_no_reason_to_warn(machine: Any, recwarn: pytest.WarningsRecorder) -> None:
    machine(kernel="precomputed").fit(GRAM.astype(np.float32), Y)
    assert not [w for w in recwarn if issubclass(w.category, MercerWarning) and "positive" in str(w.message)]


@pytest.mark.parametrize("machine", [c for c in LEARNERS if _takes(c, "approximation")])
def test_a_rank_beyond_the_rows_is_every_row(machine: Any) -> None:
    given = {"kernel": "rbf", "gamma": 0.5}
    exact, found = machine(**given).fit(X, Y), machine(**given, approximation="nystroem", rank=1000).fit(X, Y)
    assert found.approximation_error_ < 1e-6
    assert_allclose(_answers(found, X), _answers(exact, X), atol=0.05)
    assert len(found.support_) <= len(X)


def test_landmarks_beyond_the_rows_are_every_row() -> None:
    z = mercer.Nystroem("rbf", gamma=1.0, n_components=1000, random_state=0).fit_transform(X)
    assert z.shape == (40, 40)
    assert_allclose(z @ z.T, GRAM, atol=1e-6)


@pytest.mark.parametrize("machine", [c for c in LEARNERS if "multi_class" in c.parameters])
def test_a_strategy_set_after_a_fit_is_not_stored_with_it(machine: Any) -> None:
    model = machine().fit(X, np.digitize(X[:, 0], [-0.4, 0.4]))
    other = "ovo" if model.multi_class == "ovr" else "ovr"
    again = machine.from_state(mercer.state.Reader(model.to_state()))
    for changed in (model, again):
        with pytest.raises(MercerError, match=f"multi_class='{other}' was set after the fit of this"):
            changed.set_params(multi_class=other).to_state()
        with pytest.raises(MercerError, match="Fit it again, or set it back"):
            changed.predict(X)
