"""Input that kernel machines cannot learn from: what went wrong, where, what next; never a crash."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer.errors import BadTable, BadTarget, MercerError, MercerWarning
from mercer.kernels import RBF, ChiSquared

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), np.arange(40) % 2
KERNEL_MACHINES = [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM]
ALL = [*KERNEL_MACHINES, mercer.LinearSVC, mercer.LinearSVR]
# What no machine takes that has the parameter, with a word of what it says.
NEVER = {
    "C": ([0, -1.0, np.nan, "1", True, None, [1.0]], "must be a number above 0"),
    "nu": ([0, -0.1, 1.5, np.nan, "1", None], "must be a number above 0 and up to 1"),
    "gamma": ([0, -1.0, np.nan, np.inf, "wide", None], "must be a number above 0"),
    "epsilon": ([-1, np.nan, np.inf, "x"], "must be a number of at least 0"),
    "cache_size": ([0, -1, np.nan, "big"], "must be a number above 0"),
    "precision": (["half"], "must be .auto. or .single. or .double."),
    "loss": (["l3", None], "must be .*(hinge|insensitive)"),
    "shrinking": ([1, "no"], "must be True or False"),
    "verbose": ([-1, "loud", None], "must be True or False or a whole number"),
    "random_state": ([-1, "x", 1.5], "must be a whole number"),
    "intercept_scaling": ([0, np.nan, 1e200], "must be a number above 0 and up to 1e.100"),
    "dual": ([1, "no", None], "must be True or False or .auto."),
    "tol": ([0, -1, np.nan, np.inf, "x", None], "must be a number above 0"),
    "max_iter": ([-2, 1.5, "x", None, 2**63], "must be a whole number of at least"),
    "time_limit": ([0, -5, np.nan, "x"], "must be a number above 0"),
}
WRONG = [
    (make, name, value, says)
    for make in ALL
    for name, (values, says) in NEVER.items()
    if name in make().get_params()
    for value in values
]


@pytest.mark.parametrize(("make", "name", "value", "says"), WRONG, ids=lambda v: getattr(v, "__name__", repr(v)))
def test_values_that_no_svm_takes(make, name, value, says):
    with pytest.raises(MercerError, match=says) as raised:
        make(**{name: value}).fit(X, Y)
    assert name in str(raised.value)
    assert repr(value) in str(raised.value)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (mercer.NuSVR(C=np.inf), "above 0 .*or .cv., and finite"),
        (mercer.LinearSVC(C=np.inf), "above 0 .*or .cv., and finite"),
        (mercer.LinearSVR(C=np.inf), "above 0 .*or .cv., and finite"),
        (mercer.SVC(kernel="rfb"), "must be .linear. or .poly. or .rbf."),
        (mercer.SVC(kernel=3), "or a kernel or a function of two arrays"),
        (mercer.SVC(probability="maybe"), "probability"), (mercer.SVC(multi_class="all"), "multi_class"),
        (mercer.SVC(class_weight={"x": 2.0}), "no class 'x'"),
        (mercer.SVC(kernel="poly", degree=-1), "The .degree. parameter"),
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
@pytest.mark.parametrize("model", [mercer.SVC(probability="sigmoid"), mercer.LinearSVC()], ids=repr)
def test_labels_of_any_type(model, labels):
    y = np.asarray(labels)[Y]
    found = model.fit(X, y).predict(X)
    assert found.dtype == model.classes_.dtype
    assert set(found.tolist()) <= set(y.tolist())


def test_invalid_gram_matrices():
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
def test_invalid_kernel_functions(function, says):
    with pytest.raises(MercerError, match=says):
        mercer.SVC(kernel=function).fit(X, Y)


def test_numbers_that_a_kernel_cannot_take():
    with pytest.raises(BadTable, match="ChiSquared compares counts"):
        mercer.SVC(kernel=ChiSquared()).fit(X, Y)
    holes = X.copy()
    holes[4, 1] = np.nan
    infinite = X.copy()
    infinite[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        mercer.SVC().fit(infinite, Y)
    assert_array_equal(mercer.SVC().fit(X, Y).predict(holes).shape, (40,))  # holes are filled with the mean


def test_the_memory_of_a_million_rows_is_stated():
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


@pytest.mark.parametrize("make", KERNEL_MACHINES)
def test_a_budget_that_holds_no_two_rows(make):
    with pytest.raises(MercerError, match=r"memory budget of 1 bytes .* two kernel rows of 40 entries .* LinearSVC"):
        make(cache_size=1e-6).fit(X, Y)


@pytest.mark.parametrize("make", KERNEL_MACHINES)
def test_a_million_rows_in_a_megabyte(make):
    rows = np.zeros((1_000_000, 1), dtype=np.float32)
    with pytest.raises(
        MercerError, match=r"1,000,000 entries \(8 MB\); the whole matrix takes 4 TB\. Raise cache_size"
    ):
        make(cache_size=1).fit(rows, np.arange(1_000_000) % 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_few_rows_in_memory_are_pointed_out():
    rows = RNG.normal(size=(3000, 2))
    with pytest.warns(MercerWarning, match=r"3,000 rows takes 72 MB, but the memory budget holds 20 rows of it"):
        mercer.SVC(cache_size=1, max_iter=10).fit(rows, rows[:, 0] > 0)


@pytest.mark.parametrize("make", ALL)
def test_cells_and_targets_that_are_no_numbers(make):
    infinite = X.copy()
    infinite[4, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity"):
        make().fit(infinite, Y)
    model = make(tol=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="infinity"):
        model.predict(infinite)
    if make is not mercer.OneClassSVM:
        for wrong in (np.nan, np.inf):
            with pytest.raises(BadTarget, match="NaN or infinity"):
                make().fit(X, np.where(np.arange(40) == 3, wrong, Y))


@pytest.mark.parametrize("make", KERNEL_MACHINES)
@pytest.mark.parametrize("cache_size", [None, 0.002])  # the whole matrix, and rows of it
def test_kernel_functions_are_checked_by_every_svm(make, cache_size):
    for function, says in [
        (lambda a, b: np.full((len(a), len(b)), np.nan), r"gave nan for row 1 and row 1"),
        (lambda a, b: np.ones((3, 3)), r"shape \(3, 3\)"),
        (lambda a, b: 1.0, r"shape \(\)"),
        (lambda a, b: (a @ b.T).astype(complex), "complex128"),
        (lambda a, b: a[:, :1] - b[:, :1].T, "no kernel"),
    ]:
        with pytest.raises(MercerError, match=says):
            make(kernel=function, cache_size=cache_size).fit(X, Y)


@pytest.mark.parametrize("make", KERNEL_MACHINES)
def test_gram_matrices_are_checked_by_every_svm(make):
    gram = RBF(0.5).fit(X).gram(X)
    lopsided = gram.copy()
    lopsided[3, 7] += 0.5
    with pytest.raises(BadTable, match=r"not symmetric: entry \(4, 8\)"):
        make(kernel="precomputed").fit(lopsided, Y)
    with pytest.raises(BadTable, match="Found 40 x 30"):
        make(kernel="precomputed").fit(gram[:, :30], Y)


def test_a_margin_without_errors_needs_classes_that_separate():
    with pytest.raises(BadTarget, match=r"C=inf asks for a margin without errors.*Give a finite C"):
        mercer.SVC(C=np.inf, kernel="linear").fit(X, Y)


def test_columns_of_wild_scales_end_with_a_warning():
    X = 1e5 * np.random.default_rng(0).normal(size=(10, 2))
    with pytest.warns(ConvergenceWarning, match="scale the columns"):
        model = mercer.SVC(kernel="linear").fit(X, np.arange(10) % 2)
    assert model.duality_gap_ > 0 and np.isfinite(model.decision_function(X)).all()
