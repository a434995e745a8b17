"""From the answers of leaves to probabilities and classes, for trees and forests alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.common.labels import stack_labels


def shares_by_output(values: Floats, classes: Sequence[NDArray[Any]]) -> Any:
    """Shares (n_rows, n_answers) as one array, or a list with one array per output.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_answers)
        Shares of the classes of one output after the other.
    classes : sequence of ndarray
        The classes of each output.

    Returns
    -------
    shares : ndarray of shape (n_rows, n_classes), or list of these
        Of each output.
    """
    sizes = [len(known) for known in classes]
    if max(sizes) == 1:
        values = np.ones_like(values)
    shares = np.split(values, np.cumsum(sizes)[:-1], axis=1)
    return shares if len(classes) > 1 else shares[0]


def most_probable(shares: Any, classes: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The class with the largest share, (n_rows,) or (n_rows, n_outputs)."""
    several = isinstance(shares, list)
    best = [np.argmax(share, axis=1) for share in (shares if several else [shares])]
    labels = [known[k] for known, k in zip(classes, best, strict=True)]
    return stack_labels(labels) if several else labels[0]


def log_shares(shares: Any) -> Any:
    """Logarithms; minus infinity of 0."""
    with np.errstate(divide="ignore"):
        return [np.log(share) for share in shares] if isinstance(shares, list) else np.log(shares)
