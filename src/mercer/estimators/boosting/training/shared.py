"""Boosted trees fitted to the same rows: words are counted, quantiles taken and cells binned once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mercer.estimators.boosting.training.rows import BinRules, TableRows
from mercer.estimators.common.attached import attached
from mercer.estimators.common.weights.sample_weight import same_weights
from mercer.estimators.tree.columns import TreeColumns
from mercer.solvers.boost.binning import SAMPLE, Binning, Bytes
from mercer.solvers.boost.boost import Rows
from mercer.table import Table

if TYPE_CHECKING:
    from mercer.estimators.boosting.base import BaseBoosting

_BIN_SIDE = ("max_bins", "words", "kinds", "categorical_features")  # what decides the bins of the same rows


class SharedBins:
    """Bins of the rows last learned from, and of those last predicted: for tables that are one object."""

    def __init__(self) -> None:
        self._learned: tuple[TableRows, BinRules, TreeColumns, Binning, Bytes] | None = None
        self._predicted: tuple[Table, Binning, Bytes] | None = None

    def learn(self, rows: TableRows, rules: BinRules) -> tuple[TreeColumns, Binning, Rows]:
        """What `learn_bins` of the rows gives."""
        if self._learned is None or not _alike(self._learned[0], self._learned[1], rows, rules):
            columns, binning, learned = rows.learn_bins(rules)
            self._learned = rows, rules, columns, binning, learned.bins
            return columns, binning, learned
        _, _, columns, binning, bins = self._learned
        return columns, binning, rows.in_bins(bins)

    def transform(self, table: Table, columns: TreeColumns, binning: Binning, n_jobs: int) -> Bytes:
        """The bins of rows to predict."""
        known = self._predicted
        if known is None or known[0] is not table or known[1] is not binning:
            self._predicted = known = table, binning, binning.transform(columns.transform(table), n_jobs)
        return known[2]


def _alike(known: TableRows, by: BinRules, rows: TableRows, rules: BinRules) -> bool:
    """Whether both give the same bins; the seed draws the rows whose quantiles are taken, where not all are."""
    drawn_alike = by.seed == rules.seed or len(rows.y) <= SAMPLE
    return known.table is rows.table and same_weights(known.weight, rows.weight) and drawn_alike


def bins_key(model: BaseBoosting) -> str | None:
    """The same for boosted trees that bin the same rows alike; None for those that go on from their trees."""
    return None if model.warm_start else repr([getattr(model, name) for name in _BIN_SIDE])


@contextmanager
def sharing_bins(models: Sequence[BaseBoosting]) -> Iterator[None]:
    """While it lasts, boosted trees of one `bins_key` bin rows once that all are fitted to, or predict."""
    with attached(models, "_shared_bins", SharedBins()):
        yield
