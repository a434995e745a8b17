"""Training in two steps: the table is read and split, then learners are compared on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from mercer.errors import BadColumn, BadTarget
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import Progress
from mercer.evaluation.run.records import Context
from mercer.store.summary import summarise
from mercer.table import Source
from mercer.workbench.sources import is_column, kinds_of, name_of, open_rows, warn_of_other_order, with_column
from mercer.workbench.training.command import command
from mercer.workbench.training.options import TrainOptions
from mercer.workbench.training.result import TrainResult


@dataclass(frozen=True)
class Training:
    """A table that was read, its target taken out, its kinds inferred and its rows split.

    Attributes
    ----------
    context : Context
        What the learners share.
    options : TrainOptions
        As they were given.
    command : str
        That repeats the run.
    """

    context: Context
    options: TrainOptions
    command: str = ""

    def run(self, progress: Progress | None = None) -> TrainResult:
        """Compare the learners and fit the best of them to every row."""
        comparison = compare_learners(self.context, progress or (lambda _what, _share: None))
        found = replace(comparison, command=self.command)
        return TrainResult(found, self.options.missing, summarise(self.context.table))


def read_source(data: Any, options: TrainOptions) -> Source:
    """The cells of a table for training."""
    return open_rows(
        data,
        missing=options.missing,
        separator=options.separator,
        header=options.header,
        sheet=options.sheet,
        query=options.query,
        table_name=options.table_name,
    )


def split_source(
    source: Source,
    data: Any,
    target: Any,
    options: TrainOptions,
    name: str | None = None,
    *,
    start: float | None = None,
) -> Training:
    """Training for cells that were read from `data`.

    `name` is what the data are called in the report, `start` when the run began.
    """
    if target is None:
        first = ", ".join(repr(n) for n in list(source.columns)[:8])
        raise BadTarget(
            f"Which column is to be predicted? Add --target COLUMN (in Python target=). The first columns: {first}."
        )
    if is_column(target):
        target = source.find(str(target))
    else:
        warn_of_other_order(data, target, "target")
        source, target = with_column(source, target, "target")
    known = {c: k for c, k in kinds_of(data).items() if c != target}
    kinds = {**known, **(options.kinds or {})}
    chosen = options.comparison(name or name_of(data), kinds, target, perf_counter() if start is None else start)
    if isinstance(options.time, str) and chosen.time == options.time:
        _check_time_column(source, options.time)
    return Training(prepare(source, target, chosen), options, command(data, target, options))


def with_row_columns(source: Source, data: Any, options: TrainOptions) -> tuple[Source, TrainOptions]:
    """Weights and groups that came as arrays as columns of the source, and the options with their names."""
    names = {"weight": options.weight, "group": options.group}
    for role in options.arrays:
        warn_of_other_order(data, names[role], role)
        source, names[role] = with_column(source, names[role], role)
    return source, replace(options, weight=names["weight"], group=names["group"])


def _check_time_column(source: Source, name: str) -> None:
    """Refuse a `time` that is neither a duration nor a column."""
    try:
        source.find(name)
    except BadColumn as failure:
        raise BadColumn(f"time = {name!r} is no duration, such as 60s, 5m or 1h, and no column. {failure}") from None
