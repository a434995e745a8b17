"""The rows that boosted trees learn from, and how they become bins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from mercer.arrays import Floats, Longs
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.tree.columns import TreeColumns
from mercer.solvers.boost.binning import Binning, Bytes
from mercer.solvers.boost.boost import Boosted, Method, Rows, boost
from mercer.solvers.boost.tiles import Tiles
from mercer.table import Table

Score: TypeAlias = Callable[[Floats, Rows], float] | None


@dataclass(frozen=True)
class BinRules:
    """How cells become bins: words of a text column that count, bins of a column, seed of the sample, threads."""

    words: int
    max_bins: int
    seed: int
    n_jobs: int


@dataclass(frozen=True)
class LabelledRows(ABC):
    """Rows with their target (class codes or numbers) and weights (None: 1 each), wherever their cells are."""

    y: NDArray[Any]
    weight: Floats | None

    @abstractmethod
    def take(self, rows: Longs) -> Self:
        """Those rows."""

    def split(self, share: float, stratify: bool, seed: int) -> tuple[Longs, Longs]:
        """Numbers of rows to learn from, and of a share that is set aside, `stratify` for as many of each class."""
        stratified = self.y if stratify else None
        train, test = train_test_split(np.arange(len(self.y)), test_size=share, stratify=stratified, random_state=seed)
        return train, test

    @abstractmethod
    def learn_bins(self, rules: BinRules) -> tuple[TreeColumns, Binning, Any]:
        """The columns that trees test, their bins, and these rows in them, as `boosted` takes them."""

    @abstractmethod
    def binned(self, columns: TreeColumns, binning: Binning, n_jobs: int) -> Any:
        """These rows in bins that are known, as `boosted` takes them."""

    def boosted(
        self, learned: Any, tested: Any, binning: Binning, method: Method, score: Score, **going: Any
    ) -> Boosted:
        """Trees boosted on rows that `learn_bins` and `binned` gave; the other arguments are those of `boost`."""
        tiles = Tiles.of(learned.bins, binning.bins, binning.nominal)
        return boost(learned, tiles, method, test=tested, score=score, **going)

    @property
    def progress(self) -> Callable[[float], None] | None:
        """What is told before each round which share of the rounds is done."""
        return None

    def counted(self) -> Self:
        """The same with weights that count rows; a row of weight 0 is none."""
        weight = row_counts(self.weight)
        found = replace(self, weight=weight)
        return found if weight is None or weight.all() else found.take(np.flatnonzero(weight))

    def in_bins(self, bins: Bytes) -> Rows:
        """As the solver takes them."""
        weight = self.weight
        return Rows(bins, self.y.astype(np.float64, copy=False), weight, self.count)

    @property
    def count(self) -> NDArray[np.uint32] | None:
        """How many rows each stands for; None where weights are not whole numbers, or none."""
        weight = self.weight
        whole = weight is not None and (weight == np.rint(weight)).all()
        return weight.astype(np.uint32) if weight is not None and whole else None


@dataclass(frozen=True)
class TableRows(LabelledRows):
    """The rows of a table in memory."""

    table: Table

    def take(self, rows: Longs) -> Self:
        """Those rows."""
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.y[rows], weight, self.table.take(rows))

    def learn_bins(self, rules: BinRules) -> tuple[TreeColumns, Binning, Rows]:
        """The columns that trees test, their bins, and these rows in them."""
        found, columns = TreeColumns.fit(self.table, rules.words, 0)
        binning = Binning.fit(columns, rules.max_bins, rules.seed, self.weight, rules.n_jobs)
        return found, binning, self.in_bins(binning.transform(columns, rules.n_jobs))

    def binned(self, columns: TreeColumns, binning: Binning, n_jobs: int) -> Rows:
        """These rows in bins that are known."""
        return self.in_bins(binning.transform(columns.transform(self.table), n_jobs))
