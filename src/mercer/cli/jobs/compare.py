"""Two runs or two stored models compared, shown and written."""

from __future__ import annotations

from pathlib import Path

from mercer.cli.jobs.evaluate import read_labelled, refuse_output, show
from mercer.cli.options import Reading, Scoring
from mercer.errors import MercerError
from mercer.formatting import visible
from mercer.store import open_model
from mercer.workbench.compare import compare_stored
from mercer.workbench.runs import compare_runs


def compare_run_folders(first: Path, second: Path, level: float, out: Path | None, as_json: bool) -> None:
    """The best models of two runs, and the learners that both ran."""
    refuse_output(out)
    for path in (first, second):
        if path.suffix.lower() == ".mercer":
            raise MercerError(f"{path} is a model: on which rows? Add a table, as in mercer compare A B TABLE.")
    show(compare_runs(first, second, level=level), out, as_json)


def compare_models(
    models: tuple[Path, Path], reading: Reading, scoring: Scoring, out: Path | None, as_json: bool
) -> None:
    """Two models on the rows of a table whose target is known."""
    refuse_output(out)
    one, two = (open_model(path) for path in models)
    if one.card.task != two.card.task:
        raise MercerError(f"{models[0]} is a model of {one.card.task}, {models[1]} of {two.card.task}: not comparable.")
    if scoring.target is None and one.card.target != two.card.target:
        raise MercerError(
            f"{models[0]} predicts {one.card.target!r}, {models[1]} predicts {two.card.target!r}. If both are the same "
            "under two names, say which column to compare with: --target COLUMN."
        )
    pairs = zip(models, (one, two), strict=True)
    parts = [(visible(path), model, read_labelled(model, reading, scoring)) for path, model in pairs]
    show(compare_stored(parts, positive=scoring.positive, level=scoring.level), out, as_json)
