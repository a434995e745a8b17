"""Later chunks of the data, for `partial_fit`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadParameter
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.table import Kind, Schema, Table, open_source
from mercer.table.build import build, conform, grown


def read_chunk(X: Any, schema: Schema) -> Table:
    """A chunk in the kinds of the first one, with its new levels behind those known."""
    if isinstance(X, Table):
        return X
    source = conform(open_source(X, schema=schema), schema)
    columns = tuple(grown(source, c) if c.kind in (Kind.BINARY, Kind.CATEGORY) else c for c in schema)
    return build(source, replace(schema, columns=columns))


def announced_classes(known: NDArray[Any] | None, classes: Any) -> NDArray[Any]:
    """All classes, named in the first chunk; a later one that names others is refused."""
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit. Give all that may occur.")
        return known
    found = np.unique(classes)
    if known is not None and not np.array_equal(known, found):
        raise ValueError(f"classes={classes!r} is not the same as on last call to partial_fit, was: {known!r}.")
    return found


def check_announced(y: Any, classes: Any) -> None:
    """Refuse labels that are not among the classes announced."""
    strange = np.setdiff1d(np.asarray(y), np.asarray(classes))
    if len(strange):
        raise ValueError(
            f"The target label(s) {strange} in y do not exist in the initial classes {np.asarray(classes)}"
        )


def refuse_balanced(class_weight: ClassWeight, method: str) -> None:
    """ "balanced" depends on all rows, so that parts of them cannot be added up."""
    if isinstance(class_weight, str):
        raise BadParameter(
            f'class_weight="balanced" needs all rows at once, so {method} cannot use it. Give class_weight as a dict: '
            "for class c, n_rows / (n_classes * n_rows_of_c)."
        )


def chunk_class_weight(class_weight: ClassWeight, classes: Any) -> ClassWeight:
    """The weights of the classes of a chunk; the others may come in a later one."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    return {label: factor for label, factor in class_weight.items() if label in classes.tolist()}
