"""Beside scikit-learn's classes of the same names: parameters, fitted attributes, sparse results, weights below 0."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context, svm
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import GradientBoostingRegressor

import mercer
from mercer.errors import BadFile, BadParameter, BadTable, MercerError, TooLarge
from mercer.kernels import RBF, Linear
from mercer.state import Reader

NAMES = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"]
X, Y = load_iris(return_X_y=True)
TIGHT = {"tol": 1e-9}


def pair(name: str, **params: Any) -> tuple[Any, Any]:
    return getattr(mercer, name)(**params), getattr(svm, name)(**params)


@pytest.mark.parametrize("name", NAMES)
def test_their_parameters_come_first_and_ours_are_keywords(name: str) -> None:
    ours, theirs = (list(inspect.signature(getattr(m, name)).parameters.values()) for m in (mercer, svm))
    assert [(p.name, p.kind, p.default) for p in ours[: len(theirs)]] == [(p.name, p.kind, p.default) for p in theirs]
    assert {p.kind for p in ours[len(theirs) :]} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", NAMES)
def test_their_public_methods_are_ours(name: str) -> None:
    public = {n for n in dir(getattr(svm, name)) if not n.startswith("_")} - {"unused_param"}
    assert public <= set(dir(getattr(mercer, name)))


def test_a_wrong_nu_is_named_through_their_boosting() -> None:
    """Their test of it asks for their own wording, in which "cv" would be no value of nu."""
    boosted = GradientBoostingRegressor(init=mercer.NuSVR(nu=1.5))
    with pytest.raises(BadParameter, match=r"The 'nu' parameter of NuSVR must be .* Got 1\.5 instead"):
        boosted.fit(X, Y, sample_weight=np.ones(len(Y)))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_fitted_attributes_have_their_types_and_shapes(name: str, classes: int, sparse: bool) -> None:
    kernel = {"max_iter": 100_000, "C": 0.01} if name.startswith("Linear") else {"kernel": "linear"}
    rows, y = X[classes > Y], Y[classes > Y]
    ours, theirs = (m.fit(sp.csr_matrix(rows) if sparse else rows, y) for m in pair(name, **kernel))
    own = [n for n in vars(theirs) if n.endswith("_") and not n.startswith("_")]
    for attribute in [*own, *(n for n in ("coef_", "n_support_", "offset_") if hasattr(theirs, n))]:
        mine, their = getattr(ours, attribute), getattr(theirs, attribute)
        assert type(mine) is type(their), attribute
        assert getattr(mine, "dtype", None) == getattr(their, "dtype", None), attribute
        if "support" not in attribute and "dual" not in attribute:
            assert np.shape(mine) == np.shape(their), attribute
        else:
            assert np.ndim(mine) == np.ndim(their), attribute


@pytest.mark.parametrize("gamma", [0.4, "cv"])
def test_a_kernel_object_takes_missing_cells_as_its_name_does(gamma: Any) -> None:
    rows = X.copy()
    rows[::7, 1] = np.nan
    grid = mercer.Grid(gamma=[0.1, 0.4], cv=3) if gamma == "cv" else None
    named = mercer.SVC(gamma=gamma, grid=grid).fit(rows, Y)
    given = mercer.SVC(kernel=RBF(1.0 if gamma == "cv" else gamma), gamma=gamma, grid=grid).fit(rows, Y)
    assert_allclose(given.decision_function(rows), named.decision_function(rows))
    both = mercer.SVR(kernel=RBF(0.4) + 2 * Linear()).fit(X, Y)  # missing where nothing was in fit
    assert np.isfinite(both.predict(rows)).all()


@pytest.mark.parametrize("name", NAMES[:5])
@pytest.mark.parametrize("weight", [[1, -0.5] * 60, [0, 2, 1] * 40], ids=["below 0", "0"])
def test_rows_of_no_weight_are_left_out(name: str, weight: list[float]) -> None:
    ours, _ = pair(name, **TIGHT)
    kept = np.array(weight) > 0
    left = ours.fit(X[:120], Y[:120], sample_weight=weight)
    again = getattr(mercer, name)(gamma=left.kernel_.kernel_.gamma_, **TIGHT)
    again.fit(X[:120][kept], Y[:120][kept], sample_weight=np.array(weight)[kept])
    method = "predict" if name.endswith("SVR") else "decision_function"
    assert_allclose(getattr(left, method)(X), getattr(again, method)(X), atol=1e-5)


@pytest.mark.parametrize("factor", [1.0, 1e-4, 30.0])
def test_weights_scale_the_scores_of_one_class(factor: float) -> None:
    weight = factor * np.random.default_rng(0).uniform(0.5, 3, 150)
    ours, theirs = pair("OneClassSVM", gamma=0.2, nu=0.3, tol=1e-10)
    ours.fit(X, sample_weight=weight), theirs.fit(X, sample_weight=weight)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5 * factor)
    assert_allclose(ours.offset_, theirs.offset_, rtol=1e-5)


@pytest.mark.parametrize("name", ["LinearSVC", "LinearSVR"])
def test_rows_of_no_weight_are_left_out_of_planes(name: str) -> None:
    weight = np.array([1.0, -0.5] * 50)
    ours, theirs = (m.fit(X[:100], Y[:100], sample_weight=weight) for m in pair(name, tol=1e-8, max_iter=10**6))
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_no_weight_above_0_is_an_error(name: str) -> None:
    with pytest.raises(BadTable, match="all samples have zero or negative weights"):
        getattr(mercer, name)().fit(X, Y, sample_weight=np.full(150, -1.0))
    with pytest.raises(ValueError, match="NaN"):
        getattr(mercer, name)().fit(X, Y, sample_weight=np.full(150, np.nan))


def test_sparse_results_follow_scikit_learns_setting() -> None:
    rows = sp.csr_array(X)
    model = mercer.SVC(kernel="linear").fit(rows, Y)
    dense = mercer.SVC(kernel="linear").fit(X, Y)
    assert sp.isspmatrix(model.dual_coef_) and sp.isspmatrix(model.coef_) and sp.isspmatrix(model.support_vectors_)
    assert_array_equal(model.dual_coef_.toarray(), dense.dual_coef_)
    assert_allclose(model.coef_.toarray(), dense.coef_)
    with config_context(sparse_interface="sparray"):
        assert not sp.isspmatrix(mercer.SVC(kernel="linear").fit(rows, Y).dual_coef_)
    wide = sp.random_array((60, 500), density=0.05, random_state=np.random.default_rng(0), format="csr")
    y = np.arange(60) % 3
    ours, theirs = (m.fit(wide, y) for m in pair("SVC", kernel="linear", **TIGHT))
    assert_allclose(ours.coef_.toarray(), theirs.coef_.toarray(), atol=1e-6)


def test_stored_sparse_models_answer_alike(tmp_path: Any) -> None:
    model = mercer.SVR(kernel="linear").fit(sp.csr_array(X), Y)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert type(again.dual_coef_) is type(model.dual_coef_)
    assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_sigmoids_are_platts(classes: int) -> None:
    """P = 1 / (1 + exp(A d + B)) at LIBSVM's decision d, as `_libsvm` has it: of the first class of a pair."""
    rows, y = X[classes > Y][:, :2], Y[classes > Y]
    model = mercer.SVC(probability="sigmoid", decision_function_shape="ovo").fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        a, b = model.probA_, model.probB_
        theirs = svm.SVC(probability=True, random_state=0).fit(rows, y)
        assert a.shape == theirs.probA_.shape and (np.sign(a) == np.sign(theirs.probA_)).all()
        assert mercer.SVC().fit(rows, y).probA_.shape == svm.SVC().fit(rows, y).probA_.shape == (0,)
    if classes == 2:
        first = 1 / (1 + np.exp(-a * model.decision_function(rows) + b))
        found = model.predict_proba(rows)
        sure = np.abs(found[:, 0] - 0.5) > 0.05  # nearer, the probability is moved to the side of the decision
        assert_allclose(first[sure], found[sure, 0])


