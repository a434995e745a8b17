"""Input that kernel machines cannot learn from: what went wrong, where, what next; never a crash."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import mercer
from mercer.errors import BadTable, BadTarget, MercerError
from mercer.kernels import RBF, ChiSquared

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), np.arange(40) % 2
ALL = [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM, mercer.LinearSVC, mercer.LinearSVR]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (mercer.SVC(C=0), "C=0"), (mercer.SVC(C=-1.0), "C=-1.0"), (mercer.SVC(C=np.nan), "C=nan"),
        (mercer.SVC(C="1"), "C='1'"),
        (mercer.SVR(C=0), "C=0"), (mercer.NuSVR(C=np.inf), "finite C"), (mercer.LinearSVC(C=-1), "C=-1"),
        (mercer.LinearSVR(C=np.inf), "finite C"), (mercer.SVC(gamma=0), "gamma=0"),
        (mercer.SVC(gamma=-1.0), "gamma=-1"),
        (mercer.SVC(gamma="wide"), "gamma='wide'"), (mercer.NuSVC(nu=0), "nu=0"), (mercer.NuSVC(nu=1.5), "nu=1.5"),
        (mercer.NuSVR(nu=-0.1), "nu=-0.1"), (mercer.OneClassSVM(nu=2), "nu=2"), (mercer.SVR(epsilon=-1), "epsilon=-1"),
        (mercer.SVC(kernel="rfb"), "Did you mean 'rbf'"), (mercer.SVC(kernel=3), "expected a name"),
        (mercer.SVC(slack="l3"), "slack"), (mercer.SVC(probability="maybe"), "probability"),
        (mercer.SVC(multi_class="all"), "multi_class"), (mercer.SVC(precision="half"), "precision"),
        (mercer.SVC(cache_size=0), "cache_size"), (mercer.SVC(cache_size=1e-6), "memory budget"),
        (mercer.SVC(class_weight={"x": 2.0}), "no class 'x'"), (mercer.SVC(kernel="poly", degree=-1), "degree=-1"),
    ],
    ids=lambda v: v if isinstance(v, str) else repr(v),
)  # fmt: skip
def test_parameters_out_of_range(model, says):
    with pytest.raises(ValueError, match=says):
        model.fit(X, Y)


def test_infeasible_nu_is_refused_before_any_kernel_is_computed():
    def never(a, b):
        raise AssertionError("the kernel was computed")

    labels = np.array([1] * 3 + [0] * 37)
    with pytest.raises(BadTarget, match=r"nu is infeasible.*at most 0\.15"):
        mercer.NuSVC(nu=0.5, kernel=never).fit(X, labels)


@pytest.mark.parametrize("model", [mercer.SVC(), mercer.NuSVC(), mercer.LinearSVC()], ids=repr)
def test_one_class(model):
    with pytest.raises(BadTarget, match=r"greater than one; got 1 class"):
        model.fit(X, np.ones(40))
    with pytest.raises(ValueError, match="class"):
        model.fit(X, Y, sample_weight=(Y == 0).astype(float))


@pytest.mark.parametrize("make", ALL)
def test_rows_all_alike_and_constant_columns(make):
    model = make(nu=0.3) if make is mercer.NuSVC else make()
    same = np.ones((40, 3))
    assert np.isin(model.fit(same, Y).predict(same), [0, 1, -1]).all() or np.isfinite(model.predict(same)).all()
    half = np.column_stack([X[:, 0], np.ones(40)])
    assert len(model.fit(half, Y).predict(half)) == 40


@pytest.mark.parametrize("make", ALL)
def test_one_and_two_rows(make):
    model = make()
    assert len(model.fit(X[:2], Y[:2]).predict(X[:3])) == 3
    if make in (mercer.SVC, mercer.NuSVC, mercer.LinearSVC):
        with pytest.raises(ValueError, match="class"):
            model.fit(X[:1], Y[:1])
    else:
        assert np.isfinite(model.fit(X[:1], Y[:1]).predict(X[:3])).all()


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [False, True], [0.0, 1.0], [-1, 1], [2**40, 2**41], np.array(["a", "b"], dtype=object)],
    ids=str,
)
@pytest.mark.parametrize("model", [mercer.SVC(probability=True), mercer.LinearSVC()], ids=repr)
def test_labels_of_any_type(model, labels):
    y = np.asarray(labels)[Y]
    found = model.fit(X, y).predict(X)
    assert found.dtype == model.classes_.dtype
    assert set(found.tolist()) <= set(y.tolist())


def test_gram_matrices_that_are_none():
    gram = RBF(0.5).fit(X).gram(X)
    model = mercer.SVC(kernel="precomputed")
    with pytest.raises(BadTable, match="square"):
        model.fit(gram[:, :30], Y)
    lopsided = gram.copy()
    lopsided[3, 7] += 0.5
    with pytest.raises(BadTable, match="not symmetric"):
        model.fit(lopsided, Y)
    hole = gram.copy()
    hole[2, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(hole, Y)
    model.fit(gram, Y)
    with pytest.raises(ValueError, match="features"):
        model.predict(gram[:, :10])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(hole)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda a, b: np.full((len(a), len(b)), np.nan), "gave nan"),
        (lambda a, b: np.ones((3, 3)), "shape"),
        (lambda a, b: a[:, :1] - b[:, :1].T, "no kernel"),
    ],
)
def test_functions_that_misbehave(function, says):
    with pytest.raises(MercerError, match=says):
        mercer.SVC(kernel=function).fit(X, Y)


def test_numbers_that_a_kernel_cannot_take():
    with pytest.raises(BadTable, match="ChiSquared compares counts"):
        mercer.SVC(kernel=ChiSquared()).fit(X, Y)
    holes = X.copy()
    holes[4, 1] = np.nan
    with pytest.raises(BadTable, match=r"column 'x1', row 5"):
        mercer.SVC(kernel=RBF()).fit(holes, Y)
    infinite = X.copy()
    infinite[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        mercer.SVC().fit(infinite, Y)
    assert_array_equal(mercer.SVC().fit(X, Y).predict(holes).shape, (40,))  # a name fills holes with the mean


def test_a_million_rows_say_what_they_need():
    rows = np.zeros((1_000_000, 1))
    with pytest.raises(BadTable, match=r"needs 8 TB\. SVC and SVR keep only the rows of it that fit"):
        RBF(1.0).fit(rows).gram(rows)


@pytest.mark.parametrize("learner", ALL)
@pytest.mark.parametrize("sparse", [False, True])
def test_numbers_too_large_to_square_are_refused(learner, sparse):
    huge = X * 1e200
    with pytest.raises(BadTable, match="'x0' is too large"):
        learner().fit(sp.csr_array(huge) if sparse else huge, Y)


def test_kernel_values_too_large_to_hold_are_refused():
    with pytest.raises(BadTable, match="too large for it"):
        mercer.SVC(kernel="poly", degree=9, gamma=1.0).fit(X * 1e30, Y)
    with pytest.raises(BadTable, match="too large for it"):
        mercer.SVC(kernel="poly", degree=9, gamma=1.0, cache_size=0.01).fit(X * 1e30, Y)
