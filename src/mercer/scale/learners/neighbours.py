"""Nearest neighbours in chunks: the model is its training rows, which the process that asks gathers where they fit."""

from __future__ import annotations

import numpy as np

from mercer._core.memory import physical_memory
from mercer.errors import TooLarge
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.formatting import byte_size
from mercer.parameters import check_parameters
from mercer.scale.learners.landmarks import SomeRows
from mercer.scale.rows import Part, Rows
from mercer.table.assemble import vstack

_COPIES = 3  # of the rows: chunks, the table of all, and the numbers that distances compare


def fit_neighbours(model: KNeighborsClassifier | KNeighborsRegressor, rows: Rows) -> None:
    """The model of all rows, in the order of the chunks: so equal distances go to the same row."""
    check_parameters(model)
    sizes = [size or 0 for size in rows.each(lambda k: _nbytes)]
    needed = _COPIES * sum(sizes)
    if needed > physical_memory():
        raise TooLarge(
            f"{type(model).__name__} keeps its training rows, which takes about {byte_size(needed)}; this machine has "
            f"{byte_size(physical_memory())}. Predict by mercer.scale.nearest, or leave out columns."
        )
    found = [part for part in rows.each(lambda k: _all_rows) if part is not None]
    target = np.concatenate([part.target for part in found])
    names, n_columns = model.feature_names_in_, model.n_features_in_
    model.fit(vstack(*(part.table for part in found)), target if rows.labels is None else rows.classes[target])
    model.feature_names_in_, model.n_features_in_ = names, n_columns


def _nbytes(part: Part) -> int:
    return part.nbytes


def _all_rows(part: Part) -> SomeRows:
    return SomeRows(part.table, part.target)
