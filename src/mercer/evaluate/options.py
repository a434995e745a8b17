"""What a contest may be told; every field has a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mercer.table import KindSpec


@dataclass(frozen=True, slots=True)
class ContestOptions:
    """How to run a contest of learners.

    Parameters
    ----------
    name : what the data are called in the report
    task : "classification", "regression", or None to tell from the target
    kinds : column -> kind, as in `mercer.read_table`
    learners : keys of the learners to run (see `mercer.estimators.registry`), None for all
    folds : parts of the cross-validation, 2 to 20
    repeats : rounds of cross-validation; None: 3 below 1,000 rows, else 1
    held_out : share of the rows kept aside for the last check, 0.05 to 0.5
    seed : of every random choice
    level : of the intervals, between 0 and 1
    n_jobs : threads a learner may use; None for all cores
    """

    name: str = "table"
    task: str | None = None
    kinds: Mapping[str, KindSpec] | None = None
    learners: tuple[str, ...] | None = None
    folds: int = 5
    repeats: int | None = None
    held_out: float = 0.2
    seed: int = 0
    level: float = 0.95
    n_jobs: int | None = None
