"""Distances against SciPy, scikit-learn and formulas by hand."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics.pairwise import nan_euclidean_distances

import mercer
from mercer._core.neighbours import k_smallest
from mercer.distances import (
    HEOM,
    HVDM,
    Chebyshev,
    Cosine,
    Euclidean,
    Gower,
    Hamming,
    KernelDistance,
    Manhattan,
    Minkowski,
    SquaredEuclidean,
    SumDistance,
    as_distance,
)
from mercer.errors import BadColumn, BadFile, BadTable, BadTarget, MercerError
from mercer.state import Reader
from mercer.table import from_array


def numeric(n=60, d=4, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    x[rng.random(x.shape) < missing] = np.nan
    return from_array(x)


def mixed(n=80, missing=0.15, seed=1):
    rng = np.random.default_rng(seed)

    def holes(values):
        return [None if rng.random() < missing else v for v in values]

    return mercer.read_table(
        {
            "age": holes(rng.integers(18, 70, n).astype(float).tolist()),
            "pay": holes(rng.normal(3000, 500, n).round(1).tolist()),
            "job": holes(rng.choice(["sales", "clerk", "nurse", "cook"], n).tolist()),
            "sex": holes(rng.choice(["f", "m"], n).tolist()),
            "size": holes(rng.choice(["S", "M", "L"], n).tolist()),
        },
        kinds={"size": ["S", "M", "L"]},
    )


@pytest.mark.parametrize(
    ("distance", "name", "options"),
    [
        (Euclidean(), "euclidean", {}),
        (SquaredEuclidean(), "sqeuclidean", {}),
        (Manhattan(), "cityblock", {}),
        (Minkowski(3), "minkowski", {"p": 3}),
        (Minkowski(2), "euclidean", {}),
        (Chebyshev(), "chebyshev", {}),
        (Cosine(), "cosine", {}),
        (Minkowski(3, w=[1, 2, 0.5, 3]), "minkowski", {"p": 3, "w": [1, 2, 0.5, 3]}),
        (Euclidean(w=[1, 2, 0, 3]), "euclidean", {"w": [1, 2, 0, 3]}),
        (Manhattan(w=(4, 2, 0.5, 3)), "cityblock", {"w": [4, 2, 0.5, 3]}),
    ],
)
def test_points_as_in_scipy(distance, name, options):
    a, b = numeric(), numeric(seed=5, n=30)
    expected = cdist(b.numbers(), a.numbers(), name, **options)
    distance.fit(a)
    np.testing.assert_allclose(distance.between(b, a), expected, rtol=1e-12)
    found = distance.nearest(a, b, 5)
    np.testing.assert_array_equal(found.row, np.argsort(expected, axis=1)[:, :5])
    np.testing.assert_allclose(found.distance, np.sort(expected, axis=1)[:, :5], rtol=1e-9)


def test_missing_cells_as_in_scikit_learn():
    a, b = numeric(missing=0.3), numeric(seed=5, n=30, missing=0.3)
    expected = np.nan_to_num(nan_euclidean_distances(b.numbers(), a.numbers()), nan=np.inf)
    np.testing.assert_allclose(Euclidean().fit(a).between(b, a), expected, rtol=1e-9)


def test_levels_are_dummies_of_size_alpha():
    a = mixed(missing=0.0).select(["age", "pay", "job", "sex"])
    codes = a.codes()
    dummies = [codes[:, [j]] == np.arange(len(a.schema[n].levels)) for j, n in enumerate(("job", "sex"))]
    wide = np.hstack([a.numbers(), 7.0 * np.hstack(dummies)])
    for distance, name, options in (
        (Euclidean(alpha=7), "euclidean", {}),
        (Minkowski(3, alpha=7), "minkowski", {"p": 3}),
    ):
        np.testing.assert_allclose(distance.fit(a).between(a, a), cdist(wide, wide, name, **options), rtol=1e-10)


def test_weights_are_of_the_columns_in_their_order():
    rows = {"job": ["a", "b", "a", "c"], "age": [1.0, 2.0, 5.0, 7.0], "size": ["S", "M", "L", None]}
    table = mercer.read_table(rows, kinds={"job": "category", "size": ["S", "M", "L"]})
    found = Euclidean(w=[2, 3, 5]).fit(table).between(table, table)[0]
    far = (2 * 2 + 3 * 36) * (2 + 3 + 5) / (2 + 3)  # without its size, by the weight that is left
    np.testing.assert_allclose(found**2, [0, 2 * 2 + 3 * 1 + 5 / 4, 3 * 16 + 5, far])
    largest = Chebyshev(w=[0, 3, 5]).fit(table).between(table, table)[0]
    np.testing.assert_allclose(largest, [0, 1, 4, 6])


@pytest.mark.parametrize(
    ("w", "says"),
    [
        ([1, 2], "2 weights for 4 columns"),
        ([1, -1, 1, 1], "at least 0"),
        ([0] * 4, "one of them positive"),
        ([1, 1, 1, np.nan], "at least 0"),
        ([1, 1, 1, np.inf], "at least 0"),
        ("abcd", "finite numbers"),
        (3.0, "finite numbers"),
    ],
)
def test_weights_that_make_no_sense_are_refused(w, says):
    with pytest.raises(MercerError, match=says):
        Euclidean(w=w).fit(numeric())


def test_heom_hvdm_and_gower_by_hand():
    table = mercer.read_table({"x": [0.0, 10.0, 5.0, None], "c": ["a", "b", "a", "b"]}, kinds={"c": "category"})
    heom = HEOM().fit(table).between(table, table)
    np.testing.assert_allclose(heom[0], [0, np.sqrt(2), 0.5, np.sqrt(2)])
    gower = Gower().fit(table).between(table, table)
    np.testing.assert_allclose(gower[0], [0, 1, 0.25, 1])
    classes = np.array([0, 1, 1, 1], np.int32)
    hvdm = HVDM().fit(table, classes).between(table, table)
    deviation = np.std([0, 10, 5])
    # P(class | a) = (1/2, 1/2), P(class | b) = (0, 1): squared difference 1/4 + 1/4.
    np.testing.assert_allclose(hvdm[0, :3], [0, np.sqrt((10 / (4 * deviation)) ** 2 + 0.5), 5 / (4 * deviation)])
    assert hvdm[0, 3] == pytest.approx(np.sqrt(1 + 0.5))


def test_hamming_is_the_share_of_columns_that_differ():
    table = mercer.read_table({"a": ["x", "x", "y"], "b": ["p", "q", None]}, kinds={"a": "category", "b": "category"})
    assert Hamming().fit(table).between(table, table)[0].tolist() == [0, 0.5, 1.0]


ALL = [Euclidean(), Manhattan(), Minkowski(1.5, alpha=2.0), Chebyshev(), HEOM(), HVDM(), Gower()]
ALL += [Euclidean(scale="std"), Manhattan(scale="range"), Minkowski(3.0, w=(1.0, 0.5, 2.0, 0.0, 3.0))]


@pytest.mark.parametrize("distance", ALL, ids=repr)
@pytest.mark.parametrize("missing", [0.0, 0.2])
class TestSums:
    def fitted(self, distance, missing):
        table = mixed(missing=missing)
        classes = (np.arange(len(table)) % 3).astype(np.int32)
        return clone(distance).fit(table, classes), table

    def test_nearest_are_the_smallest_of_all_pairs(self, distance, missing):
        distance, table = self.fitted(distance, missing)
        own = np.arange(len(table), dtype=np.int32)
        found = distance.nearest(table, table, 7, groups=(own, own), n_jobs=2)
        every = distance.between(table, table)
        expected = k_smallest(every, 7, own, own)
        np.testing.assert_allclose(found.distance, expected[0], rtol=1e-9)
        np.testing.assert_allclose(np.take_along_axis(every, found.row.astype(int), axis=1), expected[0], rtol=1e-9)

    def test_terms_add_up(self, distance, missing):
        if missing:
            return
        distance, table = self.fitted(distance, missing)
        terms = distance.terms(table.take([3]), table)
        whole = terms.max(axis=1) if isinstance(distance, Chebyshev) else terms.sum(axis=1)
        np.testing.assert_allclose(distance._from_sums(whole), distance.between(table.take([3]), table)[0], rtol=1e-12)


def test_a_level_never_seen_differs_from_all():
    table = mixed(missing=0.0)
    classes = (np.arange(len(table)) % 3).astype(np.int32)
    row = {n: [table.column(n)[0]] for n in table.columns} | {"job": ["pilot"]}
    new = mercer.table.conform_table(row, table.schema)
    same = table.take([0])
    for distance in (Euclidean(), HEOM(), Gower(), HVDM()):
        distance.fit(table, classes)
        assert distance.between(new, same)[0, 0] > 0
        found = distance.nearest(table, new, 3)
        np.testing.assert_allclose(found.distance[0], np.sort(distance.between(new, table)[0])[:3])


def test_rows_of_zeros_have_no_direction():
    a = from_array(np.array([[0.0, 0], [1, 0], [0, 2], [-1, 0]]))
    cosine = Cosine().fit(a)
    assert cosine.between(a, a)[0].tolist() == [1, 1, 1, 1]
    found = cosine.nearest(a, a, 4)
    np.testing.assert_allclose(found.distance, np.sort(cosine.between(a, a), axis=1), atol=1e-12)


class Linear:
    def fit(self, table):
        return self

    def gram(self, a, b=None):
        return a.numbers() @ (a if b is None else b).numbers().T

    def diag(self, a):
        return (a.numbers() ** 2).sum(axis=1)


def test_the_linear_kernel_is_the_euclidean_distance():
    a, b = numeric(), numeric(seed=5, n=30)
    ours, theirs = KernelDistance(Linear()).fit(a), Euclidean().fit(a)
    np.testing.assert_allclose(ours.between(b, a), theirs.between(b, a), rtol=1e-9)
    np.testing.assert_array_equal(ours.nearest(a, b, 4).row, theirs.nearest(a, b, 4).row)


def test_nothing_in_common_is_as_far_as_can_be():
    a = from_array(np.array([[1.0, np.nan], [np.nan, 2.0]]))
    assert Euclidean().fit(a).between(a, a)[0, 1] == np.inf
    found = Euclidean().fit(a).nearest(a, a, 2)
    assert found.row.tolist() == [[0, 1], [1, 0]]


def test_names_and_bad_parameters():
    assert isinstance(as_distance("cityblock"), Manhattan)
    assert as_distance("minkowski", p=3).p == 3
    table = mixed()
    with pytest.raises(BadColumn, match="gower"):
        as_distance("gowr")
    with pytest.raises(MercerError, match=r"'p' parameter of Minkowski must be .* above 0"):
        Minkowski(0).fit(table)
    with pytest.raises(MercerError, match="'scale' parameter of Euclidean"):
        Euclidean(scale="unit").fit(table)
    with pytest.raises(MercerError, match="'alpha' parameter"):
        Euclidean(alpha=-1).fit(table)
    with pytest.raises(BadColumn, match="'job' is category"):
        Cosine().fit(table)
    with pytest.raises(BadTarget, match="needs class labels"):
        HVDM().fit(table)
    with pytest.raises(BadTable, match="infinite"):
        Euclidean().fit(from_array(np.array([[np.inf], [1.0]])))


def test_a_damaged_state_is_refused():
    state = Gower().fit(mixed()).to_state()
    for change in (
        {"column_sum": state["column_sum"] | {"weight": np.ones(2)}},
        {"distance": "os.system"},
        {"more": 1},
    ):
        with pytest.raises(BadFile):
            SumDistance.from_state(Reader(state | change))
