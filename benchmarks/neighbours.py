"""Are exact neighbours 1.5 times as fast as scikit-learn's and intelex's, mixed ones 5 times gower's, and is k free?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from harness import Row, best, unpacked
from sklearn.neighbors import NearestNeighbors

from mercer._core.neighbours import vote_curve
from mercer.distances import HEOM, Euclidean, Gower, Manhattan, make_search
from mercer.table import Table, from_array, read_table

try:
    import gower
    from sklearnex.neighbors import NearestNeighbors as IntelNeighbors
except ImportError as error:
    raise SystemExit(f"{error}: this benchmark needs scikit-learn-intelex, gower and pandas beside mercer.") from None


def rows(data: Path) -> list[Row]:
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    order = np.random.default_rng(0).permutation(len(cells))[:60_000]
    x = np.ascontiguousarray(cells.drop("Cover_Type").to_numpy().astype(np.float64)[order])
    y = cells["Cover_Type"].to_numpy().astype(np.int32)[order] - 1
    return [*_numbers(x), *_low(x), *_curve(x, y), *_mixed(data)]


def _numbers(x: np.ndarray) -> list[Row]:
    stored, queries = x[:50_000], x[50_000:]
    found = []
    for distance, metric in ((Euclidean(), "euclidean"), (Manhattan(), "manhattan")):
        a, b = distance.fit(from_array(stored)).cells(from_array(stored)), distance.cells(from_array(queries))
        ours = best(lambda d=distance, a=a, b=b: d.nearest(a, b, 10, n_jobs=2), 3)
        for rival in (NearestNeighbors, IntelNeighbors):
            search = rival(n_neighbors=10, algorithm="brute", metric=metric, n_jobs=2).fit(stored)
            theirs = best(lambda s=search: s.kneighbors(queries), 3 if metric == "euclidean" else 1)
            name = "intelex" if rival is IntelNeighbors else "scikit-learn"
            found.append(
                Row(f"10 nearest by {metric}, covtype 50,000 x 54, 10,000 queries", ours, theirs, name, "1.5x")
            )
    return found


def _low(x: np.ndarray) -> list[Row]:
    """Few columns: what "auto" takes, beside scikit-learn's tree and our own brute force."""
    stored, queries = (np.ascontiguousarray(part[:, [0, 5, 9]]) for part in (x[:50_000], x[50_000:]))
    distance = Euclidean()
    a, b = distance.fit(from_array(stored)).cells(from_array(stored)), distance.cells(from_array(queries))
    tree = make_search("auto", distance, a, 10)
    ours = best(lambda: tree.nearest(b, 10, n_jobs=2), 3)
    search = NearestNeighbors(n_neighbors=10, algorithm="kd_tree", n_jobs=2).fit(stored)
    what = "10 nearest in 3 columns, covtype 50,000 rows, 10,000 queries"
    return [
        Row(what, ours, best(lambda: search.kneighbors(queries), 3), "scikit-learn kd_tree", "1x"),
        Row(what, ours, best(lambda: distance.nearest(a, b, 10, n_jobs=2), 3), "our brute force", "1x"),
    ]


def _curve(x: np.ndarray, y: np.ndarray) -> list[Row]:
    table = from_array(x[:20_000])
    label = y[:20_000]
    distance = Euclidean().fit(table)
    cells, own = distance.cells(table), np.arange(20_000, dtype=np.int32)
    one = best(lambda: distance.nearest(cells, cells, 100, groups=(own, own), n_jobs=2), 3)

    def choose() -> None:
        found = distance.nearest(cells, cells, 100, groups=(own, own), n_jobs=2)
        vote_curve(found.row, found.distance, label, None, label, None, 7, 2)

    return [
        Row("k from 1 to 100, three votes, leave one out, 20,000 rows", best(choose, 3), one, "one search", "0.67x")
    ]


def _mixed(data: Path) -> list[Row]:
    names = [
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "number",
        "marital",
        "occupation",
        "relationship",
        "race",
        "sex",
    ]
    names += ["gain", "loss", "hours", "country"]
    path = next(p for p in sorted((data / "adult").iterdir()) if p.name.startswith("adult.data"))
    frame = pl.read_csv(path, has_header=False).to_pandas().iloc[:, :14]
    frame.columns = names
    frame = frame.map(lambda v: v.strip() if isinstance(v, str) else v)
    stored, queries = frame.iloc[:10_000], frame.iloc[10_000:11_000]
    both: Table = read_table(frame.iloc[:11_000])
    a, b = both.take(slice(0, 10_000)), both.take(slice(10_000, 11_000))
    found = []
    numbers = stored.select_dtypes("number").columns
    categorical = [c not in numbers for c in stored.columns]
    theirs = best(lambda: gower.gower_matrix(stored, queries, cat_features=categorical), 1)
    for distance in (Gower(), HEOM()):
        distance.fit(a)
        ours = best(lambda d=distance: d.between(b, a, n_jobs=2), 3)
        found.append(Row(f"{distance} of 1,000 x 10,000 mixed rows (adult)", ours, theirs, "package gower", "5x"))
    return found
