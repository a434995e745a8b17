"""Neighbours as estimators: scikit-learn's answers, choosing k, weights, explanations, and bad input."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier as Rival
from sklearn.neighbors import KNeighborsRegressor as RivalRegressor
from tests.states import changed

import mercer
from mercer.distances import Gower, KernelDistance, PrecomputedDistance
from mercer.errors import BadFile, BadTable, MercerError
from mercer.state import Reader


def cloud(n=200, d=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    return x, (x[:, 0] + 0.5 * rng.normal(size=n) > np.linspace(-1, 1, classes + 1)[1:-1, None]).sum(axis=0)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(("metric", "p"), [("auto", 2), ("minkowski", 1), ("chebyshev", 2), ("cosine", 2)])
def test_the_answers_of_scikit_learn(weights, metric, p):
    x, y = cloud()
    fresh, _ = cloud(80, seed=1)
    options = {"weights": weights, "p": p}
    theirs = Rival(7, metric="minkowski" if metric == "auto" else metric, algorithm="brute", **options).fit(x, y)
    ours = mercer.KNeighborsClassifier(7, metric=metric, **options).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(fresh), theirs.predict_proba(fresh), atol=1e-9)
    np.testing.assert_array_equal(ours.kneighbors(fresh)[1], theirs.kneighbors(fresh)[1])
    if metric == "auto":
        rival = RivalRegressor(7, algorithm="brute", weights=weights).fit(x, x[:, 1])
        model = mercer.KNeighborsRegressor(7, weights=weights).fit(x, x[:, 1])
        np.testing.assert_allclose(model.predict(fresh), rival.predict(fresh))


@pytest.mark.parametrize("weights", ["uniform", "distance", "distance2"])
def test_every_k_is_scored_as_if_it_were_left_out_alone(weights):
    x, y = cloud(60)
    model = mercer.KNeighborsClassifier("cv", weights=weights, max_neighbors=12).fit(x, y)
    for k in (1, 5, 12):
        right = 0
        for i in range(60):
            rest = np.arange(60) != i
            one = mercer.KNeighborsClassifier(k, weights=weights).fit(x[rest], y[rest])
            right += one.predict(x[[i]])[0] == y[i]
        assert model.curve_.scores[weights][k - 1] == pytest.approx(right / 60)
    assert model.curve_.scores[weights][model.n_neighbors_ - 1] == model.curve_.scores[weights].max()


def test_folds_and_votes_are_chosen_too_and_two_classes_take_an_odd_k():
    x, y = cloud(150, classes=2)
    model = mercer.KNeighborsClassifier("cv", weights="cv", cv=5, max_neighbors=30).fit(x, y)
    assert model.n_neighbors_ % 2 == 1
    assert set(model.curve_.scores) == {"uniform", "distance", "distance2"}
    assert model.curve_.folds == 5
    regression = mercer.KNeighborsRegressor("cv", weights="cv").fit(x, x[:, 0])
    best = min(scores.min() for scores in regression.curve_.scores.values())
    assert regression.curve_.scores[regression.weights_][regression.n_neighbors_ - 1] == best


def test_splits_that_put_every_row_into_one_test_fold_are_taken():
    x, y = cloud(60)
    by_number = mercer.KNeighborsRegressor("cv", cv=4).fit(x, y)
    for cv in (KFold(4), list(KFold(4).split(x))):
        model = mercer.KNeighborsRegressor("cv", cv=cv).fit(x, y)
        np.testing.assert_array_equal(model.curve_.scores["uniform"], by_number.curve_.scores["uniform"])
        assert model.curve_.folds == 4
    with pytest.raises(MercerError, match="every row in exactly one test fold"):
        mercer.KNeighborsRegressor("cv", cv=TimeSeriesSplit(3)).fit(x, y)


def test_a_weight_of_two_is_the_row_twice_even_in_part():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array(["a", "b", "a", "b"])
    model = mercer.KNeighborsClassifier(3).fit(x, y, sample_weight=[2.0, 3.0, 1.0, 1.0])
    # Two of row 0, one of the three of row 1.
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])
    # Relative weights average to 1: 1.5 of row 0, 0.6 of row 1, and 0.9 of row 2.
    model = mercer.KNeighborsClassifier(3).fit(x, y, sample_weight=[0.5, 0.2, 0.3, 1 / 3])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2.4 / 3, 0.6 / 3]], rtol=1e-6)
    with pytest.raises(MercerError, match=r"exceeds the weight 7 "):
        mercer.KNeighborsClassifier(8).fit(x, y, sample_weight=[2.0, 3.0, 1.0, 1.0]).predict([[0.0]])


def test_votes_ties_and_class_weight():
    x, y = np.array([[-1.0], [1.0]]), np.array(["b", "a"])
    model = mercer.KNeighborsClassifier(2).fit(x, y)
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.kneighbors([[0.0]])[1].tolist() == [[0, 1]]
    heavy = mercer.KNeighborsClassifier(2, class_weight={"a": 1, "b": 3}).fit(x, y)
    np.testing.assert_allclose(heavy.predict_proba([[0.0]]), [[0.25, 0.75]])
    near = mercer.KNeighborsClassifier(2, weights=lambda d: np.exp(-d)).fit(x, y)
    np.testing.assert_allclose(near.predict_proba([[0.5]])[0, 0], np.exp(-0.5) / (np.exp(-0.5) + np.exp(-1.5)))
    squared = mercer.KNeighborsClassifier(2, weights="distance2").fit(x, y)
    np.testing.assert_allclose(squared.predict_proba([[0.5]]), [[0.9, 0.1]])


def people():
    frame = pd.DataFrame({"age": [20.0, 30.0, None, 60.0], "job": ["cook", "cook", "clerk", None]})
    return frame, np.array(["x", "x", "y", "y"])


def test_neighbours_are_explained_by_column():
    frame, y = people()
    model = mercer.KNeighborsClassifier(2, metric="gower", kinds={"job": "category"}).fit(frame, y)
    path = model.explain(frame[:1])[0]
    assert path.rows.tolist() == [0, 1]
    assert path.columns == ("age", "job")
    assert path.targets.tolist() == ["x", "x"]
    np.testing.assert_allclose(path.terms, [[0, 0], [0.25, 0]])
    np.testing.assert_allclose(path.votes, [0.5, 0.5])


@pytest.mark.parametrize("metric", ["heom", "gower", "euclidean", "manhattan"])
def test_what_the_columns_add_is_the_distance(metric):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 50), "job": rng.choice(["a", "b"], 50), "pay": rng.random(50)})
    model = mercer.KNeighborsRegressor(4, weights="distance", metric=metric).fit(frame, frame["pay"])
    finish = {"heom": np.sqrt, "gower": lambda s: s / 3, "euclidean": np.sqrt, "manhattan": lambda s: s}[metric]
    for i, path in enumerate(model.explain(frame[:5] + pd.DataFrame({"age": 0.1, "job": "", "pay": 0}, range(5)))):
        np.testing.assert_allclose(finish(path.terms.sum(axis=1)), path.distances)
        np.testing.assert_allclose(path.votes, (1 / path.distances) / (1 / path.distances).sum())
        assert path.targets.tolist() == frame["pay"].iloc[path.rows].tolist()
        assert (np.diff(path.distances) >= 0).all() and path.columns == ("age", "pay", "job")
        assert path.rows[0] == i


def test_levels_by_the_classes_they_go_with():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, 300)
    frame = pd.DataFrame({"c": [f"level{k}" for k in code]})
    label = np.where(code % 2 == 0, "even", "odd")
    model = mercer.KNeighborsClassifier(5, metric="hvdm").fit(frame, label)
    assert model.score(frame, label) == 1.0


def test_a_kernel_serves_as_a_distance():
    x, y = cloud()
    product = SimpleNamespace(
        fit=lambda table: None,
        gram=lambda a, b: a.numbers() @ b.numbers().T,
        diag=lambda a: np.einsum("ij,ij->i", a.numbers(), a.numbers()),
    )
    ours = mercer.KNeighborsClassifier(5, metric=KernelDistance(product)).fit(x, y)
    theirs = mercer.KNeighborsClassifier(5).fit(x, y)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    with pytest.raises(MercerError, match="can be stored"):
        ours.to_state()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' parameter of KNeighborsClassifier .* at least 1 or 'cv'. Got 0 instead"),
        ({"n_neighbors": 2.5}, r"'n_neighbors' .* a whole number .* Got 2\.5"),
        ({"weights": "nearest"}, "'weights' .* 'uniform' or 'distance' .* Got 'nearest'"),
        ({"metric": "euclidian"}, "Did you mean 'euclidean'"),
        ({"metric": "minkowski", "p": 0}, "'p' .* above 0 .* Got 0"),
        ({"n_neighbors": -1}, "'n_neighbors' .* Got -1"),
        ({"n_neighbors": True}, "'n_neighbors' .* Got True"),
        ({"n_neighbors": "all"}, "'n_neighbors' .* Got 'all'"),
        ({"p": 0.99, "algorithm": "kd_tree"}, 'algorithm="kd_tree" does not support 0 < p < 1'),
        ({"p": np.nan}, "'p' .* Got nan"),
        ({"p": "2"}, "'p' .* Got '2'"),
        ({"max_neighbors": 0}, "'max_neighbors' .* Got 0"),
        ({"max_neighbors": "many"}, "'max_neighbors' .* Got 'many'"),
        ({"class_weight": {0: -1, 1: 1, 2: 1}}, "class_weight=.*at least 0"),
        ({"class_weight": {0: np.nan, 1: 1, 2: 1}}, "'class_weight' .* Got {0: nan"),
        ({"algorithm": "balltree"}, "'algorithm' .* Did you mean 'ball_tree'"),
        ({"metric": "canberra", "metric_params": {"wrong": 1}}, "metric_params of 'canberra'"),
        ({"n_neighbors": "cv", "cv": 1}, "'cv' .* Got 1"),
        ({"n_neighbors": "cv", "cv": 21}, "cv=21"),
        ({"n_neighbors": "cv", "weights": np.exp}, "scores the votes it knows"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, what):
    x, y = cloud(20)
    with pytest.raises(MercerError, match=what):
        mercer.KNeighborsClassifier(**options).fit(x, y).predict(x)


def test_more_neighbours_than_rows():
    x, y = cloud(4)
    with pytest.raises(MercerError, match="at most the 4 training rows"):
        mercer.KNeighborsClassifier(5).fit(x, y).predict(x)
    with pytest.raises(BadTable, match="at least two rows"):
        mercer.KNeighborsRegressor("cv").fit(x[:1], [1.0])
    assert mercer.KNeighborsClassifier("cv", max_neighbors=10**6).fit(x, y).n_neighbors_ <= 3
    model = mercer.KNeighborsClassifier(2).fit(x, y)
    for k in (0, 5, 2.5, True, -1):
        with pytest.raises(MercerError, match=f"n_neighbors={k}"):
            model.kneighbors(x, k)


@pytest.mark.parametrize("vote", [lambda d: d * np.nan, lambda d: d - 9, lambda d: np.ones(3)])
def test_votes_that_make_no_sense_are_refused(vote):
    x, y = cloud(20)
    for kind in (mercer.KNeighborsClassifier, mercer.KNeighborsRegressor):
        with pytest.raises(MercerError, match="weights: the callable gave"):
            kind(weights=vote).fit(x, y).predict(x)


def test_infinite_and_absent_votes():
    x, y = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 3.0, 9.0])
    with np.errstate(divide="ignore"):
        model = mercer.KNeighborsRegressor(3, weights=lambda d: 1 / d).fit(x, y)
        np.testing.assert_allclose(model.predict([[0.0], [0.5]]), [2, 13 / 3])
    far = mercer.KNeighborsRegressor(2, weights=lambda d: (d < 1).astype(float)).fit(x, y)
    np.testing.assert_allclose(far.predict([[0.1]]), [2])
    with pytest.raises(MercerError, match="no neighbour of row 2 a vote"):
        far.predict([[0.1], [50.0]])


def test_tables_at_the_edge_of_what_can_be_compared():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(5, 400))
    assert mercer.KNeighborsClassifier(1).fit(wide, list("ababb")).predict(wide).tolist() == list("ababb")
    for size in (1e200, 1e307, 1e-300):
        x = np.arange(6.0)[:, None] * size / 6
        found = mercer.KNeighborsRegressor(1, metric="manhattan").fit(x, np.arange(6.0)).predict(x)
        assert found.tolist() == [0, 1, 2, 3, 4, 5]
    nothing = np.full((4, 2), np.nan)
    model = mercer.KNeighborsRegressor(2, weights="distance").fit(nothing, [1.0, 3.0, 5.0, 7.0])
    assert model.predict([[1.0, 2.0]]).tolist() == [2.0]  # equally far from all: the first two
    many = [f"level {k}" for k in range(5000)]
    levels = mercer.KNeighborsClassifier(1).fit({"c": many, "n": np.arange(5000.0)}, np.arange(5000) % 2)
    assert levels.predict({"c": ["level 41", "never met"], "n": [41.0, 10.2]}).tolist() == [1, 0]
    assert mercer.KNeighborsRegressor(3).fit(wide, np.ones(5)).predict(wide).tolist() == [1.0] * 5


def test_a_damaged_file_is_refused():
    frame, y = people()
    state = mercer.KNeighborsClassifier(2, metric=Gower(), kinds={"job": "category"}).fit(frame, y).to_state()
    rows, labels = state["fitted"]["rows"], state["fitted"]["labels"]
    for path, value in (
        ("fitted.rows.codes", rows["codes"] + 5),
        ("fitted.labels", [labels[0] | {"codes": labels[0]["codes"] + 2}]),
        ("fitted.labels", []),
        ("fitted.rows.numbers", rows["numbers"][:2].copy()),
        ("fitted.rows.kept", rows["kept"] + 9),
        ("fitted.n_neighbors", 9),
        ("fitted.votes", "import"),
        ("parameters.algorithm", "import"),
    ):
        with pytest.raises(BadFile):
            mercer.KNeighborsClassifier.from_state(Reader(changed(state, path, value)))


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)])
def test_training_rows_are_answered_by_the_others(weights):
    x, y = cloud(60)
    theirs, ours = (kind(4, weights=weights).fit(x, y) for kind in (Rival, mercer.KNeighborsClassifier))
    np.testing.assert_allclose(ours.predict_proba(None), theirs.predict_proba(None), atol=1e-12)
    np.testing.assert_array_equal(ours.kneighbors()[1], theirs.kneighbors()[1])
    rival, model = (kind(4, weights=weights).fit(x, x[:, 1]) for kind in (RivalRegressor, mercer.KNeighborsRegressor))
    np.testing.assert_allclose(model.predict(None), rival.predict(None))
    with pytest.raises(MercerError, match="less the row itself"):
        ours.kneighbors(n_neighbors=60)


def test_a_weighted_training_row_is_left_out_whole():
    x, y = cloud(30)
    weight = np.random.default_rng(2).integers(1, 4, 30)
    model = mercer.KNeighborsRegressor(5).fit(x, y, sample_weight=weight)
    for i in range(30):
        rest = np.arange(30) != i
        one = mercer.KNeighborsRegressor(5).fit(x[rest], y[rest], sample_weight=weight[rest])
        assert model.predict(None)[i] == pytest.approx(one.predict(x[[i]])[0])
    holes = mercer.KNeighborsRegressor(5).fit(x, y, sample_weight=weight - 1)
    with pytest.raises(MercerError, match="weight 0 were not kept"):
        holes.predict(None)


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_the_graph_of_scikit_learn(mode):
    x, y = cloud(40)
    theirs, ours = (kind(3).fit(x, y) for kind in (Rival, mercer.KNeighborsClassifier))
    for rows in (None, x[:7] + 0.01):
        np.testing.assert_allclose(
            ours.kneighbors_graph(rows, mode=mode).toarray(), theirs.kneighbors_graph(rows, mode=mode).toarray()
        )
    with pytest.raises(MercerError, match="mode 'blah'"):
        ours.kneighbors_graph(mode="blah")


def test_precomputed_distances():
    x, y = cloud(50)
    fresh, _ = cloud(9, seed=1)
    within, across = (np.abs(a[:, None] - x[None]).sum(axis=2) for a in (x, fresh))
    plain = mercer.KNeighborsClassifier(5, metric="manhattan", weights="distance").fit(x, y)
    precomputed = mercer.KNeighborsClassifier(5, metric="precomputed", weights="distance").fit(within, y)
    np.testing.assert_allclose(precomputed.predict_proba(across), plain.predict_proba(fresh))
    chosen = [
        mercer.KNeighborsRegressor("cv", metric=metric).fit(rows, x[:, 0])
        for metric, rows in (("manhattan", x), (PrecomputedDistance(), within))
    ]
    assert chosen[0].n_neighbors_ == chosen[1].n_neighbors_
    np.testing.assert_allclose(chosen[0].curve_.scores["uniform"], chosen[1].curve_.scores["uniform"])


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (np.ones((3, 4)), "square matrix"),
        (np.array([[0, 1, -1], [1, 0, 1], [1, 1, 0.0]]), "-1.0 in row 1, column 3"),
    ],
)
def test_a_matrix_that_holds_no_distances(matrix, says):
    with pytest.raises(MercerError, match=says):
        mercer.KNeighborsClassifier(1, metric="precomputed").fit(matrix, [0, 1, 1])


def test_a_row_without_weight_in_a_matrix_of_distances():
    x, y = cloud(20)
    within, weight = np.abs(x[:, None] - x[None]).sum(axis=2), np.arange(20) % 3
    precomputed = mercer.KNeighborsClassifier(4, metric="precomputed").fit(within, y, sample_weight=weight)
    plain = mercer.KNeighborsClassifier(4, metric="manhattan").fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(precomputed.predict_proba(within), plain.predict_proba(x))
    np.testing.assert_array_equal(precomputed.kneighbors(within)[1], plain.kneighbors(x)[1])
