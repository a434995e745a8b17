"""SMOTE and its kin through imbalanced-learn, for tables without missing cells and texts.

Numbers are divided by their standard deviations before neighbours are sought, and multiplied again afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.combine.resample.mixed import no_hard_rows
from mercer.combine.resample.sample import Sample, wanted_more
from mercer.errors import BadTable, MercerError
from mercer.table import Table
from mercer.table.blocks import Codes, Numbers


def takes(table: Table, method: str) -> bool:
    """Whether imbalanced-learn has the method for such a table: numbers, or for SMOTE levels beside them."""
    if table.is_sparse or table.texts().shape[1] or not table.numbers().shape[1]:
        return False
    levels = table.codes()
    return not np.isnan(table.numbers()).any() and (not levels.shape[1] or (method == "smote" and levels.min() >= 0))


def resample(rows: Sample, method: str, k: Ints, ratio: float, seed: Any) -> Sample:
    """What the sampler of that name gives; k : neighbours of each class that grows, or of all rows."""
    return (
        _cleaned(rows, method, int(k.max())) if method in ("tomek", "edited") else _grown(rows, method, k, ratio, seed)
    )


def _cleaned(rows: Sample, method: str, k: int) -> Sample:
    from imblearn.under_sampling import EditedNearestNeighbours, TomekLinks  # noqa: PLC0415

    sampler = TomekLinks() if method == "tomek" else EditedNearestNeighbours(n_neighbors=k)
    numbers, _ = _scaled(rows.table)
    _run(lambda: sampler.fit_resample(numbers, rows.codes))
    return rows.take(np.sort(sampler.sample_indices_))


def _grown(rows: Sample, method: str, k: Ints, ratio: float, seed: Any) -> Sample:
    counts = rows.counts()
    more = {c: int(n + counts[c]) for c, n in enumerate(wanted_more(counts, ratio)) if n}
    if not more:
        return rows
    numbers, scale = _scaled(rows.table)
    cells = np.column_stack([numbers, rows.table.codes()])
    sampler = _grower(method, more, int(min(k[list(more)])), seed, range(numbers.shape[1], cells.shape[1]))
    made, codes = _run(lambda: sampler.fit_resample(cells, rows.codes))
    new = made[len(cells) :]
    block = Numbers((new[:, : len(scale)] * scale).astype(rows.table.numbers().dtype), complete=True)
    levels = Codes(np.asfortranarray(np.rint(new[:, len(scale) :]).astype(np.int32)))
    texts = replace(rows.table.text_block, values=np.empty((len(new), 0), dtype=object))
    table = replace(rows.table, n_rows=len(new), number_block=block, code_block=levels, text_block=texts)
    return rows.with_rows(table, codes[len(cells) :].astype(np.int32))


def _grower(method: str, more: dict[int, int], k: int, seed: Any, levels: range) -> Any:
    from imblearn.over_sampling import ADASYN, SMOTE, SMOTENC, BorderlineSMOTE  # noqa: PLC0415

    common = {"sampling_strategy": more, "random_state": seed}
    if method == "smote":
        return SMOTENC(list(levels), k_neighbors=k, **common) if levels else SMOTE(k_neighbors=k, **common)
    return BorderlineSMOTE(k_neighbors=k, **common) if method == "borderline" else ADASYN(n_neighbors=k, **common)


def _scaled(table: Table) -> tuple[Floats, Floats]:
    """The numbers over their standard deviations, and those; 1 for a column of one value."""
    numbers = table.numbers().astype(np.float64)
    deviation = numbers.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return numbers / scale, scale


def expect_installed() -> None:
    """An error that names the extra where imbalanced-learn cannot be imported."""
    try:
        import imblearn  # noqa: F401, PLC0415
    except ImportError:
        raise MercerError(
            "Resampling by neighbours goes through imbalanced-learn on a table without missing cells. Install it with: "
            "pip install mercer[imbalance]. Or give metric='heom', which needs nothing more."
        ) from None


def _run(resampling: Callable[[], Any]) -> Any:
    try:
        return resampling()
    except RuntimeError as error:
        if "Not any neig" in str(error):
            raise BadTable(no_hard_rows()) from None
        raise
    except ValueError as error:
        raise BadTable(f"imbalanced-learn cannot resample these rows: {error}") from None
