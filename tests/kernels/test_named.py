"""What a kernel's name means, and kernels as parameters of something else."""

from typing import ClassVar

import numpy as np
import pytest

from mercer import read_table
from mercer.errors import BadFile, MercerError
from mercer.kernels import (
    KERNEL,
    KERNELS,
    RBF,
    Encoded,
    FromCallable,
    Lin,
    Linear,
    Overlap,
    Precomputed,
    Proximity,
    as_kernel,
    default_kernel,
)
from mercer.kernels.base import kernel_from_parameters, kernel_parameters_state
from mercer.parameters import check_parameters, parameters_state, read_parameters
from mercer.state import Reader

NUMBERS = read_table({"a": [1.0, 2.5], "b": [3.5, None]}).schema
MIXED = read_table({"age": [30.0, 50.0, 41.5], "job": ["sales", "clerk", "smith"]}).schema


def test_names_mean_the_kernel_on_numbers_as_they_are():
    assert repr(as_kernel("rbf", NUMBERS, gamma=2.0)) == "Encoded(kernel=RBF(gamma=2.0), scaling='none', levels='keep')"
    assert repr(as_kernel("linear", NUMBERS).kernel) == "Linear()"
    assert repr(as_kernel("sigmoid", NUMBERS, gamma="auto", coef0=1.0).kernel) == "Sigmoid(gamma='auto', coef0=1.0)"
    assert repr(as_kernel("poly", NUMBERS, degree=2).kernel) == "Polynomial(degree=2)"
    assert isinstance(as_kernel("precomputed", NUMBERS), Precomputed)


def test_with_categories_numbers_are_standardised():
    assert repr(as_kernel("linear", MIXED)) == "Encoded(kernel=Linear())"
    assert repr(as_kernel("rbf", MIXED)) == repr(default_kernel(MIXED))
    assert repr(as_kernel("rbf", MIXED, gamma=0.25)) == repr(default_kernel(MIXED, 2 * 0.25 * 2))


def test_kernels_are_copied_and_functions_wrapped():
    kernel = RBF(0.5) + Lin()
    assert as_kernel(kernel, MIXED) is not kernel
    assert repr(as_kernel(kernel, MIXED)) == f"Encoded(kernel={kernel!r}, scaling='none', levels='keep')"
    for filled in (Overlap(), Encoded(RBF()), 2 * Encoded(Linear()) + Lin()):
        assert repr(as_kernel(filled, MIXED)) == repr(filled)
    assert isinstance(as_kernel(np.dot, MIXED), FromCallable)


def test_what_is_no_kernel():
    with pytest.raises(MercerError, match="Did you mean 'rbf'"):
        as_kernel("rbff", NUMBERS)
    with pytest.raises(MercerError, match="expected a name, a Kernel, or a function"):
        as_kernel(3, NUMBERS)


class Holder:
    parameters: ClassVar = {"kernel": KERNEL}

    def __init__(self, kernel):
        self.kernel = kernel


def _stored(kernel):
    return read_parameters(Reader(parameters_state(Holder(kernel))), Holder.parameters)["kernel"]


def test_every_kernel_is_stored_as_a_parameter(every_kernel, precomputed):
    stored = set()
    for kernel in [*every_kernel, precomputed]:
        check_parameters(Holder(kernel))
        if isinstance(kernel, FromCallable | Proximity):
            continue
        again = _stored(kernel)
        assert repr(again) == repr(kernel)
        assert repr(again.get_params()) == repr(kernel.get_params())
        assert not hasattr(again, "schema_")
        stored.add(type(kernel).__name__)
    assert stored == set(KERNELS) - {"FromCallable", "Proximity"}


def test_kernels_inside_kernels_are_stored():
    kernel = Encoded(RBF(sigma=2.0, on=["age"]) * (2 * Lin("ignore") + 1.0), scaling="minmax", levels="keep")
    assert repr(_stored(kernel)) == repr(kernel)


def test_names_and_functions_as_parameters():
    assert _stored("poly") == "poly"
    assert _stored(np.dot) == "rbf"  # a function is not stored; nor is a model fitted with it
    for wrong in ("rbff", 3, None):
        with pytest.raises(MercerError, match="'kernel' parameter of Holder must be 'linear' or"):
            check_parameters(Holder(wrong))
    with pytest.raises(MercerError, match="Write it as a Kernel"):
        kernel_parameters_state(RBF() + FromCallable(np.dot))


def test_a_damaged_parameter_is_refused():
    state = kernel_parameters_state(RBF() + Lin())
    for change in ({"kernel": "os.system"}, {"more": 1}, {"parameters": state["parameters"] | {"k1": 3}}):
        with pytest.raises(BadFile):
            kernel_from_parameters(Reader(state | change))
