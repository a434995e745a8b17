"""The main job: from a table to a report, a result and a model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from mercer.cli.console import note
from mercer.cli.jobs.describe import column_lines, show_columns
from mercer.cli.jobs.leaderboard import decision, leaderboard, tie
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read, read_kinds
from mercer.cli.options import Reading
from mercer.data import TARGET
from mercer.errors import BadTarget, MercerError
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.result import Comparison
from mercer.formatting import visible
from mercer.report.page import render
from mercer.select.thresholds import RULES, Costs
from mercer.store import save
from mercer.store.atomic import write_file
from mercer.store.folder import staged_folder
from mercer.table import KindSpec, Source

REPORT, MODEL, RESULT = "report.html", "model.mercer", "result.json"


def run(reading: Reading, target: str | None, out: Path, options: ComparisonOptions, as_json: bool) -> None:
    """Compare learners and write what was found; whether the folder can be written is checked first."""
    with staged_folder(out, (REPORT, MODEL, RESULT)) as stage:
        source = read(reading)
        name = _target(source, target, reading)
        options = replace(
            options,
            name=reading.table.name if reading.table else "Palmer penguins",
            kinds=_kinds(source, name, reading),
        )
        context = prepare(source, name, options)
        if not as_json:
            show_columns(column_lines(context.table, context.source), len(context.table))
        with progress_bar("Comparing learners") as progress:
            comparison = compare_learners(context, progress)
        result = _write(comparison, stage, reading.missing)
    for notice in comparison.notices:
        note(notice)
    if as_json:
        print(json.dumps(result, indent=1, allow_nan=False))  # in ASCII: safe in any terminal
    else:
        _show(comparison, out)


def read_costs(text: str | None) -> Costs | None:
    """--cost fn=20,fp=1: an error that is not named costs 1."""
    if text is None:
        return None
    found = {"fn": 1.0, "fp": 1.0}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if name not in found or math.isnan(number):
            raise MercerError(f"--cost {text!r}: write what a miss and a false alarm cost, as in fn=20,fp=1.")
        found[name] = number
    return Costs(**found)


def read_threshold(text: str | None) -> str | float | None:
    """--threshold: a number, or the name of a rule."""
    if text is None:
        return None
    try:
        rule: str | float = float(text)
    except ValueError:
        rule = text
    if rule not in RULES and not (isinstance(rule, float) and 0 <= rule <= 1):
        raise MercerError(f"--threshold {text!r}: give a number from 0 to 1, or one of {', '.join(RULES)}.")
    return rule


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


def _write(comparison: Comparison, stage: Path, missing: tuple[str, ...]) -> dict[str, Any]:
    """The three files; returns the result."""
    result = comparison.to_dict()
    text = json.dumps(result, indent=1, allow_nan=False, ensure_ascii=False)
    write_file(stage / RESULT, [text.encode()])
    write_file(stage / REPORT, [render(result).encode()])
    save(
        comparison.best_model,
        stage / MODEL,
        target=comparison.target.name,
        training_rows=comparison.training_rows,
        missing=missing,
        holds_training_rows=comparison.best.holds_rows,
        threshold=None if comparison.decision is None else comparison.decision.threshold,
        positive="" if comparison.decision is None else comparison.decision.positive,
    )
    return result


def _show(comparison: Comparison, out: Path) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    Console().print("", leaderboard(comparison, Console().width), "", sep="\n")
    for sentence in filter(None, (tie(comparison), decision(comparison))):
        console.print(f"{sentence}\n")
    for what, name in (("Report", REPORT), ("Model", MODEL), ("Result", RESULT)):
        console.print(f"{what:<8}{visible(out / name)}")
    if comparison.best.holds_rows:
        note("The model holds rows of the training table: treat its file as you treat the table.")
    console.print(f"\nNext: look at the report, then\n  mercer predict {visible(out / MODEL)} NEW.csv")
