"""Sums of kernels with learned weights: what they promise by themselves, and inside the machines that fit them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import read_table
from mercer.errors import BadFile, BadParameter, BadTable, BadTarget, MercerError, MercerWarning
from mercer.kernels import RBF, Centre, Encoded, FromCallable, Kernel, Lin, Linear, MultipleKernel, Overlap, Precomputed
from mercer.kernels.formula import kernel_formula
from mercer.state import Reader

METHODS = ("mean", "align", "alignf", "simple", "lp", "easy")
DRAW = np.random.default_rng(5)
N = 60
NUMBERS = DRAW.normal(size=(N, 2))
JOBS = DRAW.choice(["clerk", "smith", "sales"], N)
NOISE = DRAW.choice(["p", "q", "r", "s"], N)
TABLE = read_table(
    {"age": np.where(np.arange(N) % 9 == 0, np.nan, NUMBERS[:, 0]), "pay": NUMBERS[:, 1], "job": JOBS, "mark": NOISE},
    kinds={"job": "category", "mark": "category"},
)
CLASSES = np.where(NUMBERS[:, 1] + (JOBS == "clerk") > 0.5, "yes", "no")
AMOUNTS = NUMBERS[:, 1] ** 2 + (JOBS == "smith")


def parts():
    return [Encoded(RBF(gamma=0.5), on=["pay"]), Overlap(on=["job"]), Overlap(on=["mark"])]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("y", [CLASSES, AMOUNTS, None, JOBS], ids=["classes", "numbers", "rows", "three"])
def test_weights_are_at_least_0_and_sum_to_one(method, y):
    kernel = MultipleKernel(parts(), method=method).fit(TABLE, y=y)
    assert (kernel.weights_ >= 0).all()
    assert_allclose(np.linalg.norm(kernel.weights_, 2 if method == "lp" else 1), 1)
    assert kernel.gap_ <= 1e-3
    gram = sum(
        w / s * k.fit(TABLE).gram(TABLE) for w, s, k in zip(kernel.weights_, kernel.sizes_, parts(), strict=True)
    )
    assert_allclose(kernel.gram(TABLE), gram, atol=1e-12)


@pytest.mark.parametrize("method", METHODS[1:])
def test_what_matters_gets_the_weight(method):
    kernel = MultipleKernel("columns", method=method).fit(TABLE, y=CLASSES)
    assert kernel.names_ == ["age", "pay", "job", "mark"]
    assert next(iter(kernel.largest_weights())) == "pay"
    assert kernel.weights_[1] + kernel.weights_[2] > kernel.weights_[0] + kernel.weights_[3]
    jobs = MultipleKernel("columns", method=method).fit(TABLE, y=JOBS)
    assert next(iter(jobs.largest_weights())) == "job"


@pytest.mark.parametrize("method", METHODS)
def test_scale_does_not_matter_and_equal_kernels_are_equal(method):
    first = MultipleKernel(parts(), method=method).fit(TABLE, y=CLASSES)
    large = MultipleKernel([1000 * parts()[0], *parts()[1:]], method=method).fit(TABLE, y=CLASSES)
    assert_allclose(large.weights_, first.weights_, atol=2e-3)
    twins = MultipleKernel([parts()[1], parts()[1], parts()[0]], method=method).fit(TABLE, y=CLASSES)
    assert_allclose(twins.weights_[0], twins.weights_[1], rtol=1e-6)
    assert twins.names_[1] == f"{twins.names_[0]} (2)"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scaling", ["variance", "trace", "none"])
def test_zeros_and_constants_get_no_weight(method, scaling):
    zero = FromCallable(lambda a, b: np.zeros((len(a), len(b))), on=["pay"])
    constant = FromCallable(lambda a, b: np.full((len(a), len(b)), 7.0), on=["pay"])
    kernel = MultipleKernel([zero, parts()[0], constant], method=method, scaling=scaling).fit(TABLE, y=CLASSES)
    assert_allclose(kernel.weights_, [0, 1, 0])
    assert len(kernel.kernels_) == 1
    assert kernel.schema_.names == ("pay",)
    with pytest.raises(BadTable, match="nothing to weigh"):
        MultipleKernel([zero, constant], method=method, scaling=scaling).fit(TABLE, y=CLASSES)


def test_one_kernel_is_the_machine_of_that_kernel():
    alone = mercer.SVC(kernel=parts()[0], tol=1e-6).fit(TABLE, CLASSES)
    one = mercer.SVC(kernel=MultipleKernel(parts()[:1], scaling="none"), tol=1e-6).fit(TABLE, CLASSES)
    assert_allclose(one.decision_function(TABLE), alone.decision_function(TABLE), atol=1e-5)
    scaled = mercer.SVC(kernel=MultipleKernel(parts()[:1]), tol=1e-6).fit(TABLE, CLASSES)
    factor = 1 / float(scaled.kernel_.sizes_[0])
    by_hand = mercer.SVC(kernel=factor * parts()[0], tol=1e-6).fit(TABLE, CLASSES)
    assert_allclose(scaled.decision_function(TABLE), by_hand.decision_function(TABLE), atol=1e-5)


@pytest.mark.parametrize(("method", "cost"), [("simple", 0.5), ("simple", 5.0), ("lp", 2.0)])
def test_the_value_is_that_of_the_machine(method, cost):
    model = mercer.SVC(kernel=MultipleKernel(parts(), method=method, C=cost), C=cost).fit(TABLE, CLASSES)
    assert_allclose(model.primal_, model.kernel_.objective_, rtol=2e-3)
    numbers = mercer.SVR(kernel=MultipleKernel(parts(), method=method, C=cost), C=cost, relative=True).fit(
        TABLE, AMOUNTS
    )
    assert_allclose(numbers.kernel_.objective_ * np.std(AMOUNTS) ** 2, numbers.primal_, rtol=0.01)


def test_several_classes_share_weights_of_all_pairs():
    three = np.where(NUMBERS[:, 1] > 0.5, "high", np.where(JOBS == "clerk", "clerk", "low"))
    model = mercer.SVC(kernel=MultipleKernel(parts(), method="simple")).fit(TABLE, three)
    assert_allclose(model.primal_, model.kernel_.objective_, rtol=2e-3)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (mercer.SVC(), CLASSES), (mercer.NuSVC(nu=0.3), CLASSES), (mercer.LSSVC(), CLASSES),
        (mercer.KernelLogisticRegression(), CLASSES), (mercer.KernelRidgeClassifier(), CLASSES),
        (mercer.KernelPerceptron(), CLASSES), (mercer.SVR(), AMOUNTS), (mercer.NuSVR(), AMOUNTS),
        (mercer.LSSVR(), AMOUNTS), (mercer.KernelRidge(), AMOUNTS), (mercer.OneClassSVM(), None),
        (mercer.RVC(), CLASSES), (mercer.TwinSVC(), CLASSES), (mercer.QuantileSVR(), AMOUNTS), (mercer.SVDD(), None),
        (mercer.SVC(approximation="nystroem"), CLASSES),
        (mercer.KernelRidge(), np.column_stack([AMOUNTS, NUMBERS[:, 1]])),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_machines_take_it_and_files_keep_it(model, y, tmp_path):
    model = (
        clone(model).set_params(kernel=MultipleKernel("columns", method="easy"), missing_indicator=False).fit(TABLE, y)
    )
    assert model.kernel_.names_ == ["age", "pay", "job", "mark"]
    if y is not None:
        assert model.kernel_.weights_[1] > model.kernel_.weights_[3]
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert repr(again.kernel) == repr(model.kernel)
    assert again.kernel_.largest_weights() == model.kernel_.largest_weights()
    assert_allclose(again.predict(TABLE) == model.predict(TABLE), True)


def test_it_adds_up_with_other_kernels_and_sees_the_target_inside_them():
    for kernel in (MultipleKernel(parts()) + Lin(), Centre(MultipleKernel(parts())), 2 * MultipleKernel(parts())):
        assert kernel.supervised
        fitted = clone(kernel).fit(TABLE, y=CLASSES)
        inner = fitted.fitted_parts[0]
        assert_allclose(inner.weights_, MultipleKernel(parts()).fit(TABLE, y=CLASSES).weights_)
    assert not (RBF() + Lin()).supervised


def test_names_of_kernels_and_gaps_in_numbers_are_taken():
    kernel = MultipleKernel({"wide": "rbf", "plane": "linear", "age": RBF(on=["age"])}).fit(TABLE, y=CLASSES)
    assert kernel.names_ == ["wide", "plane", "age"]
    assert np.isfinite(kernel.gram(TABLE)).all()


def test_generated_kernels():
    widths = MultipleKernel("widths", method="align").fit(TABLE, y=CLASSES)
    assert widths.names_[0] == "width 0.0625"
    assert len(widths.names_) == 5
    measures = MultipleKernel("measures", method="alignf").fit(TABLE, y=CLASSES)
    assert len(measures.names_) == 2 + 2 * 8
    assert "job: Goodall3" in measures.names_
    assert measures.positive == all(k.positive for k in measures.kernels_)
    texts = read_table({"note": ["a red car", "a blue car", "my dog", "his dog"]}, kinds={"note": "text"})
    assert MultipleKernel("columns").fit(texts, y=["car", "car", "dog", "dog"]).largest_weights() == {"note": 1.0}


def test_most_kernels_and_most_rows():
    every = MultipleKernel("measures", method="align").fit(TABLE, y=CLASSES)
    few = MultipleKernel("measures", method="align", max_kernels=2).fit(TABLE, y=CLASSES)
    assert np.count_nonzero(every.weights_) > 2
    assert list(few.largest_weights()) == list(every.largest_weights(2))
    assert_allclose(few.weights_.sum(), 1)
    some = MultipleKernel(parts(), max_rows=30).fit(TABLE, y=CLASSES)
    chosen = np.linspace(0, N - 1, 30).astype(int)
    small = [k.fit(TABLE) for k in parts()]
    sizes = [g.diagonal().mean() - g.mean() for g in (k.gram(TABLE.take(chosen)) for k in small)]
    assert_allclose(some.sizes_, sizes)


def test_rows_of_weight_0_are_not_seen_and_of_weight_2_count_twice():
    weight = np.arange(N) % 3.0
    rows = np.repeat(np.arange(N), weight.astype(int))
    weighed = MultipleKernel(parts()).fit(TABLE, weight=weight, y=CLASSES)
    copied = MultipleKernel(parts()).fit(TABLE.take(rows), y=CLASSES[rows])
    assert_allclose(weighed.weights_, copied.weights_, atol=1e-9)


def test_matrices_that_do_not_fit_come_in_blocks_or_are_refused(monkeypatch):
    whole = {m: MultipleKernel(parts(), method=m).fit(TABLE, y=CLASSES).weights_ for m in METHODS}
    monkeypatch.setattr("mercer.kernels.multiple.kernel.physical_memory", lambda: 100_000)
    monkeypatch.setattr("mercer.kernels.multiple.kernel._BLOCK_CELLS", 2000)
    for method in ("mean", "align", "alignf", "easy"):
        assert_allclose(MultipleKernel(parts(), method=method).fit(TABLE, y=CLASSES).weights_, whole[method], atol=1e-9)
    for method in ("simple", "lp"):
        with pytest.raises(BadTable, match=r"3 kernels over 60 rows, .* Give max_rows=25, fewer kernels"):
            MultipleKernel(parts(), method=method).fit(TABLE, y=CLASSES)
    assert MultipleKernel(parts(), method="simple", max_rows=25).fit(TABLE, y=CLASSES).gap_ <= 1e-3


def test_single_precision_finds_the_same_weights(monkeypatch):
    double = {m: MultipleKernel(parts(), method=m).fit(TABLE, y=CLASSES).weights_ for m in METHODS}
    monkeypatch.setattr("mercer.kernels.multiple.kernel._DOUBLE_CELLS", 0)
    for method in METHODS:
        assert_allclose(
            MultipleKernel(parts(), method=method).fit(TABLE, y=CLASSES).weights_, double[method], atol=5e-3
        )


@pytest.mark.parametrize("y", [CLASSES, AMOUNTS, None], ids=["classes", "numbers", "rows"])
def test_a_start_from_a_part_of_many_rows_changes_nothing_beyond_the_gap(y, monkeypatch):
    plain = MultipleKernel(parts(), method="simple").fit(TABLE, y=y)
    monkeypatch.setattr("mercer.kernels.multiple.weights._MANY_ROWS", 40)
    found = MultipleKernel(parts(), method="simple").fit(TABLE, y=y)
    assert found.gap_ <= 1e-3
    assert_allclose(found.objective_, plain.objective_, rtol=2e-3)


def test_a_part_of_the_rows_in_which_a_class_is_missing_is_no_start(monkeypatch):
    monkeypatch.setattr("mercer.kernels.multiple.weights._MANY_ROWS", 10)
    rare = np.where(np.arange(N) == 1, "rare", "often")
    assert MultipleKernel(parts(), method="simple").fit(TABLE, y=rare).gap_ <= 1e-3


@pytest.mark.parametrize(
    ("kernel", "y", "error", "said"),
    [
        (MultipleKernel([]), CLASSES, BadParameter, "'kernels' parameter"),
        (MultipleKernel({}), CLASSES, BadParameter, "no kernel was given"),
        (MultipleKernel(["rfb"]), CLASSES, BadParameter, "'kernels' parameter"),
        (MultipleKernel(method="best"), CLASSES, BadParameter, "'method' parameter"),
        (MultipleKernel(method="lp", p=1.0), CLASSES, BadParameter, "'p' parameter"),
        (MultipleKernel([Precomputed()]), CLASSES, BadParameter, "Gram matrix"),
        (MultipleKernel(), CLASSES[:-1], BadTarget, "for each of 60 rows"),
        (MultipleKernel(), np.full(N, np.inf), BadTarget, "NaN or infinity"),
        (MultipleKernel(), np.column_stack([CLASSES, CLASSES]), BadTarget, "several targets"),
        (MultipleKernel([FromCallable(lambda a, b: a + 0 * b.T, on=["pay"])]), CLASSES, MercerError, "is no kernel"),
        (MultipleKernel([1e200 * Linear(on=["pay"]) ** 2, RBF(on=["pay"])]), CLASSES, BadTable, "beyond what a number"),
    ],
    ids=[
        "empty",
        "empty dict",
        "name",
        "method",
        "p",
        "gram",
        "short",
        "infinite",
        "several",
        "asymmetric",
        "overflow",
    ],
)
def test_what_is_refused(kernel, y, error, said):
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(error, match=said):
        kernel.fit(TABLE, y=y)


def test_an_indefinite_kernel_is_weighed_and_said():
    odd = FromCallable(lambda a, b: np.tanh(a @ b.T - 1), on=["pay"])
    with pytest.warns(MercerWarning, match="not positive semi-definite"):
        model = mercer.SVC(kernel=MultipleKernel([odd, *parts()])).fit(TABLE, CLASSES)
    assert not model.kernel_.positive


def test_searches_inside_machines_are_refused_and_grids_of_scikit_learn_work():
    for model in (
        mercer.SVC(C="cv"),
        mercer.KernelRidgeClassifier(alpha="cv"),
        mercer.KernelLogisticRegression(C="cv"),
    ):
        with pytest.raises(MercerError, match="GridSearchCV"):
            model.set_params(kernel=MultipleKernel(parts())).fit(TABLE, CLASSES)
    frame = {name: TABLE.numbers([name])[:, 0] for name in ("age", "pay")}
    x = np.column_stack(list(frame.values()))
    search = GridSearchCV(
        mercer.SVC(kernel=MultipleKernel("columns")), {"C": [0.1, 1.0], "kernel__method": ["mean", "alignf"]}, cv=2
    )
    assert search.fit(x, CLASSES).best_score_ > 0.5


def test_probabilities_of_a_kernel_that_saw_the_target_are_said_to_be_too_sure():
    for model in (mercer.SVC(probability="sigmoid"), mercer.LSSVC(probability="sigmoid")):
        with pytest.warns(MercerWarning, match="CalibratedClassifierCV"):
            model.set_params(kernel=MultipleKernel(parts())).fit(TABLE, CLASSES)


def test_the_unit_of_numbers_does_not_matter():
    for method in METHODS:
        plain = MultipleKernel(parts(), method=method).fit(TABLE, y=AMOUNTS)
        huge = MultipleKernel(parts(), method=method).fit(TABLE, y=1e200 * AMOUNTS)
        assert_allclose(huge.weights_, plain.weights_, atol=1e-3)


def test_a_gap_that_is_left_is_said():
    with pytest.warns(ConvergenceWarning, match="lower C"):
        MultipleKernel("columns", method="simple", C=1e12).fit(TABLE, y=CLASSES[::-1])
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        MultipleKernel("measures", method="lp", p=1.0001, tol=1e-12).fit(TABLE, y=CLASSES)


def test_a_stored_kernel_is_checked():
    state = MultipleKernel(parts()).fit(TABLE, y=CLASSES).to_state()
    learned = state["learned"]
    for wrong in (
        {"weights": -learned["weights"]}, {"sizes": np.zeros(3)}, {"parts": learned["parts"][:1]},
        {"names": learned["names"][:2]}, {"gap": -1.0}, {"weights": np.zeros(3)},
    ):  # fmt: skip
        with pytest.raises(BadFile):
            Kernel.from_state(Reader({**state, "learned": {**learned, **wrong}}))


def test_the_formula_names_the_weights():
    found = kernel_formula(MultipleKernel("columns").fit(TABLE, y=CLASSES))
    assert "learned by 'alignf': pay" in " ".join(found.notes)
    assert "exp(−0.5 |a − b|²)" in found.formula
