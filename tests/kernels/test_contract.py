"""What every kernel promises, one kernel after the other."""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mercer.kernels
from mercer.errors import BadFile, MercerError, TooLarge
from mercer.kernels import KERNELS, FromCallable, Kernel, Linear, Polynomial, Precomputed, Proximity, check, register
from mercer.state import Reader


def _concrete():
    for module in pkgutil.walk_packages(mercer.kernels.__path__, "mercer.kernels."):
        for _, found in inspect.getmembers(import_module(module.name), inspect.isclass):
            if issubclass(found, Kernel) and not inspect.isabstract(found) and not found.__name__.startswith("_"):
                yield found


def test_no_kernel_is_missed(every_kernel, precomputed):
    names = {k.__name__ for k in _concrete() if k.__name__ not in ("Composite",)}
    assert names == set(KERNELS)
    assert names <= set(mercer.kernels.__all__)
    assert names == {type(k).__name__ for k in [*every_kernel, precomputed]}


def test_every_kernel_has_a_formula_first():
    for kernel in _concrete():
        if kernel.__name__ in KERNELS:
            assert kernel.__doc__.startswith("k(a, b)"), kernel


def test_gram_is_symmetric_and_diag_is_its_diagonal(every_kernel, mixed):
    for kernel in every_kernel:
        gram = kernel.fit(mixed).gram(mixed)
        assert gram.shape == (12, 12), kernel
        assert_allclose(gram, gram.T, atol=1e-12, err_msg=repr(kernel))
        assert_allclose(kernel.diag(mixed), gram.diagonal(), atol=1e-10, err_msg=repr(kernel))


def test_gram_of_blocks_is_a_block_of_the_gram(every_kernel, mixed):
    rows, columns = np.array([3, 1, 7]), np.array([0, 11, 5, 2])
    for kernel in every_kernel:
        gram = kernel.fit(mixed).gram(mixed)
        block = kernel.gram(mixed.take(rows), mixed.take(columns))
        assert_allclose(block, gram[np.ix_(rows, columns)], rtol=1e-9, atol=1e-10, err_msg=repr(kernel))


def test_promised_kernels_are_positive_semi_definite(every_kernel, mixed):
    for kernel in every_kernel:
        found = check(kernel, mixed)
        assert found.symmetric, kernel
        assert found.holds or not kernel.positive, found


def test_single_precision_follows_on_request(every_kernel, mixed):
    for kernel in every_kernel:
        double, single = kernel.fit(mixed).gram(mixed), kernel.gram(mixed, dtype=np.float32)
        assert double.dtype == np.float64, kernel
        assert single.dtype == np.float32, kernel
        assert kernel.diag(mixed, dtype=np.float32).dtype == np.float32, kernel
        assert_allclose(single, double, rtol=2e-3, atol=2e-4 * np.abs(double).max(), err_msg=repr(kernel))


def test_fit_leaves_parameters_alone_and_clone_round_trips(every_kernel, mixed):
    for kernel in every_kernel:
        before = repr(kernel)
        again = clone(kernel.fit(mixed))
        assert repr(kernel) == before
        assert repr(again) == before
        assert set(again.get_params()) == set(kernel.get_params())
        again.set_params(**kernel.get_params(deep=False))
        assert_allclose(again.fit(mixed).gram(mixed), kernel.gram(mixed), err_msg=before)
        with pytest.raises(NotFittedError):
            clone(kernel).gram(mixed)


def test_state_round_trips(every_kernel, mixed):
    for kernel in every_kernel:
        if isinstance(kernel, FromCallable | Proximity):
            continue
        state = kernel.fit(mixed).to_state()
        again = Kernel.from_state(Reader(state))
        assert type(again) is type(kernel)
        assert_allclose(again.gram(mixed), kernel.gram(mixed), rtol=0, atol=0, err_msg=repr(kernel))
        assert repr(again.to_state()) == repr(state)


def _leaves(state, path=()):
    for key, value in state.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for i, inside in enumerate(value):
                yield from _leaves(inside, (*path, key, i))
        else:
            yield (*path, key)


def _change(state, path, value):
    """A deep copy of the path to one value, with that value replaced."""
    if not path:
        return value
    copy = dict(state) if isinstance(state, dict) else list(state)
    copy[path[0]] = _change(state[path[0]], path[1:], value)
    return copy


def test_a_damaged_state_is_refused_and_never_crashes(every_kernel, mixed):
    for kernel in every_kernel:
        if isinstance(kernel, FromCallable | Proximity):
            continue
        state = kernel.fit(mixed).to_state()
        for path in _leaves(state):
            for wrong in (object(), np.full(3, np.nan)):
                with pytest.raises(MercerError):
                    Kernel.from_state(Reader(_change(state, path, wrong)))
        with pytest.raises(BadFile, match="does not belong"):
            Kernel.from_state(Reader({**state, "extra": 1}))


def test_a_function_cannot_be_stored(mixed):
    with pytest.raises(MercerError, match="Write it as a Kernel"):
        FromCallable(lambda a, b: a @ b.T).fit(mixed).to_state()


def test_a_state_names_a_kernel_of_its_own_class():
    state = Linear().fit([[1.0]]).to_state()
    assert isinstance(Linear.from_state(Reader(state)), Linear)
    with pytest.raises(BadFile, match="kernel: expected one of Precomputed"):
        Precomputed.from_state(Reader(state))
    with pytest.raises(BadFile, match="kernel"):
        Kernel.from_state(Reader({**state, "kernel": "os.system"}))


def test_a_name_belongs_to_one_module(monkeypatch):
    monkeypatch.setattr("mercer.kernels.registry.KERNELS", {"Linear": Linear})
    again = type("Linear", (Linear,), {"__module__": Linear.__module__})
    assert register(again) is again
    with pytest.raises(TypeError, match=r"named Linear already, in mercer\.kernels\.numeric\.dot"):
        register(type("Linear", (Linear,), {"__module__": "elsewhere"}))


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(TooLarge, match=r"Polynomial\(gamma=1e\+308\) gives values beyond .* Scale them"):
        Polynomial(gamma=1e308).fit([[1.0], [20.0]]).gram([[1.0], [20.0]])
    with pytest.raises(TooLarge, match="gives values beyond"), np.errstate(over="ignore"):
        Linear().fit([[1e200]]).gram([[1e200]], [[1e200], [1.0]])
