"""Kernels made of kernels: by hand, in text, and what cannot be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.preprocessing import KernelCenterer

from mercer.errors import BadTable, MercerError
from mercer.kernels import (
    RBF,
    Centre,
    Cosine,
    Exp,
    FromCallable,
    Goodall3,
    Lin,
    Linear,
    Normalise,
    Overlap,
    PolynomialOf,
    Power,
    Product,
    Scale,
    Sigmoid,
    Sum,
)

ROWS = np.random.default_rng(1).normal(size=(15, 3))


def _gram(kernel, rows=ROWS):
    return kernel.fit(rows).gram(rows)


def test_operators():
    k, h = RBF(0.5), Linear()
    assert_allclose(_gram(k + h), _gram(k) + _gram(h))
    assert_allclose(_gram(k * h), _gram(k) * _gram(h))
    assert_allclose(_gram(3 * k), 3 * _gram(k))
    assert_allclose(_gram(k * 3), 3 * _gram(k))
    assert_allclose(_gram(k + 2), _gram(k) + 2)
    assert_allclose(_gram(2 + k), _gram(k) + 2)
    assert_allclose(_gram(h**3), _gram(h) ** 3)
    assert_allclose(_gram(Exp(k)), np.exp(_gram(k)))
    assert_allclose(_gram(PolynomialOf(h, [1, 0, 0.5])), 1 + 0.5 * _gram(h) ** 2)
    assert_allclose(_gram(sum([k, h, k])), _gram(k) + _gram(h) + _gram(k))


def test_normalised_linear_is_cosine():
    assert_allclose(_gram(Normalise(Linear())), _gram(Cosine()))
    zero = np.array([[0.0], [2.0]])
    assert_allclose(_gram(Normalise(Linear()), zero), [[0, 0], [0, 1]])


def test_centre_is_scikit_learns():
    train, new = ROWS[:10], ROWS[10:]
    plain = RBF(0.5).fit(train)
    theirs = KernelCenterer().fit(plain.gram(train))
    ours = Centre(RBF(0.5)).fit(train)
    assert_allclose(ours.gram(train), theirs.transform(plain.gram(train)), atol=1e-12)
    assert_allclose(ours.gram(new, train), theirs.transform(plain.gram(new, train)), atol=1e-12)
    assert_allclose(ours.gram(train).mean(axis=0), 0, atol=1e-12)


def test_nested_parameters():
    kernel = RBF(gamma=0.5) + 2 * Lin(on=["job", "city"])
    assert kernel.get_params()["k1__gamma"] == 0.5
    kernel.set_params(k1__gamma=0.25, k2__factor=3.0, k2__kernel__missing="ignore")
    assert repr(kernel) == "RBF(gamma=0.25) + 3 * Lin(missing='ignore', on=['job', 'city'])"


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (RBF(0.5) + 2 * Lin(on=["job"]), "RBF(gamma=0.5) + 2 * Lin(on=['job'])"),
        ((RBF() + Linear()) * Overlap(), "(RBF() + Linear()) * Overlap()"),
        (RBF() * Linear() + Overlap(), "RBF() * Linear() + Overlap()"),
        ((RBF() + Linear()) ** 2, "(RBF() + Linear()) ** 2"),
        (2 * (RBF() + Linear()), "2 * (RBF() + Linear())"),
        (Normalise(Exp(0.5 * Goodall3())), "Normalise(kernel=Exp(kernel=0.5 * Goodall3()))"),
    ],
)
def test_text_is_the_expression(kernel, text):
    assert repr(kernel) == text
    names = {k.__name__: k for k in (RBF, Linear, Lin, Overlap, Normalise, Exp, Goodall3)}
    assert repr(eval(text, names)) == text


def test_a_promise_needs_every_part():
    assert (RBF() + Overlap() * Linear()).positive
    assert not (RBF() + Sigmoid()).positive
    assert not Normalise(Lin()).positive


@pytest.mark.parametrize(
    "kernel",
    [
        Scale(RBF(), 0), Scale(RBF(), -1), Scale(RBF(), np.nan), Power(RBF(), 0.5), Power(RBF(), 0),
        PolynomialOf(RBF(), (-1, 1)),
        PolynomialOf(RBF(), (0, 0)), PolynomialOf(RBF(), ()), PolynomialOf(RBF(), "no"), Sum(RBF(), 3),
        Product(None, RBF()),
        RBF() + (-1.0), (-2) * RBF(),
    ],
    ids=lambda k: type(k).__name__,
)  # fmt: skip
def test_what_would_break_the_condition_is_refused(kernel):
    with pytest.raises(MercerError, match="must be"):
        kernel.fit(ROWS)


def test_only_kernels_and_numbers_combine():
    for wrong in ("text", None, True, [1]):
        with pytest.raises(TypeError):
            RBF() + wrong
        with pytest.raises(TypeError):
            RBF() * wrong
    with pytest.raises(TypeError):
        RBF() ** "two"


def test_overflow_is_an_error():
    with pytest.raises(BadTable, match="Scale it"):
        _gram(Exp(Linear()), np.array([[100.0]]))


def test_no_length_below_zero():
    with pytest.raises(BadTable, match="row 1 has similarity -1"):
        _gram(Normalise(FromCallable(lambda a, b: -np.ones((len(a), len(b))))))