def test_probability_is_asked_for_by_name() -> None:
    with pytest.raises(AttributeError, match=r"probability=False: make the model with probability='sigmoid'"):
        mercer.SVC().fit(X, Y).predict_proba(X)
    with pytest.warns(FutureWarning, match=r"give probability='sigmoid', which stays here"):
        model = mercer.SVC(probability=True).fit(X, Y)
    same = mercer.SVC(probability="sigmoid").fit(X, Y)
    assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    other = mercer.SVC(probability="sigmoid", random_state=1).fit(X, Y)
    assert not np.array_equal(other.predict_proba(X), same.predict_proba(X))
    assert_allclose(other.predict_proba(X), same.predict_proba(X), atol=0.1)
    same.set_params(probability="deprecated").fit(X, Y)
    assert not hasattr(same, "calibrators_")


def test_n_support_that_was_changed_is_noticed() -> None:
    model = mercer.SVC().fit(X, Y)
    model.n_support_[0] += 1
    with pytest.raises(MercerError, match="internal representation of SVC was altered"):
        model.predict(X)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "OneClassSVM"])
@pytest.mark.parametrize("classes", [2, 3])
def test_exporters_find_libsvms_coefficients(name: str, classes: int) -> None:
    ours, theirs = (m.fit(X[classes > Y], Y[classes > Y]) for m in pair(name, **TIGHT))
    assert ours._gamma == pytest.approx(theirs._gamma)
    assert_allclose(ours._intercept_, theirs._intercept_, atol=1e-6)
    assert_allclose(np.sort(ours._dual_coef_.sum(axis=1)), np.sort(theirs._dual_coef_.sum(axis=1)), atol=1e-6)


