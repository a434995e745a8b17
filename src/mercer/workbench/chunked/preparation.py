"""The first two passes over a table in chunks: what its columns and target are, and the rows to score learners on.

Rows are drawn by their numbers, so that they are the same however the table is cut. Some are held out for the last
test, some validate (they rank the learners), and a few of the others, the training rows, say how closely these are
fitted. All drawn rows are held in memory: of a large table no more than its scores need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, BadTarget
from mercer.evaluation.comparison import known_costs, with_positive
from mercer.evaluation.data.splits import ValidationPlan
from mercer.evaluation.metrics import check_defined, chosen_metric
from mercer.evaluation.options import ComparisonOptions, Progress
from mercer.evaluation.run.records import Context
from mercer.scale.chunks import Chunks
from mercer.scale.engine import Engine
from mercer.scale.rows import Part, Rows
from mercer.scale.sample import Sample, first_rows, uniform
from mercer.scale.survey import survey
from mercer.scale.target import Either
from mercer.table import Source, Table
from mercer.table.assemble import vstack
from mercer.table.profile.column import ColumnProfile
from mercer.table.target_column import Target
from mercer.workbench.chunked.target import SurveyedTarget, surveyed_target

MOST_ROWS = 200_000  # held out, and as many to validate: the area under the ROC curve is then known to about 0.002
MOST_CELLS = 1 << 24
MOST_FITTED = 10_000  # training rows that learners are scored on
N_PARTS = 5  # of the validation rows, over which scores vary
FEWEST_ROWS = 50
SKIP = "skip"


@dataclass(frozen=True)
class Prepared:
    """What learners in chunks share.

    Attributes
    ----------
    context : Context
        Of the rows that were drawn.
    about : SurveyedTarget
        The target over all rows.
    rows : Rows
        All rows that have a target.
    training : Rows
        Those that are neither held out nor validate; classes are called by their codes.
    columns : mapping of str to ColumnProfile
        Of the input.
    """

    context: Context
    about: SurveyedTarget
    rows: Rows
    training: Rows
    columns: Mapping[str, ColumnProfile]

    def missing(self, column: str) -> float:
        """The share of missing cells of a column of the input."""
        found = self.columns[column]
        return (found.n_missing + sum(n for n, _, _ in found.absent.met.values())) / found.n_rows


def prepare_chunks(
    chunks: Chunks, engine: Engine, target: str, options: ComparisonOptions, progress: Progress
) -> Prepared:
    """Infer the columns and the task, and draw the rows that learners are scored on."""
    kinds = {**(options.kinds or {}), **dict.fromkeys(options.drop, SKIP)}
    found = survey(
        chunks, engine, target, kinds, classes=None,
        progress=lambda share: progress("Looking at the columns", share / 2),
    )  # fmt: skip
    assert isinstance(found.target, Either)
    about = surveyed_target(found.target, target, options.task)
    if about.n_known < FEWEST_ROWS:
        raise BadTable(f"{about.n_known} rows with a target: too few to learn from in chunks. Read them as one table.")
    starts, most = first_rows(found.sizes), min(MOST_ROWS, MOST_CELLS // max(1, len(found.schema)))
    share = min(options.held_out, most / about.n_known)
    rows = Rows(
        chunks, engine, found.schema, target, about.labels, about.counts,
        progress=lambda share: progress("Drawing rows to score on", (1 + share) / 2), stripped=True,
        dates=about.notation if about.labels is None else "", gaps=found.gaps,
    )  # fmt: skip
    drawn = _draw(rows, starts, min(1.0, 2 * share + MOST_FITTED / about.n_known), options.seed)
    context = _context(drawn, share, about, options)
    training = replace(
        rows,
        counts=_training_counts(about, context),
        sample=Sample(starts, options.seed, 2 * share, 1.0),
        names=None if about.labels is None else np.arange(len(about.labels)),
    )
    return Prepared(context, about, rows, training, found.columns)


@dataclass(frozen=True)
class Drawn:
    """Rows that were drawn: their cells, their target (codes or numbers), and the number by which each was drawn."""

    table: Table
    values: NDArray[Any]
    places: Floats


def _draw(rows: Rows, starts: Mapping[int, int], high: float, seed: int) -> Drawn:
    sample = Sample(starts, seed, 0.0, high)
    found = [part for part in replace(rows, sample=sample).each(lambda k: _same) if part is not None]
    rows.engine.forget()
    if not found:
        raise BadTable("No row was drawn to score learners on. Read the rows as one table.")
    values = np.concatenate([part.target for part in found])
    numbers = np.concatenate([part.numbers for part in found])
    return Drawn(reduce(vstack, (part.table for part in found)), values, uniform(numbers, seed))


def _same(part: Part) -> Part:
    return part


def _context(drawn: Drawn, share: float, about: SurveyedTarget, options: ComparisonOptions) -> Context:
    """The rows that were drawn, as the rows of a comparison."""
    values: dict[str, Any] = {"numbers": drawn.values} if about.labels is None else {"codes": drawn.values.astype(int)}
    target = with_positive(replace(about.target, **values), options)
    costs = known_costs(options, target, Source({}))
    metric = chosen_metric(options.metric, target.task, len(target.classes), has_costs=costs is not None)
    check_defined(metric, target.values, dates=bool(target.date_unit))
    held_out = np.flatnonzero(drawn.places < share)
    validation = np.flatnonzero((drawn.places >= share) & (drawn.places < 2 * share))
    fitted = np.flatnonzero(drawn.places >= 2 * share)
    if min(len(held_out), len(validation), len(fitted)) < N_PARTS:
        raise BadTable("The rows are too few to be held out and validated on. Read them as one table.")
    folds = tuple((fitted, part) for part in np.array_split(validation, N_PARTS))
    n_train = about.n_known - len(held_out) - len(validation)
    plan = ValidationPlan(fitted, held_out, folds, N_PARTS, 1, stratified=False, kind="validation", n_train=n_train)
    return Context(drawn.table, target, plan, options, Source({}), metric, None, costs)


def validation_rows(folds: Sequence[tuple[Longs, Longs]]) -> Longs:
    """The rows by which learners are ranked."""
    return np.concatenate([test for _, test in folds])


def _training_counts(about: SurveyedTarget, context: Context) -> Longs:
    """Training rows of each class: those that were not drawn; BadTarget where a class has none."""
    target: Target = context.target
    if about.labels is None:
        return about.counts
    aside = np.concatenate([context.plan.test, validation_rows(context.plan.folds)])
    counts = about.counts - np.bincount(target.codes[aside], minlength=len(about.labels))
    if not counts.all():
        lone = int(counts.argmin())
        raise BadTarget(
            f"The class {target.classes[lone]!r} has {about.counts[lone]:,} rows, none of them left to train on. "
            "Leave such rows out, or merge classes."
        )
    return np.asarray(counts)
