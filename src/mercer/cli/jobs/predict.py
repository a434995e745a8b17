"""Predictions of a stored model, written whole, and what was found about the rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mercer.atomic import refuse_unwritable
from mercer.cli.console import note, with_notices, written
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read, separator_of
from mercer.cli.options import Reading
from mercer.errors import BadOutput
from mercer.evaluation.assessment.display import interval_text, number_text
from mercer.evaluation.metrics import METRICS
from mercer.formatting import counted, visible
from mercer.scale.chunks import as_chunks, is_large
from mercer.store import StoredModel, open_model
from mercer.workbench.prediction.chunk_reading import ChunkReading
from mercer.workbench.prediction.drift import DRIFT_LEVEL, LEAST_GAPS, LEAST_PSI
from mercer.workbench.prediction.predict import predict_source
from mercer.workbench.prediction.predicted import Predicted
from mercer.workbench.prediction.stream import csv_pieces, predict_file, predicted_chunks
from mercer.workbench.prediction.streamed import Streamed

STDOUT = Path("-")
MOST_COLUMNS = 5  # named in a sentence
MOST_DRIFTED = 15  # shown


def run(model: Path, reading: Reading, out: Path, keep: tuple[str, ...], as_json: bool) -> None:
    """Predict every row of a table."""
    _refuse_output(out, reading.table)
    stored = open_model(model)
    if is_large(reading.table):
        _run_stream(stored, reading, out, keep, as_json)
        return
    source = read(reading, stored.card.missing, stored.model.schema_)
    with progress_bar("Predicting") as progress:
        found = predict_source(stored, source, keep, progress)
    if any(one.summary is None for one in stored.outputs):
        note("The model file does not tell what its training rows held: ranges and drift are not looked at.")
    for text in found.notes:
        note(text)
    if out == STDOUT:
        _print_csv(found.to_bytes())
        return
    replaced = out.exists()
    found.write(out)
    if as_json:
        told = with_notices({"out": str(out), "replaced": replaced, **found.to_dict()})
        print(json.dumps(told, indent=2, allow_nan=False))
    else:
        _show(found, written(out, replaced))


def _run_stream(stored: StoredModel, reading: Reading, out: Path, keep: tuple[str, ...], as_json: bool) -> None:
    """Predict a table of any size, chunk after chunk."""
    missing = (*stored.card.missing, *reading.missing)
    chunks = as_chunks(reading.table, missing=missing, separator=separator_of(reading), header=reading.header)
    if out == STDOUT:
        reading_once = ChunkReading(stored, chunks, scored=False)
        for piece in csv_pieces(predicted_chunks(reading_once, keep, Streamed(), None)):
            _print_csv(piece)
        return
    replaced = out.exists()
    with progress_bar("Predicting") as progress:
        found = predict_file(stored, chunks, out, keep=keep, progress=progress)
    for text in found.notes:
        note(text)
    if as_json:
        told: dict[str, Any] = {"rows": found.n_rows, "columns": found.columns}
        flags = {"rows": found.n_flagged, "far": dict(found.far), "unseen": dict(found.unseen)}
        told |= {"flags": flags, **_scores(found, stored.card.task)}
        print(json.dumps(with_notices({"out": str(out), "replaced": replaced, **told}), indent=2))
        return
    print(f"{counted(found.n_rows, 'row')} predicted: {written(out, replaced)}")
    target, days = visible(repr(stored.card.target)), " days" if stored.card.date_unit else ""
    if found.n_scored and stored.card.task == "classification":
        print(f"{found.accuracy:.1%} of the {found.n_scored:,} rows with a known {target} are predicted right.")
    elif found.n_scored:
        print(f"Root mean squared error on {found.n_scored:,} rows with a known {target}: {found.rmse:.6g}{days}.")
    _show_unknown(found.unknown_classes)
    if found.n_flagged:
        print(_flag_sentence(found.n_flagged, found.far, found.unseen))
    note("Read in chunks: drift of columns and intervals of scores are for tables that fit in memory.")


def _scores(found: Streamed, task: str) -> dict[str, Any]:
    """The scores of rows in chunks, ready for JSON."""
    if not found.n_scored and not found.unknown_classes:
        return {}
    told: dict[str, Any] = {"scored": found.n_scored}
    if found.n_scored:
        told |= {"accuracy": found.accuracy} if task == "classification" else {"rmse": found.rmse}
    return told | ({"unknown_classes": found.unknown_classes} if found.unknown_classes else {})


def _refuse_output(out: Path, table: str | Path | None) -> None:
    """Refuse an unknown format, the table itself or a folder that cannot be written, before any work."""
    if out == STDOUT:
        return
    if out.suffix.lower() not in (".csv", ".parquet"):
        raise BadOutput(f"--out {out}: predictions are written as .csv or .parquet.")
    if table is not None and out.exists() and Path(table).exists() and out.samefile(table):
        raise BadOutput(f"--out {out} is the table to predict, and would be replaced. Name another file.")
    refuse_unwritable(out)


def _print_csv(data: bytes) -> None:
    """UTF-8 as in a file, whatever the terminal speaks; on a terminal, nothing in it that the terminal obeys."""
    if sys.stdout.isatty():
        for line in data.decode().split("\n")[:-1]:
            print(visible(line))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def _show(found: Predicted, out: str) -> None:
    print(f"{counted(found.frame.height, 'row')} predicted: {out}")
    for one in found.targets.values() or [found]:
        _show_score(one)
    if found.flags.n_rows:
        print(_flag_sentence(found.flags.n_rows, found.flags.far, found.flags.unseen))
    if found.drift:
        _show_drift(found)


def _show_unknown(n: int) -> None:
    if n:
        print(f"{counted(n, 'row')} of a class unknown to the model, not scored: compare the spelling.")


def _show_score(found: Predicted) -> None:
    _show_unknown(found.unknown_classes)
    if found.evaluation is None:
        return
    scores, n, target = found.evaluation.scores, found.evaluation.n_rows, visible(repr(found.target))
    if "accuracy" in scores:
        print(f"{scores['accuracy'].value:.1%} of the {n:,} rows with a known {target} are predicted right.")
    if "rmse" in scores:
        days = " days" if found.predicts_dates else ""
        print(f"Root mean squared error on {n:,} rows with a known {target}: {scores['rmse'].value:.6g}{days}.")
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for heading in ("Metric", "Score", f"{found.evaluation.level:.0%} interval"):
        grid.add_column(heading)
    for key, score in scores.items():
        grid.add_row(METRICS[key].title, number_text(score.value), Text(interval_text(score)))
    Console().print(grid)
    for text in found.evaluation.notes:
        note(text)


def _flag_sentence(n_rows: int, far: Mapping[str, int], unseen: Mapping[str, int]) -> str:
    parts = []
    for counts, what in ((far, "numbers far outside the training range"), (unseen, "levels never seen")):
        if counts:
            shown = ", ".join(f"{visible(name)} ({n:,})" for name, n in list(counts.items())[:MOST_COLUMNS])
            parts.append(f"{what} in {shown}{', ...' if len(counts) > MOST_COLUMNS else ''}")
    return f"{counted(n_rows, 'row')} flagged (column flags): {'; '.join(parts)}."


def _show_drift(found: Predicted) -> None:
    drifted = found.drifted
    tested = counted(len(found.drift), "column") + (" together" if len(found.drift) > 1 else "")
    rule = f"test at {DRIFT_LEVEL:.0%} for {tested}, and PSI from {LEAST_PSI}"
    if not drifted:
        print(f"No drift against the training rows is shown ({rule}).")  # nor ruled out, by few rows
        return
    print(f"{len(drifted)} of {counted(len(found.drift), 'column')} drifted against the training rows", end=" ")
    print(f"({rule} or {LEAST_GAPS:.0%} more or fewer missing cells):")
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for heading in ("Column", "What moved", "PSI"):
        grid.add_column(heading, overflow="fold")
    for column in drifted[:MOST_DRIFTED]:
        grid.add_row(Text(visible(column.name)), Text(column.change), f"{column.psi:.2f}")
    Console().print(grid)
    if len(drifted) > MOST_DRIFTED:
        print(f"and {len(drifted) - MOST_DRIFTED} more (--json shows all)")
