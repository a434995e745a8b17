"""Areas under the ROC and the precision-recall curve, for any weights of the rows: sorted once, summed many times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats


def roc_auc(positive: NDArray[np.bool_], score: Floats, weight: Floats | None = None) -> float:
    """Area under the ROC curve; NaN when a class has no weight.

    Without weights it is the share of pairs of both classes in the right order, ties by half: the same number to its
    last bit, since all sums are whole, in a fifth of the time.
    """
    if weight is not None or np.isnan(score).any():
        return Ranked(positive, score).roc_auc(np.ones(len(score)) if weight is None else weight)
    ours, others = score[positive], np.sort(score[~positive])
    if not len(ours) or not len(others):
        return np.nan
    below, up_to = (int(others.searchsorted(ours, side=side).sum()) for side in ("left", "right"))
    return (below + up_to) / 2 / (len(ours) * len(others))


class Ranked:
    """Rows sorted by falling score, equal scores as one threshold; `positive` marks the rows of the positive class."""

    def __init__(self, positive: NDArray[np.bool_], score: Floats) -> None:
        self.order = np.argsort(-score, kind="stable")
        ordered = score[self.order]
        self.ends = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
        self.hits = positive[self.order].astype(np.float64)
        self.thresholds = ordered[self.ends]

    def counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Weight of true and of false positives at each threshold."""
        ordered = weights[self.order]
        true = np.cumsum(ordered * self.hits)[self.ends]
        return true, np.cumsum(ordered)[self.ends] - true

    def places(self) -> NDArray[np.int64]:
        """Number of the threshold of each row, in the order of falling scores."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=-1))

    def in_row_order(self, values: Floats) -> Floats:
        """Values in the order of falling scores, in the order of the rows."""
        found = np.empty(len(values))
        found[self.order] = values
        return found

    def roc_auc(self, weights: Floats) -> float:
        """Area under the ROC curve; NaN when a class has no weight."""
        true, false = self.counts(weights)
        if true[-1] <= 0 or false[-1] <= 0:
            return np.nan
        area = np.trapezoid(np.concatenate(([0.0], true)), np.concatenate(([0.0], false)))
        return float(area / (true[-1] * false[-1]))

    def average_precision(self, weights: Floats) -> float:
        """sum over thresholds of (recall_k - recall_{k-1}) * precision_k."""
        true, false = self.counts(weights)
        if true[-1] <= 0:
            return np.nan
        predicted = np.maximum(true + false, 1e-300)
        return float(np.sum(np.diff(true, prepend=0.0) * true / predicted) / true[-1])
