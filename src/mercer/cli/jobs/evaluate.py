"""Scores of stored models on a table, shown and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any, Protocol

from mercer.atomic import refuse_unwritable, write_file
from mercer.cli.console import note, with_notices, written
from mercer.cli.jobs.reading import read
from mercer.cli.options import Reading, Scoring
from mercer.errors import BadOutput
from mercer.evaluation.assessment.evaluation import Evaluation
from mercer.formatting import visible
from mercer.store import StoredModel, open_model
from mercer.table import Source
from mercer.workbench.evaluate import evaluate
from mercer.workbench.labelled import LabelledRows, labelled_rows
from mercer.workbench.row_groups import group_numbers

_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>{}</title><body>{}</body></html>\n'


class Shown(Protocol):
    """A result that the terminal, a notebook and JSON can show."""

    def to_dict(self) -> dict[str, Any]: ...

    def _repr_html_(self) -> str: ...


def run(model: Path, reading: Reading, scoring: Scoring, out: Path | None, as_json: bool) -> None:
    """Score a model on the rows of a table whose target is known."""
    refuse_output(out)
    stored = open_model(model)
    if len(stored.outputs) == 1:
        show(_scored(stored, read_labelled(stored, reading, scoring), scoring), out, as_json)
        return
    source = read(reading, stored.card.missing, stored.model.schema_)
    found = {}
    for one in _wanted(stored, scoring.target, source.columns):
        asked = replace(scoring, target=None, positive=scoring.positive if one.card.task == "classification" else None)
        rows = _labelled(one, replace(source, columns=stored.columns_of(one, source.columns)), asked)
        found[one.card.target] = _scored(one, rows, asked)
    show(Evaluations(found), out, as_json)


def _scored(stored: StoredModel, rows: LabelledRows, scoring: Scoring) -> Evaluation:
    return evaluate(
        stored,
        rows.table,
        rows.target,
        groups=group_numbers(rows.groups),
        positive=scoring.positive,
        sample_weight=rows.weight,
        level=scoring.level,
        amounts=rows.amounts,
    )


def _wanted(stored: StoredModel, target: str | None, columns: Iterable[str]) -> list[StoredModel]:
    """The targets to score: that named, or all whose column is there."""
    there = set(columns)
    known = [one for one in stored.outputs if one.card.target in there]
    if target is not None or not known:
        return [stored.output(target)] if target is not None else list(stored.outputs)
    for one in stored.outputs:
        if one not in known:
            note(f"The table has no column {one.card.target!r}: that target is not scored.")
    return known


class Evaluations:
    """The scores of several targets, one below the other."""

    def __init__(self, found: Mapping[str, Shown]) -> None:
        self.found = found

    def to_dict(self) -> dict[str, Any]:
        return {"targets": {name: one.to_dict() for name, one in self.found.items()}}

    def _repr_html_(self) -> str:
        return "".join(f"<h2>{escape(name)}</h2>{one._repr_html_()}" for name, one in self.found.items())

    def __str__(self) -> str:
        return "\n\n".join(f"{visible(name)}\n\n{one}" for name, one in self.found.items())


def read_labelled(stored: StoredModel, reading: Reading, scoring: Scoring) -> LabelledRows:
    """The rows of a table with their target; what to know about them is noted."""
    stored = stored.only()
    return _labelled(stored, read(reading, stored.card.missing, stored.model.schema_), scoring)


def _labelled(stored: StoredModel, source: Source, scoring: Scoring) -> LabelledRows:
    rows = labelled_rows(stored, source, scoring.target, scoring.group, scoring.weight)
    for said in rows.notes:
        note(said)
    return rows


def refuse_output(out: Path | None) -> None:
    """Refuse an unknown format or a folder that cannot be written, before any work."""
    if out is None:
        return
    if out.suffix.lower() not in (".json", ".html"):
        raise BadOutput(f"--out {out}: the result is written as .json or .html.")
    refuse_unwritable(out)


def show(result: Shown, out: Path | None, as_json: bool) -> None:
    """Print a result as text or JSON, and write it where asked."""
    text = json.dumps(with_notices(result.to_dict()), indent=1, allow_nan=False)
    replaced = out is not None and out.exists()
    if out is not None:
        page = _PAGE.format("mercer", result._repr_html_())
        write_file(out, [(text if out.suffix.lower() == ".json" else page).encode()])
    print(text if as_json else result)
    if out is not None and not as_json:
        print(f"\nWritten: {written(out, replaced)}")
