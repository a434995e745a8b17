"""Worked examples listed, run and shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table as Grid

from mercer.cli.console import UNEXPECTED, note, written
from mercer.cli.jobs.progress import progress_bar
from mercer.errors import BadFile, BadTable, MercerError
from mercer.formatting import counted, duration
from mercer.gallery.example import Example, examples, find
from mercer.gallery.page import render
from mercer.gallery.picture import require_matplotlib
from mercer.gallery.reproduction import Reproduction, data_folder, reproduce
from mercer.store.folder import staged_folder

PAGE = "gallery.html"
Skipped = list[tuple[Example, str]]


def show_list(as_json: bool) -> None:
    """What can be reproduced."""
    found = examples()
    if as_json:
        print(json.dumps([example.to_dict() for example in found], indent=2))
        return
    grid = _grid("Name", "Title", "Source", "Needs")
    for example in found:
        grid.add_row(example.name, example.title, example.source, ", ".join(t.title for t in example.needs))
    Console().print(grid)
    print("\nRun one: mercer reproduce NAME (tables that it needs: --data FOLDER). Run all: mercer reproduce --all.")


def run(names: Sequence[str], data: Path | None, out: Path, as_json: bool) -> None:
    """Run examples, print their figures beside those of the texts, and save their pictures in `out`."""
    wanted = find(names)
    _check(data)
    files: list[str] = []
    with staged_folder(out, files) as stage:
        found, _ = _reproduced(wanted, data, skip=False)
        for result in found:
            for file, picture in zip(result.file_names(), result.pictures, strict=True):
                (stage / file).write_bytes(picture.png)
                files.append(file)
        replaced = {file: (out / file).exists() for file in files}
    if as_json:
        print(json.dumps({"examples": [r.to_dict() for r in found], "folder": str(out)}, indent=2))
    else:
        for result in found:
            _show(result)
            for file in result.file_names():
                print(f"Picture  {written(out / file, replaced[file])}")
    _judge(found)


def write_page(names: Sequence[str], data: Path | None, out: Path, as_json: bool) -> None:
    """Run every example whose tables are there, and write them as one page."""
    if names:
        raise MercerError(f"--all runs every example: leave {' '.join(names)} out, or leave --all out.")
    _check(data)
    with staged_folder(out, [PAGE]) as stage:
        found, skipped = _reproduced(examples(), data, skip=True)
        (stage / PAGE).write_text(render(found, skipped), encoding="utf-8")
        replaced = (out / PAGE).exists()
    if as_json:
        left = [{"name": example.name, "why": why} for example, why in skipped]
        print(
            json.dumps({"page": str(out / PAGE), "examples": [r.to_dict() for r in found], "not_run": left}, indent=2)
        )
    else:
        _show_summary(found)
        for example, why in skipped:
            note(f"{example.name} was not run. {why}")
        print(f"Page  {written(out / PAGE, replaced)}")
    _judge(found)


def _check(data: Path | None) -> None:
    """What can be known before any work."""
    require_matplotlib()
    data_folder(data)


def _reproduced(wanted: Sequence[Example], data: Path | None, *, skip: bool) -> tuple[list[Reproduction], Skipped]:
    """Each example run; with `skip`, those whose tables are not there are set aside with the reason."""
    found, skipped = [], []
    with progress_bar("Examples") as progress:
        for number, example in enumerate(wanted):
            progress(example.name, number / len(wanted))
            try:
                found.append(reproduce(example, data))
            except (BadFile, BadTable) as error:
                if not (skip and example.needs):
                    raise
                skipped.append((example, str(error)))
    return found, skipped


def _grid(*names: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        grid.add_column(name, overflow="fold", no_wrap=name in ("Name", "Example"))
    return grid


def _show(result: Reproduction) -> None:
    print(f"\n{result.example.title}\n{result.example.source} ({duration(result.seconds)})\n")
    grid = _grid("Figure", "Source", "mercer", "Tolerance", "Agrees")
    for c in result.comparisons:
        grid.add_row(c.what, c.source_text, c.ours_text, c.tolerance_text, _answer(c.verdict, c.reason))
    console = Console(markup=False, highlight=False)
    if result.comparisons:
        console.print(grid)
    for table in result.tables:
        print(f"\n{table.title}")
        grid = _grid("", *table.columns)
        for cells in table.cells():
            grid.add_row(*cells)
        console.print(grid)
        if table.note:
            console.print(table.note)


def _answer(verdict: str, reason: str) -> str:
    return {"agrees": "yes", "DISAGREES": "NO"}.get(verdict, f"{verdict}: {reason}")


def _show_summary(found: Sequence[Reproduction]) -> None:
    grid = _grid("Example", "Figures", "Agree", "Slips of the text", "Differ", "Seconds")
    for result in found:
        verdicts = Counter(c.verdict for c in result.comparisons)
        differ = verdicts["differs"] + verdicts["DISAGREES"]
        counts = (verdicts.total(), verdicts["agrees"], verdicts["slip of the source"], differ)
        grid.add_row(result.example.name, *map(str, counts), f"{result.seconds:.1f}")
    Console(markup=False, highlight=False).print(grid)


def _judge(found: Sequence[Reproduction]) -> None:
    """Leave with an error code where a figure disagrees and nobody has said why."""
    unexplained = sum(result.unexplained for result in found)
    if unexplained:
        note(f"{counted(unexplained, 'figure')} of the texts did not come out, and no reason is known.")
        raise typer.Exit(UNEXPECTED)
