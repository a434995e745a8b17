"""Kernels on levels with a structure and on columns of any kind, against closed forms and loops."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor

import mercer
from mercer import read_table
from mercer.errors import BadFile, BadParameter, BadTable, NotNumeric
from mercer.kernels import (
    ANOVA,
    RBF,
    Additive,
    Clinical,
    Diffusion,
    Encoded,
    Kernel,
    LevelTree,
    Linear,
    Overlap,
    Proximity,
    Words,
    aligned,
    check,
)
from mercer.kernels.nested_gamma import scale_gamma
from mercer.state import Reader

DRAW = np.random.default_rng(3)
X = DRAW.normal(size=(9, 4))


def _daemen(table):
    """The published formula by loops: (r - |a - b|) / r, [a = b], and their mean."""
    total = np.zeros((len(table), len(table)))
    for column in table.schema:
        kind = str(column.kind)
        cells = table.numbers(column.name)[:, 0] if kind == "numeric" else table.codes(column.name)[:, 0]
        for i, a in enumerate(cells):
            for j, b in enumerate(cells):
                span = np.ptp(cells) if kind == "numeric" else len(column.levels) - 1
                total[i, j] += (span - abs(a - b)) / span if kind in ("numeric", "ordinal") else float(a == b)
    return total / len(table.schema)


def test_clinical_is_the_published_formula_and_positive_beyond_the_range():
    """That of Daemen and De Moor (2009).

    Their results, gains in AUC over the linear kernel of .023, .021, .122 and .019 on four sets of patients (Daemen et
    al. 2012), cannot be computed again: the data are not here.
    """
    kinds = {"grade": ["I", "II", "III"], "sex": "category"}
    cells = {"grade": DRAW.choice(kinds["grade"], 12), "sex": DRAW.choice(list("fm"), 12)}
    table = read_table({"age": DRAW.uniform(20, 80, 12), **cells}, kinds=kinds)
    kernel = Clinical().fit(table)
    assert_allclose(kernel.gram(table), _daemen(table), atol=1e-12)
    wide = read_table({"age": DRAW.uniform(-500, 500, 12), **cells}, kinds=kinds)
    assert np.linalg.eigvalsh(kernel.gram(wide)).min() > -1e-12
    notes = read_table({"note": ["a b", "c d"]}, kinds={"note": "text"})
    with pytest.raises(NotNumeric, match="is text"):
        Clinical(on=["note"]).fit(notes)


def test_clinical_is_scikit_survivals():
    """Values of clinical_kernel of scikit-survival 0.28."""
    cells = {"age": [20.0, 35.0, 50.0, 80.0], "stage": ["I", "III", "II", "III"], "sex": list("fmff")}
    table = read_table(cells, kinds={"stage": ["I", "II", "III"], "sex": "category"})
    expected = [[12, 3, 8, 4], [3, 12, 5, 5], [8, 5, 12, 8], [4, 5, 8, 12]]
    assert_allclose(12 * Clinical().fit(table).gram(table), expected)


def test_additive_is_the_weighted_mean_over_columns():
    names = read_table(X).schema.names
    parts = [RBF(0.5, on=[name]).fit(read_table(X)).gram(X) for name in names]
    assert_allclose(Additive(RBF(0.5)).fit(X).gram(X), np.mean(parts, axis=0))
    weights = [1.0, 0.0, 3.0, 0.5]
    expected = np.average(parts, axis=0, weights=weights)
    assert_allclose(Additive(RBF(0.5), weights).fit(X).gram(X), expected)
    assert_allclose(Additive(RBF(0.5), weights).fit(X).diag(X), 1)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_anova_is_the_sum_over_sets_of_columns(degree):
    names = read_table(X).schema.names
    parts = [RBF(0.5, on=[name]).fit(read_table(X)).gram(X) for name in names]
    sets = [np.prod([parts[k] for k in s], axis=0) for s in combinations(range(4), degree)]
    assert_allclose(ANOVA(RBF(0.5), degree).fit(X).gram(X), np.mean(sets, axis=0))


def test_columns_of_any_kind_are_weighed():
    table = read_table({"x": [1.0, 2.0, None, 4.0], "c": ["p", "q", None, "p"]})
    kernel = Additive(Encoded(RBF(0.5)), [2.0, 1.0]).fit(table)
    x = Encoded(RBF(0.5)).fit(table.select(["x"])).gram(table.select(["x"]))
    c = Encoded(RBF(0.5)).fit(table.select(["c"])).gram(table.select(["c"]))
    assert_allclose(kernel.gram(table), (2 * x + c) / 3)
    assert mercer.SVC(kernel=kernel).fit(table, [0, 1, 1, 0]).score(table, [0, 1, 1, 0]) == 1


def test_the_widths_inside_are_searched():
    y = np.sin(X[:, 0])
    assert scale_gamma(Additive(RBF(0.5)), 3.0, X).kernel.gamma == 1.5
    assert scale_gamma(ANOVA(Encoded(RBF(0.5)), 2), 3.0, X).kernel.kernel.gamma == 1.5
    assert np.isfinite(mercer.SVR(kernel=Additive(RBF(0.5)), gamma="cv").fit(X, y).predict(X)).all()
    gaps = X.copy()
    gaps[0, 0] = np.nan
    assert np.isfinite(mercer.SVR(kernel=ANOVA(RBF(0.5), 2)).fit(gaps, y).predict(gaps)).all()


def test_weights_fit_the_columns():
    with pytest.raises(BadParameter, match="2 weights for 4 columns"):
        Additive(RBF(), [1, 2]).fit(X)
    with pytest.raises(BadParameter, match="only 1 have a weight"):
        ANOVA(RBF(), 2, [1, 0, 0, 0]).fit(X)
    state = Additive(RBF()).fit(X).to_state()
    state["learned"]["columns"] = state["learned"]["columns"][:2]
    with pytest.raises(BadFile, match="a kernel for each column"):
        Kernel.from_state(Reader(state))


def test_alignment_finds_the_columns_that_matter():
    x = DRAW.normal(size=(60, 3))
    numbers = aligned(Linear(), x, 2 * x[:, 1])
    assert_allclose(numbers.weights[1], 1)
    assert max(numbers.weights[0], numbers.weights[2]) < 0.3
    classes = aligned(RBF(0.5), x, np.where(x[:, 2] > 0, "up", "down"))
    assert np.argmax(classes.weights) == 2
    with pytest.raises(BadTable, match="60 rows, but 3 targets"):
        aligned(Linear(), x, [1, 2, 3])


def test_a_kernel_is_aligned_with_itself_by_one():
    y = np.array([1.0, 2.0, 4.0, 8.0])
    assert_allclose(aligned(Linear(), y[:, None], y).weights, [1.0])


def test_proximity_is_that_of_the_forest():
    table = read_table({"x": DRAW.normal(size=40), "c": DRAW.choice(list("pqr"), 40), "y": DRAW.normal(size=40)})
    y = np.where(table["x"] > 0, "up", "down")
    forest = mercer.RandomForestClassifier(8, random_state=0).fit(table, y)
    kernel = Proximity(forest).fit(table)
    leaves = forest.apply(table)
    expected = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    assert_allclose(kernel.gram(table), expected)
    assert_allclose(kernel.gram(table[:7], table[5:20]), expected[:7, 5:20])
    assert check(kernel, table).holds
    model = mercer.SVC(kernel=kernel).fit(table, y)
    assert model.score(table, y) > 0.9
    with pytest.raises(BadParameter, match="cannot be stored"):
        kernel.to_state()
    with pytest.raises(BadParameter, match="a fitted forest"):
        Proximity("forest").fit(table)


def test_proximity_takes_a_forest_of_scikit_learn():
    forest = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
    leaves = forest.apply(X)
    assert_allclose(Proximity(forest).fit(X).gram(X), (leaves[:, None] == leaves[None]).mean(axis=2))


def test_sums_with_text_and_levels_save_and_load():
    cells = {"c": ["p", "q", None, "p"], "note": ["no tea", "tea", None, "milk"]}
    rows = read_table(cells, kinds={"note": "text", "c": "category"})
    kernel = (LevelTree(None) * Clinical() + Additive(Words()) + Diffusion() * Overlap()).fit(rows)
    again = Kernel.from_state(Reader(kernel.to_state()))
    assert_allclose(again.gram(rows), kernel.gram(rows), atol=0)
    assert np.linalg.eigvalsh(kernel.gram(rows)).min() > -1e-12
