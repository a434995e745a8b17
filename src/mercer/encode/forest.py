"""Importance of each column of a mixed table in a random forest, by two measures (Breiman 2001, Yao 4.2)."""

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

TOP_LEVELS = 20  # of a category; the rarer ones share a rank (Yao 4.1)
MAX_OUT_OF_BAG = 2000  # rows of a tree that are shuffled; each tree draws its own


@dataclass(frozen=True)
class ForestImportance:
    """Of each column: mean decrease in impurity (sums to 1), mean decrease in accuracy, and its standard error."""

    impurity: Floats
    accuracy: Floats
    error: Floats


@dataclass(frozen=True)
class ForestInput:
    """A table as a forest takes it: features in float32, NaN where missing, and the column that each belongs to."""

    features: NDArray[np.float32]  # (n_rows, n_features)
    owner: NDArray[np.intp]  # (n_features,)
    n_columns: int


def forest_input(table: Table, words: int) -> ForestInput:
    """Numbers by rank, levels by how common they are, texts by counts of their commonest words.

    Splits depend on the order alone, so that ranks change none; in float32 they are exact where large numbers are not.
    """
    parts = [_features(table, name, words) for name in table.columns]
    owner = np.repeat(np.arange(len(parts)), [p.shape[1] for p in parts])
    return ForestInput(np.ascontiguousarray(np.hstack(parts)), owner, len(parts))


def _features(table: Table, name: str, words: int) -> NDArray[np.float32]:
    kind = table.schema[name].kind
    if kind is Kind.TEXT:
        counted = BagOfWords(words)._encode(table.select([name]))
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
    data: ForestInput, target: NDArray[Any], *, classes: bool, n_trees: int, seed: int | None, n_jobs: int
) -> ForestImportance:
    """Both measures from one forest.

    impurity  : sum over the splits on the column of (rows' share) * (decrease of Gini impurity, or of the variance),
                mean over trees. Favours columns with many different values.
    accuracy  : mean over trees t of  A_t - A_t(column shuffled),  A_t the accuracy of tree t (or minus its mean squared
                error) on its out-of-bag rows.
    """
    maker = RandomForestClassifier if classes else RandomForestRegressor
    forest = maker(
        n_trees, max_features="sqrt" if classes else 1 / 3, bootstrap=True, random_state=seed, n_jobs=n_jobs
    ).fit(data.features, target)
    impurity: Floats = np.bincount(data.owner, forest.feature_importances_, data.n_columns).astype(np.float64)
    seeds = np.random.SeedSequence(seed).spawn(n_trees)
    taken = zip(forest.estimators_, forest.estimators_samples_, seeds, strict=True)
    decreases = Parallel(n_jobs, prefer="threads")(
        delayed(_tree_decreases)(data, target, tree.tree_, rows, source, classes) for tree, rows, source in taken
    )
    known = np.array([f for f in decreases if f is not None]).reshape(-1, data.n_columns)
    if not len(known):
        nothing = np.zeros(data.n_columns)
        return ForestImportance(impurity, nothing, nothing)
    error = known.std(axis=0, ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.zeros(data.n_columns)
    return ForestImportance(impurity, known.mean(axis=0), error)


def _tree_decreases(
    data: ForestInput, target: NDArray[Any], tree: Any, drawn: Any, source: np.random.SeedSequence, classes: bool
) -> Floats | None:
    """A_t - A_t(column shuffled) of every column; 0 for one without a split. None when no row is out of bag."""
    rng = np.random.default_rng(source)
    out = np.setdiff1d(np.arange(len(target)), drawn)
    if len(out) > MAX_OUT_OF_BAG:
        out = np.sort(rng.choice(out, MAX_OUT_OF_BAG, replace=False))
    if len(out) < 2:
        return None
    cells, truth = data.features[out], target[out]
    intact = _accuracy(tree, cells, truth, classes)
    decreases = np.zeros(data.n_columns)
    for column in np.unique(data.owner[tree.feature[tree.feature >= 0]]):
        own = np.flatnonzero(data.owner == column)
        kept = cells[:, own]
        cells[:, own] = kept[rng.permutation(len(out))]
        decreases[column] = intact - _accuracy(tree, cells, truth, classes)
        cells[:, own] = kept
    return decreases


def _accuracy(tree: Any, cells: NDArray[np.float32], truth: NDArray[Any], classes: bool) -> float:
    answer = tree.predict(cells).reshape(len(cells), -1)
    if classes:
        return float((answer.argmax(axis=1) == truth).mean())
    return -float(np.square(answer[:, 0] - truth).mean())
