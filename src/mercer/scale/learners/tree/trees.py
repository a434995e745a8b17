"""Decision trees and forests in chunks: cells become bins of a byte each, and trees are grown on sums of the bins.

Where no column has more than 255 different numbers or levels, the trees are those of a single fit. Of other columns
thresholds lie between bins that hold about as many rows each. Rows are drawn for the trees of a forest by their numbers
in the whole table, as in a single fit, so that chunks do not change which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadColumn, BadParameter, TooLarge
from mercer.estimators.boosting.training.rows import BinRules
from mercer.estimators.forest.base import BaseForest, ForestTarget
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.estimators.tree.columns import TreeColumns
from mercer.estimators.tree.fit import Method, column_count, draw_seed
from mercer.estimators.tree.target import Labels, Weights
from mercer.parameters import check_parameters
from mercer.scale.engine import Progress
from mercer.scale.held.room import ROOM, HeldBytes
from mercer.scale.learners.tree.boosting import MOST_ROWS, ChunkRows, learned_target
from mercer.scale.rows import Part, Rows, Sums
from mercer.solvers.boost.binning import MOST_BINS, Binning
from mercer.solvers.held import Held
from mercer.solvers.tree.apart import LevelGrowth
from mercer.solvers.tree.binned import BinnedColumns
from mercer.solvers.tree.grow import Rules
from mercer.solvers.tree.parts import TreePart, Weighing, extent
from mercer.solvers.tree.prune import prune_cost
from mercer.solvers.tree.rare_levels import RareLevels, level_rows
from mercer.solvers.tree.tree import Tree
from mercer.table import Kind

_ONLY: dict[str, tuple[Any, ...]] = {  # what parameters may be here
    "criterion": ("gini", "entropy", "log_loss", "squared_error", "friedman_mse"),
    "algorithm": (None,),
    "nominal": ("subset",),
    "missing": ("learned",),
    "oblique": (False,),
    "prune": (None,),
    "max_leaf_nodes": (None,),
    "monotonic_cst": (None,),
    "warm_start": (False,),
    "oob_score": (False,),
    "max_bins": (0,),
}
_INSTEAD = {  # what else does nearly the same
    "max_leaf_nodes": "limit the tree by max_depth or min_samples_leaf",
    "prune": "prune by ccp_alpha",
    "oob_score": "score other rows by mercer.scale.score",
    "missing": "impute missing cells first (mercer.encode.Impute)",
    "warm_start": "ask for all trees at once",
}


def fit_tree(model: BaseDecisionTree, rows: Rows) -> None:
    """A tree for classes or numbers."""
    found = _BinnedRows.of(model, rows)
    weights = found.weights(getattr(model, "class_weight", None))
    method = Method.of(model.get_params(deep=False), len(found.y), weights.total(len(found.y)), model._jobs)
    columns = found.columns(method)
    model.n_outputs_, model.missing_, model.alpha_ = 1, method.rules.missing, method.ccp_alpha
    model.max_features_ = column_count(model.max_features, len(columns.single))
    method = method.drawing(model.max_features_, (), draw_seed(model.random_state))
    held = _held(rows, columns, found)
    tree = held.grow(method.rules, weights.counts, model._jobs, rows.progress)
    if method.ccp_alpha > 0:
        tree = prune_cost(tree, method.ccp_alpha)
    _keep_classes(model, rows)
    model.columns_ = columns
    model.tree_ = columns.name_levels(replace(tree, weight=tree.weight * weights.unit))


def fit_forest(model: BaseForest, rows: Rows) -> None:
    """Trees on rows drawn for each."""
    found = _BinnedRows.of(model, rows)
    _keep_classes(model, rows)
    target = found.forest_target(model)
    n_rows = len(found.y)
    draws = model._draws(n_rows, target.weights)
    method = model._method(n_rows, target.weights.total(n_rows) if draws is None else float(draws.n_drawn))
    columns = found.columns(method)
    model.n_outputs_, model.missing_ = 1, method.rules.missing
    model.max_features_ = column_count(model.max_features, len(columns.single))
    method = method.drawing(model.max_features_, (), 0)
    held = _held(rows, columns, found)
    model.columns_, model.trees_, model.seeds_ = columns, [], model._new_seeds(0)
    model._bootstrap, model._n_rows = draws, n_rows
    for done, seed in enumerate(model.seeds_):
        weight = target.weights.counts if draws is None else draws.counts(seed)
        if draws is not None and target.reweigh is not None:
            weight = target.reweigh(draws.counts(seed))
        progress = _share_of(rows.progress, done, len(model.seeds_))
        tree = held.grow(replace(method.rules, seed=draw_seed(seed)), weight, model._jobs, progress)
        if method.ccp_alpha > 0:
            tree = prune_cost(tree, method.ccp_alpha)
        unit = 1.0 if draws is not None else target.weights.unit
        model.trees_.append(columns.name_levels(replace(tree, weight=tree.weight * unit)))


def _share_of(progress: Progress | None, done: int, n_trees: int) -> Progress | None:
    """Progress of one tree as that of the forest."""
    return None if progress is None else lambda share: progress((done + share) / n_trees)


def _keep_classes(model: Any, rows: Rows) -> None:
    if rows.labels is not None:
        model._keep_classes([rows.classes])


@dataclass(frozen=True)
class _BinnedRows:
    """What is known here of the rows: target, numbers of the first rows of chunks, columns, bins."""

    rows: Rows
    y: Floats
    start: Any
    found: TreeColumns
    binning: Binning

    @classmethod
    def of(cls, model: Any, rows: Rows) -> _BinnedRows:
        """By two passes: the target, then a sample of the numbers; an error where chunks cannot do what is asked."""
        check_parameters(model)
        _expect_possible(model, rows)
        y, start = learned_target(rows)
        if len(y) > MOST_ROWS:
            raise TooLarge(f"Trees add up at most {MOST_ROWS:,} rows, and these are {len(y):,}. Fit a sample of them.")
        rules = BinRules(words=1, max_bins=MOST_BINS, seed=0, n_jobs=model._jobs)
        columns, binning = ChunkRows(y, None, rows, start).learned_bins(rules)
        return cls(rows, y, start, columns, binning)

    def labels(self) -> Labels:
        """The classes, and codes of the rows among them."""
        return Labels([self.rows.classes], self.y.astype(np.int32)[:, None])

    def weights(self, class_weight: Any) -> Weights:
        """Those of classes."""
        return Weights(None) if self.rows.labels is None else Weights.by_class(None, self.labels(), class_weight)

    def forest_target(self, model: Any) -> ForestTarget:
        """The target as a forest takes it."""
        if self.rows.labels is None:
            return ForestTarget(self.y[:, None], (0,), Weights(None))
        target: ForestTarget = model._target(self.labels(), None)
        return target

    def columns(self, method: Method) -> TreeColumns:
        """The columns with rare levels joined, which takes a pass where there are categories."""
        if not self.found.rare.of_column:
            return self.found
        counts: Sums = self.rows.merge(_level_rows)
        coded = self.found.single[self.found.n_numeric :]
        nominal = [c.kind is not Kind.ORDINAL for c in coded]
        return replace(self.found, rare=RareLevels.of(counts.values, nominal, method.min_rows_level))


def _expect_possible(model: Any, rows: Rows) -> None:
    for name, allowed in _ONLY.items():
        given = getattr(model, name, allowed[0])
        if given not in allowed:
            others = " or ".join(map(repr, allowed))
            instead = _INSTEAD.get(name, "take that")
            raise BadParameter(
                f"{name}={given!r} needs all rows at once. In chunks {name} is {others}: {instead}, or fit a sample of "
                "the rows."
            )
    texts = rows.schema.of_kind(Kind.TEXT)
    if texts:
        raise BadColumn(
            f"Trees in chunks do not count words, and {texts[0]!r} is text. Leave the column out, or encode it first."
        )


def _level_rows(part: Part) -> Sums:
    return Sums(tuple(level_rows(TreeColumns.fit(part.table, 1, 0)[1])))


@dataclass(frozen=True)
class _HeldTrees:
    """Rows in bins, held by their chunks, on which trees are grown."""

    held: Held
    columns: BinnedColumns
    known: _BinnedRows
    centre: float

    def grow(self, rules: Rules, weight: Floats | None, n_jobs: int, progress: Progress | None) -> Tree:
        """A tree under these weights of the rows."""
        n_classes, y = self.known.rows.n_classes, self.known.y
        top = 1.0 if weight is None else float(weight.max())
        largest = (top,) * n_classes
        if not n_classes:
            far = float(np.abs(y - self.centre).max(initial=0)) * (1 + 1e-9)
            largest = (top, top * far * (1 + 1e-9), top * far**2 * (1 + 1e-9))
        how = Weighing(self.columns.bins, self._parts(weight), n_classes, largest, len(y), n_jobs)
        tree = LevelGrowth(self.held, how, self.columns, rules, progress).grow()
        return tree if n_classes else replace(tree, answer=tree.answer + self.centre)

    def _parts(self, weight: Floats | None) -> dict[int, Any] | None:
        """The weights of the rows of each chunk by its place; counts in a byte each."""
        if weight is None:
            return None
        small = weight.astype(np.uint8)
        sent, start = small if np.array_equal(small, weight) else weight, self.known.start
        return {k + 1: sent[start[k] : start[k + 1]] for k in range(len(start) - 1)}


def _held(rows: Rows, columns: TreeColumns, known: _BinnedRows) -> _HeldTrees:
    """The rows in bins, by one pass."""
    mean = 0.0 if rows.labels is not None else float(known.y.mean())
    centre = float(np.rint(mean)) if (known.y == np.rint(known.y)).all() else mean
    make = _Hold(columns, known.binning, centre)
    held = rows.hold(lambda k: make)
    found = held.ask(extent, held.share(None))
    bins, nominal = known.binning.bins, known.binning.nominal.astype(bool)
    levels = tuple(table[1:].astype(np.int32) for table in known.binning.levels)
    binned = BinnedColumns(bins, found.low, found.high, nominal, columns.n_numeric, levels)
    return _HeldTrees(held, binned, known, centre)


@dataclass(frozen=True)
class _Hold:
    """The rows of a chunk in bins, as trees ask them; numbers to predict less a common one."""

    columns: TreeColumns
    binning: Binning
    centre: float

    def __call__(self, part: Part) -> TreePart:
        found = self.columns.transform(part.table)
        cells = self.binning.transform(found)
        low, high = np.full((cells.shape[1], 256), np.inf), np.full((cells.shape[1], 256), -np.inf)
        for j, values in enumerate((*found.numbers.T, *found.codes.T.astype(np.float64))):
            known = cells[:, j] < self.binning.bins[j]
            np.minimum.at(low[j], cells[known, j], values[known] + 0.0)
            np.maximum.at(high[j], cells[known, j], values[known] + 0.0)
        y = part.target if part.target.dtype.kind == "i" else part.target - self.centre
        held = TreePart(part.place, HeldBytes(cells), y, low, high)
        ROOM.take(held, y.nbytes, must=True)
        return held
