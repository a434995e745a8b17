"""Support vector machines: against scikit-learn, by laws, and on input that cannot be learned from."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, log_loss, make_scorer, recall_score, roc_auc_score
from sklearn.model_selection import KFold

import mercer
from mercer.errors import BadTarget, MercerError, MercerWarning
from mercer.kernels import RBF, Lin, Linear, Overlap, Polynomial
from mercer.state import Reader

X, Y3 = make_classification(240, 6, n_informative=4, n_classes=3, random_state=0)
Y2 = (Y3 == 1).astype(int)
Z = 2 * X[:, 0] + np.sin(3 * X[:, 1])
W = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
TIGHT = {"tol": 1e-8}
KERNELS = [{}, {"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0, "degree": 2}, {"gamma": 0.3}, {"gamma": "auto"}]


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_svc_agrees_with_scikit_learn(options, shape, y):
    ours = mercer.SVC(C=3.0, decision_function_shape=shape, **TIGHT, **options).fit(X, y)
    theirs = svm.SVC(C=3.0, decision_function_shape=shape, **TIGHT, **options).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4)
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=2e-3)
    assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    if options.get("kernel") == "linear":
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("ours", "theirs", "target"),
    [
        (mercer.SVC(class_weight={0: 1.0, 1: 5.0}, **TIGHT), svm.SVC(class_weight={0: 1.0, 1: 5.0}, **TIGHT), Y2),
        (mercer.NuSVC(nu=0.4, **TIGHT), svm.NuSVC(nu=0.4, **TIGHT), Y2),
        (mercer.SVR(C=2.0, epsilon=0.2, **TIGHT), svm.SVR(C=2.0, epsilon=0.2, **TIGHT), Z),
        (mercer.NuSVR(C=2.0, nu=0.3, **TIGHT), svm.NuSVR(C=2.0, nu=0.3, **TIGHT), Z),
        (mercer.OneClassSVM(nu=0.2, **TIGHT), svm.OneClassSVM(nu=0.2, **TIGHT), None),
    ],
    ids=lambda v: type(v).__name__,
)
def test_the_other_svms_agree_with_scikit_learn(ours, theirs, target, weights):
    ours.set_params(gamma=0.2).fit(X, target, sample_weight=weights)
    theirs.set_params(gamma=0.2).fit(X, target, sample_weight=weights)
    method = "decision_function" if hasattr(ours, "decision_function") else "predict"
    assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), atol=2e-4)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_linear_svc_agrees_with_scikit_learn(loss):
    rows = X[:, :3]
    ours = mercer.LinearSVC(loss=loss, C=0.1, tol=1e-8, max_iter=20_000).fit(rows, Y3)
    theirs = svm.LinearSVC(loss=loss, C=0.1, tol=1e-8, max_iter=200_000, dual=True, random_state=0).fit(rows, Y3)
    assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), atol=1e-3)
    sparse = mercer.LinearSVC(loss=loss, C=0.1, tol=1e-8, max_iter=20_000).fit(sp.csr_array(rows), Y3)
    assert_allclose(sparse.coef_, ours.coef_, atol=1e-3)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_linear_svr_agrees_with_scikit_learn(loss):
    ours = mercer.LinearSVR(loss=loss, C=0.1, epsilon=0.1, tol=1e-7, max_iter=20_000).fit(X, Z)
    theirs = svm.LinearSVR(loss=loss, C=0.1, epsilon=0.1, tol=1e-7, max_iter=200_000, dual=True, random_state=0).fit(
        X, Z
    )
    assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)


def test_optimality_conditions_hold():
    model = mercer.SVC(C=2.0, kernel="rbf", gamma=0.3, **TIGHT).fit(X, Y2)
    margin = np.where(Y2 == 1, 1, -1) * model.decision_function(X)
    alpha = np.zeros(len(X))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    assert (margin[alpha == 0] >= 1 - 1e-6).all()
    assert (margin[alpha == 2.0] <= 1 + 1e-6).all()
    assert_allclose(margin[(alpha > 0) & (alpha < 2.0)], 1, atol=1e-6)
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9)
    assert 0 <= model.duality_gap_ < 1e-4
    assert model.n_bounded_ == (alpha == 2.0).sum()
    gram = RBF(0.3).fit(X).gram(X)
    signed = np.where(Y2 == 1, alpha, -alpha)
    assert model.margin_[0] == pytest.approx(2 / np.sqrt(signed @ gram @ signed))


def test_swapped_labels_and_permuted_rows():
    model = mercer.SVC(**TIGHT).fit(X, Y2)
    assert_allclose(mercer.SVC(**TIGHT).fit(X, 1 - Y2).decision_function(X), -model.decision_function(X), atol=1e-5)
    order = np.random.default_rng(1).permutation(len(X))
    again = mercer.SVC(**TIGHT).fit(X[order], Y2[order])
    assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-5)


def test_threads_and_memory_do_not_change_the_answer():
    whole = mercer.SVC(n_jobs=1).fit(X, Y3)
    assert_array_equal(mercer.SVC(n_jobs=2).fit(X, Y3).dual_coef_, whole.dual_coef_)
    little = mercer.SVC(cache_size=0.02, **TIGHT).fit(X, Y3)
    assert_allclose(little.decision_function(X), mercer.SVC(**TIGHT).fit(X, Y3).decision_function(X), atol=1e-4)
    mixed = mercer.SVC(kernel=RBF(0.3) + Linear(), cache_size=0.02, **TIGHT).fit(X, Y2)
    assert_allclose(
        mixed.decision_function(X),
        mercer.SVC(kernel=RBF(0.3) + Linear(), **TIGHT).fit(X, Y2).decision_function(X),
        atol=1e-4,
    )
    single = mercer.SVC(precision="single", **TIGHT).fit(X, Y2)
    assert_allclose(single.decision_function(X), mercer.SVC(**TIGHT).fit(X, Y2).decision_function(X), atol=1e-3)


def test_every_way_to_name_a_kernel():
    gram = RBF(0.3).fit(X).gram(X)
    expected = mercer.SVC(gamma=0.3, **TIGHT).fit(X, Y3).decision_function(X)
    given = mercer.SVC(kernel="precomputed", **TIGHT).fit(gram, Y3)
    assert_allclose(given.decision_function(gram), expected, atol=1e-5)
    for kernel in (RBF(0.3), lambda a, b: RBF(0.3).fit(a).gram(a, b)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", MercerWarning)
            assert_allclose(mercer.SVC(kernel=kernel, **TIGHT).fit(X, Y3).decision_function(X), expected, atol=1e-5)
    dense = mercer.SVC(kernel="poly", coef0=1.0, gamma=0.5, **TIGHT).fit(X, Y2)
    same = mercer.SVC(kernel=Polynomial(0.5, 1.0, 3), **TIGHT).fit(X, Y2)
    assert_allclose(dense.decision_function(X), same.decision_function(X), atol=1e-5)
    assert mercer.SVC(kernel=RBF(0.3)).set_params(kernel__gamma=0.7).kernel.gamma == 0.7


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_never_contradict_predictions(strategy, method):
    data = make_blobs(400, centers=4, cluster_std=3.0, random_state=2)
    rows, labels = data[0][:200], data[1][:200]
    model = mercer.SVC(probability=method, multi_class=strategy).fit(rows, labels)
    fresh, truth = data[0][200:], data[1][200:]
    found = model.predict_proba(fresh)
    assert_allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()
    assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(fresh))
    if method != "isotonic":
        assert log_loss(truth, found) < log_loss(truth, np.full((200, 4), 0.25)) * 0.7
    assert_allclose(model.predict_log_proba(fresh), np.log(found))
    assert_array_equal(mercer.SVC(multi_class=strategy).fit(rows, labels).predict(fresh), model.predict(fresh))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("rare", [0, 1])
def test_where_every_row_is_called_alike_the_curve_calls_the_class(method, rare):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(400, 4)), np.zeros(400, dtype=int)
    labels[rows[:, 0] + rng.normal(size=400) / 2 > 0.7] = 1
    labels = labels if rare else 1 - labels
    training, fresh = slice(200), slice(200, None)
    model = mercer.SVC(C=0.01, gamma=0.01, probability=method).fit(rows[training], labels[training])
    decisions = model.decision_function(rows[fresh])
    assert len(set(decisions >= 0)) == 1  # as with LIBSVM
    assert len(set(svm.SVC(C=0.01, gamma=0.01).fit(rows[training], labels[training]).predict(rows[fresh]))) == 1
    found = model.predict_proba(rows[fresh])
    assert roc_auc_score(labels[fresh], found[:, 1]) == pytest.approx(roc_auc_score(labels[fresh], decisions), abs=0.02)
    assert_array_equal(model.predict(rows[fresh]), found.argmax(axis=1))
    assert accuracy_score(labels[fresh], found.argmax(axis=1)) > np.mean(labels[fresh] != rare) + 0.05
    assert recall_score(labels[fresh], found.argmax(axis=1), pos_label=rare) > 0.5
    back = mercer.SVC.from_state(Reader(model.to_state()))
    assert_array_equal(back.predict_proba(rows[fresh]), found)
    assert_array_equal(back.predict(rows[fresh]), model.predict(rows[fresh]))


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
def test_probability_true_leaves_the_classes_to_the_decisions_as_libsvm_does():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 4))
    labels = (rows[:, 0] > 0.7).astype(int)
    model = mercer.SVC(C=0.01, gamma=0.01, probability=True).fit(rows, labels)
    assert not model.predict(rows).any()
    assert not model.predict_proba(rows).argmax(axis=1).any()


def test_binary_probabilities_rise_with_the_decision():
    model = mercer.SVC(probability="sigmoid", class_weight="balanced").fit(X, Y2)
    order = np.argsort(model.decision_function(X))
    assert (np.diff(model.predict_proba(X)[order, 1]) >= -1e-12).all()
    with pytest.raises(AttributeError):
        mercer.SVC().fit(X, Y2).predict_proba(X)


def test_hard_margin():
    rows, labels = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 1.0]]), [0, 0, 1, 1]
    model = mercer.SVC(C=np.inf, kernel="linear", **TIGHT).fit(rows, labels)
    assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-6)
    assert model.margin_[0] == pytest.approx(2.0)
    with pytest.raises(BadTarget, match=r"do not separate.*Give a finite C"):
        mercer.SVC(C=np.inf, kernel="linear").fit(X, Y2)


def test_squared_errors_have_a_softer_margin():
    rows, labels = X[:, :2], Y2
    w = mercer.SVC(loss="squared_hinge", kernel="linear", C=0.25, **TIGHT).fit(rows, labels)
    y = np.where(labels == 1, 1, -1)

    def primal(coef, bias):
        return 0.5 * coef @ coef + 0.25 * (np.maximum(0, 1 - y * (rows @ coef + bias)) ** 2).sum()

    best = primal(w.coef_[0], w.intercept_[0])
    assert best == pytest.approx(w.primal_, rel=1e-6)
    for step in np.random.default_rng(0).normal(size=(20, 3)) * 1e-2:
        assert primal(w.coef_[0] + step[:2], w.intercept_[0] + step[2]) >= best - 1e-9


def test_break_ties_and_shapes():
    model = mercer.SVC(break_ties=True).fit(X, Y3)
    assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])
    assert mercer.SVC(multi_class="ovr").fit(X, Y3).decision_function(X).shape == (240, 3)
    assert mercer.SVC(decision_function_shape="ovo").fit(X, Y3).decision_function(X).shape == (240, 3)
    with pytest.raises(MercerError, match="break_ties"):
        mercer.SVC(break_ties=True, decision_function_shape="ovo").fit(X, Y3).predict(X)


def test_no_error_beyond_epsilon_with_an_infinite_cost():
    noisy = np.sin(X[:, 0]) * 100
    model = mercer.SVR(C=np.inf, epsilon=0.5, kernel="rbf", gamma=1.0).fit(X, noisy)
    assert np.abs(model.predict(X) - noisy).max() < 0.5 + 2e-3
    with pytest.raises(MercerError, match="C=inf allows no error"):
        mercer.SVR(C=np.inf, kernel="linear").fit(X, noisy)


def test_a_mixed_table_with_missing_cells():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"age": draw.normal(40, 10, 150), "job": draw.choice(["a", "b", "c"], 150)})
    labels = np.where((frame["age"] > 40) ^ (frame["job"] == "a"), "yes", "no")
    frame.loc[::11, "age"] = np.nan
    frame.loc[::13, "job"] = None
    assert mercer.SVC(C=10.0).fit(frame, labels).score(frame, labels) > 0.85
    composed = mercer.SVC(kernel=Overlap() + Lin(), C=10.0).fit(frame, labels)
    assert composed.score(frame, labels) > 0.5
    assert mercer.SVC(kernel="linear").fit(frame, labels).coef_.shape == (1, 4)
    transductive = mercer.SVC(kernel=Lin()).fit(frame, labels, unlabelled=frame[:50])
    assert transductive.transductive_
    assert mercer.SVR().fit(frame, frame["age"].fillna(40)).score(frame, frame["age"].fillna(40)) > 0.1
    assert set(mercer.OneClassSVM().fit(frame).predict(frame)) == {-1, 1}


def test_an_indefinite_kernel_warns_with_its_eigenvalue():
    with pytest.warns(MercerWarning, match=r"smallest eigenvalue -\d"):
        model = mercer.SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, Y2)
    assert np.isfinite(model.decision_function(X)).all()


def test_limits_leave_a_usable_model():
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = mercer.SVC(C=1e4, kernel="linear", max_iter=5).fit(X, Y2)
    assert model.fit_status_ == 1
    assert model.duality_gap_ > 0
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(probability="isotonic"), mercer.SVC(multi_class="ovr", break_ties=True), mercer.NuSVC(nu=0.3),
        mercer.SVR(),
        mercer.NuSVR(), mercer.OneClassSVM(), mercer.LinearSVC(C=0.01, max_iter=10_000),
        mercer.LinearSVR(C=0.01, max_iter=10_000), mercer.SVC(kernel=RBF(0.2) + Linear()),
    ],
    ids=repr,
)  # fmt: skip
def test_state_round_trips_and_damage_is_refused(model):
    target = Z if "SVR" in type(model).__name__ else Y3
    state = model.fit(X, target).to_state()
    again = type(model).from_state(Reader(state))
    assert_array_equal(again.predict(X), model.predict(X))
    if hasattr(model, "predict_proba"):
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    for key in state:
        for wrong in (None, object(), np.full((2, 2), np.nan)):
            if key == "curves" and wrong is None:
                continue  # a model without probabilities
            with pytest.raises(MercerError):
                type(model).from_state(Reader({**state, key: wrong}))


def test_iris_errors_of_the_lecture():
    iris = load_iris()
    rows = iris.data[:, [0, 2]]  # sepal and petal length
    pairs = mercer.SVC().fit(rows, iris.target).predict(rows)
    assert (pairs != iris.target).sum() == 6


def test_linear_models_have_no_probabilities():
    assert not hasattr(mercer.LinearSVC(C=0.01, max_iter=10_000).fit(X, Y2), "predict_proba")


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(C=100, kernel="linear", class_weight={0: 2.0}, max_iter=5000), mercer.SVC(C=np.inf),
        mercer.SVC(kernel=RBF(0.2) * Linear() + 2 * RBF(0.1)), mercer.NuSVC(nu=0.2, probability="isotonic"),
        mercer.SVR(C="cv", grid=mercer.Grid(C=[1, 10.0], gamma=["scale"], cv=3, scoring="neg_mean_absolute_error")),
        mercer.NuSVR(nu=0.3, time_limit=10.0), mercer.OneClassSVM(gamma=0.3, precision="double"),
        mercer.LinearSVC(C=0.01, penalty="l1", max_iter=10_000),
        mercer.LinearSVR(epsilon=0.2, loss="squared_epsilon_insensitive"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_stored_model_has_the_parameters_it_was_made_with(model):
    apart = make_blobs([30, 30], 3, centers=[[0, 0, 0], [9, 9, 9]], random_state=0)
    rows, target = (X, Z) if "SVR" in type(model).__name__ else apart
    again = type(model).from_state(Reader(model.fit(rows, target).to_state()))
    assert repr(again.get_params()) == repr(model.get_params())
    assert_array_equal(again.predict(rows), model.predict(rows))
    assert_array_equal(type(model)(**again.get_params(deep=False)).fit(rows, target).predict(rows), model.predict(rows))


def test_functions_and_splitters_are_not_stored():
    model = mercer.SVC(kernel=lambda a, b: a @ b.T).fit(X, Y2)
    with pytest.raises(MercerError, match="is code, and a model file holds none"):
        model.to_state()
    searched = mercer.SVC(C="cv", grid=mercer.Grid(C=[1.0], cv=KFold(3), scoring=make_scorer(accuracy_score)))
    again = mercer.SVC.from_state(Reader(searched.fit(X, Y2).to_state()))
    assert (again.grid.cv, again.grid.scoring, again.grid.C) == (5, None, [1.0])


@pytest.mark.parametrize("kind", [mercer.SVC, mercer.SVR, mercer.NuSVC, mercer.KernelPerceptron])
def test_a_kernel_function_may_compare_texts_in_one_dimension(kind):
    texts, counts = ["A A", "A", "B", "B B", "A B"], np.array([[2, 0], [1, 0], [0, 1], [0, 2], [1, 1]])
    y = np.array([1, 1, 2, 2, 1])

    def letters(a, b):
        return np.array([[sum(s.count(c) * t.count(c) for c in "AB") for t in b] for s in a], dtype=float)

    ours, linear = kind(kernel=letters).fit(texts, y), kind(kernel="linear").fit(counts, y)
    np.testing.assert_allclose(ours.predict(texts), linear.predict(counts), rtol=1e-6)
    assert ours.predict(np.array(["B B B", "A A A"])).tolist() == pytest.approx(
        linear.predict([[0, 3], [3, 0]]).tolist(), rel=1e-6
    )
