"""How much each column of a mixed table matters to a random forest, by two measures (Breiman 2001, Yao 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from mercer.arrays import Floats
from mercer.encode.text import BagOfWords
from mercer.table import Kind, Table
from mercer.table.blocks import MISSING

TOP_LEVELS = 20  # of a category; the rarer ones share a place (Yao 4.1)
MOST_OUT = 2000  # rows left out of a tree that are shuffled; each of the trees draws its own


@dataclass(frozen=True)
class ForestImportance:
    """One number per column: mean decrease in impurity (sums to 1), and in accuracy, with its standard error."""

    impurity: Floats
    accuracy: Floats
    error: Floats


@dataclass(frozen=True)
class ForestView:
    """A table as a forest takes it: cells (n_rows, n_features) in float32, NaN where missing; each feature's column."""

    cells: NDArray[np.float32]
    owner: NDArray[np.intp]
    n_columns: int


def forest_view(table: Table, words: int) -> ForestView:
    """Numbers by rank, levels by how common they are, texts by counts of their commonest words.

    Trees ask for order alone, so ranks change no split; in float32 they are exact where large numbers are not.
    """
    parts = [_features(table, name, words) for name in table.columns]
    owner = np.repeat(np.arange(len(parts)), [p.shape[1] for p in parts])
    return ForestView(np.ascontiguousarray(np.hstack(parts)), owner, len(parts))


def _features(table: Table, name: str, words: int) -> NDArray[np.float32]:
    kind = table.schema[name].kind
    if kind is Kind.TEXT:
        counted: Table = BagOfWords(words).fit_transform(table.select([name]))
        return counted.numbers().astype(np.float32)
    if kind is Kind.NUMERIC:
        cells = table.numbers([name])[:, 0]
        place = np.unique(cells, return_inverse=True)[1].astype(np.float32)
        return np.where(np.isnan(cells), np.float32(np.nan), place)[:, None]
    codes = table.codes([name])[:, 0]
    if kind is not Kind.ORDINAL:
        counts = np.bincount(codes[codes >= 0], minlength=1)
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        codes = np.where(codes == MISSING, MISSING, np.minimum(place[codes], TOP_LEVELS))
    return np.where(codes == MISSING, np.float32(np.nan), codes.astype(np.float32))[:, None]


def forest_importance(
    view: ForestView, target: NDArray[Any], *, classes: bool, n_trees: int, seed: int | None, n_jobs: int
) -> ForestImportance:
    """Both measures from one forest.

    impurity  : sum over the splits on the column of (rows' share) * (decrease of Gini impurity, or of the variance),
                mean over trees. Favours columns with many different values.
    accuracy  : mean over trees t of  A_t - A_t(column shuffled),  A_t the accuracy of tree t (or minus its mean squared
                error) on the rows that its bootstrap sample left out.
    """
    maker = RandomForestClassifier if classes else RandomForestRegressor
    forest = maker(
        n_trees, max_features="sqrt" if classes else 1 / 3, bootstrap=True, random_state=seed, n_jobs=n_jobs
    ).fit(view.cells, target)
    impurity: Floats = np.bincount(view.owner, forest.feature_importances_, view.n_columns).astype(np.float64)
    seeds = np.random.SeedSequence(seed).spawn(n_trees)
    taken = zip(forest.estimators_, forest.estimators_samples_, seeds, strict=True)
    falls = Parallel(n_jobs, prefer="threads")(
        delayed(_tree_falls)(view, target, tree.tree_, rows, source, classes) for tree, rows, source in taken
    )
    known = np.array([f for f in falls if f is not None]).reshape(-1, view.n_columns)
    if not len(known):
        nothing = np.zeros(view.n_columns)
        return ForestImportance(impurity, nothing, nothing)
    error = known.std(axis=0, ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.zeros(view.n_columns)
    return ForestImportance(impurity, known.mean(axis=0), error)


def _tree_falls(
    view: ForestView, target: NDArray[Any], tree: Any, drawn: Any, source: np.random.SeedSequence, classes: bool
) -> Floats | None:
    """A_t - A_t(column shuffled) of every column; 0 where the tree does not ask. None when no row was left out."""
    rng = np.random.default_rng(source)
    out = np.setdiff1d(np.arange(len(target)), drawn)
    if len(out) > MOST_OUT:
        out = np.sort(rng.choice(out, MOST_OUT, replace=False))
    if len(out) < 2:
        return None
    cells, truth = view.cells[out], target[out]
    intact = _accuracy(tree, cells, truth, classes)
    falls = np.zeros(view.n_columns)
    for column in np.unique(view.owner[tree.feature[tree.feature >= 0]]):
        own = np.flatnonzero(view.owner == column)
        kept = cells[:, own]
        cells[:, own] = kept[rng.permutation(len(out))]
        falls[column] = intact - _accuracy(tree, cells, truth, classes)
        cells[:, own] = kept
    return falls


def _accuracy(tree: Any, cells: NDArray[np.float32], truth: NDArray[Any], classes: bool) -> float:
    answer = tree.predict(cells).reshape(len(cells), -1)
    if classes:
        return float((answer.argmax(axis=1) == truth).mean())
    return -float(np.square(answer[:, 0] - truth).mean())
