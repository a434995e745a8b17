"""What a model must beat, in chunks."""

from __future__ import annotations

from mercer.estimators.common.baseline import MajorityClass, MeanTarget
from mercer.scale.rows import Part, Rows, Sums


def fit_majority(model: MajorityClass, rows: Rows) -> None:
    """The shares of the classes, which the first pass has counted."""
    model.classes_ = rows.classes
    model.class_prior_ = rows.counts / rows.counts.sum()


def fit_mean(model: MeanTarget, rows: Rows) -> None:
    """The mean of the target."""
    total, n = rows.merge(_sum_target).values
    model.mean_ = float(total / n)


def _sum_target(part: Part) -> Sums:
    return Sums((float(part.target.sum()), len(part.target)))
