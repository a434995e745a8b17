"""The predictions of several targets in one table."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from mercer.workbench.prediction.answers import PREDICTION
from mercer.workbench.prediction.drift import ColumnDrift, Flags
from mercer.workbench.prediction.predicted import Predicted


def together(targets: Mapping[str, Predicted]) -> tuple[pl.DataFrame, Predicted]:
    """The columns of all targets, named after them, and what was found of the rows, whichever model it concerns.

    Parameters
    ----------
    targets : mapping of str to Predicted
        What was predicted of each target, `frame` being its answers alone.

    Returns
    -------
    answers : polars.DataFrame
        prediction_TARGET and probability_TARGET_CLASS, target by target.
    predicted : Predicted
        Flags, drift and notes of all, each once; scores are those of `targets`.
    """
    columns = [_named(column, target) for target, one in targets.items() for column in one.frame.get_columns()]
    drift: dict[str, ColumnDrift] = {}
    for one in targets.values():
        drift |= {column.name: column for column in one.drift if column.name not in drift or column.drifted}
    notes = [note for one in targets.values() for note in one.notes]
    answers = pl.DataFrame(columns)
    return answers, Predicted(
        frame=answers,
        target=", ".join(targets),
        flags=_all_flags([one.flags for one in targets.values()]),
        drift=list(drift.values()),
        notes=list(dict.fromkeys(notes)),
        targets=dict(targets),
    )


def _named(column: pl.Series, target: str) -> pl.Series:
    """prediction -> prediction_TARGET, probability_yes -> probability_TARGET_yes."""
    what, _, rest = column.name.partition("_")
    return column.alias(f"{PREDICTION}_{target}" if column.name == PREDICTION else f"{what}_{target}_{rest}")


def _all_flags(found: list[Flags]) -> Flags:
    """A cell that is unusual to any of the models; they may have seen other rows, where a target was missing."""
    texts = ["; ".join(dict.fromkeys(filter(None, row))) or None for row in zip(*(f.texts for f in found), strict=True)]
    return Flags(texts, _most([f.far for f in found]), _most([f.unseen for f in found]))


def _most(counts: list[dict[str, int]]) -> dict[str, int]:
    return {name: max(c.get(name, 0) for c in counts) for name in dict.fromkeys(n for c in counts for n in c)}
