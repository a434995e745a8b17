"""A contest of learners, from a table to a report, a result and a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mercer.cli.console import note
from mercer.cli.jobs.describe import column_lines, show_columns
from mercer.cli.jobs.leaderboard import leaderboard
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read, read_kinds
from mercer.cli.options import Reading
from mercer.data import TARGET
from mercer.errors import BadTarget, MercerError
from mercer.evaluate.contest import Contest, run_contest
from mercer.evaluate.options import ContestOptions
from mercer.report.page import render
from mercer.store import save
from mercer.store.atomic import write_file
from mercer.store.folder import staged_folder
from mercer.table import KindSpec, Source

REPORT, MODEL, RESULT = "report.html", "model.mercer", "result.json"


def run(reading: Reading, target: str | None, out: Path, given: ContestOptions, as_json: bool) -> None:
    """Compare learners and write what was found; the folder is claimed before any work."""
    with staged_folder(out, (REPORT, MODEL, RESULT)) as stage:
        source = read(reading)
        name = _target(source, target, reading)
        given = replace(
            given,
            name=reading.table.name if reading.table else "Palmer penguins",
            kinds=_kinds(source, name, reading),
        )
        if not as_json:
            show_columns(column_lines(_without(source, name), reading.kinds), source.n_rows)
        with progress_bar("Comparing learners") as progress:
            contest = run_contest(source, name, given, progress)
        text = _write(contest, stage, reading.missing)
    for notice in contest.notices:
        note(notice)
    if as_json:
        print(text)
    else:
        _show(contest, out)


def _target(source: Source, target: str | None, reading: Reading) -> str:
    if target is None and reading.table is not None:
        names = ", ".join(repr(n) for n in list(source.columns)[:8])
        raise BadTarget(f"Which column is to be predicted? Add --target COLUMN. The first columns: {names}.")
    return source.find(TARGET if target is None else target)


def _kinds(source: Source, target: str, reading: Reading) -> Mapping[str, KindSpec]:
    kinds = read_kinds(reading.kinds, source.columns)
    if target in kinds:
        raise MercerError(f"--kind {target}=...: that is the target. Say --task classification or regression.")
    return kinds


def _without(source: Source, target: str) -> Source:
    return replace(source, columns={n: cells for n, cells in source.columns.items() if n != target})


def _write(contest: Contest, stage: Path, missing: tuple[str, ...]) -> str:
    """The three files; returns the result as text."""
    result = contest.to_dict()
    text = json.dumps(result, indent=1, allow_nan=False, ensure_ascii=False)
    write_file(stage / RESULT, [text.encode()])
    write_file(stage / REPORT, [render(result).encode()])
    save(
        contest.winner,
        stage / MODEL,
        target=contest.target.name,
        training_rows=contest.splits.n_rows,
        missing=missing,
        holds_training_rows=contest.best.holds_rows,
    )
    return text


def _show(contest: Contest, out: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    Console().print("", leaderboard(contest), "", sep="\n")
    for what, name in (("Report", REPORT), ("Model", MODEL), ("Result", RESULT)):
        console.print(f"{what:<8}{out / name}")
    if contest.best.holds_rows:
        note("The model holds rows of the training table: treat its file as you treat the table.")
    console.print(f"\nNext: look at the report, then\n  mercer predict {out / MODEL} NEW.csv")
