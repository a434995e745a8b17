"""The main job: from a table to a report, a result and a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from mercer.cli.console import note, with_notices
from mercer.cli.jobs.describe import column_lines, show_columns
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read, read_kinds, separator_of
from mercer.cli.options import Output, Reading
from mercer.data import TARGET
from mercer.formatting import visible
from mercer.store.folder import staged_folder
from mercer.table.read import source_name
from mercer.workbench.chunked.job import ChunkTable, ChunkTraining, cluster, prepare_training, read_chunks
from mercer.workbench.training.job import Training
from mercer.workbench.training.leaderboard import decision, leaderboard, preference, tie
from mercer.workbench.training.options import TrainOptions
from mercer.workbench.training.result import TrainResult
from mercer.workbench.training.run_folder import FILES, MODEL, REPORT, RESULT, replaced_files
from mercer.workbench.training.several import TargetsTraining, split_any

PENGUINS_TITLE = "Palmer penguins"


def run(
    reading: Reading, targets: tuple[str, ...], output: Output, options: TrainOptions, start: float | None = None
) -> None:
    """Compare learners and write what was found; whether the folder can be written is checked first."""
    replaced = replaced_files(output.folder, output.force)
    with staged_folder(output.folder, FILES) as stage, cluster(options):
        training = _open(reading, targets, options, start)
        if not output.as_json:
            _show_columns(training)
        with progress_bar("Comparing learners") as progress:
            result = training.run(progress)
        result.write_files(stage)
    for notice in result.notices:
        note(notice)
    if replaced:
        note(f"{', '.join(replaced)} of an earlier run in {output.folder} were replaced.")
    if output.as_json:
        print(json.dumps(with_notices(result.to_dict()), indent=1, allow_nan=False))  # in ASCII: safe in any terminal
    else:
        _show([result] if isinstance(result, TrainResult) else list(result.values()), output.folder)


def _open(
    reading: Reading, targets: tuple[str, ...], options: TrainOptions, start: float | None
) -> Training | TargetsTraining | ChunkTraining:
    options = replace(
        options,
        missing=reading.missing,
        separator=reading.separator,
        header=reading.header,
        sheet=reading.sheet,
        query=reading.query,
        table_name=reading.table_name,
    )
    found = None
    if reading.table is not None:
        with progress_bar("Reading the table") as progress:
            found = read_chunks(reading.table, replace(options, separator=separator_of(reading)), progress)
    source = read(reading) if found is None else found
    options = replace(options, kinds=read_kinds(reading.kinds, source.columns))
    name = source_name(reading.table) if reading.table else PENGUINS_TITLE
    if isinstance(source, ChunkTable):
        with progress_bar("Looking at the columns") as progress:
            return prepare_training(source, reading.table, list(targets) or None, options, name, progress)
    target: Any = [source.find(one) for one in targets] if len(targets) > 1 else targets[0] if targets else None
    target = TARGET if reading.table is None and target is None else target
    return split_any(source, reading.table, target, options, name, start=start)


def _show_columns(training: Training | TargetsTraining | ChunkTraining) -> None:
    context = training.context
    if isinstance(training, ChunkTraining):
        found = training.prepared
        show_columns(column_lines(context.table, context.source, found.missing), found.about.n_known)
    else:
        show_columns(column_lines(context.table, context.source), len(context.table))


def _show(results: Sequence[TrainResult], out: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for comparison in (result.comparison for result in results):
        Console().print("", leaderboard(comparison, Console().width), "", sep="\n")
        for sentence in filter(None, (preference(comparison), tie(comparison), decision(comparison))):
            console.print(f"{sentence}\n")
    for what, name in (("Report", REPORT), ("Model", MODEL), ("Result", RESULT)):
        console.print(f"{what:<8}{visible(out / name)}")
    if any(result.best.holds_rows for result in results):
        note("The model holds rows of the training table: treat its file as you treat the table.")
    console.print(f"\nNext: look at the report, then\n  mercer predict {visible(out / MODEL)} NEW.csv")
