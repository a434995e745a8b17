"""Training on a table in chunks: whether it is one, its passes before the comparison, and its run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from mercer._core.memory import physical_memory
from mercer.errors import BadColumn, BadTarget, MercerError, did_you_mean
from mercer.evaluation.options import Progress
from mercer.evaluation.run.records import Context
from mercer.scale.chunks import Chunks, as_chunks, is_large
from mercer.scale.context import on
from mercer.scale.engine import CLIENT, engine_of
from mercer.scale.whole import first_names, whole_table
from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.store.summary import summarise
from mercer.table import Source
from mercer.workbench.chunked.comparison import able_learners, compare_chunks
from mercer.workbench.chunked.preparation import Prepared, prepare_chunks
from mercer.workbench.sources import is_column, name_of
from mercer.workbench.training.command import command
from mercer.workbench.training.options import TrainOptions
from mercer.workbench.training.result import TrainResult

_FILE_SHARE = 16  # of the memory of the machine, the size of one file that is read at once
_PREPARED = 0.1  # share of the bar when the rows to score on are drawn
_OF_ALL_ROWS = ("weight", "group", "time", "time_budget", "time_column", "folds")
_ADVICE = "Leave the option out, or train on a table that fits in memory."


@dataclass(frozen=True)
class ChunkTable:
    """A table that is learned from in chunks, its columns, and the cluster that does the work, if any."""

    chunks: Chunks
    columns: Sequence[str]
    client: Any = None


@dataclass(frozen=True)
class ChunkTraining:
    """A table in chunks whose columns are known, and the rows that learners are scored on.

    Attributes
    ----------
    prepared : Prepared
        What the learners share.
    options : TrainOptions
        As they were given.
    command : str
        That repeats the run.
    """

    prepared: Prepared
    options: TrainOptions
    command: str = ""

    @property
    def context(self) -> Context:
        """Of the rows that were drawn."""
        return self.prepared.context

    def run(self, progress: Progress | None = None) -> TrainResult:
        """Compare the learners and fit the best of them to every row."""
        report = progress or (lambda _what, _share: None)
        found = compare_chunks(self.prepared, lambda what, share: report(what, _PREPARED + (1 - _PREPARED) * share))
        return TrainResult(replace(found, command=self.command), self.options.missing, summarise(self.context.table))


def cluster(options: TrainOptions) -> AbstractContextManager[Any]:
    """The cluster of the scheduler that was named, for the time of a run; that of `mercer.scale.on` if none was."""
    return nullcontext() if options.scheduler is None else on(options.scheduler)


def read_chunks(data: Any, options: TrainOptions, progress: Progress) -> Source | ChunkTable | None:
    """A table that comes in chunks: its cells where they fit in memory and there is no cluster; None of any other."""
    if options.scheduler is None and not _comes_in_chunks(data):
        return None
    chunks = as_chunks(
        data,
        missing=options.missing,
        separator=options.separator,
        header=options.header,
        query=options.query,
        table_name=options.table_name,
    )
    client = CLIENT.get()
    if client is None:
        whole = whole_table(chunks, lambda share: progress("Reading the table", share))
        if whole is not None:
            return whole
    return ChunkTable(chunks, first_names(chunks), client)


def _comes_in_chunks(data: Any) -> bool:
    if isinstance(data, str | Path):
        at_once = physical_memory() // _FILE_SHARE
        return is_large(data) and not (os.path.isfile(data) and os.path.getsize(data) <= at_once)
    return isinstance(data, Chunks) or any(hasattr(data, name) for name in ("to_delayed", "get_fragments"))


def prepare_training(
    table: ChunkTable, data: Any, target: Any, options: TrainOptions, name: str | None, progress: Progress
) -> ChunkTraining:
    """The first passes over the chunks; an option that needs all rows at once is refused before them."""
    found = _target(table.columns, target)
    _refuse(options)
    _expect_columns(table.columns, options.drop, found)
    chosen = options.comparison(name or name_of(data), dict(options.kinds or {}), found, perf_counter())
    prepared = prepare_chunks(
        table.chunks, engine_of(table.client), found, chosen, lambda what, share: progress(what, _PREPARED * share)
    )
    able_learners(prepared.context.target.task, chosen.learners)
    return ChunkTraining(prepared, options, command(data, found, options))


def _target(columns: Sequence[str], target: Any) -> str:
    if target is None:
        first = ", ".join(map(repr, columns[:8]))
        raise BadTarget(
            f"Which column is to be predicted? Add --target COLUMN (in Python target=). The first columns: {first}."
        )
    if isinstance(target, list | tuple) and len(target) == 1:
        target = target[0]
    if not is_column(target):
        raise BadTarget("The target of a table in chunks is one of its columns: give its name.")
    return Source(dict.fromkeys(columns)).find(str(target))  # type: ignore[arg-type]


def _refuse(options: TrainOptions) -> None:
    for name in _OF_ALL_ROWS:
        if getattr(options, name) is not None:
            raise MercerError(f"{name} is not for a table in chunks. {_ADVICE}")
    if options.imbalance != "none":
        raise MercerError(f"imbalance is not for a table in chunks. {_ADVICE}")
    costs = Costs.read(options.cost)
    amounts = [] if costs is None else [costs.fn, costs.fp, *(amount for _, _, amount in costs.cells)]
    if any(isinstance(amount, str) for amount in amounts):
        raise MercerError(f"cost: a column of costs is not for a table in chunks. {_ADVICE}")
    threshold = Threshold.read(options.threshold)
    if threshold is not None and threshold.rule == "top":
        raise MercerError(f"threshold '{threshold}' needs all rows at once. {_ADVICE}")


def _expect_columns(columns: Sequence[str], dropped: Sequence[str], target: str) -> None:
    for name in dropped:
        if name == target:
            raise MercerError(f"drop = {name!r}: that is the target. Name another column.")
        if name not in columns and name.rpartition(" (")[0] not in columns:
            raise BadColumn(f"drop: there is no column {name!r}. {did_you_mean(name, columns)}")
