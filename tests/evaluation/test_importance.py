"""Permutation importance: the columns that matter, and no others; of any model, in any container."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance as by_sklearn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mercer
from mercer.errors import BadTable, MercerError
from mercer.evaluation.importance import MOST_COLUMNS, table_importance
from mercer.table.formats.containers import column_names, permute_column, row_count, take_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 4))
Y = 3 * X[:, 0] + X[:, 2] + RNG.normal(size=500)
MODEL = LinearRegression().fit(X, Y)


def test_the_fall_that_least_squares_must_have():
    """Residuals are orthogonal to the columns: the squared error grows by 2 b^2 var(x) n / (n - 1) on average."""
    n = len(X)
    growth = 2 * MODEL.coef_**2 * X.var(axis=0) * n / (n - 1)
    found = mercer.permutation_importance(
        MODEL, X, Y, scoring="neg_mean_squared_error", repeats=200, level=0.999, random_state=0
    )
    assert found.score == pytest.approx(-np.mean((MODEL.predict(X) - Y) ** 2))
    for one in found.columns:
        assert one.low <= growth[int(one.column[1])] <= one.high


def test_the_decreases_of_scikit_learn():
    ours = mercer.permutation_importance(MODEL, X, Y, repeats=60, random_state=1)
    theirs = by_sklearn(MODEL, X, Y, n_repeats=60, random_state=2)
    assert [c.column for c in ours.columns][:2] == ["x0", "x2"]
    for one in ours.columns:
        j = int(one.column[1])
        error = 4 * (one.spread + theirs.importances_std[j]) / np.sqrt(60)
        assert one.mean == pytest.approx(theirs.importances_mean[j], abs=error + 1e-12)
        assert one.spread == pytest.approx(theirs.importances_std[j], rel=0.5)


def test_the_main_job_permutes_alike():
    table = mercer.read_table(X)
    ours = table_importance(table, lambda t: MODEL.predict(t.numbers()), lambda p, rows: r2_score(Y[rows], p), seed=0)
    theirs = by_sklearn(MODEL, X, Y, n_repeats=5, random_state=0).importances_mean
    for one in ours:
        assert one.mean == pytest.approx(theirs[int(one.column[1])], abs=0.05)


def test_the_seconds_left_decide_how_many_rows_are_permuted(monkeypatch):
    """A hundred rows are predicted in a fiftieth of a second, and five permutations at once: 0.5 s for each column."""
    now, seen = [0.0], []

    def predict(table):
        seen.append(len(table))
        now[0] += len(table) / 5e3
        return np.zeros(len(table))

    def score(predicted, rows):
        assert len(predicted) == len(rows)
        return 0.0

    monkeypatch.setattr("mercer.evaluation.importance.perf_counter", lambda: now[0])
    table = mercer.read_table(X)
    assert len(table_importance(table, predict, score, seed=0, seconds=3.0)) == 4
    assert seen[0] == 2500
    assert len(seen) == 5
    assert min(seen) > 2480  # some cells stay where they are
    seen.clear()
    assert len(table_importance(table, predict, score, seed=0, seconds=1.25)) == 4
    assert seen[:2] == [2500, 5 * 250]  # half of the rows: all take 2.5 seconds
    assert max(seen[2:]) <= 5 * 250
    assert table_importance(table, predict, score, seed=0, seconds=0.2) == []


def test_only_rows_that_a_permutation_changes_are_predicted_again():
    rng = np.random.default_rng(2)
    rare, kind = (rng.random(300) < 0.02).astype(float), rng.choice(["a", "b"], 300, p=[0.97, 0.03])
    cells = {"rare": rare, "kind": kind, "all": rng.normal(size=300), "said": ["x y z"] * 150 + ["z"] * 150}
    table = mercer.read_table(cells, kinds={"said": "text"})
    y, asked = rng.normal(size=300), []

    def answer(part):
        """Depends on every column."""
        texts = np.array([len(text) for text in part.texts()[:, 0]])
        codes = part.codes().sum(axis=1)
        return part.numbers().sum(axis=1) + codes + texts

    def counted(part):
        asked.append(len(part))
        return answer(part)

    found = {one.column: one for one in table_importance(table, counted, lambda p, rows: r2_score(y[rows], p), seed=3)}
    rng = np.random.default_rng(3)
    rows = np.sort(rng.permutation(300))  # as the function draws them
    assert np.array_equal(rows, np.arange(300))
    for j, name in enumerate(table.columns):
        orders = [rng.permutation(300) for _ in range(5)]
        scores = [r2_score(y, answer(permute_column(table, j, order))) for order in orders]
        assert found[name].mean == pytest.approx(r2_score(y, answer(table)) - np.mean(scores), abs=1e-12)
    assert sum(asked) < 5 * 300 * (1 + len(table.columns)) / 1.5


def frame(n=120):
    rng = np.random.default_rng(1)
    made = pd.DataFrame({"age": rng.normal(40, 9, n), "job": rng.choice(["a", "b", "c"], n), "none": rng.random(n)})
    made.index = rng.permutation(n) + 7
    return made, np.where((made["job"] == "a") | (made["age"] > 50), "yes", "no")


@pytest.mark.parametrize("sparse", [False, True])
def test_a_pipeline_of_scikit_learn_by_the_columns_it_was_given(sparse):
    rows, y = frame()
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), ["job"]), (StandardScaler(), ["age", "none"])
    )
    model = make_pipeline(encode, LogisticRegression()).fit(rows, y)
    found = mercer.permutation_importance(model, rows, y, scoring="roc_auc", random_state=0)
    assert [c.column for c in found.columns] == ["job", "age", "none"]
    assert found.columns[0].low > 0.1
    assert "none" in str(found) and f"{found.score:.4f}" in str(found)


def test_a_mixed_table_of_ours_with_gaps_and_a_column_it_leaves_out():
    rows, y = frame()
    rows = rows.assign(constant=1, note=[f"words number {i} here {'x' * (i % 7)}" for i in range(len(rows))])
    rows.loc[rows.index[::7], "job"] = None
    rows.loc[rows.index[::5], "age"] = np.nan
    model = mercer.NaiveBayes().fit(rows, y)
    found = {c.column: c for c in mercer.permutation_importance(model, rows, y, random_state=3).columns}
    assert set(found) == set(rows.columns)
    assert found["job"].mean > found["none"].mean
    assert (found["constant"].mean, found["constant"].low, found["constant"].high) == (0, 0, 0)


def test_containers_agree_and_the_seed_decides():
    rows, y = frame()
    model = mercer.DecisionTreeClassifier(max_depth=3).fit(rows, y)
    kinds = [rows, pl.from_pandas(rows), pa.Table.from_pandas(rows, preserve_index=False), rows.to_dict("list")]
    found = [mercer.permutation_importance(model, x, y, random_state=5) for x in (*kinds, mercer.read_table(rows))]
    assert all(f == found[0] for f in found)
    assert mercer.permutation_importance(model, rows, y, random_state=6) != found[0]


@pytest.mark.parametrize("convert", [
    np.asarray, sp.csr_array, sp.csc_matrix, lambda x: pd.DataFrame(x, columns=list("abc"), index=[9, 3, 3, 1, 0]),
    lambda x: pl.DataFrame(x, schema=list("abc")), lambda x: pa.table(dict(zip("abc", x.T, strict=True))),
    lambda x: dict(zip("abc", x.T, strict=True)), mercer.read_table, lambda x: mercer.read_table(sp.csr_array(x)),
])  # fmt: skip
def test_one_column_moves_and_the_others_stay(convert):
    cells = np.arange(15.0).reshape(5, 3) ** 2
    held = convert(cells)
    order = np.array([4, 2, 0, 1, 3])
    for j in range(3):
        moved = permute_column(held, j, order)
        assert type(moved) is type(held)
        assert column_names(moved) == column_names(held)
        expected = cells.copy()
        expected[:, j] = cells[order, j]
        np.testing.assert_array_equal(plain(moved), expected)
    np.testing.assert_array_equal(plain(take_rows(held, order)), cells[order])
    np.testing.assert_array_equal(plain(held), cells)
    assert row_count(held) == 5


def plain(held):
    if isinstance(held, dict):
        return np.column_stack(list(held.values()))
    if isinstance(held, mercer.Table):
        return held.numbers()
    if isinstance(held, pa.Table):
        return held.to_pandas().to_numpy()
    return held.toarray() if sp.issparse(held) else np.asarray(held)


def test_levels_and_texts_move_too():
    table = mercer.read_table(
        {"n": list(range(30)), "c": list("abc") * 10, "t": [f"some words here {i}" for i in range(30)],
         "m": [0.5] * 15 + [1.5, 2.5, 3.5] * 5}
    )  # fmt: skip
    order = np.random.default_rng(0).permutation(30)
    for j, name in enumerate(table.columns):
        moved = permute_column(table, j, order)
        for other in table.columns:
            rows = order if other == name else np.arange(30)
            assert moved.column(other).tolist() == table.column(other)[rows].tolist()


def test_weights_samples_and_scorers_of_ones_own():
    weight = np.repeat([1.0, 0.0], 250)
    part = mercer.permutation_importance(MODEL, X, Y, sample_weight=weight, random_state=0)
    assert part.score == pytest.approx(MODEL.score(X[:250], Y[:250]))
    few = mercer.permutation_importance(MODEL, X, Y, max_rows=50, random_state=0)
    assert few.columns[0].column == "x0"
    own = mercer.permutation_importance(MODEL, X.tolist(), Y, scoring=lambda model, rows, y: float(rows[0][1]))
    assert max(abs(c.mean) for c in own.columns if c.column != "x1") == 0


@pytest.mark.parametrize(("options", "what"), [
    ({"repeats": 1}, "repeats=1"), ({"repeats": 2.0}, r"repeats=2\.0"), ({"level": 1}, "level=1"),
    ({"max_rows": 1}, "max_rows=1"),
])  # fmt: skip
def test_options_that_make_no_sense_are_refused(options, what):
    with pytest.raises(MercerError, match=what):
        mercer.permutation_importance(MODEL, X, Y, **options)


def test_rows_that_cannot_be_checked():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mercer.permutation_importance(MODEL, X, Y[:-1])
    with pytest.raises(BadTable, match="at least two rows; found 1"):
        mercer.permutation_importance(MODEL, X[:1], Y[:1])
    with pytest.raises(BadTable, match="1 dimensions"):
        mercer.permutation_importance(MODEL, X[0], Y)
    with pytest.raises(BadTable, match="is nan"):
        mercer.permutation_importance(MODEL, X, Y, scoring=lambda model, rows, y: np.nan)
    with pytest.raises(BadTable, match="told apart"):
        mercer.permutation_importance(MODEL, pd.DataFrame(X, columns=["a", "a", "b", "c"]), Y)


def test_very_wide_tables_are_passed_over_in_the_contest():
    wide = mercer.read_table(np.zeros((20, MOST_COLUMNS + 1)))
    assert table_importance(wide, lambda t: np.zeros(len(t)), lambda p, rows: 0.0, seed=0) == []