def test_the_squared_loss_of_svc_is_that_of_linear_svc() -> None:
    """The intercept of LinearSVC is next to free at a large intercept_scaling."""
    rows, y = make_classification(80, 4, random_state=0)
    kernel = mercer.SVC(kernel="linear", loss="squared_hinge", C=0.3, **TIGHT).fit(rows, y)
    plane = svm.LinearSVC(C=0.3, intercept_scaling=1e3, dual=False, tol=1e-10, max_iter=10_000).fit(rows, y)
    assert_allclose(kernel.coef_, plane.coef_, atol=1e-4)
    target = rows @ [1.0, -2.0, 0.5, 0.0] + y
    loss = {"loss": "squared_epsilon_insensitive", "C": 0.3, "epsilon": 0.1}
    tube = mercer.SVR(kernel="linear", **loss, **TIGHT).fit(rows, target)
    flat = svm.LinearSVR(**loss, intercept_scaling=1e3, dual=False, tol=1e-10, max_iter=10_000).fit(rows, target)
    assert_allclose(tube.coef_[0], flat.coef_, atol=1e-4)


@pytest.mark.parametrize("scaling", [0.1, 1, 30.0])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_the_intercept_is_penalised_as_liblinear_penalises_it(penalty: str, scaling: float) -> None:
    params = {"penalty": penalty, "intercept_scaling": scaling, "C": 0.2, "dual": False, "tol": 1e-9}
    ours, theirs = (m.fit(X[:100] + 3, Y[:100]) for m in pair("LinearSVC", max_iter=100_000, **params))
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)


def test_planes_without_an_intercept_and_sparse_planes() -> None:
    model = mercer.LinearSVC(fit_intercept=False, penalty="l1", C=0.05).fit(X, Y)
    assert model.intercept_ == 0.0 and isinstance(model.intercept_, float)
    before, state = model.decision_function(X), model.to_state()
    assert sp.issparse(model.sparsify().coef_)
    assert_allclose(model.decision_function(sp.csr_array(X)), before)
    assert_array_equal(model.to_state()["fitted"]["coef"], state["fitted"]["coef"])
    assert isinstance(model.densify().coef_, np.ndarray)
    assert_allclose(model.decision_function(X), before)


@pytest.mark.parametrize(
    "model",
    [
        mercer.LinearSVC("l1", dual=True),
        mercer.LinearSVC("l1", "hinge"),
        mercer.LinearSVC(loss="hinge", dual=False),
        mercer.LinearSVC("l1", warm_start=True),
        mercer.LinearSVR(dual=False),
    ],
    ids=repr,
)
def test_what_liblinear_has_no_solver_for(model: Any) -> None:
    with pytest.raises(BadParameter, match="Unsupported set of arguments"):
        model.fit(X, Y)


@pytest.mark.parametrize("name", [*NAMES[:5], "KernelPerceptron"])
@pytest.mark.parametrize(("part", "value"), [("coef0", 1e308), ("degree", 2**31), ("gamma", 1e99)])
def test_a_file_whose_kernel_overflows_is_refused(name: str, part: str, value: float) -> None:
    model = getattr(mercer, name)(kernel="poly", gamma=0.05).fit(X, Y)
    state = model.to_state()
    [inner] = state["fitted"]["kernel"]["learned"]["parts"]
    place = inner["learned"] if part == "gamma" else inner["parameters"]
    assert part in place
    place[part] = value
    with pytest.raises(BadFile):
        type(model).from_state(Reader(state))


@pytest.mark.parametrize("name", [*NAMES[:5], "KernelPerceptron"])
def test_rows_at_which_the_kernel_overflows_are_refused(name: str) -> None:
    model = getattr(mercer, name)(kernel="poly", gamma=0.05).fit(X, Y)
    rows = X[:4].copy()
    rows[2] *= 1e150
    with pytest.raises(TooLarge, match="Row 3 is too large"):
        model.predict(rows)


def test_probabilities_say_which_parameter_gives_them() -> None:
    with pytest.raises(AttributeError) as told:
        mercer.SVC().fit([[0.0], [1.0]], [0, 1]).predict_proba([[0.0]])
    assert "probability='sigmoid'" in f"{told.value} {told.value.__cause__}"
